//! Retention, and deletion by choice: copies records to an archive batch, then removes them from the store.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::config::RetentionConfig;
use super::super::{events, history, layout};
use super::bundle_write::{BundleFileKind, BundleWrite, bundle_path};
use super::canonical_write::in_store;
use super::path_edits::{BundleEdit, BundleFileWrite};
use super::store_files::{Checkpoint, StateText, StoreFiles, canonical_text};
use crate::format::writing::{Refusal, RefusalList, Result, WriteContext, list};
use crate::model::time::DAY;
use crate::model::{Document, Entry, Moment, Store};
use crate::text::json::Json;
use crate::text::json_edit::quoted;
use crate::text::json_scanner::Tape;
use crate::text::lines::lines;

/// The records to archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneRequest<'a> {
    /// What the config's retention moves: old events that were recalled, and old checkpoints.
    Retention,
    /// These records, whatever their age. If an id occurs twice, both records.
    These { events: &'a [&'a str], checkpoints: &'a [&'a str] },
}

/// A pruning, in the order of writing: the batch with its manifest last, the rewritten files, the removals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneResult {
    /// The ids of the archived events.
    pub events: Vec<String>,
    /// The ids of the archived checkpoints.
    pub checkpoints: Vec<String>,
    pub batch: Vec<BundleFileWrite>,
    /// Files of the store without the archived records.
    pub rewritten: Vec<BundleFileWrite>,
    /// Files to remove from the store. The batch has copies of them.
    pub removed: Vec<PathBuf>,
}

/// Refuses to prune events because retention is off.
pub fn off() -> Refusal {
    Refusal::unfit(
        "The config turns retention off, and without it the numbers of events must have no gaps. Set \
         `retention.enabled` in its `config.json` if events are to go.",
    )
}

pub fn retention_off(documents: &[Arc<Document>]) -> Result<bool> {
    Ok(!StoreFiles::of(documents)?.settings().retention)
}

fn before(now: Moment, days: u64) -> Moment {
    now.plus(i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY).saturating_neg())
}

/// Moves events and checkpoints to an archive batch; `None` if there is nothing to move.
pub fn prune(
    documents: &[Arc<Document>],
    chosen: PruneRequest<'_>,
    now: Moment,
) -> Result<Option<PruneResult>> {
    let files = StoreFiles::of(documents)?;
    let mut state = StateText::of(files.state)?;
    let settings = files.settings();
    let (goes, moved) = choose(&files, state.object(&mut Tape::default())?, &settings, chosen, now)?;
    if goes.is_empty() && moved.is_empty() {
        return Ok(None);
    }
    let records: Vec<(usize, &str)> = files.events.iter().flat_map(|log| found(log, &goes)).collect();
    let mut pruned = PruneResult {
        events: records.iter().map(|(_, id)| (*id).to_owned()).collect(),
        checkpoints: moved.iter().map(|checkpoint| checkpoint.id.to_owned()).collect(),
        batch: Vec::new(),
        rewritten: Vec::new(),
        removed: moved.iter().map(|checkpoint| checkpoint.document.path.clone()).collect(),
    };
    pruned.events.dedup();
    let (folder, at) = batch(&files, now);
    let indexes: HashSet<usize> = records.iter().map(|(index, _)| *index).collect();
    let (kept, copied) = files.events.map(|log| parted(log, &indexes)).unwrap_or_default();
    pruned.batch.push(in_store(folder.join("events.jsonl"), copied));
    for checkpoint in &moved {
        let name = checkpoint.document.path.file_name().unwrap_or_default();
        let path = folder.join("checkpoints").join(name);
        pruned.batch.push(in_store(path, checkpoint.document.bytes.to_vec()));
    }
    let manifest = manifest(&pruned, &settings, &at);
    pruned.batch.push(in_store(folder.join("manifest.json"), canonical_text(manifest.as_bytes())?));
    if let Some(log) = files.events.filter(|_| !indexes.is_empty()) {
        pruned.rewritten.push(in_store(log.path.clone(), kept));
        let left = StoreFiles::count(files.events) - indexes.len() as u64;
        state.set(&["maintenance"], "historyEventCount", left.to_string())?;
        pruned.rewritten.push(in_store(layout::STATE.into(), state.into_bytes()?));
    }
    Ok(Some(pruned))
}

