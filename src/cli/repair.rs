//! `palimp repair`: damaged files, one problem or all of a kind.

use super::change::{make, request};
use super::failure::{Exit, Failure, Result};
use super::scope::Scope;
use super::{Context, open};
use crate::deed::Wanted;
use crate::model::Code;
use crate::ops::repair::{Pick, Which};

const NOTHING_SAID: &str = "say what to repair: --all-safe, --problem N or --code CODE. `palimp repair --dry-run` shows what \
                            --all-safe would do.";

/// What the user asked for: all safe repairs, one problem by one of its fixes, or all problems of a kind.
pub struct Asked {
    pub all_safe: bool,
    pub problem: Option<String>,
    pub fix: Option<usize>,
    pub code: Option<Code>,
}

/// Repairs one problem, all of a kind, or everything that is safe. Without an argument, the safe repairs are
/// shown.
pub fn run(context: &mut Context, asked: Asked) -> Result {
    let which = match (asked.problem, asked.code) {
        (Some(problem), _) => Which::Chosen(vec![(problem, Pick::Number(asked.fix.unwrap_or(1)))]),
        (None, Some(code)) => Which::Code(code),
        (None, None) if asked.all_safe || context.options.dry_run => Which::AllSafe,
        (None, None) => return Err(Failure::new(Exit::Usage, NOTHING_SAID)),
    };
    let snapshot = open::to_change(context, Scope::All)?;
    make(context, request(context, &snapshot, Wanted::Repair(which)), None)
}
