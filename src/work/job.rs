//! The jobs of the background threads, and their results.

mod search;

use std::path::PathBuf;
use std::sync::Arc;

use search::{find, why};

use super::clean_up_job::{self, CleanUpJob};
use super::export;
use super::form_jobs::{self, FormRequest, FormSaveOutcome, ValidatedForm};
use super::inspect::{self, InspectRequest, Inspected};
use super::store_counts::StoreTally;
use crate::disk::host::Host;
use crate::disk::{Machine, ThisMachine};
use crate::model::{EntryRef, Extent, FormDraft, Moment, Snapshot, Store};
use crate::query::{
    CancelToken, Explanation, Facets, Matches, Order, QueryError, Ranking, ResultPick, Results, SimilarWord,
    TextIndex, UsageStatistics,
};
use crate::store::{self, Place};
use crate::usecase::clean_up::{CleanUpPlan, CleanUpRule, SavedRules};
use crate::usecase::{
    self, BackupComparer, ChangeReport, ChangeRequest, CheckedSnapshot, ExecuteOutcome, PlannedChange,
    RecentSteps, RecoveryReport, SetAsideCount, Triage, Verdict, Visits, preview,
};

pub enum Job {
    /// Reads the stores again. Files that have not changed are taken from `previous`.
    Load {
        places: Vec<Place>,
        previous: Arc<Snapshot>,
        data: Option<PathBuf>,
        /// True if it shows what the user did. What other programs do may wait a little.
        is_urgent: bool,
        /// The number of the user's changes that ended before it was asked for.
        changes: u64,
        now: Moment,
    },
    /// Counts the deleted memories, including those in palimp's data.
    CountDeleted {
        snapshot: Arc<Snapshot>,
        data: PathBuf,
        now: Moment,
    },
    /// Looks for what only `check` looks for. A newer load replaces it.
    Check {
        snapshot: Arc<Snapshot>,
        data: Option<PathBuf>,
        now: Moment,
    },
    /// Searches. A newer search replaces it.
    Search(SearchRequest),
    /// Searches for memories to mark. Nothing replaces it.
    SearchToMark(SearchRequest),
    /// Explains the rank of an entry in a search. A newer job replaces it.
    Explain(SearchRequest, EntryRef),
    /// Counts what the stores hold, and what was written when.
    CountStatistics(Arc<Snapshot>, Moment),
    /// Keeps for the next start up to when each store was seen.
    KeepVisits {
        visits: Visits,
        data: PathBuf,
    },
    KeepCleanUpRule {
        name: String,
        rule: CleanUpRule,
        data: PathBuf,
    },
    /// Keeps a verdict on values that were found.
    KeepVerdict {
        values: Vec<Vec<u8>>,
        verdict: Verdict,
        data: PathBuf,
    },
    Export {
        number: u64,
        snapshot: Arc<Snapshot>,
        at: Vec<EntryRef>,
        file: String,
    },
    Change(Box<ChangeRequest>),
    /// Plans a change, to show it first.
    Plan(Box<ChangeRequest>),
    /// Plans a clean-up, and searches beside the stores.
    PlanCleanUp(Box<CleanUpJob>),
    /// Carries out what was shown.
    Commit(Box<PlannedChange>),
    /// Reads what a view shows and the stores do not hold: backups, the journal, what is due.
    Inspect(Box<InspectRequest>),
    /// Judges a form; with the flag, also the whole store. A newer job replaces it.
    ValidateForm(Box<FormRequest>, bool),
    KeepDraft(Box<FormRequest>),
    KeepText(Box<FormRequest>, String),
    /// Saves a form. The flag says whether its warnings were shown.
    SaveForm(Box<FormRequest>, bool),
    /// Saves what was typed as a new record, in the stores as they are now.
    SaveCopy(Box<FormRequest>, Arc<Snapshot>),
    /// Looks for what was typed into the form of a memory before.
    FindDraft {
        snapshot: Arc<Snapshot>,
        at: EntryRef,
        data: PathBuf,
        now: Moment,
    },
    /// Looks after palimp's files in the stores: finishes what was interrupted, and rescues late lines.
    Recover {
        snapshot: Arc<Snapshot>,
        data: PathBuf,
        now: Moment,
    },
}

