//! Hints for the keys that can be used in the current state.

use crate::format;
use crate::ops::merge::MergeChoice;
use crate::query::DUPLICATES;
use crate::tui::action::{Action, Hint, act, following, hint};
use crate::tui::possible_changes::can;
use crate::tui::state::app::{App, Pane, Screen, return_view};
use crate::tui::state::pending_changes::ActiveChange;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::{confirm, layout, list_view};

/// Returns the hints, the most useful first, and those at the right end of the line.
pub fn of(app: &App) -> (Vec<Hint>, Vec<Hint>) {
    let is_plain = !layout::has_dialog(app) && app.key_sequence.is_empty() && app.screen != Screen::Editor;
    let ends = match is_plain && !app.changes.active.as_ref().is_some_and(ActiveChange::is_open) {
        true => vec![act(Action::Command, "commands"), act(Action::Help, "help")],
        false => Vec::new(),
    };
    let mut hints = first(app);
    // An action without a key is no hint: the palette has it.
    hints.retain(|(keys, _)| !keys.is_empty());
    (hints, ends)
}

fn first(app: &App) -> Vec<Hint> {
    if let Some(prompt) = &app.prompt {
        return match prompt.purpose {
            PromptPurpose::Search => {
                vec![hint("Enter", "keep"), hint("Esc", "cancel"), hint("↑↓", "to the list")]
            }
            PromptPurpose::RowFilter => vec![hint("Enter", "keep"), hint("Esc", "cancel")],
            purpose if purpose.is_change() => {
                vec![hint("Enter", "do it"), hint("Tab", "complete"), hint("Esc", "cancel")]
            }
            PromptPurpose::Theme => {
                vec![hint("Enter", "keep"), hint("jk", "choose"), hint("Esc", "as it was")]
            }
            _ => vec![hint("Enter", "run"), hint("↑↓", "choose"), hint("Esc", "close")],
        };
    }
    if app.changes.active.as_ref().is_some_and(ActiveChange::is_open) {
        return vec![hint("Esc", "stop it")];
    }
    if app.changes.receipt.is_some() {
        let open = (!app.changes.places.is_empty()).then(|| hint("o", "open place"));
        return [hint("jk", "scroll")].into_iter().chain(open).chain([hint("Esc", "close")]).collect();
    }
    if let Some(confirm) = &app.confirm {
        let (yes, keys) = match confirm.typed_word {
            Some(_) => (hint("Enter", "do it, once typed"), "↑↓ PgDn"),
            None => (hint("y", "do it"), "jk PgDn"),
        };
        let is_longer = confirm::parts(app).is_some_and(|parts| parts.rows < confirm.len());
        let scroll = is_longer.then(|| hint(keys, "scroll"));
        let is_merge = confirm.planned.request.command.is::<MergeChoice>();
        let choices = is_merge.then(|| [hint("Tab", "another text"), hint("i", "another stays")]);
        let ways = [Some(yes), scroll].into_iter().flatten().chain(choices.into_iter().flatten());
        return ways.chain([hint("Esc", "cancel")]).collect();
    }
    if app.delete_menu.is_some() {
        return vec![hint("Esc", "cancel")];
    }
    if let Some(editor) = app.editor.as_ref().filter(|_| app.screen == Screen::Editor) {
        return super::editor::hints(app, editor);
    }
    if let Some(own) = app.clean_up.as_ref().filter(|_| app.screen == Screen::CleanUp) {
        return super::clean_up::hints(app, own);
    }
    if !app.key_sequence.is_empty() {
        if app.shows_next_keys {
            return Vec::new();
        }
        let follow = following(app.screen, &app.key_sequence).into_iter();
        return follow.map(|(keys, known)| hint(keys, known.name)).collect();
    }
    if let Some(kind) = list_view::current_kind(app) {
        return super::list_view::hints(app, kind);
    }
    match (app.screen, app.focus) {
        _ if app.is_first_run() => vec![act(Action::Delete, "demo"), act(Action::Close, "quit")],
        (Screen::Difference, _) => super::difference::hints(app),
        (Screen::Statistics, _) => super::statistics::hints(app),
        (_, Pane::Sessions) => {
            let is_one = app.tree.get(app.tree_cursor.at).is_some_and(|branch| branch.store.is_some());
            let keep = is_one.then(|| hint("Space", "keep as a filter"));
            let hints = [hint("jk", "show a store"), hint("Enter", "its memories"), hint("l", "unfold")];
            hints.into_iter().chain(keep).chain([hint("Esc", "back")]).collect()
        }
        (_, Pane::Filters) => vec![hint("jk", "move"), hint("Space", "filter"), hint("Esc", "back")],
        (_, Pane::Why) => {
            let zoom = act(Action::Zoom, if app.zoomed { "all panes" } else { "alone" });
            let zoom = (!layout::is_single(app)).then_some(zoom);
            let ways = [hint("jk", "next, before"), hint("Esc", "back")];
            zoom.into_iter().chain(ways).collect()
        }
        (_, Pane::Health) => vec![hint("jk", "move"), hint("Enter", "show them"), hint("Esc", "back")],
        (_, Pane::Detail) if app.shown_tab().is_list() => vec![
            hint("jk", "move"),
            hint("Enter", "go to it"),
            act(Action::GoBack, "back along it"),
            act(Action::NextTab, "next tab"),
            hint("Esc", "back"),
        ],
        (_, Pane::Detail) => {
            let scrolls = app.detail.len() > layout::rows(app, Pane::Detail);
            let reads = app.is_reading().then(|| reading(app)).into_iter().flatten();
            let others = [act(Action::NextTab, "its file, references"), hint("Esc", "back")];
            scrolls.then(|| hint("jk", "scroll")).into_iter().chain(reads).chain(others).collect()
        }
        _ => memories(app),
    }
}

