//! A change of one record of a long log, without reading the rest: each of its calls fails, or the
//! process is killed there. The record is changed if that was reported, the others are as before.
//! Derived files are right after the next start; until then they are noted as due.

use palimp::model::{Extent, Role, Store, StoreScope};
use palimp::ops::{self, WriteContext};
use palimp::store::commit::{Vault, Writer, is_settled};
use palimp::store::{Place, load_from};
use std::path::Path;

use super::bench::{DATA, host};
use super::every_verb::stale;
use super::foreign::town::{load, minutes_later, root};
use super::machine::{NOW, Still};
use super::open_memory::large;
use crate::faulty::{Errno, Fault, Faulty};
use crate::support::tries;

/// The formats with separate sessions.
const FORMATS: [&str; 2] = ["session-log", "bmad"];
const ID: &str = "many_0017";

/// Adds a tag to the record, and reads only that record.
fn tag(disk: &Faulty, format: &'static str, tag: &str, fault: Option<(usize, Fault)>) -> Result<(), String> {
    let whole = load(disk, format);
    let is_it = |own: &&palimp::model::Entry| whole.view(own).is_some_and(|view| view.id == Some(ID));
    let session = whole.session(whole.entries.iter().find(is_it).unwrap()).unwrap().name.clone();
    if let Some((step, fault)) = fault {
        disk.fail_at(disk.steps() + step, fault);
    }
    let only = StoreScope { session, record: Some(ID.to_owned()) };
    let place = Place { scope: Some(only), ..Place::whole(root(format).into(), format) };
    let store = load_from(disk, &place, Extent::Whole, None, NOW);
    let logs = store.documents.iter().filter(|own| own.role == Role::Records && own.len >= 64 << 10);
    assert_eq!(logs.map(|own| own.records.len()).sum::<usize>(), 1, "{format}: the others were read");
    let entry =
        *store.entries.iter().find(|own| store.view(own).is_some_and(|own| own.id == Some(ID))).unwrap();
    let context = WriteContext::of(&store, NOW, [9; 16]);
    let plan = ops::tag::tag(&context, &[entry], &[tag.to_owned()], &[]).unwrap();
    assert!(plan.derive_later && plan.derived.is_empty(), "{format}");
    let machine = if fault.is_some() { Still::first() } else { Still::next() };
    let outcome =
        Writer::open(host(disk, &machine), &store).and_then(|writer| writer.commit(&plan).map(drop));
    outcome.map_err(|error| error.to_string())
}

/// Returns the ids of all records, and whether the one is tagged.
fn said(store: &Store) -> (Vec<String>, bool) {
    let views = || store.entries.iter().filter_map(|entry| store.view(entry));
    let ids = views().filter_map(|view| view.id.map(str::to_owned)).collect();
    let tags = views().find(|view| view.id == Some(ID)).map(|view| view.tags.iter().any(|tag| tag == "seen"));
    (ids, tags == Some(true))
}

fn is_wrong(format: &'static str, step: usize, fault: Fault) -> Option<String> {
    let disk = large(format);
    let (before, _) = said(&load(&disk, format));
    let is_done = tag(&disk, format, "seen", Some((step, fault))).is_ok();
    let disk = disk.restart();
    let vault = Vault::open_read_only(&disk, Path::new(DATA), root(format));
    let is_known = vault.is_unfinished().is_ok_and(|is| is);
    if !stale(&disk, format).is_empty() && !is_known {
        return Some(format!("{:?} are stale, and nothing says so", stale(&disk, format)));
    }
    if let Err(why) = minutes_later(&disk, format) {
        return Some(format!("the next start fails: {why}"));
    }
    let (after, is_tagged) = said(&load(&disk, format));
    if after != before {
        return Some("the records are others than before".into());
    }
    if is_tagged != is_done && !matches!(fault, Fault::Crash) {
        return Some(format!("said to be tagged: {is_done}, and it is not so"));
    }
    let stale = stale(&disk, format);
    (!stale.is_empty()).then(|| format!("{stale:?} are not right after the next start"))
}

#[test]
fn one_record_is_tagged_or_not_whatever_call_fails() {
    let (mut count, mut wrong) = (0, Vec::new());
    for format in tries::some(FORMATS, &[1]) {
        for step in tries::spread(steps_of(format), 8) {
            for fault in [Fault::Crash, Fault::Error(Errno::IO)] {
                count += 1;
                let what = is_wrong(format, step, fault);
                wrong.extend(what.map(|what| format!("{format} {fault:?} at {step}: {what}")));
            }
        }
    }
    assert!(count > 12, "{count}");
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_change_of_one_record_first_settles_what_was_cut_short_in_its_store() {
    let mut unsettled = 0;
    for format in tries::some(FORMATS, &[0]) {
        let (disk, step_count) = (large(format), steps_of(format));
        let (before, _) = said(&load(&disk, format));
        for step in tries::spread(step_count, 6) {
            let disk = large(format);
            let _ = tag(&disk, format, "seen", Some((step, Fault::Crash)));
            let disk = disk.restart();
            let is_settled = || is_settled(&disk, Path::new(DATA), root(format));
            unsettled += usize::from(!is_settled());
            let outcome = tag(&disk, format, "again", None);
            assert_eq!(outcome, Ok(()), "{format} after a kill at {step}");
            minutes_later(&disk, format).unwrap();
            let (after, _) = said(&load(&disk, format));
            assert_eq!(after, before, "{format} after a kill at {step}");
            assert!(is_settled(), "{format} after a kill at {step}");
        }
    }
    assert!(unsettled > 1, "{unsettled}");
}

/// Returns the number of calls for a change of one record.
fn steps_of(format: &'static str) -> usize {
    let disk = large(format);
    let begins = disk.steps();
    assert_eq!(tag(&disk, format, "seen", None), Ok(()), "{format}");
    disk.steps() - begins
}
