//! Background work: jobs in, results out. Jobs are pure, but they read and change stores; threads run them.
//!
//! Everywhere here `data` is the folder of palimp's own data, `snapshot` the stores as they were read, `store`
//! the number of one of them, `at` a memory, and `now` the time.

mod clean_up_job;
mod export;
pub mod form_jobs;
mod inspect;
mod job;
mod store_counts;
mod workers;

pub use clean_up_job::CleanUpJob;
pub use inspect::{
    ArchiveBatch, BackupCompareMode, BackupRow, BackupSummary, Chore, ChoreKind, Inspect, InspectRequest,
    Inspected, OpenedBackup, StepDetail, StepFile, Upkeep,
};
pub use job::{
    ExplainedRank, Job, JobResult, LoadedStores, MarkedRecords, SearchOutcome, SearchRequest, WorkerState,
    run_job,
};
pub use store_counts::StoreTally;
pub use workers::Workers;

pub use crate::disk::watch::FolderWatch;
pub use crate::disk::{PagerInput, edit_text, end_editor, end_editors, page};
