//! `init`, `compact`, `reindex`, `migrate`, `maintain`: verbs on stores as a whole.

use std::path::Path;

use std::sync::Arc;

use super::failure::{Exit, Failure, Result};
use super::read_scope::ReadScope;
use super::run_change::{confirm_and_execute, plan, request, run_change};
use super::{Context, load_stores};
use crate::disk::{Disk, Lookup, RealDisk};
use crate::model::{Extent, PathText, Snapshot};
use crate::ops;
use crate::store::{self, Place};
use crate::usecase::{ChangeCommand, PlannedChange};

pub fn init(context: &mut Context, format: &str, folder: &Path) -> Result {
    let why = match Lookup::from(RealDisk.list(folder)) {
        Lookup::Absent => None,
        Lookup::Read(items) => (!items.is_empty()).then(|| "is not empty".to_owned()),
        Lookup::Unreadable(error) => Some(format!("can't be read: {error}")),
    };
    if let Some(why) = why {
        let message = format!("{} {why}. Nothing was written.", folder.to_text());
        return Err(Failure::new(Exit::Refused, message));
    }
    let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let plan = ops::init::init(format, &root, context.now)?;
    let place = Place::whole(root, plan.format);
    let empty = Arc::new(store::load(&place, Extent::Whole, None, context.now));
    let request = request(context, &Snapshot::of(vec![empty]), ChangeCommand::Init);
    confirm_and_execute(context, PlannedChange::of(request, vec![(0, plan)]), None)
}

/// Changes every store as a whole.
pub fn each(context: &mut Context, wanted: ChangeCommand) -> Result {
    let snapshot = load_stores::to_change(context, ReadScope::All)?;
    run_change(context, request(context, &snapshot, wanted), None)
}

/// Does what is due, one task after the other. Each is planned on the store as the task before left it.
pub fn maintain(context: &mut Context) -> Result {
    let mut any = false;
    for _ in 0..ROUNDS {
        let snapshot = load_stores::to_change(context, ReadScope::All)?;
        let mut planned = plan(request(context, &snapshot, ChangeCommand::Maintain))?;
        if context.options.yes && !context.options.dry_run {
            planned.plans.dedup_by_key(|(number, _)| *number);
        }
        // Each store says only once that nothing is due.
        planned.plans.retain(|(_, plan)| !any || !plan.is_empty());
        let is_over = planned.is_empty();
        if is_over && any {
            return Ok(Exit::Done);
        }
        let ended = confirm_and_execute(context, planned, None)?;
        any = true;
        if is_over || !context.options.yes || context.options.dry_run {
            return Ok(ended);
        }
    }
    Ok(Exit::Done)
}

/// No store has more tasks due at once.
const ROUNDS: usize = 100;
