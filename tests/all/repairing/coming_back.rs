//! What repairs and quarantine restore, and what they never do.

use std::ops::Deref;

use palimp::ops::repair::FixChoice;

use super::*;
use crate::support::kept_log::line;
use crate::support::{Desk, KeptLog};

const LOG: &str = crate::support::kept_log::LOG;

/// A store of a format with one log.
pub struct One {
    desk: Desk,
    format: &'static str,
    log: &'static str,
}

impl Deref for One {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.desk
    }
}

impl One {
    pub fn of((format, log): (&'static str, &'static str), bytes: &str) -> One {
        One::of_files(format, &[(log, bytes)])
    }

    /// Like `of`, with more files; the first is the log.
    pub fn of_files(format: &'static str, files: &[(&'static str, &str)]) -> One {
        let all: Vec<_> = files.iter().map(|(path, own)| ((*path).into(), own.as_bytes().to_vec())).collect();
        One { desk: Desk::of_files(format, "own", &all), format, log: files[0].0 }
    }

    pub fn text(&self) -> String {
        self.desk.text(self.log)
    }

    /// Repairs the torn line with what can be read of it. The result must not have that id.
    pub fn keeps_what_can_be_read_without(&self, id: &str) {
        let found = self.problem("torn-line");
        let at = titles(&found).iter().position(|title| title.starts_with("keep what can be read")).unwrap();
        self.fix("torn-line", at + 1);
        let left = self.text();
        assert!(left.contains("what is left of it") && !left.contains(id), "{}: {left}", self.format);
    }

    /// Returns the content of a file in palimp's data, in any folder.
    pub fn own_file(&self, name: &str) -> String {
        let all = crate::support::files_below(self.data.path());
        let own = all.into_iter().find(|(path, _)| path.ends_with(name));
        String::from_utf8(own.unwrap_or_else(|| panic!("no {name}")).1).unwrap()
    }

    /// Removes a file from palimp's data, from any folder.
    pub fn lose(&self, name: &str) {
        let all = crate::support::files_below(self.data.path());
        let (path, _) = all.into_iter().find(|(path, _)| path.ends_with(name)).unwrap();
        std::fs::remove_file(self.data.path().join(path)).unwrap();
    }

    pub fn problem(&self, code: &str) -> Value {
        let rows = self.run(&["check", "--json"]).json_lines();
        rows.into_iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("no {code}"))
    }

    /// Applies a fix of the first problem with that code.
    pub fn fix(&self, code: &str, number: usize) {
        let key = self.problem(code)["problem"].as_str().unwrap().to_owned();
        self.run(&["repair", "--problem", &key, "--fix", &number.to_string(), "--yes"]).expect_status(0);
    }
}

pub fn titles(problem: &Value) -> Vec<&str> {
    problem["fixes"].as_array().unwrap().iter().map(|fix| fix["title"].as_str().unwrap()).collect()
}

/// The formats in which `delete` removes the line from its log.
pub const REMOVED: [(&str, &str); 2] = [LOGS[0], LOGS[3]];

#[test]
fn what_was_deleted_later_stays_in_quarantine_in_every_format_whole_or_torn() {
    for own in REMOVED {
        let (first, whole) = (record(own.0, "first", "a"), record(own.0, "second", "words of the second"));
        let half = &whole[..whole.len() * 4 / 5];
        let one = One::of(own, &format!("{first}\n{half}\n"));
        let count = titles(&one.problem("torn-line")).len();
        one.fix("torn-line", count);
        assert_eq!(one.text(), format!("{first}\n"), "{own:?}");
        one.store.append(own.1, format!("{whole}\n").as_bytes());
        one.run(&["delete", "second", "--remove", "--yes"]).expect_status(0);
        let left = one.text();
        assert!(!left.contains("second"), "{own:?}: {left}");
        let refused = one.run(&["quarantine", "restore", "1", "--yes"]).expect_status(3).stderr.clone();
        assert!(refused.contains("was deleted by step"), "{own:?}: {refused}");
        assert_eq!(one.text(), left);
        // If an agent writes the same line without knowing of the deletion, it is not completed.
        one.store.append(own.1, format!("{half}\n").as_bytes());
        let own_fixes = one.problem("torn-line");
        assert_eq!(titles(&own_fixes), ["move the line to quarantine"], "{own:?}");
        assert!(own_fixes["fixes"][0]["reason"].as_str().unwrap().contains("was deleted by step"));
        // After the deletion is undone, it may come back.
        std::fs::write(one.store.file(own.1), &left).unwrap();
        one.run(&["undo", "--yes"]).expect_status(0);
        one.run(&["quarantine", "restore", "1", "--yes"]).expect_status(0);
        assert!(one.text().ends_with(&format!("{half}\n")), "{own:?}: {}", one.text());
    }
}

