//! Prompts for a value: tags, importance, type, category, a tag's new name, a search that marks, a file.

use super::keep_until::kept;
use super::rename_tag::{rename, renamed};
use super::running_change::request_change;
use super::tag::{all_tags, own_tags, tags};
use super::{export, marks};
use crate::ops::edit::may_be_named;
use crate::tui::possible_changes::refused;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::{PromptPurpose, PromptWords};
use crate::tui::update::open_prompt;
use crate::usecase::ChangeCommand;

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
    match purpose {
        PromptPurpose::Tag | PromptPurpose::RenameTag => all_tags(app, aim),
        _ => match (purpose.asks(), aim) {
            (Some(asks), Some(aim)) => (asks.words)(&app.facets, &aim.snapshot, &aim.at),
            _ => Vec::new(),
        },
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
        PromptPurpose::Export => export::write(app, text.trim().to_owned()),
        PromptPurpose::RenameTag => renamed(&text).map(|(from, to)| {
            app.prompt = None;
            rename(app, from, to)
        }),
        _ => wanted(app, purpose, &text).map(|wanted| {
            let aim = app.prompt.take().and_then(|prompt| prompt.target);
            if aim.is_some() {
                request_change(app, aim, wanted);
            }
        }),
    };
    outcome.unwrap_or_else(|why| app.say(why));
}

fn wanted(app: &App, purpose: PromptPurpose, text: &str) -> Result<ChangeCommand, String> {
    let aim = app.prompt.as_ref().and_then(|prompt| prompt.target.as_ref());
    let wanted = match purpose {
        PromptPurpose::KeepUntil => kept(text, aim, app.now),
        PromptPurpose::Tag => tags(text),
        _ => purpose.asks().map_or(Err("There is nothing to set."), |asks| (asks.command)(text)),
    }?;
    if let (Some(name), Some(aim)) = (wanted.new_name(), aim) {
        let (store, entry) = aim.snapshot.get(aim.one().ok_or("One memory at a time gets another name.")?);
        may_be_named(store, entry, name, app.now).map_err(refused)?;
    }
    Ok(wanted)
}
