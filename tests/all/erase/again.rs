//! Erased memories that are written again, or erased while another erasure is not over.

use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::disk::ThisMachine;
use palimp::disk::{Disk, Machine};
use palimp::format::writing::{FieldAssignment, WriteContext};
use palimp::model::{Entry, ErasureState, Plan, Store};
use palimp::ops::delete::{DeleteOptions, delete};
use palimp::ops::edit::edit;
use palimp::store::steps::keep_text;
use palimp::store::write::Writer;
use palimp::store::{CommitError, FilesState, Vault};
use serde_json::json;

use super::cut_short::{DATA, NOW, ROOT, erase_of, host, load, load_log};
use super::support::StoreBuilder;
use super::{below, forms, holds, secret};

const LEARNINGS: &str = "learnings.jsonl";

/// A store with three learnings; the first has the text to erase.
fn server() -> Faulty {
    let files = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": secret(6), "path": PATH}))
        .learning(json!({"id": "k-2", "content": "It stays as it is."}))
        .learning(json!({"id": "k-3", "content": "It is the third."}))
        .build();
    on_disk(&files.path)
}

fn on_disk(path: &Path) -> Faulty {
    let disk = Faulty::new();
    for (path, bytes) in below(path.to_owned()) {
        disk.put(Path::new(ROOT).join(path), bytes, 0o600);
    }
    disk.put_folder(DATA, 0o700);
    disk
}

fn vault(disk: &Faulty) -> Vault<'_> {
    Vault::open_read_only(disk, Path::new(DATA), Path::new(ROOT))
}

fn text(disk: &Faulty, file: &str) -> String {
    String::from_utf8(disk.files()[&Path::new(ROOT).join(file)].clone()).unwrap()
}

fn entry(store: &Store, id: &str) -> Entry {
    let is_it = |own: &&Entry| store.memory(own).is_some_and(|view| view.id() == Some(id));
    *store.entries.iter().find(is_it).unwrap()
}

fn change(disk: &Faulty, make: impl Fn(&WriteContext<'_>) -> Plan) {
    let (store, machine) = (load(disk), ThisMachine::new());
    let context = WriteContext::of(&store, NOW, [7; 16]);
    Writer::open(host(disk, &machine), &store).unwrap().commit(&make(&context)).unwrap();
}

fn remove(disk: &Faulty, id: &str) {
    change(disk, |context| {
        delete(
            context,
            &[entry(context.store, id)],
            &DeleteOptions { remove: true, ..DeleteOptions::default() },
        )
        .unwrap()
    });
}

fn turn(disk: &Faulty, is_undo: bool) -> Result<(), CommitError> {
    let (store, machine) = (load(disk), ThisMachine::new());
    let writer = Writer::open(host(disk, &machine), &store)?;
    let (plan, turn) = if is_undo { writer.undo(None)? } else { writer.redo(None)? };
    writer.commit_undo_redo(&plan, turn).map(drop)
}

/// The first record is erased, and an agent writes it again.
fn written_anew() -> Faulty {
    let disk = server();
    let line = text(&disk, LEARNINGS).split_inclusive('\n').next().unwrap().to_owned();
    erase_of(&disk, &load(&disk), b"k-1").unwrap();
    disk.another().append(&Path::new(ROOT).join(LEARNINGS)).unwrap().write(line.as_bytes()).unwrap();
    disk
}

#[test]
fn undo_does_not_bring_an_erased_record_back_that_was_written_anew_and_deleted() {
    let disk = written_anew();
    remove(&disk, "k-1");
    let current = text(&disk, LEARNINGS);
    assert!(!current.contains("k-1"));
    let refusal = turn(&disk, true).unwrap_err();
    let said = refusal.to_string();
    assert!(
        said.contains("k-1") && said.contains("erased") && said.contains("Nothing was changed"),
        "{said}"
    );
    assert_eq!((refusal.files(), text(&disk, LEARNINGS)), (FilesState::Untouched, current));
}

#[test]
fn undo_of_other_records_beside_one_that_was_written_anew_stays_as_it_is() {
    let disk = written_anew();
    let previous = text(&disk, LEARNINGS);
    remove(&disk, "k-2");
    turn(&disk, true).unwrap();
    assert_eq!(text(&disk, LEARNINGS), previous);
    turn(&disk, false).unwrap();
    let now = text(&disk, LEARNINGS);
    assert!(now.contains("k-1") && !now.contains("k-2") && now.contains("k-3"), "{now}");
}

#[test]
fn undo_of_other_records_beside_one_that_was_written_anew_and_changed_since_is_done() {
    let disk = written_anew();
    remove(&disk, "k-2");
    let log = Path::new(ROOT).join(LEARNINGS);
    let changed = text(&disk, LEARNINGS).replace(PATH, "the/path/of/another.rs");
    disk.put(&log, changed, 0o600);
    turn(&disk, true).unwrap();
    let now = text(&disk, LEARNINGS);
    assert!(now.contains("another.rs") && now.contains("k-2"), "{now}");
}

#[test]
fn undo_does_not_bring_back_what_an_erased_record_said_before_an_edit() {
    let disk = written_anew();
    let set = [FieldAssignment { name: "content", value: "It says something else." }];
    change(&disk, |context| edit(context, &entry(context.store, "k-1"), &set).unwrap());
    let current = text(&disk, LEARNINGS);
    turn(&disk, true).unwrap_err();
    assert_eq!(text(&disk, LEARNINGS), current);
}

/// Returns the files with the text of the first record.
fn said_in(disk: &Faulty) -> Vec<PathBuf> {
    let forms = forms(&secret(6));
    let files = disk.files().into_iter();
    files.filter(|(_, bytes)| holds(bytes, &forms)).map(|(path, _)| path).collect()
}

#[test]
fn undo_that_was_shown_before_an_erasure_brings_nothing_erased_back() {
    let log = "sessions/one/memory.jsonl";
    let disk = on_disk(&StoreBuilder::session_log().session("one").entries(3).build().path);
    let whole = text(&disk, log);
    let line = whole.split_inclusive('\n').find(|line| line.contains("mem_001")).unwrap();
    let (store, machine) = (load_log(&disk), ThisMachine::new());
    let context = WriteContext::of(&store, NOW, [7; 16]);
    let asked = DeleteOptions { remove: true, ..DeleteOptions::default() };
    let plan = delete(&context, &[entry(&store, "mem_001")], &asked).unwrap();
    Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan).unwrap();
    let store = load_log(&disk);
    let (plan, turn) = Writer::open_read_only(host(&disk, &machine), &store).unwrap().undo(None).unwrap();
    // Between preview and undo, an agent writes the record again, and it is erased.
    disk.another().append(&Path::new(ROOT).join(log)).unwrap().write(line.as_bytes()).unwrap();
    erase_of(&disk, &load_log(&disk), b"mem_001").unwrap();
    let current = text(&disk, log);
    let outcome = Writer::open(host(&disk, &machine), &store).unwrap().commit_undo_redo(&plan, turn);
    assert_eq!(text(&disk, log), current);
    assert_eq!(outcome.unwrap_err().files(), FilesState::Untouched);
}

