//! A session that is named is read alone: the results are the same, and the other sessions do not matter.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use palimp::memory::{Memory, New};
use serde_json::{Value, json};

use crate::support::{TwoSessions, files_below};

/// The formats with separate sessions, with a type of memory and its log.
const FORMATS: [(&str, &str, &str); 2] =
    [("session-log", "finding", "memory.jsonl"), ("bmad", "finding", "findings.jsonl")];

/// A store with two sessions that have memories with the same texts.
struct Site {
    made: TwoSessions,
    log: &'static str,
}

impl Deref for Site {
    type Target = TwoSessions;

    fn deref(&self) -> &TwoSessions {
        &self.made
    }
}

impl Site {
    fn new((format, kind, log): (&str, &str, &'static str)) -> Site {
        let made = TwoSessions::new(format);
        for name in &made.sessions {
            for text in ["first", "second", "third"] {
                made.run(&["add", "--session", name, "--type", kind, "--text", text]).expect_status(0);
            }
        }
        made.run(&["reindex"]).expect_status(0);
        Site { made, log }
    }

    /// The same store with the same palimp data, in another folder.
    fn copy(&self) -> Site {
        let folder = crate::support::folder::new();
        for (path, bytes) in files_below(self.folder.path()) {
            let to = folder.path().join(path.strip_prefix(self.folder.path()).unwrap());
            crate::support::write(&to, bytes);
        }
        Site { made: TwoSessions { folder, sessions: self.sessions.clone() }, log: self.log }
    }

    /// The log of the second session.
    fn other_log(&self) -> PathBuf {
        self.session(1).join(self.log)
    }

    /// Adds the last record of a session's log with another id, like another program. Returns it.
    fn add_another(&self, session: usize, id: &str, change: impl FnOnce(&mut Value)) -> Value {
        let log = self.session(session).join(self.log);
        let text = fs::read_to_string(&log).unwrap();
        let mut record: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        record["id"] = id.into();
        record.as_object_mut().unwrap().remove("checksum");
        change(&mut record);
        fs::write(&log, format!("{text}{record}\n")).unwrap();
        record
    }

    /// Makes the second session unreadable: a folder replaces its log.
    fn hide_other(&self) {
        fs::remove_file(self.other_log()).unwrap();
        fs::create_dir(self.other_log()).unwrap();
    }

    fn ids(&self, session: &str) -> Vec<String> {
        let rows = self.run(&["list", "--json", "--session", session]).expect_status(0).json_lines();
        let mut ids: Vec<String> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    }
}

#[test]
fn list_search_and_show_of_a_session_show_that_session_alone() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        let [one, two] = &site.sessions;
        let of = |args: &[&str]| site.run(&[args, &["--session", one, "--json"]].concat());
        for args in [&["list"][..], &["search", "first OR second OR third"]] {
            let rows = of(args).expect_status(0).json_lines();
            assert_eq!(rows.len(), 3, "{format:?} {args:?}");
            assert!(rows.iter().all(|row| row["session"] == one.as_str()), "{format:?} {rows:?}");
        }
        let few = site.run(&["list", "--session", one, "-n", "1"]).expect_status(0);
        let all = site.run(&["list", "--session", one]).expect_status(0);
        assert_eq!((few.stdout.lines().count(), all.stdout.lines().count()), (1, 3), "{format:?}");
        let id = &site.ids(two)[0];
        let shown = site.run(&["show", id, "--session", two, "--json"]).expect_status(0).json_lines();
        assert_eq!((shown.len(), &shown[0]["session"]), (1, &two.as_str().into()), "{format:?}");
    }
}

