//! Interrupted erasures on the disk in memory: the next start finishes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::faulty::{Fault, Faulty, Op};
use palimp::disk::host::Host;
use palimp::disk::{Disk, ThisMachine};
use palimp::format;
use palimp::format::writing::WriteContext;
use palimp::model::{Entry, Extent, Moment, Store};
use palimp::ops::erase;
use palimp::store::erase::{ErasedContents, ErasureMatcher, ErasureScope};
use palimp::store::write::Writer;
use palimp::store::write::scrub::{ErasureReceipt, dropped_steps, gather};
use palimp::store::{CommitError, Place, Vault, load_from};
use serde_json::json;

use super::support::StoreBuilder;
use super::{below, forms, holds, secret, term};

pub const ROOT: &str = "/home/store";
pub const DATA: &str = "/home/data";
/// The disk in memory counts its changes from 1970 on. At another time, all undo data would be too old.
pub const NOW: Moment = Moment(19 * 86_400_000_000 + 43_200_000_000);

pub fn load(disk: &Faulty) -> Store {
    let place = Place::whole(ROOT.into(), "memory-server");
    load_from(disk, &place, Extent::All, None, NOW)
}

pub fn host<'a>(disk: &'a dyn Disk, machine: &'a ThisMachine) -> Host<'a> {
    Host { disk, machine, data: Path::new(DATA), now: NOW }
}

/// A store with one earlier edit, on a disk in memory.
pub fn on_faulty() -> Faulty {
    let disk = Faulty::new();
    let files = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": secret(6), "tags": [term()]}))
        .learning(json!({"id": "k-2", "content": "It stays as it is."}))
        .build();
    for file in ["core_memories.jsonl", "learnings.jsonl", "tasks.jsonl", "index.json"] {
        disk.put(Path::new(ROOT).join(file), files.read(file), 0o600);
    }
    disk.put(
        format!("{ROOT}/.backup/learnings.jsonl.backup.20250101_100000"),
        files.read("learnings.jsonl"),
        0o600,
    );
    disk.put_folder(DATA, 0o700);
    let machine = ThisMachine::new();
    let store = load(&disk);
    let context = WriteContext::of(&store, host(&disk, &machine).now, [7; 16]);
    let text = secret(7);
    let set = palimp::format::writing::FieldAssignment { name: "content", value: &text };
    let entry = store.entries[0];
    let plan = palimp::ops::edit::edit(&context, &entry, &[set]).unwrap();
    Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
    let writer = Writer::open(host(&disk, &machine), &store).unwrap();
    assert!(writer.vault().step(1).unwrap().is_some(), "nothing would take the edit back");
    drop(writer);
    disk
}

pub fn erase_on(disk: &Faulty) -> Result<ErasureReceipt, CommitError> {
    erase_of(disk, &load(disk), b"k-1")
}

/// Returns all steps in the long form, otherwise a sample.
fn sampled(steps: usize) -> impl Iterator<Item = usize> {
    crate::support::tries::spread(steps, 12)
}

/// Erases the first record that has `says`.
pub fn erase_of(disk: &dyn Disk, store: &Store, says: &[u8]) -> Result<ErasureReceipt, CommitError> {
    let machine = ThisMachine::new();
    let host = host(disk, &machine);
    let context = WriteContext::of(store, host.now, [9; 16]);
    let says = |own: &&Entry| store.raw(own).windows(says.len()).any(|window| window == says);
    let entries: Vec<_> = store.entries.iter().filter(says).take(1).copied().collect();
    let targets = erase::targets(&context, &entries, erase::DEFAULT_REASON, &[]).unwrap();
    let format = format::by_name(store.format).unwrap();
    let vault = Vault::open_read_only(disk, host.data, &store.root);
    let wanted = ErasureMatcher::of(format, store, &targets, host.now);
    let mut contents = ErasedContents::default();
    let kept = gather(disk, store, &vault, &wanted, &mut contents, &Default::default()).unwrap();
    let removal = erase::plan(&context, &wanted, &contents, &kept, erase::DEFAULT_REASON).unwrap();
    let steps = dropped_steps(&vault, &wanted, &removal.search_texts).unwrap();
    let scope = ErasureScope { targets: &targets, steps: Some(&steps), ..ErasureScope::default() };
    Writer::open(host, store)?.erase(&removal.plan, scope, erase::DEFAULT_REASON)
}

