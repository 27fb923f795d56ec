//! What a power cut may remove, and what not.

use super::*;
use palimp::disk::ItemKind;

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
fn a_new_folder_is_lost_with_all_in_it_until_its_parent_is_synced() {
    let disk = disk();
    disk.make_folder(Path::new("/s/d"), 0o700).unwrap();
    let mut output = disk.create(Path::new("/s/d/b"), 0o600).unwrap();
    output.write(b"new").unwrap();
    output.sync().unwrap();
    disk.sync_folder(Path::new("/s/d")).unwrap();
    assert_eq!(after_power_cut(&disk, "/s/d/b"), [None, Some("new".to_owned())]);
    disk.sync_folder(Path::new("/s")).unwrap();
    assert_eq!(after_power_cut(&disk, "/s/d/b"), some(&["new"]));
}

#[test]
fn synced_data_is_there_under_a_name_that_comes_later() {
    let disk = disk();
    let mut output = disk.create(Path::new("/s/b"), 0o600).unwrap();
    output.write(b"new").unwrap();
    output.sync().unwrap();
    disk.link(Path::new("/s/b"), Path::new("/s/c")).unwrap();
    for (label, state) in disk.after_power_cut() {
        for name in ["/s/b", "/s/c"] {
            let found = state.files().remove(Path::new(name));
            assert!(found.is_none_or(|bytes| bytes == b"new"), "{name}: {label}");
        }
    }
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
fn folders_moved_into_each_other_are_not_lost() {
    let disk = Faulty::new();
    disk.put("/a/x/f", "old", 0o600);
    disk.rename(Path::new("/a/x"), Path::new("/x")).unwrap();
    disk.rename(Path::new("/a"), Path::new("/x/a")).unwrap();
    for (label, state) in disk.after_power_cut() {
        assert!(state.files().values().any(|bytes| bytes == b"old"), "{label}");
    }
}

#[test]
fn one_file_can_lose_all_its_data_while_another_loses_none() {
    let disk = disk();
    for name in ["/s/b", "/s/c"] {
        let mut output = disk.create(Path::new(name), 0o600).unwrap();
        output.write(b"one").unwrap();
        output.write(b"two").unwrap();
    }
    let is = |state: &Faulty, name: &str, bytes: &[u8]| {
        state.files().get(Path::new(name)).is_some_and(|there| there == bytes)
    };
    let states = disk.after_power_cut();
    for (empty, full) in [("/s/b", "/s/c"), ("/s/c", "/s/b")] {
        assert!(states.iter().any(|(_, state)| is(state, empty, b"") && is(state, full, b"onetwo")));
    }
}

#[test]
fn one_folder_can_lose_all_its_names_while_another_loses_none() {
    let disk = Faulty::new();
    disk.put_folder("/s", 0o700);
    disk.put_folder("/t", 0o700);
    for name in ["/s/b", "/s/c", "/t/b", "/t/c"] {
        disk.create(Path::new(name), 0o600).unwrap();
    }
    let states = disk.after_power_cut();
    for (lost, kept) in [("/s", "/t"), ("/t", "/s")] {
        let names = |state: &Faulty, folder| state.list(Path::new(folder)).unwrap().len();
        assert!(states.iter().any(|(_, state)| names(state, lost) == 0 && names(state, kept) == 2));
    }
}

#[test]
fn a_folder_is_not_removed_while_removals_in_it_are_lost() {
    let disk = disk();
    disk.remove(Path::new("/s/a")).unwrap();
    disk.remove_folder(Path::new("/s")).unwrap();
    disk.sync_folder(Path::new("/")).unwrap();
    let states = disk.after_power_cut();
    assert!(states.iter().any(|(_, state)| state.folders().is_empty()));
    assert!(states.iter().any(|(_, state)| state.files().contains_key(Path::new("/s/a"))));
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

#[test]
fn a_state_is_a_disk_of_its_own_on_which_all_is_durable() {
    let disk = disk();
    disk.fail_at(1, Fault::Crash);
    replace(&disk, b"new").unwrap_err();
    for (label, state) in disk.after_power_cut() {
        assert_eq!(state.steps(), 0);
        assert_eq!(state.after_power_cut().len(), 1, "{label}");
        let _ = state.remove(Path::new("/s/.tmp"));
        replace(&state, b"newer").unwrap();
        assert_eq!(after_power_cut(&state, "/s/a"), some(&["newer"]));
    }
    assert_eq!(disk.files()[Path::new("/s/a")], b"old");
}

#[test]
fn states_are_few_and_all_different() {
    let disk = disk();
    for number in 0..20 {
        let mut output = disk.create(Path::new(&format!("/s/{number}")), 0o600).unwrap();
        output.write(b"some bytes").unwrap();
    }
    let states = disk.after_power_cut();
    assert!(states.len() < 20 * 12, "{}", states.len());
    let labels: std::collections::BTreeSet<&String> = states.iter().map(|(label, _)| label).collect();
    assert_eq!(labels.len(), states.len());
}

#[test]
fn a_restart_loses_nothing_and_makes_nothing_durable() {
    let disk = disk();
    let mut output = disk.append(Path::new("/s/a")).unwrap();
    output.write(b" and new").unwrap();
    let _lock = disk.flock(Path::new("/s"), None).unwrap().unwrap();
    let again = disk.restart();
    assert_eq!(again.files()[Path::new("/s/a")], b"old and new");
    assert!(after_power_cut(&again, "/s/a").contains(&Some("old".to_owned())));
    assert!(again.flock(Path::new("/s"), None).unwrap().is_some());
    assert!(disk.flock(Path::new("/s"), None).unwrap().is_none());
}

#[test]
fn what_is_put_is_durable_whatever_was_pending() {
    let disk = disk();
    disk.append(Path::new("/s/a")).unwrap().write(b" and more").unwrap();
    disk.put("/s/a", "put", 0o644);
    disk.put_special("/s/p");
    for (label, state) in disk.after_power_cut() {
        assert_eq!(state.files()[Path::new("/s/a")], b"put", "{label}");
        assert_eq!(state.look(Path::new("/s/p")).unwrap().kind, ItemKind::Special);
    }
    assert_eq!(disk.steps(), 1);
}
