//! Colours, and the only way from stored text to the screen.

use std::borrow::Cow;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::app::App;
use super::colours::{ColourPalette, ColourRole};
use crate::model::{PathText, Severity};
pub use crate::text::columns::{column, fit, wrap};
use crate::text::safe_text::{display_width, sanitize};
use crate::text::secrets::mask;

/// Text that may come from a store, masked and safe. Nothing else makes spans of it.
pub fn safe(app: &App, text: &str) -> String {
    sanitize(&masked(app, text)).into_owned()
}

/// Text with its sensitive values masked, unless they are being revealed. A text of many
/// lines is masked whole: a value can go on in the next line.
pub fn masked<'a>(app: &App, text: &'a str) -> Cow<'a, str> {
    if app.revealed { Cow::Borrowed(text) } else { mask(text) }
}

/// How many columns safe text takes.
pub fn width(text: &str) -> usize {
    display_width(text)
}

/// The styles of the screens.
pub struct Theme {
    palette: ColourPalette,
}

impl Theme {
    /// The theme of an app.
    pub fn of(app: &App) -> Theme {
        Theme { palette: app.palette }
    }

    fn role(&self, role: ColourRole) -> Style {
        self.palette.colour(role).map_or(Style::new(), |colour| Style::new().fg(colour))
    }

    /// What is as it should be.
    pub fn good(&self) -> Style {
        self.role(ColourRole::Good)
    }

    /// Text in the background.
    pub fn dim(&self) -> Style {
        let dim = if self.palette.dims() { Modifier::DIM } else { Modifier::empty() };
        self.role(ColourRole::Dim).add_modifier(dim)
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

    /// What leads the eye: where the keys go.
    pub fn accent(&self) -> Style {
        self.role(ColourRole::Accent)
    }

    /// The title of the pane that has the keys.
    pub fn focus(&self) -> Style {
        self.accent().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// The title row of a sheet.
    pub fn title_of_sheet(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM)
    }

    /// What the cursor is on.
    pub fn chosen(&self) -> Style {
        Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM)
    }

    /// Keys in hints.
    pub fn key(&self) -> Style {
        self.accent().add_modifier(Modifier::BOLD)
    }

    /// A secret that is masked.
    pub fn secret(&self) -> Style {
        self.role(ColourRole::Secret).add_modifier(Modifier::BOLD)
    }

    /// What has just come.
    pub fn fresh(&self) -> Style {
        self.role(ColourRole::New).add_modifier(Modifier::BOLD)
    }

    /// Where a word of the search is.
    pub fn found(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// A type of memory.
    pub fn kind(&self, kind: &str) -> Style {
        match kind {
            "decision" => self.accent(),
            "core" | "learning" => self.role(ColourRole::New),
            "finding" => self.role(ColourRole::Good),
            "preference" => self.role(ColourRole::Secret),
            "task" => self.role(ColourRole::Warning),
            _ => Style::new(),
        }
    }

    /// A decay bar: full, fading, at the floor.
    pub fn decay(&self, decay: f64) -> Style {
        match decay {
            decay if decay >= 0.5 => self.role(ColourRole::Good),
            decay if decay > 0.1 => self.role(ColourRole::Warning),
            _ => self.dim(),
        }
    }

    /// A problem.
    pub fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.role(ColourRole::Error).add_modifier(Modifier::BOLD),
            Severity::Warning => self.role(ColourRole::Warning),
            Severity::Note => self.dim(),
        }
    }

    /// What is wrong with a query.
    pub fn wrong(&self) -> Style {
        self.role(ColourRole::Error).add_modifier(Modifier::UNDERLINED)
    }
}

/// What is said, as a sentence begins: what comes from below the screens, or is told by the command line, too,
/// begins with a small letter. A name of a store keeps its own.
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
        Some(line) => format!("{}:{line}", file.to_text()),
        None => file.to_text().into_owned(),
    }
}
