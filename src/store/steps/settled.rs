//! Whether a change of a store was interrupted, by the ends of our own data alone.

use std::collections::HashSet;

use super::journal::line_of;
use super::step_segments::LastSegment;
use super::{JOURNAL, Vault};
use crate::store::CommitError;

impl Vault<'_> {
    /// True if no change was interrupted, by the end of the journal and the segment that grows. Derived files may still be
    /// due. Also notes the last step number, the end of the segment and the size of the undo data.
    pub fn is_settled(&self) -> Result<bool, CommitError> {
        if self.erasing()?.is_some() {
            return Ok(false);
        }
        let Some(last) = self.last_step()? else { return Ok(false) };
        let segment = self.segments()?.pop();
        let found = segment.as_deref().map(|path| self.entries_in(path)).transpose()?.unwrap_or_default();
        self.last_segment.replace(segment.map(|path| LastSegment { path, end: found.end }));
        // The number of a refused change is not used again.
        let void = found.entries.iter().filter(|own| own.header.is_void).map(|own| own.header.step);
        let void: HashSet<u64> = void.collect();
        self.last.set(Some(last.max(void.iter().copied().max().unwrap_or(0))));
        self.kept.set(Some(self.undo_bytes()?));
        let is_over = |step: u64| step <= last || void.contains(&step);
        let is_whole = !found.is_damaged && !self.has_unfinished_segment()?;
        Ok(is_whole && found.entries.iter().all(|own| is_over(own.header.step)))
    }

    /// Returns the last step in the journal, 0 if there is none; `None` if its end doesn't show it.
    fn last_step(&self) -> Result<Option<u64>, CommitError> {
        match self.end_of_journal()? {
            Some(line) => Ok(line_of(&line).map(|own| own.step)),
            None => {
                Ok(self.read_own_file(&self.path(JOURNAL))?.is_none_or(|own| own.is_empty()).then_some(0))
            }
        }
    }
}
