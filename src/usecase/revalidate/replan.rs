//! Makes a plan again for the same memories, and for no others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::failure::{ChangeFailure, Result};
use super::super::plan_change::plan_with;
use super::super::request::{ChangeRequest, Requester};
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, EntryTracker, PathText, Snapshot};
use crate::ops::backup_restore::BackupRestore;
use crate::ops::backup_restore::comparison::{BackupComparison, DifferenceKind, RecordDifference};
use crate::ops::command::{StoreInput, StorePlan};
use crate::ops::compact::Compact;
use crate::ops::maintain::Maintain;
use crate::ops::{Progress, Refusal};
use crate::usecase::planned_change::{PlannedChange, name_of};
use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges, MemoryFate};
use crate::usecase::revalidate::current_stores::same_memories;

/// Returns the plan as it is now, with what differs from what was shown.
pub fn replan_with_changes(
    shown: &PlannedChange,
    mut difference: ConcurrentChanges,
    fresh: Arc<Snapshot>,
    host: Host<'_>,
) -> Result<PlannedChange> {
    let replanned = replan(shown, Arc::clone(&fresh), host);
    let mut replanned = replanned.map_err(|failed| ChangeFailure {
        message: format!("{}; {}", difference.told(), failed.message),
        ..failed
    })?;
    say_what_becomes(&mut difference, shown, &replanned);
    replanned.concurrent = Some(difference);
    Ok(replanned)
}

/// Adds to the differences what is done to those memories now.
fn say_what_becomes(difference: &mut ConcurrentChanges, shown: &PlannedChange, replanned: &PlannedChange) {
    let request = &replanned.request;
    let mut becomes: HashMap<String, String> = HashMap::new();
    for &at in &replanned.changing {
        let (store, entry) = request.snapshot.get(at);
        let effect = store.memory(entry).and_then(|memory| request.command.effect_on(store, entry, memory));
        becomes.insert(name_of(store, entry), effect.unwrap_or_default());
    }
    for own in &replanned.skipped {
        for &at in &own.which {
            let (store, entry) = request.snapshot.get(at);
            becomes.insert(name_of(store, entry), format!("left out: {}", own.reason));
        }
    }
    if shown.changing.is_empty() {
        return;
    }
    for moved in difference.changes.iter_mut().filter(|own| own.what != MemoryFate::Gone) {
        match becomes.get(&moved.name).filter(|told| !told.is_empty()) {
            Some(told) => moved.new_effect = told.clone(),
            None if becomes.contains_key(&moved.name) => moved.new_effect = "stays in the plan".into(),
            None => {}
        }
    }
}

/// Makes the plan again for the stores as they are now. What it does not reach is not searched again.
pub fn replan(shown: &PlannedChange, fresh: Arc<Snapshot>, host: Host<'_>) -> Result<PlannedChange> {
    let replanned = plan_again(shown, fresh, host)?;
    Ok(PlannedChange { not_reached: shown.not_reached.clone(), notes: shown.notes.clone(), ..replanned })
}

fn plan_again(shown: &PlannedChange, fresh: Arc<Snapshot>, host: Host<'_>) -> Result<PlannedChange> {
    let request = ChangeRequest {
        snapshot: Arc::clone(&fresh),
        progress: Arc::new(Progress::default()),
        ..shown.request.clone()
    };
    let is_shown = request.by == Requester::Screen;
    let command = &shown.request.command;
    if is_shown && (command.is::<Maintain>() || command.is::<Compact>()) {
        return plan_tasks_again(shown, request, host);
    }
    if let Some(restoring) = command.get::<BackupRestore>().filter(|copy| is_shown || !copy.whole) {
        return match same_of(shown, restoring, &fresh, host)? {
            Some((name, restoring)) => {
                plan_with(ChangeRequest { name, command: Arc::new(restoring), ..request }, host, shown.random)
            }
            None => Ok(PlannedChange::of(request, Vec::new())),
        };
    }
    if !command.is_of_memories() {
        return plan_with(request, host, shown.random);
    }
    let request = same_memories(&shown.request, request);
    match request.at.is_empty() {
        true => Ok(PlannedChange::of(request, Vec::new())),
        false => plan_with(request, host, shown.random),
    }
}

/// Makes due tasks and a compaction again for the memories that were shown.
fn plan_tasks_again(shown: &PlannedChange, request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    let mut plans = Vec::new();
    let mut tracker = EntryTracker::new(&shown.request.snapshot, &request.snapshot);
    for StorePlan { store: number, plan, .. } in &shown.plans {
        let Some(store) = request.snapshot.stores.get(*number) else { continue };
        let shown = plan.touched_entries().map(|entry| EntryRef { store: *number as u32, entry });
        let known: HashSet<u32> =
            shown.filter_map(|at| tracker.find(at, &|_| false)).map(|at| at.entry).collect();
        let input = StoreInput { host, store, number: *number, is_only: true, random: host.machine.random() };
        for StorePlan { plan: replanned, .. } in request.command.plan_store(&input)? {
            if !replanned.touched_entries().any(|own| known.contains(&own)) {
                continue;
            }
            if !replanned.touched_entries().all(|own| known.contains(&own)) {
                let message = "this would now change memories that were not shown. Look at it again.";
                return Err(Refusal::unfit(message).into());
            }
            plans.push(StorePlan::of(*number, replanned));
            break;
        }
    }
    Ok(PlannedChange::of(request, plans))
}

