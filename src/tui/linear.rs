//! Lines instead of screens, for a screen reader. Each key appends the lines that it changed; nothing is
//! drawn over. The keys and the sheets are those of the screens.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::format;
use crate::model::State;
use crate::model::plan::count_with_noun;
use crate::query::Hit;
use crate::text::safe_text::sanitize;
use crate::tui::action::Action;
use crate::tui::difference::SIDES;
use crate::tui::key_lookup::name;
use crate::tui::layout;
use crate::tui::list_view::new;
use crate::tui::panes::memories::order_name;
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::marks::ListScope;
use crate::tui::theme::{self, safe, sentence};
use crate::tui::update::detail::title_of;
use crate::tui::view::{drawn, plain};

/// The size of the screen that the lines come from: no panes beside each other, and room for whole sheets.
pub const SIZE: (u16, u16) = (96, 72);
/// The start of the line under the cursor.
const AT: &str = "At: ";
/// The start of a marked line.
const MARKED: &str = "Marked:";
const LINE: usize = 80;

#[derive(Default)]
pub struct LinearOutput {
    overview: String,
    place: String,
    row: String,
    same_row: String,
    notice: String,
    /// The other lines of the last screen.
    lines: Vec<String>,
    /// The line that the user types.
    typed: Option<String>,
}

pub fn new_output(app: &App, output: &mut LinearOutput) -> String {
    if !(app.is_first_run() || app.is_whole() && app.listed_snapshot.is_whole()) {
        return String::new();
    }
    if let Some(prompt) = app.prompt.as_ref().filter(|prompt| !prompt.purpose.is_list()) {
        return typed(output, safe(app, &prompt.text()));
    }
    let ended = if output.typed.take().is_some() { "\r\n" } else { "" };
    let lines = news(app, output);
    ended.to_owned()
        + &lines.iter().flat_map(|line| wrapped(line)).map(|line| line + "\r\n").collect::<String>()
}

/// Returns the pressed key as text; empty if the key is typed text.
pub fn echo(app: &App, key: KeyEvent) -> String {
    let is_typed = app.prompt.as_ref().is_some_and(|prompt| !prompt.purpose.is_list());
    // What is typed into a clean-up may be a secret.
    if is_typed || matches!(app.screen, Screen::Editor | Screen::CleanUp) {
        String::new()
    } else {
        format!("> {}\r\n", sanitize(&name(key)))
    }
}

/// Returns the typed text: only the new characters if they are at the end.
fn typed(output: &mut LinearOutput, text: String) -> String {
    let before = output.typed.replace(text.clone());
    match before.as_deref().map(|before| text.strip_prefix(before)) {
        Some(Some(more)) => more.to_owned(),
        Some(None) => format!("\r\n> {text}"),
        None => format!("> {text}"),
    }
}

/// Returns what is new in the view, in the row under the cursor, and in the notice.
fn news(app: &App, output: &mut LinearOutput) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |own: String, before: &mut String| {
        if own != *before && !own.is_empty() {
            said.push(own.clone());
        }
        *before = own;
    };
    let is_first = output.overview.is_empty();
    say(overview(app), &mut output.overview);
    if is_first {
        let keys = [
            (Action::Down, "next"),
            (Action::Up, "before"),
            (Action::Open, "read"),
            (Action::Search, "search"),
            (Action::Why, "why this rank"),
            (Action::Edit, "edit"),
            (Action::Delete, "remove"),
            (Action::Undo, "undo"),
            (Action::Help, "every key"),
            (Action::Quit, "quit"),
        ];
        let keys = keys.map(|(action, what)| format!("{} {what}", action.key()));
        say(format!("Ten keys: {}.", keys.join(", ")), &mut String::new());
    }
    say(place(app), &mut output.place);
    let is_asked = layout::has_dialog(app) || app.shows_next_keys && !app.key_sequence.is_empty();
    let is_list = app.screen == Screen::Memories && !is_asked;
    let is_row = is_list && app.focus == Pane::Memories;
    let (row, ages) = if is_row { parts_of_row(app) } else { Default::default() };
    let of_row = safe(app, &format!("{row}{ages}"));
    // The same memory at the same place is not new, even if its age changed.
    match is_row && row == output.same_row {
        true => output.row = of_row,
        false => say(of_row, &mut output.row),
    }
    output.same_row = row;
    say(
        app.notice.as_ref().map(|notice| safe(app, &sentence(notice, &app.store_names))).unwrap_or_default(),
        &mut output.notice,
    );
    let lines = if is_row { Vec::new() } else { of_focus(app, &drawn(app), is_list) };
    let is_new = |line: &&String| match line.strip_prefix(AT) {
        // A row that only lost the cursor is not new, but a row that got it is.
        Some(_) => !output.lines.contains(line),
        None => !output.lines.iter().any(|own| own.strip_prefix(AT).unwrap_or(own) == line.as_str()),
    };
    said.extend(lines.iter().filter(is_new).cloned());
    output.lines = lines;
    said
}

fn overview(app: &App) -> String {
    let [errors, ..] = app.problem_counts();
    let errors =
        if errors == 0 { String::new() } else { format!(", {}", count_with_noun(errors as u64, "error")) };
    let stores = count_with_noun(app.snapshot.stores.len() as u64, "store");
    let memories = count_with_noun(app.sum(|tally| tally.listed) as u64, "memory");
    format!("palimp. {stores}, {memories}{errors}.")
}

