//! A repository in memory with a store in it: the format reads it, and writes change it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::super::{AgentMemory, projection};
use super::super::canonical_write::canonical_write;
use super::super::path_edits::{BundleEdit, BundleFileWrite};
use super::super::prune::PruneResult;
use crate::format::writing::Refusal;
use crate::format::{AssemblyInput, Format, Placement};
use crate::model::{Bytes, Document, Moment};

pub const WHEN: &str = "2026-01-20T10:00:00.000Z";
const STORE: &str = ".agent-memory";

pub fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap().0
}

pub fn now() -> Moment {
    moment("2026-12-01T08:00:00.120Z")
}

/// The ids of a write's checkpoint and event, and its number of files beside the store.
#[derive(Debug)]
pub struct Done {
    pub checkpoint: String,
    pub event: String,
    pub pages: usize,
}

/// All files, by their path from the repository's root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf(pub BTreeMap<PathBuf, Vec<u8>>);

impl Shelf {
    /// Loads a store that the format's own tool made, if it exists on this machine.
    pub fn real(name: &str) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/agent-memory").join(name);
        let mut shelf = Shelf::default();
        gather(&root, &root, &mut shelf);
        if shelf.0.is_empty() {
            eprintln!("skipped: {} is not there", root.display());
        }
        (!shelf.0.is_empty()).then_some(shelf)
    }

    pub fn put(&mut self, path: &str, text: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), text.into());
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.0.get(Path::new(path)).unwrap_or_else(|| panic!("{path}")).clone()).unwrap()
    }

    pub fn change(&mut self, path: &str, from: &str, to: &str) {
        let text = self.text(path);
        assert!(text.contains(from), "{path} lacks {from}");
        self.put(path, text.replacen(from, to, 1));
    }

    pub fn store(&self, path: &str) -> String {
        self.text(&format!("{STORE}/{path}"))
    }

    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.store(path)).unwrap()
    }

    pub fn bundle(&self) -> Value {
        self.json("state.json")["bundle"].clone()
    }

    /// The text of the state up to the end of the bundle.
    pub fn bundle_text(&self) -> String {
        let text = self.store("state.json");
        let end = text.find("\n  \"bundleHash\"").unwrap();
        text[..end].to_owned()
    }

    pub fn events(&self) -> Vec<Value> {
        self.store("history/events.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The events on lines that can be read.
    fn events_read(&self) -> Vec<Value> {
        let log = self.store("history/events.jsonl");
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub fn documents(&self) -> Vec<Arc<Document>> {
        let own = self.0.iter().filter_map(|(path, bytes)| Some((path.strip_prefix(STORE).ok()?, bytes)));
        own.map(|(path, bytes)| {
            let Placement::File(role) = AgentMemory.place(path, false) else { panic!("{}", path.display()) };
            let reading = AgentMemory.read(role, path, bytes, now());
            let own = Document::of_bytes(path.to_owned(), role, bytes.clone());
            Arc::new(Document { records: reading.records, problems: reading.problems, ..own })
        })
        .collect()
    }

    pub fn beside(&self) -> Vec<(PathBuf, Bytes)> {
        let named = projection::BESIDE.iter().filter_map(|path| self.0.get_key_value(Path::new(path)));
        named.map(|(path, bytes)| (path.clone(), bytes.clone().into())).collect()
    }

    /// The problems that the format finds, without their lines.
    pub fn problems(&self) -> Vec<String> {
        let (documents, beside) = (self.documents(), self.beside());
        let mut folders: Vec<PathBuf> = documents
            .iter()
            .flat_map(|document| document.path.ancestors().skip(1).map(Path::to_owned))
            .filter(|folder| !folder.as_os_str().is_empty())
            .collect();
        folders.sort();
        folders.dedup();
        let parts = AssemblyInput { outside_files: Some(&beside), ..AssemblyInput::of(&documents, &folders) };
        let assembly = AgentMemory.assemble(&parts, now());
        let own = documents.iter().flat_map(|document| document.problems.clone());
        let mut problems: Vec<String> = own
            .chain(assembly.problems)
            .map(|own| format!("{} {} {}", own.code.as_str(), own.file.display(), own.message))
            .collect();
        problems.sort();
        problems
    }

    pub fn write(&mut self, edits: &[BundleEdit<'_>]) -> Result<Done, Refusal> {
        let files = canonical_write(&self.documents(), &self.beside(), edits, "a test", now())?;
        self.take(&files);
        let last = |value: &Value| value["id"].as_str().unwrap().to_owned();
        let checkpoint = serde_json::from_slice(&files[0].bytes).unwrap();
        Ok(Done {
            checkpoint: last(&checkpoint),
            event: last(self.events_read().last().unwrap()),
            pages: files.iter().filter(|file| file.path.starts_with("..")).count(),
        })
    }

    pub fn take(&mut self, files: &[BundleFileWrite]) {
        for file in files {
            let outside = file.path.strip_prefix("..").map(Path::to_owned);
            let path = outside.unwrap_or_else(|_| Path::new(STORE).join(&file.path));
            let mut before = self.0.remove(&path).filter(|_| file.append).unwrap_or_default();
            before.extend_from_slice(&file.bytes);
            self.0.insert(path, before);
        }
    }

    pub fn take_pruned(&mut self, pruned: &PruneResult) {
        self.take(&pruned.batch);
        self.take(&pruned.rewritten);
        for path in &pruned.removed {
            assert!(self.0.remove(&Path::new(STORE).join(path)).is_some(), "{}", path.display());
        }
    }

    /// Makes a repository as the format's own tool does, with this many checkpoints and events, one a day.
    pub fn made(checkpoints: usize) -> Self {
        let mut shelf = Shelf::default();
        let bundle = bundle();
        let hash = super::tool::hash(&bundle);
        let mut events = String::new();
        let last = format!("chk-{checkpoints:06}");
        for number in 1..=checkpoints {
            let (id, event) = (format!("chk-{number:06}"), format!("evt-{number:06}"));
            let at = format!("2026-01-{number:02}T10:00:00.000Z");
            let checkpoint = json!({"id": id, "createdAt": at, "eventId": event, "summary": "A step.",
                "bundle": bundle, "bundleHash": hash});
            shelf.put(&format!("{STORE}/history/checkpoints/{id}.json"), pretty(&checkpoint));
            events += &format!(
                "{{\"id\":\"{event}\",\"kind\":\"tool_run\",\"sourceId\":\"agent-memory.local\",\"externalItemId\":null,\
                 \"createdAt\":\"{at}\",\"contentHash\":\"00\",\"summary\":\"Ran.\",\"signals\":{{\"decisions\":[],\
                 \"gotchas\":[],\"nextStepHints\":[],\"keyPaths\":[],\"validationObservations\":[]}},\
                 \"sourceRef\":\"agent-memory:update\"}}\n"
            );
        }
        shelf.put(&format!("{STORE}/history/events.jsonl"), events);
        let cursor = json!({"lastRecalledAt": null, "lastRecalledEventId": null});
        let state = json!({
            "schemaVersion": 2, "generatorVersion": "0.3.0", "generatedAt": WHEN, "bundleHash": hash,
            "provider": {"name": "codex", "binary": "codex", "model": null, "sessionId": null},
            "bundle": bundle,
            "maintenance": {"lastRecalledAt": WHEN, "lastRecalledEventId": "evt-000001",
                "latestCheckpointId": last, "historyEventCount": checkpoints, "importSourceCount": 0,
                "recallCursors": {"all": cursor, "local": cursor, "imports": cursor}},
        });
        shelf.put(&format!("{STORE}/state.json"), pretty(&state));
        shelf.put(&format!("{STORE}/sources.json"), "[]\n");
        shelf.put(&format!("{STORE}/config.json"), "{\"retention\":{\"checkpoints\":{\"keepRecent\":2}}}\n");
        for (path, text) in super::tool::pages(&state) {
            shelf.put(path, text);
        }
        shelf.put("AGENTS.md", format!("# Kiosk\n\n{}\n\nMore.\n", super::tool::entry(&hash)));
        shelf
    }
}

pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

fn bundle() -> Value {
    let gotcha = |title: &str| json!({"title": title, "symptom": "Näheres 券.", "cause": "Age.", "correctPath": "Gently."});
    json!({
        "project": {"name": "kiosk", "summary": "A ticket kiosk.", "primaryEcosystem": "rust",
            "packageManager": "cargo", "workspaceManager": "none", "recommendedEntryFile": "AGENTS.md",
            "keyPaths": ["src/main.rs"]},
        "projectMap": {
            "modules": [{"name": "till", "path": "src/till", "responsibility": "Takes money."}],
            "entrypoints": [{"path": "src/main.rs", "role": "The program."}],
            "denseSourceAreas": [], "architectureNotes": ["One process.", "No threads."],
            "firstFilesToRead": ["README.md"]},
        "currentFocus": {"summary": "Printing.", "currentState": ["The printer answers."],
            "knownRisks": ["Paper runs out.", "So does ink."],
            "validationSnapshot": {"status": "passed", "validatedAt": "2026-11-30T00:00:00.000Z",
                "summary": "All passed.", "suggestedNextActions": [],
                "results": [{"label": "t", "command": "cargo test", "status": "passed", "summary": "ok"}]}},
        "gotchas": [gotcha("The drawer sticks"), gotcha("The clock drifts"), gotcha("Rust")],
        "nextSteps": [{"title": "Oil", "why": "It sticks.", "start": "Open it.", "done": "It slides."},
            {"title": "Ink", "why": "Empty.", "start": "Buy.", "done": "Full."}],
        "validationCommands": [{"label": "tests", "command": ["cargo", "test"], "purpose": "Tests."}],
        "unknown": {"number": 1.5, "deep": [[], {}, null, "é\u{1}\u{7f}\u{1f680}"]},
    })
}

fn gather(root: &Path, folder: &Path, shelf: &mut Shelf) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            gather(root, &path, shelf);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            shelf.0.insert(path.strip_prefix(root).unwrap().to_owned(), bytes);
        }
    }
}
