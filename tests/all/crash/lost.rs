//! Locks and files that get lost during a change.

use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::disk::Disk;
use palimp::model::{Change, Plan, Verb};
use palimp::ops::WriteContext;

use super::bench::{Bench, ROOT, run};
use super::cases::named;
use super::machine::Still;

fn at(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

#[test]
fn a_lock_that_is_lost_between_two_files_stops_the_change_and_what_was_made_is_put_back() {
    let bench = Bench::of(named("memory-server", "tag"));
    let learned = bench.disk();
    run(&learned, &Still::first(), &bench.prepare(&learned)).unwrap();
    let files = ["core_memories.jsonl", "learnings.jsonl"];
    let is_it = |op: &String| op.starts_with("exchange") && files.iter().any(|file| op.ends_with(file));
    let second = learned.log().iter().rposition(is_it).unwrap();
    for before in [second - 1, second - 2] {
        let disk = bench.disk();
        let (prepared, was) = (bench.prepare(&disk), disk.files());
        let mut step = 0;
        disk.before(move |_, other| {
            if step == before {
                other.put(at(".lock"), "815", 0o600);
            }
            step += 1;
        });
        let told = run(&disk, &Still::first(), &prepared).unwrap_err().to_string();
        assert!(told.contains("its lock was lost") && told.contains("changed already is undone"), "{told}");
        files.iter().for_each(|file| assert_eq!(disk.files()[&at(file)], was[&at(file)], "{file}"));
    }
}

fn config(context: &WriteContext<'_>) -> Plan {
    let base = b"{\"version\": \"1.0\"}\n".as_slice();
    let edit = Change::edits("config.json", base.into(), vec![(13..16, b"1.1".to_vec())]);
    Plan {
        changes: vec![edit],
        ..Plan::of_unread_store(Verb::Edit, &context.store.root, context.store.format)
    }
}

#[test]
fn a_last_line_without_an_end_that_stays_so_does_not_keep_a_change_waiting() {
    let bench = Bench::with_plan(named("session-log", "edit"), config);
    let disk = bench.disk();
    let prepared = bench.prepare(&disk);
    disk.another().append(&at("config.json")).unwrap().write(b" torn").unwrap();
    let notes = run(&disk, &Still::first(), &prepared).unwrap().notes;
    assert_eq!(notes, ["another program changed /store/config.json meanwhile; this change was fitted to it"]);
    assert_eq!(disk.files()[&at("config.json")], b"{\"version\": \"1.1\"}\n torn");
}

fn without_folder(context: &WriteContext<'_>) -> Plan {
    let changes = vec![Change::remove_folder("sessions/sess_c")];
    Plan { changes, ..Plan::of_unread_store(Verb::SessionDelete, &context.store.root, context.store.format) }
}

#[test]
fn a_folder_that_stays_for_files_of_ours_alone_is_not_told_of() {
    let notes = |file: &str, text: &str| -> Vec<String> {
        let bench = Bench::with_plan(named("session-log", "edit"), without_folder);
        let disk: Faulty = bench.disk();
        disk.put_folder(at("sessions/sess_c"), 0o700);
        let prepared = bench.prepare(&disk);
        disk.put(at("sessions/sess_c").join(file), text, 0o600);
        run(&disk, &Still::first(), &prepared).unwrap().notes
    };
    let ours = "{\"pid\":100,\"agent_id\":\"palimp\",\"acquired_at\":\"1970-01-20T12:00:00.000Z\"}";
    assert_eq!(notes(".lock", ours), Vec::<String>::new());
    assert_eq!(notes(".memory.jsonl.1641600-3-7-0c.palimp-old", "ab\n"), Vec::<String>::new());
    assert_eq!(notes("notes.txt", "mine").len(), 1);
    assert_eq!(notes(".lock", "{\"pid\":100,\"agent_id\":\"analyst\"}").len(), 1);
}
