//! The list of memories.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::format;
use crate::model::{Code, Problem, Severity, State, Tell, View};
use crate::query::{Hit, Order, Ranking};
use crate::text::show::show;
use crate::tui::action::Action;
use crate::tui::app::{App, Pane};
use crate::tui::border::framed;
use crate::tui::layout;
use crate::tui::marks::Shown;
use crate::tui::theme::{self, Theme, column, fit, sign};
use crate::tui::update::{open_range, set_off};

/// Columns of the signs at the start of a row, of a rank, of the bar that shows decay, of a type
/// and of an age, with the blank behind each but the bar.
const SIGNS: usize = 4;
const RANK: usize = 5;
const BAR: usize = 5;
const KIND: usize = 9;
const AGE: usize = 6;
/// So many columns of text are more use than any of these.
const TEXT: usize = 24;

/// Which columns a row has room for beside its text.
struct Columns {
    rank: bool,
    decay: bool,
    kind: bool,
    age: bool,
    /// Columns of the text.
    text: usize,
}

impl Columns {
    /// The columns of rows of that width: the age goes last.
    fn of(width: usize) -> Columns {
        let mut left = width.saturating_sub(SIGNS);
        let mut has = |columns: usize| {
            let fits = left >= columns + TEXT;
            left -= if fits { columns } else { 0 };
            fits
        };
        let (age, rank, decay, kind) = (has(AGE), has(RANK), has(BAR + 1), has(KIND));
        Columns { rank, decay, kind, age, text: left }
    }

    /// What the columns are called.
    fn head(&self, figure: &str) -> String {
        let mut head = "    ".to_owned();
        for (has, name) in [(self.rank, figure), (self.decay, "decay "), (self.kind, "type     ")] {
            head.push_str(if has { name } else { "" });
        }
        head + "memory"
    }
}

/// How many columns of text a list of that size shows.
#[cfg(test)]
pub fn text_columns(area: Rect) -> usize {
    let borders = if layout::has_borders(area) { 2 } else { 0 };
    Columns::of(usize::from(area.width - borders)).text
}

/// Draws the list.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let title = match app.marks.shown() {
        Shown::Picked(pick) => format!("4 Memories  {}", pick.title),
        _ => format!("4 Memories  {}{}", of_what(app), order_name(app)),
    };
    let inner = framed(app, frame, Some(Pane::Memories), &title, &foot(app), area);
    if inner.height == 0 {
        return;
    }
    if app.results.hits.is_empty() {
        let lines = empty(app, usize::from(inner.width));
        return frame.render_widget(Paragraph::new(lines), inner);
    }
    let theme = Theme::of(app);
    let width = usize::from(inner.width);
    let columns = Columns::of(width);
    let figure = if let Shown::Picked(pick) = app.marks.shown() { pick.figure } else { "rank " };
    let mut list = inner;
    if layout::has_head(inner) {
        let head = Line::styled(fit(&columns.head(figure), width), theme.dim());
        frame.render_widget(Paragraph::new(head), Rect { height: 1, ..inner });
        list = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
    }
    let range = open_range(app);
    let row = |at: usize| {
        let in_range = range.as_ref().is_some_and(|range| range.contains(&at));
        app.results.hits.get(at).map(|hit| line(app, hit, at, &columns, in_range)).unwrap_or_default()
    };
    super::draw_lines(frame, &theme, list, app.list, app.results.hits.len(), true, row);
}

/// What the list is of, where that is not what is asked.
fn of_what(app: &App) -> String {
    match (&app.error, app.marks.only) {
        (_, true) => "the marked ones, ".into(),
        (None, false) => String::new(),
        (Some(_), false) => match app.understood().trim() {
            "" => "still of all, ".into(),
            before => format!("still of `{}`, ", show(before)),
        },
    }
}

fn order_name(app: &App) -> String {
    let order = match app.order() {
        Order::Time => "newest first",
        Order::Rank => "best first",
        Order::Importance => "most important first",
        Order::Size => "largest first",
    };
    match app.ranking {
        Ranking::Product => order.to_owned(),
        Ranking::Weighted => format!("{order}, weighted"),
    }
}

/// The place in the list, once what is listed is all there is: then it can be changed, too.
fn foot(app: &App) -> String {
    match (app.results.hits.len(), app.is_whole() && app.listed.is_whole()) {
        (0, _) => String::new(),
        (_, false) => "…".into(),
        (len, true) => format!("{}/{len}{}", app.list.at + 1, told_marks(app)),
    }
}

/// How many are marked, those included that the filter hides; and a range that is open.
fn told_marks(app: &App) -> String {
    let range = open_range(app).map_or(String::new(), |range| format!(" · range of {}", range.count()));
    match (app.marks.count(), app.marks.hidden()) {
        (0, _) => range,
        (count, 0) => format!(" · {count} marked{range}"),
        (count, hidden) => format!(" · {count} marked ({hidden} hidden by the filter!){range}"),
    }
}

