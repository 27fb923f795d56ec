//! `palimp move`: a memory goes to another session of its store.

use std::fs;
use std::io::Write;
use std::ops::Deref;

use serde_json::{Value, json};

use crate::support::files::NOW;
use crate::support::{Exit, Output, SOON, Terminal, TwoSessions, files_below};

/// A store with two sessions.
pub struct Site(TwoSessions);

impl Deref for Site {
    type Target = TwoSessions;

    fn deref(&self) -> &TwoSessions {
        &self.0
    }
}

impl Site {
    pub fn new(format: &str) -> Site {
        Site(TwoSessions::new(format))
    }

    pub fn without_sessions(format: &str) -> Site {
        Site(TwoSessions::without_sessions(format))
    }

    /// A folder without files.
    pub fn of_folder() -> Site {
        Site(TwoSessions { folder: crate::support::folder::new(), sessions: Default::default() })
    }

    /// Adds a memory to a session, by the session's number, and returns its id.
    pub fn add(&self, session: usize, kind: &str, record: Value) -> String {
        let args = ["add", "--session", &self.sessions[session], "--type", kind, "--record", "-"];
        let before = self.ids(session);
        self.fed(&record.to_string(), &args).expect_status(0);
        let new = self.ids(session).into_iter().find(|id| !before.contains(id));
        new.expect("a new id")
    }

