//! Torn tombstones still delete their memories, and are completed.

use super::coming_back::{One, titles};
use super::*;
use crate::support::kept_log::line;
use crate::support::{KeptLog, Output, tries};

const TOMBSTONES: &str = "sessions/s/tombstones.jsonl";

/// A log of three memories, of which the second is deleted.
fn deleted() -> KeptLog {
    let log = KeptLog::of(&[line(1, "first"), line(2, "the pool has twenty"), line(3, "third")]);
    log.run(&["delete", "mem_2", "--yes"]).expect_status(0);
    log
}

/// Returns the listed ids of the live memories, and those of the deleted ones.
fn ids(log: &KeptLog) -> (Vec<String>, Vec<String>) {
    let told = |output: Output| -> Vec<String> {
        let rows = output.json_lines().into_iter();
        rows.filter_map(|row| Some(row["id"].as_str()?.to_owned())).collect()
    };
    let mut live = told(log.run(&["list", "--json"]));
    live.sort();
    (live, told(log.run(&["list", "is:deleted", "--json"])))
}

fn torn(log: &KeptLog) -> Value {
    let rows = log.run(&["check", "--json"]).json_lines();
    let of_log = || rows.iter().filter(|row| row["file"] == TOMBSTONES && row["severity"] == "error");
    let own = of_log().find(|row| row["code"] == "torn-line").or_else(|| of_log().next());
    own.unwrap_or_else(|| panic!("{rows:?}")).clone()
}

fn write(log: &KeptLog, bytes: &[u8]) {
    std::fs::write(log.store.file(TOMBSTONES), bytes).unwrap();
}

fn stays_deleted(log: &KeptLog, what: &str) {
    let (live, gone) = ids(log);
    assert_eq!(live, ["mem_1", "mem_3"], "{what}");
    assert_eq!(gone, ["mem_2"], "{what}");
}

#[test]
fn a_torn_tombstone_deletes_wherever_it_was_cut_behind_its_id_and_its_fix_completes_it() {
    let name = b"{\"id\":\"mem_2\"".len();
    let length = deleted().store.read(TOMBSTONES).len() - 1;
    for (number, cut) in (name..length).step_by(tries::count(23, 3)).enumerate() {
        let log = deleted();
        let whole = log.store.read(TOMBSTONES);
        for torn_end in tries::some(["", "\n", "\0\0\0", "\0\n"], &[number % 4]) {
            let bytes = [&whole[..cut], torn_end.as_bytes()].concat();
            write(&log, &bytes);
            stays_deleted(&log, &format!("{cut} {torn_end:?}"));
            let found = torn(&log);
            assert_eq!(found["severity"], "error", "{found}");
            assert!(found["message"].as_str().unwrap().contains("stays deleted"), "{found}");
            log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
            assert_eq!(String::from_utf8_lossy(&log.store.read(TOMBSTONES)), String::from_utf8_lossy(&whole));
            stays_deleted(&log, "repaired");
            log.run(&["undo", "--yes"]).expect_status(0);
            assert_eq!(log.store.read(TOMBSTONES), bytes);
        }
    }
}

