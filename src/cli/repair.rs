//! `palimp repair`: damaged files, one problem or all of a kind.

use super::failure::{Exit, Failure, Result};
use super::read_scope::ReadScope;
use super::run_change::{request, run_change};
use super::{Context, load_stores};
use crate::model::Code;
use crate::ops::repair::{FixChoice, RepairTarget};
use crate::usecase::ChangeCommand;

const NOTHING_SAID: &str = "say what to repair: --all-safe, --problem N or --code CODE. `palimp repair --dry-run` shows what \
                            --all-safe would do.";

/// What the user asked for: all safe repairs, one problem by one of its fixes, or all problems of a kind.
pub struct RepairArgs {
    pub all_safe: bool,
    pub problem: Option<String>,
    pub fix: Option<usize>,
    pub code: Option<Code>,
}

/// Repairs one problem, all of a kind, or everything that is safe. Without an argument, the safe repairs are
/// shown.
pub fn run(context: &mut Context, asked: RepairArgs) -> Result {
    let which = match (asked.problem, asked.code) {
        (Some(problem), _) => {
            RepairTarget::Chosen(vec![(problem, FixChoice::Number(asked.fix.unwrap_or(1)))])
        }
        (None, Some(code)) => RepairTarget::Code(code),
        (None, None) if asked.all_safe || context.options.dry_run => RepairTarget::AllSafe,
        (None, None) => return Err(Failure::new(Exit::Usage, NOTHING_SAID)),
    };
    let snapshot = load_stores::to_change(context, ReadScope::All)?;
    run_change(context, request(context, &snapshot, ChangeCommand::Repair(which)), None)
}
