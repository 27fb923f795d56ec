//! Interrupted erasures of values on the disk in memory: the next start finds the values by their digests.

use palimp::model::Verb;
use std::path::{Path, PathBuf};

use crate::faulty::{Fault, Faulty};
use palimp::disk::ThisMachine;
use palimp::format;
use palimp::format::writing::WriteContext;
use palimp::ops::erase;
use palimp::store::erase::{ErasedContents, ErasureMatcher, ErasureScope, SecretValues};
use palimp::store::write::Writer;
use palimp::store::write::scrub::{ErasureReceipt, gather};
use palimp::store::{CommitError, Vault};

use super::cut_short::{DATA, NOW, ROOT, host, load, on_faulty};
use super::{forms, holds, secret};

/// A store with the value in a memory, in undo data, in a backup, in a note of the user and in the settings.
fn desk() -> Faulty {
    let disk = on_faulty();
    disk.put(Path::new(ROOT).join("notes.txt"), format!("see: {}.", value()), 0o600);
    disk.put(Path::new(ROOT).join("config.json"), format!("{{\"hint\": \"{}\"}}", value()), 0o600);
    disk
}

/// The text of the first memory before its edit.
fn value() -> String {
    secret(6)
}

fn erase_value(disk: &Faulty) -> Result<ErasureReceipt, CommitError> {
    let machine = ThisMachine::new();
    let host = host(disk, &machine);
    let store = &load(disk);
    let context = WriteContext::of(store, host.now, [9; 16]);
    let values = SecretValues::of([value()]);
    let vault = Vault::open_read_only(disk, host.data, &store.root);
    let wanted = ErasureMatcher::of(format::by_name(store.format).unwrap(), store, &[], NOW);
    let wanted = wanted.with_values(values.all(), false);
    let mut contents = ErasedContents::default();
    let kept = gather(disk, store, &vault, &wanted, &mut contents, &Default::default()).unwrap();
    let plan = erase::plan(&context, &wanted, &contents, &kept, erase::DEFAULT_REASON).unwrap().plan;
    let scope = ErasureScope { values: values.all(), ..ErasureScope::default() };
    Writer::open(host, store)?.erase(&plan, scope, erase::DEFAULT_REASON)
}

fn left_on(disk: &Faulty) -> Vec<PathBuf> {
    let forms = forms(&value());
    disk.files().into_iter().filter(|(_, bytes)| holds(bytes, &forms)).map(|(path, _)| path).collect()
}

/// The next start finishes an erasure that had begun. Returns whether it had.
fn finishes(disk: &Faulty, label: &str) -> bool {
    let machine = ThisMachine::new();
    let before = left_on(disk);
    let vault = Vault::open_read_only(disk, Path::new(DATA), Path::new(ROOT));
    let is_said = vault.journal().unwrap().iter().any(|line| line.verb == Verb::Erase);
    let had_begun = vault.erasing().unwrap().is_some();
    if is_said && !had_begun {
        assert_eq!(before, Vec::<PathBuf>::new(), "{label}: it says erased before it is");
    }
    let notes = Writer::open(host(disk, &machine), &load(disk)).unwrap().notes().join("\n");
    assert!(vault.erasing().unwrap().is_none(), "{label}: it still says erasing: {notes}");
    let log = String::from_utf8(disk.files()[&Path::new(ROOT).join("learnings.jsonl")].clone()).unwrap();
    assert!(log.contains("It stays as it is.") && log.contains("55433-7"), "{label}: {log}");
    match had_begun {
        true => assert_eq!(left_on(disk), Vec::<PathBuf>::new(), "{label}: {notes}"),
        false => assert_eq!(left_on(disk), before, "{label}"),
    }
    had_begun
}

#[test]
fn an_erasure_of_a_value_that_is_cut_short_anywhere_is_finished_by_the_next_start() {
    let begun = desk();
    assert!(left_on(&begun).len() > 3, "{:?}", left_on(&begun));
    let whole = begun.restart();
    let erased = erase_value(&whole).unwrap();
    assert_eq!((erased.left.as_slice(), left_on(&whole)), ([].as_slice(), Vec::new()));
    let mut finished = 0;
    for step in crate::support::tries::spread(whole.steps() - begun.steps(), 14) {
        let step = begun.steps() + step;
        let disk = begun.restart();
        disk.fail_at(step, Fault::Crash);
        let _ = erase_value(&disk);
        finished += usize::from(finishes(&disk.restart(), &format!("killed at step {step}")));
        if step.is_multiple_of(2) {
            for (label, cut) in disk.after_power_cut().into_iter().take(3) {
                finishes(&cut, &format!("power cut at step {step}: {label}"));
            }
        }
    }
    assert!(finished > 3, "only {finished} had begun");
}

#[test]
fn without_the_key_of_the_digests_an_interrupted_erasure_is_never_called_erased() {
    let begun = desk();
    let whole = begun.restart();
    erase_value(&whole).unwrap();
    let cut = |step: usize| {
        let disk = begun.restart();
        disk.fail_at(step, Fault::Crash);
        let _ = erase_value(&disk);
        let disk = disk.restart();
        let vault = Vault::open_read_only(&disk, Path::new(DATA), Path::new(ROOT));
        let key = vault.erasing().unwrap().is_some().then(|| vault.path("values.key"))?;
        std::mem::drop(vault);
        disk.files().contains_key(&key).then_some((disk, key))
    };
    let (disk, key) = (begun.steps()..whole.steps()).find_map(cut).unwrap();
    palimp::disk::Disk::remove(&disk, &key).unwrap();
    let machine = ThisMachine::new();
    let notes = Writer::open(host(&disk, &machine), &load(&disk)).unwrap().notes().join("\n");
    assert!(notes.contains("can't be finished yet"), "{notes}");
    let vault = Vault::open_read_only(&disk, Path::new(DATA), Path::new(ROOT));
    assert!(vault.erasing().unwrap().is_some());
}
