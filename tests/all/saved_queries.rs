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
    let note = |id: &str, confidence: &str, strength: f64| {
        format!(
            "---\nid: {id}\ncreated: 2026-01-17T12:00:00Z\nupdated: 2026-01-17T12:00:00Z\ntags: [backend, {id}]\n\
             confidence: {confidence}\nstrength: {strength}\n---\n\n# About {id}\n\nWait longer.\n"
        )
    };
    let profile =
        json!({"agent_name": "claude-code", "last_active": "2026-01-30T00:00:00Z", "session_count": 3});
    Files::default()
        .with("events/2026-01/events.jsonl", events.concat())
        .with("knowledge/notes/slow.md", note("slow", "high", 0.2))
        .with("knowledge/notes/fast.md", note("fast", "low", 1.5))
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
    let by = "SELECT * FROM events ORDER BY metadata->>'duration_ms'";
    assert_eq!(found(&format!("{by} DESC LIMIT 2")), "e4 e1");
    assert_eq!(found(&format!("{by} DESC LIMIT 2 OFFSET 1")), "e1 e3");
    assert_eq!(found(by), "e2 e3 e1 e4");
    assert_eq!(found(&format!("{by} NULLS LAST")), "e3 e1 e4 e2");
    assert_eq!(found("SELECT * FROM events ORDER BY status, timestamp DESC LIMIT 3"), "e2 e1 e4");
    assert_eq!(
        found("SELECT event_id, timestamp AS at FROM events e WHERE e.status = 'failure' ORDER BY at"),
        "e1 e2"
    );
    assert_eq!(
        found("SELECT status, event_id FROM events WHERE status != 'timeout' ORDER BY 2 DESC"),
        "e4 e2 e1"
    );
    assert_eq!(found("SELECT * FROM events LIMIT 0"), "");
}

#[test]
fn conditions_compare_as_sql_does() {
    for (condition, expected) in [
        ("status = 'failure'", "e1 e2"),
        ("status != 'failure' AND status <> 'success'", "e3"),
        ("NOT (status = 'failure' OR status = 'timeout')", "e4"),
        ("status = 'success' OR status = 'failure' AND metadata->>'duration_ms' > 100", "e1 e4"),
        ("metadata->>'duration_ms' BETWEEN 20 AND 300", "e1 e3"),
        ("metadata->>'duration_ms' NOT BETWEEN 20 AND 300", "e4"),
        ("metadata->>'duration_ms' < 300", "e3"),
        ("metadata->>'duration_ms' * 2 >= 600", "e1 e4"),
        ("metadata->>'duration_ms' IS NULL", "e2"),
        ("metadata->>'error' IS NOT NULL", ""),
        ("metadata->>'duration_ms' != 20", "e1 e4"),
        ("metadata->>'cached'", "e1 e3 e4"),
        ("metadata->>'cached' = TRUE AND NOT status = 'success'", "e1 e3"),
        ("metadata->>'tool_name' LIKE '%build'", "e2"),
        ("metadata->>'tool_name' NOT LIKE 'chora:d_ploy'", "e2"),
        ("json_extract(metadata, '$.tool_name') = 'chora:Build'", "e2"),
        ("lower(metadata->>'tool_name') = 'chora:build'", "e2"),
        ("tags LIKE '%\"e1\"%'", "e1"),
        ("EXISTS (SELECT 1 FROM json_each(tags) WHERE value IN ('e1', 'e4'))", "e1 e4"),
        ("event_id IN (SELECT 'e' || session_count FROM profiles)", "e3"),
        ("event_id NOT IN ('e1', 'e2', 'e3')", "e4"),
        ("STATUS = 'timeout'", "e3"),
    ] {
        assert_eq!(sorted(condition), expected, "{condition}");
    }
    assert_eq!(
        found("SELECT * FROM events, json_each(tags) WHERE value IN ('e4', 'ops') ORDER BY id"),
        "e1 e2 e3 e4"
    );
}

#[test]
fn times_compare_as_times_whatever_their_zone() {
    for (condition, expected) in [
        ("timestamp > '2026-01-29T01:00:00Z'", "e2 e4"),
        ("timestamp < '2026-01-29'", "e1"),
        ("date(timestamp) = '2026-01-29'", "e2 e3"),
        ("timestamp >= date('now', '-1 day')", "e4"),
        ("timestamp >= datetime('now', 'localtime', '-2 days', 'start of day')", "e4"),
        ("datetime(timestamp) < datetime('now', '-1 month', '+20 days')", "e1"),
        ("datetime(timestamp) = '2026-01-29 01:30:00'", "e2"),
        ("strftime('%Y') - 2026 + unixepoch() = unixepoch(timestamp, '+26 hours')", "e4"),
        ("timestamp > CURRENT_TIMESTAMP", ""),
        ("CURRENT_DATE = '2026-02-01' AND status = 'success'", "e4"),
        ("timestamp BETWEEN '2026-01-20' AND '2026-01-29T01:00:00Z'", "e1 e3"),
    ] {
        assert_eq!(sorted(condition), expected, "{condition}");
    }
}