fn choose<'a>(
    files: &'a StoreFiles<'_>,
    state: Json<'_>,
    settings: &RetentionConfig,
    chosen: PruneRequest<'_>,
    now: Moment,
) -> Result<(HashSet<String>, Vec<&'a Checkpoint<'a>>)> {
    let latest = state.path(&["maintenance", "latestCheckpointId"]).and_then(|id| id.text());
    let recent = usize::try_from(settings.keep_recent).unwrap_or(usize::MAX);
    let tail = files.checkpoints.len().saturating_sub(recent.max(1));
    let stays = |index: usize, id: &str| index >= tail || latest.as_deref() == Some(id);
    let PruneRequest::These { events: wanted, checkpoints } = chosen else {
        if !settings.retention {
            return Ok(Default::default());
        }
        let since = before(now, settings.checkpoint_days);
        let old = files.checkpoints.iter().enumerate().filter(|(index, checkpoint)| {
            !stays(*index, checkpoint.id) && checkpoint.created.is_some_and(|created| created <= since)
        });
        return Ok((recalled(files, state, settings, now), old.map(|(_, own)| own).collect()));
    };
    if !wanted.is_empty() && !settings.retention {
        return Err(off());
    }
    let goes: HashSet<String> = wanted.iter().map(|id| (*id).to_owned()).collect();
    let there: HashSet<&str> =
        files.events.iter().flat_map(|log| found(log, &goes)).map(|(_, id)| id).collect();
    if let Some(id) = wanted.iter().find(|id| !there.contains(**id)) {
        return Err(no_such_record(id));
    }
    let mut moved = Vec::new();
    for id in checkpoints.iter().collect::<HashSet<_>>() {
        let own: Vec<(usize, &Checkpoint<'_>)> =
            files.checkpoints.iter().enumerate().filter(|(_, own)| own.id == *id).collect();
        if own.is_empty() {
            return Err(no_such_record(id));
        }
        if own.iter().any(|(index, own)| stays(*index, own.id)) {
            let newest = settings.keep_recent;
            let why = format!("it is the latest, or among the newest {newest} that the config keeps.");
            return Err(Refusal::unfit(format!("The checkpoint {id} stays: {why}")));
        }
        moved.extend(own.into_iter().map(|(_, own)| own));
    }
    moved.sort_by_key(|checkpoint| checkpoint.ordinal);
    Ok((goes, moved))
}

fn no_such_record(id: &str) -> Refusal {
    Refusal::unfit(format!("The store has no active event or checkpoint {id:?}."))
}

fn recalled(
    files: &StoreFiles<'_>,
    state: Json<'_>,
    settings: &RetentionConfig,
    now: Moment,
) -> HashSet<String> {
    let last = state.path(&["maintenance", "lastRecalledEventId"]).and_then(|id| id.text());
    let last = last.and_then(|id| events::ordinal(&id)).unwrap_or_default();
    let since = before(now, settings.history_days);
    let views = files.events.into_iter().flat_map(history::views).map(|(.., memory)| memory);
    let is_old = |id: &str, created: Option<Moment>| {
        events::ordinal(id).is_some_and(|own| own <= last) && created.is_some_and(|created| created <= since)
    };
    let old = views.filter_map(|memory| memory.id().filter(|id| is_old(id, memory.created)));
    old.map(str::to_owned).collect()
}

fn found<'a>(log: &'a Document, ids: &HashSet<String>) -> Vec<(usize, &'a str)> {
    let views = history::views(log);
    let found = views.filter_map(|(index, _, memory)| Some((index as usize, memory.id()?)));
    found.filter(|(_, id)| ids.contains(*id)).collect()
}

/// Returns the folder of a new batch and its time. If the folder exists, the time is a millisecond later.
fn batch(files: &StoreFiles<'_>, now: Moment) -> (PathBuf, String) {
    let taken: HashSet<&Path> = files.batches().collect();
    let mut when = now;
    loop {
        let at = when.to_millis();
        let name: String = at.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'T' | 'Z')).collect();
        let folder = Path::new("archive").join(format!("prune-{name}"));
        if !taken.contains(folder.as_path()) {
            return (folder, at);
        }
        when = when.plus(1_000);
    }
}

fn manifest(pruned: &PruneResult, settings: &RetentionConfig, at: &str) -> String {
    format!(
        r#"{{"archivedCheckpointIds":{},"archivedEventIds":{},"checkpointMaxAgeDays":{},"createdAt":{},"expireAfterDays":{},"historyMaxAgeDays":{},"keepRecent":{}}}"#,
        list(&pruned.checkpoints),
        list(&pruned.events),
        settings.checkpoint_days,
        quoted(at),
        settings.expire_days,
        settings.history_days,
        settings.keep_recent,
    )
}

