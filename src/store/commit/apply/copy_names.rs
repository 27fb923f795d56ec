//! Finds other names for copies if their names were taken since the plan was made.

use std::borrow::Cow;
use std::path::Path;

use crate::model::{Act, Change, Plan};
use crate::store::commit::CommitContext;

/// The numbers below this one are tried in a copy's name.
const NAMES: usize = 100;

/// Returns the plan with free names for copies whose names are taken.
pub fn with_free_names<'p>(context: &CommitContext<'_>, plan: &'p Plan) -> Cow<'p, Plan> {
    let is_there = |path: &Path| context.host.disk.look(&context.path(path)).is_ok();
    let is_taken = |change: &Change| matches!(change.act, Act::Create(_)) && is_there(&change.path);
    if !plan.changes.iter().any(is_taken) {
        return Cow::Borrowed(plan);
    }
    let mut plan = plan.clone();
    for change in plan.changes.iter_mut().filter(|change| is_taken(change)) {
        let Some(other) = context.format.own().alternative_name else { break };
        let mut others = (2..NAMES).map_while(|number| other(&change.path, number));
        if let Some(free) = others.find(|other| !is_there(other)) {
            change.path = free;
        }
    }
    Cow::Owned(plan)
}
