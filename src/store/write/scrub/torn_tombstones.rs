//! Cuts off tombstones and events that an interrupted erasure added in part. They have no erased content.

use crate::model::{Act, Bytes, JournalLine, Plan, Verb};
use crate::store::steps::UndoStep;
use crate::store::write::apply::{ApplyProgress, apply_plan};
use crate::store::write::recovery::change_progress;
use crate::store::write::recovery::change_progress::ChangeProgress;
use crate::store::write::{CommitContext, CommitError};

const ADDING: &str = "erasing.step";

/// Keeps the data that can cut these lines off, durably, before they are added.
pub fn keep_adding(context: &CommitContext<'_>, plan: &Plan) -> Result<(), CommitError> {
    let is_added = |act: &Act| matches!(act, Act::Append(lines) if !lines.is_empty());
    let added = plan.changes.iter().filter(|change| is_added(&change.act));
    let step = UndoStep {
        line: JournalLine { verb: Verb::Erase, at: context.host.now.to_rfc3339(), ..JournalLine::default() },
        process: context.own_process(),
        changes: added.map(|change| change.inverse()).collect(),
        ..UndoStep::default()
    };
    match step.changes.is_empty() {
        true => {
            drop_adding(context);
            Ok(())
        }
        false => context.vault.write_own_file(&context.vault.path(ADDING), &step.to_bytes()),
    }
}

/// Cuts off torn lines that a crash left. The erasure then adds them again, complete.
pub fn cut_torn(context: &CommitContext<'_>) -> Result<(), CommitError> {
    let bytes = context.vault.read_own_file(&context.vault.path(ADDING))?;
    let Some(step) = bytes.and_then(|bytes| UndoStep::read(&bytes.into(), &|_, _| Bytes::default())) else {
        return Ok(());
    };
    let mut plan = context.unseen(Verb::Recover);
    for change in &step.changes {
        if let ChangeProgress::Torn(cut) = change_progress::change_progress(context, &step, change)? {
            plan.changes.push(cut);
        }
    }
    apply_plan::apply_plan(context, &plan, &mut ApplyProgress::default(), None)
}

/// Removes this data when the lines are complete.
pub fn drop_adding(context: &CommitContext<'_>) {
    let _ = context.host.disk.remove(&context.vault.path(ADDING));
}
