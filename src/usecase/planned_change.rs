//! A change with its plans, as it is shown.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{Change, Entry, EntryRef, NotReached, PathText, Plan, RecordText, Store};
use crate::ops;
use crate::ops::bulk::SkippedRecords;
use crate::ops::command::StorePlan;
use crate::ops::redact::{Redaction, redacted};
use crate::store::erase::{ErasureScope, ErasureTarget, SecretValues};
use crate::text::digest::hex;
use crate::usecase::request::ChangeRequest;
use crate::usecase::revalidate::concurrent_changes::ConcurrentChanges;

/// A change with its plans. What is shown is what is carried out.
pub struct PlannedChange {
    pub request: ChangeRequest,
    /// The plans of stores. Several of one store are carried out one after the other.
    pub plans: Vec<StorePlan>,
    pub erasures: Vec<PlannedErasure>,
    /// The memories that change; empty if the plans themselves say which.
    pub changing: Vec<EntryRef>,
    /// The memories that can't be changed, and why.
    pub skipped: Vec<SkippedRecords<EntryRef>>,
    /// What an erasure does not reach.
    pub not_reached: NotReached,
    /// What the user must know before he agrees. Untrusted text.
    pub notes: Vec<String>,
    /// The random bytes of new ids: a plan that is made again has the ids that were shown.
    pub(super) random: [u8; 16],
    /// What other programs did since the plan was shown, if it was shown before.
    pub concurrent: Option<ConcurrentChanges>,
}

impl PlannedChange {
    /// Makes a change of plans that exist.
    pub fn of(request: ChangeRequest, plans: Vec<StorePlan>) -> PlannedChange {
        let (erasures, changing, skipped, not_reached, notes, random, concurrent) = Default::default();
        PlannedChange { request, plans, erasures, changing, skipped, not_reached, notes, random, concurrent }
    }

    /// Requires that what is replaced is as it was shown. Changes by an earlier plan are allowed.
    pub fn make_exact(&mut self) {
        for at in 0..self.plans.len() {
            let (before, rest) = self.plans.split_at_mut(at);
            let Some(planned) = rest.first_mut() else { continue };
            let earlier = before.iter().filter(|other| other.store == planned.store);
            let is_changed =
                |path: &Path| earlier.clone().any(|other| other.plan.all().any(|own| own.path == path));
            let is_exact = !planned.plan.all().any(|change| is_changed(&change.path));
            planned.plan.exact = is_exact;
        }
        self.erasures.iter_mut().for_each(|own| own.plan.exact = true);
    }

    /// Returns every plan with its store, also those of erasures.
    pub fn all(&self) -> impl Iterator<Item = (&Arc<Store>, &Plan)> {
        let plans = self.plans.iter().map(|own| (&self.request.snapshot.stores[own.store], &own.plan));
        plans.chain(self.erasures.iter().map(|own| (&own.store, &own.plan)))
    }

    /// True if both do the same to the same memories: then a yes to one holds for the other.
    pub fn has_same_effects(&self, other: &PlannedChange) -> bool {
        let plans = |planned: &PlannedChange| planned.all().count();
        let mut pairs = self.all().zip(other.all());
        plans(self) == plans(other) && pairs.all(|((_, plan), (_, other))| plan.has_same_effects(other))
    }

    /// True if a file, a folder or a memory that it makes has a name with random letters.
    pub fn names_random(&self) -> bool {
        let random = hex(&self.random[..4]);
        let is_so = |change: &Change| self.random != [0; 16] && change.path.to_text().contains(&random);
        let draws_ids =
            |store: &Store| ops::writes(store).is_ok_and(|(_, writes)| writes.own().random_id.is_some());
        let says_id = |plan: &Plan| plan.additions().first().is_some_and(|line| plan.lines.contains(line));
        let mut plans = self.all();
        plans.any(|(store, plan)| plan.all().any(is_so) || says_id(plan) && draws_ids(store))
    }

    pub(crate) fn order_as_listed(&mut self) {
        let places: HashMap<EntryRef, usize> = self.request.at.iter().copied().zip(0..).collect();
        let place = |at: &EntryRef| places.get(at).copied().unwrap_or(usize::MAX);
        self.changing.sort_by_key(place);
        self.skipped.iter_mut().for_each(|own| own.which.sort_by_key(place));
    }

    /// Returns the number of memories that change.
    pub fn records(&self) -> usize {
        let erased: usize = self.erasures.iter().map(PlannedErasure::records).sum();
        erased + self.plans.iter().map(|own| own.plan.records).sum::<usize>()
    }

