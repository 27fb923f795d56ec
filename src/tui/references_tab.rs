//! Lines of the tabs with references and the timeline.

use ratatui::text::Line;

use crate::model::{EntryLink, EntryRef};
use crate::tui::state::app::App;
use crate::tui::theme::{self, Theme};

/// Returns a line for each reference from or to a memory.
pub fn lines(app: &App, at: EntryRef, ties: &[EntryLink], width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    if app.listed_snapshot.get(at).0.memory(app.listed_snapshot.get(at).1).is_none() {
        return vec![Line::styled("A broken line refers to nothing.", theme.dim())];
    }
    if ties.is_empty() {
        return vec![Line::styled("Refers to nothing, and nothing refers to it.", theme.dim())];
    }
    let line = |tie: &EntryLink| {
        let arrow = if tie.outward { "→" } else { "←" };
        let name = if tie.name.is_empty() { "(no id)" } else { &tie.name };
        let what = match tie.other {
            Some(other) => crate::tui::record_text::title_of(app, other),
            None => "⚠ not in this store".to_owned(),
        };
        Line::from(theme::fit(
            &theme::safe(app, &format!("{arrow} {name}  {what}  ({})", tie.relation)),
            width,
        ))
    };
    ties.iter().map(line).collect()
}

/// Returns a line for each event of a memory's trace: the time after the first event, and the title.
pub fn timeline(app: &App, at: EntryRef, events: &[EntryLink], width: usize) -> Vec<Line<'static>> {
    let created = |event: EntryRef| {
        let (store, entry) = app.listed_snapshot.get(event);
        store.memory(entry).and_then(|memory| memory.created)
    };
    let first = events.first().and_then(|tie| created(tie.other?));
    let line = |tie: &EntryLink| {
        let Some(event) = tie.other else { return Line::default() };
        let mark = if event == at { "●" } else { "│" };
        let after = match (first, created(event)) {
            (Some(first), Some(when)) => after((when.0 - first.0).max(0)),
            _ => "?".into(),
        };
        let what = crate::tui::record_text::title_of(app, event);
        Line::from(theme::fit(&theme::safe(app, &format!("{mark} {after:>9}  {what}")), width))
    };
    events.iter().map(line).collect()
}

fn after(micros: i64) -> String {
    let seconds = micros as f64 / 1e6;
    match seconds {
        ..100.0 => format!("+{seconds:.3} s"),
        ..6_000.0 => format!("+{:.1} min", seconds / 60.0),
        ..172_800.0 => format!("+{:.1} h", seconds / 3_600.0),
        _ => format!("+{:.1} d", seconds / 86_400.0),
    }
}
