//! Changes planned of what the user saw, as they are shown and carried out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::asked::{By, ChangeRequest};
use super::carried::memories;
use super::drafts::not_made;
use super::erase::{self, ErasureAsked};
use super::failed::{Failed, Result};
use super::meanwhile::{Difference, hold};
use super::of_stores::of_stores;
use super::repaired::brought_back;
use super::wanted::{Restoring, Wanted};
use crate::format;
use crate::model::{Entry, EntryRef, Plan, Store};
use crate::ops::effect::{brought, effect};
use crate::ops::erase::{Gone, REASON};
use crate::ops::repair::Piece;
use crate::ops::restore::CopyFacts;
use crate::ops::several::{self, LeftOut, leave_out};
use crate::ops::{self, NO_PACKED, Refusal, Scene};
use crate::store::commit::{Host, Vault, change_id};
use crate::store::packed_bytes;

/// A change as it will be made: what is shown is what is carried out.
pub struct Planned {
    /// What was asked for.
    pub request: ChangeRequest,
    /// A plan a store, by the store's number.
    pub plans: Vec<(usize, Plan)>,
    /// What is erased.
    pub erasures: Vec<ErasureAsked>,
    /// The memories that change; empty where the plans themselves say which.
    pub changing: Vec<EntryRef>,
    /// What can't be changed, and why.
    pub left: Vec<LeftOut<EntryRef>>,
    /// What a repair keeps of what it takes out, by the store's number.
    pub(super) quarantined: Vec<(usize, Vec<Piece>)>,
    /// What ids are made of: what is made again has those that were shown.
    pub(super) random: [u8; 16],
    /// What others did since it was shown before, where it was.
    pub difference: Option<Difference>,
}

impl Planned {
    /// Plans that were made before.
    pub fn of(request: ChangeRequest, plans: Vec<(usize, Plan)>) -> Planned {
        let (erasures, changing, left, quarantined, random) = Default::default();
        Planned { request, plans, erasures, changing, left, quarantined, random, difference: None }
    }

