//! Plans a clean-up for the screens, and searches beside the stores.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::host::Host;
use crate::model::{Moment, Snapshot, SurroundingReport};
use crate::ops::Progress;
use crate::usecase::clean_up::{CleanUpPlan, CleanUpRequest, plan_clean_up};
use crate::usecase::surroundings::search_surroundings;
use crate::usecase::{Triage, read_name_list, with_deleted};

pub struct CleanUpJob {
    pub number: u64,
    /// The chosen stores: as they were listed, or as an earlier preview showed them.
    pub snapshot: Arc<Snapshot>,
    /// True if these stores list what was deleted and archived.
    pub lists_deleted: bool,
    pub request: CleanUpRequest,
    /// What an earlier preview found beside the stores, if it need not be searched again.
    pub beside: Option<SurroundingReport>,
    pub home: Option<PathBuf>,
    pub data: PathBuf,
    pub progress: Arc<Progress>,
    pub now: Moment,
}

/// Returns the stores, with what was deleted and archived, and the plan; or why there is none.
pub fn planned(job: CleanUpJob) -> Result<(Arc<Snapshot>, CleanUpPlan), String> {
    let CleanUpJob { snapshot, mut request, data, progress, now, .. } = job;
    if let Some(path) = request.rule.names.as_deref().filter(|_| request.names.is_none()) {
        request.names = Some(read_name_list(Path::new(path))?);
    }
    let triage = Triage::kept_in(&data)?;
    let snapshot =
        if job.lists_deleted { snapshot } else { with_deleted(&snapshot, Host::here(&data, now))? };
    for store in &snapshot.stores {
        // A copy may be in what was not read.
        store.whole().map_err(|why| why.to_string())?;
    }
    let host = Host::here(&data, now);
    let planned = plan_clean_up(host, &snapshot, &request, (&triage, &progress));
    let mut planned = planned.map_err(|error| error.told())?;
    match job.beside {
        Some(beside) => planned.planned.not_reached.beside = Some(beside),
        None => {
            let (words, progress) = (&planned.found.words, |bytes| progress.search(bytes));
            search_surroundings(host, job.home.as_deref(), &mut planned.planned, words, &progress);
        }
    }
    let stopped = |_| "It was stopped. Nothing was changed.".to_owned();
    progress.go_on().map(|()| (snapshot, planned)).map_err(stopped)
}
