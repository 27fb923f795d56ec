//! What the screens know. Nothing here draws, reads or waits.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::layout::Position;
use ratatui::text::Line;

use super::Options;
use super::action::Action;
pub use super::aim::{Aim, Identity, Step};
use super::bulk::{Bulk, Menu};
use super::calendar::Calendar;
use super::compare::Compare;
use super::confirm::Confirm;
use super::cursor::{Counted, Cursor, Held};
use super::editor::Editor;
use super::health;
use super::list_view::{ListView, problems};
use super::marks::{Marks, Shown};
use super::msg::Effect;
use super::palette::Palette;
use super::prompt::{Prompt, Recall};
use super::theme::{fit, place};
pub use super::tree::Branch;
use super::update::distinct_titles::DistinctTitles;
use super::update::filter;
use super::update::tutor::Tutor;
pub use super::views::{Pane, Screen, Tab};
use super::why;
use crate::deed::{Border, Layout, Visits};
use crate::format;
use crate::model::{EntryRef, Moment, Snapshot, Tell, Tie, references};
use crate::ops::delete::is_held;
use crate::query::{Facets, Hit, Order, Query, QueryError, Ranking, Results};
use crate::store::{Looked, Place};
use crate::text::secrets::mask;
use crate::text::show::show;
use crate::work::{Asked, Explained, Job, Marked, Tally};

/// What a demo begins with.
pub const DEMO: &str = "This is a demo in a folder of its own. g t shows five tasks, three minutes in all.";

/// Everything the screens know.
#[derive(Default)]
pub struct App {
    pub now: Moment,
    /// The time by a clock that never stands still. Everything that waits for the user uses it, because `now`
    /// does not move if it was given.
    pub running: Moment,
    pub size: (u16, u16),
    pub palette: Palette,
    pub ascii: bool,
    /// Lines instead of screens.
    pub linear: bool,
    /// The action that will type into a memory. It waits for a key that is not part of a word.
    pub asked_to_type: Option<Action>,
    /// Nothing on the screen changes by itself.
    pub reduced_motion: bool,
    pub places: Vec<Place>,
    pub looked: Vec<Looked>,
    /// The folder of our own data; nothing is changed without one.
    pub data: Option<PathBuf>,
    pub readonly: bool,
    /// The folder of the demo, where that is open.
    pub demo: Option<PathBuf>,
    /// The tasks of the demo.
    pub tutor: Tutor,
    /// Changes that were asked for and are not done yet.
    pub changing: usize,
    /// Whether what an earlier run left behind was looked for.
    pub tended: bool,
    /// Left as soon as they are done.
    pub leaving: bool,
    /// Whether files of ours are being looked after.
    pub tending: bool,
    /// So many changes of this run are made that `u` undoes.
    pub undoable: usize,

    /// The stores as they were read last, and what they hold, counted.
    pub snapshot: Arc<Snapshot>,
    pub tallies: Vec<Tally>,
    /// Up to when the memories of each store were seen.
    pub visits: Visits,
    /// How many memories are deleted, and for which state of the stores that was counted.
    pub deleted: health::Deleted,
    pub tree: Vec<Branch>,
    /// Short names of the stores, in their order. Untrusted text.
    pub store_names: Vec<String>,

    /// What is asked, and why it can't be understood where it can't.
    pub query: String,
    pub parsed: Query,
    /// The part of a search that can be understood, if the whole can't.
    pub rest: (String, Query),
    pub error: Option<QueryError>,
    pub order: Option<Order>,
    pub ranking: Ranking,
    /// What was found last, and in which state of the stores.
    pub listed: Arc<Snapshot>,
    pub results: Results,
    pub facets: Facets,
    /// What was counted before the word that is being typed, for what that can become.
    pub offered: Facets,
    /// What the results answer.
    pub answered: Option<(String, Order, Shown)>,
    /// The memory that the cursor is to be on once it is listed.
    pub sought: Option<Identity>,
    /// The search that was there when another one was begun, until the cursor is moved.
    pub held: Option<Held>,
    pub why: Option<Explained>,
    /// Where the memory under the cursor is by rank.
    pub why_place: Option<why::Place>,
    /// What the workers were asked for last.
    pub asked_for: String,
    /// A letter for each type.
    pub letters: HashMap<String, char>,

    pub screen: Screen,
    pub focus: Pane,
    pub zoomed: bool,
    pub tab: Tab,
    pub list: Cursor,
    pub branch: Cursor,
    pub facet: Cursor,
    /// Every problem, in the order of the list.
    pub problem_list: Vec<problems::Listed>,
    /// The row of the health.
    pub vital: Cursor,
    /// Where the user moved borders to, what is unfolded; and what of that is kept for the next start.
    pub layout: Layout,
    pub kept_layout: Layout,
    /// The border that the mouse holds.
    pub dragged: Option<Border>,
    /// The view that a memory was opened from, the search before, and the one that shows the memory: Esc
    /// goes back.
    pub opened: Option<(Screen, String, String)>,
    pub detail_top: usize,
    pub prompt: Option<Prompt>,
    /// The number of exports so far.
    pub exports: u64,
    /// The actions that were done last, the newest first.
    pub done_last: Vec<Action>,
    pub menu: Option<Menu>,
    pub confirm: Option<Confirm>,
    pub marks: Marks,
    pub bulk: Bulk,
    /// The view that is a list: backups, archive, upkeep, journal, problems, what is new.
    pub view: ListView,
    /// What was written on which day.
    pub calendar: Calendar,
    /// The two memories that are compared.
    pub compare: Option<Compare>,
    /// The form that is open.
    pub editor: Option<Box<Editor>>,
    /// So many forms were opened.
    pub forms: u64,
    /// Keys of a sequence that waits for its next.
    pub waiting: String,
    /// Whether they wait for so long that what may follow is shown.
    pub waited: bool,
    /// Keys that came before what they are done with was there.
    pub early: Vec<KeyEvent>,
    /// What the first of them are for.
    pub early_for: Option<Action>,
    /// A count that is typed before a move.
    pub count: Counted,
    pub notice: Option<String>,
    /// The notice that goes away by itself.
    pub brief: Option<String>,
    /// What the update asks for, in order.
    pub effects: Vec<Effect>,
    /// Whether masked values are shown: while a key is held.
    pub revealed: bool,
    /// Where was clicked last, and when.
    pub clicked: Option<(Position, Moment)>,
    /// Ctrl-c was pressed: once more quits.
    pub interrupted: Option<Moment>,
    pub trail: Vec<Step>,
    /// Earlier searches, of this run alone: what was searched for is written nowhere.
    pub asked_before: Recall,