    /// What it replaces has to be as it was shown. What a plan before changed is not what others did.
    pub(super) fn make_exact(&mut self) {
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

    /// Every plan of it with its store, those of erasures too.
    pub fn all(&self) -> impl Iterator<Item = (&Arc<Store>, &Plan)> {
        let plans = self.plans.iter().map(|(number, plan)| (&self.request.snapshot.stores[*number], plan));
        plans.chain(self.erasures.iter().map(|own| (&own.store, &own.plan)))
    }

    /// What the plans come to, line by line: where that is the same, a yes to one holds for the other.
    pub(super) fn comes_to(&self) -> Vec<String> {
        if self.request.by == By::Screen {
            return vec![self.records().to_string()];
        }
        let mut told = Vec::new();
        for (store, plan) in self.all() {
            told.push(format!("{} {}", plan.verb, plan.records));
            told.extend(plan.told());
            if self.changing.is_empty() {
                let now = self.request.now;
                told.extend(
                    effect(store, plan, now)
                        .iter()
                        .map(|own| format!("{:?} {:?} {}", own.id, own.fate, own.title)),
                );
                told.extend(brought(store, plan, now));
            }
        }
        told
    }

    /// What a repair keeps of what it takes out of a store, by the files that it leaves.
    pub(super) fn quarantined_of(&self, number: usize) -> BTreeMap<&Path, Vec<&Piece>> {
        let mut files: BTreeMap<&Path, Vec<&Piece>> = BTreeMap::new();
        let own = self.quarantined.iter().filter(|(own, _)| *own == number).flat_map(|(_, own)| own);
        own.for_each(|own| files.entry(&own.file).or_default().push(own));
        files
    }

    /// The plan for a store as it is now.
    pub(super) fn anew(&self, store: &Store) -> Result<Plan, Refusal> {
        let scene = Scene { store, now: self.request.now, random: self.random, packed: &NO_PACKED };
        self.request.wanted.of_store(&scene, &[])
    }

    /// Shows every memory at its place in the list.
    fn order_as_listed(&mut self) {
        let places: HashMap<EntryRef, usize> = self.request.at.iter().copied().zip(0..).collect();
        let place = |at: &EntryRef| places.get(at).copied().unwrap_or(usize::MAX);
        self.changing.sort_by_key(place);
        self.left.iter_mut().for_each(|own| own.which.sort_by_key(place));
    }

    /// How many memories change.
    pub fn records(&self) -> usize {
        let erased: usize = self.erasures.iter().map(|own| own.targets.len()).sum();
        erased + self.plans.iter().map(|(_, plan)| plan.records).sum::<usize>()
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.erasures.is_empty() && self.plans.iter().all(|(_, plan)| !plan.is_due())
    }

    /// What is left out, and why; empty where nothing is. May quote the store.
    pub fn left_out(&self) -> Vec<String> {
        let told =
            |own: &LeftOut<EntryRef>| format!("left out: {}: {}", memories(own.which.len()), own.reason);
        self.left.iter().map(told).collect()
    }

    /// The title of a memory, what becomes of it, and its id. Untrusted text.
    pub fn named(&self, at: EntryRef) -> [String; 3] {
        let (store, entry) = self.request.snapshot.get(at);
        let told = self.request.wanted.told(store, entry);
        let told = match (told.is_empty(), &self.request.wanted) {
            (true, Wanted::Tag { .. }) => "unchanged".to_owned(),
            _ => told,
        };
        [format::title(store, entry), told, name_of(store, entry)]
    }

    /// What is changed, as it is called.
    pub fn called(&self) -> String {
        match self.request.at.len() {
            0 | 1 => self.request.name.clone(),
            _ => memories(self.records()),
        }
    }
}

/// Plans a change and writes nothing. An error says why it can't be made.
pub fn preview(request: ChangeRequest) -> Result<Planned, String> {
    let data = request.data.clone();
    let host = Host::here(&data, request.now);
    let of = request.clone();
    as_it_is(request, host).map_err(|failed| not_made(&of, failed.message))
}

/// Plans a change of what is there now, with what differs from what was listed.
pub(super) fn as_it_is(request: ChangeRequest, host: Host<'_>) -> Result<Planned> {
    let (request, difference) = hold(request, host);
    let is_gone = request.wanted.is_of_records() && request.at.is_empty() && !difference.is_none();
    let planned = if is_gone { Planned::of(request, Vec::new()) } else { plan(request, host)? };
    Ok(Planned { difference: Some(difference).filter(|own| !own.is_none()), ..planned })
}

/// The same, on a disk and a machine of the caller's choice.
pub fn plan(request: ChangeRequest, host: Host<'_>) -> Result<Planned> {
    let mut planned = match &request.wanted {
        Wanted::Restore(wanted) => {
            let mut plan = restored(&request, wanted, host)?;
            // The plan of a whole file names each itself.
            if !wanted.whole {
                say_each(&request, wanted.store, &mut plan);
            }
            let plans = vec![(wanted.store, plan)];
            Planned::of(request, plans)
        }
        Wanted::FromQuarantine(own) => {
            let Some(store) = request.snapshot.stores.get(own.store) else {
                return Err(Refusal::unfit("the store is not open any more.").into());
            };
            let plans = vec![(own.store, brought_back(host, store, request.now, own)?)];
            Planned::of(request, plans)
        }
        Wanted::Turn(steps) => {
            let (mut plans, mut turns) = (Vec::new(), Vec::new());
            for &(number, turn) in steps {
                let (mut plan, turn) = super::turn::preview(&request, host, number, turn)?;
                say_each(&request, number, &mut plan);
                plans.push((number, plan));
                turns.push((number, turn));
            }
            Planned::of(ChangeRequest { wanted: Wanted::Turn(turns), ..request }, plans)
        }
        wanted if wanted.is_of_stores() => of_stores(request, host)?,
        _ => of_records(request, host)?,
    };
    let changing = || planned.plans.iter().filter(|(_, plan)| !plan.is_empty()).map(|(number, _)| *number);
    let stores: BTreeSet<usize> = changing().collect();
    if stores.len() > 1 && changing().count() == stores.len() {
        let change = change_id(host.machine);
        let free = planned.plans.iter_mut().filter(|(_, plan)| plan.change.is_none());
        free.for_each(|(_, plan)| plan.change = Some(change.clone()));
    }
    Ok(planned)
}

/// Plans for memories, store by store.
fn of_records(request: ChangeRequest, host: Host<'_>) -> Result<Planned> {
    let mut planned = Planned::of(request, Vec::new());
    let request = planned.request.clone();
    request.progress.begin(request.at.len());
    for (number, store) in request.snapshot.stores.iter().enumerate() {
        let mut own: Vec<EntryRef> =
            request.at.iter().filter(|at| at.store == number as u32).copied().collect();
        // The order of the list does not change what is written.
        own.sort_unstable();
        if own.is_empty() {
            continue;
        }
        let entries: Vec<Entry> = own.iter().map(|&at| *request.snapshot.get(at).1).collect();
        let stops = match request.by {
            By::Screen => request.at.len() == 1,
            By::Ids => true,
            By::Query => request.at.len() == own.len(),
        };
        match in_store(&request, host, store, &entries) {
            Ok(part) => part.into(&mut planned, number, store),
            // Of several stores one that refuses is left out.
            Err(failed) => match failed.refused() {
                Some(why) if !stops => leave_out(&mut planned.left, &own, why),
                _ => return Err(failed),
            },
        }
    }
    planned.order_as_listed();
    match planned.left.first() {
        Some(first)
            if request.by != By::Screen && planned.plans.is_empty() && planned.erasures.is_empty() =>
        {
            Err(Refusal::unfit(first.reason.clone()).into())
        }
        _ => Ok(planned),
    }
}

/// Adds to a plan every memory that it concerns.
fn say_each(request: &ChangeRequest, number: usize, plan: &mut Plan) {
    let own = request.snapshot.stores.get(number).filter(|_| request.by == By::Screen);
    let Some(store) = own else { return };
    let mut lines: Vec<String> =
        effect(store, plan, request.now).iter().map(|own| format!("  {}", own.line())).collect();
    lines.extend(brought(store, plan, request.now).into_iter().map(|line| format!("  {line}")));
    plan.lines.extend(lines);
}

/// The id of a memory, or its place.
pub fn name_of(store: &Store, entry: &Entry) -> String {
    let id = store.view(entry).and_then(|view| view.id).map(str::to_owned);
    id.unwrap_or_else(|| store.key(entry))
}

/// What a change comes to in one store.
struct Part {
    plan: Option<Plan>,
    erasure: Option<ErasureAsked>,
    entries: Vec<Entry>,
    left: Vec<LeftOut>,
}

impl Part {
    /// Joins it to the others.
    fn into(self, planned: &mut Planned, number: usize, store: &Store) {
        let place = |entry: &Entry| {
            let entry = store.number_of(entry)?;
            Some(EntryRef { store: number as u32, entry })
        };
        for own in &self.left {
            let which: Vec<EntryRef> = own.which.iter().filter_map(place).collect();
            leave_out(&mut planned.left, &which, &own.reason);
        }
        let is_shown = planned.request.by == By::Screen;
        let plan = self.plan.filter(|plan| !is_shown || !plan.is_empty());
        let erasure = self.erasure.filter(|own| !is_shown || !own.targets.is_empty());
        if plan.is_some() || erasure.is_some() {
            planned.changing.extend(self.entries.iter().filter_map(place));
        }
        planned.plans.extend(plan.map(|plan| (number, plan)));
        planned.erasures.extend(erasure);
    }
}

fn in_store(request: &ChangeRequest, host: Host<'_>, store: &Arc<Store>, entries: &[Entry]) -> Result<Part> {
    let progress = &*request.progress;
    let wanted = &request.wanted;
    store.whole().map_err(Refusal::from)?;
    if let Wanted::Erase(reason) = wanted {
        let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &NO_PACKED };
        let how = (reason.as_deref().unwrap_or(REASON), request.by != By::Screen);
        let erasure = erase::ask(host, &scene, store, entries, how, progress)?;
        let is_left = |entry: &Entry| erasure.left.iter().any(|own| own.which.contains(entry));
        let stays = entries.iter().filter(|entry| !is_left(entry)).copied().collect();
        let left = erasure.left.clone();
        return Ok(Part { plan: None, erasure: Some(erasure), entries: stays, left });
    }
    // What brings deleted memories back has to see them; nothing else plans with them.
    let brings_back = *wanted == Wanted::Undelete;
    let as_read = ops::delete::as_read(store);
    let planned_on = if brings_back { &**store } else { &*as_read };
    let mut gone = Gone::default();
    if brings_back {
        let erased = Vault::look(host.disk, host.data, &store.root).erased();
        gone = Gone::of_lines(erased.map_err(|error| Refusal::corrupt(error.to_string()))?);
    }
    let packed = packed_bytes(host.disk, store, &ops::archive::packed(store, entries)?);
    let packed = packed.map_err(|error| Failed::unread("an archive", &error))?;
    let scene = Scene { store: planned_on, now: request.now, random: host.machine.random(), packed: &packed };
    let make = |own: &[Entry]| wanted.of_records(&scene, own, &gone, progress);
    if request.by == By::Ids {
        let plan = Some(make(entries)?);
        return Ok(Part { plan, erasure: None, entries: entries.to_vec(), left: Vec::new() });
    }
    // Where the plan itself counts, this does not.
    let look = || if wanted.is_counted() { progress.go_on() } else { progress.step() };
    let is_sorted_out = brings_back && request.by == By::Query;
    let may =
        |entry: &Entry| look().and_then(|()| if is_sorted_out { Ok(()) } else { wanted.may(store, entry) });
    let sifted = several::sift(entries, &may, &make)?;
    Ok(Part { plan: sifted.made, erasure: None, entries: sifted.entries, left: sifted.left })
}

/// The plan that brings back what a copy has.
fn restored(request: &ChangeRequest, wanted: &Restoring, host: Host<'_>) -> Result<Plan> {
    let Some(store) = request.snapshot.stores.get(wanted.store) else {
        return Err(Refusal::unfit("the store is not open any more.").into());
    };
    let vault = Vault::look(host.disk, host.data, &store.root);
    let facts = CopyFacts::of(store, &vault, (&wanted.copy, &wanted.bytes), request.now)?;
    let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &ops::NO_PACKED };
    let compared = ops::restore::compare(&scene, &wanted.copy.file, &wanted.bytes, &facts)?;
    let which = (&wanted.chosen, wanted.whole);
    Ok(ops::restore::bring_back(&scene, &compared, which, &wanted.bytes, &facts)?)
}
