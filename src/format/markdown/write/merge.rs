//! Makes several files into one: their texts follow each other, each below its title and without what is said before,
//! and links follow.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::index_edit;
use super::moved_links::{MovedFile, names_of_others};
use super::parts::{removal, whole_entries, without};
use super::rename::links_of_others;
use super::text_form::{end_of, entry_text, with_ends, with_modified};
use crate::format::markdown::entry_file;
use crate::format::markdown::families::family;
use crate::format::markdown::family::{Family, Grammar};
use crate::format::markdown::text_blocks::{BlockKind, TextBlock, blocks};
use crate::format::notes::edit::text_of;
use crate::format::notes::note_file::stem;
use crate::format::writing::{ChangesResult, MergedText, Refusal, Result, WriteContext, document};
use crate::model::{Change, Document, Entry, PathText, Span, Store};
use crate::text::front_matter::{Note, YamlField};
use crate::text::markdown_blocks::after_item_mark;

/// Returns the changes that make `entries` a part of `into`.
pub fn merged(
    context: &WriteContext<'_>,
    entries: &[Entry],
    into: &Entry,
    which: MergedText,
) -> ChangesResult {
    let store = context.store;
    let family = family(store).ok_or_else(|| Refusal::unfit("its format has no files to merge."))?;
    let all: Vec<&Document> = entries.iter().chain([into]).map(|own| store.document(own)).collect();
    let are_all = |grammar| all.iter().all(|document| family.grammar_of(&document.path) == grammar);
    if are_all(Grammar::Entries) {
        return merged_entries(family, context, (entries, into), which);
    }
    if !are_all(Grammar::Topics) {
        return Err(Refusal::unfit(
            "only memories that are files of their own are merged, and those of Hermes.",
        ));
    }
    let target = store.document(into);
    let moved: Result<Vec<MovedFile<'_>>> =
        entries.iter().map(|own| moved(family, store, (own, entries), target)).collect();
    let moved = moved?;
    let text = text_of(target)?;
    let mut new = moved.iter().fold(text.to_owned(), |text, file| file.followed(&text, &target.path));
    if which == MergedText::OfOthers {
        new.truncate(Note::read(&new).body.start);
    }
    let mut said = Said::default();
    let about = description(target)?;
    said.add(&about, new.get(Note::read(&new).body).unwrap_or_default());
    let mut descriptions = HashSet::from([String::new(), about]);
    for (number, entry) in entries.iter().enumerate().filter(|_| which != MergedText::OfTarget) {
        let document = store.document(entry);
        let about = description(document)?;
        let part = said.add(&about, &part(store, entry, &moved)?);
        let is_new = descriptions.insert(about);
        let is_shown = if part.is_empty() { is_new } else { number > 0 || which == MergedText::Both };
        let heading = heading(document)?.filter(|_| is_shown);
        new = with_part(&new, end_of(text), heading.as_deref(), part.trim_matches('\n'));
    }
    let new = with_modified(&new, context.now);
    let mut changes = vec![Change::rewrite(&target.path, target.bytes.clone(), new.into_bytes())];
    let mut done: Vec<&Path> = vec![&target.path];
    for own in entries.iter().map(|own| store.document(own)) {
        changes.push(Change::remove(&own.path, own.bytes.clone()));
        done.push(&own.path);
    }
    if let Some(index) = family.index.and_then(|name| document(&store.documents, Path::new(name))) {
        changes.extend(of_index(family, index, &moved)?);
        done.push(&index.path);
    }
    changes.extend(links_of_others(store, &moved, &done));
    Ok(changes)
}

fn moved<'a>(
    family: &'static Family,
    store: &'a Store,
    (entry, entries): (&Entry, &[Entry]),
    target: &Document,
) -> Result<MovedFile<'a>> {
    let own = store.document(entry);
    let others = names_of_others(store, &|other| !entries.contains(other));
    let new = (target.path.clone(), text_of(target)?);
    Ok(MovedFile::of(family, (&own.path, text_of(own)?), new, others))
}

