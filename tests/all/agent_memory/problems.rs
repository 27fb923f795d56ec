//! The possible problems of a store, and their places.

use super::*;

#[test]
fn what_the_state_can_have_wrong_is_found_where_it_is() {
    let [checkpoint, recalled] = ["/maintenance/latestCheckpointId", "/maintenance/lastRecalledEventId"];
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
        (checkpoint, json!("chk-000009"), "dangling-reference", "error", "\"project\": {"),
        (recalled, json!("evt-000009"), "dangling-reference", "warning", "\"project\": {"),
        (checkpoint, json!("chk-000001"), "hash-mismatch", "warning", "\"latestCheckpointId\""),
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
        // The byte order mark belongs to the file.
        let raw = json!(content.trim_start_matches('\u{feff}'));
        assert_eq!((&broken[0]["raw"], &broken[0]["file"]), (&raw, &json!("state.json")));
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
    let (pathless, limit) = (json!({"id": "calls", "path": ""}), "backlogWarnThreshold");
    let config = |name: &str, value: Value| healthy().config(&format!("/recall/{name}"), value).files();
    let builder = |source: Value| AgentMemoryBuilder::new().source(json!({})).source(source).files();
    for (files, file, code, severity, text) in [
        (builder(failed), "sources.json", "sync-failed", "warning", "\"failed\""),
        (builder(pathless), "sources.json", "out-of-range", "error", "\"path\": \"\""),
        (builder(json!({})), "sources.json", "duplicate-id", "warning", "  {\n    \"createdAt\""),
        (healthy().files().with("sources.json", "[\n 7]"), "sources.json", "not-an-object", "error", "7"),
        (healthy().files().with("sources.json", "{}"), "sources.json", "bad-json", "error", "{"),
        (healthy().files().with("config.json", "{"), "config.json", "bad-json", "error", "{"),
        (config("policy", json!("all")), "config.json", "out-of-range", "error", "\"policy\""),
        (config(limit, json!("3")), "config.json", "wrong-type", "error", "\"backlogWarnThreshold\""),
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
    let elsewhere = crate::support::folder::new();
    let store = healthy().files().build(ROOT);
    let docs = store.around().join("docs");
    std::fs::rename(docs.join("agent-memory"), elsewhere.path().join("docs")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("docs"), docs.join("agent-memory")).unwrap();
    let codes: Vec<String> = problems(&store).into_iter().map(|one| one.0).collect();
    assert_eq!(codes, ["projection-stale"; 5]);
}