#[test]
fn a_change_that_was_shown_before_an_erasure_keeps_no_copy_of_what_was_erased() {
    let disk = server();
    let (store, machine) = (load(&disk), ThisMachine::new());
    let context = WriteContext::of(&store, NOW, [7; 16]);
    let plan = delete(
        &context,
        &[entry(&store, "k-2")],
        &DeleteOptions { remove: true, ..DeleteOptions::default() },
    )
    .unwrap();
    erase_of(&disk, &load(&disk), b"k-1").unwrap();
    assert_eq!(said_in(&disk), Vec::<PathBuf>::new());
    let outcome = Writer::open(host(&disk, &machine), &store).unwrap().commit(&plan);
    assert_eq!(said_in(&disk), Vec::<PathBuf>::new(), "{:?}", outcome.map(|own| own.step));
}

#[test]
fn another_erasure_waits_until_one_that_stopped_is_over() {
    let files = StoreBuilder::session_log()
        .config(json!({"concurrency": {"lock_timeout_ms": 100}}))
        .session("one")
        .entries(3)
        .tombstone("mem_000")
        .session("two")
        .entries(3)
        .tombstone("mem_000")
        .build();
    let disk = on_disk(&files.path);
    let whole = on_disk(&files.path);
    let of_session = |disk: &Faulty, name: &str| {
        let mut store = load_log(disk);
        let is_own = |own: &Entry| store.document(own).path.starts_with(format!("sessions/{name}"));
        let own = store.entries.iter().filter(|own| is_own(own)).copied().collect();
        store.entries = own;
        store
    };
    let first = whole.steps();
    erase_of(&whole, &of_session(&whole, "one"), b"mem_002").unwrap();
    let is_log = |op: &String| op.starts_with("exchange") && op.ends_with("sessions/one/memory.jsonl");
    let at = first + whole.log()[first..].iter().position(is_log).unwrap();
    disk.fail_at(at, Fault::Crash);
    erase_of(&disk, &of_session(&disk, "one"), b"mem_002").unwrap_err();
    let disk = disk.restart();
    // An agent holds the session's lock, so the first erasure can't continue.
    let lock = Path::new(ROOT).join("sessions/one/lock");
    let now = ThisMachine::new().now();
    let said = json!({"pid": 1, "timestamp": now.to_rfc3339(), "operation": "write",
        "expires_at": now.plus(58_000_000).to_rfc3339()});
    disk.put(&lock, said.to_string(), 0o600);
    let pending = vault(&disk).erasing().unwrap();
    assert!(pending.is_some());
    let refusal = erase_of(&disk, &of_session(&disk, "two"), b"mem_001").unwrap_err();
    let message = refusal.to_string();
    assert!(message.contains("step 1") && message.contains("lock"), "{message}");
    assert!(message.contains("Nothing was changed"), "{message}");
    assert_eq!((refusal.files(), vault(&disk).erasing().unwrap()), (FilesState::Untouched, pending));
    assert!(text(&disk, "sessions/two/memory.jsonl").contains("mem_001"));
    // When the lock is free, both are erased, one after the other.
    disk.remove(&lock).unwrap();
    erase_of(&disk, &of_session(&disk, "two"), b"mem_001").unwrap();
    let erased: Vec<_> =
        vault(&disk).erasure_list().unwrap().into_iter().map(|own| own.record.id.unwrap()).collect();
    assert_eq!(erased, ["mem_002", "mem_001"]);
    assert!(!text(&disk, "sessions/one/memory.jsonl").contains("mem_002"));
}

