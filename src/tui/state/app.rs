//! The state of the screens. This file doesn't draw, read files or wait.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::layout::Position;
use ratatui::text::Line;

use crate::model::{EntryLink, EntryRef, Moment, PathText, Project, Severity, Snapshot, references};
use crate::ops::delete::is_held;
use crate::query::{Facets, Hit, Order, Query, QueryError, Ranking, Results};
use crate::store::{DiscoveryResult, Place};
use crate::tui::action::Action;
use crate::tui::colours::ColourPalette;
use crate::tui::editor::Editor;
use crate::tui::message::Effect;
use crate::tui::state::clean_up::CleanUp;
use crate::tui::state::confirmation::Confirmation;
use crate::tui::state::list_view::{self, ListView};
use crate::tui::state::marks::{ListScope, MemoryMarks};
use crate::tui::state::memory_difference::MemoryDifference;
use crate::tui::state::pending_changes::{DeleteMenu, PendingChanges};
use crate::tui::state::prompt::{Prompt, PromptPurpose, SearchHistory};
use crate::tui::state::row_list::{ListCursor, SearchOrigin};
use crate::tui::state::statistics_view::StatisticsView;
use crate::tui::state::tutor_progress::TutorProgress;
use crate::tui::tui_options::TuiOptions;
use crate::usecase::{self, Visits};
use crate::work::form_jobs::quoted_title;
use crate::work::{ExplainedRank, Job, MarkedRecords, SearchRequest, StoreTally};

pub use crate::tui::state::pending_changes::{ChangeTarget, MemoryIdentity, TrailStep};
pub use crate::tui::state::screens::{Pane, ReadingView, Screen, Tab};

pub const DEMO_NOTICE: &str =
    "This is a demo in a folder of its own. :tutor shows five tasks, three minutes in all.";

#[derive(Default)]
pub struct App {
    pub now: Moment,
    /// A clock that always moves. Everything that waits for the user uses it, because `now` stops if
    /// the user gave it as an option.
    pub monotonic_now: Moment,
    pub size: (u16, u16),
    pub palette: ColourPalette,
    pub ascii: bool,
    pub linear: bool,
    /// An action that opens a form, in linear mode. It starts if the next key is the save key.
    pub unconfirmed_action: Option<Action>,
    /// True if nothing on the screen may change by itself.
    pub reduced_motion: bool,
    pub places: Vec<Place>,
    pub searched_places: Vec<DiscoveryResult>,
    /// The folder of palimp's own data. Without it nothing can be changed.
    pub data: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// The folder that palimp was started in, if no store was named.
    pub start: Option<PathBuf>,
    pub start_project: StartProject,
    pub readonly: bool,
    pub demo: Option<PathBuf>,
    pub tutor: TutorProgress,
    pub change_count: usize,
    /// True if palimp has looked for what an earlier run left behind.
    pub recovery_started: bool,
    pub quits_when_done: bool,
    /// True while a worker cleans up palimp's own files.
    pub recovery_running: bool,
    pub undo_count: usize,

    /// The stores as they were last read, and their counts.
    pub snapshot: Arc<Snapshot>,
    pub tallies: Vec<StoreTally>,
    /// The time up to which the user has seen each store's memories.
    pub visits: Visits,
    pub deleted: DeletedCount,
    pub tree: Vec<StoreTreeRow>,
    /// Short names of the stores, in the order of the stores. Untrusted text.
    pub store_names: Vec<String>,
    /// The same, cut for narrow columns so that they differ.
    pub short_store_names: Vec<String>,

