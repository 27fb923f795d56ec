//! How sessions are written (§3 to §5): entries, tombstones, index, counts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{SessionLog, config, index, layout};
use crate::format::reading::{whole_object, without_mark};
use crate::format::writing::{Deed, Deletion, Draft, Members, Refusal, Scene, Writes, document, hex, list};
use crate::format::{Derived, Format, Parts};
use crate::model::{Change, DecayTable, Document, Entry, Moment, Store, View};
use crate::text::canonical::{self, Checksum};
use crate::text::edit;
use crate::text::json::Json;
use crate::text::scan::{Newlines, Tape};

/// The members of an entry, in the order of §3.1.
const ORDER: [&str; 10] = [
    "id",
    "session_id",
    "timestamp",
    "type",
    "content",
    "importance",
    "decay_factor",
    "tags",
    "references",
    "checksum",
];
/// Bytes that an entry may have (§14.2).
const ENTRY: usize = 1 << 20;
/// Characters that ids of sessions and entries may have (§14.2).
const SESSION_ID: usize = 64;
const ID: usize = 32;
const TAG: usize = 32;

impl Writes for SessionLog {
    fn may(&self, deed: Deed, _file: &Path) -> Result<(), String> {
        match deed {
            Deed::Archive => Err("session-log has no archive; delete it, or export the session.".into()),
            _ => Ok(()),
        }
    }

    fn deletion(&self, _file: &Path) -> Deletion {
        Deletion::Tombstone
    }

    fn is_text(&self, name: &str) -> bool {
        !matches!(name, "importance" | "decay_factor" | "tags" | "references" | "access_count" | "content")
    }

    fn importance(&self, _kind: &str, value: f64) -> Result<(&'static str, String), String> {
        Ok(("importance", value.to_string()))
    }

    fn edited(&self, before: Json<'_>, after: Vec<u8>, _now: Moment) -> Result<Vec<u8>, Refusal> {
        let sign: fn(Json<'_>) -> String = match canonical::verify(before) {
            Some(Checksum::Canonical) => canonical::checksum,
            Some(Checksum::Legacy) => canonical::legacy_checksum,
            // A checksum that did not match says that something is wrong; it goes on saying so.
            Some(Checksum::Mismatch) | None => return Ok(after),
        };
        let mut tape = Tape::default();
        let checksum = sign(edit::scan(&mut tape, &after)?);
        Ok(edit::set(&after, &["checksum"], &edit::quoted(&checksum))?)
    }

    fn add(&self, scene: &Scene<'_>, draft: &Draft<'_>) -> Result<Vec<Change>, Refusal> {
        let name = draft.session.ok_or_else(|| Refusal::unfit("name the session with --session."))?;
        let session = scene.store.sessions.iter().find(|session| session.name == name);
        let session = session.ok_or_else(|| Refusal::no_session(name))?;
        let path = session.path.join("memory.jsonl");
        let log = document(&scene.store.documents, &path);
        let mut members = Members::of(draft.record)?;
        if !members.own_is("session_id", name) {
            return Err(Refusal::invalid("the record names another session than --session does."));
        }
        members.or_text("id", &format!("mem_{}", &hex(&scene.random)[..16]));
        members.or_text("session_id", name);
        members.or_text("timestamp", &scene.now.to_millis());
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
        check_ids(&members, log)?;
        let mut line = members.to_line(&ORDER);
        if signs(scene.store) && members.get("checksum").is_none() {
            let mut tape = Tape::default();
            let checksum = canonical::checksum(edit::scan(&mut tape, &line)?);
            members.set("checksum", edit::quoted(&checksum));
            line = members.to_line(&ORDER);
        }
        if line.len() > ENTRY {
            return Err(Refusal::too_large(format!(
                "the entry has {} bytes; {ENTRY} are allowed.",
                line.len()
            )));
        }
        Ok(vec![Change::append(path, line, log.map(|log| (&*log.bytes).into()))])
    }

    fn tombstone(&self, scene: &Scene<'_>, entry: &Entry, reason: &str) -> Option<(PathBuf, Vec<u8>)> {
        let id = scene.store.view(entry)?.id.as_deref()?;
        let mut members = Members::default();
        members.or_text("id", id);
        members.or_text("timestamp", &scene.now.to_millis());
        members.or_text("reason", reason);
        let session = scene.store.session(entry)?;
        Some((session.path.join("tombstones.jsonl"), members.to_line(&[])))
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        let config = concat!(
            "{\n  \"version\": \"1.0\",\n  \"storage\": {\n    \"max_session_size_mb\": 10,\n",
            "    \"compaction_threshold\": 0.9,\n    \"auto_compact\": true\n  },\n",
            "  \"integrity\": {\n    \"enable_checksums\": true,\n",
            "    \"checksum_algorithm\": \"sha256\"\n  }\n}\n",
        );
        vec![("config.json".into(), config.into()), ("sessions".into(), Vec::new())]
    }

