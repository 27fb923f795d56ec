//! Agents that write between plan and commit, and during the commit.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use palimp::disk::Disk;
use palimp::model::{Act, Entry, Plan, Store};
use palimp::ops::{FieldAssignment, edit};
use palimp::store::{CommitError, FilesState as Fate};
use palimp::text::canonical::{self, Checksum};
use palimp::text::json_scanner::Tape;

use super::chance::Chance;
use super::deeds::{DEEDS, Deed, planned};
use super::expected::{assert_same, text};
use super::scanner::object;
use super::sequence::{Lines, difference};
use super::site::{Site, assert_agreeing, is_data};
use super::stores::Files;
use super::{stores, told};
use crate::support::tries::seed;

fn as_planned(plan: &Plan, before: &Files) -> Files {
    let mut files = before.clone();
    for change in &plan.changes {
        match change.after() {
            Some(bytes) => files.insert(change.path.clone(), bytes.to_vec()),
            None => files.remove(&change.path),
        };
    }
    files
}

fn sum(mut lines: Lines, more: Lines) -> Lines {
    for (line, count) in more {
        *lines.entry(line).or_default() += count;
    }
    lines.retain(|_, count| *count != 0);
    lines
}

fn shown(lines: &Lines) -> Vec<String> {
    lines.iter().map(|((path, line), count)| format!("{count} {} {}", path.display(), text(line))).collect()
}

/// Returns a record that the plan does not change and that is alone on its line.
fn bystander(store: &Store, plan: &Plan, chance: &mut Chance) -> Option<Entry> {
    let touched = |entry: &&Entry| {
        let (document, span) = (store.document(entry), store.record(entry).span);
        let changes = plan.changes.iter().filter(|change| change.path == document.path);
        changes
            .flat_map(|change| match &change.act {
                Act::Splice(splices) => splices.iter().map(|own| (own.start, own.end())).collect(),
                _ => Vec::new(),
            })
            .any(|(start, end)| start <= span.end && span.start <= end)
    };
    let alone = |entry: &&Entry| {
        let (bytes, span) = (&store.document(entry).bytes, store.record(entry).span);
        let starts = span.start == 0 || bytes[span.start as usize - 1] == b'\n';
        starts && bytes.get(span.end as usize) == Some(&b'\n') && store.memory(entry).is_some()
    };
    let free: Vec<Entry> = store.entries.iter().filter(|own| !touched(own)).filter(alone).copied().collect();
    (!free.is_empty()).then(|| *chance.one_of(&free))
}

fn line_of(seed: u64, number: usize) -> String {
    format!(
        "{{\"id\":\"agent_{seed}_{number}\",\"session_id\":\"s_one\",\"type\":\"finding\",\"content\":{{\"finding\":\"x\"}},\"timestamp\":\"1970-01-05T00:00:00Z\"}}\n"
    )
}

/// Appends like an agent that checks whether the last line has a line end.
fn append(disk: &crate::faulty::Faulty, file: &PathBuf, line: &str) {
    let Some(bytes) = disk.files().remove(file) else { return };
    let end = if bytes.last().is_some_and(|byte| *byte != b'\n') { "\n" } else { "" };
    let mut out = disk.append(file).unwrap();
    out.write([end, line].concat().as_bytes()).unwrap();
}

/// One plan, with an agent that writes before or during the commit.
fn one(seed: u64, format: &'static str) -> bool {
    let mut chance = Chance::new(seed);
    let site = Site::new(format, &stores::random(&mut chance, format));
    let store = site.store();
    let before = site.files();
    let deed = *chance.one_of(&DEEDS);
    let context = site.context(&store, &mut chance);
    let Ok((plan, _)) = planned(deed, &context, &mut chance) else { return false };
    if plan.is_empty() || deed == Deed::Reindex {
        return false;
    }
    let logs: Vec<PathBuf> =
        before.keys().filter(|path| path.extension().is_some_and(|end| end == "jsonl")).cloned().collect();
    if logs.is_empty() {
        return false;
    }
    let mut agents_files = before.clone();
    if let Some(entry) = bystander(&store, &plan, &mut chance).filter(|_| chance.once_in(2)) {
        let (document, span) = (store.document(&entry), store.record(&entry).span);
        let (start, end) = (span.start as usize, span.end as usize);
        let mut record = object(&document.bytes[start..end]);
        record.members.last_mut().unwrap().value = b"\"an agent was here\"".to_vec();
        let changed: Vec<u8> = record
            .members
            .iter()
            .flat_map(|own| [&own.lead[..], &own.value[..]].concat())
            .chain(record.tail.iter().copied())
            .collect();
        let bytes = [&document.bytes[..start], &changed, &document.bytes[end..]].concat();
        site.write(document.path.to_str().unwrap(), bytes.clone());
        agents_files.insert(document.path.clone(), bytes);
    }
    for number in 0..chance.below(3) {
        let path = chance.one_of(&logs);
        append(&site.disk.another(), &site.place.root.join(path), &line_of(seed, number));
    }
    agents_files = site
        .files()
        .into_iter()
        .chain(agents_files.into_iter().filter(|(path, _)| !before.contains_key(path)))
        .collect();
    let disturbed = site.store();
    let meanwhile: Arc<Mutex<Vec<(PathBuf, String)>>> = Arc::default();
    if chance.once_in(2) {
        let (step, log) = (site.disk.steps() + chance.below(30), chance.one_of(&logs).clone());
        let (path, said) = (site.place.root.join(&log), Arc::clone(&meanwhile));
        let (line, mut count) = (line_of(seed, 9), site.disk.steps());
        site.disk.before(move |_, disk| {
            count += 1;
            if count == step && disk.files().contains_key(&path) {
                append(disk, &path, &line);
                said.lock().unwrap().push((log.clone(), line.clone()));
            }
        });
    }
    let outcome = site.commit(&plan);
    let more: Lines = meanwhile
        .lock()
        .unwrap()
        .iter()
        .map(|(path, line)| ((path.clone(), line.trim_end().as_bytes().to_vec()), 1))
        .collect();
    let agents = sum(difference(&agents_files, &before), more);
    match outcome {
        Ok(_) => {
            let planned = difference(&as_planned(&plan, &before), &before);
            let wanted = sum(planned, agents);
            assert_eq!(shown(&wanted), shown(&difference(&site.files(), &before)), "{deed:?}");
            // If the agent writes after the last look, it must update the index itself.
            if meanwhile.lock().unwrap().is_empty() {
                assert_agreeing(&disturbed, &site.store());
            }
        }
        Err(error) => {
            assert_ne!(error.files(), Fate::Halfway, "{error}");
            assert_eq!(shown(&agents), shown(&difference(&site.files(), &before)), "{deed:?}: {error}");
            return false;
        }
    }
    true
}

