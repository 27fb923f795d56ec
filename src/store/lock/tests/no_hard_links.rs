//! File systems on which a file has one name, with and without a rename that replaces nothing.

use std::path::Path;

use super::fake_machine::Turned;
use super::*;
use crate::disk::Disk;
use crate::faulty::{Fault, Faulty, Lie};

const LIES: [&[Lie]; 2] = [&[Lie::NoLinks], &[Lie::NoLinks, Lie::NoExchange]];

fn disk(lies: &[Lie]) -> Faulty {
    let disk = Faulty::new();
    disk.put_folder("/store", 0o700);
    lies.iter().for_each(|lie| disk.lie(*lie));
    disk
}

fn protocols() -> [Lock; 2] {
    let path = |name: &str| Path::new("/store").join(name);
    [Lock::Lease(path("lock")), Lock::Exclusive(vec![path("a.jsonl.lock"), path(".lock")])]
}

fn names(disk: &Faulty) -> Vec<PathBuf> {
    disk.files().into_keys().collect()
}

#[test]
fn a_lock_keeps_others_out_where_a_file_has_one_name_and_nothing_of_it_is_left() {
    for (lies, protocol) in LIES.iter().flat_map(|lies| protocols().map(|own| (*lies, own))) {
        let (disk, machine) = (disk(lies), Turned::new(OWN));
        let take = || acquire(&disk, &machine, &protocol, WaitPolicy::of(Duration::ZERO));
        let held = take().unwrap();
        assert!(held.still_ours());
        assert!(matches!(take().map(drop), Err(LockError::Busy { .. })), "{lies:?} {protocol:?}");
        let text = disk.files()[&protocol.files()[0]].clone();
        assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok(), "it says who holds it");
        held.release();
        assert_eq!(names(&disk), Vec::<PathBuf>::new(), "{lies:?} {protocol:?}");
    }
}

#[test]
fn a_lock_that_another_put_in_the_place_of_ours_is_not_ours_and_stays() {
    for (lies, protocol) in LIES.iter().flat_map(|lies| protocols().map(|own| (*lies, own))) {
        let (disk, machine) = (disk(lies), Turned::new(OWN));
        disk.lie(Lie::InodeNumbersReused);
        let held = acquire(&disk, &machine, &protocol, WaitPolicy::of(Duration::from_secs(5))).unwrap();
        let lock = &protocol.files()[0];
        let other = disk.another();
        other.remove(lock).unwrap();
        other.create(lock, 0o600).unwrap().write(b"theirs").unwrap();
        assert!(!held.still_ours(), "{lies:?} {protocol:?}");
        held.release();
        assert_eq!(disk.files()[lock], b"theirs", "{lies:?} {protocol:?}");
    }
}

#[test]
fn a_lock_that_could_not_be_made_whole_leaves_nothing_that_keeps_others_out() {
    for (lies, protocol) in LIES.iter().flat_map(|lies| protocols().map(|own| (*lies, own))) {
        let whole = disk(lies);
        let machine = Turned::new(OWN);
        let take =
            |disk: &Faulty| acquire(disk, &machine, &protocol, WaitPolicy::of(Duration::ZERO)).map(drop);
        take(&whole).unwrap();
        for step in 0..whole.steps() {
            let disk = disk(lies);
            disk.fail_at(step, Fault::Error(crate::faulty::Errno::NOSPC));
            let outcome = take(&disk);
            let left: Vec<_> =
                names(&disk).into_iter().filter(|own| protocol.files().contains(own)).collect();
            assert!(outcome.is_ok() || left.is_empty(), "{lies:?} {protocol:?} at {step}: {left:?}");
        }
    }
}
