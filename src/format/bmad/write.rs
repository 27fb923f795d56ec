//! Writes a store (§4 to §8): records, compaction, sessions, archives.
//!
//! Choices for cases where the specification is silent:
//! - A new record never gets an id that a record refers to, even if that memory is gone: the old
//!   reference would mean the new record.
//! - The text of a preference is its `value`.
//! - A shared file is one memory: it is edited in place, and deleted as a whole.
//! - Times are in UTC with milliseconds at most, as the format's `toISOString()` writes them.
//! - `size_bytes` counts the four logs.
//! - The name of a new session is `sess-YYYY-MM-DD-name`. An existing session may have any name
//!   that one folder can have.
//! - In the index a word has 3 to 64 letters and digits. Authors and words of enumerations are not
//!   words of a text. A decision is also under the topics of the messages that it refers to; a
//!   record without a time is under `undated`.
//! - `last_decay_update` is in milliseconds since 1970, like `Date.now()`, unless the record
//!   already has a text there.

mod derived_files;
mod due_tasks;
mod index_build;
mod logs;
mod manifest_build;
mod new_record;
mod new_session;
mod session_archive;
mod session_unpack;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use due_tasks::compacted;
use logs::logs_in;
use new_record::{new_record, next_record, refers};
use new_session::{new_session, session_id};

use super::{Bmad, auto_redaction, config, layout};
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, DueTask, FieldAssignment, FloorOutcome, FormatWriter,
    NamePlace, NameUse, Operation, OwnOperations, RecordDraft, RecordMembers, Refusal, Result, WriteContext,
    accessed, document, refuse_taken_session, set_field, with_config, with_config_of, within_limit,
};
use crate::format::{Format, live_session};
use crate::model::{Change, DecayRule, Document, Entry, Lock, Moment, NameKind, Role, Store, StoredMemory};
use crate::text::digest::hex;
use crate::text::json::Json;
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, names, shell_quote};

pub use derived_files::derived;

const NO_TEXT: [&str; 15] = names(
    "access_count alternatives_considered approved_by confidence decay_factor \
    last_decay_update learned_from metadata metadata.processing_time_ms \
    metadata.references metadata.tokens references references.conversations \
    references.findings tags",
);
const IMPORTANCE: &str = "importance follows from the type, `severity`, `impact` and `approved_by` here. Edit one of those instead.";

impl FormatWriter for Bmad {
    fn own(&self) -> OwnOperations {
        OwnOperations {
            last_id: Some(last_id),
            largest_id: Some(new_record::largest_id),
            archive_session: Some(session_archive::archive_session),
            unarchive_session: Some(session_archive::unarchive_session),
            archive_files: Some(layout::archive_files),
            rederive_archive: Some(session_archive::rederived),
            archive_sidecars: Some(session_archive::beside_archive),
            auto_redaction: Some(auto_redaction::auto_redaction),
            ..OwnOperations::default()
        }
    }

    fn allows(&self, operation: Operation, file: &Path) -> Result<(), String> {
        match operation {
            Operation::Tag if file.starts_with("shared") => Err("a shared file has no tags.".into()),
            Operation::Archive if file.starts_with("shared") => {
                Err("only sessions can be archived, and a shared file belongs to none.".into())
            }
            _ => Ok(()),
        }
    }

    fn is_text(&self, name: &str) -> bool {
        !NO_TEXT.contains(&name)
    }

    fn importance(&self, _kind: &str, _value: f64) -> Result<(&'static str, String), String> {
        Err(IMPORTANCE.into())
    }

    fn has_word(&self, kind: &str, field: &str) -> bool {
        kind == "preference" && field == "category"
    }

