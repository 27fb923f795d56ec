//! Which copies an erasure has searched: a record without an id may come back from any other copy.

use std::path::{Path, PathBuf};

use crate::faulty::{Faulty, Op};
use palimp::disk::{Disk, RealDisk};
use palimp::model::{Extent, Store};
use palimp::store::steps::list_backups;
use palimp::store::{Place, Vault, load as load_place};
use serde_json::json;

use super::cut_short::{DATA, NOW, ROOT, erase_of, load};
use super::support::StoreBuilder;
use super::{Site, below};

const TORN: &str = "{\"content\": \"It has no id and is to be forgotten";

/// A store with a line without an id, on a disk in memory.
fn nameless() -> Faulty {
    let files = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": "It stays as it is."}))
        .line("learnings.jsonl", TORN)
        .build();
    let disk = Faulty::new();
    for (path, bytes) in below(files.path.clone()) {
        disk.put(Path::new(ROOT).join(path), bytes, 0o600);
    }
    disk.put_folder(DATA, 0o700);
    disk
}

/// Returns the path of a copy of the log with this time in its name.
fn copy_at(stamp: &str) -> PathBuf {
    Path::new(ROOT).join(format!(".backup/learnings.jsonl.backup.{stamp}"))
}

/// Returns the names of the copies that may have the erased text.
fn doubtful(disk: &dyn Disk, data: &Path, store: &Store) -> Vec<String> {
    let vault = Vault::open_read_only(disk, data, &store.root);
    let erased = vault.erasure_list().unwrap();
    assert!(erased.iter().any(|line| line.record.id.is_none()), "{erased:?}");
    let copies = list_backups(store, &vault).unwrap();
    let own = copies.iter().filter(|copy| vault.doubt(&store.root, copy, &erased).is_some());
    own.map(|copy| copy.path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_copy_that_arrives_after_the_last_look_is_not_one_that_was_gone_through() {
    let disk = nameless();
    let log = disk.files()[&Path::new(ROOT).join("learnings.jsonl")].clone();
    disk.put(copy_at("19700119_100000"), log.clone(), 0o600);
    disk.before(move |op, disk| {
        if matches!(op, Op::Rename { to, .. } if to.ends_with("erased.jsonl")) {
            disk.put(copy_at("19700119_110000"), log.clone(), 0o600);
        }
    });
    erase_of(&disk, &load(&disk), b"has no id").unwrap();
    assert!(disk.files().contains_key(&copy_at("19700119_100000")));
    let doubtful = doubtful(&disk, Path::new(DATA), &load(&disk));
    assert_eq!(doubtful, ["learnings.jsonl.backup.19700119_110000"]);
}

#[test]
fn a_clock_that_is_ahead_makes_no_copy_one_that_came_after_the_erasure() {
    let disk = nameless();
    let log = disk.files()[&Path::new(ROOT).join("learnings.jsonl")].clone();
    erase_of(&disk, &load(&disk), b"has no id").unwrap();
    // It is 1970-01-20 12:00 in UTC.
    assert_eq!(NOW.to_pattern("%Y%m%d_%H%M%S"), "19700120_120000");
    disk.put(copy_at("19700121_010000"), log.clone(), 0o600);
    disk.put(copy_at("19700121_130000"), log, 0o600);
    let doubtful = doubtful(&disk, Path::new(DATA), &load(&disk));
    assert_eq!(doubtful, ["learnings.jsonl.backup.19700121_010000"]);
}

fn loaded(site: &Site, format: &'static str) -> Store {
    load_place(&Place::whole(site.store.path.clone(), format), Extent::All, None, NOW)
}

fn erase_torn(site: &Site) {
    let rows = site.run(&["list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["raw"].as_str().is_some_and(|raw| raw.contains("no id"))).unwrap();
    site.erase(row["key"].as_str().unwrap());
}

#[test]
fn a_copy_that_a_later_step_of_ours_makes_is_in_no_doubt() {
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": "It stays as it is."}))
        .line("learnings.jsonl", TORN)
        .build();
    let site = Site::of(store);
    erase_torn(&site);
    site.run(&["tag", "k-1", "+x", "--yes"]).expect_status(0);
    let store = loaded(&site, "memory-server");
    assert!(
        !list_backups(&store, &Vault::open_read_only(&RealDisk, &site.data, &store.root)).unwrap().is_empty()
    );
    assert_eq!(doubtful(&RealDisk, &site.data, &store), [""; 0]);
}