#[test]
fn a_deleted_memory_with_its_id_behind_bytes_that_are_no_text_is_not_completed() {
    for own in REMOVED {
        let (first, whole) = (record(own.0, "first", "a"), record(own.0, "second", "words of the second"));
        let one = One::of(own, &format!("{first}\n{whole}\n"));
        one.run(&["delete", "second", "--remove", "--yes"]).expect_status(0);
        let left = one.text();
        for noise in [&b"\0\0\0"[..], b"\xff", b"\x01"] {
            for at in [whole.find(",\"id\"").unwrap(), whole.find("cond\"").unwrap()] {
                let line = [&whole.as_bytes()[..at], noise, &whole.as_bytes()[at..], b"\n"].concat();
                std::fs::write(one.store.file(own.1), [left.as_bytes(), &line].concat()).unwrap();
                let rows = one.run(&["check", "--json"]).json_lines();
                let broken: Vec<&Value> = rows.iter().filter(|row| row["line"] == 2).collect();
                assert!(!broken.is_empty(), "{own:?} {noise:?} {at}: {rows:?}");
                for row in broken {
                    assert_eq!(titles(row), ["move the line to quarantine"], "{own:?} {noise:?} {at}");
                    let why = row["fixes"][0]["reason"].as_str().unwrap();
                    assert!(why.contains("was deleted by step"), "{own:?} {noise:?} {at}: {why}");
                }
            }
        }
    }
}

#[test]
fn of_a_memory_that_a_tombstone_names_a_torn_line_is_not_completed() {
    let (first, whole) = (line(1, "first"), line(2, "the pool is back at 20, and stays there"));
    let log = KeptLog::of(&[first, whole.clone()]);
    log.run(&["delete", "mem_2", "--yes"]).expect_status(0);
    log.store.append(LOG, &whole.as_bytes()[..whole.len() - 20]);
    let rows = log.run(&["check", "--json"]).json_lines();
    let own = rows.iter().find(|row| row["code"] == "torn-line").unwrap();
    assert_eq!(titles(own), ["move the line to quarantine"]);
    assert!(own["fixes"][0]["reason"].as_str().unwrap().starts_with("Its memory is deleted"), "{own}");
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    log.run(&["quarantine", "restore", "1", "--yes"]).expect_status(3).expect_stderr("is deleted");
}

#[test]
fn what_a_tombstone_names_gets_no_id_of_its_own() {
    let (format, log) = LOGS[1];
    let tombstone = "{\"id\":\"same\",\"timestamp\":\"2026-01-21T10:00:00Z\",\"reason\":\"user_request\"}\n";
    for other in ["one text", "another text"] {
        let lines = ["one text", other].map(|text| record(format, "same", text) + "\n").concat();
        let one = One::of_files(format, &[(log, &lines), ("sessions/s/tombstones.jsonl", tombstone)]);
        let found = one.problem("duplicate-id");
        assert!(!titles(&found).contains(&"give it an id of its own"), "{found}");
        one.run(&["repair", "--code", "duplicate-id", "--yes"]).expect_status(0);
        let left = one.run(&["list", "is:live", "--json"]).json_lines();
        assert!(left.is_empty() && one.text().lines().count() == 1, "{left:?}: {}", one.text());
    }
}

