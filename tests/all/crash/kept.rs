//! How long palimp keeps content on its own, and which step numbers it gives.

use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::store::CommitError;
use palimp::store::write::{Writer, is_left_over};

use super::bench::{Bench, DATA, host, load, run};
use super::cases::named;
use super::machine::Still;

fn bench() -> Bench {
    Bench::of(named("session-log", "edit"))
}

fn started(disk: &Faulty) {
    let (store, machine) = (load(disk, "session-log"), Still::next());
    drop(Writer::open(host(disk, &machine), &store).unwrap());
}

fn kept(disk: &Faulty, folder: &str) -> Vec<PathBuf> {
    let is_in = |path: &PathBuf| path.starts_with(DATA) && path.parent().unwrap().ends_with(folder);
    disk.files().into_keys().filter(is_in).collect()
}

fn written() -> usize {
    let learned = bench().disk();
    run(&learned, &Still::first(), &bench().prepare(&learned)).unwrap();
    let log = learned.log();
    log.iter().position(|op| op.starts_with("write") && op.contains("000001.steps.gz")).unwrap()
}

#[test]
fn what_takes_a_change_back_and_finds_no_room_is_not_left_in_part() {
    let disk = bench().disk();
    disk.fail_at(written() + 1, Fault::Error(Errno::NOSPC));
    run(&disk, &Still::first(), &bench().prepare(&disk)).unwrap_err();
    assert_eq!(kept(&disk, "undo"), Vec::<PathBuf>::new());
}

#[test]
fn what_a_crash_cut_while_it_was_written_to_take_a_change_back_goes_at_the_next_start() {
    let disk = bench().disk();
    disk.fail_at(written() + 1, Fault::Crash);
    let _ = run(&disk, &Still::first(), &bench().prepare(&disk));
    let disk = disk.restart();
    let folder = Path::new(DATA).join("stores");
    // This crash may leave nothing of it; it could also leave any part.
    let own = palimp::disk::Disk::list(&disk, &folder).unwrap().remove(0).name;
    disk.put(folder.join(own).join("undo/000001.steps.gz"), [0x1f, 0x8b, 8, 4, 0, 0], 0o600);
    let store = load(&disk, "session-log");
    assert!(is_left_over(&disk, &Still::next(), Path::new(DATA), &store).unwrap());
    started(&disk);
    assert_eq!(kept(&disk, "undo"), Vec::<PathBuf>::new());
    assert!(!is_left_over(&disk, &Still::next(), Path::new(DATA), &load(&disk, "session-log")).unwrap());
}

const LOG: &str = "sessions/sess_a/memory.jsonl";

fn exchange_of(bench: &Bench, file: &str) -> usize {
    let disk = bench.disk();
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
    disk.log().iter().position(|op| op.starts_with("exchange") && op.ends_with(file)).unwrap()
}

#[test]
fn what_takes_a_change_back_that_is_not_settled_stays_however_old() {
    let bench = bench();
    let at = exchange_of(&bench, LOG);
    let disk = bench.disk();
    disk.fail_at(at + 1, Fault::Crash);
    let _ = run(&disk, &Still::first(), &bench.prepare(&disk));
    let disk = disk.restart();
    // The file is unreadable, so nothing shows how far the change got.
    let path = Path::new(super::bench::ROOT).join(LOG);
    let bytes = disk.files()[&path].clone();
    disk.put(&path, bytes, 0o000);
    let (store, machine) = (load(&disk, "session-log"), Still::next());
    machine.pass(60 * 86_400);
    drop(Writer::open(host(&disk, &machine), &store));
    assert_eq!(kept(&disk, "undo").len(), 1);
}

#[test]
fn a_number_is_given_once_also_where_its_change_was_undone() {
    let bench = bench();
    let at = exchange_of(&bench, LOG);
    let disk = bench.disk();
    // A full disk is no reason to try again.
    disk.fail_at(at, Fault::Error(Errno::NOSPC));
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap_err();
    assert_eq!(run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap().step, 2);
}

#[test]
fn a_lock_of_ours_that_a_power_cut_brings_back_goes_at_once_and_one_of_a_palimp_elsewhere_does_not() {
    let bench = bench();
    let disk = bench.disk();
    run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
    let root = Path::new(super::bench::ROOT);
    let at = "1970-01-20T12:00:00.000Z";
    let places = ["sessions/sess_a/lock", "sessions/sess_b/lock"].map(|path| root.join(path));
    for (process, place) in [100, 150].iter().zip(&places) {
        let said = format!("{{\"pid\":{process},\"agent_id\":\"palimp\",\"acquired_at\":\"{at}\"}}");
        disk.put(place, said, 0o600);
    }
    started(&disk);
    assert!(!disk.files().contains_key(&places[0]));
    assert!(disk.files().contains_key(&places[1]));
}

#[test]
fn a_step_that_two_undo_at_once_is_undone_once() {
    let (bench, machine) = (bench(), Still::first());
    let disk = bench.disk();
    run(&disk, &machine, &bench.prepare(&disk)).unwrap();
    let store = load(&disk, "session-log");
    let plan = || Writer::open_read_only(host(&disk, &machine), &store).unwrap().undo(None).unwrap();
    let [one, other] = [plan(), plan()];
    let turn =
        |(plan, turn)| Writer::open(host(&disk, &machine), &store).unwrap().commit_undo_redo(&plan, turn);
    turn(one).unwrap();
    let log = Path::new(super::bench::ROOT).join("sessions/sess_a/memory.jsonl");
    let after = disk.files()[&log].clone();
    assert!(matches!(turn(other), Err(CommitError::NoStep(_))));
    assert_eq!(disk.files()[&log], after);
}
