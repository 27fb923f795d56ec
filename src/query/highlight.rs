//! Finds the words of a query in text that is shown.

use std::ops::Range;

use memchr::memmem;

use super::Query;
use super::query_tree::WordPattern;
use super::word_match::wild_at;
use crate::text::fold::fold_into;

/// Returns the bytes of `text` that match words and phrases of the query, in order and without overlap. Folds
/// the text at each call, so it is only for text on the screen.
pub fn highlights(text: &str, query: &Query) -> Vec<Range<usize>> {
    if query.wanted_words().next().is_none() {
        return Vec::new();
    }
    let folded = FoldedText::new(text);
    let words = query.wanted_words().flat_map(|(_, word)| places(&folded, &word.form));
    merged(words.map(|range| folded.shown(range)).collect())
}

/// Returns for each wanted word of a query, in order, whether it is in `text`.
pub fn words_in(text: &str, query: &Query) -> Vec<bool> {
    let folded = FoldedText::new(text);
    query.wanted_words().map(|(_, word)| !places(&folded, &word.form).is_empty()).collect()
}

fn places(folded: &FoldedText, form: &WordPattern) -> Vec<Range<usize>> {
    let find =
        |needle: &str| memmem::find_iter(folded.text.as_bytes(), needle.as_bytes()).collect::<Vec<_>>();
    match form {
        WordPattern::Plain(needle) | WordPattern::Fuzzy(needle) => {
            find(needle).into_iter().map(|at| at..at + needle.len()).collect()
        }
        WordPattern::Wild(parts) => {
            let Some(piece) = parts.iter().find(|part| !part.is_empty()) else { return Vec::new() };
            find(piece).into_iter().filter_map(|at| Some(at..wild_at(&folded.text, at, parts)?)).collect()
        }
    }
}

/// A folded text with the place from which each byte comes.
struct FoldedText {
    text: String,
    /// The place of each folded byte in the shown text, and at the end the length of the shown text.
    places: Vec<usize>,
}

impl FoldedText {
    /// Folds like `fold_collapsed`, but character by character, and keeps spaces at the ends.
    fn new(shown: &str) -> FoldedText {
        let mut folded = FoldedText { text: String::new(), places: Vec::new() };
        let mut one = String::new();
        for (at, c) in shown.char_indices() {
            one.clear();
            fold_into(c.encode_utf8(&mut [0; 4]), &mut one);
            for c in one.chars() {
                let c = if c.is_whitespace() { ' ' } else { c };
                if c != ' ' || !folded.text.ends_with(' ') {
                    folded.text.push(c);
                    folded.places.resize(folded.text.len(), at);
                }
            }
        }
        folded.places.push(shown.len());
        folded
    }

    /// Maps folded bytes to shown bytes, up to the next character, so that accents stay with their letters.
    fn shown(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.places.get(at).or(self.places.last()).copied().unwrap_or_default();
        place(range.start)..place(range.end)
    }
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Moment;

    fn marked(query: &str, text: &str) -> Vec<String> {
        let query = Query::parse(query, Moment(0)).unwrap();
        highlights(text, &query).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn words_are_marked_whatever_their_case_and_accents() {
        assert_eq!(marked("cafe", "Café, CAFE\u{301}, décaf"), ["Café", "CAFE\u{301}"]);
        assert_eq!(marked("strasse", "Die Straße."), ["Straße"]);
    }

    #[test]
    fn a_phrase_is_marked_across_white_space() {
        assert_eq!(marked("\"connection pool\"", "a Connection \n  Pool."), ["Connection \n  Pool"]);
    }

    #[test]
    fn a_word_with_a_star_is_marked_as_far_as_its_pieces_reach() {
        assert_eq!(marked("o*th", "oauth both o th"), ["oauth"]);
    }

    #[test]
    fn words_left_out_are_not_marked() {
        assert_eq!(marked("pool -oauth", "pool oauth"), ["pool"]);
        assert!(marked("-pool", "pool").is_empty());
    }

    #[test]
    fn marks_that_touch_or_overlap_are_one() {
        assert_eq!(marked("conn connection nection", "connection"), ["connection"]);
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn marks_lie_on_characters_and_in_order(word in "[a-zé*~ß接\u{301}]{1,4}", text in "(\\PC|[a-zéß接\u{301} ])*") {
            let Ok(query) = Query::parse(&word, Moment(0)) else { return Ok(()) };
            let mut end = 0;
            for range in highlights(&text, &query) {
                prop_assert!(range.start >= end && range.start < range.end);
                prop_assert!(text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}
