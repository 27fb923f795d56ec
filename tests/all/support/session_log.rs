//! Builds `session-log` stores.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::index::{Lines, Placed, id_of, ids_by, strings_of, with_defaults};
use super::store::TempStore;

/// The default timestamp of entries.
pub const WHEN: &str = "2026-01-10T12:00:00.000Z";

/// A `session-log` store under construction. Everything after `session` belongs to it.
///
/// Missing members that the format requires are filled in. Metadata, counts and indexes agree with
/// the healthy, live entries unless a method breaks something.
#[derive(Clone)]
pub struct SessionLogBuilder {
    root: String,
    sessions: Vec<Session>,
    config: Option<String>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

#[derive(Clone, Default)]
struct Session {
    name: String,
    log: Lines,
    tombstones: Vec<String>,
    deleted: Vec<String>,
    metadata: Map<String, Value>,
    raw: Vec<(&'static str, Vec<u8>)>,
    without: Vec<&'static str>,
    next: u32,
}

impl SessionLogBuilder {
    /// A store at `memory/` without sessions.
    pub fn new() -> Self {
        SessionLogBuilder { root: "memory".into(), sessions: Vec::new(), config: None, files: Vec::new() }
    }

    pub fn session(mut self, name: &str) -> Self {
        self.sessions.push(Session { name: name.into(), ..Session::default() });
        self
    }

    /// Adds an entry to the session; missing members of the schema are filled in.
    pub fn entry(mut self, entry: Value) -> Self {
        let session = self.current();
        session.next += 1;
        let number = session.next;
        let entry = with_defaults(
            entry,
            json!({
                "id": format!("mem_{number:03}"), "session_id": session.name, "timestamp": WHEN,
                "type": "finding", "content": {"finding": format!("Entry {number}.")},
                "importance": 0.5, "decay_factor": 1.0, "tags": [], "references": [],
            }),
        );
        session.log.record(entry);
        self
    }

    pub fn entries(mut self, count: u32) -> Self {
        for _ in 0..count {
            self = self.entry(json!({}));
        }
        self
    }

    /// Adds a line of any bytes to the memory log.
    pub fn line(self, bytes: impl AsRef<[u8]>) -> Self {
        self.bytes(bytes).bytes(b"\n")
    }

    /// Adds any bytes to the memory log, without a line end.
    pub fn bytes(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.current().log.raw(bytes.as_ref());
        self
    }

    /// Deletes an id.
    pub fn tombstone(mut self, id: &str) -> Self {
        let line = json!({"id": id, "timestamp": WHEN, "reason": "user_request"}).to_string();
        let session = self.current();
        session.tombstones.push(line);
        session.deleted.push(id.into());
        self
    }

    pub fn metadata(mut self, member: &str, value: Value) -> Self {
        self.current().metadata.insert(member.into(), value);
        self
    }

    /// Gives one of the session's files these bytes instead of healthy ones.
    pub fn raw(mut self, file: &'static str, bytes: impl AsRef<[u8]>) -> Self {
        self.current().raw.push((file, bytes.as_ref().to_vec()));
        self
    }

    /// Leaves out one of the session's files.
    pub fn without(mut self, file: &'static str) -> Self {
        self.current().without.push(file);
        self
    }

    pub fn config(mut self, config: Value) -> Self {
        self.config = Some(config.to_string());
        self
    }

    /// Adds a file of any bytes, relative to the root.
    pub fn file(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.files.push((path.into(), bytes.as_ref().to_vec()));
        self
    }

    pub fn build(self) -> TempStore {
        let mut files: Vec<_> = self.sessions.iter().flat_map(Session::files).collect();
        files.extend(self.config.map(|config| (PathBuf::from("config.json"), config.into_bytes())));
        files.extend(self.files);
        TempStore::of_files(&self.root, &files)
    }

    fn current(&mut self) -> &mut Session {
        self.sessions.last_mut().expect("call session() first")
    }
}

impl Session {
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let live = self.log.kept(|id| !self.deleted.iter().any(|deleted| deleted == id));
        let tombstones: String = self.tombstones.iter().map(|line| format!("{line}\n")).collect();
        let index = index(&live).to_string();
        let size = self.log.bytes.len() + index.len() + tombstones.len();
        let metadata = self.metadata_of(&live, size).to_string();
        let mut files = vec![("memory.jsonl", self.log.bytes.clone())];
        files.push(("index.json", index.into_bytes()));
        files.push(("metadata.json", metadata.into_bytes()));
        if !tombstones.is_empty() {
            files.push(("tombstones.jsonl", tombstones.into_bytes()));
        }
        files.retain(|(name, _)| !self.raw.iter().any(|(raw, _)| raw == name));
        files.extend(self.raw.iter().cloned());
        files.retain(|(name, _)| !self.without.contains(name));
        let folder = PathBuf::from("sessions").join(&self.name);
        files.into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect()
    }

    fn metadata_of(&self, live: &[&Placed], size: usize) -> Value {
        let count = |kind: &str| live.iter().filter(|placed| placed.record["type"] == kind).count();
        let mut metadata = json!({
            "session_id": self.name, "user_id": "user", "created_at": "2026-01-10T10:00:00.000Z",
            "last_accessed": WHEN, "total_entries": live.len(), "total_size_bytes": size,
            "decay_config": {"enabled": true, "half_life_hours": 168, "min_decay_factor": 0.1},
            "preferences": {"language": "en", "verbosity": "medium", "custom": {}},
            "statistics": {
                "conversations": count("conversation"), "decisions": count("decision"),
                "findings": count("finding"), "preferences": count("preference"),
            },
        });
        for (member, value) in &self.metadata {
            metadata[member] = value.clone();
        }
        metadata
    }
}

fn index(live: &[&Placed]) -> Value {
    let mut entries = Map::new();
    for placed in live {
        let record = &placed.record;
        let entry = json!({
            "line_number": placed.line, "byte_offset": placed.offset, "type": record["type"],
            "timestamp": record["timestamp"], "tags": record["tags"],
            "importance": record["importance"], "current_relevance": record["importance"],
        });
        entries.insert(id_of(record).into(), entry);
    }
    json!({
        "version": 1, "last_updated": WHEN, "entries": entries,
        "tags": ids_by(live, |record| strings_of(record, "tags")),
        "types": ids_by(live, |record| strings_of(record, "type")),
    })
}
