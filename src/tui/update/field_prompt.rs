//! Prompts for a value: tags, until when to keep, a tag's new name, importance, type, category, a search that marks,
//! the file of an export.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::time::{self, DAY};
use crate::model::{KEEP_UNTIL, Keep, Moment, PINNED, State, tag_until};
use crate::ops::edit::may_be_named;
use crate::ops::tag::{ChangeTags, RenameTag};
use crate::query::{Query, most_first};
use crate::tui::possible_changes::{self, among_memories, refused, target_of};
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose, PromptWords};
use crate::tui::update::running_change::request_change;
use crate::tui::update::{marks, search_query};
use crate::usecase::{Command, EditMemory};
use crate::work::{Job, SearchRequest};

/// Opens a prompt with the words that fit it, the most used first.
pub fn open(app: &mut App, purpose: PromptPurpose, aim: Option<ChangeTarget>) {
    let all = match (purpose, purpose.asks(), &aim) {
        (PromptPurpose::Tag | PromptPurpose::RenameTag, ..) => all_tags(app, aim.as_ref()),
        (_, Some(asks), Some(aim)) => (asks.words)(&app.facets, &aim.snapshot, &aim.at),
        _ => Vec::new(),
    };
    let words = PromptWords { all, own: own_tags(purpose, aim.as_ref()) };
    let prompt = app.open_prompt(purpose, "");
    (prompt.target, prompt.words) = (aim, words);
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
        PromptPurpose::MarkBySearch => {
            Query::parse(&text, app.now).map_err(|error| error.message).map(|_| {
                let (snapshot, query) = (Arc::clone(&app.listed_snapshot), text);
                let asked = SearchRequest { snapshot, query, only: None, pick: None, ..app.search_request() };
                app.prompt = None;
                app.give_job(Job::SearchToMark(asked));
            })
        }
        PromptPurpose::Export => write_export(app, text.trim().to_owned()),
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

fn wanted(app: &App, purpose: PromptPurpose, text: &str) -> Result<Arc<dyn Command>, String> {
    let aim = app.prompt.as_ref().and_then(|prompt| prompt.target.as_ref());
    let wanted = match purpose {
        PromptPurpose::KeepUntil => kept(text, aim, app.now),
        PromptPurpose::Tag => tags(text),
        _ => purpose.asks().map_or(Err("There is nothing to set."), |asks| (asks.command)(text)),
    }?;
    if let (Some(name), Some(aim)) = (wanted.get::<EditMemory>().and_then(EditMemory::new_name), aim) {
        let (store, entry) = aim.snapshot.get(aim.one().ok_or("One memory at a time gets another name.")?);
        may_be_named(store, entry, name, app.now).map_err(refused)?;
    }
    Ok(wanted)
}

pub(super) fn renamed(text: &str) -> Result<(String, String), String> {
    let (from, to) = text.split_once('=').unwrap_or_default();
    match (from.trim(), to.trim()) {
        ("", _) | (_, "") => Err("Name the tag and what it is to be called: old=new.".into()),
        (from, to) if from == to => Err("That is what it is called.".into()),
        (from, to) => Ok((from.to_owned(), to.to_owned())),
    }
}

pub(super) fn rename(app: &mut App, from: String, to: String) {
    let has = |at: &crate::model::EntryRef| {
        let (store, entry) = app.listed_snapshot.get(*at);
        let own = store.memory(entry).filter(|_| entry.state != State::Deleted);
        own.is_some_and(|memory| memory.has_tag(&from))
    };
    let at: Vec<_> = app.listed_snapshot.entries().filter(has).collect();
    if at.is_empty() {
        return app.say(format!("No memory has the tag {from}: nothing is changed."));
    }
    let aim = target_of(app, at, Vec::new());
    request_change(app, Some(aim), Arc::new(RenameTag { from, to }))
}

/// Makes the command that keeps memories until a day. It removes other tags that keep them.
pub(super) fn kept(
    text: &str,
    aim: Option<&ChangeTarget>,
    now: Moment,
) -> Result<Arc<dyn Command>, &'static str> {
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
    Ok(Arc::new(ChangeTags { add: until.into_iter().collect(), remove }))
}

const KEEP_HOW: &str = "Until when? A day such as 2027-01-31, or for how long: 90d, 8w, 6m, 1y.";

/// Returns a date, or the date after a number of days, weeks, months of 30 days, or years of 365 days.
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

fn own_tags(purpose: PromptPurpose, aim: Option<&ChangeTarget>) -> Vec<String> {
    let Some(aim) = aim.filter(|_| purpose == PromptPurpose::Tag) else { return Vec::new() };
    let entries = aim.at.iter().map(|at| aim.snapshot.get(*at));
    let memories = entries.filter_map(|(store, entry)| store.memory(entry));
    most_used(memories.flat_map(|memory| memory.tags()).map(|tag| (tag, 1)))
}

fn most_used<'a>(counts: impl Iterator<Item = (&'a str, usize)>) -> Vec<String> {
    let mut sums: HashMap<&str, usize> = HashMap::new();
    counts.for_each(|(tag, count)| *sums.entry(tag).or_default() += count);
    most_first(sums).into_iter().map(|(tag, _)| tag).collect()
}

/// Returns the tags of the stores of the memories, or of all stores, the most used first.
fn all_tags(app: &App, aim: Option<&ChangeTarget>) -> Vec<String> {
    let is_own = |number: usize| aim.is_none_or(|aim| aim.at.iter().any(|at| at.store as usize == number));
    let tallies = app.tallies.iter().enumerate().filter(|(number, _)| is_own(*number));
    most_used(tallies.flat_map(|(_, tally)| &tally.tags).map(|(tag, count)| (&**tag, *count)))
}

pub(super) fn tags(text: &str) -> Result<Arc<dyn Command>, &'static str> {
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        match (word.strip_prefix('+'), word.strip_prefix('-')) {
            (Some(""), _) | (_, Some("")) => return Err("Name tags as new, +new or -old."),
            (_, Some(tag)) => remove.push(tag.to_owned()),
            (Some(tag), None) => add.push(tag.to_owned()),
            (None, None) => add.push(word.to_owned()),
        }
    }
    Ok(Arc::new(ChangeTags { add, remove }))
}

/// Asks for the file, for the marked memories or else for all that are listed.
pub(super) fn begin_export(app: &mut App) {
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
    open(app, PromptPurpose::Export, Some(aim));
}

/// Starts an export. Its prompt stays open until the end, so that typed text does not run as keys.
fn write_export(app: &mut App, file: String) -> Result<(), String> {
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
        Err(_) => app.prompt.iter_mut().for_each(|prompt| _ = prompt.export.take_if(|own| *own == number)),
    }
    app.say(outcome.unwrap_or_else(|why| why));
}
