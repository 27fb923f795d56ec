//! A rewrite keeps owner and mode. palimp does not trust a file's reported length or change time.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::disk::host::Host;
use palimp::disk::{Disk, Owner, RealDisk};
use palimp::format::writing::WriteContext;
use palimp::model::{Code, Entry, Extent, Moment, State};
use palimp::ops::delete::DeleteOptions;
use palimp::store::{Place, load, load_from, write::Writer};
use serde_json::Value;
use support::{StoreBuilder, Verb};

use crate::crash::machine::Still;

const NOW: &str = "2026-03-01T12:00:00Z";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn demo() -> tempfile::TempDir {
    let folder = crate::support::folder::new();
    let demo = folder.path().join("demo");
    crate::support::demo::lay_out(&demo, NOW);
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
        ("team/memories", &["add", "--type", "learning", "--text", "A new one."][..]),
        ("notes/.chora/memory", &["add", "--type", "note", "--text", "A new one."]),
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

/// The user, the group and the mode of each file and folder, except locks.
fn owners(root: &Path) -> BTreeMap<PathBuf, (u32, u32, u32)> {
    let mut all = BTreeMap::new();
    each(root, &mut |path| {
        let own = fs::symlink_metadata(path).unwrap();
        if path.extension().is_none_or(|end| end != "lock") && !path.ends_with("lock") {
            all.insert(path.to_owned(), (own.uid(), own.gid(), own.mode()));
        }
    });
    all
}

const ACCESS: &str = "system.posix_acl_access";

/// An access list, as Linux stores it, that gives a named user and all others these rights, and the group the right to read.
fn access_list(named: u16, other: u16) -> Vec<u8> {
    let none = u32::MAX;
    let entries = [(1_u16, 6_u16, none), (2, named, 4321), (4, 4, none), (16, 6, none), (32, other, none)];
    let own = |(tag, may, who): &(u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &may.to_le_bytes(), &who.to_le_bytes()].concat()
    };
    [2_u32.to_le_bytes().to_vec(), entries.iter().flat_map(own).collect()].concat()
}

/// Stores of the demo, and what is removed from them.
const REMOVED: [(&str, &[&str]); 6] = [
    ("notes/.chora/memory", &["delete", "--remove", "--query", "type:note"]),
    ("notes/.chora/memory", &["archive", "--query", "type:event"]),
    ("web/.agent-memory", &["delete", "chk-000001"]),
    ("ops/memory", &["session", "delete", "SESSION"]),
    ("shop/.bmad/memory", &["session", "delete", "SESSION"]),
    ("shop/.bmad/memory", &["session", "archive", "SESSION"]),
];

fn removed_and_undone(folder: &Path, prepare: &dyn Fn(&Path)) {
    let (root, data) = (folder.join("demo"), folder.join("data"));
    let few = r#"{"retention":{"enabled":true,"checkpoints":{"keepRecent":1}}}"#;
    fs::write(root.join("web/.agent-memory/config.json"), few).unwrap();
    let places: BTreeSet<&str> = REMOVED.iter().map(|own| own.0).collect();
    places.iter().for_each(|place| each(&root.join(place), &mut |path| prepare(path)));
    for (place, verb) in REMOVED {
        let store = root.join(place);
        let options = ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
        let run = |args: &[&str]| Verb::new([args, &options, &["--now", NOW]].concat()).run();
        let sessions = fs::read_dir(store.join("sessions")).into_iter().flatten().flatten();
        let session = sessions.map(|own| own.file_name().into_string().unwrap()).min().unwrap_or_default();
        let words: Vec<&str> =
            verb.iter().map(|word| if *word == "SESSION" { &*session } else { word }).collect();
        let before = owners(&store);
        run(&words).expect_status(0);
        assert!(before.keys().any(|path| !path.exists()), "{place}: {words:?} removed nothing");
        let undone = run(&["undo"]).expect_status(0);
        let after = owners(&store);
        let differs = before.iter().filter(|(path, own)| after.get(*path) != Some(own));
        let differs: Vec<_> = differs.map(|(path, own)| (path, own, after.get(path))).collect();
        assert!(differs.is_empty(), "{place}, {words:?}: {differs:#?}\n{}", undone.stderr);
    }
}

