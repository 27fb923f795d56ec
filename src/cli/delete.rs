//! `palimp delete`.

use crate::cli::args::RecordSelection;
use crate::cli::change_records::each;
use crate::cli::context::Context;
use crate::cli::failure::Result;
use crate::model::{Entry, State};
use crate::usecase::{ChangeCommand, DeleteOptions};

pub fn delete(context: &mut Context, chosen: &RecordSelection, how: DeleteOptions) -> Result {
    let remove = how.remove;
    let fits = |entry: &Entry| match entry.state {
        State::Live | State::Broken => true,
        State::Deleted => remove,
        State::Archived => !chosen.ids.is_empty() || asks_archived(chosen),
    };
    each(context, chosen, fits, ChangeCommand::Delete(how))
}

fn asks_archived(chosen: &RecordSelection) -> bool {
    chosen.query.as_deref().is_some_and(|query| query.contains("is:archived") || query.contains("in:archive"))
}
