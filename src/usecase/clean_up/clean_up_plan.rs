//! Plans a clean-up: what is shown is what is carried out, for the verb and for the screens.

use std::path::Path;
use std::sync::Arc;

use super::clean_up_match::{CleanUpAction, CleanUpError, CleanUpMatch, CleanUpRequest, find};
use crate::disk::host::Host;
use crate::model::Snapshot;
use crate::ops::Progress;
use crate::query::CancelToken;
use crate::store::erase::SecretValues;
use crate::usecase::agents_at_work::agents_at_work;
use crate::usecase::command::{ChangeCommand, DeleteOptions, EraseOptions};
use crate::usecase::plan_change::plan;
use crate::usecase::planned_change::{PlannedChange, memory_count};
use crate::usecase::request::{ChangeRequest, Requester};
use crate::usecase::{Triage, surroundings};

/// A clean-up with its plan.
pub struct CleanUpPlan {
    /// What it takes and leaves.
    pub found: CleanUpMatch,
    /// The plan.
    pub planned: PlannedChange,
    /// Which programs may be at work in these stores. Untrusted text.
    pub at_work: Vec<String>,
}

impl CleanUpPlan {
    /// Searches beside the stores for what goes, and notes what is found in the plan. A deletion keeps everything, so
    /// nothing is searched then.
    pub fn search_surroundings(
        &mut self,
        host: Host<'_>,
        home: Option<&Path>,
        progress: &(dyn Fn(u64) -> bool + Sync),
    ) {
        surroundings::search_surroundings(host, home, &mut self.planned, &self.found.words, progress);
    }
}

/// Plans a clean-up of stores that list their deleted and archived memories. Nothing is written.
///
/// # Errors
///
/// If the request names nothing, or can't be understood, or if the change is refused.
pub fn plan_clean_up(
    host: Host<'_>,
    snapshot: &Arc<Snapshot>,
    request: &CleanUpRequest,
    (triage, progress): (&Triage, &Arc<Progress>),
) -> Result<CleanUpPlan, CleanUpError> {
    let found = find(snapshot, request, triage, host.now, &CancelToken::default())?;
    progress.go_on().map_err(|_| CleanUpError::Stopped)?;
    let command = match request.action {
        CleanUpAction::Erase => {
            ChangeCommand::Erase(EraseOptions { reason: None, values: found.values.clone() })
        }
        CleanUpAction::Delete => ChangeCommand::Delete(DeleteOptions::default()),
    };
    let change =
        ChangeRequest::new(Arc::clone(snapshot), Requester::Query, command, host.data.to_owned(), host.now);
    let change = ChangeRequest {
        at: found.at.clone(),
        name: name_of(&found.values, found.at.len()),
        progress: Arc::clone(progress),
        ..change
    };
    let mut planned = match found.at.is_empty() && found.values.is_empty() {
        true => PlannedChange::of(change, Vec::new()),
        false => plan(change, host)?,
    };
    if request.action == CleanUpAction::Erase {
        planned.not_reached.rotate.clone_from(&found.rotate);
    }
    let at_work = agents_at_work(&snapshot.stores, host.now);
    Ok(CleanUpPlan { found, planned, at_work })
}

/// Returns the name of what goes, without a word of it.
fn name_of(values: &SecretValues, memories: usize) -> String {
    match values.all().len() {
        0 => memory_count(memories),
        1 => "1 value".into(),
        several => format!("{several} values"),
    }
}