#[test]
fn what_is_undone_comes_back_with_the_owner_and_the_mode_that_it_had() {
    if !is_root() {
        return eprintln!("skipped: only the superuser can give files away");
    }
    let folder = demo();
    removed_and_undone(folder.path(), &|path| {
        // Each has another owner than its folder.
        let number = path.as_os_str().len() as u32;
        std::os::unix::fs::lchown(path, Some(2000 + number), Some(3000 + number)).unwrap();
        let mode = if path.is_dir() { 0o2750 } else { 0o640 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    });
}

#[test]
fn a_file_with_an_access_list_loses_it_and_nobody_gets_more_rights_and_the_plan_says_so() {
    let (tag, delete) =
        (&["tag", "--query", "type:learning", "+marked"][..], &["delete", "--query", "type:learning"][..]);
    let remove = &["delete", "--remove", "--query", "type:note"];
    for (place, verb, (named, other), mode) in [
        ("team/memories", tag, (6, 0), 0o640),
        ("team/memories", tag, (0, 4), 0o600),
        ("team/memories", delete, (6, 4), 0o644),
        ("notes/.chora/memory", remove, (6, 0), 0o640),
    ] {
        let folder = demo();
        let (store, data) = (folder.path().join("demo").join(place), folder.path().join("data"));
        let mut listed = Vec::new();
        let (mut folders, none) = (Vec::new(), rustix::fs::XattrFlags::empty());
        each(&store, &mut |path| match path.is_file() {
            true => listed.push(path.to_owned()),
            false => folders.push(path.to_owned()),
        });
        for path in &listed {
            let list = access_list(named, other);
            if let Err(error) = rustix::fs::setxattr(path, ACCESS, &list, none) {
                return eprintln!("skipped: the file system takes no access lists ({error})");
            }
            assert_eq!(fs::metadata(path).unwrap().mode() & 0o770, 0o660);
        }
        // New files get a list from their folder.
        for folder in folders.iter().chain([&store]) {
            rustix::fs::setxattr(folder, "system.posix_acl_default", &access_list(6, 4), none).unwrap();
        }
        let options =
            ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", NOW];
        let run = |args: &[&str]| Verb::new([args, &options].concat()).run().expect_status(0);
        let inode = |path: &PathBuf| fs::metadata(path).map(|own| own.ino()).ok();
        let before: BTreeMap<&PathBuf, Option<u64>> = listed.iter().map(|own| (own, inode(own))).collect();
        let shown = run(&[verb, &["--dry-run"]].concat());
        run(&[verb, &["--yes"]].concat());
        run(&["undo", "--yes"]);
        let is_new = |path: &&PathBuf| inode(path).is_some() && inode(path) != before[*path];
        let new: Vec<&PathBuf> = listed.iter().filter(is_new).collect();
        assert!(!new.is_empty(), "{place}: {verb:?} rewrote nothing");
        for path in new {
            assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, mode, "{verb:?} {}", path.display());
            let list = rustix::fs::getxattr(path, ACCESS, &mut [0; 256][..]);
            assert_eq!(list, Err(rustix::io::Errno::NODATA), "{verb:?} {}", path.display());
        }
        assert!(shown.stdout.contains("loses its access list"), "{verb:?}: {}", shown.stdout);
    }
}

#[test]
fn a_note_that_is_undeleted_or_restored_from_a_copy_gets_what_it_had_when_it_was_removed() {
    if !is_root() {
        return eprintln!("skipped: only the superuser can give files away");
    }
    for back in [&["undelete", "--query", "is:deleted"][..], &["backup", "restore", "COPY", "--deleted"]] {
        let folder = demo();
        let (root, data) = (folder.path().join("demo/notes/.chora/memory"), folder.path().join("data"));
        let options = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
        let run = |args: &[&str]| Verb::new([args, &options, &["--now", NOW]].concat()).run();
        let mut notes = Vec::new();
        each(&root, &mut |path| {
            notes.extend(path.extension().is_some_and(|end| end == "md").then(|| path.to_owned()))
        });
        for note in &notes {
            std::os::unix::fs::lchown(note, Some(1234), Some(1235)).unwrap();
            fs::set_permissions(note, fs::Permissions::from_mode(0o644)).unwrap();
        }
        run(&["backup", "create"]).expect_status(0);
        run(&["delete", "--remove", "--query", "type:note"]).expect_status(0);
        let gone: Vec<&PathBuf> = notes.iter().filter(|own| !own.exists()).collect();
        assert!(!gone.is_empty());
        let copies = run(&["backup", "list", "--json"]).expect_status(0).json_lines();
        let is_of = |row: &&Value| gone.iter().any(|own| own.ends_with(row["file"].as_str().unwrap()));
        let copy = copies.iter().find(is_of).map(|row| row["backup"].as_str().unwrap().to_owned()).unwrap();
        let words: Vec<&str> = back.iter().map(|word| if *word == "COPY" { &*copy } else { word }).collect();
        let told = run(&words).expect_status(0);
        let is_back = |own: &&&PathBuf| own.exists();
        let back: Vec<&&PathBuf> = gone.iter().filter(is_back).collect();
        assert!(!back.is_empty(), "{words:?}: {told:?}");
        for note in back {
            let own = fs::metadata(note).unwrap();
            assert_eq!(
                (own.uid(), own.gid(), own.mode() & 0o777),
                (1234, 1235, 0o644),
                "{words:?} {}",
                note.display()
            );
        }
    }
}

