//! `redact`: replaces values in memories of every format, keeps the rest, and can be undone.

use serde_json::{Value, json};

use super::secrets::{found, record, token};
use crate::support::agent_memory::{AgentMemoryBuilder, hash};
use crate::support::files::LOGS;
use crate::support::tries::some;
use crate::support::{Desk, Output};

const NOTE: &str = "knowledge/notes/auth.md";
const LOG: &str = LOGS[1].1;

fn note() -> String {
    format!(
        "---\nid: auth\ncreated: 2026-01-20T10:00:00Z\nupdated: 2026-01-20T10:00:00Z\ntags: [a]\n---\n# Auth\n\nThe key:\n{}\nis old.\n",
        token()
    )
}

/// A store of each format that has memories which can be edited in a log or a note.
fn desks() -> Vec<(Desk, &'static str)> {
    let text = format!("before \"q\"\nthe key is {}, keep it", token());
    let mut all: Vec<_> = [LOGS[0], LOGS[1], LOGS[3]]
        .into_iter()
        .map(|(format, log)| (Desk::of_log(format, log, &format!("{}\n", record(format, &text))), log))
        .collect();
    all.push((Desk::of_log("a-mem", NOTE, &note()), NOTE));
    all
}

/// A session log of one memory with this finding.
fn log_of(finding: &str) -> Desk {
    Desk::of_log("session-log", LOG, &format!("{}\n", record("session-log", finding)))
}

/// Replaces a value of standard input, without questions.
fn redact(desk: &Desk, value: &str, words: &[&str]) -> Output {
    desk.fed(value, &[&["redact", "--value-from", "-", "--yes"], words].concat())
}

fn problems(desk: &Desk) -> Vec<Value> {
    let rows = desk.run(&["check", "--json"]).json_lines();
    rows.into_iter().map(|row| json!([row["code"], row["message"]])).collect()
}

/// Fails if a command printed a part of a value.
fn shows_nothing_of(shown: &Output, value: &str) {
    let part = &value[value.len() / 3..value.len() * 2 / 3];
    assert!(!shown.stdout.contains(part) && !shown.stderr.contains(part), "{}{}", shown.stdout, shown.stderr);
}

fn span_of(desk: &Desk) -> String {
    let span = &found(desk, &[])[0]["span"];
    format!("{}..{}", span[0], span[1])
}

#[test]
fn a_token_is_replaced_in_every_format_nothing_else_changes_and_undo_restores_every_byte() {
    for (number, style) in ["mask", "label", "pseudonym"].into_iter().enumerate() {
        for (desk, file) in some(desks(), &[number, number + 3]) {
            let (before, known) = (desk.text(file), problems(&desk));
            let shown = desk.run(&["redact", "--secrets", "--with", style, "--yes"]).expect_status(0);
            shows_nothing_of(&shown, &token());
            assert!(shown.stdout.contains("palimp erase"), "{}", shown.stdout);
            let after = desk.text(file);
            let with = match style {
                "mask" => "ghp_••••••",
                "label" => "[REDACTED:github-token]",
                _ => after.find("redacted-token-").map_or("?", |at| &after[at..at + 23]),
            };
            assert_eq!(after, before.replace(&token(), with), "{file}");
            let in_memories: Vec<Value> =
                found(&desk, &[]).into_iter().filter(|own| !own["key"].is_null()).collect();
            assert!(in_memories.is_empty(), "{file}: {in_memories:?}");
            let new: Vec<Value> = problems(&desk).into_iter().filter(|own| !known.contains(own)).collect();
            assert_eq!(new, Vec::<Value>::new(), "{file}");
            desk.run(&["undo", "--yes"]).expect_status(0);
            assert_eq!(desk.text(file), before, "{file}");
        }
    }
}

#[test]
fn a_right_checksum_is_renewed_and_a_wrong_one_stays_visible() {
    let desk = log_of("nothing yet");
    desk.run(&["add", "--session", "s", "--type", "finding", "--text", &format!("now {}", token()), "--yes"])
        .expect_status(0);
    let wrong = desk.text(LOG).lines().next().unwrap().to_owned();
    desk.run(&["redact", "--secrets", "--with", "mask", "--yes"]).expect_status(0);
    let after = desk.text(LOG);
    assert_eq!(after.lines().next().unwrap(), wrong);
    let codes: Vec<String> = problems(&desk).iter().map(|own| own[0].as_str().unwrap().to_owned()).collect();
    assert_eq!(codes.iter().filter(|code| *code == "checksum-mismatch").count(), 1, "{codes:?}");
}