#[derive(Clone)]
pub struct SearchRequest {
    pub snapshot: Arc<Snapshot>,
    pub query: String,
    pub ranking: Ranking,
    pub order: Order,
    /// Only these memories, no matter what the query and their state are.
    pub only: Option<MarkedRecords>,
    /// For an explanation, the words that were searched instead of those typed.
    pub similar: Vec<SimilarWord>,
    pub pick: Option<&'static ResultPick>,
    /// For each store, true if its memories come first. Empty if all are alike.
    pub first: Vec<bool>,
    /// The number of the user's changes that the stores surely have.
    pub changes: u64,
    /// True to search also the deleted memories that palimp's own data still holds, whatever the query is.
    pub deleted: bool,
    pub data: Option<PathBuf>,
    pub now: Moment,
}

/// Marked memories, and the stores in which they were marked.
#[derive(Clone)]
pub struct MarkedRecords {
    pub of: Arc<Snapshot>,
    pub at: Vec<EntryRef>,
}

pub enum JobResult {
    Loaded(LoadedStores),
    Checked(CheckedSnapshot),
    Found(Box<SearchOutcome>),
    FoundToMark(Box<SearchOutcome>),
    Counted(Arc<Snapshot>, Box<UsageStatistics>),
    /// The number of deleted memories, if it is known.
    DeletedCounted(Option<SetAsideCount>),
    Explained(Box<ExplainedRank>),
    ChangeDone(Box<Result<ChangeReport, String>>),
    /// Nothing was changed, because other programs changed it: the new plan, to be confirmed.
    PlanStale(Box<PlannedChange>),
    Planned(Box<Result<PlannedChange, String>>),
    /// The number of the clean-up, its stores with what was deleted and archived, and its plan.
    CleanUpPlanned(u64, Box<Result<(Arc<Snapshot>, CleanUpPlan), String>>),
    /// A rule of clean-ups was saved: all of them; or why it was not.
    CleanUpRuleKept(Result<SavedRules, String>),
    /// A verdict on these values was kept, with all others; or why it was not.
    VerdictKept(Result<(Vec<Vec<u8>>, Verdict, Triage), String>),
    Inspected(Box<Inspected>),
    FormValidated(Box<ValidatedForm>),
    /// What was typed is kept since this time, or why it is not, with the number of the state of the text.
    DraftKept(u64, Result<Moment, String>),
    /// Where a text that no form can take is kept, as a sentence.
    TextKept(String),
    FormSaved(Box<FormSaveOutcome>),
    /// What was typed into the form of this memory before.
    DraftFound(EntryRef, Option<FormDraft>),
    /// palimp's files in the stores were looked after.
    Recovered(RecoveryReport),
    /// The number of an export that has ended, and a sentence: what was written, or why nothing was.
    Exported(u64, Result<String, String>),
    /// A notice for the user: why something was not kept.
    Notice(String),
}

pub struct LoadedStores {
    pub snapshot: Arc<Snapshot>,
    pub counts: Vec<StoreTally>,
    /// The number of the user's changes that the stores surely have.
    pub changes: u64,
}

/// The results of a search, or why the query can't be understood.
pub struct SearchOutcome {
    pub asked: SearchRequest,
    /// The stores of the request, without deleted memories.
    pub of: Arc<Snapshot>,
    /// The results, and what they have in common.
    pub outcome: Result<(Results, Facets), QueryError>,
    /// Why deleted memories are missing, if they were asked for.
    pub unread: Option<String>,
}

pub struct ExplainedRank {
    pub at: EntryRef,
    pub snapshot: Arc<Snapshot>,
    /// Its rank; `None` for a broken record.
    pub explanation: Option<Explanation>,
}

/// What a worker keeps between jobs: the folded text of the snapshot that was searched last, if it was
/// needed, where the last words are in it, the steps that were made and undone, and what the
/// comparisons of backups need.
#[derive(Default)]
pub struct WorkerState {
    text: Option<(Arc<Snapshot>, TextIndex)>,
    words: Vec<(Arc<Snapshot>, String, Arc<Matches>)>,
    /// Stores, and the same stores with their deleted memories.
    deleted: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
    recent: RecentSteps,
    checked: usecase::CheckCache,
    backups: BackupComparer,
}

