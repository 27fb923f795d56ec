//! `erase --value-from -`: takes every memory that holds a value, with all copies, and searches every byte
//! afterwards.

use super::secrets::{record, token};
use crate::support::files::LOGS;
use crate::support::traces::{forms, holding};
use crate::support::tries::some;
use crate::support::{Desk, gzip};

const VALUES: [&str; 4] =
    ["kingfisher-17", "水曜日の合言葉は青い鳥です", "quote \" and \\ slash/", "two\nlines of it"];

#[test]
fn a_value_is_gone_from_every_memory_and_its_copies_and_other_memories_keep_every_byte() {
    for (number, (format, log)) in [LOGS[0], LOGS[1], LOGS[3], LOGS[4]].into_iter().enumerate() {
        for value in some(VALUES, &[number % VALUES.len()]) {
            let (holds, other) =
                (record(format, &format!("it is {value}, really")), record(format, "nothing"));
            let second = holds.replace("_1\"", "_2\"").replace("00002a", "00002b");
            let other = other.replace("_1\"", "_3\"").replace("00002a", "00002c");
            let lines = format!("{holds}\n{other}\n{second}\n");
            let desk = Desk::of_log(format, log, &lines);
            // A step before: undo data and backups hold the value.
            desk.run(&["backup", "create", "--yes"]).expect_status(0);
            let words = ["erase", "--value-from", "-", "--yes"];
            let out = desk.fed(&format!("{value}\n"), &words).expect_status(0);
            assert!(!out.stdout.contains(value) && !out.stderr.contains(value), "{format}: {}", out.stderr);
            let left = holding(desk.store.around(), &forms(value));
            let own = holding(desk.data.path(), &forms(value));
            assert!(left.is_empty() && own.is_empty(), "{format} {value}: {left:?} {own:?}");
            assert!(desk.text(log).contains(&other), "{format}: {}", desk.text(log));
            desk.run(&["undo", "--yes"]);
            desk.run(&["repair", "--all-safe", "--yes"]);
            assert!(holding(desk.store.around(), &forms(value)).is_empty(), "{format} {value}");
            desk.fed(value, &words).expect_status(1);
        }
    }
}

#[test]
fn a_purged_value_is_out_of_memories_and_every_copy_and_all_else_of_them_stays() {
    for (number, (format, log)) in [LOGS[0], LOGS[1], LOGS[3], LOGS[4]].into_iter().enumerate() {
        let value = VALUES[number % 3];
        let (holds, other) = (record(format, &format!("it is {value}, really")), record(format, "nothing"));
        let other = other.replace("_1\"", "_3\"").replace("00002a", "00002c");
        let desk = Desk::of_log(format, log, &format!("{holds}\n{other}\n"));
        desk.run(&["backup", "create", "--yes"]).expect_status(0);
        let before = desk.run(&["list", "--json"]).json_lines();
        let words = ["redact", "--value-from", "-", "--purge", "--yes"];
        let said = desk.fed(value, &words).expect_status(0).stderr;
        assert!(!said.contains(value) && said.contains("none has it"), "{format}: {said}");
        desk.run(&["journal"]).expect_stdout("purge 1 memory");
        desk.run(&["redact", "--purge", "--yes"]).expect_status(2);
        let traces =
            || [holding(desk.store.around(), &forms(value)), holding(desk.data.path(), &forms(value))];
        assert!(traces().concat().is_empty(), "{format}: {:?}", traces());
        // The format may note an erasure as an event of its own.
        assert!(desk.run(&["list", "--json"]).json_lines().len() >= before.len(), "{format}");
        assert!(desk.text(log).contains(&other) && desk.text(log).contains(", really"), "{}", desk.text(log));
        for words in [&["undo", "--yes"][..], &["repair", "--all-safe", "--yes"]] {
            desk.run(words);
            assert!(traces().concat().is_empty(), "{format} {words:?}: {:?}", traces());
        }
        desk.run(&["verify-erased", "--all"]).expect_status(0);
    }
}

#[test]
fn a_purge_takes_no_memory_whose_value_is_short_and_says_so() {
    let password = ["qZ7", "xk!"].concat();
    let (format, log) = LOGS[0];
    let holds = record(format, &format!("password: {password} is used, {} too", token()));
    let short = holds.replace("_1\"", "_3\"").replace("00002a", "00002c").replace(&token(), "nothing");
    for (lines, code) in [(format!("{short}\n"), 1), (format!("{holds}\n{short}\n"), 0)] {
        let desk = Desk::of_log(format, log, &lines);
        let said = desk.run(&["redact", "--secrets", "--purge", "--yes"]).expect_status(code).stderr;
        assert!(said.contains("1 value of fewer than 8 bytes"), "{said}");
        assert_eq!(desk.text(log).matches(&password).count(), lines.lines().count(), "{}", desk.text(log));
        assert!(!desk.text(log).contains(&token()));
    }
}

