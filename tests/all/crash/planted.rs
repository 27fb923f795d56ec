//! Planted faults prove that the checks work: in the disk, a plan's order, and what is made durable.

use crate::faulty::Lie;
use palimp::model::{Act, Plan, Verb};
use palimp::ops::delete::{DeleteOptions, delete};
use palimp::ops::{self, WriteContext, archive, edit};

use super::bench::Bench;
use super::careless::Slip;
use super::cases::{found, named};
use super::judge::Judge;
use super::sweep::{Share, Sweep};
use crate::support::tries;

const EDIT: (&str, &str) = ("session-log", "edit");
const ADD: (&str, &str) = ("session-log", "add");
const ARCHIVE: (&str, &str) = ("memory-server", "archive");

fn finds_lies(lies: &[Lie], (format, name): (&str, &str)) -> bool {
    Sweep::of(Bench::of(named(format, name)), lies).finds(lies)
}

#[test]
fn a_disk_that_lies_is_found() {
    let all = [
        (Lie::SyncDoesNothing, EDIT),
        (Lie::SyncDoesNothing, ADD),
        (Lie::FolderSyncDoesNothing, EDIT),
        (Lie::FolderSyncDoesNothing, ARCHIVE),
        (Lie::RenameBeforeSync, EDIT),
        (Lie::RenameInPlace, EDIT),
        (Lie::UnlinkFirst, EDIT),
        (Lie::RemoveDoesNothing, EDIT),
        (Lie::LinkDoesNothing, ("memory-server", "init")),
    ];
    for (lie, case) in tries::some(all, &[0, 3, 5, 8]) {
        // Without exchange, files are replaced by a rename.
        let lies = match lie {
            Lie::RenameInPlace | Lie::UnlinkFirst => vec![lie, Lie::NoExchange],
            _ => vec![lie],
        };
        assert!(finds_lies(&lies, case), "{lie:?} in {case:?}");
    }
}

#[test]
fn a_coarse_clock_numbers_given_again_and_writes_in_two_do_no_harm() {
    for (lies, case) in [
        ([Lie::ClockStops, Lie::InodeNumbersReused], EDIT),
        ([Lie::ClockStops, Lie::InodeNumbersReused], ARCHIVE),
        ([Lie::ClockStops, Lie::WriteInTwo], ADD),
    ] {
        let wrong = Sweep::of(Bench::of(named(case.0, case.1)), &lies).cut(&lies, Share::of(17, 2, 1));
        assert!(wrong.is_empty(), "{}", super::cut::told(wrong));
    }
}

/// True if the checks of the right plan refuse the wrong one.
fn finds_plan(
    (format, name): (&str, &str),
    right: Option<fn(&WriteContext<'_>) -> Plan>,
    wrong: fn(&WriteContext<'_>) -> Plan,
) -> bool {
    let case = named(format, name);
    let right = right.map_or_else(|| Bench::of(case), |right| Bench::with_plan(case, right));
    let judge = Judge::of(&right);
    let good = Sweep::of(right, &[]).cut(&[], Share::of(29, 2, 0));
    assert!(good.is_empty(), "{}", super::cut::told(good));
    let mut sweep = Sweep::of(Bench::with_plan(case, wrong), &[]);
    sweep.judge = judge;
    sweep.finds(&[])
}

fn archived(context: &WriteContext<'_>) -> Plan {
    archive::archive(context, &found(context, &["00000000-0000-4000-8000-0000000000a2"])).unwrap()
}

#[test]
fn a_removal_before_its_copy_is_found() {
    assert!(finds_plan(("memory-server", "archive behind others"), None, |context| {
        let mut plan = archived(context);
        plan.changes.sort_by_key(|change| !matches!(change.act, Act::Splice(_)));
        plan
    }));
}

#[test]
fn a_backup_after_the_change_is_found() {
    assert!(finds_plan(("memory-server", "edit"), None, |context| {
        let id = "00000000-0000-4000-8000-0000000000c1";
        let set = palimp::ops::FieldAssignment {
            name: "text",
            value: "Another text, and a longer one than before.",
        };
        let mut plan = edit::edit(context, &found(context, &[id])[0], &[set]).unwrap();
        plan.changes.sort_by_key(|change| !matches!(change.act, Act::Splice(_)));
        plan
    }));
}

/// A tombstone and the removal of its record in one plan.
fn buried(context: &WriteContext<'_>) -> Plan {
    let entries = found(context, &["mem_001"]);
    let mut plan = delete(context, &entries, &DeleteOptions::default()).unwrap();
    let removal =
        delete(context, &entries, &DeleteOptions { remove: true, ..DeleteOptions::default() }).unwrap();
    plan.changes.extend(removal.changes);
    ops::plan(Verb::Delete, context, 1, plan.changes).unwrap()
}

#[test]
fn a_tombstone_after_its_data_goes_is_found() {
    assert!(finds_plan(("session-log", "delete with remove"), Some(buried), |context| {
        let mut plan = buried(context);
        plan.changes.reverse();
        plan
    }));
}

fn edited(context: &WriteContext<'_>) -> Plan {
    let set = palimp::ops::FieldAssignment { name: "tags", value: "[\"c\"]" };
    edit::edit(context, &found(context, &["mem_002"])[0], &[set]).unwrap()
}

#[test]
fn what_is_derived_before_its_data_is_found() {
    assert!(finds_plan(EDIT, Some(edited), |context| {
        let mut plan = edited(context);
        let derived = std::mem::take(&mut plan.derived);
        plan.changes.splice(..0, derived);
        plan
    }));
}

#[test]
fn what_is_derived_and_forgotten_is_found() {
    assert!(finds_plan(EDIT, Some(edited), |context| Plan { derived: Vec::new(), ..edited(context) }));
}

#[test]
fn a_program_that_leaves_something_out_is_found() {
    for (slip, case) in [
        (Slip::KeepsNoUndo, ARCHIVE),
        (Slip::UndoUnsynced, ARCHIVE),
        (Slip::TempUnsynced, EDIT),
        (Slip::LogUnsynced, ADD),
        (Slip::FolderUnsynced, EDIT),
        (Slip::TempsStay, ARCHIVE),
    ] {
        let mut sweep = Sweep::of(Bench::of(named(case.0, case.1)), &[]);
        sweep.slip = Some(slip);
        assert!(sweep.finds(&[]), "{slip:?} in {case:?}");
    }
}