    fn new_session(&self, scene: &Scene<'_>, id: Option<&str>, user: &str) -> Result<Vec<Change>, Refusal> {
        let made;
        let id = match id {
            Some(id) => id,
            None => {
                let day = scene.now.to_pattern("%Y%m%d");
                made = format!("sess_{day}_{}", &hex(&scene.random)[..8]);
                &made
            }
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if id.is_empty() || id.len() > SESSION_ID || !id.chars().all(plain) {
            let message =
                format!("a session's id has letters, digits and _, {SESSION_ID} at most; {id:?} has not.");
            return Err(Refusal::invalid(message));
        }
        if scene.store.sessions.iter().any(|session| session.name == id) {
            return Err(Refusal::unfit(format!("the session {id} is there already.")));
        }
        let folder = Path::new("sessions").join(id);
        let now = edit::quoted(&scene.now.to_millis());
        let metadata = format!(
            "{{\n  \"session_id\": {id},\n  \"user_id\": {user},\n  \"created_at\": {now},\n  \"last_accessed\": {now},\n  \
             \"total_entries\": 0,\n  \"total_size_bytes\": 0,\n  \"decay_config\": {{\n    \"enabled\": true,\n    \
             \"half_life_hours\": 168,\n    \"min_decay_factor\": 0.1\n  }},\n  \"preferences\": {{}},\n  \
             \"statistics\": {{\n    \"conversations\": 0,\n    \"decisions\": 0,\n    \"findings\": 0,\n    \
             \"preferences\": 0\n  }}\n}}\n",
            id = edit::quoted(id),
            user = edit::quoted(user),
        );
        Ok(vec![
            Change::make_folder(&folder),
            Change::create(folder.join("memory.jsonl"), ""),
            Change::create(folder.join("tombstones.jsonl"), ""),
            Change::create(folder.join("metadata.json"), metadata),
        ])
    }

    fn limits(&self, store: &Store, after: &[Arc<Document>], file: &Path) -> Result<(), Refusal> {
        let Some(session) = layout::session_of(file) else { return Ok(()) };
        let (limit, _) = with_config(store, config::size_limit);
        let size = size(after, session);
        match size > limit {
            true => Err(Refusal::too_large(format!(
                "the session {} would have {size} bytes; {limit} are allowed. Compact it, or delete what is not needed.",
                session.display()
            ))),
            false => Ok(()),
        }
    }
}

/// The bytes that count toward a session's limit (§5.1).
fn size(documents: &[Arc<Document>], session: &Path) -> u64 {
    let counted = |document: &&Arc<Document>| {
        let name = document.path.file_name().unwrap_or_default();
        layout::session_of(&document.path) == Some(session)
            && ["memory.jsonl", "index.json", "tombstones.jsonl"].iter().any(|own| name == *own)
    };
    documents.iter().filter(counted).map(|document| document.len).sum()
}

fn with_config<T>(store: &Store, take: impl Fn(Option<Json<'_>>) -> T) -> T {
    let mut tape = Tape::default();
    let config = document(&store.documents, Path::new("config.json"));
    take(config.and_then(|own| whole_object(&mut tape, without_mark(&own.bytes)).ok()))
}

/// Whether new entries are signed: unless the config says otherwise.
fn signs(store: &Store) -> bool {
    with_config(store, |config| {
        let set = config.and_then(|config| config.path(&["integrity", "enable_checksums"]));
        set.and_then(|value| value.bool()) != Some(false)
    })
}

/// The member of `content` that holds the main text of a new entry.
fn content(kind: &str, text: &str) -> String {
    let text = edit::quoted(text);
    match kind {
        "decision" => format!("{{\"decision\":{text}}}"),
        "finding" => format!("{{\"finding\":{text}}}"),
        "preference" => format!("{{\"preference\":{text}}}"),
        _ => format!("{{\"role\":\"user\",\"message\":{text}}}"),
    }
}

/// What §14.2 asks of what we write and nobody asks of what is found.
fn check_ids(members: &Members, log: Option<&Document>) -> Result<(), Refusal> {
    let mut tape = Tape::default();
    let line = members.to_line(&[]);
    let value = edit::scan(&mut tape, &line)?;
    let id = value.get("id").and_then(|id| id.text()).unwrap_or_default().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if id.is_empty() || id.len() > ID || !id.chars().all(plain) {
        return Err(Refusal::invalid(format!(
            "an id has letters, digits and _, {ID} at most; {id:?} has not."
        )));
    }
    let mut known =
        log.into_iter().flat_map(|log| &log.records).filter_map(|record| record.view()?.id.as_deref());
    if known.any(|own| own == id) {
        return Err(Refusal::invalid(format!("the id {id} is there already.")));
    }
    let tags: Vec<String> =
        value.get("tags").iter().flat_map(|tags| tags.items()).map(|tag| tag.plain()).collect();
    check_tags(&tags)
}

/// Tags that we write: letters, digits, `-`, `.` and `_` (§14.2 and its own examples).
pub fn check_tags(tags: &[String]) -> Result<(), Refusal> {
    let fits = |c: char| c.is_alphanumeric() || "-._".contains(c);
    match tags.iter().find(|tag| tag.is_empty() || tag.chars().count() > TAG || !tag.chars().all(fits)) {
        Some(tag) => Err(Refusal::invalid(format!(
            "a tag has letters, digits, - . and _, {TAG} at most; {tag:?} has not."
        ))),
        None => Ok(()),
    }
}

impl Members {
    /// Whether a member is that text, or is not there.
    fn own_is(&self, name: &str, text: &str) -> bool {
        self.get(name).is_none_or(|raw| raw == edit::quoted(text))
    }
}

/// The index and the counts of every session that a touched file belongs to.
pub fn derived(parts: &Parts<'_>, touched: &[PathBuf], now: Moment) -> Vec<Derived> {
    let sessions: BTreeSet<&Path> = touched.iter().filter_map(|path| layout::session_of(path)).collect();
    let mut config_tape = Tape::default();
    let config = document(parts.documents, Path::new("config.json"));
    let config = config.and_then(|own| whole_object(&mut config_tape, without_mark(&own.bytes)).ok());
    let mut decay = SessionLog.decay();
    if let Some(config) = config {
        config::apply_config(&mut decay, config);
    }
    let mut derived = Vec::new();
    for session in sessions {
        let own = Own::of(parts, session);
        if own.log.is_none() && own.metadata.is_none() {
            continue;
        }
        let index = own.index(decay.clone(), now);
        derived.extend(own.counts(index.len() as u64));
        derived.push(Derived { path: own.folder.join("index.json"), bytes: index });
    }
    derived
}

/// One session's files.
struct Own<'a> {
    folder: PathBuf,
    log: Option<&'a Document>,
    index: Option<&'a Document>,
    metadata: Option<&'a Document>,
    tombstones: Option<&'a Document>,
    deleted: HashSet<&'a str>,
}

impl<'a> Own<'a> {
    fn of(parts: &Parts<'a>, session: &Path) -> Self {
        let folder = Path::new("sessions").join(session);
        let file = |name: &str| document(parts.documents, &folder.join(name));
        let tombstones = file("tombstones.jsonl");
        let deleted = tombstones.iter().flat_map(|own| &own.records);
        Own {
            log: file("memory.jsonl"),
            index: file("index.json"),
            metadata: file("metadata.json"),
            deleted: deleted.filter_map(|record| record.view()?.id.as_deref()).collect(),
            tombstones,
            folder,
        }
    }

