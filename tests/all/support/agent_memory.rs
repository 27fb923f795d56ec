//! Builds `agent-memory` stores, with the projections and the entry file around them.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::files::Files;
use super::index::with_defaults;

/// The time of everything in these stores.
pub const WHEN: &str = "2026-01-20T10:00:00.000Z";

/// The projections: the word in the marker, and the file.
pub const PROJECTIONS: [(&str, &str); 5] = [
    ("readme", "README.md"),
    ("project-map", "project-map.md"),
    ("current-focus", "current-focus.md"),
    ("gotchas", "gotchas.md"),
    ("next-steps", "next-steps.md"),
];

/// An `agent-memory` store under construction. What the test leaves out agrees with the rest:
/// hashes, counts, checkpoints, projections.
#[derive(Clone)]
pub struct AgentMemoryBuilder {
    bundles: Vec<Value>,
    events: Vec<Value>,
    sources: Vec<Value>,
    config: Value,
    state: Vec<(&'static str, Value)>,
}

impl AgentMemoryBuilder {
    /// A store with one checkpoint, one run of the tool, and no source.
    pub fn new() -> Self {
        let builder = AgentMemoryBuilder {
            bundles: vec![bundle()],
            events: Vec::new(),
            sources: Vec::new(),
            config: json!({"recall": {"backlogWarnThreshold": 3}, "retention": {"enabled": false}}),
            state: Vec::new(),
        };
        builder.event(json!({}))
    }

    /// Adds an event; missing members are filled in.
    pub fn event(mut self, event: Value) -> Self {
        let number = self.events.len() + 1;
        let defaults = json!({
            "id": format!("evt-{number:06}"), "kind": "tool_run", "sourceId": "agent-memory.local",
            "externalItemId": null, "createdAt": WHEN, "contentHash": "00ff",
            "summary": format!("Run {number}."),
            "signals": {"decisions": [], "gotchas": [], "nextStepHints": [], "keyPaths": [],
                "validationObservations": []},
            "sourceRef": "agent-memory:update",
        });
        self.events.push(with_defaults(event, defaults));
        self
    }

    /// Adds a source; missing members are filled in.
    pub fn source(mut self, source: Value) -> Self {
        let defaults = json!({
            "id": "talks", "type": "claude-local", "path": "/", "createdAt": WHEN,
            "updatedAt": WHEN, "lastSyncedAt": WHEN, "lastSyncStatus": "passed", "lastSyncError": null,
            "lastImportedCount": 1,
        });
        self.sources.push(with_defaults(source, defaults));
        self
    }

    /// Changes the bundle at these pointers, in a new checkpoint.
    pub fn bundle(mut self, changes: &[(&str, Value)]) -> Self {
        let mut next = self.bundles.last().cloned().unwrap();
        changes.iter().for_each(|(pointer, value)| set(&mut next, pointer, value.clone()));
        self.bundles.push(next);
        self
    }

    pub fn config(mut self, pointer: &str, value: Value) -> Self {
        set(&mut self.config, pointer, value);
        self
    }

    /// Sets a value of the state. Nothing else is adapted to it.
    pub fn state(mut self, pointer: &'static str, value: Value) -> Self {
        self.state.push((pointer, value));
        self
    }

    /// The store's files, relative to `.agent-memory`.
    pub fn files(&self) -> Files {
        let mut files = Files::default()
            .with("state.json", pretty(&self.whole_state()))
            .with("sources.json", pretty(&json!(self.sources)))
            .with("config.json", pretty(&self.config))
            .with("history/events.jsonl", lines(&self.events));
        for (index, bundle) in self.bundles.iter().enumerate() {
            let checkpoint = checkpoint(index + 1, "evt-000001", bundle);
            files =
                files.with(&format!("history/checkpoints/chk-{:06}.json", index + 1), pretty(&checkpoint));
        }
        for (path, text) in palimp::format::agent_memory_pages(pretty(&self.bare_state()).as_bytes()) {
            files = files.with(&format!("../{path}"), text);
        }
        let hash = hash(self.bundles.last().unwrap());
        let entry = format!(
            "# Project\n\n<!-- agent-memory:entry version=3 bundleHash={hash} start -->\n## Memory\n\
             <!-- agent-memory:entry end -->\n"
        );
        // The files that the bundle names exist.
        let named = ["../src/main.rs", "../src/till/mod.rs", "../README.md"];
        named.iter().fold(files.with("../AGENTS.md", entry), |files, path| files.with(path, ""))
    }