#[test]
fn a_session_that_is_not_there_is_no_empty_one() {
    for format in crate::support::tries::some(FORMATS, &[1]) {
        let site = Site::new(format);
        for args in [&["list"][..], &["search", "first"], &["list", "--all"]] {
            let told = site.run(&[args, &["--session", "none"]].concat()).expect_status(1);
            assert!(told.stderr.contains("E_SESSION_NOT_FOUND"), "{format:?} {args:?}: {}", told.stderr);
        }
        let id = &site.ids(&site.sessions[0])[0];
        let told = site.run(&["show", id, "--session", "none"]).expect_status(1);
        assert!(told.stderr.contains("E_SESSION_NOT_FOUND"), "{format:?}: {}", told.stderr);
    }
}

#[test]
fn a_memory_is_shown_alike_by_its_session_and_by_its_key() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        let [one, _] = &site.sessions;
        let id = &site.ids(one)[1];
        let rows = site.run(&["list", "--json"]).expect_status(0).json_lines();
        let own = rows.iter().find(|row| row["session"] == one.as_str() && row["id"] == id.as_str()).unwrap();
        let ways = [format!("{one}/{id}"), own["key"].as_str().unwrap().to_owned()];
        let shown = ways.map(|way| site.run(&["show", &way, "--json"]).expect_status(0).stdout);
        assert_eq!(shown[0], shown[1], "{format:?}");
        assert!(shown[0].contains(own["title"].as_str().unwrap()), "{format:?}");
    }
}

/// A verb leaves the same bytes if it gets the session's name and if it reads everything.
#[test]
fn a_change_within_a_session_leaves_the_same_bytes_as_one_that_reads_all() {
    let verbs: [&[&str]; 3] =
        [&["tag", "NAME", "+auth"], &["edit", "NAME", "--set", "text=Another text"], &["delete", "NAME"]];
    for format in crate::support::tries::some(FORMATS, &[1]) {
        let made = Site::new(format);
        let [one, _] = &made.sessions;
        let id = made.ids(one)[1].clone();
        let query = format!("session:{one} id:{id}");
        let before = made.files();
        for words in verbs {
            let place = format!("{format:?} {words:?}");
            let (narrow, whole) = (made.copy(), made.copy());
            let named: Vec<String> =
                words.iter().map(|w| w.replace("NAME", &format!("{one}/{id}"))).collect();
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            let found: Vec<&str> = words.iter().filter(|word| **word != "NAME").copied().collect();
            narrow.run(&named).expect_status(0);
            whole.run(&[&found[..], &["--query", &query]].concat()).expect_status(0);
            assert_ne!(narrow.files(), before, "{place}");
            assert_eq!(narrow.files(), whole.files(), "{place}");
            let told = narrow.run(&["check", "--json"]).stdout;
            assert!(!told.contains("\"index-") && !told.contains("\"count-mismatch"), "{place}: {told}");
            narrow.run(&["undo"]).expect_status(0);
            assert_eq!(narrow.files(), before, "{place}");
        }
    }
}

#[test]
fn another_session_that_cannot_be_read_is_in_nobodys_way() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        let [one, _] = &site.sessions;
        let [id, edited, key] = <[String; 3]>::try_from(site.ids(one)).unwrap();
        let rows = site.run(&["list", "--json"]).expect_status(0).json_lines();
        let own =
            rows.iter().find(|row| row["session"] == one.as_str() && row["id"] == key.as_str()).unwrap();
        let key = own["key"].as_str().unwrap();
        site.hide_other();
        let others = |files: BTreeMap<PathBuf, Vec<u8>>| -> Vec<_> {
            files
                .into_iter()
                .filter(|(path, _)| path.starts_with(Path::new("sessions").join(&site.sessions[1])))
                .collect()
        };
        let before = others(site.files());
        // A bare id may be in the part that can't be read.
        site.run(&["tag", &id, "+auth"]).expect_status(3);
        site.run(&["tag", &format!("{one}/{id}"), "+auth"]).expect_status(0);
        site.run(&["edit", &format!("{one}/{edited}"), "--set", "text=Another text"]).expect_status(0);
        site.run(&["tag", key, "+auth"]).expect_status(0);
        let told = site.run(&["list", "--session", one, "tag:auth"]).expect_status(0);
        assert_eq!((told.stdout.lines().count(), &*told.stderr), (2, ""), "{format:?}");
        assert_eq!(others(site.files()), before, "{format:?}");
        // Undo and redo of these changes read only the session, too.
        for verb in ["undo", "undo", "undo", "redo"] {
            site.run(&[verb]).expect_status(0);
        }
        let told = site.run(&["list", "--session", one, "tag:auth"]).expect_status(0);
        assert_eq!(told.stdout.lines().count(), 1, "{format:?}");
        assert_eq!(others(site.files()), before, "{format:?}");
    }
}

