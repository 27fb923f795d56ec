//! What each action does.

use super::{among_memories, arrive, back, change, editor, filter, mark, prompt, references, walk, words};
use crate::query::{Order, Ranking};
use crate::tui::action::{Action, IN_EDITOR};
use crate::tui::app::{App, Pane, Screen};
use crate::tui::msg::Effect;
use crate::tui::prompt::Purpose;

/// The order of the panes for Tab.
const ROUND: [Pane; 5] = [Pane::Sessions, Pane::Facets, Pane::Health, Pane::Memories, Pane::Detail];

/// What is done with the list of memories, and where that is not in sight would change it unseen.
const ON_LIST: [Action; 8] = [
    Action::Search,
    Action::Narrow,
    Action::FilterLikeThis,
    Action::DropFilter,
    Action::Order,
    Action::Ranking,
    Action::NextMatch,
    Action::PreviousMatch,
];

/// Does an action.
pub fn act(app: &mut App, action: Action) {
    if back::act(app, action) {
        return;
    }
    if let Some(pick) = action.known().pick {
        return mark::pick(app, pick);
    }
    match action {
        Action::Quit if app.screen != Screen::Problems && !app.zoomed => app.give(Effect::Quit),
        Action::QuitNow => app.give(Effect::Quit),
        Action::Suspend => app.give(Effect::Suspend),
        Action::Redraw => app.give(Effect::Redraw),
        Action::OpenDemo | Action::Delete if app.screen == Screen::Welcome => app.give(Effect::OpenDemo),
        Action::OpenDemo => {
            app.say("the demo is opened from the first screen; `palimp --demo` opens it, too");
        }
        action if ON_LIST.contains(&action) && !matches!(app.screen, Screen::Browse | Screen::Welcome) => {
            app.say(among_memories())
        }
        Action::Reload => reload(app),
        Action::Palette => prompt(app, Purpose::Palette, ""),
        Action::Help => prompt(app, Purpose::Help, ""),
        Action::Search => search(app),
        Action::Narrow => narrow(app),
        Action::Back | Action::Quit => one_back(app),
        Action::Open => walk::open(app),
        Action::Toggle if app.screen == Screen::Browse && app.focus == Pane::Memories => mark::toggle(app),
        Action::Toggle => filter::toggle_line(app),
        Action::MarkRange | Action::MarkAll | Action::InvertMarks | Action::Marked => mark::act(app, action),
        Action::MarkBySearch => words::open(app, Purpose::MarkBySearch, None),
        Action::FilterLikeThis => filter::like_this(app),
        Action::DropFilter => filter::drop_blocker(app),
        Action::Reveal => {
            app.revealed = true;
            app.give(Effect::MaskSoon);
        }
        Action::Follow => references::follow(app),
        Action::GoBack => references::go_back(app),
        Action::Order => order(app),
        Action::Ranking => ranking(app),
        Action::RecordInEditor if app.editor.is_none() => change::act(app, action),
        action if IN_EDITOR.contains(&action) => editor::act(app, action),
        Action::Edit
        | Action::EditText
        | Action::Tag
        | Action::RenameTag
        | Action::Pin
        | Action::Importance
        | Action::Type
        | Action::Category
        | Action::Repeat
        | Action::Archive
        | Action::Delete
        | Action::Undo
        | Action::Redo => change::act(app, action),
        _ => look(app, action),
    }
}