fn part(store: &Store, entry: &Entry, moved: &[MovedFile<'_>]) -> Result<String> {
    let own = store.document(entry);
    let text = text_of(own)?;
    let note = Note::read(text);
    if !note.faults.is_empty() {
        // Lines of it that are no fields would be lost.
        let file = own.path.to_text();
        return Err(Refusal::corrupt(format!("{file}: its front matter can't be read: repair it first.")));
    }
    let body = text.get(note.body).unwrap_or_default().trim_matches(['\n', '\r']);
    // The links of the file itself come last: after that they are relative to the target's folder.
    let (itself, others): (Vec<_>, Vec<_>) = moved.iter().partition(|file| *file.old == *own.path);
    let text = others.iter().fold(body.to_owned(), |text, file| file.followed(&text, &own.path));
    Ok(itself.iter().fold(text, |text, file| file.followed(&text, &own.path)))
}

/// What a note says of itself in its front matter; empty if it says nothing.
fn description(document: &Document) -> Result<String> {
    let note = Note::read(text_of(document)?);
    Ok(note.field("description").map(YamlField::line_text).unwrap_or_default())
}

/// Returns the heading of a file's text: its description or name; `None` if the text has a heading itself.
fn heading(own: &Document) -> Result<Option<String>> {
    let text = text_of(own)?;
    let note = Note::read(text);
    let field = |name| note.field(name).map(YamlField::line_text).filter(|own| !own.is_empty());
    let is_titled = text.get(note.body.clone()).is_some_and(|body| body.trim_start().starts_with('#'));
    let given = field("description").or_else(|| field("name"));
    Ok(given.or_else(|| (!is_titled).then(|| stem(&own.path))))
}

/// What texts say so far: digests of each block and of the headings that lead to it. `- port 80` below `## Prod` is not
/// what it is below `## Staging`.
#[derive(Default)]
struct Said(HashSet<[u8; 32]>);

/// A heading, or a line that leads to a list, of a text that is read.
struct OpenHeading {
    level: usize,
    place: Range<usize>,
    digest: [u8; 32],
    is_kept: bool,
}

impl Said {
    /// Adds a text below its description, and returns what it alone says, with the headings above. What it repeats
    /// itself stays, and so do numbered steps: one means nothing without the others.
    fn add(&mut self, description: &str, text: &str) -> String {
        let text = with_ends(text, "\n");
        let described = digest([0; 32], description);
        let (mut kept, mut open, mut new) = (Vec::new(), Vec::<OpenHeading>::new(), Vec::new());
        for TextBlock { kind, place } in blocks(&text, 0) {
            let block = text[place.clone()].trim();
            let level = level(kind, block);
            open.retain(|heading| heading.level < level.unwrap_or(NO_HEADING));
            let is_alone = level.is_none() && block.split_whitespace().nth(FEW).is_some();
            let above = if is_alone { [0; 32] } else { described };
            let digest = digest(open.last().map_or(above, |heading| heading.digest), block);
            let is_new = !self.0.contains(&digest) || block.starts_with(|first: char| first.is_ascii_digit());
            if is_new {
                for heading in open.iter_mut().filter(|heading| !heading.is_kept) {
                    kept.push(heading.place.clone());
                    heading.is_kept = true;
                }
                kept.push(place.clone());
                new.push(digest);
            }
            if let Some(level) = level {
                open.push(OpenHeading { level, place, digest, is_kept: is_new });
            } else if after_item_mark(block).is_none() {
                open.retain(|heading| heading.level < LEAD_IN);
            }
        }
        self.0.extend(new);
        joined(&text, &kept)
    }
}

fn digest(above: [u8; 32], block: &str) -> [u8; 32] {
    Sha256::new().chain_update(above).chain_update(block).finalize().into()
}

/// The blocks at these places. Two paragraphs don't become one where what was between them is left out.
fn joined(text: &str, places: &[Range<usize>]) -> String {
    let (mut all, mut end) = (String::new(), 0);
    for place in places {
        let block = &text[place.clone()];
        let is_apart = all.is_empty() || all.ends_with("\n\n") || place.start == end;
        if !is_apart && after_item_mark(block).is_none() {
            all.push('\n');
        }
        all.push_str(block);
        end = place.end;
    }
    all
}

/// The level of a line that leads to a list: below all headings.
const LEAD_IN: usize = 1_000;
const NO_HEADING: usize = LEAD_IN + 1;
/// A block of more words, below no heading, says the same whatever its note is about.
const FEW: usize = 6;

/// The level of a heading, also one that is underlined (CommonMark 4.3), or of a line that leads to a list.
fn level(kind: BlockKind, block: &str) -> Option<usize> {
    let block = block.trim();
    if kind == BlockKind::Heading {
        return Some(block.len() - block.trim_start_matches('#').len());
    }
    let under = block.rsplit_once('\n').map_or("", |(_, last)| last.trim());
    let is_lead_in = block.ends_with([':', '：']) || block.starts_with("**") && block.ends_with("**");
    match under.as_bytes() {
        _ if after_item_mark(block).is_some() => None,
        [b'=', rest @ ..] if rest.iter().all(|byte| *byte == b'=') => Some(1),
        [b'-', rest @ ..] if rest.iter().all(|byte| *byte == b'-') => Some(2),
        _ => is_lead_in.then_some(LEAD_IN),
    }
}

fn with_part(text: &str, end: &str, heading: Option<&str>, part: &str) -> String {
    if part.is_empty() && heading.is_none() {
        return text.to_owned();
    }
    let ends = if part.is_empty() { String::new() } else { end.repeat(2) };
    let heading = heading.map(|heading| format!("## {heading}{ends}")).unwrap_or_default();
    let part = part.replace("\r\n", "\n").replace('\n', end);
    let text = text.trim_end_matches(['\n', '\r']);
    let gap = if text.trim_start_matches('\u{feff}').is_empty() { String::new() } else { end.repeat(2) };
    format!("{text}{gap}{heading}{part}{end}")
}

/// Removes the lines that lead to merged files alone. Other links follow.
fn of_index(family: &'static Family, index: &Document, moved: &[MovedFile<'_>]) -> Result<Option<Change>> {
    let text = text_of(index)?;
    let mut gone: Vec<&Path> = moved.iter().map(|file| file.old).collect();
    // One line has to lead to what is merged.
    let has_line = |path: &Path| !index_edit::lines_with(text, path).is_empty();
    if !moved.iter().any(|file| has_line(&file.new))
        && let Some(first) = gone.iter().position(|path| has_line(path))
    {
        gone.remove(first);
    }
    let spans = index_edit::lines_to(text, &gone);
    let left = match spans.is_empty() {
        true => text.to_owned(),
        false => String::from_utf8_lossy(&without(family, &index.path, &index.bytes, &spans)?).into_owned(),
    };
    let new = moved.iter().fold(left, |text, file| file.followed(&text, &index.path));
    Ok((new != text).then(|| Change::rewrite(&index.path, index.bytes.clone(), new.into_bytes())))
}

