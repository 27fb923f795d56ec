//! Slips of the one who types: a word that is nearly a verb, or an option but for its dashes.

use std::ffi::OsStr;

use clap::Command;
use strsim::osa_distance;

use crate::model::Tell;
use crate::text::show::show;

/// What a word with one dash means where it is none of an option.
#[derive(Clone, Copy)]
pub enum Meant {
    /// A word of a query that is to be absent.
    Absent,
    /// A tag to take away.
    Tag,
    /// Nothing.
    Nothing,
}

/// The verb that the user has meant by the word, if it is near enough to one.
pub fn near_verb(command: &Command, word: &OsStr) -> Option<String> {
    let word = word.to_str()?;
    let most = if word.len() < 5 { 1 } else { 2 };
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let far = verbs.map(|verb| (osa_distance(word, verb.get_name()), verb.get_name()));
    far.filter(|(far, _)| *far <= most).min().map(|(_, verb)| verb.to_owned())
}

/// The option of these that a word is but for a dash: one is missing or too many, or a program has made
/// one long dash of two.
pub fn near_option<'a>(word: &OsStr, options: impl Iterator<Item = &'a str>) -> Option<String> {
    let word = word.to_str()?;
    let name = word.trim_start_matches(['-', '–', '—']);
    let dashes =
        word.get(..word.len() - name.len()).filter(|dashes| !dashes.is_empty() && *dashes != "--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let mut named = options.filter(|own| *own == name && dashes.chars().count() < 4);
    named.next().map(str::to_owned)
}

/// Says which option that is, and how the word is typed where it is meant.
pub fn told(word: &OsStr, option: &str, meant: Meant) -> String {
    let word = word.told();
    let shown = show(&word);
    let instead = match meant {
        Meant::Absent => format!(" To find what is without the word, type -'\"{option}\"'."),
        Meant::Tag => format!(" To remove the tag, type it after two dashes: -- -{option}"),
        Meant::Nothing => String::new(),
    };
    format!("{shown} is no option. Did you mean --{option}?{instead}\n")
}
