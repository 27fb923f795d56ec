//! What is done in the background, and what comes of it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::{self, ChangeRequest, Changed, Committed, Tended};
use super::checked::{self, AllChecked};
use super::editor::{self, FormJudged, FormRequest, FormSaved};
use super::inspect::{self, InspectRequest, Inspected};
use super::planned::{Planned, preview};
use super::turn::Recent;
use crate::model::{Carry, Code, EntryRef, Extent, Moment, Role, Severity, Snapshot, State, Store};
use crate::query::{
    Cancel, Explanation, Facets, Matches, Order, Query, QueryError, Ranking, Request, Results, TextIndex,
    explain_in, facets, search, search_in,
};
use crate::store::commit::FormDraft;
use crate::store::{self, Place};

/// Something to do.
pub enum Job {
    /// Read the stores anew; files that have not changed are taken from `previous`.
    Load {
        /// Which stores.
        places: Vec<Place>,
        /// The stores as they were read before.
        previous: Arc<Snapshot>,
        /// The time.
        now: Moment,
    },
    /// Look for what only `check` looks for; reading anew takes its place.
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
    /// Look after files of ours that stand in the stores: what was cut short is finished,
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

/// Why an entry ranks as it does, now and later.
pub struct Explained {
    /// Which entry, of which snapshot.
    pub at: EntryRef,
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// Its rank; `None` for a broken record.
    pub explanation: Option<Explanation>,
    /// Its rank in so many days.
    pub later: Vec<(i64, f64)>,
}

/// How many days ahead a rank is looked at.
const LATER: [i64; 3] = [7, 30, 90];

/// What a store holds, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries that are listed, by session.
    pub sessions: Vec<usize>,
    /// Entries that are listed and belong to no session, by type.
    pub kinds: Vec<(String, usize)>,
    /// Entries that are listed, in all.
    pub listed: usize,
    /// Entries that are listed and hold what looks like a secret: as many as `is:sensitive` finds.
    pub sensitive: usize,
    /// Entries that can't be read.
    pub broken: usize,
    /// Entries that were moved aside.
    pub archived: usize,
    /// Entries that tombstones name.
    pub deleted: usize,
    /// Backup files.
    pub backups: usize,
    /// Problems: errors, warnings, notes.
    pub problems: [usize; 3],
    /// The worst problem of each session's files.
    pub worst: Vec<Option<Severity>>,
    /// Locks that were left behind.
    pub stale_locks: usize,
    /// The tags of entries that are listed, most used first. Untrusted text.
    pub tags: Vec<(String, usize)>,
}

impl Tally {
    /// Counts the problems of a store.
    pub fn count_problems(&mut self, store: &Store) {
        self.problems = store.problem_counts();
        self.worst = worst_by_session(store);
    }

    /// Counts a store.
    pub fn of(store: &Store) -> Tally {
        let mut tally = Tally { sessions: vec![0; store.sessions.len()], ..Tally::default() };
        let mut tags: HashMap<&str, usize> = HashMap::new();
        for entry in &store.entries {
            match entry.state {
                State::Archived => tally.archived += 1,
                State::Deleted => tally.deleted += 1,
                State::Broken => tally.broken += 1,
                State::Live => {}
            }
            let view = store.view(entry);
            if matches!(entry.state, State::Live | State::Broken) {
                tally.listed += 1;
                tally.sensitive += usize::from(crate::format::is_sensitive(store, entry));
                view.iter()
                    .flat_map(|view| view.tags.iter())
                    .for_each(|tag| *tags.entry(tag).or_default() += 1);
                match entry.session.and_then(|session| tally.sessions.get_mut(session as usize)) {
                    Some(count) => *count += 1,
                    None => tally.add_kind(view.map_or("broken", |view| &view.kind)),
                }
            }
        }
        tally.backups = store.documents.iter().filter(|document| document.role == Role::Backup).count();
        tally.count_problems(store);
        tally.stale_locks = store.problems.iter().filter(|problem| problem.code == Code::StaleLock).count();
        tally.tags = tags.into_iter().map(|(tag, count)| (tag.to_owned(), count)).collect();
        tally.tags.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        tally
    }

