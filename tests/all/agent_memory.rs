//! `agent-memory` stores: a state, events, checkpoints, sources, archive batches, and what
//! is made from them in the repository around them (specification 3).

use crate::support;

use std::path::Path;

use palimp::model::{Code, Extent, Moment, Problem, Severity, State, Store};
use palimp::store::{Place, load, look_at};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::agent_memory::{WHEN, bundle, checkpoint, gotcha, pretty};
use support::files::NOW;
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
    load(&places[0], Extent::Whole, None, Moment::parse(NOW).unwrap().0)
}

/// A problem as (code, severity, file, line).
type Found = (String, String, String, Option<u64>);

fn found(code: &str, severity: &str, file: &str, line: impl Into<Option<u64>>) -> Found {
    (code.into(), severity.into(), file.into(), line.into())
}

/// The line of a file in which a text stands first.
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
        let mut found: Vec<String> =
            rows(&store, "list", query).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        found.sort();
        assert_eq!(found, ids, "{query}");
    }
}

#[test]
fn a_search_reads_every_text_but_no_hash_time_or_id_of_another() {
    let store = healthy().files().build(ROOT);
    let ids = |query: &str| -> Vec<String> {
        rows(&store, "search", query).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
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
        let is = |index: &usize| store.view(&store.entries[*index]).and_then(|v| v.id.as_deref()) == Some(id);
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

/// The problems of the healthy store with one file changed.
fn after(files: &Files) -> (TempStore, Vec<Found>) {
    let store = files.build(ROOT);
    let found = problems(&store);
    (store, found)
}

#[test]
fn what_the_state_can_have_wrong_is_found_where_it_stands() {
    let cases: &[(&'static str, Value, &str, &str, &str)] = &[
        ("/schemaVersion", json!(1), "unsupported-version", "warning", "\"schemaVersion\""),
        ("/generatorVersion", json!(" "), "out-of-range", "error", "\"generatorVersion\""),
        ("/generatedAt", json!("soon"), "bad-timestamp", "error", "\"generatedAt\""),
        ("/generatedAt", json!("2031-01-01T00:00:00Z"), "future-timestamp", "warning", "\"generatedAt\""),
        ("/provider", json!("codex"), "wrong-type", "error", "\"provider\""),
        ("/bundleHash", json!("00"), "hash-mismatch", "error", "\"bundleHash\""),
        ("/bundle/project/name", json!("till"), "hash-mismatch", "error", "\"bundleHash\""),
        ("/bundle/gotchas/1/cause", json!(""), "out-of-range", "error", "\"cause\": \"\""),
        ("/bundle/nextSteps/0", json!("Oil it"), "wrong-type", "error", "\"Oil it\""),
        ("/maintenance/historyEventCount", json!(9), "count-mismatch", "error", "\"historyEventCount\""),
        ("/maintenance/importSourceCount", json!(0), "count-mismatch", "error", "\"importSourceCount\""),
        ("/maintenance/importSourceCount", json!("1"), "wrong-type", "error", "\"importSourceCount\""),
        (
            "/maintenance/latestCheckpointId",
            json!("chk-000009"),
            "dangling-reference",
            "error",
            "\"project\": {",
        ),
        (
            "/maintenance/lastRecalledEventId",
            json!("evt-000009"),
            "dangling-reference",
            "warning",
            "\"project\": {",
        ),
        (
            "/maintenance/latestCheckpointId",
            json!("chk-000001"),
            "hash-mismatch",
            "warning",
            "\"latestCheckpointId\"",
        ),
    ];
    for (pointer, value, code, severity, text) in cases {
        let (store, all) = after(&healthy().state(pointer, value.clone()).files());
        let expected = found(code, severity, "state.json", line(&store, "state.json", text));
        assert!(all.contains(&expected), "{pointer}: {expected:?} not in {all:?}");
    }
}

#[test]
fn a_missing_member_is_a_problem_of_the_record_that_lacks_it() {
    let files = healthy().files().changed("state.json", "\"cause\": \"Age.\",", "");
    let (store, all) = after(&files);
    let place = line(&store, "state.json", "\"gotchas\"") + 1;
    assert!(all.contains(&found("missing-field", "error", "state.json", place)), "{all:?}");
    let row = rows(&store, "list", "id:gotchas.0").remove(0);
    assert_eq!(row["problems"], json!(["missing-field"]));
    assert_eq!(row["state"], "live");
}

#[test]
fn a_state_that_can_t_be_parsed_is_one_broken_record_with_its_bytes() {
    for content in ["{\"schemaVersion\": 2, \"bundle\": {\"gotchas\": [", "", "[]", "\u{feff}{]"] {
        let (store, all) = after(&healthy().files().with("state.json", content));
        assert!(all.iter().any(|one| one.0 == "bad-json" && one.2 == "state.json"), "{content}: {all:?}");
        let broken = rows(&store, "list", "is:broken");
        assert_eq!(broken.len(), 1, "{content}");
        assert_eq!((&broken[0]["raw"], &broken[0]["file"]), (&json!(content), &json!("state.json")));
        assert_eq!(rows(&store, "list", "type:tool_run").len(), 1);
    }
}

#[test]
fn a_state_without_a_bundle_and_items_that_are_strings_are_shown_all_the_same() {
    let (store, all) = after(&healthy().state("/bundle", json!(null)).files());
    assert!(all.iter().any(|one| one.0 == "wrong-type"));
    assert_eq!(rows(&store, "list", "type:state").len(), 1);
    let (store, _) = after(&healthy().state("/bundle/gotchas/0", json!("It \"sticks\"")).files());
    let row = rows(&store, "search", "sticks type:gotchas").remove(0);
    assert_eq!((&row["text"], &row["raw"]), (&json!("It \"sticks\""), &json!("\"It \\\"sticks\\\"\"")));
    let (store, _) = after(&healthy().state("/bundle/later", json!([{"id": "own", "title": "New"}])).files());
    assert_eq!(rows(&store, "list", "type:later").remove(0)["id"], "own");
}

#[test]
fn what_an_event_can_have_wrong_is_found_on_its_line() {
    for (event, code, severity) in [
        (json!({"kind": "daydream"}), "out-of-range", "error"),
        (json!({"summary": ""}), "out-of-range", "error"),
        (json!({"signals": {}}), "missing-field", "error"),
        (json!({"createdAt": "2026-01-20T10:00:00"}), "no-timezone", "warning"),
        (json!({"externalItemId": 7}), "wrong-type", "error"),
        (json!({"id": "event-3"}), "out-of-range", "error"),
        (json!({"id": "evt-000002"}), "duplicate-id", "warning"),
        (json!({"id": "evt-000000"}), "unexpected-place", "error"),
        (json!({"id": "evt-000009"}), "count-mismatch", "error"),
        (json!({"kind": "imported_session", "sourceId": "gone"}), "dangling-reference", "note"),
    ] {
        let (_, all) = after(&healthy().event(event.clone()).files());
        assert!(all.contains(&found(code, severity, EVENTS, 3)), "{event}: {all:?}");
    }
}

#[test]
fn gaps_are_fine_where_retention_is_enabled_and_lines_that_can_t_be_read_explain_them() {
    let gap = |builder: AgentMemoryBuilder| builder.event(json!({"id": "evt-000009"}));
    assert_eq!(after(&gap(healthy().config("/retention/enabled", json!(true))).files()).1, []);
    let files = healthy().event(json!({})).files();
    let torn = files.changed(EVENTS, "\"externalItemId\":\"one\",", "{");
    let (store, all) = after(&torn);
    let codes: Vec<&str> = all.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(codes, ["torn-line"], "{all:?}");
    assert_eq!(rows(&store, "list", "is:broken").len(), 1);
}

#[test]
fn what_a_checkpoint_can_have_wrong_is_found() {
    let with = |value: Value| healthy().files().with(CHECKPOINT, pretty(&value));
    let own = checkpoint(1, "evt-000001", &bundle());
    let changed = |name: &str, value: Value| {
        let mut checkpoint = own.clone();
        checkpoint[name] = value;
        with(checkpoint)
    };
    for (files, code, severity, text) in [
        (changed("bundleHash", json!("00")), "hash-mismatch", "error", "\"bundleHash\""),
        (changed("createdAt", json!(5)), "wrong-type", "error", "\"createdAt\""),
        (changed("id", json!("chk-000007")), "unexpected-place", "warning", "\"id\""),
        (changed("id", json!("first")), "out-of-range", "error", "\"id\""),
        (changed("id", json!("chk-000002")), "unexpected-place", "warning", "\"id\""),
        (changed("eventId", json!("evt-000077")), "dangling-reference", "warning", "{"),
        (changed("bundle", json!({})), "missing-field", "error", "\"bundle\""),
    ] {
        let (store, all) = after(&files);
        let expected = found(code, severity, CHECKPOINT, line(&store, CHECKPOINT, text));
        assert!(all.contains(&expected), "{expected:?} not in {all:?}");
    }
    let (store, all) = after(&healthy().files().with(CHECKPOINT, "{\"id\":"));
    assert_eq!(all, [found("bad-json", "error", CHECKPOINT, 1)]);
    assert_eq!(rows(&store, "list", "is:broken").remove(0)["raw"], "{\"id\":");
}

#[test]
fn what_the_sources_and_the_config_can_have_wrong_is_found() {
    let failed = json!({"id": "calls", "lastSyncStatus": "failed", "lastSyncError": "no such folder"});
    let builder = |source: Value| AgentMemoryBuilder::new().source(json!({})).source(source).files();
    for (files, file, code, severity, text) in [
        (builder(failed), "sources.json", "sync-failed", "warning", "\"failed\""),
        (
            builder(json!({"id": "calls", "path": ""})),
            "sources.json",
            "out-of-range",
            "error",
            "\"path\": \"\"",
        ),
        (builder(json!({})), "sources.json", "duplicate-id", "warning", "  {\n    \"createdAt\""),
        (healthy().files().with("sources.json", "[\n 7]"), "sources.json", "not-an-object", "error", "7"),
        (healthy().files().with("sources.json", "{}"), "sources.json", "bad-json", "error", "{"),
        (healthy().files().with("config.json", "{"), "config.json", "bad-json", "error", "{"),
        (
            healthy().config("/recall/policy", json!("all")).files(),
            "config.json",
            "out-of-range",
            "error",
            "\"policy\"",
        ),
        (
            healthy().config("/recall/backlogWarnThreshold", json!("3")).files(),
            "config.json",
            "wrong-type",
            "error",
            "\"backlogWarnThreshold\"",
        ),
    ] {
        let (store, all) = after(&files);
        let from = if code == "duplicate-id" { 11 } else { 0 };
        let expected = found(code, severity, file, line(&store, file, text) + from);
        assert!(all.contains(&expected), "{expected:?} not in {all:?}");
    }
}

#[test]
fn a_backlog_over_the_threshold_and_an_old_validation_are_warnings() {
    let events = |count| (0..count).fold(healthy(), |builder, _| builder.event(json!({})));
    assert_eq!(after(&events(1).files()).1, []);
    let (store, all) = after(&events(2).files());
    let place = line(&store, "state.json", "\"lastRecalledEventId\"");
    assert_eq!(all, [found("limit-exceeded", "warning", "state.json", place)]);
    assert_eq!(
        after(&events(2).state("/maintenance/lastRecalledEventId", json!("evt-000003")).files()).1,
        []
    );
    let old = [("/currentFocus/validationSnapshot/validatedAt", json!("2026-01-10T00:00:00Z"))];
    let (store, all) = after(&healthy().bundle(&old).files());
    let place = line(&store, "state.json", "\"validatedAt\"");
    assert_eq!(all, [found("out-of-range", "warning", "state.json", place)]);
}

#[test]
fn files_that_every_store_has_are_missed() {
    for (file, severity) in [
        ("state.json", "error"),
        (EVENTS, "warning"),
        ("sources.json", "warning"),
        ("config.json", "warning"),
    ] {
        let (_, all) = after(&healthy().files().without(file));
        assert!(all.contains(&found("missing-field", severity, file, None)), "{file}: {all:?}");
    }
}

#[test]
fn projections_and_the_entry_block_are_judged_by_their_markers() {
    let focus = "../docs/agent-memory/current-focus.md";
    let files = || healthy().files();
    for (files, code, file, at) in [
        (files().without(focus), "projection-stale", focus, None),
        (files().with(focus, "# Focus\n"), "projection-stale", focus, Some(1)),
        (files().changed(focus, "version=3", "version=2"), "projection-stale", focus, Some(1)),
        (files().changed(focus, "bundleHash=", "bundleHash=0"), "projection-stale", focus, Some(1)),
        (files().changed(focus, "file=current-focus", "file=gotchas"), "projection-stale", focus, Some(1)),
        (files().without("../AGENTS.md"), "entry-block-stale", "../AGENTS.md", None),
        (files().with("../AGENTS.md", "# Hello\n"), "entry-block-stale", "../AGENTS.md", None),
        (
            files().changed("../AGENTS.md", "bundleHash=", "bundleHash=0"),
            "entry-block-stale",
            "../AGENTS.md",
            Some(3),
        ),
        (files().changed("../AGENTS.md", "entry end", "entry"), "entry-block-stale", "../AGENTS.md", Some(3)),
    ] {
        assert_eq!(after(&files).1, [found(code, "warning", file, at)]);
    }
}

#[test]
fn projections_are_not_looked_for_around_a_copy_of_a_store() {
    let copy = healthy().files().build("copy-of-the-store");
    std::fs::remove_dir_all(copy.around().join("docs")).unwrap();
    assert_eq!(problems(&copy), []);
}

#[test]
fn a_projection_behind_a_link_that_leads_out_of_the_repository_is_not_read() {
    let elsewhere = tempfile::tempdir().unwrap();
    let store = healthy().files().build(ROOT);
    let docs = store.around().join("docs");
    std::fs::rename(docs.join("agent-memory"), elsewhere.path().join("docs")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("docs"), docs.join("agent-memory")).unwrap();
    let codes: Vec<String> = problems(&store).into_iter().map(|one| one.0).collect();
    assert_eq!(codes, ["projection-stale"; 5]);
}

fn batch(manifest: &Value, events: &str) -> Files {
    healthy()
        .config("/retention/enabled", json!(true))
        .files()
        .with("archive/prune-2026-01-21/manifest.json", pretty(manifest))
        .with("archive/prune-2026-01-21/events.jsonl", events)
        .with(
            "archive/prune-2026-01-21/checkpoints/chk-000000.json",
            pretty(&checkpoint(0, "evt-000000", &bundle())),
        )
}

fn manifest() -> Value {
    json!({"createdAt": WHEN, "archivedEventIds": ["evt-000000"], "archivedCheckpointIds": ["chk-000000"],
        "historyMaxAgeDays": 90, "checkpointMaxAgeDays": 30, "keepRecent": 10, "expireAfterDays": 180})
}

fn archived_event(id: &str) -> String {
    let event = json!({"id": id, "kind": "tool_run", "sourceId": "agent-memory.local", "externalItemId": null,
        "createdAt": WHEN, "contentHash": "0", "summary": "Long ago.", "sourceRef": "agent-memory:init",
        "signals": {"decisions": [], "gotchas": [], "nextStepHints": [], "keyPaths": [],
            "validationObservations": []}});
    format!("{event}\n")
}

#[test]
fn what_was_pruned_is_shown_as_archived_and_its_manifest_is_held_against_it() {
    let folder = "archive/prune-2026-01-21";
    let named = format!("{folder}/manifest.json");
    let (store, all) = after(&batch(&manifest(), &archived_event("evt-000000")));
    assert_eq!(all, []);
    let archived = rows(&store, "list", "is:archived");
    let mut ids: Vec<&str> = archived.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort();
    assert_eq!(ids, ["chk-000000", "evt-000000"]);
    let listed = run(["list", "--json", "--now", NOW, "--store", store.path.to_str().unwrap()]).json_lines();
    assert!(listed.iter().all(|row| row["state"] == "live"));
    let mut more = manifest();
    more["archivedEventIds"] = json!(["evt-000000", "evt-000900"]);
    let healthy_event = archived_event("evt-000000");
    for (files, code, severity, file) in [
        (batch(&more, &healthy_event), "archive-broken", "error", named.as_str()),
        (
            batch(&manifest(), &(healthy_event.clone() + &archived_event("evt-000500"))),
            "archive-broken",
            "warning",
            &named,
        ),
        (batch(&manifest(), &healthy_event).without(&named), "archive-broken", "warning", folder),
        (
            batch(&manifest(), &(healthy_event.clone() + &archived_event("evt-000001"))),
            "archive-broken",
            "warning",
            folder,
        ),
    ] {
        let (_, all) = after(&files);
        assert!(all.contains(&found(code, severity, file, None)), "{all:?}");
    }
    let (_, all) = after(&batch(&json!({"createdAt": WHEN}), &healthy_event));
    assert!(all.contains(&found("missing-field", "error", &named, 1)), "{all:?}");
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
        (ROOT, vec![("notes.md", "hello")], "no `state.json`"),
        ("anywhere", vec![("state.json", "")], "no `state.json`"),
    ] {
        let said = of(root, &files).unwrap_err();
        assert!(said.contains(why), "{root} {}: {said}", files[0].0);
    }
}

/// A store made by the format's own tool, if it is there.
fn real(name: &str) -> Option<Store> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/real/agent-memory")).join(name);
    if !root.exists() {
        println!("skipped: absent");
        return None;
    }
    let places = look_at(&root, None).found.unwrap();
    let now = Moment::parse("2026-12-01T00:00:00Z").unwrap().0;
    Some(load(&places[0], Extent::Whole, None, now))
}

#[test]
fn stores_made_by_the_format_s_own_tool_load_whole_and_clean() {
    for (name, count) in [("init-only", 9), ("full-cycle", 50)] {
        let Some(store) = real(name) else { return };
        // What that tool says of these copies too: no validation was run, and the repositories and
        // imports around them were left behind.
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
    let count = |kind: &str| {
        store.entries.iter().filter(|entry| store.view(entry).is_some_and(|view| view.kind == kind)).count()
    };
    for (kind, expected) in [
        ("project", 1),
        ("projectMap", 1),
        ("currentFocus", 1),
        ("gotchas", 5),
        ("nextSteps", 8),
        ("validationCommands", 1),
        ("tool_run", 5),
        ("imported_session", 21),
        ("checkpoint", 5),
        ("source", 2),
    ] {
        assert_eq!(count(kind), expected, "{kind}");
    }
}

proptest! {
    #![proptest_config(crate::support::tries::config(48, 768))]

    #[test]
    fn any_bytes_in_any_file_open(
        bytes in proptest::collection::vec(any::<u8>(), 0..120),
        at in 0.0..1.0_f64,
        which in 0..8_usize,
    ) {
        let file = ["state.json", EVENTS, CHECKPOINT, "sources.json", "config.json",
            "archive/prune-2026-01-21/manifest.json", "../AGENTS.md", "automation/lock"][which];
        let files = batch(&manifest(), &archived_event("evt-000000"));
        let store = files.with("automation/lock", "{}").build(ROOT);
        // The bytes alone, and in the midst of what stood there.
        let whole = store.read(file);
        let cut = (whole.len() as f64 * at) as usize;
        let place = Place { root: store.path.clone(), format: "agent-memory", session: None };
        for content in [bytes.clone(), [&whole[..cut], &bytes, &whole[cut..]].concat()] {
            store.write(file, &content);
            for extent in [Extent::Whole, Extent::Tail] {
                let store = load(&place, extent, None, Moment::parse(NOW).unwrap().0);
                for entry in &store.entries {
                    palimp::format::text_of(&store, entry);
                    palimp::format::searched_of(&store, entry);
                }
            }
        }
    }
}

#[test]
fn what_changed_since_the_checkpoint_before_is_told_item_by_item() {
    let store = healthy().bundle(&[("/nextSteps", json!([]))]).files().build(ROOT);
    let facets = rows(&store, "show", "chk-000003")[0]["facets"].clone();
    let changed: Vec<&str> = facets
        .as_array()
        .unwrap()
        .iter()
        .filter(|facet| facet[0] == "changed")
        .map(|facet| facet[1].as_str().unwrap())
        .collect();
    assert_eq!(changed, ["− nextSteps  Oil the drawer"]);
}
