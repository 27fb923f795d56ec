//! The form and the menu to remove memories, in the views whose rows are memories or are in memories.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{EntryRef, Snapshot};
use crate::tui::list_view::{has_rows, memory_of, snapshot_of_rows};
use crate::tui::possible_changes::{checked_row, writable};
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::pending_changes::DeleteMenu;
use crate::tui::state::row_list::ListRow;
use crate::tui::update::delete_menu::{add_take_out, choices, erase_all};
use crate::tui::update::list_view::change_request::aimed;
use crate::tui::update::list_view::secrets;
use crate::tui::update::{editor, reference_go_back};
use crate::usecase::memory_count;

/// Opens the form of the memory under the cursor. Esc leads back to the list.
pub fn edit(app: &mut App) {
    let opened = checked_row(app).and_then(|at| {
        let aim = target(app, vec![at]);
        reference_go_back::open_memory_of(app, &aim.snapshot, at);
        editor::open(app, &aim)
    });
    opened.unwrap_or_else(|why| app.say(why));
}

pub fn menu(app: &App) -> Result<DeleteMenu, String> {
    writable(app)?;
    let is_text = app.list_view.in_details && !has_rows(app);
    let rows = if is_text { app.list_view.row().into_iter().collect() } else { aimed(app) };
    let at = memories(app, rows.into_iter());
    if at.is_empty() {
        return Err("No memory is under the cursor, and none is marked: nothing is changed.".into());
    }
    let shown = memories(app, app.list_view.list.each());
    let is_shown: HashSet<EntryRef> = shown.iter().copied().collect();
    let mut hidden: Vec<EntryRef> = at.iter().copied().filter(|at| !is_shown.contains(at)).collect();
    hidden.sort_unstable();
    let aim = ChangeTarget { hidden, ..target(app, at) };
    let mut lines = choices(app, &aim);
    match app.screen {
        Screen::Secrets => _ = lines.splice(0..0, secrets::value_lines(app)),
        _ => add_take_out(app, &mut lines, &aim),
    }
    // The rows of problems and of files are not the memories themselves.
    let are_memories = !matches!(app.screen, Screen::Problems | Screen::Loaded);
    if are_memories && app.list_view.list.marks.is_empty() && shown.len() > 1 {
        lines.extend(erase_all(target(app, shown), "all memories in this list"));
    }
    Ok(DeleteMenu { verb: "Remove", aim, lines })
}

fn memories(app: &App, rows: impl Iterator<Item = ListRow>) -> Vec<EntryRef> {
    let mut known = HashSet::new();
    rows.filter_map(|row| memory_of(app, row)).filter(|at| known.insert(*at)).collect()
}

fn target(app: &App, at: Vec<EntryRef>) -> ChangeTarget {
    let snapshot = Arc::clone(snapshot_of_rows(app));
    let name = match at.as_slice() {
        [one] => name(app, &snapshot, *one),
        several => memory_count(several.len()),
    };
    ChangeTarget { snapshot, at, name, ..ChangeTarget::default() }
}

/// Returns the name of a memory. Among findings, it must not have their values.
fn name(app: &App, snapshot: &Snapshot, at: EntryRef) -> String {
    let found = app.list_view.findings.list.iter().flat_map(|own| &own.all).find(|own| own.at == at);
    found.map_or_else(|| App::quoted_title(snapshot, at), |own| format!("\"{}\"", own.title))
}
