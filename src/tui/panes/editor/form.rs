//! The fields of the form, one below the other, with the problems of each.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::detectors::secret_spans;
use crate::ops::form::{FieldKind, FormField, items};
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::editor::text_buffer::{TextBuffer, width_of};
use crate::tui::editor::{Editor, choices, form_layout, is_open};
use crate::tui::panes::editor::{finding, part};
use crate::tui::state::app::App;
use crate::tui::theme::{self, column, fit, put};

/// The number of bytes around the shown part that are searched for values to mask.
const AROUND: usize = 8 << 10;
const MASK: char = '•';

pub fn draw(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    let foot = format!("field {}/{}", editor.field + 1, editor.form.fields.len());
    let inner = part(app, frame, "Form", &foot, area);
    if inner.height == 0 || inner.width < 4 {
        return;
    }
    let mut form = FormLines { app, editor, inner, y: inner.y };
    if let Some(draft) = &editor.found_draft {
        let when = draft.at.get(..16).unwrap_or(&draft.at).replace('T', " ");
        let said = format!("draft of {when}: Enter goes on, x drops it");
        form.put(
            frame,
            Line::styled(fit(&theme::safe(app, &said), usize::from(inner.width)), app.palette.strong()),
        );
    }
    for at in editor.top..editor.form.fields.len() {
        if form.y >= inner.bottom() {
            break;
        }
        form.field(frame, at);
    }
}

struct FormLines<'a> {
    app: &'a App,
    editor: &'a Editor,
    inner: Rect,
    y: u16,
}

impl FormLines<'_> {
    fn put(&mut self, frame: &mut Frame<'_>, line: Line<'static>) {
        if self.y < self.inner.bottom() {
            let place = Rect { y: self.y, height: 1, ..self.inner };
            put(frame, [line], place);
            self.y += 1;
        }
    }

    fn field(&mut self, frame: &mut Frame<'_>, at: usize) {
        let (app, editor) = (self.app, self.editor);
        let field = &editor.form.fields[at];
        let (label, width) = form_layout::columns(editor, self.inner.width);
        let is_own = at == editor.field;
        let mark = if is_own {
            '▶'
        } else if editor.differs(at) {
            '*'
        } else {
            ' '
        };
        let name = format!("{mark}{}", theme::safe(app, &field.name));
        let style = if is_own { app.palette.strong() } else { Style::new() };
        let rows = if is_own { form_layout::rows_of_own(editor, self.inner.height) } else { 1 };
        for row in 0..rows {
            let head = if row == 0 { column(&name, label - 1) + " " } else { " ".repeat(label) };
            let mut spans = vec![Span::styled(head, style)];
            spans.push(match is_own && is_open(field) && choices(&field.kind).is_empty() {
                true => self.typed(frame, row, label, width),
                false => self.resting(at, is_own, width),
            });
            self.put(frame, Line::from(spans));
        }
        let pad = " ".repeat(label);
        let room = width;
        for own in editor.findings(at).take(form_layout::FINDINGS) {
            for mut line in finding(app, own, room) {
                line.spans.insert(0, Span::raw(pad.clone()));
                self.put(frame, line);
            }
        }
        if is_own && editor.findings(at).next().is_none() {
            let said = format!("{pad}{}", fit(&wants(app, editor, at), room));
            self.put(frame, Line::styled(said, app.palette.dim()));
        }
    }

    fn typed(&self, frame: &mut Frame<'_>, row: usize, label: usize, width: usize) -> Span<'static> {
        let (editor, text) = (self.editor, &self.editor.texts[self.editor.field]);
        let (own, cursor) = text.place();
        let row = editor.row + row;
        let range = text.row(row);
        // A line that is too long scrolls with the cursor.
        let from = if text.len() == 1 { first_shown(text, &range, cursor, width) } else { range.start };
        let shown = masked(self.app, text.as_str(), from..range.end);
        if row == own && editor.found_draft.is_none() && self.app.prompt.is_none() {
            let column = display_width(&sanitize(&text.as_str()[from..text.cursor().max(from)]));
            let x = self.inner.x + (label + column.min(width)) as u16;
            frame.set_cursor_position(Position { x: x.min(self.inner.right() - 1), y: self.y });
        }
        Span::raw(fit(&shown, width))
    }

    fn resting(&self, at: usize, is_own: bool, width: usize) -> Span<'static> {
        let app = self.app;
        let field = &self.editor.form.fields[at];
        let value = self.editor.texts[at].as_str();
        let words = choices(&field.kind);
        if !words.is_empty() {
            let own =
                |word: &String| if word == value { format!("(•) {word}") } else { format!("( ) {word}") };
            let mut all: Vec<String> = words.iter().map(own).collect();
            if !value.is_empty() && !words.iter().any(|word| word == value) {
                all.insert(0, format!("(•) {value}"));
            }
            let mut shown = theme::safe(app, &all.join("  "));
            if display_width(&shown) > width {
                let at = words.iter().position(|word| word == value).map_or(0, |at| at + 1);
                shown = fit(&format!("‹ {} › {at}/{}", theme::safe(app, value), words.len()), width);
            }
            return if is_own { Span::styled(shown, app.palette.focus()) } else { Span::raw(shown) };
        }
        // The end of the first line, or of its part that has room.
        let line = value.find('\n').unwrap_or(value.len());
        let end = value.char_indices().nth(width + 1).map_or(line, |(at, _)| at.min(line));
        let more = value[end..].trim_end().is_empty();
        let mut shown = masked(app, value, 0..end);
        if !more {
            shown = format!("{}…", fit(&shown, width.saturating_sub(1)).trim_end_matches('…'));
        }
        let shown = fit(&shown, width);
        if is_open(field) { Span::raw(shown) } else { Span::styled(shown, app.palette.dim()) }
    }
}

