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

mod compaction;
mod derived_files;
mod due_tasks;
mod index_build;
mod logs;
mod manifest_build;
mod new_record;
mod new_session;
mod session_archive;
mod session_pack;
mod session_unpack;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use compaction::compacted;
use logs::logs_in;
use new_record::{new_record, next_record, refers};
use new_session::{new_session, session_id};

use super::{Bmad, config, layout};
use crate::format::Format;
use crate::format::bmad::write::live_session::live_session;
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, DueTask, FieldAssignment, FloorOutcome, FormatWriter,
    Operation, RecordDraft, RecordMembers, Refusal, Result, WriteContext, document, set_field, with_config,
    with_config_of, within_limit,
};
use crate::model::{Change, DecayRule, Document, Entry, Lock, Moment, NameKind, Role, Store, View};
use crate::text::digest::hex;
use crate::text::json::Json;
use crate::text::json_scanner::Tape;
use crate::text::unpack::TarMember;
use crate::text::{json_edit, names, shell_quote};

pub use derived_files::derived;

/// The members that are not strings.
const NO_TEXT: [&str; 15] = names(
    "access_count alternatives_considered approved_by confidence decay_factor \
    last_decay_update learned_from metadata metadata.processing_time_ms \
    metadata.references metadata.tokens references references.conversations \
    references.findings tags",
);
const IMPORTANCE: &str = "importance follows from the type, `severity`, `impact` and `approved_by` here. Edit one of those instead.";

