//! Plans changes of what the user saw. What is shown is what is carried out.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::deleted_records::with_deleted;
use super::failure::{ChangeFailure, Result};
use super::plan_repair::Repair;
use super::request::{ChangeRequest, Requester};
use super::revalidate::current_stores::{current_snapshot, of_bound, same_memories};
use super::triage::Triage;
use super::value_holders::{SHORTEST_VALUE, ValueHolders};
use super::{erase, first_change};
use crate::detectors::mask;
use crate::disk::Machine;
use crate::disk::host::Host;
use crate::format::store_names;
use crate::model::plan::digest;
use crate::model::{Entry, EntryRef, Plan, Snapshot, Store};
use crate::ops::bulk::{self, SkippedRecords, add_skipped};
use crate::ops::command::{CommandScope, MemoryInput, StoreInput, StorePlan, WriteWay};
use crate::ops::effect_lines::{TouchedMemory, added_lines, touched};
use crate::ops::erase::{EraseOptions, ErasedRecords};
use crate::ops::merge::MergeChoice;
use crate::ops::redact::{Redaction, RedactionStyle};
use crate::ops::{self, Refusal, WriteContext};
use crate::store::given_ids::deleted_ids;
use crate::store::{Vault, packed_bytes};
use crate::text::digest::hex;
use crate::usecase::drafts::failure_with_draft;
use crate::usecase::planned_change::{PlannedChange, PlannedErasure};
use crate::usecase::surroundings::search_surroundings;

/// Plans a change of the stores as they are now, with what differs from what was listed.
pub fn plan_current(request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    let fresh = current_snapshot(&request.snapshot, host);
    if Arc::ptr_eq(&fresh, &request.snapshot) {
        return plan(request, host);
    }
    let shown = [request.at.clone(), request.beside.clone()].concat();
    let difference = of_bound(&request.snapshot, &shown, &fresh, request.now);
    let request = same_memories(&request, ChangeRequest { snapshot: fresh, ..request.clone() });
    let is_gone = request.command.is_of_memories() && request.at.is_empty() && !difference.is_none();
    let planned = if is_gone { PlannedChange::of(request, Vec::new()) } else { plan(request, host)? };
    Ok(PlannedChange { concurrent: Some(difference).filter(|differs| !differs.is_none()), ..planned })
}

/// Plans a change and writes nothing, on a disk and a machine of the caller's choice.
pub fn plan(request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    plan_with(request, host, host.machine.random())
}

/// Like [`plan`]. A plan that is made again has the random names that were shown.
pub fn plan_with(request: ChangeRequest, host: Host<'_>, random: [u8; 16]) -> Result<PlannedChange> {
    let scope = request.command.rules().scope;
    let mut planned = PlannedChange { random, ..PlannedChange::of(request, Vec::new()) };
    match scope {
        CommandScope::Memories => plan_memories(&mut planned, host)?,
        CommandScope::EachStore => {
            let all = (0..planned.request.snapshot.stores.len()).collect();
            plan_stores(&mut planned, host, all)?;
        }
        CommandScope::Stores(chosen) => plan_stores(&mut planned, host, chosen)?,
    }
    for planned_store in &mut planned.plans {
        let store = planned.request.snapshot.stores.get(planned_store.store);
        let notes = store.map(|store| first_change::lines(host, store, &planned_store.plan));
        planned_store.plan.lines.extend(notes.unwrap_or_default());
    }
    let changing = || planned.plans.iter().filter(|own| !own.plan.is_empty()).map(|own| own.store);
    let stores: BTreeSet<usize> = changing().collect();
    if stores.len() > 1 && changing().count() == stores.len() {
        let change = change_id(host.machine);
        let free = planned.plans.iter_mut().filter(|own| own.plan.change.is_none());
        free.for_each(|own| own.plan.change = Some(change.clone()));
    }
    let asked = asked(&planned.request);
    planned.plans.iter_mut().for_each(|own| own.plan.asked = asked);
    planned.erasures.iter_mut().for_each(|own| own.plan.asked = asked);
    hide_names(&mut planned);
    Ok(planned)
}

/// Returns a random id that connects the steps of a change of several stores.
fn change_id(machine: &dyn Machine) -> String {
    hex(&machine.random()[..8])
}

/// A digest of a command and of its memories as they are, for the fingerprint of its plans.
fn asked(request: &ChangeRequest) -> u64 {
    let keys = request.at.iter().map(|at| {
        let (store, entry) = request.snapshot.get(*at);
        store.key(entry)
    });
    let mut parts: Vec<String> = keys.collect();
    parts.sort();
    parts.push(format!("{:?}", request.command));
    digest(parts.iter().map(|part| part.as_bytes()))
}

