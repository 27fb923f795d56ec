//! What a power cut may remove, and what not.

use super::*;

#[test]
fn a_file_replaced_as_it_should_be_is_old_or_new_in_every_state() {
    let learned = disk();
    replace(&learned, b"the new one").unwrap();
    assert_eq!(learned.steps(), 5, "{:#?}", learned.log());
    for step in 0..learned.steps() {
        let disk = disk();
        disk.fail_at(step, Fault::Crash);
        replace(&disk, b"the new one").unwrap_err();
        for text in after_power_cut(&disk, "/s/a") {
            let text = text.unwrap();
            assert!(text == "old" || text == "the new one", "{text:?} at {}", disk.log()[step]);
        }
    }
    assert_eq!(after_power_cut(&learned, "/s/a"), some(&["the new one"]));
}

#[test]
fn a_file_renamed_without_sync_can_be_empty_torn_or_zeros() {
    let disk = disk();
    disk.create(Path::new("/s/b"), 0o600).unwrap().write(b"1234").unwrap();
    disk.rename(Path::new("/s/b"), Path::new("/s/a")).unwrap();
    disk.sync_folder(Path::new("/s")).unwrap();
    let found = after_power_cut(&disk, "/s/a");
    assert_eq!(found, some(&["", "\0\0\0\0", "1", "12", "123", "1234"]));
}

#[test]
fn a_name_whose_folder_is_not_synced_can_vanish_or_come_back() {
    let disk = disk();
    let mut output = disk.create(Path::new("/s/b"), 0o600).unwrap();
    output.write(b"new").unwrap();
    output.sync().unwrap();
    disk.remove(Path::new("/s/a")).unwrap();
    assert_eq!(after_power_cut(&disk, "/s/b"), [None, Some("new".to_owned())]);
    assert_eq!(after_power_cut(&disk, "/s/a"), [None, Some("old".to_owned())]);
    let both_ways = [["/s/a", "/s/b"].as_slice(), &["/s/a"], &["/s/b"], &[]];
    for names in both_ways {
        let is = |state: &Faulty| {
            state.files().keys().map(|path| path.to_str().unwrap()).eq(names.iter().copied())
        };
        assert!(disk.after_power_cut().iter().any(|(_, state)| is(state)), "{names:?} each on its own");
    }
    disk.sync_folder(Path::new("/s")).unwrap();
    assert_eq!(after_power_cut(&disk, "/s/b"), some(&["new"]));
    assert_eq!(after_power_cut(&disk, "/s/a"), [None]);
}

#[test]
fn an_append_can_be_torn_and_what_was_before_it_cannot() {
    let disk = disk();
    let mut output = disk.append(Path::new("/s/a")).unwrap();
    output.write(b" and new").unwrap();
    let found = after_power_cut(&disk, "/s/a");
    assert!(found.iter().flatten().all(|text| text.starts_with("old")));
    for torn in ["old", "old and", "old and new", "old\0\0\0\0\0\0\0\0"] {
        assert!(found.contains(&Some(torn.to_owned())), "{torn:?} in {found:?}");
    }
    output.sync().unwrap();
    assert_eq!(after_power_cut(&disk, "/s/a"), some(&["old and new"]));
}

#[test]
fn a_move_between_folders_leaves_one_name_or_both_and_never_none() {
    let disk = disk();
    disk.put_folder("/t", 0o700);
    disk.rename(Path::new("/s/a"), Path::new("/t/a")).unwrap();
    let names = |disk: &Faulty| {
        let mut found: Vec<usize> =
            disk.after_power_cut().iter().map(|(_, state)| state.files().len()).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(names(&disk), [1, 1, 2]);
    disk.sync_folder(Path::new("/t")).unwrap();
    assert_eq!(names(&disk), [1, 2]);
    assert_eq!(after_power_cut(&disk, "/t/a"), some(&["old"]));
    disk.sync_folder(Path::new("/s")).unwrap();
    assert_eq!(names(&disk), [1]);

    disk.rename(Path::new("/t/a"), Path::new("/s/a")).unwrap();
    disk.sync_folder(Path::new("/t")).unwrap();
    assert_eq!(names(&disk), [1], "with the old name gone the new one is there");
    assert_eq!(after_power_cut(&disk, "/s/a"), some(&["old"]));
}

#[test]
fn a_length_and_a_mode_can_be_lost() {
    let disk = disk();
    let mut output = disk.append(Path::new("/s/a")).unwrap();
    output.set_len(1).unwrap();
    output.set_mode(0o644).unwrap();
    assert_eq!(after_power_cut(&disk, "/s/a"), some(&["o", "old"]));
    let modes = |disk: &Faulty| {
        let states = disk.after_power_cut();
        let mut found: Vec<u32> =
            states.iter().map(|(_, state)| state.look(Path::new("/s/a")).unwrap().mode).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    assert_eq!(modes(&disk), [0o600, 0o644]);
    output.sync().unwrap();
    assert_eq!(modes(&disk), [0o644]);
}

#[test]
fn what_was_written_before_a_failed_sync_is_never_durable() {
    let disk = disk();
    let mut output = disk.append(Path::new("/s/a")).unwrap();
    output.write(b" lost").unwrap();
    disk.fail_at(disk.steps(), Fault::Error(Errno::IO));
    output.sync().unwrap_err();
    output.sync().unwrap();
    assert!(after_power_cut(&disk, "/s/a").contains(&Some("old".to_owned())));
    assert_eq!(disk.files()[Path::new("/s/a")], b"old lost", "it stays visible");
}