#[test]
fn escapes_a_lone_surrogate_numbers_and_spaces_stay_as_they_are() {
    let line = [
        r#"{"id":"mem_1","session_id":"s",  "x":1.0,"timestamp":"2026-01-20T10:00:00Z","type":"finding","#,
        r#""content":{"finding":"a \u00e9 \ud800 \ud83d\ude00 \/ "#,
        &token().replacen('g', "\\u0067", 1),
        r#" \ud800\u0041 end"},"importance":0.50 }"#,
        "\n",
    ]
    .concat();
    let desk = Desk::of_log("session-log", LOG, &line);
    desk.run(&["redact", "mem_1", "--with", "label", "--yes"]).expect_status(0);
    let value = token().replacen('g', "\\u0067", 1);
    assert_eq!(desk.text(LOG), line.replace(&value, "[REDACTED:github-token]"));
    desk.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(desk.text(LOG), line);
    redact(&desk, &token(), &["mem_1", "--with", "label"]).expect_status(0);
    assert_eq!(desk.text(LOG), line.replace(&value, "[REDACTED:github-token]"));
}

#[test]
fn a_value_is_replaced_in_metadata_nested_objects_and_tags() {
    let value = "kingfisher-17";
    let line = format!(
        "{{\"id\":\"mem_1\",\"session_id\":\"s\",\"timestamp\":\"2026-01-20T10:00:00Z\",\"type\":\"finding\",\"content\":{{\"finding\":\"x\"}},\"importance\":0.5,\"tags\":[\"a\",\"{value}\"],\"metadata\":{{\"k\":[\"say {value}\",{{\"in\":\"{value}\"}}]}},\"extra\":\"{{\\\"q\\\":\\\"{value}\\\"}}\"}}\n"
    );
    let desk = Desk::of_log("session-log", LOG, &line);
    redact(&desk, value, &["mem_1", "--with", "pseudonym"]).expect_status(0);
    let after = desk.text(LOG);
    let at = after.find("redacted-value-").unwrap();
    assert_eq!(after, line.replace(value, &after[at..at + 23]));
    desk.run(&["undo", "--yes"]).expect_status(0);
    // A tag of this format has no brackets, so nothing of the memory is changed.
    let said = redact(&desk, value, &["mem_1", "--with", "label"]).expect_status(3);
    assert!(said.stderr.contains("mem_1") && said.stderr.contains("a tag has letters"), "{}", said.stderr);
    shows_nothing_of(&said, value);
    assert_eq!(desk.text(LOG), line);
}

#[test]
fn a_value_in_an_id_a_reference_a_name_or_a_number_is_refused_and_nothing_changes() {
    let value = "kingfisher-17";
    let base = json!({"id": "mem_1", "session_id": "s", "timestamp": "2026-01-20T10:00:00Z",
        "type": "finding", "content": {"finding": format!("also {value}")}, "importance": 0.5});
    let with = |name: &str, own: Value| {
        let mut line = base.clone();
        line[name] = own;
        line
    };
    for (line, why) in [
        (with("id", json!(format!("mem_{value}"))), "`id` names the memory"),
        (with("references", json!([value])), "`references` names other memories"),
        (with("metadata", json!({value: 1})), "the name of a field"),
    ] {
        let desk = Desk::of_log("session-log", LOG, &format!("{line}\n"));
        let key = desk.run(&["list", "--json"]).json_lines()[0]["key"].as_str().unwrap().to_owned();
        let said = redact(&desk, value, &[&key, "--with", "mask"]).expect_status(3);
        assert!(said.stderr.contains(why), "{}", said.stderr);
        shows_nothing_of(&said, value);
        assert_eq!(desk.text(LOG), format!("{line}\n"));
    }
    let line = with("metadata", json!({"n": 1_234_567_890_123_u64}));
    let desk = Desk::of_log("session-log", LOG, &format!("{line}\n"));
    redact(&desk, "1234567890123", &["--with", "mask"]).expect_status(3);
}

#[test]
fn a_refused_memory_is_left_out_by_name_and_the_others_are_redacted() {
    let line = |id: &str, reference: &str| {
        let own = json!({"id": id, "session_id": "s", "timestamp": "2026-01-20T10:00:00Z",
            "type": "finding", "content": {"finding": "say kingfisher-17"}, "references": [reference]});
        format!("{own}\n")
    };
    let lines = [line("mem_1", "mem_2"), line("mem_2", "kingfisher-17")].concat();
    let desk = Desk::of_log("session-log", LOG, &lines);
    redact(&desk, "kingfisher-17", &["--with", "mask"])
        .expect_status(0)
        .expect_stderr("left out: 1 of 2")
        .expect_stderr("mem_2");
    assert_eq!(desk.text(LOG), lines.replacen("kingfisher-17", "••••••", 1));
}

