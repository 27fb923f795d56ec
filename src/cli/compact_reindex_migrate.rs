//! `palimp compact`, `palimp reindex` and `palimp migrate`: they change stores as a whole.

use super::failure::Result;
use super::load_stores;
use super::read_scope::ReadScope;
use super::run_change::{request, run_change};
use crate::cli::context::Context;
use crate::usecase::ChangeCommand;

pub fn compact(context: &mut Context, session: Option<String>) -> Result {
    each_store(context, ChangeCommand::Compact(session))
}

pub fn reindex(context: &mut Context) -> Result {
    each_store(context, ChangeCommand::Reindex(None))
}

pub fn migrate(context: &mut Context) -> Result {
    each_store(context, ChangeCommand::Migrate)
}

fn each_store(context: &mut Context, wanted: ChangeCommand) -> Result {
    let snapshot = load_stores::to_change(context, ReadScope::All)?;
    run_change(context, request(context, &snapshot, wanted), None)
}
