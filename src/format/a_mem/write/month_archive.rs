//! Compresses months of events, and brings them back (§3.4, §8.1).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::Months;

use super::events::{self, NewEvent, first_day, is_month, names, parts};
use super::notes;
use crate::format::a_mem::layout;
use crate::format::writing::{
    ChangesResult, Refusal, RefusalList, Result, WriteContext, document, list, uuid,
};
use crate::format::{AssemblyInput, Placement};
use crate::model::plan::line_end_for;
use crate::model::time::DAY;
use crate::model::{Act, Change, Code, Document, Entry, Moment, PathText, Role, Store};
use crate::text::repack::gzip;

/// The age in days at which events are compressed (§8.1).
pub const ARCHIVE_AFTER_DAYS: u32 = 30;

fn months(store: &Store, entries: &[Entry]) -> BTreeSet<PathBuf> {
    entries.iter().filter_map(|entry| month_of(&store.document(entry).path)).collect()
}

fn is_packed(document: &Document) -> bool {
    document.path.extension().is_some_and(|end| end == "gz")
}

fn in_months(document: &Document, months: &BTreeSet<PathBuf>) -> bool {
    month_of(&document.path).is_some_and(|month| months.contains(&month))
}

/// Returns the entries, with all other events of their months.
pub fn together(store: &Store, entries: &[Entry]) -> Vec<Entry> {
    let months = months(store, entries);
    let of_month = |entry: &&Entry| in_months(store.document(entry), &months);
    let alone = entries.iter().filter(|entry| !of_month(entry));
    alone.chain(store.entries.iter().filter(of_month)).copied().collect()
}

/// Returns the compressed files of the months and of the records.
pub fn packed(store: &Store, entries: &[Entry]) -> Vec<PathBuf> {
    chosen(store, entries).into_iter().filter(|own| is_packed(own)).map(|own| own.path.clone()).collect()
}

/// Returns all files of the months, also those with copies of events, and the files of other records.
fn chosen<'a>(store: &'a Store, entries: &[Entry]) -> Vec<&'a Document> {
    let months = months(store, entries);
    let own: BTreeSet<usize> = entries.iter().map(|entry| entry.document as usize).collect();
    let documents = store.documents.iter().enumerate();
    let is_chosen = |at: usize, document: &Document| own.contains(&at) || in_months(document, &months);
    documents.filter(|(at, document)| is_chosen(*at, document)).map(|(_, document)| &**document).collect()
}

/// Returns the events of months that ended 30 days ago or earlier.
pub fn due(context: &WriteContext<'_>) -> Vec<Entry> {
    let months: BTreeSet<PathBuf> =
        archivable_months(&parts(context.store), context.now, ARCHIVE_AFTER_DAYS).into_iter().collect();
    let of_month = |entry: &&Entry| {
        let document = context.store.document(entry);
        document.role == Role::Records && in_months(document, &months)
    };
    context.store.entries.iter().filter(of_month).copied().collect()
}

/// Compresses the months of events.
pub fn archive(context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let months = over(context, entries)?;
    let (mut copies, mut removals) = (Vec::new(), Vec::new());
    let mut count = 0;
    let files = parts(context.store);
    for log in months.iter().flat_map(|month| live_logs(&files, month)) {
        count += if layout::is_trace(&log.path) { 0 } else { log.records.len() };
        copies.push(compressed(context, log)?);
        removals.push(Change::remove(&log.path, log.bytes.clone()));
    }
    copies.sort_by_key(|change| !matches!(change.act, Act::Create(_)));
    copies.extend(recorded(context, "memory.events_archived", &months, removals.len(), count)?);
    copies.extend(removals);
    Ok(copies)
}

