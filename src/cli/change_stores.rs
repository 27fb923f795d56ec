//! Changes stores as a whole.

use super::failure::Result;
use super::load_stores;
use super::read_scope::ReadScope;
use super::run_change::{request, run_change};
use crate::cli::context::Context;
use crate::usecase::ChangeCommand;

/// Changes every store as a whole.
pub fn each(context: &mut Context, wanted: ChangeCommand) -> Result {
    let snapshot = load_stores::to_change(context, ReadScope::All)?;
    run_change(context, request(context, &snapshot, wanted), None)
}
