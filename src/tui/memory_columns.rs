//! Columns of the list of memories.

use crate::tui::state::app::App;
use crate::tui::state::marks::ListScope;
use crate::tui::theme;
use crate::tui::update::distinct_titles;

/// The columns of three parts: cursor and sign, with a space or the sign of a secret; decay with a space; the
/// letter of a type with a space.
const SIGNS: usize = 3;

pub const DECAY: usize = 4;

const KIND: usize = 2;

/// The maximum width of the name of a store or session, and the one from `WIDE` on.
const WHERE: usize = 8;
const WIDE_WHERE: usize = 14;

const WIDE: usize = 86;

/// The width of the figure at the right end, with a space: age, rank or size. Picks have other figures.
const FIGURE: usize = 5;

/// The minimum columns of the title if session, agent or tags are shown beside it.
const TITLE: usize = 56;

/// The columns of the parts of a row beside its title.
pub struct MemoryColumns {
    pub(super) decay: bool,
    pub(super) kind: bool,
    pub(super) place: usize,
    /// The names of the stores, as wide as the place; empty if there is only one store.
    pub(super) stores: Vec<String>,
    pub(super) session: usize,
    pub(super) agent: usize,
    pub(super) tags: usize,
    pub(super) figure: usize,
    pub text: usize,
}

impl MemoryColumns {
    pub fn of(app: &App, width: usize) -> MemoryColumns {
        let has_place = app.size.0 >= 60;
        let is_wide = app.size.0 >= 160;
        let mut left = width.saturating_sub(SIGNS);
        let mut take = |columns: usize, keeps: usize| {
            let fits = columns > 0 && left >= columns + keeps;
            left -= if fits { columns } else { 0 };
            if fits { columns } else { 0 }
        };
        let (small, several) = (app.size.0 < 30, app.snapshot.stores.len() > 1);
        let figure = if small { 0 } else { take(figure_width(app), 8) };
        let decay = !small && take(DECAY, 12) > 0;
        let kind = !small && take(KIND, 12) > 0;
        let names = match several {
            true => app.store_names.iter().map(|name| theme::width(name)).max().unwrap_or(0),
            false => longest_session(app),
        };
        let most = if width >= WIDE { WIDE_WHERE } else { WHERE };
        let place = if has_place && names > 0 { take(names.min(most) + 1, 24) } else { 0 };
        let session = if is_wide && several && longest_session(app) > 0 { take(15, TITLE) } else { 0 };
        let agent = if is_wide { take(10, TITLE) } else { 0 };
        let tags = if is_wide { take(20, TITLE) } else { 0 };
        let stores = match several && place > 0 {
            true => distinct_titles::store_names(app, place - 1),
            false => Vec::new(),
        };
        MemoryColumns { decay, kind, place, stores, session, agent, tags, figure, text: left }
    }

    pub fn before(&self) -> usize {
        SIGNS + if self.decay { DECAY } else { 0 } + if self.kind { KIND } else { 0 }
    }

    /// Returns the columns of the line below a row, which shows the match of the search.
    pub fn found(&self, width: usize) -> usize {
        width.saturating_sub(self.before())
    }
}

/// Returns the columns of the figures, with a space.
fn figure_width(app: &App) -> usize {
    let picked = app.results.picked.as_ref().filter(|_| matches!(app.marks.shown(), ListScope::Picked(_)));
    let longest = picked.and_then(|own| own.figures.iter().map(|figure| theme::width(figure)).max());
    longest.map_or(FIGURE, |own| FIGURE.max(own + 1))
}

fn longest_session(app: &App) -> usize {
    let sessions = app.snapshot.stores.iter().flat_map(|store| &store.sessions);
    sessions.map(|session| theme::width(&session.name)).max().unwrap_or(0)
}