    fn whole_state(&self) -> Value {
        let mut state = self.bare_state();
        self.state.iter().for_each(|(pointer, value)| set(&mut state, pointer, value.clone()));
        state
    }

    fn bare_state(&self) -> Value {
        let bundle = self.bundles.last().unwrap();
        let cursor = json!({"lastRecalledAt": null, "lastRecalledEventId": null});
        json!({
            "schemaVersion": 2, "generatorVersion": "0.3.0", "generatedAt": WHEN, "bundleHash": hash(bundle),
            "provider": {"name": "codex", "binary": "codex", "model": null, "sessionId": null},
            "bundle": bundle,
            "maintenance": {
                "lastRecalledAt": null, "lastRecalledEventId": null,
                "latestCheckpointId": format!("chk-{:06}", self.bundles.len()),
                "historyEventCount": self.events.len(), "importSourceCount": self.sources.len(),
                "recallCursors": {"all": cursor, "local": cursor, "imports": cursor},
            },
        })
    }
}

pub fn bundle() -> Value {
    json!({
        "project": {"name": "kiosk", "summary": "A ticket kiosk.", "primaryEcosystem": "rust",
            "packageManager": "cargo", "workspaceManager": "none", "recommendedEntryFile": "AGENTS.md",
            "keyPaths": ["src/main.rs"]},
        "projectMap": {
            "modules": [{"name": "till", "path": "src/till", "responsibility": "Takes the money."}],
            "entrypoints": [{"path": "src/main.rs", "role": "The program."}],
            "denseSourceAreas": [{"path": "src", "note": "Everything."}],
            "architectureNotes": ["One process."], "firstFilesToRead": ["README.md"]},
        "currentFocus": {"summary": "Printing tickets.", "currentState": ["The printer answers."],
            "knownRisks": ["Paper runs out."],
            "validationSnapshot": {"status": "passed", "validatedAt": WHEN, "summary": "All tests passed.",
                "results": [], "suggestedNextActions": ["Print one."]}},
        "gotchas": [gotcha("The drawer sticks"), gotcha("The clock drifts")],
        "nextSteps": [{"title": "Oil the drawer", "why": "It sticks.",
            "start": "Open it.", "done": "It slides."}],
        "validationCommands": [{"label": "tests", "command": ["cargo", "test"],
            "purpose": "Runs the tests."}],
    })
}

pub fn gotcha(title: &str) -> Value {
    json!({"title": title, "symptom": "Näheres 券.", "cause": "Age.", "correctPath": "Be gentle."})
}

pub fn checkpoint(number: usize, event: &str, bundle: &Value) -> Value {
    json!({"id": format!("chk-{number:06}"), "createdAt": WHEN, "eventId": event,
        "summary": format!("Step {number}."),
        "bundle": bundle, "bundleHash": hash(bundle)})
}

pub fn hash(bundle: &Value) -> String {
    let text = serde_json::to_string_pretty(bundle).unwrap();
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a document as the format's own tool writes it: sorted, indented, with a line end.
pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Sets the value at a pointer; creates a missing member.
fn set(document: &mut Value, pointer: &str, value: Value) {
    if let Some(place) = document.pointer_mut(pointer) {
        *place = value;
        return;
    }
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).expect(pointer)[name] = value;
}
