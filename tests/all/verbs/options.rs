//! Options that contradict each other or themselves are refused; what is said of a plan holds for it.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn a_field_is_set_once_and_its_name_has_no_empty_part() {
    let store = entry();
    let before = Tree::of(&store.path);
    for words in [&["topic=a", "topic=b"][..], &["topic=a", "text=b", "topic=a"]] {
        let set = words.iter().flat_map(|word| ["--set", word]);
        let args: Vec<&str> = ["edit", "mem_1"].into_iter().chain(set).collect();
        change(&store, &args).expect_status(2).expect_stderr("\"topic\" is set twice");
    }
    for name in ["a..b", ".a", "a.", ".", "metadata..a"] {
        let told = change(&store, &["edit", "mem_1", "--set", &format!("{name}=1")]).expect_status(3).stderr;
        assert!(told.contains("is not a field") && told.contains("Nothing was changed"), "{told}");
    }
    assert_untouched(&store.path, &before);
}

#[test]
fn the_number_of_a_fix_is_only_taken_with_its_problem() {
    let store = entry();
    for which in [&["--all-safe"][..], &["--code", "torn-line"], &[]] {
        let told =
            change(&store, &[&["repair"][..], which, &["--fix", "2"]].concat()).expect_status(2).stderr;
        assert!(told.contains("--fix") || told.contains("--problem"), "{told}");
    }
}

#[test]
fn a_kind_of_what_is_detected_does_not_go_with_a_memory_that_is_erased_whole() {
    let store = entry();
    let before = Tree::of(&store.path);
    change(&store, &["erase", "mem_1", "--only", "token"]).expect_status(2);
    assert_untouched(&store.path, &before);
}

#[test]
fn a_name_that_is_made_by_chance_is_said_to_be_another_one_later() {
    let store = entry();
    let dry = |args: &[&str]| change(&store, &[args, &["--dry-run"]].concat()).expect_status(0).stderr;
    assert!(dry(&["session", "new"]).contains("random part"));
    assert!(!dry(&["session", "new", "sess_named"]).contains("random part"));
    assert!(!dry(&["add", "--session", "s", "--type", "finding", "--text", "One"]).contains("random part"));
    change(&store, &["session", "new", "sess_named"]).expect_status(0);
    assert!(dry(&["copy", "mem_1", "--to", "sess_named"]).contains("random part"));
}

#[test]
fn a_failure_before_anything_was_changed_is_a_refusal() {
    let store = entry();
    // palimp's own data can't be made below a file.
    let file = store.around().join("a-file");
    fs::write(&file, b"").unwrap();
    let (path, data) = (store.path.to_str().unwrap(), file.join("data"));
    let before = Tree::of(&store.path);
    for args in [&["tag", "mem_1", "+a"][..], &["delete", "mem_1"], &["edit", "mem_1", "--set", "topic=x"]] {
        let options = ["--store", path, "--yes", "--data-dir", data.to_str().unwrap()];
        Verb::new([args, &options].concat()).run().expect_status(3).expect_stderr("Nothing was changed");
    }
    assert_untouched(&store.path, &before);
    let folder = store.file("sessions/s");
    let mode = fs::metadata(&folder).unwrap().permissions();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    // The superuser can write everywhere.
    if fs::File::create(folder.join("probe")).is_err() {
        for args in [&["tag", "mem_1", "+a"][..], &["delete", "mem_1"], &["erase", "mem_1"]] {
            let told = change(&store, args).expect_status(3).stderr;
            assert!(told.contains("E_STORAGE_IO") && told.contains("Nothing was changed"), "{told}");
        }
    }
    fs::set_permissions(&folder, mode).unwrap();
}
