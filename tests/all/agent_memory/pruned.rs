//! Batches of pruned memories.

use super::*;

pub(super) fn batch(manifest: &Value, events: &str) -> Files {
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

pub(super) fn manifest() -> Value {
    json!({"createdAt": WHEN, "archivedEventIds": ["evt-000000"], "archivedCheckpointIds": ["chk-000000"],
        "historyMaxAgeDays": 90, "checkpointMaxAgeDays": 30, "keepRecent": 10, "expireAfterDays": 180})
}

pub(super) fn archived_event(id: &str) -> String {
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
