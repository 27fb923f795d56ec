//! One row of the list of memories: signs, decay, type, title, place, and a figure.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::format;
use crate::model::{Entry, EntryRef, Severity, State, Store, View, is_kept};
use crate::query::{Hit, Order};
use crate::tui::app::{App, Pane};
use crate::tui::health::human_size;
use crate::tui::list_view::new;
use crate::tui::marks::ListScope;
use crate::tui::theme::{self, Theme, column, sign};
use crate::tui::type_letters;
use crate::tui::update::set_off;

/// The columns of three parts: cursor and sign, with a space or the sign of a secret; decay with a space; the
/// letter of a type with a space.
const SIGNS: usize = 3;
const DECAY: usize = 4;
const KIND: usize = 2;
/// The maximum width of the name of a store or session. The sessions of one store get more from `WIDE` on.
const WHERE: usize = 8;
const WIDE: usize = 84;
/// The width of the figure at the right end, with a space: age, rank or size. Picks have other figures.
const FIGURE: usize = 5;
/// The minimum columns of the title if session, agent or tags are shown beside it.
const TITLE: usize = 40;

/// The columns of the parts of a row beside its title.
pub struct MemoryColumns {
    decay: bool,
    kind: bool,
    place: usize,
    session: usize,
    agent: usize,
    tags: usize,
    figure: usize,
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
        let most = if width >= WIDE && !several { 14 } else { WHERE };
        let place = if has_place && names > 0 { take(names.min(most) + 1, 24) } else { 0 };
        let session = if is_wide && several { take(15, TITLE) } else { 0 };
        let agent = if is_wide { take(10, TITLE) } else { 0 };
        let tags = if is_wide { take(20, TITLE) } else { 0 };
        MemoryColumns { decay, kind, place, session, agent, tags, figure, text: left }
    }

    /// Returns the number of columns before the title.
    fn before(&self) -> usize {
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

/// True if all rows on screen show the same decay: then the bars say nothing.
pub fn fade_alike(app: &App, rows: usize) -> bool {
    let mut shown =
        app.results.hits.iter().skip(app.list_cursor.top).take(rows).filter(|hit| hit.rank.is_some());
    let first = shown.next().map(bar);
    shown.all(|hit| Some(bar(hit)) == first)
}

pub fn line(
    app: &App,
    hit: &Hit,
    at: usize,
    columns: &MemoryColumns,
    in_range: bool,
    alike: bool,
) -> Line<'static> {
    let theme = Theme::of(app);
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let view = store.view(entry);
    let has_cursor = at == app.list_cursor.at;
    let is_chosen = has_cursor && (app.focus == Pane::Memories || app.prompt.is_some());
    let chosen = if is_chosen { theme.chosen() } else { Style::new() };
    let base = match entry.state {
        State::Deleted => Style::new().add_modifier(Modifier::CROSSED_OUT),
        State::Archived => theme.dim(),
        _ => Style::new(),
    };
    let pointer = pointer(app.marks.has(hit.at), in_range, has_cursor, is_chosen);
    let (mark, mark_style) = sign_of(app, store, entry, new::is_new(app, hit.at));
    let mut spans = vec![Span::styled(pointer, theme.accent()), Span::styled(mark, mark_style)];
    let (secret, secret_style) = secret_beside(app, mark, store, entry);
    spans.push(Span::styled(secret, secret_style));
    if columns.decay {
        let style = if alike { theme.dim() } else { theme.decay(hit.decay) };
        spans.push(Span::styled(bar(hit), style));
        spans.push(Span::raw(" "));
    }
    let kind = view.map_or("", |view| view.kind);
    if columns.kind {
        spans.push(Span::styled(format!("{} ", type_letters::letter(app, kind)), theme.kind(kind)));
    }
    let title = match app.distinct_titles.rows.get(&hit.at) {
        Some(shown) => shown.clone(),
        None => theme::safe(app, app.titles.get(&hit.at).map_or("", String::as_str)),
    };
    let title = column(&title, columns.text.saturating_sub(1)) + " ";
    spans.extend(set_off(app, &title, base.patch(chosen)));
    spans.extend(beside(app, hit.at, view, columns).into_iter().map(|text| Span::styled(text, theme.dim())));
    if columns.figure > 0 {
        let style = if is_chosen { chosen } else { theme.dim() };
        spans.push(Span::styled(format!("{:>1$}", figure(app, hit, at), columns.figure), style));
    }
    match app.error {
        Some(_) => Line::from(spans).patch_style(theme.dim()),
        None => Line::from(spans),
    }
}

