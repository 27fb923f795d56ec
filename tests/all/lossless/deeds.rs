//! Every operation on a random store: its plan, and what must be true of the files afterwards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use palimp::format::writing::{RecordDraft, Refusal};
use palimp::model::{Code, Entry, Plan, Problem, Role, State, Store};
use palimp::ops::{self, WriteContext, delete::DeleteOptions};
use serde_json::Value;

use super::chance::Chance;
use super::edits;
use super::expected::*;
use super::scanner::object;
use super::stores::Files;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Add,
    Edit,
    Tag,
    Importance,
    Delete,
    Remove,
    Undelete,
    Archive,
    Unarchive,
    Move,
    Compact,
    Reindex,
    Repair,
}

pub const DEEDS: [Deed; 13] = [
    Deed::Add,
    Deed::Edit,
    Deed::Tag,
    Deed::Importance,
    Deed::Delete,
    Deed::Remove,
    Deed::Undelete,
    Deed::Archive,
    Deed::Unarchive,
    Deed::Move,
    Deed::Compact,
    Deed::Reindex,
    Deed::Repair,
];

/// Fails unless the files are as they must be.
pub type Check<'a> = Box<dyn Fn(&Files, &Files, &Store) + 'a>;

pub fn planned<'a>(
    deed: Deed,
    context: &WriteContext<'a>,
    chance: &mut Chance,
) -> Result<(Plan, Check<'a>), Refusal> {
    let store = context.store;
    let some = |chance: &mut Chance, of: &dyn Fn(&Entry) -> bool| -> Vec<Entry> {
        let own: Vec<Entry> = store.entries.iter().filter(|entry| of(entry)).copied().collect();
        let many = 1 + chance.below(4);
        let rate = (own.len() / many).max(1);
        own.into_iter().filter(|_| chance.once_in(rate)).take(5).collect()
    };
    let readable = |entry: &Entry| entry.state != State::Broken;
    match deed {
        Deed::Add => add(context, chance),
        Deed::Edit => edit(context, chance),
        Deed::Tag => {
            let own = some(chance, &readable);
            let (add, remove) = (vec![["new", "a"][chance.below(2)].to_owned()], vec!["c".to_owned()]);
            let plan = crate::support::plans::tag(context, &own, &add, &remove)?;
            let names = ["tags", "updated_at", "checksum"];
            Ok((plan, Box::new(move |before, after, _| assert_edits(store, &own, before, after, &names))))
        }
        Deed::Importance => {
            let own: Vec<Entry> = some(chance, &readable).into_iter().take(1).collect();
            let Some(entry) = own.first() else { return Err(Refusal::unfit("nothing")) };
            let plan = crate::support::plans::importance(context, entry, chance.below(11) as f64 / 10.0)?;
            let names = ["importance", "updated_at", "checksum"];
            Ok((plan, Box::new(move |before, after, _| assert_edits(store, &own, before, after, &names))))
        }
        Deed::Delete | Deed::Remove => {
            let remove = deed == Deed::Remove;
            let own = some(chance, &|_| true);
            let plan =
                ops::delete::delete(context, &own, &DeleteOptions { remove, ..DeleteOptions::default() })?;
            let buries = store.format == "session-log" && !remove;
            Ok((
                plan,
                Box::new(move |before, after, now| match buries {
                    true => assert_buried(store, &own, before, after, now),
                    false => assert_removed(store, &own, before, after),
                }),
            ))
        }
        Deed::Undelete => {
            let own = some(chance, &|entry| entry.state == State::Deleted);
            let plan = ops::undelete::undelete(context, &own, &palimp::ops::erase::ErasedRecords::default())?;
            Ok((plan, Box::new(move |before, after, now| assert_undeleted(store, &own, before, after, now))))
        }
        Deed::Archive => {
            let own = some(chance, &|entry| entry.state == State::Live);
            let plan = ops::archive::archive(context, &own)?;
            Ok((plan, Box::new(move |before, after, _| assert_archived(store, &own, before, after))))
        }
        Deed::Unarchive => {
            let own = some(chance, &|entry| entry.state == State::Archived);
            let plan = ops::archive::unarchive(context, &own)?;
            Ok((plan, Box::new(move |before, after, _| assert_unarchived(store, &own, before, after))))
        }
        Deed::Move => {
            let to = store.sessions.last().ok_or_else(|| Refusal::unfit("nothing"))?;
            let stays = |entry: &Entry| store.document(entry).path.starts_with(&to.path);
            let own = some(chance, &|entry| entry.state == State::Live && !stays(entry));
            let plan = ops::move_records::move_records(context, &own, &to.name)?;
            let log = to.path.join("memory.jsonl");
            Ok((plan, Box::new(move |before, after, _| assert_moved(store, &own, before, after, &log))))
        }
        Deed::Compact => {
            let plan = ops::compact::compact(context, None)?;
            if store.format == "memory-server" {
                let own = unused(store, context.now.0);
                assert_eq!(plan.records, own.len());
                return Ok((
                    plan,
                    Box::new(move |before, after, _| assert_archived(store, &own, before, after)),
                ));
            }
            let own = faded(store, context.now.0);
            assert_eq!(plan.records, own.len());
            Ok((plan, Box::new(move |before, after, _| assert_removed(store, &own, before, after))))
        }
        Deed::Reindex => {
            let plan = ops::reindex::reindex(context)?;
            Ok((plan, Box::new(|before, after, _| assert_same(before, after))))
        }
        Deed::Repair => {
            let repair = crate::support::plans::all_safe(context)?;
            let plan = repair.plan.ok_or_else(|| Refusal::unfit("nothing"))?;
            Ok((plan, Box::new(move |before, after, now| assert_repaired(store, before, after, now))))
        }
    }
}