    pub fn ids(&self, session: usize) -> Vec<String> {
        self.records(session).iter().map(|own| own["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The records in the logs of a session, in the order of files and lines.
    pub fn records(&self, session: usize) -> Vec<Value> {
        let logs = files_below(&self.session(session))
            .into_iter()
            .filter(|(path, _)| path.extension().unwrap() == "jsonl");
        let logs = logs.filter(|(path, _)| !path.ends_with("tombstones.jsonl"));
        let texts: Vec<String> = logs.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
        texts.iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a verb on a terminal until it asks.
    pub fn asks(&self, args: &[&str]) -> Terminal {
        let (root, data) = (self.root(), self.folder.path().join("data"));
        let place = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", NOW];
        let terminal = Terminal::spawn(env!("CARGO_BIN_EXE_palimp"), [args, &place].concat(), 36, 200);
        terminal.wait_for_text("anything else cancels", SOON);
        terminal
    }

    fn move_to_second(&self, ids: &[&str]) -> Output {
        let one = &self.sessions[0];
        let names: Vec<String> = ids.iter().map(|id| format!("{one}/{id}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.run(&[&["move"], &names[..], &["--to", &self.sessions[1]]].concat())
    }

    pub fn expect_no_problem(&self) {
        let told = self.run(&["check", "--json"]);
        assert_eq!(told.stdout, "", "problems");
    }
}

pub fn finding(text: &str) -> Value {
    json!({"description": text, "severity": "low", "zzz": 1.50})
}

#[test]
fn a_memory_moves_with_its_bytes_and_one_undo_takes_it_back() {
    let site = Site::new("session-log");
    let entry = |text: &str| json!({"content": {"finding": text, "n": 1.50}, "importance": 0.70, "x": "é"});
    let moved = site.add(0, "finding", entry("goes"));
    site.add(0, "finding", entry("stays"));
    site.add(1, "finding", entry("was there"));
    let (before, old) = (site.files(), site.records(0));
    site.move_to_second(&[&moved]).expect_status(0);
    let new = site.records(1);
    assert_eq!(site.records(0), old[1..], "the other memory stays as it is");
    assert_eq!(site.run(&["list", "is:deleted", "--json"]).stdout, "", "what moved is not deleted");
    let mut expected = old[0].clone();
    expected["session_id"] = site.sessions[1].as_str().into();
    expected["checksum"] = new[1]["checksum"].clone();
    assert_eq!(new[1], expected);
    site.expect_no_problem();
    site.run(&["undo"]).expect_status(0);
    assert_eq!(site.files(), before);
    site.run(&["redo"]).expect_status(0);
    assert_eq!(site.records(1), new);
}

#[test]
fn a_numbered_id_that_is_taken_is_counted_on_and_references_follow() {
    let site = Site::new("bmad");
    let moved = site.add(0, "finding", finding("goes"));
    site.add(1, "finding", finding("was there"));
    let references = json!({"references": {"findings": [&moved]}, "decision": "Use it", "made_by": "a"});
    site.add(0, "decision", references);
    assert_eq!((moved.as_str(), site.ids(1)), ("finding-001", vec!["finding-001".to_owned()]));
    let before = site.files();
    site.move_to_second(&[&moved]).expect_status(0).expect_stdout("finding-001 becomes finding-002");
    assert_eq!(site.ids(1), ["finding-001", "finding-002"]);
    assert_eq!(site.ids(0), ["dec-001"]);
    assert_eq!(site.records(0)[0]["references"]["findings"], json!(["finding-002"]));
    assert_eq!(site.records(1)[1]["zzz"], json!(1.50));
    site.expect_no_problem();
    site.run(&["undo"]).expect_status(0);
    assert_eq!(site.files(), before);
}

#[test]
fn memories_that_move_together_still_refer_to_each_other() {
    let site = Site::new("bmad");
    let one = site.add(0, "finding", finding("first"));
    site.add(1, "finding", finding("was there"));
    let refers = json!({"references": {"findings": [&one]}, "decision": "Use it", "made_by": "a"});
    let two = site.add(0, "decision", refers);
    site.add(1, "decision", json!({"decision": "Another", "made_by": "a"}));
    site.move_to_second(&[&one, &two]).expect_status(0);
    assert_eq!(site.ids(0), [""; 0]);
    assert_eq!(site.ids(1), ["dec-001", "dec-002", "finding-001", "finding-002"]);
    assert_eq!(site.records(1)[1]["references"]["findings"], json!(["finding-002"]));
}

#[test]
fn the_plan_says_if_a_reference_would_name_another_memory() {
    let site = Site::new("bmad");
    let stays = site.add(0, "finding", finding("stays"));
    site.add(1, "finding", finding("another"));
    let refers = json!({"references": {"findings": [&stays]}, "decision": "Use it", "made_by": "a"});
    let moved = site.add(0, "decision", refers);
    let told = site.move_to_second(&[&moved]).expect_status(0).stdout;
    assert!(
        told.contains("dec-001 refers to finding-001, which names another memory after the move"),
        "{told}"
    );
}

#[test]
fn a_memory_that_can_not_move_is_refused_and_nothing_changes() {
    let site = Site::new("session-log");
    let own = |id: &str| json!({"id": id, "content": {"finding": "text"}});
    for (session, id) in [(0, "mem_1"), (0, "mem_2"), (1, "mem_1")] {
        site.add(session, "finding", own(id));
    }
    let one = format!("{}/mem_2", site.sessions[0]);
    site.run(&["delete", &one]).expect_status(0);
    let before = site.files();
    site.move_to_second(&["mem_1"]).expect_status(3).expect_stderr("has the id mem_1 already");
    site.move_to_second(&["mem_2"]).expect_status(1);
    let one = format!("{}/mem_1", site.sessions[0]);
    site.run(&["move", &one, "--to", "nowhere"]).expect_status(3);
    site.run(&["move", &one, "--to", &site.sessions[0]]).expect_status(3);
    assert_eq!(site.files(), before);
}

#[test]
fn an_id_that_was_deleted_in_the_other_session_is_taken() {
    let site = Site::new("session-log");
    let own = |id: &str| json!({"id": id, "content": {"finding": "text"}});
    site.add(0, "finding", own("mem_1"));
    site.add(1, "finding", own("mem_1"));
    site.run(&["delete", "--remove", &format!("{}/mem_1", site.sessions[1])]).expect_status(0);
    let tombstone = json!({"id": "mem_1", "timestamp": NOW, "reason": "user_deleted"});
    fs::write(site.session(1).join("tombstones.jsonl"), format!("{tombstone}\n")).unwrap();
    let before = site.files();
    site.move_to_second(&["mem_1"]).expect_status(3);
    assert_eq!(site.files(), before);
}

#[test]
fn an_archived_session_takes_no_memory() {
    let site = Site::new("bmad");
    let moved = site.add(0, "finding", finding("stays"));
    site.add(1, "finding", finding("packed"));
    site.run(&["session", "archive", &site.sessions[1]]).expect_status(0);
    let before = site.files();
    site.move_to_second(&[&moved]).expect_status(3).expect_stderr("E_SESSION_ARCHIVED");
    assert_eq!(site.files(), before);
}

#[test]
fn formats_without_sessions_say_so() {
    let site = TwoSessions::without_sessions("memory-server");
    site.run(&["add", "--type", "learning", "--text", "text"]).expect_status(0);
    let id = site.run(&["list", "--json"]).json_lines()[0]["id"].as_str().unwrap().to_owned();
    site.run(&["move", &id, "--to", "two"]).expect_status(3).expect_stderr("Nothing was changed");
}

fn message(text: &str, parent: Option<&str>) -> Value {
    json!({"content": text, "context": {"parent_message_id": parent}})
}

#[test]
fn a_reference_in_the_same_log_follows() {
    let site = Site::new("bmad");
    let moved = site.add(0, "conversation", message("question", None));
    site.add(1, "conversation", message("was there", None));
    site.add(0, "conversation", message("answer", Some(&moved)));
    let before = site.files();
    site.move_to_second(&[&moved]).expect_status(0);
    // The answer is msg-002: the moved memory gets an id that no other has.
    assert_eq!(site.ids(1), ["msg-001", "msg-003"]);
    assert_eq!(site.records(0)[0]["context"]["parent_message_id"], "msg-003");
    site.expect_no_problem();
    site.run(&["undo"]).expect_status(0);
    assert_eq!(site.files(), before);
}

#[test]
fn the_plan_says_if_a_reference_means_a_third_session_afterwards() {
    let site = Site::new("session-log");
    site.run(&["session", "new", "zzz"]).expect_status(0);
    let own = |id: &str, to: &[&str]| json!({"id": id, "content": {"finding": "text"}, "references": to});
    site.add(0, "finding", own("mem_1", &[]));
    site.add(0, "finding", own("mem_2", &["mem_1"]));
    site.add(1, "finding", own("mem_1", &[]));
    let told = |from: usize| {
        let moved = format!("{}/mem_1", site.sessions[from]);
        site.run(&["move", &moved, "--to", "zzz"]).expect_status(0).stdout
    };
    let first = told(0);
    assert!(first.contains("mem_2 refers to mem_1, which names another memory"), "{first}");
    site.run(&["undo"]).expect_status(0);
    let second = told(1);
    assert!(!second.contains("refers to"), "no memory refers to that one: {second}");
}

#[test]
fn an_id_that_is_taken_after_the_plan_was_shown_is_not_given_twice() {
    let site = Site::new("bmad");
    site.add(0, "conversation", message("first", None));
    let moved = site.add(0, "conversation", message("goes", None));
    site.add(1, "conversation", message("was there", None));
    let name = format!("{}/{moved}", site.sessions[0]);
    let mut terminal = site.asks(&["move", &name, "--to", &site.sessions[1]]);
    let log = site.session(1).join("conversation.jsonl");
    let line = fs::read_to_string(&log).unwrap().replace("msg-001", "msg-002").replace("was there", "late");
    fs::OpenOptions::new().append(true).open(&log).unwrap().write_all(line.as_bytes()).unwrap();
    terminal.send_and_see("y\r", "msg-002 becomes msg-003");
    terminal.send_keys("y\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0), "{}", terminal.screen_text());
    assert_eq!(site.ids(1), ["msg-001", "msg-002", "msg-003"]);
}
