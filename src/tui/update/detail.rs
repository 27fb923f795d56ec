//! The contents of the detail pane, tab by tab, and of the list's rows. They are read when they come on screen.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::detectors::cut;
use crate::format::{self, record_details};
use crate::model::{Entry, EntryLink, EntryRef, RecordText, Store, UntrustedText};
use crate::query::{Hit, Query, highlights, words_in};
use crate::text::safe_text::{sanitize, sanitize_lines};
use crate::tui::action::Action;
use crate::tui::found_words::{set_off, wrapped};
use crate::tui::panes::memory_row::MemoryColumns;
use crate::tui::state::app::{App, Pane, Tab};
use crate::tui::theme::{self, sign, wrap};
use crate::tui::update::{distinct_titles, select_memory};
use crate::tui::{layout, markdown};

/// Larger records show only their start, because a frame must not wait for them.
const LARGE: usize = 1 << 20;
/// At most this many bytes of a large record or of a long text are shown.
const SHOWN: usize = 64 << 10;
const FACT: usize = 4_000;

pub fn refresh(app: &mut App) {
    let rows = layout::rows(app, Pane::Memories);
    let visible: Vec<EntryRef> =
        app.results.hits.iter().skip(app.list_cursor.top).take(rows).map(|hit| hit.at).collect();
    let width = layout::frame(app).pane(Pane::Memories).map_or(0, |area| usize::from(area.width));
    let columns = MemoryColumns::of(app, width);
    let (seen, room) = (columns.text, columns.found(width));
    if app.match_widths != (seen, room) {
        app.match_widths = (seen, room);
        app.match_lines.clear();
    }
    distinct_titles::refresh(app, &visible, seen.saturating_sub(1));
    for at in visible {
        if app.parsed.has_words() && !app.match_lines.contains_key(&at) {
            let found = found_line(app, at, seen, room);
            app.match_lines.insert(at, found);
        }
    }
    keep_cursor_in_sight(app, rows);
    refresh_detail(app);
}

/// Scrolls on if the cursor is below the last row. A row with a line of its text below takes two rows.
fn keep_cursor_in_sight(app: &mut App, rows: usize) {
    let taken = |app: &App, from: usize| {
        let shown = app.results.hits.get(from..=app.list_cursor.at).unwrap_or_default();
        let found = |hit: &&Hit| app.match_lines.get(&hit.at).is_some_and(Option::is_some);
        shown.len() + shown.iter().filter(found).count()
    };
    while !app.list_cursor.is_held
        && app.list_cursor.top < app.list_cursor.at
        && taken(app, app.list_cursor.top) > rows
    {
        app.list_cursor.top += 1;
    }
}

/// Returns the line with the most search words that the visible part of the title lacks; `None` if it lacks
/// none. A line of another field than the text begins with that field's name. The result fits the row.
fn found_line(app: &App, at: EntryRef, seen: usize, room: usize) -> Option<String> {
    let title = match app.distinct_titles.rows.get(&at) {
        Some(shown) => shown.clone(),
        None => theme::fit(&theme::safe(app, title_of(app, at).raw()), seen.saturating_sub(1)),
    };
    let lacks: Vec<bool> = words_in(&title, &app.parsed).into_iter().map(|is_in| !is_in).collect();
    if !lacks.contains(&true) {
        return None;
    }
    let (store, entry) = app.listed_snapshot.get(at);
    let besides = || {
        // No main text comes before these, so each has its label.
        let is_large = store.record(entry).span.len() > LARGE as u64;
        let named = if is_large { Vec::new() } else { record_details::searched_strings(store, entry) };
        best_line(app, &std::iter::once(Default::default()).chain(named).collect::<Vec<_>>(), &lacks)
    };
    let text = record_details::searched_fields(store, entry, text_of(store, entry));
    let (name, line) = best_line(app, &text, &lacks).or_else(besides)?;
    Some(around(app, &name, &line, (&lacks, room)))
}

/// Returns the first line with the most of the lacking words, and the name of its field.
fn best_line(app: &App, fields: &[(String, UntrustedText)], lacks: &[bool]) -> Option<(String, String)> {
    let mut best: Option<(usize, String, String)> = None;
    for (at, (name, text)) in fields.iter().enumerate() {
        // The main text needs no label.
        let name = if at == 0 { "" } else { name };
        let text = text.raw();
        let masked = theme::masked(app, &text[..cut(text, SHOWN)]).into_owned();
        for line in sanitize_lines(&masked) {
            let count = count_lacking(&line, &app.parsed, lacks);
            if count > best.as_ref().map_or(0, |(count, ..)| *count) {
                best = Some((count, name.to_owned(), line));
            }
        }
    }
    best.map(|(_, name, line)| (name, line))
}