#[test]
fn the_table_says_of_which_kind_records_are() {
    assert_eq!(found("SELECT id, confidence FROM notes WHERE confidence = 'high'"), "slow");
    assert_eq!(found("SELECT * FROM notes WHERE strength < 0.25"), "slow");
    assert_eq!(found("SELECT * FROM notes WHERE tags LIKE '%\"backend\"%' ORDER BY id"), "fast slow");
    assert_eq!(found("SELECT * FROM notes WHERE title LIKE '%about s%' OR body LIKE '%sooner%'"), "slow");
    assert_eq!(found("SELECT * FROM profiles WHERE session_count >= 3"), "claude-code");
    assert_eq!(found("SELECT * FROM \"Profiles\" WHERE session_count > 3 OR preferences = 'x'"), "");
}

#[test]
fn one_memory_of_another_form_is_in_the_way_of_no_query() {
    let odd = event("e5", "yesterday", "it's \"odd\"; DROP TABLE events; --", &json!("{\"tool_name\":"))
        + &event("e6", "now", "failure", &json!({"palimp_row": 1, "a\"b": 2}))
        + "{\"Status\":\"timeout\",\"palimp_row\":0,\"order\":1,\"timestamp\":7,\"metadata\":null,\"event_id\":\"e7\"}\n";
    let with = |sql: &str| {
        let store = files()
            .with("events/2026-02/events.jsonl", odd.as_bytes())
            .with("queries/own.sql", sql)
            .build("memory");
        ids(&search(&store, &["--saved", "own"]))
    };
    assert_eq!(with("SELECT * FROM events WHERE metadata->>'tool_name' = 'chora:Build'"), "e2");
    assert_eq!(with("SELECT * FROM events WHERE status LIKE '%drop table%'"), "e5");
    assert_eq!(with("SELECT * FROM events WHERE status = 'timeout' ORDER BY event_id"), "e3 e7");
    assert_eq!(with("SELECT * FROM events WHERE timestamp < '2026-01-21' ORDER BY \"order\""), "e1 e7");
    assert_eq!(with("SELECT * FROM events WHERE date(timestamp) = '2026-02-01'"), "e6");
}

#[test]
fn what_is_not_supported_is_named_and_nothing_is_run() {
    for (sql, why) in [
        (
            "SELECT * FROM events e JOIN notes n ON n.id = e.id",
            "SQLite says “ambiguous column name: palimp_row”",
        ),
        ("SELECT * FROM events, notes", "SQLite says “ambiguous column name: palimp_row”"),
        ("SELECT status FROM (SELECT status FROM events)", "SQLite says “no such column: palimp_row”"),
        ("SELECT status FROM events GROUP BY status", "it has GROUP, which is not supported."),
        ("SELECT COUNT(*) FROM events", "SQLite says “not authorized to use function: COUNT”"),
        ("SELECT * FROM events ORDER BY random()", "SQLite says “not authorized to use function: random”"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "it is no SELECT"),
        ("SELECT * FROM events UNION SELECT * FROM notes", "it has UNION"),
        ("SELECT DISTINCT status FROM events", "it has DISTINCT"),
        ("SELECT * FROM events; SELECT * FROM notes", "SQLite says “Multiple statements provided”"),
        ("-- nothing yet", "it is no SELECT"),
        ("DELETE FROM events", "it is no SELECT"),
        ("DROP TABLE events", "it is no SELECT"),
        ("EXPLAIN SELECT * FROM events", "it is no SELECT"),
        ("SELECT * FROM events WHERE trace_id = :trace", "it has the parameter :trace"),
        ("SELECT * FROM events WHERE trace_id = ?", "it has the parameter ?"),
        ("SELECT * FROM events WHERE statsu = 'x'", "SQLite says “no such column: statsu”"),
        ("SELECT * FROM events WHERE status = \"timeout\"", "SQLite says “no such column: \"timeout\""),
        ("SELECT * FROM events WHERE metadata.cached", "SQLite says “no such column: metadata.cached”"),
        ("SELECT * FROM events LIMIT 'x'", "SQLite says “datatype mismatch”"),
        (
            "SELECT * FROM users",
            "SQLite says “no such table: users”. Its tables are events, notes, profiles.",
        ),
        ("SELECT * FROM events WHERE trace_id = $trace", "it has the parameter $trace"),
        ("SELECT 1", "it has no table (FROM)"),
        ("SELECT 1 /* FROM events", "it has no table (FROM)"),
        ("SELECT id FROM (SELECT 1 AS palimp_row, id FROM events)", "it has palimp_row"),
        ("SELECT id FROM (SELECT 1 AS 'Palimp_Row', id FROM events)", "it has palimp_row"),
        ("SELECT 1\0 FROM events", "it has palimp_row"),
        ("find slow ones", "it is no SELECT"),
        ("SELECT slow ones now FROM events", "SQLite says “near \"now\": syntax error”"),
    ] {
        let said = refused(sql);
        let expected = format!("palimp: The saved query “own” is not run: {why}");
        assert!(said.starts_with(&expected), "{sql}: {said}");
    }
}