    /// Live entries with an id, the first of each.
    fn live(&self) -> impl Iterator<Item = (&'a crate::model::Record, &'a View, &'a str)> {
        let mut seen = HashSet::new();
        let records = self.log.into_iter().flat_map(|log| &log.records);
        let all = records.filter_map(|record| Some((record, record.view()?)));
        all.filter_map(move |(record, view)| {
            let id = view.id.as_deref()?;
            (!self.deleted.contains(id) && seen.insert(id)).then_some((record, view, id))
        })
        .collect::<Vec<_>>()
        .into_iter()
    }

    /// The index as it should be: the one that is there, where it is right.
    fn index(&self, mut decay: DecayTable, now: Moment) -> Vec<u8> {
        let mut tape = Tape::default();
        let stands = self.index.and_then(|own| whole_object(&mut tape, without_mark(&own.bytes)).ok());
        if let (Some(object), Some(own)) = (stands, self.index)
            && object.get("entries").is_some()
            && index::check(object, &own.path, self.log, &self.deleted).is_empty()
            && !self.names_deleted(object)
        {
            return own.bytes.to_vec();
        }
        let mut metadata_tape = Tape::default();
        let metadata =
            self.metadata.and_then(|own| whole_object(&mut metadata_tape, without_mark(&own.bytes)).ok());
        if let Some(metadata) = metadata {
            config::apply_session(&mut decay, metadata);
        }
        let parts = self.index_parts(&decay, now);
        let base = match (stands, self.index) {
            (Some(_), Some(own)) => without_mark(&own.bytes).to_vec(),
            _ => b"{}".to_vec(),
        };
        let set =
            |bytes: Vec<u8>, (name, raw): (&str, String)| edit::set(&bytes, &[name], &raw).unwrap_or(bytes);
        parts.into_iter().fold(base, set)
    }

