//! A store with an interrupted change is found from palimp's own data, whatever is left in the store.

use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::store::Vault;
use palimp::store::steps::interrupted_stores;

use super::bench::{Bench, DATA, ROOT, next_start, run};
use super::cases::named;
use super::machine::Still;
use super::sweep::Share;

fn store(disk: &Faulty) -> Vec<(PathBuf, Vec<u8>)> {
    let ours = |path: &Path| path.file_name().is_some_and(palimp::store::hidden_names::is_ours);
    disk.files().into_iter().filter(|(path, _)| path.starts_with(ROOT) && !ours(path)).collect()
}

#[test]
fn a_store_whose_session_is_half_deleted_is_known_by_the_journal_alone_until_it_is_settled() {
    let bench = Bench::of(named("session-log", "session delete"));
    let whole = bench.disk();
    let prepared = bench.prepare(&whole);
    run(&whole, &Still::first(), &prepared).unwrap();
    let (before, after) = (store(&bench.disk()), store(&whole));
    let mut cut_short = 0;
    for step in Share::of(2, 1, 0).picks(whole.steps()) {
        let disk = bench.disk();
        let prepared = bench.prepare(&disk);
        disk.fail_at(step, Fault::Crash);
        let _ = run(&disk, &Still::first(), &prepared);
        let disk = disk.restart();
        let now = store(&disk);
        let found = interrupted_stores(&disk, Path::new(DATA), &|_| true);
        if now != before && now != after {
            cut_short += 1;
            let places: Vec<_> = found.iter().map(|own| (own.root.as_path(), own.format)).collect();
            assert_eq!(places, [(Path::new(ROOT), "session-log")], "cut at {step}");
        }
        next_start(&disk, "session-log", &Still::next()).unwrap();
        assert!(interrupted_stores(&disk, Path::new(DATA), &|_| true).is_empty(), "cut at {step}");
    }
    assert!(cut_short > 2, "only {cut_short} states are halfway");
}

#[test]
fn a_journal_that_cannot_be_written_is_told_and_the_next_start_writes_it() {
    let bench = Bench::of(named("session-log", "edit"));
    let learned = bench.disk();
    run(&learned, &Still::first(), &bench.prepare(&learned)).unwrap();
    let log = learned.log();
    let about: Vec<usize> = (0..log.len()).filter(|at| log[*at].contains("journal.jsonl")).collect();
    assert!(about.len() >= 2, "{log:?}");
    for step in about {
        let disk = bench.disk();
        disk.fail_at(step, Fault::Error(Errno::IO));
        let receipt = run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
        let notes = receipt.notes.join(" ");
        assert!(!receipt.is_journalled, "{}: {notes}", log[step]);
        assert!(notes.contains("the change is saved") && !notes.contains("nothing was changed"), "{notes}");
        let disk = disk.restart();
        next_start(&disk, "session-log", &Still::next()).unwrap();
        let journal = Vault::open_read_only(&disk, Path::new(DATA), Path::new(ROOT)).journal().unwrap();
        assert_eq!(journal.iter().map(|line| line.step).collect::<Vec<_>>(), [receipt.step], "{}", log[step]);
        assert_eq!(store(&disk), store(&learned), "{}", log[step]);
    }
}
