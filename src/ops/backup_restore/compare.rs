//! Compares a copy of a file with the store, record by record.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::CopyFacts;
use super::comparison::{BackupComparison, DifferenceKind, RecordDifference, role};
use crate::format::record_reader::Reading;
use crate::format::{self, Format, RecordSyntax};
use crate::model::{Document, Entry, Moment, PathText, Record, Role, Severity, Span, Store, UntrustedText};
use crate::ops::{Refusal, Result, WriteContext, own_operations, writes};
use crate::store::erase::{ErasureMatcher, is_log_or_copy};

/// Returns the differences between a copy of `file` and the store. Erased records are named only by id.
pub fn compare(
    context: &WriteContext<'_>,
    file: &Path,
    copy: &[u8],
    facts: &CopyFacts,
) -> Result<BackupComparison> {
    let (format, _) = writes(context.store)?;
    let now = context.store.document_at(file);
    if now.is_some_and(|own| own.offset > 0) {
        return Err(Refusal::unfit("the store has not been read completely yet."));
    }
    let read = format.read(role(format, file), file, copy, context.now);
    let damage = damage(file, &read, facts.is_cut);
    let records = read.records;
    let mut ids = HashSet::new();
    let named = records.iter().filter_map(|own| own.id());
    let is_torn = |own: &&Record| own.memory().is_none();
    let torn = records.iter().filter(is_torn).map(|own| bytes_of(copy, own).trim_ascii());
    let erased = facts.gone.wanted(context.store, context.now);
    let deletes = role(format, file) == Role::Tombstones;
    let mut compared = ComparisonBuilder {
        context,
        file,
        copy,
        facts,
        now,
        beside: CurrentRecords::of(context.store, file, now),
        erased: erased.as_ref().filter(|_| !deletes),
        copied: records.iter().map(|record| bytes_of(copy, record)).collect(),
        put_back: HashSet::new(),
        deleted: deletes.then(|| by_id(context.store, file)),
        shared: named.filter(|id| !ids.insert(*id)).collect(),
        parts: facts.deleted.parts_of(format, file, copy),
        ends_early: facts.is_cut || records.last().is_some_and(|own| is_torn(&own)),
        torn: torn.filter(|own| own.len() >= LEGIBLE).collect(),
    };
    let mut items = Vec::new();
    let mut known: HashSet<&[u8]> = HashSet::new();
    for record in records.iter().rev() {
        let has_id = record.memory().is_some_and(|memory| memory.id().is_some());
        match compared.item(record) {
            None => {}
            // Equal lines with an id are one record.
            Some(item)
                if item.kind != DifferenceKind::Erased && has_id && !known.insert(bytes_of(copy, record)) => {
            }
            Some(item) => items.push(item),
        }
    }
    let newer = compared.newer(&records, &items);
    items.extend(newer);
    items.sort_by_key(|item| (item.kind, item.at));
    let is_alike = now.is_some_and(|own| *own.bytes == *copy);
    let whole_only = whole_only(format, file);
    if whole_only.is_some() {
        // In a whole file, a deleted record is restored only if it is chosen.
        items.iter_mut().for_each(|item| item.can_come &= item.kind == DifferenceKind::Deleted);
    }
    let lacks_some = items.iter().any(|item| item.kind == DifferenceKind::Missing);
    let doubts = if lacks_some { forgotten(file, facts) } else { Vec::new() };
    let (ends_early, file) = (compared.ends_early, file.to_owned());
    let records = now.map_or(0, |own| own.records.len());
    Ok(BackupComparison { file, items, records, whole_only, is_alike, deletes, ends_early, damage, doubts })
}

/// Returns sentences about deletions since the copy whose memories are not known.
fn forgotten(file: &Path, facts: &CopyFacts) -> Vec<String> {
    let told = |step: u64| {
        let at = facts.deleted.at(step).map(|at| at.to_minute()).unwrap_or_default();
        let file = file.to_text();
        format!(
            "step {step} deleted memories of {file} {at}, and its undo data is gone: what is restored may be among them"
        )
    };
    facts.deleted.forgotten(file).filter(|step| facts.is_since(*step)).map(told).collect()
}

/// A torn record with fewer bytes does not show which record it was.
const LEGIBLE: usize = 16;

fn by_id<'a>(store: &'a Store, file: &Path) -> HashMap<&'a str, &'a Entry> {
    let own = store.entries.iter().filter(|own| is_of(store, file, &store.document(own).path));
    own.filter_map(|own| Some((store.id(own)?, own))).collect()
}

