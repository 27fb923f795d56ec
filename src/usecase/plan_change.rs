//! Plans changes of what the user saw. What is shown is what is carried out.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::command::{BackupRestore, ChangeCommand, open_store};
use super::deleted_records::with_deleted;
use super::failure::{ChangeFailure, Result};
use super::plan_repair::plan_quarantine_restore;
use super::plan_stores::plan_stores;
use super::request::{ChangeRequest, Requester};
use super::revalidate::renew;
use super::triage::Triage;
use super::value_holders::{SHORTEST_VALUE, ValueHolders};
use super::{erase, first_change};
use crate::detectors::mask;
use crate::disk::host::Host;
use crate::format::store_names;
use crate::model::{Entry, EntryRef, Plan, Snapshot, Store};
use crate::ops::bulk::{self, SkippedRecords, add_skipped};
use crate::ops::effect_lines::{TouchedMemory, added_lines, touched};
use crate::ops::erase::ErasedRecords;
use crate::ops::redact::{Redaction, RedactionStyle};
use crate::ops::{self, Refusal, WriteContext};
use crate::store::commit::Vault;
use crate::store::packed_bytes;
use crate::usecase::change_id;
use crate::usecase::drafts::failure_with_draft;
use crate::usecase::planned_change::{PlannedChange, PlannedErasure};
use crate::usecase::surroundings::search_surroundings;

/// Plans a change of the stores as they are now, with what differs from what was listed.
pub fn plan_current(request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    let (request, difference) = renew(request, host);
    let is_gone = request.command.is_of_records() && request.at.is_empty() && !difference.is_none();
    let planned = if is_gone { PlannedChange::of(request, Vec::new()) } else { plan(request, host)? };
    Ok(PlannedChange { concurrent: Some(difference).filter(|own| !own.is_none()), ..planned })
}

/// Plans a change and writes nothing, on a disk and a machine of the caller's choice.
pub fn plan(request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    let mut planned = match &request.command {
        ChangeCommand::RestoreBackup(wanted) => {
            let mut plan = restored(&request, wanted, host)?;
            // The plan of a whole file names each record itself.
            if !wanted.whole {
                say_each(&request, wanted.store, &mut plan);
            }
            let plans = vec![(wanted.store, plan)];
            PlannedChange::of(request, plans)
        }
        ChangeCommand::RestoreQuarantine(own) => {
            let store = open_store(&request.snapshot, own.store)?;
            let plans = vec![(own.store, plan_quarantine_restore(host, store, request.now, own)?)];
            PlannedChange::of(request, plans)
        }
        ChangeCommand::UndoRedoSteps(steps) => {
            let (mut plans, mut turns) = (Vec::new(), Vec::new());
            for &(number, turn) in steps {
                let (mut plan, turn) = super::undo_redo::preview(&request, host, number, turn)?;
                say_each(&request, number, &mut plan);
                plans.push((number, plan));
                turns.push((number, turn));
            }
            PlannedChange::of(
                ChangeRequest { command: ChangeCommand::UndoRedoSteps(turns), ..request },
                plans,
            )
        }
        wanted if wanted.is_of_stores() => plan_stores(request, host)?,
        _ => of_records(request, host)?,
    };
    for (number, plan) in &mut planned.plans {
        let store = planned.request.snapshot.stores.get(*number);
        let told = store.map(|store| first_change::lines(host, store, plan)).unwrap_or_default();
        plan.lines.extend(told);
    }
    let changing = || planned.plans.iter().filter(|(_, plan)| !plan.is_empty()).map(|(number, _)| *number);
    let stores: BTreeSet<usize> = changing().collect();
    if stores.len() > 1 && changing().count() == stores.len() {
        let change = change_id(host.machine);
        let free = planned.plans.iter_mut().filter(|(_, plan)| plan.change.is_none());
        free.for_each(|(_, plan)| plan.change = Some(change.clone()));
    }
    hide_names(&mut planned);
    Ok(planned)
}

/// Takes names with a value that is erased or redacted out of the effects.
fn hide_names(planned: &mut PlannedChange) {
    let request = &planned.request;
    if !matches!(request.command, ChangeCommand::Erase(_) | ChangeCommand::Redact(_)) {
        return;
    }
    let hidden = Arc::clone(&request.hidden_values);
    let is_plain = |name: &String| hidden.hide(name.clone()) == *name && mask(name) == *name;
    let plans = planned.plans.iter_mut().map(|(_, plan)| plan);
    let plans = plans.chain(planned.erasures.iter_mut().map(|own| &mut own.plan));
    for effect in plans.flat_map(|plan| &mut plan.effects) {
        effect.id = effect.id.take().filter(is_plain);
        effect.id_after = effect.id_after.take().filter(is_plain);
        effect.session = effect.session.take().filter(is_plain);
        effect.title = None;
    }
}

