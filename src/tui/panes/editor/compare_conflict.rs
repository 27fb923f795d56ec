//! The values of each field that differs: before, mine and theirs.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::tui::editor::compare_conflict::{ConflictField, FieldChoice, FormConflict};
use crate::tui::editor::{Editor, TheirVersion};
use crate::tui::panes::editor::diff::three_stretches;
use crate::tui::panes::editor::part;
use crate::tui::state::app::App;
use crate::tui::theme::{self, Theme, fit, wrap};

/// The maximum number of rows of a side.
const ROWS: usize = 8;

/// The text if the user's version becomes a new memory.
const COPIES: &str = "What was typed becomes a new memory, with an id of its own. \
                      The one on disk stays as it is.";

pub fn draw(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    let Some(conflict) = &editor.conflict else { return };
    let foot = "nothing is written yet";
    let inner = part(app, frame, "Changed on disk since the form was opened", foot, area);
    let theme = Theme::of(app);
    let width = usize::from(inner.width);
    if conflict.saves_copy {
        let said = wrap(COPIES, width).into_iter().map(Line::raw);
        return frame.render_widget(Paragraph::new(said.collect::<Vec<_>>()), inner);
    }
    if conflict.fields.is_empty() {
        let why = match &editor.theirs {
            Some(TheirVersion::Gone(why)) => why.as_str(),
            _ => "the fields are the same on both sides",
        };
        let said = wrap(&theme::safe(app, why), width).into_iter().map(Line::raw);
        return frame.render_widget(Paragraph::new(said.collect::<Vec<_>>()), inner);
    }
    let each: Vec<Vec<Line<'static>>> =
        (0..conflict.fields.len()).map(|at| field(app, &theme, conflict, at, width)).collect();
    // Shows the field under the cursor, and as many fields above it as fit.
    let mut first = conflict.at;
    let mut used = each[conflict.at].len();
    while first > 0 && used + each[first - 1].len() <= usize::from(inner.height) {
        first -= 1;
        used += each[first].len();
    }
    let lines: Vec<Line<'static>> = each.into_iter().skip(first).flatten().collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn field(app: &App, theme: &Theme, conflict: &FormConflict, at: usize, width: usize) -> Vec<Line<'static>> {
    let own = &conflict.fields[at];
    let is_here = at == conflict.at;
    let contested = if own.is_contested { "  both sides changed it" } else { "" };
    let head =
        format!("{} {}  takes {}{contested}", if is_here { '▶' } else { ' ' }, own.name, own.side.word());
    let style = if is_here { theme.strong() } else { Style::new() };
    let mut lines = vec![Line::styled(fit(&theme::safe(app, &head), width), style)];
    for (name, side, text) in sides(app, own) {
        let is_taken = side.is_some_and(|side| own.side == side || own.side == FieldChoice::Both);
        let mark = if is_taken { "(•)" } else { "   " };
        let rows = wrap(&text, width.saturating_sub(14));
        for (row, part) in rows.into_iter().take(ROWS).enumerate() {
            let head = if row == 0 { format!("  {mark} {name:7} ") } else { " ".repeat(14) };
            let style = if is_taken { theme.strong() } else { Style::new() };
            lines.push(Line::from(vec![Span::styled(head, style), Span::raw(part)]));
        }
    }
    lines
}

fn sides(app: &App, own: &ConflictField) -> [(&'static str, Option<FieldChoice>, String); 3] {
    let [before, mine, theirs] = three_stretches(app, &own.before, &own.mine, &own.theirs);
    [
        ("before", None, before),
        ("mine", Some(FieldChoice::Mine), mine),
        ("theirs", Some(FieldChoice::Theirs), theirs),
    ]
}
