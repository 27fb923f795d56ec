//! The number of deleted memories.

use crate::usecase;
use crate::work::StoreTally;

/// The number of deleted memories, including those that undo data and backups still hold.
#[derive(Default)]
pub struct DeletedCount {
    /// With that of archived ones; `None` if it is unknown.
    pub count: Option<usecase::SetAsideCount>,
    /// Counts of listed memories, tombstones and backups at that time; `None` asks for a new count.
    pub of: Option<[usize; 3]>,
}

impl DeletedCount {
    /// True if the memories must be counted again, because these numbers changed. Remembers the numbers.
    pub fn is_due(&mut self, tallies: &[StoreTally]) -> bool {
        let sum = |of: fn(&StoreTally) -> usize| tallies.iter().map(of).sum::<usize>();
        let now = [sum(|own| own.listed), sum(|own| own.deleted), sum(|own| own.backups)];
        self.of.replace(now) != Some(now)
    }
}