    /// The search as it is typed, and the reason if it is not valid.
    pub query: String,
    pub parsed: Query,
    /// The valid part of a search, if the whole is not valid.
    pub valid_part: (String, Query),
    pub error: Option<QueryError>,
    pub order: Option<Order>,
    pub ranking: Ranking,
    /// The last results, and the state of the stores that they refer to.
    pub listed_snapshot: Arc<Snapshot>,
    pub results: Results,
    pub facets: Facets,
    /// Counts for the results without the word that is being typed. Completions show them.
    pub completion_facets: Facets,
    /// The search, order and scope that `results` answers.
    pub answered_query: Option<(String, Order, ListScope)>,
    /// The memory that gets the cursor once it is listed.
    pub awaited_memory: Option<MemoryIdentity>,
    /// The place and search before a new search, until the cursor moves.
    pub search_origin: Option<SearchOrigin>,
    pub why: Option<ExplainedRank>,
    /// True if several memories are listed and all have the same rank, so that its reasons say nothing.
    pub are_ranks_alike: bool,
    pub why_place: Option<RankPlace>,
    pub requested_query: String,
    pub type_letters: HashMap<String, char>,

    pub screen: Screen,
    pub focus: Pane,
    pub zoomed: bool,
    pub reading: ReadingView,
    pub tab: Tab,
    pub list_cursor: ListCursor,
    pub tree_cursor: ListCursor,
    pub filter_cursor: ListCursor,
    pub problem_list: Vec<list_view::ListedProblem>,
    pub health_cursor: ListCursor,
    pub unfolded: Unfolded,
    /// The view that a memory was opened from, the search before, and the search that shows the memory. Esc
    /// goes back to them.
    pub opened_from: Option<(Screen, String, String)>,
    pub detail_top: usize,
    pub prompt: Option<Prompt>,
    pub clean_up: Option<Box<CleanUp>>,
    pub export_count: u64,
    pub recent_actions: Vec<Action>,
    pub delete_menu: Option<DeleteMenu>,
    pub confirm: Option<Confirmation>,
    pub marks: MemoryMarks,
    pub changes: PendingChanges,
    /// State of the views that are lists: backups, upkeep, journal, problems, new.
    pub list_view: ListView,
    pub statistics: StatisticsView,
    pub difference: Option<MemoryDifference>,
    pub editor: Option<Box<Editor>>,
    pub form_count: u64,
    pub key_sequence: String,
    /// True if the sequence has waited so long that the next keys are shown.
    pub shows_next_keys: bool,
    /// Keys that came too early. They wait for a search, a view or a change.
    pub queued_keys: Vec<KeyEvent>,
    pub queued_action: Option<Action>,
    pub notice: Option<String>,
    /// A notice that disappears by itself.
    pub brief_notice: Option<String>,
    pub effects: Vec<Effect>,
    /// True while the key that shows masked values is held.
    pub revealed: bool,
    pub last_click: Option<(Position, Moment)>,
    /// The time of the last Ctrl-c. A second one quits.
    pub last_interrupt: Option<Moment>,
    pub reference_trail: Vec<TrailStep>,
    /// Earlier searches of this run. They are never written to disk.
    pub search_history: SearchHistory,

    /// Other texts for rows that would have equal titles.
    pub distinct_titles: DistinctTitles,
    /// The line that matches the search, for memories whose title does not show the match.
    pub match_lines: HashMap<EntryRef, Option<String>>,
    /// The numbers of columns that the titles and match lines were made for.
    pub match_widths: (usize, usize),
    pub detail: Vec<Line<'static>>,
    pub ties: Vec<EntryLink>,
    pub tie_cursor: ListCursor,
    pub detail_key: Option<(EntryRef, Tab, u16, bool)>,
}

impl App {
    pub fn new(options: &TuiOptions, size: (u16, u16), now: Moment) -> App {
        App {
            now,
            monotonic_now: now,
            size,
            palette: options.palette,
            ascii: options.ascii,
            linear: options.linear,
            // In linear mode, an age that changes must not be printed again.
            reduced_motion: options.reduced_motion || options.linear,
            places: options.places.clone(),
            searched_places: options.searched_places.clone(),
            data: options.data.clone(),
            home: options.home.clone(),
            start: options.start.clone(),
            readonly: options.readonly,
            demo: options.demo_folder.clone(),
            visits: options.visits.clone(),
            notice: options.demo_folder.as_ref().map(|_| DEMO_NOTICE.to_owned()),
            ranking: options.ranking,
            ..App::default()
        }
    }

