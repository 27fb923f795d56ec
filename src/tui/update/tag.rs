//! The action `tag`: adds and removes tags.

use std::collections::HashMap;

use crate::query::most_first;
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::PromptPurpose;
use crate::usecase::ChangeCommand;

/// Returns the tags of the memories of the prompt, which can be removed.
pub(super) fn own_tags(purpose: PromptPurpose, aim: Option<&ChangeTarget>) -> Vec<String> {
    let Some(aim) = aim.filter(|_| purpose == PromptPurpose::Tag) else { return Vec::new() };
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for &at in &aim.at {
        let (store, entry) = aim.snapshot.get(at);
        for tag in store.memory(entry).iter().flat_map(|memory| memory.tags()) {
            *counts.entry(tag).or_default() += 1;
        }
    }
    most_first(counts).into_iter().map(|(word, _)| word).collect()
}

/// Returns the tags of the stores of the memories, or of all stores, the most used first.
pub(super) fn all_tags(app: &App, aim: Option<&ChangeTarget>) -> Vec<String> {
    let is_own = |number: usize| aim.is_none_or(|aim| aim.at.iter().any(|at| at.store as usize == number));
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let tallies = app.tallies.iter().enumerate().filter(|(number, _)| is_own(*number));
    for (tag, count) in tallies.flat_map(|(_, tally)| &tally.tags) {
        *counts.entry(tag).or_default() += count;
    }
    most_first(counts).into_iter().map(|(word, _)| word).collect()
}

pub(super) fn tags(text: &str) -> Result<ChangeCommand, &'static str> {
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