/// Returns why the records of a file can't be restored one by one.
fn whole_only(format: &dyn Format, file: &Path) -> Option<String> {
    let why = match (role(format, file), is_log_or_copy(file) && format.syntax(file) == RecordSyntax::Json) {
        _ if format.forbids_rebase(file) => "other files of the store depend on it",
        (Role::Records, true) => return None,
        (Role::Records, false) => "it is one document",
        _ => "it is not a log of memories",
    };
    Some(format!("{} can only be restored as a whole: {why}", file.to_text()))
}

#[derive(Default)]
struct CurrentRecords<'a> {
    lines: HashSet<Cow<'a, [u8]>>,
    ids: HashMap<&'a str, Vec<&'a Record>>,
    /// The ids that tombstones name, each with a sentence about its tombstone.
    tombstones: HashMap<&'a str, String>,
    /// Ids in other files, each with the file and true if the record was moved there.
    elsewhere: HashMap<&'a str, (&'a Path, bool)>,
    /// True if two files hold copies of the same records.
    are_copies: Option<fn(&Path, &Path) -> bool>,
}

impl<'a> CurrentRecords<'a> {
    fn of(store: &'a Store, file: &Path, now: Option<&'a Document>) -> CurrentRecords<'a> {
        let mut own = CurrentRecords {
            lines: now.into_iter().flat_map(|own| own.records.iter().map(|r| own.raw(r))).collect(),
            are_copies: own_operations(store).are_copies,
            ..CurrentRecords::default()
        };
        for record in now.into_iter().flat_map(|now| &now.records) {
            if let Some(id) = record.id() {
                own.ids.entry(id).or_default().push(record);
            }
        }
        for document in store.documents.iter().filter(|other| is_of(store, file, &other.path)) {
            own.take(document, file);
        }
        own
    }

    fn take(&mut self, document: &'a Document, file: &Path) {
        for record in &document.records {
            let Some(id) = record.named_id() else { continue };
            match document.role {
                // In a log of deletions, each deletion is a record itself.
                Role::Tombstones if document.path != file => {
                    let created = record.memory().and_then(|memory| memory.created);
                    let when = created.map_or(String::new(), |at| format!(" {}", at.to_minute()));
                    let told = format!("deleted{when}, says {}:{}", document.path.to_text(), record.line);
                    self.tombstones.insert(id, told);
                }
                Role::Records | Role::Archive if document.path != file => {
                    let has_moved = !self.are_copies.is_some_and(|own| own(file, &document.path));
                    let own = self.elsewhere.entry(id).or_insert((&document.path, has_moved));
                    if has_moved {
                        *own = (&document.path, true);
                    }
                }
                _ => {}
            }
        }
    }
}

/// True if both files share their ids: each session has its own ids.
fn is_of(store: &Store, file: &Path, other: &Path) -> bool {
    let session = store.sessions.iter().find(|session| file.starts_with(&session.path));
    session.is_none_or(|session| {
        let archived = store.sessions.iter().filter(|own| own.name == session.name);
        archived.into_iter().any(|own| other.starts_with(&own.path))
    })
}

struct ComparisonBuilder<'a> {
    context: &'a WriteContext<'a>,
    file: &'a Path,
    copy: &'a [u8],
    facts: &'a CopyFacts,
    now: Option<&'a Document>,
    beside: CurrentRecords<'a>,
    erased: Option<&'a ErasureMatcher<'a>>,
    copied: HashSet<&'a [u8]>,
    /// The ids for which the old version of the file's record was found in the copy.
    put_back: HashSet<String>,
    /// In a log of deletions: the memories that it can name, by id.
    deleted: Option<HashMap<&'a str, &'a Entry>>,
    /// Ids that several records of the copy have.
    shared: HashSet<&'a str>,
    /// Parts of the copy that were deleted, each with the step that deleted it.
    parts: HashMap<Span, u64>,
    /// True if the copy lacks its end.
    ends_early: bool,
    /// The broken records of the copy that are long enough to be recognized.
    torn: Vec<&'a [u8]>,
}