    /// Titles of memories that are or were on screen.
    pub titles: HashMap<EntryRef, String>,
    /// The texts of rows that would look alike by their titles.
    pub distinct_titles: DistinctTitles,
    /// The line of its text that the search found, of those whose title does not tell.
    pub found_lines: HashMap<EntryRef, Option<String>>,
    /// The numbers of columns for which the titles and those lines were made.
    pub found_of: (usize, usize),
    /// The detail pane's lines, wrapped to its width.
    pub detail: Vec<Line<'static>>,
    /// What its memory is tied to, while the references are shown.
    pub ties: Vec<Tie>,
    pub tie: Cursor,
    pub detail_of: Option<(EntryRef, Tab, u16, bool)>,
}

impl App {
    /// An app that has read nothing yet.
    pub fn new(options: &Options, size: (u16, u16), now: Moment) -> App {
        App {
            now,
            running: now,
            size,
            palette: options.palette,
            ascii: options.ascii,
            linear: options.linear,
            // Nothing is told again because time goes by.
            reduced_motion: options.reduced_motion || options.linear,
            places: options.places.clone(),
            looked: options.looked.clone(),
            data: options.data.clone(),
            readonly: options.readonly,
            demo: options.demo_folder.clone(),
            visits: options.visits.clone(),
            layout: options.layout.clone(),
            kept_layout: options.layout.clone(),
            notice: options.demo_folder.as_ref().map(|_| DEMO.to_owned()),
            ranking: options.ranking,
            screen: if options.places.is_empty() { Screen::Welcome } else { Screen::Browse },
            ..App::default()
        }
    }

    /// Tells the user something at the foot of the screen, until the next key.
    pub fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(notice.into());
    }

    /// Asks for something outside the state.
    pub fn give(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Asks a worker for something.
    pub fn give_job(&mut self, job: Job) {
        self.give(Effect::Job(job));
    }

    /// The hit under the cursor.
    pub fn hit(&self) -> Option<&Hit> {
        self.results.hits.get(self.list.at)
    }

    /// The memory under the cursor.
    pub fn selected(&self) -> Option<EntryRef> {
        self.hit().map(|hit| hit.at)
    }

    /// The tabs that the memory under the cursor has.
    pub fn tabs(&self) -> Vec<Tab> {
        let view = self.selected().and_then(|at| {
            let (store, entry) = self.listed.get(at);
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
        let parsed = self.understood().1;
        let by_default = if parsed.has_words() { Order::Rank } else { Order::Time };
        parsed.order().or(picks).or(self.order).unwrap_or(by_default)
    }

    /// The search that is used: the part that can be understood, if the whole can't.
    pub fn understood(&self) -> (&str, &Query) {
        match self.error {
            None => (&self.query, &self.parsed),
            Some(_) => (&self.rest.0, &self.rest.1),
        }
    }

    /// What the list is of: the search, within what the cursor of the stores is on while it has the keys.
    pub fn searched(&self) -> String {
        let within = match self.focus {
            Pane::Sessions if self.screen == Screen::Browse && self.error.is_none() => {
                self.tree.get(self.branch.at).and_then(|branch| filter::branch_term(self, branch))
            }
            _ => None,
        };
        match within {
            Some(term) if !self.understood().0.contains(&term) => {
                format!("{} {term}", self.understood().0).trim().to_owned()
            }
            _ => self.understood().0.to_owned(),
        }
    }

    /// The search that the screens show.
    pub fn asked(&self) -> Asked {
        Asked {
            snapshot: Arc::clone(&self.snapshot),
            query: self.searched(),
            ranking: self.ranking,
            order: self.order(),
            only: self.marks.only.then(|| Marked { of: Arc::clone(&self.listed), at: self.marks.list() }),
            pick: self.marks.pick.filter(|_| !self.marks.only),
            deleted: self.marks.list().into_iter().any(|at| {
                let (store, entry) = self.listed.get(at);
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
            Some(folder) => format!("  demo in {}", folder.told()),
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
    pub fn quoted(snapshot: &Snapshot, at: EntryRef) -> String {
        const LONGEST: usize = 48;
        let (store, entry) = snapshot.get(at);
        format!("\"{}\"", fit(&mask(&show(&format::title(store, entry))), LONGEST))
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
    pub fn identity(snapshot: &Snapshot, at: EntryRef) -> Identity {
        let (store, entry) = snapshot.get(at);
        Identity {
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
