//! The contents of the detail pane and of the list's rows. They are read when they come on screen.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{distinct_titles, up_down_page_top_last};
use crate::detectors::cut;
use crate::format::{self, record_details};
use crate::model::{EntryLink, EntryRef, RecordText};
use crate::query::{Hit, Query, highlights, words_in};
use crate::text::safe_text::{sanitize, sanitize_lines};
use crate::tui::action::Action;
use crate::tui::found_words::{set_off, wrapped};
use crate::tui::memory_columns::MemoryColumns;
use crate::tui::record_text::{text_of, title_of};
use crate::tui::state::app::{App, Pane, Tab};
use crate::tui::theme::{self, Theme, sign, wrap};
use crate::tui::{layout, markdown, references_tab};

/// Larger records show only their start, because a frame must not wait for them.
pub const LARGE: usize = 1 << 20;
/// At most this many bytes of a large record or of a long text are shown.
const SHOWN: usize = 64 << 10;
/// At most this many bytes of a field's value are shown.
const FACT: usize = 4_000;

/// Reads the titles and the detail that are on screen.
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
        None => theme::fit(&theme::safe(app, &title_of(app, at)), seen.saturating_sub(1)),
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
fn best_line(app: &App, fields: &[(String, String)], lacks: &[bool]) -> Option<(String, String)> {
    let mut best: Option<(usize, String, String)> = None;
    for (at, (name, text)) in fields.iter().enumerate() {
        // The main text needs no label.
        let name = if at == 0 { "" } else { name };
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
    let places = up_down_page_top_last::scroll_positions(app.detail.len(), layout::rows(app, Pane::Detail));
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
        Tab::References => references_tab::lines(app, at, &app.ties, width),
        Tab::Timeline => references_tab::timeline(app, at, &app.ties, width),
    }
}

/// Shows the texts of a memory in reading order, its problems and its references. One key unfolds the rest.
fn read(app: &App, at: EntryRef, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let (store, entry) = app.listed_snapshot.get(at);
    let text = text_of(store, entry);
    let is_note = format::is_markdown(store, entry);
    let heading = heading(&text).filter(|_| is_note);
    let narrow = width.min(markdown::WIDEST);
    let mut lines = heading.map(|(_, title)| titled(app, title, narrow)).unwrap_or_default();
    lines.extend(match is_note {
        true => note(app, &text.text, width),
        false => prose(app, &text.text, narrow, ""),
    });
    lines.push(Line::default());
    let above = heading.and_then(|(field, _)| field);
    let others: Vec<_> = text.other_texts.iter().filter(|(name, _)| Some(name.as_str()) != above).collect();
    for (name, said) in &others {
        lines.extend(prose(app, said, narrow, &record_details::label(name)));
    }
    if !others.is_empty() {
        lines.push(Line::default());
    }
    for problem in store.problems_of(entry) {
        let style = theme.severity(problem.severity);
        let message = format!("{} {}: {}", sign(problem.severity), problem.code.as_str(), problem.message);
        lines.extend(
            wrap(&theme::safe(app, &message), width).into_iter().map(|line| Line::styled(line, style)),
        );
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
    let theme = Theme::of(app);
    let head = Line::from(vec![Span::styled(folded, theme.dim()), Span::styled(key, theme.key())]);
    let shown = rest.iter().filter(|_| app.unfolded.all_facts);
    std::iter::once(head).chain(shown.flat_map(|(name, value)| fact(app, name, value, width))).collect()
}

/// Returns the title of a note, and the field that it is in; `None` if the text begins with it.
fn heading(text: &RecordText) -> Option<(Option<&str>, &str)> {
    let first = text.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let start = text.title.trim_end_matches('…');
    if format::title_of(first.trim_start_matches('#')).contains(start) {
        return None;
    }
    let field = text.other_texts.iter().find(|(_, said)| format::title_of(said) == text.title);
    Some(field.map_or((None, &text.title), |(name, said)| (Some(name), said)))
}

fn titled(app: &App, title: &str, width: usize) -> Vec<Line<'static>> {
    let title = &title[..cut(title, FACT)];
    let mut lines = wrapped(app, &[(theme::safe(app, title), Theme::of(app).strong())], width);
    lines.push(Line::default());
    lines
}

fn note(app: &App, text: &str, width: usize) -> Vec<Line<'static>> {
    let (start, left) = text.split_at(cut(text, SHOWN));
    let mut lines = markdown::lines(app, &theme::masked(app, start), width);
    if !left.is_empty() {
        lines.push(Line::styled(format!("… {} bytes more", left.len()), Theme::of(app).dim()));
    }
    lines
}

/// Wraps a text and highlights matches. Its label comes before the text, or above a text of several lines.
fn prose(app: &App, text: &str, width: usize, called: &str) -> Vec<Line<'static>> {
    let (start, left) = text.split_at(cut(text, SHOWN));
    let dim = Theme::of(app).dim();
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
    let style = Theme::of(app).dim();
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
        lines.push(Line::styled(left, Theme::of(app).dim()));
    }
    lines
}