/// Returns the view or pane that has the keys, and the search.
fn place(app: &App) -> String {
    let search = match app.query.as_str() {
        "" => String::new(),
        query => {
            let similar = app.results.similar_note().map(|note| format!(" {note}.")).unwrap_or_default();
            format!(" Search: {}. {} found.{}", safe(app, query), app.results.hits.len(), safe(app, &similar))
        }
    };
    match (app.screen, app.focus) {
        (Screen::Memories, Pane::Memories) => match app.marks.shown() {
            ListScope::Picked(pick) => format!("Memories {}.{search}", pick.title),
            _ => format!("Memories, {}.{search}", order_name(app)),
        },
        (Screen::Memories, pane) => format!("{}.", pane.title()),
        (screen, _) => format!("{}.", screen.title()),
    }
}

/// Describes the memory under the cursor in a sentence; the second part, which changes by itself, has its store, age and
/// decay.
fn parts_of_row(app: &App) -> (String, String) {
    let Some(hit) = app.hit() else { return ("Nothing is listed.".into(), String::new()) };
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let own = store.memory(entry);
    let kind = own.map_or("broken line", |memory| memory.kind());
    let title = title_of(app, hit.at).into_raw();
    let age = store.time_of(entry).map_or("no time".into(), |time| time.ago_at(app.now));
    let at = format!("{} of {}.", app.list_cursor.at + 1, app.results.hits.len());
    let decay = if hit.rank.is_some() { format!(" Decay {:.2}.", hit.decay) } else { String::new() };
    let signs = signs(app, hit);
    let place = app.store_name(hit.at.store as usize);
    let place =
        [place, &age].map(str::to_owned).into_iter().filter(|own| !own.is_empty()).collect::<Vec<_>>();
    let end = if title.ends_with(['.', '?', '!']) { "" } else { "." };
    let found = app.match_lines.get(&hit.at).and_then(Option::as_deref);
    let found = found.map(|found| format!(" Match: {found}.")).unwrap_or_default();
    (format!("{at}{signs} {kind}: {title}{end}{found}"), format!(" {}.{decay}", place.join(", ")))
}

fn signs(app: &App, hit: &Hit) -> String {
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let problems = store.problems_of(entry).count();
    let said = [
        (app.marks.has(hit.at), "Marked."),
        (new::is_new(app, hit.at), "New."),
        (entry.state == State::Broken, "Broken."),
        (entry.state == State::Deleted, "Deleted."),
        (entry.state == State::Archived, "Archived."),
        (format::is_sensitive(store, entry), "Holds a secret."),
        (store.is_unseen(entry), "The model never sees it."),
        (problems > 0, "Has problems."),
    ];
    said.iter().filter(|(is, _)| *is).map(|(_, word)| format!(" {word}")).collect()
}

/// Returns the lines of the sheet that asks, of the pane that has the keys, or of the whole view. Bars and
/// signs become words.
fn of_focus(app: &App, buffer: &Buffer, is_list: bool) -> Vec<String> {
    let parts = layout::frame(app);
    let foot = buffer.area.height.saturating_sub(parts.hints.height);
    let below = |top: u16| Rect { y: top, height: foot.saturating_sub(top), ..buffer.area };
    // A sheet has a reversed title row, and reaches to the foot.
    let is_sheet = |y: &u16| {
        buffer
            .cell((0, *y))
            .is_some_and(|cell| cell.symbol() == "▌" && cell.modifier.contains(Modifier::REVERSED))
    };
    let area = match parts.pane(app.focus).filter(|_| is_list) {
        Some(own) => own,
        None => below((1..foot).rev().find(is_sheet).unwrap_or(1)),
    };
    let text = plain(buffer);
    let rows = text.lines().skip(usize::from(area.y)).take(usize::from(area.height));
    let in_words = |row: &str| {
        let cells: Vec<String> = row.split('│').map(in_words).collect();
        let is_pair = app.screen == Screen::Difference && cells.len() == SIDES.len();
        if is_pair { cells.iter().zip(SIDES).map(of_side).collect() } else { cells }
    };
    rows.flat_map(in_words).filter(|cell| !cell.is_empty() && cell != MARKED).collect()
}

/// Adds the side to a line of one of two memories, unless the line already begins with it.
fn of_side((cell, side): (&String, &str)) -> String {
    let (at, said) = cell.strip_prefix(AT).map_or(("", cell.as_str()), |said| (AT, said));
    match said.is_empty() || said.starts_with(&format!("{side} ")) {
        true => cell.clone(),
        false => format!("{at}{side}: {said}"),
    }
}

/// Returns a part of a line without bars and curves. Its signs become words.
fn in_words(cell: &str) -> String {
    let mut said = String::new();
    for word in cell.split_whitespace() {
        let plain: String = word.chars().filter(|own| !is_drawn(*own)).collect();
        let plain = match plain.as_str() {
            "▶" | "›" => AT.trim_end(),
            "◉" => "At: marked:",
            "●" => MARKED,
            "✖" => "error",
            "⚠" => "warning",
            "↵" => "Enter",
            other => other,
        };
        if !plain.is_empty() {
            said += if said.is_empty() { "" } else { " " };
            said += plain;
        }
    }
    said
}

/// True for bars, rules and curves.
fn is_drawn(c: char) -> bool {
    matches!(c, '─' | '│' | '▌' | '\u{2580}'..='\u{259f}' | '\u{2800}'..='\u{28ff}' | '┈' | '┤' | '┼')
}

fn wrapped(line: &str) -> Vec<String> {
    let lines = theme::wrap(line, LINE - 2);
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .enumerate()
        .map(|(at, line)| if at == 0 { line } else { format!("  {line}") })
        .collect()
}
