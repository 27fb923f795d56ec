//! Failing calls, and actions of another process in between.

use std::io::ErrorKind;

use super::*;

#[test]
fn a_crash_stops_everything() {
    let disk = disk();
    let lock = disk.flock(Path::new("/s"), None).unwrap();
    disk.fail_at(2, Fault::Crash);
    let error = replace(&disk, b"new").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Other);
    let another = disk.another();
    assert!(another.flock(Path::new("/s"), None).unwrap().is_some(), "the dead hold no lock");
    assert!(disk.files()[Path::new("/s/.tmp")].is_empty());
    assert!(disk.read(Path::new("/s/a"), 0, None).is_err());
    assert!(disk.list(Path::new("/s")).is_err());
    assert!(disk.remove(Path::new("/s/a")).is_err());
    assert!(disk.flock(Path::new("/s"), None).is_err());

    drop(lock);
    replace(&another.restart(), b"new").unwrap_err();
    another.remove(Path::new("/s/.tmp")).unwrap();
    replace(&another, b"by another").unwrap();
    assert_eq!(disk.files()[Path::new("/s/a")], b"by another");
}

#[test]
fn an_error_comes_once_and_a_sticky_one_stays() {
    let disk = disk();
    disk.fail_at(0, Fault::Error(Errno::INTR));
    assert_eq!(replace(&disk, b"new").unwrap_err().kind(), ErrorKind::Interrupted);
    replace(&disk, b"new").unwrap();

    let here = disk.steps();
    disk.fail_at(here + 1, Fault::ErrorFromHere(Errno::IO));
    for _ in 0..3 {
        replace(&disk, b"newer").unwrap_err();
    }
    disk.remove(Path::new("/s/.tmp")).unwrap_err();
    assert_eq!(disk.files()[Path::new("/s/a")], b"new");
    assert!(disk.log()[here + 1].starts_with("write 5 bytes to /s/.tmp: "), "{:#?}", disk.log());
}

#[test]
fn reading_fails_on_its_own() {
    let disk = disk();
    disk.fail_reads(1, Fault::Error(Errno::IO));
    disk.fail_reads(3, Fault::ErrorFromHere(Errno::ACCESS));
    let read = || disk.read(Path::new("/s/a"), 0, None).map(|(bytes, _)| bytes).map_err(|e| e.kind());
    assert_eq!(read(), Ok(b"old".to_vec()));
    assert!(read().is_err());
    assert!(read().is_ok());
    assert_eq!([read(), read()], [Err(ErrorKind::PermissionDenied), Err(ErrorKind::PermissionDenied)]);
    assert_eq!(disk.reads().len(), 5);
    replace(&disk, b"new").unwrap();
    disk.fail_reads(5, Fault::Crash);
    assert!(read().is_err());
    assert!(replace(&disk, b"newer").is_err());
}

#[test]
fn another_process_can_act_before_each_step() {
    let disk = disk();
    disk.fail_at(3, Fault::Crash);
    let mut at = 0;
    disk.before(move |op, another| {
        at += 1;
        if matches!(op, Op::Rename { .. }) {
            another.append(Path::new("/s/a")).unwrap().write(b", appended").unwrap();
            assert_eq!(another.steps(), 3);
        }
        assert!(at <= 4, "it is not called for what it does itself, nor for the dead");
    });
    replace(&disk, b"new").unwrap_err();
    assert_eq!(disk.files()[Path::new("/s/a")], b"old, appended");
    assert!(replace(&disk, b"new").is_err());
    assert_eq!(disk.steps(), 5);
}
