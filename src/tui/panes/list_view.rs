//! A list view: its rows, and the details of the row under the cursor beside or below them.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::text::safe_text::display_width;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::layout;
use crate::tui::list_view::{self, ListViewKind, RowDetails, about, backups, parts_below, row, told};
use crate::tui::pane_titles::{margins, part};
use crate::tui::panes::pointer;
use crate::tui::possible_changes::checked_row;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_view::EscStep;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::state::row_list::{ListRow, RowList};
use crate::tui::theme::{self, put};

pub fn draw(app: &App, frame: &mut Frame<'_>, kind: &ListViewKind) {
    let (list, below) = layout::list_view(app);
    let own = &app.list_view;
    if list.height > 0 {
        let right = told(&own.list);
        let text = title(app, kind, usize::from(list.width).saturating_sub(display_width(&right) + 4));
        let inner = part(app, frame, [&text, &right], !own.in_details, false, list);
        match own.list.is_empty() {
            true => say(app, frame, &nothing(app, kind), inner),
            false => draw_rows(app, frame, &own.list, !own.in_details, inner),
        }
    }
    if below.height > 1 {
        draw_about(app, frame, kind, below);
    }
}

fn draw_about(app: &App, frame: &mut Frame<'_>, kind: &ListViewKind, area: Rect) {
    let own = &app.list_view;
    let RowDetails { title, right, lines } = about(app, kind, area.width);
    let has_rows = list_view::has_rows(app);
    let rule = area.x == 0 && area.y > layout::frame(app).body.y;
    let inner = part(app, frame, [&title, &right], own.in_details, rule, area);
    let most = if has_rows { inner.height / 2 } else { inner.height };
    let top = if has_rows { 0 } else { own.top.min(lines.len().saturating_sub(1)) };
    put(frame, lines.into_iter().skip(top).take(usize::from(most)), margins(inner));
    if has_rows {
        let (rows, under) = parts_below(app, kind, area);
        draw_rows(app, frame, &own.details, own.in_details, rows);
        draw_under(app, frame, under);
    }
}

fn draw_under(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.height < 2 {
        return;
    }
    let inner = part(app, frame, [backups::DIFFERENCE, ""], false, true, area);
    put(frame, backups::difference(app, usize::from(inner.width.saturating_sub(2))), margins(inner));
}

/// Draws the visible rows, each with a sign for the cursor or a mark.
fn draw_rows(app: &App, frame: &mut Frame<'_>, rows: &RowList, has_keys: bool, area: Rect) {
    let has_keys = has_keys && !layout::has_dialog(app);
    let range = rows.open_range();
    let width = usize::from(area.width).saturating_sub(2);
    let shown = rows.all.iter().enumerate().skip(rows.cursor.top).take(usize::from(area.height));
    let line = |(place, own): (usize, &ListRow)| {
        let number = rows.number_at(place);
        let is_marked = number.is_some() && !rows.marks.is_empty() && rows.marks.contains(&own.key(app));
        let in_range = number.is_some_and(|at| range.as_ref().is_some_and(|range| range.contains(&at)));
        let has_cursor = number == Some(rows.cursor.at);
        let mut line = row::line(app, own.cells(app), width);
        if has_cursor && has_keys {
            line = app.palette.under_cursor(line);
        }
        let sign = pointer(is_marked, in_range, has_cursor, has_keys);
        line.spans.insert(0, Span::styled(sign, app.palette.accent()));
        line
    };
    put(frame, shown.map(line), area);
}

/// Returns its name, its order if it is not the usual one, and its filter.
fn title(app: &App, kind: &ListViewKind, room: usize) -> String {
    let list = &app.list_view.list;
    let name = list_view::title(app, room);
    let order = if list.is_other_order { format!("  {}", kind.orders[1]) } else { String::new() };
    let types = app.prompt.as_ref().is_some_and(|prompt| prompt.purpose == PromptPurpose::RowFilter);
    let filter = match (types, list.filter.is_empty()) {
        (true, _) => format!("  /{}▏", app.prompt.as_ref().map_or(String::new(), |own| own.text())),
        (false, true) => String::new(),
        (false, false) => format!("  /{}", list.filter),
    };
    let only = if list.only_marked { "  the marked ones" } else { "" };
    format!("{name}{order}{only}{filter}")
}

fn nothing(app: &App, kind: &ListViewKind) -> String {
    let list = &app.list_view.list;
    match ((kind.is_read)(app), list.filter.is_empty()) {
        (false, _) => "reading …".to_owned(),
        (true, true) => list_view::empty_text(app, kind),
        (true, false) if list.only_marked => {
            format!("No marked row has this text. {} shows all rows again.", Action::Back.call())
        }
        (true, false) => format!("No row has this text. {} drops the filter.", Action::DropFilter.call()),
    }
}

fn say(app: &App, frame: &mut Frame<'_>, text: &str, inner: Rect) {
    let inner = margins(inner);
    let lines = theme::styled_lines(&theme::safe(app, text), usize::from(inner.width), app.palette.dim());
    put(frame, lines, inner);
}

pub fn hints(app: &App, kind: &ListViewKind) -> Vec<Hint> {
    let (own, esc) = (&app.list_view, hint("Esc", app.list_view.esc().hint()));
    if own.focused().range.is_some() {
        let range = [hint("jk", "move"), act(Action::MarkRange, "mark the range"), esc];
        let deeds = (kind.hints)(app).into_iter().filter(|(key, _)| key != "Enter");
        return range.into_iter().chain(deeds).collect();
    }
    let mut hints = (kind.hints)(app);
    let can_mark = own.focused().selected().is_some_and(|row| list_view::may_mark(app, row).is_ok());
    // The hint to mark comes after Enter and a repair, or after the action for marked rows.
    let is_first = |hint: &&Hint| hint.0 == "Enter" || hint.0 == "Tab" || hint.0 == Action::Fix.key();
    let at = hints.iter().take_while(is_first).count().max(usize::from(!own.focused().marks.is_empty()));
    let at = at.min(hints.len());
    if app.screen.lists_memories() && list_view::focused_memory(app).is_some() && !app.is_readonly() {
        hints.extend(checked_row(app).is_ok().then(|| act(Action::Edit, "edit")));
        let has_remove = hints.iter().any(|(key, _)| key == Action::Delete.key());
        hints.extend((!has_remove).then(|| act(Action::Delete, "remove…")));
    }
    hints.splice(at..at, (can_mark && !own.backups.difference).then(|| hint("Space", "mark")));
    hints.extend(
        (!own.in_details && app.screen != Screen::Memories && !own.list.is_empty())
            .then(|| hint("/", "filter")),
    );
    let is_said = hints.iter().any(|(key, _)| key == "Tab");
    let has_details = !own.in_details && !own.list.is_empty() && !is_said;
    hints.extend(has_details.then(|| act(Action::NextPane, "its details")));
    // Esc comes first if it removes something, and last if it only goes back.
    let leads = matches!(own.esc(), EscStep::View | EscStep::Details | EscStep::Difference);
    let at = if leads { hints.len() } else { 0 };
    hints.insert(at, esc);
    hints
}
