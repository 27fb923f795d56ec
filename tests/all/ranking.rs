//! Ranks that a user can verify by hand.

use crate::support;

use serde_json::{Value, json};
use support::{Files, StoreBuilder, TempStore, run};

const NOW: &str = "2026-02-01T00:00:00Z";

fn search(store: &TempStore, query: &[&str], args: &[&str]) -> Vec<Value> {
    let always = ["search", "--explain", "--json", "--now", NOW, "--store", store.path.to_str().unwrap()];
    run([&always[..], args, query].concat()).expect_status(0).json_lines()
}

fn close(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-9)
}

fn entry(id: &str, kind: &str, when: &str, importance: f64, text: &str) -> Value {
    json!({"id": id, "type": kind, "timestamp": when, "importance": importance, "content": {"message": text}})
}

#[test]
fn the_product_is_importance_times_decay_times_recency_times_match() {
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(entry("week", "conversation", "2026-01-25T00:00:00Z", 0.8, "pooling of connections"))
        .entry(entry("day", "decision", "2026-01-31T12:00:00Z", 0.5, "a pool"))
        .entry(entry("old", "finding", "2025-01-01T00:00:00Z", 0.9, "pool"))
        .entry(entry("pref", "preference", "2020-01-01T00:00:00Z", 0.3, "carpool"))
        .build();
    let rows = search(&store, &["pool"], &[]);
    let expected = [
        ("day", 0.5 * 0.5_f64.powf(12.0 / 720.0) * 1.5 * 1.0),
        ("week", 0.8 * 0.5 * 1.0 * 0.6),
        ("pref", 0.3 * 1.0 * 1.0 * 0.4),
        ("old", 0.9 * 0.1 * 1.0 * 1.0),
    ];
    let mut sorted = expected;
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, sorted.map(|(id, _)| id));
    for (row, (id, rank)) in rows.iter().zip(sorted) {
        assert!(close(&row["rank"], rank) && close(&row["explain"]["rank"], rank), "{id}: {rank} {row}");
        let product: f64 = ["importance", "decay", "recency", "match"]
            .iter()
            .map(|name| row["explain"][name].as_f64().unwrap())
            .product();
        assert!((product - rank).abs() < 1e-9);
    }
}

#[test]
fn the_weighted_sum_adds_text_time_importance_and_access() {
    let store = StoreBuilder::memory_server()
        .learning(
            json!({"content": "retry with jitter", "importance": "high", "created_at": "2026-01-18T00:00:00Z",
            "accessed_at": "2026-01-31T04:00:00Z"}),
        )
        .build();
    let row = &search(&store, &["jitter"], &["--ranking", "weighted"])[0];
    let (decay, access) = (0.5, (-0.05_f64 * 20.0).exp());
    assert!(close(&row["rank"], 0.4 + 0.3 * decay + 0.2 * 0.9 + 0.1 * access), "{row}");
    assert!(close(&row["explain"]["access"], access) && close(&row["explain"]["weights"]["text"], 0.4));
}

#[test]
fn the_stores_own_config_and_the_sessions_metadata_set_decay() {
    let types = json!({"conversation": {"half_life_hours": 24}, "preference": {"half_life_hours": 48}});
    let config = json!({"decay": {"type_specific": types, "min_decay_factor": 0.05}});
    let two_days = "2026-01-30T00:00:00Z";
    let of = |session: Value, config: Value, kind: &str| {
        let store = StoreBuilder::session_log()
            .config(config)
            .session("s")
            .metadata("decay_config", session)
            .entry(entry("a", kind, two_days, 1.0, "x"))
            .build();
        search(&store, &["x"], &[])[0]["decay"].as_f64().unwrap()
    };
    let as_created = || json!({"enabled": true, "half_life_hours": 168, "min_decay_factor": 0.05});
    assert!((of(as_created(), config.clone(), "conversation") - 0.25).abs() < 1e-9);
    assert!((of(as_created(), config.clone(), "preference") - 0.5).abs() < 1e-9);
    let own = json!({"enabled": true, "half_life_hours": 96, "min_decay_factor": 0.05});
    assert!((of(own, config.clone(), "conversation") - 0.5_f64.sqrt()).abs() < 1e-9);
    assert_eq!(of(json!({"enabled": false}), config, "conversation"), 1.0);
    let off = json!({"decay": {"enabled": false}});
    assert_eq!(of(as_created(), off, "conversation"), 1.0);
}

