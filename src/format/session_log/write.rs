//! Writes sessions (§3 to §5): entries, tombstones, index, counts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::derived_files::{FRESH, FRESH_HOURS, relevance};
use super::entry::{ENTRY, ID, TAG};
use super::{SessionLog, config, layout};
use crate::detectors::MASK;
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, DeletionKind, DueTask, FloorOutcome, FormatWriter, NamePlace,
    NameUse, Operation, OwnOperations, RecordDraft, RecordMembers, Refusal, Result, WriteContext, accessed,
    document, has_id, list, refuse_taken, refuse_taken_session, with_config, with_config_of, within_limit,
};
use crate::model::{
    Change, DecayRule, Document, Entry, Moment, NameKind, Session, State, Store, StoredMemory, is_file_name,
    is_kept,
};
use crate::text::canonical::{self, Checksum};
use crate::text::digest::hex;
use crate::text::json::Json;
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, names};

/// The most characters of a session's id (§14.2).
const SESSION_ID: usize = 64;

impl FormatWriter for SessionLog {
    fn own(&self) -> OwnOperations {
        OwnOperations { tombstone: Some(tombstone), random_id: Some(random_id), ..OwnOperations::default() }
    }

    fn allows(&self, operation: Operation, _file: &Path) -> Result<(), String> {
        match operation {
            Operation::Archive => Err("session-log has no archive; delete it, or export the session.".into()),
            _ => Ok(()),
        }
    }

    fn deletion(&self, _file: &Path) -> DeletionKind {
        DeletionKind::Tombstone
    }

    fn is_text(&self, name: &str) -> bool {
        !matches!(name, "importance" | "decay_factor" | "tags" | "references" | "access_count" | "content")
    }

    fn importance(&self, _kind: &str, value: f64) -> Result<(&'static str, String), String> {
        Ok(("importance", value.to_string()))
    }

    fn finish_edit(&self, before: Json<'_>, after: Vec<u8>, _now: Moment, is_edit: bool) -> Result<Vec<u8>> {
        let found = canonical::verify(before);
        if !is_edit && found == Some(Checksum::Mismatch) {
            return Ok(after);
        }
        check_new_tags(before, &after)?;
        let sign: fn(Json<'_>) -> String = match found {
            Some(Checksum::Legacy) => canonical::legacy_checksum,
            // A tag change does not check the content, so the mismatch must stay visible.
            Some(Checksum::Mismatch) if is_tagging(before, &after) => return Ok(after),
            Some(Checksum::Canonical | Checksum::Mismatch) => canonical::checksum,
            None => return Ok(after),
        };
        let checksum = sign(json_edit::scan(&mut Tape::default(), &after)?);
        Ok(json_edit::set(&after, &["checksum"], &json_edit::quoted(&checksum))?)
    }

