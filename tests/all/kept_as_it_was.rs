//! Whose a file is and what is attached to it stays so when it is rewritten; what a file says of
//! its length, and what its time of change tells, is not believed.

use crate::support;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use palimp::disk::faulty::Faulty;
use palimp::disk::{Disk, Owner, Real};
use palimp::model::{Code, Extent, Moment};
use palimp::store::{Place, load, load_from};
use support::{StoreBuilder, Verb};

const NOW: &str = "2026-03-01T12:00:00Z";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn demo() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let demo = folder.path().join("demo");
    Verb::new(["demo", demo.to_str().unwrap(), "--now", NOW]).run().expect_status(0);
    folder
}

fn each(folder: &Path, see: &mut dyn FnMut(&Path)) {
    see(folder);
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        each(&item.path(), see);
    }
}

#[test]
fn what_the_superuser_changes_in_anothers_store_stays_that_ones() {
    if !is_root() {
        return eprintln!("skipped: only the superuser can give files away");
    }
    let folder = demo();
    let root = folder.path().join("demo");
    each(&root, &mut |path| std::os::unix::fs::lchown(path, Some(1234), Some(1235)).unwrap());
    let data = folder.path().join("data");
    for (store, add) in [
        ("agents/memories", &["add", "--type", "learning", "--text", "A new one."][..]),
        ("project/.chora/memory", &["add", "--type", "note", "--text", "A new one."]),
    ] {
        let store = root.join(store);
        let options =
            ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes", "--now", NOW];
        let run = |args: &[&str]| Verb::new([args, &options].concat()).run().expect_status(0);
        run(&["tag", "--query", "importance:>0", "+marked"]);
        run(add);
        run(&["undo"]);
        run(&["delete", "--query", "tag:marked"]);
        run(&["undo"]);
    }
    let mut others = Vec::new();
    each(&root, &mut |path| {
        let own = fs::symlink_metadata(path).unwrap();
        others.extend(((own.uid(), own.gid()) != (1234, 1235)).then(|| path.to_owned()));
    });
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn a_new_file_takes_over_owner_and_attributes_on_the_disk_in_memory_too() {
    let disk = Faulty::new();
    disk.put("/s/a", "x", 0o640);
    let attributes = vec![("user.note".into(), b"1".to_vec())];
    disk.give("/s/a", Owner { user: 7, group: 8 }, &attributes);
    let mut out = disk.create(Path::new("/s/b"), 0o600).unwrap();
    out.set_owner(disk.look(Path::new("/s/a")).unwrap().owner).unwrap();
    out.set_extended(&disk.extended(Path::new("/s/a")).unwrap()).unwrap();
    drop(out);
    assert_eq!(disk.look(Path::new("/s/b")).unwrap().owner, Owner { user: 7, group: 8 });
    assert_eq!(disk.extended(Path::new("/s/b")).unwrap(), attributes);
}

#[test]
fn a_file_that_says_it_is_longer_than_any_memory_is_a_problem_and_the_rest_is_listed() {
    let store = StoreBuilder::memory_server()
        .core(serde_json::json!({"content": "It stays."}))
        .learning(serde_json::json!({"content": "It can't be read."}))
        .build();
    fs::File::options().append(true).open(store.file("learnings.jsonl")).unwrap().set_len(8 << 40).unwrap();
    let listed = Verb::new(["list", "--store", store.path.to_str().unwrap()]).run().expect_status(1);
    assert!(listed.stdout.contains("It stays."), "{}", listed.stdout);
    assert!(listed.stderr.contains("learnings.jsonl"), "{}", listed.stderr);
    let error = Real.read(&store.file("learnings.jsonl"), 0, None).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    let (tail, _) = Real.read(&store.file("learnings.jsonl"), (8 << 40) - 4, None).unwrap();
    assert_eq!(tail, [0; 4]);
}

#[test]
fn a_length_that_is_a_lie_is_a_problem_on_the_disk_in_memory_too() {
    let disk = Faulty::new();
    disk.put("/s/learnings.jsonl", "{}\n", 0o600);
    disk.put("/s/core_memories.jsonl", "{}\n", 0o600);
    disk.inflate("/s/learnings.jsonl", 8 << 40);
    let place = Place { root: "/s".into(), format: "memory-server", session: None };
    let store = load_from(&disk, &place, Extent::Whole, None, Moment(0));
    let unread =
        |file: &Path| store.problems.iter().any(|own| own.code == Code::UnreadableFile && own.file == file);
    assert!(unread(Path::new("learnings.jsonl")) && !unread(Path::new("core_memories.jsonl")));
}

#[test]
fn a_file_that_was_written_anew_within_a_tick_of_the_clock_is_read_again() {
    let store = StoreBuilder::memory_server().core(serde_json::json!({"content": "one"})).build();
    let place = Place { root: store.path.clone(), format: "memory-server", session: None };
    let now = Moment::parse(NOW).unwrap().0;
    let first = load(&place, Extent::Whole, None, now);
    let file = store.file("core_memories.jsonl");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"one\"", "\"two\"")).unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
    let second = load(&place, Extent::Whole, Some(&first), now);
    let own = second.documents.iter().find(|own| own.path.ends_with("core_memories.jsonl")).unwrap();
    assert!(String::from_utf8_lossy(&own.bytes).contains("\"two\""));
}
