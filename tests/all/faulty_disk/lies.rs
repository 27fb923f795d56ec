//! For each lie, a test that looks for the damage finds it.

use super::*;

/// Returns every way in which the replacement of the file goes wrong, over all steps and power cuts.
fn broken(lie: Option<Lie>) -> Vec<String> {
    let start = || {
        let disk = disk();
        if let Some(lie) = lie {
            disk.lie(lie);
        }
        disk
    };
    let learned = start();
    replace(&learned, b"the new one").unwrap();
    let mut found = Vec::new();
    for step in 0..=learned.steps() {
        let disk = start();
        disk.fail_at(step, Fault::Crash);
        let told = replace(&disk, b"the new one").is_ok();
        let states = disk.after_power_cut().into_iter();
        for (label, state) in states.chain([("killed".to_owned(), disk.restart())]) {
            match state.files().get(Path::new("/s/a")).map(Vec::as_slice) {
                Some(b"the new one") => {}
                Some(b"old") if !told => {}
                other => found.push(format!("{other:?} after {:?}: {label}", disk.log().last())),
            }
        }
    }
    found
}

#[test]
fn without_lies_nothing_is_broken() {
    assert_eq!(broken(None), [""; 0]);
}

#[test]
fn lies_that_break_a_replacement_are_found() {
    for lie in [
        Lie::SyncDoesNothing,
        Lie::FolderSyncDoesNothing,
        Lie::RenameBeforeSync,
        Lie::RenameInPlace,
        Lie::UnlinkFirst,
    ] {
        assert!(!broken(Some(lie)).is_empty(), "{lie:?}");
    }
}

#[test]
fn a_write_in_two_can_be_caught_between() {
    let disk = disk();
    disk.lie(Lie::WriteInTwo);
    disk.fail_at(1, Fault::Crash);
    disk.append(Path::new("/s/a")).unwrap().write(b"abcd").unwrap_err();
    assert_eq!(disk.files()[Path::new("/s/a")], b"oldab");
}

#[test]
fn names_and_locks_can_be_lies() {
    let disk = disk();
    let (a, b) = (Path::new("/s/a"), Path::new("/s/b"));
    disk.lie(Lie::LinkDoesNothing);
    disk.link(a, b).unwrap();
    assert!(disk.look(b).is_err());
    disk.link(a, Path::new("/s/a")).unwrap_err();

    disk.lie(Lie::RemoveDoesNothing);
    disk.remove(a).unwrap();
    assert!(disk.look(a).is_ok());

    let first = disk.flock(a, None).unwrap();
    assert!(disk.flock(a, None).unwrap().is_none());
    disk.lie(Lie::FlockExcludesNobody);
    assert!(disk.flock(a, None).unwrap().is_some());
    drop(first);

    disk.create(a, 0o600).map(|_| ()).unwrap_err();
    disk.lie(Lie::CreateReplaces);
    disk.create(a, 0o600).unwrap();
    assert_eq!(disk.files()[a], b"");
}

#[test]
fn a_number_is_given_again_once_its_inode_is_neither_named_nor_open() {
    let disk = disk();
    disk.lie(Lie::InodeNumbersReused);
    let a = Path::new("/s/a");
    let number = |path: &Path| disk.look(path).unwrap().generation.inode;
    let old = number(a);
    let open = disk.append(a).unwrap();
    disk.remove(a).unwrap();
    disk.create(Path::new("/s/b"), 0o600).unwrap();
    assert_ne!(number(Path::new("/s/b")), old);
    drop(open);
    disk.create(Path::new("/s/c"), 0o600).unwrap();
    assert_eq!(number(Path::new("/s/c")), old);
    for (label, state) in disk.after_power_cut() {
        let inodes: Vec<u64> =
            state.list(Path::new("/s")).unwrap().iter().map(|item| item.generation.inode).collect();
        let different: std::collections::BTreeSet<&u64> = inodes.iter().collect();
        assert_eq!(different.len(), inodes.len(), "{label}");
    }
}
