//! A change with its plans, as it is shown.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{Entry, EntryRef, Plan, Store};
use crate::ops::bulk::SkippedRecords;
use crate::ops::effect::{added_lines, effect};
use crate::ops::repair::QuarantinePiece;
use crate::ops::{Refusal, WriteContext};
use crate::store::erase::ErasureTarget;
use crate::usecase::command::ChangeCommand;
use crate::usecase::failure::Result;
use crate::usecase::request::{ChangeRequest, Requester};
use crate::usecase::revalidate::concurrent_changes::ConcurrentChanges;

/// A change with its plans. What is shown is what is carried out.
pub struct PlannedChange {
    /// The request.
    pub request: ChangeRequest,
    /// The plans, each with the number of its store.
    pub plans: Vec<(usize, Plan)>,
    /// The planned erasures.
    pub erasures: Vec<PlannedErasure>,
    /// The memories that change; empty if the plans themselves say which.
    pub changing: Vec<EntryRef>,
    /// The memories that can't be changed, and why.
    pub skipped: Vec<SkippedRecords<EntryRef>>,
    /// The pieces that a repair moves to quarantine, by the number of the store.
    pub(super) quarantined: Vec<(usize, Vec<QuarantinePiece>)>,
    /// The random bytes of new ids: a plan that is made again has the ids that were shown.
    pub(super) random: [u8; 16],
    /// What other programs did since the plan was shown, if it was shown before.
    pub concurrent: Option<ConcurrentChanges>,
}

impl PlannedChange {
    /// Makes a change of plans that exist.
    pub fn of(request: ChangeRequest, plans: Vec<(usize, Plan)>) -> PlannedChange {
        let (erasures, changing, left, quarantined, random) = Default::default();
        PlannedChange {
            request,
            plans,
            erasures,
            changing,
            skipped: left,
            quarantined,
            random,
            concurrent: None,
        }
    }

    /// Requires that what is replaced is as it was shown. Changes by an earlier plan are allowed.
    pub fn make_exact(&mut self) {
        for at in 0..self.plans.len() {
            let (before, rest) = self.plans.split_at_mut(at);
            let Some((number, plan)) = rest.first_mut() else { continue };
            let own = before.iter().filter(|(other, _)| other == number);
            let is_changed =
                |path: &Path| own.clone().any(|(_, other)| other.all().any(|own| own.path == path));
            let is_first = !plan.all().any(|own| is_changed(&own.path));
            plan.exact = is_first;
        }
        self.erasures.iter_mut().for_each(|own| own.plan.exact = true);
    }

    /// Returns every plan with its store, also those of erasures.
    pub fn all(&self) -> impl Iterator<Item = (&Arc<Store>, &Plan)> {
        let plans = self.plans.iter().map(|(number, plan)| (&self.request.snapshot.stores[*number], plan));
        plans.chain(self.erasures.iter().map(|own| (&own.store, &own.plan)))
    }

    /// Returns the effect of the plans, line by line. If two effects are equal, a yes to one holds
    /// for the other.
    pub fn effect_lines(&self) -> Vec<String> {
        if self.request.by == Requester::Screen {
            return vec![self.records().to_string()];
        }
        let mut told = Vec::new();
        for (store, plan) in self.all() {
            told.push(format!("{} {}", plan.verb, plan.records));
            told.extend(plan.preview_lines());
            if self.changing.is_empty() {
                let now = self.request.now;
                told.extend(
                    effect(store, plan, now)
                        .iter()
                        .map(|own| format!("{:?} {:?} {}", own.id, own.fate, own.title)),
                );
                told.extend(added_lines(store, plan, now));
            }
        }
        told
    }

    /// Returns the pieces that a repair takes out of a store, by their file.
    pub fn quarantined_of(&self, number: usize) -> BTreeMap<&Path, Vec<&QuarantinePiece>> {
        let mut files: BTreeMap<&Path, Vec<&QuarantinePiece>> = BTreeMap::new();
        let own = self.quarantined.iter().filter(|(own, _)| *own == number).flat_map(|(_, own)| own);
        own.for_each(|own| files.entry(&own.file).or_default().push(own));
        files
    }

    pub(crate) fn replan_store(&self, store: &Store) -> Result<Plan, Refusal> {
        let context = WriteContext::of(store, self.request.now, self.random);
        self.request.command.plan_store(&context, &[])
    }

    pub(crate) fn order_as_listed(&mut self) {
        let places: HashMap<EntryRef, usize> = self.request.at.iter().copied().zip(0..).collect();
        let place = |at: &EntryRef| places.get(at).copied().unwrap_or(usize::MAX);
        self.changing.sort_by_key(place);
        self.skipped.iter_mut().for_each(|own| own.which.sort_by_key(place));
    }

    /// Returns the number of memories that change.
    pub fn records(&self) -> usize {
        let erased: usize = self.erasures.iter().map(|own| own.targets.len()).sum();
        erased + self.plans.iter().map(|(_, plan)| plan.records).sum::<usize>()
    }

    /// True if nothing would change.
    pub fn is_empty(&self) -> bool {
        self.erasures.is_empty() && self.plans.iter().all(|(_, plan)| !plan.is_due())
    }

    /// Returns what is left out, and why. May quote the store.
    pub fn left_out(&self) -> Vec<String> {
        let told = |own: &SkippedRecords<EntryRef>| {
            format!("left out: {}: {}", memory_count(own.which.len()), own.reason)
        };
        self.skipped.iter().map(told).collect()
    }

    /// Returns the title of a memory, what happens to it, and its id. Untrusted text.
    pub fn named(&self, at: EntryRef) -> [String; 3] {
        let (store, entry) = self.request.snapshot.get(at);
        let told = self.request.command.effect_on(store, entry);
        let told = match (told.is_empty(), &self.request.command) {
            (true, ChangeCommand::Tag { .. }) => "unchanged".to_owned(),
            _ => told,
        };
        [format::title(store, entry), told, name_of(store, entry)]
    }

    /// Returns the name of what is changed.
    pub fn display_name(&self) -> String {
        match self.request.at.len() {
            0 | 1 => self.request.name.clone(),
            _ => memory_count(self.records()),
        }
    }
}

/// Returns the id of a memory, or its key.
pub fn name_of(store: &Store, entry: &Entry) -> String {
    let id = store.view(entry).and_then(|view| view.id).map(str::to_owned);
    id.unwrap_or_else(|| store.key(entry))
}

/// Returns the number of memories in words: "1 memory", "2 memories".
pub fn memory_count(count: usize) -> String {
    count_with_noun(count as u64, "memory")
}

/// What is erased from one store, and the plan that was shown.
pub struct PlannedErasure {
    /// The store as it was read.
    pub store: Arc<Store>,
    /// The records to erase.
    pub targets: Vec<ErasureTarget>,
    /// The changes of the files.
    pub plan: Plan,
    /// The records that can't be erased.
    pub left: Vec<SkippedRecords>,
}
