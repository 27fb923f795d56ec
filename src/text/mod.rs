//! Bytes and text: lines, JSON spans, canonical JSON, folding, safe text.

pub mod canonical;
pub mod columns;
pub mod decode;
pub mod digest;
pub mod fold;
pub mod front_matter;
pub mod hash_filter;
pub mod json;
pub mod json_edit;
pub mod keyed_search;
pub mod line_ends;
pub mod lines;
pub mod markdown_blocks;
pub mod merge_conflict;
pub mod part_range;
pub mod pattern_search;
pub mod placeholder_text;
pub mod project_slug;
pub mod prompt_injection;
pub mod second_version;
pub mod wiki_links;

pub mod json_layout;
pub mod json_lines;
pub mod json_salvage;
pub mod json_scanner;
pub mod needle;
pub mod numbered_id;
pub mod repack;
pub mod safe_text;
pub mod shell_quote;
pub mod string_places;
pub mod tidy_lines;
pub mod torn_line;
pub mod unpack;
pub mod value_search;

/// Returns the names in a text, in order. In a constant, a count other than `N` does not compile.
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
