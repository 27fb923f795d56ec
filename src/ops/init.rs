//! `init`: makes an empty store.

use std::path::Path;

use super::{Command, CommandRules, CommandScope, Refusal, Result, StoreInput, StorePlan};
use crate::format;
use crate::model::{Change, Moment, Plan, Verb};
use crate::store::CommitError;

/// Plans the files of an empty store at `root`.
pub fn init(name: &str, root: &Path, now: Moment) -> Result<Plan> {
    let format = format::by_name(name)
        .ok_or_else(|| Refusal::unfit(format!("an empty {name} store can't be made.")))?;
    if let Some(why) = format.about().read_only {
        return Err(Refusal::unfit(why));
    }
    let files = format.new_store(now);
    if files.is_empty() {
        return Err(Refusal::unfit(format!("a store of the format {name} is made by its own tool.")));
    }
    let mut plan = Plan::of_unread_store(Verb::Init, root, format.name());
    plan.changes = files
        .into_iter()
        .map(|(path, bytes)| match path.extension() {
            None => Change::make_folder(path),
            Some(_) => Change::create(path, bytes),
        })
        .collect();
    Ok(plan)
}

/// Makes an empty store.
#[derive(Clone, Debug)]
pub struct InitStore;

impl Command for InitStore {
    fn rules(&self) -> CommandRules {
        CommandRules { scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        Ok(input.planned(init(input.store.format, &input.store.root, input.host.now)?))
    }
}
