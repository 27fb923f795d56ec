//! Dispatches each action to the code that does it.

use super::reload::reload;
use super::{
    back_close, begin_search, change_memories, clean_up, command_help, copy, difference, drop_filter,
    duplicates, editor, export, field_prompt, fold, list_view, marks, next_match, next_problem, next_tab,
    open, order_ranking, pager, pane_focus, quit, reference_go_back, reveal, statistics, theme_list,
    this_project, toggle, tutor, up_down_page_top_last, why, zoom,
};
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::message::Effect;
use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::prompt::PromptPurpose;

/// Actions on the list of memories. In another view they would change the list unseen.
const ON_LIST: [Action; 7] = [
    Action::Search,
    Action::ThisProject,
    Action::DropFilter,
    Action::Order,
    Action::Ranking,
    Action::NextMatch,
    Action::PreviousMatch,
];

pub fn act(app: &mut App, action: Action) {
    command_help::remember(app, action);
    if app.screen == Screen::Editor && EDITOR_ACTIONS.contains(&action) {
        return editor::act(app, action);
    }
    if difference::act(app, action) || list_view::act(app, action) || statistics::act(app, action) {
        return;
    }
    if let Some(pick) = action.info().pick {
        return duplicates::pick(app, pick);
    }
    match action {
        Action::Back => back_close::back(app),
        Action::Close => back_close::close(app),
        Action::Quit => quit::quit(app),
        Action::Suspend => app.push_effect(Effect::Suspend),
        Action::Redraw => app.push_effect(Effect::Redraw),
        Action::Demo | Action::Delete if app.is_first_run() => app.push_effect(Effect::OpenDemo),
        Action::Demo => {
            app.say("The demo is opened from the first screen; `palimp --demo` opens it, too.");
        }
        action if ON_LIST.contains(&action) && app.screen != Screen::Memories => app.say(among_memories()),
        Action::Reload => reload(app),
        Action::CommandLine => command_help::explain_command_line(app),
        Action::Command => command_help::open_palette(app),
        Action::Theme => theme_list::open(app),
        Action::CleanUp => clean_up::open(app),
        Action::Help => command_help::open_help(app),
        Action::Search => begin_search::begin(app),
        Action::Open => open::open(app),
        Action::Toggle => toggle::toggle(app),
        Action::MarkRange | Action::MarkAll | Action::InvertMarks | Action::Marked => marks::act(app, action),
        Action::Export => export::begin(app),
        Action::Pager => pager::page(app),
        Action::MarkBySearch => field_prompt::open(app, PromptPurpose::MarkBySearch, None),
        Action::ThisProject => this_project::toggle(app),
        Action::DropFilter => drop_filter::drop_blocker(app),
        Action::Reveal => reveal::reveal(app),
        Action::Reference => reference_go_back::follow(app),
        Action::GoBack => reference_go_back::go_back(app),
        Action::Order => order_ranking::next(app),
        Action::Ranking => order_ranking::other_ranking(app),
        Action::Save | Action::AsOnDisk => editor::act(app, action),
        Action::Edit
        | Action::EditText
        | Action::EditJson
        | Action::Tag
        | Action::RenameTag
        | Action::Pin
        | Action::KeepUntil
        | Action::Repeat
        | Action::Merge
        | Action::Archive
        | Action::Delete
        | Action::Undo
        | Action::Redo => change_memories::act(app, action),
        _ if action.info().asks.is_some() => change_memories::act(app, action),
        _ => look(app, action),
    }
}

/// Does an action that only changes what the user looks at.
fn look(app: &mut App, action: Action) {
    match action {
        Action::SessionsPane => pane_focus::give(app, Pane::Sessions),
        Action::FiltersPane => pane_focus::give(app, Pane::Filters),
        Action::HealthPane => pane_focus::give(app, Pane::Health),
        Action::MemoriesPane => pane_focus::give(app, Pane::Memories),
        Action::DetailPane => pane_focus::give(app, Pane::Detail),
        Action::Why => why::toggle(app),
        Action::NextPane => pane_focus::round(app, true),
        Action::PreviousPane => pane_focus::round(app, false),
        Action::PaneLeft => pane_focus::side(app, true),
        Action::PaneRight => pane_focus::side(app, false),
        Action::Zoom => zoom::zoom(app),
        Action::NextTab => next_tab::turn(app),
        Action::CopyId | Action::CopyText | Action::CopyPath | Action::CopyJson | Action::CopyCommand => {
            copy::copy(app, action);
        }
        Action::Fold => fold::fold(app),
        Action::FoldAll => fold::fold_all(app, true),
        Action::UnfoldAll => fold::fold_all(app, false),
        Action::Tutor => tutor::toggle(app),
        Action::AllSeen => list_view::seen::all_seen(app),
        Action::NextMatch => next_match::step(app, 1),
        Action::PreviousMatch => next_match::step(app, -1),
        Action::NextProblem => next_problem::go(app, true),
        Action::PreviousProblem => next_problem::go(app, false),
        _ => up_down_page_top_last::go(app, action),
    }
}