    fn name_places<'j>(&self, record: Json<'j>) -> Vec<NamePlace<'j>> {
        let own = [(NameUse::Id, "id"), (NameUse::Session, "session_id")];
        let own = own.into_iter().filter_map(|(says, name)| NamePlace::at(record, says, &[name]));
        own.chain(NamePlace::of_list(record, NameUse::Reference(NameKind::Record), &["references"])).collect()
    }

    fn add(&self, context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        let name = draft.session.ok_or_else(|| Refusal::unfit("name the session with --session."))?;
        let session = context.store.sessions.iter().find(|session| session.name == name);
        let session = session.ok_or_else(|| Refusal::no_session(name))?;
        let path = session.path.join("memory.jsonl");
        let log = document(&context.store.documents, &path);
        let (now, random, signs) = (context.now, context.random, with_config(context.store, config::signs));
        let has = |id: &str| log.is_some_and(|log| has_id(log, id));
        let line = new_entry(draft, &EntryDefaults { session: name, now, random, signs }, &has)?;
        Ok(vec![Change::append(path, line, log.map(|log| log.bytes.clone()))])
    }

    fn append(&self, context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
        appended(context, draft)
    }

    /// §5.1: an entry that fills a session to the threshold triggers a compaction, if `auto_compact` is set.
    fn evictions(
        &self,
        context: &WriteContext<'_>,
        draft: &RecordDraft<'_>,
        after: &[Arc<Document>],
    ) -> Result<Vec<Entry>> {
        let name = draft.session.unwrap_or_default();
        match compacts(context.store, Path::new(name), size(after, Path::new(name))) {
            true => Ok(faded_away(context, name)),
            false => Ok(Vec::new()),
        }
    }

    fn access_members(&self, record: Json<'_>, now: Moment) -> Vec<(&'static str, String)> {
        accessed(record, "last_accessed", json_edit::quoted(&now.to_millis()))
    }

    fn decay_members(&self, context: &WriteContext<'_>, entry: &Entry) -> Vec<(&'static str, String)> {
        let Some(memory) = context.store.memory(entry) else { return Vec::new() };
        let age = memory.created.map(|created| context.now.hours_since(created).max(0.0));
        let factor = context.store.decay(entry).rule(memory.kind()).factor(age, 0.0);
        vec![("decay_factor", rounded(factor))]
    }

    /// §4.4: decay factors are updated if there is an interval. §5.1: full sessions are compacted
    /// if `auto_compact` is set.
    fn due_tasks(&self, context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        let updates = with_config(context.store, |config| {
            let often = config.and_then(|config| config.path(&["decay", "update_interval_minutes"]));
            often.is_some() && config::flag(config, &["decay", "enabled"]) != Some(false)
        });
        let mut due = Vec::new();
        if updates {
            due.extend(crate::format::writing::decay_update(self, context));
        }
        let is_due = |session: &&Session| compacts(context.store, Path::new(&session.name), session.size);
        for session in context.store.sessions.iter().filter(is_due) {
            let goes = faded_away(context, &session.name);
            if !goes.is_empty() {
                let changes = crate::format::writing::removals(context.store, &goes);
                let rule =
                    format!("{}: the session is nearly full, and the config says to compact it then", RULE);
                let what = format!("compact {}", session.name);
                due.push(DueTask { what, rule, records: goes.len(), changes });
            }
        }
        Ok(due)
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        let config = include_str!("write/config.json");
        vec![("config.json".into(), config.into()), ("sessions".into(), Vec::new())]
    }

    fn new_session(&self, context: &WriteContext<'_>, id: Option<&str>, user: &str) -> ChangesResult {
        let made;
        let id = match id {
            Some(id) => id,
            None => {
                let day = context.now.to_pattern("%Y%m%d");
                made = format!("sess_{day}_{}", &hex(&context.random)[..8]);
                &made
            }
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if id.is_empty() || id.len() > SESSION_ID || !id.chars().all(plain) {
            let message =
                format!("a session's id has letters, digits and _, {SESSION_ID} at most; {id:?} has not.");
            return Err(Refusal::invalid(message));
        }
        refuse_taken_session(context.store, id)?;
        let folder = Path::new("sessions").join(id);
        let now = json_edit::quoted(&context.now.to_millis());
        let metadata = format!(
            "{{\n  \"session_id\": {id},\n  \"user_id\": {user},\n  \"created_at\": {now},\n  \"last_accessed\": {now},\n  \
             \"total_entries\": 0,\n  \"total_size_bytes\": 0,\n  \"decay_config\": {{\n    \"enabled\": true,\n    \
             \"half_life_hours\": 168,\n    \"min_decay_factor\": 0.1\n  }},\n  \"preferences\": {{}},\n  \
             \"statistics\": {{\n    \"conversations\": 0,\n    \"decisions\": 0,\n    \"findings\": 0,\n    \
             \"preferences\": 0\n  }}\n}}\n",
            id = json_edit::quoted(id),
            user = json_edit::quoted(user),
        );
        Ok(vec![
            Change::make_folder(&folder),
            Change::create(folder.join("memory.jsonl"), ""),
            Change::create(folder.join("tombstones.jsonl"), ""),
            Change::create(folder.join("metadata.json"), metadata),
        ])
    }

    fn compaction_rule(&self, _store: &Store) -> String {
        RULE.into()
    }

    fn compacted_entries(
        &self,
        context: &WriteContext<'_>,
        session: Option<&str>,
    ) -> Option<Result<Vec<Entry>>> {
        let sessions = context.store.sessions.iter().map(|own| own.name.as_str());
        let chosen = sessions.filter(|name| session.is_none_or(|session| session == *name));
        Some(Ok(chosen.flat_map(|name| faded_away(context, name)).collect()))
    }

    fn floor_outcome(&self, _store: &Store, memory: &StoredMemory, rule: DecayRule) -> FloorOutcome {
        if memory.kind() == "preference" || memory.importance * rule.factor(Some(f64::MAX), 0.0) >= FADED {
            return FloorOutcome::Stays;
        }
        FloorOutcome::Goes { age_hours: gone_at(memory.importance, rule.half_life_hours), below: FADED }
    }

    fn limits(&self, store: &Store, after: &[Arc<Document>], file: &Path) -> Result<()> {
        let Some(session) = layout::session_of(file) else { return Ok(()) };
        let (limit, _) = with_config(store, config::size_limit);
        within_limit(session, size(&store.documents, session), size(after, session), limit)
    }
}

