//! Describes a backup that is not open. Nothing is read for this.

use ratatui::text::{Line, Span};

use super::{dim, why};
use crate::model::PathText;
use crate::model::plan::count_with_noun;
use crate::ops::backup_restore::comparison::DifferenceKind;
use crate::text::columns::human_size;
use crate::tui::action::Action;
use crate::tui::state::app::App;
use crate::tui::theme::{self, Theme};
use crate::work::{BackupRow, BackupSummary};

/// The column where the values begin.
const INDENT: usize = 8;

/// Lists what to do with the backup, then what it is, then what differs if it was verified.
pub fn lines(app: &App, own: &BackupRow, width: usize) -> Vec<Line<'static>> {
    if app.list_view.backups.opening.is_some() {
        return dim(app, "reading …", width);
    }
    let mut lines = dim(app, &says(app, own), width);
    lines.push(Line::default());
    let named = [
        ("made", own.copy.at.map_or("at some time".into(), |at| at.short_date_at(app.now))),
        ("why", why(&own.copy.reason)),
        ("of", format!("{} in {}", own.copy.file.to_text(), app.store_name(own.store))),
        ("is", own.copy.path.to_text().into_owned()),
        ("size", human_size(own.copy.bytes)),
        ("state", state(own)),
    ];
    for (name, value) in named {
        lines.extend(field(app, name, &value, width));
    }
    lines.extend(own.differs.iter().flat_map(|differs| difference(app, differs, width)));
    lines
}

/// Says why the backup can't be opened, or whether it is intact, and what to do.
fn says(app: &App, own: &BackupRow) -> String {
    if let Some(why) = &app.list_view.backups.failed {
        return why.clone();
    }
    let found = match &own.verified {
        None => format!("It was not verified yet: {} does.", Action::Verify.call()),
        Some(own) if own.is_whole => format!("It is intact: {}.", own.found),
        Some(own) => format!("It is damaged: {}.", own.found),
    };
    format!("{found} Enter compares it with the store as it is now, and changes nothing.")
}

fn state(own: &BackupRow) -> String {
    match &own.verified {
        None => "not verified".into(),
        Some(own) if own.is_whole => "verified, intact".into(),
        Some(_) => "verified, damaged".into(),
    }
}

fn field(app: &App, name: &str, value: &str, width: usize) -> Vec<Line<'static>> {
    let dim = Theme::of(app).dim();
    let wrapped = theme::wrap(&theme::safe(app, value), width.saturating_sub(INDENT));
    let line = |(number, text): (usize, String)| {
        let name = if number == 0 { name } else { "" };
        Line::from(vec![Span::styled(format!("{name:INDENT$}"), dim), Span::raw(text)])
    };
    wrapped.into_iter().enumerate().map(line).collect()
}

/// Says how many memories differ, and lists the first ones that can be restored.
fn difference(app: &App, differs: &BackupSummary, width: usize) -> Vec<Line<'static>> {
    let strong = Theme::of(app).strong();
    let figures = figures(differs);
    let told = if figures.is_empty() { "no memory differs from now".into() } else { figures };
    let mut lines = field(app, "differs", &told, width);
    lines.push(Line::default());
    for (kind, title) in &differs.first {
        let title = theme::fit(&theme::safe(app, title), width.saturating_sub(2));
        lines.push(Line::from(vec![Span::styled(format!("{} ", kind.sign()), strong), Span::raw(title)]));
    }
    let more = differs.coming().saturating_sub(differs.first.len());
    lines.extend(
        (more > 0).then(|| Line::raw(format!("  and {} more", count_with_noun(more as u64, "memory")))),
    );
    lines
}

/// Counts the memories that differ, by kind.
pub fn figures(differs: &BackupSummary) -> String {
    let count = |kinds: &[DifferenceKind]| -> usize {
        let own = differs.counts.iter().filter(|(kind, _)| kinds.contains(kind));
        own.map(|(_, count)| count).sum()
    };
    let parts = [
        (count(&[DifferenceKind::Missing]), "back"),
        (count(&[DifferenceKind::Deleted]), "deleted since"),
        (count(&[DifferenceKind::Newer]), "newer"),
        (count(&[DifferenceKind::Absent]), "not in it"),
        (count(&[DifferenceKind::Changed]), "changed"),
        (count(&[DifferenceKind::Tombstoned, DifferenceKind::Erased]), "can't come back"),
    ];
    let told = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    told.collect::<Vec<_>>().join(", ")
}
