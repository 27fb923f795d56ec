//! `reindex`: rebuilds derived files from the records.

use std::path::Path;

use super::{Command, CommandRules, CommandScope, Result, StoreInput, StorePlan, WriteContext, writes};
use crate::check::stale_files;
use crate::model::{Plan, Verb};
use crate::store::{CommitError, derived_files};

/// Plans to rebuild the indexes and counts that disagree with the records.
pub fn reindex(context: &WriteContext<'_>) -> Result<Plan> {
    within(context, Path::new(""))
}

/// Like [`reindex`], for one session.
pub fn of_session(context: &WriteContext<'_>, name: &str) -> Result<Plan> {
    within(context, super::session_folder(context.store, name)?)
}

fn within(context: &WriteContext<'_>, folder: &Path) -> Result<Plan> {
    writes(context.store)?;
    let store = context.store;
    let mut plan = Plan::of(Verb::Reindex, store.whole()?);
    plan.derived = stale_files::stale_files(store, context.now);
    plan.derived.retain(|change| change.path.starts_with(folder));
    plan.lines = stale_files::not_rebuilt(store, &plan.derived, folder);
    plan.inputs = derived_files::derivation_inputs(store, &[]);
    store.whole()?;
    Ok(plan)
}

/// Rebuilds derived files, or those of one session.
#[derive(Clone, Debug)]
pub struct Reindex {
    /// Only this session.
    pub session: Option<String>,
}

impl Command for Reindex {
    fn rules(&self) -> CommandRules {
        CommandRules { scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let plan = match &self.session {
            Some(session) => of_session(&input.context(), session)?,
            None => reindex(&input.context())?,
        };
        Ok(input.planned(plan))
    }
}