fn tombstone(context: &WriteContext<'_>, entry: &Entry, reason: &str) -> Option<(PathBuf, Vec<u8>)> {
    let id = context.store.id(entry)?;
    let mut members = RecordMembers::default();
    members.or_text("id", id);
    members.or_text("timestamp", &context.now.to_millis());
    members.or_text("reason", reason);
    let session = context.store.session(entry)?;
    Some((session.path.join("tombstones.jsonl"), members.to_line(&[])))
}

/// True if a session of this size is to be compacted by itself.
fn compacts(store: &Store, session: &Path, size: u64) -> bool {
    let metadata = document(&store.documents, &Path::new("sessions").join(session).join("metadata.json"));
    let of_session = with_config_of(metadata.map(|file| &*file.bytes), config::of_session);
    with_config(store, |config| {
        let is_full = config::is_full(size, config::size_limit(config), of_session.1);
        is_full && config::compacts(config, of_session.0)
    })
}

/// Formats a factor with at most four decimals.
fn rounded(factor: f64) -> String {
    let text = format!("{factor:.4}");
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
}

/// Returns entries for a compaction to remove (§5.1): deleted, or irrelevant and neither preference nor kept.
pub fn faded_away(context: &WriteContext<'_>, session: &str) -> Vec<Entry> {
    let store = context.store;
    let own =
        store.entries.iter().filter(|entry| store.session(entry).is_some_and(|own| own.name == session));
    let goes = |entry: &&Entry| match (entry.state, store.memory(entry)) {
        (State::Deleted, _) => true,
        (State::Live, Some(memory)) => {
            memory.kind() != "preference"
                && !is_kept(memory, context.now)
                && relevance(memory, store.decay(entry), context.now) < FADED
        }
        _ => false,
    };
    own.filter(goes).copied().collect()
}

/// What a compaction removes (§5.1).
const RULE: &str = "deleted memories are removed, and of the others those that have faded below a relevance of 0.05, but no preferences and nothing that is pinned";

fn gone_at(importance: f64, half_life: Option<f64>) -> f64 {
    let faded = |importance: f64| match half_life {
        Some(hours) => hours * (importance / FADED).log2().max(0.0),
        None if importance >= FADED => f64::INFINITY,
        None => 0.0,
    };
    let fresh = faded(importance * FRESH);
    if fresh < FRESH_HOURS { fresh } else { faded(importance).max(FRESH_HOURS) }
}

/// A compaction removes entries with less relevance (§5.1).
const FADED: f64 = 0.05;

