//! The fixes of a memory of which little is left: its text and its times.

use palimp::check::findings;
use palimp::model::Code;
use palimp::ops::repair::{FixChoice, ProblemFix};

use super::*;

/// A memory of each format, in the order of `LOGS`, with members in its writers' order. `TEXT` is the place of its text.
const MEMORIES: [&str; 5] = [
    r#"{"id":"2","type":"learning","created_at":"2026-01-20T10:35:00Z","content":"TEXT","updated_at":"2026-01-20T10:35:00Z","accessed_at":"2026-01-20T10:35:00Z","access_count":1,"importance":"high","tags":["a"]}"#,
    r#"{"id":"mem_2","session_id":"s","timestamp":"2026-01-20T10:35:00Z","type":"conversation","content":{"role":"user","message":"TEXT"},"importance":0.5,"tags":["a"]}"#,
    r#"{"id":"evt-000002","kind":"tool_run","sourceId":null,"createdAt":"2026-01-20T10:35:00Z","summary":"TEXT","signals":{},"sourceRef":null}"#,
    r#"{"id":"msg-002","timestamp":"2026-01-20T10:35:00Z","agent_id":"dev","role":"user","content":"TEXT","metadata":{}}"#,
    r#"{"timestamp":"2026-01-20T10:35:00.000001+00:00","trace_id":"t","status":"success","event_type":"TEXT","source":"x","schema_version":"1.0","metadata":{}}"#,
];

/// Returns the fixes of the torn last line of a log, and the log after each of them.
fn proposed((format, log): (&'static str, &'static str), lines: &[u8]) -> Vec<(ProblemFix, Vec<u8>)> {
    let store = load(&[(log, lines)], format);
    let all = findings(&store);
    let torn = all.iter().find(|own| own.problem.code == Code::TornLine);
    let torn = torn.or_else(|| all.iter().find(|own| own.problem.code == Code::NulBytes));
    let torn = torn.unwrap_or_else(|| panic!("{format}: {}", String::from_utf8_lossy(lines)));
    let after = |at: usize| {
        let which = RepairTarget::Chosen(vec![(torn.key.clone(), FixChoice::Number(at + 1))]);
        let (after, _) = repaired_log(format, log, lines, &which);
        assert_ne!(after, lines, "{format}");
        after
    };
    let fixes = on_bench(&store, |bench| bench.fixes(torn.problem));
    fixes.into_iter().enumerate().map(|(at, own)| (own, after(at))).collect()
}

fn first_line(number: usize) -> String {
    let other = MEMORIES[number].replace("TEXT", "some other words").replace("10:35", "09:00");
    let other = other.replace("\"2\"", "\"1\"").replace("mem_2", "mem_1").replace("evt-000002", "evt-000001");
    other.replace("msg-002", "msg-001") + "\n"
}

fn count(bytes: &[u8], part: &[u8]) -> usize {
    memchr::memmem::find_iter(bytes, part).count()
}

#[test]
fn what_has_no_text_left_is_never_proposed_first_nor_called_whole_in_any_format() {
    for (number, memory) in MEMORIES.into_iter().enumerate() {
        let at = memory.find("TEXT").unwrap();
        for cut in memory.find(':').unwrap() + 1..=at {
            let lines = format!("{}{}", first_line(number), &memory[..cut]);
            let all = proposed(LOGS[number], lines.as_bytes());
            let (first, after) = &all[0];
            let told = format!("{} {cut}: {}: {}", LOGS[number].0, first.title, first.reason);
            assert_eq!(String::from_utf8_lossy(after), first_line(number), "{told}");
            assert!(all.iter().all(|(own, _)| !own.reason.starts_with("All fields")), "{told}");
            let lost = all.iter().filter(|(own, _)| own.title.contains("salvaged"));
            lost.for_each(|(own, _)| assert!(own.reason.contains("Nothing is left of its text"), "{own:?}"));
            // The text of the previous memory is not copied into it.
            assert!(all.iter().all(|(_, own)| count(own, b"some other words") <= 1), "{told}");
        }
    }
}