#[test]
fn a_note_keeps_its_id_its_links_and_the_form_of_its_front_matter() {
    let value = "kingfisher-17";
    let text = |front: &str, body: &str| {
        format!(
            "---\nid: auth\ncreated: 2026-01-20T10:00:00Z\nupdated: 2026-01-20T10:00:00Z\ntags: [a]\n{front}---\n# Auth\n\n{body}\n"
        )
    };
    for (front, body) in [
        ("author: planner\n", "say kingfisher-17 twice: kingfisher-17"),
        ("author: kingfisher-17 # kingfisher-17\n", "x"),
        ("author: 'kingfisher-17'\n", "x"),
    ] {
        let before = text(front, body);
        let desk = Desk::of_log("a-mem", NOTE, &before);
        redact(&desk, value, &["--with", "mask"]).expect_status(0);
        assert_eq!(desk.text(NOTE), before.replace(value, "••••••"));
    }
    // Without quotes, a label would be a list.
    let desk = Desk::of_log("a-mem", NOTE, &text("author: kingfisher-17\n", "x"));
    redact(&desk, value, &["--with", "label"]).expect_status(0);
    assert_eq!(desk.text(NOTE), text("author: \"[REDACTED]\"\n", "x"));
    for (front, body, why) in [
        ("linked_to: [kingfisher-17]\n", "x", "`linked_to` names other memories"),
        ("", "see [[kingfisher-17]]", "`[[link]]` names other memories"),
        ("author: \"kingfisher\\x2d17\"\n", "x", "escapes"),
        ("kingfisher-17: a\n", "x", "name of a field"),
    ] {
        let before = text(front, body);
        let desk = Desk::of_log("a-mem", NOTE, &before);
        let said = redact(&desk, value, &["auth", "--with", "mask"]).expect_status(3);
        assert!(said.stderr.contains("auth: ") && said.stderr.contains(why), "{}", said.stderr);
        shows_nothing_of(&said, value);
        assert_eq!(desk.text(NOTE), before);
    }
    let desk = Desk::of_log("a-mem", NOTE, &text("", "x").replace("id: auth", "id: kingfisher-17"));
    redact(&desk, value, &["--with", "mask"]).expect_status(3);
}

#[test]
fn parts_of_the_bundle_are_redacted_as_an_edit_makes_it() {
    let value = "kingfisher-17";
    let made = AgentMemoryBuilder::new().bundle(&[
        ("/gotchas/0/cause", json!(format!("The word is {value}."))),
        ("/nextSteps/0/why", json!(value)),
        ("/currentFocus/knownRisks/0", json!(format!("{value} \u{e9}"))),
    ]);
    let desk = Desk::of_files("agent-memory", ".agent-memory", &made.files().0);
    let (before, known) = (desk.text("state.json"), problems(&desk));
    let said = redact(&desk, value, &["--with", "mask"]).expect_status(0);
    shows_nothing_of(&said, value);
    assert!(said.stdout.contains("checkpoints"), "{}", said.stdout);
    let state: Value = serde_json::from_str(&desk.text("state.json")).unwrap();
    let bundle = &state["bundle"];
    assert_eq!(bundle["gotchas"][0]["cause"], "The word is ••••••.");
    assert_eq!(bundle["nextSteps"][0]["why"], "••••••");
    assert_eq!(bundle["currentFocus"]["knownRisks"][0], "•••••• \u{e9}");
    assert_eq!(state["bundleHash"], json!(hash(bundle)));
    for file in ["state.json", "history/checkpoints/chk-000003.json", "../docs/agent-memory/gotchas.md"] {
        assert!(!desk.text(file).contains(value), "{file}");
    }
    let event = desk.text("history/events.jsonl").lines().last().unwrap().to_owned();
    assert!(event.contains("redacted ") && !event.contains(value), "{event}");
    let new: Vec<Value> = problems(&desk).into_iter().filter(|own| !known.contains(own)).collect();
    assert_eq!(new, Vec::<Value>::new());
    desk.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(desk.text("state.json"), before);
    desk.fed(value, &["redact", "evt-000001", "--secrets", "--with", "mask", "--yes"]).expect_status(1);
}