#[test]
fn an_erasure_that_failed_and_whose_entry_stays_says_that_it_goes_on() {
    let files = StoreBuilder::session_log().session("one").entries(3).tombstone("mem_000").build();
    let whole = on_disk(&files.path);
    erase_of(&whole, &load_log(&whole), b"mem_002").unwrap();
    let is_entry = |op: &String| op.starts_with("rename") && op.ends_with("erasing.json");
    let begun = whole.log().iter().position(is_entry).unwrap();
    // The entry's name is durable; nothing else can be written.
    let disk = on_disk(&files.path);
    disk.fail_at(begun + 2, Fault::ErrorFromHere(Errno::IO));
    let error = erase_of(&disk, &load_log(&disk), b"mem_002").unwrap_err();
    assert_eq!(
        (error.files(), vault(&disk).erasing().unwrap().is_some()),
        (FilesState::Erasing, true),
        "{error}"
    );
}

#[test]
fn what_cuts_torn_tombstones_off_goes_when_the_erasure_is_over() {
    let adding = |disk: &Faulty| disk.files().keys().any(|path| path.ends_with("erasing.step"));
    let files = StoreBuilder::session_log().session("one").entries(3).tombstone("mem_000").build();
    let whole = on_disk(&files.path);
    let first = whole.steps();
    erase_of(&whole, &load_log(&whole), b"mem_002").unwrap();
    assert!(!adding(&whole));
    let mut added = 0;
    for step in first..whole.steps() {
        let disk = on_disk(&files.path);
        disk.fail_at(step, Fault::Crash);
        let _ = erase_of(&disk, &load_log(&disk), b"mem_002");
        let disk = disk.restart();
        added += usize::from(adding(&disk));
        let _ = disk.remove(&Path::new(ROOT).join("sessions/one/lock"));
        let machine = ThisMachine::new();
        let store = load_log(&disk);
        drop(Writer::open(host(&disk, &machine), &store).unwrap());
        if vault(&disk).erasing().unwrap().is_none() && !vault(&disk).erasure_list().unwrap().is_empty() {
            assert!(!adding(&disk), "killed at step {step}");
        }
    }
    assert!(added > 5, "{added}");
}

const PATH: &str = "the/path/of/the/first.rs";

/// Erases the first record, whose path is also in other data of palimp.
fn erased_beside(disk: &Faulty) {
    let erased = erase_of(disk, &load(disk), b"k-1").unwrap();
    assert_eq!((erased.state, erased.left), (ErasureState::Erased, Vec::new()));
    assert!(erased.also_elsewhere > 0);
}

#[test]
fn a_draft_that_names_the_same_path_stays_and_one_that_says_the_same_goes() {
    let disk = server();
    let machine = ThisMachine::new();
    let draft = format!("What I wrote, and it is of {PATH} as well.");
    let store = load(&disk);
    drop(Writer::open(host(&disk, &machine), &store).unwrap());
    keep_text(host(&disk, &machine), Path::new(ROOT), None, draft.as_bytes()).unwrap();
    keep_text(host(&disk, &machine), Path::new(ROOT), None, format!("Once more: {}", secret(6)).as_bytes())
        .unwrap();
    let drafts = || {
        let mut files = disk.files();
        files.retain(|path, _| path.parent().unwrap().ends_with("drafts"));
        files.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(drafts().len(), 2);
    erased_beside(&disk);
    let drafts = drafts();
    assert_eq!(drafts.len(), 1, "{drafts:?}");
    assert_eq!(drafts[0].1, draft.as_bytes());
}

#[test]
fn a_torn_line_of_another_that_names_the_same_path_stays() {
    let disk = server();
    let machine = ThisMachine::new();
    drop(Writer::open(host(&disk, &machine), &load(&disk)).unwrap());
    let torn = format!("{{\"id\":\"k-7\",\"path\":\"{PATH}\",\"content\":\"It is to");
    let folder = vault(&disk).path("quarantine");
    let in_quarantine = folder.join(format!("{LEARNINGS}@7.backup.20260101_100000"));
    disk.put(&in_quarantine, torn.clone(), 0o600);
    erased_beside(&disk);
    assert_eq!(disk.files()[&in_quarantine], torn.as_bytes());
}
