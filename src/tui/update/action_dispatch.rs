//! What each action does.

use super::{
    among_memories, change_memories, command_palette, copy, difference, editor, field_prompt, job_results,
    list_view, marks, next_tab, order_ranking, pager, pane_focus, prompt, reference_go_back, search_narrow,
    search_query, statistics, theme_list, tutor, up_down_page_top_last, wider_narrower_sizes,
};
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::app::{App, Pane, Screen};
use crate::tui::layout;
use crate::tui::message::Effect;
use crate::tui::prompt::PromptPurpose;

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
    command_palette::remember(app, action);
    if difference::act(app, action) || list_view::act(app, action) || statistics::act(app, action) {
        return;
    }
    if let Some(pick) = action.info().pick {
        return marks::pick(app, pick);
    }
    match action {
        Action::Close if !layout::is_zoomed(app) && !is_part(app) => app.push_effect(Effect::Quit),
        Action::Quit => app.push_effect(Effect::Quit),
        Action::Suspend => app.push_effect(Effect::Suspend),
        Action::Redraw => app.push_effect(Effect::Redraw),
        Action::Demo | Action::Delete if app.screen == Screen::Welcome => app.push_effect(Effect::OpenDemo),
        Action::Demo => {
            app.say("The demo is opened from the first screen; `palimp --demo` opens it, too.");
        }
        action if ON_LIST.contains(&action) && !matches!(app.screen, Screen::Memories | Screen::Welcome) => {
            app.say(among_memories())
        }
        Action::Reload => reload(app),
        Action::CommandLine => app.say(
            "The command line does this: palimp add, init, completions or man. \
             `palimp help add` explains the first of them.",
        ),
        Action::Command => prompt::launch(app),
        Action::Theme => theme_list::open(app),
        Action::Help => prompt::open(app, PromptPurpose::Help, ""),
        Action::Search => search_narrow::begin(app),
        Action::Narrow => search_narrow::narrow(app),
        Action::Back | Action::Close => one_back(app),
        Action::Open => up_down_page_top_last::open(app),
        Action::Toggle if app.screen == Screen::Memories && app.focus == Pane::Memories => marks::toggle(app),
        Action::Toggle => search_query::toggle_line(app),
        Action::MarkRange | Action::MarkAll | Action::InvertMarks | Action::Marked => marks::act(app, action),
        Action::Export => export(app),
        Action::Pager => pager::page(app),
        Action::MarkBySearch => field_prompt::open(app, PromptPurpose::MarkBySearch, None),
        Action::FilterLikeThis => search_query::like_this(app),
        Action::DropFilter => search_query::drop_blocker(app),
        Action::Reveal => {
            app.revealed = true;
            app.push_effect(Effect::MaskSoon);
        }
        Action::Reference => reference_go_back::follow(app),
        Action::GoBack => reference_go_back::go_back(app),
        Action::Order => order_ranking::next(app),
        Action::Ranking => order_ranking::other_ranking(app),
        Action::EditJson if app.editor.is_none() => change_memories::act(app, action),
        action if EDITOR_ACTIONS.contains(&action) => editor::act(app, action),
        Action::Edit
        | Action::EditText
        | Action::Tag
        | Action::RenameTag
        | Action::Pin
        | Action::KeepUntil
        | Action::Importance
        | Action::Type
        | Action::Category
        | Action::Repeat
        | Action::Archive
        | Action::Delete
        | Action::Undo
        | Action::Redo => change_memories::act(app, action),
        _ => look(app, action),
    }
}

/// Whether a part of the memories is shown that an action picked, or that is marked.
fn is_part(app: &App) -> bool {
    app.screen == Screen::Memories && (app.marks.pick.is_some() || app.marks.only_marked)
}

/// Actions that change what is looked at, and ask for nothing.
fn look(app: &mut App, action: Action) {
    match action {
        Action::SessionsPane => pane_focus::give(app, Pane::Sessions),
        Action::FiltersPane => pane_focus::give(app, Pane::Filters),
        Action::HealthPane => pane_focus::give(app, Pane::Health),
        Action::MemoriesPane => pane_focus::give(app, Pane::Memories),
        Action::DetailPane => pane_focus::give(app, Pane::Detail),
        Action::Why => pane_focus::give(app, Pane::Why),
        Action::NextPane => pane_focus::round(app, true),
        Action::PreviousPane => pane_focus::round(app, false),
        Action::PaneLeft => pane_focus::side(app, true),
        Action::PaneRight => pane_focus::side(app, false),
        Action::Zoom if layout::is_single(app) => app.say("This pane has the whole screen already."),
        Action::Zoom => app.zoomed = true,
        Action::AllPanes => app.zoomed = false,
        Action::NextTab => next_tab::turn(app, true),
        Action::PreviousTab => next_tab::turn(app, false),
        Action::AllMemories => {
            app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Memories }
        }
        Action::CopyId | Action::CopyText | Action::CopyPath | Action::CopyJson | Action::CopyCommand => {
            copy::copy(app, action);
        }
        Action::Fold => up_down_page_top_last::fold(app),
        Action::FoldAll => up_down_page_top_last::fold_all(app, true),
        Action::UnfoldAll => up_down_page_top_last::fold_all(app, false),
        Action::ToMiddle => up_down_page_top_last::to_middle(app),
        Action::Wider | Action::Narrower | Action::UsualSizes => wider_narrower_sizes::act(app, action),
        Action::Secrets => secrets(app),
        Action::Tutor => tutor::toggle(app),
        Action::AllSeen => list_view::new::all_seen(app),
        Action::NextMatch => up_down_page_top_last::step(app, 1),
        Action::PreviousMatch => up_down_page_top_last::step(app, -1),
        _ => match up_down_page_top_last::NextKind::of(action) {
            Some((sought, ahead)) => up_down_page_top_last::to_sought(app, sought, ahead),
            None => up_down_page_top_last::go(app, action),
        },
    }
}

/// Asks for a file for what is marked, or else for all that is listed.
fn export(app: &mut App) {
    if app.screen != Screen::Memories {
        return app.say(among_memories());
    }
    if let Err(why) = search_query::check_query(app) {
        return app.say(why);
    }
    marks::end_range(app);
    if app.marks.is_empty() && app.results.hits.is_empty() {
        return app.say("Nothing is listed, so there is nothing to export.");
    }
    let at = match app.marks.is_empty() {
        true => app.results.hits.iter().map(|hit| hit.at).collect(),
        false => app.marks.list(),
    };
    let aim = change_memories::target_of(app, at, Vec::new());
    field_prompt::open(app, PromptPurpose::Export, Some(aim));
}

/// The memories with what looks like a secret.
fn secrets(app: &mut App) {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Memories };
    app.focus = Pane::Memories;
    search_query::set_query(app, "is:sensitive".into());
}

fn reload(app: &mut App) {
    app.say("The stores are being read again.");
    app.push_effect(job_results::reload(app));
}

/// One level back: a change that waits, a view, a zoom, a pane, a problem's memory, the marks, and at
/// last the search.
fn one_back(app: &mut App) {
    if change_memories::stop(app) {
        return;
    }
    if std::mem::take(&mut app.zoomed) && !layout::is_single(app) {
        // All panes again.
    } else if reference_go_back::back_to_view(app) || app.focus == Pane::Memories && marks::back(app) {
        // One of them has done it.
    } else if app.focus == Pane::Memories && !app.query.is_empty() {
        search_query::set_query(app, String::new());
    } else {
        app.focus = Pane::Memories;
    }
}
