//! Sizes against their limits, problems, secrets, backups, archives.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::Severity;
use crate::tui::action::Action;
use crate::tui::app::{App, Pane};
use crate::tui::border::framed;
use crate::tui::theme::{Theme, column, sign};
use crate::work::Tally;

/// Draws the health of the stores.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = framed(app, frame, Some(Pane::Health), "3 Health", "", area);
    let theme = Theme::of(app);
    let width = usize::from(inner.width);
    let lines: Vec<Line<'static>> = facts(app)
        .into_iter()
        .map(|(name, value, key)| {
            let room = width.saturating_sub(9 + key.len());
            Line::from(vec![
                Span::styled(column(name, 9), theme.dim()),
                Span::raw(column(&value, room)),
                Span::styled(key, theme.key()),
            ])
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn facts(app: &App) -> Vec<(&'static str, String, &'static str)> {
    if !app.is_whole() {
        return vec![("", "reading …".into(), "")];
    }
    let sum = |of: fn(&Tally) -> usize| app.tallies.iter().map(of).sum::<usize>().to_string();
    let [errors, warnings, notes] = app.problem_counts();
    let signs = [Severity::Error, Severity::Warning, Severity::Note].map(sign);
    let stale: usize = app.tallies.iter().map(|tally| tally.stale_locks).sum();
    vec![
        ("size", size(app), Action::Maintain.key()),
        (
            "check",
            format!("{}{errors} {}{warnings} {}{notes}", signs[0], signs[1], signs[2]),
            Action::Problems.key(),
        ),
        ("secrets", sum(|tally| tally.sensitive), ""),
        ("broken", sum(|tally| tally.broken), ""),
        ("archive", sum(|tally| tally.archived), Action::ArchiveView.key()),
        ("deleted", sum(|tally| tally.deleted), ""),
        ("backups", sum(|tally| tally.backups), Action::Restore.key()),
        ("locks", if stale == 0 { "free".into() } else { format!("{stale} stale") }, ""),
    ]
}

/// The bytes of all stores, and the session that is nearest to its limit.
fn size(app: &App) -> String {
    let bytes: u64 = app.snapshot.stores.iter().map(|store| store.bytes).sum();
    let sessions = app.snapshot.stores.iter().flat_map(|store| &store.sessions);
    let fullest =
        sessions.filter_map(|session| Some(session.size as f64 / session.limit? as f64)).fold(0.0, f64::max);
    let own = human(bytes);
    if fullest > 0.0 { format!("{own} {:.0}%", fullest * 100.0) } else { own }
}

/// Bytes as people say them.
pub fn human(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} kB", bytes as f64 / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GB", bytes as f64 / 1_073_741_824.0),
    }
}
