//! Marks of rows: one, a range, all, the others. The list can show only marked rows.

use crate::tui::action::Action;
use crate::tui::list_view;
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::update::list_view::row_refresh::{cursor_key, renew_focused};

/// Marks or unmarks the row under the cursor, and moves to the next row.
pub fn toggle(app: &mut App) {
    if app.list_view.focused().range.is_some() {
        return range(app);
    }
    let row = app.list_view.focused().selected();
    set(app, row.into_iter().collect(), true);
    let rows = app.list_view.focused_mut();
    rows.cursor.at = (rows.cursor.at + 1).min(rows.len().saturating_sub(1));
}

fn nothing(app: &mut App) {
    app.say("There is no row here to mark.");
}

/// Begins a range at the cursor, or marks the rows from its beginning to the cursor.
pub fn range(app: &mut App) {
    let own = app.list_view.focused_mut();
    if own.is_empty() {
        return nothing(app);
    }
    let Some(numbers) = own.open_range() else {
        own.range = Some(own.cursor.at);
        return;
    };
    own.range = None;
    let rows: Vec<ListRow> = numbers.filter_map(|at| app.list_view.focused().row(at)).collect();
    set(app, rows, false);
}

/// Marks all rows that are shown, or inverts their marks.
pub fn all(app: &mut App, inverts: bool) {
    set(app, app.list_view.focused().each().collect(), inverts);
}

/// Marks or inverts rows, without those that can't be marked. If none can be, says why.
fn set(app: &mut App, rows: Vec<ListRow>, inverts: bool) {
    if rows.is_empty() {
        return nothing(app);
    }
    let (mut refused, mut is_any) = (None, false);
    for row in rows {
        match list_view::may_mark(app, row) {
            Err(why) => refused = Some(why),
            Ok(()) => {
                is_any = true;
                let key = row.key(app);
                let marks = &mut app.list_view.focused_mut().marks;
                if !(inverts && marks.remove(&key)) {
                    marks.insert(key);
                }
            }
        }
    }
    if let Some(why) = refused.filter(|_| !is_any) {
        app.say(why);
    }
}

/// Shows only the marked rows, or all again.
pub fn only(app: &mut App) {
    let key = cursor_key(app);
    let own = app.list_view.focused_mut();
    if own.marks.is_empty() && !own.only_marked {
        return app.say(format!("Nothing is marked: {} marks.", Action::Toggle.key()));
    }
    own.only_marked = !own.only_marked;
    renew_focused(app, key);
}