#[test]
fn memories_that_share_an_id_and_differ_both_stay_and_only_equal_ones_go() {
    for own in [LOGS[0], LOGS[1], LOGS[3]] {
        let texts = ["one text", "another text", "a third text"];
        let lines: String = texts.iter().map(|text| record(own.0, "same", text) + "\n").collect();
        let one = One::of(own, &lines);
        let found = one.problem("duplicate-id");
        assert_eq!(
            titles(&found),
            ["give it an id of its own", "keep the newer one, and move the other to quarantine"],
            "{own:?}"
        );
        one.run(&["repair", "--code", "duplicate-id", "--yes"]).expect_status(0);
        let left = one.text();
        assert!(texts.iter().all(|text| left.contains(text)), "{own:?}: {left}");
        let ids: std::collections::HashSet<String> =
            left.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].to_string()).collect();
        assert_eq!(ids.len(), 3, "{own:?}: {left}");
        let twice = record(own.0, "same", "one text") + "\n";
        let one = One::of(own, &twice.repeat(3));
        assert_eq!(titles(&one.problem("duplicate-id"))[0], "remove this copy", "{own:?}");
        one.run(&["repair", "--code", "duplicate-id", "--yes"]).expect_status(0);
        assert_eq!(one.text(), twice, "{own:?}");
    }
}

#[test]
fn what_shares_a_uuid_gets_one_and_a_memory_that_only_its_spelling_breaks_is_first_kept_whole() {
    let id = "c0d1a1d3-38c7-4b8b-9ff9-cef9f939cb25";
    let one =
        One::of(LOGS[0], &["one", "two", "three"].map(|text| record(LOGS[0].0, id, text) + "\n").concat());
    one.run(&["repair", "--code", "duplicate-id", "--yes"]).expect_status(0);
    let left = one.run(&["check", "--json"]).json_lines();
    assert!(
        left.iter().all(|row| row["code"] != "out-of-range" && row["code"] != "duplicate-id"),
        "{left:?}"
    );
    let signed = line(2, "first\nsecond").replace("\"type\"", "\"checksum\":\"0123456789abcdef\",\"type\"");
    let log = KeptLog::of(&[line(1, "x"), signed.replace("\\n", "\n")]);
    let rows = log.run(&["check", "--json"]).json_lines();
    let own = rows.iter().find(|row| row["code"] == "raw-newline").unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(titles(own)[0], "escape the line breaks in its texts", "{own}");
    assert!(own["fixes"][0]["reason"].as_str().unwrap().contains("checksum"), "{own}");
    assert!(own["fixes"][1]["reason"].as_str().unwrap().contains("ends where it was cut"), "{own}");
}

#[test]
fn a_part_that_is_within_a_line_comes_back_all_the_same_and_bytes_that_are_no_line_are_told() {
    let log = KeptLog::of(&[line(1, "first"), "{\"id\":\"mem_2\"\n".into(), line(3, "third")]);
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    // The same bytes inside another line are not that line.
    log.store.append(LOG, b"note {\"id\":\"mem_2\" here\n");
    let before = log.lines();
    log.run(&["quarantine", "restore", "1", "--yes"]).expect_status(0);
    assert_eq!(log.lines(), [before, vec!["{\"id\":\"mem_2\"\n".into()]].concat());
    let log = KeptLog::of(&[line(1, "first"), format!("\0\0{}", line(2, "second"))]);
    log.run(&["repair", "--all-safe", "--yes"]).expect_status(0);
    let before = log.lines();
    let refused = log.run(&["quarantine", "restore", "1", "--yes"]).expect_status(3).stderr.clone();
    assert!(refused.contains("These bytes are no line"), "{refused}");
    assert_eq!(log.lines(), before);
}

