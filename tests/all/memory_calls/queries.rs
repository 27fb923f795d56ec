//! Typed queries.

use palimp::memory::{MemoryQuery, Moment, New, Order};

use super::{Desk, KINDS, assert_refused};

/// A store with four memories, a day apart.
fn desk() -> Desk {
    let mut desk = Desk::of("session-log");
    let all: [(&str, &str, &str, &[&str], f64); 4] = [
        ("finding", "database pools are small", "2026-01-01", &["database", "pool"], 0.2),
        ("decision", "scale the database", "2026-01-02", &["database", "security.keys"], 0.9),
        ("decision", "keep keys short", "2026-01-03", &["security.keys", "old"], 0.6),
        ("preference", "short answers", "2026-01-04", &[], 0.7),
    ];
    for (kind, text, day, tags, importance) in all {
        let record = format!("{{\"timestamp\":\"{day}T12:00:00.000Z\"}}");
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        let (record, importance) = (Some(&*record), Some(importance));
        desk.add(New { kind, text, tags: &tags, importance, record, ..New::default() });
    }
    desk
}

fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap().0
}

fn found(desk: &mut Desk, query: MemoryQuery<'_>) -> Vec<String> {
    let found = desk.memory.query(query).unwrap();
    found.iter().map(|own| own.text.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn each_condition_of_a_query_must_hold() {
    let mut desk = desk();
    let by_age = MemoryQuery { order: Order::Oldest, ..MemoryQuery::default() };
    let (second, third) = (moment("2026-01-02T12:00:00Z"), moment("2026-01-03T12:00:00Z"));
    let cases: [(&str, MemoryQuery<'_>, &[&str]); 14] = [
        ("all", by_age, &["database", "scale", "keep", "short"]),
        ("kinds", MemoryQuery { kinds: &["decision", "preference"], ..by_age }, &["scale", "keep", "short"]),
        ("any tag", MemoryQuery { tags: &["pool", "old"], ..by_age }, &["database", "keep"]),
        ("tags below one", MemoryQuery { tags: &["security.*"], ..by_age }, &["scale", "keep"]),
        ("all tags", MemoryQuery { all_tags: &["database", "security.keys"], ..by_age }, &["scale"]),
        ("no tag", MemoryQuery { without_tags: &["old", "pool"], ..by_age }, &["scale", "short"]),
        ("topics", MemoryQuery { topics: &["pool"], ..by_age }, &["database"]),
        ("from", MemoryQuery { from: Some(third), ..by_age }, &["keep", "short"]),
        ("until", MemoryQuery { until: Some(second), ..by_age }, &["database", "scale"]),
        ("at", MemoryQuery { from: Some(second), until: Some(second), ..by_age }, &["scale"]),
        ("importance", MemoryQuery { min_importance: Some(0.7), ..by_age }, &["scale", "short"]),
        ("any word", MemoryQuery { text: "small answers", ..by_age }, &["database", "short"]),
        ("filter", MemoryQuery { filter: "keys -tag:database", ..by_age }, &["keep"]),
        (
            "several",
            MemoryQuery { kinds: &["decision"], tags: &["security.keys"], limit: Some(1), ..by_age },
            &["scale"],
        ),
    ];
    for (name, query, expected) in cases {
        assert_eq!(found(&mut desk, query), expected, "{name}");
        let whole = MemoryQuery { session: Some("sess_one"), ..query };
        assert_eq!(found(&mut desk, whole), expected, "{name}");
    }
}

#[test]
fn results_come_in_the_order_that_is_asked_for_and_a_limit_keeps_the_first_of_them() {
    let mut desk = desk();
    let orders: [(Order, &[&str]); 3] = [
        (Order::Time, &["short", "keep", "scale", "database"]),
        (Order::Oldest, &["database", "scale", "keep", "short"]),
        (Order::Importance, &["scale", "short", "keep", "database"]),
    ];
    for (order, expected) in orders {
        for limit in 1..=4 {
            let query = MemoryQuery { order, limit: Some(limit), ..MemoryQuery::default() };
            assert_eq!(found(&mut desk, query), expected[..limit], "{order:?} {limit}");
        }
    }
    let ranked = desk.memory.query(MemoryQuery { text: "database pools", ..MemoryQuery::default() }).unwrap();
    let ranks: Vec<f64> = ranked.iter().map(|own| own.rank.unwrap()).collect();
    assert!(ranks.len() == 2 && ranks[0] > ranks[1], "{ranks:?}");
    let query =
        MemoryQuery { text: "database pools", min_relevance: Some(ranks[0]), ..MemoryQuery::default() };
    assert_eq!(desk.memory.query(query).unwrap().len(), 1);
    assert_eq!(desk.memory.query("sort:oldest limit:1").unwrap()[0].text, "database pools are small");
}

#[test]
fn values_are_taken_as_they_are_whatever_signs_they_have() {
    let mut desk = Desk::of("session-log");
    for text in ["say \"when\" (or not)", "path C:\\new OR type:none", "-minus"] {
        desk.add_text(text);
        for word in text.split(' ') {
            let query = MemoryQuery { text: word, ..MemoryQuery::default() };
            let found = desk.memory.query(query).unwrap();
            assert!(found.iter().any(|own| own.text == text), "{word}");
        }
    }
    let query = MemoryQuery { tags: &["a\" OR type:\"finding", "\\"], ..MemoryQuery::default() };
    assert!(desk.memory.query(query).unwrap().is_empty());
}

#[test]
fn what_a_query_can_not_ask_for_is_refused_and_deletes_nothing() {
    let mut desk = desk();
    let wrong = [
        MemoryQuery { min_importance: Some(1.5), ..MemoryQuery::default() },
        MemoryQuery { min_importance: Some(f64::NAN), ..MemoryQuery::default() },
        MemoryQuery { min_relevance: Some(-1.0), ..MemoryQuery::default() },
        MemoryQuery { limit: Some(0), ..MemoryQuery::default() },
        MemoryQuery { filter: "(open", ..MemoryQuery::default() },
    ];
    for query in wrong {
        assert_refused(desk.memory.query(query), "E_INVALID_QUERY", "The query");
    }
    let elsewhere = MemoryQuery { session: Some("sess"), ..MemoryQuery::default() };
    assert_refused(desk.memory.query(elsewhere), "E_SESSION_NOT_FOUND", "sess");
    assert_refused(desk.memory.delete_matching(elsewhere, "mistake"), "E_SESSION_NOT_FOUND", "sess");
    let limited = MemoryQuery { limit: Some(2), ..MemoryQuery::default() };
    assert_eq!(desk.memory.delete_matching(limited, "mistake").unwrap(), 0, "a limit alone is no condition");
    assert_eq!(desk.memory.query("").unwrap().len(), 4);
}

#[test]
fn agents_are_asked_for_where_memories_have_one() {
    for (format, ..) in KINDS {
        let mut desk = Desk::of(format);
        let query = MemoryQuery { agents: &["architect"], ..MemoryQuery::default() };
        if format != "bmad" && format != "a-mem" {
            assert_refused(desk.memory.query(query), "E_INVALID_QUERY", "agent");
        } else {
            assert!(desk.memory.query(query).unwrap().is_empty());
        }
    }
    let mut desk = Desk::of("bmad");
    let record = Some(r#"{"made_by":"architect"}"#);
    desk.add(New { kind: "decision", text: "Use PostgreSQL", record, ..New::default() });
    desk.add(New { kind: "decision", text: "Use Redis", ..New::default() });
    let query = MemoryQuery { agents: &["analyst", "architect"], ..MemoryQuery::default() };
    assert_eq!(found(&mut desk, query), ["Use"]);
}

#[test]
fn references_are_followed_as_far_as_is_asked_for() {
    let mut desk = Desk::of("session-log");
    let first = desk.add_text("first");
    let after = |desk: &mut Desk, text, id: &str| {
        let record = format!("{{\"references\":[\"{id}\"]}}");
        desk.add(New { text, record: Some(&record), ..New::default() })
    };
    let second = after(&mut desk, "second", &first);
    after(&mut desk, "third", &second);
    let ids = [&*first];
    let query = MemoryQuery { references: &ids, order: Order::Oldest, ..MemoryQuery::default() };
    assert_eq!(found(&mut desk, query), ["second"]);
    assert_eq!(found(&mut desk, MemoryQuery { depth: 2, ..query }), ["second", "third"]);
}

#[test]
fn a_session_is_meant_by_its_very_name_alone() {
    let mut desk = Desk::of("session-log");
    for name in ["alice", "alic", "alice_b"] {
        desk.memory.create_session(Some(name), "tester").unwrap();
        let new = New { session: Some(name), kind: "finding", text: "a note", ..New::default() };
        desk.memory.add(&new).unwrap();
    }
    let query = MemoryQuery { session: Some("alice"), ..MemoryQuery::default() };
    let found = desk.memory.query(query).unwrap();
    let sessions: Vec<&str> = found.iter().filter_map(|own| own.session.as_deref()).collect();
    assert_eq!(sessions, ["alice"]);
    assert_eq!(desk.memory.delete_matching(query, "test").unwrap(), 1);
    let others = desk.memory.query("note").unwrap();
    assert_eq!(others.len(), 2);
}

#[test]
fn an_order_or_a_limit_alone_deletes_nothing() {
    let mut desk = desk();
    for query in ["", " ", "sort:time", "depth:3", "limit:1", "sort:importance limit:2"] {
        assert_eq!(desk.memory.delete_matching(query, "test").unwrap(), 0, "{query:?}");
    }
    assert_eq!(desk.memory.query("").unwrap().len(), 4);
}
