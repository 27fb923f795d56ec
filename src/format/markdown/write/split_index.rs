//! Moves lines of an index that is over its limit into a topic file: a model then gets the whole index.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::PathBuf;

use super::text_form::{end_of, with_ends};
use super::{index_edit, topic_text};
use crate::detectors::mask;
use crate::format::markdown::entry_edits::applied;
use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::index_file;
use crate::format::markdown::loaded_part::LoadedPart;
use crate::format::markdown::text_blocks::{BlockKind, blocks};
use crate::format::notes::ids::{cut, id_from};
use crate::format::writing::{FormatFix, RangeEdit};
use crate::model::plan::count_with_noun;
use crate::model::{Document, PathText, Problem, Store};
use crate::text::front_matter::Note;
use crate::text::lines::lines;
use crate::text::markdown_blocks::after_item_mark;
use crate::text::merge_conflict::merge_places;

/// The longest title of the new file, in characters: it is repeated on a line of the index.
const LONGEST: usize = 120;

/// A block of the index that can move, and the headings that it is below, by level.
#[derive(Clone)]
struct MovableBlock {
    place: Range<usize>,
    headings: Vec<Range<usize>>,
}

/// Returns the fix that moves these lines, counted from 1, and then as many from the end as it takes. `None` if what can
/// move is not enough.
pub fn with_lines(
    store: &Store,
    family: &'static Family,
    problem: &Problem,
    chosen: &[u32],
) -> Option<FormatFix> {
    let file = store.document_at(&problem.file)?;
    let text = std::str::from_utf8(&file.bytes).ok()?;
    let rule = family.load_rule(&file.path, &store.load_settings)?;
    let is_over = |fix: &FormatFix| {
        let part = LoadedPart::of(rule, Grammar::Index, &store.load_settings, &applied(text, &fix.edits));
        part.is_some_and(|part| !part.excess().is_none())
    };
    let chosen = (1..).zip(lines(text.as_bytes())).filter(|(number, _)| chosen.contains(number));
    let chosen: Vec<usize> = chosen.map(|(_, line)| line.start).collect();
    let is_chosen = |block: &MovableBlock| chosen.iter().any(|start| block.place.contains(start));
    let mut blocks = movable(text);
    blocks.sort_by_cached_key(|block| (!is_chosen(block), Reverse(block.place.start)));
    let least = blocks.iter().filter(|block| is_chosen(block)).count().max(1);
    let fix = |count: usize| split(store, family, (file, text), blocks.get(..count)?.to_vec());
    let counts: Vec<usize> = (least..=blocks.len()).collect();
    let enough = counts.partition_point(|count| fix(*count).is_none_or(|fix| is_over(&fix)));
    fix(*counts.get(enough)?)
}

/// Returns the blocks of a text that can move: not its front matter, headings and comments, and none of a merge.
fn movable(text: &str) -> Vec<MovableBlock> {
    let (mut headings, mut found, mut is_top) = (Vec::new(), Vec::new(), true);
    let level = |place: &Range<usize>| text[place.start..].bytes().take_while(|byte| *byte == b'#').count();
    if !merge_places(text.as_bytes()).is_empty() {
        return found;
    }
    for block in blocks(text, Note::read(text).body.start) {
        match block.kind {
            // The title of the index.
            BlockKind::Heading if is_top && level(&block.place) == 1 => {}
            BlockKind::Heading => {
                headings.retain(|open| level(open) < level(&block.place));
                headings.push(block.place);
            }
            BlockKind::Text if !text[block.place.clone()].trim().is_empty() => {
                found.push(MovableBlock { place: block.place, headings: headings.clone() });
            }
            _ => continue,
        }
        is_top = false;
    }
    found
}

fn split(
    store: &Store,
    family: &'static Family,
    (file, text): (&Document, &str),
    mut moved: Vec<MovableBlock>,
) -> Option<FormatFix> {
    moved.sort_by_key(|block| block.place.start);
    let body = topic_body(text, &moved);
    let headings = &moved.first()?.headings;
    let common = headings.last().filter(|_| moved.iter().all(|block| block.headings == *headings));
    let heading = common.map_or("More", |place| text[place.clone()].trim_start_matches('#').trim());
    let stem = id_from(&family.rules, &store.documents, heading);
    let (path, end) = (PathBuf::from(format!("{stem}.md")), end_of(text));
    let names: Vec<&str> = index_file::lines(&body).filter_map(|link| link.title()).collect();
    let title =
        cut(&mask(&format!("{heading}, from {}: {}", file.path.to_text(), names.join(", "))), LONGEST);
    let title = title.trim_end_matches([':', ',']);
    let topic = topic_text(&stem, title, "reference", body.trim_end()).ok()?;
    let edits = without_blocks(text, &moved, (&index_edit::line(&path, title), end));
    let moved_lines = moved.iter().flat_map(|block| text[block.place.clone()].lines());
    let count = moved_lines.filter(|line| !line.trim().is_empty()).count();
    let what = format!("move {} into the topic {}", count_with_noun(count as u64, "line"), path.to_text());
    let reason =
        "The model then gets the whole index, and opens the topic when it needs it. No line is lost.";
    let fix = FormatFix::choice(file, (&what, 70), reason, edits);
    Some(FormatFix { new_file: Some((path, with_ends(&topic, end).into_bytes())), ..fix })
}

/// Returns the blocks below their headings. Those that were apart do not become one.
fn topic_body(text: &str, moved: &[MovableBlock]) -> String {
    let is_item = |block: &MovableBlock| after_item_mark(text[block.place.clone()].trim_start()).is_some();
    let (mut body, mut last) = (String::new(), &MovableBlock { place: 0..0, headings: Vec::new() });
    for block in moved {
        let is_below = last.headings == block.headings;
        let are_items = is_below && is_item(last) && is_item(block);
        let is_joined = are_items || last.place.end == block.place.start || ends_empty(&body);
        body += if is_joined { "" } else { "\n" };
        let begun = block.headings.iter().filter(|heading| !last.headings.contains(heading));
        begun.for_each(|heading| body += &text[heading.clone()]);
        body += &text[block.place.clone()];
        last = block;
    }
    body
}

/// Returns the edits that put a line in the place of the first blocks, and remove the others. What stays around them
/// does not become one.
fn without_blocks(text: &str, moved: &[MovableBlock], (line, end): (&str, &str)) -> Vec<RangeEdit> {
    let mut line = Some(format!("{line}{end}"));
    let runs = moved.chunk_by(|one, other| one.place.end == other.place.start);
    let edit = |run: &[MovableBlock]| {
        let place = run.first()?.place.start..run.last()?.place.end;
        let is_joined = line.is_none() && ends_empty(&text[..place.start]) || place.end == text.len();
        let gap = if is_joined || !ends_empty(&text[place.clone()]) { "" } else { end };
        Some((place, (line.take().unwrap_or_default() + gap).into_bytes()))
    };
    runs.filter_map(edit).collect()
}

fn ends_empty(text: &str) -> bool {
    text.lines().next_back().is_none_or(|line| line.trim().is_empty())
}