#[test]
fn what_agents_write_between_plan_and_commit_is_there_once_beside_what_was_planned() {
    let rounds: u64 = crate::support::tries::count(25, 5_000);
    for format in ["session-log", "memory-server"] {
        let done = (0..rounds).map(|n| seed() + n).filter(|&seed| told(seed, || one(seed, format))).count();
        assert!(done > rounds as usize / 3, "{done} of {rounds}");
    }
}

const LOG: &str = "sessions/s/memory.jsonl";

fn entry(id: &str, rest: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"type\":\"finding\",\"timestamp\":\"1970-01-05T00:00:00Z\",\"content\":{{\"finding\":\"x\"}},\"importance\":0.5,\"tags\":[]{rest}}}"
    )
}

type Sign = fn(palimp::text::json::Json<'_>) -> String;

fn signed(record: &str, sign: Sign) -> String {
    let mut tape = Tape::default();
    let checksum = sign(palimp::text::json_edit::scan(&mut tape, record.as_bytes()).unwrap());
    let raw = format!("\"{checksum}\"");
    String::from_utf8(palimp::text::json_edit::set(record.as_bytes(), &["checksum"], &raw).unwrap()).unwrap()
}

fn site_of(lines: &str) -> Site {
    let files = BTreeMap::from([(PathBuf::from(LOG), lines.as_bytes().to_vec())]);
    Site::new("session-log", &files)
}

/// Plans an edit of the first entry, lets an agent change the log to `theirs`, and commits.
fn race(site: &Site, name: &str, value: &str, theirs: &str) -> Result<String, CommitError> {
    let store = site.store();
    let context = site.context(&store, &mut Chance::new(1));
    let plan = edit::edit(&context, &store.entries[0], &[FieldAssignment { name, value }]).unwrap();
    site.write(LOG, theirs);
    site.commit(&plan)?;
    Ok(String::from_utf8(site.files()[&PathBuf::from(LOG)].clone()).unwrap())
}

#[test]
fn two_changes_of_one_field_are_a_conflict_and_nothing_changes() {
    let site = site_of(&format!("{}\n", entry("a", "")));
    let theirs = format!("{}\n", entry("a", "").replace("0.5", "0.9"));
    let error = race(&site, "importance", "0.1", &theirs).unwrap_err();
    let CommitError::Conflict { found, files, .. } = &error else { panic!("{error}") };
    assert_eq!((found.as_deref(), *files), (Some(theirs.as_bytes()), Fate::Untouched));
    let wanted = BTreeMap::from([(PathBuf::from(LOG), theirs.into_bytes())]);
    assert_same(&wanted, &site.files().into_iter().filter(|(path, _)| is_data(path)).collect());
    assert!(site.undo().is_err(), "what was refused is no step");
}

#[test]
fn counts_that_a_repair_rewrites_also_count_what_an_agent_adds_meanwhile() {
    let (index, metadata) = ("sessions/s/index.json", "sessions/s/metadata.json");
    // A second mark makes what follows no JSON.
    for marks in ["\u{feff}", "\u{feff}\u{feff}"] {
        let counts = format!("{marks}{{\"session_id\":\"s\",\"total_entries\":1}}");
        let files = [(LOG, ""), (index, &format!("{marks}{{}}")), (metadata, &counts)];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.into())).into();
        let site = Site::new("session-log", &files);
        let store = site.store();
        let context = site.context(&store, &mut Chance::new(1));
        let plan = crate::support::plans::all_safe(&context).unwrap().plan.unwrap();
        site.append(LOG, format!("{}\n", entry("a", "")).as_bytes());
        site.commit(&plan).unwrap();
        assert_agreeing(&site_of("").store(), &site.store());
    }
}

