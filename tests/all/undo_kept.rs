//! How long palimp keeps undo data, and how much of it.

use crate::support;

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use support::{MadeStore, files_below};

const DAY: Duration = Duration::from_secs(86_400);

/// A store of session-log with a record, and palimp's data beside it.
struct Site(MadeStore);

impl Deref for Site {
    type Target = MadeStore;

    fn deref(&self) -> &MadeStore {
        &self.0
    }
}

impl Site {
    fn new() -> Site {
        let made = MadeStore::new(("session-log", "finding"));
        made.add("the first");
        Site(made)
    }

    fn kept(&self, folder: &str) -> Vec<PathBuf> {
        let all = files_below(&self.folder.path().join("data/stores")).into_keys();
        all.filter(|file| file.parent().unwrap().ends_with(folder)).collect()
    }

    /// Returns the steps with undo data: each entry of a segment begins with its number.
    fn steps(&self) -> Vec<u64> {
        let all =
            self.kept("undo").into_iter().map(|path| fs::read(path).unwrap()).collect::<Vec<_>>().concat();
        let all = String::from_utf8_lossy(&all);
        let numbers = all.split("{\"step\":").filter_map(|own| own.split_once(",\"written\":"));
        numbers.map(|(number, _)| number.parse().unwrap()).collect()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.root().join("sessions/s1/memory.jsonl")).unwrap_or_default()
    }
}

/// Puts the times back at which the entries of a segment were written.
fn aged(path: &PathBuf, days: u32) {
    let mut bytes = fs::read(path).unwrap();
    let name = b"\"written\":";
    let starts: Vec<usize> = memchr::memmem::find_iter(&bytes, name).map(|at| at + name.len()).collect();
    for start in starts {
        let time = moment_ago(days).0.to_string();
        bytes[start..start + time.len()].copy_from_slice(time.as_bytes());
    }
    fs::write(path, bytes).unwrap();
}

fn moment_ago(days: u32) -> palimp::model::Moment {
    let since = (SystemTime::now() - DAY * days).duration_since(SystemTime::UNIX_EPOCH).unwrap();
    palimp::model::Moment(since.as_micros() as i64)
}

#[test]
fn a_time_that_is_given_drops_no_undo_data_and_no_draft() {
    let site = Site::new();
    let before = site.steps();
    let folder = site.kept("undo")[0].parent().unwrap().with_file_name("drafts");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("memory.md.backup.20260101_000000"), "what I wrote").unwrap();
    for now in ["2031-06-01T00:00:00Z", "2031-09-01T00:00:00Z", "1999-01-01T00:00:00Z"] {
        let args = ["tag", "--query", "type:finding", "+a", "--now", now];
        site.run(&args).expect_status(0);
        site.run(&["tag", "--query", "type:finding", "-a", "--now", now]).expect_status(0);
    }
    assert!(before.iter().all(|step| site.steps().contains(step)), "{before:?} {:?}", site.steps());
    assert_eq!(site.kept("drafts").len(), 1);
    for _ in 0..7 {
        site.run(&["undo", "--now", "2035-01-01T00:00:00Z"]).expect_status(0);
    }
    assert_eq!(site.text(), "");
}

#[test]
fn a_step_goes_thirty_days_after_it_was_done_and_only_once_a_newer_one_says_so_too() {
    let site = Site::new();
    // Earlier steps have their own times, so their undo data is removed.
    site.kept("undo").iter().for_each(|own| fs::remove_file(own).unwrap());
    let then = moment_ago(40).to_rfc3339();
    site.run(&["tag", "--query", "type:finding", "+b", "--now", &then]).expect_status(0);
    let step = *site.steps().last().unwrap();
    aged(&site.kept("undo")[0], 40);
    // As the only one it stays, however long nothing changes.
    site.run(&["check"]);
    site.run(&["reindex"]);
    assert!(site.steps().contains(&step), "{:?}", site.steps());
    site.add("a newer one");
    site.run(&["tag", "--query", "type:finding", "+c"]).expect_status(0);
    assert!(!site.steps().contains(&step), "{:?}", site.steps());
}

impl Site {
    fn own_bytes(&self) -> u64 {
        files_below(&self.folder.path().join("data")).values().map(|bytes| bytes.len() as u64).sum()
    }

    fn index(&self) -> Vec<u8> {
        fs::read(self.root().join("sessions/s1/index.json")).unwrap()
    }

    /// Writes many records, as agents do, and an index of them.
    fn grow(&self, records: usize) {
        let line = self.text().lines().next().unwrap().to_owned();
        let id = line.split('"').nth(3).unwrap().to_owned();
        let lines: Vec<String> =
            (0..records).map(|at| line.replace(&id, &format!("mem_{at:08}")) + "\n").collect();
        fs::write(self.root().join("sessions/s1/memory.jsonl"), lines.concat()).unwrap();
        self.run(&["reindex"]).expect_status(0);
    }
}

#[test]
fn one_record_keeps_bytes_for_undo_in_proportion_to_it_and_derived_files_come_back_all_the_same() {
    let site = Site::new();
    site.grow(600);
    assert!(site.index().len() > 64 << 10);
    for verb in [
        &["add", "--session", "s1", "--type", "finding", "--text", "one"][..],
        &["tag", "mem_00000300", "+x"],
    ] {
        let (before, index, text) = (site.own_bytes(), site.index(), site.text());
        site.run(verb).expect_status(0);
        let (kept, record) = (site.own_bytes() - before, site.text().lines().last().unwrap().len() as u64);
        assert!(kept <= 4 * record, "{verb:?} keeps {kept} B for one of {record} B");
        site.run(&["undo"]).expect_status(0);
        assert!(site.text() == text && site.index() == index, "{verb:?}");
        site.run(&["redo"]).expect_status(0);
        assert!(!site.run(&["check"]).stdout.contains("index"));
    }
}

#[test]
fn in_a_small_store_one_record_keeps_no_more_for_undo_than_in_a_large_one() {
    // The lines in journal and log have the same length for every change.
    const LINES: u64 = 200;
    for records in crate::support::tries::some([1, 2, 3, 5, 10, 100], &[0, 2, 5]) {
        let site = Site::new();
        site.grow(records);
        for verb in [&["tag", "mem_00000000", "+x"][..], &["edit", "mem_00000000", "--set", "importance=0.7"]]
        {
            let (before, index, text) = (site.own_bytes(), site.index(), site.text());
            site.run(verb).expect_status(0);
            let kept = site.own_bytes() - before;
            let record = site.text().lines().next().unwrap().len() as u64;
            assert!(kept <= 4 * record + LINES, "{verb:?} of {records} keeps {kept} B for one of {record} B");
            site.run(&["undo"]).expect_status(0);
            assert!(site.text() == text && site.index() == index, "{verb:?}");
        }
    }
}
