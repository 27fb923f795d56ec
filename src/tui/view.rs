//! Draws the whole frame. Changes no state.

use crossterm::event::KeyEvent;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};
use ratatui::{Frame, Terminal};

use crate::model::{PathText, Severity};
use crate::text::safe_text::display_width;
use crate::tui::action::Hint;
use crate::tui::layout::{self, SMALLEST};
use crate::tui::list_view::{self, new};
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::theme::{self, put, sign};
use crate::tui::{ascii, key_lookup, panes};

pub fn drawn(app: &App) -> Buffer {
    let Ok(mut terminal) = Terminal::new(TestBackend::new(app.size.0, app.size.1));
    let Ok(_) = terminal.draw(|frame| view(app, frame));
    terminal.backend().buffer().clone()
}

pub fn view(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if (area.width, area.height) != app.size {
        // The terminal has just changed its size. A message about that comes soon.
        return;
    }
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let line = format!("palimp needs {}x{}", SMALLEST.0, SMALLEST.1);
        put(frame, [theme::fit(&line, usize::from(area.width))], area);
        return;
    }
    let parts = layout::frame(app);
    frame.render_widget(title(app, parts.title.width), parts.title);
    if parts.query.height > 0 {
        panes::search::draw(app, frame, parts.query);
    }
    if let Some(kind) = list_view::current_kind(app) {
        panes::list_view::draw(app, frame, kind);
    }
    match app.screen {
        Screen::CleanUp => panes::clean_up::draw(app, frame),
        Screen::Statistics => panes::statistics::draw(app, frame),
        Screen::Difference => panes::difference::draw(app, frame),
        Screen::Editor => panes::editor::draw(app, frame),
        Screen::Memories if app.is_first_run() => panes::welcome::draw(app, frame, parts.body),
        Screen::Memories => {
            for &(pane, area) in &parts.panes {
                match pane {
                    Pane::Sessions => panes::sessions::draw(app, frame, area),
                    Pane::Filters => panes::filters::draw(app, frame, area),
                    Pane::Health => panes::health::draw(app, frame, area),
                    Pane::Memories => panes::memories::draw(app, frame, area),
                    Pane::Detail => panes::detail::draw(app, frame, area),
                    Pane::Why => panes::why::draw(app, frame, area),
                }
            }
        }
        _ => {}
    }
    panes::tutor::draw(app, frame, parts.tutor);
    let strong = app.palette.strong();
    let notice = layout::notice(app).into_iter().map(|line| Line::styled(format!(" {line}"), strong));
    let hints = layout::shows_keys(app).then(|| hints(app, usize::from(parts.hints.width)));
    put(frame, notice.chain(hints), parts.hints);
    match app.prompt.as_ref().map(|prompt| prompt.purpose) {
        Some(PromptPurpose::Theme) => panes::command_help::draw_themes(app, frame),
        Some(PromptPurpose::Command | PromptPurpose::Help) => panes::command_help::draw(app, frame),
        Some(purpose) if purpose.is_change() => panes::field_prompt::draw(app, frame),
        Some(_) | None => {}
    }
    panes::next_keys::draw(app, frame);
    panes::delete_menu::draw(app, frame, parts.body);
    panes::confirm::draw(app, frame);
    panes::confirm::draw_receipt(app, frame);
    if app.ascii {
        ascii::replace(frame.buffer_mut());
    }
}

fn title(app: &App, width: u16) -> Line<'static> {
    let where_to = match app.screen {
        Screen::Upkeep if width >= 60 => "upkeep: due, fading, archived".to_owned(),
        Screen::Loaded => "loaded at the start of an agent".to_owned(),
        Screen::CleanUp => panes::clean_up::title(app, width),
        Screen::Editor => panes::editor::title(app),
        Screen::Memories => places(app),
        screen => screen.title().to_lowercase(),
    };
    let figures = figures(app, width);
    let long: usize = figures.iter().map(|span| theme::width(&span.content)).sum();
    let left = match width {
        ..30 => String::new(),
        _ => format!(" palimp  {}", theme::safe(app, &where_to)),
    };
    let room = usize::from(width).saturating_sub(long);
    let mut line = Line::from(Span::styled(
        theme::column(&theme::fit(&left, room.saturating_sub(2)), room),
        app.palette.strong(),
    ));
    line.extend(figures);
    line
}

/// Returns the path of the only store, or the number of stores and the folder of the demo. The name of the project that
/// palimp was started in comes first.
fn places(app: &App) -> String {
    let scope = if app.is_at_home() && app.demo.is_none() { " of home and of known projects" } else { "" };
    match app.places.as_slice() {
        [] => "first run".to_owned(),
        [one] => one.root.to_text().into_owned() + scope,
        several if !app.start_project.name.is_empty() => {
            format!("{} · {} stores", app.start_project.name, several.len())
        }
        several => format!("{} stores{scope}{}", several.len(), app.demo_folder()),
    }
}