    fn name_places<'j>(&self, record: Json<'j>) -> Vec<NamePlace<'j>> {
        let to_record = NameUse::Reference(NameKind::Record);
        let lists: [&[&str]; 3] =
            [&["metadata", "references"], &["references", "conversations"], &["references", "findings"]];
        let id = NamePlace::at(record, NameUse::Id, &["id"]);
        let parent = NamePlace::at(record, to_record, &["context", "parent_message_id"]);
        let records = lists.iter().flat_map(|path| NamePlace::of_list(record, to_record, path));
        let sessions = NamePlace::of_list(record, NameUse::Reference(NameKind::Session), &["learned_from"]);
        id.into_iter().chain(parent).chain(records).chain(sessions).collect()
    }

    fn add(&self, context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        if draft.importance.is_some() {
            return Err(Refusal::unfit(IMPORTANCE));
        }
        let name = draft.session.ok_or_else(|| Refusal::unfit("name the session with --session."))?;
        let session = live_session(&Bmad, context.store, name)?;
        let logs = logs_in(context.store, &session.path)?;
        let (path, line) = new_record(name, &logs, draft, &referred_to(context.store), context.now)?;
        let base = document(&context.store.documents, &path).map(|log| log.bytes.clone());
        Ok(vec![Change::append(path, line, base)])
    }

    /// The next number is only known if the last one is.
    fn append(&self, context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
        let (Some(name), None) = (draft.session, draft.importance) else { return Ok(None) };
        let Some(last) = context.lookup.last_id(name, draft.kind) else { return Ok(None) };
        // A given id, and ids that the record refers to, change which number is next.
        if RecordMembers::of(draft.record)?.get("id").is_some() || draft.record.is_some_and(refers) {
            return Ok(None);
        }
        let (path, line) = next_record(name, &last, draft, context.now)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let logs = layout::LOGS.map(|(log, _)| context.lookup.len(&folder.join(log)));
        let mut size = line.len() as u64;
        for len in logs {
            let Ok(len) = len else { return Ok(None) };
            size += len.unwrap_or(0);
        }
        let is_there = matches!(context.lookup.len(&path), Ok(Some(_)));
        let Ok(config) = context.lookup.small(Path::new("config.json")) else { return Ok(None) };
        let (_, full) = with_config_of(config.as_deref(), config::size_limits);
        Ok((is_there && size < full).then(|| vec![(path, line)]))
    }

    fn evictions(
        &self,
        context: &WriteContext<'_>,
        draft: &RecordDraft<'_>,
        after: &[Arc<Document>],
    ) -> Result<Vec<Entry>> {
        let session = live_session(&Bmad, context.store, draft.session.unwrap_or_default())?;
        let (full, compacts) =
            with_config(context.store, |config| (config::size_limits(config).1, config::compacts(config)));
        match compacts && size(after, &session.path) >= full {
            true => Ok(compacted(context, &session.path)),
            false => Ok(Vec::new()),
        }
    }

    fn edit(
        &self,
        context: &WriteContext<'_>,
        entry: &Entry,
        set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        let names_text = set.iter().any(|setting| setting.name == "text");
        let mut tape = Tape::default();
        let raw = context.store.raw(entry);
        let record = json_edit::scan(&mut tape, &raw).ok()?;
        let is_preference = self.main_text(record).1 == ["key", "value"];
        (names_text && is_preference).then(|| preference(context, entry, set))
    }

    fn archive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        session_archive::archive(context, entries)
    }

    fn unarchive_hint(&self, session: Option<&str>) -> String {
        let name = session.map_or("NAME".into(), shell_quote::word);
        format!("`palimp session unarchive {name}` brings its session back")
    }

    fn unarchive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let session = entries.iter().find_map(|entry| context.store.session(entry));
        let name = session.map_or("NAME".into(), |session| shell_quote::word(&session.name));
        let message = format!("a session comes back whole: `palimp session unarchive {name}`.");
        if entries.is_empty() { Ok(Vec::new()) } else { Err(Refusal::unfit(message)) }
    }

    fn compaction_rule(&self, store: &Store) -> String {
        let keep = with_config(store, config::keep_share);
        format!(
            "the most relevant {:.0} % of each session stay, the rest is removed; preferences and what is pinned always stay",
            keep * 100.0
        )
    }

    fn compacted_entries(
        &self,
        context: &WriteContext<'_>,
        session: Option<&str>,
    ) -> Option<Result<Vec<Entry>>> {
        let store = context.store;
        let Some(name) = session else {
            let live = store.sessions.iter().filter(|session| session.path.starts_with("sessions"));
            return Some(Ok(live.flat_map(|session| compacted(context, &session.path)).collect()));
        };
        Some(live_session(&Bmad, store, name).map(|session| compacted(context, &session.path)))
    }

    fn floor_outcome(&self, store: &Store, memory: &StoredMemory, _rule: DecayRule) -> FloorOutcome {
        match memory.kind() {
            "preference" => FloorOutcome::Stays,
            _ => FloorOutcome::MayGo(with_config(store, config::keep_share)),
        }
    }

    fn access_members(&self, record: Json<'_>, now: Moment) -> Vec<(&'static str, String)> {
        accessed(record, "last_accessed", json_edit::quoted(&now.to_rfc3339()))
    }

    fn decay_members(&self, context: &WriteContext<'_>, entry: &Entry) -> Vec<(&'static str, String)> {
        due_tasks::faded(context, entry)
    }

    fn due_tasks(&self, context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        due_tasks::due(context)
    }

    fn due_task_files(&self, context: &WriteContext<'_>) -> Vec<PathBuf> {
        due_tasks::expired(context.store, context.now)
    }

    /// Writes the config of §9.1 without the redaction patterns of §7.3, which match every SHA-256
    /// and miss most tokens.
    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        let config = include_str!("write/config.json");
        vec![("config.json".into(), config.into()), ("sessions".into(), Vec::new())]
    }

    fn new_session(&self, context: &WriteContext<'_>, id: Option<&str>, user: &str) -> ChangesResult {
        let made = hex(&context.random);
        let name = id.unwrap_or(made.get(..8).unwrap_or(&made));
        let id = session_id(name, context.now)?;
        refuse_taken_session(context.store, &id)?;
        let indexes = with_config(context.store, config::indexes);
        let mut files = new_session(&id, Some(user).filter(|user| !user.is_empty()), context.now)?;
        files.retain(|(path, _)| indexes || !path.ends_with("index.json"));
        let folder = Change::make_folder(Path::new("sessions").join(&id));
        let files = files.into_iter().map(|(path, bytes)| Change::create(path, bytes));
        Ok(std::iter::once(folder).chain(files).collect())
    }

    fn limits(&self, store: &Store, after: &[Arc<Document>], file: &Path) -> Result<()> {
        let Some(folder) = layout::folder_of(file) else { return Ok(()) };
        let (limit, _) = with_config(store, config::size_limits);
        within_limit(folder, size(&store.documents, folder), size(after, folder), limit)
    }
}

