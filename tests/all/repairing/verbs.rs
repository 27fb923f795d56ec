//! The verbs: previews, repairs of one problem or one kind, and the quarantine.

use super::coming_back::titles;
use super::*;
use crate::support::kept_log::line;
use crate::support::{Files, KeptLog, Tree, Verb};

const LOG: &str = crate::support::kept_log::LOG;

/// A log whose second line is torn.
fn torn() -> KeptLog {
    let whole = line(2, "the pool is back at 20, and stays there");
    let half = whole[..whole.len() / 2].to_owned() + "\n";
    KeptLog::of(&[line(1, "first"), half, line(3, "third")])
}

fn fixes(log: &KeptLog, code: &str) -> Value {
    let rows = log.run(&["check", "--json"]).json_lines();
    rows.into_iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("no {code}"))
}

#[test]
fn a_check_names_the_fixes_of_a_problem_and_a_repair_carries_the_chosen_one_out() {
    let log = torn();
    let own = fixes(&log, "torn-line");
    assert_eq!(own["fix"], "choice");
    assert_eq!(
        titles(&own),
        ["keep what can be read as a memory, marked salvaged", "move the line to quarantine"]
    );
    let before = log.lines();
    let key = own["problem"].as_str().unwrap();
    let shown =
        log.run(&["repair", "--problem", key, "--fix", "1", "--dry-run"]).expect_status(0).stdout.clone();
    assert!(shown.contains("memory.jsonl:2  keep what can be read"), "{shown}");
    assert!(
        shown.contains(&format!("- {}", before[1].trim_end())) && shown.contains("\"salvaged\":true"),
        "{shown}"
    );
    assert_eq!(log.lines(), before, "nothing was written");
    log.run(&["repair", "--problem", key, "--fix", "1", "--yes"]).expect_status(0);
    let after = log.lines();
    assert_eq!([&after[0], &after[2]], [&before[0], &before[2]]);
    assert!(after[1].contains("\"salvaged\":true"), "{after:?}");
    log.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(log.lines(), before);
}

#[test]
fn the_same_problem_of_two_stores_has_two_keys_and_a_repair_by_key_changes_one_store_alone() {
    let topic = "---\nname: deploy\ndescription: \"by hand\"\nmetadata: \n  type: project\n---\n\nBy hand.\n";
    let index = "- [Deploy](deploy.md) — by hand\n";
    let note = "---\nid: n1\ncreated: 2026-01-10T12:00:00\ntags: []\n---\n\nText.\n";
    let memory = line(1, "first");
    let (claude, chora, log) = (".claude/memory", ".chora/memory", "sessions/s/memory.jsonl");
    let cases = [
        (claude, "MEMORY.md", format!("{index}- [x](gone.md) — y\n"), "dangling-reference"),
        (claude, "MEMORY.md", format!("\u{feff}{index}"), "byte-order-mark"),
        (claude, "lone.md", topic.replace("deploy", "lone"), "orphan-note"),
        (claude, "deploy.md", topic.replace("\"by hand\"", "by: hand"), "bad-front-matter"),
        (claude, "deploy.md", format!("{topic}\0\n"), "nul-bytes"),
        (claude, "deploy.md", format!("{topic}<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"), "conflict-markers"),
        (claude, "deploy.md.tmp", topic.into(), "leftover-temp"),
        (chora, "knowledge/notes/n1.md", note.into(), "no-timezone"),
        ("memories", "USER.md", "one\n§\ntwo\n\n§\nthree\n".into(), "round-trip"),
        ("memory", log, memory.trim_end().into(), "no-final-newline"),
        ("memory", log, memory.clone() + memory.trim_end() + &memory, "glued-records"),
    ];
    for (root, file, text, code) in cases {
        let files = match root {
            ".claude/memory" => Files::default().with("MEMORY.md", index).with("deploy.md", topic),
            _ => Files::default(),
        };
        let files = files.with(file, &text);
        let stores = ["one", "two"].map(|name| files.build(&format!("{name}/{root}")));
        let data = crate::support::folder::new();
        let run = |words: &[&str]| {
            let [one, two] = stores.each_ref().map(|store| store.path.to_str().unwrap());
            let data = data.path().to_str().unwrap();
            Verb::new([words, &["--store", one, "--store", two, "--data-dir", data, "--yes"]].concat()).run()
        };
        let before = stores.each_ref().map(|store| Tree::of(&store.path));
        let rows = run(&["check", "--json"]).json_lines();
        let row = rows.iter().rfind(|row| row["code"] == code).unwrap_or_else(|| panic!("{code}: {rows:?}"));
        run(&["repair", "--problem", row["problem"].as_str().unwrap()]).expect_status(0);
        let is_changed = |at: usize| Tree::of(&stores[at].path) != before[at];
        assert_eq!([0, 1].map(is_changed), [false, true], "{code}");
    }
}

