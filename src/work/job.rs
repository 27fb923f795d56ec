//! What is done in the background, and what comes of it.

mod search;

use std::path::PathBuf;
use std::sync::Arc;

use search::{find, why};

use super::export;
use super::form_jobs::{self, FormRequest, FormSaveOutcome, ValidatedForm};
use super::inspect::{self, InspectRequest, Inspected};
use super::recovery::{RecoveryReport, recover_stores};
use super::store_counts::StoreTally;
use crate::model::{EntryRef, Extent, Moment, Snapshot};
use crate::query::{
    CancelToken, Explanation, Facets, Matches, Order, QueryError, Ranking, ResultPick, Results, TextIndex,
    UsageStatistics,
};
use crate::store::commit::{DeletionsCache, FormDraft};
use crate::store::{self, Place};
use crate::usecase::{
    self, ChangeReport, ChangeRequest, CheckedSnapshot, ExecuteOutcome, PlannedChange, RecentSteps,
    ScreenState, preview,
};

/// Something to do.
pub enum Job {
    /// Read the stores again; files that have not changed are taken from `previous`.
    Load {
        /// Which stores.
        places: Vec<Place>,
        /// The stores as they were read before.
        previous: Arc<Snapshot>,
        /// Whether it shows what the user did; what others do may wait a little.
        is_urgent: bool,
        /// The time.
        now: Moment,
    },
    /// Counts the deleted memories, including those in palimp's data.
    CountDeleted {
        /// The stores as they were read.
        snapshot: Arc<Snapshot>,
        /// The folder of palimp's data.
        data: PathBuf,
        /// The time.
        now: Moment,
    },
    /// Look for what only `check` looks for; reading again takes its place.
    Check {
        /// The stores as they were read.
        snapshot: Arc<Snapshot>,
        /// The folder of our own data.
        data: Option<PathBuf>,
        /// The time.
        now: Moment,
    },
    /// Search; a newer one takes its place.
    Search(SearchRequest),
    /// Search for what is to be marked; nothing takes its place.
    SearchToMark(SearchRequest),
    /// Explain one entry's rank under a search; a newer one takes its place.
    Explain(SearchRequest, EntryRef),
    /// Count what the stores hold, and what was written when.
    CountStatistics(Arc<Snapshot>, Moment),
    /// Keep what the next start of the screens is to know.
    KeepScreenState {
        /// What.
        what: ScreenState,
        /// The folder of our own data.
        data: PathBuf,
    },
    /// Write memories into a new file.
    Export {
        /// Which export this is: its outcome has the same number.
        number: u64,
        /// The stores.
        snapshot: Arc<Snapshot>,
        /// Which memories.
        at: Vec<EntryRef>,
        /// The file, as the user typed it.
        file: String,
    },
    /// Change memories.
    Change(Box<ChangeRequest>),
    /// Plan a change, to show it first.
    Plan(Box<ChangeRequest>),
    /// Carry out what was shown.
    Commit(Box<PlannedChange>),
    /// Read what a view shows that is not in the stores as they were read: backups, the
    /// journal, what is due.
    Inspect(Box<InspectRequest>),
    /// Judge a form, with the whole store where that is asked for; a newer one takes its place.
    ValidateForm(Box<FormRequest>, bool),
    /// Keep what was typed into a form.
    KeepDraft(Box<FormRequest>),
    /// Keep a text that no form can take.
    KeepText(Box<FormRequest>, String),
    /// Save a form; the flag says whether what it brings was shown.
    SaveForm(Box<FormRequest>, bool),
    /// Save what was typed as a new record, in the stores as they are now.
    SaveCopy(Box<FormRequest>, Arc<Snapshot>),
    /// Look for what was typed into the form of a memory before.
    FindDraft {
        /// The stores.
        snapshot: Arc<Snapshot>,
        /// The memory.
        at: EntryRef,
        /// The folder of our own data.
        data: PathBuf,
        /// The time.
        now: Moment,
    },
    /// Look after files of ours that are in the stores: what was interrupted is finished,
    /// late lines are rescued.
    Recover {
        /// The stores as they were read.
        snapshot: Arc<Snapshot>,
        /// The folder of our own data.
        data: PathBuf,
        /// The time.
        now: Moment,
    },
}