fn left_on(disk: &Faulty) -> Vec<PathBuf> {
    let forms: Vec<Vec<u8>> = [secret(6), secret(7), term()].iter().flat_map(|text| forms(text)).collect();
    let files: BTreeMap<PathBuf, Vec<u8>> = disk.files();
    files.into_iter().filter(|(_, bytes)| holds(bytes, &forms)).map(|(path, _)| path).collect()
}

/// Whatever state a crash left: the next start finishes an erasure that had begun, and does nothing else.
fn finishes(disk: &Faulty, label: &str) -> bool {
    let machine = ThisMachine::new();
    let current = left_on(disk);
    let vault = Vault::open_read_only(disk, Path::new(DATA), Path::new(ROOT));
    let had_begun = vault.erasing().unwrap().is_some() || !vault.erasure_list().unwrap().is_empty();
    drop(Writer::open(host(disk, &machine), &load(disk)).unwrap());
    assert!(vault.erasing().unwrap().is_none(), "{label}: it still says erasing");
    let log = String::from_utf8(disk.files()[&Path::new(ROOT).join("learnings.jsonl")].clone()).unwrap();
    assert!(log.contains("It stays as it is."), "{label}: {log}");
    match had_begun {
        true => assert_eq!(left_on(disk), Vec::<PathBuf>::new(), "{label}: {:?}", disk.log()),
        false => assert_eq!(left_on(disk).is_empty(), current.is_empty(), "{label}"),
    }
    if had_begun {
        assert_eq!(vault.erasure_list().unwrap().len(), 1, "{label}");
        assert!(vault.journal().unwrap().iter().any(|line| line.ids == ["k-1"]), "{label}");
        let receipt = disk
            .files()
            .into_iter()
            .find(|(path, _)| path.parent().is_some_and(|own| own.ends_with("receipts")));
        let receipt: serde_json::Value = serde_json::from_slice(&receipt.unwrap().1).unwrap();
        assert!(!receipt["values"].as_array().unwrap().is_empty(), "{label}: {receipt}");
    }
    had_begun
}

#[test]
fn an_erasure_that_is_cut_short_anywhere_is_finished_by_the_next_start() {
    let begun = on_faulty();
    let whole = begun.restart();
    let erased = erase_on(&whole).unwrap();
    assert_eq!((erased.left.as_slice(), left_on(&whole)), ([].as_slice(), Vec::new()));
    let steps = whole.steps();
    let mut finished = 0;
    for step in sampled(steps) {
        let disk = begun.restart();
        disk.fail_at(step, Fault::Crash);
        let _ = erase_on(&disk);
        finished += usize::from(finishes(&disk.restart(), &format!("killed at step {step}")));
        if step % 2 == 0 {
            for (label, cut) in disk.after_power_cut().into_iter().take(6) {
                finishes(&cut, &format!("power cut at step {step}: {label}"));
            }
        }
    }
    assert!(finished > 6, "only {finished} of {steps} had begun");
}