#[test]
fn a_torn_tombstone_of_another_program_is_completed_from_what_is_left_of_it() {
    for (torn_line, when, reason) in [
        (r#"{"id":"mem_2","timestamp":"2026-01-30T10:2"#, "2026-01-30T10:20:00Z", "unknown"),
        (
            r#"{"id":"mem_2","timestamp":"2026-01-30T10:20:00.000Z","reason":"user_re"#,
            "2026-01-30T10:20:00.000Z",
            "user_re",
        ),
        (
            "{\"id\":\"mem_2\",\"timestamp\":\"2026-01-30T10:20:00.000Z\",\"reason\":\"caf\u{e9}",
            "2026-01-30T10:20:00.000Z",
            "caf",
        ),
    ] {
        let log = KeptLog::of(&[line(1, "first"), line(2, "the pool has twenty"), line(3, "third")]);
        // One byte of a two-byte character is no character.
        let bytes = torn_line
            .strip_suffix('\u{e9}')
            .map_or(torn_line.as_bytes().to_vec(), |own| [own.as_bytes(), b"\xe9"].concat());
        write(&log, &bytes);
        stays_deleted(&log, torn_line);
        log.run(&["repair", "--problem", torn(&log)["problem"].as_str().unwrap(), "--fix", "1", "--yes"])
            .expect_status(0);
        let after: Value = serde_json::from_slice(&log.store.read(TOMBSTONES)).unwrap();
        assert_eq!(after, json!({"id": "mem_2", "timestamp": when, "reason": reason, "salvaged": true}));
        assert!(log.store.read(TOMBSTONES).ends_with(b"\n"));
        stays_deleted(&log, "completed");
    }
}

#[test]
fn what_was_appended_behind_a_torn_tombstone_deletes_too() {
    let whole = |id: &str| {
        format!(r#"{{"id":"{id}","timestamp":"2026-01-30T10:20:00.000Z","reason":"user_request"}}"#)
    };
    let log = KeptLog::of(&[line(1, "first"), line(2, "second"), line(3, "third")]);
    write(&log, format!("{}{}\n", &whole("mem_1")[..20], whole("mem_2")).as_bytes());
    assert_eq!(ids(&log), (vec!["mem_3".into()], vec!["mem_2".into(), "mem_1".into()]));
    write(&log, format!("{}{}", &whole("mem_1")[..30], &whole("mem_2")[..30]).as_bytes());
    assert_eq!(ids(&log).0, ["mem_3"]);
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    log.run(&["repair", "--all-safe", "--yes"]).expect_status(0);
    assert_eq!(ids(&log).0, ["mem_3"]);
    let left = log.run(&["check", "--json"]).json_lines();
    let is_bad = |own: &&Value| own["file"] == TOMBSTONES && own["code"] != "loose-permissions";
    assert!(!left.iter().any(|own| is_bad(&own)), "{left:?}");
}

#[test]
fn a_torn_tombstone_is_taken_back_by_undelete_and_moved_away_with_a_word_of_what_that_means() {
    let log = deleted();
    let whole = log.store.read(TOMBSTONES);
    write(&log, &whole[..whole.len() - 12]);
    let found = torn(&log);
    let last = found["fixes"].as_array().unwrap().last().unwrap();
    assert_eq!(last["title"], "move the line to quarantine");
    assert!(last["reason"].as_str().unwrap().contains("mem_2 is no longer deleted then"), "{last}");
    log.run(&["undelete", "mem_2", "--yes"]).expect_status(0);
    assert_eq!(ids(&log).0, ["mem_1", "mem_2", "mem_3"]);
    assert_eq!(log.store.read(TOMBSTONES), b"");
    // A torn tombstone may be removed if its memory has an intact one, too.
    write(&log, &[&whole[..], &whole[..whole.len() - 12]].concat());
    let found = torn(&log);
    assert!(
        titles(&found).iter().any(|own| own.contains("line 1 is a tombstone of that memory, too")),
        "{found}"
    );
    stays_deleted(&log, "twice");
}

#[test]
fn a_tombstone_without_a_legible_id_is_filled_from_the_journal_and_else_stays_as_it_is() {
    let log = deleted();
    let whole = log.store.read(TOMBSTONES);
    write(&log, b"{\"id\":\"mem_");
    assert_eq!(ids(&log).0, ["mem_1", "mem_2", "mem_3"]);
    let found = torn(&log);
    assert!(titles(&found)[0].contains("mem_2 stays deleted"), "{found}");
    log.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
    assert_eq!(log.store.read(TOMBSTONES), whole);
    let other = KeptLog::of(&[line(1, "first"), line(2, "second")]);
    write(&other, b"{\"id\":\"mem_");
    assert_eq!(titles(&torn(&other)), ["move the line to quarantine"]);
}

#[test]
fn a_torn_tombstone_is_called_that_and_is_listed_as_no_memory() {
    for (torn_line, says) in [
        ("{\"id\":\"mem_", "a memory whose id can't be read"),
        ("{\"id\":\"mem_2\",\"times", "The memory that it names stays deleted"),
    ] {
        let log = KeptLog::of(&[line(1, "first"), line(2, "second")]);
        write(&log, torn_line.as_bytes());
        let message = torn(&log)["message"].as_str().unwrap().to_owned();
        assert!(message.contains("in the middle of a tombstone"), "{message}");
        assert!(message.contains(says), "{message}");
        for verb in [&["list", "--all", "--json"][..], &["list", "is:broken", "--json"], &["search", "mem"]] {
            let listed = log.run(verb).stdout;
            assert!(!listed.contains("broken"), "{verb:?}: {listed}");
        }
        assert_eq!(log.run(&["stores", "--json"]).json_lines()[0]["broken"], 0);
    }
}

#[test]
fn an_erasure_leaves_a_whole_tombstone_where_there_was_a_torn_one() {
    let log = deleted();
    let whole = log.store.read(TOMBSTONES);
    write(&log, &whole[..whole.len() - 12]);
    log.run(&["erase", "mem_2", "--yes"]).expect_status(0);
    let left = String::from_utf8(log.store.read(TOMBSTONES)).unwrap();
    assert_eq!(left.lines().count(), 1, "{left}");
    assert_eq!(serde_json::from_str::<Value>(&left).unwrap()["id"], "mem_2");
}

/// The mark of a note is its tombstone. A copy from before the deletion must not complete it.
#[test]
fn a_torn_note_that_was_deprecated_is_not_restored_from_before_that() {
    let note = "---\nid: pool\ncreated: 2026-01-20T10:00:00Z\nupdated: 2026-01-20T10:00:00Z\ntags: []\n---\n\n# Pool size\n\nKeep twenty.\n";
    let file = "knowledge/notes/pool.md";
    let one = One::of(("a-mem", file), note);
    one.run(&["backup", "create", "--yes"]).expect_status(0);
    let torn = |text: &str| std::fs::write(one.store.file(file), text.split_once("tags").unwrap().0).unwrap();
    torn(&one.text());
    assert!(titles(&one.problem("bad-front-matter")).iter().any(|own| own.contains("the backup")));
    std::fs::write(one.store.file(file), note).unwrap();
    one.run(&["delete", "pool", "--yes"]).expect_status(0);
    torn(&one.text());
    let found = one.problem("bad-front-matter");
    assert!(titles(&found).iter().all(|own| !own.contains("the backup")), "{found}");
}

#[test]
fn a_torn_tombstone_of_somebody_else_is_not_filled_from_a_deletion_that_was_taken_back() {
    for back in [&["undelete", "mem_2", "--yes"][..], &["undo", "--yes"]] {
        let log = deleted();
        log.run(back).expect_status(0);
        write(&log, b"{\"id\":\"mem_");
        let found = torn(&log);
        assert!(!found.to_string().contains("fill it from"), "{back:?}: {found}");
        log.run(&["repair", "--code", "torn-line", "--yes"]);
        assert_eq!(ids(&log), (vec!["mem_1".into(), "mem_2".into(), "mem_3".into()], Vec::new()), "{back:?}");
    }
}