#[test]
fn events_that_are_not_recalled_yet_do_not_bring_the_value_back() {
    let said = "The drawer sticks: kingfisher-17";
    let signals = json!({"decisions": [], "gotchas": [said, "Another: one"], "nextStepHints": [], "keyPaths": [],
        "validationObservations": []});
    let made = AgentMemoryBuilder::new()
        .event(json!({"signals": signals}))
        .bundle(&[("/gotchas/0/cause", json!("kingfisher-17"))]);
    let desk = Desk::of_files("agent-memory", ".agent-memory", &made.files().0);
    redact(&desk, "kingfisher-17", &["gotchas.0", "--with", "label"]).expect_status(0);
    let events = desk.text("history/events.jsonl");
    assert!(!events.contains("kingfisher") && events.contains("Another: one"), "{events}");
}

#[test]
fn profiles_and_saved_queries_are_redacted_and_events_are_refused() {
    let profile = "{\n  \"agent_id\": \"x\",\n  \"preferences\": {\"k\": \"say kingfisher-17\"}\n}\n";
    for (file, before) in
        [("profiles/x.json", profile), ("queries/q.sql", "-- kingfisher-17\nSELECT * FROM events\n")]
    {
        let desk = Desk::of_log("a-mem", file, before);
        redact(&desk, "kingfisher-17", &["--with", "label"]).expect_status(0);
        assert_eq!(desk.text(file), before.replace("kingfisher-17", "[REDACTED]"));
        desk.run(&["undo", "--yes"]).expect_status(0);
        assert_eq!(desk.text(file), before);
    }
    for (format, log) in [LOGS[2], LOGS[4]] {
        let desk = Desk::of_log(format, log, &format!("{}\n", record(format, &token())));
        let before = desk.text(log);
        desk.run(&["redact", "--secrets", "--with", "mask", "--yes"]).expect_status(3).expect_stderr("event");
        assert_eq!(desk.text(log), before);
    }
}

#[test]
fn memories_in_a_packed_archive_stay_and_are_counted() {
    let two: Vec<_> = ["s", "t"]
        .iter()
        .map(|name| {
            let line = format!("{}\n", record("bmad", &token()));
            (format!("sessions/{name}/conversation.jsonl").into(), line.into_bytes())
        })
        .collect();
    let desk = Desk::of_files("bmad", "own", &two);
    desk.run(&["session", "archive", "t", "--yes"]).expect_status(0);
    let said = desk.run(&["redact", "--secrets", "--with", "mask", "--yes"]).expect_status(0);
    assert!(said.stderr.contains("left out: 1 of 2") && said.stderr.contains("archive"), "{}", said.stderr);
    assert!(desk.text("sessions/s/conversation.jsonl").contains("ghp_••••••"));
}

#[test]
fn a_span_counts_as_secrets_prints_it_and_only_that_range_is_replaced_once() {
    let line = record("session-log", &format!("first {0} then {0} end", token()));
    for lead in [
        "",
        "  ",
        "\t   ",
        "\0\0",
        "{\"id\":\"mem_0\",\"session_id\":\"s\",\"timestamp\":\"2026-01-20T10:00:00Z\",\"type\":\"finding\",\"content\":{\"finding\":\"first\"}}",
    ] {
        let before = format!("{lead}{line}\n");
        let desk = Desk::of_log("session-log", LOG, &before);
        let span = span_of(&desk);
        desk.run(&["redact", "mem_1", "--span", &span, "--with", "label", "--yes"]).expect_status(0);
        assert_eq!(desk.text(LOG), before.replacen(&token(), "[REDACTED:github-token]", 1), "{lead:?}");
    }
    let desk = Desk::of_log("a-mem", NOTE, &note());
    let span = span_of(&desk);
    desk.run(&["redact", "auth", "--span", &span, "--with", "label", "--yes"]).expect_status(0);
    assert_eq!(desk.text(NOTE), note().replace(&token(), "[REDACTED:github-token]"));
    let desk = Desk::of_log("a-mem", NOTE, &note());
    let said = desk.run(&["redact", "auth", "--span", "0..7", "--with", "mask", "--yes"]).expect_status(3);
    assert!(said.stderr.contains("Name the line"), "{}", said.stderr);
    desk.run(&["redact", "auth", "--span", "11:0..2", "--with", "mask", "--yes"]).expect_status(0);
    assert_eq!(desk.text(NOTE), note().replace("is old", "•••••• old"));
}