#[test]
fn undo_data_with_some_lines_of_a_memory_goes_though_the_erasure_was_cut_short() {
    let machine = ThisMachine::new();
    let load =
        |disk: &Faulty| load_from(disk, &Place::whole(ROOT.into(), "markdown"), Extent::All, None, NOW);
    let edited = || {
        let disk = Faulty::new();
        disk.put_folder(DATA, 0o700);
        disk.put(Path::new(ROOT).join("door.md"), b"# The door\n\nIt has a code.\n".to_vec(), 0o600);
        for text in [secret(6), secret(7)] {
            let (store, value) = (load(&disk), format!("# The door\n\nIts code: {text}"));
            let set = palimp::format::writing::FieldAssignment { name: "text", value: &value };
            let context = WriteContext::of(&store, NOW, [7; 16]);
            let plan = palimp::ops::edit::edit(&context, &store.entries[0], &[set]).unwrap();
            Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
        }
        disk
    };
    let whole = edited().restart();
    erase_of(&whole, &load(&whole), b"door").unwrap();
    for step in sampled(whole.steps()) {
        let disk = edited().restart();
        disk.fail_at(step, Fault::Crash);
        let _ = erase_of(&disk, &load(&disk), b"door");
        let disk = disk.restart();
        drop(Writer::open(host(&disk, &machine), &load(&disk)).unwrap());
        let is_gone = !disk.files().contains_key(&Path::new(ROOT).join("door.md"));
        assert_eq!(left_on(&disk).is_empty(), is_gone, "killed at step {step}: {:?}", left_on(&disk));
    }
}

#[test]
fn a_failing_disk_is_told_and_the_next_start_finishes() {
    let first = on_faulty().steps();
    for step in first..first + 12 {
        let disk = on_faulty();
        disk.fail_at(step, Fault::Error(crate::faulty::Errno::IO));
        let _ = erase_on(&disk);
        finishes(&disk.restart(), &format!("an error at step {step}"));
    }
}

#[test]
fn a_late_line_of_an_erased_record_is_not_rescued() {
    let disk = on_faulty();
    let machine = ThisMachine::new();
    let log = Path::new(ROOT).join("learnings.jsonl");
    let first = disk.files()[&log].split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
    erase_on(&disk).unwrap();
    let store = load(&disk);
    let context = WriteContext::of(&store, host(&disk, &machine).now, [7; 16]);
    let set =
        palimp::format::writing::FieldAssignment { name: "content", value: "It stays as it is. So it does." };
    let plan = palimp::ops::edit::edit(&context, &store.entries[0], &[set]).unwrap();
    Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
    // An agent that has the replaced file open writes to it after the change.
    let is_old = |(path, bytes): &(PathBuf, Vec<u8>)| {
        path.to_string_lossy().contains("palimp-old") && bytes.starts_with(b"{")
    };
    let (old, _) = disk.files().into_iter().find(is_old).unwrap();
    let late = "{\"id\":\"k-3\",\"content\":\"It comes late.\"}\n";
    disk.append(&old).unwrap().write(&[&first[..], late.as_bytes()].concat()).unwrap();
    drop(Writer::open(host(&disk, &machine), &load(&disk)).unwrap());
    let now = String::from_utf8(disk.files()[&log].clone()).unwrap();
    assert!(now.contains("k-3") && !now.contains("k-1"), "{now}");
}

