//! `agent-memory` stores: bundle, events, checkpoints, archives, sources, projections
//! (specification 3, and what its own tool writes).

mod support;

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::{Files, TempStore, problems, rows};

fn bundle(gotcha: &str) -> Value {
    json!({
        "currentFocus": {"currentState": ["Mode: update"], "knownRisks": ["Slow tests"], "summary": "The focus.",
            "validationSnapshot": {"results": [], "status": "not-run", "validatedAt": null}},
        "gotchas": [{"cause": "A cache", "correctPath": "Clear it", "symptom": "Old pages", "title": gotcha}],
        "nextSteps": [{"done": "It builds", "start": "Cargo.toml", "title": "Split the crate", "why": "Speed"}],
        "project": {"keyPaths": ["src"], "name": "shop", "recommendedEntryFile": "README.md", "summary": "A shop."},
        "projectMap": {"architectureNotes": ["Two services."], "modules": []},
        "validationCommands": [{"command": ["cargo", "test"], "label": "tests", "purpose": "All tests."}]
    })
}

/// The hash that the format's tool gives: keys sorted, two spaces, no final newline.
fn hash(bundle: &Value) -> String {
    let text = serde_json::to_string_pretty(bundle).unwrap();
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn event(number: u32, kind: &str, source: &str) -> String {
    json!({"id": format!("evt-{number:06}"), "kind": kind, "sourceId": source, "externalItemId": null,
        "createdAt": format!("2026-01-2{number}T10:00:00.000Z"), "contentHash": "00", "summary": format!("Run {number}."),
        "signals": {"decisions": [], "gotchas": [], "nextStepHints": [], "keyPaths": ["src"], "validationObservations": []},
        "sourceRef": "agent-memory:init"})
    .to_string()
        + "\n"
}

fn checkpoint(number: u32, bundle: &Value) -> String {
    json!({"bundle": bundle, "bundleHash": hash(bundle), "createdAt": format!("2026-01-2{number}T10:00:00.000Z"),
        "eventId": format!("evt-{number:06}"), "id": format!("chk-{number:06}"), "summary": format!("State {number}.")})
    .to_string()
}

fn healthy() -> Files {
    let (first, second) = (bundle("Stale pages"), bundle("Stale cache"));
    let state = json!({"bundle": second, "bundleHash": hash(&second), "generatedAt": "2026-01-22T10:00:00.000Z",
        "generatorVersion": "0.3.0", "maintenance": {"historyEventCount": 2, "importSourceCount": 1,
            "lastRecalledAt": null, "lastRecalledEventId": null, "latestCheckpointId": "chk-000002", "recallCursors": {}},
        "provider": {"name": "codex"}, "schemaVersion": 2});
    let source = json!([{"createdAt": "2026-01-20T10:00:00.000Z", "id": "main", "lastImportedCount": 1,
        "lastSyncError": null, "lastSyncStatus": "failed", "lastSyncedAt": "2026-01-20T10:00:00.000Z",
        "path": "imports", "type": "codex-local", "updatedAt": "2026-01-20T10:00:00.000Z"}]);
    let marker = |name: &str| {
        format!("<!-- agent-memory:projection file={name} version=3 bundleHash={} -->\n", hash(&second))
    };
    let names = ["README", "project-map", "current-focus", "gotchas", "next-steps"];
    let files = names.iter().fold(Files::default(), |files, name| {
        files.with(&format!("docs/agent-memory/{name}.md"), marker(&name.to_lowercase()))
    });
    files
        .with("README.md", format!("<!-- agent-memory:entry version=3 bundleHash={} start -->\nx\n<!-- agent-memory:entry end -->\n", hash(&second)))
        .with(".agent-memory/state.json", serde_json::to_string_pretty(&state).unwrap() + "\n")
        .with(".agent-memory/history/events.jsonl", event(1, "tool_run", "agent-memory.local") + &event(2, "imported_session", "main"))
        .with(".agent-memory/history/checkpoints/chk-000001.json", checkpoint(1, &first))
        .with(".agent-memory/history/checkpoints/chk-000002.json", checkpoint(2, &second))
        .with(".agent-memory/sources.json", source.to_string())
        .with(".agent-memory/config.json", "{\"retention\":{\"enabled\":false}}")
        .with(".agent-memory/automation/daemon.json", "{}")
}

/// The store within a repository.
fn build(files: &Files) -> TempStore {
    let mut store = files.build("repository");
    store.path.push(".agent-memory");
    store
}

fn faults(files: &Files) -> Vec<(String, String, String, Option<u64>)> {
    problems(&build(files))
}

#[test]
fn a_healthy_store_is_clean() {
    assert_eq!(faults(&healthy()), []);
}

#[test]
fn sections_and_items_of_the_bundle_are_records_with_their_bytes() {
    let store = build(&healthy());
    let found = rows(&store, "list", "");
    let mut kinds: Vec<&str> = found.iter().map(|row| row["type"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    let expected = [
        "checkpoint",
        "checkpoint",
        "currentFocus",
        "gotchas",
        "imported_session",
        "nextSteps",
        "project",
        "projectMap",
        "source",
        "tool_run",
        "validationCommands",
    ];
    assert_eq!(kinds, expected);
    let state = String::from_utf8(store.read("state.json")).unwrap();
    for row in found.iter().filter(|row| row["file"] == "state.json") {
        let [start, end] = [0, 1].map(|at| row["byte"][at].as_u64().unwrap() as usize);
        assert_eq!(row["raw"].as_str().unwrap(), &state[start..end]);
        let line = 1 + state[..start].matches('\n').count() as u64;
        assert_eq!(row["line"].as_u64(), Some(line));
    }
    let titled =
        |kind: &str| rows(&store, "list", &format!("type:{kind}"))[0]["title"].as_str().unwrap().to_owned();
    assert_eq!(titled("gotchas"), "Stale cache");
    assert_eq!(titled("validationCommands"), "tests: cargo test");
    assert_eq!(titled("project"), "shop: A shop.");
}

#[test]
fn sources_are_found_by_their_status_and_what_came_from_them() {
    let store = build(&healthy());
    assert_eq!(rows(&store, "search", "status:failed")[0]["id"], "main");
    let mut found: Vec<String> =
        rows(&store, "search", "ref:main").iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    found.sort();
    assert_eq!(found, ["evt-000002"]);
    assert_eq!(rows(&store, "search", "source:main type:imported_session").len(), 1);
}

#[test]
fn a_checkpoint_tells_what_changed_since_the_one_before_and_until_now() {
    let store = build(&healthy());
    let facets = |id: &str| rows(&store, "show", id)[0]["facets"].clone();
    assert_eq!(
        facets("chk-000002"),
        json!([["since previous", "+ gotchas  Stale cache"], ["since previous", "− gotchas  Stale pages"]])
    );
    assert_eq!(
        facets("chk-000001"),
        json!([["until now", "+ gotchas  Stale cache"], ["until now", "− gotchas  Stale pages"]])
    );
}

#[test]
fn archived_batches_are_shown_as_archived() {
    let files = healthy()
        .with(".agent-memory/archive/prune-1/events.jsonl", event(1, "tool_run", "agent-memory.local"))
        .with(".agent-memory/archive/prune-1/checkpoints/chk-000009.json", checkpoint(9, &bundle("old")))
        .with(".agent-memory/archive/prune-1/manifest.json", "{\"createdAt\":\"2026-01-01T00:00:00Z\"}");
    let store = build(&files);
    assert_eq!(problems(&store), []);
    let found = rows(&store, "list", "is:archived");
    let mut kinds: Vec<&str> = found.iter().map(|row| row["type"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["checkpoint", "manifest", "tool_run"]);
}

#[test]
fn what_is_planted_is_found_in_its_file_and_line() {
    let state = ".agent-memory/state.json";
    let log = ".agent-memory/history/events.jsonl";
    let latest = ".agent-memory/history/checkpoints/chk-000002.json";
    let changed = |path: &str, from: &str, to: &str| healthy().changed(path, from, to);
    let cases = [
        (changed(state, "Slow tests", "Fast tests"), "hash-mismatch", "state.json", None),
        (
            changed(latest, "Slow tests", "Fast tests"),
            "hash-mismatch",
            "history/checkpoints/chk-000002.json",
            None,
        ),
        (
            changed(state, "\"historyEventCount\": 2", "\"historyEventCount\": 3"),
            "count-mismatch",
            "state.json",
            None,
        ),
        (
            changed(state, "\"importSourceCount\": 1", "\"importSourceCount\": 0"),
            "count-mismatch",
            "state.json",
            None,
        ),
        (changed(state, "chk-000002", "chk-000007"), "dangling-reference", "state.json", None),
        (changed(state, "chk-000002", "chk-000001"), "hash-mismatch", "state.json", None),
        (
            changed(state, "\"schemaVersion\": 2", "\"schemaVersion\": 9"),
            "unsupported-version",
            "state.json",
            None,
        ),
        (changed(state, "\"cause\": \"A cache\"", "\"cause\": \"\""), "out-of-range", "state.json", Some(18)),
        (changed(state, "\"title\": \"Split the crate\",", ""), "missing-field", "state.json", None),
        (changed(state, "}\n", ""), "bad-json", "state.json", None),
        (changed(log, "evt-000002", "evt-000001"), "duplicate-id", "history/events.jsonl", Some(2)),
        (changed(log, "evt-000002", "evt-000005"), "count-mismatch", "history/events.jsonl", Some(2)),
        (changed(log, "evt-000001", "evt-000003"), "out-of-range", "history/events.jsonl", Some(2)),
        (changed(log, "tool_run", "other"), "out-of-range", "history/events.jsonl", Some(1)),
        (changed(log, ",\"summary\":\"Run 2.\"", ""), "missing-field", "history/events.jsonl", Some(2)),
        (healthy().with(".agent-memory/sources.json", "7"), "bad-json", "sources.json", Some(1)),
        (
            healthy().with("docs/agent-memory/gotchas.md", "# Gotchas\n"),
            "projection-stale",
            "../docs/agent-memory/gotchas.md",
            None,
        ),
        (
            healthy().without("docs/agent-memory/gotchas.md"),
            "projection-stale",
            "../docs/agent-memory/gotchas.md",
            None,
        ),
        (changed("README.md", "bundleHash=", "bundleHash=0"), "entry-block-stale", "../README.md", None),
        (
            healthy().with(".agent-memory/automation/daemon.lock", "{\"pid\":2147483646}"),
            "stale-lock",
            "automation/daemon.lock",
            None,
        ),
        (healthy().with(".agent-memory/state.json.tmp", ""), "leftover-temp", "state.json.tmp", None),
    ];
    for (files, code, file, line) in cases {
        let found = faults(&files);
        let is_found =
            found.iter().any(|own| own.0 == code && own.2 == file && (line.is_none() || own.3 == line));
        assert!(is_found, "{code} in {file}: {found:?}");
    }
    let gap = changed(log, "evt-000002", "evt-000005").changed(".agent-memory/config.json", "false", "true");
    assert_eq!(faults(&gap), []);
}

#[test]
fn stores_that_the_format_s_own_tool_wrote_are_clean_and_whole() {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/agent-memory");
    if !real.is_dir() {
        eprintln!("skipped: {} is not there", real.display());
        return;
    }
    for (name, events, checkpoints, sources, all) in [("full-cycle", 26, 5, 2, 50), ("init-only", 1, 1, 0, 9)]
    {
        let path = real.join(name);
        let path = path.to_str().unwrap();
        let now = "2026-11-21T00:00:00Z";
        let check = support::run(["check", "--json", "--now", now, "--store", path]).json_lines();
        let loud: Vec<&Value> = check.iter().filter(|row| row["severity"] != "note").collect();
        assert!(loud.is_empty(), "{name}: {loud:?}");
        let list = support::run(["list", "--json", "--all", "--now", now, "--store", path]).json_lines();
        let of =
            |kinds: &[&str]| list.iter().filter(|row| kinds.contains(&row["type"].as_str().unwrap())).count();
        let counted =
            (of(&["tool_run", "imported_session"]), of(&["checkpoint"]), of(&["source"]), list.len());
        assert_eq!(counted, (events, checkpoints, sources, all), "{name}");
    }
}