#[test]
fn a_note_with_a_merge_in_its_front_matter_keeps_a_side_and_does_not_come_back_once_it_was_deleted() {
    let note = |topic: &str| {
        format!(
            "---\nid: pool\ncreated: 2026-01-20T10:00:00Z\n{topic}tags: []\n---\n\n# Pool size\n\nKeep twenty.\n"
        )
    };
    let torn = note("<<<<<<< HEAD\nconfidence: high\n=======\nconfidence: low\n>>>>>>> topic\n");
    let one = One::of(("a-mem", "knowledge/notes/pool.md"), &torn);
    assert_eq!(titles(&one.problem("bad-front-matter")), ["keep the first side", "keep the second side"]);
    one.run(&["repair", "--code", "bad-front-matter", "--yes"]).expect_status(0);
    assert_eq!(one.text(), note("confidence: high\n"));
    one.run(&["quarantine", "restore", "1", "--dry-run"]).expect_status(0);
    one.run(&["delete", "pool", "--remove", "--yes"]).expect_status(0);
    let refused = one.run(&["quarantine", "restore", "1", "--yes"]).expect_status(3).stderr.clone();
    assert!(refused.contains("deleted a memory of knowledge/notes/pool.md"), "{refused}");
    one.run(&["undo", "--yes"]).expect_status(0);
    one.run(&["quarantine", "restore", "1", "--yes"]).expect_status(0);
    assert_eq!(one.text(), torn);
}

#[test]
fn what_was_erased_of_quarantine_is_listed_no_more() {
    let half = line(2, "second");
    let log = KeptLog::of(&[line(1, "first"), half[..half.len() - 9].to_owned() + "\n"]);
    let key = |log: &KeptLog| {
        let rows = log.run(&["check", "--json"]).json_lines();
        let own = rows.into_iter().find(|row| row["code"] == "torn-line").unwrap();
        (own["problem"].as_str().unwrap().to_owned(), own["fixes"].as_array().unwrap().len().to_string())
    };
    let (problem, last) = key(&log);
    log.run(&["repair", "--problem", &problem, "--fix", &last, "--yes"]).expect_status(0);
    log.store.append(LOG, half.as_bytes());
    log.run(&["erase", "mem_2", "--yes"]).expect_status(0);
    log.run(&["quarantine", "list"]).expect_status(1);
}

#[test]
fn quarantine_says_that_it_is_empty_and_lists_nothing_that_an_undo_put_back() {
    let half = line(2, "second");
    let log = KeptLog::of(&[line(1, "first"), half[..half.len() / 2].to_owned() + "\n"]);
    let before = log.lines();
    let empty = || {
        log.run(&["quarantine", "list"]).expect_status(1).expect_stderr("Quarantine is empty.");
    };
    empty();
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    log.run(&["quarantine", "list"]).expect_status(0);
    log.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(log.lines(), before);
    empty();
    log.run(&["redo", "--yes"]).expect_status(0);
    log.run(&["quarantine", "list"]).expect_status(0);
}

#[test]
fn a_kind_without_a_known_repair_is_told() {
    let ahead = line(2, "second").replace("2026-01", "2099-01");
    let log = KeptLog::of(&[line(1, "first"), ahead]);
    let told = log.run(&["repair", "--code", "future-timestamp", "--yes"]).expect_status(0).stdout.clone();
    assert!(told.contains("1 problem of the kind future-timestamp: no repair is known"), "{told}");
}

#[test]
fn a_memory_whose_times_name_no_zone_has_one_fix_that_mends_all_of_them() {
    let naive = record("memory-server", "a", "x").replace("10:00:00Z", "10:00:00");
    let one = One::of(LOGS[0], &format!("{naive}\n"));
    let found = one.problem("no-timezone");
    assert_eq!(titles(&found), ["append Z (UTC)"]);
    one.fix("no-timezone", 1);
    let left = one.run(&["check", "--json"]).json_lines();
    assert!(left.iter().all(|row| row["code"] != "no-timezone"), "{left:?}");
}

