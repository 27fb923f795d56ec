//! Undo and redo of every verb restore exactly the bytes of before and after.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use palimp::store::hidden_names::{OldFileName, is_ours as is_own};
use support::made::{KINDS, files_below};
use support::{DemoStore, MadeStore};

const NOW: &str = "2026-03-01T12:00:00Z";

/// Every file of the demo, except second names, which stay for a minute, and the lock file, which stays for ever.
fn files(demo: &DemoStore) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = all(&demo.folder().join("demo"));
    files.retain(|path, _| !is_ours(path) && !path.ends_with(".lock"));
    files.retain(|path, _| !path.as_os_str().as_encoded_bytes().ends_with(b"/"));
    files
}

/// The folders of the demo without any file.
fn empty_folders(demo: &DemoStore) -> Vec<PathBuf> {
    let files = all(&demo.folder().join("demo"));
    let is_folder = |path: &&PathBuf| path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let is_empty = |folder: &&PathBuf| !files.keys().any(|path| path != *folder && path.starts_with(folder));
    files.keys().filter(is_folder).filter(is_empty).cloned().collect()
}

fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(is_own)
}

/// Returns every file below a folder with its bytes, and every folder with a slash at its end.
fn all(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.join(""), Vec::new());
            found.extend(all(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

fn differing(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let names = a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path));
    let mut names: Vec<PathBuf> = names.cloned().collect();
    names.dedup();
    names
}

/// Does each verb, undoes it, redoes it and undoes that.
fn there_and_back(name: &str, verbs: &[&str]) {
    let demo = DemoStore::at(name, NOW);
    // Other stores would make each look longer.
    let own = name.split('/').next().unwrap();
    for other in fs::read_dir(demo.folder().join("demo")).unwrap().map(|other| other.unwrap().path()) {
        if other.is_dir() && !other.ends_with(own) {
            fs::remove_dir_all(other).unwrap();
        }
    }
    for verb in verbs {
        let args: Vec<&str> = verb.split(' ').collect();
        let (before, empty) = (files(&demo), empty_folders(&demo));
        demo.change(&args).expect_status(0);
        let after = files(&demo);
        assert_ne!(differing(&before, &after), Vec::<PathBuf>::new(), "{name}: {verb} changed nothing");
        for (turn, expected) in [("undo", &before), ("redo", &after), ("undo", &before)] {
            let output = demo.change(&[turn]).expect_status(0);
            let differing = differing(expected, &files(&demo));
            assert_eq!(differing, Vec::<PathBuf>::new(), "{name}: {turn} of {verb}");
            assert!(!output.stderr.contains("holds other files"), "{verb}: {}", output.stderr);
        }
        assert_eq!(empty_folders(&demo), empty, "{name}: folders after {verb}");
    }
}

#[test]
fn every_verb_of_memory_server_is_undone_and_redone() {
    let verbs = [
        "add --type learning --text new",
        "tag --query type:core +new",
        "delete --query type:core",
        "delete --remove --query type:task",
        "archive --query type:learning",
        "unarchive --query is:archived",
        "repair --all-safe",
    ];
    there_and_back("team/memories", &verbs);
}

#[test]
fn every_verb_of_session_log_is_undone_and_redone() {
    let verbs = [
        "add --session release_4_3 --type finding --text new",
        "edit mem_is_it_safe --set content.text=other",
        "delete mem_is_it_safe",
        "delete --remove mem_no_key",
        "session new sess_new",
        "session delete release_4_3",
        "compact",
        "reindex",
        "repair --all-safe",
    ];
    there_and_back("ops/memory", &verbs);
}

#[test]
fn every_verb_of_agent_memory_and_bmad_is_undone_and_redone() {
    there_and_back("web/.agent-memory", &["edit currentFocus --set text=other", "delete gotchas.0"]);
    let verbs = [
        "add --session double-charge --type decision --text new",
        "edit double-charge/dec-003 --set context=other",
        "delete --remove double-charge/finding-003",
        "session new sess-new",
        "session archive double-charge",
        "session unarchive search-latency",
        "session delete double-charge",
        "compact",
        "repair --code torn-line",
    ];
    there_and_back("shop/.bmad/memory", &verbs);
}

#[test]
fn every_verb_of_a_mem_is_undone_and_redone() {
    let verbs = [
        "add --type note --text new",
        "edit retries-with-jitter --set title=other",
        "delete retries-with-jitter",
        "archive --query type:event",
        "reindex",
    ];
    there_and_back("notes/.chora/memory", &verbs);
}

#[test]
fn the_oldest_copies_that_a_change_lets_go_come_back_and_go_with_it() {
    let demo = DemoStore::at("team/memories", NOW);
    let copy = |day: u32| demo.store.join(format!(".backup/learnings.jsonl.backup.202501{day:02}_120000"));
    (10..30).for_each(|day| fs::write(copy(day), format!("{{\"id\":\"old-{day}\"}}\n")).unwrap());
    let before = files(&demo);
    demo.change(&["tag", "--query", "type:learning", "+new"]).expect_status(0);
    let after = files(&demo);
    assert!(!copy(10).exists(), "no copy was too old");
    for (turn, expected) in [("undo", &before), ("redo", &after), ("undo", &before)] {
        demo.change(&[turn]).expect_status(0);
        assert_eq!(differing(expected, &files(&demo)), Vec::<PathBuf>::new(), "{turn}");
    }
}

