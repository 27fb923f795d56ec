//! A property of restores in every format: each record gets what the comparison says, lines that
//! agents append stay, nothing else changes, and undo restores the bytes.

mod desk;

use desk::*;

use crate::support;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palimp::model::time::DAY;
use palimp::model::{EntryRef, Moment, Role, Snapshot, State};
use palimp::ops::backup_restore::comparison::{BackupComparison, DifferenceKind, RecordDifference};
use palimp::usecase::{
    ArchiveMemories, BackupRestore, ChangeReport, ChangeRequest, Command, EditMemory, EraseOptions,
    PlannedChange, Requester, ReverseLast,
};
use palimp::work::{Inspect, InspectRequest, Inspected, Job, JobResult, OpenedBackup, WorkerState, run_job};
use palimp::{demo, store};
use proptest::prelude::*;

fn expected(now: &[u8], compared: &BackupComparison, chosen: &HashSet<u64>) -> Vec<u8> {
    let own = |kind: DifferenceKind| {
        let comes = move |own: DifferenceKind| {
            own == kind || kind == DifferenceKind::Missing && own == DifferenceKind::Deleted
        };
        let is =
            move |item: &&RecordDifference| comes(item.kind) && item.can_come && chosen.contains(&item.at);
        let mut own: Vec<&RecordDifference> = compared.items.iter().filter(is).collect();
        own.sort_by_key(|item| item.at);
        own
    };
    let mut bytes = now.to_vec();
    for item in own(DifferenceKind::Changed) {
        let at = memchr::memmem::find(&bytes, &item.is).unwrap();
        bytes.splice(at..at + item.is.len(), one_line(&item.was));
    }
    let missing = own(DifferenceKind::Missing);
    if !missing.is_empty() && !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    for item in missing {
        bytes.extend(one_line(&item.was));
        bytes.push(b'\n');
    }
    bytes
}

/// Returns a file without lines that agents added, and whether all of these were there.
fn without(bytes: &[u8], late: &[u8]) -> (Vec<u8>, bool) {
    let late = late.strip_prefix(b"\n").unwrap_or(late);
    match memchr::memmem::rfind(bytes, late).filter(|_| !late.is_empty()) {
        Some(at) => ([&bytes[..at], &bytes[at + late.len()..]].concat(), true),
        None => (bytes.to_vec(), late.is_empty()),
    }
}

fn differing(is: &[u8], should: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> Vec<String> {
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| format!("{:?}", String::from_utf8_lossy(line)))
            .collect()
    };
    let (is, should) = (lines(is), lines(should));
    let more = is.iter().filter(|line| !should.contains(line)).map(|line| format!("is:        {line}\n"));
    let less = should.iter().filter(|line| !is.contains(line)).map(|line| format!("should be: {line}\n"));
    let order = format!("{} lines, not {}", is.len(), should.len());
    more.chain(less).chain([order]).collect()
}

/// The long form prints what it tries.
fn told(format: &str, whole: bool, late: &BTreeMap<PathBuf, Vec<u8>>, compared: &BackupComparison) {
    if crate::support::tries::is_long() {
        let kinds: Vec<String> = DifferenceKind::ALL
            .iter()
            .map(|&kind| (kind, compared.count(kind)))
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.as_str()))
            .collect();
        let way = if whole { "whole" } else { "records" };
        println!("restored: {format} {way}, {} late, of {}", late.len(), kinds.join(", "));
    }
}

