//! `palimp undelete`.

use crate::cli::args::RecordSelection;
use crate::cli::change_records::each;
use crate::cli::context::Context;
use crate::cli::failure::Result;
use crate::cli::load_stores;
use crate::usecase::ChangeCommand;

pub fn undelete(context: &mut Context, chosen: &RecordSelection) -> Result {
    load_stores::data_folder(context)?;
    each(context, chosen, |_| true, ChangeCommand::Undelete)
}
