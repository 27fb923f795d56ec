//! `tag`, `delete`, `undelete`, `archive`, `unarchive`, and `edit` of several: verbs on records
//! that are named or found.

use super::args::Chosen;
use super::change::make_of;
use super::chosen::records;
use super::failure::{Exit, Failure, Result};
use super::scope::{Scope, read_for};
use super::words::taken;
use super::{Context, open};
use crate::deed::{By, DeleteAs, Wanted};
use crate::model::{Entry, State};

/// Adds and removes tags, or calls one otherwise.
pub fn tag(context: &mut Context, words: &[String], query: Option<String>, rename: Option<&str>) -> Result {
    let add: Vec<String> =
        words.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned).collect();
    let remove: Vec<String> = words.iter().filter_map(|word| taken(word)).map(str::to_owned).collect();
    let rename = rename.map(renamed).transpose()?;
    match (add.is_empty() && remove.is_empty(), &rename) {
        (true, None) => return Err(Failure::new(Exit::Usage, "name tags as +new or -old, or use --rename.")),
        (false, Some(_)) => return Err(Failure::new(Exit::Usage, "name tags, or use --rename, not both.")),
        _ => {}
    }
    let ids = words.iter().filter(|word| !word.starts_with('+') && taken(word).is_none()).cloned().collect();
    let chosen = Chosen { ids, query };
    if !chosen.ids.is_empty() && chosen.query.is_some() {
        return Err(Failure::new(Exit::Usage, "name memories by their ids, or with --query, not both."));
    }
    let wanted = match rename {
        Some((from, to)) => Wanted::Rename { from: from.to_owned(), to: to.to_owned() },
        None => Wanted::Tag { add, remove },
    };
    each(context, &chosen, is_there, wanted)
}

/// Whether a record has fields and tags that can be set.
pub fn is_there(entry: &Entry) -> bool {
    matches!(entry.state, State::Live | State::Archived)
}

/// Sets fields of the records that a query finds.
pub fn edit(context: &mut Context, query: Option<String>, set: Vec<(String, String)>) -> Result {
    each(context, &Chosen { ids: Vec::new(), query }, is_there, Wanted::EditEach(set))
}

/// What a tag is called, and what it is to be called.
fn renamed(word: &str) -> Result<(&str, &str)> {
    let parts = word.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty() && from != to);
    parts.ok_or_else(|| Failure::new(Exit::Usage, "use --rename OLD=NEW with two different names."))
}

/// Deletes records.
pub fn delete(context: &mut Context, chosen: &Chosen, how: DeleteAs) -> Result {
    let remove = how.remove;
    let fits = |entry: &Entry| match entry.state {
        State::Live | State::Broken => true,
        State::Deleted => remove,
        State::Archived => !chosen.ids.is_empty() || asks_archived(chosen),
    };
    each(context, chosen, fits, Wanted::Delete(how))
}

/// Whether a query asks for what is archived by name.
fn asks_archived(chosen: &Chosen) -> bool {
    chosen.query.as_deref().is_some_and(|query| query.contains("is:archived") || query.contains("in:archive"))
}

/// Takes deletions back.
pub fn undelete(context: &mut Context, chosen: &Chosen) -> Result {
    open::data_folder(context)?;
    each(context, chosen, |_| true, Wanted::Undelete)
}

/// Moves records aside.
pub fn archive(context: &mut Context, chosen: &Chosen) -> Result {
    each(context, chosen, |entry| entry.state == State::Live, Wanted::Archive)
}

/// Brings archived records back.
pub fn unarchive(context: &mut Context, chosen: &Chosen) -> Result {
    each(context, chosen, |entry| entry.state == State::Archived, Wanted::Unarchive)
}

/// Does something with the chosen records that are in a state for it.
fn each(context: &mut Context, chosen: &Chosen, fits: impl Fn(&Entry) -> bool, wanted: Wanted) -> Result {
    let (snapshot, found) = match wanted {
        Wanted::Undelete => {
            let snapshot = open::with_deleted(context, &open::to_change(context, Scope::All)?)?;
            let found = records(context, &snapshot, chosen, |_, entry| fits(entry))?;
            (snapshot, found)
        }
        _ => read_for(
            &chosen.ids,
            matches!(wanted, Wanted::Tag { .. }) && context.is_at_once(),
            |about| open::to_change(context, about),
            |snapshot| records(context, snapshot, chosen, |_, entry| fits(entry)),
        )?,
    };
    let by = if chosen.query.is_none() || found.len() == 1 { By::Ids } else { By::Query };
    make_of(context, &snapshot, (found, by), wanted)
}