#[test]
fn what_has_some_of_its_text_is_proposed_first_and_ends_its_line() {
    for (number, memory) in MEMORIES.into_iter().enumerate() {
        let memory = memory.replace("TEXT", "the pool has twenty connections");
        let at = memory.find("twenty").unwrap();
        for (cut, end) in [(at, ""), (at + 3, ""), (at, "\0\0"), (at, "\n"), (at, " \0")] {
            let lines = format!("{}{}{end}", first_line(number), &memory[..cut]);
            let all = proposed(LOGS[number], lines.as_bytes());
            let salvaged = all.iter().find(|(own, _)| own.title.contains("salvaged")).unwrap();
            assert!(
                salvaged.1.ends_with(b"}\n"),
                "{}: {:?}",
                LOGS[number].0,
                String::from_utf8_lossy(&salvaged.1)
            );
            assert!(!salvaged.1.ends_with(b"\n\n"));
            let text = String::from_utf8_lossy(&salvaged.1);
            assert!(text.contains("the pool has") && text.contains("\"salvaged\":true"), "{text}");
            let last = text.lines().last().unwrap();
            assert!(serde_json::from_str::<Value>(last).is_ok(), "{last}");
        }
    }
}

#[test]
fn a_text_of_nuls_alone_is_no_text() {
    let memory = MEMORIES[0];
    let lines = format!("{}{}\n", first_line(0), memory.replace("TEXT", "\0\0\0\0"));
    let all = proposed(LOGS[0], lines.as_bytes());
    assert_eq!(all[0].0.title, "move the line to quarantine");
    assert!(all.iter().any(|(own, _)| own.title == "remove the NUL bytes"));
}

#[test]
fn half_a_time_keeps_what_survived_of_it_in_every_format() {
    for (number, memory) in MEMORIES.into_iter().enumerate() {
        // The time comes last, so the memory can be cut in it.
        let object: Value = serde_json::from_str(&memory.replace("TEXT", "the pool has twenty")).unwrap();
        let name = ["created_at", "timestamp", "createdAt"]
            .into_iter()
            .find(|own| object.get(own).is_some())
            .unwrap();
        let when = object[name].as_str().unwrap().to_owned();
        let rest = object.as_object().unwrap().iter().filter(|(own, _)| *own != name);
        let rest: String = rest.map(|(name, own)| format!("{name:?}:{own},")).collect();
        for (kept, wanted) in [
            ("2026-01-20", "2026-01-20T00:00:00"),
            ("2026-01-20T1", "2026-01-20T10:00:00"),
            ("2026-01-20T10", "2026-01-20T10:00:00"),
            ("2026-01-20T10:35", "2026-01-20T10:35:00"),
            ("2026-01-20T10:35:0", "2026-01-20T10:35:00"),
        ] {
            assert!(when.starts_with(kept));
            let lines = format!("{}{{{rest}{name:?}:\"{kept}", first_line(number));
            let all = proposed(LOGS[number], lines.as_bytes());
            let (fix, after) = all.iter().find(|(own, _)| own.title.contains("salvaged")).unwrap();
            let last = String::from_utf8_lossy(after).lines().last().unwrap().to_owned();
            let last: Value = serde_json::from_str(&last).unwrap();
            let zone = if number == 4 { "+00:00" } else { "Z" };
            assert_eq!(last[name], format!("{wanted}{zone}"), "{} {kept}", LOGS[number].0);
            assert_eq!(last["salvaged"], true);
            assert!(fix.reason.contains("Kept as far as it survived"), "{}", fix.reason);
        }
    }
}

#[test]
fn a_memory_that_is_completed_behind_another_on_its_line_gets_a_line_of_its_own() {
    for (number, memory) in MEMORIES.into_iter().enumerate() {
        let memory = memory.replace("TEXT", "the pool has twenty connections");
        let torn = &memory[..memory.find("twenty").unwrap()];
        for gap in ["", " ", "\0\0"] {
            let lines = format!("{}{gap}{torn}\n", first_line(number).trim_end());
            let all = proposed(LOGS[number], lines.as_bytes());
            for (fix, after) in all.iter().filter(|(own, _)| own.title.contains("salvaged")) {
                let text = String::from_utf8_lossy(after);
                let whole = |line: &str| serde_json::from_str::<Value>(line).is_ok();
                assert!(
                    text.lines().count() == 2 && text.lines().all(whole),
                    "{gap:?} {}: {text}",
                    fix.title
                );
            }
        }
    }
}