#[test]
fn changes_of_two_fields_of_one_record_both_hold() {
    let site = site_of(&format!("{}\n", entry("a", "")));
    let theirs = format!("{}\n", entry("a", ",\"x\":1.0"));
    let found = race(&site, "importance", "0.1", &theirs).unwrap();
    assert_eq!(found, theirs.replace("0.5", "0.1"));
    assert_agreeing(&site_of("").store(), &site.store());
}

#[test]
fn where_both_signed_their_change_the_record_that_holds_both_is_signed_again() {
    for (sign, flavour) in
        [(canonical::checksum as Sign, Checksum::Canonical), (canonical::legacy_checksum, Checksum::Legacy)]
    {
        let own = entry("a", ",\"nested\":{\"deep\":1}");
        let site = site_of(&format!("{}\n", signed(&own, sign)));
        let theirs = signed(&own.replace("\"tags\":[]", "\"tags\":[\"t\"]"), sign);
        let found = race(&site, "importance", "0.1", &format!("{theirs}\n")).unwrap();
        assert!(found.contains("\"tags\":[\"t\"]") && found.contains("\"importance\":0.1"), "{found}");
        let mut tape = Tape::default();
        let value = palimp::text::json_edit::scan(&mut tape, found.as_bytes()).unwrap();
        assert_eq!(canonical::verify(value), Some(flavour), "{found}");
    }
}

#[test]
fn a_record_that_an_agent_changed_without_signing_it_goes_on_not_matching() {
    let own = signed(&entry("a", ""), canonical::checksum);
    let site = site_of(&format!("{own}\n"));
    let theirs = format!("{}\n", own.replace("\"finding\":\"x\"", "\"finding\":\"y\""));
    let found = race(&site, "importance", "0.1", &theirs).unwrap();
    assert_eq!(found, theirs.replace("\"importance\":0.5", "\"importance\":0.1"));
}

#[test]
fn a_deletion_never_hits_a_record_that_came_after_it_was_planned() {
    let twin = format!("{}\n", entry("a", ""));
    let site = site_of(&[&twin[..], &twin].concat());
    let store = site.store();
    let context = site.context(&store, &mut Chance::new(1));
    let asked = palimp::ops::delete::DeleteOptions { remove: true, ..Default::default() };
    let plan = palimp::ops::delete::delete(&context, &store.entries, &asked).unwrap();
    site.append(LOG, format!("{twin}{}\n", entry("b", "")).as_bytes());
    site.commit(&plan).unwrap();
    assert_eq!(
        text(&site.files()[&PathBuf::from(LOG)]),
        text(format!("{twin}{}\n", entry("b", "")).as_bytes())
    );
}

#[test]
fn undo_after_an_agent_wrote_undoes_the_step_alone() {
    let first = entry("a", "");
    let site = site_of(&first);
    let store = site.store();
    let context = site.context(&store, &mut Chance::new(1));
    let plan = edit::edit(
        &context,
        &store.entries[0],
        &[FieldAssignment { name: "content", value: "\"longer text than it was\"" }],
    );
    site.commit(&plan.unwrap()).unwrap();
    site.append(LOG, format!("\n{}\n", entry("b", "")).as_bytes());
    site.undo().unwrap();
    let wanted = format!("{first}\n{}\n", entry("b", ""));
    assert_eq!(text(&site.files()[&PathBuf::from(LOG)]), text(wanted.as_bytes()));
    site.redo().unwrap();
    let store = site.store();
    assert_eq!(super::site::disagreements(&store), []);
}

#[test]
fn an_equal_record_that_came_between_plan_and_commit_keeps_none_from_coming_back() {
    let (one, other) = (entry("a", ""), entry("b", ""));
    let theirs = [
        format!("{one}\n{other}\n{one}\n"),
        format!("{other}\n{one}\n{one}\n"),
        format!("{other}\n{one}\n{other}\n{one}\n"),
    ];
    for theirs in theirs {
        let site = site_of(&format!("{one}\n{other}\n"));
        let store = site.store();
        let context = site.context(&store, &mut Chance::new(1));
        let asked = palimp::ops::delete::DeleteOptions { remove: true, ..Default::default() };
        let plan = palimp::ops::delete::delete(&context, &store.entries[..1], &asked).unwrap();
        site.write(LOG, &*theirs);
        site.commit(&plan).unwrap();
        let text = || String::from_utf8(site.files()[&PathBuf::from(LOG)].clone()).unwrap();
        assert_eq!(text().matches(&one).count(), 1, "{theirs}");
        let step = site.last_step();
        let line = step.files.iter().find(|file| file.path == *LOG).unwrap();
        assert_eq!((line.bytes_before, line.bytes_after), (theirs.len() as u64, text().len() as u64));
        site.undo().unwrap();
        assert_eq!(text().matches(&one).count(), 2, "{theirs}");
        assert_eq!(text().len(), theirs.len(), "{theirs}");
    }
}