    /// True if palimp was started in the home folder, and looked for stores from there.
    pub fn is_at_home(&self) -> bool {
        self.start.is_some() && self.start == self.home
    }

    /// True if no store was found: the screen says where palimp looked, and what to do.
    pub fn is_first_run(&self) -> bool {
        self.places.is_empty()
    }

    pub fn is_reading(&self) -> bool {
        self.reading != ReadingView::No && self.focus == Pane::Detail && self.screen == Screen::Memories
    }

    pub fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(notice.into());
    }

    pub fn push_effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn open_prompt(&mut self, purpose: PromptPurpose, text: &str) -> &mut Prompt {
        self.prompt.insert(Prompt::new(purpose, text, self.screen))
    }

    pub fn reveal(&mut self) {
        self.revealed = true;
        self.push_effect(Effect::MaskSoon);
    }

    pub fn give_job(&mut self, job: Job) {
        self.push_effect(Effect::Job(job));
    }

    pub fn hit(&self) -> Option<&Hit> {
        self.results.hits.get(self.list_cursor.at)
    }

    pub fn selected(&self) -> Option<EntryRef> {
        self.hit().map(|hit| hit.at)
    }

    pub fn tabs(&self) -> Vec<Tab> {
        let view = self.selected().and_then(|at| {
            let (store, entry) = self.listed_snapshot.get(at);
            store.memory(entry)
        });
        let has_trace = view.is_some_and(|view| references::trace(view).is_some());
        let mut tabs = vec![Tab::Read, Tab::Raw, Tab::References];
        tabs.extend(has_trace.then_some(Tab::Timeline));
        tabs
    }

    /// Returns the chosen tab, or `Read` if the memory does not have that tab.
    pub fn shown_tab(&self) -> Tab {
        if self.tabs().contains(&self.tab) { self.tab } else { Tab::Read }
    }

    /// Returns the order of the list: by rank if the search has words, else newest first. The query, a pick
    /// or the user can choose another.
    pub fn order(&self) -> Order {
        let picks = self.marks.pick.map(|_| Order::Importance);
        let parsed = self.valid_query().1;
        let by_default = if parsed.has_words() { Order::Rank } else { Order::Time };
        parsed.order().or(picks).or(self.order).unwrap_or(by_default)
    }

    /// True if the memories of the project that palimp was started in come first: neither the search nor the user
    /// asks for another order.
    pub fn puts_project_first(&self) -> bool {
        let is_by_default = self.order.is_none() && self.marks.pick.is_none() && !self.marks.only_marked;
        let (text, query) = self.valid_query();
        is_by_default && query.leaves_order() && self.start_project.is_part() && !text.contains("project:")
    }

    pub fn valid_query(&self) -> (&str, &Query) {
        match self.error {
            None => (&self.query, &self.parsed),
            Some(_) => (&self.valid_part.0, &self.valid_part.1),
        }
    }

    /// Returns the search of the list. While the stores pane has the keys, the term of its row is added.
    pub fn effective_query(&self) -> String {
        let within = match self.focus {
            Pane::Sessions if self.screen == Screen::Memories && self.error.is_none() => {
                self.tree.get(self.tree_cursor.at).and_then(|branch| branch_term(self, branch))
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
            similar: self.results.similar.clone(),
            pick: self.marks.pick.filter(|_| !self.marks.only_marked),
            first: if self.puts_project_first() { self.start_project.stores.clone() } else { Vec::new() },
            changes: self.changes.read,
            deleted: self.marks.list().into_iter().any(|at| {
                let (store, entry) = self.listed_snapshot.get(at);
                is_held(store, entry)
            }),
            data: self.data.clone(),
            now: self.now,
        }
    }

    /// Returns the short name of a store. Untrusted text.
    pub fn store_name(&self, store: usize) -> &str {
        self.store_names.get(store).map_or("", String::as_str)
    }

    /// True if a store's sessions are shown. Those of a single store always are.
    pub fn is_unfolded(&self, store: usize) -> bool {
        let own = self.snapshot.stores.get(store);
        self.snapshot.stores.len() == 1 || own.is_some_and(|own| self.unfolded.stores.contains(&own.root))
    }

    pub fn demo_folder(&self) -> String {
        match &self.demo {
            Some(folder) => format!("  demo in {}", folder.to_text()),
            None => String::new(),
        }
    }

    pub fn is_whole(&self) -> bool {
        self.snapshot.is_whole() && self.tallies.len() == self.snapshot.stores.len()
    }

    pub fn is_readonly(&self) -> bool {
        self.readonly || self.data.is_none()
    }

    /// Returns the title of a memory, in quotes. Untrusted text.
    pub fn quoted_title(snapshot: &Snapshot, at: EntryRef) -> String {
        let (store, entry) = snapshot.get(at);
        quoted_title(store, entry)
    }

    /// Returns the id of a memory, or its file and line if it has none. Untrusted text.
    pub fn name_of(snapshot: &Snapshot, at: EntryRef) -> String {
        let (store, entry) = snapshot.get(at);
        store.id(entry).map(str::to_owned).unwrap_or_else(|| {
            let file = store.document(entry).path.file_name().unwrap_or_default();
            place(file.as_ref(), Some(store.record(entry).line))
        })
    }

    /// Returns what identifies a memory of `snapshot` in later states of its store.
    pub fn identity(snapshot: &Snapshot, at: EntryRef) -> MemoryIdentity {
        let (store, entry) = snapshot.get(at);
        MemoryIdentity {
            root: store.root.clone(),
            session: store.session(entry).map(|session| session.name.clone()),
            id: store.id(entry).map(str::to_owned),
            key: store.document(entry).key(&store.root, entry.record),
        }
    }

    pub fn sum(&self, count: fn(&StoreTally) -> usize) -> usize {
        self.tallies.iter().map(count).sum()
    }

    /// Returns the numbers of errors, warnings and notes in all stores.
    pub fn problem_counts(&self) -> [usize; 3] {
        let counts = self.tallies.iter().map(|tally| tally.problems);
        counts.fold([0; 3], |[a, b, c], [x, y, z]| [a + x, b + y, c + z])
    }
}