/// Returns the bytes of a session's logs.
fn size(documents: &[Arc<Document>], folder: &Path) -> u64 {
    let is_log = |own: &&Arc<Document>| own.role == Role::Records && own.path.starts_with(folder);
    documents.iter().filter(is_log).map(|own| own.len).sum()
}

/// Returns the locks of a session's files. The session's own lock comes first: all its files share it.
pub fn lock(files: &[&Path]) -> Lock {
    let Some(folder) = files.iter().find_map(|file| layout::folder_of(file)) else { return Lock::None };
    let own = files.iter().filter(|file| file.starts_with(folder));
    let mut locks: Vec<PathBuf> = own
        .map(|file| {
            let mut lock = file.as_os_str().to_owned();
            lock.push(".lock");
            lock.into()
        })
        .collect();
    locks.sort();
    locks.dedup();
    locks.insert(0, folder.join(".lock"));
    Lock::Exclusive(locks)
}

fn last_id(store: &Store, session: &str, kind: &str) -> Option<String> {
    let folder = &live_session(&Bmad, store, session).ok()?.path;
    new_record::last_id(kind, &logs_in(store, folder).ok()?, &referred_to(store))
}

fn referred_to(store: &Store) -> Vec<&str> {
    let records = store.documents.iter().flat_map(|own| &own.records);
    let references = records.filter_map(|record| record.memory()).flat_map(|memory| memory.references());
    references
        .filter(|reference| reference.to.of == NameKind::Record)
        .map(|reference| reference.to.text)
        .collect()
}

/// Sets fields of a preference. Its text is the value.
fn preference(context: &WriteContext<'_>, entry: &Entry, set: &[FieldAssignment<'_>]) -> ChangesResult {
    let file = context.store.document(entry);
    let span = context.store.record(entry).span;
    let mut after = context.store.raw(entry).to_vec();
    for setting in set {
        after = set_field(&Bmad, &after, setting, "value")?;
    }
    let edits = vec![(span.range(), after)];
    Ok(vec![Change::edits(&file.path, file.bytes.clone(), edits)])
}

#[cfg(test)]
mod tests;
