//! Changes of stores as a whole, planned.

use std::path::Path;
use std::sync::Arc;

use super::asked::ChangeRequest;
use super::failed::{Failed, Result};
use super::meanwhile::say_rule;
use super::planned::Planned;
use super::repaired::repaired;
use super::wanted::{SessionDeed, Wanted};
use crate::disk::{Machine, Real, ThisMachine};
use crate::model::{Moment, Plan, Store, Tell, container};
use crate::ops::{self, NO_PACKED, Refusal, Scene};
use crate::store::commit::Host;
use crate::store::packed_bytes;

/// Plans for stores as a whole. Of several stores the one that refuses is named.
pub(super) fn of_stores(request: ChangeRequest, host: Host<'_>) -> Result<Planned> {
    let mut planned = Planned::of(request, Vec::new());
    planned.random = host.machine.random();
    let snapshot = Arc::clone(&planned.request.snapshot);
    for (number, store) in snapshot.stores.iter().enumerate() {
        let is_other = |own: &usize| *own != number;
        if matches!(&planned.request.wanted, Wanted::Add(own, _) | Wanted::Session(own, _) if is_other(own)) {
            continue;
        }
        let done = of_store(&mut planned, host, (number, store));
        done.map_err(|failed| if snapshot.stores.len() > 1 { failed.in_store(&store.root) } else { failed })?;
    }
    if matches!(planned.request.wanted, Wanted::Repair(_)) && planned.plans.is_empty() {
        return Err(Refusal::unfit("there is no such problem in these stores.").into());
    }
    Ok(planned)
}

/// Adds the plans for one store.
fn of_store(planned: &mut Planned, host: Host<'_>, (number, store): (usize, &Store)) -> Result<()> {
    let request = &planned.request;
    let scene = Scene { store, now: request.now, random: planned.random, packed: &NO_PACKED };
    let plan = match &request.wanted {
        Wanted::Maintain => {
            let due = plans_due(store, request.now)?.into_iter().filter(|(plan, _)| !plan.is_empty());
            let before = planned.plans.len();
            planned.plans.extend(due.map(|(mut plan, rule)| {
                say_rule(&mut plan, store, &rule, request.now);
                (number, plan)
            }));
            if planned.plans.len() > before {
                return Ok(());
            }
            Plan::of("maintain", store.whole()?)
        }
        Wanted::Repair(which) => {
            let whole = &request.snapshot.stores[number];
            let is_one = request.snapshot.stores.len() == 1;
            let Some(repair) = repaired(host, &scene, (whole, is_one), which)? else { return Ok(()) };
            planned.quarantined.push((number, repair.quarantined));
            repair.plan.map_or_else(|| store.whole().map(|whole| Plan::of("repair", whole)), Ok)?
        }
        Wanted::Session(_, SessionDeed::Delete(id)) => {
            let files = ops::session::packed_files(store, id)?;
            let packed = packed_bytes(host.disk, store, &files);
            let packed = packed.map_err(|error| Failed::unread("the session's archive", &error))?;
            request.wanted.of_store(&Scene { packed: &packed, ..scene }, &[])?
        }
        Wanted::Session(_, SessionDeed::Unarchive(id, _)) => {
            request.wanted.of_store(&scene, &packed_session(host, store, id)?)?
        }
        wanted => wanted.of_store(&scene, &[])?,
    };
    planned.plans.push((number, plan));
    Ok(())
}

/// The archive of a session, as it is on the disk; empty where there is none.
fn packed_session(host: Host<'_>, store: &Store, name: &str) -> Result<Vec<u8>> {
    let is_named = |file: &Path| {
        let file = file.file_name().unwrap_or_default().told();
        file.strip_suffix(".tar.gz").or_else(|| file.strip_suffix(".tgz")) == Some(name)
    };
    let own = store.documents.iter().find(|own| container(&own.path).is_none() && is_named(&own.path));
    let Some(document) = own else { return Ok(Vec::new()) };
    let path = store.root.join(&document.path);
    let read = host.disk.read(&path, 0, None);
    read.map(|(bytes, _)| bytes).map_err(|error| Failed::unread(&path.told(), &error))
}

/// What is due in a store at a time, with the rule of each.
pub fn plans_due(store: &Store, now: Moment) -> Result<Vec<(Plan, String)>> {
    let scene = Scene { store, now, random: ThisMachine::new().random(), packed: &NO_PACKED };
    let files = ops::upkeep::due_files(&scene)?;
    let packed = packed_bytes(&Real, store, &files).map_err(|error| Failed::unread("an archive", &error))?;
    Ok(ops::upkeep::due(&Scene { packed: &packed, ..scene })?)
}
