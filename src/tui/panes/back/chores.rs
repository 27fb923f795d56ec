//! What is due, what a compaction drops, what is archived: which memories, and why.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{one_line, part, say, size};
use crate::format;
use crate::model::Tell;
use crate::model::plan::counted;
use crate::ops::effect::Touched;
use crate::tui::app::App;
use crate::tui::back::{Shelf, name_of};
use crate::tui::cursor::Cursor;
use crate::tui::layout;
use crate::tui::panes::draw_lines;
use crate::tui::theme::{self, Theme, column};
use crate::work::{Batch, Chore, Task};

/// Draws the archive: what is due and what is there, and the memories of the line under
/// the cursor.
pub fn draw_archive(app: &App, frame: &mut Frame<'_>) {
    let parts = layout::back(app);
    let own = &app.back;
    let shelves = app.back.shelves();
    let archived: usize = app.back.batches.iter().map(|batch| batch.entries.len()).sum();
    let due: usize =
        app.back.chores.iter().filter(|own| own.task == Task::Due).map(|own| own.touched.len()).sum();
    let title = format!("Due {due} · archived {archived} in {} places", app.back.batches.len());
    let inner = part(app, frame, &title, "", !own.inside, parts.list);
    let width = usize::from(inner.width.saturating_sub(1));
    let row = |at: usize| match shelves[at] {
        Shelf::Chore(at) => chore(app, &app.back.chores[at], width),
        Shelf::Batch(at) => batch(app, &app.back.batches[at], width),
    };
    let none = "Nothing is archived, and nothing is due within 90 days.";
    list(app, frame, inner, shelves.len(), none, row);
    match app.back.shelf() {
        Some(Shelf::Chore(at)) => {
            memories(app, frame, Some(&app.back.chores[at]), own.within, own.inside, parts.within)
        }
        Some(Shelf::Batch(at)) => archived_memories(app, frame, &app.back.batches[at], parts.within),
        None => memories(app, frame, None, own.within, own.inside, parts.within),
    }
}

/// Draws what can be done to keep the stores in order, and which memories that concerns.
pub fn draw_upkeep(app: &App, frame: &mut Frame<'_>) {
    let parts = layout::back(app);
    let own = &app.back;
    let tasks = app.back.tasks();
    let foot = if own.chosen.is_empty() { String::new() } else { format!("{} chosen", own.chosen.len()) };
    let inner = part(app, frame, "What can be done", &foot, !own.inside, parts.list);
    let row = |at: usize| chore(app, &app.back.chores[tasks[at]], usize::from(inner.width.saturating_sub(1)));
    list(app, frame, inner, tasks.len(), "Nothing is due, and there is nothing to compact.", row);
    memories(app, frame, app.back.task(), own.within, own.inside, parts.within);
}

/// Draws the left side: so many lines, or that there is none.
fn list(
    app: &App,
    frame: &mut Frame<'_>,
    inner: Rect,
    len: usize,
    none: &str,
    row: impl Fn(usize) -> Line<'static>,
) {
    match (&app.back.read_of, len) {
        (None, _) => say(app, frame, "reading …", inner),
        (_, 0) => say(app, frame, none, inner),
        _ => draw_lines(frame, &Theme::of(app), inner, app.back.at, len, !app.back.inside, row),
    }
}

fn chore(app: &App, own: &Chore, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let mark = match (own.plan.is_some(), app.back.chosen.contains(&name_of(own))) {
        (true, true) => "[x] ",
        (true, false) => "[ ] ",
        (false, _) => "    ",
    };
    let when = match own.task {
        Task::Due | Task::Compact if own.plan.is_none() => "—".to_owned(),
        Task::Due => format!("{} due", own.touched.len()),
        Task::Soon(days) => format!("{} in {days} d", own.touched.len()),
        Task::Compact => format!("removes {}", own.touched.len()),
    };
    let room = width.saturating_sub(4 + 12);
    let what = column(&one_line(app, &own.what, room), room);
    let style = if own.plan.is_some() { ratatui::style::Style::new() } else { theme.dim() };
    Line::from(vec![
        Span::raw(mark),
        Span::styled(what + " ", style),
        Span::styled(format!("{when:>11}"), theme.strong()),
    ])
}

