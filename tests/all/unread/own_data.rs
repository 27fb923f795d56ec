//! A part of palimp's data about a store can't be read: palimp never treats it as if it were empty.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::each_file::{Site, everything};
use crate::support::Tree;
use crate::support::tries::is_long;

/// The verbs to try if steps, or all of the data, can't be read.
const TRIED: &str = "list|undo|redo|tag --query the +new|add --session SESSION --type finding --text new|\
    erase KEY|journal|backup list|backup restore BACKUP --replace";
/// The verbs to try if something else can't be read: a proof needs all of it.
const PROVING: &str = "erase KEY";

#[test]
fn our_own_data_that_cannot_be_read_is_told_and_nothing_is_done_as_if_it_were_empty() {
    let site = Site::new();
    let root = site.store("ops/memory");
    let rows = site.run(&["list", "--json"], Some(&root)).expect_status(0).json_lines();
    let live = rows.iter().find(|row| row["state"] == "live" && row["id"].is_string()).unwrap();
    let (key, session) = (live["key"].as_str().unwrap(), live["session"].as_str().unwrap());
    for verb in ["tag --query the +one", "backup create", "undo", "tag --query the +two"] {
        let words: Vec<&str> = verb.split(' ').chain(["--yes"]).collect();
        site.run(&words, Some(&root)).expect_status(0);
    }
    let backups = site.run(&["backup", "list", "--json"], Some(&root)).json_lines();
    let before = Tree::of(&root);
    let own = fs::read_dir(site.path("data/stores")).unwrap().next().unwrap().unwrap().path();
    let (mut wrong, mut runs) = (Vec::new(), 0);
    for (number, thing) in everything(&own).into_iter().enumerate() {
        let name = thing.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "store.json" || name == "watched" {
            continue;
        }
        let is_of_all = thing == own || matches!(&*name, "journal.jsonl" | "undo");
        // The short form takes one of some files that are tried with only one verb.
        if !is_of_all && number % 13 != 0 && !is_long() {
            continue;
        }
        let mode = fs::metadata(&thing).unwrap().permissions();
        fs::set_permissions(&thing, Permissions::from_mode(0o000)).unwrap();
        for verb in (if is_of_all { TRIED } else { PROVING }).split('|') {
            runs += 1;
            let verb = verb.replace("KEY", key).replace("SESSION", session);
            let verb = verb.replace("BACKUP", backups[0]["backup"].as_str().unwrap());
            let words: Vec<&str> = verb.split(' ').chain(["--yes"]).collect();
            let own = site.run(&words, Some(&root));
            let is_told = own.stderr.contains("could not be read") || own.stderr.contains("can't be");
            if !matches!(own.status, Some(1 | 3 | 4)) || !is_told || own.stderr.contains("nothing to") {
                wrong.push(format!("{verb:?} without {name}: {own:?}"));
            }
        }
        fs::set_permissions(&thing, mode).unwrap();
        let changes = Tree::of(&root).changes_since(&before);
        assert!(changes.is_empty(), "without {name}: {changes}");
    }
    assert!(wrong.is_empty() && runs > 15, "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
    // Nothing was lost.
    site.run(&["undo", "--yes"], Some(&root)).expect_status(0);
}

#[test]
fn the_first_screen_off_a_terminal_tells_what_could_not_be_read_and_ends_with_1() {
    let site = Site::new();
    let root = site.store("team/memories");
    site.run(&[], Some(&root)).expect_status(0);
    let file = root.join("learnings.jsonl");
    fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
    let own = site.run(&[], Some(&root)).expect_status(1);
    assert!(own.stderr.contains("learnings.jsonl can't be read") && !own.stdout.is_empty(), "{own:?}");
}
