//! Problems of a loaded store, and checksums that don't match.

use std::path::Path;

use palimp::memory::{Checksum, Code, New, Severity};

use super::{Desk, assert_refused};

#[test]
fn a_damaged_line_is_told_with_its_place_and_with_whatever_is_recalled() {
    let files = [
        ("session-log", "sessions/SESSION/memory.jsonl"),
        ("bmad", "sessions/SESSION/findings.jsonl"),
        ("memory-server", "learnings.jsonl"),
    ];
    for (format, file) in files {
        let mut desk = Desk::of(format);
        let file = &file.replace("SESSION", desk.session.as_deref().unwrap_or_default());
        let id = desk.add_text("Intact");
        assert!(desk.memory.query("intact").unwrap().problems.is_empty(), "{format}");
        let path = desk.root().join(file);
        let lines = std::fs::read_to_string(&path).unwrap() + "{\"id\":\"torn";
        std::fs::write(&path, lines).unwrap();
        let all = desk.memory.problems();
        let torn = all.iter().find(|own| own.code == Code::TornLine).unwrap();
        assert_eq!((torn.severity, torn.line, &*torn.file), (Severity::Error, Some(2), Path::new(file)));
        let recalled = desk.memory.query("intact").unwrap();
        assert!(recalled.problems.contains(torn), "{format}");
        assert!(recalled.problems.iter().all(|own| own.severity == Severity::Error));
        let of_intact = desk.memory.problems_of(None, &id).unwrap();
        assert!(!of_intact.contains(torn) && recalled[0].problems == of_intact, "{format}");
    }
    assert_refused(Desk::of("a-mem").memory.problems_of(None, "none"), "E_INVALID_QUERY", "none");
}

#[test]
fn what_is_recalled_has_its_own_problems() {
    let mut desk = Desk::of("session-log");
    let record = Some(r#"{"references":["mem_gone"]}"#);
    let id = desk.add(New { text: "Refers to nothing", record, ..New::default() });
    desk.add_text("Refers to none");
    let codes = |own: &[palimp::memory::Problem]| own.iter().map(|own| own.code).collect::<Vec<_>>();
    let found = desk.memory.query("nothing").unwrap();
    assert_eq!(codes(&found[0].problems), [Code::DanglingReference]);
    assert_eq!(codes(&desk.memory.get(None, &id).unwrap().unwrap().problems), [Code::DanglingReference]);
    assert_eq!(codes(&desk.memory.query("none").unwrap()[0].problems), []);
}

#[test]
fn a_checksum_that_does_not_match_is_told_with_the_memory() {
    let mut desk = Desk::of("session-log");
    let id = desk.add_text("The pool is too small");
    let checksum = |desk: &mut Desk| desk.memory.get(None, &id).unwrap().unwrap().checksum;
    let log = desk.root().join("sessions/sess_one/memory.jsonl");
    let line = std::fs::read_to_string(&log).unwrap();
    assert_eq!(checksum(&mut desk).is_some(), line.contains("\"checksum\""));
    let signed = |sum: &str| {
        let mut record: serde_json::Value = serde_json::from_str(&line).unwrap();
        match sum {
            "" => drop(record.as_object_mut().unwrap().remove("checksum")),
            sum => record["checksum"] = sum.into(),
        }
        record.to_string()
    };
    let sum_of = |own: &str, legacy: bool| {
        let mut tape = palimp::text::json_scanner::Tape::default();
        let value = palimp::text::json_edit::scan(&mut tape, own.as_bytes()).unwrap();
        let sum = palimp::text::canonical::checksum;
        if legacy { palimp::text::canonical::legacy_checksum(value) } else { sum(value) }
    };
    let bare = signed("");
    let cases = [
        ("".to_owned(), None),
        (sum_of(&bare, false), Some(Checksum::Canonical)),
        (sum_of(&bare, true), Some(Checksum::Legacy)),
        (format!("sha256:{}", "0".repeat(64)), Some(Checksum::Mismatch)),
    ];
    for (sum, told) in cases {
        std::fs::write(&log, signed(&sum) + "\n").unwrap();
        assert_eq!(checksum(&mut desk), told, "{sum}");
        assert_eq!(desk.memory.query("pool").unwrap()[0].checksum, told);
    }
    for format in ["bmad", "memory-server", "a-mem"] {
        let mut desk = Desk::of(format);
        let id = desk.add_text("Without");
        assert_eq!(desk.memory.get(None, &id).unwrap().unwrap().checksum, None, "{format}");
    }
}