#[test]
fn a_line_that_an_agent_is_in_the_middle_of_stays_whole_when_its_file_is_emptied() {
    let line = "{\"id\":\"k-3\",\"content\":\"It is written in three parts.\"}\n";
    let other = "{\"id\":\"k-4\",\"content\":\"Another.\"}\n";
    let (first, rest) = line.split_at(20);
    // How much more is written before the erasure, also complete lines of others.
    for (before, after) in [
        ("", rest),
        (&rest[..10], &rest[10..]),
        (rest, other),
        (&*format!("{rest}{}", &other[..15]), &other[15..]),
    ] {
        let disk = on_faulty();
        let machine = ThisMachine::new();
        let log = Path::new(ROOT).join("learnings.jsonl");
        disk.append(&log).unwrap().write(first.as_bytes()).unwrap();
        let store = load(&disk);
        let context = WriteContext::of(&store, NOW, [8; 16]);
        let set = palimp::format::writing::FieldAssignment { name: "content", value: "It is changed." };
        let entry = store.entries.iter().rfind(|own| store.memory(own).is_some()).unwrap();
        let plan = palimp::ops::edit::edit(&context, entry, &[set]).unwrap();
        Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
        // The agent has the replaced file open: the one that ends as it left it.
        let is_old = |(path, bytes): &(PathBuf, Vec<u8>)| {
            path.to_string_lossy().contains("palimp-old") && bytes.ends_with(first.as_bytes())
        };
        let number = |path: &Path| disk.look(path).unwrap().generation.inode;
        let old = disk.files().into_iter().find(is_old).unwrap().0;
        let inode = number(&old);
        disk.append(&old).unwrap().write(before.as_bytes()).unwrap();
        erase_on(&disk).unwrap();
        assert_eq!(left_on(&disk), Vec::<PathBuf>::new());
        let old = disk.files().into_keys().find(|path| number(path) == inode).unwrap();
        disk.append(&old).unwrap().write(after.as_bytes()).unwrap();
        drop(Writer::open(host(&disk, &machine), &load(&disk)).unwrap());
        let now = String::from_utf8(disk.files()[&log].clone()).unwrap();
        assert_eq!(now.matches(line).count(), 1, "{before:?}: {now}");
        let is_begun = |own: &&str| own.contains("k-3") && **own != *line.trim_end();
        assert_eq!(now.lines().find(is_begun), None, "{before:?}: {now}");
        assert!(!format!("{before}{after}").contains(other) || now.contains(other), "{before:?}: {now}");
    }
}

pub fn load_log(disk: &Faulty) -> Store {
    let place = Place::whole(ROOT.into(), "session-log");
    load_from(disk, &place, Extent::All, None, NOW)
}

#[test]
fn a_tombstone_that_a_power_cut_tore_is_cut_off_and_written_whole() {
    let files = StoreBuilder::session_log().session("one").entries(3).tombstone("mem_000").build();
    let of_log = || {
        let disk = Faulty::new();
        for (path, bytes) in below(files.path.clone()) {
            disk.put(Path::new(ROOT).join(path), bytes, 0o600);
        }
        disk.put_folder(DATA, 0o700);
        disk
    };
    let in_store = |disk: &Faulty| {
        // A second name of a file stays for a minute, for lines that others add to it. palimp's own
        // lock file stays until its process is gone, and this process is not.
        let is_hidden = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with('.');
        let own = disk.files().into_iter();
        let own = own.filter(|(path, _)| path.starts_with(ROOT) && !is_hidden(path));
        own.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect::<BTreeMap<_, _>>()
    };
    let whole = of_log();
    let (first, said) = (whole.steps(), b"mem_002");
    let before = in_store(&whole);
    erase_of(&whole, &load_log(&whole), said).unwrap();
    let after = in_store(&whole);
    assert_ne!(before, after);
    let mut cut = 0;
    let is_write = |step: &usize| matches!(whole.ops()[*step], Op::Write { .. });
    for step in (first..whole.steps()).filter(is_write) {
        for bytes in [1, 30] {
            let disk = of_log();
            disk.fail_at(step, Fault::CrashInWrite(bytes));
            let _ = erase_of(&disk, &load_log(&disk), said);
            let disk = disk.restart();
            let is_torn = in_store(&disk)
                .iter()
                .any(|(path, text)| path.ends_with("tombstones.jsonl") && !text.ends_with('\n'));
            cut += usize::from(is_torn);
            // Its lease ends while the machine is off.
            let _ = disk.remove(&Path::new(ROOT).join("sessions/one/lock"));
            let machine = ThisMachine::new();
            drop(Writer::open(host(&disk, &machine), &load_log(&disk)).unwrap());
            let now = in_store(&disk);
            assert!(now == before || now == after, "cut in step {step}: {now:#?}");
        }
    }
    assert_eq!(cut, 2, "no tombstone was torn");
}
