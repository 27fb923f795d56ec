//! `palimp repair`: repairs damaged files, one problem or all with a code.

use super::run_change::each_store;
use super::{Context, Failure, Result};
use crate::model::Code;
use crate::ops::repair::{FixChoice, RepairTarget};
use crate::usecase::Repair;

const NOTHING_SAID: &str = "say what to repair: --all-safe, --problem N or --code CODE. `palimp repair --dry-run` shows what \
                            --all-safe would do.";

/// Repairs one problem by one of its fixes, all with a code, or what is safe. `--dry-run` alone shows the safe repairs.
pub fn run(
    context: &mut Context,
    all_safe: bool,
    problem: Option<(String, Option<usize>)>,
    code: Option<Code>,
) -> Result {
    let which = match (problem, code) {
        (Some((problem, fix)), _) => {
            RepairTarget::Chosen(vec![(problem, FixChoice::Number(fix.unwrap_or(1)))])
        }
        (None, Some(code)) => RepairTarget::Code(code),
        (None, None) if all_safe || context.options.dry_run => RepairTarget::AllSafe,
        (None, None) => return Err(Failure::usage(NOTHING_SAID)),
    };
    each_store(context, Repair(which))
}
