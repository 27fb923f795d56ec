//! The list of memories.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::model::{Code, PathText, Problem};
use crate::query::{Order, Ranking};
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::action::Action;
use crate::tui::pane_titles::pane;
use crate::tui::panes::memory_row::{self, MemoryColumns};
use crate::tui::state::app::{App, Pane, open_range};
use crate::tui::state::marks::ListScope;
use crate::tui::theme::{self, put};

const NAME: &str = "4 Memories";

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let (title, place) = (title(app), place(app));
    // If both don't fit, the number of marked memories is more important than the order.
    let has_room = display_width(&title) + display_width(&place) + 4 <= usize::from(area.width);
    let title = match app.marks.shown() {
        _ if has_room || place.is_empty() => title.as_str(),
        ListScope::Picked(pick) => pick.title,
        _ => NAME,
    };
    let inner = pane(app, frame, Pane::Memories, title, &place, area);
    if app.results.hits.is_empty() {
        let lines = empty(app, usize::from(inner.width).saturating_sub(2));
        return put(frame, lines, crate::tui::pane_titles::margins(inner));
    }
    let columns = MemoryColumns::of(app, usize::from(inner.width));
    let range = open_range(app);
    let shown = usize::from(inner.height);
    let hits = app.results.hits.iter().enumerate().skip(app.list_cursor.top).take(shown);
    let alike = memory_row::fade_alike(app, shown);
    let lines = hits.flat_map(|(at, hit)| {
        let in_range = range.as_ref().is_some_and(|range| range.contains(&at));
        let row = memory_row::line(app, at, &columns, in_range, alike);
        let found = app.match_lines.get(&hit.at).and_then(Option::as_deref);
        std::iter::once(row).chain(found.map(|found| memory_row::found_line(app, found, &columns)))
    });
    put(frame, lines.take(shown), inner);
}

fn title(app: &App) -> String {
    match app.marks.shown() {
        ListScope::Picked(pick) => format!("{NAME}  {}", pick.title),
        _ => {
            let count = app.results.timeless;
            let timeless = if count > 0 { format!(", not {count} without a time") } else { String::new() };
            format!("{NAME}  {}{}{timeless}", of_what(app), order_name(app))
        }
    }
}

/// Says what the list shows, if that is not the search.
fn of_what(app: &App) -> String {
    match (&app.error, app.marks.only_marked) {
        (_, true) => "the marked ones, ".into(),
        (None, false) => String::new(),
        (Some(_), false) => match app.answered_query.as_ref().map_or("", |(query, ..)| query.trim()) {
            "" => "still of all, ".into(),
            before => format!("still of `{}`, ", sanitize(before)),
        },
    }
}

pub fn order_name(app: &App) -> String {
    let order = match app.order() {
        Order::Time => "newest first",
        Order::Oldest => "oldest first",
        Order::Rank => "best first",
        Order::Importance => "most important first",
        Order::Size => "largest first",
    };
    let project = match app.puts_project_first() {
        true => format!("{} first, ", sanitize(&app.start_project.name)),
        false => String::new(),
    };
    match app.ranking {
        Ranking::Product => format!("{project}{order}"),
        Ranking::Weighted => format!("{project}{order}, weighted"),
    }
}

/// Returns the place in the list. It is shown once everything is read, because changes are possible then.
fn place(app: &App) -> String {
    match (app.results.hits.len(), app.is_whole() && app.listed_snapshot.is_whole()) {
        (0, _) => String::new(),
        (_, false) => "…".into(),
        (len, true) => format!("{}{} of {len}", told_marks(app), app.list_cursor.at + 1),
    }
}

/// Returns the number of marked memories, including those that the filter hides, and an open range.
fn told_marks(app: &App) -> String {
    let range = open_range(app).map_or(String::new(), |range| format!("range of {} · ", range.count()));
    match (app.marks.count(), app.marks.hidden()) {
        (0, _) => range,
        (count, 0) => format!("{count} marked · {range}"),
        (count, hidden) => format!("{count} marked, {hidden} hidden · {range}"),
    }
}

fn gone(app: &App) -> Option<String> {
    app.snapshot.stores.iter().find_map(|store| {
        let of_root =
            |problem: &&Problem| problem.code == Code::UnreadableFile && problem.file.as_os_str().is_empty();
        let problem = store.problems.iter().find(of_root)?;
        Some(format!("{}: {} R tries again.", store.root.to_text(), problem.message))
    })
}

fn empty(app: &App, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut say =
        |text: &str| lines.extend(theme::wrap(&theme::safe(app, text), width).into_iter().map(Line::from));
    if app.marks.only_marked {
        say("Nothing is marked any more. Esc goes back to what was shown.");
    } else if let Some(pick) = app.marks.pick {
        say(pick.none);
        let [mark, compare, back] = [Action::Toggle, Action::Difference, Action::Back].map(Action::call);
        say(&format!("In the list {mark} marks two memories, and {compare} compares them."));
        if !app.query.is_empty() {
            say(&format!(
                "Only what `{}` finds was compared. {back} once more clears the search.",
                app.query
            ));
        }
    } else if app.query.is_empty() && !app.is_whole() {
        say("reading …");
    } else if let Some(gone) = gone(app) {
        say(&gone);
    } else if app.effective_query().is_empty() {
        say("There is no memory here yet. What agents write shows up by itself; `palimp add` writes one.");
    } else if app.query.is_empty() {
        say(&format!("There is no memory here. {} goes back to all.", Action::Back.call()));
    } else {
        let notes: String = app.results.notes().iter().map(|note| format!("; {note}")).collect();
        say(&format!("Nothing matches this search{notes}."));
        if let Some((span, count)) = app.results.blocker.as_ref().filter(|_| app.error.is_none()) {
            let query = app.effective_query();
            let part = query.get(span.clone()).unwrap_or_default();
            let key = Action::DropFilter.key();
            say(&format!("Without `{part}` there would be {count}. {key} drops it, Esc clears all."));
        } else {
            say("Esc clears the search.");
        }
    }
    if app.error.is_some() {
        lines.iter_mut().for_each(|line| line.style = app.palette.dim());
    }
    lines
}