/// Runs a job. Returns `None` if a newer one replaced it.
pub fn run_job(job: Job, kept: &mut WorkerState, cancel: &CancelToken) -> Option<JobResult> {
    Some(match job {
        Job::Load { places, previous, data, changes, now, .. } => {
            let stores = store::load_each(&places, Extent::All, &previous, now);
            let tally = |store: &Arc<Store>| StoreTally {
                as_palimp_left: data.iter().flat_map(|data| usecase::files_as_left(data, store)).collect(),
                ..StoreTally::of(store)
            };
            let counts = stores.iter().map(tally).collect();
            let snapshot = Arc::new(Snapshot::of(stores));
            // The references are made here, so that the screens need not wait for them.
            snapshot.references();
            JobResult::Loaded(LoadedStores { snapshot, counts, changes })
        }
        Job::Check { snapshot, data, now } => {
            JobResult::Checked(kept.checked.check_all(snapshot, data.as_deref(), now))
        }
        Job::Search(asked) => JobResult::Found(Box::new(find(asked, true, kept, cancel)?)),
        // What is marked was typed.
        Job::SearchToMark(asked) => JobResult::FoundToMark(Box::new(find(asked, false, kept, cancel)?)),
        Job::Explain(asked, at) => JobResult::Explained(Box::new(why(asked, at, kept)?)),
        Job::CountStatistics(snapshot, now) => {
            let statistics = UsageStatistics::of(&snapshot, now);
            JobResult::Counted(snapshot, Box::new(statistics))
        }
        Job::CountDeleted { snapshot, data, now } => {
            JobResult::DeletedCounted(usecase::deleted_count(&snapshot, Host::here(&data, now)))
        }
        Job::Change(request) => committed(usecase::plan_and_execute(&request, &mut kept.recent)),
        Job::Plan(request) => JobResult::Planned(Box::new(preview(*request))),
        Job::PlanCleanUp(job) => JobResult::CleanUpPlanned(job.number, Box::new(clean_up_job::planned(*job))),
        Job::Commit(planned) => committed(usecase::execute_shown(*planned, &mut kept.recent)),
        Job::Inspect(request) => {
            JobResult::Inspected(Box::new(inspect::inspect(*request, &mut kept.backups)))
        }
        Job::ValidateForm(request, is_whole) => {
            JobResult::FormValidated(Box::new(form_jobs::judged(&request, is_whole)))
        }
        Job::KeepDraft(request) => JobResult::DraftKept(request.version, form_jobs::keep_typed(&request)),
        Job::KeepText(request, text) => {
            let memory = request.snapshot.get(request.at);
            JobResult::TextKept(usecase::keep_draft(&request.data, memory, text.as_bytes(), request.now))
        }
        Job::SaveForm(request, is_shown) => {
            JobResult::FormSaved(Box::new(form_jobs::save(&request, is_shown, &mut kept.recent)))
        }
        Job::SaveCopy(request, into) => {
            JobResult::FormSaved(Box::new(form_jobs::save_copy(&request, &into, &mut kept.recent)))
        }
        Job::FindDraft { snapshot, at, data, now } => {
            let draft = usecase::find_form_draft(Host::here(&data, now), snapshot.get(at));
            JobResult::DraftFound(at, draft)
        }
        Job::Export { number, snapshot, at, file } => {
            JobResult::Exported(number, export::write(&snapshot, &at, &file))
        }
        Job::KeepVerdict { values, verdict, data } => {
            let kept = usecase::keep_verdict(&data, &values, verdict, ThisMachine::new().random());
            JobResult::VerdictKept(kept.map(|triage| (values, verdict, triage)))
        }
        Job::KeepCleanUpRule { name, rule, data } => {
            JobResult::CleanUpRuleKept(SavedRules::change(&data, |rules| rules.add(&name, rule)))
        }
        Job::KeepVisits { visits, data } => JobResult::Notice(visits.keep_in(&data).err()?),
        Job::Recover { snapshot, data, now } => {
            JobResult::Recovered(usecase::recover_stores(&snapshot, &data, now))
        }
    })
}

fn committed(outcome: Result<ExecuteOutcome, String>) -> JobResult {
    match outcome {
        Ok(ExecuteOutcome::Done(changed)) => JobResult::ChangeDone(Box::new(Ok(changed))),
        Ok(ExecuteOutcome::Stale(planned)) => JobResult::PlanStale(planned),
        Err(why) => JobResult::ChangeDone(Box::new(Err(why))),
    }
}
