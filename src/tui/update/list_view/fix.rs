//! The action `fix` of a problem: the user chooses a fix, sees it as a plan, and carries it out.

use crate::model::Problem;
use crate::ops::repair::FixPreview;
use crate::tui::action::Action;
use crate::tui::list_view::problems;
use crate::tui::state::app::{App, Screen};
use crate::tui::update::list_view::change_request::plan;
use crate::tui::update::list_view::delete_menu::edit;
use crate::tui::update::list_view::row_refresh::ask;
use crate::usecase::ChangeCommand;
use crate::work::Inspect;

pub fn fix(app: &mut App) {
    if problems::is_repaired_in_form(app) {
        return edit(app);
    }
    let Some(which) = problems::wanted(app) else {
        return app.say("No problem is under the cursor.");
    };
    let Some((_, problem)) = problems::selected(app) else { return };
    let line = problem.line.map_or(String::new(), |line| format!(" on line {line}"));
    let name = format!("\"{}\"{line}", problem.code.as_str().replace('-', " "));
    plan(app, name, ChangeCommand::Repair(which));
}

/// Chooses the next fix, or the one before. False if there is no choice.
pub fn choose(app: &mut App, ahead: bool) -> bool {
    let Some(fix) = app.list_view.fixes.as_mut().filter(|own| own.ways.len() > 1) else { return false };
    let at = fix.chosen.unwrap_or(0);
    let at = if ahead { (at + 1).min(fix.ways.len() - 1) } else { at.saturating_sub(1) };
    // A low screen does not show the fixes.
    let told = format!("{}: {} shows what it does.", fix.ways[at].title, Action::Fix.key());
    fix.chosen = Some(at);
    app.say(told);
    true
}

/// Starts to look for fixes of the problem under the cursor.
pub fn ask_fixes(app: &mut App) {
    let own = problems::selected(app).map(|(store, own)| (store, Box::new(own.clone())));
    if let (Screen::Problems, Some((store, own)), true) = (app.screen, own, app.data.is_some()) {
        ask(app, Inspect::Fixes(store, own));
    }
}

/// Takes in the fixes of a problem. The cursor may have moved on.
pub fn found(app: &mut App, (store, of): (usize, &Problem), fixes: Result<FixPreview, String>) {
    if problems::selected(app).is_none_or(|(other, own)| (other, own) != (store, of)) {
        return;
    }
    let mut shown = match fixes {
        Ok(fixes) => problems::to_fixes(fixes),
        Err(why) => {
            app.say(why);
            None
        }
    };
    let was = app.list_view.fixes.take().and_then(|own| Some(own.ways.get(own.chosen?)?.title.clone()));
    if let Some(own) = &mut shown {
        own.chosen = own.ways.iter().position(|way| Some(&way.title) == was.as_ref());
    }
    app.list_view.fixes = shown;
}
