//! Lines that an erasure was adding when it was cut short: tombstones and events, which say
//! nothing of what is erased.

use crate::model::{Act, Bytes, Plan};
use crate::store::commit::apply::apply_plan;
use crate::store::commit::recovery::change_progress::ChangeProgress;
use crate::store::commit::{CommitError, JournalLine, UndoStep, Writer};

const ADDING: &str = "erasing.step";

impl Writer<'_> {
    /// Keeps what cuts these lines off again, durably, before they are added.
    pub(super) fn keep_adding(&self, plan: &Plan) -> Result<(), CommitError> {
        let is_added = |act: &Act| matches!(act, Act::Append(lines) if !lines.is_empty());
        let added = plan.changes.iter().filter(|change| is_added(&change.act));
        let step = UndoStep {
            line: JournalLine {
                verb: "erase".into(),
                at: self.host.now.to_rfc3339(),
                ..JournalLine::default()
            },
            process: self.own_process(),
            changes: added.map(|change| change.inverse()).collect(),
            ..UndoStep::default()
        };
        match step.changes.is_empty() {
            true => {
                self.drop_adding();
                Ok(())
            }
            false => self.vault.put_parts(&self.vault.path(ADDING), &step.parts()),
        }
    }

    /// Cuts off what a crash left of such lines: the erasure adds them whole.
    pub(super) fn cut_torn(&self) -> Result<(), CommitError> {
        let bytes = self.vault.read_own_file(&self.vault.path(ADDING))?;
        let Some(step) = bytes.as_deref().and_then(|bytes| UndoStep::read(bytes, &|_, _| Bytes::default()))
        else {
            return Ok(());
        };
        let mut plan = self.unseen("recover");
        for change in &step.changes {
            if let ChangeProgress::Torn(cut) = self.change_progress(&step, change)? {
                plan.changes.push(cut);
            }
        }
        apply_plan::apply_plan(self, &plan, &mut apply_plan::ApplyProgress::default(), None)
    }

    /// Drops it, when they are whole.
    pub(super) fn drop_adding(&self) {
        let _ = self.host.disk.remove(&self.vault.path(ADDING));
    }
}
