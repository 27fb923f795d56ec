//! Saves what was typed into the form of a memory, in the way of every change.

use std::fmt;
use std::sync::Arc;

use super::drafts::drop_form_draft;
use super::erase::is_erased;
use super::execute::execute_unshown;
use super::failure::Result;
use super::outcome::{ChangeReport, SilentObserver};
use super::plan_change::plan;
use super::request::{ChangeRequest, Requester};
use super::undo_redo::RecentSteps;
use crate::disk::host::Host;
use crate::model::{Entry, EntryRef, Snapshot, Store};
use crate::ops::Refusal;
use crate::ops::command::{Command, CommandRules, StoreInput, StorePlan, WriteWay};
use crate::ops::edit::{EditMemory, EditStrictness};
use crate::ops::form::{self, EditForm};
use crate::store::CommitError;

/// Saves the fields of a form that were changed, and drops its draft. `name` is what is saved, in a few words.
/// Fails if it could not be written. The draft stays.
pub fn save_form(
    host: Host<'_>,
    (snapshot, at): (&Arc<Snapshot>, EntryRef),
    set: Vec<(String, String)>,
    name: String,
    recent: &mut RecentSteps,
) -> Result<ChangeReport> {
    let command = EditMemory { set, strictness: EditStrictness::Shown };
    let request = request(host, Arc::clone(snapshot), Arc::new(command), name);
    let planned = plan(ChangeRequest { at: vec![at], ..request }, host)?;
    let report = execute_unshown(&planned, host, recent, &mut SilentObserver)?;
    // If this fails, the draft is found again, and is the same as the memory.
    let _ = drop_form_draft(host, snapshot.get(at));
    Ok(report)
}

fn request(
    host: Host<'_>,
    snapshot: Arc<Snapshot>,
    command: Arc<dyn Command>,
    name: String,
) -> ChangeRequest {
    let request = ChangeRequest::new(snapshot, Requester::Screen, command, host.data.to_owned(), host.now);
    ChangeRequest { name, ..request }
}

/// Saves what was typed as a new memory, in the store `number` of the stores as they are now.
/// Fails if the memory was erased meanwhile, because a new memory would restore it, or if it could not be written.
pub fn save_form_copy(
    host: Host<'_>,
    copy: FormCopy,
    into: &Snapshot,
    name: String,
    recent: &mut RecentSteps,
) -> Result<ChangeReport> {
    let (store, entry) = (Arc::clone(&copy.store), copy.entry);
    let snapshot = Arc::new(Snapshot::of(into.stores.clone()));
    let planned = plan(request(host, snapshot, Arc::new(copy), name), host);
    let report = planned.and_then(|planned| execute_unshown(&planned, host, recent, &mut SilentObserver));
    if report.is_ok() || is_erased(host, &store, &entry)? {
        let _ = drop_form_draft(host, (&store, &entry));
    }
    report
}

/// Adds what was typed into the form of a memory that another program changed as a new one.
pub struct FormCopy {
    /// The store as the form was opened on it.
    pub store: Arc<Store>,
    /// The memory in it.
    pub entry: Entry,
    pub form: Arc<EditForm>,
    /// What was typed, field by field. Untrusted text.
    pub values: Vec<String>,
    /// The number of the store that gets the new memory.
    pub into: usize,
}

impl fmt::Debug for FormCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormCopy({:?}, {})", self.store.root, self.into)
    }
}

impl Command for FormCopy {
    fn rules(&self) -> CommandRules {
        let words = ["saving", "save", "saved as a new memory what was typed of"];
        CommandRules { words, ..CommandRules::of_store(self.into) }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> std::result::Result<Vec<StorePlan>, CommitError> {
        if is_erased(input.host, &self.store, &self.entry)? {
            let why = "the memory was erased meanwhile, or looks like one that was. What it said is not written again.";
            return Err(Refusal::unfit(why).into());
        }
        let plan = form::copy(&input.context(), &self.store, &self.entry, &self.form, &self.values)?;
        // No other palimp can erase between this check and the write.
        Ok(vec![StorePlan { store: input.number, plan, way: WriteWay::PlannedLocked }])
    }
}
