//! What the screens know. Nothing here draws, reads or waits.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::layout::Position;
use ratatui::text::Line;

use super::TuiOptions;
use super::action::Action;
pub use super::change_target::{ChangeTarget, MemoryIdentity, TrailStep};
use super::colours::ColourPalette;
use super::confirm::Confirmation;
use super::difference::MemoryDifference;
use super::editor::Editor;
use super::health;
use super::list_cursor::{CountPrefix, ListCursor, SearchOrigin};
use super::list_view::{ListView, problems};
use super::marks::{ListScope, MemoryMarks};
use super::message::Effect;
use super::pending_changes::{DeleteMenu, PendingChanges};
use super::prompt::{Prompt, SearchHistory};
pub use super::screens::{Pane, Screen, Tab};
use super::statistics_view::StatisticsView;
pub use super::store_tree::StoreTreeRow;
use super::theme::{fit, place};
use super::update::distinct_titles::DistinctTitles;
use super::update::search_query;
use super::update::tutor::TutorProgress;
use super::why;
use crate::format;
use crate::model::{EntryLink, EntryRef, Moment, PathText, Snapshot, references};
use crate::ops::delete::is_held;
use crate::query::{Facets, Hit, Order, Query, QueryError, Ranking, Results};
use crate::store::{DiscoveryResult, Place};
use crate::text::safe_text::sanitize;
use crate::text::secrets::mask;
use crate::usecase::{PaneBorder, PaneLayout, Visits};
use crate::work::{ExplainedRank, Job, MarkedRecords, SearchRequest, StoreTally};

/// What a demo begins with.
pub const DEMO_NOTICE: &str =
    "This is a demo in a folder of its own. g t shows five tasks, three minutes in all.";

/// Everything the screens know.
#[derive(Default)]
pub struct App {
    pub now: Moment,
    /// The time by a clock that never stands still. Everything that waits for the user uses it, because `now`
    /// does not move if it was given.
    pub monotonic_now: Moment,
    pub size: (u16, u16),
    pub palette: ColourPalette,
    pub ascii: bool,
    /// Lines instead of screens.
    pub linear: bool,
    /// The action that will type into a memory. It waits for a key that is not part of a word.
    pub unconfirmed_action: Option<Action>,
    /// Nothing on the screen changes by itself.
    pub reduced_motion: bool,
    pub places: Vec<Place>,
    pub searched_places: Vec<DiscoveryResult>,
    /// The folder of our own data; nothing is changed without one.
    pub data: Option<PathBuf>,
    pub readonly: bool,
    /// The folder of the demo, where that is open.
    pub demo: Option<PathBuf>,
    /// The tasks of the demo.
    pub tutor: TutorProgress,
    /// Changes that were asked for and are not done yet.
    pub change_count: usize,
    /// Whether what an earlier run left behind was looked for.
    pub cleanup_started: bool,
    /// Left as soon as they are done.
    pub quits_when_done: bool,
    /// Whether files of ours are being looked after.
    pub cleanup_running: bool,
    /// So many changes of this run are made that `u` undoes.
    pub undo_count: usize,

    /// The stores as they were read last, and what they hold, counted.
    pub snapshot: Arc<Snapshot>,
    pub tallies: Vec<StoreTally>,
    /// Up to when the memories of each store were seen.
    pub visits: Visits,
    /// How many memories are deleted, and for which state of the stores that was counted.
    pub deleted: health::DeletedCount,
    pub tree: Vec<StoreTreeRow>,
    /// Short names of the stores, in their order. Untrusted text.
    pub store_names: Vec<String>,

    /// What is asked, and why it can't be understood where it can't.
    pub query: String,
    pub parsed: Query,
    /// The part of a search that can be understood, if the whole can't.
    pub valid_part: (String, Query),
    pub error: Option<QueryError>,
    pub order: Option<Order>,
    pub ranking: Ranking,
    /// What was found last, and in which state of the stores.
    pub listed_snapshot: Arc<Snapshot>,
    pub results: Results,
    pub facets: Facets,
    /// What was counted before the word that is being typed, for what that can become.
    pub completion_facets: Facets,
    /// What the results answer.
    pub answered_query: Option<(String, Order, ListScope)>,
    /// The memory that the cursor is to be on once it is listed.
    pub awaited_memory: Option<MemoryIdentity>,
    /// The search that was there when another one was begun, until the cursor is moved.
    pub search_origin: Option<SearchOrigin>,
    pub why: Option<ExplainedRank>,
    /// Where the memory under the cursor is by rank.
    pub why_place: Option<why::RankPlace>,
    /// What the workers were asked for last.
    pub requested_query: String,
    /// A letter for each type.
    pub type_letters: HashMap<String, char>,

