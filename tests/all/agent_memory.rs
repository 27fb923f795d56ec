//! `agent-memory` stores: a state, events, checkpoints, sources, archive batches, and the files
//! derived from them in the repository (specification 3).

mod problems;
mod pruned;

use pruned::archived_event;

use crate::support;

use std::path::Path;

use palimp::model::{Code, Extent, Moment, Problem, Severity, State, Store};
use palimp::store::{load, look_at};
use serde_json::{Value, json};
use support::agent_memory::{WHEN, bundle, checkpoint, gotcha, pretty};
use support::files::{Found, NOW, ids as ids_of};
use support::{AgentMemoryBuilder, Files, TempStore, Tree, assert_untouched, problems, rows, run};

const ROOT: &str = ".agent-memory";
const CHECKPOINT: &str = "history/checkpoints/chk-000001.json";
const EVENTS: &str = "history/events.jsonl";

fn healthy() -> AgentMemoryBuilder {
    AgentMemoryBuilder::new()
        .source(json!({}))
        .event(json!({"kind": "imported_session", "sourceId": "talks", "externalItemId": "one",
            "summary": "Talked about paper.", "sourceRef": "talks/one.jsonl",
            "signals": {"decisions": ["Use thicker paper."], "gotchas": [], "nextStepHints": [],
                "keyPaths": ["src/printer.rs"], "validationObservations": []}}))
        .bundle(&[("/gotchas", json!([gotcha("The drawer sticks"), gotcha("Paper jams")]))])
}

fn loaded(store: &TempStore) -> Store {
    let places = look_at(&store.path, None).found.unwrap();
    load(&places[0], Extent::All, None, Moment::parse(NOW).unwrap().0)
}

fn found(code: &str, severity: &str, file: &str, line: impl Into<Option<u64>>) -> Found {
    (code.into(), severity.into(), file.into(), line.into())
}

fn line(store: &TempStore, file: &str, text: &str) -> u64 {
    let content = String::from_utf8_lossy(&store.read(file)).into_owned();
    let at = content.find(text).unwrap_or_else(|| panic!("{file} holds no {text}"));
    1 + content[..at].matches('\n').count() as u64
}

#[test]
fn a_healthy_store_is_clean_and_reading_touches_nothing() {
    let store = healthy().files().build(ROOT);
    let before = Tree::of(store.around());
    assert_eq!(problems(&store), []);
    assert_eq!(rows(&store, "list", "").len(), 12);
    assert_untouched(store.around(), &before);
}

#[test]
fn each_section_of_the_bundle_is_a_type_and_each_item_a_record_of_its_own_bytes() {
    let store = healthy().files().build(ROOT);
    let state = store.read("state.json");
    for (id, kind, title) in [
        ("project", "project", "A ticket kiosk."),
        ("projectMap", "projectMap", "One process."),
        ("currentFocus", "currentFocus", "Printing tickets."),
        ("gotchas.0", "gotchas", "The drawer sticks"),
        ("gotchas.1", "gotchas", "Paper jams"),
        ("nextSteps.0", "nextSteps", "Oil the drawer"),
        ("validationCommands.0", "validationCommands", "cargo test"),
    ] {
        let found = rows(&store, "list", &format!("id:{id}"));
        assert_eq!(found.len(), 1, "{id}");
        let row = &found[0];
        assert_eq!((&row["type"], &row["title"]), (&json!(kind), &json!(title)));
        assert_eq!((&row["decay"], &row["importance"]), (&json!(1.0), &json!(0.5)), "{id}");
        assert_eq!(row["created"], "2026-01-20T10:00:00Z");
        let span = [0, 1].map(|end| row["byte"][end].as_u64().unwrap() as usize);
        assert_eq!(row["raw"].as_str().unwrap().as_bytes(), &state[span[0]..span[1]]);
        let lines = 1 + state[..span[0]].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(row["line"], json!(lines), "{id}");
        assert_eq!(state[span[0]], b'{', "{id}");
    }
}