fn reading(app: &App) -> impl Iterator<Item = Hint> {
    let turns = (app.results.hits.len() > 1).then(|| hint("] [", "next"));
    let mut changes = changes(app);
    let edit = if can(app, Action::Edit) { changes.next() } else { None };
    let fix = fix(app).filter(|(is_own, _)| *is_own).map(|(_, hint)| hint);
    edit.into_iter().chain(fix).chain(turns).chain(changes)
}

fn memories(app: &App) -> Vec<Hint> {
    if !app.marks.is_empty() || app.marks.range.is_some() || app.marks.only_marked {
        return marked(app);
    }
    let mut hints = vec![hint("/", "search")];
    if app.results.hits.is_empty() && app.results.blocker.is_some() {
        hints.push(hint("Backspace", "drop what hides most"));
    }
    hints.extend(esc(app).map(|what| hint("Esc", &what)));
    let selected = app.hit().map(|hit| app.listed_snapshot.get(hit.at));
    if selected.is_some() {
        hints.extend([hint("Enter", "read"), hint("Space", "mark")]);
    }
    let changes: Vec<Hint> = changes(app).collect();
    let (first, rest): (Vec<Hint>, Vec<Hint>) =
        changes.into_iter().partition(|(keys, _)| *keys == Action::Delete.key());
    let fix = fix(app);
    let is_own = fix.as_ref().is_some_and(|(is_own, _)| *is_own);
    let fix = fix.map(|(_, hint)| hint);
    hints.extend(fix.clone().filter(|_| is_own));
    hints.extend(first);
    hints.push(hint("g", "go to…"));
    hints.push(hint("w", "why"));
    if app.start_project.is_part() {
        let is_limited = app.query.contains("project:");
        hints.push(act(Action::ThisProject, if is_limited { "all projects" } else { "this project" }));
    }
    hints.extend(fix.filter(|_| !is_own));
    hints.extend(rest);
    if app.marks.pick == Some(&DUPLICATES) {
        hints.push(act(Action::Difference, "side by side"));
    }
    if app.marks.pick == Some(&DUPLICATES) && can(app, Action::Merge) {
        hints.push(hint(&Action::Merge.call(), "make one of both"));
    }
    if let Some((store, entry)) = selected {
        let memory = store.memory(entry);
        if memory.is_some() && format::is_sensitive(store, entry) {
            hints.push(hint("X", "reveal"));
        }
        if memory.is_some_and(|memory| memory.references().len() > 0) {
            hints.push(act(Action::Reference, "its reference"));
        }
    }
    hints.push(hint("o", "order"));
    hints.push(act(Action::BringBack, "backups"));
    hints
}

/// Returns the hint that leads to fixes. True if they are for the memory under the cursor, false for errors
/// elsewhere.
fn fix(app: &App) -> Option<(bool, Hint)> {
    let is_own = app.hit().is_some_and(|hit| {
        let (store, entry) = app.listed_snapshot.get(hit.at);
        store.problems_of(entry).next().is_some()
    });
    match is_own {
        true => Some((true, act(Action::Fix, "fix"))),
        false => (app.problem_counts()[0] > 0).then(|| (false, act(Action::Fix, "fix errors"))),
    }
}

fn esc(app: &App) -> Option<String> {
    Some(match return_view(app) {
        _ if layout::is_zoomed(app) => "all panes".to_owned(),
        _ if app.marks.only_marked => "back".into(),
        Some(view) => format!("back to {}", view.title().to_lowercase()),
        None if !app.marks.is_empty() => "clear marks".into(),
        None if app.marks.pick.is_some() => "back".into(),
        None if !app.query.is_empty() => "clear".into(),
        None => return None,
    })
}

fn changes(app: &App) -> impl Iterator<Item = Hint> {
    let all = [
        (Action::Edit, "edit"),
        (Action::Delete, "remove…"),
        (Action::Undo, "undo"),
        (Action::Tag, "tag"),
        (Action::Archive, "archive"),
    ];
    all.into_iter().filter(|(action, _)| can(app, *action)).map(|(action, what)| act(action, what))
}

fn marked(app: &App) -> Vec<Hint> {
    if app.marks.range.is_some() {
        let range = [hint("jk", "move"), act(Action::MarkRange, "mark the range"), hint("Esc", "cancel")];
        return range.into_iter().chain(changes(app)).collect();
    }
    let mut hints: Vec<Hint> = changes(app).collect();
    hints.extend(esc(app).map(|what| hint("Esc", &what)));
    hints.extend([hint("Space", "mark"), hint("v", "range"), hint("*", "all")]);
    hints
}