/// Simulates the end of the minute for which the second names of replaced files stay.
fn a_minute_later(folder: &Path) {
    for path in all(folder).keys().filter(|path| is_ours(path)) {
        let old = OldFileName::read(path.file_name().unwrap()).unwrap();
        fs::rename(path, path.with_file_name(OldFileName { since: 1, ..old }.name())).unwrap();
    }
}

#[test]
fn folders_that_a_step_made_go_a_minute_after_it_was_undone() {
    let cases = [
        ("ops/memory", "session new abc", "sessions/abc", "reindex"),
        ("shop/.bmad/memory", "session unarchive search-latency", "sessions/search-latency", "compact"),
        ("team/memories", "delete --query type:core", "archive", "reindex"),
        // The second names wait in a folder and in one inside it.
        ("notes/.chora/memory", "archive --query type:event", "events/2026-03", "reindex"),
    ];
    for (name, verb, folder, next) in cases {
        let demo = DemoStore::at(name, NOW);
        // A folder that the demo has is not made by the step.
        if folder == "archive" {
            fs::remove_dir_all(demo.store.join(folder)).unwrap();
            fs::remove_dir_all(demo.store.join(".backup")).unwrap();
            demo.change(&["reindex"]).expect_status(0);
        }
        let before = files(&demo);
        demo.change(&verb.split(' ').collect::<Vec<_>>()).expect_status(0);
        assert!(differing(&before, &files(&demo)).len() > 1);
        let output = demo.change(&["undo"]).expect_status(0);
        assert!(!output.stderr.contains("stays"), "{}", output.stderr);
        assert_eq!(differing(&before, &files(&demo)), Vec::<PathBuf>::new());
        a_minute_later(&demo.store);
        demo.change(&[next]).expect_status(0);
        assert!(!demo.store.join(folder).exists(), "{name}: {folder} after {verb}");
        assert_eq!(empty_folders(&demo), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_folder_in_which_another_put_a_file_stays_and_that_is_told() {
    let demo = DemoStore::at("ops/memory", NOW);
    demo.change(&["session", "new", "abc"]).expect_status(0);
    fs::write(demo.store.join("sessions/abc/notes.txt"), "mine").unwrap();
    demo.change(&["undo"]).expect_status(0).expect_stderr("abc holds other files (notes.txt) and stays");
    assert!(demo.store.join("sessions/abc/notes.txt").exists());
}

#[test]
fn a_folder_comes_back_with_the_mode_that_it_had() {
    use std::os::unix::fs::PermissionsExt;
    let demo = DemoStore::at("ops/memory", NOW);
    let folder = demo.store.join("sessions/release_4_3");
    let mode = || fs::metadata(&folder).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    demo.change(&["session", "delete", "release_4_3"]).expect_status(0);
    a_minute_later(&demo.store);
    demo.change(&["reindex"]).expect_status(0);
    assert!(!folder.exists());
    demo.change(&["undo", "1"]).expect_status(0);
    assert_eq!(mode(), 0o755);
}

#[test]
fn an_empty_folder_that_was_there_before_stays_as_it_was_when_a_verb_that_fills_it_is_undone() {
    let demo = DemoStore::at("shop/.bmad/memory", NOW);
    let _ = fs::remove_dir_all(demo.store.join("archive"));
    // An undo removes the folder, and another program makes it again.
    demo.change(&["session", "archive", "double-charge"]).expect_status(0);
    demo.change(&["undo"]).expect_status(0);
    let _ = fs::remove_dir_all(demo.store.join("archive"));
    fs::create_dir(demo.store.join("archive")).unwrap();
    fs::set_permissions(demo.store.join("archive"), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = || fs::metadata(demo.store.join("archive")).ok().map(|own| (own.ino(), own.mode() & 0o777));
    let (before, stood) = (files(&demo), folder());
    for turn in [&["session", "archive", "double-charge"][..], &["undo"], &["redo"], &["undo"]] {
        demo.change(turn).expect_status(0);
        assert_eq!(folder(), stood, "{turn:?}");
    }
    assert_eq!(differing(&before, &files(&demo)), Vec::<PathBuf>::new());
}

#[test]
fn a_derived_file_that_a_step_left_as_it_was_stays_as_it_is_when_the_step_is_undone() {
    let mut left_alone = 0;
    for format in crate::support::tries::some(KINDS, &[1, 3]) {
        let made = MadeStore::new(format);
        made.add("The first of them");
        made.add("The second of them");
        let without = files_below(&made.root());
        made.add("The third of them");
        let remove = ["delete", &made.key("third"), "--remove"];
        let remove = &remove[..if matches!(format.0, "session-log" | "a-mem") { 3 } else { 2 }];
        let with = files_below(&made.root());
        let is_derived = |path: &&PathBuf| path.extension().is_some_and(|end| end == "json");
        for path in with.keys().filter(is_derived).filter(|path| with.get(*path) != without.get(*path)) {
            // Another program restores the file from a backup. It fits the store without the third memory.
            fs::write(path, &without[path]).unwrap();
            made.run(remove).expect_status(0);
            left_alone += u32::from(fs::read(path).unwrap() == without[path]);
            made.run(&["undo"]).expect_status(0);
            let now = files_below(&made.root());
            let was = |own: &PathBuf| if own == path { without.get(own) } else { with.get(own) };
            let differs: Vec<&PathBuf> = with.keys().filter(|own| now.get(*own) != was(own)).collect();
            assert_eq!(differs, Vec::<&PathBuf>::new(), "{path:?} of {format:?}");
            fs::write(path, &with[path]).unwrap();
        }
    }
    assert!(left_alone > 1, "{left_alone}");
}
