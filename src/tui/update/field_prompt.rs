//! Prompts for a value: tags, importance, type, category, a tag's new name, a search that marks, a file.

use std::collections::HashMap;

use super::importance::importance;
use super::keep_until::kept;
use super::marks;
use super::rename_tag::{rename, renamed};
use super::running_change::request_change;
use super::tag::{own_tags, tags};
use crate::query::most_first;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::{Prompt, PromptPurpose, PromptWords};
use crate::tui::update::open_prompt;
use crate::usecase::ChangeCommand;
use crate::work::Job;

/// Opens a prompt with the words that fit it, the most used first.
pub fn open(app: &mut App, purpose: PromptPurpose, aim: Option<ChangeTarget>) {
    let words = PromptWords { all: all(app, purpose, aim.as_ref()), own: own_tags(purpose, aim.as_ref()) };
    open_prompt::open(app, purpose, "");
    if let Some(prompt) = &mut app.prompt {
        prompt.target = aim;
        prompt.words = words;
    }
}

/// Returns the words of the stores for a prompt: tags, types or categories.
fn all(app: &App, purpose: PromptPurpose, aim: Option<&ChangeTarget>) -> Vec<String> {
    let first = |own: &[(String, usize)]| own.iter().map(|(word, _)| word.clone()).collect();
    match purpose {
        PromptPurpose::Type => first(&app.facets.types),
        PromptPurpose::Category => {
            let own = app.facets.fields.iter().find(|(name, _)| *name == "category");
            own.map(|(_, values)| first(values)).unwrap_or_default()
        }
        PromptPurpose::Tag | PromptPurpose::RenameTag => {
            let is_own =
                |number: usize| aim.is_none_or(|aim| aim.at.iter().any(|at| at.store as usize == number));
            let mut counts: HashMap<&str, usize> = HashMap::new();
            let tallies = app.tallies.iter().enumerate().filter(|(number, _)| is_own(*number));
            for (tag, count) in tallies.flat_map(|(_, tally)| &tally.tags) {
                *counts.entry(tag).or_default() += count;
            }
            most_first(counts).into_iter().map(|(word, _)| word).collect()
        }
        _ => Vec::new(),
    }
}

/// Handles Enter in a prompt. A text with an error stays there to be corrected.
pub fn entered(app: &mut App) {
    let Some(prompt) = &app.prompt else { return };
    let (purpose, text) = (prompt.purpose, prompt.text());
    if text.trim().is_empty() {
        app.prompt = None;
        return app.say("Nothing was typed: nothing is changed.");
    }
    let outcome = match purpose {
        PromptPurpose::MarkBySearch => marks::by_search(app, &text).map(|job| {
            app.prompt = None;
            app.give_job(job);
        }),
        PromptPurpose::Export => export(app, text.trim().to_owned()),
        PromptPurpose::RenameTag => renamed(&text).map(|(from, to)| {
            app.prompt = None;
            rename(app, from, to)
        }),
        _ => wanted(app, purpose, &text).map_err(str::to_owned).map(|wanted| {
            let aim = app.prompt.take().and_then(|prompt| prompt.target);
            if aim.is_some() {
                request_change(app, aim, wanted);
            }
        }),
    };
    outcome.unwrap_or_else(|why| app.say(why));
}

/// Starts an export. Its prompt stays open until the end, so that typed text does not run as keys.
fn export(app: &mut App, file: String) -> Result<(), String> {
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

fn wanted(app: &App, purpose: PromptPurpose, text: &str) -> Result<ChangeCommand, &'static str> {
    let value = text.trim().to_owned();
    match purpose {
        PromptPurpose::KeepUntil => {
            let aim = app.prompt.as_ref().and_then(|prompt| prompt.target.as_ref());
            kept(text, aim, app.now)
        }
        PromptPurpose::Tag => tags(text),
        PromptPurpose::Type => Ok(ChangeCommand::SetWord { field: "type", value }),
        PromptPurpose::Category => Ok(ChangeCommand::SetWord { field: "category", value }),
        _ => importance(text),
    }
}