/// Returns the lines of the open range; `None` if there is none, or if its beginning is not listed.
pub fn open_range(app: &App) -> Option<std::ops::RangeInclusive<usize>> {
    let anchor = app.marks.range?;
    let from = app.results.hits.iter().position(|hit| hit.at == anchor)?;
    let to = app.list_cursor.at;
    Some(from.min(to)..=from.max(to))
}

/// Returns the view that Esc leads back to, if the list was opened from it and the search is the same.
pub fn return_view(app: &App) -> Option<Screen> {
    let marks = &app.marks;
    let is_all = marks.range.is_none() && !marks.only_marked && marks.pick.is_none();
    let is_there = app.focus == Pane::Memories && is_all;
    let (view, _, shown) = app.opened_from.as_ref()?;
    (is_there && *shown == app.query).then_some(*view)
}

pub fn branch_term(app: &App, branch: &StoreTreeRow) -> Option<String> {
    let store = || branch.store.map(|store| term("store", app.store_name(store)));
    match &branch.name {
        Some(name) if branch.is_session => Some(term("session", name)),
        Some(name) if app.snapshot.stores.len() < 2 => Some(term("type", name)),
        Some(name) => Some(format!("{} {}", store()?, term("type", name))),
        None => store(),
    }
}

/// The number of deleted memories, including those that undo data and backups still hold.
#[derive(Default)]
pub struct DeletedCount {
    /// With that of archived ones; `None` if it is unknown.
    pub count: Option<usecase::SetAsideCount>,
    /// Counts of listed memories, tombstones and backups at that time; `None` asks for a new count.
    pub of: Option<[usize; 3]>,
}

