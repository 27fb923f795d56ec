//! Writes memories: lines, backups, archives by quarter, the index.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::index_check::{self, IndexedRecords};
use super::{MemoryServer, assembly, layout};
use crate::format::id_lists::{IdListWriter, KeysOf};
use crate::format::record_reader::set_members;
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, DueTask, FormatWriter, Operation, OwnOperations, RecordDraft,
    RecordMembers, Refusal, Result, WriteContext, accessed, document, has_id, level_word, list, refuse_taken,
    removals, uuid,
};
use crate::format::{AssemblyInput, DerivedFile};
use crate::model::time::DAY;
use crate::model::{
    Change, Document, Entry, Moment, PathText, Role, State, Store, StoredMemory, is_kept, is_log,
    path_from_text,
};
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
            back_up: Some(|store, files, now| {
                let copied = files.iter().filter(|file| file.role == Role::Records);
                copied.flat_map(|file| backup(store, file, now)).collect()
            }),
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
        Ok(("importance", json_edit::quoted(level_word(value))))
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
            changes.extend(removals(context.store, &records));
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
            changes.extend(removals(context.store, &records));
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
        let DueEntries { what, entries } = due_entries(context);
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let changes = self.archive(context, &entries)?;
        Ok(vec![DueTask { what, rule: RULE.into(), records: entries.len(), changes }])
    }

    fn compaction_rule(&self, _store: &Store) -> String {
        RULE.into()
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
        let message = assembly::hard_limit(document(&store.documents, file), own);
        message.map_or(Ok(()), |message| Err(Refusal::too_large(message)))
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
        members.set("importance", json_edit::quoted(level_word(importance)));
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

/// Returns the correct index. An existing one stays if it is correct.
pub fn derived(parts: &AssemblyInput<'_>) -> Vec<DerivedFile> {
    let path = PathBuf::from("index.json");
    let (ids, _) = assembly::ids(parts);
    let records = IndexedRecords::of(parts, &assembly::entries(parts), &ids);
    let own = document(parts.documents, &path).map(|own| own.bytes.clone()).unwrap_or_default();
    if index_check::is_right(&own, &records) {
        return vec![DerivedFile { path, bytes: own }];
    }
    let often = often(&records);
    let [tags, categories, importances] = index_check::MAPS;
    let members = [
        ("version", json_edit::quoted(index_check::VERSION)),
        ("statistics", statistics(&records)),
        (tags.0, lists(&records, Some(&often), tags.1).to_json()),
        (categories.0, lists(&records, Some(&often), categories.1).to_json()),
        (importances.0, lists(&records, None, importances.1).json_of(&["high", "medium", "low"])),
    ];
    vec![DerivedFile { path, bytes: set_members(&own, &members).into() }]
}

fn statistics(records: &IndexedRecords<'_>) -> String {
    let count = |kind| records.live().filter(|own| own.memory.kind() == kind).count();
    let kinds = layout::FILES.map(|(_, kind)| format!("\"{kind}\":{}", count(kind)));
    let (live, [bytes, _]) = (records.live().count(), records.bytes);
    format!(
        "{{\"total_memories\":{live},\"by_type\":{{{}}},\"archived_count\":{},\"total_storage_bytes\":{bytes}}}",
        kinds.join(","),
        records.own.len() - live,
    )
}

/// Counts the live records of each id, by place.
fn often(records: &IndexedRecords<'_>) -> Vec<u32> {
    let mut often = vec![0; records.ids.all().len()];
    records.live().filter_map(|own| own.id).for_each(|(_, place)| often[place as usize] += 1);
    often
}

/// Maps keys to ids of live records: with the counts `often` each id once per key, else once per record.
fn lists<'a>(records: &IndexedRecords<'a>, often: Option<&Vec<u32>>, keys: KeysOf) -> IdListWriter<'a> {
    let (mut lists, mut known) = (IdListWriter::default(), HashSet::new());
    for (memory, (id, place)) in records.live().filter_map(|own| Some((own.memory, own.id?))) {
        let id = json_edit::quoted(id);
        let mut keys = keys(memory);
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let is_once = || often.is_none_or(|often| often[place as usize] == 1);
            if is_once() || known.insert((key, place)) {
                lists.push(key, &id);
            }
        }
    }
    lists
}

