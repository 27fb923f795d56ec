//! Builds `memory-server` stores.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::index::{Lines, Placed, ids_by, strings_of, with_defaults};
use super::store::TempStore;

const FILES: [(&str, &str); 3] =
    [("core", "core_memories.jsonl"), ("learning", "learnings.jsonl"), ("task", "tasks.jsonl")];

/// The default timestamp of memories.
pub const WHEN: &str = "2026-01-10T12:00:00.000000Z";

/// A `memory-server` store under construction: three files and their index, healthy by default.
#[derive(Clone)]
pub struct MemoryServerBuilder {
    root: String,
    logs: [Lines; 3],
    index: Option<Vec<u8>>,
    without: Vec<&'static str>,
    files: Vec<(PathBuf, Vec<u8>)>,
    next: u32,
}

impl MemoryServerBuilder {
    /// An empty store at `memories/`.
    pub fn new() -> Self {
        MemoryServerBuilder {
            root: "memories".into(),
            logs: Default::default(),
            index: None,
            without: Vec::new(),
            files: Vec::new(),
            next: 0,
        }
    }

    /// Adds a core memory; missing members of the schema are filled in.
    pub fn core(self, memory: Value) -> Self {
        self.memory(0, memory)
    }

    pub fn learning(self, memory: Value) -> Self {
        self.memory(1, memory)
    }

    pub fn task(self, memory: Value) -> Self {
        self.memory(2, memory)
    }

    /// Adds a line of any bytes to one of the three files, by its name.
    pub fn line(self, file: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.bytes(file, bytes).bytes(file, b"\n")
    }

    /// Adds any bytes to one of the three files, without a line end.
    pub fn bytes(mut self, file: &str, bytes: impl AsRef<[u8]>) -> Self {
        let at = FILES.iter().position(|(_, name)| *name == file).expect("one of the three files");
        self.logs[at].raw(bytes.as_ref());
        self
    }

    /// Gives `index.json` these bytes instead of healthy ones.
    pub fn index(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.index = Some(bytes.as_ref().to_vec());
        self
    }

    /// Leaves out one of the store's files.
    pub fn without(mut self, file: &'static str) -> Self {
        self.without.push(file);
        self
    }

    /// Adds a file of any bytes, relative to the root: a backup, an archive.
    pub fn file(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.files.push((path.into(), bytes.as_ref().to_vec()));
        self
    }

    pub fn build(self) -> TempStore {
        let index = self.index.clone().unwrap_or_else(|| self.healthy_index().to_string().into_bytes());
        let mut files: Vec<(PathBuf, Vec<u8>)> = FILES
            .iter()
            .zip(&self.logs)
            .map(|((_, name), log)| (PathBuf::from(name), log.bytes.clone()))
            .collect();
        files.push(("index.json".into(), index));
        files.retain(|(path, _)| !self.without.iter().any(|name| path.as_os_str() == *name));
        files.extend(self.files);
        TempStore::of_files(&self.root, &files)
    }

    fn memory(mut self, at: usize, memory: Value) -> Self {
        self.next += 1;
        let number = self.next;
        let memory = with_defaults(
            memory,
            json!({
                "id": format!("00000000-0000-4000-8000-{number:012x}"), "type": FILES[at].0,
                "content": format!("Memory {number}."), "created_at": WHEN, "updated_at": WHEN,
                "accessed_at": WHEN, "access_count": 0, "tags": [], "importance": "medium",
                "archived": false,
            }),
        );
        self.logs[at].record(memory);
        self
    }

    fn healthy_index(&self) -> Value {
        let all: Vec<&Placed> = self.logs.iter().flat_map(|log| &log.placed).collect();
        let bytes: usize = self.logs.iter().map(|log| log.bytes.len()).sum();
        let archived = all.iter().filter(|placed| placed.record["archived"] == true).count();
        let mut importance = json!({"high": [], "medium": [], "low": []});
        if let Value::Object(found) = ids_by(&all, |record| strings_of(record, "importance")) {
            found.into_iter().for_each(|(word, ids)| importance[word] = ids);
        }
        json!({
            "version": "1.0.0", "last_updated": WHEN,
            "statistics": {
                "total_memories": all.len(),
                "by_type": {
                    "core": self.logs[0].placed.len(), "learning": self.logs[1].placed.len(),
                    "task": self.logs[2].placed.len(),
                },
                "archived_count": archived, "total_storage_bytes": bytes,
            },
            "tags_index": ids_by(&all, |record| strings_of(record, "tags")),
            "category_index": ids_by(&all, |record| strings_of(record, "category")),
            "importance_index": importance,
        })
    }
}
