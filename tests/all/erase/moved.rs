//! A memory that was moved has other names in older copies.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::found;
use crate::move_records::{Site, finding};
use crate::support::{Output, Verb, write};

fn record(format: &str, text: &str) -> Value {
    match format {
        "bmad" => finding(text),
        _ => json!({"id": "mem_1", "content": {"finding": text}}),
    }
}

#[test]
fn an_erasure_takes_the_versions_from_before_a_move_and_leaves_who_has_the_id_now() {
    for format in ["session-log", "bmad"] {
        let site = Site::new(format);
        let [first, second] = [1, 2].map(|number| format!("the safe of {}", number * 7_919));
        let id = site.add(0, "finding", record(format, &first));
        let log = found(&site.session(0), std::slice::from_ref(&first)).remove(0);
        // An agent's own copies, of two versions.
        fs::copy(&log, log.with_extension("jsonl.bak")).unwrap();
        let one = format!("{}/{id}", site.sessions[0]);
        let field = if format == "bmad" { "description" } else { "content.finding" };
        site.run(&["edit", &one, "--set", &format!("{field}={second}")]).expect_status(0);
        fs::copy(&log, log.with_extension("jsonl.backup.20260101_100000")).unwrap();
        site.run(&["move", &one, "--to", &site.sessions[1]]).expect_status(0);
        let moved = site.ids(1).pop().unwrap();
        let other = "another memory with the id that is free now";
        let again = site.add(0, "finding", record(format, other));
        fs::copy(&log, log.with_extension("jsonl.bak2")).unwrap();
        assert_eq!(again, id);
        let texts = [first, second];
        assert!(found(site.folder.path(), &texts).len() > 3, "{format}");
        let moved = format!("{}/{moved}", site.sessions[1]);
        let row = site.run(&["erase", "--json", &moved]).expect_status(0).json_lines();
        assert_eq!(row.last().unwrap()["left"], json!([]), "{format}");
        assert_eq!(found(site.folder.path(), &texts), Vec::<PathBuf>::new(), "{format}");
        assert_eq!(site.ids(0), [id], "{format}");
        let copies = [&log, &log.with_extension("jsonl.bak2")];
        assert!(copies.iter().all(|own| fs::read_to_string(own).unwrap().contains(other)), "{format}");
    }
}

/// Runs a verb on the memories of Claude Code in a home.
fn run_in(home: &Path, args: &[&str]) -> Output {
    let (store, data) = (home.join(".claude/memory"), home.join("data"));
    let place = ["--yes", "--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    Verb::new([args, &place].concat()).home(home).run()
}

#[test]
fn a_torn_copy_under_an_earlier_name_goes_if_no_other_memory_has_the_name() {
    let site = Site::new("session-log");
    let text = format!("the safe of {}", 7_919);
    let id = site.add(0, "finding", record("session-log", &text));
    let log = found(&site.session(0), std::slice::from_ref(&text)).remove(0);
    let line = fs::read_to_string(&log).unwrap();
    let torn = &line[..line.find(&text).unwrap() + text.len()];
    fs::write(&log, [&line, torn, "\n"].concat()).unwrap();
    site.run(&["move", &format!("{}/{id}", site.sessions[0]), "--to", &site.sessions[1]]).expect_status(0);
    site.run(&["erase", &format!("{}/{id}", site.sessions[1])]).expect_status(0);
    assert!(found(site.folder.path(), &[text]).is_empty());
}

#[test]
fn a_backup_from_before_a_memory_was_renamed_loses_it_and_nothing_brings_it_back() {
    let home = crate::support::folder::new();
    let store = home.path().join(".claude/memory");
    let run = |args: &[&str]| run_in(home.path(), args);
    let text = format!("the safe of {}", 7_919);
    write(&store.join("MEMORY.md"), "- [One](one.md) — safes\n");
    write(&store.join("one.md"), format!("---\nname: one\ndescription: d\n---\n\n{text}\n"));
    run(&["backup", "create"]).expect_status(0);
    let rows = run(&["edit", "one", "--set", "id=other", "--json"]).expect_status(0).json_lines();
    assert_eq!(rows[0]["plan"]["memories"][0]["effect"], "move", "{rows:?}");
    run(&["erase", "other"]).expect_status(0);
    assert!(found(home.path(), &[text]).is_empty());
    run(&["verify-erased", "--all"]).expect_status(0);
}

#[test]
fn a_copy_of_an_earlier_text_that_is_left_is_found_again_later() {
    let home = crate::support::folder::new();
    let store = home.path().join(".claude/memory");
    let run = |args: &[&str]| run_in(home.path(), args);
    write(&store.join("MEMORY.md"), "- [One](one.md) — safes\n");
    write(&store.join("one.md"), "---\nname: one\ndescription: d\n---\n\nThe first text of this memory\n");
    fs::copy(store.join("one.md"), store.join("handover.txt")).unwrap();
    run(&["edit", "one", "--set", "text=Another one, longer than before"]).expect_status(0);
    run(&["erase", "one"]).expect_status(4);
    run(&["verify-erased", "--all"]).expect_status(1).expect_stdout("handover.txt");
    fs::remove_file(store.join("handover.txt")).unwrap();
    run(&["verify-erased", "--all"]).expect_status(0);
}

#[test]
fn a_word_that_an_index_has_as_a_name_is_erased_by_value_and_a_name_of_the_index_itself_is_refused() {
    for format in ["session-log", "bmad"] {
        let site = Site::new(format);
        let word = ["sword", "fish"].concat();
        let mut own = record(format, &format!("the password is {word} here"));
        own["tags"] = json!([word]);
        site.add(0, "finding", own);
        assert!(found(&site.root(), std::slice::from_ref(&word)).len() > 1, "{format}");
        let own_name = if format == "bmad" { "topic_index" } else { "byte_offset" };
        site.fed(own_name, &["erase", "--value-from", "-"])
            .expect_status(3)
            .expect_stderr("a word of the format");
        site.fed(&word, &["redact", "--value-from", "-", "--purge"]).expect_status(0);
        assert!(found(site.folder.path(), std::slice::from_ref(&word)).is_empty(), "{format}");
        site.expect_no_problem();
    }
}
