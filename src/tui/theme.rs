//! Styles, and the only way from stored text to the screen.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;

use super::colours::{ColourPalette, ColourRole};
use crate::detectors::mask;
use crate::model::Severity;
pub use crate::text::columns::{column, fit, wrap};
pub use crate::text::safe_text::display_width as width;
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::state::app::App;

/// Makes text that may come from a store masked and safe. Nothing else may make spans of such text.
pub fn safe(app: &App, text: &str) -> String {
    sanitize(&masked(app, text)).into_owned()
}

/// Masks sensitive values, unless they are revealed. A text must be masked as a whole, because a value can
/// continue in the next line.
pub fn masked<'a>(app: &App, text: &'a str) -> Cow<'a, str> {
    if app.revealed { Cow::Borrowed(text) } else { mask(text) }
}

impl ColourPalette {
    fn role(self, role: ColourRole) -> Style {
        self.colour(role).map_or(Style::new(), |colour| Style::new().fg(colour))
    }

    /// Returns the style of something that is as it should be.
    pub(in crate::tui) fn good(self) -> Style {
        self.role(ColourRole::Good)
    }

    /// Returns the style of less important text.
    pub(in crate::tui) fn dim(self) -> Style {
        // The terminal dims where the palette has no colour for it.
        let dims = matches!(self, ColourPalette::Terminal | ColourPalette::None);
        let dim = if dims { Modifier::DIM } else { Modifier::empty() };
        self.role(ColourRole::Dim).add_modifier(dim)
    }

    /// Returns the style of the most important text.
    pub(in crate::tui) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Reverses the line under the cursor, without colours and not dim, so that it can be read on any
    /// background. Bars stay as they are, because a full bar would look empty.
    pub(in crate::tui) fn under_cursor(self, mut line: Line<'static>) -> Line<'static> {
        for span in &mut line.spans {
            if !is_bar(&span.content) {
                span.style = line.style.patch(span.style).patch(self.chosen());
            }
        }
        line
    }

    /// Returns the style that shows where the keys go.
    pub(in crate::tui) fn accent(self) -> Style {
        self.role(ColourRole::Accent)
    }

    /// Returns the style of the title of the pane that has the keys.
    pub(in crate::tui) fn focus(self) -> Style {
        self.accent().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// Returns the style of the row under the cursor.
    pub(in crate::tui) fn chosen(self) -> Style {
        Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM)
    }

    pub(in crate::tui) fn key(self) -> Style {
        self.accent().add_modifier(Modifier::BOLD)
    }

    pub(in crate::tui) fn secret(self) -> Style {
        self.role(ColourRole::Secret).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of something new.
    pub(in crate::tui) fn fresh(self) -> Style {
        self.role(ColourRole::New).add_modifier(Modifier::BOLD)
    }

    pub(in crate::tui) fn found(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    pub(in crate::tui) fn kind(self, kind: &str) -> Style {
        match kind {
            "decision" => self.accent(),
            "core" | "learning" => self.role(ColourRole::New),
            "finding" => self.role(ColourRole::Good),
            "preference" => self.role(ColourRole::Secret),
            "task" => self.role(ColourRole::Warning),
            _ => Style::new(),
        }
    }

    /// Returns the style of a decay bar: full, fading, at the floor.
    pub(in crate::tui) fn decay(self, decay: f64) -> Style {
        match decay {
            decay if decay >= 0.5 => self.role(ColourRole::Good),
            decay if decay > 0.1 => self.role(ColourRole::Warning),
            _ => self.dim(),
        }
    }

    pub(in crate::tui) fn severity(self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.role(ColourRole::Error).add_modifier(Modifier::BOLD),
            Severity::Warning => self.role(ColourRole::Warning),
            Severity::Note => self.dim(),
        }
    }

    /// Returns the style of an error in a query.
    pub(in crate::tui) fn wrong(self) -> Style {
        self.role(ColourRole::Error).add_modifier(Modifier::UNDERLINED)
    }
}

/// Draws lines into an area.
pub fn put<L: Into<Line<'static>>>(frame: &mut Frame<'_>, lines: impl IntoIterator<Item = L>, area: Rect) {
    frame.render_widget(Paragraph::new(Text::from_iter(lines)), area);
}

/// Begins a text with a capital letter. Messages from below the screens, which the command line also prints,
/// begin with a small one. A name of a store keeps its letter.
pub fn sentence(said: &str, names: &[String]) -> String {
    let first = said.split(' ').next().unwrap_or_default().trim_end_matches([',', '.', ':']);
    let is_name = first == "palimp" || names.iter().any(|name| name == first);
    let is_word = !is_name && first.chars().all(|c| c.is_ascii_lowercase());
    let mut letters = said.chars();
    match letters.next().filter(|_| is_word) {
        Some(letter) => letter.to_ascii_uppercase().to_string() + letters.as_str(),
        None => said.to_owned(),
    }
}

/// Returns a bar of some eighths of a cell, padded to a number of columns.
pub fn bar(eighths: usize, columns: usize) -> String {
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    column(&("█".repeat(eighths / 8) + part), columns)
}

/// Wraps safe text after a head. The further lines are indented by the width of the head.
pub fn hanging(head: &str, style: Style, text: &str, width: usize) -> Vec<Line<'static>> {
    let (mut head, blank) = (head.to_owned(), " ".repeat(display_width(head)));
    let line = |text| {
        let head = std::mem::replace(&mut head, blank.clone());
        Line::from(vec![Span::styled(head, style), Span::raw(text)])
    };
    wrap(text, width).into_iter().map(line).collect()
}

/// Wraps safe text to lines of one style.
pub fn styled_lines(text: &str, width: usize, style: Style) -> impl Iterator<Item = Line<'static>> + use<> {
    wrap(text, width).into_iter().map(move |line| Line::styled(line, style))
}

fn is_bar(text: &str) -> bool {
    let is_block = |c: char| ('\u{2580}'..='\u{259f}').contains(&c);
    text.contains(is_block) && text.chars().all(|c| c == ' ' || is_block(c))
}

pub fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✖",
        Severity::Warning => "⚠",
        Severity::Note => "·",
    }
}
