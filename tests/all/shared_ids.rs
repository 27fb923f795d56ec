//! An id that several records share names none of them to a verb that changes something: it is
//! refused, with the keys to choose from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::{Output, Verb};

const FIRST: &str = "Alpha wording of the first";
const SECOND: &str = "Beta says wholly otherwise";

/// A store with two records of one id.
struct Desk {
    folder: tempfile::TempDir,
    id: String,
}

const FORMATS: [(&str, &str); 4] =
    [("session-log", "decision"), ("memory-server", "learning"), ("bmad", "finding"), ("a-mem", "note")];

impl Desk {
    fn new((format, kind): (&str, &str)) -> Desk {
        let mut desk = Desk { folder: tempfile::tempdir().unwrap(), id: String::new() };
        let root = desk.root();
        desk.raw(&["init", format, root.to_str().unwrap()]).expect_status(0);
        let mut session: Vec<String> = Vec::new();
        if matches!(format, "session-log" | "bmad") {
            desk.run(&["session", "new", "s1"]).expect_status(0);
            let made = std::fs::read_dir(root.join("sessions")).unwrap().next().unwrap().unwrap();
            session = vec!["--session".into(), made.file_name().into_string().unwrap()];
        }
        let session = session.iter().map(String::as_str);
        let add = ["add", "--type", kind, "--text", FIRST].into_iter().chain(session).collect::<Vec<_>>();
        desk.run(&add).expect_status(0);
        desk.id = desk.rows()[0]["id"].as_str().unwrap().to_owned();
        let holds = |path: &PathBuf| {
            let is_of_records = path.extension().is_some_and(|end| end == "jsonl" || end == "md");
            is_of_records && std::fs::read_to_string(path).is_ok_and(|own| own.contains(FIRST))
        };
        let file = files(&desk.root()).into_keys().find(holds).unwrap();
        let is_log = file.extension().is_some_and(|end| end == "jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        let text = if is_log { without_checksum(&text) } else { text };
        let other = text.replace(FIRST, SECOND);
        match file.extension().is_some_and(|end| end == "md") {
            true => std::fs::write(file.with_file_name("zz-another.md"), other).unwrap(),
            false => std::fs::write(&file, text + &other).unwrap(),
        }
        desk
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn raw(&self, args: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        Verb::new([args, &["--yes", "--data-dir", data.to_str().unwrap()]].concat()).run()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.raw(&[args, &["--store", self.root().to_str().unwrap()]].concat())
    }

    fn rows(&self) -> Vec<serde_json::Value> {
        self.run(&["list", "--json"]).expect_status(0).json_lines()
    }

    /// The key of the record with that text.
    fn key(&self, text: &str) -> String {
        let rows = self.rows();
        let is_it = |row: &&serde_json::Value| row["title"].as_str().unwrap().contains(text);
        rows.iter().find(is_it).unwrap_or_else(|| panic!("{rows:?}"))["key"].as_str().unwrap().to_owned()
    }
}

/// The record without what only the first text agrees with.
fn without_checksum(line: &str) -> String {
    let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
    record.as_object_mut().unwrap().remove("checksum");
    format!("{record}\n")
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => drop(all.insert(path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    all
}

#[test]
fn a_verb_that_changes_something_takes_a_key_where_an_id_is_shared() {
    for format in FORMATS {
        let desk = Desk::new(format);
        let (keys, before) = ([desk.key(FIRST), desk.key(SECOND)], files(&desk.root()));
        assert_ne!(keys[0], keys[1]);
        let verbs: [&[&str]; 6] = [
            &["delete", &desk.id, "--remove"],
            &["tag", &desk.id, "+one"],
            &["edit", &desk.id, "--set", "text=Gamma"],
            &["erase", &desk.id],
            &["archive", &desk.id],
            &["undelete", &desk.id],
        ];
        for words in verbs {
            let place = format!("{} {words:?}", format.0);
            let told = desk.run(words).expect_status(3);
            for key in &keys {
                assert!(told.stderr.contains(key), "{place}: {}", told.stderr);
            }
            assert!(told.stderr.contains(FIRST) && told.stderr.contains(SECOND), "{place}: {}", told.stderr);
            assert_eq!(files(&desk.root()), before, "{place}");
        }
        let shown = desk.run(&["show", &desk.id]).expect_status(0).stdout;
        for own in [FIRST, SECOND, &keys[0], &keys[1]] {
            assert!(shown.contains(own), "{}: {shown}", format.0);
        }
        assert_eq!(desk.run(&["show", &desk.id, "--json"]).expect_status(0).json_lines().len(), 2);
        desk.run(&["edit", &keys[1], "--set", "text=Gamma came instead"]).expect_status(0);
        desk.run(&["delete", &desk.key("Gamma"), "--remove"]).expect_status(0);
        assert_eq!(desk.rows().len(), 1, "{}", format.0);
        assert_eq!(desk.key(FIRST), keys[0], "{}", format.0);
        // One is left: its id names it again.
        desk.run(&["delete", &desk.id, "--remove"]).expect_status(0);
    }
}

#[test]
fn the_plan_of_an_erasure_tells_which_of_them_goes_and_which_stays() {
    for format in FORMATS {
        let desk = Desk::new(format);
        let rows = desk.rows();
        let (goes, stays) = (&rows[0], &rows[1]);
        let plan = desk.raw(&[
            "erase",
            goes["key"].as_str().unwrap(),
            "--dry-run",
            "--store",
            desk.root().to_str().unwrap(),
        ]);
        let place = |row: &serde_json::Value| format!("{}:{}", row["file"].as_str().unwrap(), row["line"]);
        let line = |word: &str| plan.stdout.lines().filter(|line| line.starts_with(word)).collect::<Vec<_>>();
        assert!(line("goes").iter().any(|own| own.ends_with(&place(goes))), "{format:?} {plan:?}");
        assert!(line("stays").iter().any(|own| own.ends_with(&place(stays))), "{format:?} {plan:?}");
        assert!(!line("goes").iter().any(|own| own.ends_with(&place(stays))), "{format:?} {plan:?}");
    }
}

#[test]
fn a_restore_brings_back_the_one_record_that_is_meant_of_those_that_share_an_id() {
    // A note is a file of its own, and its backup has no other record.
    for format in &FORMATS[..3] {
        let desk = Desk::new(*format);
        let keys = [desk.key(FIRST), desk.key(SECOND)];
        let file = desk.rows()[0]["file"].as_str().unwrap().to_owned();
        desk.run(&["backup", "create"]).expect_status(0);
        let backups = desk.run(&["backup", "list", "--json"]).expect_status(0).json_lines();
        let is_it = |row: &&serde_json::Value| row["file"] == *file && row["reason"] == "by hand";
        let copy = backups.iter().find(is_it).unwrap()["backup"].as_str().unwrap();
        let shown = desk.run(&["backup", "diff", copy, "--json"]).json_lines();
        assert_eq!(shown.len(), 0, "{}: {shown:?}", format.0);
        desk.run(&["delete", &keys[0], &keys[1], "--remove"]).expect_status(0);
        let before = files(&desk.root());
        let told = desk.run(&["backup", "restore", copy, &desk.id]).expect_status(3).stderr;
        for own in [FIRST, SECOND, &keys[0], &keys[1]] {
            assert!(told.contains(own), "{}: {told}", format.0);
        }
        assert_eq!(files(&desk.root()), before, "{}", format.0);
        let rows = desk.run(&["backup", "diff", copy, "--json"]).expect_status(0).json_lines();
        let own = |key: &str| rows.iter().any(|row| row["key"] == key && row["restorable"] == true);
        assert!(own(&keys[0]) && own(&keys[1]), "{}: {rows:?}", format.0);
        desk.run(&["backup", "restore", copy, &keys[0]]).expect_status(0);
        assert_eq!((desk.rows().len(), desk.key(FIRST)), (1, keys[0].clone()), "{}", format.0);
        // What is there is as it was: nothing is put in its place.
        desk.run(&["backup", "restore", copy, &desk.id]).expect_status(0);
        assert_eq!([desk.key(FIRST), desk.key(SECOND)], keys, "{}", format.0);
        desk.run(&["backup", "restore", copy, &desk.id]).expect_status(1);
    }
}