#[test]
fn a_key_that_all_memories_have_is_taken_out_of_each() {
    let (format, log) = LOGS[0];
    let line = |number: usize| {
        record(format, &format!("use {}", token())).replace("00002a", &format!("0000{number}a")) + "\n"
    };
    let desk = Desk::of_log(format, log, &(10..18).map(line).collect::<String>());
    desk.run(&["redact", "--only", "token", "--purge", "--yes"]).expect_status(0);
    assert_eq!((desk.text(log).lines().count(), desk.text(log).contains(&token())), (8, false));
}

#[test]
fn a_value_in_a_file_that_is_no_memory_is_masked_and_the_rest_of_the_file_stays() {
    let value = "kingfisher-17";
    let line = record("session-log", &format!("it is {value}"));
    let desk = Desk::of_log(LOGS[1].0, LOGS[1].1, &format!("{line}\n"));
    desk.store.write("notes.txt", format!("first\r\npass: {value}\nlast").as_bytes());
    let plan = desk.fed(value, &["erase", "--value-from", "-", "--dry-run"]).expect_status(0);
    assert!(plan.stdout.contains("mask the value in notes.txt"), "{}", plan.stdout);
    desk.fed(value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    assert_eq!(desk.text("notes.txt"), "first\r\npass: ••••••\nlast");
    assert!(!desk.text(LOGS[1].1).contains(value));
}

#[test]
fn a_file_that_is_no_text_keeps_its_bytes_and_the_value_in_it_is_never_called_erased() {
    let value = "kingfisher-17";
    let line = record("session-log", &format!("it is {value}"));
    let desk = Desk::of_log(LOGS[1].0, LOGS[1].1, &format!("{line}\n"));
    let bytes = [b"\xff\x00\xfe", value.as_bytes(), b"\xff"].concat();
    desk.store.write("cache.bin", &bytes);
    let out = desk.fed(value, &["erase", "--value-from", "-", "--yes"]).expect_status(4);
    assert!(
        out.stderr.contains("not erased everywhere") && out.stderr.contains("cache.bin"),
        "{}",
        out.stderr
    );
    assert_eq!(desk.store.read("cache.bin"), bytes);
    assert!(!desk.text(LOGS[1].1).contains(value));
}

#[test]
fn an_earlier_version_of_a_live_memory_loses_the_value_in_backups_and_undo_data() {
    for (format, log) in [LOGS[0], LOGS[1], LOGS[3]] {
        let value = "kingfisher-17";
        let holds = record(format, &format!("it is {value}, really"));
        let desk = Desk::of_log(format, log, &format!("{holds}\n"));
        desk.run(&["backup", "create", "--yes"]).expect_status(0);
        let key = desk.run(&["list", "--json"]).json_lines()[0]["key"].as_str().unwrap().to_owned();
        desk.run(&["edit", &key, "--set", "text=it is nothing now, really", "--yes"]).expect_status(0);
        let edited = desk.text(log);
        assert!(!edited.contains(value) && edited.contains("nothing now"), "{format}: {edited}");
        assert!(!holding(desk.data.path(), &forms(value)).is_empty(), "{format}");
        let out = desk.fed(value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
        assert!(out.stderr.contains("none has it"), "{format}: {}", out.stderr);
        let left = [holding(desk.store.around(), &forms(value)), holding(desk.data.path(), &forms(value))];
        assert!(left.concat().is_empty(), "{format}: {left:?}");
        assert_eq!(desk.text(log), edited, "{format}");
        desk.run(&["undo", "--yes"]);
        desk.run(&["undo", "1", "--yes"]);
        assert!(holding(desk.store.around(), &forms(value)).is_empty(), "{format}");
    }
}

#[test]
fn a_value_in_settings_indexes_and_session_data_is_masked_without_any_memory_that_has_it() {
    let value = "kingfisher-17";
    let other = record("session-log", "nothing of it");
    let desk = Desk::of_log("session-log", LOGS[1].1, &format!("{other}\n"));
    let config = format!("{{\n  \"default_session\" : \"s\",\n  \"note\": \"ask for {value}\"\n}}\n");
    desk.store.write("config.json", config.as_bytes());
    let metadata =
        format!("{{\"session_id\":\"s\",\"description\":\"{value} \\u0041\",\"memory_count\":1}}\n");
    desk.store.write("sessions/s/metadata.json", metadata.as_bytes());
    desk.fed(value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    let mask = "\\u2022".repeat(6);
    assert_eq!(desk.text("config.json"), config.replace(value, &mask));
    let description = format!("\"description\":\"{mask} \\u0041\"");
    assert!(desk.text("sessions/s/metadata.json").contains(&description));
    assert_eq!(desk.text(LOGS[1].1), format!("{other}\n"));
    let own = holding(desk.data.path(), &forms(value));
    assert!(own.is_empty() && holding(desk.store.around(), &forms(value)).is_empty(), "{own:?}");
}

#[test]
fn a_value_in_an_id_or_in_a_name_is_refused_and_nothing_is_changed() {
    let line = record("session-log", "nothing").replace("mem_1", "mem_kingfisher-17");
    let desk = Desk::of_log("session-log", LOGS[1].1, &format!("{line}\n"));
    let out = desk.fed("kingfisher-17", &["erase", "--value-from", "-", "--yes"]).expect_status(3);
    assert!(out.stderr.contains("the id of the memory"), "{}", out.stderr);
    let other = record("session-log", "sessions-of-mine").replace("\"s\"", "\"sessions-of-mine\"");
    let desk = Desk::of_log("session-log", "sessions/sessions-of-mine/memory.jsonl", &format!("{other}\n"));
    desk.fed("sessions-of-mine", &["erase", "--value-from", "-", "--yes"]).expect_status(3);
    assert_eq!(desk.text("sessions/sessions-of-mine/memory.jsonl"), format!("{other}\n"));
}

#[test]
fn what_is_detected_is_erased_of_the_kinds_that_are_asked_for() {
    let line = |id: &str, text: &str| record("session-log", text).replace("mem_1", id) + "\n";
    let lines = [line("mem_1", &token()), line("mem_2", "ask a@example.org"), line("mem_3", "nothing")];
    let desk = Desk::of_log(LOGS[1].0, LOGS[1].1, &lines.concat());
    desk.run(&["erase", "--secrets", "--only", "token", "--yes"]).expect_status(0);
    let left = desk.text(LOGS[1].1);
    assert!(!left.contains(&token()) && left.contains(&lines[1]) && left.contains(&lines[2]), "{left}");
    desk.run(&["erase", "--secrets", "--yes"]).expect_status(0);
    assert!(desk.text(LOGS[1].1).starts_with(&lines[2]), "{}", desk.text(LOGS[1].1));
    desk.run(&["erase", "--secrets", "--yes"]).expect_status(1);
}

#[test]
fn a_value_is_erased_from_packed_and_rotated_copies_of_a_log() {
    let value = "kingfisher-17";
    let (holds, other) = (record("session-log", &format!("it is {value}")), record("session-log", "nothing"));
    let other = other.replace("_1\"", "_3\"").replace("00002a", "00002c");
    let lines = format!("{holds}\n{other}\n");
    for end in [".backup.20260121_100000.gz", ".1", ".2.gz"] {
        for words in [["erase", "--value-from", "-", "--yes"], ["erase", "--query", value, "--yes"]] {
            let desk = Desk::of_log(LOGS[1].0, LOGS[1].1, &lines);
            let copy = format!("{}{end}", LOGS[1].1);
            let bytes =
                if end.ends_with(".gz") { gzip(lines.as_bytes()) } else { lines.clone().into_bytes() };
            desk.store.write(&copy, &bytes);
            let out = desk.fed(value, &words).expect_status(0);
            assert!(out.stderr.contains("none has it"), "{copy}: {}", out.stderr);
            assert!(holding(desk.store.around(), &forms(value)).is_empty(), "{copy}");
            assert!(!holding(desk.store.around(), &[other.clone().into_bytes()]).is_empty(), "{copy}");
        }
    }
}

#[test]
fn what_a_crash_left_of_a_write_of_palimps_own_goes_with_the_value() {
    let value = "kingfisher-17";
    let line = format!("{}\n", record("session-log", &format!("it is {value}")));
    let desk = Desk::of_log(LOGS[1].0, LOGS[1].1, &line);
    desk.run(&["backup", "create", "--yes"]).expect_status(0);
    let copies = holding(desk.data.path(), &forms(value));
    let copy = copies.iter().find(|own| own.to_str().unwrap().contains("/backups/")).unwrap();
    std::fs::write(copy.with_extension("new"), &line).unwrap();
    desk.fed(value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    assert!(holding(desk.data.path(), &forms(value)).is_empty());
    assert!(!copy.with_extension("new").exists());
}
