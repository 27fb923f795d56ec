//! Writes memories: lines, backups, archives by quarter, the index.

mod due_entries;
mod index_build;

pub use index_build::derived;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{MemoryServer, assembly, index_check, layout};
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, DueTask, FormatWriter, Operation, OwnOperations, RecordDraft,
    RecordMembers, Refusal, Result, WriteContext, accessed, document, has_id, list, refuse_taken, uuid,
};
use crate::model::{Change, Document, Entry, Moment, PathText, Role, Store, path_from_text};
use crate::text::json::Json;
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, names};

const ORDER: [&str; 11] = names(
    "id type content category created_at updated_at accessed_at access_count tags \
    importance archived",
);
/// The number of backups that are kept of a file ("Backup Strategy").
const BACKUPS: usize = 5;

impl FormatWriter for MemoryServer {
    fn own(&self) -> OwnOperations {
        OwnOperations {
            migrate: Some(migrate),
            back_up: Some(back_up),
            alternative_name: Some(alternative_name),
            ..OwnOperations::default()
        }
    }

    fn allows(&self, operation: Operation, file: &Path) -> Result<(), String> {
        match file.extension().is_some_and(|end| end == "json") {
            _ if operation == Operation::SetType => Err("its file shows its type.".into()),
            true => {
                Err("it is in a document of the 1.0 writer, which is only read: `palimp migrate` first."
                    .into())
            }
            false => Ok(()),
        }
    }

    fn is_text(&self, name: &str) -> bool {
        !matches!(name, "access_count" | "tags" | "archived" | "task_metadata" | "task_metadata.blockers")
    }

    fn importance(&self, _kind: &str, value: f64) -> Result<(&'static str, String), String> {
        Ok(("importance", json_edit::quoted(index_check::importance_word(value))))
    }

    fn has_word(&self, _kind: &str, field: &str) -> bool {
        field == "category"
    }

    fn finish_edit(&self, before: Json<'_>, after: Vec<u8>, now: Moment, is_edit: bool) -> Result<Vec<u8>> {
        let mut tape = Tape::default();
        let value = json_edit::scan(&mut tape, &after)?;
        let same = |name: &str| before.get(name).map(|own| own.raw()) == value.get(name).map(|own| own.raw());
        match is_edit && same("updated_at") {
            true => Ok(json_edit::set(&after, &["updated_at"], &json_edit::quoted(&stamp(before, now)))?),
            false => Ok(after),
        }
    }

    fn add(&self, context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        let (file, members) = new_memory(draft, context.now, context.random)?;
        let id = members.text("id").ok().flatten().unwrap_or_default();
        let is_taken = context.store.documents.iter().any(|own| has_id(own, &id));
        refuse_taken(is_taken, format_args!("the id {}", json_edit::quoted(&id)))?;
        let log = document(&context.store.documents, Path::new(file));
        Ok(vec![Change::append(file, members.to_line(&ORDER), log.map(|log| log.bytes.clone()))])
    }

    /// Returns `None` if the id may exist or the file may be full. [`Self::add`] then finds out.
    fn append(&self, context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
        let own = RecordMembers::of(draft.record)?.text("id").ok().flatten();
        if own.is_some_and(|id| context.lookup.has_id(None, &id) != Some(false)) {
            return Ok(None);
        }
        let (file, members) = new_memory(draft, context.now, context.random)?;
        let (path, line) = (Path::new(file), members.to_line(&ORDER));
        let (Ok(Some(len)), Ok(Some(count))) = (context.lookup.len(path), context.lookup.count(path)) else {
            return Ok(None);
        };
        let is_full = assembly::may_be_full(file, len + line.len() as u64, count + 1);
        Ok((!is_full).then(|| vec![(path.to_owned(), line)]))
    }

