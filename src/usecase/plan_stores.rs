//! Plans changes of stores as a whole.

use std::path::Path;
use std::sync::Arc;

use super::command::{ChangeCommand, NewRecord, SessionCommand};
use super::failure::{ChangeFailure, Result};
use super::given_ids::record_with_free_id;
use super::plan_repair::plan_repair;
use super::request::ChangeRequest;
use crate::disk::host::Host;
use crate::disk::{Machine, RealDisk, ThisMachine};
use crate::model::{Moment, PathText, Plan, Store, container};
use crate::ops::effect_lines::add_rule_lines;
use crate::ops::{self, Refusal, WriteContext};
use crate::store::packed_bytes;
use crate::usecase::planned_change::PlannedChange;

/// Plans a change for each store. If there are several stores, a refusal names its store.
pub(super) fn plan_stores(request: ChangeRequest, host: Host<'_>) -> Result<PlannedChange> {
    let mut planned = PlannedChange::of(request, Vec::new());
    planned.random = host.machine.random();
    let snapshot = Arc::clone(&planned.request.snapshot);
    for (number, store) in snapshot.stores.iter().enumerate() {
        let is_other = |own: &usize| *own != number;
        if matches!(&planned.request.command, ChangeCommand::Add(own, _) | ChangeCommand::Session(own, _) if is_other(own))
        {
            continue;
        }
        let done = of_store(&mut planned, host, (number, store));
        done.map_err(|failed| if snapshot.stores.len() > 1 { failed.in_store(&store.root) } else { failed })?;
    }
    if matches!(planned.request.command, ChangeCommand::Repair(_)) && planned.plans.is_empty() {
        return Err(Refusal::unfit("there is no such problem in these stores.").into());
    }
    Ok(planned)
}

fn of_store(planned: &mut PlannedChange, host: Host<'_>, (number, store): (usize, &Store)) -> Result<()> {
    if let ChangeCommand::Add(at, new) = &planned.request.command
        && let Some(record) = record_with_free_id(host, store, &new.draft())?
    {
        let new = NewRecord { record: Some(record), ..new.clone() };
        planned.request.command = ChangeCommand::Add(*at, new);
    }
    let request = &planned.request;
    let context = WriteContext::of(store, request.now, planned.random);
    let plan = match &request.command {
        ChangeCommand::Maintain => {
            let due = plans_due(store, request.now)?.into_iter().filter(|(plan, _)| !plan.is_empty());
            let before = planned.plans.len();
            planned.plans.extend(due.map(|(mut plan, rule)| {
                add_rule_lines(&mut plan, store, &rule, request.now);
                (number, plan)
            }));
            if planned.plans.len() > before {
                return Ok(());
            }
            Plan::of("maintain", store.whole()?)
        }
        ChangeCommand::Repair(which) => {
            let whole = &request.snapshot.stores[number];
            let is_one = request.snapshot.stores.len() == 1;
            let Some(repair) = plan_repair(host, &context, (whole, is_one), which)? else { return Ok(()) };
            planned.quarantined.push((number, repair.quarantined));
            repair.plan.map_or_else(|| store.whole().map(|whole| Plan::of("repair", whole)), Ok)?
        }
        ChangeCommand::Session(_, SessionCommand::Delete(id)) => {
            let files = ops::session::packed_files(store, id)?;
            let packed = packed_bytes(host.disk, store, &files);
            let packed = packed.map_err(|error| ChangeFailure::unread("the session's archive", &error))?;
            request.command.plan_store(&WriteContext { compressed_files: &packed, ..context }, &[])?
        }
        ChangeCommand::Session(_, SessionCommand::Unarchive(id, _)) => {
            request.command.plan_store(&context, &packed_session(host, store, id)?)?
        }
        wanted => wanted.plan_store(&context, &[])?,
    };
    planned.plans.push((number, plan));
    Ok(())
}

/// Returns the archive of a session, as it is on the disk; empty if there is none.
fn packed_session(host: Host<'_>, store: &Store, name: &str) -> Result<Vec<u8>> {
    let is_named = |file: &Path| {
        let file = file.file_name().unwrap_or_default().to_text();
        file.strip_suffix(".tar.gz").or_else(|| file.strip_suffix(".tgz")) == Some(name)
    };
    let own = store.documents.iter().find(|own| container(&own.path).is_none() && is_named(&own.path));
    let Some(document) = own else { return Ok(Vec::new()) };
    let path = store.root.join(&document.path);
    let read = host.disk.read(&path, 0, None);
    read.map(|(bytes, _)| bytes).map_err(|error| ChangeFailure::unread(&path.to_text(), &error))
}

/// Returns what is due in a store at a time, each with its rule.
pub fn plans_due(store: &Store, now: Moment) -> Result<Vec<(Plan, String)>> {
    let context = WriteContext::of(store, now, ThisMachine::new().random());
    let files = ops::maintain::due_files(&context)?;
    let packed = packed_bytes(&RealDisk, store, &files)
        .map_err(|error| ChangeFailure::unread("an archive", &error))?;
    Ok(ops::maintain::due(&WriteContext { compressed_files: &packed, ..context })?)
}