/// The sign of the cursor, of a mark, of both; and of what a range would mark.
fn pointer(marked: bool, in_range: bool, has_cursor: bool) -> &'static str {
    match (marked, in_range, has_cursor) {
        (true, _, true) => "◉",
        (true, _, false) => "●",
        (false, _, true) => "▶",
        (false, true, false) => "○",
        (false, false, false) => " ",
    }
}

fn line(app: &App, hit: &Hit, at: usize, columns: &Columns, in_range: bool) -> Line<'static> {
    let theme = Theme::of(app);
    let (store, entry) = app.listed.get(hit.at);
    let view = store.view(entry);
    let base = match entry.state {
        State::Deleted => Style::new().add_modifier(Modifier::CROSSED_OUT),
        State::Archived => theme.dim(),
        _ => Style::new(),
    };
    let (mark, mark_style) = mark(app, hit);
    let age = view.and_then(|view| view.created).map_or("?".into(), |created| created.age_at(app.now));
    let kind = view.map_or("—", |view| view.kind);
    let pointer = pointer(app.marks.has(hit.at), in_range, at == app.list.at);
    let figure = app.results.picked.as_ref().and_then(|picked| picked.figures.get(at));
    let rank = hit.rank.map_or("  — ".into(), |rank| format!("{rank:4.2}"));
    let rank = figure.map_or(rank, |figure| format!("{figure:>4}"));
    let title = app.titles.get(&hit.at).map_or("", String::as_str);
    let title = column(&theme::safe(app, title), columns.text);
    let mut spans = vec![
        Span::raw(pointer),
        Span::styled(state_sign(entry.state, view), theme.dim()),
        Span::styled(format!("{mark} "), mark_style),
    ];
    if columns.rank {
        spans.push(Span::styled(format!("{rank} "), theme.dim()));
    }
    if columns.decay {
        spans.push(Span::styled(bar(hit.decay, hit.rank.is_some()), theme.decay(hit.decay)));
        spans.push(Span::raw(" "));
    }
    if columns.kind {
        spans.push(Span::styled(column(&theme::safe(app, kind), KIND - 1) + " ", theme.kind(kind)));
    }
    spans.extend(set_off(app, &title, base));
    if columns.age {
        spans.push(Span::styled(format!("{age:>5} "), theme.dim()));
    }
    match app.error {
        Some(_) => Line::from(spans).patch_style(theme.dim()),
        None => Line::from(spans),
    }
}

/// What a memory is, where it is no plain live one.
fn state_sign(state: State, view: Option<View<'_>>) -> &'static str {
    let pinned = view.is_some_and(|view| view.tags.contains("pinned"));
    match state {
        State::Archived => "▪",
        State::Deleted => "−",
        _ if pinned => "★",
        _ => " ",
    }
}

/// One sign a row: what is worst about the memory.
fn mark(app: &App, hit: &Hit) -> (&'static str, Style) {
    let theme = Theme::of(app);
    let (store, entry) = app.listed.get(hit.at);
    let worst = store.problems_of(entry).map(|problem| problem.severity).min();
    match (entry.state, worst) {
        (State::Broken, _) => (sign(Severity::Error), theme.severity(Severity::Error)),
        (_, Some(severity @ (Severity::Error | Severity::Warning))) => {
            (sign(severity), theme.severity(severity))
        }
        _ if format::is_sensitive(store, entry) => ("!", theme.key()),
        _ => (" ", Style::new()),
    }
}

/// A bar of eighths.
fn bar(decay: f64, known: bool) -> String {
    if !known {
        return column("  —", BAR);
    }
    let eighths = (decay.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    column(&("█".repeat(eighths / 8) + part), BAR)
}

/// What the system said of a store whose folder can't be read any more.
fn gone(app: &App) -> Option<String> {
    app.snapshot.stores.iter().find_map(|store| {
        let of_root =
            |problem: &&Problem| problem.code == Code::UnreadableFile && problem.file.as_os_str().is_empty();
        let problem = store.problems.iter().find(of_root)?;
        Some(format!("{}: {} R tries again.", store.root.told(), problem.message))
    })
}

/// Why nothing is listed, and what to do.
fn empty(app: &App, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut say =
        |text: &str| lines.extend(theme::wrap(&theme::safe(app, text), width).into_iter().map(Line::from));
    if app.marks.only {
        say("Nothing is marked any more. Esc goes back to what was shown.");
    } else if let Some(pick) = app.marks.pick {
        say(pick.none);
    } else if app.query.is_empty() && !app.is_whole() {
        say("reading …");
    } else if let Some(gone) = gone(app) {
        say(&gone);
    } else if app.query.is_empty() {
        say("There is no memory here yet. What agents write shows up by itself.");
    } else {
        say("Nothing matches this search.");
        if let Some((span, count)) = &app.results.blocker {
            let part = app.query.get(span.clone()).unwrap_or_default();
            let key = Action::DropFilter.key();
            say(&format!("Without `{part}` there would be {count}. {key} drops it, Esc clears all."));
        }
    }
    lines
}
