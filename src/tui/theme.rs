//! Colours, and the only way from stored text to the screen.

use std::borrow::Cow;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::app::App;
use crate::model::{Severity, Tell};
pub use crate::text::columns::{column, fit, wrap};
use crate::text::secrets::mask;
use crate::text::show::{columns, show};

/// Text that may come from a store, masked and safe. Nothing else makes spans of it.
pub fn safe(app: &App, text: &str) -> String {
    show(&masked(app, text)).into_owned()
}

/// Text with its sensitive values masked, unless they are being revealed. A text of many
/// lines is masked whole: a value can go on in the next line.
pub fn masked<'a>(app: &App, text: &'a str) -> Cow<'a, str> {
    if app.revealed { Cow::Borrowed(text) } else { mask(text) }
}

/// How many columns safe text takes.
pub fn width(text: &str) -> usize {
    columns(text)
}

/// The styles of the screens: the terminal's own sixteen colours, its background never painted.
pub struct Theme {
    colours: bool,
}

impl Theme {
    /// The theme of an app.
    pub fn of(app: &App) -> Theme {
        Theme { colours: app.colours }
    }

    fn coloured(&self, colour: Color) -> Style {
        if self.colours { Style::new().fg(colour) } else { Style::new() }
    }

    /// Text in the background.
    pub fn dim(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What is to be seen first.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// A line under the cursor: turned round, in no colour and not dim, so that all of it can be
    /// read on any ground. A bar stays as it is: turned round, a full one would look empty.
    pub fn under_cursor(&self, mut line: Line<'static>) -> Line<'static> {
        let turned = Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED);
        let turned = turned.remove_modifier(Modifier::DIM);
        for span in &mut line.spans {
            if !is_bar(&span.content) {
                span.style = line.style.patch(span.style).patch(turned);
            }
        }
        line
    }

    /// Borders of the pane that has the keys.
    pub fn focus(&self) -> Style {
        self.coloured(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Keys in hints.
    pub fn key(&self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// Where a word of the search is.
    pub fn found(&self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::UNDERLINED)
    }

    /// A type of memory.
    pub fn kind(&self, kind: &str) -> Style {
        self.coloured(match kind {
            "decision" | "core" => Color::Blue,
            "finding" | "learning" => Color::Green,
            "preference" | "task" => Color::Magenta,
            _ => Color::Reset,
        })
    }

    /// A decay bar: full, fading, at the floor.
    pub fn decay(&self, decay: f64) -> Style {
        match decay {
            decay if decay >= 0.5 => self.coloured(Color::Green),
            decay if decay > 0.1 => self.coloured(Color::Yellow),
            _ => self.dim(),
        }
    }

    /// A problem.
    pub fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.coloured(Color::Red).add_modifier(Modifier::BOLD),
            Severity::Warning => self.coloured(Color::Yellow),
            Severity::Note => self.dim(),
        }
    }

    /// What is wrong with a query.
    pub fn wrong(&self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::UNDERLINED)
    }
}

/// Whether a text is drawn by blocks.
fn is_bar(text: &str) -> bool {
    let is_block = |c: char| ('\u{2580}'..='\u{259f}').contains(&c);
    text.contains(is_block) && text.chars().all(|c| c == ' ' || is_block(c))
}

/// The sign of a severity; the same everywhere.
pub fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✖",
        Severity::Warning => "⚠",
        Severity::Note => "·",
    }
}

/// A file and a line in it, as people write them. Untrusted text.
pub fn place(file: &std::path::Path, line: Option<u32>) -> String {
    match line.filter(|line| *line > 0) {
        Some(line) => format!("{}:{line}", file.told()),
        None => file.told().into_owned(),
    }
}
