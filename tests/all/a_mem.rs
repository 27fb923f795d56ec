//! `a-mem` stores: events, traces, notes, profiles, queries (specification 5), and what real writers do.

use crate::support;

use std::path::Path;

use serde_json::{Value, json};
use support::files::{Found, assert_found_where_planted, assert_problem};
use support::{Files, TempStore, Verb, assert_untouched, gzip, problems, rows};

fn event(time: &str, trace: &str, kind: &str, status: &str) -> String {
    json!({"timestamp": time, "trace_id": trace, "status": status, "schema_version": "1.0",
        "event_type": kind, "source": "gateway", "metadata": {"tool_name": "deploy", "duration_ms": 12}})
    .to_string()
        + "\n"
}

fn events() -> [String; 3] {
    [
        event("2026-01-17T12:00:00.123456+00:00", "abc123", "agent.session_started", "success"),
        event("2026-01-17T12:00:01Z", "abc123", "gateway.tool_call", "failure"),
        event("2026-01-18T09:00:00Z", "def456", "gateway.tool_call", "success"),
    ]
}

const NOTE: &str = "---\nid: timeout-fix\ncreated: 2026-01-17T12:00:00Z\nupdated: 2026-01-17T14:30:00Z\n\
    tags: [backend, timeout]\nconfidence: high\nsource: agent-learning\nlinked_to: [trace-pattern]\n\
    status: validated\nauthor: claude-code\nrelated_traces: [abc123]\n---\n\n# Timeout fix\n\n\
    Wait longer, see [[trace-pattern]] and `[[no link]]`.\n";
const OTHER: &str = "---\nid: trace-pattern\ncreated: 2026-01-10T12:00:00Z\nupdated: 2026-01-10T12:00:00Z\n\
    tags: [backend]\nconfidence: low\nstatus: deprecated\n---\n# Traces\n";

pub fn healthy() -> Files {
    let [first, second, third] = events();
    let profile = json!({"agent_name": "claude-code", "agent_version": "1", "last_active": "2026-01-30T00:00:00Z",
        "session_count": 3, "capabilities": {"deploys": {"skill_level": "advanced", "successful_operations": 60,
            "failed_operations": 2, "learned_patterns": ["timeout-fix"]}}, "preferences": {"verbose": true}});
    let links = json!({"notes": [
        {"id": "timeout-fix", "outgoing_links": ["trace-pattern"], "incoming_links": [], "strength": 0.8},
        {"id": "trace-pattern", "outgoing_links": [], "incoming_links": ["timeout-fix"]}],
        "clusters": [{"name": "troubles", "notes": ["timeout-fix", "trace-pattern"]}]});
    let tags = json!({"tags": {"backend": {"note_count": 2, "notes": ["timeout-fix", "trace-pattern"]},
        "timeout": {"note_count": 1, "notes": ["timeout-fix"]}}});
    Files::default()
        .with("README.md", "# Memory")
        .with("events/2026-01/events.jsonl", format!("{first}{second}{third}"))
        .with("events/2026-01/traces/abc123.jsonl", format!("{first}{second}"))
        .with("events/2026-01/traces/def456.jsonl", &third)
        .with("knowledge/notes/timeout-fix.md", NOTE)
        .with("knowledge/notes/trace-pattern.md", OTHER)
        .with("knowledge/links.json", links.to_string())
        .with("knowledge/tags.json", tags.to_string())
        .with("profiles/claude-code.json", profile.to_string())
        .with("queries/failures.sql", "SELECT 1;\n")
}

fn ids(store: &TempStore, query: &str) -> Vec<String> {
    let name = |row: &Value| row["topic"].as_str().or(row["id"].as_str()).unwrap_or("?").to_owned();
    let mut ids: Vec<String> = rows(store, "search", query).iter().map(name).collect();
    ids.sort();
    ids
}

fn codes(files: &Files) -> Vec<Found> {
    problems(&files.build(".chora/memory"))
}

#[test]
fn a_healthy_store_is_clean_and_each_event_is_shown_once() {
    let store = healthy().build(".chora/memory");
    let before = support::Tree::of(&store.path);
    assert_eq!(problems(&store), []);
    assert_eq!(rows(&store, "list", "type:event").len(), 3);
    assert_eq!(rows(&store, "list", "").len(), 7);
    assert_untouched(&store.path, &before);
}