#[test]
fn what_is_safe_leaves_a_torn_line_alone_and_other_problems_are_named_by_their_code() {
    let log = torn();
    let before = log.lines();
    log.run(&["repair", "--all-safe", "--yes"]).expect_status(0);
    assert_eq!(log.lines(), before);
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    assert!(log.lines()[1].contains("\"salvaged\":true"));
    log.run(&["repair", "--code", "no-such-code"]).expect_status(2);
    log.run(&["repair"]).expect_status(2);
    log.run(&["repair", "--problem", "no-such-problem", "--yes"]).expect_status(3);
}

#[test]
fn what_leaves_a_file_is_listed_in_quarantine_shown_and_brought_back() {
    let log = torn();
    let before = log.lines();
    log.run(&["quarantine", "list"]).expect_status(1);
    let key = fixes(&log, "torn-line")["problem"].as_str().unwrap().to_owned();
    log.run(&["repair", "--problem", &key, "--fix", "2", "--yes"]).expect_status(0);
    assert_eq!(log.lines(), [before[0].clone(), before[2].clone()]);
    let listed = log.run(&["quarantine", "list", "--json"]).expect_status(0).json_lines();
    assert_eq!((listed.len(), &listed[0]["file"], &listed[0]["lines"]), (1, &json!(LOG), &json!([2])));
    assert_eq!(listed[0]["bytes"], before[1].len());
    let shown = log.run(&["quarantine", "show", "1", "--json"]).expect_status(0).json_lines();
    assert_eq!(shown[0]["raw"], before[1]);
    log.run(&["quarantine", "restore", "1", "--yes"]).expect_status(0);
    assert_eq!(log.lines(), [before[0].clone(), before[2].clone(), before[1].clone()]);
    log.run(&["quarantine", "restore", "1", "--yes"]).expect_status(0);
    assert_eq!(log.lines().len(), 3, "what is there does not come twice");
    log.run(&["quarantine", "show", "2"]).expect_status(1);
}

#[test]
fn a_torn_memory_is_filled_from_a_backup_and_from_undo_data_and_never_once_it_was_erased() {
    let whole = line(2, "the pool is back at 20, and stays there");
    let log = KeptLog::of(&[line(1, "first"), whole.clone(), line(3, "third")]);
    log.run(&["backup", "create", "--yes"]).expect_status(0);
    let half = whole[..whole.len() * 2 / 3].to_owned() + "\n";
    let file = log.store.path.join(LOG);
    std::fs::write(&file, [line(1, "first"), half.clone(), line(3, "third")].concat()).unwrap();
    let own = fixes(&log, "torn-line");
    let first = &own["fixes"][0];
    assert!(first["title"].as_str().unwrap().starts_with("fill it from the backup"), "{own}");
    assert_eq!(first["confidence"], 0.99);
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    assert_eq!(log.lines()[1], whole);
    let id = serde_json::from_str::<Value>(&whole).unwrap()["id"].as_str().unwrap().to_owned();
    log.run(&["erase", &id, "--yes"]).expect_status(0);
    std::fs::write(&file, [line(1, "first"), half].concat()).unwrap();
    let own = fixes(&log, "torn-line");
    assert_eq!(titles(&own), ["move the line to quarantine"], "nothing erased comes back");
}

#[test]
fn what_a_salvaged_memory_lost_is_erased_with_it_from_quarantine() {
    let secret = ["hunter2", "at", "the", "end"].join("-");
    let whole = line(2, &format!("the pool is back {secret} and stays there"));
    let at = whole.find(&secret).unwrap();
    let torn =
        [&whole.as_bytes()[..at], b"\xff", &whole.as_bytes()[at..at + secret.len() + 4], b"\n"].concat();
    let log = KeptLog::of(&[line(1, "first"), line(3, "third")]);
    let file = log.store.path.join(LOG);
    std::fs::write(&file, [line(1, "first").into_bytes(), torn, line(3, "third").into_bytes()].concat())
        .unwrap();
    let rows = log.run(&["check", "--json"]).json_lines();
    let is_kept = |fix: &Value| fix["title"].as_str().unwrap().starts_with("keep what can be read");
    let place = |row: &Value| row["fixes"].as_array()?.iter().position(is_kept);
    let (row, at) = rows.iter().find_map(|row| Some((row, place(row)?))).unwrap();
    let (key, number) = (row["problem"].as_str().unwrap(), (at + 1).to_string());
    log.run(&["repair", "--problem", key, "--fix", &number, "--yes"]).expect_status(0);
    let shown = || log.run(&["quarantine", "show", "1", "--json"]).stdout.clone();
    assert!(shown().contains(&secret), "{}", shown());
    let id = serde_json::from_str::<Value>(&whole).unwrap()["id"].as_str().unwrap().to_owned();
    log.run(&["erase", &id, "--yes"]).expect_status(0);
    assert!(!shown().contains(&secret), "{}", shown());
}
