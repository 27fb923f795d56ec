//! `palimp tag`.

use crate::cli::args::RecordSelection;
use crate::cli::change_records::{each, is_there};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure, Result};
use crate::cli::value_parsers::taken;
use crate::usecase::ChangeCommand;

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

fn renamed(word: &str) -> Result<(&str, &str)> {
    let parts = word.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty() && from != to);
    parts.ok_or_else(|| Failure::new(Exit::Usage, "use --rename OLD=NEW with two different names."))
}