#[test]
fn what_is_pinned_or_kept_until_a_later_day_does_not_fade_and_then_it_does() {
    let tagged = |id: &str, tag: &str| {
        let mut own = entry(id, "conversation", "2025-06-01T00:00:00Z", 0.4, "pool");
        own["tags"] = json!([tag]);
        own
    };
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(tagged("pinned", "pinned"))
        .entry(tagged("today", "keep-until.2026-02-01"))
        .entry(tagged("over", "keep-until.2026-01-31"))
        .entry(tagged("plain", "keep"))
        .build();
    let found = search(&store, &["pool"], &[]);
    let decays: Vec<(&str, f64)> =
        found.iter().map(|own| (own["id"].as_str().unwrap(), own["decay"].as_f64().unwrap())).collect();
    for (id, decay) in [("pinned", 1.0), ("today", 1.0), ("over", 0.1), ("plain", 0.1)] {
        assert!(decays.contains(&(id, decay)), "{decays:?}");
    }
    let always = ["compact", "--yes", "--now", NOW, "--store", store.path.to_str().unwrap()];
    run(always).expect_status(0);
    let log = store.text("sessions/s/memory.jsonl");
    let stays = |id: &str| log.contains(&format!("\"id\":\"{id}\""));
    assert!(stays("pinned") && stays("today") && !stays("over") && !stays("plain"), "{log}");
}

#[test]
fn no_rule_of_age_or_rank_takes_what_is_pinned_away() {
    let learning = |id: &str, tags: Value| {
        json!({"id": id, "type": "learning", "content": "Old", "category": "fact",
            "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z",
            "accessed_at": "2025-01-01T00:00:00Z", "access_count": 0, "tags": tags, "importance": "low",
            "archived": false})
    };
    let store = StoreBuilder::memory_server()
        .learning(learning("550e8400-e29b-41d4-a716-446655440001", json!(["pinned"])))
        .learning(learning("550e8400-e29b-41d4-a716-446655440002", json!([])))
        .build();
    run(["maintain", "--yes", "--now", NOW, "--store", store.path.to_str().unwrap()]).expect_status(0);
    let left = store.text("learnings.jsonl");
    assert!(left.contains("440001") && !left.contains("440002"), "{left}");

    let message = |number: usize, tags: Value| {
        json!({"id": format!("msg-{number:03}"), "timestamp": "2025-01-11T10:00:00Z", "agent_id": "a",
            "role": "user", "content": "Old", "tags": tags, "decay_factor": 1.0})
    };
    let log: String = (0..10)
        .map(|number| message(number, if number == 9 { json!(["pinned"]) } else { json!([]) }))
        .map(|own| format!("{own}\n"))
        .collect();
    let folder = "sessions/sess-2025-01-11-abc123";
    let store = Files::default()
        .with(&format!("{folder}/conversation.jsonl"), &log)
        .with(&format!("{folder}/manifest.json"), r#"{"session_id":"sess-2025-01-11-abc123"}"#)
        .with("config.json", r#"{"memory_config":{"version":"1.0"}}"#)
        .build(".bmad/memory");
    run(["compact", "--yes", "--now", NOW, "--store", store.path.to_str().unwrap()]).expect_status(0);
    let left = store.text(format!("{folder}/conversation.jsonl"));
    assert!(left.contains("msg-009") && !left.contains("msg-008"), "{left}");
}
