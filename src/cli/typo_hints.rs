//! Typing mistakes: a word that is nearly a verb, or an option with the wrong number of dashes.

use std::ffi::OsStr;

use clap::Command;
use strsim::osa_distance;

use crate::model::PathText;
use crate::text::safe_text::sanitize;

/// What a word with one dash means if it is not an option.
#[derive(Clone, Copy)]
pub enum DashMeaning {
    /// A word that a query excludes.
    Absent,
    /// A tag to remove.
    Tag,
    /// It has no meaning.
    Nothing,
}

/// Returns the verb that the user probably meant by the word, if one is near enough.
pub fn near_verb(command: &Command, word: &OsStr) -> Option<String> {
    let word = word.to_str()?;
    let most = if word.len() < 5 { 1 } else { 2 };
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let far = verbs.map(|verb| (osa_distance(word, verb.get_name()), verb.get_name()));
    far.filter(|(far, _)| *far <= most).min().map(|(_, verb)| verb.to_owned())
}

/// Returns the option that a word means although its dashes are wrong: one is missing, one is
/// extra, or a program has replaced two dashes by a long one.
pub fn near_option<'a>(word: &OsStr, options: impl Iterator<Item = &'a str>) -> Option<String> {
    let word = word.to_str()?;
    let name = word.trim_start_matches(['-', '–', '—']);
    let dashes =
        word.get(..word.len() - name.len()).filter(|dashes| !dashes.is_empty() && *dashes != "--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let mut named = options.filter(|own| *own == name && dashes.chars().count() < 4);
    named.next().map(str::to_owned)
}

/// Returns the message about an option of one letter that has an extra dash.
pub fn told_letter(word: &OsStr, mut letters: impl Iterator<Item = char>) -> Option<String> {
    let name = word.to_str()?.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let letter = letters.find(|own| name.strip_prefix(*own) == Some(""))?;
    Some(format!("--{letter} is no option. Did you mean -{letter}?\n"))
}

/// Returns a message that names the option, and says how to type the word if it is really meant.
pub fn told(word: &OsStr, option: &str, meant: DashMeaning) -> String {
    let word = word.to_text();
    let shown = sanitize(&word);
    let instead = match meant {
        DashMeaning::Absent => format!(" To find what is without the word, type -'\"{option}\"'."),
        DashMeaning::Tag => format!(" To remove the tag, type it after two dashes: -- -{option}"),
        DashMeaning::Nothing => String::new(),
    };
    format!("{shown} is no option. Did you mean --{option}?{instead}\n")
}
