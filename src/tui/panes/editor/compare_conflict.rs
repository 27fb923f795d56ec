//! The values of each field that differs: before, mine and theirs.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::tui::editor::compare_conflict::{FieldChoice, FormConflict};
use crate::tui::editor::{Editor, TheirVersion};
use crate::tui::panes::editor::diff::three_stretches;
use crate::tui::panes::editor::part;
use crate::tui::state::app::App;
use crate::tui::theme::{self, fit, put, wrap};

const ROWS: usize = 8;

const COPIES: &str = "What was typed becomes a new memory, with an id of its own. \
                      The one on disk stays as it is.";

pub fn draw(app: &App, editor: &Editor, frame: &mut Frame<'_>, area: Rect) {
    let Some(conflict) = &editor.conflict else { return };
    let foot = "nothing is written yet";
    let inner = part(app, frame, "Changed on disk since the form was opened", foot, area);
    let width = usize::from(inner.width);
    if conflict.saves_copy {
        return put(frame, wrap(COPIES, width), inner);
    }
    if conflict.fields.is_empty() {
        let why = match &editor.theirs {
            Some(TheirVersion::Gone(why)) => why.as_str(),
            _ => "the fields are the same on both sides",
        };
        return put(frame, wrap(&theme::safe(app, why), width), inner);
    }
    let each: Vec<Vec<Line<'static>>> =
        (0..conflict.fields.len()).map(|at| field(app, conflict, at, width)).collect();
    // Shows the field under the cursor, and as many fields above it as fit.
    let mut first = conflict.at;
    let mut used = each[conflict.at].len();
    while first > 0 && used + each[first - 1].len() <= usize::from(inner.height) {
        first -= 1;
        used += each[first].len();
    }
    put(frame, each.into_iter().skip(first).flatten(), inner);
}

fn field(app: &App, conflict: &FormConflict, at: usize, width: usize) -> Vec<Line<'static>> {
    let own = &conflict.fields[at];
    let is_here = at == conflict.at;
    let contested = if own.is_contested { "  both sides changed it" } else { "" };
    let head =
        format!("{} {}  takes {}{contested}", if is_here { '▶' } else { ' ' }, own.name, own.side.word());
    let style = if is_here { app.palette.strong() } else { Style::new() };
    let mut lines = vec![Line::styled(fit(&theme::safe(app, &head), width), style)];
    let [before, mine, theirs] = three_stretches(app, &own.before, &own.mine, &own.theirs);
    let sides = [
        ("before", None, before),
        ("mine", Some(FieldChoice::Mine), mine),
        ("theirs", Some(FieldChoice::Theirs), theirs),
    ];
    for (name, side, text) in sides {
        let is_taken = side.is_some_and(|side| own.side == side || own.side == FieldChoice::Both);
        let mark = if is_taken { "(•)" } else { "   " };
        let style = if is_taken { app.palette.strong() } else { Style::new() };
        let rows = theme::hanging(&format!("  {mark} {name:7} "), style, &text, width.saturating_sub(14));
        lines.extend(rows.into_iter().take(ROWS));
    }
    lines
}
