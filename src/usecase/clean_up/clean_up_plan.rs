//! Plans a clean-up: what is shown is what is carried out, for the verb and for the screens.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::clean_up_match::{CleanUpAction, CleanUpError, CleanUpMatch, CleanUpRequest};
use super::find::find;
use crate::detectors::{MASK, mask};
use crate::disk::host::Host;
use crate::model::{Entry, EntryRef, Snapshot};
use crate::ops::Progress;
use crate::ops::command::Command;
use crate::ops::delete::DeleteOptions;
use crate::ops::erase::EraseOptions;
use crate::store::erase::SecretValues;
use crate::usecase::Triage;
use crate::usecase::agents_at_work::agents_at_work;
use crate::usecase::plan_change::plan;
use crate::usecase::planned_change::{PlannedChange, PlannedErasure, memory_count};
use crate::usecase::request::{ChangeRequest, Requester};

const SHORT_OR_COMMON: &str = "its value is short, common, or in a memory that stays as it is";

pub struct CleanUpPlan {
    /// What it takes and leaves.
    pub found: CleanUpMatch,
    /// The plan.
    pub planned: PlannedChange,
    /// The memories that go without being asked for, because they are copies of one that goes: they have its id.
    pub copies: BTreeSet<EntryRef>,
    /// The memories that fit and stay as they are, or whose format keeps them: a value in them is masked.
    pub kept: BTreeSet<EntryRef>,
    /// The deleted memories that can't be restored afterwards: their undo data has something that is erased.
    pub lost: BTreeSet<EntryRef>,
}

impl CleanUpPlan {
    /// Returns why a memory that fits stays. Empty if it goes. May quote the store.
    pub fn why_left(&self, at: EntryRef) -> String {
        let left = self.planned.skipped.iter().find(|own| own.which.contains(&at));
        match left {
            _ if self.takes_out() => SHORT_OR_COMMON.into(),
            _ if self.kept.contains(&at) => {
                "its format keeps it; a value that is erased is masked in it".into()
            }
            Some(own) => own.reason.clone(),
            None => String::new(),
        }
    }

    /// True if the memories stay, and lose their values.
    pub fn takes_out(&self) -> bool {
        self.planned.request.command.get::<EraseOptions>().is_some_and(|own| own.keeps_memories)
    }

    /// Returns the title of a memory, or its name if the title must not be shown. Untrusted text.
    pub fn shown_title(&self, at: EntryRef) -> String {
        let title = mask(&self.planned.shown_title(at)).into_owned();
        if title == MASK { self.planned.shown_name(at) } else { title }
    }

    /// Removes the memories that go with others from the lists of memories that stay.
    fn without_gone(mut self) -> CleanUpPlan {
        let stays = |at: &EntryRef| !self.copies.contains(at) && !self.lost.contains(at);
        self.found.near_copies.retain(|own| stays(&own.at));
        self.found.pinned.retain(stays);
        self.found.holders.retain(stays);
        self
    }
}

/// Plans a clean-up of stores that list their deleted and archived memories. Nothing is written.
/// Fails if the request names nothing, or can't be understood, or if the change is refused.
pub fn plan_clean_up(
    host: Host<'_>,
    snapshot: &Arc<Snapshot>,
    request: &CleanUpRequest,
    (triage, progress): (&Triage, &Arc<Progress>),
) -> Result<CleanUpPlan, CleanUpError> {
    let mut own = plan_once(host, snapshot, request, (triage, progress))?;
    // A value in a memory that goes as a copy does not stay.
    if own.found.holders.iter().any(|at| own.copies.contains(at)) {
        let with = request.with.union(&own.copies).copied().collect();
        own = plan_once(host, snapshot, &CleanUpRequest { with, ..request.clone() }, (triage, progress))?;
    }
    Ok(own.without_gone())
}

fn plan_once(
    host: Host<'_>,
    snapshot: &Arc<Snapshot>,
    request: &CleanUpRequest,
    (triage, progress): (&Triage, &Arc<Progress>),
) -> Result<CleanUpPlan, CleanUpError> {
    let found = find(snapshot, request, triage, host.now, progress.searches())?;
    progress.go_on().map_err(|_| CleanUpError::Stopped)?;
    let (command, name): (Arc<dyn Command>, _) = match request.action {
        CleanUpAction::Delete => (Arc::new(DeleteOptions::default()), memory_count(found.at.len())),
        CleanUpAction::Erase | CleanUpAction::TakeOut => {
            let keeps_memories = request.action == CleanUpAction::TakeOut;
            let values = found.values.clone();
            let erasure = EraseOptions { values, keeps_memories, ..EraseOptions::default() };
            (Arc::new(erasure), name_of_values(&found.values, found.at.len()))
        }
    };
    let change =
        ChangeRequest::new(Arc::clone(snapshot), Requester::Query, command, host.data.to_owned(), host.now);
    let (at, hidden_values) = (found.at.clone(), Arc::new(found.hidden.clone()));
    let change = ChangeRequest { at, name, hidden_values, progress: Arc::clone(progress), ..change };
    let is_nothing = match request.action {
        CleanUpAction::TakeOut => found.values.is_empty(),
        _ => found.at.is_empty() && found.values.is_empty(),
    };
    let mut planned = match is_nothing {
        true => PlannedChange::of(change, Vec::new()),
        false => plan(change, host)?,
    };
    if request.action != CleanUpAction::Delete {
        planned.not_reached.rotate.clone_from(&found.rotate);
    }
    planned.notes.extend(values_left(&found).into_iter().chain(found.time_notes.iter().cloned()));
    planned.notes.extend(agents_at_work(&snapshot.stores, host.now));
    let copies = of_erasures(&planned, &|own| &own.copies);
    let kept = of_erasures(&planned, &|own| &own.kept);
    let lost = lost(&planned);
    Ok(CleanUpPlan { found, planned, copies, kept, lost })
}

fn lost(planned: &PlannedChange) -> BTreeSet<EntryRef> {
    let keys: HashSet<&str> =
        planned.erasures.iter().flat_map(|own| &own.lost).map(|own| &*own.key).collect();
    let snapshot = &planned.request.snapshot;
    let is_lost = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        keys.contains(&*store.key(entry))
    };
    if keys.is_empty() { BTreeSet::new() } else { snapshot.entries().filter(is_lost).collect() }
}

/// Returns memories of the planned erasures, as the snapshot of the request names them.
fn of_erasures(
    planned: &PlannedChange,
    which: &dyn Fn(&PlannedErasure) -> &Vec<Entry>,
) -> BTreeSet<EntryRef> {
    let stores = &planned.request.snapshot.stores;
    let of_one = |own: &PlannedErasure| {
        let number = stores.iter().position(|store| store.root == own.store.root)?;
        let at = which(own).iter().filter_map(|entry| stores[number].number_of(entry));
        Some(at.map(|entry| EntryRef { store: number as u32, entry }).collect::<Vec<_>>())
    };
    planned.erasures.iter().filter_map(of_one).flatten().collect()
}

/// Says that values stay in other memories. `None` if none does.
fn values_left(found: &CleanUpMatch) -> Option<String> {
    match found.values_left {
        0 => None,
        1 => Some("1 value stays where other memories hold it: they stay, or it is short or common".into()),
        several => Some(format!(
            "{several} values stay where other memories hold them: they stay, or the values are short or common"
        )),
    }
}

/// Returns the name of what goes, without a word of it.
fn name_of_values(values: &SecretValues, memories: usize) -> String {
    match values.all().len() {
        0 => memory_count(memories),
        1 => "1 value".into(),
        several => format!("{several} values"),
    }
}