/// Returns the part of a line with the first lacking word, as wide as the room, after its field's name.
fn around(app: &App, name: &str, line: &str, (lacks, room): (&[bool], usize)) -> String {
    const BEFORE: usize = 24;
    let name = if name.is_empty() { String::new() } else { format!("{}: ", theme::safe(app, name)) };
    let name = theme::fit(&name, room / 3);
    let room = room.saturating_sub(theme::width(&name));
    let all = highlights(line, &app.parsed);
    let is_lacking = |found: &&Range<usize>| {
        line.get((*found).clone()).is_some_and(|word| count_lacking(word, &app.parsed, lacks) > 0)
    };
    let Some(found) = all.iter().find(is_lacking).or(all.first()).cloned() else { return name };
    let long = theme::width(line.get(found.clone()).unwrap_or_default());
    let before = BEFORE.min(room.saturating_sub(long + 3));
    let head = &line[..found.start];
    let mut from = found.start;
    let mut used = 0;
    for (byte, c) in head.char_indices().rev() {
        used += theme::width(c.encode_utf8(&mut [0; 4]));
        if used > before {
            break;
        }
        from = byte;
    }
    if from > 0 {
        from = line[from..found.start].find(' ').map_or(from, |blank| from + blank + 1);
    }
    let lead = if from > 0 { "… " } else { "" };
    theme::fit(&format!("{name}{lead}{}", line[from..].trim_start()), room + theme::width(&name))
}

fn count_lacking(line: &str, query: &Query, lacks: &[bool]) -> usize {
    words_in(line, query).into_iter().zip(lacks).filter(|(is_in, lacks)| *is_in && **lacks).count()
}

fn refresh_detail(app: &mut App) {
    let width = layout::frame(app).pane(Pane::Detail).map_or(0, |area| area.width.saturating_sub(2));
    let wanted = app.selected().map(|at| (at, app.shown_tab(), width, app.revealed));
    if app.detail_key == wanted && wanted.is_some() {
        return;
    }
    app.ties = match wanted {
        Some((at, Tab::References, ..)) => {
            app.listed_snapshot.references().links_of(app.listed_snapshot.get(at).0, at)
        }
        Some((at, Tab::Timeline, ..)) => trace(app, at),
        _ => Vec::new(),
    };
    app.detail = match wanted {
        Some((at, tab, width, _)) => lines(app, at, tab, usize::from(width)),
        None => Vec::new(),
    };
    app.detail_key = wanted;
    let places = select_memory::scroll_positions(app.detail.len(), layout::rows(app, Pane::Detail));
    app.detail_top = app.detail_top.min(places - 1);
}

fn trace(app: &App, at: EntryRef) -> Vec<EntryLink> {
    let events = app.listed_snapshot.references().trace(app.listed_snapshot.get(at).0, at).into_iter();
    events
        .map(|event| EntryLink {
            outward: true,
            relation: "trace".into(),
            name: Box::default(),
            other: Some(event),
        })
        .collect()
}

pub fn lines(app: &App, at: EntryRef, tab: Tab, width: usize) -> Vec<Line<'static>> {
    match tab {
        Tab::Read => read(app, at, width),
        Tab::Raw => raw(app, at, width),
        Tab::References => references(app, at, &app.ties, width),
        Tab::Timeline => timeline(app, at, &app.ties, width),
    }
}

