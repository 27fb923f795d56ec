//! Saves what was typed into the form of a memory.

use std::sync::Arc;

use super::drafts::drop_form_draft;
use super::erase::is_erased;
use super::failure::{ChangeFailure, Result};
use super::outcome::{ChangeReport, HistoryEffect};
use super::undo_redo::{RecentStep, RecentSteps};
use crate::disk::host::Host;
use crate::model::{Entry, Plan, Store};
use crate::ops::{Refusal, WriteContext};
use crate::store::commit::Writer;

/// Saves a form by its plan, and drops its draft. `said` is what was done, in a few words.
///
/// # Errors
///
/// If it could not be written. The draft stays.
pub fn save_form(
    host: Host<'_>,
    of: (&Store, &Entry),
    plan: &Plan,
    said: String,
    recent: &mut RecentSteps,
) -> Result<ChangeReport> {
    written(&Writer::open(host, of.0)?, host, of, (plan, said), recent)
}

/// Saves what was typed as a new memory, by the plan that `make` returns for the store as it is `now`.
/// The form's memory is one of the store as it was.
///
/// # Errors
///
/// If the memory was erased meanwhile, because a new memory would restore it, or if it could not be written.
pub fn save_form_copy(
    host: Host<'_>,
    (was, entry): (&Arc<Store>, &Entry),
    now: &Arc<Store>,
    (make, said): (impl FnOnce(&WriteContext<'_>) -> Result<Plan, Refusal>, String),
    recent: &mut RecentSteps,
) -> Result<ChangeReport> {
    // While this writer holds the store, no other palimp can erase between the check and the write.
    let writer = Writer::open(host, was)?;
    if is_erased(host, was, entry)? {
        let _ = drop_form_draft(host, (was, entry));
        return Err(Refusal::unfit(
            "the memory was erased meanwhile, or looks like one that was. What it said is not written again.",
        )
        .into());
    }
    let random = host.machine.random();
    let plan = make(&WriteContext::of(now, host.now, random))?;
    written(&writer, host, (was, entry), (&plan, said), recent)
}

fn written(
    writer: &Writer<'_>,
    host: Host<'_>,
    of: (&Store, &Entry),
    (plan, said): (&Plan, String),
    recent: &mut RecentSteps,
) -> Result<ChangeReport> {
    let receipt = writer.commit(plan).map_err(ChangeFailure::from)?;
    recent.begin();
    recent.push_new(RecentStep::new(&of.0.root, receipt.step, &said));
    // If this fails, the draft is found again, and is the same as the memory.
    let _ = drop_form_draft(host, of);
    Ok(ChangeReport { said, notes: receipt.notes, effect: HistoryEffect::Made, receipt: Vec::new() })
}
