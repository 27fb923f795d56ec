//! Undo and redo of every verb: the bytes come back as they were, and go again as they went.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use support::{Output, Verb};
use tempfile::TempDir;

const NOW: &str = "2026-03-01T12:00:00Z";

/// The demo's stores, and palimp's own data beside them.
struct Demo {
    folder: TempDir,
}

impl Demo {
    fn new() -> Demo {
        let folder = tempfile::tempdir().unwrap();
        let demo = folder.path().join("demo");
        Verb::new(["demo", demo.to_str().unwrap(), "--now", NOW]).run().expect_status(0);
        Demo { folder }
    }

    fn store(&self, name: &str) -> PathBuf {
        self.folder.path().join("demo").join(name)
    }

    fn run(&self, store: &Path, args: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        let options = ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new([args, &options, &["--yes", "--now", NOW]].concat()).run()
    }

    /// Every file with its bytes, but for second names of ours, which go after a minute.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = all(&self.folder.path().join("demo"));
        files.retain(|path, _| !is_ours(path));
        files.retain(|path, _| !path.as_os_str().as_encoded_bytes().ends_with(b"/"));
        files
    }

    /// The folders that hold no file at all.
    fn empty_folders(&self) -> Vec<PathBuf> {
        let files = all(&self.folder.path().join("demo"));
        let is_folder = |path: &&PathBuf| path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let is_empty = |folder: &&PathBuf| !files.keys().any(|path| path != *folder && path.starts_with(folder));
        files.keys().filter(is_folder).filter(is_empty).cloned().collect()
    }
}

fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".palimp-"))
}

/// Every file beneath a folder with its bytes, and every folder with a slash behind it.
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

/// The names of the files that differ.
fn differing(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let names = a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path));
    let mut names: Vec<PathBuf> = names.cloned().collect();
    names.dedup();
    names
}

/// Does each verb that the format has, takes it back, does it again and takes that back.
/// Returns the verbs that changed something.
fn there_and_back(name: &str, verbs: &[&str]) -> Vec<String> {
    let demo = Demo::new();
    let store = demo.store(name);
    let mut done = Vec::new();
    for verb in verbs {
        let args: Vec<&str> = verb.split(' ').collect();
        let (before, empty) = (demo.files(), demo.empty_folders());
        let output = demo.run(&store, &args);
        let after = demo.files();
        if output.status != Some(0) || after == before {
            eprintln!("{name}: {verb}: {:?} {}", output.status, output.stderr);
            assert_eq!(differing(&before, &after), Vec::<PathBuf>::new(), "{verb} was refused");
            continue;
        }
        for (turn, expected) in [("undo", &before), ("redo", &after), ("undo", &before)] {
            let output = demo.run(&store, &[turn]).expect_status(0);
            let differing = differing(expected, &demo.files());
            assert_eq!(differing, Vec::<PathBuf>::new(), "{name}: {turn} of {verb}");
            assert!(!output.stderr.contains("holds other files"), "{verb}: {}", output.stderr);
        }
        assert_eq!(demo.empty_folders(), empty, "{name}: folders after {verb}");
        done.push(verb.to_string());
    }
    done
}

#[test]
fn x_bmad() {
    let verbs = [
        "add --session sess-review-orders --type decision --text new",
        "edit dec-008 --set context=other",
        "tag dec-008 +new",
        "delete dec-008",
        "delete --remove finding-010",
        "archive dec-008",
        "session new sess-new",
        "session archive sess-review-orders",
        "session unarchive sess-review-search",
        "session delete sess-review-orders",
        "backup create",
        "compact",
        "reindex",
        "maintain",
        "migrate",
        "repair --all-safe",
    ];
    panic!("{:#?}", there_and_back("project/.bmad/memory", &verbs));
}
#[test]
fn x_sl() {
    let verbs = [
        "add --session sess_today --type finding --text new",
        "edit mem_tod_036 --set content.text=other",
        "tag mem_tod_036 +new",
        "delete mem_tod_036",
        "delete --remove mem_tod_035",
        "delete --query type:finding",
        "archive mem_tod_036",
        "session new sess_new",
        "session archive sess_today",
        "session unarchive sess_today",
        "session delete sess_today",
        "backup create",
        "compact",
        "reindex",
        "maintain",
        "migrate",
        "repair --all-safe",
    ];
    panic!("{:#?}", there_and_back("project/memory", &verbs));
}
#[test]
fn x_am() {
    let verbs = [
        "add --type gotchas --text new",
        "add --type note --text new",
        "edit gotchas.0 --set text=other",
        "edit currentFocus --set text=other",
        "tag gotchas.0 +new",
        "delete gotchas.0",
        "archive evt-000014",
        "archive --query type:tool_run",
        "unarchive --query type:tool_run",
        "session new x",
        "backup create",
        "compact",
        "reindex",
        "maintain",
        "migrate",
        "repair --all-safe",
    ];
    panic!("{:#?}", there_and_back("project/.agent-memory", &verbs));
}
#[test]
fn x_amem() {
    let verbs = [
        "add --type note --text new",
        "add --type agent.session_started --text new",
        "edit retries-with-jitter --set title=other",
        "tag retries-with-jitter +new",
        "delete retries-with-jitter",
        "delete --query type:event",
        "archive retries-with-jitter",
        "archive --query type:event",
        "backup create",
        "compact",
        "reindex",
        "maintain",
        "migrate",
        "repair --all-safe",
    ];
    panic!("{:#?}", there_and_back("project/.chora/memory", &verbs));
}
#[test]
fn x_ms() {
    let verbs = [
        "add --type learning --text new",
        "add --type task --text new",
        "edit --set importance=0.9 caff97af-8a9a-4308-ab7d-10d16f8e85f1",
        "tag --query type:core +new",
        "delete --query type:core",
        "delete --remove --query type:task",
        "archive --query type:learning",
        "unarchive --query type:learning",
        "backup create",
        "compact",
        "reindex",
        "maintain",
        "migrate",
        "repair --all-safe",
    ];
    panic!("{:#?}", there_and_back("agents/memories", &verbs));
}