impl FormatWriter for Bmad {
    fn allows(&self, deed: Operation, file: &Path) -> Result<(), String> {
        match deed {
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

    fn may_set(&self, kind: &str, field: &str) -> Result<(), String> {
        match (kind, field) {
            ("preference", "category") => Ok(()),
            _ => Err(format!("memories of the type {kind:?} have no {field} here.")),
        }
    }

    fn add(&self, scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        if draft.importance.is_some() {
            return Err(Refusal::unfit(IMPORTANCE));
        }
        let name = draft.session.ok_or_else(|| Refusal::unfit("name the session with --session."))?;
        let session = live_session(scene.store, name)?;
        let logs = logs_in(scene.store, &session.path)?;
        let (path, line) = new_record(name, &logs, draft, &referred_to(scene.store), scene.now)?;
        let base = document(&scene.store.documents, &path).map(|log| log.bytes.clone());
        Ok(vec![Change::append(path, line, base)])
    }

    /// The next number is only known if the last one is.
    fn append(&self, scene: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
        let (Some(name), None) = (draft.session, draft.importance) else { return Ok(None) };
        let Some(last) = scene.lookup.last_id(name, draft.kind) else { return Ok(None) };
        // A given id, and ids that the record refers to, change which number is next.
        if RecordMembers::of(draft.record)?.get("id").is_some() || draft.record.is_some_and(refers) {
            return Ok(None);
        }
        let (path, line) = next_record(name, &last, draft, scene.now)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let logs = layout::LOGS.map(|(log, _)| scene.lookup.len(&folder.join(log)));
        let mut size = line.len() as u64;
        for len in logs {
            let Ok(len) = len else { return Ok(None) };
            size += len.unwrap_or(0);
        }
        let is_there = matches!(scene.lookup.len(&path), Ok(Some(_)));
        let Ok(config) = scene.lookup.small(Path::new("config.json")) else { return Ok(None) };
        let (_, full) = with_config_of(config.as_deref(), config::size_limits);
        Ok((is_there && size < full).then(|| vec![(path, line)]))
    }

    fn numbers_ids(&self) -> bool {
        true
    }

    fn last_id(&self, store: &Store, session: &str, kind: &str) -> Option<String> {
        let folder = &live_session(store, session).ok()?.path;
        new_record::last_id(kind, &logs_in(store, folder).ok()?, &referred_to(store))
    }

    fn largest_id(&self, logs: &[Vec<u8>], kind: &str) -> Option<String> {
        new_record::largest_id(logs, kind)
    }

    fn evictions(&self, scene: &WriteContext<'_>, draft: &RecordDraft<'_>, bytes: u64) -> Result<Vec<Entry>> {
        let session = live_session(scene.store, draft.session.unwrap_or_default())?;
        let (full, compacts) =
            with_config(scene.store, |config| (config::size_limits(config).1, config::compacts(config)));
        match compacts && session.size + bytes >= full {
            true => Ok(compacted(scene, &session.path)),
            false => Ok(Vec::new()),
        }
    }

    fn edit(
        &self,
        scene: &WriteContext<'_>,
        entry: &Entry,
        set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        let names_text = set.iter().any(|setting| setting.name == "text");
        let mut tape = Tape::default();
        let raw = scene.store.raw(entry);
        let record = json_edit::scan(&mut tape, &raw).ok()?;
        let is_preference = self.main_text(record).1 == ["key", "value"];
        (names_text && is_preference).then(|| preference(scene, entry, set))
    }

    fn archives_sessions(&self) -> bool {
        true
    }

    fn archive(&self, scene: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        session_archive::archive(scene, entries)
    }

    fn unarchive_hint(&self, session: Option<&str>) -> String {
        let name = session.map_or("NAME".into(), shell_quote::word);
        format!("`palimp session unarchive {name}` brings its session back")
    }

    fn unarchive(&self, scene: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let session = entries.iter().find_map(|entry| scene.store.session(entry));
        let name = session.map_or("NAME".into(), |session| shell_quote::word(&session.name));
        let message = format!("a session comes back whole: `palimp session unarchive {name}`.");
        if entries.is_empty() { Ok(Vec::new()) } else { Err(Refusal::unfit(message)) }
    }

    fn archive_session(&self, scene: &WriteContext<'_>, name: &str) -> ChangesResult {
        session_archive::archive_session(scene, name)
    }

    fn unarchive_session(
        &self,
        scene: &WriteContext<'_>,
        name: &str,
        allow_large: bool,
        packed: &[u8],
    ) -> ChangesResult {
        session_archive::unarchive_session(scene, name, allow_large, packed)
    }

    fn archive_files(&self, name: &str) -> Vec<PathBuf> {
        layout::archive_files(name).into()
    }

    fn rederive_archive(&self, archive: &Path, members: &mut [TarMember], now: Moment) -> Result<()> {
        session_archive::rederived(archive, members, now)
    }

    fn archive_sidecars(
        &self,
        scene: &WriteContext<'_>,
        archive: &Path,
        members: &[TarMember],
        len: u64,
    ) -> ChangesResult {
        session_archive::beside_archive(scene, archive, members, len)
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
        scene: &WriteContext<'_>,
        session: Option<&str>,
    ) -> Option<Result<Vec<Entry>>> {
        let store = scene.store;
        let Some(name) = session else {
            let live = store.sessions.iter().filter(|session| session.path.starts_with("sessions"));
            return Some(Ok(live.flat_map(|session| compacted(scene, &session.path)).collect()));
        };
        Some(live_session(store, name).map(|session| compacted(scene, &session.path)))
    }

    fn floor_outcome(&self, store: &Store, view: View<'_>, _rule: DecayRule) -> FloorOutcome {
        match view.kind {
            "preference" => FloorOutcome::Stays,
            _ => FloorOutcome::MayGo(with_config(store, config::keep_share)),
        }
    }

    fn access_members(&self, record: Json<'_>, now: Moment) -> Vec<(&'static str, String)> {
        due_tasks::accessed(record, now)
    }

    fn decay_members(&self, scene: &WriteContext<'_>, entry: &Entry) -> Vec<(&'static str, String)> {
        due_tasks::faded(scene, entry)
    }

    fn due_tasks(&self, scene: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        due_tasks::due(scene)
    }

    fn due_task_files(&self, scene: &WriteContext<'_>) -> Vec<PathBuf> {
        due_tasks::expired(scene.store, scene.now)
    }

    /// Writes the config of §9.1 without the redaction patterns of §7.3, which match every SHA-256
    /// and miss most tokens.
    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        let config = include_str!("write/config.json");
        vec![("config.json".into(), config.into()), ("sessions".into(), Vec::new())]
    }

    fn new_session(&self, scene: &WriteContext<'_>, id: Option<&str>, user: &str) -> ChangesResult {
        let made = hex(&scene.random);
        let name = id.unwrap_or(made.get(..8).unwrap_or(&made));
        let id = session_id(name, scene.now)?;
        if scene.store.sessions.iter().any(|session| session.name == id) {
            return Err(Refusal::unfit(format!("the session {id} already exists.")));
        }
        let indexes = with_config(scene.store, config::indexes);
        let mut files = new_session(&id, Some(user).filter(|user| !user.is_empty()), scene.now)?;
        files.retain(|(path, _)| indexes || !path.ends_with("index.json"));
        let folder = Change::make_folder(Path::new("sessions").join(&id));
        let files = files.into_iter().map(|(path, bytes)| Change::create(path, bytes));
        Ok(std::iter::once(folder).chain(files).collect())
    }

    fn limits(&self, store: &Store, after: &[Arc<Document>], file: &Path) -> Result<()> {
        let Some(folder) = layout::folder_of(file) else { return Ok(()) };
        let (limit, _) = with_config(store, config::size_limits);
        let is_log = |own: &&Arc<Document>| own.role == Role::Records && own.path.starts_with(folder);
        let size_of = |all: &[Arc<Document>]| all.iter().filter(is_log).map(|own| own.len).sum::<u64>();
        let size = size_of(after);
        within_limit(folder, size_of(&store.documents), size, limit)
    }
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

fn referred_to(store: &Store) -> Vec<&str> {
    let records = store.documents.iter().flat_map(|own| &own.records);
    let references = records.filter_map(|record| record.view()).flat_map(|view| view.references);
    references
        .filter(|reference| reference.to.of == NameKind::Record)
        .map(|reference| reference.to.text)
        .collect()
}

/// Sets fields of a preference. Its text is the value.
fn preference(scene: &WriteContext<'_>, entry: &Entry, set: &[FieldAssignment<'_>]) -> ChangesResult {
    let file = scene.store.document(entry);
    let span = scene.store.record(entry).span;
    let mut after = scene.store.raw(entry).to_vec();
    for setting in set {
        after = set_field(&Bmad, &after, setting, "value")?;
    }
    let edits = vec![(span.start as usize..span.end as usize, after)];
    Ok(vec![Change::edits(&file.path, file.bytes.clone(), edits)])
}

mod live_session;
#[cfg(test)]
mod tests;
