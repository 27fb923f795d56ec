//! What undo, the journal and backups say is true.

use crate::support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use support::{Output, StoreBuilder, TempStore, Verb};
use tempfile::TempDir;

struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk { folder: crate::support::folder::new() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, stores: &[&Path], args: &[&str]) -> Output {
        let data = self.at("data");
        let mut all = args.to_vec();
        stores.iter().for_each(|store| all.extend(["--store", store.to_str().unwrap()]));
        all.extend(["--data-dir", data.to_str().unwrap(), "--yes"]);
        Verb::new(all).run()
    }

    /// A store of memory-server with these learnings.
    fn server(&self, name: &str, texts: &[&str]) -> PathBuf {
        let store = self.at(name);
        self.run(&[], &["init", "memory-server", store.to_str().unwrap()]).expect_status(0);
        for text in texts {
            self.run(&[&store], &["add", "--type", "learning", "--text", text]).expect_status(0);
        }
        store
    }

    fn said(&self, output: &Output) -> Vec<String> {
        let quoted = output.stderr.split('`').skip(1).step_by(2);
        quoted.filter(|said| said.starts_with("palimp undo")).map(str::to_owned).collect()
    }
}

/// Runs a proposed command in a shell, from another folder.
fn as_said(command: &str) {
    let own = Path::new(env!("CARGO_BIN_EXE_palimp")).parent().unwrap();
    let empty = crate::support::folder::new();
    let path = format!("{}:/usr/bin:/bin", own.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{command} --yes")]).env_clear().env("PATH", path).current_dir(&empty);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

fn log(store: &Path) -> String {
    fs::read_to_string(store.join("learnings.jsonl")).unwrap()
}

#[test]
fn undo_passes_an_erasure_over_and_says_so() {
    let desk = Desk::new();
    let store = desk.server("m", &["one", "two", "three"]);
    let before = log(&store);
    desk.run(&[&store], &["tag", "--query", "two", "+new"]).expect_status(0);
    desk.run(&[&store], &["erase", "--query", "three"]).expect_status(0);
    desk.run(&[&store], &["undo"]).expect_status(0).expect_stdout("step 6 is skipped: it erased memories");
    let now = log(&store);
    assert!(!now.contains("new") && !now.contains("three"), "{now}");
    assert!(now.lines().all(|line| before.contains(line)), "{now}");
    desk.run(&[&store], &["redo"]).expect_status(0);
    assert!(log(&store).contains("new"));
}

#[test]
fn each_undo_that_a_change_of_several_stores_names_works_as_it_is_said() {
    let desk = Desk::new();
    let (one, two) = (desk.server("a store", &["x"]), desk.server("b's", &["x", "y"]));
    let before = (log(&one), log(&two));
    let output = desk.run(&[&one, &two], &["tag", "--query", "x", "+new"]).expect_status(0);
    assert!(log(&one) != before.0 && log(&two) != before.1);
    let said = desk.said(&output);
    assert_eq!(said.len(), 2, "{}", output.stderr);
    said.iter().for_each(|command| as_said(command));
    assert_eq!((log(&one), log(&two)), before);
}

#[test]
fn a_damaged_line_in_the_journal_is_told_and_its_step_is_left_alone() {
    let desk = Desk::new();
    let store = desk.server("m", &["one", "two", "three"]);
    let stores = fs::read_dir(desk.at("data/stores")).unwrap().next().unwrap().unwrap().path();
    let journal = stores.join("journal.jsonl");
    let lines: Vec<String> = fs::read_to_string(&journal).unwrap().lines().map(str::to_owned).collect();
    for damage in [lines[1].replace("\"verb\"", "\"ve\0b\""), "\0\0\0\0".to_owned(), "x".to_owned()] {
        let mut damaged = lines.clone();
        damaged[1] = damage;
        fs::write(&journal, damaged.join("\n") + "\n").unwrap();
        let before = log(&store);
        desk.run(&[&store], &["journal"]).expect_status(0).expect_stderr("line 2").expect_stderr("step 2");
        desk.run(&[&store], &["tag", "--query", "three", "+new"]).expect_status(0);
        let now = fs::read_to_string(&journal).unwrap();
        assert!(now.matches("\"step\":2,\"at\"").count() == 1 && !now.contains('\0'), "{now}");
        desk.run(&[&store], &["undo"]).expect_status(0);
        assert_eq!(log(&store), before);
        // The undo data of the step is enough to undo it.
        desk.run(&[&store], &["undo", "2"]).expect_status(0);
        assert!(!log(&store).contains("one\"") || !log(&store).contains("two\""), "{}", log(&store));
        desk.run(&[&store], &["redo"]).expect_status(0);
        assert_eq!(log(&store), before);
    }
}

#[test]
fn a_copy_that_the_user_made_stays_whatever_is_changed_after_it() {
    let desk = Desk::new();
    let store = desk.server("m", &["one"]);
    desk.run(&[&store], &["backup", "create"]).expect_status(0);
    let before = log(&store);
    for tag in ["+a", "+b", "+c", "+d", "+e", "+f"] {
        desk.run(&[&store], &["tag", "--query", "one", tag]).expect_status(0);
    }
    let list = desk.run(&[&store], &["backup", "list"]).expect_status(0).stdout;
    let own = list.lines().find(|line| line.contains("by hand") && line.contains("learnings")).unwrap();
    let path = own.split_whitespace().find(|word| word.contains("learnings")).unwrap().to_owned();
    desk.run(&[&store], &["backup", "restore", &path, "--replace"]).expect_status(0);
    assert_eq!(log(&store), before);
}

#[test]
fn an_erasure_says_that_another_record_holds_the_text_and_not_that_none_does() {
    let desk = Desk::new();
    let store = desk.server("m", &["a text that two records have", "a text that two records have"]);
    let rows = desk.run(&[&store], &["list", "--json"]).json_lines();
    let [one, other] = [0, 1].map(|at| rows[at]["id"].as_str().unwrap());
    let told = desk.run(&[&store], &["erase", one]).expect_status(0).stderr;
    assert!(told.contains("another memory has the same text and stays") && told.contains(other), "{told}");
    assert!(!told.contains("none has it"), "{told}");
}

#[test]
fn the_erasure_of_an_edited_note_claims_no_other_note() {
    let desk = Desk::new();
    let store = desk.at("notes");
    desk.run(&[], &["init", "a-mem", store.to_str().unwrap()]).expect_status(0);
    for text in ["the first of all", "the second of all", "the third of all"] {
        desk.run(&[&store], &["add", "--type", "note", "--text", text]).expect_status(0);
    }
    let rows = desk.run(&[&store], &["list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["text"].as_str().unwrap().contains("first")).unwrap();
    let id = row["id"].as_str().unwrap();
    desk.run(&[&store], &["edit", id, "--set", "text=what it says by now"]).expect_status(0);
    desk.run(&[&store], &["tag", id, "+new"]).expect_status(0);
    let told = desk.run(&[&store], &["erase", id]).expect_status(0).stderr;
    assert!(!told.contains("another record") && told.contains("none has it"), "{told}");
}

const LOG: &str = "sessions/s/memory.jsonl";

/// A log of more than a megabyte, with its derived files.
fn large() -> (TempStore, Vec<String>) {
    let text = "What is long. ".repeat(200);
    let entry = |n: usize| json!({"id": format!("mem_{n}"), "content": {"finding": format!("{n} {text}")}});
    let session = StoreBuilder::session_log().session("s");
    let store = (0..450).fold(session, |session, n| session.entry(entry(n))).build();
    assert!(store.read(LOG).len() > 1 << 20);
    let data = store.around().join("data");
    let own = ["--store", store.path.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
    let own = own.map(str::to_owned).to_vec();
    (store, own)
}

/// Runs a verb that begins this many milliseconds after the last write to the log.
fn after_a_write(store: &TempStore, own: &[String], millis: i64, words: &[&str]) -> String {
    let modified = SystemTime::now() - Duration::from_secs(600);
    File::options().write(true).open(store.file(LOG)).unwrap().set_modified(modified).unwrap();
    let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_micros() as i64;
    let began = palimp::model::Moment(since + millis * 1_000).to_rfc3339();
    let words = words.iter().map(|own| (*own).to_owned()).chain(own.iter().cloned());
    let output = Verb::new(words.chain(["--now".into(), began])).run().expect_status(0);
    output.stdout + &output.stderr
}

fn derived(store: &TempStore) -> [Vec<u8>; 2] {
    ["index.json", "metadata.json"].map(|name| store.read(format!("sessions/s/{name}")))
}

const LATER: &str = "rebuilt after the change";

#[test]
fn undo_brings_indexes_back_that_were_put_off_or_says_that_it_does_not() {
    let (store, own) = large();
    after_a_write(&store, &own, 60_000, &["reindex"]);
    let told = after_a_write(&store, &own, 60_000, &["tag", "mem_1", "+a"]);
    assert!(!told.contains(LATER), "{told}");
    let before = derived(&store);
    let told = after_a_write(&store, &own, 500, &["tag", "mem_2", "+b"]);
    assert!(told.contains(LATER) && told.contains("sessions/s/index.json"), "{told}");
    assert_ne!(derived(&store), before);
    let told = after_a_write(&store, &own, 70_000, &["undo"]);
    assert_eq!(derived(&store), before, "{told}");
    // Another program writes it in its own way.
    let index: Value = serde_json::from_slice(&before[0]).unwrap();
    store.write("sessions/s/index.json", index.to_string().as_bytes());
    let before = derived(&store);
    after_a_write(&store, &own, 500, &["tag", "mem_3", "+c"]);
    let told = after_a_write(&store, &own, 70_000, &["undo"]);
    let is_said = told.contains("sessions/s/index.json is rebuilt from the memories");
    assert!(is_said || derived(&store) == before, "{told}");
}

#[test]
fn a_log_that_others_wrote_to_after_a_verb_began_is_one_that_they_are_writing_to() {
    let (store, own) = large();
    for (millis, later) in [(500, true), (-5_000, true), (2_000, false), (-600_000, false)] {
        let told = after_a_write(&store, &own, millis, &["tag", "mem_1", "+a", "--dry-run"]);
        assert_eq!(told.contains(LATER), later, "{millis}: {told}");
    }
}