/// A search that was asked for.
#[derive(Clone)]
pub struct SearchRequest {
    /// In what.
    pub snapshot: Arc<Snapshot>,
    /// For what.
    pub query: String,
    /// How to rank.
    pub ranking: Ranking,
    /// What to order by.
    pub order: Order,
    /// These alone, whatever is asked and whatever became of them.
    pub only: Option<MarkedRecords>,
    /// What is picked of what is found.
    pub pick: Option<&'static ResultPick>,
    /// Whether also in what was deleted and our own data still hold, whatever is asked.
    pub deleted: bool,
    /// The folder of our own data.
    pub data: Option<PathBuf>,
    /// The time.
    pub now: Moment,
}

/// Memories that were marked, in the stores in which they were.
#[derive(Clone)]
pub struct MarkedRecords {
    /// The stores.
    pub of: Arc<Snapshot>,
    /// The memories.
    pub at: Vec<EntryRef>,
}

/// What came of a job.
pub enum JobResult {
    /// Stores were read.
    Loaded(LoadedStores),
    /// More was found wrong with the stores.
    Checked(CheckedSnapshot),
    /// A search came to its end.
    Found(Box<SearchOutcome>),
    /// What is to be marked was found.
    FoundToMark(Box<SearchOutcome>),
    /// Stores were counted.
    Counted(Box<SnapshotStatistics>),
    /// The number of deleted memories, if it is known.
    DeletedCounted(Option<usize>),
    /// A rank was explained.
    Explained(Box<ExplainedRank>),
    /// Memories were changed, or why they were not.
    ChangeDone(Box<Result<ChangeReport, String>>),
    /// Nothing was changed, because others did meanwhile: the plan as it is now, to be asked for.
    PlanStale(Box<PlannedChange>),
    /// A change was planned, or why it can't be made.
    Planned(Box<Result<PlannedChange, String>>),
    /// What a view shows was read.
    Inspected(Box<Inspected>),
    /// A form was judged.
    FormValidated(Box<ValidatedForm>),
    /// What was typed is kept since then, or why it is not: of that state of the typing.
    DraftKept(u64, Result<Moment, String>),
    /// Where a text is kept that no form could take, as a sentence.
    TextKept(String),
    /// A form was saved, or why it was not.
    FormSaved(Box<FormSaveOutcome>),
    /// What was typed before into the form of that memory.
    DraftFound(EntryRef, Option<FormDraft>),
    /// Files of ours were looked after.
    Recovered(RecoveryReport),
    /// Which export has ended: that memories were written into a file, or why not, as a sentence.
    Exported(u64, Result<String, String>),
    /// What to tell the user: why something was not kept.
    Notice(String),
}

/// Stores as they were read.
pub struct LoadedStores {
    /// The stores.
    pub snapshot: Arc<Snapshot>,
    /// One a store.
    pub counts: Vec<StoreTally>,
}

/// The results of a search, or why the query can't be understood.
pub struct SearchOutcome {
    /// What was asked, in the stores in which it was searched for.
    pub asked: SearchRequest,
    /// The stores in which it was asked for: without what was deleted from them.
    pub of: Arc<Snapshot>,
    /// What was found, and what it has in common.
    pub outcome: Result<(Results, Facets), QueryError>,
    /// Why what was deleted is not among it, though it was asked for.
    pub unread: Option<String>,
}

/// What stores hold, counted.
pub struct SnapshotStatistics {
    /// The stores.
    pub snapshot: Arc<Snapshot>,
    /// What they hold.
    pub statistics: UsageStatistics,
}

/// Why an entry has its rank.
pub struct ExplainedRank {
    /// Which entry, of which snapshot.
    pub at: EntryRef,
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// Its rank; `None` for a broken record.
    pub explanation: Option<Explanation>,
}

/// What one worker keeps between jobs: the folded text of the snapshot last searched, if that was needed,
/// where the words last searched for are in it, the steps that were made and undone, and what was deleted.
#[derive(Default)]
pub struct WorkerState {
    text: Option<(Arc<Snapshot>, TextIndex)>,
    words: Vec<(Arc<Snapshot>, String, Arc<Matches>)>,
    /// Stores, and the same with what was deleted from them.
    deleted: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
    recent: RecentSteps,
    checked: usecase::CheckCache,
    deletions: DeletionsCache,
}

