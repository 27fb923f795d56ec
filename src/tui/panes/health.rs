//! The health of the stores: counts with links to views, one a row. Zero counts are left out.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::plan::count_with_noun;
use crate::model::{Code, Severity};
use crate::text::columns::human_size;
use crate::tui::action::Action;
use crate::tui::list_view::problems;
use crate::tui::pane_titles::pane;
use crate::tui::state::app::{App, Pane};
use crate::tui::theme::{column, sign};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = pane(app, frame, Pane::Health, "3 Health", "", area);
    let width = usize::from(inner.width).saturating_sub(2);
    let rows = rows(app);
    let row = |at: usize| {
        let Some(row) = rows.get(at) else { return Line::raw("reading …") };
        let sign = match row.link {
            HealthLink::Secrets => app.palette.secret(),
            _ => app.palette.severity(row.severity),
        };
        let key = row.link.key();
        let room = width.saturating_sub(key.chars().count() + 3);
        Line::from(vec![
            Span::styled(format!("{} ", row.sign), sign),
            Span::raw(column(&row.text, room) + " "),
            Span::styled(key, app.palette.key()),
        ])
    };
    let len = rows.len().max(1);
    super::draw_lines(app, frame, inner, app.health_cursor, len, app.focus == Pane::Health, row);
}

pub struct HealthRow {
    pub sign: &'static str,
    pub severity: Severity,
    pub text: String,
    pub link: HealthLink,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthLink {
    View(Action),
    Problems(&'static str),
    Search(&'static str),
    /// The memories with secrets. The view has all findings, also those that are no secrets.
    Secrets,
}

impl HealthLink {
    /// Returns the key that goes there from every view; Enter if only this row goes there.
    pub fn key(self) -> &'static str {
        match self {
            HealthLink::View(action) if !action.key().is_empty() => action.key(),
            HealthLink::Problems(_) => Action::Problems.key(),
            HealthLink::View(_) | HealthLink::Search(_) => "↵",
            HealthLink::Secrets => Action::Secrets.key(),
        }
    }
}

/// Returns the counts that are not zero.
pub fn rows(app: &App) -> Vec<HealthRow> {
    if !app.is_whole() {
        return Vec::new();
    }
    let deleted = app.deleted.count.map_or_else(|| app.sum(|own| own.deleted), |own| own.deleted);
    let archived = app.deleted.count.map_or_else(|| app.sum(|own| own.archived), |own| own.archived);
    let [errors, warnings, _] = app.problem_counts();
    let problems = |severity| HealthLink::Problems(problems::heading(severity));
    let broken = HealthLink::Search("is:broken");
    let stale_locks = HealthLink::Problems(Code::StaleLock.as_str());
    let figures = [
        (Severity::Error, sign(Severity::Error), errors, "error", problems(Severity::Error)),
        (Severity::Warning, sign(Severity::Warning), warnings, "warning", problems(Severity::Warning)),
        (Severity::Warning, "!", app.sum(|own| own.sensitive), "secret", HealthLink::Secrets),
        (Severity::Warning, "∅", app.sum(|own| own.unseen), "unseen", HealthLink::Search("is:unseen")),
        (Severity::Error, sign(Severity::Error), app.sum(|own| own.broken), "broken line", broken),
        (Severity::Warning, "◷", app.sum(|own| own.stale_locks), "stale lock", stale_locks),
        (Severity::Note, "◌", deleted, "deleted", HealthLink::Search("is:deleted")),
        (Severity::Note, "▪", archived, "archived", HealthLink::Search("is:archived")),
        (Severity::Note, " ", app.sum(|own| own.backups), "backup", HealthLink::View(Action::BringBack)),
    ];
    let mut rows: Vec<HealthRow> = figures
        .into_iter()
        .filter(|(_, _, count, ..)| *count > 0)
        .map(|(severity, sign, count, name, leads)| HealthRow {
            severity,
            sign,
            text: match name {
                // The number in undo data and backups is not known yet.
                "deleted" if app.deleted.count.is_none() => name.to_owned(),
                "deleted" | "archived" | "unseen" => format!("{count} {name}"),
                _ => count_with_noun(count as u64, name),
            },
            link: leads,
        })
        .collect();
    let size =
        |severity, sign, text| HealthRow { severity, sign, text, link: HealthLink::View(Action::Statistics) };
    let bytes: u64 = app.snapshot.stores.iter().map(|store| store.bytes).sum();
    rows.push(size(Severity::Note, " ", format!("{} used", human_size(bytes))));
    let sessions = app.snapshot.stores.iter().flat_map(|store| &store.sessions);
    let full = sessions.filter_map(|session| Some(session.size as f64 / session.limit? as f64));
    let fullest = full.fold(0.0, f64::max);
    if fullest >= 0.5 {
        rows.push(size(Severity::Warning, "◔", format!("a session {:.0}% full", fullest * 100.0)));
    }
    rows
}
