//! What is done in the background, and what comes of it.

mod searching;

use std::path::PathBuf;
use std::sync::Arc;

use searching::{find, why};

use super::editor::{self, FormJudged, FormRequest, FormSaved};
use super::export;
use super::inspect::{self, InspectRequest, Inspected};
use super::tally::Tally;
use super::tend::{Tended, tend};
use crate::deed::{self, AllChecked, ChangeRequest, Changed, Committed, Lasting, Planned, Recent, preview};
use crate::model::{EntryRef, Extent, Moment, Snapshot};
use crate::query::{
    Cancel, Explanation, Facets, Matches, Order, Pick, QueryError, Ranking, Results, Statistics, TextIndex,
};
use crate::store::commit::{FormDraft, KnownDeletions};
use crate::store::{self, Place};

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
    Search(Asked),
    /// Search for what is to be marked; nothing takes its place.
    Select(Asked),
    /// Explain one entry's rank under a search; a newer one takes its place.
    Explain(Asked, EntryRef),
    /// Count what the stores hold, and what was written when.
    Count(Arc<Snapshot>, Moment),
    /// Keep what the next start of the screens is to know.
    KeepLasting {
        /// What.
        what: Lasting,
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
    Commit(Box<Planned>),
    /// Read what a view shows that is not in the stores as they were read: backups, the
    /// journal, what is due.
    Inspect(Box<InspectRequest>),
    /// Judge a form, with the whole store where that is asked for; a newer one takes its place.
    Judge(Box<FormRequest>, bool),
    /// Keep what was typed into a form.
    Keep(Box<FormRequest>),
    /// Keep a text that no form can take.
    KeepText(Box<FormRequest>, String),
    /// Save a form; the flag says whether what it brings was shown.
    Save(Box<FormRequest>, bool),
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
    Tend {
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
pub struct Asked {
    /// In what.
    pub snapshot: Arc<Snapshot>,
    /// For what.
    pub query: String,
    /// How to rank.
    pub ranking: Ranking,
    /// What to order by.
    pub order: Order,
    /// These alone, whatever is asked and whatever became of them.
    pub only: Option<Marked>,
    /// What is picked of what is found.
    pub pick: Option<&'static Pick>,
    /// Whether also in what was deleted and our own data still hold, whatever is asked.
    pub deleted: bool,
    /// The folder of our own data.
    pub data: Option<PathBuf>,
    /// The time.
    pub now: Moment,
}

/// Memories that were marked, in the stores in which they were.
#[derive(Clone)]
pub struct Marked {
    /// The stores.
    pub of: Arc<Snapshot>,
    /// The memories.
    pub at: Vec<EntryRef>,
}

/// What came of a job.
pub enum Done {
    /// Stores were read.
    Loaded(Loaded),
    /// More was found wrong with the stores.
    Checked(AllChecked),
    /// A search came to its end.
    Found(Box<Found>),
    /// What is to be marked was found.
    Selected(Box<Found>),
    /// Stores were counted.
    Counted(Box<Counted>),
    /// The number of deleted memories, if it is known.
    DeletedCounted(Option<usize>),
    /// A rank was explained.
    Explained(Box<Explained>),
    /// Memories were changed, or why they were not.
    Changed(Box<Result<Changed, String>>),
    /// Nothing was changed, because others did meanwhile: the plan as it is now, to be asked for.
    Moved(Box<Planned>),
    /// A change was planned, or why it can't be made.
    Planned(Box<Result<Planned, String>>),
    /// What a view shows was read.
    Inspected(Box<Inspected>),
    /// A form was judged.
    Judged(Box<FormJudged>),
    /// What was typed is kept since then, or why it is not: of that state of the typing.
    Kept(u64, Result<Moment, String>),
    /// Where a text is kept that no form could take, as a sentence.
    TextKept(String),
    /// A form was saved, or why it was not.
    Saved(Box<FormSaved>),
    /// What was typed before into the form of that memory.
    DraftFound(EntryRef, Option<FormDraft>),
    /// Files of ours were looked after.
    Tended(Tended),
    /// Which export has ended: that memories were written into a file, or why not, as a sentence.
    Exported(u64, Result<String, String>),
    /// What to tell the user: why something was not kept.
    Said(String),
}

/// Stores as they were read.
pub struct Loaded {
    /// The stores.
    pub snapshot: Arc<Snapshot>,
    /// One a store.
    pub tallies: Vec<Tally>,
}

/// The results of a search, or why the query can't be understood.
pub struct Found {
    /// What was asked, in the stores in which it was searched for.
    pub asked: Asked,
    /// The stores in which it was asked for: without what was deleted from them.
    pub of: Arc<Snapshot>,
    /// What was found, and what it has in common.
    pub outcome: Result<(Results, Facets), QueryError>,
    /// Why what was deleted is not among it, though it was asked for.
    pub unread: Option<String>,
}

/// What stores hold, counted.
pub struct Counted {
    /// The stores.
    pub snapshot: Arc<Snapshot>,
    /// What they hold.
    pub statistics: Statistics,
}

/// Why an entry has its rank.
pub struct Explained {
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
pub struct Kept {
    text: Option<(Arc<Snapshot>, TextIndex)>,
    words: Vec<(Arc<Snapshot>, String, Arc<Matches>)>,
    /// Stores, and the same with what was deleted from them.
    deleted: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
    recent: Recent,
    checked: deed::Known,
    deletions: KnownDeletions,
}

/// Does a job; `None` when a newer one took its place.
pub fn perform(job: Job, kept: &mut Kept, cancel: &Cancel) -> Option<Done> {
    match job {
        Job::Load { places, previous, now, .. } => Some(Done::Loaded(read(&places, &previous, now))),
        Job::Check { snapshot, data, now } => {
            Some(Done::Checked(kept.checked.all(snapshot, data.as_deref(), now)))
        }
        Job::Search(asked) => find(asked, kept, cancel).map(|found| Done::Found(Box::new(found))),
        Job::Select(asked) => find(asked, kept, cancel).map(|found| Done::Selected(Box::new(found))),
        Job::Explain(asked, at) => Some(Done::Explained(Box::new(why(asked, at, kept)?))),
        Job::Count(snapshot, now) => {
            let statistics = Statistics::of(&snapshot, now);
            Some(Done::Counted(Box::new(Counted { snapshot, statistics })))
        }
        Job::CountDeleted { snapshot, data, now } => {
            Some(Done::DeletedCounted(deed::deleted_count(&snapshot, &data, now)))
        }
        Job::Change(request) => Some(committed(deed::carry_out_at_once(&request, &mut kept.recent))),
        Job::Plan(request) => Some(Done::Planned(Box::new(preview(*request)))),
        Job::Commit(planned) => Some(committed(deed::commit(*planned, &mut kept.recent))),
        Job::Inspect(request) => {
            Some(Done::Inspected(Box::new(inspect::inspect(*request, &mut kept.deletions))))
        }
        Job::Judge(request, is_whole) => Some(Done::Judged(Box::new(editor::judged(&request, is_whole)))),
        Job::Keep(request) => Some(Done::Kept(request.version, editor::keep_typed(&request))),
        Job::KeepText(request, text) => Some(Done::TextKept(editor::keep_left(&request, text.as_bytes()))),
        Job::Save(request, is_shown) => {
            Some(Done::Saved(Box::new(editor::save(&request, is_shown, &mut kept.recent))))
        }
        Job::SaveCopy(request, into) => {
            Some(Done::Saved(Box::new(editor::save_copy(&request, &into, &mut kept.recent))))
        }
        Job::FindDraft { snapshot, at, data, now } => {
            let (store, entry) = snapshot.get(at);
            Some(Done::DraftFound(at, editor::draft_of(&data, store, entry, now)))
        }
        Job::Export { number, snapshot, at, file } => {
            Some(Done::Exported(number, export::write(&snapshot, &at, &file)))
        }
        Job::KeepLasting { what, data } => what.keep_in(&data).err().map(Done::Said),
        Job::Tend { snapshot, data, now } => Some(Done::Tended(tend(&snapshot, &data, now))),
    }
}

fn committed(outcome: Result<Committed, String>) -> Done {
    match outcome {
        Ok(Committed::Made(changed)) => Done::Changed(Box::new(Ok(changed))),
        Ok(Committed::Moved(planned)) => Done::Moved(planned),
        Err(why) => Done::Changed(Box::new(Err(why))),
    }
}

fn read(places: &[Place], previous: &Snapshot, now: Moment) -> Loaded {
    let stores = store::load_each(places, Extent::Judged, previous, now);
    let tallies = stores.iter().map(|store| Tally::of(store)).collect();
    let snapshot = Arc::new(Snapshot::of(stores));
    // Sorted out here, so that the screens need not wait for it.
    snapshot.references();
    Loaded { snapshot, tallies }
}
