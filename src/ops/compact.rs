//! `compact`: removes what a log need not keep.

use std::sync::Arc;

use super::effect_lines::add_rule_lines;
use super::{
    Command, CommandRules, CommandScope, Refusal, Result, StoreInput, StorePlan, WriteContext,
    config_is_known, plan, with_backups, writes,
};
use crate::format::writing::removals;
use crate::model::{Change, Document, Plan, Role, Store, Verb};
use crate::store::{CommitError, derived_files};

/// Plans what the format calls compaction.
pub fn compact(context: &WriteContext<'_>, session: Option<&str>) -> Result<Plan> {
    config_is_known(context.store)?;
    let (_, writes) = writes(context.store)?;
    if let Some(name) = session.filter(|name| !context.store.sessions.iter().any(|own| own.name == *name)) {
        return Err(Refusal::no_session(name));
    }
    if let Some(changes) = writes.compact(context, session) {
        let changes = changes?;
        let all = with_backups(context, changes);
        return plan(Verb::Compact, context, dropped(context, &all), all);
    }
    let Some(goes) = writes.compacted_entries(context, session) else {
        return Err(Refusal::unfit("the format has no compaction."));
    };
    let goes = goes?;
    let changes = removals(context.store, &goes);
    let all = with_backups(context, changes);
    plan(Verb::Compact, context, goes.len(), all)
}

/// Says in words what a compaction of the store removes.
pub fn rule(store: &Store) -> String {
    writes(store).map_or_else(|refusal| refusal.message, |(_, writes)| writes.compaction_rule(store))
}

fn dropped(context: &WriteContext<'_>, changes: &[Change]) -> usize {
    let active = |documents: &[Arc<Document>]| {
        let live = documents.iter().filter(|document| document.role == Role::Records);
        live.map(|document| document.records.len()).sum::<usize>()
    };
    let after = derived_files::documents_after(context.store, changes, context.now);
    active(&context.store.documents).saturating_sub(active(&after))
}

/// Compacts all logs, or those of one session.
#[derive(Clone, Debug)]
pub struct Compact {
    /// Only this session.
    pub session: Option<String>,
}

impl Command for Compact {
    fn rules(&self) -> CommandRules {
        let words = ["compacting", "compact", "compacted"];
        CommandRules { words, scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let mut plan = compact(&input.context(), self.session.as_deref())?;
        add_rule_lines(&mut plan, input.store, &rule(input.store), input.host.now);
        Ok(input.planned(plan))
    }
}