#[test]
fn an_id_with_a_slash_is_found_though_a_session_has_the_name_before_it() {
    let site = Site::new(FORMATS[0]);
    let [one, two] = &site.sessions;
    let record = site.add_another(1, &format!("{one}/odd"), |_| {});
    site.run(&["tag", &format!("{one}/odd"), "+auth"]).expect_status(0);
    let told = site.run(&["list", "--session", two, "tag:auth", "--json"]).expect_status(0).json_lines();
    assert_eq!((told.len(), &told[0]["id"]), (1, &record["id"]));
}

#[test]
fn where_an_id_reads_like_a_session_and_an_id_the_session_is_meant_by_every_verb() {
    let site = Site::new(FORMATS[0]);
    let [one, two] = &site.sessions;
    let name = format!("{one}/{}", site.ids(one)[0]);
    site.add_another(1, &name, |_| {});
    let other = format!("{two}/{}", site.ids(two)[0]);
    for words in [&["tag", &name, "+alone"][..], &["tag", &name, &other, "+both"]] {
        site.run(words).expect_status(0);
    }
    let rows = site.run(&["list", "--json", "tag:alone tag:both"]).expect_status(0).json_lines();
    assert_eq!((rows.len(), &rows[0]["session"]), (1, &one.as_str().into()));
}

#[test]
fn a_reference_into_another_session_is_not_taken_for_missing() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        let [one, two] = &site.sessions;
        let id = format!("{}x", site.ids(two)[0]);
        let text = fs::read_to_string(site.other_log()).unwrap().replace(&site.ids(two)[0], &id);
        fs::write(site.other_log(), text).unwrap();
        let (new, references) = match site.log {
            "memory.jsonl" => ("mem_77777777_777", json!([id])),
            _ => ("finding-777", json!({ "findings": [id] })),
        };
        let record = site.add_another(0, new, |record| record["references"] = references);
        let problems = |args: &[&str]| {
            let rows = site.run(&[args, &["--json"]].concat()).expect_status(0).json_lines();
            let own = rows.into_iter().find(|row| row["id"] == record["id"]).unwrap();
            own["problems"].clone()
        };
        assert_eq!(problems(&["list", "--session", one]), problems(&["list"]), "{format:?}");
    }
}

#[test]
fn an_index_of_another_session_that_is_due_stays_due_and_is_right_in_the_end() {
    for format in crate::support::tries::some(FORMATS, &[1]) {
        let site = Site::new(format);
        let [one, two] = &site.sessions;
        let indexes = || {
            let rows = site.run(&["check", "--readonly", "--json"]).json_lines();
            let codes = rows.iter().filter_map(|row| row["code"].as_str().map(str::to_owned));
            codes.filter(|code| code.starts_with("index-")).collect::<Vec<_>>()
        };
        let mut memory = Memory::open(&site.root(), &site.folder.path().join("data")).unwrap();
        let new = New { session: Some(two), kind: format.1, text: "fourth", ..New::default() };
        memory.add(&new).unwrap();
        let id = &site.ids(one)[0];
        site.run(&["tag", &format!("{one}/{id}"), "+auth"]).expect_status(0);
        assert!(!indexes().contains(&"index-stale".to_owned()), "{format:?}");
        memory.close().unwrap();
        assert_eq!(indexes(), [""; 0], "{format:?}");
    }
}
