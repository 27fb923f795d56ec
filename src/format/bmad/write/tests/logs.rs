//! New records, decay, compaction.

use super::*;
use crate::format::bmad::config::default_decay;

fn add(logs: &[LogBytes<'_>], draft: &RecordDraft<'_>) -> Result<Value, Refusal> {
    new_record(SESSION, logs, draft, &[], NOW).map(|(_, line)| value(&line))
}

const KINDS: [&str; 4] = ["conversation", "decision", "finding", "preference"];

#[test]
fn a_message_is_written_as_the_specification_prints_it() {
    let draft = RecordDraft {
        kind: "conversation",
        text: Some("Take PostgreSQL."),
        record: Some(
            "{\"role\": \"assistant\", \"own\": 1.50,\n \"context\": {\"conversation_id\" : \"conv-xyz\",\n \"topic\": \"database_selection\"},\n\"agent_id\":\"architect\",\"metadata\":{\"tokens\":15}}",
        ),
        ..RecordDraft::default()
    };
    let (_, line) = new_record(SESSION, &[], &draft, &[], NOW).unwrap();
    let expected = concat!(
        r#"{"id":"msg-001","timestamp":"2026-01-11T14:30:00.123Z","agent_id":"architect","role":"assistant","#,
        r#""content":"Take PostgreSQL.","context":{"conversation_id":"conv-xyz","topic":"database_selection"},"#,
        r#""metadata":{"tokens":15},"own":1.50,"decay_factor":1.0}"#,
        "\n"
    );
    assert_eq!(String::from_utf8(line).unwrap(), expected);
}

#[test]
fn the_next_id_is_behind_every_id_that_was_ever_given_and_as_wide() {
    let next = |log: &str, reserved: &[&str]| {
        let logs = logs_of([log.as_bytes(), b"", b"", b""]);
        let draft = RecordDraft { kind: "conversation", text: Some("x"), ..RecordDraft::default() };
        let (_, line) = new_record(SESSION, &logs, &draft, reserved, NOW).unwrap();
        value(&line)["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(next("", &[]), "msg-001");
    assert_eq!(next("{\"id\":\"msg-0007\"}\n{\"id\":\"msg-0003\"}\n", &[]), "msg-0008");
    assert_eq!(next("{\"id\":\"msg-999\"}\n", &[]), "msg-1000");
    assert_eq!(next("{\"id\":\"msg-abc\"}\n{\"id\":\"dec-050\"}\n{\"id\":7}\n", &[]), "msg-001");
    assert_eq!(next("{\"id\":\"msg-99999999999999999999\"}\n{\"id\":\"msg-002\"}\n", &[]), "msg-003");
    assert_eq!(next("{\"id\":\"msg-001\"}\n", &["msg-014"]), "msg-015");
    assert_eq!(next("{\"id\":\"msg-001\"}\n{\"id\":\"msg-002\",\"conte", &[]), "msg-003");
}

#[test]
fn a_draft_that_breaks_the_schema_is_refused() {
    let draft = |kind| RecordDraft { kind, text: Some("a: b"), ..RecordDraft::default() };
    let with = |kind, record: &'static str| RecordDraft { record: Some(record), ..draft(kind) };
    let refused = |draft: RecordDraft<'_>| why(add(&[], &draft));
    assert!(refused(draft("task")).starts_with("\"task\" is not a type of memory"));
    assert_eq!(refused(RecordDraft { text: Some(" \n"), ..draft("finding") }), "A finding needs a text.");
    let no_key = refused(RecordDraft { text: Some("https://x"), ..draft("preference") });
    assert!(no_key.starts_with("A preference needs a key"));
    assert_eq!(refused(with("decision", r#"{"decision":"c"}"#)), "decision is given twice.");
    for (kind, extra) in [
        ("preference", r#"{"confidence":1.5}"#),
        ("decision", r#"{"alternatives_considered":"none"}"#),
        ("finding", r#"{"status":3}"#),
        ("conversation", r#"{"timestamp":"2036-01-11T10:00:00Z"}"#),
        ("conversation", r#"{"timestamp":"2026-01-11T10:00:00"}"#),
        ("conversation", r#"{"id":null}"#),
    ] {
        assert!(refused(with(kind, extra)).starts_with("It would break the schema: "), "{extra}");
    }
    for id in ["", "../msg", "a b", "-x", ".."] {
        let extra = json!({ "id": id }).to_string();
        let bad = RecordDraft { record: Some(&extra), ..draft("finding") };
        assert!(refused(bad).starts_with(&format!("{id:?} can't be a memory's id")));
    }
    assert_eq!(refused(with("finding", "[1]")), "the memory is not a JSON object.");
}

#[test]
fn a_preference_may_take_its_key_from_elsewhere() {
    let draft = RecordDraft {
        kind: "preference",
        text: Some("concise: yes"),
        record: Some("{\"key\":\"style\"}"),
        ..RecordDraft::default()
    };
    assert_eq!(add(&[], &draft).unwrap()["value"], "concise: yes");
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn any_text_and_any_members_are_kept_or_refused(
        text: String, tag: String, agent: String, role: String, other in any_json(), log in any_log(), kind in 0..4_usize,
    ) {
        let mut record = json!({"own": other, "key": "k"});
        if kind < 3 {
            record[["agent_id", "made_by", "discovered_by"][kind]] = json!(agent);
        }
        if kind == 0 {
            record["role"] = json!(role);
            record["context"] = json!({ "topic": text });
        }
        let (record, tags) = (record.to_string(), [tag.clone()]);
        let draft = RecordDraft { kind: KINDS[kind], text: Some(&text), tags: &tags, record: Some(&record), ..RecordDraft::default() };
        let logs = logs_of([&log, &log, b"", &log]);
        match new_record(SESSION, &logs, &draft, &[], NOW) {
            Err(refused) => prop_assert_eq!(refused.message, format!("A {} needs a text.", KINDS[kind])),
            Ok((path, line)) => {
                prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
                let read = document(&path, &line);
                prop_assert_eq!(read.records.len(), 1);
                let memory = read.records[0].memory().unwrap();
                let id = format!("\"{}\"", memory.id().unwrap());
                let is_new = !String::from_utf8_lossy(&log).contains(&id);
                prop_assert!(is_new);
                let record = value(&line);
                prop_assert_eq!(&record["own"], &other);
                prop_assert_eq!(&record["tags"], &json!([tag]));
                prop_assert_eq!(&record[["content", "decision", "description", "value"][kind]], &json!(text));
            }
        }
    }
}

#[test]
fn a_decay_factor_is_the_model_s_with_its_boost() {
    let line = br#"{"id":"finding-001","timestamp":"2025-12-28T14:30:00.123456Z","severity":"critical","access_count":3}"#;
    let memory = view_of("findings.jsonl", line);
    assert!((factor(&memory, &default_decay(), NOW) - 0.5 * (1.0 + 0.3 + 0.2)).abs() < 1e-9);
    let undated = view_of("findings.jsonl", b"{}");
    assert_eq!(factor(&undated, &default_decay(), NOW), 0.1);
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn nothing_that_is_dropped_outranks_what_is_kept(
        entries in proptest::collection::vec((0..4_usize, -1.0..2.0_f64), 0..40), keep in 0.01..=1.0_f64,
    ) {
        let weighed: Vec<(&str, f64)> = entries.iter().map(|&(kind, relevance)| (KINDS[kind], relevance)).collect();
        let dropped = compaction(&weighed, keep);
        let most = weighed.len() - (weighed.len() as f64 * keep).floor() as usize;
        prop_assert!(dropped.len() <= most);
        for at in &dropped {
            prop_assert!(weighed[*at].0 != "preference");
            let kept = weighed.iter().enumerate().filter(|(other, own)| !dropped.contains(other) && own.0 != "preference");
            for (_, other) in kept {
                prop_assert!(other.1 >= weighed[*at].1);
            }
        }
    }
}
