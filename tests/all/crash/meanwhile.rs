//! An agent writes in place between two steps of a change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::faulty::Faulty;
use palimp::disk::Disk;
use palimp::model::{Change, CommitReceipt, Plan, Verb};
use palimp::ops;
use palimp::store::write::Writer;
use palimp::store::{CommitError, FilesState};

use super::bench::{DATA, ROOT, context, host, load};
use super::machine::Still;
use super::stores;
use crate::support::tries::is_long;

const OWN: &[u8] = b"What the agent wrote.\n";

fn place(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

fn on(files: &[(&str, String)]) -> Faulty {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    files.iter().for_each(|(path, bytes)| disk.put(place(path), bytes.clone(), 0o600));
    disk
}

fn text(disk: &Faulty, path: &str) -> String {
    String::from_utf8(disk.files()[&place(path)].clone()).unwrap()
}

fn committed(
    disk: &Faulty,
    format: &'static str,
    machine: &Still,
    plan: &Plan,
) -> Result<CommitReceipt, CommitError> {
    let store = load(disk, format);
    Writer::open(host(disk, machine), &store)?.commit(plan)
}

fn next_start(disk: &Faulty, format: &'static str) {
    let (store, machine) = (load(disk, format), Still::next());
    drop(Writer::open(host(disk, &machine), &store).unwrap());
}

fn note(name: &str) -> (String, String) {
    let head = "tags: [x]\ncreated: 1970-01-01T00:00:00Z\nstatus: active";
    let text = format!("---\nid: {name}\ntitle: {name}\n{head}\n---\nWhat {name} says.\n");
    (format!("knowledge/notes/{name}.md"), text)
}

fn notes() -> Faulty {
    let (a, b) = (note("a"), note("b"));
    on(&[(&a.0, a.1.clone()), (&b.0, b.1.clone()), ("events/events-1970-01.jsonl", String::new())])
}

fn changed(disk: &Faulty, name: &str) -> Change {
    let (path, text) = note(name);
    let base = disk.files()[&place(&path)].clone();
    Change::rewrite(path, base.into(), text.replace("says", "said").as_bytes())
}

/// Lets an agent write to a file right before the first step that `is_it`.
fn written_before(disk: &Faulty, is_it: fn(&str) -> bool, file: &str) {
    let (file, mut wrote) = (place(file), false);
    disk.before(move |op, other| {
        if !wrote && is_it(&op.to_string()) {
            wrote = true;
            other.append(&file).unwrap().write(OWN).unwrap();
        }
    });
}

#[test]
fn a_note_that_an_agent_writes_to_while_another_of_the_same_change_is_put_in_place_stays() {
    let (disk, machine) = (notes(), Still::first());
    let mut plan = Plan::of_unread_store(Verb::Edit, Path::new(ROOT), "a-mem");
    plan.changes.extend(["a", "b"].map(|name| changed(&disk, name)));
    written_before(&disk, |op| op.starts_with("exchange") && op.ends_with("a.md"), "knowledge/notes/b.md");
    let error = committed(&disk, "a-mem", &machine, &plan).unwrap_err();
    assert_eq!(error.files(), FilesState::Restored, "{error}");
    let agent = std::str::from_utf8(OWN).unwrap();
    assert_eq!(text(&disk, "knowledge/notes/b.md"), note("b").1 + agent);
    assert_eq!(text(&disk, "knowledge/notes/a.md"), note("a").1, "it was undone");
}

#[test]
fn a_note_that_an_agent_writes_to_is_not_removed_with_another() {
    let (disk, machine) = (notes(), Still::first());
    let mut plan = Plan::of_unread_store(Verb::Delete, Path::new(ROOT), "a-mem");
    let gone = |name: &str| Change::remove(note(name).0, note(name).1.into_bytes().into());
    plan.changes.extend(["a", "b"].map(gone));
    written_before(&disk, |op| op.starts_with("rename") && op.contains("/a.md to "), "knowledge/notes/b.md");
    let error = committed(&disk, "a-mem", &machine, &plan).unwrap_err();
    assert_eq!(error.files(), FilesState::Restored, "{error}");
    assert_eq!(text(&disk, "knowledge/notes/b.md"), note("b").1 + std::str::from_utf8(OWN).unwrap());
    assert_eq!(text(&disk, "knowledge/notes/a.md"), note("a").1);
}

fn a_removal() -> (Faulty, Plan) {
    let disk = Faulty::new();
    disk.put_folder(DATA, 0o700);
    for (path, bytes) in stores::sessions() {
        disk.put(Path::new(ROOT).join(path), bytes, 0o600);
    }
    let store = load(&disk, "session-log");
    let is_it =
        |own: &&palimp::model::Entry| store.memory(own).is_some_and(|view| view.id() == Some("mem_001"));
    let entries: Vec<_> = store.entries.iter().filter(is_it).copied().collect();
    let asked = ops::delete::DeleteOptions { remove: true, ..Default::default() };
    let plan = ops::delete::delete(&context(&store), &entries, &asked).unwrap();
    (disk, plan)
}

#[test]
fn a_log_that_an_agent_cuts_while_its_old_name_is_kept_is_fitted_anew() {
    let log = "sessions/sess_a/memory.jsonl";
    let (disk, plan) = a_removal();
    let mut cut = false;
    let last = text(&disk, log).lines().last().unwrap().len() as u64 + 1;
    disk.before(move |op, other| {
        let op = op.to_string();
        if !cut && op.starts_with("exchange") && op.contains(log) {
            cut = true;
            let file = place(log);
            let len = other.look(&file).unwrap().generation.len;
            other.append(&file).unwrap().set_len(len - last).unwrap();
        }
    });
    committed(&disk, "session-log", &Still::first(), &plan).unwrap();
    let left = text(&disk, log);
    assert!(!left.contains("mem_001") && left.contains("mem_003"), "{left}");
    assert!(!left.contains("mem_004"), "what the agent took out came back: {left}");
}

#[test]
fn what_an_agent_adds_to_a_log_that_is_made_stays_where_the_lock_is_not_free() {
    let line =
        |id: &str| format!("{{\"id\":\"{id}\",\"type\":\"learning\",\"content\":\"What was said.\"}}\n");
    let disk = on(&[("index.json", "{}".into())]);
    let machine = Still::first();
    let store = load(&disk, "memory-server");
    let mut plan = Plan::of_unread_store(Verb::BackupRestore, Path::new(ROOT), "memory-server");
    plan.changes.push(Change::create("learnings.jsonl", line("k-1")));
    plan.changes.push(Change::append("core_memories.jsonl", line("k-2"), None));
    drop(store);
    let other: &'static Faulty = Box::leak(Box::new(disk.another()));
    let held = other.flock(&place(".lock"), Some(0o600)).unwrap().unwrap();
    let (file, added, mut wrote) = (place("learnings.jsonl"), line("k-9"), false);
    disk.before(move |_, other| {
        if !wrote && other.look(&file).is_ok() {
            wrote = true;
            other.append(&file).unwrap().write(added.as_bytes()).unwrap();
        }
    });
    committed(&disk, "memory-server", &machine, &plan).unwrap_err();
    assert!(text(&disk, "learnings.jsonl").contains("k-9"), "the agent's line is gone");
    drop(held);
    next_start(&disk, "memory-server");
    assert_eq!(text(&disk, "learnings.jsonl"), line("k-9"), "ours is undone, the agent's stays");
}

#[test]
fn a_log_that_an_agent_writes_over_while_its_old_name_is_kept_is_fitted_anew() {
    let log = "sessions/sess_a/memory.jsonl";
    let (disk, plan) = a_removal();
    let (mut wrote, previous) = (false, text(&disk, log));
    disk.before(move |op, other| {
        let op = op.to_string();
        if !wrote && op.starts_with("exchange") && op.contains(log) {
            wrote = true;
            let mut file = other.append(&place(log)).unwrap();
            file.set_len(0).unwrap();
            file.write(previous.replace("mem_003", "mem_333").as_bytes()).unwrap();
        }
    });
    committed(&disk, "session-log", &Still::first(), &plan).unwrap();
    let left = text(&disk, log);
    assert!(!left.contains("mem_001") && left.contains("mem_333"), "what the agent wrote is gone: {left}");
}

#[test]
fn what_an_agent_puts_in_the_place_of_a_new_file_stays_where_that_is_undone() {
    let line =
        |id: &str| format!("{{\"id\":\"{id}\",\"type\":\"learning\",\"content\":\"What was said.\"}}\n");
    let mut count = 0;
    for (wanted, in_place) in (0..).flat_map(|wanted| [(wanted, true), (wanted, false)]) {
        let disk = on(&[("index.json", "{}".into())]);
        let mut plan = Plan::of_unread_store(Verb::BackupRestore, Path::new(ROOT), "memory-server");
        plan.changes.push(Change::create("learnings.jsonl", line("k-1")));
        plan.changes.push(Change::append("core_memories.jsonl", line("k-2"), None));
        let other: &'static Faulty = Box::leak(Box::new(disk.another()));
        let held = other.flock(&place(".lock"), Some(0o600)).unwrap().unwrap();
        let (file, added, mut at) = (place("learnings.jsonl"), line("k-9"), 0);
        let wrote = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let told = std::sync::Arc::clone(&wrote);
        disk.before(move |_, other| {
            if other.look(&file).is_err() {
                return;
            }
            if at == wanted {
                told.store(true, std::sync::atomic::Ordering::SeqCst);
                let to = if in_place { file.clone() } else { file.with_extension("by-another") };
                if in_place {
                    other.append(&to).unwrap().set_len(0).unwrap();
                } else {
                    drop(other.create(&to, 0o600).unwrap());
                }
                other.append(&to).unwrap().write(added.as_bytes()).unwrap();
                if !in_place {
                    other.rename(&to, &file).unwrap();
                }
            }
            at += 1;
        });
        let (store, machine) = (load(&disk, "memory-server"), Still::first());
        // Each look at the lock is a step, so the short form looks once.
        let host = host(&disk, &machine);
        let writer = if is_long() {
            Writer::open(host, &store)
        } else {
            Writer::open_within(host, &store, Some(Duration::ZERO))
        };
        writer.unwrap().commit(&plan).unwrap_err();
        drop(held);
        if !wrote.load(std::sync::atomic::Ordering::SeqCst) {
            break;
        }
        count += 1;
        next_start(&disk, "memory-server");
        assert!(text(&disk, "learnings.jsonl").contains("k-9"), "step {wanted}, in place {in_place}");
    }
    assert!(count > 3, "{count}");
}
