//! `palimp repair`: repairs damaged files, one problem or all with a code.

use super::failure::{Failure, Result};
use super::run_change::each_store;
use crate::cli::context::Context;
use crate::model::Code;
use crate::ops::repair::{FixChoice, RepairTarget};
use crate::usecase::ChangeCommand;

const NOTHING_SAID: &str = "say what to repair: --all-safe, --problem N or --code CODE. `palimp repair --dry-run` shows what \
                            --all-safe would do.";

/// What to repair: everything that is safe, one problem by one of its fixes, or all problems with a code.
pub struct RepairArgs {
    pub all_safe: bool,
    pub problem: Option<String>,
    pub fix: Option<usize>,
    pub code: Option<Code>,
}

/// Repairs one problem, all with a code, or what is safe. `--dry-run` alone shows the safe repairs.
pub fn run(context: &mut Context, asked: RepairArgs) -> Result {
    let which = match (asked.problem, asked.code) {
        (Some(problem), _) => {
            RepairTarget::Chosen(vec![(problem, FixChoice::Number(asked.fix.unwrap_or(1)))])
        }
        (None, Some(code)) => RepairTarget::Code(code),
        (None, None) if asked.all_safe || context.options.dry_run => RepairTarget::AllSafe,
        (None, None) => return Err(Failure::usage(NOTHING_SAID)),
    };
    each_store(context, ChangeCommand::Repair(which))
}