/// Takes names with a value that is erased or redacted out of the effects.
fn hide_names(planned: &mut PlannedChange) {
    let request = &planned.request;
    if !request.command.rules().hides_texts {
        return;
    }
    let hidden = Arc::clone(&request.hidden_values);
    let is_plain = |name: &String| hidden.hide(name.clone()) == *name && mask(name) == *name;
    let plans = planned.plans.iter_mut().map(|own| &mut own.plan);
    let plans = plans.chain(planned.erasures.iter_mut().map(|own| &mut own.plan));
    for effect in plans.flat_map(|plan| &mut plan.effects) {
        effect.id = effect.id.take().filter(is_plain);
        effect.id_after = effect.id_after.take().filter(is_plain);
        effect.session = effect.session.take().filter(is_plain);
        effect.title = None;
    }
}

/// Plans a change of stores as a whole. If there are several stores, a refusal names its store.
fn plan_stores(planned: &mut PlannedChange, host: Host<'_>, numbers: Vec<usize>) -> Result<()> {
    let snapshot = Arc::clone(&planned.request.snapshot);
    let is_only = snapshot.stores.len() == 1;
    let rules = planned.request.command.rules();
    // The step of an undo, and the copy of a restore, say which store it is.
    let is_named = !is_only && !rules.names_each;
    for number in numbers {
        let store = snapshot.stores.get(number);
        let store = store.ok_or_else(|| Refusal::unfit("the store is not open any more."))?;
        let input = StoreInput { host, store, number, is_only, random: planned.random };
        let plans = planned.request.command.plan_store(&input).map_err(ChangeFailure::from);
        let mut plans =
            plans.map_err(|failed| if is_named { failed.in_store(&store.root) } else { failed })?;
        if rules.names_each {
            plans.iter_mut().for_each(|own| name_each(&planned.request, own));
        }
        planned.plans.extend(plans);
    }
    if planned.plans.is_empty() && planned.request.command.is::<Repair>() {
        return Err(Refusal::unfit("there is no such problem in these stores.").into());
    }
    Ok(())
}

fn plan_memories(planned: &mut PlannedChange, host: Host<'_>) -> Result<()> {
    let (request, random) = (planned.request.clone(), planned.random);
    if request.command.is::<MergeChoice>() {
        merge_apart(&request.snapshot, &request.at).map_or(Ok(()), |why| Err(Refusal::unfit(why)))?;
    }
    let erases_values = request.erases_values();
    request.progress.begin(request.at.len());
    for (number, store) in request.snapshot.stores.iter().enumerate() {
        let mut chosen: Vec<EntryRef> =
            request.at.iter().filter(|at| at.store == number as u32).copied().collect();
        // The order of the list does not change what is written.
        chosen.sort_unstable();
        if chosen.is_empty() && !erases_values {
            continue;
        }
        let entries: Vec<Entry> = chosen.iter().map(|&at| *request.snapshot.get(at).1).collect();
        let stops = match request.by {
            // A value is erased everywhere, or nowhere.
            Requester::Screen => request.at.len() == 1 || erases_values,
            Requester::Ids => true,
            Requester::Query => erases_values || request.at.len() == chosen.len(),
        };
        match plan_in_store(&request, host, store, &entries, random) {
            Ok(part) => part.add_to(planned, number, store),
            // If one of several stores refuses, it is left out.
            Err(failed) => match failed.refused() {
                Some(why) if !stops => add_skipped(&mut planned.skipped, &chosen, why),
                _ if request.snapshot.stores.len() > 1 && ops::may_change(store).is_err() => {
                    return Err(failed.in_store(&store.root));
                }
                _ => return Err(failed),
            },
        }
    }
    planned.order_as_listed();
    match planned.skipped.first() {
        Some(first)
            if request.by != Requester::Screen && planned.plans.is_empty() && planned.erasures.is_empty() =>
        {
            Err(Refusal::unfit(first.reason.clone()).into())
        }
        _ => Ok(()),
    }
}

/// Returns why memories of several stores can't become one.
pub fn merge_apart(snapshot: &Snapshot, at: &[EntryRef]) -> Option<String> {
    let stores: BTreeSet<u32> = at.iter().map(|at| at.store).collect();
    (stores.len() > 1).then(|| {
        let names = store_names(snapshot);
        let names: Vec<&str> = stores.iter().map(|number| names[*number as usize].as_str()).collect();
        format!(
            "The memories are of different projects, {}: each keeps its own files, so one can't take in the other. \
             Copy the text of one into the other, and then delete it.",
            names.join(" and ")
        )
    })
}

