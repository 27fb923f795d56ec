//! Queries that are saved in a store: which ones run, in which order, and why others don't.

use serde_json::{Value, json};

use crate::support::{Files, Output, TempStore, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn event(id: &str, time: &str, status: &str, metadata: &Value) -> String {
    json!({"timestamp": time, "trace_id": format!("t-{id}"), "status": status, "schema_version": "1.0",
        "event_type": "gateway.tool_call", "source": "gateway", "event_id": id, "tags": ["ops", id],
        "metadata": metadata})
    .to_string()
        + "\n"
}

fn files() -> Files {
    let deploy = |millis: u64| json!({"tool_name": "chora:deploy", "duration_ms": millis, "cached": true});
    let events = [
        event("e1", "2026-01-20T09:00:00Z", "failure", &deploy(300)),
        event(
            "e2",
            "2026-01-28T23:30:00-02:00",
            "failure",
            &json!({"tool_name": "chora:Build", "error": null}),
        ),
        event("e3", "2026-01-29T01:00:00Z", "timeout", &deploy(20)),
        event("e4", "2026-01-31T10:00:00Z", "success", &deploy(1000)),
    ];
    let note = |id: &str, confidence: &str| {
        format!(
            "---\nid: {id}\ncreated: 2026-01-17T12:00:00Z\nupdated: 2026-01-17T12:00:00Z\ntags: [backend, {id}]\n\
             confidence: {confidence}\n---\n\n# About {id}\n\nWait longer.\n"
        )
    };
    let profile =
        json!({"agent_name": "claude-code", "last_active": "2026-01-30T00:00:00Z", "session_count": 3});
    Files::default()
        .with("events/2026-01/events.jsonl", events.concat())
        .with("knowledge/notes/slow.md", note("slow", "high"))
        .with("knowledge/notes/fast.md", note("fast", "low"))
        .with("profiles/claude-code.json", profile.to_string())
}

/// A store with a query named `own`.
fn store(sql: &str) -> TempStore {
    files().with("queries/own.sql", sql).build("memory")
}

fn search(store: &TempStore, words: &[&str]) -> Output {
    let own = ["search", "--json", "--now", NOW, "--store", store.path.to_str().unwrap()];
    run([&own[..], words].concat())
}

fn ids(output: &Output) -> String {
    let rows = output.json_lines();
    rows.iter().map(|row| row["id"].as_str().unwrap_or("?")).collect::<Vec<_>>().join(" ")
}

/// Returns what a query finds, in its order.
#[track_caller]
fn found(sql: &str) -> String {
    let output = search(&store(sql), &["--saved", "own"]);
    assert!(output.status < Some(2), "{sql}: {output:?}");
    ids(&output)
}

/// Like `found`, for a query without an order.
#[track_caller]
fn sorted(rest: &str) -> String {
    let found = found(&format!("SELECT * FROM events WHERE {rest}"));
    let mut ids: Vec<&str> = found.split(' ').collect();
    ids.sort_unstable();
    ids.join(" ")
}

/// Returns why a query is not run.
#[track_caller]
fn refused(sql: &str) -> String {
    let output = search(&store(sql), &["--saved", "own"]).expect_status(2);
    assert_eq!(output.stdout, "");
    output.stderr.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_saved_query_runs_with_its_order_and_its_limit() {
    let sql = "-- Failures of the last week\nSELECT * FROM events\nWHERE status IN ('failure', 'timeout')\n  \
        AND timestamp >= datetime('now', '-7 days')\nORDER BY timestamp DESC;\n";
    assert_eq!(found(sql), "e2 e3");
    assert_eq!(found("SELECT * FROM events ORDER BY metadata.duration_ms DESC LIMIT 2"), "e4 e1");
    assert_eq!(found("SELECT * FROM events ORDER BY metadata.duration_ms"), "e2 e3 e1 e4");
    assert_eq!(found("SELECT * FROM events ORDER BY metadata.duration_ms NULLS LAST"), "e3 e1 e4 e2");
    assert_eq!(found("SELECT * FROM events ORDER BY status, timestamp DESC LIMIT 3"), "e2 e1 e4");
    assert_eq!(
        found("SELECT event_id, timestamp AS at FROM events e WHERE e.status = 'failure' ORDER BY at"),
        "e1 e2"
    );
    assert_eq!(found("SELECT * FROM events LIMIT 0"), "");
}

#[test]
fn conditions_compare_as_sql_does() {
    for (condition, expected) in [
        ("status = 'failure'", "e1 e2"),
        ("status != 'failure' AND status <> 'success'", "e3"),
        ("NOT (status = 'failure' OR status = 'timeout')", "e4"),
        ("status = 'success' OR status = 'failure' AND metadata.duration_ms > 100", "e1 e4"),
        ("metadata.duration_ms BETWEEN 20 AND 300", "e1 e3"),
        ("metadata.duration_ms NOT BETWEEN 20 AND 300", "e4"),
        ("metadata.duration_ms < 300", "e3"),
        ("metadata.duration_ms >= '300'", "e1 e4"),
        ("metadata.duration_ms IS NULL", "e2"),
        ("metadata.error IS NOT NULL", ""),
        ("metadata.duration_ms != 20", "e1 e4"),
        ("metadata.cached", "e1 e3 e4"),
        ("metadata.cached = TRUE AND NOT status = 'success'", "e1 e3"),
        ("metadata.tool_name LIKE '%build'", "e2"),
        ("metadata.tool_name NOT LIKE 'chora:d_ploy'", "e2"),
        ("json_extract(metadata, '$.tool_name') = 'chora:Build'", "e2"),
        ("metadata->>'tool_name' = 'chora:Build'", "e2"),
        ("tags = 'e4' OR tags LIKE '%\"e1\"%'", "e1 e4"),
        ("event_id NOT IN ('e1', 'e2', 'e3')", "e4"),
        ("STATUS = 'timeout'", "e3"),
    ] {
        assert_eq!(sorted(condition), expected, "{condition}");
    }
}

#[test]
fn times_compare_as_times_whatever_their_zone() {
    for (condition, expected) in [
        ("timestamp > '2026-01-29T01:00:00Z'", "e2 e4"),
        ("timestamp < '2026-01-29'", "e1"),
        ("date(timestamp) = '2026-01-29'", "e2 e3"),
        ("timestamp >= date('now', '-1 day')", "e4"),
        ("datetime(timestamp) < datetime('now', '-1 month', '+20 days')", "e1"),
        ("timestamp > CURRENT_TIMESTAMP", ""),
        ("timestamp BETWEEN '2026-01-20' AND '2026-01-29T01:00:00Z'", "e1 e3"),
    ] {
        assert_eq!(sorted(condition), expected, "{condition}");
    }
}

#[test]
fn the_table_says_of_which_kind_records_are() {
    assert_eq!(found("SELECT id, confidence FROM notes WHERE confidence = 'high'"), "slow");
    assert_eq!(found("SELECT * FROM notes WHERE tags = 'backend' ORDER BY id"), "fast slow");
    assert_eq!(found("SELECT * FROM notes WHERE title LIKE '%about s%' OR body LIKE '%sooner%'"), "slow");
    assert_eq!(found("SELECT * FROM profiles WHERE session_count >= 3"), "claude-code");
    assert_eq!(found("SELECT * FROM \"Profiles\" WHERE session_count > 3"), "");
}

#[test]
fn what_is_not_supported_is_named_and_nothing_is_run() {
    for (sql, why) in [
        ("SELECT * FROM events e JOIN notes n ON n.id = e.id", "it has several tables (JOIN)"),
        ("SELECT * FROM events, notes", "it has several tables (JOIN)"),
        ("SELECT status FROM events GROUP BY status", "it has groups (GROUP BY)"),
        ("SELECT COUNT(*) FROM events", "it has the function count()"),
        ("SELECT * FROM events ORDER BY random()", "it has the function random()"),
        ("SELECT * FROM events WHERE id IN (SELECT id FROM notes)", "it has a query within the query"),
        ("SELECT * FROM (SELECT * FROM events)", "it has a query within the query"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "it has a query with a name of its own (WITH)"),
        ("SELECT * FROM events UNION SELECT * FROM notes", "it has several SELECTs (UNION)"),
        ("SELECT * FROM events; SELECT * FROM notes", "it has 2 statements"),
        ("-- nothing yet", "it has 0 statements"),
        ("DELETE FROM events", "it is no SELECT"),
        ("DROP TABLE events", "it is no SELECT"),
        ("SELECT * FROM events WHERE trace_id = :trace", "it has the parameter :trace"),
        ("SELECT * FROM events WHERE trace_id = ?", "it has the parameter ?"),
        ("SELECT * FROM events WHERE lower(status) = 'x'", "it has the function lower()"),
        ("SELECT * FROM events WHERE duration_ms * 2 > 1", "it has the operator *"),
        ("SELECT * FROM events WHERE t > now() - INTERVAL '7 days'", "it has the operator -"),
        ("SELECT * FROM events WHERE t > datetime('now', 'weekday 1')", "it moves a time by “weekday 1”"),
        ("SELECT DISTINCT status FROM events", "it has DISTINCT"),
        ("SELECT * FROM events LIMIT 5 OFFSET 2", "it has OFFSET"),
        ("SELECT * FROM events LIMIT -1", "it has a LIMIT that is no whole number"),
        ("SELECT * FROM events ORDER BY 1", "it has an ORDER BY without fields"),
        ("SELECT * FROM events FOR UPDATE", "it has a part besides WHERE, ORDER BY and LIMIT"),
        ("SELECT * FROM events TABLESAMPLE (5)", "it has a part besides WHERE, ORDER BY and LIMIT"),
        ("SELECT * FROM users", "there is no table “users”. The tables are events, notes, profiles."),
        ("SELECT 1", "it has no table (FROM)"),
        ("find slow ones", "it is no SQL that can be read ("),
    ] {
        let said = refused(sql);
        let expected = format!("palimp: The saved query “own” is not run: {why}");
        assert!(said.starts_with(&expected), "{sql}: {said}");
    }
}

#[test]
fn a_query_that_is_not_run_is_shown_and_can_t_write_to_the_terminal() {
    let output =
        search(&store("SELECT COUNT(*)\nFROM events -- \u{1b}[2J\n"), &["saved:own"]).expect_status(2);
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines[1].ends_with("    SELECT COUNT(*)") && lines[2].contains("    FROM events -- "),
        "{lines:?}"
    );
    assert!(!output.stderr.contains('\u{1b}'));
}

#[test]
fn queries_of_any_size_and_depth_are_refused_and_never_crash() {
    let chain = |sign: &str, count: usize| format!("SELECT * FROM events WHERE a = 1{}", sign.repeat(count));
    for sql in [
        chain(" AND a = 1", 100_000),
        chain("+1", 490),
        chain(" IS NULL", 400),
        format!("SELECT * FROM events WHERE {}a{}", "(".repeat(400), ")".repeat(400)),
        format!("SELECT * FROM events WHERE {} a", "NOT ".repeat(900)),
        format!("SELECT * FROM events WHERE a LIKE '{}'", "%a".repeat(200)),
    ] {
        refused(&sql);
    }
    assert_eq!(
        found(&chain(" OR status = 'failure'", 240)),
        found("SELECT * FROM events WHERE status = 'failure'")
    );
}

#[test]
fn saved_is_a_term_of_the_query_language_too() {
    let store = files()
        .with("queries/failures.sql", "SELECT * FROM events WHERE status = 'failure' ORDER BY timestamp")
        .with("queries/slow.sql", "SELECT * FROM events WHERE metadata.duration_ms > 500")
        .build("memory");
    let found = |words: &[&str]| ids(&search(&store, words));
    assert_eq!(found(&["saved:failures"]), "e1 e2");
    assert_eq!(found(&["saved:failures.sql"]), "e1 e2");
    assert_eq!(found(&["saved:failures", "since:-7d"]), "e2");
    assert_eq!(found(&["--saved", "failures", "build", "OR", "nothing"]), "e2");
    assert_eq!(found(&["saved:failures,slow", "sort:time"]), "e4 e2 e1");
    assert_eq!(found(&["saved:failures", "sort:time"]), "e2 e1");
    assert_eq!(found(&["type:event", "-saved:failures", "-saved:slow"]), "e3");
    assert_eq!(found(&["--saved", "failures", "-n", "1"]), "e1");
}

#[test]
fn a_name_that_none_has_names_those_that_are_there() {
    let store = store("SELECT * FROM events");
    let output = search(&store, &["--saved", "failures"]).expect_status(2);
    assert_eq!(output.stderr, "palimp: There is no saved query “failures”. The only one is own.\n");
    let none = files().build("memory");
    let output = search(&none, &["saved:x"]).expect_status(2);
    assert_eq!(output.stderr, "palimp: There is no saved query “x”. No store here has saved queries.\n");
    let two = files().with("queries/x.sql", "SELECT 1").with("queries/x.txt", "SELECT 2").build("memory");
    let output = search(&two, &["saved:x"]).expect_status(2);
    assert!(
        output.stderr.contains("several saved queries: queries/x.sql, queries/x.txt"),
        "{}",
        output.stderr
    );
}

#[test]
fn verbs_that_change_memories_do_nothing_with_a_query_that_is_not_run() {
    let store = store("SELECT COUNT(*) FROM events");
    let root = store.path.to_str().unwrap();
    for query in ["saved:own", "-saved:own"] {
        for verb in ["delete", "erase"] {
            let data = store.path.with_file_name("data");
            let data = ["--data-dir", data.to_str().unwrap(), "--now", NOW];
            let output = run([&[verb, "--yes", "--store", root, "--query", query], &data[..]].concat());
            assert!(output.expect_status(2).stderr.contains("is not run"), "{verb} {query}");
        }
    }
    let left = run(["export", "--format", "jsonl", "--store", root, "saved:own"]).expect_status(2);
    assert_eq!(left.stdout, "");
}
