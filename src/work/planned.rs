//! Changes planned of the entries that the user saw, as they are shown and carried out.

use std::sync::Arc;

use super::change::{ChangeRequest, Failed, memories, not_made};
use super::erase::{self, ErasureAsked};
use super::meanwhile::Difference;
use super::wanted::{Restoring, Wanted};
use crate::disk::{Real, ThisMachine};
use crate::format;
use crate::model::{Entry, EntryRef, Plan, Store};
use crate::ops::effect::{brought, effect};
use crate::ops::erase::{Gone, REASON};
use crate::ops::several::{self, LeftOut, leave_out};
use crate::ops::tag::Tagging;
use crate::ops::{self, Progress, Refusal, Scene, Setting};
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
    /// What others did since it was shown before, where it was.
    pub difference: Option<Difference>,
}

impl Planned {
    /// Plans that were made before.
    pub fn of(request: ChangeRequest, plans: Vec<(usize, Plan)>) -> Planned {
        let (erasures, changing, left) = Default::default();
        Planned { request, plans, erasures, changing, left, difference: None }
    }

    /// What it replaces has to be as it was shown.
    pub(super) fn make_exact(&mut self) {
        self.plans.iter_mut().for_each(|(_, plan)| plan.exact = true);
        self.erasures.iter_mut().for_each(|own| own.plan.exact = true);
    }

    /// How many memories change.
    pub fn records(&self) -> usize {
        let erased: usize = self.erasures.iter().map(|own| own.targets.len()).sum();
        erased + self.plans.iter().map(|(_, plan)| plan.records).sum::<usize>()
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty() && self.erasures.is_empty()
    }

    /// What is left out, and why; empty where nothing is. May quote the store.
    pub fn left_out(&self) -> Vec<String> {
        let told =
            |own: &LeftOut<EntryRef>| format!("left out: {}: {}", memories(own.which.len()), own.reason);
        self.left.iter().map(told).collect()
    }

    /// What a memory is called, with a word behind that, what becomes of it, and what it says.
    /// Untrusted text.
    pub fn line(&self, at: EntryRef, word: &str) -> String {
        let (store, entry) = self.request.snapshot.get(at);
        let told = self.request.wanted.told(store, entry);
        let told = match (told.is_empty(), &self.request.wanted) {
            (true, Wanted::Tag { .. }) => "is so already  ".to_owned(),
            (true, _) => told,
            (false, _) => format!("{told}  "),
        };
        format!("{}{word}  {told}{}", name_of(store, entry), format::title(store, entry))
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
    let machine = ThisMachine::new();
    let data = request.data.clone();
    let host = Host { disk: &Real, machine: &machine, data: &data, now: request.now };
    let of = request.clone();
    planned(request, host).map_err(|failed| not_made(&of, failed.message))
}

pub(super) fn planned(request: ChangeRequest, host: Host<'_>) -> Result<Planned, Failed> {
    let request = match &request.wanted {
        Wanted::Restore(wanted) => {
            let mut plan = restored(&request, wanted, host)?;
            // The plan of a whole file names each itself.
            if wanted.chosen.is_some() {
                say_each(&request, wanted.store, &mut plan);
            }
            let plans = vec![(wanted.store, plan)];
            return Ok(Planned::of(request, plans));
        }
        Wanted::Turn(number, turn) => {
            let (mut plan, turn) = super::turn::preview(&request, host, *number, *turn)?;
            say_each(&request, *number, &mut plan);
            let (plans, wanted) = (vec![(*number, plan)], Wanted::Turn(*number, turn));
            return Ok(Planned::of(ChangeRequest { wanted, ..request }, plans));
        }
        _ => request,
    };
    let mut planned = Planned::of(request, Vec::new());
    let request = planned.request.clone();
    let is_one = request.at.len() == 1;
    request.progress.begin(request.at.len());
    for (number, store) in request.snapshot.stores.iter().enumerate() {
        let own: Vec<EntryRef> = request.at.iter().filter(|at| at.store == number as u32).copied().collect();
        if own.is_empty() {
            continue;
        }
        let entries: Vec<Entry> = own.iter().map(|&at| *request.snapshot.get(at).1).collect();
        match in_store(&request, host, store, &entries) {
            Ok(part) => part.into(&mut planned, number, store),
            // Of several stores one that refuses is left out.
            Err(failed) => match &failed.refused {
                Some(why) if !is_one => leave_out(&mut planned.left, &own, why),
                _ => return Err(failed),
            },
        }
    }
    if planned.plans.len() > 1 {
        let change = change_id(host.machine);
        planned.plans.iter_mut().for_each(|(_, plan)| plan.change = Some(change.clone()));
    }
    Ok(planned)
}

/// Adds to a plan every memory that it concerns.
fn say_each(request: &ChangeRequest, number: usize, plan: &mut Plan) {
    let Some(store) = request.snapshot.stores.get(number) else { return };
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
        let plan = self.plan.filter(|plan| !plan.is_empty());
        let erasure = self.erasure.filter(|own| !own.targets.is_empty());
        if plan.is_some() || erasure.is_some() {
            planned.changing.extend(self.entries.iter().filter_map(place));
        }
        planned.plans.extend(plan.map(|plan| (number, plan)));
        planned.erasures.extend(erasure);
    }
}

