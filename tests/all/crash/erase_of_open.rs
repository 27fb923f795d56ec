//! An erasure right after another change, while programs may have the replaced file open: its
//! content is overwritten in place. Each call fails, or the process is killed there. No other
//! memory is lost, and the erased one does not come back.

use std::collections::BTreeSet;

use palimp::model::{Plan, Store};
use palimp::ops::{self, FieldAssignment, Refusal, WriteContext};

use super::foreign::deeds::{DEEDS, Deed, Doing};
use super::foreign::town::{erasure, load, minutes_later, run, start};
use crate::faulty::{Errno, Fault, Faulty};
use crate::support::tries;

/// The formats whose memories are lines with ids.
const FORMATS: [&str; 3] = ["memory-server", "session-log", "bmad"];

fn ids(store: &Store) -> BTreeSet<String> {
    let views = store.entries.iter().filter_map(|entry| store.memory(entry));
    views.filter_map(|view| view.id().map(str::to_owned)).collect()
}

fn deed(name: &str) -> &'static Deed {
    DEEDS.iter().find(|own| own.name == name).unwrap()
}

/// A store whose last edit is seconds old, so that the replaced file may be open.
fn edited(format: &'static str) -> Faulty {
    let disk = start(format, deed("erase")).unwrap();
    run(&disk, format, Doing::Plan(edit_last)).unwrap().unwrap();
    disk
}

/// Edits the last memory: an erasure that has overwritten half of a file has not reached it.
fn edit_last(context: &WriteContext<'_>) -> Result<Plan, Refusal> {
    let set = [FieldAssignment { name: "text", value: "Another text, and a longer one than before." }];
    let mut edits =
        context.store.entries.iter().rev().filter_map(|entry| ops::edit::edit(context, entry, &set).ok());
    edits.next().ok_or_else(|| Refusal::unfit("nothing can be edited"))
}

fn is_wrong(format: &'static str, step: usize, fault: Fault) -> Option<String> {
    let disk = edited(format);
    let store = load(&disk, format);
    let (_, targets) = erasure(&disk, &store).unwrap();
    let gone = targets[0].name().unwrap().to_owned();
    let before = ids(&store);
    disk.fail_at(disk.steps() + step, fault);
    let outcome = run(&disk, format, Doing::Erase)?;
    let disk = disk.restart();
    if let Err(why) = minutes_later(&disk, format) {
        return Some(format!("the next start fails: {why}"));
    }
    let now = ids(&load(&disk, format));
    let lost: Vec<&String> = before.difference(&now).filter(|id| **id != gone).collect();
    if !lost.is_empty() {
        return Some(format!("{lost:?} are lost"));
    }
    (outcome.is_ok() && now.contains(&gone)).then(|| format!("{gone} is back"))
}

#[test]
fn an_erasure_of_what_programs_have_open_loses_no_other_memory_wherever_it_is_stopped() {
    let (mut count, mut wrong) = (0, Vec::new());
    for format in tries::some(FORMATS, &[1]) {
        let disk = edited(format);
        let begins = disk.steps();
        run(&disk, format, Doing::Erase).unwrap().unwrap();
        for step in tries::spread(disk.steps() - begins, 12) {
            for fault in [Fault::Crash, Fault::Error(Errno::IO)] {
                count += 1;
                let what = is_wrong(format, step, fault);
                wrong.extend(what.map(|what| format!("{format} {fault:?} at {step}: {what}")));
            }
        }
    }
    assert!(count > 20, "{count}");
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
}