/// Returns the months of the events. Refuses a month that is not over.
fn over(context: &WriteContext<'_>, entries: &[Entry]) -> Result<BTreeSet<PathBuf>> {
    let over = archivable_months(&parts(context.store), context.now, 0);
    let month = |entry: &Entry| {
        let path = &context.store.document(entry).path;
        let message = match month_of(path) {
            Some(month) if over.contains(&month) => return Ok(month),
            Some(month) => format!(
                "{} has no log of a past month: only whole months before this one can be archived.",
                month.to_text()
            ),
            None => {
                format!("{} is not the log of a month: only whole months can be archived.", path.to_text())
            }
        };
        Err(Refusal::unfit(message))
    };
    Ok(RefusalList::each(entries, month)?.into_iter().collect())
}

/// Returns the change for a log's compressed copy: a new file, or bytes at the end of the existing one.
fn compressed(context: &WriteContext<'_>, log: &Document) -> Result<Change> {
    let mut name = log.path.clone().into_os_string();
    name.push(".gz");
    let target = PathBuf::from(name);
    let pack = |bytes: &[u8]| gzip(bytes).map_err(|error| Refusal::corrupt(format!("{error}.")));
    let Some(current) = document(&context.store.documents, &target) else {
        return Ok(Change::create(target, pack(&log.bytes)?));
    };
    whole(current)?;
    let bytes = on_disk(context, current)?;
    let more = pack(&[line_end_for(&current.bytes), &log.bytes].concat())?;
    Ok(Change::edits(target, bytes.into(), vec![(bytes.len()..bytes.len(), more)]))
}

/// Refuses a compressed file that can't be unpacked completely.
fn whole(packed: &Document) -> Result<()> {
    match packed.problems.iter().any(|problem| problem.code == Code::ArchiveBroken) {
        true => Err(Refusal::corrupt(format!(
            "{} can't be unpacked completely: what is missing would be lost.",
            packed.path.to_text()
        ))),
        false => Ok(()),
    }
}

fn on_disk<'a>(context: &WriteContext<'a>, document: &Document) -> Result<&'a [u8]> {
    let bytes = context.compressed_files.get(&document.path).map(Vec::as_slice);
    bytes.ok_or_else(|| Refusal::corrupt(format!("{} was not read completely.", document.path.to_text())))
}

/// Returns the changes that log an event about a change of the log.
pub fn recorded(
    context: &WriteContext<'_>,
    event_type: &str,
    months: &BTreeSet<PathBuf>,
    files: usize,
    records: usize,
) -> ChangesResult {
    let name = |month: &PathBuf| {
        let name = month.file_name().unwrap_or_default().to_text();
        name.trim_end_matches(".jsonl").to_owned()
    };
    let names: Vec<String> = months.iter().map(name).collect();
    let metadata = format!("{{\"months\": {}, \"files\": {files}, \"events\": {records}}}", list(&names));
    let event = NewEvent {
        event_type,
        status: "success",
        source: "palimp",
        trace_id: &uuid(context.random),
        metadata: Some(&metadata),
    };
    events::logged(context, event, context.now)
}

/// Brings back the files of the records: unpacks compressed logs, moves files out of `archive/`.
pub fn unarchive(context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
    let (mut copies, mut removals) = (Vec::new(), Vec::new());
    let (mut files, mut count, mut names) = (0, 0, BTreeSet::new());
    for document in chosen(context.store, entries).into_iter().filter(|own| own.role == Role::Archive) {
        whole(document)?;
        let target = target(&document.path)?;
        if copies.iter().any(|own: &Change| own.path == target) {
            return Err(Refusal::unfit(format!(
                "two archived files would both become {}; move one away first.",
                target.to_text()
            )));
        }
        if layout::kind_of(&document.path) == "event" {
            files += 1;
            count += if layout::is_trace(&document.path) { 0 } else { document.records.len() };
            names.insert(month_of(&target).unwrap_or_else(|| target.clone()));
        }
        copies.push(unpacked(context, document, target)?);
        let packed = if is_packed(document) { on_disk(context, document)? } else { &document.bytes };
        removals.push(Change::remove(&document.path, packed.into()));
    }
    if files > 0 {
        let events = recorded(context, "memory.events_unarchived", &names, files, count)?;
        events.into_iter().for_each(|event| join(&mut copies, event));
    }
    copies.sort_by_key(|change| !matches!(change.act, Act::Create(_)));
    copies.extend(removals);
    Ok(copies)
}

