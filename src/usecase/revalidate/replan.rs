//! Makes a plan again for the same memories, and for no others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::command::{BackupRestore, ChangeCommand};
use super::super::failure::{ChangeFailure, Result};
use super::super::plan_change::plan;
use super::super::plan_stores::plans_due;
use super::super::request::{ChangeRequest, Requester};
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, EntryTracker, PathText, Plan, Snapshot, Store};
use crate::ops::backup_restore::comparison::{BackupComparison, DifferenceKind, RecordDifference};
use crate::ops::effect_lines::add_rule_lines;
use crate::ops::{self, Progress, Refusal, WriteContext};
use crate::usecase::planned_change::{PlannedChange, name_of};
use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges};
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
        becomes.insert(name_of(store, entry), request.command.effect_on(store, entry));
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
    for moved in difference.changes.iter_mut().filter(|own| own.what != "gone") {
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
    match &shown.request.command {
        ChangeCommand::Init => Ok(PlannedChange::of(request, shown.plans.clone())),
        ChangeCommand::Maintain | ChangeCommand::Compact(_) if is_shown => chores(shown, request),
        ChangeCommand::RestoreBackup(own) if is_shown || !own.whole => {
            match same_of(shown, own, &fresh, host)? {
                Some((name, restoring)) => {
                    let wanted = ChangeCommand::RestoreBackup(restoring);
                    plan(ChangeRequest { name, command: wanted, ..request }, host)
                }
                None => Ok(PlannedChange::of(request, Vec::new())),
            }
        }
        wanted if !wanted.is_of_records() => plan(request, host),
        _ => {
            let request = same_memories(&shown.request, request);
            if request.at.is_empty() {
                Ok(PlannedChange::of(request, Vec::new()))
            } else {
                plan(request, host)
            }
        }
    }
}

/// Makes due tasks and a compaction again for the memories that were shown.
fn chores(shown: &PlannedChange, request: ChangeRequest) -> Result<PlannedChange> {
    let mut plans = Vec::new();
    let mut carry = EntryTracker::new(&shown.request.snapshot, &request.snapshot);
    for (number, plan) in &shown.plans {
        let Some(store) = request.snapshot.stores.get(*number) else { continue };
        let shown = plan.touched_entries().map(|entry| EntryRef { store: *number as u32, entry });
        let known: HashSet<u32> =
            shown.filter_map(|own| carry.find(own, &|_| false)).map(|own| own.entry).collect();
        for (mut replanned, rule) in candidates(store, plan, &request)? {
            if !replanned.touched_entries().any(|own| known.contains(&own)) {
                continue;
            }
            if !replanned.touched_entries().all(|own| known.contains(&own)) {
                let message = "this would now change memories that were not shown. Look at it again.";
                return Err(Refusal::unfit(message).into());
            }
            add_rule_lines(&mut replanned, store, &rule, request.now);
            plans.push((*number, replanned));
            break;
        }
    }
    Ok(PlannedChange::of(request, plans))
}

fn candidates(store: &Store, plan: &Plan, request: &ChangeRequest) -> Result<Vec<(Plan, String)>> {
    if plan.verb != "compact" {
        return plans_due(store, request.now);
    }
    let context = WriteContext::of(store, request.now, [0; 16]);
    let plan = ops::compact::compact(&context, None)?;
    Ok(if plan.is_empty() { Vec::new() } else { vec![(plan, ops::compact::rule(store))] })
}

/// A copy compared with its file, as it was shown and as it is.
struct BackupComparisons {
    was: BackupComparison,
    is: BackupComparison,
}

fn sides(
    shown: &PlannedChange,
    restoring: &BackupRestore,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<BackupComparisons> {
    let compared = |snapshot| restoring.compared(snapshot, host, shown.request.now).map(|(own, _)| own);
    Ok(BackupComparisons { was: compared(&shown.request.snapshot)?, is: compared(fresh)? })
}

impl BackupComparisons {
    /// Returns what is not as it was shown, in the order of the copy.
    fn moved(&self, of: &BackupRestore) -> Vec<ConcurrentChange> {
        let is: HashMap<u64, &RecordDifference> =
            self.is.items.iter().filter(|own| !own.kind.is_only_here()).map(|own| (own.at, own)).collect();
        let newer: HashSet<&[u8]> =
            self.is.items.iter().filter(|own| own.kind.is_only_here()).map(|own| &own.is[..]).collect();
        let shown = |item: &&RecordDifference| of.whole || of.chosen.contains(&item.at) && item.can_come;
        let moved = |item: &RecordDifference, what: &str| {
            let name = item.id.clone().unwrap_or_else(|| format!("line {}", item.line));
            ConcurrentChange::new(name, what.to_owned())
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
            let known: HashSet<u64> =
                self.was.items.iter().filter(|own| !own.kind.is_only_here()).map(|own| own.at).collect();
            let came = is.values().filter(|own| !known.contains(&own.at));
            all.extend(came.map(|own| moved(own, own.kind.as_str())));
        }
        all
    }

    fn has_grown(&self) -> bool {
        let newer = |own: &BackupComparison| -> HashSet<Vec<u8>> {
            own.items.iter().filter(|own| own.kind.is_only_here()).map(|own| own.is.clone()).collect()
        };
        !newer(&self.is).is_subset(&newer(&self.was))
    }
}

/// Returns what other programs did to the records that a copy restores or changes back.
pub fn restoring(
    shown: &PlannedChange,
    restoring: &BackupRestore,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<ConcurrentChanges> {
    let sides = sides(shown, restoring, fresh, host)?;
    let moved = sides.moved(restoring);
    let of = if restoring.whole { sides.was.items.len() } else { restoring.chosen.len() };
    Ok(ConcurrentChanges { shown: of, changes: moved })
}

/// Returns what to restore now: the single records whose difference is the same, with their file's
/// name, or the whole file, unless that would remove new records.
fn same_of(
    shown: &PlannedChange,
    restoring: &BackupRestore,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<Option<(String, BackupRestore)>> {
    let sides = sides(shown, restoring, fresh, host)?;
    if restoring.whole {
        if sides.has_grown() {
            let file = restoring.copy.file.to_text();
            return Err(Refusal::unfit(format!(
                "{file} has memories now that were not shown, and they would be lost. Look at it again."
            ))
            .into());
        }
        return Ok(Some((shown.request.name.clone(), restoring.clone())));
    }
    let kinds = |own: &BackupComparison| -> HashMap<u64, DifferenceKind> {
        let in_copy = own.items.iter().filter(|item| !item.kind.is_only_here() && item.can_come);
        in_copy.map(|item| (item.at, item.kind)).collect()
    };
    let (was, is) = (kinds(&sides.was), kinds(&sides.is));
    let stays = |at: &&u64| is.contains_key(at) && was.get(at) == is.get(at);
    let chosen: HashSet<u64> = restoring.chosen.iter().filter(stays).copied().collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let name =
        format!("{} of {}", count_with_noun(chosen.len() as u64, "memory"), restoring.copy.file.to_text());
    Ok(Some((name, BackupRestore { chosen, ..restoring.clone() })))
}
