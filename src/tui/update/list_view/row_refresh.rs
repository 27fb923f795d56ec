//! Opens a list view, and makes its rows again, also for another filter.

use std::collections::HashSet;
use std::sync::Arc;

use crate::tui::list_view::{self, loaded, row};
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_view::ListView;
use crate::tui::state::row_list::{ListRow, RowList};
use crate::tui::update::list_view::{backups, problems};
use crate::usecase::budgets;
use crate::work::{Inspect, InspectRequest, Job};

pub fn ask(app: &mut App, what: Inspect) {
    let Some(data) = app.data.clone() else {
        return app.say("There is no folder of palimp's own data to look in; name one with --data-dir.");
    };
    let request = InspectRequest { snapshot: Arc::clone(&app.snapshot), data, now: app.now, what };
    app.give_job(Job::Inspect(Box::new(request)));
}

/// Returns the key of the row under the cursor, which finds the row again after a new read.
pub fn cursor_key(app: &App) -> Option<String> {
    app.list_view.row().map(|row| row.key(app))
}

/// Makes the rows again. The cursor stays on the row with this key, and marks stay on their rows.
pub fn renew(app: &mut App, key: Option<String>) {
    let Some(kind) = list_view::current_kind(app) else { return };
    let all = (kind.rows)(app);
    if !app.list_view.list.marks.is_empty() {
        let keys: HashSet<String> = all.iter().map(|row| row.key(app)).collect();
        app.list_view.list.keep_marks(|key| keys.contains(key));
    }
    let rows = shown(app, all, &app.list_view.list);
    app.list_view.list.put(rows);
    let same = |row: ListRow| key.as_ref().is_some_and(|key| row.key(app) == *key);
    let at = key.is_some().then(|| app.list_view.list.each().position(same)).flatten();
    // The first problem that an undo brought back.
    let before = app.list_view.before_undo.as_ref().filter(|_| app.screen == Screen::Problems);
    let is_back =
        |before: &HashSet<String>| app.list_view.list.each().position(|row| !before.contains(&row.key(app)));
    let back = before.and_then(is_back);
    if back.is_some() {
        app.list_view.before_undo = None;
    }
    app.list_view.list.cursor.at = back.or(at).unwrap_or(app.list_view.list.cursor.at);
    app.list_view.is_stale = true;
}

/// Returns the rows that match the filter, and only marked ones if the list shows only these.
pub fn shown(app: &App, mut all: Vec<ListRow>, of: &RowList) -> Vec<ListRow> {
    let is_row = |row: &ListRow| row.level().is_none();
    if of.only_marked {
        all.retain(|row| !is_row(row) || of.marks.contains(&row.key(app)));
    }
    let wanted = of.filter.to_lowercase();
    let has = |text: String| text.to_lowercase().contains(&wanted);
    // A row matches if its heading does.
    let mut heads: Vec<(u8, bool)> = Vec::new();
    all.retain(|own| {
        let Some(level) = own.level() else { return heads.iter().any(|head| head.1) || has(own.text(app)) };
        heads.retain(|head| head.0 < level);
        heads.push((level, has(row::title(app, *own))));
        true
    });
    row::recount(&mut all);
    all
}

/// Makes the rows of the focused list again, after its marks or its filter changed.
pub fn renew_focused(app: &mut App, key: Option<String>) {
    match app.list_view.in_details {
        true => renew_within(app),
        false => renew(app, key),
    }
}

pub fn renew_within(app: &mut App) {
    loaded::list_lines(app);
    let all = list_view::detail_rows(app);
    let rows = shown(app, all, &app.list_view.details);
    app.list_view.details.put(rows);
    let selected = list_view::problems::selected(app);
    let asked = selected.map(|(store, problem)| Inspect::Fixes(store, Box::new(problem.clone())));
    if let Some(asked) = asked.filter(|_| app.screen == Screen::Problems && app.data.is_some()) {
        ask(app, asked);
    }
    app.list_view.text = list_view::detail_text(app).lines().map(str::to_owned).collect();
}

/// Makes the details follow the cursor. Marks in the details of another row are dropped.
pub fn follow(app: &mut App) {
    let key = cursor_key(app);
    let is_same = app.list_view.details_of == key;
    if is_same && !app.list_view.is_stale {
        return;
    }
    if !is_same {
        (app.list_view.details, app.list_view.top) = (RowList::default(), 0);
        app.list_view.fixes = None;
        backups::follow(app);
    }
    (app.list_view.details_of, app.list_view.is_stale) = (key, false);
    renew_within(app);
}

/// Opens a view in its initial state, and starts to read it.
pub fn open_view(app: &mut App, screen: Screen) {
    if app.places.is_empty() {
        return app.say("No store is open.");
    }
    let needs_all = !matches!(screen, Screen::Problems | Screen::New);
    if needs_all && !app.is_whole() {
        return app.say("The stores are still being read.");
    }
    let under = app.selected().filter(|_| app.screen == Screen::Memories);
    app.list_view = ListView::default();
    app.screen = screen;
    app.opened_from = None;
    renew(app, None);
    if let Some(at) = under.filter(|_| screen == Screen::Problems) {
        problems::go_to(app, at);
    }
    refresh(app)
}

/// Starts to read what the open view shows, from the present stores.
pub fn refresh(app: &mut App) {
    let what = match app.screen {
        Screen::Backups => Inspect::Backups,
        Screen::Upkeep => Inspect::Upkeep(app.ranking),
        Screen::Journal => Inspect::Journal,
        Screen::Secrets => Inspect::Secrets,
        Screen::Loaded => {
            let key = cursor_key(app);
            app.list_view.budgets = budgets(&app.snapshot, app.now);
            renew(app, key);
            // Without a folder of its own data palimp reads no more than the stores.
            if app.data.is_none() {
                return;
            }
            Inspect::Instructions(app.home.clone())
        }
        _ => return,
    };
    ask(app, what)
}

/// Up to this many rows are filtered at every letter. More rows are filtered after Enter.
const AT_ONCE: usize = 5_000;

pub fn filter_typed(app: &mut App, text: &str, is_kept: bool) {
    if is_kept || app.list_view.focused().len() <= AT_ONCE {
        filter(app, text);
    }
}

pub fn filter(app: &mut App, text: &str) {
    let own = app.list_view.focused_mut();
    if own.filter == text {
        return;
    }
    own.filter = text.to_owned();
    let key = cursor_key(app);
    renew_focused(app, key);
}
