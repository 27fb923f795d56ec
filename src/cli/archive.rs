//! `palimp archive` and `palimp unarchive`.

use crate::cli::args::RecordSelection;
use crate::cli::change_records::each;
use crate::cli::context::Context;
use crate::cli::failure::Result;
use crate::model::State;
use crate::usecase::ChangeCommand;

pub fn archive(context: &mut Context, chosen: &RecordSelection) -> Result {
    each(context, chosen, |entry| entry.state == State::Live, ChangeCommand::Archive)
}

pub fn unarchive(context: &mut Context, chosen: &RecordSelection) -> Result {
    each(context, chosen, |entry| entry.state == State::Archived, ChangeCommand::Unarchive)
}
