//! What the form changes on disk, field by field.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::model::plan::difference;
use crate::tui::editor::Editor;
use crate::tui::panes::editor::form::{boundary, masked};
use crate::tui::panes::editor::part;
use crate::tui::state::app::App;
use crate::tui::theme::{self, fit, put};

const AROUND: usize = 24;
const LONGEST: usize = 1_000;

pub fn draw(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    if area.height < 3 {
        return;
    }
    let inner = part(app, frame, "Diff against disk", "", area);
    let width = usize::from(inner.width);
    let mut lines: Vec<Line<'static>> = Vec::new();
    let changed: Vec<usize> = (0..editor.texts.len()).filter(|at| editor.differs(*at)).collect();
    // The field with the keys comes first.
    let own = changed.iter().filter(|at| **at == editor.field);
    for at in own.chain(changed.iter().filter(|at| **at != editor.field)) {
        if lines.len() >= usize::from(inner.height) {
            break;
        }
        let field = &editor.form.fields[*at];
        // What differs has a third of the row at least.
        let name = fit(&theme::safe(app, &field.name), width / 3);
        let around = (width.saturating_sub(theme::width(&name) + 4) / 3).clamp(1, AROUND);
        let (before, after) = (field.value.as_str(), editor.texts[*at].as_str());
        let (start, end, with) = difference(before.as_bytes(), after.as_bytes());
        let before = cut(app, before, (start, end), around);
        let after = cut(app, after, (start, start + with.len()), around);
        for (sign, text) in [('-', before), ('+', after)] {
            lines.push(Line::raw(fit(&format!("{sign} {name}: {text}"), width)));
        }
    }
    if lines.is_empty() {
        lines.push(Line::styled("nothing differs", app.palette.dim()));
    }
    put(frame, lines, inner);
}

/// Returns the differing parts of a text before and of two changed versions. All three parts contain every
/// change of both versions.
pub fn three_stretches(app: &App, before: &str, mine: &str, theirs: &str) -> [String; 3] {
    let (start, end, _) = difference(before.as_bytes(), mine.as_bytes());
    let (other_start, other_end, _) = difference(before.as_bytes(), theirs.as_bytes());
    let start = start.min(other_start);
    let behind = before.len() - end.max(other_end);
    [before, mine, theirs].map(|text| cut(app, text, (start, text.len().saturating_sub(behind)), AROUND))
}

fn cut(app: &App, text: &str, (start, end): (usize, usize), around: usize) -> String {
    let from = boundary(text, start.min(text.len()), -(around as isize));
    let until = boundary(text, end.min(text.len()), around as isize);
    let most = boundary(text, from, LONGEST as isize).min(until.max(from));
    let part = masked(app, text, from..most).replace('␊', "⏎ ");
    let head = if from > 0 { "…" } else { "" };
    let tail = if most < text.len() { "…" } else { "" };
    format!("{head}{part}{tail}")
}