/// Returns the counts: marked memories, new ones, all memories, and problems.
fn figures(app: &App, width: u16) -> Vec<Span<'static>> {
    let mode = if app.is_readonly() { "  read-only" } else { "" };
    if app.is_first_run() {
        return vec![Span::styled(format!("{mode} "), app.palette.dim())];
    }
    if app.screen == Screen::Editor {
        return vec![Span::raw(panes::editor::state(app) + " ")];
    }
    if !app.is_whole() {
        return vec![Span::styled(format!("reading …{mode} "), app.palette.dim())];
    }
    let [listed, sensitive] = [app.sum(|tally| tally.listed), app.sum(|tally| tally.sensitive)];
    let [errors, warnings, _] = app.problem_counts();
    let unread: usize = app.snapshot.stores.iter().map(|store| store.unread.len()).sum();
    let marked = match (app.marks.count(), app.marks.hidden()) {
        (0, _) => String::new(),
        (count, 0) if width < 100 => format!("  ●{count}"),
        (count, 0) => format!("  ●{count} marked"),
        (count, hidden) => format!("  ●{count} marked, {hidden} hidden"),
    };
    let fresh = match (new::count(app), width) {
        (0, _) => String::new(),
        (new::MOST.., _) => "  +many".to_owned(),
        (count, ..60) => format!("  +{count}"),
        (count, _) => format!("  +{count} new"),
    };
    let memories = match (width, listed) {
        (30..60, _) => format!("  {listed}"),
        (_, 1) => "  1 memory".to_owned(),
        _ => format!("  {listed} memories"),
    };
    let sign_and = |severity, count: usize| match count {
        0 => String::new(),
        _ => format!(" {}{count}", sign(severity)),
    };
    let secrets = if sensitive == 0 { String::new() } else { format!(" !{sensitive}") };
    let unread = if unread == 0 { String::new() } else { format!("  {unread} can't be read!") };
    vec![
        Span::styled(unread, app.palette.severity(Severity::Error)),
        Span::styled(marked, app.palette.accent()),
        Span::styled(fresh, app.palette.fresh()),
        Span::raw(memories + " "),
        Span::styled(sign_and(Severity::Error, errors), app.palette.severity(Severity::Error)),
        Span::styled(sign_and(Severity::Warning, warnings), app.palette.severity(Severity::Warning)),
        Span::styled(secrets, app.palette.secret()),
        Span::styled(format!("{mode} "), app.palette.dim()),
    ]
}

/// The key that leads back. Its hint and the first hint that does more than move are dropped last.
const WAY_BACK: &str = "Esc";
const MOVES: [&str; 4] = ["jk", "hl", "nN", "↑↓"];

/// Returns as many hints as fit. Those at the right end lead to all others.
fn hints(app: &App, width: usize) -> Line<'static> {
    let mut line = Line::default();
    for (at, (keys, what)) in placed_hints(app, width) {
        line.push_span(Span::raw(" ".repeat(at.saturating_sub(line.width()))));
        line.extend([Span::styled(keys, app.palette.key()), Span::raw(format!(" {what}"))]);
    }
    line
}

fn placed_hints(app: &App, width: usize) -> Vec<(usize, Hint)> {
    let (hints, ends) = panes::hints::of(app);
    let long = |(keys, what): &Hint| theme::width(keys) + theme::width(what) + 3;
    // Nothing follows the last hint if there are no hints at the right end.
    let mut room = width.saturating_sub(1) + if ends.is_empty() { 2 } else { 0 };
    let mut has_room = |hint: &Hint| {
        let left = room.checked_sub(long(hint));
        room = left.unwrap_or(room);
        left.is_some()
    };
    let is_main = |hint: &Hint| !MOVES.contains(&&*hint.0) && hint.0 != WAY_BACK;
    let main = hints.iter().position(is_main);
    let back = hints.iter().position(|hint| hint.0 == WAY_BACK);
    let mut shown: Vec<usize> = [back, main].into_iter().flatten().collect();
    shown.retain(|at| has_room(&hints[*at]));
    let mut at_end: Vec<Hint> = ends.into_iter().rev().filter(&mut has_room).collect();
    at_end.reverse();
    let others = (0..hints.len()).filter(|at| Some(*at) != main && Some(*at) != back);
    shown.extend(others.take_while(|at| has_room(&hints[*at])));
    shown.sort_unstable();
    let (mut at, mut placed) = (1, Vec::new());
    for hint in shown.into_iter().filter_map(|at| hints.get(at)) {
        placed.push((at, hint.clone()));
        at += long(hint);
    }
    let mut right = width.saturating_sub(at_end.iter().map(long).sum());
    for hint in at_end {
        let next = right + long(&hint);
        placed.push((right, hint));
        right = next;
    }
    placed
}

pub fn hint_at(app: &App, column: u16) -> Option<KeyEvent> {
    if !layout::shows_keys(app) {
        return None;
    }
    let width = usize::from(app.size.0);
    let mut placed = placed_hints(app, width).into_iter();
    let on = |(at, (keys, what)): &(usize, Hint)| {
        (*at..at + theme::width(keys) + theme::width(what) + 1).contains(&usize::from(column))
    };
    let (_, (keys, _)) = placed.rfind(on)?;
    key_lookup::parse_key(&keys)
}

/// Returns a frame as plain text. Spaces at the ends of lines are removed.
pub fn plain(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width.max(1));
    let mut text = String::new();
    for row in buffer.content().chunks(width) {
        let mut line = String::new();
        let mut covered = 0;
        for cell in row {
            // A wide character covers the cell behind it.
            if covered == 0 {
                line.push_str(cell.symbol());
                covered = display_width(cell.symbol()).max(1);
            }
            covered -= 1;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
