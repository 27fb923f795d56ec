//! The list of memories.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::{Code, Problem, Severity, State, View};
use crate::query::{Hit, Order, Ranking};
use crate::text::show::show;
use crate::tui::action::Action;
use crate::tui::app::{App, Pane};
use crate::tui::border::framed;
use crate::tui::theme::{self, Theme, column, fit, sign};
use crate::tui::update::{open_range, set_off};

/// Columns of the bar that shows decay.
const BAR: usize = 5;

/// Draws the list.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let title = format!("4 Memories  {}{}", of_what(app), order_name(app));
    let inner = framed(app, frame, Some(Pane::Memories), &title, &foot(app), area);
    if inner.height == 0 {
        return;
    }
    if app.results.hits.is_empty() {
        let lines = empty(app, usize::from(inner.width));
        return frame.render_widget(Paragraph::new(lines), inner);
    }
    let theme = Theme::of(app);
    let head = Rect { height: 1, ..inner };
    let list = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
    let columns = Line::styled(fit("     rank decay type     memory", usize::from(inner.width)), theme.dim());
    frame.render_widget(Paragraph::new(columns), head);
    let width = usize::from(inner.width);
    let range = open_range(app);
    let row = |at: usize| {
        let in_range = range.as_ref().is_some_and(|range| range.contains(&at));
        app.results.hits.get(at).map(|hit| line(app, hit, at, width, in_range)).unwrap_or_default()
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

fn line(app: &App, hit: &Hit, at: usize, width: usize, in_range: bool) -> Line<'static> {
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
    let kind = view.map_or("—", |view| &view.kind);
    let pointer = pointer(app.marks.has(hit.at), in_range, at == app.list.at);
    let rank = hit.rank.map_or("  — ".into(), |rank| format!("{rank:4.2}"));
    let fixed = 2 + 2 + 5 + BAR + 1 + 9 + 6;
    let room = width.saturating_sub(fixed).max(8);
    let title = app.titles.get(&hit.at).map_or("", String::as_str);
    let title = column(&theme::safe(app, title), room);
    let mut spans = vec![
        Span::raw(pointer),
        Span::styled(state_sign(entry.state, view), theme.dim()),
        Span::styled(format!("{mark} "), mark_style),
        Span::styled(format!("{rank} "), theme.dim()),
        Span::styled(bar(hit.decay, hit.rank.is_some()), theme.decay(hit.decay)),
        Span::raw(" "),
        Span::styled(column(&theme::safe(app, kind), 8) + " ", theme.kind(kind)),
    ];
    spans.extend(set_off(app, &title, base));
    spans.push(Span::styled(format!("{age:>5} "), theme.dim()));
    match app.error {
        Some(_) => Line::from(spans).patch_style(theme.dim()),
        None => Line::from(spans),
    }
}

/// What a memory is, where it is no plain live one.
fn state_sign(state: State, view: Option<&View>) -> &'static str {
    let pinned = view.is_some_and(|view| view.tags.iter().any(|tag| &**tag == "pinned"));
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
    let view = store.view(entry);
    match (entry.state, worst) {
        (State::Broken, _) => (sign(Severity::Error), theme.severity(Severity::Error)),
        (_, Some(severity @ (Severity::Error | Severity::Warning))) => {
            (sign(severity), theme.severity(severity))
        }
        _ if view.is_some_and(|view| view.sensitive) => ("!", theme.key()),
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
        Some(format!("{}: {} R tries again.", store.root.display(), problem.message))
    })
}

/// Why nothing is listed, and what to do.
fn empty(app: &App, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut say =
        |text: &str| lines.extend(theme::wrap(&theme::safe(app, text), width).into_iter().map(Line::from));
    if app.marks.only {
        say("Nothing is marked any more. Esc goes back to what was shown.");
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
            say(&format!(
                "`{part}` hides most: without it there are {count}. {key} drops it, Esc clears all."
            ));
        }
    }
    lines
}
