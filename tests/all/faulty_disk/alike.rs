//! Compares the disk in memory with the real one.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::faulty::Faulty;
use palimp::disk::{Disk, Flock, Item, ItemKind, RealDisk, WritableFile};
use palimp::model::Generation;

#[derive(Clone, Debug)]
enum Call {
    Create(usize, &'static str, u32),
    Append(usize, &'static str),
    Write(usize, Vec<u8>),
    Sync(usize),
    SetMode(usize, u32),
    SetLen(usize, u64),
    Generation(usize),
    Close(usize),
    Lock(usize, &'static str, Option<u32>),
    Fill(usize, Vec<u8>),
    Identity(usize),
    Unlock(usize),
    MakeFolder(&'static str, u32),
    Link(&'static str, &'static str),
    Rename(&'static str, &'static str),
    Remove(&'static str),
    RemoveFolder(&'static str),
    SyncFolder(&'static str),
    List(&'static str),
    Look(&'static str),
    RealPath(&'static str),
    Read(&'static str, u64, Option<u64>),
}

/// The comparable part: inode numbers, times and lengths of folders are different on each disk.
fn state(generation: Generation) -> String {
    format!("{} long", generation.len)
}

fn item(item: Item) -> String {
    let len = if item.kind == ItemKind::File { state(item.generation) } else { String::new() };
    format!("{:?} {:?} {:?} {:o} {len}", item.name, item.kind, item.link, item.mode)
}

fn outcome<T>(result: io::Result<T>, tell: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => tell(value),
        Err(error) => format!("{:?} {:?}", error.kind(), error.raw_os_error()),
    }
}

fn done(result: io::Result<()>) -> String {
    outcome(result, |()| "done".to_owned())
}

fn run(disk: &dyn Disk, root: &Path, calls: &[Call]) -> Vec<String> {
    let mut outputs: BTreeMap<usize, Box<dyn WritableFile + '_>> = BTreeMap::new();
    let mut locks: BTreeMap<usize, Box<dyn Flock + '_>> = BTreeMap::new();
    let at = |path: &str| root.join(path);
    let none = || "none".to_owned();
    let mut results = Vec::new();
    for call in calls {
        results.push(match call {
            Call::Create(slot, path, mode) => outcome(disk.create(&at(path), *mode), |output| {
                outputs.insert(*slot, output);
                "created".to_owned()
            }),
            Call::Append(slot, path) => outcome(disk.append(&at(path)), |output| {
                outputs.insert(*slot, output);
                "opened".to_owned()
            }),
            Call::Write(slot, bytes) => outputs.get_mut(slot).map_or_else(none, |it| done(it.write(bytes))),
            Call::Sync(slot) => outputs.get_mut(slot).map_or_else(none, |it| done(it.sync())),
            Call::SetMode(slot, mode) => {
                outputs.get_mut(slot).map_or_else(none, |it| done(it.set_mode(*mode)))
            }
            Call::SetLen(slot, len) => outputs.get_mut(slot).map_or_else(none, |it| done(it.set_len(*len))),
            Call::Generation(slot) => {
                outputs.get(slot).map_or_else(none, |it| outcome(it.generation(), state))
            }
            Call::Close(slot) => format!("{}", outputs.remove(slot).is_some()),
            Call::Lock(slot, path, create) => outcome(disk.flock(&at(path), *create), |lock| match lock {
                Some(lock) => {
                    locks.insert(*slot, lock);
                    "locked".to_owned()
                }
                None => "held by another".to_owned(),
            }),
            Call::Fill(slot, bytes) => locks.get_mut(slot).map_or_else(none, |it| done(it.fill(bytes))),
            Call::Identity(slot) => locks.get(slot).map_or_else(none, |it| {
                let own = it.generation().unwrap().inode;
                let same = |path: &str| disk.look(&at(path)).is_ok_and(|item| item.generation.inode == own);
                format!("{:?}", PATHS.iter().filter(|path| same(path)).collect::<Vec<_>>())
            }),
            Call::Unlock(slot) => format!("{}", locks.remove(slot).is_some()),
            Call::MakeFolder(path, mode) => done(disk.make_folder(&at(path), *mode)),
            Call::Link(file, name) => done(disk.link(&at(file), &at(name))),
            Call::Rename(from, to) => done(disk.rename(&at(from), &at(to))),
            Call::Remove(path) => done(disk.remove(&at(path))),
            Call::RemoveFolder(path) => done(disk.remove_folder(&at(path))),
            Call::SyncFolder(path) => done(disk.sync_folder(&at(path))),
            Call::List(path) => outcome(disk.list(&at(path)), |items| {
                items.into_iter().map(item).collect::<Vec<_>>().join(", ")
            }),
            Call::Look(path) => outcome(disk.look(&at(path)), item),
            Call::RealPath(path) => outcome(disk.real_path(&at(path)), |path| {
                path.strip_prefix(root).unwrap().display().to_string()
            }),
            Call::Read(path, from, limit) => {
                outcome(disk.read(&at(path), *from, *limit), |(bytes, generation)| {
                    format!("{bytes:?} of {}", state(generation))
                })
            }
        });
    }
    results
}

/// Returns everything below a folder, and which names lead to the same file.
fn contents(disk: &dyn Disk, root: &Path, folder: &Path, inodes: &mut Vec<u64>) -> Vec<String> {
    let mut found = Vec::new();
    for entry in disk.list(folder).unwrap() {
        let path = folder.join(&entry.name);
        let same = inodes.iter().position(|inode| *inode == entry.generation.inode).unwrap_or_else(|| {
            inodes.push(entry.generation.inode);
            inodes.len() - 1
        });
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let bytes = disk.read(&path, 0, None).map(|(bytes, _)| bytes).ok();
        found.push(format!("{name} {} {bytes:?} {same}", item(entry.clone())));
        if entry.kind == ItemKind::Folder {
            found.extend(contents(disk, root, &path, inodes));
        }
    }
    found
}

const PATHS: [&str; 10] = ["a", "b", "d", "e", "d/a", "d/b", "d/e", "e/a", "d/e/a", "d/../a"];

fn call() -> impl Strategy<Value = Call> {
    let path = || proptest::sample::select(&PATHS[..]);
    let bytes = || proptest::collection::vec(any::<u8>(), 0..6);
    let (slot, mode, len) = (0_usize..2, proptest::sample::select(vec![0o600_u32, 0o644, 0o400]), 0_u64..8);
    let folder_mode = proptest::sample::select(vec![0o700_u32, 0o755]);
    prop_oneof![
        6 => (slot.clone(), path(), mode.clone()).prop_map(|(s, p, m)| Call::Create(s, p, m)),
        1 => (slot.clone(), path()).prop_map(|(s, p)| Call::Append(s, p)),
        6 => (slot.clone(), bytes()).prop_map(|(s, b)| Call::Write(s, b)),
        1 => slot.clone().prop_map(Call::Sync),
        1 => (slot.clone(), mode.clone()).prop_map(|(s, m)| Call::SetMode(s, m)),
        2 => (slot.clone(), len.clone()).prop_map(|(s, l)| Call::SetLen(s, l)),
        1 => slot.clone().prop_map(Call::Generation),
        1 => slot.clone().prop_map(Call::Close),
        3 => (slot.clone(), path(), proptest::option::of(mode)).prop_map(|(s, p, m)| Call::Lock(s, p, m)),
        2 => (slot.clone(), bytes()).prop_map(|(s, b)| Call::Fill(s, b)),
        1 => slot.clone().prop_map(Call::Identity),
        1 => slot.prop_map(Call::Unlock),
        6 => (path(), folder_mode).prop_map(|(p, m)| Call::MakeFolder(p, m)),
        3 => (path(), path()).prop_map(|(p, q)| Call::Link(p, q)),
        6 => (path(), path()).prop_map(|(p, q)| Call::Rename(p, q)),
        2 => path().prop_map(Call::Remove),
        2 => path().prop_map(Call::RemoveFolder),
        1 => path().prop_map(Call::SyncFolder),
        1 => path().prop_map(Call::List),
        1 => path().prop_map(Call::Look),
        1 => path().prop_map(Call::RealPath),
        2 => (path(), len.clone(), proptest::option::of(len)).prop_map(|(p, f, l)| Call::Read(p, f, l)),
    ]
}

/// If permission bits matter, files of 0400 differ between a user and root.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn without_bits(call: Call) -> Call {
    let open = |mode| if mode == 0o400 { 0o600 } else { mode };
    match call {
        Call::Create(slot, path, mode) => Call::Create(slot, path, open(mode)),
        Call::SetMode(slot, mode) => Call::SetMode(slot, open(mode)),
        Call::Lock(slot, path, mode) => Call::Lock(slot, path, mode.map(open)),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..crate::support::tries::config(400, 4_000) })]

    #[test]
    #[cfg(target_os = "linux")]
    fn every_call_does_what_it_does_on_the_real_disk(calls in proptest::collection::vec(call(), 1..50)) {
        let calls: Vec<Call> =
            if is_root() { calls.into_iter().map(without_bits).collect() } else { calls };
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let disk = Faulty::new();
        disk.put_folder(&root, 0o700);

        let real = run(&RealDisk, &root, &calls);
        let ours = run(&disk, &root, &calls);
        for (at, call) in calls.iter().enumerate() {
            prop_assert_eq!(&ours[at], &real[at], "call {}: {:?}", at, call);
        }
        prop_assert_eq!(
            contents(&disk, &root, &root, &mut Vec::new()),
            contents(&RealDisk, &root, &root, &mut Vec::new())
        );
        // Everything visible is also what remains if nothing is lost.
        let (_, kept) = disk.after_power_cut().swap_remove(0);
        prop_assert_eq!(kept.files(), disk.files());
        prop_assert_eq!(kept.folders(), disk.folders());
    }

    /// For any calls in any order: no power cut removes what was synced, or what nothing touched.
    #[test]
    fn what_is_durable_is_in_every_state(calls in proptest::collection::vec(call(), 1..25)) {
        let disk = Faulty::new();
        let root = PathBuf::from("/s");
        disk.put_folder(&root, 0o700);
        disk.put("/kept/file", "kept", 0o600);
        let calls: Vec<Call> = calls.into_iter().map(without_bits).collect();
        run(&disk, &root, &calls);
        for (label, state) in disk.after_power_cut() {
            prop_assert_eq!(&state.files()[Path::new("/kept/file")], b"kept", "{}", label);
        }

        for path in disk.folders().iter().chain(disk.files().keys()) {
            disk.sync_folder(path).unwrap();
        }
        for (label, state) in disk.after_power_cut() {
            prop_assert_eq!(state.files(), disk.files(), "{}", label);
            prop_assert_eq!(state.folders(), disk.folders(), "{}", label);
        }
    }
}

/// Cases that random calls rarely reach: every path moved and linked to every other.
#[test]
#[cfg(target_os = "linux")]
fn every_pair_of_paths_is_moved_and_linked_alike() {
    let start = [Call::MakeFolder("d", 0o700), Call::MakeFolder("d/e", 0o700), Call::MakeFolder("e", 0o700)]
        .into_iter();
    let files = ["a", "d/a", "d/e/a"].map(|path| Call::Create(0, path, 0o600));
    let start: Vec<Call> = start.chain(files).chain([Call::Link("a", "d/b")]).collect();
    for (from, to) in PATHS.iter().flat_map(|from| PATHS.iter().map(move |to| (*from, *to))) {
        for call in [Call::Rename(from, to), Call::Link(from, to)] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let disk = Faulty::new();
            disk.put_folder(&root, 0o700);
            let calls: Vec<Call> = start.iter().cloned().chain([call.clone()]).collect();
            assert_eq!(run(&disk, &root, &calls), run(&RealDisk, &root, &calls), "{call:?}");
            let all = |disk: &dyn Disk| contents(disk, &root, &root, &mut Vec::new());
            assert_eq!(all(&disk), all(&RealDisk), "{call:?}");
        }
    }
}

/// A real file is compared block by block, the one in memory at once.
#[test]
fn what_a_file_has_behind_bytes_that_are_known_is_told_alike() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let disk = Faulty::new();
    let known: Vec<u8> = (0..600_000_u32).map(|at| at.to_le_bytes()[0] ^ 7).collect();
    let cut = |len: usize| known[..len].to_vec();
    let changed =
        |at: usize| known.iter().enumerate().map(|(own, byte)| byte ^ u8::from(own == at)).collect();
    let files: [(&str, Vec<u8>); 8] = [
        ("same", known.clone()),
        ("longer", [&known[..], b"more\n"].concat()),
        ("shorter", cut(599_999)),
        ("a block", cut(256 << 10)),
        ("empty", Vec::new()),
        ("first", changed(0)),
        ("last", changed(599_999)),
        ("behind a block", changed(256 << 10)),
    ];
    for (name, bytes) in files {
        let file = root.join(name);
        std::fs::write(&file, &bytes).unwrap();
        disk.put(&file, bytes.clone(), 0o600);
        for known in [&known[..], &known[..256 << 10], &known[..100], b""] {
            let ask = |disk: &dyn Disk| {
                let (more, seen) = disk.read_after(&file, &known.into()).unwrap();
                assert_eq!(more.as_deref(), bytes.strip_prefix(known), "{name}, {}", known.len());
                seen.len
            };
            assert_eq!(ask(&disk), ask(&RealDisk), "{name}");
        }
    }
    let ask =
        |disk: &dyn Disk| outcome(disk.read_after(&root.join("none"), &"x".into()), |_| "read".to_owned());
    assert_eq!(ask(&disk), ask(&RealDisk));
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let disk = Faulty::new();
    disk.put_special(&pipe);
    for (path, what) in [(pipe.clone(), "pipe"), (folder.path().to_owned(), "folder")] {
        let ask = |disk: &dyn Disk| {
            let opened = [
                outcome(disk.read(&path, 0, None), |_| "read".to_owned()),
                outcome(disk.read_after(&path, &"x".into()), |_| "read".to_owned()),
                outcome(disk.append(&path), |_| "opened".to_owned()),
                outcome(disk.create(&path, 0o600), |_| "created".to_owned()),
                outcome(disk.flock(&path, Some(0o600)), |_| "locked".to_owned()),
                outcome(disk.look(&path), |item| format!("{:?}", item.kind)),
                outcome(disk.link(&path, &folder.path().join("linked")), |()| "linked".to_owned()),
            ];
            opened.join(", ")
        };
        assert_eq!(ask(&disk), ask(&RealDisk), "{what}");
    }
}