/// Does a job; `None` when a newer one took its place.
pub fn run_job(job: Job, kept: &mut WorkerState, cancel: &CancelToken) -> Option<JobResult> {
    match job {
        Job::Load { places, previous, now, .. } => Some(JobResult::Loaded(read(&places, &previous, now))),
        Job::Check { snapshot, data, now } => {
            Some(JobResult::Checked(kept.checked.check_all(snapshot, data.as_deref(), now)))
        }
        Job::Search(asked) => find(asked, kept, cancel).map(|found| JobResult::Found(Box::new(found))),
        Job::SearchToMark(asked) => {
            find(asked, kept, cancel).map(|found| JobResult::FoundToMark(Box::new(found)))
        }
        Job::Explain(asked, at) => Some(JobResult::Explained(Box::new(why(asked, at, kept)?))),
        Job::CountStatistics(snapshot, now) => {
            let statistics = UsageStatistics::of(&snapshot, now);
            Some(JobResult::Counted(Box::new(SnapshotStatistics { snapshot, statistics })))
        }
        Job::CountDeleted { snapshot, data, now } => {
            Some(JobResult::DeletedCounted(usecase::deleted_count(&snapshot, &data, now)))
        }
        Job::Change(request) => Some(committed(usecase::plan_and_execute(&request, &mut kept.recent))),
        Job::Plan(request) => Some(JobResult::Planned(Box::new(preview(*request)))),
        Job::Commit(planned) => Some(committed(usecase::execute_shown(*planned, &mut kept.recent))),
        Job::Inspect(request) => {
            Some(JobResult::Inspected(Box::new(inspect::inspect(*request, &mut kept.deletions))))
        }
        Job::ValidateForm(request, is_whole) => {
            Some(JobResult::FormValidated(Box::new(form_jobs::judged(&request, is_whole))))
        }
        Job::KeepDraft(request) => {
            Some(JobResult::DraftKept(request.version, form_jobs::keep_typed(&request)))
        }
        Job::KeepText(request, text) => {
            Some(JobResult::TextKept(form_jobs::keep_left(&request, text.as_bytes())))
        }
        Job::SaveForm(request, is_shown) => {
            Some(JobResult::FormSaved(Box::new(form_jobs::save(&request, is_shown, &mut kept.recent))))
        }
        Job::SaveCopy(request, into) => {
            Some(JobResult::FormSaved(Box::new(form_jobs::save_copy(&request, &into, &mut kept.recent))))
        }
        Job::FindDraft { snapshot, at, data, now } => {
            let (store, entry) = snapshot.get(at);
            Some(JobResult::DraftFound(at, form_jobs::draft_of(&data, store, entry, now)))
        }
        Job::Export { number, snapshot, at, file } => {
            Some(JobResult::Exported(number, export::write(&snapshot, &at, &file)))
        }
        Job::KeepScreenState { what, data } => what.keep_in(&data).err().map(JobResult::Notice),
        Job::Recover { snapshot, data, now } => {
            Some(JobResult::Recovered(recover_stores(&snapshot, &data, now)))
        }
    }
}

fn committed(outcome: Result<ExecuteOutcome, String>) -> JobResult {
    match outcome {
        Ok(ExecuteOutcome::Done(changed)) => JobResult::ChangeDone(Box::new(Ok(changed))),
        Ok(ExecuteOutcome::Stale(planned)) => JobResult::PlanStale(planned),
        Err(why) => JobResult::ChangeDone(Box::new(Err(why))),
    }
}

fn read(places: &[Place], previous: &Snapshot, now: Moment) -> LoadedStores {
    let stores = store::load_each(places, Extent::Judged, previous, now);
    let tallies = stores.iter().map(|store| StoreTally::of(store)).collect();
    let snapshot = Arc::new(Snapshot::of(stores));
    // Sorted out here, so that the screens need not wait for it.
    snapshot.references();
    LoadedStores { snapshot, counts: tallies }
}