/// On a screen, adds a line for every memory that the plan concerns.
fn name_each(request: &ChangeRequest, planned: &mut StorePlan) {
    let store = request.snapshot.stores.get(planned.store).filter(|_| request.by == Requester::Screen);
    let Some(store) = store else { return };
    let touched = touched(store, &planned.plan, request.now);
    let lines = touched.iter().map(TouchedMemory::line).chain(added_lines(store, &planned.plan));
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    planned.plan.lines.extend(lines);
}

/// What a command does to the memories of one store.
struct StorePart {
    plan: Option<Plan>,
    erasure: Option<PlannedErasure>,
    entries: Vec<Entry>,
    skipped: Vec<SkippedRecords>,
}

impl StorePart {
    fn add_to(self, planned: &mut PlannedChange, number: usize, store: &Store) {
        let place = |entry: &Entry| {
            let entry = store.number_of(entry)?;
            Some(EntryRef { store: number as u32, entry })
        };
        for skipped in &self.skipped {
            let which: Vec<EntryRef> = skipped.which.iter().filter_map(place).collect();
            add_skipped(&mut planned.skipped, &which, &skipped.reason);
        }
        let is_shown = planned.request.by == Requester::Screen;
        let plan = self.plan.filter(|plan| !is_shown || !plan.is_empty());
        let of_values = planned.request.erases_values();
        let is_of_ids = planned.request.by == Requester::Ids;
        // What could not be searched is said of a value that is found nowhere, too.
        let nothing = self.erasure.iter().filter(|erasure| of_values && erasure.is_empty());
        planned.notes.extend(nothing.flat_map(|erasure| erasure.plan.lines.iter().cloned()));
        let erasure = self.erasure.filter(|erasure| is_of_ids && !of_values || !erasure.is_empty());
        if plan.is_some() || erasure.is_some() {
            planned.changing.extend(self.entries.iter().filter_map(place));
        }
        // Ids are only surely free, and memories only surely not erased, while no other palimp writes.
        let copies = planned.request.command.rules().gives_ids;
        let way = if copies { WriteWay::PlannedLocked } else { WriteWay::AsPlanned };
        planned.plans.extend(plan.map(|plan| StorePlan { store: number, plan, way }));
        planned.erasures.extend(erasure);
    }
}

fn plan_in_store(
    request: &ChangeRequest,
    host: Host<'_>,
    store: &Arc<Store>,
    entries: &[Entry],
    random: [u8; 16],
) -> Result<StorePart> {
    store.whole().map_err(Refusal::from)?;
    match request.command.get::<EraseOptions>() {
        Some(options) => plan_erasure(request, options, host, store, entries),
        None => plan_in_files(request, host, store, entries, random),
    }
}

fn plan_erasure(
    request: &ChangeRequest,
    options: &EraseOptions,
    host: Host<'_>,
    store: &Arc<Store>,
    entries: &[Entry],
) -> Result<StorePart> {
    let context = WriteContext::of(store, request.now, host.machine.random());
    let how = (options, request.by == Requester::Ids);
    let erasure = erase::plan_erasure(host, &context, store, entries, how, &request.progress)?;
    let stays = |entry: &Entry| {
        erasure.kept.contains(entry) || erasure.left.iter().any(|left| left.which.contains(entry))
    };
    let goes = entries.iter().filter(|entry| !stays(entry)).copied().collect();
    let skipped = erasure.left.clone();
    Ok(StorePart { plan: None, erasure: Some(erasure), entries: goes, skipped })
}

