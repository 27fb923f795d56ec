//! Many large backups: a list shows them without opening them.
//!
//! `PALIMP_LONG=1 cargo test --release --test all backups_many:: -- --nocapture` prints the figures
//! of 1,000 backups of 10 MB each.

use crate::support;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use palimp::model::Moment;
use palimp::store;
use palimp::work::{
    BackupCompareMode, Inspect, InspectRequest, Inspected, Job, JobResult, WorkerState, run_job,
};
use serde_json::json;
use support::tries::is_long;
use support::{StoreBuilder, TempStore};

const NOW: &str = "2026-02-01T12:00:00Z";
const LOG: &str = "sessions/s/memory.jsonl";

/// The number of backups, and the bytes of each.
fn sizes() -> (usize, usize) {
    if is_long() { (1_000, 10_000_000) } else { (100, 200_000) }
}

fn line(number: usize) -> String {
    let entry = json!({
        "id": format!("mem_{number}"), "type": "conversation", "timestamp": "2026-01-01T00:00:00Z",
        "content": {"role": "user", "message": "x".repeat(900)},
    });
    format!("{entry}\n")
}

/// A store and its backups in palimp's data: the same bytes under different names.
fn many(count: usize, bytes: usize) -> (TempStore, tempfile::TempDir, PathBuf) {
    let store = StoreBuilder::session_log().session("s").build();
    store.write(LOG, line(0).as_bytes());
    let data = tempfile::tempdir_in(store.around()).unwrap();
    let own = |words: &[&str]| {
        let (root, data) = (store.path.to_str().unwrap(), data.path().to_str().unwrap());
        support::run(words.iter().copied().chain(["--store", root, "--data-dir", data, "--now", NOW]))
    };
    own(&["backup", "create", "--yes"]).expect_status(0);
    let rows = own(&["backup", "list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["file"] == LOG).unwrap();
    let first = PathBuf::from(row["backup"].as_str().unwrap());
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&line(number));
        number += 1;
    }
    std::fs::write(&first, text).unwrap();
    let name = first.file_name().unwrap().to_str().unwrap().split_once(".backup.").unwrap().0.to_owned();
    for at in 1..count {
        let stamp = format!("202601{:02}_{:02}{:02}00", at / 1_440 + 1, at / 60 % 24, at % 60);
        std::fs::hard_link(&first, first.with_file_name(format!("{name}.backup.{stamp}"))).unwrap();
    }
    (store, data, first)
}

#[test]
fn a_thousand_large_backups_are_listed_well_under_a_second_and_say_that_none_is_verified() {
    let (count, bytes) = sizes();
    let (store, data, first) = many(count, bytes);
    let began = Instant::now();
    let (root, own) = (store.path.to_str().unwrap(), data.path().to_str().unwrap());
    let output = support::run(["backup", "list", "--json", "--store", root, "--data-dir", own, "--now", NOW]);
    let listed = began.elapsed();
    let rows = output.expect_status(0).json_lines();
    let of_log: Vec<_> = rows.iter().filter(|row| row["file"] == LOG).collect();
    assert_eq!(of_log.len(), count);
    for row in of_log {
        assert!(row["verified"].is_null() && row["found"] == "not verified yet", "{row}");
        assert!(row["bytes"].as_u64().unwrap() >= bytes as u64 && row["reason"] == "by hand", "{row}");
    }
    let now = Moment::parse(NOW).unwrap().0;
    let places = store::look_at(&store.path, None).found.unwrap();
    let mut kept = WorkerState::default();
    let load = Job::Load { places, previous: Arc::default(), data: None, is_urgent: true, changes: 0, now };
    let Some(JobResult::Loaded(loaded)) = run_job(load, &mut kept, &Default::default()) else {
        panic!("no store")
    };
    let mut inspect = |what: Inspect| {
        let request = InspectRequest {
            snapshot: Arc::clone(&loaded.snapshot),
            data: data.path().to_owned(),
            now,
            what,
        };
        let done = run_job(Job::Inspect(Box::new(request)), &mut kept, &Default::default());
        let Some(JobResult::Inspected(seen)) = done else { panic!("nothing was read") };
        *seen
    };
    let began = Instant::now();
    let Inspected::Backups(list, None) = inspect(Inspect::Backups) else { panic!("no list") };
    let seen = began.elapsed();
    assert!(list.len() >= count && list.iter().all(|own| own.verified.is_none()));
    let copy = list.iter().find(|own| own.copy.path == first).unwrap();
    let began = Instant::now();
    let Inspected::Verified(_, _, verified, _) =
        inspect(Inspect::Verify(0, copy.copy.clone(), BackupCompareMode::Each))
    else {
        panic!("not looked at")
    };
    assert!(verified.is_whole, "{}", verified.found);
    let one = began.elapsed();
    println!("{count} backups of {bytes} B: the verb {listed:?}, the view {seen:?}; one verified in {one:?}");
    // Times on a busy machine, or of a debug build, vary much. To read all of the backups takes longer.
    assert!(!is_long() || listed.max(seen) < Duration::from_secs(1), "{listed:?} {seen:?}");
}