#[test]
fn an_event_that_only_its_trace_holds_is_shown_from_there_with_a_note() {
    let lone = event("2026-01-17T13:00:00Z", "abc123", "agent.session_ended", "success");
    let [first, second, _] = events();
    let files = healthy().with("events/2026-01/traces/abc123.jsonl", format!("{first}{second}{lone}{lone}"));
    let store = files.build(".chora/memory");
    assert_eq!(rows(&store, "list", "trace:abc123").len(), 4);
    let trace = "events/2026-01/traces/abc123.jsonl".to_owned();
    assert_eq!(problems(&store), [("count-mismatch".into(), "note".into(), trace, None)]);
}

#[test]
fn a_compressed_month_is_read_in_place() {
    let [first, second, third] = events();
    let log = format!("{first}{second}{third}");
    let files = healthy()
        .without("events/2026-01/events.jsonl")
        .with("events/2026-01/events.jsonl.gz", gzip(log.as_bytes()));
    let store = files.build(".chora/memory");
    let before = support::Tree::of(&store.path);
    assert_eq!(problems(&store), []);
    let found = rows(&store, "list", "topic:gateway.tool_call status:failure");
    assert_eq!(found[0]["file"], "events/2026-01/events.jsonl.gz");
    assert_eq!(found[0]["state"], "archived");
    assert_eq!(found[0]["raw"], second.trim_end());
    assert_eq!(found[0]["byte"], json!([first.len(), first.len() + second.len() - 1]));
    assert_untouched(&store.path, &before);
    let torn = files.with("events/2026-01/events.jsonl.gz", &gzip(log.as_bytes())[..40]);
    let torn = codes(&torn);
    assert!(torn.iter().any(|own| own.0 == "archive-broken" && own.1 == "error"), "{torn:?}");
}

#[test]
fn notes_profiles_and_queries_are_records_with_their_fields() {
    let store = healthy().build(".chora/memory");
    let note = &rows(&store, "show", "timeout-fix")[0];
    assert_eq!(
        (&note["type"], &note["title"], &note["importance"]),
        (&json!("note"), &json!("Timeout fix"), &json!(0.9))
    );
    assert_eq!((&note["tags"], &note["decay"]), (&json!(["backend", "timeout"]), &json!(1.0)));
    assert_eq!((&note["raw"], &note["byte"]), (&json!(NOTE), &json!([0, NOTE.len()])));
    assert_eq!(note["references"], json!(["trace-pattern", "abc123"]));
    let faded = &rows(&store, "show", "trace-pattern")[0];
    assert_eq!(faded["decay"], 0.1);
    let query = &rows(&store, "show", "failures")[0];
    assert_eq!((&query["type"], &query["text"]), (&json!("query"), &json!("SELECT 1;\n")));
    let profile = &rows(&store, "show", "claude-code")[0];
    assert!(profile["text"].as_str().unwrap().contains("deploys  ■■■□ advanced, 60 done, 2 failed"));
    for (query, found) in [
        ("confidence:high", vec!["timeout-fix"]),
        ("agent:claude-code", vec!["claude-code", "timeout-fix"]),
        ("skill:advanced", vec!["claude-code"]),
        ("cluster:troubles", vec!["timeout-fix", "trace-pattern"]),
        ("strength:>0.5", vec!["timeout-fix"]),
        ("trace:def456", vec!["gateway.tool_call"]),
        ("source:gateway status:failure", vec!["gateway.tool_call"]),
        ("ref:timeout-fix", vec!["agent.session_started", "claude-code", "trace-pattern"]),
    ] {
        assert_eq!(ids(&store, query), found, "{query}");
    }
}

