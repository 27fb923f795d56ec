//! Checks that files are as planned, and fits changes to what other programs wrote.

use std::io;

use super::{ApplyContext, StagedChange};
use crate::disk::optional;
use crate::model::snapshot::Generation;
use crate::model::{Act, Bytes, PathText};
use crate::store::write::apply::apply_plan::UndoUpdate;
use crate::store::write::apply::line_index::LineIndex;
use crate::store::write::apply::rebase_splices::rebase_in;
use crate::store::write::handover::wait_for_line_end::whole_lines;
use crate::store::{CommitError, log_ends};

/// The limit of late lines, in bytes, that are taken over at once. To make them durable blocks other
/// programs for some milliseconds. To take the lock again would take longer beside busy agents.
const AT_ONCE: usize = 512 << 10;

impl ApplyContext<'_, '_> {
    /// True if every file is as it was when its new bytes were made. A few lines that others added
    /// are taken over here, under the lock; with `last_chance` any number.
    pub fn catch_up(&mut self, ready: &mut [StagedChange], last_chance: bool) -> Result<bool, CommitError> {
        for at in 0..ready.len() {
            if ready[at].dropped {
                continue;
            }
            if !self.fits_one(&mut ready[at], last_chance)? {
                return Ok(false);
            }
            if self.carried.derive {
                self.drop_derived(ready);
            }
        }
        Ok(true)
    }

    fn fits_one(&mut self, own: &mut StagedChange, last_chance: bool) -> Result<bool, CommitError> {
        match &own.act {
            Act::Create(_) if own.derived => Ok(self.len(&own.path)?.is_none()),
            Act::Append(_) => {
                let len = own.base.as_ref().map_or(0, |base| base.len() as u64);
                let is_other = self.len(&own.path)?.unwrap_or(0) != len;
                if is_other && own.exact {
                    return Err(own.moved("another program wrote to it meanwhile"));
                }
                self.carried.derive |= is_other;
                // The undo data must know where the lines are.
                Ok(!is_other || own.derived || last_chance)
            }
            Act::Expire(len) => {
                own.seen = own.old_copy(self.host.disk, *len);
                Ok(true)
            }
            // The file changed while its new bytes were made.
            Act::Splice(_) if own.temp.is_none() => Ok(false),
            Act::Remove(_) | Act::Splice(_) => {
                let (grown, seen) = self.behind(own)?;
                own.seen = Some(seen);
                let is_splice = matches!(own.act, Act::Splice(_));
                match grown {
                    Some(grown) if grown.is_empty() => Ok(true),
                    _ if own.exact || !is_splice => {
                        let found = Some(self.read(own)?);
                        Err(CommitError::conflict(&own.path, own.base().to_vec(), found))
                    }
                    Some(grown) if own.may_grow() && !own.derived && own.grows => {
                        let grown = whole_lines(&grown);
                        let is_taken = last_chance || grown.len() <= AT_ONCE;
                        if is_taken {
                            self.take_over(own, grown)?;
                        }
                        Ok(is_taken)
                    }
                    _ => Ok(false),
                }
            }
            _ => Ok(true),
        }
    }

    /// Reads what follows the base of the change. `None` if the file does not start with the base.
    fn behind(&self, own: &StagedChange) -> Result<(Option<Vec<u8>>, Generation), CommitError> {
        own.there(self.host.disk.read_after(&own.path, &own.base()))
    }

    fn read(&self, own: &StagedChange) -> Result<Vec<u8>, CommitError> {
        Ok(own.there(self.host.disk.read(&own.path, 0, None))?.0)
    }

    /// Adds late lines of other programs to the new bytes.
    fn take_over(&mut self, own: &mut StagedChange, lines: &[u8]) -> Result<(), CommitError> {
        if lines.is_empty() {
            return Ok(());
        }
        if let Some(temp) = &own.temp {
            let add = || {
                let mut out = self.host.disk.append(temp)?;
                out.write(lines)?;
                out.sync()?;
                out.generation()
            };
            own.made = Some(add().map_err(own.io("written"))?);
        }
        own.base.get_or_insert_default().extend(lines);
        own.is_as_planned = false;
        (self.carried.derive, self.carried.met_others) = (true, true);
        Ok(())
    }

    /// Gives up derived changes. The files are rebuilt afterwards.
    pub fn drop_derived(&mut self, ready: &mut [StagedChange]) {
        self.carried.derive = true;
        for own in ready.iter_mut().filter(|own| own.derived && !own.dropped) {
            own.drop_temp(self.host.disk);
            own.dropped = true;
        }
    }

    /// Fits the changes to the files in their present state.
    pub fn rebase_changes(
        &mut self,
        ready: &mut [StagedChange],
        keep: &mut UndoUpdate<'_>,
    ) -> Result<(), CommitError> {
        self.drop_derived(ready);
        for own in ready.iter_mut().filter(|own| !own.dropped) {
            if matches!(own.act, Act::Append(_)) {
                self.refit_lines(own, keep)?;
            }
            let Act::Splice(splices) = own.act.clone() else { continue };
            // A file that does not grow is fitted as a whole: its last line may never get an end.
            match self.behind(own)?.0 {
                Some(grown) if grown.is_empty() => continue,
                Some(grown) if own.grows && own.may_grow() => {
                    self.take_over(own, whole_lines(&grown))?;
                    continue;
                }
                _ => {}
            }
            let now = Bytes::from(self.read(own)?);
            own.drop_temp(self.host.disk);
            let fitted = rebase_in(&splices, &LineIndex::of(&now), !self.exact);
            let fitted = fitted.map_err(|conflict| conflict.at(&own.path))?;
            own.act = Act::Splice(fitted);
            own.base = Some(now);
            (own.counted, own.is_as_planned) = (None, false);
            let note = format!(
                "another program changed {} meanwhile; this change was fitted to it",
                own.path.to_text()
            );
            if !self.carried.notes.contains(&note) {
                self.carried.notes.push(note);
            }
            keep(&own.relative, Some(own.change().bare_inverse()))?;
        }
        Ok(())
    }

    /// Updates the base of added lines, so that undo knows where they are.
    fn refit_lines(&mut self, own: &mut StagedChange, keep: &mut UndoUpdate<'_>) -> Result<(), CommitError> {
        if own.base.as_ref().is_some_and(|base| base.known_end().is_some()) {
            let now = log_ends::read(self.host.disk, &own.path).map_err(own.io("read"))?;
            let is_same = now.as_ref().map(Bytes::len) == own.base.as_ref().map(Bytes::len);
            own.base = now;
            return if is_same { Ok(()) } else { keep(&own.relative, Some(own.change().bare_inverse())) };
        }
        let read = optional(self.host.disk.read(&own.path, 0, None)).map_err(own.io("read"))?;
        let now = read.map(|(bytes, _)| bytes);
        if now.as_deref() == own.base.as_deref() {
            return Ok(());
        }
        own.base = now.map(Into::into);
        keep(&own.relative, Some(own.change().bare_inverse()))
    }
}

impl StagedChange {
    /// Turns "not found" into a `Moved` error: the file must exist.
    fn there<T>(&self, outcome: io::Result<T>) -> Result<T, CommitError> {
        optional(outcome).map_err(self.io("read"))?.ok_or_else(|| self.moved("it is gone"))
    }
}
