//! Erasures while other programs write to files of the store that have none of its records.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use crate::faulty::Faulty;
use palimp::disk::{Disk, Flock, Item, WritableFile};
use palimp::model::Generation;

use super::cut_short::{ROOT, erase_of, load, on_faulty};
use super::secret;
use crate::support::passed_on::passed_on;

const TICK: &[u8] = b"{\"msg\":\"a tick\"}\n";

/// A disk on which an agent adds a line to its log after each read of it; if it `rotates`, to a new log.
struct Busy<'a> {
    disk: &'a Faulty,
    rotates: bool,
    last: AtomicUsize,
}

fn log(number: usize) -> PathBuf {
    Path::new(ROOT).join(format!("debug-{number}.jsonl"))
}

impl Disk for Busy<'_> {
    passed_on! {
        self => self.disk;
        list look real_path create append blank rename rename_new make_folder open_folder link
        exchange remove remove_folder sync_folder flock
    }

    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
        let read = self.disk.read(file, from, limit);
        let other = self.disk.another();
        if file.starts_with(ROOT) && file.file_name().unwrap().to_str().unwrap().starts_with("debug-") {
            other.append(file)?.write(TICK)?;
        }
        let last = self.last.load(SeqCst);
        if self.rotates && file == log(last) {
            self.last.store(last + 1, SeqCst);
            drop(other.create(&log(last + 1), 0o600)?);
        }
        read
    }
}

#[test]
fn what_is_left_is_named_though_others_write_to_a_file_of_their_own_all_the_time() {
    for rotates in [false, true] {
        let disk = on_faulty();
        let stray = Path::new(ROOT).join("stray.txt");
        disk.put(&stray, format!("Somebody noted: {}", secret(7)), 0o600);
        disk.put(log(0), TICK, 0o600);
        let store = load(&disk);
        let busy = Busy { disk: &disk, rotates, last: AtomicUsize::new(0) };
        let erased = erase_of(&busy, &store, b"k-1").unwrap();
        let is_left = |path: &Path| erased.left.iter().any(|own| own.starts_with(path.to_str().unwrap()));
        assert!(is_left(&stray), "{:?}", erased.left);
        // Files that could be searched are not named. A log that is new each time could not be searched.
        assert!(!is_left(&log(0)), "{:?}", erased.left);
        assert_eq!(erased.left.iter().any(|own| own.contains("kept changing it")), rotates);
        assert_eq!(erased.left.len() > 1, rotates, "{:?}", erased.left);
    }
}
