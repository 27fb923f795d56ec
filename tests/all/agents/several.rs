//! Several palimp processes at once.

use std::io;

use palimp::disk::Machine;
use palimp::ops::{self, FieldAssignment, RecordDraft, WriteContext};
use palimp::store::CommitError;

use super::clock::Clock;
use super::part::{Part, Playing};
use super::town::{Town, commit_on, data_beside, load_at, text_of};

/// Edits record number `at` of its own in a store that others edit too.
pub fn edit_one(part: &Part, at: usize) -> io::Result<()> {
    let clock = Clock::real();
    loop {
        let store = load_at(part.format, &part.root, clock.now());
        let wanted = part.id(at);
        let is_it = |entry: &&palimp::model::Entry| store.id(entry) == Some(&wanted);
        let entry = store.entries.iter().find(is_it).ok_or_else(|| io::Error::other("it is gone"))?;
        let context = WriteContext::of(&store, clock.now(), random(part, at));
        let text = format!("Edited by {}.", part.mark);
        let plan = ops::edit::edit(&context, entry, &[FieldAssignment { name: "text", value: &text }]);
        match commit_on(&clock, &data_beside(&part.room), &store, &plan.map_err(io::Error::other)?) {
            Err(CommitError::Busy { .. } | CommitError::Lock(_)) => continue,
            outcome => return outcome.map(drop).map_err(io::Error::other),
        }
    }
}

pub fn add_one(part: &Part, at: usize) -> io::Result<()> {
    let clock = Clock::real();
    loop {
        let store = load_at(part.format, &part.root, clock.now());
        let context = WriteContext::of(&store, clock.now(), random(part, at));
        let (line, session) = (part.line(at), super::part::session_of(&part.file));
        let kind = if part.format == "memory-server" { "learning" } else { "finding" };
        let draft =
            RecordDraft { session: Some(&session), kind, record: Some(&line), ..RecordDraft::default() };
        let plan = ops::add::add(&context, &draft).map_err(io::Error::other)?;
        match commit_on(&clock, &data_beside(&part.room), &store, &plan) {
            Err(CommitError::Busy { .. } | CommitError::Lock(_)) => continue,
            outcome => return outcome.map(drop).map_err(io::Error::other),
        }
    }
}

fn random(part: &Part, at: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&(at as u64).to_le_bytes());
    bytes[8..12].copy_from_slice(&std::process::id().to_le_bytes());
    bytes[12] = part.mark.len() as u8;
    bytes
}

fn all_at_once(format: &'static str) {
    let each = 6;
    let town = Town::new(format, 3);
    let marks = ["one", "two", "three"];
    let editor = |mark: &&str| Part { mark: (*mark).into(), ..town.part("palimp", each, 0) };
    let editors: Vec<Part> = marks.iter().map(editor).collect();
    let lines = editors.iter().flat_map(|part| (0..each).map(|at| part.line(at) + "\n")).collect::<String>();
    let [log, _] = town.logs();
    let mut bytes = std::fs::read(&log).unwrap();
    bytes.extend(lines.as_bytes());
    std::fs::write(&log, bytes).unwrap();
    let adder = town.part("adder", each, 0);
    let all = editors.iter().chain([&adder]).map(Part::start).collect::<Vec<_>>();
    let met: Vec<String> = all.into_iter().flat_map(Playing::end).collect();
    assert_eq!(met, Vec::<String>::new());
    town.settle();

    let found = town.records();
    assert_eq!(found.len(), 3 + each * 4);
    assert!(found.values().all(|own| own.len() == 1), "{found:?}");
    for part in &editors {
        let edited = format!("Edited by {}.", part.mark);
        assert!((0..each).all(|at| text_of(&found[&part.id(at)][0]) == edited), "{}", part.mark);
    }
    assert!((0..each).all(|at| found.contains_key(&adder.id(at))));
    let data = town.data();
    let store = town.load();
    let writer = palimp::store::write::Writer::open(super::town::host(&town.clock, &data), &store).unwrap();
    let steps: Vec<u64> = writer.vault().journal().unwrap().iter().map(|line| line.step).collect();
    assert_eq!(steps, (1..=each as u64 * 4).collect::<Vec<_>>(), "each change is a step of its own");
}

#[test]
fn several_palimps_change_one_memory_server_store_and_every_change_is_there_once() {
    all_at_once("memory-server");
}

#[test]
fn several_palimps_change_one_session_log_store_and_every_change_is_there_once() {
    all_at_once("session-log");
}