impl DeletedCount {
    /// True if the memories must be counted again, because these numbers changed. Remembers the numbers.
    pub fn is_due(&mut self, tallies: &[StoreTally]) -> bool {
        let sum = |of: fn(&StoreTally) -> usize| tallies.iter().map(of).sum::<usize>();
        let now = [sum(|own| own.listed), sum(|own| own.deleted), sum(|own| own.backups)];
        self.of.replace(now) != Some(now)
    }
}

#[derive(Default)]
pub struct Unfolded {
    pub all_filters: bool,
    /// True if all facts of the detail are shown.
    pub all_facts: bool,
    /// The stores whose sessions are shown, by their roots.
    pub stores: HashSet<PathBuf>,
}

impl Unfolded {
    pub fn fold<'a>(&mut self, roots: impl IntoIterator<Item = &'a PathBuf>, folds: bool) {
        for root in roots {
            match folds {
                true => self.stores.remove(root),
                false => self.stores.insert(root.clone()),
            };
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct RankPlace {
    pub place: usize,
    /// The memory after it, with its title. Untrusted text.
    pub next: Option<(Hit, String)>,
}

/// The texts of rows whose titles look alike, and the rows and columns for which they were made.
#[derive(Default)]
pub struct DistinctTitles {
    pub rows: HashMap<EntryRef, String>,
    pub(in crate::tui) made_for: (Vec<EntryRef>, usize, bool),
}

/// Returns a file and a line in it, as `file:line`. Untrusted text.
pub fn place(file: &std::path::Path, line: Option<u32>) -> String {
    match line.filter(|line| *line > 0) {
        Some(line) => format!("{}:{line}", file.to_text()),
        None => file.to_text().into_owned(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTreeRow {
    /// The index of the store; `None` for all stores.
    pub store: Option<usize>,
    /// The session or type below the store; `None` for the store itself. Untrusted text.
    pub name: Option<String>,
    pub is_session: bool,
    pub count: Option<usize>,
    /// The worst severity of its problems, errors or warnings, and how many of them its store has.
    pub worst: Option<(Severity, usize)>,
}

/// Returns a term for a field and its value, in quotes if the value is not one plain word.
pub fn term(field: &str, value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !value.is_empty() && value.chars().all(plain) && !value.starts_with('-') {
        return format!("{field}:{value}");
    }
    format!("{field}:\"{}\"", value.replace(['"', '\\'], "*"))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartProject {
    /// The name of its folder. Untrusted text.
    pub name: String,
    pub project: Option<Project>,
    /// For each store, true if it is of this project. Empty if there is none.
    pub stores: Vec<bool>,
}

impl StartProject {
    /// Finds the innermost project that a folder is in. The home folder is none, because it is around all of them.
    pub fn of(folder: &Path, home: Option<&Path>, snapshot: &Snapshot) -> StartProject {
        let is_around =
            |path: &&Path| folder.starts_with(path) && home.is_none_or(|home| !home.starts_with(path));
        let depth = |project: &Project| {
            let paths = [Some(project.path.as_path()), project.folder()];
            paths.into_iter().flatten().filter(is_around).map(|path| path.components().count()).max()
        };
        let projects = snapshot.stores.iter().filter_map(|store| store.project.as_ref());
        let innermost =
            projects.filter_map(|project| Some((depth(project)?, project))).max_by_key(|(depth, _)| *depth);
        let Some((_, start)) = innermost else { return StartProject::default() };
        let stores = snapshot.stores.iter().map(|store| store.is_of(start)).collect();
        StartProject { name: start.name(), project: Some(start.clone()), stores }
    }

    pub fn has(&self, store: usize) -> bool {
        self.stores.get(store).copied().unwrap_or_default()
    }

    /// True if some stores are of this project and others are not.
    pub fn is_part(&self) -> bool {
        self.stores.contains(&true) && self.stores.contains(&false)
    }
}
