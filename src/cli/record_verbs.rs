//! Verbs on chosen records: `tag`, `delete`, `undelete`, `archive`, `unarchive`, `edit` of several.

use super::args::RecordSelection;
use super::classify_args::taken;
use super::failure::{Exit, Failure, Result};
use super::read_scope::{ReadScope, read_for};
use super::run_change::run_change_of;
use super::selection::records;
use super::{Context, load_stores};
use crate::model::{Entry, State};
use crate::usecase::{ChangeCommand, DeleteOptions, Requester};

/// Adds and removes tags, or renames one.
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
    let chosen = RecordSelection { ids, query };
    if !chosen.ids.is_empty() && chosen.query.is_some() {
        return Err(Failure::new(Exit::Usage, "name memories by their ids, or with --query, not both."));
    }
    let wanted = match rename {
        Some((from, to)) => ChangeCommand::RenameTag { from: from.to_owned(), to: to.to_owned() },
        None => ChangeCommand::Tag { add, remove },
    };
    each(context, &chosen, is_there, wanted)
}

/// True if fields and tags of a record can be set.
pub fn is_there(entry: &Entry) -> bool {
    matches!(entry.state, State::Live | State::Archived)
}

/// Sets fields of the records that a query finds.
pub fn edit(context: &mut Context, query: Option<String>, set: Vec<(String, String)>) -> Result {
    each(context, &RecordSelection { ids: Vec::new(), query }, is_there, ChangeCommand::EditMany(set))
}

fn renamed(word: &str) -> Result<(&str, &str)> {
    let parts = word.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty() && from != to);
    parts.ok_or_else(|| Failure::new(Exit::Usage, "use --rename OLD=NEW with two different names."))
}

pub fn delete(context: &mut Context, chosen: &RecordSelection, how: DeleteOptions) -> Result {
    let remove = how.remove;
    let fits = |entry: &Entry| match entry.state {
        State::Live | State::Broken => true,
        State::Deleted => remove,
        State::Archived => !chosen.ids.is_empty() || asks_archived(chosen),
    };
    each(context, chosen, fits, ChangeCommand::Delete(how))
}

/// True if a query asks for archived memories explicitly.
fn asks_archived(chosen: &RecordSelection) -> bool {
    chosen.query.as_deref().is_some_and(|query| query.contains("is:archived") || query.contains("in:archive"))
}

pub fn undelete(context: &mut Context, chosen: &RecordSelection) -> Result {
    load_stores::data_folder(context)?;
    each(context, chosen, |_| true, ChangeCommand::Undelete)
}

pub fn archive(context: &mut Context, chosen: &RecordSelection) -> Result {
    each(context, chosen, |entry| entry.state == State::Live, ChangeCommand::Archive)
}

pub fn unarchive(context: &mut Context, chosen: &RecordSelection) -> Result {
    each(context, chosen, |entry| entry.state == State::Archived, ChangeCommand::Unarchive)
}

/// Makes a change of the chosen records that are in a state for it.
fn each(
    context: &mut Context,
    chosen: &RecordSelection,
    fits: impl Fn(&Entry) -> bool,
    wanted: ChangeCommand,
) -> Result {
    let (snapshot, found) = match wanted {
        ChangeCommand::Undelete => {
            let snapshot =
                load_stores::with_deleted(context, &load_stores::to_change(context, ReadScope::All)?)?;
            let found = records(context, &snapshot, chosen, |_, entry| fits(entry))?;
            (snapshot, found)
        }
        _ => read_for(
            &chosen.ids,
            matches!(wanted, ChangeCommand::Tag { .. }) && context.is_at_once(),
            |about| load_stores::to_change(context, about),
            |snapshot| records(context, snapshot, chosen, |_, entry| fits(entry)),
        )?,
    };
    let by = if chosen.query.is_none() || found.len() == 1 { Requester::Ids } else { Requester::Query };
    run_change_of(context, &snapshot, (found, by), wanted)
}