/// Actions that change what is looked at, and ask for nothing.
fn look(app: &mut App, action: Action) {
    match action {
        Action::SessionsPane => focus(app, Pane::Sessions),
        Action::FacetsPane => focus(app, Pane::Facets),
        Action::HealthPane => focus(app, Pane::Health),
        Action::MemoriesPane => focus(app, Pane::Memories),
        Action::DetailPane => focus(app, Pane::Detail),
        Action::Why => focus(app, Pane::Why),
        Action::NextPane => round(app, 1),
        Action::PreviousPane => round(app, ROUND.len() - 1),
        Action::PaneLeft => round_side(app, true),
        Action::PaneRight => round_side(app, false),
        Action::Zoom => app.zoomed = true,
        Action::Unzoom => app.zoomed = false,
        Action::NextTab => tab(app, true),
        Action::PreviousTab => tab(app, false),
        Action::Browse => app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Browse },
        Action::Problems if !app.places.is_empty() => {
            app.opened = None;
            app.screen = Screen::Problems;
        }
        Action::NextProblem => walk::to_problem(app, true),
        Action::PreviousProblem => walk::to_problem(app, false),
        Action::NextMatch => walk::step(app, 1),
        Action::PreviousMatch => walk::step(app, -1),
        _ => walk::go(app, action),
    }
}

fn focus(app: &mut App, pane: Pane) {
    app.focus = if app.focus == pane && pane == Pane::Why { Pane::Memories } else { pane };
    app.screen = if app.screen == Screen::Welcome { app.screen } else { Screen::Browse };
}

fn round(app: &mut App, by: usize) {
    let at = ROUND.iter().position(|pane| *pane == app.focus).unwrap_or(ROUND.len() - 1);
    app.focus = ROUND[(at + by) % ROUND.len()];
}

fn round_side(app: &mut App, left: bool) {
    app.focus = match (app.focus, left) {
        (Pane::Detail | Pane::Why, true) => Pane::Memories,
        (_, true) => Pane::Sessions,
        (Pane::Sessions | Pane::Facets | Pane::Health, false) => Pane::Memories,
        (_, false) => Pane::Detail,
    };
}

fn tab(app: &mut App, ahead: bool) {
    let tabs = app.tabs();
    let at = tabs.iter().position(|tab| *tab == app.shown_tab()).unwrap_or_default();
    let by = if ahead { 1 } else { tabs.len() - 1 };
    app.tab = tabs[(at + by) % tabs.len()];
    app.tie = Default::default();
    app.detail_top = 0;
}

fn reload(app: &mut App) {
    app.say("reading the stores again");
    app.give(arrive::reload(app));
}

/// A new search; the one before comes back with Esc, or with Ctrl-p to be changed.
fn search(app: &mut App) {
    let before = app.query.clone();
    prompt(app, Purpose::Search, "");
    if let Some(prompt) = &mut app.prompt {
        app.asked_before.keep(&before);
        prompt.before = before;
        app.held = app.results.hits.get(app.list.at).map(|hit| hit.at);
        filter::ask(app, String::new());
    }
}

fn narrow(app: &mut App) {
    let before = app.query.clone();
    let text = if before.is_empty() { String::new() } else { format!("{before} ") };
    prompt(app, Purpose::Search, &text);
    if let Some(prompt) = &mut app.prompt {
        prompt.before = before;
        app.held = app.results.hits.get(app.list.at).map(|hit| hit.at);
    }
}

/// One level back: a change that waits, a view, a zoom, a pane, a problem's memory, the marks, and at
/// last the search.
fn one_back(app: &mut App) {
    if change::stop(app) {
        return;
    }
    if app.screen == Screen::Problems {
        app.screen = Screen::Browse;
    } else if app.zoomed {
        app.zoomed = false;
    } else if references::back_to_problem(app) || app.focus == Pane::Memories && mark::back(app) {
        // One of them has done it.
    } else if app.focus == Pane::Memories && !app.query.is_empty() {
        filter::ask(app, String::new());
    } else {
        app.focus = Pane::Memories;
    }
}

fn order(app: &mut App) {
    let next = match app.order() {
        Order::Time => Order::Rank,
        Order::Rank => Order::Importance,
        Order::Importance => Order::Size,
        Order::Size => Order::Time,
    };
    app.order = Some(next);
    filter::again(app)
}

fn ranking(app: &mut App) {
    app.ranking = match app.ranking {
        Ranking::Product => Ranking::Weighted,
        Ranking::Weighted => Ranking::Product,
    };
    app.why = None;
    filter::again(app)
}
