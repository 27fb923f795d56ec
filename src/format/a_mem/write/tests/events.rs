use super::*;

const EVENT: NewEvent<'_> = NewEvent {
    event_type: "agent.note \"x\"",
    status: "success",
    source: "palimp",
    trace_id: "t-1",
    metadata: Some("{\n  \"n\": 1.0, \"text\": \"a\\nb\"\n}"),
};

fn paths(held: &Held) -> [String; 2] {
    let lines = new_event(&held.parts(), EVENT, NOW).unwrap();
    assert_eq!(lines[0].1, lines[1].1);
    [0, 1].map(|at| lines[at].0.to_str().unwrap().to_owned())
}

#[test]
fn an_event_goes_where_the_store_has_its_events() {
    let (month, older) = ("events/2026-02/events.jsonl", "events/2025-01/events.jsonl");
    let (below, beside) = ("events/2026-02/traces/t-1.jsonl", "traces/t-1.jsonl");
    for (found, log, trace) in [
        (older, month, below),
        (&format!("{older} traces/t.jsonl"), month, beside),
        (&format!("{older} events/log.jsonl"), month, below),
        ("events/2025-11.jsonl", "events/2026-02.jsonl", beside),
        ("events/2025-11.jsonl events/script.jsonl traces/t.jsonl", "events/2026-02.jsonl", beside),
        ("events/events.jsonl", "events/events.jsonl", beside),
        ("events/log.jsonl", "events/log.jsonl", beside),
        ("events/log.jsonl events/traces/t.jsonl", "events/log.jsonl", "events/traces/t-1.jsonl"),
    ] {
        let held = found.split(' ').fold(Held::default(), |held, path| held.with(path, ""));
        assert_eq!(paths(&held), [log, trace], "{found}");
    }
    let held = Held { folders: vec!["events".into(), "events/2026-01".into()], ..Held::default() };
    assert_eq!(paths(&held)[0], month);
}

#[test]
fn values_that_the_format_does_not_have_are_refused() {
    let refused = |event: NewEvent<'_>| new_event(&Held::default().parts(), event, NOW).is_err();
    let long = "x".repeat(201);
    for trace_id in ["", ".", "..", "a/b", "a\\b", "/etc", "../x", "a\0", "a\nb", " a", "x.tmp.y", &long] {
        assert!(refused(NewEvent { trace_id, ..EVENT }), "{trace_id:?}");
    }
    for metadata in ["[]", "1", "{", "{} {}", "{\"a\": \"x\ny\"}", ""] {
        assert!(refused(NewEvent { metadata: Some(metadata), ..EVENT }), "{metadata:?}");
    }
    assert!(refused(NewEvent { status: "fine", ..EVENT }));
    assert!(refused(NewEvent { event_type: " ", ..EVENT }));
    assert!(refused(NewEvent { source: "", ..EVENT }));
}