fn first_shown(text: &TextBuffer, row: &Range<usize>, cursor: usize, width: usize) -> usize {
    if cursor < width {
        return row.start;
    }
    let before = &text.as_str()[row.start..text.cursor()];
    let mut used = 0;
    let fits = |(_, grapheme): &(usize, &str)| {
        used += width_of(grapheme);
        used < width
    };
    let first = before.grapheme_indices(true).rev().take_while(fits).last();
    row.start + first.map_or(before.len(), |(at, _)| at)
}

/// Returns a part of a text, safe to draw. Secrets are masked character by character, so that the cursor
/// stays at its place.
pub(super) fn masked(app: &App, text: &str, range: Range<usize>) -> String {
    if app.revealed || range.is_empty() {
        return sanitize(&text[range]).into_owned();
    }
    let from = boundary(text, range.start.saturating_sub(AROUND), 0);
    let to = boundary(text, (range.end + AROUND).min(text.len()), 0);
    let spans = secret_spans(&text[from..to]);
    let hidden = |at: usize| spans.iter().any(|span| span.contains(&(at - from)));
    if spans.is_empty() {
        return sanitize(&text[range]).into_owned();
    }
    let part = text[range.clone()].char_indices();
    let shown: String = part.map(|(at, c)| if hidden(range.start + at) { MASK } else { c }).collect();
    sanitize(&shown).into_owned()
}

/// Returns the byte offset that is `by` characters before or after a byte.
pub(super) fn boundary(text: &str, at: usize, by: isize) -> usize {
    let mut at = at;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let many = by.unsigned_abs();
    match by < 0 {
        true => text[..at].char_indices().rev().nth(many - 1).map_or(0, |(at, _)| at),
        false => text[at..].char_indices().nth(many).map_or(text.len(), |(more, _)| at + more),
    }
}

fn wants(app: &App, editor: &Editor, at: usize) -> String {
    let field = &editor.form.fields[at];
    let value = editor.texts[at].as_str();
    if let Some(completion) = &editor.completion {
        let names = completion.names.iter().enumerate();
        let names: Vec<String> = names
            .map(|(own, name)| if own == completion.at { format!("▶{name}") } else { name.clone() })
            .collect();
        return theme::safe(app, &format!("Tab: {}", names[completion.at.min(3)..].join(" · ")));
    }
    format!("{}{}", counted(field, value), field.kind.wants())
}

fn counted(field: &FormField, value: &str) -> String {
    match &field.kind {
        // The limit is in characters.
        FieldKind::Text { most: Some(most) } => format!("{}/{most} · ", value.chars().count()),
        FieldKind::Text { most: None } => format!("{} bytes · ", value.len()),
        FieldKind::Words { most, longest } => {
            let own = items(value);
            let widest = own.iter().map(|item| item.chars().count()).max().unwrap_or(0);
            let most = if *most > 0 { format!("/{most}") } else { String::new() };
            let longest = if *longest < usize::MAX {
                format!(", {widest}/{longest} characters")
            } else {
                String::new()
            };
            format!("{}{most}{longest} · ", own.len())
        }
        _ => String::new(),
    }
}
