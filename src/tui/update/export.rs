//! The action `export`: writes listed or marked memories to a file.

use super::{field_prompt, marks, search_query};
use crate::tui::possible_changes::{self, among_memories};
use crate::tui::state::app::{App, Screen};
use crate::tui::state::prompt::PromptPurpose;

/// Asks for the file, for the marked memories or else for all that are listed.
pub(super) fn export(app: &mut App) {
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
    let aim = possible_changes::target_of(app, at, Vec::new());
    field_prompt::open(app, PromptPurpose::Export, Some(aim));
}
