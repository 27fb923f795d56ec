//! Several memories are added in one step, or none of them, whatever the format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palimp::disk::host::Host;
use palimp::disk::{RealDisk, ThisMachine};
use palimp::memory::New;
use palimp::model::{CommitReceipt, Moment, Plan, Snapshot, Store};
use palimp::ops::add::NewRecord;
use palimp::ops::add_many::AddMemories;
use palimp::usecase::{self, ChangeObserver, ChangeRequest, RecentSteps, Requester};

use super::{Desk, assert_refused};
use crate::support::files_below;

/// Formats with their types that take new memories, and whether those have a session.
const ADDED: [(&str, &str, bool); 11] = [
    ("session-log", "finding", true),
    ("session-log", "decision", true),
    ("bmad", "finding", true),
    ("bmad", "decision", true),
    ("memory-server", "core", false),
    ("memory-server", "learning", false),
    ("a-mem", "event", false),
    ("a-mem", "note", false),
    ("a-mem", "profile", false),
    ("markdown/claude", "project", false),
    ("markdown/hermes", "entry", false),
];

const TEXTS: [&str; 4] = ["first-of-four", "second-of-four", "third-of-four", "fourth-of-four"];

fn memories_of(desk: &Desk) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = files_below(&desk.root());
    let derived = ["index.json", "metadata.json", "manifest.json", "config.json"];
    files.retain(|path, _| !derived.iter().any(|name| path.ends_with(name)));
    let path = |path: &Path| path.to_string_lossy().into_owned();
    files.retain(|file, _| !path(file).ends_with(".lock") && !path(file).contains("index"));
    files
}

/// Adds memories with these texts; that with the number `refused` has a tag that is none.
fn add_all(desk: &mut Desk, refused: Option<usize>) -> Result<Vec<String>, palimp::memory::MemoryError> {
    let none = [String::new()];
    let new = |(number, text): (usize, &'static str)| New {
        session: desk.session.as_deref(),
        kind: desk.kind,
        text,
        tags: if refused == Some(number) { &none } else { &[] },
        ..New::default()
    };
    let all: Vec<New<'_>> = (1..).zip(TEXTS).map(new).collect();
    Ok(desk.memory.add_all(&all)?.into_iter().map(|added| added.id).collect())
}

#[test]
fn where_one_of_several_is_refused_none_is_added_and_the_refusal_has_its_number() {
    for own in ADDED {
        for number in [1, 3] {
            let mut desk = Desk::new(own);
            desk.add_text("was-there-before");
            desk.memory.flush().unwrap();
            let before = files_below(&desk.root());
            let error = add_all(&mut desk, Some(number)).unwrap_err();
            assert!(error.message.starts_with(&format!("memory {number}: ")), "{own:?} {error}");
            assert_eq!(files_below(&desk.root()), before, "{own:?}");
        }
    }
}

#[test]
fn several_are_added_in_one_step_and_one_undo_leaves_every_byte_as_it_was() {
    for own in ADDED {
        for is_empty in [true, false] {
            let mut desk = Desk::new(own);
            if !is_empty {
                desk.add_text("was-there-before");
            }
            desk.memory.flush().unwrap();
            let before = memories_of(&desk);
            let ids = add_all(&mut desk, None).unwrap();
            for (id, text) in ids.iter().zip(TEXTS) {
                let found = desk.memory.get(None, id).unwrap().unwrap_or_else(|| panic!("{own:?} {id}"));
                assert!(String::from_utf8_lossy(&found.raw).contains(text), "{own:?} {found:?}");
            }
            assert_eq!(ids.len(), TEXTS.len());
            desk.memory.flush().unwrap();
            assert!(desk.memory.problems().is_empty(), "{own:?} {:?}", desk.memory.problems());
            desk.memory.undo().unwrap();
            desk.memory.flush().unwrap();
            assert_eq!(memories_of(&desk), before, "{own:?}");
        }
    }
}

#[test]
fn a_session_at_its_limit_takes_none_of_several_and_one_that_compacts_itself_takes_all() {
    let full = |compacts: bool| {
        let mut desk = Desk::of("session-log");
        let storage = format!(
            r#"{{"max_session_size_mb":0.004,"compaction_threshold":0.5,"auto_compact":{compacts}}}"#
        );
        std::fs::write(desk.root().join("config.json"), format!("{{\"storage\":{storage}}}")).unwrap();
        desk.memory.refresh();
        desk
    };
    let long = "word ".repeat(60);
    let new = New { session: Some("sess_one"), kind: "finding", text: &long, ..New::default() };
    let mut desk = full(false);
    desk.memory.add(&new).unwrap();
    desk.memory.flush().unwrap();
    let before = files_below(&desk.root());
    let refused = desk.memory.add_all(&[new; 40]);
    assert!(refused.as_ref().is_err_and(|error| error.message.starts_with("memory ")), "{refused:?}");
    assert_refused(refused, "E_SIZE_LIMIT", "are allowed");
    assert_eq!(files_below(&desk.root()), before);

    let mut desk = full(true);
    let first = desk.memory.add(&new).unwrap();
    desk.memory.delete(None, &first.id, "superseded").unwrap();
    desk.memory.flush().unwrap();
    let before = memories_of(&desk);
    let added = desk.memory.add_all(&[new; 3]).unwrap();
    let dropped: Vec<Vec<Option<&str>>> =
        added.iter().map(|own| own.dropped.iter().map(|gone| gone.id.as_deref()).collect()).collect();
    assert_eq!(dropped, [vec![], vec![], vec![Some(&*first.id)]]);
    assert_eq!(desk.memory.query("type:finding").unwrap().len(), 3);
    desk.memory.undo().unwrap();
    assert_eq!(memories_of(&desk), before);
}

/// The ids of what was added.
#[derive(Default)]
struct AddedIds(Vec<String>);

impl ChangeObserver for AddedIds {
    fn on_written(&mut self, _: &Store, _: &Plan, receipt: Option<&CommitReceipt>) -> bool {
        self.0.extend(receipt.iter().flat_map(|receipt| &receipt.plan.effects).map(|effect| effect.name()));
        true
    }
}

#[test]
fn the_ids_that_a_preview_names_are_written() {
    for own in ADDED {
        let mut desk = Desk::new(own);
        desk.memory.flush().unwrap();
        let record = |text: &str| NewRecord {
            session: desk.session.clone(),
            kind: desk.kind.to_owned(),
            text: Some(text.to_owned()),
            ..NewRecord::default()
        };
        let command = AddMemories { store: 0, records: TEXTS.map(record).to_vec() };
        let (machine, data) = (ThisMachine::new(), desk.data());
        let now = Moment(1_900_000_000_000_000);
        let host = Host { disk: &RealDisk, machine: &machine, data: &data, now };
        let snapshot = Snapshot::of(vec![Arc::new(desk.memory.store().clone())]);
        let request =
            ChangeRequest::new(Arc::new(snapshot), Requester::Ids, Arc::new(command), data.clone(), now);
        let planned = usecase::plan(request, host).unwrap();
        let shown: Vec<String> = planned.plans[0].plan.effects.iter().map(|effect| effect.name()).collect();
        let mut written = AddedIds::default();
        usecase::execute(planned, host, &mut RecentSteps::default(), &mut written, true).unwrap();
        assert_eq!(written.0, shown, "{own:?}");
        assert_eq!(shown.len(), TEXTS.len(), "{own:?}");
    }
}