fn in_store(
    request: &ChangeRequest,
    host: Host<'_>,
    store: &Arc<Store>,
    entries: &[Entry],
) -> Result<Part, Failed> {
    let progress = &*request.progress;
    let wanted = &request.wanted;
    store.whole().map_err(Refusal::from)?;
    if *wanted == Wanted::Erase {
        let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &ops::NO_PACKED };
        let erasure = erase::ask(host, &scene, store, entries, (REASON, false), progress)?;
        let is_left = |entry: &Entry| erasure.left.iter().any(|own| own.which.contains(entry));
        let stays = entries.iter().filter(|entry| !is_left(entry)).copied().collect();
        let left = erasure.left.clone();
        return Ok(Part { plan: None, erasure: Some(erasure), entries: stays, left });
    }
    // What brings deleted memories back has to see them; nothing else plans with them.
    let as_read = ops::delete::as_read(store);
    let planned_on = if *wanted == Wanted::Undelete { &**store } else { &*as_read };
    let erased = Vault::look(host.disk, host.data, &store.root).erased()?;
    let gone = Gone::of(erased.into_iter().map(|line| line.record));
    let random = host.machine.random();
    let make = |own: &[Entry]| {
        let packed = packed_bytes(host.disk, store, &ops::archive::packed(store, own)?)
            .map_err(|error| Refusal::corrupt(format!("an archive can't be read: {error}.")))?;
        let scene = Scene { store: planned_on, now: request.now, random, packed: &packed };
        plan(wanted, &scene, own, &gone, progress)
    };
    // Where the plan itself counts, this does not.
    let look = || if wanted.is_counted() { progress.go_on() } else { progress.step() };
    let may = |entry: &Entry| look().and_then(|()| wanted.may(store, entry));
    let sifted = several::sift(entries, &may, &make)?;
    Ok(Part { plan: sifted.made, erasure: None, entries: sifted.entries, left: sifted.left })
}

/// The plan that brings back what a copy has.
fn restored(request: &ChangeRequest, wanted: &Restoring, host: Host<'_>) -> Result<Plan, Failed> {
    let Some(store) = request.snapshot.stores.get(wanted.store) else {
        return Err(Refusal::unfit("the store is not open any more.").into());
    };
    let vault = Vault::look(host.disk, host.data, &store.root);
    let gone = Gone::out_of(store, &vault, &wanted.copy)?;
    let scene = Scene { store, now: request.now, random: host.machine.random(), packed: &ops::NO_PACKED };
    let compared = ops::restore::compare(&scene, &wanted.copy.file, &wanted.bytes, &gone)?;
    Ok(ops::restore::bring_back(&scene, &compared, wanted.chosen.as_ref(), &wanted.bytes, &gone)?)
}

fn plan(
    wanted: &Wanted,
    scene: &Scene<'_>,
    entries: &[Entry],
    gone: &Gone,
    progress: &Progress,
) -> Result<Plan, Refusal> {
    let one = || match entries {
        [one] => Ok(one),
        _ => Err(Refusal::unfit("that is done with one memory at a time.")),
    };
    progress.go_on()?;
    match wanted {
        Wanted::Tag { add, remove } => {
            ops::tag::tagged(scene, entries, Tagging::Change { add, remove }, progress)
        }
        Wanted::Rename { from, to } => {
            ops::tag::tagged(scene, entries, Tagging::Rename { from, to }, progress)
        }
        Wanted::Importance(value) => ops::tag::importances(scene, entries, *value, progress),
        Wanted::Word { field, value } => ops::tag::set_word(scene, entries, (field, value), progress),
        Wanted::Text(text) => ops::edit::edit(scene, one()?, &[Setting { name: "text", value: text }]),
        Wanted::Archive => ops::archive::archive(scene, entries),
        Wanted::Unarchive => ops::archive::unarchive(scene, entries),
        Wanted::Delete => ops::delete::delete(scene, entries, ops::delete::Asked::default()),
        Wanted::Undelete => ops::delete::undelete(scene, entries, gone),
        Wanted::Erase
        | Wanted::Undo
        | Wanted::Redo
        | Wanted::Restore(_)
        | Wanted::Maintain
        | Wanted::Compact
        | Wanted::Turn(..) => Err(Refusal::unfit("there is nothing to plan.")),
    }
}