/// A copy compared with its file, as it was shown and as it is.
struct BackupComparisons {
    was: BackupComparison,
    is: BackupComparison,
}

fn in_copy(compared: &BackupComparison) -> impl Iterator<Item = &RecordDifference> {
    compared.items.iter().filter(|item| !item.kind.is_only_here())
}

/// Returns the records that only the file has.
fn only_here(compared: &BackupComparison) -> HashSet<&[u8]> {
    compared.items.iter().filter(|item| item.kind.is_only_here()).map(|item| &item.is[..]).collect()
}

impl BackupComparisons {
    fn of(
        shown: &PlannedChange,
        restoring: &BackupRestore,
        fresh: &Snapshot,
        host: Host<'_>,
    ) -> Result<BackupComparisons> {
        let compared = |snapshot: &Snapshot| -> Result<BackupComparison> {
            let store = snapshot.stores.get(restoring.store);
            let store = store.ok_or_else(|| Refusal::unfit("the store is not open any more."))?;
            Ok(restoring.compared(store, host)?.0)
        };
        Ok(BackupComparisons { was: compared(&shown.request.snapshot)?, is: compared(fresh)? })
    }

    /// Returns what is not as it was shown, in the order of the copy.
    fn moved(&self, of: &BackupRestore) -> Vec<ConcurrentChange> {
        let is: HashMap<u64, &RecordDifference> = in_copy(&self.is).map(|item| (item.at, item)).collect();
        let newer = only_here(&self.is);
        let shown = |item: &&RecordDifference| of.whole || of.chosen.contains(&item.at) && item.can_come;
        let moved = |item: &RecordDifference, what: &str| {
            let name = item.id.clone().unwrap_or_else(|| format!("line {}", item.line));
            ConcurrentChange::new(name, MemoryFate::Changed(what.to_owned()))
        };
        let mut all = Vec::new();
        for item in self.was.items.iter().filter(shown) {
            let what = match is.get(&item.at) {
                _ if item.kind.is_only_here() => (!newer.contains(&item.is[..])).then_some("changed or gone"),
                None => Some("was changed back"),
                Some(now) if now.kind != item.kind => Some(now.kind.as_str()),
                Some(now) if now.is != item.is => Some("changed on disk"),
                Some(_) => None,
            };
            all.extend(what.map(|what| moved(item, what)));
        }
        if of.whole {
            // Records that were as in the copy, and are not any more.
            let known: HashSet<u64> = in_copy(&self.was).map(|item| item.at).collect();
            let came = is.values().filter(|item| !known.contains(&item.at));
            all.extend(came.map(|item| moved(item, item.kind.as_str())));
        }
        all
    }
}

/// Returns what other programs did to the records that a copy restores or changes back.
pub fn restoring(
    shown: &PlannedChange,
    restoring: &BackupRestore,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<ConcurrentChanges> {
    let compared = BackupComparisons::of(shown, restoring, fresh, host)?;
    let changes = compared.moved(restoring);
    let shown = if restoring.whole { compared.was.items.len() } else { restoring.chosen.len() };
    Ok(ConcurrentChanges { shown, changes })
}

/// Returns what to restore now: the single records whose difference is the same, with their file's
/// name, or the whole file, unless that would remove new records.
fn same_of(
    shown: &PlannedChange,
    restoring: &BackupRestore,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<Option<(String, BackupRestore)>> {
    let BackupComparisons { was, is } = BackupComparisons::of(shown, restoring, fresh, host)?;
    let file = restoring.copy.file.to_text();
    if restoring.whole && !only_here(&is).is_subset(&only_here(&was)) {
        let why =
            format!("{file} has memories now that were not shown, and they would be lost. Look at it again.");
        return Err(Refusal::unfit(why).into());
    }
    if restoring.whole {
        return Ok(Some((shown.request.name.clone(), restoring.clone())));
    }
    let kinds = |compared| -> HashMap<u64, DifferenceKind> {
        in_copy(compared).filter(|item| item.can_come).map(|item| (item.at, item.kind)).collect()
    };
    let (was, is) = (kinds(&was), kinds(&is));
    let stays = |at: &&u64| is.contains_key(at) && was.get(at) == is.get(at);
    let chosen: HashSet<u64> = restoring.chosen.iter().filter(stays).copied().collect();
    let name = format!("{} of {file}", count_with_noun(chosen.len() as u64, "memory"));
    Ok((!chosen.is_empty()).then(|| (name, BackupRestore { chosen, ..restoring.clone() })))
}
