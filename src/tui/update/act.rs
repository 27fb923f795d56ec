//! What each action does.

use super::{
    among_memories, arrive, borders, change, colours, compare, copy, editor, fields, filter, focus, launch,
    list_view, mark, order, page, prompt, references, search, statistics, tabs, tutor, walk,
};
use crate::tui::action::{Action, IN_EDITOR};
use crate::tui::app::{App, Pane, Screen};
use crate::tui::layout;
use crate::tui::msg::Effect;
use crate::tui::prompt::Purpose;

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
    launch::remember(app, action);
    if compare::act(app, action) || list_view::act(app, action) || statistics::act(app, action) {
        return;
    }
    if let Some(pick) = action.known().pick {
        return mark::pick(app, pick);
    }
    match action {
        Action::Quit if !layout::is_zoomed(app) && !is_part(app) => app.give(Effect::Quit),
        Action::QuitNow => app.give(Effect::Quit),
        Action::Suspend => app.give(Effect::Suspend),
        Action::Redraw => app.give(Effect::Redraw),
        Action::OpenDemo | Action::Delete if app.screen == Screen::Welcome => app.give(Effect::OpenDemo),
        Action::OpenDemo => {
            app.say("The demo is opened from the first screen; `palimp --demo` opens it, too.");
        }
        action if ON_LIST.contains(&action) && !matches!(app.screen, Screen::Browse | Screen::Welcome) => {
            app.say(among_memories())
        }
        Action::Reload => reload(app),
        Action::CommandLine => app.say(
            "The command line does this: palimp add, init, completions or man. \
             `palimp help add` explains the first of them.",
        ),
        Action::Palette => prompt::launch(app),
        Action::Theme => colours::open(app),
        Action::Help => prompt::open(app, Purpose::Help, ""),
        Action::Search => search::begin(app),
        Action::Narrow => search::narrow(app),
        Action::Back | Action::Quit => one_back(app),
        Action::Open => walk::open(app),
        Action::Toggle if app.screen == Screen::Browse && app.focus == Pane::Memories => mark::toggle(app),
        Action::Toggle => filter::toggle_line(app),
        Action::MarkRange | Action::MarkAll | Action::InvertMarks | Action::Marked => mark::act(app, action),
        Action::Export => export(app),
        Action::Page => page::page(app),
        Action::MarkBySearch => fields::open(app, Purpose::MarkBySearch, None),
        Action::FilterLikeThis => filter::like_this(app),
        Action::DropFilter => filter::drop_blocker(app),
        Action::Reveal => {
            app.revealed = true;
            app.give(Effect::MaskSoon);
        }
        Action::Follow => references::follow(app),
        Action::GoBack => references::go_back(app),
        Action::Order => order::next(app),
        Action::Ranking => order::other_ranking(app),
        Action::RecordInEditor if app.editor.is_none() => change::act(app, action),
        action if IN_EDITOR.contains(&action) => editor::act(app, action),
        Action::Edit
        | Action::EditText
        | Action::Tag
        | Action::RenameTag
        | Action::Pin
        | Action::Keep
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

/// Whether a part of the memories is shown that an action picked, or that is marked.
fn is_part(app: &App) -> bool {
    app.screen == Screen::Browse && (app.marks.pick.is_some() || app.marks.only)
}

/// Actions that change what is looked at, and ask for nothing.
fn look(app: &mut App, action: Action) {
    match action {
        Action::SessionsPane => focus::give(app, Pane::Sessions),
        Action::FacetsPane => focus::give(app, Pane::Facets),
        Action::HealthPane => focus::give(app, Pane::Health),
        Action::MemoriesPane => focus::give(app, Pane::Memories),
        Action::DetailPane => focus::give(app, Pane::Detail),
        Action::Why => focus::give(app, Pane::Why),
        Action::NextPane => focus::round(app, true),
        Action::PreviousPane => focus::round(app, false),
        Action::PaneLeft => focus::side(app, true),
        Action::PaneRight => focus::side(app, false),
        Action::Zoom if layout::is_single(app) => app.say("This pane has the whole screen already."),
        Action::Zoom => app.zoomed = true,
        Action::Unzoom => app.zoomed = false,
        Action::NextTab => tabs::turn(app, true),
        Action::PreviousTab => tabs::turn(app, false),
        Action::Browse => app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Browse },
        Action::CopyId | Action::CopyText | Action::CopyPlace | Action::CopyJson | Action::CopyVerb => {
            copy::copy(app, action);
        }
        Action::Fold => walk::fold(app),
        Action::FoldAll => walk::fold_all(app, true),
        Action::UnfoldAll => walk::fold_all(app, false),
        Action::Middle => walk::to_middle(app),
        Action::Wider | Action::Narrower | Action::UsualSizes => borders::act(app, action),
        Action::Secrets => secrets(app),
        Action::Tutor => tutor::toggle(app),
        Action::AllSeen => list_view::new::all_seen(app),
        Action::NextMatch => walk::step(app, 1),
        Action::PreviousMatch => walk::step(app, -1),
        _ => match walk::Sought::of(action) {
            Some((sought, ahead)) => walk::to_sought(app, sought, ahead),
            None => walk::go(app, action),
        },
    }
}

/// Asks for a file for what is marked, or else for all that is listed.
fn export(app: &mut App) {
    if app.screen != Screen::Browse {
        return app.say(among_memories());
    }
    if let Err(why) = filter::is_answered(app) {
        return app.say(why);
    }
    mark::end_range(app);
    if app.marks.is_empty() && app.results.hits.is_empty() {
        return app.say("Nothing is listed, so there is nothing to export.");
    }
    let at = match app.marks.is_empty() {
        true => app.results.hits.iter().map(|hit| hit.at).collect(),
        false => app.marks.list(),
    };
    let aim = change::aim_at(app, at, Vec::new());
    fields::open(app, Purpose::Export, Some(aim));
}

/// The memories with what looks like a secret.
fn secrets(app: &mut App) {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Browse };
    app.focus = Pane::Memories;
    filter::ask(app, "is:sensitive".into());
}

fn reload(app: &mut App) {
    app.say("The stores are being read again.");
    app.give(arrive::reload(app));
}

/// One level back: a change that waits, a view, a zoom, a pane, a problem's memory, the marks, and at
/// last the search.
fn one_back(app: &mut App) {
    if change::stop(app) {
        return;
    }
    if std::mem::take(&mut app.zoomed) && !layout::is_single(app) {
        // All panes again.
    } else if references::back_to_view(app) || app.focus == Pane::Memories && mark::back(app) {
        // One of them has done it.
    } else if app.focus == Pane::Memories && !app.query.is_empty() {
        filter::ask(app, String::new());
    } else {
        app.focus = Pane::Memories;
    }
}
