//! Undo does not restore what another program has already restored.

use crate::support;

use std::fs;
use std::path::Path;

use support::{DemoStore, Output};

const NOW: &str = "2026-03-01T12:00:00Z";

fn run(desk: &DemoStore, args: &str) -> Output {
    desk.change(&args.split(' ').collect::<Vec<_>>())
}

fn key(desk: &DemoStore, list: &str, says: &str) -> String {
    let list = run(desk, list).expect_status(0).stdout;
    let row = list.lines().find(|row| row.contains(says)).unwrap_or_else(|| panic!("{list}"));
    row.split("\"key\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Runs a verb, restores the file as another program would, and undoes the verb.
fn put_back(store: &str, file: &str, verb: &str) {
    let desk = DemoStore::at(store, NOW);
    let file = desk.store.join(file);
    let saved = fs::read_to_string(&file).unwrap();
    run(&desk, verb).expect_status(0);
    assert_ne!(fs::read_to_string(&file).unwrap_or_default(), saved, "{verb} changed nothing");
    fs::write(&file, &saved).unwrap();
    let undone = run(&desk, "undo").expect_status(0);
    assert_eq!(sorted(&fs::read_to_string(&file).unwrap()), sorted(&saved), "undo of {verb}");
    assert!(undone.stdout.contains("already restored by another program"), "{verb}: {}", undone.stdout);
    // It is undone: the next undo is about another step.
    let again = run(&desk, "undo");
    assert!(!again.stdout.contains("undo step 1"), "{verb}: {}", again.stdout);
}

#[test]
fn records_that_another_program_put_back_are_not_there_twice_after_undo() {
    put_back("team/memories", "learnings.jsonl", "delete --query pooling");
    put_back("team/memories", "learnings.jsonl", "archive --query type:learning");
    put_back("ops/memory", "sessions/release_4_3/memory.jsonl", "delete --remove mem_no_key");
    put_back("shop/.bmad/memory", "sessions/double-charge/decisions.jsonl", "delete --query type:decision");
}

#[test]
fn a_record_comes_back_beside_another_of_its_id_with_other_content() {
    let desk = DemoStore::at("ops/memory", NOW);
    let file = desk.store.join("sessions/release_4_3/memory.jsonl");
    let saved = fs::read_to_string(&file).unwrap();
    run(&desk, "delete --remove mem_is_it_safe mem_no_key").expect_status(0);
    let line = saved.lines().find(|line| line.contains("\"id\":\"mem_is_it_safe\"")).unwrap();
    let other = line.replace("\"message\":\"", "\"message\":\"In other words: ");
    assert_ne!(other, line);
    let now = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{now}{other}\n")).unwrap();
    let undone = run(&desk, "undo").expect_status(0);
    let told = "1 memory will be restored beside a memory with the same id and other content";
    assert!(undone.stdout.contains(told), "{}", undone.stdout);
    assert_lines(&file, &format!("{saved}{other}\n"));
}

/// A memory of a hosted server, where all memories share one id.
fn learning(text: &str) -> String {
    let rest = r#""category":"security","created_at":"2026-01-03T14:50:07.392559Z","updated_at":"2026-01-03T14:50:07.392559Z","accessed_at":"2026-01-03T14:50:07.392559Z","access_count":0,"tags":["x"],"importance":"high","archived":false"#;
    let id = "11111111-1111-4111-8111-111111111111";
    format!("{{\"id\":\"{id}\",\"type\":\"learning\",\"content\":\"{text}\",{rest}}}\n")
}

fn append(file: &Path, lines: &str) {
    let now = fs::read_to_string(file).unwrap_or_default();
    crate::support::write(file, now + lines);
}

#[track_caller]
fn assert_lines(file: &Path, wanted: &str) {
    assert_eq!(sorted(&fs::read_to_string(file).unwrap()), sorted(wanted));
}

#[test]
fn a_session_comes_back_whole_where_another_of_its_name_was_begun() {
    let desk = DemoStore::at("ops/memory", NOW);
    let file = desk.store.join("sessions/release_4_3/memory.jsonl");
    let saved = fs::read_to_string(&file).unwrap();
    let old = saved.lines().last().unwrap().to_owned();
    let other = old.replace("\"message\":\"", "\"message\":\"In other words: ");
    assert_ne!(other, old);
    // The last line has no line end.
    append(&file, &format!("{other}\n{}", old.replace("\"message\":\"", "\"message\":\"Last: ")));
    let saved = fs::read_to_string(&file).unwrap();
    run(&desk, "session delete release_4_3").expect_status(0);
    assert!(!file.exists());
    let new = other.replace("In other words: ", "New: ");
    append(&file, &format!("{other}\n{new}\n"));
    run(&desk, "undo").expect_status(0);
    assert_lines(&file, &format!("{saved}\n{new}\n"));
}

#[test]
fn a_torn_line_comes_back_beside_one_like_it() {
    let desk = DemoStore::at("team/memories", NOW);
    let file = desk.store.join("learnings.jsonl");
    append(&file, "torn line\ntorn line\n");
    let saved = fs::read_to_string(&file).unwrap();
    let key = key(&desk, "list --json", "torn line");
    run(&desk, &format!("delete {key}")).expect_status(0);
    assert_eq!(fs::read_to_string(&file).unwrap().matches("torn line").count(), 1);
    // Other programs continue to write.
    append(&file, &learning("later"));
    run(&desk, "undo").expect_status(0);
    assert_lines(&file, &(saved + &learning("later")));
}

#[test]
fn a_record_comes_back_where_a_new_one_got_its_number() {
    let desk = DemoStore::at("shop/.bmad/memory", NOW);
    let file = desk.store.join("sessions/double-charge/decisions.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let whole = text.lines().filter(|line| line.ends_with('}'));
    let saved: String = whole.map(|line| format!("{line}\n")).collect();
    fs::write(&file, &saved).unwrap();
    let last = saved.lines().last().unwrap().split('"').nth(3).unwrap().to_owned();
    let key = key(&desk, "list --json", &format!("\"{last}\""));
    run(&desk, &format!("delete --remove {key}")).expect_status(0);
    // An agent counts on from the last number that it sees.
    let new = format!(
        "{{\"id\":\"{last}\",\"timestamp\":\"2026-01-30T10:00:00Z\",\"made_by\":\"dev\",\"decision\":\"new\",\"tags\":[]}}\n"
    );
    append(&file, &new);
    run(&desk, "undo 1").expect_status(0).expect_stdout("with the same id and other content");
    assert_lines(&file, &(saved + &new));
}

#[test]
fn what_another_program_added_is_not_added_again_by_redo() {
    let desk = DemoStore::at("ops/memory", NOW);
    let file = desk.store.join("sessions/release_4_3/memory.jsonl");
    run(&desk, "add --session release_4_3 --type finding --text new").expect_status(0);
    let with = fs::read_to_string(&file).unwrap();
    run(&desk, "undo").expect_status(0);
    fs::write(&file, &with).unwrap();
    run(&desk, "redo").expect_status(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), with);
}

#[test]
fn a_deletion_and_the_restore_after_it_are_redone_in_their_order() {
    let desk = DemoStore::at("ops/memory", NOW);
    let file = desk.store.join("sessions/release_4_3/tombstones.jsonl");
    run(&desk, "delete mem_is_it_safe").expect_status(0);
    run(&desk, "undelete mem_is_it_safe").expect_status(0);
    let after = fs::read_to_string(&file).unwrap_or_default();
    for verb in ["undo", "undo", "redo", "redo"] {
        run(&desk, verb).expect_status(0);
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), after);
}

#[test]
fn what_is_there_again_is_not_undeleted_once_more_and_another_of_its_id_keeps_nothing_from_it() {
    let desk = DemoStore::at("team/memories", NOW);
    let file = desk.store.join("learnings.jsonl");
    let saved = fs::read_to_string(&file).unwrap();
    let line = saved.lines().find(|line| line.contains("pooling")).unwrap();
    let id = line.split("\"id\":").nth(1).unwrap().split('"').nth(1).unwrap().to_owned();
    run(&desk, &format!("delete {id}")).expect_status(0);
    let list = run(&desk, "backup list");
    let backup = list.stdout.split_whitespace().find(|word| word.contains("learnings.jsonl.backup")).unwrap();
    fs::write(&file, &saved).unwrap();
    let again = run(&desk, &format!("undelete {id}"));
    assert_ne!(again.status, Some(0), "{}", again.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), saved);

    let other = saved.replace(line, &line.replace("\"content\":\"", "\"content\":\"In other words: "));
    assert_ne!(other, saved);
    fs::write(&file, &other).unwrap();
    run(&desk, &format!("backup restore {backup}"));
    assert_eq!(fs::read_to_string(&file).unwrap().matches(&format!("\"id\":\"{id}\"")).count(), 1);
    let key = key(&desk, "list is:deleted --json", &id);
    run(&desk, &format!("undelete {key}")).expect_status(0);
    assert_lines(&file, &format!("{other}{line}\n"));
}

#[test]
fn a_backup_names_what_it_leaves_out_as_its_id_is_there() {
    let desk = DemoStore::at("team/memories", NOW);
    let file = desk.store.join("learnings.jsonl");
    append(&file, &(learning("Zebra one") + &learning("Zebra two")));
    let saved = fs::read_to_string(&file).unwrap();
    let key = key(&desk, "list --json", "Zebra one");
    run(&desk, &format!("delete {key}")).expect_status(0);
    let list = run(&desk, "backup list");
    let backup = list.stdout.split_whitespace().find(|word| word.contains("learnings.jsonl.backup")).unwrap();
    let plan = run(&desk, &format!("backup restore {backup}")).stdout;
    // Another memory has its id, so only the key names one of the two.
    let is_it = |line: &&str| line.starts_with("⊘ Zebra one  is left out");
    let line = plan.lines().find(is_it).unwrap_or_else(|| panic!("{plan}"));
    let key = line.rsplit(' ').next().unwrap();
    run(&desk, &format!("backup restore {backup} {key}")).expect_status(0);
    assert_lines(&file, &saved);
}