    fn add_kind(&mut self, kind: &str) {
        match self.kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += 1,
            None => self.kinds.push((kind.to_owned(), 1)),
        }
    }
}

fn worst_by_session(store: &Store) -> Vec<Option<Severity>> {
    let numbers: HashMap<&Path, usize> =
        store.sessions.iter().enumerate().map(|(number, session)| (session.path.as_path(), number)).collect();
    let mut worst = vec![None; store.sessions.len()];
    for problem in &store.problems {
        let session = problem.file.ancestors().find_map(|folder| numbers.get(folder));
        if let Some(own) = session.and_then(|&number| worst.get_mut(number)) {
            *own = Some(own.map_or(problem.severity, |before: Severity| before.min(problem.severity)));
        }
    }
    worst
}

/// What one worker keeps between jobs: the folded text of the snapshot last searched, where
/// the words last searched for stand in it, and the steps that were made and taken back.
#[derive(Default)]
pub struct Kept {
    text: Option<(Arc<Snapshot>, TextIndex)>,
    words: Option<(Arc<Snapshot>, String, Arc<Matches>)>,
    /// Stores, and the same with what was deleted from them.
    deleted: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
    recent: Recent,
    checked: checked::Known,
}

/// Does a job; `None` when a newer one took its place.
pub fn perform(job: Job, kept: &mut Kept, cancel: &Cancel) -> Option<Done> {
    match job {
        Job::Load { places, previous, now } => Some(Done::Loaded(read(&places, &previous, now))),
        Job::Check { snapshot, data, now } => {
            kept.checked.all(snapshot, data.as_deref(), now).map(Done::Checked)
        }
        Job::Search(asked) => find(asked, kept, cancel).map(|found| Done::Found(Box::new(found))),
        Job::Select(asked) => find(asked, kept, cancel).map(|found| Done::Selected(Box::new(found))),
        Job::Explain(asked, at) => Some(Done::Explained(Box::new(why(asked, at, kept)?))),
        Job::Change(request) => Some(committed(change::carry_out(&request, &mut kept.recent))),
        Job::Plan(request) => Some(Done::Planned(Box::new(preview(*request)))),
        Job::Commit(planned) => Some(committed(change::commit(*planned, &mut kept.recent))),
        Job::Inspect(request) => Some(Done::Inspected(Box::new(inspect::inspect(*request)))),
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
        Job::Tend { snapshot, data, now } => Some(Done::Tended(change::tend(&snapshot, &data, now))),
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
    let stores = store::load_each(places, Extent::Whole, previous, now);
    let tallies = stores.iter().map(|store| Tally::of(store)).collect();
    let snapshot = Arc::new(Snapshot::of(stores));
    // Sorted out here, so that the screens need not wait for it.
    snapshot.references();
    Loaded { snapshot, tallies }
}

impl Kept {
    /// The text of a snapshot, made where it is not at hand. Every search that follows needs
    /// it, so none of them stops it: a key that did would have it start over.
    fn text(&mut self, snapshot: &Arc<Snapshot>) -> Option<&TextIndex> {
        let current = self.text.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, snapshot));
        if !current {
            let previous = self.text.as_ref().map(|(_, text)| text);
            let text = TextIndex::build(snapshot, previous, &Cancel::default())?;
            self.text = Some((Arc::clone(snapshot), text));
        }
        self.text.as_ref().map(|(_, text)| text)
    }

    /// Where the words of a query stand; looked for once, however many of its ranks are explained.
    fn words(&mut self, asked: &Asked, query: &Query, cancel: &Cancel) -> Option<Arc<Matches>> {
        if let Some((of, text, words)) = &self.words
            && Arc::ptr_eq(of, &asked.snapshot)
            && *text == asked.query
        {
            return Some(Arc::clone(words));
        }
        let text = if query.has_words() { Some(self.text(&asked.snapshot)?) } else { None };
        let words = Arc::new(asked.request(query, text, asked.now).matches(cancel)?);
        self.words = Some((Arc::clone(&asked.snapshot), asked.query.clone(), Arc::clone(&words)));
        Some(words)
    }

    /// The stores with what was deleted from them and our own data still hold, as the verbs list it.
    /// Which records those are is told by all that is there: not before everything was read.
    fn with_deleted(&mut self, asked: &Asked) -> Result<Arc<Snapshot>, String> {
        let Some(data) = asked.data.as_deref().filter(|_| asked.snapshot.is_whole()) else {
            return Ok(Arc::clone(&asked.snapshot));
        };
        let known = self
            .deleted
            .as_ref()
            .filter(|(of, with)| Arc::ptr_eq(of, &asked.snapshot) || Arc::ptr_eq(with, &asked.snapshot));
        if let Some((_, with)) = known {
            return Ok(Arc::clone(with));
        }
        let with = super::deleted::with_deleted(&asked.snapshot, data, asked.now)?;
        self.deleted = Some((Arc::clone(&asked.snapshot), Arc::clone(&with)));
        Ok(with)
    }
}

