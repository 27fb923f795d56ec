//! What recall of the format's own tool would bring back. It merges the signals of events that it
//! has not recalled yet into the bundle, even texts that were deleted from the bundle since.

use crate::format::record_reader::object_of;
use std::collections::HashSet;
use std::sync::Arc;

use super::super::main_text::text;
use super::super::{events, history};
use super::canonical_write::apply;
use super::path_edits::BundleEdit;
use super::store_files::{StateText, StoreFiles, lacks, no_state};
use super::write_event::LOCAL;
use crate::format::writing::Result;
use crate::model::{Document, Record, StoredMemory};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// The shortest text, in bytes, that is found inside a signal. A shorter text must be the whole signal.
const SHORT: usize = 8;

struct RemovedTexts(Vec<String>);

impl RemovedTexts {
    fn between(before: Json<'_>, after: Json<'_>) -> RemovedTexts {
        let stays = strings(after);
        let mut gone: Vec<String> = strings(before).difference(&stays).cloned().collect();
        gone.sort();
        RemovedTexts(gone)
    }

    /// True if a signal would bring a text back. The tool joins title and cause, after a word like
    /// `NEXT: `.
    fn is_in(&self, signal: &str) -> bool {
        let is_part = |own: &str| own.len() >= SHORT && signal.contains(own);
        let begins = |own: &str| own.strip_prefix(signal).is_some_and(|rest| rest.starts_with(':'));
        self.0.iter().any(|own| own == signal || is_part(own) || begins(own))
    }
}

fn strings(bundle: Json<'_>) -> HashSet<String> {
    let mut all = HashSet::new();
    bundle.each_string(&mut |_, value| {
        let text = value.text().unwrap_or_default();
        if !text.trim().is_empty() {
            all.insert(text.into_owned());
        }
    });
    all
}

/// Returns the active events, not recalled yet, whose signals hold removed texts, with their ids.
fn repeats<'a>(log: &'a Document, state: Json<'_>, gone: &RemovedTexts) -> Vec<(&'a Record, &'a str)> {
    let cursors = RecallCursors::of(state);
    let of = |(_, record, memory): (u32, &'a Record, &'a StoredMemory)| {
        let id = memory.id()?;
        let mut tape = Tape::default();
        let raw = log.raw(record);
        let event = json_edit::scan(&mut tape, &raw).ok()?;
        let says = signals(event).any(|signal| signal.text().is_some_and(|own| gone.is_in(&own)));
        (says && !cursors.has_recalled(event, id)).then_some((record, id))
    };
    history::views(log).filter_map(of).collect()
}

/// Returns an event's line without the signals that `goes` selects; `None` if it has none of them.
pub fn without(raw: &[u8], goes: &dyn Fn(Json<'_>) -> bool) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let signals = object_of(&mut tape, raw).ok()?.get("signals")?;
    let lists = signals.members().filter(|(_, list)| list.kind() == JsonKind::Array);
    let cuts: Vec<_> =
        lists.flat_map(|(_, list)| json_edit::without(list, |_, _, value| goes(value))).collect();
    (!cuts.is_empty()).then(|| json_edit::apply(raw, cuts))
}

fn signals<'a>(event: Json<'a>) -> impl Iterator<Item = Json<'a>> {
    let lists = event.get("signals").into_iter().flat_map(|signals| signals.members());
    lists.filter(|(_, list)| list.kind() == JsonKind::Array).flat_map(|(_, list)| list.items())
}

/// The number of the last recalled event, by kind of recall.
struct RecallCursors {
    all: u64,
    imports: Option<u64>,
    local: Option<u64>,
}

impl RecallCursors {
    fn of(state: Json<'_>) -> RecallCursors {
        let number = |value: Option<Json<'_>>| {
            value.and_then(|id| id.text()).and_then(|id| events::ordinal(&id)).unwrap_or_default()
        };
        let cursor = |name: &str| {
            let own = state.path(&["maintenance", "recallCursors", name])?;
            Some(number(own.get("lastRecalledEventId")))
        };
        let all = number(state.path(&["maintenance", "lastRecalledEventId"]));
        RecallCursors { all, imports: cursor("imports"), local: cursor("local") }
    }

    /// True if no recall would read the event again.
    fn has_recalled(&self, event: Json<'_>, id: &str) -> bool {
        let is_local = text(event, "sourceId").is_some_and(|source| source == LOCAL);
        let own = if is_local { self.local } else { self.imports };
        let seen = self.all.min(own.unwrap_or(self.all));
        events::ordinal(id).is_some_and(|number| number <= seen)
    }
}

/// Returns the event log with the removed texts cut from events not recalled yet; `None` if unchanged.
pub fn unsaid(documents: &[Arc<Document>], edits: &[BundleEdit<'_>]) -> Result<Option<Vec<u8>>> {
    let files = StoreFiles::of(documents)?;
    let Some(log) = files.events else { return Ok(None) };
    let mut state = StateText::of(files.state)?;
    for edit in edits {
        apply(&mut state, edit)?;
    }
    let (mut before, mut after) = (Tape::default(), Tape::default());
    let before = object_of(&mut before, &files.state.bytes).map_err(no_state)?;
    let gone = RemovedTexts::between(bundle(before)?, bundle(state.object(&mut after)?)?);
    let mut whole = log.bytes.to_vec();
    // Goes from the last to the first, so that earlier offsets stay right.
    for (record, _) in repeats(log, before, &gone).into_iter().rev() {
        let goes = |signal: Json<'_>| signal.text().is_some_and(|own| gone.is_in(&own));
        if let Some(line) = without(&log.raw(record), &goes) {
            whole.splice(record.span.range(), line);
        }
    }
    Ok((whole != *log.bytes).then_some(whole))
}

/// Returns the ids of the events that would bring back what was removed from a state.
pub fn would_return(before: &[u8], after: &[u8], log: &Document) -> Vec<String> {
    let (mut old, mut new) = (Tape::default(), Tape::default());
    let mut read = || {
        let (old, new) = (object_of(&mut old, before).ok()?, object_of(&mut new, after).ok()?);
        let gone = RemovedTexts::between(bundle(old).ok()?, bundle(new).ok()?);
        Some(repeats(log, new, &gone).into_iter().map(|(_, id)| id.to_owned()).collect())
    };
    read().unwrap_or_default()
}

fn bundle(state: Json<'_>) -> Result<Json<'_>> {
    state.get("bundle").ok_or_else(|| lacks("bundle"))
}