/// Returns the bytes that count toward a session's limit (§5.1).
fn size(documents: &[Arc<Document>], session: &Path) -> u64 {
    let counted = |document: &&Arc<Document>| {
        let name = document.path.file_name().unwrap_or_default();
        layout::session_of(&document.path) == Some(session)
            && ["memory.jsonl", "index.json", "tombstones.jsonl"].iter().any(|own| name == *own)
    };
    documents.iter().filter(counted).map(|document| document.len).sum()
}

/// True if at most the tags differ.
fn is_tagging(before: Json<'_>, after: &[u8]) -> bool {
    let mut tape = Tape::default();
    let Ok(after) = json_edit::scan(&mut tape, after) else { return false };
    let raw = |of: Json<'_>, name: &str| of.get(name).map(|own| own.raw().to_vec());
    let mut names = before.members().chain(after.members()).filter_map(|(name, _)| name.text());
    names.all(|name| name == "tags" || raw(before, &name) == raw(after, &name))
}

/// Checks what §14.2 requires of tags that an edit adds. Older ones stay as they are.
fn check_new_tags(before: Json<'_>, after: &[u8]) -> Result<()> {
    let mut tape = Tape::default();
    let texts = |value: Json<'_>| -> Vec<String> {
        let tags = value.get("tags");
        let texts = tags.iter().flat_map(|tags| tags.items()).filter_map(|tag| tag.text());
        texts.map(|tag| tag.into_owned()).collect()
    };
    let old = texts(before);
    let mut new = texts(json_edit::scan(&mut tape, after)?);
    // What is masked is in the place of a value that had to go.
    new.retain(|tag| !old.contains(tag) && !tag.contains(MASK));
    check_tags(&new)
}

/// Checks tags that palimp writes: letters, digits, `-`, `.` and `_` (§14.2 and its examples).
fn check_tags(tags: &[String]) -> Result<()> {
    let fits = |c: char| c.is_alphanumeric() || "-._".contains(c);
    match tags.iter().find(|tag| tag.is_empty() || tag.chars().count() > TAG || !tag.chars().all(fits)) {
        Some(tag) => Err(Refusal::invalid(format!(
            "a tag has letters, digits, - . and _, {TAG} at most; {tag:?} has not."
        ))),
        None => Ok(()),
    }
}

/// The members of an entry, in the order of §3.1.
const ORDER: [&str; 10] = names(
    "id session_id timestamp type content importance decay_factor tags references \
    checksum",
);

/// The values for what a draft does not have.
struct EntryDefaults<'a> {
    session: &'a str,
    now: Moment,
    random: [u8; 16],
    /// True if the entry gets a checksum.
    signs: bool,
}

fn random_id(random: [u8; 16]) -> String {
    format!("mem_{}", &hex(&random)[..16])
}