    /// Moves records to the archive of the current quarter.
    fn archive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let (year, quarter) =
            context.now.quarter().ok_or_else(|| Refusal::unfit("the clock is out of range."))?;
        let mut changes = Vec::new();
        for (file, records) in context.store.by_document(entries) {
            if file.role != Role::Records {
                continue;
            }
            let stem = file.path.file_stem().unwrap_or_default().to_text();
            let archive = path_from_text(&format!("archive/{year}/{stem}_{year}_Q{quarter}.jsonl"));
            changes.push(copied(context.store, &file, &records, &archive, "true")?);
            changes.push(removed(&file, &records));
        }
        Ok(in_order(changes))
    }

    /// Moves records back to the live file of their type.
    fn unarchive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let mut changes = Vec::new();
        for (file, records) in context.store.by_document(entries) {
            if file.role == Role::Records {
                changes.push(marked(&file, &records)?);
                continue;
            }
            changes.push(removed(&file, &records));
            let mut of_kind: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
            for entry in records {
                let kind = context.store.memory(&entry).map_or("", |memory| memory.kind());
                of_kind.entry(kind).or_default().push(entry);
            }
            for (kind, records) in of_kind {
                let live = layout::FILES.iter().find(|(_, own)| *own == kind);
                let live =
                    live.ok_or_else(|| Refusal::invalid(format!("{kind:?} is not a type that has a file.")))?;
                changes.push(copied(context.store, &file, &records, Path::new(live.0), "false")?);
            }
        }
        Ok(in_order(changes))
    }

    fn access_members(&self, record: Json<'_>, now: Moment) -> Vec<(&'static str, String)> {
        accessed(record, "accessed_at", json_edit::quoted(&stamp(record, now)))
    }

    /// Archives learnings unused for 90 days, tasks done 30 days ago, and what exceeds a soft
    /// limit. Core memories are archived by hand ("Archival", "Storage Limits").
    fn due_tasks(&self, context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        let due_entries::DueEntries { what, entries } = due_entries::own(context);
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let changes = self.archive(context, &entries)?;
        Ok(vec![DueTask { what, rule: due_entries::RULE.into(), records: entries.len(), changes }])
    }

    fn compaction_rule(&self, _store: &Store) -> String {
        due_entries::RULE.into()
    }

    fn compact(&self, context: &WriteContext<'_>, _session: Option<&str>) -> Option<ChangesResult> {
        let due = self.due_tasks(context).map(|due| due.into_iter().flat_map(|own| own.changes).collect());
        Some(due)
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        layout::FILES.iter().map(|(file, _)| (PathBuf::from(file), Vec::new())).collect()
    }

    /// Refuses to exceed hard limits. `check` reports soft ones.
    fn limits(&self, store: &Store, after: &[Arc<Document>], file: &Path) -> Result<()> {
        let Some(own) = document(after, file) else { return Ok(()) };
        match assembly::hard_limit(document(&store.documents, file), own) {
            Some(message) => Err(Refusal::too_large(message)),
            None => Ok(()),
        }
    }
}

/// Converts a document of the 1.0 writer to lines of the three files, and keeps it as a backup.
fn migrate(context: &WriteContext<'_>) -> ChangesResult {
    let old = |document: &&Arc<Document>| {
        document.role == Role::Records
            && document.path.extension().is_some_and(|end| end == "json")
            && !document.records.is_empty()
    };
    let mut changes = Vec::new();
    for document in context.store.documents.iter().filter(old) {
        changes.extend(backup(context.store, document, context.now));
        for (file, kind) in layout::FILES {
            let lines = lines_of_kind(document, kind)?;
            if !lines.is_empty() {
                let current = crate::format::writing::document(&context.store.documents, Path::new(file));
                changes.push(Change::append(file, lines, current.map(|own| own.bytes.clone())));
            }
        }
        changes.push(Change::remove(&document.path, document.bytes.clone()));
    }
    Ok(in_order(changes))
}

fn back_up(store: &Store, files: &[&Document], now: Moment) -> Vec<Change> {
    let copied = files.iter().filter(|file| file.role == Role::Records);
    copied.flat_map(|file| backup(store, file, now)).collect()
}

fn alternative_name(copy: &Path, number: usize) -> Option<PathBuf> {
    let name = copy.file_name()?.to_text();
    let (own, stamp) = name.rsplit_once(".backup.")?;
    let mut parts = stamp.split('_');
    let (day, time) = (parts.next()?, parts.next()?);
    Some(copy.with_file_name(path_from_text(&format!("{own}.backup.{day}_{time}_{number}"))))
}

/// Returns the file of a new memory's type, and its members.
fn new_memory(
    draft: &RecordDraft<'_>,
    now: Moment,
    random: [u8; 16],
) -> Result<(&'static str, RecordMembers)> {
    let file = layout::FILES.iter().find(|(_, kind)| *kind == draft.kind);
    let Some((file, kind)) = file else {
        let message = format!("the type should be core, learning or task, not {:?}.", draft.kind);
        return Err(Refusal::invalid(message));
    };
    let mut members = RecordMembers::of(draft.record)?;
    let now = json_edit::quoted(&now.to_micros());
    members.or_text("id", &uuid(random));
    members.set("type", json_edit::quoted(kind));
    if let Some(text) = draft.text {
        members.or_text("content", text);
    }
    for time in ["created_at", "updated_at", "accessed_at"] {
        members.or(time, &now);
    }
    members.or("access_count", "0");
    if !draft.tags.is_empty() {
        members.set("tags", list(draft.tags));
    }
    members.or("tags", "[]");
    if let Some(importance) = draft.importance {
        members.set("importance", json_edit::quoted(index_check::importance_word(importance)));
    }
    members.or_text("importance", "medium");
    members.or("archived", "false");
    Ok((file, members))
}

