//! Keeps a store in order: the tasks that are due, decay that is written down, and files of older versions.

use super::effect_lines::add_rule_lines;
use super::{
    Command, CommandRules, CommandScope, Refusal, Result, StoreInput, StorePlan, WriteContext,
    config_is_known, plan, with_backups, writes,
};
use crate::format::writing::decay_update;
use crate::model::{Plan, Verb};
use crate::store::{CommitError, packed_bytes};

/// Plans what is due by the format's rules and the store's own config, each with its rule in words.
/// All plans start from the same store: once one is carried out, the others must be made again.
pub fn due(context: &WriteContext<'_>) -> Result<Vec<(Plan, String)>> {
    let (_, writes) = writes(context.store)?;
    // An incomplete store must not look as if nothing were due.
    context.store.whole()?;
    config_is_known(context.store)?;
    let mut plans = Vec::new();
    for due in writes.due_tasks(context)? {
        let mut plan = plan(Verb::Maintain, context, due.records, with_backups(context, due.changes))?;
        plan.lines.push(due.what);
        plans.push((plan, due.rule));
    }
    Ok(plans)
}

/// Plans to bring the stored caches of decay up to date.
pub fn decay(context: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let (records, changes) =
        decay_update(writes, context).map_or((0, Vec::new()), |due| (due.records, due.changes));
    plan(Verb::Maintain, context, records, changes)
}

/// Plans to bring files of an older version to this one, with a backup of each.
pub fn migrate(context: &WriteContext<'_>) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let changes = writes.own().migrate.map_or(Ok(Vec::new()), |migrate| migrate(context))?;
    let records = context.store.entries.len();
    plan(Verb::Migrate, context, if changes.is_empty() { 0 } else { records }, changes)
}

/// What is due in a store, each with its rule. The compressed files that it needs are read from the disk.
pub fn plans_due(input: &StoreInput<'_>) -> Result<Vec<(Plan, String)>, CommitError> {
    let context = input.context();
    let files = writes(input.store)?.1.due_task_files(&context);
    let packed = packed_bytes(input.host.disk, input.store, &files)
        .map_err(|error| Refusal::unread("an archive", &error))?;
    Ok(due(&WriteContext { compressed_files: &packed, ..context })?)
}

/// Does what is due.
#[derive(Clone, Debug)]
pub struct Maintain;

impl Command for Maintain {
    fn rules(&self) -> CommandRules {
        let words = ["running", "run", "ran"];
        CommandRules { words, scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let mut plans = Vec::new();
        for (mut plan, rule) in plans_due(input)?.into_iter().filter(|(plan, _)| !plan.is_empty()) {
            add_rule_lines(&mut plan, input.store, &rule, input.host.now);
            plans.push(StorePlan::of(input.number, plan));
        }
        if plans.is_empty() {
            let whole = input.store.whole().map_err(Refusal::from)?;
            plans.extend(input.planned(Plan::of(Verb::Maintain, whole)));
        }
        Ok(plans)
    }
}

/// Brings files of an older version to this one.
#[derive(Clone, Debug)]
pub struct Migrate;

impl Command for Migrate {
    fn rules(&self) -> CommandRules {
        CommandRules { scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        Ok(input.planned(migrate(&input.context())?))
    }
}

/// Brings the stored caches of decay up to date.
#[derive(Clone, Debug)]
pub struct RefreshDecay;

impl Command for RefreshDecay {
    fn rules(&self) -> CommandRules {
        CommandRules { scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        Ok(input.planned(decay(&input.context())?))
    }
}
