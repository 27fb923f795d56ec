//! Upkeep: what is due, what a compaction drops, which memories are affected, and why.

use ratatui::text::Line;

use super::list_cell::ListCell;
use super::{ListViewKind, RowDetails};
use crate::model::plan::count_with_noun;
use crate::tui::hint::{Hint, hint};
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::{self, Theme};
use crate::work::{Chore, ChoreKind};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["due first", "by store"],
    none: "Nothing is due, and there is nothing to compact.",
    is_beside: false,
    rows,
    about,
    hints,
    is_read: |app| app.list_view.read_snapshot.is_some(),
};

fn rows(app: &App) -> Vec<ListRow> {
    let chores = &app.list_view.chores;
    let is_shown = |at: &usize| !matches!(chores[*at].task, ChoreKind::Soon(_));
    let mut own: Vec<usize> = (0..chores.len()).filter(is_shown).collect();
    if app.list_view.compactions_first {
        own.sort_by_key(|&at| chores[at].task != ChoreKind::Compact);
    }
    if app.list_view.list.is_other_order {
        own.sort_by_key(|&at| chores[at].store);
    }
    own.into_iter().map(ListRow::Chore).collect()
}

/// Returns the task of the row under the cursor.
pub fn chore(app: &App) -> Option<&Chore> {
    let Some(ListRow::Chore(at)) = app.list_view.row() else { return None };
    app.list_view.chores.get(at)
}

pub fn key(app: &App, at: usize) -> String {
    let own = app.list_view.chores.get(at);
    own.map(|own| format!("{} {:?} {}", own.store, own.task, own.what)).unwrap_or_default()
}

fn what(own: &Chore) -> &str {
    if own.task == ChoreKind::Compact { "compact" } else { &own.what }
}

pub fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let theme = Theme::of(app);
    let chores = &app.list_view.chores;
    if let ListRow::Touched(at) = row {
        let Some(own) = chore(app).and_then(|own| own.touched.get(at)) else { return Vec::new() };
        return vec![
            ListCell::rest(format!("  {}", own.title)),
            ListCell::fitting(own.measure.clone(), 22).styled(theme.dim()).from(60),
            ListCell::fitting(own.fate.told(), 40).styled(theme.dim()).from(110),
        ];
    }
    let ListRow::Chore(at) = row else { return Vec::new() };
    let Some(own) = chores.get(at) else { return Vec::new() };
    let when = match own.task {
        ChoreKind::Due | ChoreKind::Compact if own.plan.is_none() => "nothing".to_owned(),
        ChoreKind::Due => "due now".into(),
        ChoreKind::Soon(days) => format!("in {days} d"),
        ChoreKind::Compact => "any time".into(),
    };
    let verb = if own.task == ChoreKind::Compact && own.plan.is_some() { "removes " } else { "" };
    let many = if own.touched.is_empty() {
        String::new()
    } else {
        format!("{verb}{}", count_with_noun(own.touched.len() as u64, "memory"))
    };
    let style = if own.plan.is_some() { ratatui::style::Style::new() } else { theme.dim() };
    vec![
        ListCell::rest(format!("  {}", what(own))).styled(style),
        ListCell::fitting(many, 19).styled(style).from(72),
        ListCell::left(when, 8).styled(style),
        ListCell::store(app, own.store),
    ]
}

/// Shows the rule of a task. The memories that it affects are listed below.
pub fn about(app: &App, width: usize) -> RowDetails {
    let Some(own) = chore(app) else { return RowDetails::default() };
    let why = match (&own.refused, own.rule.is_empty()) {
        (Some(why), true) => format!("Not now: {why}"),
        (Some(why), false) => format!("Not now: {why}. The rule: {}.", own.rule),
        (None, _) => format!("The rule: {}.", own.rule),
    };
    let style = Theme::of(app).dim();
    let lines = theme::wrap(&theme::safe(app, &why), width);
    let lines = lines.into_iter().map(|line| Line::styled(line, style)).collect();
    let title = count_with_noun(own.touched.len() as u64, "memory");
    RowDetails { title, right: app.store_name(own.store).to_owned(), lines }
}

fn hints(app: &App) -> Vec<Hint> {
    let can = chore(app).is_some_and(|own| own.plan.is_some());
    if can || !app.list_view.list.marks.is_empty() { vec![hint("Enter", "do it…")] } else { Vec::new() }
}

/// Returns why a task can't be carried out.
pub fn not_now(chore: &Chore) -> String {
    match (&chore.refused, chore.task) {
        (Some(why), _) => why.clone(),
        (None, ChoreKind::Soon(days)) => {
            format!("It is not due yet: within {days} days, if nobody uses them until then.")
        }
        _ => "There is nothing to do.".into(),
    }
}