/// The rules, in words ("Archival", "Storage Limits").
const RULE: &str = "learnings are archived 90 days after their last use, tasks 30 days after they are done; above the soft limit (500 learnings or 5 MB, 200 tasks or 2 MB) the least recently used, done tasks only; core memories by hand; what is pinned stays";

struct DueEntries {
    what: String,
    entries: Vec<Entry>,
}

fn due_entries(context: &WriteContext<'_>) -> DueEntries {
    let live = live(context);
    let old: Vec<usize> = (0..live.len()).filter(|&at| live[at].is_old).collect();
    let full = without_room(context, &live);
    let mut parts = Vec::new();
    if !old.is_empty() || full.is_empty() {
        parts.push("learnings not used for 90 days and tasks done for 30".to_owned());
    }
    if !full.is_empty() {
        parts.push(format!("{} that full files have no room for", full.len()));
    }
    let own: HashSet<usize> = old.into_iter().chain(full).collect();
    let entries = (0..live.len()).filter(|at| own.contains(at)).map(|at| *live[at].entry).collect();
    DueEntries { what: format!("archive {}", parts.join(", and ")), entries }
}

struct LiveRecord<'a> {
    entry: &'a Entry,
    is_old: bool,
    /// True if it may go when its file is full.
    may_go: bool,
    /// The time of the last use or completion, and the number of uses.
    used: (Option<Moment>, u64),
    bytes: u64,
}

fn live<'a>(context: &'a WriteContext<'_>) -> Vec<LiveRecord<'a>> {
    let mut live = Vec::new();
    for entry in context.store.entries.iter().filter(|entry| entry.state == State::Live) {
        let document = context.store.document(entry);
        let is_log = document.role == Role::Records && is_log(&document.path);
        let Some(memory) = context.store.memory(entry).filter(|_| is_log) else { continue };
        let mut tape = Tape::default();
        let bytes = context.store.raw(entry);
        let Ok(raw) = json_edit::scan(&mut tape, &bytes) else { continue };
        let done = done(raw);
        let (may_go, last) = match memory.kind() {
            "learning" => (true, memory.accessed.or(memory.created)),
            "task" => (done.is_some(), done),
            _ => (false, None),
        };
        let is_kept = is_kept(memory, context.now);
        let bytes = context.store.raw(entry).len() as u64 + 1;
        let used = (last, memory.access_count);
        let is_old = !is_kept && is_due(memory, raw, context.now);
        live.push(LiveRecord { entry, is_old, may_go: may_go && !is_kept, used, bytes });
    }
    live
}

/// Returns the records that are archived, in addition to old ones, until each file is within its soft limit.
fn without_room(context: &WriteContext<'_>, live: &[LiveRecord<'_>]) -> Vec<usize> {
    let mut full = Vec::new();
    for (number, document) in (0_u32..).zip(&context.store.documents) {
        let Some((most_bytes, most)) = assembly::soft_limit(&document.path) else { continue };
        let of_file: Vec<usize> = (0..live.len()).filter(|&at| live[at].entry.document == number).collect();
        let stay: Vec<usize> = of_file.iter().copied().filter(|&at| !live[at].is_old).collect();
        let gone: u64 = of_file.iter().filter(|&&at| live[at].is_old).map(|&at| live[at].bytes).sum();
        let (mut count, mut bytes) = (stay.len(), document.len.saturating_sub(gone));
        let mut candidates: Vec<usize> = stay.into_iter().filter(|&at| live[at].may_go).collect();
        candidates.sort_by_key(|&at| live[at].used);
        for at in candidates {
            if count <= most && bytes <= most_bytes {
                break;
            }
            count -= 1;
            bytes = bytes.saturating_sub(live[at].bytes);
            full.push(at);
        }
    }
    full
}

fn done(raw: Json<'_>) -> Option<Moment> {
    let status = raw.path(&["task_metadata", "status"]);
    let done = raw.path(&["task_metadata", "completed_at"]).and_then(|when| when.moment());
    done.filter(|_| status.is_some_and(|status| status.is_text("completed")))
}

/// True if "Archival" makes a record due: a learning unused for 90 days, a task completed 30 days ago.
fn is_due(memory: &StoredMemory, raw: Json<'_>, now: Moment) -> bool {
    match memory.kind() {
        "learning" => memory.accessed.or(memory.created).is_some_and(|used| now > used.plus(90 * DAY)),
        "task" => done(raw).is_some_and(|done| now > done.plus(30 * DAY)),
        _ => false,
    }
}