/// Shows the texts of a memory in reading order, its problems and its references. One key unfolds the rest.
fn read(app: &App, at: EntryRef, width: usize) -> Vec<Line<'static>> {
    let (store, entry) = app.listed_snapshot.get(at);
    let text = text_of(store, entry);
    let is_note = format::is_markdown(store, entry);
    let heading = heading(&text).filter(|_| is_note);
    let narrow = width.min(markdown::WIDEST);
    let mut lines = Vec::new();
    if let Some((_, title)) = heading {
        let title = theme::safe(app, &title[..cut(title, FACT)]);
        lines.extend(wrapped(app, &[(title, app.palette.strong())], narrow));
        lines.push(Line::default());
    }
    lines.extend(match is_note {
        true => note(app, text.text.raw(), width),
        false => prose(app, text.text.raw(), narrow, ""),
    });
    lines.push(Line::default());
    let above = heading.and_then(|(field, _)| field);
    let others: Vec<_> = text.other_texts.iter().filter(|(name, _)| Some(name.as_str()) != above).collect();
    for (name, said) in &others {
        lines.extend(prose(app, said.raw(), narrow, &record_details::label(name)));
    }
    if !others.is_empty() {
        lines.push(Line::default());
    }
    for problem in store.problems_of(entry) {
        let style = app.palette.severity(problem.severity);
        let message = format!("{} {}: {}", sign(problem.severity), problem.code.as_str(), problem.message);
        lines.extend(theme::styled_lines(&theme::safe(app, &message), width, style));
    }
    for (name, value) in record_details::context_fields(store, entry, app.now) {
        lines.extend(fact(app, name, &value, width));
    }
    lines.extend(rest(app, at, &text, width));
    lines
}

/// Returns the fields that are folded away, or the line that unfolds them.
fn rest(app: &App, at: EntryRef, text: &RecordText, width: usize) -> Vec<Line<'static>> {
    let store = app.listed_snapshot.get(at).0;
    let rest = record_details::remaining_fields(store, at.entry, text);
    let (sign, key) = (if app.unfolded.all_facts { "▾" } else { "▸" }, Action::Fold.key());
    let folded = format!("{sign} {} fields · file · bytes  ", rest.len());
    let head =
        Line::from(vec![Span::styled(folded, app.palette.dim()), Span::styled(key, app.palette.key())]);
    let shown = rest.iter().filter(|_| app.unfolded.all_facts);
    std::iter::once(head).chain(shown.flat_map(|(name, value)| fact(app, name, value.raw(), width))).collect()
}

/// Returns the title of a note, and the field that it is in; `None` if the text begins with it.
fn heading(text: &RecordText) -> Option<(Option<&str>, &str)> {
    let first = text.text.raw().lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let start = text.title.raw().trim_end_matches('…');
    if format::title_of(first.trim_start_matches('#')).contains(start) {
        return None;
    }
    let field = text.other_texts.iter().find(|(_, said)| format::title_of(said.raw()) == text.title.raw());
    Some(field.map_or((None, text.title.raw()), |(name, said)| (Some(name), said.raw())))
}

fn note(app: &App, text: &str, width: usize) -> Vec<Line<'static>> {
    let (start, left) = text.split_at(cut(text, SHOWN));
    let mut lines = markdown::lines(app, &theme::masked(app, start), width);
    if !left.is_empty() {
        lines.push(Line::styled(format!("… {} bytes more", left.len()), app.palette.dim()));
    }
    lines
}

/// Wraps a text and highlights matches. Its label comes before the text, or above a text of several lines.
fn prose(app: &App, text: &str, width: usize, called: &str) -> Vec<Line<'static>> {
    let (start, left) = text.split_at(cut(text, SHOWN));
    let dim = app.palette.dim();
    let masked = theme::masked(app, start);
    let name = if called.is_empty() { String::new() } else { format!("{}: ", theme::safe(app, called)) };
    let mut lines = Vec::new();
    let stands_above = masked.contains('\n') || masked.starts_with("• ");
    if stands_above && !name.is_empty() {
        lines.push(Line::styled(theme::fit(name.trim_end(), width), dim));
    }
    let before = if stands_above { "" } else { name.as_str() };
    for line in sanitize_lines(&masked) {
        let runs = [(before.to_owned(), dim), (line, Style::new())];
        lines.extend(wrapped(app, &runs, width));
    }
    if !left.is_empty() {
        lines.push(Line::styled(format!("… {} bytes more", left.len()), dim));
    }
    lines
}

fn fact(app: &App, name: &str, value: &str, width: usize) -> Vec<Line<'static>> {
    let names = match (app.unfolded.all_facts, width) {
        (true, 60..) => 18,
        (true, _) => 13,
        (false, _) => 8,
    };
    let name = theme::column(&theme::safe(app, name.rsplit('.').next().unwrap_or(name)), names);
    let style = app.palette.dim();
    let start = &value[..cut(value, FACT)];
    let wrapped = wrap(&theme::safe(app, start), width.saturating_sub(names + 1));
    let named = |(index, line): (usize, String)| {
        let name = if index == 0 { name.clone() } else { " ".repeat(names) };
        let mut spans = vec![Span::styled(format!("{name} "), style)];
        spans.extend(set_off(app, &line, Style::new()));
        Line::from(spans)
    };
    wrapped.into_iter().enumerate().map(named).collect()
}

