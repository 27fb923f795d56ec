//! The possible next keys of a sequence, and what each does.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::action::{Action, ActionInfo, following};
use crate::tui::layout;
use crate::tui::list_view::new;
use crate::tui::pane_titles::sheet;
use crate::tui::state::app::App;
use crate::tui::theme::{column, put};

const ENTRY: usize = 17;

/// On a narrower terminal only one key that cancels is named.
const NARROW: usize = 50;

fn meaning(waiting: &str) -> &'static str {
    match waiting {
        "g" => "go to",
        "]" => "next",
        "[" => "previous",
        "z" => "fold",
        "y" => "copy",
        _ => "",
    }
}

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    if app.key_sequence.is_empty() || !app.shows_next_keys {
        return;
    }
    let keys = following(app.screen, &app.key_sequence);
    let width = usize::from(app.size.0).saturating_sub(1);
    let each = (width / ENTRY).clamp(1, keys.len().max(1));
    let rows = keys.chunks(each).map(|row| line(app, row, width / each));
    let title = format!("{}  {}", app.key_sequence, meaning(&app.key_sequence));
    let cancel = if width < NARROW { "Esc cancels" } else { "any other key cancels" };
    // It may hide every row behind it, because the next key shows them again.
    let body = layout::frame(app).body;
    let height = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX).min(body.height);
    let area = Rect { y: body.bottom() - height, height, ..body };
    let inner = sheet(app, frame, &title, cancel, area);
    put(frame, rows, Rect { x: inner.x + 1, width: inner.width - 1, ..inner });
}

fn line(app: &App, row: &[(&'static str, &'static ActionInfo)], width: usize) -> Line<'static> {
    let entry = |(key, known): &(&'static str, &'static ActionInfo)| {
        let count = count(app, known.action);
        let told = count.map_or(String::new(), |count| format!(" {count}"));
        let style = if count == Some(0) { app.palette.dim() } else { Default::default() };
        let name = known.name.strip_prefix(meaning(&app.key_sequence)).unwrap_or(known.name).trim_start();
        let text = column(&format!("{name}{told}"), width.saturating_sub(key.len() + 2));
        [Span::styled(*key, app.palette.key()), Span::styled(format!(" {text} "), style)]
    };
    Line::from(row.iter().flat_map(entry).collect::<Vec<_>>())
}

/// Returns how many memories, problems or backups an action leads to.
fn count(app: &App, action: Action) -> Option<usize> {
    match action {
        Action::Problems | Action::NextProblem | Action::PreviousProblem => Some(app.problem_list.len()),
        Action::New => Some(new::count(app)),
        Action::Secrets => Some(app.sum(|own| own.sensitive)),
        _ => None,
    }
}