#[test]
fn what_real_writers_do_otherwise_loads_and_is_a_note() {
    let flat = "{\"event_id\":\"evt-1\",\"timestamp\":\"2026-01-04T14:58:14.411364\",\"actor\":\"script\",\
        \"action\":\"run\",\"outcome\":\"success\"}\n\
        {\n  \"event_type\": \"milestone\",\n  \"timestamp\": \"2026-01-04T10:00:00Z\",\n  \"trace_id\": \"t\"\n}\n\
        {\"event_type\":\"done\",\"timestamp\":\"2026-01-04T10:00:00Z\",\"trace_id\":\"t\"}}\n";
    let summary = "{\"trace_id\":\"t\",\"start_time\":\"2026-01-04T10:00:00Z\",\"events\":[\"evt-1\"]}\n";
    let note = "---\ntitle: \"A: b\"\ncreated: 2026-01-06T10:00:00\ntags:\n  - one\n  - two\nstatus: baseline\nlinks:\n  - \"[[gone]]\"\nbad line\n---\nText\n";
    let files = Files::default()
        .with("events/2026-01.jsonl", flat)
        .with("events/2026-01.jsonl.backup", "{")
        .with("traces/t.jsonl", summary)
        .with("knowledge/plain-2026.md", note)
        .with("knowledge/naked.md", "# No front matter\n")
        .with("knowledge/tags.json", "{\"one\":[\"plain-2026.md\"],\"two\":[\"plain-2026.md\"]}")
        .with("profiles/agents/x.json", "{\"agent_name\":\"x\"}");
    let store = files.build(".chora/memory");
    let found = problems(&store);
    assert!(found.iter().all(|own| own.1 == "note"), "{found:?}");
    let at = |code: &str, file: &str, line: u64| assert_problem(&found, code, file, Some(line));
    at("missing-field", "events/2026-01.jsonl", 1);
    at("no-timezone", "events/2026-01.jsonl", 1);
    at("multi-line-record", "events/2026-01.jsonl", 2);
    at("extra-brace", "events/2026-01.jsonl", 7);
    at("bad-front-matter", "knowledge/plain-2026.md", 10);
    at("bad-front-matter", "knowledge/naked.md", 1);
    at("no-timezone", "knowledge/plain-2026.md", 3);
    at("out-of-range", "knowledge/plain-2026.md", 7);
    at("dangling-reference", "knowledge/plain-2026.md", 1);
    at("missing-field", "profiles/agents/x.json", 1);
    assert_eq!(rows(&store, "list", "type:event").len(), 4);
    assert_eq!(ids(&store, "tag:two"), ["plain-2026"]);
    assert_eq!(rows(&store, "show", "plain-2026")[0]["title"], "A: b");
}

#[test]
fn text_after_a_hash_is_a_comment_of_a_note_and_no_safe_fix_makes_it_text() {
    let note = "---\nid: cold-starts #kebab\ncreated: 2026-01-06T00:00:00Z\nupdated: 2026-01-06T00:00:00Z\ntags: [a]\n\
        confidence: high #checked\n---\n\nText.\n";
    let store = Files::default().with("knowledge/cold-starts.md", note).build(".chora/memory");
    let found = problems(&store);
    let faults: Vec<Option<u64>> =
        found.iter().filter(|own| own.0 == "bad-front-matter").map(|own| own.3).collect();
    assert_eq!(faults, [Some(2), Some(6)]);
    assert!(found.iter().all(|own| own.0 != "out-of-range"), "{found:?}");
    assert_eq!(ids(&store, "id:cold-starts"), ["cold-starts"]);
    let (root, data) = (store.path.to_str().unwrap(), crate::support::folder::new());
    let data = data.path().to_str().unwrap();
    Verb::new(["repair", "--all-safe", "--yes", "--store", root, "--data-dir", data]).run();
    assert_eq!(store.read("knowledge/cold-starts.md"), note.as_bytes());
}

#[test]
fn what_is_planted_is_found_in_its_file_and_line() {
    let log = "events/2026-01/events.jsonl";
    let note = "knowledge/notes/timeout-fix.md";
    let profile = "profiles/claude-code.json";
    let (tags, links) = ("knowledge/tags.json", "knowledge/links.json");
    let cases = [
        (log, "failure", "odd", "out-of-range", Some(2)),
        (log, "\"1.0\"", "\"7.0\"", "unsupported-version", Some(1)),
        (log, "12:00:01Z", "12:00:01", "no-timezone", Some(2)),
        (log, "12:00:01Z", "noon", "bad-timestamp", Some(2)),
        (log, "\"abc123\"}", "\"abc123\"", "torn-line", Some(1)),
        (note, "2026-01-17T12:00:00Z", "yesterday", "bad-timestamp", Some(3)),
        (note, "[trace-pattern]", "[gone]", "dangling-reference", Some(1)),
        (profile, "advanced", "wizard", "out-of-range", Some(1)),
        (profile, "\"session_count\":3", "\"session_count\":\"3\"", "wrong-type", Some(1)),
        (profile, "", "{\"agent_name\"", "bad-json", Some(1)),
        (tags, "\"timeout-fix\"]", "]", "index-stale", None),
        (tags, "", "{", "index-broken", Some(1)),
    ];
    assert_found_where_planted(".chora/memory", &healthy(), &cases);
    let twice = healthy().changed(note, "id: timeout-fix", "id: trace-pattern");
    assert_problem(&codes(&twice), "duplicate-id", "knowledge/notes/trace-pattern.md", Some(1));
    let bytes = healthy().with(note, b"---\nid: \xff\n---\n");
    assert_problem(&codes(&bytes), "invalid-utf8", note, Some(1));
    let unlinked =
        healthy().changed(links, "[\"trace-pattern\"]", "[]").changed(links, "[\"timeout-fix\"]", "[]");
    assert_problem(&codes(&unlinked), "index-stale", links, None);
}

