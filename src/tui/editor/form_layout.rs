//! Computes where the parts of the editor are, by the size of the terminal.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::tui::editor::Editor;
use crate::tui::layout;
use crate::tui::state::app::App;

#[derive(Clone, Copy, Debug, Default)]
pub struct EditorAreas {
    pub form: Rect,
    pub diff: Rect,
    pub effects: Rect,
    /// All problems. Empty on a small screen, which shows them below their fields.
    pub problems: Rect,
}

/// Longer names of fields are cut.
const LABEL: u16 = 24;
/// From this many columns on, names may take two fifths instead of a third.
const WIDE: u16 = 60;
/// At most this many problems are shown below a field.
pub const FINDINGS: usize = 2;

pub fn areas(app: &App) -> EditorAreas {
    let body = layout::frame(app).body;
    if body.width >= 100 && body.height >= 24 {
        let parts = [Constraint::Min(0), Constraint::Length(6)];
        let [upper, problems] = Layout::vertical(parts).areas(body);
        let halves = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).spacing(1);
        let [form, right] = halves.areas(upper);
        let [diff, effects] = Layout::vertical([Constraint::Min(0), Constraint::Length(10)]).areas(right);
        return EditorAreas { form, diff, effects, problems };
    }
    let diff = match body.height {
        18.. => 4,
        12.. => 3,
        _ => 0,
    };
    let line = u16::from(body.height >= 8);
    let parts = [Constraint::Min(0), Constraint::Length(diff), Constraint::Length(line)];
    let [form, diff, effects] = Layout::vertical(parts).areas(body);
    EditorAreas { form, diff, effects, problems: Rect::default() }
}

/// Returns the widths of the names and of the values.
pub fn columns(editor: &Editor, width: u16) -> (usize, usize) {
    let longest = editor.form.fields.iter().map(|field| field.name.chars().count()).max().unwrap_or(0);
    let most = if width < WIDE { width / 3 } else { width * 2 / 5 };
    let label = longest.min(usize::from(LABEL.min(most))) + 2;
    // One more column is for the cursor behind the last character.
    (label, usize::from(width).saturating_sub(label + 1).max(1))
}

/// Returns how many rows of the focused field are shown.
pub fn rows_of_own(editor: &Editor, height: u16) -> usize {
    let most = if height > 8 { usize::from(height) - 6 } else { usize::from(height).max(1) };
    editor.texts[editor.field].len().clamp(1, most.max(1))
}

/// Returns how many lines a field takes at most.
pub fn height_of(editor: &Editor, at: usize, height: u16) -> usize {
    let rows = if at == editor.field { rows_of_own(editor, height) } else { 1 };
    let wants = usize::from(at == editor.field && editor.findings(at).next().is_none());
    rows + wants + 2 * editor.findings(at).count().min(FINDINGS)
}
