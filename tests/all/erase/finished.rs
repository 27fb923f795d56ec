//! What a start says about an interrupted erasure that it finishes.

use crate::faulty::Fault;
use palimp::disk::ThisMachine;
use palimp::store::Vault;
use palimp::store::write::Writer;

use super::cut_short::{DATA, ROOT, erase_on, host, load, on_faulty};
use super::*;

#[test]
fn what_an_erasure_left_that_was_cut_short_is_said_by_the_start_that_finishes_it() {
    let begun = on_faulty();
    let note = Path::new(ROOT).join("notes.txt");
    begun.put(&note, format!("see: {}.", secret(6)), 0o600);
    let whole = begun.restart();
    assert_eq!(erase_on(&whole).unwrap().left.len(), 1);
    let (mut left, mut clean) = (0, 0);
    for step in crate::support::tries::spread(whole.steps() - begun.steps(), 10) {
        let step = begun.steps() + step;
        let disk = begun.restart();
        disk.fail_at(step, Fault::Crash);
        let _ = erase_on(&disk);
        let disk = disk.restart();
        let vault = Vault::open_read_only(&disk, Path::new(DATA), Path::new(ROOT));
        if vault.erasing().unwrap().is_none() {
            continue;
        }
        let receipt = || {
            let own = disk.files().into_iter().find(|(path, _)| path.ends_with("receipts/000002.json"))?;
            Some(String::from_utf8(own.1).unwrap())
        };
        let was_left = receipt().is_some_and(|own| own.contains("notes.txt"));
        let machine = ThisMachine::new();
        let store = load(&disk);
        let notes = Writer::open(host(&disk, &machine), &store).unwrap().notes().join("\n");
        let is_left = receipt().unwrap().contains("notes.txt");
        assert_eq!(notes.contains("notes.txt"), is_left, "killed at step {step}: {notes}");
        assert!(is_left || !was_left, "killed at step {step}: {}", receipt().unwrap());
        assert!(notes.contains("finished now") && notes.contains("receipts/000002.json"), "{notes}");
        match is_left {
            true => left += 1,
            false => clean += 1,
        }
    }
    assert!(left > 6, "{left} said what is left, {clean} did not know");
}

/// A store in which the erasure of `mem_003` was interrupted. What has this id now came later.
fn interrupted() -> Site {
    let site = session_log();
    let target = json!({"id": "mem_003", "session": "sess_a", "file": "sessions/sess_a/memory.jsonl"});
    let entry = json!({"step": 2, "at": NOW, "reason": "erased", "records": [target], "files": []});
    std::fs::write(site.vault().join("erasing.json"), entry.to_string()).unwrap();
    site
}

#[test]
fn the_same_command_again_finishes_the_erasure_and_takes_nothing_that_came_later() {
    let site = interrupted();
    let said = site.run(&["erase", "sess_a/mem_003", "--yes"]).stderr;
    assert!(said.contains("finished now") && said.contains("was erased just now"), "{said}");
    site.run(&["show", "sess_a/mem_003"]).expect_status(0);
    site.run(&["erase", "sess_a/mem_003", "--yes"]).expect_status(0);
    site.run(&["show", "sess_a/mem_003"]).expect_status(1);
}

#[test]
fn a_memory_of_another_session_with_that_id_is_erased() {
    let site = session_log();
    let target = json!({"id": "mem_001", "session": "sess_b", "file": "sessions/sess_b/memory.jsonl"});
    let entry = json!({"step": 2, "at": NOW, "reason": "erased", "records": [target], "files": []});
    std::fs::write(site.vault().join("erasing.json"), entry.to_string()).unwrap();
    site.run(&["erase", "sess_a/mem_001", "--yes"]);
    site.run(&["show", "sess_a/mem_001"]).expect_status(1);
}

#[test]
fn a_verb_that_only_reads_finishes_an_erasure_though_a_dead_process_left_its_lock() {
    let site = interrupted();
    let over = "2026-01-01T00:00:00.000Z";
    let lock = json!({"pid": 4_000_000, "timestamp": over, "operation": "write", "expires_at": over});
    site.store.write("sessions/sess_a/lock", lock.to_string().as_bytes());
    let said = site.run(&["list"]).expect_status(0).stderr;
    assert!(said.contains("finished now"), "{said}");
}
