//! Other programs write between a crash and the next start.

use std::path::Path;

use crate::faulty::{Fault, Faulty};
use palimp::disk::Disk;
use palimp::ops::delete::DeleteOptions;
use palimp::store::Vault;
use palimp::store::write::Writer;

use super::bench::{Bench, DATA, ROOT, context, host, load, run, turn};
use super::cases::{Do, named};
use super::machine::Still;

const LOG: &str = "sessions/sess_a/memory.jsonl";
const NEW: &str = "Another text, and a longer one than before.";

/// An edit of `mem_002`, interrupted right after its exchange of files.
fn edited_and_cut() -> Faulty {
    let bench = Bench::of(named("session-log", "edit"));
    let learned = bench.disk();
    run(&learned, &Still::first(), &bench.prepare(&learned)).unwrap();
    let is_it = |op: &String| op.starts_with("exchange") && op.ends_with(LOG);
    let at = learned.log().iter().position(is_it).unwrap_or_else(|| panic!("{:#?}", learned.log()));
    let disk = bench.disk();
    disk.fail_at(at + 1, Fault::Crash);
    let _ = run(&disk, &Still::first(), &bench.prepare(&disk));
    disk.restart()
}

/// The removal of the first of two equal adjacent entries, interrupted right after its exchange of files.
fn removed_and_cut() -> Faulty {
    let on_disk = || {
        let disk = Bench::of(named("session-log", "edit")).disk();
        let line = text(&disk).lines().next().unwrap().to_owned() + "\n";
        disk.put(Path::new(ROOT).join(LOG), line + &text(&disk), 0o600);
        disk
    };
    let run_on = |disk: &Faulty| {
        let store = load(disk, "session-log");
        let asked = DeleteOptions { remove: true, ..DeleteOptions::default() };
        let plan = palimp::ops::delete::delete(&context(&store), &store.entries[..1], &asked).unwrap();
        let machine = Still::first();
        Writer::open(host(disk, &machine), &store).and_then(|writer| writer.commit(&plan))
    };
    let learned = on_disk();
    run_on(&learned).unwrap();
    let is_it = |op: &String| op.starts_with("exchange") && op.ends_with(LOG);
    let at = learned.log().iter().position(is_it).unwrap_or_else(|| panic!("{:#?}", learned.log()));
    let disk = on_disk();
    disk.fail_at(at + 1, Fault::Crash);
    run_on(&disk).unwrap_err();
    disk.restart()
}

fn text(disk: &Faulty) -> String {
    String::from_utf8(disk.files()[&Path::new(ROOT).join(LOG)].clone()).unwrap()
}

fn rewritten(disk: &Faulty, from: &str, to: &str) {
    let before = text(disk);
    assert!(before.contains(from), "{before}");
    disk.put(Path::new(ROOT).join(LOG), before.replace(from, to), 0o600);
}

/// Starts palimp again. Returns its notes.
fn started(disk: &Faulty) -> Vec<String> {
    let (store, machine) = (load(disk, "session-log"), Still::next());
    Writer::open(host(disk, &machine), &store).unwrap().notes()
}

#[test]
fn a_finished_change_whose_line_an_agent_changed_since_stays_and_that_is_told() {
    let disk = edited_and_cut();
    rewritten(&disk, NEW, "What the agent made of it.");
    let notes = started(&disk);
    assert!(text(&disk).contains("What the agent made of it."));
    assert!(notes.iter().any(|note| note.contains("another program changed")), "{notes:?}");
    assert_eq!(started(&disk), Vec::<String>::new(), "it is told once");
    assert!(text(&disk).contains("What the agent made of it."));
}

#[test]
fn a_finished_change_to_whose_line_an_agent_added_a_member_is_finished() {
    let disk = edited_and_cut();
    rewritten(&disk, "\"id\":\"mem_002\",", "\"id\":\"mem_002\",\"seen\":1,");
    assert_eq!(started(&disk), Vec::<String>::new());
    assert!(text(&disk).contains(NEW) && text(&disk).contains("\"seen\":1"), "{}", text(&disk));
}

#[test]
fn a_removal_of_one_of_two_that_are_alike_is_known_to_be_made_and_is_undone() {
    for added in ["", "{\"id\":\"mem_900\",\"content\":{\"finding\":\"Of another.\"}}\n"] {
        let disk = removed_and_cut();
        let before = text(&disk).lines().next().unwrap().to_owned() + "\n" + &text(&disk) + added;
        disk.append(&Path::new(ROOT).join(LOG)).unwrap().write(added.as_bytes()).unwrap();
        assert_eq!(started(&disk), Vec::<String>::new());
        let journal = Vault::open_read_only(&disk, Path::new(DATA), Path::new(ROOT)).journal().unwrap();
        assert_eq!(journal.len(), 1, "{journal:?}");
        turn(&disk, "session-log", &Still::next(), Do::Undo).unwrap();
        assert_eq!(text(&disk), before);
    }
}

#[test]
fn a_change_is_known_to_be_done_before_what_is_derived_is_made_anew_and_a_crash_there_is_repaired() {
    let bench = Bench::of(named("session-log", "edit"));
    let run_on = |disk: &Faulty| {
        let prepared = bench.prepare(disk);
        let late = text(disk).lines().last().unwrap().replace("mem_004", "mem_009") + "\n";
        disk.another().append(&Path::new(ROOT).join(LOG)).unwrap().write(late.as_bytes()).unwrap();
        let _ = run(disk, &Still::first(), &prepared);
    };
    let learned = bench.disk();
    run_on(&learned);
    let last = |part: &str| learned.log().iter().rposition(|op| op.contains(part)).unwrap();
    let journal = last("journal.jsonl");
    assert!(journal < last("index.json"), "{:#?}", learned.log());
    for step in journal..learned.steps() {
        let disk = bench.disk();
        disk.fail_at(step, Fault::Crash);
        run_on(&disk);
        let disk = disk.restart();
        started(&disk);
        let index = &disk.files()[&Path::new(ROOT).join("sessions/sess_a/index.json")];
        assert!(String::from_utf8_lossy(index).contains("mem_009"), "cut at {step}");
    }
}