    /// True if nothing would change.
    pub fn is_empty(&self) -> bool {
        self.erasures.is_empty() && self.plans.iter().all(|own| !own.plan.is_due())
    }

    /// Returns what is left out, and why. May quote the store.
    pub fn left_out(&self) -> Vec<String> {
        let told = |own: &SkippedRecords<EntryRef>| {
            format!("left out: {}: {}", memory_count(own.which.len()), own.reason)
        };
        self.skipped.iter().map(told).collect()
    }

    /// Returns a memory as it may be shown: without the values that are redacted or erased.
    pub fn shown_text(&self, at: EntryRef) -> RecordText {
        let (store, entry) = self.request.snapshot.get(at);
        let Some(redaction) = self.request.command.get::<Redaction>() else {
            return self.request.hidden_values.hide_all(format::text_of(store, entry));
        };
        let after = redacted(store, entry, redaction, self.request.now).ok().flatten();
        let path = &store.document(entry).path;
        after.and_then(|raw| format::text_of_raw(store.format, path, &raw)).unwrap_or_default()
    }

    /// Returns the title of a memory as it may be shown. Untrusted text.
    pub fn shown_title(&self, at: EntryRef) -> String {
        match self.request.command.is::<Redaction>() {
            true => self.shown_text(at).title.into_raw(),
            false => {
                let (store, entry) = self.request.snapshot.get(at);
                self.request.hidden_values.hide(format::title(store, entry).into_raw())
            }
        }
    }

    /// Returns the id of a memory, or its key, as it may be shown. Untrusted text.
    pub fn shown_name(&self, at: EntryRef) -> String {
        let (store, entry) = self.request.snapshot.get(at);
        let name = name_of(store, entry);
        let shown = self.request.hidden_values.hide(name.clone());
        // A key is a digest.
        if shown == name { name } else { store.key(entry) }
    }

    /// Returns the title of a memory, what happens to it, and its id. Untrusted text.
    pub fn named(&self, at: EntryRef) -> [String; 3] {
        let (store, entry) = self.request.snapshot.get(at);
        let effect =
            store.memory(entry).and_then(|memory| self.request.command.effect_on(store, entry, memory));
        [self.shown_title(at), effect.unwrap_or_default(), self.shown_name(at)]
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
    let id = store.id(entry).map(str::to_owned);
    id.unwrap_or_else(|| store.key(entry))
}

/// Returns the number of memories in words: "1 memory", "2 memories".
pub fn memory_count(count: usize) -> String {
    count_with_noun(count as u64, "memory")
}

/// A deleted record that an erasure of others takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostRecord {
    pub key: String,
    /// Its id, or its key. Untrusted text.
    pub name: String,
}

/// What is erased from one store, and the plan that was shown.
#[derive(Default)]
pub struct PlannedErasure {
    /// The store as it was read.
    pub store: Arc<Store>,
    /// The records to erase.
    pub targets: Vec<ErasureTarget>,
    /// The values to erase.
    pub values: SecretValues,
    /// True if memories with a value stay, and it is masked in them.
    pub keeps_memories: bool,
    /// The files that hold one of these values now.
    pub places: Vec<String>,
    /// The changes of the files.
    pub plan: Plan,
    /// The records that can't be erased.
    pub left: Vec<SkippedRecords>,
    /// The chosen records that stay, because their format keeps them: a value in them is masked. If all memories stay,
    /// those that keep theirs.
    pub kept: Vec<Entry>,
    /// The records that were not chosen and go, because they are copies of chosen ones.
    pub copies: Vec<Entry>,
    /// The deleted records that were not chosen and can't be restored afterwards: the undo data that has them
    /// has something that is erased.
    pub lost: Vec<LostRecord>,
    /// The steps whose undo data goes.
    pub steps: BTreeSet<u64>,
}

impl PlannedErasure {
    /// Returns the number of memories that go, or that lose a value.
    pub fn records(&self) -> usize {
        if self.keeps_memories { self.plan.touched_entries().count() } else { self.targets.len() }
    }

    /// True if there is nothing to erase.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty() && self.places.is_empty()
    }

    /// Returns what it takes. `not_reached` is kept in its receipt.
    pub fn scope<'s>(&'s self, not_reached: &'s NotReached) -> ErasureScope<'s> {
        ErasureScope {
            targets: &self.targets,
            values: self.values.all(),
            keeps_memories: self.keeps_memories,
            steps: Some(&self.steps),
            not_reached: Some(not_reached),
        }
    }
}