impl ComparisonBuilder<'_> {
    /// Returns what happened to a record of the copy; `None` if it is unchanged.
    fn item(&mut self, record: &Record) -> Option<RecordDifference> {
        let raw = bytes_of(self.copy, record);
        let id = record.id();
        let item = |kind, told| RecordDifference { was: raw.to_vec(), ..self.about(record, raw, kind, told) };
        let erased = |told| {
            let (was, title) = (Vec::new(), String::new());
            Some(RecordDifference { was, title, ..item(DifferenceKind::Erased, told) })
        };
        if self.erased.is_some_and(|own| own.is_erased(self.file, raw, record.memory(), None)) {
            let told = self.facts.gone.told(id);
            return erased(told.unwrap_or_else(|| "erased on purpose: it can't be restored".into()));
        }
        if let Some(told) = id.and_then(|id| self.beside.tombstones.get(id)) {
            let is_as_it_was = self.beside.lines.contains(raw);
            return Some(RecordDifference { is_as_it_was, ..item(DifferenceKind::Tombstoned, told.clone()) });
        }
        if self.beside.lines.contains(raw) {
            return None;
        }
        if let Some(doubt) =
            self.facts.gone.doubts(record.memory().is_some_and(|memory| memory.id().is_some()))
        {
            return erased(doubt.to_owned());
        }
        if record.memory().is_none() {
            return Some(item(DifferenceKind::Unreadable, "is only restored with the whole file".into()));
        }
        let is_there = id.is_some_and(|id| self.beside.ids.contains_key(id));
        let since = self.deleted(record, raw, is_there);
        let deleted = |item: RecordDifference| match since.clone() {
            Some(told) => RecordDifference { kind: DifferenceKind::Deleted, told, can_come: true, ..item },
            None => item,
        };
        if since.is_some() && self.parts.contains_key(&record.span) {
            return Some(deleted(item(DifferenceKind::Deleted, String::new())));
        }
        if let (Some(own), Some(now)) = (id.and_then(|id| self.beside.ids.get(id)).cloned(), self.now) {
            let own = self.beside_its_id(item(DifferenceKind::Changed, String::new()), &own, now);
            return Some(if own.kind == DifferenceKind::Missing { deleted(own) } else { own });
        }
        if let Some((path, has_moved)) = id.and_then(|id| self.beside.elsewhere.get(id)) {
            let (path, has_moved) = (path.to_text(), is_log_or_copy(self.file) && *has_moved);
            return Some(RecordDifference {
                has_moved,
                ..item(DifferenceKind::Elsewhere, format!("is in {path}"))
            });
        }
        let written = record.memory().and_then(|memory| memory.created);
        let told = written.map_or(String::new(), |written| format!("written {}", written.to_minute()));
        Some(deleted(RecordDifference { can_come: true, ..item(DifferenceKind::Missing, told) }))
    }

    /// Returns when a record of the copy was deleted, and by which step, in a few words.
    fn deleted(&self, record: &Record, raw: &[u8], is_there: bool) -> Option<String> {
        let (memory, deleted) = (record.memory()?, &self.facts.deleted);
        // A tombstone has the id of a deleted memory, but it is no memory.
        if self.deleted.is_some() {
            return None;
        }
        let is_shared = is_there || memory.id().is_some_and(|id| self.shared.contains(id));
        let part = self.parts.get(&record.span).copied();
        let step =
            part.or_else(|| deleted.step_of(self.context.store, self.file, (raw, memory), is_shared))?;
        // The copy has the record although it was deleted before, so it was written again.
        if !self.facts.is_since(step) {
            return None;
        }
        let at = deleted.at(step).map(|at| at.to_minute()).unwrap_or_default();
        Some(format!("deleted {at} by step {step}"))
    }

    /// Makes a difference without the bytes of the record.
    fn about(&self, record: &Record, raw: &[u8], kind: DifferenceKind, told: String) -> RecordDifference {
        RecordDifference {
            kind,
            id: record.id().map(str::to_owned),
            line: record.line,
            at: record.span.start,
            title: self.title(record, raw).into_raw(),
            told,
            written: record.memory().and_then(|memory| memory.created),
            ..RecordDifference::default()
        }
    }

    /// Returns the title of a record. The title of a deletion is that of the deleted memory, if it is known.
    fn title(&self, record: &Record, raw: &[u8]) -> UntrustedText {
        let (store, id) = (self.context.store, record.id());
        match id.and_then(|id| self.deleted.as_ref()?.get(id)) {
            Some(own) => format::title(store, own),
            None => format::title_of_raw(store, self.file, record, raw),
        }
    }

    /// Compares a record of the copy with the file's records of the same id. Records that the copy has, too,
    /// are unchanged. If several records of the copy have the id, the last one is the old version.
    fn beside_its_id(&mut self, item: RecordDifference, own: &[&Record], now: &Document) -> RecordDifference {
        let others: Vec<&Record> =
            own.iter().filter(|own| !self.copied.contains(&*now.raw(own))).copied().collect();
        let mut is_new = || item.id.as_ref().is_some_and(|id| self.put_back.insert(id.clone()));
        match others.len() {
            0 => alone(item),
            1 if !is_new() => alone(item),
            _ => changed(item, &others, now),
        }
    }

    /// Returns the file's records that the copy lacks, except those that can be changed back.
    fn newer(&mut self, records: &[Record], items: &[RecordDifference]) -> Vec<RecordDifference> {
        let Some(now) = self.now else { return Vec::new() };
        let lines: HashSet<&[u8]> = records.iter().map(|record| bytes_of(self.copy, record)).collect();
        let changed = items.iter().filter(|item| item.kind == DifferenceKind::Changed);
        let ids: HashSet<&str> = changed.filter_map(|item| item.id.as_deref()).collect();
        let mut items = Vec::new();
        for record in &now.records {
            let (raw, memory) = (now.raw(record), record.memory());
            let id = memory.and_then(|memory| memory.id());
            if lines.contains(&*raw) || id.is_some_and(|id| ids.contains(id)) {
                continue;
            }
            let (kind, told) = self.why_newer(memory.and_then(|memory| memory.created), &raw);
            items.push(RecordDifference { is: raw.to_vec(), ..self.about(record, &raw, kind, told) });
        }
        items
    }

    /// Returns why the copy lacks a record of the file, as far as the dates of both show it.
    fn why_newer(&self, written: Option<Moment>, raw: &[u8]) -> (DifferenceKind, String) {
        let why = match () {
            () if self.torn.iter().any(|torn| raw.starts_with(torn)) => "the backup has only its beginning",
            () if self.ends_early => "missing from the backup, which ends early",
            () => "not in the backup",
        };
        match (written, self.facts.at) {
            (Some(own), Some(copy)) if own >= copy => {
                (DifferenceKind::Newer, format!("written {}, after the backup", own.to_minute()))
            }
            (own, copy) => {
                let written = own.map(|own| format!("written {}", own.to_minute()));
                let copied = written
                    .as_ref()
                    .and(copy)
                    .map(|copy| format!(", before the backup of {}", copy.to_minute()));
                let known = written.unwrap_or_default() + &copied.unwrap_or_default();
                (
                    DifferenceKind::Absent,
                    if known.is_empty() { why.to_owned() } else { format!("{known}: {why}") },
                )
            }
        }
    }
}