const FORMATS: [&str; 5] = ["memory-server", "session-log", "agent-memory", "bmad", "a-mem"];

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 60, ..crate::support::tries::config(2, 300) })]

    #[test]
    fn what_is_said_of_each_record_is_what_a_restore_does_in_every_format(
        seed in 0..1000_u64, format in proptest::sample::select(FORMATS.to_vec()), happenings in happenings(),
        pick in any::<u16>(), chosen in proptest::collection::vec(any::<bool>(), 24),
        whole in proptest::bool::weighted(0.3), appends in any::<bool>(), beside in any::<u16>()
    ) {
        let mut desk = Desk::new(seed, format);
        desk.verb(&["backup", "create", "--yes"]);
        let mut erased: Vec<Vec<u8>> = Vec::new();
        for (number, what) in happenings.iter().enumerate() {
            erased.extend(desk.happens(what, number));
        }
        let Some(opened) = desk.open(usize::from(pick)) else { return Ok(()) };
        let compared = opened.compared.clone();
        let whole = whole || compared.whole_only.is_some();
        let path = desk.root().join(&compared.file);
        let before = desk.files();
        let mut picks = chosen.iter().cycle();
        let can_come: Vec<&RecordDifference> = compared.items.iter().filter(|item| item.can_come).collect();
        let chosen: HashSet<u64> = can_come.iter().filter(|_| *picks.next().unwrap()).map(|item| item.at).collect();
        let restoring = BackupRestore {
            store: 0, copy: opened.copy.clone(), bytes: Arc::clone(&opened.bytes),
            chosen: chosen.clone(), whole,
        };
        let planned = desk.plan(restoring, Vec::new());
        prop_assert_eq!(&desk.files(), &before, "a plan writes nothing");
        let Ok(planned) = planned else { return Ok(()) };
        if planned.plans.iter().all(|own| own.plan.is_empty()) {
            return Ok(());
        }
        let plan = planned.plans[0].plan.clone();
        let mut late: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        if appends {
            for log in [path.clone()].into_iter().chain(desk.log(beside)) {
                if log.extension().is_some_and(|end| end == "jsonl") && log.exists() && !late.contains_key(&log) {
                    let line = append(&log, 1000 + late.len());
                    late.insert(log, line);
                }
            }
        }
        let meanwhile = desk.files();
        let outcome = desk.commit(planned);
        let after = desk.files();
        if let Err(why) = &outcome {
            prop_assert!(why.contains("Nothing was changed"), "{}", why);
            prop_assert_eq!(&after, &meanwhile, "{}", why);
            return Ok(());
        }
        told(format, whole, &late, &compared);
        // The file itself.
        let none = Vec::new();
        let own_late = late.get(&path).unwrap_or(&none);
        let now = before.get(&path).cloned().unwrap_or_default();
        let is = after.get(&path).cloned().unwrap_or_default();
        let (is_own, kept) = without(&is, own_late);
        prop_assert!(kept, "an agent's line is lost of {}", path.display());
        let should = match whole {
            false => expected(&now, &compared, &chosen),
            true => plan.changes.iter().find(|own| own.path == compared.file).and_then(|own| own.after()).map(|own| own.to_vec()).unwrap_or(now),
        };
        // An agent may add a line end for a last line without one. It may come with the agent's line.
        let counts = desk.role(&path) == Some(Role::Metadata) && !late.is_empty();
        let is_closed = own_late.starts_with(b"\n") || !own_late.is_empty() && !should.ends_with(b"\n");
        let alike = is_own == should || counts || is_closed
            && is_own.strip_suffix(b"\n").unwrap_or(&is_own) == should.strip_suffix(b"\n").unwrap_or(&should);
        prop_assert!(alike, "{}\n{}", path.display(), differing(&is_own, &should));
        if whole && desk.role(&path) != Some(Role::Metadata) {
            let is_left = |item: &RecordDifference| item.kind == DifferenceKind::Deleted && !chosen.contains(&item.at);
            for item in compared.items.iter().filter(|item| is_left(item)) {
                let has = memchr::memmem::find(&is, &item.was).is_some();
                prop_assert!(!has, "{:?} was deleted, and is back", item.id);
            }
            // A record that moved to another file, such as the archive, stays there alone.
            let has_moved = |item: &RecordDifference| item.kind == DifferenceKind::Elsewhere && item.has_moved;
            let comes = |item: &&RecordDifference| item.kind != DifferenceKind::Erased && !item.kind.is_only_here() && !is_left(item) && !has_moved(item);
            for item in compared.items.iter().filter(comes) {
                let has = memchr::memmem::find(&is, &item.was).is_some();
                prop_assert!(has, "{:?} {:?} is not as it was", item.kind, item.id);
            }
            for item in compared.items.iter().filter(|item| item.kind.is_only_here()) {
                let copied = memchr::memmem::find(&opened.bytes, &item.is).is_some();
                prop_assert!(copied || memchr::memmem::find(&is, &item.is).is_none(), "{:?} is not lost", item.id);
            }
        }
        for own in &erased {
            prop_assert!(memchr::memmem::find(&is_own, own).is_none(), "{} is back", String::from_utf8_lossy(own));
        }
        // Everything else.
        let planned: HashSet<PathBuf> = plan.all().map(|own| desk.root().join(&own.path)).collect();
        for (other, bytes) in meanwhile.iter().filter(|(other, _)| **other != path) {
            let is_derived = matches!(desk.role(other), Some(Role::Index | Role::Metadata)) || plan.derive_after;
            let same = after.get(other) == Some(bytes);
            prop_assert!(same || planned.contains(other) || is_derived, "{} is another", other.display());
        }
        // The comparison afterwards.
        if let (Some(again), false) = (desk.open_same(&opened), whole) {
            let left = |item: &RecordDifference| chosen.contains(&item.at) && item.can_come;
            let left: Vec<_> = again.compared.items.iter().filter(|item| left(item)).map(|item| item.id.clone()).collect();
            prop_assert!(left.is_empty(), "still to come: {:?}", left);
        }
        // And undo.
        let undo = desk.request(ReverseLast { is_redo: false }, Vec::new());
        let JobResult::ChangeDone(undone) = desk.perform(Job::Change(undo)) else { panic!("no undo") };
        if counts && undone.is_err() {
            // Undo may refuse a count that also includes the agent's line.
            prop_assert_eq!(desk.files(), after);
            return Ok(());
        }
        prop_assert!(undone.is_ok(), "{:?}", undone);
        let back = desk.files();
        for (other, bytes) in &meanwhile {
            let is_derived = matches!(desk.role(other), Some(Role::Index | Role::Metadata)) && !late.is_empty();
            let is = back.get(other).cloned().unwrap_or_default();
            prop_assert!(
                is == *bytes || is_derived || other.to_string_lossy().contains("/docs/") && !late.is_empty(),
                "{} is not as it was before the restore:\n{}",
                other.display(), differing(&is, bytes)
            );
        }
    }
}