    pub screen: Screen,
    pub focus: Pane,
    pub zoomed: bool,
    pub tab: Tab,
    pub list_cursor: ListCursor,
    pub tree_cursor: ListCursor,
    pub filter_cursor: ListCursor,
    /// Every problem, in the order of the list.
    pub problem_list: Vec<problems::ListedProblem>,
    /// The row of the health.
    pub health_cursor: ListCursor,
    /// Where the user moved borders to, what is unfolded; and what of that is kept for the next start.
    pub layout: PaneLayout,
    pub saved_layout: PaneLayout,
    /// The border that the mouse holds.
    pub dragged_border: Option<PaneBorder>,
    /// The view that a memory was opened from, the search before, and the one that shows the memory: Esc
    /// goes back.
    pub opened_from: Option<(Screen, String, String)>,
    pub detail_top: usize,
    pub prompt: Option<Prompt>,
    /// The number of exports so far.
    pub export_count: u64,
    /// The actions that were done last, the newest first.
    pub recent_actions: Vec<Action>,
    pub delete_menu: Option<DeleteMenu>,
    pub confirm: Option<Confirmation>,
    pub marks: MemoryMarks,
    pub changes: PendingChanges,
    /// The view that is a list: backups, archive, upkeep, journal, problems, what is new.
    pub list_view: ListView,
    /// What was written on which day.
    pub statistics: StatisticsView,
    /// The two memories that are compared.
    pub difference: Option<MemoryDifference>,
    /// The form that is open.
    pub editor: Option<Box<Editor>>,
    /// So many forms were opened.
    pub form_count: u64,
    /// Keys of a sequence that waits for its next.
    pub key_sequence: String,
    /// Whether they wait for so long that what may follow is shown.
    pub shows_next_keys: bool,
    /// Keys that came before what they are done with was there.
    pub queued_keys: Vec<KeyEvent>,
    /// What the first of them are for.
    pub queued_action: Option<Action>,
    /// A count that is typed before a move.
    pub count: CountPrefix,
    pub notice: Option<String>,
    /// The notice that goes away by itself.
    pub brief_notice: Option<String>,
    /// What the update asks for, in order.
    pub effects: Vec<Effect>,
    /// Whether masked values are shown: while a key is held.
    pub revealed: bool,
    /// Where was clicked last, and when.
    pub last_click: Option<(Position, Moment)>,
    /// Ctrl-c was pressed: once more quits.
    pub last_interrupt: Option<Moment>,
    pub reference_trail: Vec<TrailStep>,
    /// Earlier searches, of this run alone: what was searched for is written nowhere.
    pub search_history: SearchHistory,

    /// Titles of memories that are or were on screen.
    pub titles: HashMap<EntryRef, String>,
    /// The texts of rows that would look alike by their titles.
    pub distinct_titles: DistinctTitles,
    /// The line of its text that the search found, of those whose title does not tell.
    pub match_lines: HashMap<EntryRef, Option<String>>,
    /// The numbers of columns for which the titles and those lines were made.
    pub match_widths: (usize, usize),
    /// The detail pane's lines, wrapped to its width.
    pub detail: Vec<Line<'static>>,
    /// What its memory is tied to, while the references are shown.
    pub ties: Vec<EntryLink>,
    pub tie_cursor: ListCursor,
    pub detail_key: Option<(EntryRef, Tab, u16, bool)>,
}

impl App {
    /// An app that has read nothing yet.
    pub fn new(options: &TuiOptions, size: (u16, u16), now: Moment) -> App {
        App {
            now,
            monotonic_now: now,
            size,
            palette: options.palette,
            ascii: options.ascii,
            linear: options.linear,
            // Nothing is told again because time goes by.
            reduced_motion: options.reduced_motion || options.linear,
            places: options.places.clone(),
            searched_places: options.searched_places.clone(),
            data: options.data.clone(),
            readonly: options.readonly,
            demo: options.demo_folder.clone(),
            visits: options.visits.clone(),
            layout: options.layout.clone(),
            saved_layout: options.layout.clone(),
            notice: options.demo_folder.as_ref().map(|_| DEMO_NOTICE.to_owned()),
            ranking: options.ranking,
            screen: if options.places.is_empty() { Screen::Welcome } else { Screen::Memories },
            ..App::default()
        }
    }

