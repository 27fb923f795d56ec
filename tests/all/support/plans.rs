//! Plans that only tests ask for.

use palimp::model::{Entry, Plan};
use palimp::ops::command::{Command, MemoryInput};
use palimp::ops::erase::ErasedRecords;
use palimp::ops::repair::{RepairContext, RepairPlan, RepairSources, RepairTarget, chosen};
use palimp::ops::set_field::SetImportance;
use palimp::ops::tag::ChangeTags;
use palimp::ops::{Progress, Result, WriteContext};

/// Plans a command for memories of a store of which nothing was erased.
pub fn of(context: &WriteContext<'_>, entries: &[Entry], command: &dyn Command) -> Result<Plan> {
    let (erased, progress) = (ErasedRecords::default(), Progress::default());
    command.plan_memories(&MemoryInput {
        context: *context,
        entries,
        erased: &erased,
        given_ids: &Default::default(),
        progress: &progress,
    })
}

pub fn tag(context: &WriteContext<'_>, own: &[Entry], add: &[String], remove: &[String]) -> Result<Plan> {
    of(context, own, &ChangeTags { add: add.to_vec(), remove: remove.to_vec() })
}

pub fn importance(context: &WriteContext<'_>, entry: &Entry, value: f64) -> Result<Plan> {
    of(context, &[*entry], &SetImportance(value))
}

pub fn all_safe(context: &WriteContext<'_>) -> Result<RepairPlan> {
    chosen(&RepairContext::of(context, &RepairSources::default(), []), &RepairTarget::AllSafe)
}