fn add<'a>(context: &WriteContext<'a>, chance: &mut Chance) -> Result<(Plan, Check<'a>), Refusal> {
    let store = context.store;
    let session = store.sessions.first().map(|session| session.name.as_str());
    let (kind, path) = match session {
        Some(name) => ("finding", PathBuf::from("sessions").join(name).join("memory.jsonl")),
        None if chance.once_in(2) => ("core", "core_memories.jsonl".into()),
        None => ("task", "tasks.jsonl".into()),
    };
    let tags = vec!["t".to_owned()];
    let text = "Added \"now\"\nand \u{1f600}.";
    let draft =
        RecordDraft { session, kind, text: Some(text), tags: &tags, importance: Some(0.3), record: None };
    let plan = ops::add::add(context, &draft)?;
    Ok((
        plan,
        Box::new(move |before, after, _| {
            let previous = before.get(&path).cloned().unwrap_or_default();
            let lines = added(&previous, &after[&path]);
            assert_eq!(lines.len(), 1, "{lines:?}");
            let record: serde_json::Value = serde_json::from_slice(lines[0]).unwrap();
            let held = if session.is_some() { &record["content"]["finding"] } else { &record["content"] };
            assert_eq!((held.as_str(), record["type"].as_str()), (Some(text), Some(kind)));
            assert_others_same(before, after, &path);
        }),
    ))
}

fn edit<'a>(context: &WriteContext<'a>, chance: &mut Chance) -> Result<(Plan, Check<'a>), Refusal> {
    let store = context.store;
    let entries = edits::readable(store);
    if entries.is_empty() {
        return Err(Refusal::unfit("nothing"));
    }
    let entry = *chance.one_of(&entries);
    let (set, names) = edits::random(chance, store.format);
    let plan = ops::edit::edit(context, &entry, std::slice::from_ref(&set))?;
    Ok((
        plan,
        Box::new(move |before, after, _| {
            assert_edits(store, &[entry], before, after, names);
            edits::assert_set(store, &entry, &set, before, after);
        }),
    ))
}

#[track_caller]
fn assert_edits(store: &Store, entries: &[Entry], before: &Files, after: &Files, names: &[&str]) {
    assert!(before.keys().eq(after.keys()));
    for (path, bytes) in before {
        assert_edited(bytes, &after[path], &spans(store, path, entries), names);
    }
}

#[track_caller]
fn assert_others_same(before: &Files, after: &Files, but: &Path) {
    let others = |files: &Files| -> Files {
        files
            .iter()
            .filter(|(path, _)| *path != but)
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect()
    };
    assert_same(&others(before), &others(after));
}

fn id(store: &Store, entry: &Entry) -> Option<String> {
    store.id(entry).map(str::to_owned)
}