    fn names_deleted(&self, object: Json<'_>) -> bool {
        let entries = object.get("entries");
        let mut names = entries.iter().flat_map(|entries| entries.members());
        names.any(|(key, _)| key.text().is_some_and(|id| self.deleted.contains(&*id)))
    }

    fn index_parts(&self, decay: &DecayTable, now: Moment) -> [(&'static str, String); 5] {
        let mut entries = Vec::new();
        let mut tags: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut tape = Tape::default();
        for (record, view, id) in self.live() {
            let id = edit::quoted(id);
            let raw = self.log.map(|log| log.raw(record)).unwrap_or_default();
            tape.scan(raw, Newlines::Refused);
            entries.push(entry(&id, Json::of(raw, &tape), record, view, relevance(view, decay, now)));
            let known: BTreeSet<&str> = view.tags.iter().map(|tag| &**tag).collect();
            known.into_iter().for_each(|tag| tags.entry(tag).or_default().push(id.clone()));
            types.entry(&view.kind).or_default().push(id);
        }
        let map = |map: BTreeMap<&str, Vec<String>>| {
            let lists: Vec<String> = map
                .into_iter()
                .map(|(key, ids)| format!("{}:[{}]", edit::quoted(key), ids.join(",")))
                .collect();
            format!("{{{}}}", lists.join(","))
        };
        [
            ("version", "1".into()),
            ("last_updated", edit::quoted(&now.to_millis())),
            ("entries", format!("{{{}}}", entries.join(","))),
            ("tags", map(tags)),
            ("types", map(types)),
        ]
    }

    /// The metadata with its counts right; every other byte as it is.
    fn counts(&self, index_len: u64) -> Option<Derived> {
        let own = self.metadata?;
        let mut tape = Tape::default();
        let object = whole_object(&mut tape, without_mark(&own.bytes)).ok()?;
        let views: Vec<&View> =
            self.log.into_iter().flat_map(|log| &log.records).filter_map(|r| r.view()).collect();
        let live =
            || views.iter().filter(|view| view.id.as_deref().is_none_or(|id| !self.deleted.contains(id)));
        let log = self.log.map_or(0, |log| log.len);
        let size = log + index_len + self.tombstones.map_or(0, |own| own.len);
        let mut wanted: Vec<(Vec<&str>, u64)> = vec![(vec!["total_entries"], live().count() as u64)];
        for kind in ["conversation", "decision", "finding", "preference"] {
            let name = STATISTICS[KINDS.iter().position(|own| *own == kind).unwrap_or(0)];
            wanted.push((vec!["statistics", name], live().filter(|view| view.kind == kind).count() as u64));
        }
        // What the size covers, two writers see differently: one that is right stays.
        let stored = object.get("total_size_bytes").and_then(|value| value.count());
        if stored != Some(log) || log == 0 {
            wanted.push((vec!["total_size_bytes"], size));
        }
        let mut bytes = without_mark(&own.bytes).to_vec();
        for (path, count) in wanted {
            let stored = object.path(&path).and_then(|value| value.number());
            if stored != Some(count as f64) {
                // One that stands in something else than an object is nobody's count.
                bytes = edit::set(&bytes, &path, &count.to_string()).unwrap_or(bytes);
            }
        }
        let mark = own.bytes.len() - without_mark(&own.bytes).len();
        Some(Derived { path: own.path.clone(), bytes: [&own.bytes[..mark], &bytes].concat() })
    }
}

const KINDS: [&str; 4] = ["conversation", "decision", "finding", "preference"];
const STATISTICS: [&str; 4] = ["conversations", "decisions", "findings", "preferences"];

fn entry(id: &str, value: Json<'_>, record: &crate::model::Record, view: &View, relevance: f64) -> String {
    let raw = |name: &str, or: &str| {
        value.get(name).map_or(or.to_owned(), |value| String::from_utf8_lossy(value.raw()).into_owned())
    };
    let tags: Vec<String> = view.tags.iter().map(|tag| tag.to_string()).collect();
    format!(
        "{id}:{{\"line_number\":{},\"byte_offset\":{},\"type\":{},\"timestamp\":{},\"tags\":{},\"importance\":{},\"current_relevance\":{:.4}}}",
        record.line,
        record.span.start,
        edit::quoted(&view.kind),
        raw("timestamp", "null"),
        list(&tags),
        raw("importance", "0.5"),
        relevance,
    )
}

/// What the index calls `current_relevance`: importance × decay, with the boost for what is
/// fresh (§17.2).
pub fn relevance(view: &View, decay: &DecayTable, now: Moment) -> f64 {
    let age = view.created.map(|created| now.hours_since(created).max(0.0));
    let fresh = if age.is_some_and(|hours| hours < 24.0) { 1.5 } else { 1.0 };
    view.importance * decay.rule(&view.kind).factor(age, 0.0) * fresh
}
