//! Ranks as a user can check them with pencil and paper.

use crate::support;

use serde_json::{Value, json};
use support::{StoreBuilder, TempStore, run};

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
fn recency_falls_evenly_from_a_day_to_a_week() {
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(entry("a", "preference", "2026-01-28T00:00:00Z", 1.0, "x"))
        .build();
    assert!(close(&search(&store, &["x"], &[])[0]["explain"]["recency"], 1.25));
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
fn words_weigh_by_how_rare_they_are() {
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(entry("both", "preference", NOW, 1.0, "common words, rarely"))
        .entry(entry("one", "preference", NOW, 1.0, "common"))
        .entry(entry("other", "preference", NOW, 1.0, "something else"))
        .build();
    let rows = search(&store, &["common rare"], &[]);
    assert_eq!(rows.len(), 1);
    let (common, rare) = ((1.0 + 3.0 / 2.0_f64).ln(), (1.0 + 3.0_f64).ln());
    assert!(
        close(&rows[0]["explain"]["match"], (common * 1.0 + rare * 0.6) / (common + rare)),
        "{}",
        rows[0]
    );
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
