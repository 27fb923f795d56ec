//! Dispatches each action to the code that does it. `open`, `back` and `close` are done here.

use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::layout;
use crate::tui::message::Effect;
use crate::tui::panes::health::{self, HealthLink};
use crate::tui::possible_changes::{among_memories, check_of};
use crate::tui::state::app::{App, Pane, ReadingView, Screen};
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::reload::load_now;
use crate::tui::update::{
    change_memories, clean_up, command_help, copy, difference, editor, field_prompt, list_view, marks, pager,
    pane_focus, prompt, reference_go_back, running_change, search_query, select_memory, statistics, tutor,
};

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
        return marks::pick(app, pick);
    }
    match action {
        Action::Back => back(app),
        Action::Close => close(app),
        Action::Quit => app.push_effect(Effect::Quit),
        Action::Suspend => app.push_effect(Effect::Suspend),
        Action::Redraw => app.push_effect(Effect::Redraw),
        Action::Demo | Action::Delete if app.is_first_run() => app.push_effect(Effect::OpenDemo),
        Action::Demo => {
            app.say("The demo is opened from the first screen; `palimp --demo` opens it, too.");
        }
        action if ON_LIST.contains(&action) && app.screen != Screen::Memories => app.say(among_memories()),
        Action::Reload => {
            app.say("The stores are being read again.");
            app.push_effect(load_now(app));
        }
        Action::CommandLine => app.say(
            "The command line does this: palimp add, init, completions or man. \
             `palimp help add` explains the first of them.",
        ),
        Action::Command => {
            let offered = command_help::order(app);
            app.open_prompt(PromptPurpose::Command, "").palette_actions = Some(offered);
        }
        Action::Theme => prompt::open_themes(app),
        Action::CleanUp => clean_up::open(app),
        Action::Help => command_help::open_help(app),
        Action::Search => search_query::begin_search(app),
        Action::Open => open(app),
        Action::Toggle if app.screen == Screen::Memories && app.focus == Pane::Memories => marks::toggle(app),
        Action::Toggle => marks::toggle_line(app),
        Action::MarkRange | Action::MarkAll | Action::InvertMarks | Action::Marked => marks::act(app, action),
        Action::Export => field_prompt::begin_export(app),
        Action::Pager => pager::page(app),
        Action::MarkBySearch => field_prompt::open(app, PromptPurpose::MarkBySearch, None),
        Action::ThisProject => search_query::toggle_project(app),
        Action::DropFilter => search_query::drop_blocker(app),
        Action::Reveal => app.reveal(),
        Action::Reference => reference_go_back::follow(app),
        Action::GoBack => reference_go_back::go_back(app),
        Action::Order => search_query::next_order(app),
        Action::Ranking => search_query::other_ranking(app),
        Action::Save | Action::AsOnDisk => editor::act(app, action),
        Action::RenameTag | Action::Repeat | Action::Delete | Action::Undo | Action::Redo => {
            change_memories::act(app, action)
        }
        _ if check_of(action).is_some() => change_memories::act(app, action),
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
        Action::Why if app.focus == Pane::Why => pane_focus::give(app, Pane::Memories),
        Action::Why => pane_focus::give(app, Pane::Why),
        Action::NextPane => pane_focus::round(app, true),
        Action::PreviousPane => pane_focus::round(app, false),
        Action::PaneLeft => pane_focus::side(app, true),
        Action::PaneRight => pane_focus::side(app, false),
        Action::Zoom => pane_focus::zoom(app),
        Action::NextTab => {
            let tabs = app.tabs();
            let at = tabs.iter().position(|tab| *tab == app.shown_tab()).unwrap_or_default();
            app.tab = tabs[(at + 1) % tabs.len()];
            app.tie_cursor = Default::default();
            app.detail_top = 0;
        }
        Action::CopyId | Action::CopyText | Action::CopyPath | Action::CopyJson | Action::CopyCommand => {
            copy::copy(app, action);
        }
        Action::Fold => pane_focus::fold(app),
        Action::FoldAll => pane_focus::fold_all(app, true),
        Action::UnfoldAll => pane_focus::fold_all(app, false),
        Action::Tutor => tutor::toggle(app),
        Action::AllSeen => list_view::new::all_seen(app),
        Action::NextMatch => select_memory::step(app, 1),
        Action::PreviousMatch => select_memory::step(app, -1),
        Action::NextProblem => select_memory::go_to_problem(app, true),
        Action::PreviousProblem => select_memory::go_to_problem(app, false),
        _ => select_memory::move_cursor(app, action),
    }
}

pub fn open(app: &mut App) {
    match app.focus {
        Pane::Detail if app.shown_tab().is_list() => reference_go_back::follow(app),
        Pane::Sessions => {
            marks::keep_branch(app);
            app.focus = Pane::Memories;
        }
        Pane::Filters => marks::toggle_line(app),
        Pane::Health => open_vital(app),
        _ => reference_go_back::read(app, ReadingView::FromList),
    }
}

fn open_vital(app: &mut App) {
    let Some(row) = health::rows(app).into_iter().nth(app.health_cursor.at) else { return };
    match row.link {
        HealthLink::View(action) => act(app, action),
        HealthLink::Problems(text) => {
            act(app, Action::Problems);
            crate::tui::update::list_view::filter(app, text);
            app.list_view.list.cursor.at = 0;
        }
        HealthLink::Search(query) => search(app, query),
        HealthLink::Secrets => search(app, "is:sensitive"),
    }
}

fn search(app: &mut App, query: &str) {
    app.focus = Pane::Memories;
    search_query::set_query(app, query.into());
}

/// Closes the view. At the root, quits.
pub(super) fn close(app: &mut App) {
    let is_part = app.screen == Screen::Memories && (app.marks.pick.is_some() || app.marks.only_marked);
    match layout::is_zoomed(app) || app.is_reading() || is_part {
        true => back(app),
        false => app.push_effect(Effect::Quit),
    }
}

/// Does the first of these that is possible: stops a change, closes the memory that is read, ends the zoom,
/// returns to a view, removes marks or a pick, clears the search, focuses the list.
pub(super) fn back(app: &mut App) {
    if running_change::stop(app) {
        return;
    }
    if app.is_reading() {
        app.focus = Pane::Memories;
        if std::mem::take(&mut app.reading) == ReadingView::FromView {
            reference_go_back::back_to_view(app);
        }
    } else if std::mem::take(&mut app.zoomed) && !layout::is_single(app) {
        // All panes are shown again.
    } else if reference_go_back::back_to_view(app) || app.focus == Pane::Memories && marks::back(app) {
        // One of the two went back.
    } else if app.focus == Pane::Memories && !app.query.is_empty() {
        search_query::set_query(app, String::new());
    } else {
        app.focus = Pane::Memories;
    }
}
