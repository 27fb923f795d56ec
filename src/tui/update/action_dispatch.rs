//! Dispatches each action to the code that does it.

use super::back_close::{is_part, one_back};
use super::export::export;
use super::reload::reload;
use super::secrets::secrets;
use super::{
    change_memories, command_palette, copy, difference, editor, field_prompt, list_view, marks, next_tab,
    order_ranking, pager, pane_focus, prompt, reference_go_back, search_narrow, statistics, theme_list,
    tutor, up_down_page_top_last, wider_narrower_sizes,
};
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::layout;
use crate::tui::message::Effect;
use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::{
    drop_filter, filter_like_this, fold, next_match, next_problem_new_secret, open, open_prompt, to_middle,
    toggle,
};

/// Actions on the list of memories. In another view they would change the list unseen.
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
        Action::Help => open_prompt::open(app, PromptPurpose::Help, ""),
        Action::Search => search_narrow::begin(app),
        Action::Narrow => search_narrow::narrow(app),
        Action::Back | Action::Close => one_back(app),
        Action::Open => open::open(app),
        Action::Toggle if app.screen == Screen::Memories && app.focus == Pane::Memories => marks::toggle(app),
        Action::Toggle => toggle::toggle_line(app),
        Action::MarkRange | Action::MarkAll | Action::InvertMarks | Action::Marked => marks::act(app, action),
        Action::Export => export(app),
        Action::Pager => pager::page(app),
        Action::MarkBySearch => field_prompt::open(app, PromptPurpose::MarkBySearch, None),
        Action::FilterLikeThis => filter_like_this::like_this(app),
        Action::DropFilter => drop_filter::drop_blocker(app),
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

/// Does an action that only changes what the user looks at.
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
        Action::Fold => fold::fold(app),
        Action::FoldAll => fold::fold_all(app, true),
        Action::UnfoldAll => fold::fold_all(app, false),
        Action::ToMiddle => to_middle::to_middle(app),
        Action::Wider | Action::Narrower | Action::UsualSizes => wider_narrower_sizes::act(app, action),
        Action::Secrets => secrets(app),
        Action::Tutor => tutor::toggle(app),
        Action::AllSeen => list_view::new::all_seen(app),
        Action::NextMatch => next_match::step(app, 1),
        Action::PreviousMatch => next_match::step(app, -1),
        _ => match next_problem_new_secret::NextKind::of(action) {
            Some((sought, ahead)) => next_problem_new_secret::to_sought(app, sought, ahead),
            None => up_down_page_top_last::go(app, action),
        },
    }
}