    /// Tells the user something at the foot of the screen, until the next key.
    pub fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(notice.into());
    }

    /// Asks for something outside the state.
    pub fn push_effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Asks a worker for something.
    pub fn give_job(&mut self, job: Job) {
        self.push_effect(Effect::Job(job));
    }

    /// The hit under the cursor.
    pub fn hit(&self) -> Option<&Hit> {
        self.results.hits.get(self.list_cursor.at)
    }

    /// The memory under the cursor.
    pub fn selected(&self) -> Option<EntryRef> {
        self.hit().map(|hit| hit.at)
    }

    /// The tabs that the memory under the cursor has.
    pub fn tabs(&self) -> Vec<Tab> {
        let view = self.selected().and_then(|at| {
            let (store, entry) = self.listed_snapshot.get(at);
            store.view(entry)
        });
        let has_trace = view.is_some_and(|view| references::trace(view).is_some());
        let mut tabs = vec![Tab::Read, Tab::Raw, Tab::References];
        tabs.extend(has_trace.then_some(Tab::Timeline));
        tabs
    }

    /// The tab that is shown: the one that was chosen, where the memory has it.
    pub fn shown_tab(&self) -> Tab {
        if self.tabs().contains(&self.tab) { self.tab } else { Tab::Read }
    }

    /// What the list is ordered by: newest first where nothing is asked, else best first,
    /// unless the user or the query says.
    pub fn order(&self) -> Order {
        let picks = self.marks.pick.map(|_| Order::Importance);
        let parsed = self.valid_query().1;
        let by_default = if parsed.has_words() { Order::Rank } else { Order::Time };
        parsed.order().or(picks).or(self.order).unwrap_or(by_default)
    }

    /// The search that is used: the part that can be understood, if the whole can't.
    pub fn valid_query(&self) -> (&str, &Query) {
        match self.error {
            None => (&self.query, &self.parsed),
            Some(_) => (&self.valid_part.0, &self.valid_part.1),
        }
    }

    /// What the list is of: the search, within what the cursor of the stores is on while it has the keys.
    pub fn effective_query(&self) -> String {
        let within = match self.focus {
            Pane::Sessions if self.screen == Screen::Memories && self.error.is_none() => {
                self.tree.get(self.tree_cursor.at).and_then(|branch| search_query::branch_term(self, branch))
            }
            _ => None,
        };
        match within {
            Some(term) if !self.valid_query().0.contains(&term) => {
                format!("{} {term}", self.valid_query().0).trim().to_owned()
            }
            _ => self.valid_query().0.to_owned(),
        }
    }

    /// The search that the screens show.
    pub fn search_request(&self) -> SearchRequest {
        SearchRequest {
            snapshot: Arc::clone(&self.snapshot),
            query: self.effective_query(),
            ranking: self.ranking,
            order: self.order(),
            only: self
                .marks
                .only_marked
                .then(|| MarkedRecords { of: Arc::clone(&self.listed_snapshot), at: self.marks.list() }),
            pick: self.marks.pick.filter(|_| !self.marks.only_marked),
            deleted: self.marks.list().into_iter().any(|at| {
                let (store, entry) = self.listed_snapshot.get(at);
                is_held(store, entry)
            }),
            data: self.data.clone(),
            now: self.now,
        }
    }

    /// What a store is called. Untrusted text.
    pub fn store_name(&self, store: usize) -> &str {
        self.store_names.get(store).map_or("", String::as_str)
    }

    /// Whether a store's sessions are shown; those of a single store are.
    pub fn is_unfolded(&self, store: usize) -> bool {
        let own = self.snapshot.stores.get(store);
        self.snapshot.stores.len() == 1 || own.is_some_and(|own| self.layout.is_unfolded(&own.root))
    }

    /// The folder that all stores are in, where it is a demo's.
    pub fn demo_folder(&self) -> String {
        match &self.demo {
            Some(folder) => format!("  demo in {}", folder.to_text()),
            None => String::new(),
        }
    }

    /// Whether everything has been read.
    pub fn is_whole(&self) -> bool {
        self.snapshot.is_whole() && self.tallies.len() == self.snapshot.stores.len()
    }

    /// Whether nothing can be changed.
    pub fn is_readonly(&self) -> bool {
        self.readonly || self.data.is_none()
    }

    /// What people call a memory: its title, in quotes. Untrusted text.
    pub fn quoted_title(snapshot: &Snapshot, at: EntryRef) -> String {
        const LONGEST: usize = 48;
        let (store, entry) = snapshot.get(at);
        format!("\"{}\"", fit(&mask(&sanitize(&format::title(store, entry))), LONGEST))
    }

    /// What a memory is called: its id, or its place where it has none. Untrusted text.
    pub fn name_of(snapshot: &Snapshot, at: EntryRef) -> String {
        let (store, entry) = snapshot.get(at);
        store.view(entry).and_then(|view| view.id).map(str::to_owned).unwrap_or_else(|| {
            let file = store.document(entry).path.file_name().unwrap_or_default();
            place(file.as_ref(), Some(store.record(entry).line))
        })
    }

    /// What tells a memory of `snapshot` across states of its store.
    pub fn identity(snapshot: &Snapshot, at: EntryRef) -> MemoryIdentity {
        let (store, entry) = snapshot.get(at);
        MemoryIdentity {
            root: store.root.clone(),
            session: store.session(entry).map(|session| session.name.clone()),
            id: store.view(entry).and_then(|view| view.id).map(str::to_owned),
            key: store.document(entry).key(&store.root, entry.record),
        }
    }

    /// How many problems all stores have: errors, warnings, notes.
    pub fn problem_counts(&self) -> [usize; 3] {
        let counts = self.tallies.iter().map(|tally| tally.problems);
        counts.fold([0; 3], |[a, b, c], [x, y, z]| [a + x, b + y, c + z])
    }

    /// Problems of all stores in the order of the list, as (store, number within its problems).
    #[cfg(test)]
    pub fn problems(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.problem_list.iter().map(|own| (own.store, own.at))
    }
}