#[track_caller]
fn assert_buried(store: &Store, entries: &[Entry], before: &Files, after: &Files, now: &Store) {
    let broken: Vec<Entry> = entries.iter().filter(|own| own.state == State::Broken).copied().collect();
    let mut wanted = before.clone();
    for session in &store.sessions {
        let path = session.path.join("tombstones.jsonl");
        let own = entries.iter().filter(|own| store.document(own).path.starts_with(&session.path));
        let ids: BTreeSet<String> =
            own.filter(|own| own.state == State::Live).filter_map(|own| id(store, own)).collect();
        let mut previous = before.get(&path).cloned().unwrap_or_default();
        previous = without(&previous, &spans(store, &path, &broken));
        if !ids.is_empty() {
            let lines = added(&previous, &after[&path]);
            let said: Vec<serde_json::Value> =
                lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
            assert!(said.iter().all(|line| line["reason"] == "user_request"));
            let named: BTreeSet<String> =
                said.iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
            assert_eq!((named, said.len()), (ids.clone(), ids.len()));
            wanted.insert(path.clone(), after[&path].clone());
        } else if before.contains_key(&path) {
            wanted.insert(path.clone(), previous);
        }
        let log = session.path.join("memory.jsonl");
        let left = without(&before[&log], &spans(store, &log, &broken));
        wanted.insert(log, left);
        let hidden = now.entries.iter().filter(|own| now.document(own).path.starts_with(&session.path));
        let mut hidden = hidden.filter(|own| id(now, own).is_some_and(|own| ids.contains(&own)));
        assert!(hidden.all(|own| own.state == State::Deleted));
    }
    assert_same(&wanted, after);
}

#[track_caller]
fn assert_undeleted(store: &Store, entries: &[Entry], before: &Files, after: &Files, now: &Store) {
    let mut wanted = before.clone();
    for file in store.documents.iter().filter(|own| own.role == Role::Tombstones) {
        let folder = file.path.parent().unwrap();
        let own = entries.iter().filter(|own| store.document(own).path.starts_with(folder));
        let ids: Vec<String> = own.filter_map(|own| id(store, own)).collect();
        let named = file.records.iter().filter(|record| {
            let id = record.id();
            id.is_some_and(|id| ids.iter().any(|own| own == id))
        });
        let mut spans: Spans =
            named.map(|record| (record.span.start as usize, record.span.end as usize)).collect();
        spans.sort_unstable();
        wanted.insert(file.path.clone(), without(&file.bytes, &spans));
        let back = now.entries.iter().filter(|own| now.document(own).path.starts_with(folder));
        let mut back = back.filter(|own| id(now, own).is_some_and(|own| ids.contains(&own)));
        assert!(back.all(|own| own.state == State::Live));
    }
    assert_same(&wanted, after);
}

fn marked(record: &[u8], archived: &str) -> Vec<u8> {
    let mut object = object(record);
    let own = object.members.iter_mut().rev().find(|member| member.name == "archived").unwrap();
    own.value = archived.into();
    let members = object.members.iter().flat_map(|member| [&member.lead[..], &member.value[..]].concat());
    members.chain(object.tail.iter().copied()).collect()
}

fn one_line(record: &[u8]) -> Vec<u8> {
    record.iter().map(|byte| if b"\r\n".contains(byte) { b' ' } else { *byte }).collect()
}

fn move_records(
    store: &Store,
    entries: &[Entry],
    files: &mut Files,
    archived: &str,
    to: impl Fn(&Entry) -> PathBuf,
) {
    let previous = files.clone();
    for (path, bytes) in files.iter_mut() {
        *bytes = without(bytes, &spans(store, path, entries));
    }
    for entry in entries {
        let span = store.record(entry).span;
        let raw = &previous[&store.document(entry).path][span.range()];
        let line = [&one_line(&marked(raw, archived))[..], b"\n"].concat();
        let file = files.entry(to(entry)).or_default();
        *file = with_lines(file, &line);
    }
}

/// Fails unless the records are at the end of `log`, with other sessions alone.
#[track_caller]
fn assert_moved(store: &Store, entries: &[Entry], before: &Files, after: &Files, log: &Path) {
    let mut wanted = before.clone();
    for (path, bytes) in wanted.iter_mut() {
        *bytes = without(bytes, &spans(store, path, entries));
    }
    let previous = before.get(log).cloned().unwrap_or_default();
    let lines = added(&previous, &after[log]);
    assert_eq!(lines.len(), entries.len());
    for (entry, line) in entries.iter().zip(&lines) {
        assert_same_but(&one_line(&store.raw(entry)), line, &["session_id", "checksum"]);
    }
    wanted.insert(log.to_owned(), after[log].clone());
    assert_same(&wanted, after);
}

