//! The action `export`: writes listed or marked memories to a file.

use super::{field_prompt, marks, search_query};
use crate::tui::possible_changes::{self, among_memories};
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::work::Job;

/// Asks for the file, for the marked memories or else for all that are listed.
pub(super) fn begin(app: &mut App) {
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

/// Starts an export. Its prompt stays open until the end, so that typed text does not run as keys.
pub(super) fn write(app: &mut App, file: String) -> Result<(), String> {
    let Some(prompt) = &mut app.prompt else { return Ok(()) };
    if prompt.export.is_some() {
        return Err("The file is being written.".into());
    }
    if let Some(ChangeTarget { snapshot, at, .. }) = prompt.target.clone() {
        app.export_count += 1;
        prompt.export = Some(app.export_count);
        app.give_job(Job::Export { number: app.export_count, snapshot, at, file });
    }
    Ok(())
}

/// Takes in the result of an export. After an error, the prompt stays open to correct the name.
pub fn exported(app: &mut App, number: u64, outcome: Result<String, String>) {
    let is_its = |prompt: &mut Prompt| prompt.export == Some(number);
    match &outcome {
        Ok(_) => drop(app.prompt.take_if(is_its)),
        Err(_) => {
            if let Some(prompt) = app.prompt.as_mut().filter(|own| own.export == Some(number)) {
                prompt.export = None;
            }
        }
    }
    app.say(outcome.unwrap_or_else(|why| why));
}