#[test]
fn a_long_chain_a_cycle_and_a_note_that_links_to_itself_are_walked_in_time() {
    let mut files = Files::default();
    let mut log = String::new();
    for number in 0..1_000 {
        log +=
            &json!({"event_id": format!("e{number}"), "timestamp": "2026-01-01T00:00:00Z", "event_type": "x",
            "trace_id": "t", "events": [format!("e{}", (number + 1) % 1_000)]})
            .to_string();
        log.push('\n');
    }
    files = files.with("events/chain.jsonl", log);
    files = files.with("knowledge/self.md", "---\nid: self\ntags: [a]\n---\n[[self]] [[self]]\n");
    let store = files.build(".chora/memory");
    assert_eq!(rows(&store, "search", "ref:e0 depth:10000").len(), 999);
    assert_eq!(rows(&store, "search", "ref:self").len(), 0);
    assert_eq!(rows(&store, "show", "self")[0]["references"], json!(["self"]));
}

#[test]
fn aliases_in_front_matter_never_grow() {
    let mut note = String::from("---\nid: bomb\na: &a [x, x]\n");
    for letter in 'b'..='z' {
        let before = (letter as u8 - 1) as char;
        note += &format!("{letter}: &{letter} [*{before}, *{before}, *{before}]\n");
    }
    note += "tags: *z\n---\n# Bomb\n";
    let store = Files::default().with("knowledge/bomb.md", &note).build(".chora/memory");
    assert_eq!(rows(&store, "show", "bomb")[0]["raw"], note);
}

#[test]
fn stores_that_other_programs_wrote_load_whole() {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/a-mem");
    if !real.is_dir() {
        eprintln!("skipped: {} is not there", real.display());
        return;
    }
    let counted = |name: &str| {
        let path = real.join(name).join(".chora/memory");
        let path = path.to_str().unwrap();
        let check =
            support::run(["check", "--json", "--now", support::files::NOW, "--store", path]).json_lines();
        let list = ["list", "--json", "--all", "--now", support::files::NOW, "--store", path];
        let mut list = support::run(list).json_lines();
        // A memory that only a backup has is not a record of the store.
        list.retain(|row| row["state"] != "deleted");
        let of =
            |rows: &[Value], name: &str, value: &str| rows.iter().filter(|row| row[name] == value).count();
        let records = ["event", "note", "profile"].map(|kind| of(&list, "type", kind));
        let broken = of(&list, "state", "broken");
        let severities = ["error", "warning"].map(|severity| of(&check, "severity", severity));
        (records, broken, severities, of(&check, "code", "missing-field"), of(&check, "code", "extra-brace"))
    };
    assert_eq!(counted("own-writer"), ([229, 26, 2], 0, [0, 2], 0, 0));
    assert_eq!(counted("in-the-wild"), ([1029, 5, 0], 0, [0, 1], 4094, 2));
}

#[test]
fn a_byte_order_mark_is_a_note_in_every_file_that_may_have_one() {
    let with_mark = |text: &str| format!("\u{feff}{text}");
    for (path, content) in [("knowledge/notes/n.md", NOTE), ("queries/q.sql", "select 1")] {
        let files = healthy().with(path, with_mark(content));
        assert_problem(&codes(&files), "byte-order-mark", path, None);
    }
}

#[test]
fn an_event_is_shown_once_though_its_trace_spells_it_with_other_spaces() {
    let line = |number: u32| {
        format!(
            "{{\"timestamp\": \"2026-01-0{number}T10:00:00+00:00\", \"trace_id\": \"abc\", \"status\": \"success\", \
             \"schema_version\": \"1.0\", \"event_type\": \"a.b\", \"source\": \"x\", \"metadata\": {{\"note\": \"a, b: c\"}}}}\n"
        )
    };
    let other = |number: u32| line(number).replace("\": ", "\":").replace(", \"", ",\"");
    let one = line(1);
    let store = |trace: String| {
        let files = Files::default().with("events/2026-01/events.jsonl", format!("{one}{one}{}", line(2)));
        files.with("events/2026-01/traces/abc.jsonl", trace).build(".chora/memory")
    };
    for trace in [other(1) + &other(1) + &other(2), other(2) + &one + &other(1), other(1) + &line(2) + &one] {
        let store = store(trace);
        assert_eq!(rows(&store, "list", "type:event").len(), 3);
        assert!(problems(&store).iter().all(|own| own.0 != "count-mismatch"), "{:?}", problems(&store));
    }
    // Of three equal events in a trace the log has two.
    assert_eq!(rows(&store(other(1).repeat(3)), "list", "type:event").len(), 4);
    assert_eq!(rows(&store(other(3)), "list", "type:event").len(), 4);
}