#[test]
fn a_span_that_cuts_something_or_is_no_text_is_refused() {
    let line = "{\"id\":\"mem_1\",\"session_id\":\"s\",\"timestamp\":\"2026-01-20T10:00:00Z\",\"type\":\"finding\",\"content\":{\"finding\":\"a \\u00e9 \\ud83d\\ude00 é b\"}}\n";
    let desk = Desk::of_log("session-log", LOG, line);
    let at = |text: &str| line.find(text).unwrap();
    let emoji = at("\\ud83d");
    for (start, end) in [
        (at("\\u00e9") + 1, at("\\u00e9") + 6),
        (at("a \\u"), at("\\u00e9") + 3),
        (emoji, emoji + 6),
        (emoji + 6, emoji + 12),
        (at("é b") + 1, at("é b") + 3),
        (at("\"a \\u"), at("\\u00e9")),
        (at("finding\":\"a"), at("finding\":\"a") + 7),
        (at("mem_1"), at("mem_1") + 5),
        (2, line.len() + 9),
    ] {
        let span = format!("{start}..{end}");
        let said =
            desk.run(&["redact", "mem_1", "--span", &span, "--with", "mask", "--yes"]).expect_status(3);
        assert!(said.stderr.contains("Nothing"), "{}", said.stderr);
        assert_eq!(desk.text(LOG), line);
    }
    let span = format!("{emoji}..{}", emoji + 12);
    desk.run(&["redact", "mem_1", "--span", &span, "--with", "mask", "--yes"]).expect_status(0);
    assert_eq!(desk.text(LOG), line.replace("\\ud83d\\ude00", "••••••"));
}

#[test]
fn nothing_that_is_printed_shows_the_value() {
    let value = "kingfisher-seventeen-blue";
    let desk = log_of(&format!("the words are {value}, and nothing else"));
    for words in [&["--dry-run"][..], &["--dry-run", "--json"], &[], &["--json", "--yes"]] {
        let all = [&["redact", "mem_1", "--value-from", "-", "--with", "mask"][..], words].concat();
        shows_nothing_of(&desk.fed(value, &all), value);
    }
    desk.run(&["undo", "--yes"]).expect_status(0);
    let said = redact(&desk, value, &["mem_1", "--with", "mask"]).expect_status(0);
    shows_nothing_of(&said, value);
    assert!(said.stderr.contains("redacted \"the words are ••••••"), "{}", said.stderr);
    shows_nothing_of(&desk.run(&["journal"]), value);
    shows_nothing_of(&desk.run(&["journal", "--json"]), value);
    // A kind that titles show otherwise.
    let desk = log_of("ask ada.lovelace@example.org first");
    for words in [&["--dry-run"][..], &["--yes"]] {
        let all = [&["redact", "--only", "email", "--with", "label"][..], words].concat();
        shows_nothing_of(&desk.run(&all), "ada.lovelace@example.org");
    }
}

#[test]
fn a_pseudonym_is_the_same_for_the_same_value_however_it_is_chosen() {
    let line = |id: &str, who: &str| {
        record("session-log", &format!("asked {who}@example.org")).replace("mem_1", id) + "\n"
    };
    let lines = [line("mem_1", "ada"), line("mem_2", "bob"), line("mem_3", "ada")].concat();
    let desk = Desk::of_log("session-log", LOG, &lines);
    let names = || -> Vec<String> {
        let after = desk.text(LOG);
        after.split("redacted-email-").skip(1).map(|rest| rest[..8].to_owned()).collect()
    };
    desk.run(&["redact", "--only", "email", "--with", "pseudonym", "--yes"]).expect_status(0);
    let all = names();
    assert!(all.len() == 3 && all[0] == all[2] && all[0] != all[1], "{all:?}");
    desk.run(&["undo", "--yes"]).expect_status(0);
    redact(&desk, "ada@example.org", &["--with", "pseudonym"]).expect_status(0);
    assert_eq!(names(), [all[0].clone(), all[0].clone()]);
    desk.run(&["undo", "--yes"]).expect_status(0);
    let span = span_of(&desk);
    desk.run(&["redact", "mem_1", "--span", &span, "--with", "pseudonym", "--yes"]).expect_status(0);
    assert_eq!(names(), [all[0].clone()]);
}

