//! The keys that can be used now.

use crate::format;
use crate::tui::action::{ACTIONS, Action, Known};
use crate::tui::app::{App, Pane, Screen};
use crate::tui::bulk::Going;
use crate::tui::confirm;
use crate::tui::prompt::Purpose;
use crate::tui::update::can;

/// Keys, and what they do.
pub type Hint = (String, String);

/// What those keys do.
pub fn hint(keys: &str, what: &str) -> Hint {
    (keys.to_owned(), what.to_owned())
}

/// What an action's key does.
pub fn act(action: Action, what: &str) -> Hint {
    hint(action.key(), what)
}

/// What can follow the keys that were pressed.
fn second_keys(waiting: &str) -> Vec<Hint> {
    let follow = |keys: &str| keys.strip_prefix(waiting)?.strip_prefix(' ').map(str::to_owned);
    let of = |known: &Known| Some((known.keys.iter().find_map(|keys| follow(keys))?, known.name.to_owned()));
    ACTIONS.iter().filter_map(of).collect()
}

/// Keys and what they do, the most useful first.
pub fn of(app: &App) -> Vec<Hint> {
    let always = [act(Action::Palette, "command"), act(Action::Help, "help")];
    if let Some(prompt) = &app.prompt {
        return match prompt.purpose {
            Purpose::Search => {
                vec![hint("Enter", "keep"), hint("Esc", "as before"), hint("↑↓", "to the list")]
            }
            purpose if purpose.is_change() => {
                vec![hint("Enter", "do it"), hint("Tab", "complete"), hint("Esc", "leave it")]
            }
            _ => vec![hint("Enter", "run"), hint("↑↓", "choose"), hint("Esc", "close")],
        };
    }
    if app.bulk.going.as_ref().is_some_and(Going::is_open) {
        return vec![hint("Esc", "stop it")];
    }
    if app.bulk.receipt.is_some() {
        return vec![hint("jk", "scroll"), hint("Esc", "close")];
    }
    if let Some(confirm) = &app.confirm {
        let (yes, keys) = match confirm.typed {
            Some(_) => (hint("Enter", "do it, once it is typed"), "↑↓ PgDn"),
            None => (hint("y", "do it"), "jk PgDn"),
        };
        let is_longer = confirm::parts(app).is_some_and(|parts| parts.rows < confirm.len());
        let scroll = is_longer.then(|| hint(keys, "scroll"));
        return [Some(yes), scroll, Some(hint("Esc", "cancel"))].into_iter().flatten().collect();
    }
    if app.menu.is_some() {
        return vec![hint("Esc", "cancel")];
    }
    if let Some(editor) = app.editor.as_ref().filter(|_| app.screen == Screen::Edit) {
        return super::editor::hints(app, editor);
    }
    if let Some(count) = app.count.typed.and_then(|count| count.number()).filter(|_| app.waiting.is_empty()) {
        return vec![hint(&count.to_string(), "then a move: j k G ] p"), hint("Esc", "cancel")];
    }
    if !app.waiting.is_empty() {
        return second_keys(&app.waiting);
    }
    let mut hints = match (app.screen, app.focus) {
        (Screen::Welcome, _) => vec![act(Action::Delete, "demo"), act(Action::Quit, "quit")],
        (Screen::Restore | Screen::Archive | Screen::Upkeep | Screen::Journal, _) => super::back::hints(app),
        (Screen::Problems, _) => {
            vec![hint("jk", "move"), hint("Enter", "open its memory"), hint("Esc", "back")]
        }
        (_, Pane::Sessions | Pane::Facets) => {
            vec![hint("jk", "move"), hint("Space", "filter"), hint("Esc", "back")]
        }
        (_, Pane::Detail) if app.shown_tab().is_list() => vec![
            hint("jk", "move"),
            hint("Enter", "follow"),
            act(Action::GoBack, "back along it"),
            act(Action::NextTab, "next tab"),
            hint("Esc", "back"),
        ],
        (_, Pane::Detail) => {
            vec![hint("jk", "scroll"), act(Action::NextTab, "raw, references"), hint("Esc", "back")]
        }
        _ => memories(app),
    };
    hints.extend(always);
    hints
}

fn memories(app: &App) -> Vec<Hint> {
    if !app.marks.is_empty() || app.marks.range.is_some() || app.marks.only {
        return marked(app);
    }
    let mut hints = vec![hint("jk", "move"), hint("/", "search")];
    if app.results.hits.is_empty() && app.results.blocker.is_some() {
        hints.push(hint("Backspace", "drop what hides most"));
    }
    match (app.marks.pick, app.query.is_empty()) {
        (Some(_), _) => hints.push(hint("Esc", "back")),
        (None, false) => hints.push(hint("Esc", "clear")),
        (None, true) => {}
    }
    let selected = app.hit().map(|hit| app.listed.get(hit.at));
    if let Some((store, entry)) = selected {
        hints.push(hint("Enter", "open"));
        let view = store.view(entry);
        if view.is_some() && format::is_sensitive(store, entry) {
            hints.push(hint("X", "reveal"));
        }
        if view.is_some_and(|view| !view.references.is_empty()) {
            hints.push(hint("gd", "follow"));
        }
    }
    hints.extend(changes(app));
    if selected.is_some() {
        hints.push(hint("Space", "mark"));
    }
    hints.extend([hint("w", "why"), hint("o", "order"), hint("gp", "problems"), hint("1-5", "panes")]);
    hints
}

/// The changes that can be made now.
fn changes(app: &App) -> impl Iterator<Item = Hint> {
    let all = [
        (Action::Tag, "tag"),
        (Action::Edit, "edit"),
        (Action::Archive, "archive"),
        (Action::Delete, "delete…"),
        (Action::Undo, "undo"),
    ];
    all.into_iter().filter(|(action, _)| can(app, *action)).map(|(action, what)| act(action, what))
}

/// What can be done with what is marked.
fn marked(app: &App) -> Vec<Hint> {
    if app.marks.range.is_some() {
        return vec![hint("jk", "move"), hint("v", "mark the range"), hint("Esc", "leave it")];
    }
    // The text of one alone can be edited.
    let mut hints: Vec<Hint> = changes(app).filter(|(_, what)| what != "edit").collect();
    let only = if app.marks.only { "all again" } else { "the marked" };
    hints.extend([hint("m", only), hint("Esc", if app.marks.only { "back" } else { "clear marks" })]);
    hints.extend([hint("Space", "mark"), hint("v", "range"), hint("*", "all"), hint("~", "invert")]);
    if can(app, Action::Repeat) {
        hints.push(hint(".", "repeat"));
    }
    hints
}