/// Returns the records of a type in a document of the 1.0 writer, one per line.
fn lines_of_kind(document: &Document, kind: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for record in &document.records {
        let Some(memory) = record.memory() else {
            let message =
                format!("line {} of {} is broken; repair it first.", record.line, document.path.to_text());
            return Err(Refusal::corrupt(message));
        };
        if memory.kind() == kind {
            lines.extend(json_edit::on_one_line(&document.raw(record)));
            lines.push(b'\n');
        }
    }
    Ok(lines)
}

/// Returns the time in the precision of the record: seconds or microseconds.
fn stamp(record: Json<'_>, now: Moment) -> String {
    let stored = record.get("updated_at").and_then(|value| value.text()).unwrap_or_default();
    match stored.is_empty() || stored.contains('.') {
        true => now.to_micros(),
        false => now.to_pattern("%Y-%m-%dT%H:%M:%SZ"),
    }
}

/// Returns the change that copies records to the end of another file, with this value of `archived`.
fn copied(store: &Store, from: &Document, entries: &[Entry], to: &Path, archived: &str) -> Result<Change> {
    let mut lines = Vec::new();
    for entry in entries {
        let record = &from.records[entry.record as usize];
        let line = match record.memory() {
            Some(_) => json_edit::set(&from.raw(record), &["archived"], archived)?,
            None => {
                return Err(Refusal::unfit("what is broken can't be archived; repair it, or delete it."));
            }
        };
        lines.extend(json_edit::on_one_line(&line));
        lines.push(b'\n');
    }
    let current = document(&store.documents, to).map(|own| own.bytes.clone());
    Ok(Change::append(to, lines, current))
}

fn removed(from: &Document, entries: &[Entry]) -> Change {
    let gone: Vec<_> = entries.iter().map(|entry| from.records[entry.record as usize].span).collect();
    Change::edits(&from.path, from.bytes.clone(), crate::text::lines::removal_edits(&from.bytes, &gone))
}

/// Returns the change that clears `archived` in records of a live file.
fn marked(file: &Document, entries: &[Entry]) -> Result<Change> {
    let mut edits = Vec::new();
    for entry in entries {
        let record = &file.records[entry.record as usize];
        let new = json_edit::set(&file.raw(record), &["archived"], "false")?;
        edits.push((record.span.range(), new));
    }
    Ok(Change::edits(&file.path, file.bytes.clone(), edits))
}

/// Puts copies before removals, and merges appends to the same file.
fn in_order(changes: Vec<Change>) -> Vec<Change> {
    use crate::model::Act;
    let mut copies: Vec<Change> = Vec::new();
    let mut others: Vec<Change> = Vec::new();
    for change in changes {
        let current = copies.iter_mut().find(|own| own.path == change.path).map(|own| &mut own.act);
        match (&change.act, current) {
            (Act::Append(lines), Some(Act::Append(before))) => before.extend_from_slice(lines),
            (Act::Append(_), _) => copies.push(change),
            _ => others.push(change),
        }
    }
    copies.extend(others);
    copies
}

/// Returns the changes that copy a live file, and that remove its oldest backups above the limit.
pub fn backup(store: &Store, file: &Document, now: Moment) -> Vec<Change> {
    let name = file.path.file_name().unwrap_or_default().to_text();
    let start = format!("{name}.backup.");
    let named = |document: &&Arc<Document>| {
        document.role == Role::Backup
            && document.path.file_name().is_some_and(|own| own.to_text().starts_with(&start))
    };
    let mut known: Vec<(&PathBuf, u64)> =
        store.documents.iter().filter(named).map(|own| (&own.path, own.len)).collect();
    known.sort();
    let stamp = now.to_pattern("%Y%m%d_%H%M%S");
    let path = |suffix: &str| path_from_text(&format!(".backup/{start}{stamp}{suffix}"));
    let free = (1..).map(|number| if number == 1 { path("") } else { path(&format!("_{number}")) });
    let Some(own) = free.into_iter().find(|path| known.iter().all(|(own, _)| *own != path)) else {
        return Vec::new();
    };
    let many = (known.len() + 1).saturating_sub(BACKUPS);
    let old = known.into_iter().take(many).map(|(path, len)| Change::expire(path, len));
    std::iter::once(Change::create(own, file.bytes.clone())).chain(old).collect()
}
