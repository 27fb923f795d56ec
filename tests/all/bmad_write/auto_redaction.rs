//! `auto_redaction` of the config: in what palimp adds or edits, and nowhere else.

use super::*;
use crate::secrets::token;
use crate::support::Desk;

const ON: &str = r#"{"memory_config":{"privacy":{"auto_redaction":true}},
    "privacy_config":{"auto_redaction":{"patterns":[{"type":"ticket","regex":"\\bTCK-[0-9]{6}\\b"}],"replacement":"[GONE]"}}}"#;

fn desk(config: &str) -> Desk {
    Desk::of_files("bmad", ".bmad/memory", &healthy().with("config.json", config).0)
}

#[test]
fn what_is_added_is_redacted_and_the_plan_says_so() {
    let desk = desk(ON);
    let before = text_of(&desk.store, "findings.jsonl");
    let text = format!("The key {} of a@example.org is in TCK-123456.", token());
    let session = SESSION.rsplit('/').next().unwrap();
    let words = ["add", "--session", session, "--type", "finding", "--text", &text];
    let plan = desk.run(&[&words[..], &["--dry-run"]].concat()).expect_status(0);
    assert!(plan.stdout.contains("3 values replaced by [GONE]"), "{}", plan.stdout);
    desk.run(&[&words[..], &["--yes"]].concat()).expect_status(0);
    let after = text_of(&desk.store, "findings.jsonl");
    let new = after.strip_prefix(&before).unwrap();
    assert!(new.contains("The key [GONE] of [GONE] is in [GONE]."), "{new}");
}

#[test]
fn an_edit_redacts_what_it_sets_and_leaves_what_was_there() {
    let old = finding().to_string().replace("finding-003", "finding-009");
    let old = old.replacen("\"description\":\"", "\"description\":\"ask b@example.org about ", 1);
    let desk = desk(ON);
    let log = format!("{SESSION}/findings.jsonl");
    let whole = text_of(&desk.store, "findings.jsonl") + &old + "\n";
    desk.store.write(&log, whole.as_bytes());
    let found = desk.run(&["list", "--json"]).json_lines();
    let row = found.iter().find(|row| row["raw"].as_str().unwrap().contains("b@example.org")).unwrap();
    let (key, text) = (row["key"].as_str().unwrap(), row["text"].as_str().unwrap());
    let set = format!("text={text} and {}", token());
    let plan = desk.run(&["edit", key, "--set", &set, "--dry-run"]).expect_status(0);
    assert!(plan.stdout.contains("1 value replaced by [GONE]"), "{}", plan.stdout);
    desk.run(&["edit", key, "--set", &set, "--yes"]).expect_status(0);
    let after = text_of(&desk.store, "findings.jsonl");
    assert!(after.contains("b@example.org") && after.contains("and [GONE]"), "{after}");
    assert!(!after.contains(&token()));
}

#[test]
fn without_it_nothing_is_redacted_and_an_unsafe_pattern_is_named() {
    let off = r#"{"memory_config":{"privacy":{"auto_redaction":false}},"privacy_config":{"auto_redaction":{"patterns":[{"type":"api_key","regex":"\\b[A-Za-z0-9]{32,}\\b"}]}}}"#;
    let desk = desk(off);
    let session = SESSION.rsplit('/').next().unwrap();
    let words = ["add", "--session", session, "--type", "finding", "--text", "ask b@example.org", "--yes"];
    desk.run(&words).expect_status(0);
    assert!(text_of(&desk.store, "findings.jsonl").contains("ask b@example.org"));
    desk.run(&["check"]).expect_stdout("`api_key` is not used");
}
