//! The blocks of a Markdown text that stay whole: an item with what belongs to it, a paragraph, a table, code.

use std::ops::Range;

use crate::text::lines::lines;
use crate::text::markdown_blocks::{COMMENT, after_item_mark, block_at, hidden, shown_parts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Heading,
    Comment,
    Text,
}

/// Lines that belong together, with the empty lines after them.
pub struct TextBlock {
    pub kind: BlockKind,
    pub place: Range<usize>,
}

/// Returns the blocks of a text from a place on, where a line starts, or behind a byte order mark.
pub fn blocks(text: &str, from: usize) -> Vec<TextBlock> {
    let hidden = hidden(text);
    let mut all: Vec<TextBlock> = Vec::new();
    let mut is_after_gap = false;
    for line in lines(text.as_bytes()).skip_while(|line| line.next <= from) {
        let start = line.start.max(from);
        let shown = text.get(start..line.end).unwrap_or_default();
        let is_gap = shown.trim().is_empty();
        let is_within = block_at(&hidden, start).is_some_and(|block| block.start < start);
        let kind = kind_of(text, start..line.end, &hidden);
        let is_indented = shown.starts_with([' ', '\t']);
        let goes_on = is_within || is_indented || !is_after_gap && after_item_mark(shown).is_none();
        let belongs = |last: &TextBlock| {
            is_gap || last.kind == kind && (is_within || goes_on && kind == BlockKind::Text)
        };
        match all.last_mut().filter(|last| belongs(last)) {
            Some(last) => last.place.end = line.next,
            None => all.push(TextBlock { kind, place: start..line.next }),
        }
        is_after_gap = is_gap;
    }
    all
}

fn kind_of(text: &str, line: Range<usize>, hidden: &[Range<usize>]) -> BlockKind {
    let shown = text.get(line.clone()).unwrap_or_default();
    let after_signs = shown.trim_start_matches('#');
    let is_comment = |block: &&Range<usize>| text[block.start..].starts_with(COMMENT);
    let open = hidden[..hidden.partition_point(|block| block.start < line.end)].last();
    let open =
        open.filter(|block| block.end > line.end || block.start < line.start && block.end > line.start);
    match open {
        // A comment of several lines is not taken apart.
        Some(block) if is_comment(&block) => BlockKind::Comment,
        Some(_) => BlockKind::Text,
        None if shown.trim().is_empty() => BlockKind::Text,
        None if shown_parts(text, line, hidden).all(|part| part.trim().is_empty()) => BlockKind::Comment,
        None if after_signs.len() < shown.len()
            && (after_signs.is_empty() || after_signs.starts_with(' ')) =>
        {
            BlockKind::Heading
        }
        None => BlockKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_paragraphs_and_code_stay_whole_and_headings_and_comments_are_apart() {
        let text = "# A\n\n- a\n  more\n\n  still a\n- b\nlazy\n\nOne\ntwo\n```\n# x\n\n- y\n```\n<!-- c\n- d\n-->\n- e <!-- f -->\n#g\n";
        let sign = |kind| match kind {
            BlockKind::Heading => '#',
            BlockKind::Comment => '!',
            BlockKind::Text => ' ',
        };
        let found = blocks(text, 0).into_iter();
        let found: Vec<String> = found.map(|own| format!("{}{}", sign(own.kind), &text[own.place])).collect();
        let expected = [
            "## A\n\n",
            " - a\n  more\n\n  still a\n",
            " - b\nlazy\n\n",
            " One\ntwo\n```\n# x\n\n- y\n```\n",
            "!<!-- c\n- d\n-->\n",
            " - e <!-- f -->\n#g\n",
        ];
        assert_eq!(found, expected);
    }
}