fn batch(app: &App, own: &Batch, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let tail = format!("{:>6}  {:6} {:>8}", own.entries.len(), own.kept, size(own.bytes));
    let room = width.saturating_sub(tail.chars().count() + 5);
    let path = own.path.strip_prefix("archive").unwrap_or(&own.path);
    let name = || path.file_name().unwrap_or_default().told().into_owned();
    let whole = path.told().into_owned();
    let path = if theme::width(&whole) > room { name() } else { whole };
    Line::from(vec![
        Span::styled("arc ", theme.dim()),
        Span::raw(column(&one_line(app, &path, room), room) + " "),
        Span::styled(tail, theme.dim()),
    ])
}

/// The rule of a chore, and exactly which memories it concerns.
fn memories(app: &App, frame: &mut Frame<'_>, own: Option<&Chore>, at: Cursor, inside: bool, area: Rect) {
    let title = own.map_or_else(String::new, |own| {
        let count = own.touched.len();
        format!("{count} {}", if count == 1 { "memory" } else { "memories" })
    });
    let inner = part(app, frame, &title, "", inside, area);
    let Some(own) = own else { return };
    let why = match (&own.refused, own.rule.is_empty()) {
        (Some(why), true) => format!("Not now: {why}"),
        (Some(why), false) => format!("Not now: {why}. The rule: {}.", own.rule),
        (None, _) => format!("The rule: {}.", own.rule),
    };
    let store = app.back.read_of.as_ref().and_then(|snapshot| snapshot.stores.get(own.store));
    let store = store.map(|store| format!(" {}", store.root.told())).unwrap_or_default();
    let rule = theme::wrap(&theme::safe(app, &(why + &store)), usize::from(inner.width.saturating_sub(1)));
    let high = (rule.len() as u16).min(inner.height / 2);
    let [head, list] = Layout::vertical([Constraint::Length(high), Constraint::Min(0)]).areas(inner);
    let theme = Theme::of(app);
    let rule: Vec<Line<'static>> = rule.into_iter().map(|line| Line::styled(line, theme.dim())).collect();
    frame.render_widget(Paragraph::new(rule), head);
    let width = usize::from(list.width);
    let row = |at: usize| own.touched.get(at).map(|own| touched(app, own, width)).unwrap_or_default();
    draw_lines(frame, &theme, list, at, own.touched.len(), inside, row);
}

fn touched(app: &App, own: &Touched, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let id = column(&one_line(app, own.id.as_deref().unwrap_or("(no id)"), 12), 12);
    let fate = one_line(app, &own.fate.told(), width / 4);
    let tail = format!("{}  {fate}", own.measure);
    let tail = one_line(app, &tail, width.saturating_sub(14));
    let room = width.saturating_sub(13 + theme::width(&tail) + 1);
    Line::from(vec![
        Span::raw(id + " "),
        Span::styled(column(&one_line(app, &own.title, room), room) + " ", theme.dim()),
        Span::raw(tail),
    ])
}

fn archived_memories(app: &App, frame: &mut Frame<'_>, own: &Batch, area: Rect) {
    let archive = &app.back;
    let title = format!("{} archived", counted(own.entries.len() as u64, "record"));
    let foot = match archive.memories.len() {
        0 => String::new(),
        count => format!("{count} chosen · r brings them back"),
    };
    let inner = part(app, frame, &title, &foot, archive.inside, area);
    let Some(store) = app.back.read_of.as_ref().and_then(|snapshot| snapshot.stores.get(own.store)) else {
        return;
    };
    let (theme, width) = (Theme::of(app), usize::from(inner.width.saturating_sub(1)));
    let row = |at: usize| {
        let entry = own.entries.get(at).and_then(|entry| store.entries.get(*entry as usize));
        let Some(entry) = entry else { return Line::default() };
        let view = store.view(entry);
        let chosen = archive.memories.contains(&(own.store, store.key(entry)));
        let id = view.and_then(|view| view.id).unwrap_or("(no id)");
        let age = view.and_then(|view| view.created).map(|at| at.age_at(app.now)).unwrap_or_default();
        let room = width.saturating_sub(4 + 13 + 6);
        Line::from(vec![
            Span::raw(if chosen { "[x] " } else { "[ ] " }),
            Span::raw(column(&one_line(app, id, 12), 12) + " "),
            Span::styled(column(&one_line(app, &format::title(store, entry), room), room), theme.dim()),
            Span::raw(format!("{age:>5}")),
        ])
    };
    draw_lines(frame, &theme, inner, archive.within, own.entries.len(), archive.inside, row);
}