#[track_caller]
fn assert_archived(store: &Store, entries: &[Entry], before: &Files, after: &Files) {
    let mut wanted = before.clone();
    move_records(store, entries, &mut wanted, "true", |entry| archive_of(&store.document(entry).path));
    assert_same(&wanted, after);
}

#[track_caller]
fn assert_unarchived(store: &Store, entries: &[Entry], before: &Files, after: &Files) {
    let is_live = |entry: &&Entry| store.document(entry).role == Role::Records;
    let (stay, go): (Vec<Entry>, Vec<Entry>) = entries.iter().copied().partition(|own| is_live(&own));
    let mut wanted = before.clone();
    for entry in stay.iter().rev() {
        let span = store.record(entry).span;
        let file = wanted.get_mut(&store.document(entry).path).unwrap();
        let range = span.range();
        let record = marked(&file[range.clone()], "false");
        file.splice(range, record);
    }
    let moved = |entry: &Entry| {
        PathBuf::from(match store.memory(entry).unwrap().kind() {
            "core" => "core_memories.jsonl",
            "learning" => "learnings.jsonl",
            _ => "tasks.jsonl",
        })
    };
    // A moved record is appended: its place in the live files does not matter.
    let mut plain = before.clone();
    move_records(store, &go, &mut plain, "false", moved);
    for (path, bytes) in plain {
        let previous = before.get(&path).cloned().unwrap_or_default();
        let is_target = go.iter().any(|own| moved(own) == path);
        let lines = if is_target { bytes[with_lines(&previous, b"").len()..].to_vec() } else { Vec::new() };
        let file = wanted.entry(path.clone()).or_default();
        *file = if is_target {
            with_lines(file, &lines)
        } else if stay.iter().any(|own| store.document(own).path == path) {
            file.clone()
        } else {
            bytes
        };
    }
    assert_same(&wanted, after);
}

#[track_caller]
fn assert_repaired(store: &Store, before: &Files, after: &Files, now: &Store) {
    // Line breaks between members go, and a time read as UTC gets its zone. Nothing else changes.
    let meant = |raw: &[u8]| {
        let value = serde_json::from_slice::<Value>(raw);
        // That parser does not accept half a character as text.
        let bare = || String::from_utf8_lossy(raw).chars().filter(|own| !own.is_ascii_whitespace()).collect();
        let own: String = value.map_or_else(|_| bare(), |value| value.to_string());
        own.replace("Z\"", "\"").replace("T00:00:00\"", "\"")
    };
    let raws = |store: &Store| -> Vec<(PathBuf, String)> {
        let own = store.entries.iter().filter(|entry| entry.state != State::Broken);
        own.map(|own| (store.document(own).path.clone(), meant(&store.raw(own)))).collect()
    };
    let had = raws(store);
    let has = raws(now);
    // After the repair, the rest of a torn memory's line is a memory of its own.
    let mut left = has.iter();
    let lost = had.iter().find(|own| !left.any(|other| other == *own));
    assert_eq!(lost, None, "{has:#?}");
    let bad = [Code::GluedRecords, Code::ExtraBrace, Code::MultiLineRecord, Code::NoFinalNewline];
    let left: Vec<_> = now.problems.iter().filter(|own| bad.contains(&own.code)).collect();
    assert!(left.is_empty(), "{left:#?}");
    for (path, bytes) in before {
        let is_changed = |own: &&Problem| {
            own.file == *path
                && (bad.contains(&own.code)
                    || matches!(
                        own.code,
                        Code::TornLine | Code::NulBytes | Code::ByteOrderMark | Code::NoTimezone
                    ))
        };
        let lines = |own: &Problem| {
            let document = store.documents.iter().find(|document| document.path == own.file);
            let record = document.zip(own.record).and_then(|(own, at)| own.records.get(at as usize));
            let first = own.line.unwrap_or_default();
            first..first + record.map_or(1, |own| own.lines)
        };
        let troubled: BTreeSet<u32> = store.problems.iter().filter(is_changed).flat_map(lines).collect();
        let mut rest = &after[path][..];
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').zip(1..);
        // Intact lines stay the same, in the same order.
        let sound = lines.by_ref().filter(|(_, number)| !troubled.contains(number));
        for (line, _) in sound {
            let place = rest.windows(line.len()).position(|own| own == line);
            rest = &rest[place.expect("a sound line is gone") + line.len()..];
        }
    }
}
