//! Changes the records that a command line names.

use std::sync::Arc;

use super::args::RecordSelection;
use super::read_scope::read_for;
use super::run_change::run_change_of;
use super::selection::records;
use super::value_parsers::taken;
use super::{Context, Failure, ReadScope, Result, load_stores};
use crate::model::{Entry, State};
use crate::ops::archive::is_in_own_data;
use crate::ops::merge::MergedText;
use crate::ops::tag::{ChangeTags, RenameTag};
use crate::usecase::{Command, DeleteOptions, Requester, UnarchiveMemories, UndeleteMemories};

/// True if fields and tags of a record can be set.
pub fn is_there(entry: &Entry) -> bool {
    matches!(entry.state, State::Live | State::Archived)
}

/// Reads which text a merged memory has.
pub fn merged_text(text: &str) -> std::result::Result<MergedText, String> {
    match text {
        "both" => Ok(MergedText::Both),
        "into" => Ok(MergedText::OfTarget),
        "others" => Ok(MergedText::OfOthers),
        _ => Err("it should be both, into or others".into()),
    }
}

/// Makes a change of the chosen records that are in a state for it.
pub fn each(
    context: &mut Context,
    chosen: &RecordSelection,
    fits: impl Fn(&Entry) -> bool,
    command: Arc<dyn Command>,
) -> Result {
    let with_deleted = |context: &mut Context| {
        let snapshot = load_stores::with_deleted(context, &load_stores::to_change(context, ReadScope::All)?)?;
        let found = records(context, &snapshot, chosen, |_, entry| fits(entry))?;
        Ok::<_, Failure>((snapshot, found))
    };
    let (snapshot, found) = match command.is::<UndeleteMemories>() {
        true => with_deleted(context)?,
        false => {
            let read = read_for(
                if command.rules().is_of_other_sessions { &[] } else { &chosen.ids },
                |about| load_stores::to_change(context, about),
                |snapshot| records(context, snapshot, chosen, |_, entry| fits(entry)),
            );
            match (command.is::<UnarchiveMemories>(), read) {
                // What is archived in palimp's own data is read only if the stores have no such memory.
                (true, Ok((snapshot, _))) if snapshot.stores.iter().any(|own| is_in_own_data(own)) => {
                    with_deleted(context)?
                }
                (true, Err(why)) if !why.is_ambiguous => with_deleted(context)?,
                (_, read) => read?,
            }
        }
    };
    let by = if chosen.query.is_none() || found.len() == 1 { Requester::Ids } else { Requester::Query };
    run_change_of(context, &snapshot, (found, by), command)
}

pub fn delete(context: &mut Context, chosen: &RecordSelection, how: DeleteOptions) -> Result {
    let remove = how.remove;
    let asks = |word| chosen.query.as_deref().is_some_and(|query| query.contains(word));
    let asks_archived = asks("is:archived") || asks("in:archive");
    let fits = |entry: &Entry| match entry.state {
        State::Live | State::Broken => true,
        State::Deleted => remove,
        State::Archived => !chosen.ids.is_empty() || asks_archived,
    };
    each(context, chosen, fits, Arc::new(how))
}

/// Adds and removes tags, or renames one.
pub fn tag(context: &mut Context, words: &[String], query: Option<String>, rename: Option<&str>) -> Result {
    let add: Vec<String> =
        words.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned).collect();
    let remove: Vec<String> = words.iter().filter_map(|word| taken(word)).map(str::to_owned).collect();
    let rename = rename.map(renamed).transpose()?;
    match (add.is_empty() && remove.is_empty(), &rename) {
        (true, None) => return Err(Failure::usage("name tags as +new or -old, or use --rename.")),
        (false, Some(_)) => return Err(Failure::usage("name tags, or use --rename, not both.")),
        _ => {}
    }
    let ids = words.iter().filter(|word| !word.starts_with('+') && taken(word).is_none()).cloned().collect();
    let chosen = RecordSelection { ids, query };
    if !chosen.ids.is_empty() && chosen.query.is_some() {
        return Err(Failure::usage("name memories by their ids, or with --query, not both."));
    }
    let command: Arc<dyn Command> = match rename {
        Some((from, to)) => Arc::new(RenameTag { from: from.to_owned(), to: to.to_owned() }),
        None => Arc::new(ChangeTags { add, remove }),
    };
    each(context, &chosen, is_there, command)
}

fn renamed(word: &str) -> Result<(&str, &str)> {
    let parts = word.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty() && from != to);
    parts.ok_or_else(|| Failure::usage("use --rename OLD=NEW with two different names."))
}