fn raw(app: &App, at: EntryRef, width: usize) -> Vec<Line<'static>> {
    let (store, entry) = app.listed_snapshot.get(at);
    let bytes = store.raw(entry);
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LARGE)]);
    let shown = &text[..cut(&text, SHOWN)];
    let mut lines: Vec<Line<'static>> = theme::masked(app, shown)
        .split_inclusive('\n')
        .flat_map(|line| wrap(&sanitize(line), width))
        .map(Line::from)
        .collect();
    if shown.len() < bytes.len() {
        let left = format!("… {} bytes in all", bytes.len());
        lines.push(Line::styled(left, app.palette.dim()));
    }
    lines
}

pub fn references(app: &App, at: EntryRef, ties: &[EntryLink], width: usize) -> Vec<Line<'static>> {
    if app.listed_snapshot.get(at).0.memory(app.listed_snapshot.get(at).1).is_none() {
        return vec![Line::styled("A broken line refers to nothing.", app.palette.dim())];
    }
    if ties.is_empty() {
        return vec![Line::styled("Refers to nothing, and nothing refers to it.", app.palette.dim())];
    }
    let line = |tie: &EntryLink| {
        let arrow = if tie.outward { "→" } else { "←" };
        let name = if tie.name.is_empty() { "(no id)" } else { &tie.name };
        let what = match tie.other {
            Some(other) => title_of(app, other).into_raw(),
            None => "⚠ not in this store".to_owned(),
        };
        Line::from(theme::fit(
            &theme::safe(app, &format!("{arrow} {name}  {what}  ({})", tie.relation)),
            width,
        ))
    };
    ties.iter().map(line).collect()
}

/// Returns a line for each event of a memory's trace: the time after the first event, and the title.
pub fn timeline(app: &App, at: EntryRef, events: &[EntryLink], width: usize) -> Vec<Line<'static>> {
    let created = |event: EntryRef| {
        let (store, entry) = app.listed_snapshot.get(event);
        store.memory(entry).and_then(|memory| memory.created)
    };
    let first = events.first().and_then(|tie| created(tie.other?));
    let line = |tie: &EntryLink| {
        let Some(event) = tie.other else { return Line::default() };
        let mark = if event == at { "●" } else { "│" };
        let after = match (first, created(event)) {
            (Some(first), Some(when)) => match (when.0 - first.0).max(0) as f64 / 1e6 {
                seconds @ ..100.0 => format!("+{seconds:.3} s"),
                seconds @ ..6_000.0 => format!("+{:.1} min", seconds / 60.0),
                seconds @ ..172_800.0 => format!("+{:.1} h", seconds / 3_600.0),
                seconds => format!("+{:.1} d", seconds / 86_400.0),
            },
            _ => "?".into(),
        };
        let what = title_of(app, event).into_raw();
        Line::from(theme::fit(&theme::safe(app, &format!("{mark} {after:>9}  {what}")), width))
    };
    events.iter().map(line).collect()
}

/// The number of bytes of a large record that its title is made of.
const TITLE_START: usize = 4 << 10;

pub fn title_of(app: &App, at: EntryRef) -> UntrustedText {
    let (store, entry) = app.listed_snapshot.get(at);
    let is_large = store.record(entry).span.len() > LARGE as u64;
    if is_large {
        format::title_of(&start_of(&store.raw(entry), TITLE_START)).into()
    } else {
        format::title(store, entry)
    }
}

/// Returns a memory's text. A large record gives only the start of its bytes.
pub fn text_of(store: &Store, entry: &Entry) -> RecordText {
    if store.record(entry).span.len() <= LARGE as u64 {
        return format::text_of(store, entry);
    }
    let raw = store.raw(entry);
    let start = start_of(&raw, SHOWN);
    let title = format::title_of(&start);
    let text = format!("{start}\n… {} bytes in all", raw.len());
    RecordText { title: title.into(), text: text.into(), main: "bytes", ..RecordText::default() }
}

/// Returns about `most` bytes as text. It reads twice as much, so that it cuts no secret.
fn start_of(raw: &[u8], most: usize) -> String {
    let start = String::from_utf8_lossy(&raw[..raw.len().min(2 * most)]);
    start[..cut(&start, most)].to_owned()
}