fn find(mut asked: Asked, kept: &mut Kept, cancel: &Cancel) -> Option<Found> {
    let of = Arc::clone(&asked.snapshot);
    let query = match (&asked.only, Query::parse(&asked.query, asked.now)) {
        (Some(_), _) => Query::default(),
        (None, Ok(query)) => query,
        (None, Err(error)) => return Some(Found { asked, of, outcome: Err(error), unread: None }),
    };
    let mut unread = None;
    if asked.deleted || query.asks_deleted() {
        match kept.with_deleted(&asked) {
            Ok(with) => asked.snapshot = with,
            Err(why) => unread = Some(why),
        }
    }
    let results = match &asked.only {
        Some(only) => only_those(&asked, only, &query, cancel)?,
        None => {
            let words = kept.words(&asked, &query, cancel)?;
            search_in(&asked.request(&query, None, asked.now), &words, cancel)?
        }
    };
    let facets = facets(&asked.snapshot, &results.hits);
    Some(Found { asked, of, outcome: Ok((results, facets)), unread })
}

/// Those memories alone, as far as they are still there.
fn only_those(asked: &Asked, only: &Marked, query: &Query, cancel: &Cancel) -> Option<Results> {
    let mut carry = Carry::new(&only.of, &asked.snapshot);
    let mut those: HashSet<EntryRef> = HashSet::new();
    for &at in &only.at {
        let now = carry.find(at, &|now| those.contains(&now));
        those.extend(now);
    }
    let request = Request { all: true, ..asked.request(query, None, asked.now) };
    let mut results = search(&request, cancel)?;
    results.hits.retain(|hit| those.contains(&hit.at));
    Some(results)
}

fn why(asked: Asked, at: EntryRef, kept: &mut Kept) -> Option<Explained> {
    let query = Query::parse(&asked.query, asked.now).unwrap_or_default();
    let words = kept.words(&asked, &query, &Cancel::default())?;
    let explanation = explain_in(&asked.request(&query, None, asked.now), &words, at);
    let later = LATER.iter().filter_map(|&days| {
        let then = asked.now.plus(days * crate::model::time::DAY);
        Some((days, explain_in(&asked.request(&query, None, then), &words, at)?.rank))
    });
    let later = later.collect();
    Some(Explained { at, snapshot: asked.snapshot, explanation, later })
}

impl Asked {
    fn request<'a>(&'a self, query: &'a Query, text: Option<&'a TextIndex>, now: Moment) -> Request<'a> {
        Request {
            snapshot: &self.snapshot,
            text,
            query,
            ranking: self.ranking,
            order: self.order,
            all: false,
            now,
        }
    }
}