/// Makes several entries into one: their texts follow each other in lines of their own.
fn merged_entries(
    family: &'static Family,
    context: &WriteContext<'_>,
    (entries, into): (&[Entry], &Entry),
    which: MergedText,
) -> ChangesResult {
    let store = context.store;
    let (target, stays) = (store.document(into), store.record(into).span.range());
    let text = text_of(target)?;
    whole_entries(&target.path, text)?;
    let before = text.get(stays.clone()).filter(|_| which != MergedText::OfOthers).unwrap_or_default();
    let (mut whole, mut said) = (before.to_owned(), Said::default());
    said.add("", before);
    for entry in entries.iter().filter(|_| which != MergedText::OfTarget) {
        let part = said.add("", String::from_utf8_lossy(&store.raw(entry)).trim());
        whole = format!("{whole}\n{}", part.trim()).trim().to_owned();
    }
    let whole = with_ends(&entry_text(&whole)?, end_of(text));
    let spans = |document: u32| -> Vec<Span> {
        let gone = entries.iter().filter(|entry| entry.document == document);
        gone.map(|entry| store.record(entry).span).collect()
    };
    let gone: Vec<usize> = spans(into.document).iter().map(|span| span.range().start).collect();
    let is_changed = |place: &Range<usize>| gone.contains(&place.start) || *place == stays;
    // One edit from the first entry that changes to the last: its undo data has whole entries.
    let all = entry_file::entries(text);
    let first = all.iter().position(is_changed).unwrap_or_default();
    let last = all.iter().rposition(is_changed).unwrap_or_default();
    let part = all.get(first..=last).unwrap_or_default();
    let kept = part.iter().filter(|place| !gone.contains(&place.start));
    let texts = kept.map(|place| if *place == stays { whole.as_str() } else { &text[place.clone()] });
    let new = entry_file::joined(texts, entry_file::delimiter_of(text));
    let place = part.first().map_or(0, |first| first.start)..part.last().map_or(0, |last| last.end);
    let mut changes =
        vec![Change::edits(&target.path, target.bytes.clone(), vec![(place, new.into_bytes())])];
    for (number, document) in (0..).zip(&store.documents).filter(|(number, _)| *number != into.document) {
        let spans = spans(number);
        if !spans.is_empty() {
            changes.push(removal(family, document, &spans)?);
        }
    }
    Ok(changes)
}