#[test]
fn what_can_not_be_given_back_is_told_and_the_file_comes_back_all_the_same() {
    let root = Path::new("/home/demo/notes/.chora/memory");
    let now = Moment::parse(NOW).unwrap().0;
    for refused in ["give ", "set the mode of "] {
        let disk = Faulty::new();
        disk.put_folder("/data", 0o700);
        for (path, bytes) in palimp::demo::stores(1, now) {
            disk.put(Path::new("/home/demo").join(path), bytes, 0o600);
        }
        let notes: Vec<PathBuf> =
            disk.files().into_keys().filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
        for note in &notes {
            disk.put(note, disk.files()[note].clone(), 0o640);
            disk.give(note, Owner { user: 7, group: 8 });
        }
        let before = disk.files();
        let machine = Still::first();
        let place = Place::whole(root.into(), "a-mem");
        // Deletes a note, or undoes that.
        let change = |disk: &Faulty, is_undo: bool| {
            let store = load_from(disk, &place, Extent::All, None, now);
            let host = Host { disk, machine: &machine, data: Path::new("/data"), now };
            let writer = Writer::open(host, &store).unwrap();
            if is_undo {
                let (plan, turn) = writer.undo(None).unwrap();
                return writer.commit_undo_redo(&plan, turn).unwrap();
            }
            let is_note = |own: &&Entry| {
                own.state == State::Live && store.memory(own).is_some_and(|view| view.kind() == "note")
            };
            let entry = store.entries.iter().find(is_note).unwrap();
            let asked = DeleteOptions { remove: true, ..DeleteOptions::default() };
            let context = WriteContext::of(&store, now, [7; 16]);
            writer.commit(&palimp::ops::delete::delete(&context, &[*entry], &asked).unwrap()).unwrap()
        };
        change(&disk, false);
        let gone: Vec<&PathBuf> = notes.iter().filter(|own| !disk.files().contains_key(*own)).collect();
        assert_eq!(gone.len(), 1);
        let (learned, refusing) = (disk.restart(), disk.restart());
        assert!(change(&learned, true).notes.is_empty());
        let at = learned.log().iter().position(|own| own.contains(refused)).expect(refused);
        refusing.fail_at(at, Fault::Error(Errno::PERM));
        let receipt = change(&refusing, true);
        let name = gone[0].file_name().unwrap().to_str().unwrap();
        assert!(
            receipt.notes.iter().any(|own| own.contains(name) && own.contains("is restored, but not")),
            "{:?}",
            receipt.notes
        );
        let is_content = |path: &&PathBuf| !path.to_str().unwrap().contains(".palimp-");
        let files = refusing.files();
        for (path, bytes) in before.iter().filter(|own| is_content(&own.0)) {
            assert_eq!(files.get(path), Some(bytes), "{}", path.display());
        }
    }
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
    let error = RealDisk.read(&store.file("learnings.jsonl"), 0, None).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    let (tail, _) = RealDisk.read(&store.file("learnings.jsonl"), (8 << 40) - 4, None).unwrap();
    assert_eq!(tail, [0; 4]);
}

#[test]
fn a_length_that_is_a_lie_is_a_problem_on_the_disk_in_memory_too() {
    let disk = Faulty::new();
    disk.put("/s/learnings.jsonl", "{}\n", 0o600);
    disk.put("/s/core_memories.jsonl", "{}\n", 0o600);
    disk.inflate("/s/learnings.jsonl", 8 << 40);
    let place = Place::whole("/s".into(), "memory-server");
    let store = load_from(&disk, &place, Extent::All, None, Moment(0));
    let unread =
        |file: &Path| store.problems.iter().any(|own| own.code == Code::UnreadableFile && own.file == file);
    assert!(unread(Path::new("learnings.jsonl")) && !unread(Path::new("core_memories.jsonl")));
}

#[test]
fn a_file_that_was_written_anew_within_a_tick_of_the_clock_is_read_again() {
    let store = StoreBuilder::memory_server().core(serde_json::json!({"content": "one"})).build();
    let place = Place::whole(store.path.clone(), "memory-server");
    let now = Moment::parse(NOW).unwrap().0;
    let first = load(&place, Extent::All, None, now);
    let file = store.file("core_memories.jsonl");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"one\"", "\"two\"")).unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
    let second = load(&place, Extent::All, Some(&first), now);
    let own = second.documents.iter().find(|own| own.path.ends_with("core_memories.jsonl")).unwrap();
    assert!(String::from_utf8_lossy(&own.bytes).contains("\"two\""));
}