#[test]
fn events_checkpoints_and_sources_have_their_type_time_decay_and_references() {
    let store = healthy().files().build(ROOT);
    let row = |id: &str| rows(&store, "list", &format!("id:{id}")).remove(0);
    let event = row("evt-000002");
    assert_eq!((&event["type"], &event["text"]), (&json!("imported_session"), &json!("Talked about paper.")));
    assert_eq!(event["references"], json!(["talks"]));
    let age: f64 = (12.0 * 24.0) + 2.0;
    assert!((event["decay"].as_f64().unwrap() - 0.5_f64.powf(age / 168.0)).abs() < 1e-9);
    assert_eq!(row("evt-000001")["references"], json!([]));
    let checkpoint = row("chk-000002");
    assert_eq!((&checkpoint["type"], &checkpoint["title"]), (&json!("checkpoint"), &json!("Step 2.")));
    assert_eq!((&checkpoint["references"], &checkpoint["decay"]), (&json!(["evt-000001"]), &json!(1.0)));
    let source = row("talks");
    assert_eq!((&source["type"], &source["title"]), (&json!("source"), &json!("/")));
    assert_eq!((&source["line"], &source["decay"]), (&json!(2), &json!(1.0)));
}

#[test]
fn source_provider_status_and_path_are_fields_of_the_query_language() {
    let store = healthy().files().build(ROOT);
    for (query, ids) in [
        ("source:talks", vec!["evt-000002", "talks"]),
        ("status:passed", vec!["currentFocus", "talks"]),
        ("path:src/printer.rs", vec!["evt-000002"]),
        ("path:src/main.rs", vec!["project", "projectMap"]),
        ("provider:codex type:project", vec!["project"]),
        ("ref:talks", vec!["evt-000002"]),
    ] {
        assert_eq!(ids_of(&store, "list", query), ids, "{query}");
    }
}

#[test]
fn a_search_reads_every_text_but_no_hash_time_or_id_of_another() {
    let store = healthy().files().build(ROOT);
    let ids = |query: &str| ids_of(&store, "search", query);
    assert_eq!(ids("thicker"), ["evt-000002"]);
    assert_eq!(ids("slides type:nextSteps"), ["nextSteps.0"]);
    assert!(ids("券").len() >= 4);
    assert_eq!(ids("00ff"), Vec::<String>::new());
    assert_eq!(ids("\"2026-01-20T10\""), Vec::<String>::new());
}