/// Returns the store, or the session if there is only one store; on a wide screen also session, agent, tags.
fn beside(app: &App, at: EntryRef, view: Option<View<'_>>, columns: &MemoryColumns) -> Vec<String> {
    let (store, entry) = app.listed_snapshot.get(at);
    let session = store.session(entry).map_or("", |session| session.name.as_str());
    let place = match app.snapshot.stores.len() {
        0 | 1 => session,
        _ => app.store_name(at.store as usize),
    };
    let agent = view.and_then(|view| view.facets.iter().find(|(name, _)| *name == "agent"));
    let agent = agent.map_or("", |(_, agent)| agent);
    let tags = view.map(|view| view.tags.join(" ")).unwrap_or_default();
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
    let view = store.view(entry);
    match app.order() {
        Order::Time | Order::Oldest => {
            view.and_then(|view| view.created).map_or("?".into(), |at| at.age_at(app.now))
        }
        Order::Rank => hit.rank.map_or("—".into(), |rank| format!("{rank:.2}")),
        Order::Importance => view.map_or("—".into(), |view| format!("{:.2}", view.importance)),
        Order::Size => human_size(store.record(entry).span.len()).replace(' ', ""),
    }
}

/// Returns the line below the row, with the match of the search. Safe text.
pub fn found_line(app: &App, found: &str, columns: &MemoryColumns) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(columns.before()))];
    spans.extend(set_off(app, found, Theme::of(app).dim()));
    Line::from(spans)
}

/// Returns the sign of the cursor, of a mark, of both, or of what a range would mark.
pub fn pointer(marked: bool, in_range: bool, has_cursor: bool, is_chosen: bool) -> &'static str {
    match (marked, in_range, has_cursor) {
        (true, _, true) => "◉",
        (true, _, false) => "●",
        (false, _, true) if is_chosen => "▶",
        (false, _, true) => "›",
        (false, true, false) => "○",
        (false, false, false) => " ",
    }
}

/// Returns the sign of a row: the worst problem of the memory, or its state.
pub fn sign_of(app: &App, store: &Store, entry: &Entry, is_new: bool) -> (&'static str, Style) {
    let theme = Theme::of(app);
    let worst = store.problems_of(entry).map(|problem| problem.severity).min();
    let is_kept = store.view(entry).is_some_and(|view| is_kept(view, app.now));
    match (entry.state, worst) {
        (State::Broken, _) => (sign(Severity::Error), theme.severity(Severity::Error)),
        (_, Some(Severity::Error)) => (sign(Severity::Error), theme.severity(Severity::Error)),
        _ if format::is_sensitive(store, entry) => ("!", theme.secret()),
        (_, Some(Severity::Warning)) => (sign(Severity::Warning), theme.severity(Severity::Warning)),
        (State::Deleted, _) => ("−", theme.dim()),
        (State::Archived, _) => ("▪", theme.dim()),
        _ if is_new => ("+", theme.fresh()),
        _ if is_kept => ("★", theme.accent()),
        _ => (" ", Style::new()),
    }
}

/// Returns the sign of a secret, if the row has a more serious sign.
pub fn secret_beside(app: &App, sign: &str, store: &Store, entry: &Entry) -> (&'static str, Style) {
    match sign != "!" && format::is_sensitive(store, entry) {
        true => ("!", Theme::of(app).secret()),
        false => (" ", Style::new()),
    }
}

/// Returns the decay bar: three cells, in eighths.
fn bar(hit: &Hit) -> String {
    if hit.rank.is_none() {
        return "   ".into();
    }
    let eighths = (hit.decay.clamp(0.0, 1.0) * 24.0).round().max(1.0) as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    column(&("█".repeat(eighths / 8) + part), DECAY - 1)
}
