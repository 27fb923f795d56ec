//! What an agent does between a question and its answer is asked about, if the plan is about it.

use std::fs;
use std::sync::Arc;

use palimp::disk::host::Host;
use palimp::disk::{RealDisk, ThisMachine};
use palimp::model::{EntryRef, Extent, Moment, Snapshot};
use palimp::ops::copy_records::CopyMemories;
use palimp::store::{Place, load};
use palimp::usecase::{self, ChangeRequest, RecentSteps, Requester, SilentObserver};
use serde_json::{Value, json};

use crate::copy_records::claude;
use crate::move_records::{Site, finding};
use crate::support::{Exit, SOON};

fn entry(text: &str) -> Value {
    json!({"content": {"finding": text}})
}

#[test]
fn an_id_that_an_agent_takes_is_not_given_and_the_other_one_is_asked_about() {
    let site = Site::new("bmad");
    let first = site.add(0, "finding", finding("first"));
    let add = ["add", "--session", &site.sessions[0], "--type", "finding", "--text", "second"];
    let mut terminal = site.asks(&add);
    let log = site.session(0).join("findings.jsonl");
    let taken = first.replace("001", "002");
    let lines = fs::read_to_string(&log).unwrap();
    fs::write(&log, lines.clone() + &lines.replace(&first, &taken)).unwrap();
    terminal.send_and_see("y\r", "The plan is not as it was shown");
    terminal.send_keys("y\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(0), "{}", terminal.screen_text());
    let third = first.replace("001", "003");
    assert_eq!(site.ids(0), [first, taken, third]);
}

#[test]
fn a_compaction_that_would_take_other_memories_is_asked_about_again() {
    let site = Site::new("bmad");
    (0..9).for_each(|number| drop(site.add(0, "finding", finding(&format!("number {number}")))));
    let mut terminal = site.asks(&["compact"]);
    let log = site.session(0).join("findings.jsonl");
    let lines = fs::read_to_string(&log).unwrap();
    let more: String = (1..7).map(|number| lines.replace("-00", &format!("-{number}0"))).collect();
    fs::write(&log, lines + &more).unwrap();
    let before = site.files();
    terminal.send_and_see("y\r", "The plan is not as it was shown");
    terminal.send_keys("n\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3), "{}", terminal.screen_text());
    assert_eq!(site.files(), before);
}

#[test]
fn a_memory_stays_if_the_one_that_it_would_become_a_part_of_is_gone() {
    let site = claude();
    let mut terminal = site.asks(&["merge", "build", "--into", "team/rules", "--text", "into"]);
    fs::remove_file(site.root().join("team/rules.md")).unwrap();
    let before = site.files();
    terminal.send_keys("y\rn\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3), "{}", terminal.screen_text());
    assert_eq!(site.files(), before);
}

#[test]
fn an_undo_is_asked_about_again_if_what_it_brings_back_was_written_anew() {
    let site = Site::new("session-log");
    let id = site.add(0, "finding", entry("as it was"));
    site.run(&["delete", &id]).expect_status(0);
    let mut terminal = site.asks(&["undo"]);
    let log = site.session(0).join("memory.jsonl");
    fs::write(&log, fs::read_to_string(&log).unwrap().replace("as it was", "another text")).unwrap();
    let before = site.files();
    terminal.send_and_see("y\r", "Changed meanwhile: 1 of 1");
    terminal.send_keys("n\r");
    assert_eq!(terminal.wait_exit(SOON), Exit::Status(3), "{}", terminal.screen_text());
    assert_eq!(site.files(), before);
}

#[test]
fn none_of_several_is_copied_if_one_of_them_went_before_the_lock() {
    let site = Site::new("session-log");
    let ids = ["stays", "goes"].map(|text| site.add(0, "finding", entry(text)));
    let (machine, data) = (ThisMachine::new(), site.folder.path().join("data"));
    let now = Moment(1_900_000_000_000_000);
    let host = Host { disk: &RealDisk, machine: &machine, data: &data, now };
    let store = load(&Place::whole(site.root(), "session-log"), Extent::All, None, now);
    let command = Arc::new(CopyMemories { to: site.sessions[1].clone() });
    let at = (0..2).map(|entry| EntryRef { store: 0, entry }).collect();
    let snapshot = Arc::new(Snapshot::of(vec![Arc::new(store)]));
    let request = ChangeRequest::new(snapshot, Requester::Ids, command, data.clone(), now);
    let planned = usecase::plan(ChangeRequest { at, ..request }, host).unwrap();
    site.run(&["delete", "--remove", &ids[1]]).expect_status(0);
    let before = site.files();
    let done = usecase::execute(planned, host, &mut RecentSteps::default(), &mut SilentObserver, false);
    assert!(done.is_err_and(|failed| failed.code() == Some("E_CONCURRENT_MOD")));
    assert_eq!(site.files(), before);
}
