//! What a crash leaves beside a log: a temporary file, or a half archived memory.

use super::coming_back::{One, titles};
use super::*;

/// A log of each format that has logs, and a temporary file of it.
const TEMPS: [(&str, &str, &str); 4] = [
    (LOGS[0].0, LOGS[0].1, "learnings.jsonl.tmp"),
    (LOGS[1].0, LOGS[1].1, "sessions/s/memory.jsonl.tmp"),
    (LOGS[3].0, LOGS[3].1, "sessions/s/conversation.jsonl.tmp"),
    (LOGS[4].0, LOGS[4].1, "events/2026-01/events.jsonl.tmp"),
];

const MOVE: &str = "move the temporary file to quarantine";

#[test]
fn a_temporary_file_that_holds_nothing_more_goes_to_quarantine_and_comes_back_by_undo() {
    for (number, (format, log, temp)) in TEMPS.into_iter().enumerate() {
        let lines = ["a1", "a2"].map(|id| record(format, id, "some words") + "\n");
        let all = [lines.concat(), lines[0].clone(), lines[0][..20].to_owned()];
        for kept in crate::support::tries::some(all, &[number % 3]) {
            let one = One::of_files(format, &[(log, &lines.concat()), (temp, &kept)]);
            let found = one.problem("leftover-temp");
            assert_eq!(titles(&found), [MOVE], "{format}: {found}");
            assert_eq!(found["fixes"][0]["safe"], false, "an agent may need it still");
            one.run(&["repair", "--all-safe", "--yes"]);
            assert!(one.store.file(temp).exists(), "{format}");
            one.fix("leftover-temp", 1);
            assert!(!one.store.file(temp).exists(), "{format}");
            let shown = one.run(&["quarantine", "show", "1"]).expect_status(0).stdout.clone();
            assert!(kept.lines().all(|line| shown.contains(line)), "{format}: {shown}");
            one.run(&["undo", "--yes"]).expect_status(0);
            assert_eq!(one.store.read(temp), kept.as_bytes(), "{format}");
            assert_eq!(one.text(), lines.concat(), "{format}");
        }
    }
}

#[test]
fn memories_that_only_a_temporary_file_has_are_added_first_and_none_that_was_deleted() {
    for (format, log, temp) in crate::support::tries::some(TEMPS, &[0, 2]) {
        let lines = ["a1", "a2", "a3"].map(|id| record(format, id, "some words") + "\n");
        let kept = lines.concat() + &lines[0][..20];
        let one = One::of_files(format, &[(log, &lines[..2].concat()), (temp, &kept)]);
        let found = one.problem("leftover-temp");
        let all = titles(&found);
        assert!(
            all.len() == 2 && all[0].starts_with("add 1 memory to") && all[1] == MOVE,
            "{format}: {found}"
        );
        one.fix("leftover-temp", 1);
        assert!(one.text().starts_with(&lines.concat()), "{format}: {}", one.text());
        assert!(!one.store.file(temp).exists(), "{format}");
        one.run(&["undo", "--yes"]).expect_status(0);
        assert_eq!(one.store.read(temp), kept.as_bytes(), "{format}");
        assert_eq!(one.text(), lines[..2].concat(), "{format}");
    }
    let (format, log, temp) = TEMPS[0];
    let lines = ["a1", "a2"].map(|id| record(format, id, "some words") + "\n");
    let one = One::of_files(format, &[(log, &lines.concat()), (temp, &lines.concat())]);
    one.run(&["delete", "a2", "--remove", "--yes"]).expect_status(0);
    assert_eq!(titles(&one.problem("leftover-temp")), [MOVE]);
}

#[test]
fn a_memory_that_was_archived_by_half_says_so_and_its_archiving_is_finished_or_undone() {
    let (format, log) = LOGS[0];
    let archive = "archive/2025/learnings_2025_Q4.jsonl";
    let live = record(format, "a1", "some words") + "\n";
    let archived = live.replace("{\"access_count\"", "{\"archived\":true,\"access_count\"");
    let archived = if archived == live { live.replacen('{', "{\"archived\":true,", 1) } else { archived };
    for (number, left) in [(1, ["", &*archived]), (2, [&*live, ""])] {
        let one = One::of_files(format, &[(log, &live), (archive, &archived)]);
        let found = one.problem("duplicate-id");
        let all = titles(&found);
        assert!(
            all[0].starts_with("finish the archiving") && all[1].starts_with("undo the archiving"),
            "{all:?}"
        );
        assert!(found["fixes"][0]["reason"].as_str().unwrap().contains("interrupted"), "{found}");
        one.fix("duplicate-id", number);
        assert_eq!([log, archive].map(|own| one.store.read(own)), left.map(|own| own.as_bytes().to_vec()));
        one.run(&["undo", "--yes"]).expect_status(0);
        let both = [live.as_bytes().to_vec(), archived.as_bytes().to_vec()];
        assert_eq!([log, archive].map(|own| one.store.read(own)), both);
    }
}