fn of_records(request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    let mut planned = PlannedChange::of(request, Vec::new());
    let request = planned.request.clone();
    if matches!(request.command, ChangeCommand::Merge(_)) {
        merge_apart(&request.snapshot, &request.at).map_or(Ok(()), |why| Err(Refusal::unfit(why)))?;
    }
    request.progress.begin(request.at.len());
    for (number, store) in request.snapshot.stores.iter().enumerate() {
        let mut own: Vec<EntryRef> =
            request.at.iter().filter(|at| at.store == number as u32).copied().collect();
        // The order of the list does not change what is written.
        own.sort_unstable();
        if own.is_empty() && !request.command.erases_values() {
            continue;
        }
        let entries: Vec<Entry> = own.iter().map(|&at| *request.snapshot.get(at).1).collect();
        let stops = match request.by {
            // A value is erased everywhere, or nowhere.
            Requester::Screen => request.at.len() == 1 || request.command.erases_values(),
            Requester::Ids => true,
            Requester::Query => request.command.erases_values() || request.at.len() == own.len(),
        };
        match in_store(&request, host, store, &entries) {
            Ok(part) => part.into(&mut planned, number, store),
            // If one of several stores refuses, it is left out.
            Err(failed) => match failed.refused() {
                Some(why) if !stops => add_skipped(&mut planned.skipped, &own, why),
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
        _ => Ok(planned),
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
fn say_each(request: &ChangeRequest, number: usize, plan: &mut Plan) {
    let own = request.snapshot.stores.get(number).filter(|_| request.by == Requester::Screen);
    let Some(store) = own else { return };
    let touched = touched(store, plan, request.now);
    let lines = touched.iter().map(TouchedMemory::line).chain(added_lines(store, plan));
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    plan.lines.extend(lines);
}

struct StorePart {
    plan: Option<Plan>,
    erasure: Option<PlannedErasure>,
    entries: Vec<Entry>,
    left: Vec<SkippedRecords>,
}

impl StorePart {
    fn into(self, planned: &mut PlannedChange, number: usize, store: &Store) {
        let place = |entry: &Entry| {
            let entry = store.number_of(entry)?;
            Some(EntryRef { store: number as u32, entry })
        };
        for own in &self.left {
            let which: Vec<EntryRef> = own.which.iter().filter_map(place).collect();
            add_skipped(&mut planned.skipped, &which, &own.reason);
        }
        let is_shown = planned.request.by == Requester::Screen;
        let plan = self.plan.filter(|plan| !is_shown || !plan.is_empty());
        let of_values = planned.request.command.erases_values();
        let is_of_ids = planned.request.by == Requester::Ids;
        // What could not be searched is said of a value that is found nowhere, too.
        let nothing = self.erasure.iter().filter(|own| of_values && own.is_empty());
        planned.notes.extend(nothing.flat_map(|own| own.plan.lines.iter().cloned()));
        let erasure = self.erasure.filter(|own| is_of_ids && !of_values || !own.is_empty());
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
) -> Result<StorePart> {
    let progress = &*request.progress;
    let wanted = &request.command;
    store.whole().map_err(Refusal::from)?;
    if let ChangeCommand::Erase(asked) = wanted {
        let context = WriteContext::of(store, request.now, host.machine.random());
        let how = (asked, request.by == Requester::Ids);
        let erasure = erase::plan_erasure(host, &context, store, entries, how, progress)?;
        let is_left = |entry: &Entry| {
            erasure.kept.contains(entry) || erasure.left.iter().any(|own| own.which.contains(entry))
        };
        let stays = entries.iter().filter(|entry| !is_left(entry)).copied().collect();
        let left = erasure.left.clone();
        return Ok(StorePart { plan: None, erasure: Some(erasure), entries: stays, left });
    }
    // Only a plan that restores deleted memories, or archived ones, needs to see them.
    let brings_back = match wanted {
        ChangeCommand::Undelete => true,
        ChangeCommand::Unarchive => ops::archive::is_in_own_data(store),
        _ => false,
    };
    let as_read = ops::delete::as_read(store);
    let planned_on = if brings_back { &**store } else { &*as_read };
    let mut gone = ErasedRecords::default();
    if brings_back {
        let erased = Vault::open_read_only(host.disk, host.data, &store.root).erasure_list();
        gone = ErasedRecords::of_lines(erased.map_err(|error| Refusal::corrupt(error.to_string()))?);
    }
    let packed = packed_bytes(host.disk, store, &ops::archive::packed(store, entries)?);
    let packed = packed.map_err(|error| ChangeFailure::unread("an archive", &error))?;
    let context = WriteContext::of(planned_on, request.now, host.machine.random());
    let context = WriteContext { compressed_files: &packed, ..context };
    let make = |own: &[Entry]| wanted.plan_records(&context, own, &gone, progress);
    // No file of the store has these.
    let is_aside = |entry: &Entry| !brings_back && ops::delete::is_held(store, entry);
    if request.by == Requester::Ids {
        if entries.iter().any(is_aside) {
            return Err(Refusal::unfit(ops::ASIDE).into());
        }
        let plan = Some(make(entries)?);
        return Ok(StorePart { plan, erasure: None, entries: entries.to_vec(), left: Vec::new() });
    }
    // If the plan counts memories itself, they are not counted here.
    let look = || if wanted.is_counted() { progress.go_on() } else { progress.step() };
    let is_sorted_out = brings_back && request.by == Requester::Query;
    let may = |entry: &Entry| {
        look()?;
        match is_sorted_out {
            true => Ok(()),
            false => wanted.check_allowed(store, entry).and_then(|()| match is_aside(entry) {
                true => Err(Refusal::unfit(ops::ASIDE)),
                false => Ok(()),
            }),
        }
    };
    let sifted = bulk::make_for_allowed(entries, &may, &make)?;
    Ok(StorePart { plan: sifted.result, erasure: None, entries: sifted.entries, left: sifted.skipped })
}

fn restored(request: &ChangeRequest, wanted: &BackupRestore, host: Host<'_>) -> Result<Plan> {
    let (compared, facts) = wanted.compared(&request.snapshot, host, request.now)?;
    let context =
        WriteContext::of(open_store(&request.snapshot, wanted.store)?, request.now, host.machine.random());
    let which = (&wanted.chosen, wanted.whole);
    Ok(ops::backup_restore::bring_back(&context, &compared, which, &wanted.bytes, &facts)?)
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
///
/// # Errors
///
/// If a value must not be erased everywhere, or if palimp's own data can't be read.
fn complete(mut request: ChangeRequest, host: Host<'_>) -> Result<ChangeRequest, String> {
    match &mut request.command {
        ChangeCommand::Erase(asked) if !asked.values.is_empty() && request.at.is_empty() => {
            with_holders(request)
        }
        ChangeCommand::Redact(own) if own.key.is_empty() => {
            give_key(own, host)?;
            Ok(request)
        }
        _ => Ok(request),
    }
}

/// Adds the memories that hold the values, deleted ones too.
fn with_holders(request: ChangeRequest) -> Result<ChangeRequest, String> {
    let ChangeCommand::Erase(asked) = &request.command else { return Ok(request) };
    let short = asked.values.all().iter().map(|own| own.len()).find(|len| *len < SHORTEST_VALUE);
    if let Some(len) = short {
        return Err(format!(
            "A value has {len} bytes: under {SHORTEST_VALUE}, it is in other texts by chance. Nothing was changed."
        ));
    }
    let snapshot = with_deleted(&request.snapshot, &request.data, request.now)?;
    let holders = ValueHolders::of(&snapshot, &asked.values);
    match holders.refusal() {
        Some(why) => Err(format!("{why} Nothing was changed.")),
        None => Ok(ChangeRequest { snapshot, at: holders.found, ..request }),
    }
}

/// Gives a redaction the key of this user. The key is kept before it is used, so that the same value has the same
/// name later.
fn give_key(redaction: &mut Redaction, host: Host<'_>) -> Result<(), String> {
    let mut triage = Triage::kept_in(host.data)?;
    redaction.key = triage.key(host.machine.random());
    match redaction.style {
        RedactionStyle::Pseudonym => triage.keep_in(host.data),
        RedactionStyle::Mask | RedactionStyle::Label => Ok(()),
    }
}
