//! Bytes and text: lines, JSON spans, canonical JSON, folding, safe text.

pub mod canonical;
pub mod columns;
pub mod conflict;
pub mod digest;
pub mod edit;
pub mod fold;
pub mod front_matter;
pub mod json;
pub mod lines;
pub mod links;

pub mod needle;
pub mod records;
pub mod repack;
pub mod salvage;
pub mod scan;
pub mod secrets;
pub mod shell;
pub mod show;
pub mod tidy;
pub mod torn;
pub mod unpack;
pub mod words;

/// The names in a text, in order: those of a table. Another count than the one that is asked for does
/// not compile.
pub const fn names<const N: usize>(text: &'static str) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut rest, mut at) = (text, 0);
    while at < N {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b' ' {
            end += 1;
        }
        assert!(end > 0);
        names[at] = rest.split_at(end).0;
        rest = rest.split_at(if end < rest.len() { end + 1 } else { end }).1;
        at += 1;
    }
    assert!(rest.is_empty());
    names
}