#[test]
fn a_false_alarm_stays() {
    let desk = log_of("asked ada@example.org and bob@example.org");
    let finding = found(&desk, &[])[0]["finding"].as_str().unwrap().to_owned();
    desk.run(&["secrets", "--triage", &format!("{finding}=no")]).expect_status(0);
    desk.run(&["redact", "--secrets", "--with", "label", "--yes"]).expect_status(0);
    assert!(desk.text(LOG).contains("asked ada@example.org and [REDACTED:email]"), "{}", desk.text(LOG));
}

#[test]
fn values_from_standard_input_are_redacted_and_no_more() {
    let text = "the code word is kingfisher-17 or kingfisher-17-b, and kingfishers are birds";
    let desk = log_of(text);
    let before = desk.text(LOG);
    redact(&desk, "kingfisher-17\n", &["--with", "label"]).expect_status(0);
    assert_eq!(desk.text(LOG), before.replace("kingfisher-17", "[REDACTED]"));
    desk.run(&["undo", "--yes"]).expect_status(0);
    let both = "kingfisher-17\0kingfisher-17-b\0";
    desk.fed(both, &["redact", "--values-from", "-", "--with", "mask", "--yes"]).expect_status(0);
    assert!(desk.text(LOG).contains("is •••••• or ••••••, and kingfishers"), "{}", desk.text(LOG));
    for words in [&["mem_1"][..], &["--query", "type:finding"], &[]] {
        let all = [&["redact"][..], words, &["--value-from", "-", "--with", "mask", "--yes"]].concat();
        desk.fed("not in any memory", &all).expect_status(1).expect_stderr("no memory has such a value");
    }
}

#[test]
fn only_chosen_memories_are_redacted_and_deleted_ones_are_counted() {
    let line = |id: &str| record("session-log", "say kingfisher-17").replace("mem_1", id) + "\n";
    let lines = [line("mem_1"), line("mem_2"), line("mem_3")].concat();
    let desk = Desk::of_log("session-log", LOG, &lines);
    desk.run(&["delete", "mem_3", "--yes"]).expect_status(0);
    redact(&desk, "kingfisher-17", &["mem_1", "--with", "mask"]).expect_status(0);
    assert_eq!(desk.text(LOG), lines.replacen("kingfisher-17", "••••••", 1));
    redact(&desk, "kingfisher-17", &["--with", "mask"])
        .expect_status(0)
        .expect_stderr("1 memory with such a value, deleted or broken");
    assert_eq!(desk.text(LOG), lines.replacen("kingfisher-17", "••••••", 2));
}

#[test]
fn a_short_value_and_one_that_many_memories_have_are_refused_before_anything_happens() {
    let lines: String = (0..40)
        .map(|n| {
            record("session-log", "deployed by the pipeline").replace("mem_1", &format!("mem_{n}")) + "\n"
        })
        .collect();
    let desk = Desk::of_log("session-log", LOG, &lines);
    for (value, why) in
        [("short", "under 8"), ("the pipeline", "40 of 40"), ("\n\n\n\n\n\n\n\n\n\n", "under 8")]
    {
        for verb in [&["redact", "--with", "mask"][..], &["erase"]] {
            let words = [verb, &["--value-from", "-", "--yes"]].concat();
            desk.fed(value, &words).expect_status(3).expect_stderr(why).expect_stderr("Nothing was changed");
        }
    }
    assert_eq!(desk.text(LOG), lines);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let desk = log_of(&token());
    let before = desk.text(LOG);
    let value = ["--value-from", "-"];
    for words in [
        &["--with", "mask"][..],
        &["mem_1", "--with", "hide"],
        &["mem_1", "--secrets", "--with", "mask", value[0], value[1]],
        &["mem_1", "--only", "token", "--with", "mask", value[0], value[1]],
        &["mem_1", "--only", "token", "--with", "mask", "--values-from", "-"],
        &["mem_1", "--values-from", "-", "--with", "mask", value[0], value[1]],
        &["mem_1", "--span", "1..2", "--secrets", "--with", "mask"],
        &["mem_1", "--span", "1..2", "--only", "token", "--with", "mask"],
        &["mem_1", "--span", "1..2", "--with", "mask", value[0], value[1]],
        &["mem_1", "mem_2", "--span", "1..2", "--with", "mask"],
        &["--span", "1..2", "--with", "mask"],
        &["--span", "2..1", "mem_1", "--with", "mask"],
        &["mem_1", "--secrets"],
    ] {
        desk.fed(&token(), &[&["redact"][..], words, &["--yes"]].concat()).expect_status(2);
    }
    assert_eq!(desk.text(LOG), before);
}
