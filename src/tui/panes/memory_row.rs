//! One row of the list of memories and its columns: signs, decay, type, title, place, and a figure.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::model::{EntryRef, State, StoredMemory};
use crate::query::{Hit, Order};
use crate::text::columns::human_size;
use crate::tui::found_words::set_off;
use crate::tui::list_view::new;
use crate::tui::panes::{pointer, secret_beside, sign_of};
use crate::tui::state::app::{App, Pane};
use crate::tui::state::marks::ListScope;
use crate::tui::theme::{self, column};
use crate::tui::type_letters;
use crate::tui::update::detail::title_of;
use crate::tui::update::distinct_titles;
use crate::tui::value_prompt::field;

/// True if all rows on screen show the same decay: then the bars say nothing.
pub fn fade_alike(app: &App, rows: usize) -> bool {
    let mut shown =
        app.results.hits.iter().skip(app.list_cursor.top).take(rows).filter(|hit| hit.rank.is_some());
    let first = shown.next().map(bar);
    shown.all(|hit| Some(bar(hit)) == first)
}

pub fn line(app: &App, at: usize, columns: &MemoryColumns, in_range: bool, alike: bool) -> Line<'static> {
    let Some(hit) = app.results.hits.get(at) else { return Line::default() };
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let memory = store.memory(entry);
    let has_cursor = at == app.list_cursor.at;
    let is_chosen = has_cursor && (app.focus == Pane::Memories || app.prompt.is_some());
    let chosen = if is_chosen { app.palette.chosen() } else { Style::new() };
    let base = match entry.state {
        State::Deleted => Style::new().add_modifier(Modifier::CROSSED_OUT),
        State::Archived => app.palette.dim(),
        _ => Style::new(),
    };
    let pointer = pointer(app.marks.has(hit.at), in_range, has_cursor, is_chosen);
    let (mark, mark_style) = sign_of(app, store, entry, new::is_new(app, hit.at));
    let mut spans = vec![Span::styled(pointer, app.palette.accent()), Span::styled(mark, mark_style)];
    let (secret, secret_style) = secret_beside(app, mark, store, entry);
    spans.push(Span::styled(secret, secret_style));
    if columns.decay {
        let style = if alike { app.palette.dim() } else { app.palette.decay(hit.decay) };
        spans.push(Span::styled(bar(hit), style));
        spans.push(Span::raw(" "));
    }
    let kind = memory.map_or("", |memory| memory.kind());
    if columns.kind {
        spans.push(Span::styled(format!("{} ", type_letters::letter(app, kind)), app.palette.kind(kind)));
    }
    let title = match app.distinct_titles.rows.get(&hit.at) {
        Some(shown) => shown.clone(),
        None => theme::safe(app, title_of(app, hit.at).raw()),
    };
    let title = column(&title, columns.text.saturating_sub(1)) + " ";
    spans.extend(set_off(app, &title, base.patch(chosen)));
    spans.extend(
        beside(app, hit.at, memory, columns).into_iter().map(|text| Span::styled(text, app.palette.dim())),
    );
    if columns.figure > 0 {
        let style = if is_chosen { chosen } else { app.palette.dim() };
        spans.push(Span::styled(format!("{:>1$}", figure(app, hit, at), columns.figure), style));
    }
    match app.error {
        Some(_) => Line::from(spans).patch_style(app.palette.dim()),
        None => Line::from(spans),
    }
}

/// Returns the store, or the session if there is only one store; on a wide screen also session, agent, tags.
fn beside(app: &App, at: EntryRef, view: Option<&StoredMemory>, columns: &MemoryColumns) -> Vec<String> {
    let (store, entry) = app.listed_snapshot.get(at);
    let session = store.session(entry).map_or("", |session| session.name.as_str());
    let place = columns.stores.get(at.store as usize).map_or(session, String::as_str);
    let agent = view.and_then(|memory| field(memory, "agent")).unwrap_or_default();
    let tags = view.map(|memory| memory.joined_tags(" ")).unwrap_or_default();
    [(place, columns.place), (session, columns.session), (agent, columns.agent), (&tags, columns.tags)]
        .into_iter()
        .filter(|(_, width)| *width > 0)
        .map(|(text, width)| column(&theme::safe(app, text), width - 1) + " ")
        .collect()
}

/// Returns the figure that the list is ordered by: an age, a rank, a size.
fn figure(app: &App, hit: &Hit, at: usize) -> String {
    if let (ListScope::Picked(_), Some(picked)) = (app.marks.shown(), app.results.picked.as_ref())
        && let Some(figure) = picked.figures.get(at)
    {
        return figure.to_string();
    }
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let memory = store.memory(entry);
    match app.order() {
        Order::Time | Order::Oldest => store.time_of(entry).map_or("?".into(), |time| time.age_at(app.now)),
        Order::Rank => hit.rank.map_or("—".into(), |rank| format!("{rank:.2}")),
        Order::Importance => memory.map_or("—".into(), |memory| format!("{:.2}", memory.importance)),
        Order::Size => human_size(store.record(entry).span.len()).replace(' ', ""),
    }
}

/// Returns the line below the row, with the match of the search. Safe text.
pub fn found_line(app: &App, found: &str, columns: &MemoryColumns) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(columns.before()))];
    spans.extend(set_off(app, found, app.palette.dim()));
    Line::from(spans)
}

fn bar(hit: &Hit) -> String {
    if hit.rank.is_none() {
        return "   ".into();
    }
    let eighths = (hit.decay.clamp(0.0, 1.0) * 24.0).round().max(1.0) as usize;
    theme::bar(eighths, DECAY - 1)
}

/// The columns of three parts: cursor and sign, with a space or the sign of a secret; decay with a space; the
/// letter of a type with a space.
const SIGNS: usize = 3;

const DECAY: usize = 4;

const KIND: usize = 2;

/// The maximum width of the name of a store or session, and the one from `WIDE` on.
const WHERE: usize = 8;
const WIDE_WHERE: usize = 14;

const WIDE: usize = 86;

/// The width of the figure at the right end, with a space: age, rank or size. Picks have other figures.
const FIGURE: usize = 5;

/// The minimum columns of the title if session, agent or tags are shown beside it.
const TITLE: usize = 56;

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
        let picked =
            app.results.picked.as_ref().filter(|_| matches!(app.marks.shown(), ListScope::Picked(_)));
        let longest =
            picked.and_then(|picked| picked.figures.iter().map(|figure| theme::width(figure)).max());
        let figure = longest.map_or(FIGURE, |longest| FIGURE.max(longest + 1));
        let figure = if small { 0 } else { take(figure, 8) };
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

fn longest_session(app: &App) -> usize {
    let sessions = app.snapshot.stores.iter().flat_map(|store| &store.sessions);
    sessions.map(|session| theme::width(&session.name)).max().unwrap_or(0)
}
