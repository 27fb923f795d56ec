//! Finds deleted parts of the bundle and restores them. Undo data says which deletions there were.
//! The checkpoint before each deletion holds what it removed.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::canonical_write::path_of;
use super::path_edits::BundleEdit;
use super::{BundleWrite, summary};
use crate::format::agent_memory::{checkpoint, layout};
use crate::format::writing::{ChangesResult, HeldRecords, Refusal, WriteContext, document};
use crate::model::{Change, Document, Store};
use crate::text::json::JsonKind;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// A section of the bundle that is an object, or an item of a section that is a list.
struct BundlePiece {
    section: String,
    index: Option<usize>,
    raw: String,
    value: Value,
}

impl BundlePiece {
    /// True if both are versions of the same part. The title or the content tells.
    fn is(&self, other: &BundlePiece) -> bool {
        let title = |own: &BundlePiece| {
            let title = |name: &str| own.value.get(name).filter(|title| title.is_string()).cloned();
            ["title", "label"].into_iter().find_map(title)
        };
        let same_title = || title(self).is_some_and(|own| title(other) == Some(own));
        self.section == other.section && (self.index.is_none() || self.value == other.value || same_title())
    }
}

fn pieces(file: &[u8]) -> Vec<BundlePiece> {
    let mut tape = Tape::default();
    let Some(bundle) = checkpoint::bundle_of(&mut tape, file) else { return Vec::new() };
    let mut pieces = Vec::new();
    for (name, section) in bundle.members() {
        let Some(name) = name.text() else { continue };
        let mut add = |index, raw: &[u8]| {
            let Ok(value) = serde_json::from_slice(raw) else { return };
            let raw = String::from_utf8_lossy(raw).into_owned();
            pieces.push(BundlePiece { section: name.clone().into_owned(), index, raw, value });
        };
        match section.kind() {
            JsonKind::Array => section.items().enumerate().for_each(|(at, item)| add(Some(at), item.raw())),
            _ => add(None, section.raw()),
        }
    }
    pieces
}

/// Returns a state with only the deleted parts that the store lacks, at their old places.
/// `deletions` has the changes that undo each deletion, the newest first.
pub fn taken_out(store: &Store, deletions: &[Vec<Change>]) -> Vec<(PathBuf, Vec<u8>)> {
    let Some(state) = document(&store.documents, Path::new(layout::STATE)) else { return Vec::new() };
    let there = pieces(&state.bytes);
    let mut found: Vec<BundlePiece> = Vec::new();
    for deletion in deletions {
        let after = deletion.iter().find_map(|change| {
            let own = document(&store.documents, &change.path)?;
            Some((number(&change.path)?, pieces(&own.bytes)))
        });
        let Some((ordinal, after)) = after else { continue };
        let earlier = store.documents.iter().filter_map(|own| Some((number(&own.path)?, own)));
        let before = earlier.filter(|(own, _)| *own < ordinal).max_by_key(|(own, _)| *own);
        for piece in before.map(|(_, own)| pieces(&own.bytes)).unwrap_or_default() {
            let is_there = [&after, &there, &found].iter().any(|own| own.iter().any(|own| own.is(&piece)));
            if !is_there {
                found.push(piece);
            }
        }
    }
    if found.is_empty() { Vec::new() } else { vec![(layout::STATE.into(), state_of(found))] }
}

fn number(file: &Path) -> Option<u64> {
    file.file_stem()?.to_str().and_then(checkpoint::ordinal)
}

/// Builds a state of these parts alone. An item gets its old place in its list, or if that is
/// taken, a place after the others. Nulls fill the gaps.
fn state_of(pieces: Vec<BundlePiece>) -> Vec<u8> {
    let mut lists: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    let mut members: Vec<String> = Vec::new();
    for piece in pieces {
        let Some(index) = piece.index else {
            members.push(format!("{}:{}", json_edit::quoted(&piece.section), piece.raw));
            continue;
        };
        let list = lists.entry(piece.section).or_default();
        let place = if list.get(index).is_some_and(Option::is_some) { list.len() } else { index };
        list.resize(list.len().max(place + 1), None);
        list[place] = Some(piece.raw);
    }
    for (section, list) in lists {
        let items: Vec<String> = list.into_iter().map(|own| own.unwrap_or_else(|| "null".into())).collect();
        members.push(format!("{}:[{}]", json_edit::quoted(&section), items.join(",")));
    }
    format!("{{\"bundle\":{{{}}}}}", members.join(",")).into_bytes()
}

/// Returns the changes that restore records of such a state, as one canonical write.
pub fn bring_back(context: &WriteContext<'_>, _: &Store, held: &[HeldRecords]) -> ChangesResult {
    let mut changes = Vec::new();
    for (document, records) in held {
        changes.extend(of_state(context, document, records)?);
    }
    Ok(changes)
}

fn of_state(context: &WriteContext<'_>, held: &Document, records: &[u32]) -> ChangesResult {
    let lost = || Refusal::corrupt("the state has no bundle that it could be a part of.");
    let state = document(&context.store.documents, Path::new(layout::STATE)).ok_or_else(lost)?;
    let mut counts: HashMap<String, usize> = HashMap::new();
    let items = pieces(&state.bytes).into_iter().filter(|own| own.index.is_some());
    items.for_each(|own| *counts.entry(own.section).or_default() += 1);
    let mut records = records.to_vec();
    // Each item is restored after the items that were before it.
    records.sort_unstable();
    let mut edits: Vec<(String, String)> = Vec::new();
    for record in records {
        let previous = path_of(held, record as usize).ok_or_else(lost)?;
        let span = held.records.get(record as usize).ok_or_else(lost)?.span;
        let raw = held.bytes.get(span.range()).ok_or_else(lost)?;
        let path =
            match previous.rsplit_once('.').and_then(|(own, at)| Some((own, at.parse::<usize>().ok()?))) {
                Some((section, index)) => {
                    let count = counts.entry(section.to_owned()).or_default();
                    *count += 1;
                    format!("{section}.{}", index.min(*count - 1))
                }
                None => previous,
            };
        edits.push((path, String::from_utf8_lossy(raw).into_owned()));
    }
    let mut writing = BundleWrite::of(context)?;
    let told = summary("restored", edits.iter().map(|(path, _)| path.as_str()));
    let edits: Vec<_> = edits.iter().map(|(path, value)| BundleEdit::Insert { path, value }).collect();
    writing.canonical(&edits, &told)?;
    Ok(writing.done())
}
