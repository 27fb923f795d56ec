//! Records that share an id: only the chosen one changes, and an erased id may be given to another record.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::made::KINDS as FORMATS;
use crate::support::tries::some;
use crate::support::{MadeStore, Verb, files_below};

const ERASED: &str = "Alpha wording of the first";
const STAYS: &str = "Beta says wholly otherwise";

/// Returns a store with the record to erase, and another one.
fn desk(format: (&str, &'static str)) -> MadeStore {
    let made = MadeStore::new(format);
    made.add(ERASED);
    made.add("Gamma is the third of them");
    made
}

impl MadeStore {
    fn titles(&self) -> Vec<String> {
        let rows = self.rows();
        let mut titles: Vec<String> = rows.iter().map(|row| row["title"].to_string()).collect();
        titles.sort();
        titles
    }
}

fn holding(folder: &Path, wanted: &[u8]) -> Vec<PathBuf> {
    let holds = |bytes: &[u8]| memchr::memmem::find(bytes, wanted).is_some();
    files_below(folder).into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
}

/// After a change of the record and its deletion, both undone, it is as before.
fn assert_is_like_any_other(desk: &MadeStore, text: &str, place: &str) {
    let before = desk.titles();
    let problems = desk.run(&["check"]).stdout;
    assert!(!problems.contains("erased-anew"), "{place}: {problems}");
    desk.run(&["delete", &desk.key(text), "--remove"]).expect_status(0);
    assert_eq!(desk.titles().len(), before.len() - 1, "{place}");
    desk.run(&["undo"]).expect_status(0);
    assert_eq!(desk.titles(), before, "{place}");
}

#[test]
fn another_record_with_the_same_id_stays_byte_for_byte_whichever_is_erased() {
    for (number, format) in FORMATS.into_iter().enumerate() {
        for (erased, stays) in some([(ERASED, STAYS), (STAYS, ERASED)], &[number % 2]) {
            let place = format!("{} {erased}", format.0);
            let desk = desk(format);
            desk.write_another(ERASED, &[(ERASED, STAYS)]);
            let file = desk.holding(stays);
            let text = std::fs::read_to_string(&file).unwrap();
            let kept: Vec<&str> = match file.extension().is_some_and(|end| end == "md") {
                true => vec![&text],
                false => text.split_inclusive('\n').filter(|line| !line.contains(erased)).collect(),
            };
            let told = desk.run(&["erase", &desk.key(erased)]).expect_status(0);
            assert!(told.stdout.contains("stays, another memory with the same id"), "{place}: {told:?}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), kept.concat(), "{place}");
            let left = holding(desk.folder.path(), erased.as_bytes());
            assert_eq!(left, Vec::<PathBuf>::new(), "{place}");
            assert_is_like_any_other(&desk, stays, &place);
        }
    }
}

#[test]
fn an_id_that_was_erased_may_be_given_to_another_record() {
    // A tombstone of the session log hides every record with its id.
    for format in &FORMATS[1..] {
        let desk = desk(*format);
        let file = desk.holding(ERASED);
        let record = std::fs::read_to_string(&file).unwrap();
        let line = record.lines().find(|line| line.contains("\"20") || line.contains(": 20")).unwrap();
        // An id may have the digits of a year.
        let at = line.find("\"20").map(|at| at + 1).or_else(|| Some(line.find(": 20")? + 2)).unwrap();
        let day = &line[at..at + 10];
        desk.write_another(ERASED, &[(ERASED, STAYS), (day, "2025-03-04")]);
        let another = desk.holding(STAYS);
        let text = std::fs::read_to_string(&another).unwrap();
        let own = text.lines().find(|line| line.contains(STAYS)).unwrap().to_owned();
        // The record is erased while it is alone, and the other one is added afterwards.
        let is_note = another.extension().is_some_and(|end| end == "md");
        match is_note {
            true => std::fs::remove_file(&another).unwrap(),
            false => std::fs::write(&another, text.replace(&format!("{own}\n"), "")).unwrap(),
        }
        desk.run(&["erase", &desk.key(ERASED)]).expect_status(0);
        let late = if is_note { text } else { std::fs::read_to_string(&another).unwrap() + &own + "\n" };
        std::fs::write(&another, late).unwrap();
        assert_is_like_any_other(&desk, STAYS, format.0);
    }
}

#[test]
fn a_key_deletes_the_record_that_it_names_and_no_other_with_its_id() {
    for (number, format) in FORMATS.into_iter().enumerate() {
        for (deleted, stays) in some([(ERASED, STAYS), (STAYS, ERASED)], &[(number + 1) % 2]) {
            let desk = desk(format);
            desk.write_another(ERASED, &[(ERASED, STAYS)]);
            let before = desk.titles();
            if format.0 == "session-log" {
                let outcome = desk.run(&["delete", &desk.key(deleted)]);
                assert_eq!(outcome.status, Some(3), "{outcome:?}");
                assert!(outcome.stderr.contains("has the same id"), "{outcome:?}");
                assert_eq!(desk.titles(), before);
            }
            desk.run(&["delete", &desk.key(deleted), "--remove"]);
            let left: Vec<String> = before.iter().filter(|own| !own.contains(deleted)).cloned().collect();
            assert_eq!(desk.titles(), left, "{} {stays}", format.0);
        }
    }
}

#[test]
fn a_record_that_was_added_and_undone_is_not_listed_as_deleted() {
    for format in crate::support::tries::some(FORMATS, &[0, 2]) {
        let desk = desk(format);
        desk.run(&["undo"]).expect_status(0);
        let rows = desk.run(&["list", "is:deleted", "--json"]).json_lines();
        assert_eq!(rows, Vec::<Value>::new(), "{}", format.0);
    }
}

#[test]
fn a_home_folder_that_depends_on_where_it_is_run_is_none() {
    let desk = desk(FORMATS[1]);
    let root = desk.root();
    let args = ["tag", &desk.key(ERASED), "+x", "--yes", "--store", root.to_str().unwrap()];
    let folder = desk.folder.path().join("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    let refused = Verb::new(args).in_folder(&folder).home("relative").run();
    assert_eq!(refused.status, Some(3), "{refused:?}");
    assert!(files_below(&folder).is_empty());
}

#[test]
fn of_two_records_with_one_text_and_id_the_one_that_was_named_is_erased() {
    for format in &FORMATS[..3] {
        let desk = desk(*format);
        let file = desk.holding(ERASED);
        let record = std::fs::read_to_string(&file).unwrap();
        let line = record.lines().find(|line| line.contains(ERASED)).unwrap();
        let day = line.find("\"20").map(|at| &line[at + 1..at + 11]).unwrap();
        let other = desk.write_another(ERASED, &[(day, "2025-03-04")]);
        let key = desk.key(ERASED);
        desk.run(&["erase", &key]).expect_status(0);
        let left = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = left.lines().filter(|own| own.contains(ERASED)).collect();
        assert_eq!(lines.len(), 1, "{}: {left}", format.0);
        assert!(lines == [other.trim_end()] || lines == [line], "{}: {left}", format.0);
    }
}

#[test]
fn what_is_deleted_can_be_erased_in_every_format_and_nothing_of_it_stays() {
    for format in crate::support::tries::some(FORMATS, &[1, 3]) {
        let desk = desk(format);
        desk.run(&["tag", &desk.key(ERASED), "+first"]).expect_status(0);
        desk.run(&["reindex"]);
        desk.run(&["delete", &desk.key(ERASED), "--remove"]).expect_status(0);
        let rows = desk.run(&["list", "is:deleted", "--json"]).expect_status(0).json_lines();
        assert!(rows[0]["title"].as_str().unwrap().starts_with(ERASED), "{}: {rows:?}", format.0);
        desk.run(&["erase", rows[0]["key"].as_str().unwrap()]).expect_status(0);
        let left = holding(desk.folder.path(), ERASED.as_bytes());
        assert_eq!(left, Vec::<PathBuf>::new(), "{}", format.0);
    }
}

#[test]
fn words_of_an_erased_record_stay_in_no_step_that_rebuilt_an_index() {
    let desk = desk(FORMATS[2]);
    desk.write_another(
        ERASED,
        &[(ERASED, "xylophones quetzal axolotl"), ("\"finding-001\"", "\"finding-951\"")],
    );
    desk.run(&["reindex"]).expect_status(0);
    desk.run(&["erase", &desk.key("xylophones")]).expect_status(0);
    let left = holding(desk.folder.path(), b"quetzal");
    assert_eq!(left, Vec::<PathBuf>::new());
}

#[test]
fn an_id_means_the_live_record_before_an_archived_one() {
    let desk = desk(FORMATS[1]);
    let file = desk.holding(ERASED);
    desk.run(&["archive", &desk.key(ERASED)]).expect_status(0);
    let rows = desk.run(&["list", "is:archived", "--json"]).expect_status(0).json_lines();
    let (id, raw) = (rows[0]["id"].as_str().unwrap(), rows[0]["raw"].as_str().unwrap());
    let live = raw.replace(ERASED, STAYS).replace("\"archived\":true", "\"archived\":false");
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{before}{live}\n")).unwrap();
    let shown = desk.run(&["show", id, "--json"]).expect_status(0).json_lines();
    assert_eq!(shown[0]["file"], "learnings.jsonl", "{shown:?}");
}
