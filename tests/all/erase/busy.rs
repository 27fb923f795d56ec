//! Erasures while other programs write to files of the store that have none of its records.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use palimp::disk::Disk;

use super::cut_short::{ROOT, erase_of, load, on_faulty};
use super::secret;
use crate::crash::after_read::AfterRead;

const TICK: &[u8] = b"{\"msg\":\"a tick\"}\n";

fn log(number: usize) -> PathBuf {
    Path::new(ROOT).join(format!("debug-{number}.jsonl"))
}

#[test]
fn what_is_left_is_named_though_others_write_to_a_file_of_their_own_all_the_time() {
    for rotates in [false, true] {
        let disk = on_faulty();
        let stray = Path::new(ROOT).join("stray.txt");
        disk.put(&stray, format!("Somebody noted: {}", secret(7)), 0o600);
        disk.put(log(0), TICK, 0o600);
        let store = load(&disk);
        // An agent adds a line to its log after each read of it; if it rotates, to a new log.
        let newest = AtomicUsize::new(0);
        let then = |file: &Path, _: u64, _: Option<u64>| {
            let other = disk.another();
            if file.starts_with(ROOT) && file.file_name().unwrap().to_str().unwrap().starts_with("debug-") {
                other.append(file)?.write(TICK)?;
            }
            let last = newest.load(SeqCst);
            if rotates && file == log(last) {
                newest.store(last + 1, SeqCst);
                drop(other.create(&log(last + 1), 0o600)?);
            }
            Ok(())
        };
        let busy = AfterRead(&disk, then);
        let erased = erase_of(&busy, &store, b"k-1").unwrap();
        let is_left = |path: &Path| erased.left.iter().any(|own| own.starts_with(path.to_str().unwrap()));
        assert!(is_left(&stray), "{:?}", erased.left);
        // Files that could be searched are not named. A log that is new each time could not be searched.
        assert!(!is_left(&log(0)), "{:?}", erased.left);
        assert_eq!(erased.left.iter().any(|own| own.contains("kept changing it")), rotates);
        assert_eq!(erased.left.len() > 1, rotates, "{:?}", erased.left);
    }
}
