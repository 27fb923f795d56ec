//! The edits that remove entries from a file. Each has whole entries, so that undo data never has a part of one.

use std::collections::HashSet;
use std::ops::Range;

use super::entry_file::{delimiter_of, entries, is_delimiter, mark};
use crate::format::writing::RangeEdit;
use crate::model::Span;

/// Returns the edits that remove entries with their delimiters. What stays is as Hermes writes it.
pub fn edits(text: &str, spans: &[Span]) -> Vec<RangeEdit> {
    let starts: HashSet<usize> = spans.iter().map(|own| own.range().start).collect();
    let is_gone = |own: &Range<usize>| starts.contains(&own.start);
    let (gone, stay): (Vec<Range<usize>>, Vec<Range<usize>>) = entries(text).into_iter().partition(is_gone);
    let mut found = EntryEdits { text, gone, done: Vec::new(), open: None };
    for number in 0..=stay.len() {
        found.take(number.checked_sub(1).and_then(|at| stay.get(at)), stay.get(number));
    }
    found.done
}

struct EntryEdits<'a> {
    text: &'a str,
    gone: Vec<Range<usize>>,
    done: Vec<RangeEdit>,
    /// Where an edit starts that may go on, and what it writes so far.
    open: Option<(usize, String)>,
}

impl EntryEdits<'_> {
    /// Takes what is between two entries that stay, before the first, or after the last.
    fn take(&mut self, before: Option<&Range<usize>>, after: Option<&Range<usize>>) {
        let (start, end) = (self.start(before), after.map_or(self.text.len(), |after| after.start));
        match self.whole_lines(before, after) {
            Some(lines) => {
                self.close(start);
                self.done.extend((!lines.is_empty()).then(|| (lines, Vec::new())));
            }
            // The edit has the entries beside it, too: else their first or last line would be alone in undo data.
            None => {
                let first = before.cloned().unwrap_or(start..start);
                let (_, text) =
                    self.open.get_or_insert_with(|| (first.start, self.text[first.clone()].to_owned()));
                if before.is_some() && after.is_some() {
                    text.push_str(delimiter_of(self.text));
                }
                text.push_str(after.map_or("", |own| &self.text[own.clone()]));
                if after.is_none() {
                    self.close(end);
                }
            }
        }
    }

    /// Returns the end of an entry, else where the first can start.
    fn start(&self, before: Option<&Range<usize>>) -> usize {
        before.map_or_else(|| mark(self.text), |before| before.end)
    }

    /// Returns the lines that go, if only whole lines go and a delimiter stays between entries.
    fn whole_lines(
        &self,
        before: Option<&Range<usize>>,
        after: Option<&Range<usize>>,
    ) -> Option<Range<usize>> {
        let start = self.start(before);
        let is_one = |range: Range<usize>| is_delimiter(&self.text[range]);
        let Some(after) = after.map(|own| own.start) else {
            return (start == self.text.len()).then_some(start..start);
        };
        if before.is_none() {
            return (after == start || self.text[..after].ends_with('\n')).then_some(start..after);
        }
        match self.gone_between(start, after) {
            None => is_one(start..after).then_some(start..start),
            Some(gone) => (is_one(start..gone.start) && is_one(gone.end..after)).then_some(gone.start..after),
        }
    }

    /// Returns from where to where entries go between two places.
    fn gone_between(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let from = self.gone.partition_point(|own| own.start < start);
        let to = self.gone.partition_point(|own| own.start < end);
        let own = self.gone.get(from..to)?;
        Some(own.first()?.start..own.last()?.end)
    }

    fn close(&mut self, end: usize) {
        let edit = self.open.take().map(|(start, text)| (start..end, text.into_bytes()));
        self.done.extend(edit);
    }
}

/// Returns the text with edits, which are in the order of their places. What is removed may overlap.
pub fn applied(text: &str, edits: &[RangeEdit]) -> String {
    let (mut new, mut at) = (String::with_capacity(text.len()), 0);
    for (range, with) in edits {
        new = new + text.get(at..range.start).unwrap_or_default() + &String::from_utf8_lossy(with);
        at = at.max(range.end);
    }
    new + text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::markdown::entry_file::{DELIMITER, is_as_written, joined, texts};
    use crate::model::{Act, Bytes, Change};

    fn change(text: &str, gone: &[usize]) -> Change {
        let all = entries(text);
        let span = |at: &usize| Span { start: all[*at].start as u64, end: all[*at].end as u64 };
        let spans: Vec<Span> = gone.iter().map(span).collect();
        Change::edits("MEMORY.md", Bytes::from(text.as_bytes().to_vec()), edits(text, &spans))
    }

    /// Returns what is between lines of the delimiter.
    fn parts(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let own = lines.split(|line| *line == "§").map(|own| own.join("\n").trim().to_owned());
        own.filter(|own| !own.is_empty()).collect()
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn what_stays_is_as_hermes_writes_it_and_each_edit_has_whole_entries(
            text in "(a|b|ab|\n|\r\n| |\n§\n|\n§\n|\r\n§\r\n){0,14}",
            choice in any::<u16>(),
        ) {
            let all: Vec<&str> = texts(&text).collect();
            let (gone, stay): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|at| choice >> at & 1 == 1);
            let own = change(&text, &gone);
            let after = String::from_utf8(own.after().unwrap().to_vec()).unwrap();
            let expected = joined(stay.iter().map(|at| all[*at]), DELIMITER).replace("\r\n", "\n");
            prop_assert_eq!(after.replace("\r\n", "\n"), expected);
            prop_assert!(is_as_written(&after), "{:?}", after);
            let Act::Splice(splices) = own.act else { return Ok(()) };
            for splice in &splices {
                for part in parts(&String::from_utf8_lossy(&splice.was)) {
                    let is_whole = all.iter().any(|own| own.replace("\r\n", "\n") == part);
                    prop_assert!(is_whole, "{:?} in {:?}", part, text);
                }
            }
        }
    }
}
