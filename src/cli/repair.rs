//! `palimp repair`: damaged files, one problem or all of a kind.

use super::change::{make, request};
use super::failure::Result;
use super::{Context, open};
use crate::deed::Wanted;
use crate::model::Code;
use crate::ops::repair::{Pick, Which};

/// Repairs a problem, all of a kind, or whatever is safe.
pub fn run(context: &mut Context, problem: Option<String>, fix: Option<usize>, code: Option<Code>) -> Result {
    let which = match (problem, code) {
        (Some(problem), _) => Which::Chosen(vec![(problem, Pick::Number(fix.unwrap_or(1)))]),
        (None, Some(code)) => Which::Code(code),
        (None, None) => Which::AllSafe,
    };
    let snapshot = open::to_change(context)?;
    make(context, request(context, &snapshot, Wanted::Repair(which)), None)
}