#[test]
fn one_call_mends_a_torn_line_with_a_whole_memory_glued_to_it() {
    for own in [LOGS[0], LOGS[1], LOGS[3], LOGS[4]] {
        let records = ["a1", "a2", "a3", "a4"].map(|id| record(own.0, id, "some words"));
        let half = |own: &str| own[..own.len() * 3 / 4].to_owned();
        let text = format!("{}\n{}{}\n{}\n", records[0], half(&records[1]), records[2], half(&records[3]));
        let one = One::of(own, &text);
        one.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
        let left = one.run(&["check", "--json"]).json_lines();
        assert!(left.iter().all(|row| row["code"] != "torn-line"), "{own:?}: {left:?}");
        let after = one.text();
        assert!(after.contains(&records[0]) && after.contains(&records[2]), "{own:?}: {after}");
        assert_eq!(after.matches("\"salvaged\":true").count(), 2, "{own:?}: {after}");
        one.run(&["undo", "--yes"]).expect_status(0);
        assert_eq!(one.text(), text, "{own:?}");
    }
}

#[test]
fn a_fix_claims_no_more_than_a_check_of_its_result_says() {
    for own in crate::support::tries::some(LOGS, &[0, 2]) {
        let whole = record(own.0, "evt-000002", "some words");
        for cut in (whole.len() / 4..whole.len()).step_by(7) {
            let text = format!("{}\n{}", record(own.0, "evt-000001", "x"), &whole[..cut]);
            let store = load(&[(own.1, text.as_bytes())], own.0);
            let findings = palimp::check::findings(&store);
            let Some(torn) = findings.iter().find(|own| own.problem.code.as_str() == "torn-line") else {
                continue;
            };
            let first = on_bench(&store, |bench| bench.fixes(torn.problem)).swap_remove(0);
            if !first.reason.starts_with("All fields") {
                continue;
            }
            let which = RepairTarget::Chosen(vec![(torn.key.clone(), FixChoice::Number(1))]);
            let (after, _) = repaired_log(own.0, own.1, text.as_bytes(), &which);
            assert_ne!(after, text.as_bytes(), "{own:?} {cut}");
            let after = load(&[(own.1, &after)], own.0);
            let lacks = after.problems.iter().find(|own| own.code.as_str() == "missing-field");
            assert!(lacks.is_none(), "{own:?} {cut}: {lacks:?}");
        }
    }
}

#[test]
fn of_equal_memories_in_two_files_the_later_copy_goes_first_and_of_different_ones_none() {
    let files = [
        (LOGS[0].0, ["learnings.jsonl", "tasks.jsonl"]),
        (LOGS[3].0, ["sessions/s/conversation.jsonl", "sessions/s/findings.jsonl"]),
    ];
    for (format, [first, second]) in files {
        for (text, is_equal) in [("one text", true), ("another text", false)] {
            let [own, other] = ["one text", text].map(|text| record(format, "same", text) + "\n");
            let one = One::of_files(format, &[(first, &own), (second, &other)]);
            let before = [first, second].map(|own| one.store.read(own));
            let found = one.problem("duplicate-id");
            let titles = titles(&found);
            assert_eq!(titles.contains(&"remove this copy"), is_equal, "{format}: {found}");
            if !is_equal {
                continue;
            }
            assert_eq!(titles[0], "remove this copy", "{format}");
            one.fix("duplicate-id", 1);
            let left = [first, second].map(|own| one.store.read(own));
            let later = found["file"].as_str().unwrap();
            for (at, own) in [first, second].iter().enumerate() {
                let wanted = if later.ends_with(own) { Vec::new() } else { before[at].clone() };
                assert_eq!(left[at], wanted, "{format} {own}");
            }
            one.run(&["undo", "--yes"]).expect_status(0);
            assert_eq!([first, second].map(|own| one.store.read(own)), before, "{format}");
        }
    }
}