#[test]
fn a_checkpoint_tells_what_changed_since_the_one_before_it_and_until_now() {
    let store = healthy()
        .bundle(&[("/project/summary", json!("A better kiosk.")), ("/nextSteps", json!([]))])
        .files()
        .build(ROOT);
    let store = loaded(&store);
    let facts = |id: &str| -> Vec<(String, String)> {
        let is = |index: &usize| store.id(&store.entries[*index]) == Some(id);
        let index = (0..store.entries.len()).find(is).unwrap();
        let told = store.facts_of(index as u32).filter(|(name, _)| *name != "changed");
        told.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let later = "nextSteps +0 −1 · project ~1";
    assert_eq!(facts("chk-000001"), [fact("until now", &format!("gotchas +1 −1 · {later}"))]);
    assert_eq!(facts("chk-000002"), [fact("since previous", "gotchas +1 −1"), fact("until now", later)]);
    assert_eq!(facts("chk-000003"), [fact("since previous", later), fact("until now", "no change")]);
    assert!(facts("project").contains(&fact("provider", "codex")));
}

/// Builds a store, and returns its problems.
fn after(files: &Files) -> (TempStore, Vec<Found>) {
    let store = files.build(ROOT);
    let found = problems(&store);
    (store, found)
}

#[test]
fn automation_is_left_alone_except_for_a_lock_whose_process_is_gone() {
    let files = |pid: u32| {
        healthy()
            .files()
            .with("automation/daemon.json", "{")
            .with("automation/runs/latest.json", "{")
            .with("automation/lock.json", json!({"pid": pid, "createdAt": WHEN}).to_string())
    };
    assert_eq!(after(&files(std::process::id())).1, []);
    assert_eq!(
        after(&files(2_000_000_000)).1,
        [found("stale-lock", "warning", "automation/lock.json", None)]
    );
    let (_, all) = after(&healthy().files().with("state.json.tmp", "{"));
    assert_eq!(all, [found("leftover-temp", "warning", "state.json.tmp", None)]);
}

#[test]
fn wide_modes_are_notes_for_the_store_lives_in_a_checkout() {
    let store = healthy().files().build(ROOT);
    store.chmod("state.json", 0o644);
    assert_eq!(problems(&store), [found("loose-permissions", "note", "state.json", None)]);
}

#[test]
fn stores_are_told_by_content_and_half_written_ones_by_their_place() {
    let of = |root: &str, files: &[(&str, &str)]| {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect();
        let store = TempStore::of_files(root, &files);
        let found = look_at(&store.path, None).found.map(|places| places[0].format);
        found.map_err(|why| why.to_string())
    };
    let event = archived_event("evt-000001");
    let state = String::from_utf8(healthy().files().build(ROOT).read("state.json")).unwrap();
    let large = state.replacen("Printing tickets.", &"x".repeat(40_000), 1);
    for (root, files) in [
        ("anywhere", [("history/events.jsonl", event.as_str())]),
        ("anywhere", [("state.json", &state)]),
        ("anywhere", [("state.json", &large)]),
        (ROOT, [("history/events.jsonl", "{\"id\":\"evt-0")]),
        (ROOT, [("state.json", "")]),
    ] {
        assert_eq!(of(root, &files), Ok("agent-memory"), "{root} {}", files[0].0);
    }
    for (root, files, why) in [
        (ROOT, vec![("state.json", "{\"agents\": [], \"turn\": 1}\n")], "another kind"),
        (ROOT, vec![("history/events.jsonl", "{\"event\":\"start\"}\n")], "another kind"),
        (ROOT, vec![("notes.md", "hello")], "no memory store"),
        ("anywhere", vec![("state.json", "")], "no memory store"),
    ] {
        let said = of(root, &files).unwrap_err();
        assert!(said.contains(why), "{root} {}: {said}", files[0].0);
    }
}

/// Loads a store made by the format's own tool, if it is there.
fn real(name: &str) -> Option<Store> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/real/agent-memory")).join(name);
    if !root.exists() {
        println!("skipped: absent");
        return None;
    }
    let places = look_at(&root, None).found.unwrap();
    let now = Moment::parse("2026-12-01T00:00:00Z").unwrap().0;
    Some(load(&places[0], Extent::All, None, now))
}

#[test]
fn stores_made_by_the_format_s_own_tool_load_whole_and_clean() {
    for (name, count) in [("init-only", 9), ("full-cycle", 50)] {
        let Some(store) = real(name) else { return };
        // The tool reports this too: no validation, and repositories and imports are not part of the copies.
        let is_told =
            |own: &Problem| own.message.contains("`validatedAt`") || own.code == Code::DanglingReference;
        let is_serious = |own: &&Problem| own.severity != Severity::Note && !is_told(own);
        let serious: Vec<_> = store.problems.iter().filter(is_serious).collect();
        assert!(serious.is_empty(), "{name}: {serious:?}");
        assert_eq!((store.entries.len(), store.count(State::Live)), (count, count), "{name}");
    }
}

#[test]
fn stores_made_by_the_format_s_own_tool_have_every_kind_of_record() {
    let Some(store) = real("full-cycle") else { return };
    let is = |kind: &str, entry| store.memory(entry).is_some_and(|view| view.kind() == kind);
    let counts = "project 1, projectMap 1, currentFocus 1, gotchas 5, nextSteps 8, validationCommands 1, \
        tool_run 5, imported_session 21, checkpoint 5, source 2";
    for (kind, expected) in counts.split(", ").map(|own| own.split_once(' ').unwrap()) {
        let count = store.entries.iter().filter(|entry| is(kind, entry)).count();
        assert_eq!(count.to_string(), expected, "{kind}");
    }
}

#[test]
fn what_changed_since_the_checkpoint_before_is_told_item_by_item() {
    let store = healthy().bundle(&[("/nextSteps", json!([]))]).files().build(ROOT);
    let facets = rows(&store, "show", "chk-000003")[0]["facets"].clone();
    let changed = facets.as_array().unwrap().iter().filter(|facet| facet[0] == "changed");
    assert_eq!(changed.map(|facet| &facet[1]).collect::<Vec<_>>(), ["− nextSteps  Oil the drawer"]);
}