/// Returns the line of an entry, with its line end. `has` is true for ids in the log.
fn new_entry(
    draft: &RecordDraft<'_>,
    given: &EntryDefaults<'_>,
    has: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>> {
    let mut members = RecordMembers::of(draft.record)?;
    if members.get("session_id").is_some_and(|raw| raw != json_edit::quoted(given.session)) {
        return Err(Refusal::invalid("the memory names another session than --session does."));
    }
    members.or_text("id", &random_id(given.random));
    members.or_text("session_id", given.session);
    members.or_text("timestamp", &given.now.to_millis());
    members.or_text("type", draft.kind);
    if let Some(text) = draft.text {
        members.or("content", content(draft.kind, text));
    }
    if let Some(importance) = draft.importance {
        members.set("importance", importance.to_string());
    }
    members.or("importance", "0.5");
    members.or("decay_factor", "1.0");
    if !draft.tags.is_empty() {
        members.set("tags", list(draft.tags));
    }
    members.or("tags", "[]");
    members.or("references", "[]");
    check_ids(&members, has)?;
    let mut line = members.to_line(&ORDER);
    if given.signs && members.get("checksum").is_none() {
        let checksum = canonical::checksum(json_edit::scan(&mut Tape::default(), &line)?);
        members.set("checksum", json_edit::quoted(&checksum));
        line = members.to_line(&ORDER);
    }
    if line.len() > ENTRY {
        return Err(Refusal::too_large(format!("the memory has {} bytes; {ENTRY} are allowed.", line.len())));
    }
    Ok(line)
}

/// Returns the line of an entry, if its session is not nearly full.
fn appended(context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
    let Some(session) = draft.session.filter(|name| is_file_name(name)) else { return Ok(None) };
    let file = |name: &str| -> PathBuf { Path::new("sessions").join(session).join(name) };
    let lens = ["memory.jsonl", "tombstones.jsonl", "index.json"].map(|name| context.lookup.len(&file(name)));
    let [Ok(Some(len)), Ok(deleted), Ok(index)] = lens else { return Ok(None) };
    let Ok(config) = context.lookup.small(Path::new("config.json")) else { return Ok(None) };
    let Ok(metadata) = context.lookup.small(&file("metadata.json")) else { return Ok(None) };
    let of_session = with_config_of(metadata.as_deref(), config::of_session);
    let (limit, signs, compacts) = with_config_of(config.as_deref(), |config| {
        (config::size_limit(config), config::signs(config), config::compacts(config, of_session.0))
    });
    let given = EntryDefaults { session, now: context.now, random: context.random, signs };
    // An id that palimp makes needs no search.
    let own = RecordMembers::of(draft.record)?.text("id").ok().flatten();
    let is_there = own.as_deref().map(|id| context.lookup.has_id(Some(&file("memory.jsonl")), id));
    if is_there == Some(None) {
        return Ok(None);
    }
    let line = new_entry(draft, &given, &|_| is_there.flatten() == Some(true))?;
    let (log, beside) = (len + line.len() as u64, deleted.unwrap_or(0));
    let index = index.unwrap_or(0);
    if !compacts {
        within_limit(Path::new(session), len + beside + index, log + beside + index, limit.0)?;
    }
    // An index that waits is longer than its file.
    let at_most = index.max((log as f64 * in_index(&line)) as u64);
    let is_full = config::is_full(log + beside + at_most, limit, of_session.1);
    Ok((!is_full).then(|| vec![(file("memory.jsonl"), line)]))
}

/// Returns how many bytes of an index come with a byte of the log, at most, if all entries are like this one. Each tag has
/// a list of ids.
fn in_index(line: &[u8]) -> f64 {
    let mut tape = Tape::default();
    let Ok(entry) = json_edit::scan(&mut tape, line) else { return 1.0 };
    let len = |name: &str| entry.get(name).map_or(0, |own| own.raw().len());
    let tags = entry.get("tags").map_or(0, |own| own.items().count());
    let bytes = 150 + len("timestamp") + len("type") + 2 * len("tags") + (tags + 2) * (len("id") + 4);
    bytes as f64 / line.len() as f64
}

/// Returns the `content` with the main text of a new entry.
fn content(kind: &str, text: &str) -> String {
    let text = json_edit::quoted(text);
    match kind {
        "decision" => format!("{{\"decision\":{text}}}"),
        "finding" => format!("{{\"finding\":{text}}}"),
        "preference" => format!("{{\"preference\":{text}}}"),
        _ => format!("{{\"role\":\"user\",\"message\":{text}}}"),
    }
}

/// Checks what §14.2 requires of new entries. Existing ones may differ.
fn check_ids(members: &RecordMembers, has: &dyn Fn(&str) -> bool) -> Result<()> {
    let mut tape = Tape::default();
    let line = members.to_line(&[]);
    let value = json_edit::scan(&mut tape, &line)?;
    let id = value.get("id").and_then(|id| id.text()).unwrap_or_default().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if id.is_empty() || id.len() > ID || !id.chars().all(plain) {
        return Err(Refusal::invalid(format!(
            "an id has letters, digits and _, {ID} at most; {id:?} has not."
        )));
    }
    refuse_taken(has(&id), format_args!("the id {id}"))?;
    let tags: Vec<String> =
        value.get("tags").iter().flat_map(|tags| tags.items()).map(|tag| tag.plain()).collect();
    check_tags(&tags)
}