/// Makes the difference of a missing record whose id another record of the file has.
fn alone(item: RecordDifference) -> RecordDifference {
    let told = "another memory has its id: name this one by its key".to_owned();
    RecordDifference { kind: DifferenceKind::Missing, told, shares: true, can_come: true, ..item }
}

fn changed(item: RecordDifference, own: &[&Record], now: &Document) -> RecordDifference {
    let [one] = own else {
        let told = format!("is there {} times: repair that first", own.len());
        return RecordDifference { told, ..item };
    };
    let is = now.raw(one).to_vec();
    let told = "changed back if it is chosen".to_owned();
    let place = Some(one.span.range());
    RecordDifference { told, is, place, can_come: true, ..item }
}

fn bytes_of<'a>(copy: &'a [u8], record: &Record) -> &'a [u8] {
    copy.get(record.span.range()).unwrap_or_default()
}

/// At most this many broken lines are named.
const NAMED: usize = 5;

/// Says what is broken in a backup of a file. If its end is missing, it is damaged, too.
fn damage(file: &Path, read: &Reading, is_cut: bool) -> Option<String> {
    let is_broken = |record: u32| read.records.get(record as usize).is_some_and(|own| own.memory().is_none());
    let counts = read.problems.iter().filter(|own| own.severity == Severity::Error);
    let counts = counts.filter(|own| own.record.is_none_or(is_broken));
    let lines: BTreeSet<u32> = counts.filter_map(|own| own.line).collect();
    let what = match (lines.len(), is_cut) {
        (0, false) => return None,
        (0, true) => "its end is missing".to_owned(),
        (1, _) => format!("line {} is broken", named(&lines)),
        _ => format!("lines {} are broken", named(&lines)),
    };
    Some(format!("✖ the backup of {} is damaged: {what}", file.to_text()))
}

fn named(lines: &BTreeSet<u32>) -> String {
    let first: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
    match lines.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
