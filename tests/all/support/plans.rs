//! Plans that only tests ask for.

use palimp::model::{Entry, Plan};
use palimp::ops::repair::{RepairContext, RepairPlan, RepairSources, RepairTarget, chosen};
use palimp::ops::tag::{TagChange, tagged};
use palimp::ops::{Progress, Result, WriteContext, set_field};

pub fn tag(context: &WriteContext<'_>, own: &[Entry], add: &[String], remove: &[String]) -> Result<Plan> {
    tagged(context, own, TagChange::Change { add, remove }, &Progress::default())
}

pub fn importance(context: &WriteContext<'_>, entry: &Entry, value: f64) -> Result<Plan> {
    set_field::importances(context, &[*entry], value, &Progress::default())
}

pub fn all_safe(context: &WriteContext<'_>) -> Result<RepairPlan> {
    chosen(&RepairContext::of(context, &RepairSources::default(), []), &RepairTarget::AllSafe)
}