/// Splits a log into the lines to keep and the records to archive, each with a line end. A line with
/// another record loses only the record. Any other line goes as a whole, with all text beside the record.
fn parted(log: &Document, goes: &HashSet<usize>) -> (Vec<u8>, Vec<u8>) {
    let spans = log.records.iter().map(|record| record.span.range());
    let (gone, stay): (Vec<_>, Vec<_>) = spans.enumerate().partition(|(index, _)| goes.contains(index));
    let bytes: &[u8] = &log.bytes;
    let (mut kept, mut copied) = (Vec::with_capacity(bytes.len()), Vec::new());
    // Both are in the order of the file, as its lines are.
    let (mut gone, mut stay) = (gone.iter().map(|(_, span)| span).peekable(), stay.iter().peekable());
    for line in lines(bytes) {
        let mut at = line.start;
        let mut touched = false;
        while stay.next_if(|(_, span)| span.end <= line.start).is_some() {}
        let shared = stay.peek().is_some_and(|(_, span)| span.start < line.end);
        while let Some(span) = gone.peek().filter(|span| span.start < line.next) {
            if shared {
                kept.extend_from_slice(bytes.get(at..span.start.max(at)).unwrap_or_default());
            }
            touched = true;
            at = span.end.min(line.next);
            if span.end > line.next {
                break;
            }
            copied.extend_from_slice(bytes.get((*span).clone()).unwrap_or_default());
            copied.push(b'\n');
            gone.next();
        }
        if !touched || shared {
            kept.extend_from_slice(bytes.get(at..line.next).unwrap_or_default());
            // The rest of the record may be on lines that go, and the line end with them.
            if touched && !kept.ends_with(b"\n") {
                kept.push(b'\n');
            }
        } else if line.start == 0 && bytes.starts_with(crate::text::lines::BOM) {
            kept.extend_from_slice(crate::text::lines::BOM);
        }
    }
    (kept, copied)
}

/// The records to delete or archive.
#[derive(Default)]
pub struct PruneSelection {
    /// Parts of the bundle, the last first, so that each removal keeps the numbers of the others.
    pub paths: Vec<String>,
    events: BTreeSet<String>,
    checkpoints: BTreeSet<String>,
}

impl PruneSelection {
    pub fn of(store: &Store, entries: &[Entry]) -> Result<PruneSelection> {
        let mut choice = PruneSelection::default();
        let mut parts: BTreeSet<u32> = BTreeSet::new();
        for entry in entries {
            let document = store.document(entry);
            let memory = store.memory(entry);
            let memory = memory.ok_or_else(Refusal::broken)?;
            let id = || {
                let id = memory.id().map(str::to_owned);
                id.ok_or_else(|| Refusal::invalid("it has no id by which an archive batch could name it."))
            };
            match BundleFileKind::of(&document.path) {
                BundleFileKind::Bundle => drop(parts.insert(entry.record)),
                BundleFileKind::Event => drop(choice.events.insert(id()?)),
                BundleFileKind::Checkpoint => drop(choice.checkpoints.insert(id()?)),
                _ => return Err(Refusal::unfit("it belongs neither to the bundle nor to the history.")),
            }
        }
        for record in parts.into_iter().rev() {
            choice.paths.push(bundle_path(store, record as usize)?);
        }
        Ok(choice)
    }

    pub fn prune(&self, writing: &mut BundleWrite<'_>) -> Result<()> {
        if self.events.is_empty() && self.checkpoints.is_empty() {
            return Ok(());
        }
        let events: Vec<&str> = self.events.iter().map(String::as_str).collect();
        let checkpoints: Vec<&str> = self.checkpoints.iter().map(String::as_str).collect();
        let chosen = PruneRequest::These { events: &events, checkpoints: &checkpoints };
        if let Some(pruned) = prune(&writing.documents, chosen, writing.context.now)? {
            writing.take_pruned(pruned);
        }
        Ok(())
    }
}

/// Returns a refusal that names what is in the way, else `whole`. Parts of the bundle and
/// checkpoints are tried alone. Events are tried together, because they go together or not at all.
pub fn each_refused(context: &WriteContext<'_>, entries: &[Entry], whole: Refusal) -> Refusal {
    let is = |part: BundleFileKind| {
        move |own: &&Entry| BundleFileKind::of(&context.store.document(own).path) == part
    };
    let pruned =
        |own: &[Entry]| PruneSelection::of(context.store, own)?.prune(&mut BundleWrite::of(context)?);
    let mut faults = RefusalList::default();
    for entry in entries.iter().filter(is(BundleFileKind::Bundle)) {
        let removed = bundle_path(context.store, entry.record as usize).and_then(|path| {
            let edit = BundleEdit::Remove { path: &path };
            BundleWrite::of(context)?.canonical(&[edit], &path)
        });
        if let Err(refusal) = removed {
            faults.refuse(vec![*entry], refusal);
        }
    }
    let checkpoints: Vec<Entry> = entries.iter().filter(is(BundleFileKind::Checkpoint)).copied().collect();
    let each: Vec<&[Entry]> = match checkpoints.len() {
        few if few <= ALONE => checkpoints.chunks(1).collect(),
        _ => vec![&checkpoints],
    };
    let events: Vec<Entry> = entries.iter().filter(is(BundleFileKind::Event)).copied().collect();
    for own in each.into_iter().chain([&events[..]]).filter(|own| !own.is_empty()) {
        if let Err(refusal) = pruned(own) {
            faults.refuse(own.to_vec(), refusal);
        }
    }
    faults.finish().err().unwrap_or(whole)
}

/// The largest number of checkpoints that are tried alone.
const ALONE: usize = 64;