fn target(path: &Path) -> Result<PathBuf> {
    let path = path.strip_prefix("archive").unwrap_or(path);
    let is_gz = path.extension().is_some_and(|end| end == "gz");
    let target = if is_gz { path.with_extension("") } else { path.to_owned() };
    match layout::place(&target, false) {
        Placement::File(Role::Records) => Ok(target),
        _ => Err(Refusal::unfit(format!("{} does not belong anywhere outside the archive.", path.to_text()))),
    }
}

/// Returns the change of the live file: a new one, or these events at the start of the existing one.
fn unpacked(context: &WriteContext<'_>, own: &Document, target: PathBuf) -> Result<Change> {
    let current = document(&context.store.documents, &target);
    match current {
        Some(current) if layout::kind_of(&target) == "event" => {
            let lines = [&own.bytes, line_end_for(&own.bytes)].concat();
            Ok(Change::edits(target, current.bytes.clone(), vec![(0..0, lines)]))
        }
        _ => {
            notes::free(context, &target)?;
            Ok(Change::create(target, own.bytes.clone()))
        }
    }
}

/// Adds an event. If a change of its log exists, the event becomes part of that change.
fn join(changes: &mut Vec<Change>, event: Change) {
    let Act::Append(line) = &event.act else { return };
    match changes.iter_mut().find(|own| own.path == event.path) {
        None => changes.push(event),
        Some(own) => {
            let after = own.after().unwrap_or_default();
            let whole = [&after[..], line_end_for(&after), line].concat();
            *own = match own.base.clone() {
                None => Change::create(&event.path, whole),
                Some(base) => Change::rewrite(&event.path, base, whole),
            };
        }
    }
}

/// Returns uncompressed months that ended `days` ago or earlier and have no newer event: the
/// month's folder, or its log if logs are directly below `events/`.
pub fn archivable_months(parts: &AssemblyInput<'_>, now: Moment, days: u32) -> Vec<PathBuf> {
    let until = now.plus(i64::from(days).saturating_mul(-DAY));
    let mut months: Vec<PathBuf> = Vec::new();
    for document in parts.documents.iter().filter(|document| document.role == Role::Records) {
        let month = match names(&document.path).as_slice() {
            ["events", month, "events.jsonl"] if is_month(month) => document.path.parent(),
            ["events", file] if file.strip_suffix(".jsonl").is_some_and(is_month) => Some(&*document.path),
            _ => None,
        };
        months.extend(month.map(Path::to_owned));
    }
    months.retain(|month| {
        let name = month.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let next =
            first_day(name.trim_end_matches(".jsonl")).and_then(|day| day.checked_add_months(Months::new(1)));
        let is_over = next.and_then(Moment::start_of).is_some_and(|end| end <= until);
        is_over
            && !live_logs(parts, month).any(|document| {
                let times = document.records.iter().filter_map(|record| record.memory()?.created);
                times.max().is_some_and(|newest| newest > until)
            })
    });
    months
}

/// Returns the month of a log or trace, compressed or not, in the form of [`archivable_months`].
pub fn month_of(path: &Path) -> Option<PathBuf> {
    match names(path).as_slice() {
        ["events", month, _, ..] if is_month(month) => Some(Path::new("events").join(month)),
        ["events", file] => {
            let log = file.strip_suffix(".gz").unwrap_or(file);
            log.strip_suffix(".jsonl").is_some_and(is_month).then(|| Path::new("events").join(log))
        }
        _ => None,
    }
}

/// Returns the uncompressed files of a month from [`archivable_months`]: log and traces. Archiving
/// replaces each by a file with `.gz` added to its name, or adds it to the end of an existing one.
fn live_logs<'a>(parts: &AssemblyInput<'a>, month: &'a Path) -> impl Iterator<Item = &'a Document> {
    let documents = parts.documents.iter().map(|document| &**document);
    documents.filter(move |document| document.role == Role::Records && document.path.starts_with(month))
}