#[test]
fn a_query_writes_nothing_and_reads_nothing_but_its_tables() {
    let place = store("").path.with_file_name("other.db");
    let file = place.to_str().unwrap();
    for sql in [
        &format!("ATTACH '{file}' AS other"),
        &format!("SELECT * FROM events; ATTACH '{file}' AS other"),
        &format!("SELECT * FROM events; VACUUM INTO '{file}'"),
        "PRAGMA query_only = 0",
        "SELECT * FROM events; PRAGMA temp_store_directory = '/'",
        "SELECT load_extension('x') FROM events",
        "SELECT readfile('/etc/passwd') FROM events",
        "SELECT writefile('x', 'y') FROM events",
        "SELECT fts3_tokenizer('simple') FROM events",
        "SELECT sqlite_version() FROM events",
        "SELECT 0 AS palimp_row, * FROM sqlite_schema",
        "SELECT 0 AS palimp_row FROM (SELECT 0 AS palimp_row FROM sqlite_schema)",
        "SELECT * FROM events WHERE id IN (SELECT name FROM pragma_database_list)",
        "SELECT * FROM events WHERE id IN (SELECT name FROM dbstat)",
        "SELECT * FROM events WHERE id IN (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n)",
    ] {
        refused(sql);
    }
    assert!(!place.exists());
}

#[test]
fn a_query_ends_whatever_it_asks_for() {
    let list = format!("json_each('[{}0]')", "0,".repeat(500));
    let long = refused(&format!(
        "SELECT * FROM events, {list} a, {list} b, {list} c WHERE a.value + b.value + c.value"
    ));
    assert!(long.ends_with("is not run: it takes too long."), "{long}");
    let (long, part) = ("printf('%.250000c', 'a')", "printf('%.120000c', 'a') || 'b'");
    search(&store(&format!("SELECT * FROM events WHERE instr({long}, {part})")), &["saved:own"])
        .expect_status(1);
    let large = refused("SELECT * FROM events WHERE length(format('%100000000d', 1)) > 1");
    assert!(large.contains("string or blob too big"), "{large}");
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
    let whole = |condition: &str| format!("SELECT * FROM events WHERE {condition}");
    for sql in [
        whole(&format!("status = 1{}", " AND status = 1".repeat(100_000))),
        whole(&format!("status = 1{}", "+1".repeat(490))),
        whole(&format!("status{}", " IS NULL".repeat(400))),
        whole(&format!("{}status{}", "(".repeat(4_000), ")".repeat(4_000))),
        whole(&format!("{}status", "NOT ".repeat(900))),
        whole(&format!("{}0{}", "CASE WHEN ".repeat(500), " THEN 1 END".repeat(500))),
        whole(&format!("{}1{}", "id IN (SELECT id FROM events WHERE ".repeat(400), ")".repeat(400))),
        whole(&format!("status LIKE '{}'", "%a".repeat(200))),
        format!("{}events{}", "SELECT * FROM (".repeat(1_000), ")".repeat(1_000)),
        format!("SELECT {} FROM events", vec!["*"; 7_000].join(",")),
        format!("SELECT * FROM {}", vec!["events"; 2_000].join(",")),
    ] {
        refused(&sql);
    }
    assert_eq!(
        found(&whole(&format!("status = 'failure'{}", " OR status = 'failure'".repeat(240)))),
        found(&whole("status = 'failure'"))
    );
}

#[test]
fn saved_is_a_term_of_the_query_language_too() {
    let store = files()
        .with("queries/failures.sql", "SELECT * FROM events WHERE status = 'failure' ORDER BY timestamp")
        .with("queries/slow.sql", "SELECT * FROM events WHERE metadata->>'duration_ms' > 500")
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
    assert_eq!(output.stderr, "palimp: There is no saved query “failures”. Saved here: own.\n");
    let none = files().build("memory");
    let output = search(&none, &["saved:x"]).expect_status(2);
    assert_eq!(output.stderr, "palimp: There is no saved query “x”. No store here has saved queries.\n");
    let two = files().with("queries/x.sql", "SELECT 1").with("queries/x.txt", "SELECT 2").build("memory");
    let output = search(&two, &["saved:x"]).expect_status(2);
    output.expect_stderr("several saved queries: queries/x.sql, queries/x.txt");
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
