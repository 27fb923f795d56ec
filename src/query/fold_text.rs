//! Folds text for the comparison in a search, and collapses white space.

use crate::text::fold::fold_into;

/// Appends `text` folded. Each run of white space becomes one space; the ends have none.
///
/// Queries and texts are folded alike. ASCII is folded byte by byte, because most text has few other
/// characters. The result equals folding the complete text, because folding looks at one character at a time
/// (only marks are reordered, and marks are dropped).
pub(super) fn fold_collapsed_into(text: &str, folded: &mut String) {
    let start = folded.len();
    folded.reserve(text.len());
    let mut scratch = String::new();
    let mut space = false;
    for piece in pieces(text) {
        if piece.is_ascii() {
            piece.bytes().for_each(|byte| push(byte.to_ascii_lowercase().into(), start, &mut space, folded));
        } else {
            scratch.clear();
            fold_into(piece, &mut scratch);
            scratch.chars().for_each(|c| push(c, start, &mut space, folded));
        }
    }
}

/// Returns `text` folded, as [`fold_collapsed_into`] appends it.
pub(super) fn fold_collapsed(text: &str) -> String {
    let mut folded = String::new();
    fold_collapsed_into(text, &mut folded);
    folded
}

fn push(c: char, start: usize, space: &mut bool, folded: &mut String) {
    if c.is_whitespace() {
        *space = true;
        return;
    }
    if *space && folded.len() > start {
        folded.push(' ');
    }
    *space = false;
    folded.push(c);
}

/// Splits text into pieces that are either all ASCII or all not.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let ascii = rest.as_bytes().first()?.is_ascii();
        let len = rest.bytes().position(|byte| byte.is_ascii() != ascii).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(len);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold::fold;

    #[test]
    fn white_space_counts_once_and_not_at_the_ends() {
        assert_eq!(fold_collapsed("  Connection \n\t POOL\u{a0}x "), "connection pool x");
        assert_eq!(fold_collapsed(" \n "), "");
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn folding_by_pieces_equals_folding_the_whole(text in "(\\PC|[ae\u{301}\u{327}\u{3099}ホ ])*") {
            let whole = fold(&text).split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(fold_collapsed(&text), whole);
        }
    }
}
