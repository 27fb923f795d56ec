//! Fields whose value is typed in a prompt: tags, importance, type, category; a tag's new name; what is
//! marked.

use std::collections::HashMap;

use super::change_memories::{request_change, target_of};
use super::{marks, prompt};
use crate::model::time::{self, DAY};
use crate::model::{KEEP_UNTIL, Keep, Moment, PINNED, State, tag_until};
use crate::query::most_first;
use crate::tui::app::{App, ChangeTarget};
use crate::tui::prompt::{Prompt, PromptPurpose, PromptWords};
use crate::usecase::ChangeCommand;
use crate::work::Job;

/// Opens a prompt with what fits it, most used first.
pub fn open(app: &mut App, purpose: PromptPurpose, aim: Option<ChangeTarget>) {
    let words = PromptWords { all: all(app, purpose, aim.as_ref()), own: own_tags(purpose, aim.as_ref()) };
    prompt::open(app, purpose, "");
    if let Some(prompt) = &mut app.prompt {
        prompt.target = aim;
        prompt.words = words;
    }
}

/// The words of the stores that it is about: tags, types or categories.
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

/// The tags of the memories themselves: those that can go.
fn own_tags(purpose: PromptPurpose, aim: Option<&ChangeTarget>) -> Vec<String> {
    let Some(aim) = aim.filter(|_| purpose == PromptPurpose::Tag) else { return Vec::new() };
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for &at in &aim.at {
        let (store, entry) = aim.snapshot.get(at);
        for tag in store.view(entry).iter().flat_map(|view| view.tags.iter()) {
            *counts.entry(tag).or_default() += 1;
        }
    }
    most_first(counts).into_iter().map(|(word, _)| word).collect()
}

/// Pins memories, or, where every one of them is pinned, no longer.
pub fn pinning(aim: &ChangeTarget) -> ChangeCommand {
    let pinned = |store: &crate::model::Store, entry: &crate::model::Entry| {
        store.view(entry).is_some_and(|view| view.tags.contains(PINNED))
    };
    let all = aim.at.iter().all(|&at| {
        let (store, entry) = aim.snapshot.get(at);
        pinned(store, entry)
    });
    let (on, off) = (vec![PINNED.to_owned()], Vec::new());
    if all {
        ChangeCommand::Tag { add: off, remove: on }
    } else {
        ChangeCommand::Tag { add: on, remove: off }
    }
}

/// Enter in a prompt. What can't be understood stays to be corrected.
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

/// Starts an export. Its prompt stays open until the file is written: what is typed must not run as keys.
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

/// The file was written, or the name is to be corrected in the prompt that asked for it.
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

fn tags(text: &str) -> Result<ChangeCommand, &'static str> {
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        match (word.strip_prefix('+'), word.strip_prefix('-')) {
            (Some(""), _) | (_, Some("")) => return Err("Name tags as new, +new or -old."),
            (_, Some(tag)) => remove.push(tag.to_owned()),
            (Some(tag), None) => add.push(tag.to_owned()),
            (None, None) => add.push(word.to_owned()),
        }
    }
    Ok(ChangeCommand::Tag { add, remove })
}

/// Keeps memories until a day. Other tags that kept them are removed.
fn kept(text: &str, aim: Option<&ChangeTarget>, now: Moment) -> Result<ChangeCommand, &'static str> {
    let until = match text.trim() {
        "no" => None,
        text => Some(tag_until(day_meant(text, now).ok_or(KEEP_HOW)?)),
    };
    if until.is_some() && until.as_deref().and_then(Keep::by).is_none_or(|keep| !keep.lasts_at(now)) {
        return Err("That day is over: nothing would be kept.");
    }
    let own = aim.map(|aim| own_tags(PromptPurpose::Tag, Some(aim))).unwrap_or_default();
    let keeps = |tag: &String| tag == PINNED || tag.starts_with(KEEP_UNTIL);
    let remove: Vec<String> =
        own.into_iter().filter(|tag| keeps(tag) && Some(tag) != until.as_ref()).collect();
    if remove.is_empty() && until.is_none() {
        return Err("It was not kept before: nothing is changed.");
    }
    Ok(ChangeCommand::Tag { add: until.into_iter().collect(), remove })
}

const KEEP_HOW: &str = "Until when? A day such as 2027-01-31, or for how long: 90d, 8w, 6m, 1y.";

/// A date, or the date after a number of days, weeks, months of 30 days, or years of 365.
fn day_meant(text: &str, now: Moment) -> Option<Moment> {
    if let Some(day) = time::day(text) {
        return Moment::start_of(day);
    }
    let unit = text.chars().last()?;
    let days = match unit {
        'd' => 1,
        'w' => 7,
        'm' => 30,
        'y' => 365,
        _ => return None,
    };
    let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|count| (1..=9_999).contains(count))?;
    Some(now.plus(count * days * DAY)).filter(|until| time::day(&until.date()).is_some())
}

fn importance(text: &str) -> Result<ChangeCommand, &'static str> {
    let number = match text.trim() {
        "high" => Some(0.9),
        "medium" => Some(0.6),
        "low" => Some(0.3),
        text => text.parse().ok().filter(|number| (0.0..=1.0).contains(number)),
    };
    number
        .map(ChangeCommand::SetImportance)
        .ok_or("The importance is a number from 0 to 1, or high, medium, low.")
}

fn renamed(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once('=').unwrap_or_default();
    match (from.trim(), to.trim()) {
        ("", _) | (_, "") => Err("Name the tag and what it is to be called: old=new.".into()),
        (from, to) if from == to => Err("That is what it is called.".into()),
        (from, to) => Ok((from.to_owned(), to.to_owned())),
    }
}

/// Renames a tag wherever it is, also in what the list does not show.
fn rename(app: &mut App, from: String, to: String) {
    let has = |at: &crate::model::EntryRef| {
        let (store, entry) = app.listed_snapshot.get(*at);
        let own = store.view(entry).filter(|_| entry.state != State::Deleted);
        own.is_some_and(|view| view.tags.contains(&from))
    };
    let at: Vec<_> = app.listed_snapshot.entries().filter(has).collect();
    if at.is_empty() {
        return app.say(format!("No memory has the tag {from}: nothing is changed."));
    }
    let aim = target_of(app, at, Vec::new());
    request_change(app, Some(aim), ChangeCommand::RenameTag { from, to })
}