fn plan_in_files(
    request: &ChangeRequest,
    host: Host<'_>,
    store: &Arc<Store>,
    entries: &[Entry],
    random: [u8; 16],
) -> Result<StorePart> {
    let (command, progress) = (&request.command, &*request.progress);
    // Only a plan that restores deleted memories, or archived ones, needs to see them.
    let brings_back = command.brings_back(store);
    let as_read = ops::delete::as_read(store);
    let planned_on = if brings_back { &**store } else { &*as_read };
    let erased = match brings_back {
        true => ErasedRecords::of_store(&Vault::open_read_only(host.disk, host.data, &store.root))?,
        false => ErasedRecords::default(),
    };
    let given_ids = match command.rules().gives_ids {
        true => deleted_ids(host, store)?,
        false => HashSet::new(),
    };
    let packed = packed_bytes(host.disk, store, &ops::archive::packed(store, entries)?);
    let packed = packed.map_err(|error| Refusal::unread("an archive", &error))?;
    let context = WriteContext::of(planned_on, request.now, random);
    let context = WriteContext { compressed_files: &packed, ..context };
    let make = |entries: &[Entry]| {
        progress.go_on()?;
        let plan = command.plan_memories(&MemoryInput {
            context,
            entries,
            erased: &erased,
            given_ids: &given_ids,
            progress,
        });
        // If bytes were gone meanwhile, a refusal about the memory would be wrong.
        plan.map_err(|refusal| planned_on.whole().err().map_or(refusal, Refusal::from))
    };
    // No file of the store has these.
    let is_aside = |entry: &Entry| !brings_back && ops::delete::is_held(store, entry);
    if request.by == Requester::Ids {
        if entries.iter().any(is_aside) {
            return Err(Refusal::unfit(ops::ASIDE).into());
        }
        let plan = Some(make(entries)?);
        return Ok(StorePart { plan, erasure: None, entries: entries.to_vec(), skipped: Vec::new() });
    }
    // If the plan counts memories itself, they are not counted here.
    let is_counted = command.rules().is_counted;
    let is_sorted_out = brings_back && request.by == Requester::Query;
    let may = |entry: &Entry| {
        if is_counted {
            progress.go_on()?
        } else {
            progress.step()?
        }
        if is_sorted_out {
            return Ok(());
        }
        command.check_allowed(store, entry)?;
        if is_aside(entry) { Err(Refusal::unfit(ops::ASIDE)) } else { Ok(()) }
    };
    let sifted = bulk::make_for_allowed(entries, &may, &make)?;
    let (plan, entries, skipped) = (sifted.result, sifted.entries, sifted.skipped);
    Ok(StorePart { plan, erasure: None, entries, skipped })
}

/// Plans a change and writes nothing. An error says why it can't be made.
pub fn preview(request: ChangeRequest) -> Result<PlannedChange, String> {
    let data = request.data.clone();
    let host = Host::here(&data, request.now);
    let request = complete(request, host)?;
    let of = request.clone();
    let mut planned =
        plan_current(request, host).map_err(|failed| failure_with_draft(&of, failed.message))?;
    if of.home.is_some() && !planned.erasures.is_empty() {
        let progress = |bytes| of.progress.search(bytes);
        search_surroundings(host, of.home.as_deref(), &mut planned, &[], &progress);
    }
    Ok(planned)
}

/// Returns the request of a screen with what it lacks: which memories hold a value, and the key of pseudonyms. Both need
/// the disk, so they are found in the background, when the change is planned.
/// Fails if a value must not be erased everywhere, or if palimp's own data can't be read.
fn complete(request: ChangeRequest, host: Host<'_>) -> Result<ChangeRequest, String> {
    if let Some(redaction) = request.command.get::<Redaction>().filter(|own| own.key.is_empty()) {
        let command = Arc::new(with_key(redaction.clone(), host, true)?);
        return Ok(ChangeRequest { command, ..request });
    }
    let options = request.command.get::<EraseOptions>().filter(|options| !options.values.is_empty());
    let Some(options) = options.filter(|_| request.at.is_empty()) else { return Ok(request) };
    let short = options.values.all().iter().map(|value| value.len()).find(|len| *len < SHORTEST_VALUE);
    if let Some(len) = short {
        return Err(format!(
            "A value has {len} bytes: under {SHORTEST_VALUE}, it is in other texts by chance. Nothing was changed."
        ));
    }
    // The memories that hold the values, deleted ones too.
    let snapshot = with_deleted(&request.snapshot, host)?;
    let holders = ValueHolders::of(&snapshot, &options.values);
    match holders.refusal().filter(|_| !options.keeps_memories) {
        Some(why) => Err(format!("{why} Nothing was changed.")),
        None => Ok(ChangeRequest { snapshot, at: holders.found.into_keys().collect(), ..request }),
    }
}

/// Gives a redaction the key of this user. The key is kept before it is used, so that the same value has the same
/// name later. Without `keeps`, nothing is written.
/// Fails if the key can't be read or kept. The text says why.
pub fn with_key(redaction: Redaction, host: Host<'_>, keeps: bool) -> Result<Redaction, String> {
    let mut triage = Triage::kept_in(host.data)?;
    let key = triage.key(host.machine.random());
    if keeps && redaction.style == RedactionStyle::Pseudonym {
        triage.keep_in(host.data)?;
    }
    Ok(Redaction { key, ..redaction })
}
