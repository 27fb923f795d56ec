//! Upkeep: what is due now and next, what a compaction drops, what fades, and what is archived.

use ratatui::style::Style;
use ratatui::text::Line;

use super::list_cell::ListCell;
use super::{ListViewKind, RowDetails, archive, fading};
use crate::model::plan::count_with_noun;
use crate::tui::action::Action;
use crate::tui::hint::{Hint, act, hint};
use crate::tui::state::app::App;
use crate::tui::state::list_row::{ListRow, UpkeepPart};
use crate::tui::theme::{self, Theme};
use crate::work::{Chore, ChoreKind};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["due first", "fading first"],
    none: "Nothing is due, fades within 30 days or can be compacted, and nothing is archived. \
           In the list `a` archives a memory, and here it can be brought back.",
    is_beside: true,
    rows,
    about,
    hints,
    is_read: |app| app.list_view.read_snapshot.is_some(),
};

fn rows(app: &App) -> Vec<ListRow> {
    let part = |part: UpkeepPart, below: Vec<ListRow>| {
        std::iter::once(ListRow::UpkeepPart(part, below.len())).chain(below)
    };
    let chores = |is_wanted: fn(&Chore) -> bool| {
        let wanted = app.list_view.chores.iter().enumerate().filter(move |(_, chore)| is_wanted(chore));
        wanted.map(|(at, _)| ListRow::Chore(at)).collect()
    };
    let fades = (0..app.list_view.fading.len()).map(ListRow::Fading).collect();
    let due = part(UpkeepPart::Due, chores(|chore| chore.task == ChoreKind::Due))
        .chain(part(UpkeepPart::Next, chores(|chore| matches!(chore.task, ChoreKind::Soon(_)))))
        // A store without anything to compact is no row.
        .chain(part(
            UpkeepPart::Compact,
            chores(|chore| chore.task == ChoreKind::Compact && chore.plan.is_some()),
        ))
        .chain(part(UpkeepPart::Archived, archive::rows(app)));
    let fades = part(UpkeepPart::Fades, fades);
    match app.list_view.list.is_other_order {
        true => fades.chain(due).collect(),
        false => due.chain(fades).collect(),
    }
}

impl UpkeepPart {
    fn title(self) -> &'static str {
        match self {
            UpkeepPart::Due => "Due now",
            UpkeepPart::Next => "Due next",
            UpkeepPart::Compact => "A compaction drops",
            UpkeepPart::Fades => "Fades fully within 30 days",
            UpkeepPart::Archived => "Archived",
        }
    }
}

pub fn chore(app: &App) -> Option<&Chore> {
    let Some(ListRow::Chore(at)) = app.list_view.row() else { return None };
    app.list_view.chores.get(at)
}

pub fn key(app: &App, at: usize) -> String {
    let chore = app.list_view.chores.get(at);
    chore.map(|chore| format!("{} {:?} {}", chore.store, chore.task, chore.what)).unwrap_or_default()
}

pub fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let theme = Theme::of(app);
    match row {
        ListRow::UpkeepPart(part, count) => {
            vec![ListCell::rest(format!("{}  {count}", part.title())).styled(theme.strong())]
        }
        ListRow::Touched(at) => {
            let Some(touched) = chore(app).and_then(|chore| chore.touched.get(at)) else { return Vec::new() };
            vec![
                ListCell::rest(format!("  {}", touched.title)),
                ListCell::fitting(touched.measure.clone(), 22).styled(theme.dim()).from(60),
                ListCell::fitting(touched.told(), 40).styled(theme.dim()).from(110),
            ]
        }
        ListRow::Chore(at) => app.list_view.chores.get(at).map(|chore| task(app, chore)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn task(app: &App, chore: &Chore) -> Vec<ListCell> {
    let theme = Theme::of(app);
    let when = match chore.task {
        ChoreKind::Soon(days) => format!("in {days} d"),
        _ if chore.plan.is_none() => "not now".to_owned(),
        _ => String::new(),
    };
    let (what, verb) =
        if chore.task == ChoreKind::Compact { ("compact", "removes ") } else { (&*chore.what, "") };
    let many = match chore.touched.len() {
        0 => String::new(),
        count => format!("{verb}{}", count_with_noun(count as u64, "memory")),
    };
    let style = if chore.plan.is_some() { Style::new() } else { theme.dim() };
    vec![
        ListCell::rest(format!("  {what}")).styled(style),
        ListCell::fitting(many, 19).styled(style).from(60),
        ListCell::fitting(when, 8).styled(style),
        ListCell::store(app, chore.store),
    ]
}

/// Shows the rule of a task, with the memories that it affects below; or the memory of the row.
fn about(app: &App, width: usize) -> RowDetails {
    match app.list_view.row() {
        Some(ListRow::Archived(at)) => archive::about(app, at, width),
        Some(ListRow::Fading(at)) => fading::about(app, at, width),
        _ => chore(app).map(|chore| rule(app, chore, width)).unwrap_or_default(),
    }
}

fn rule(app: &App, chore: &Chore, width: usize) -> RowDetails {
    let why = match (&chore.refused, chore.rule.is_empty()) {
        (Some(why), true) => format!("Not now: {why}"),
        (Some(why), false) => format!("Not now: {why}. The rule: {}.", chore.rule),
        (None, _) => format!("The rule: {}.", chore.rule),
    };
    let style = Theme::of(app).dim();
    let lines = theme::wrap(&theme::safe(app, &why), width);
    let lines = lines.into_iter().map(|line| Line::styled(line, style)).collect();
    let title = count_with_noun(chore.touched.len() as u64, "memory");
    RowDetails { title, right: app.store_name(chore.store).to_owned(), lines }
}

fn hints(app: &App) -> Vec<Hint> {
    let is_list = !app.list_view.in_details;
    let remove = (!app.is_readonly()).then(|| act(Action::Delete, "remove…"));
    let enter = |what| is_list.then(|| hint("Enter", what));
    match app.list_view.row() {
        Some(ListRow::Archived(at)) => {
            let can = !app.is_readonly() && archive::why_not_restorable(app, at).is_none();
            let back = can.then(|| act(Action::BringBack, "bring back…"));
            [enter("read"), back, remove].into_iter().flatten().collect()
        }
        Some(ListRow::Fading(_)) => [enter("open"), remove].into_iter().flatten().collect(),
        Some(_) => {
            let can = chore(app).is_some_and(|chore| chore.plan.is_some());
            let can = can || !app.list_view.list.marks.is_empty();
            (can && !app.is_readonly()).then(|| hint("Enter", "do it…")).into_iter().collect()
        }
        None => Vec::new(),
    }
}

pub fn not_now(chore: &Chore) -> String {
    match (&chore.refused, chore.task) {
        (Some(why), _) => why.clone(),
        (None, ChoreKind::Soon(days)) => {
            format!("It is not due yet: within {days} days, if nobody uses them until then.")
        }
        _ => "There is nothing to do.".into(),
    }
}
