//! Summarizes how a backup differs from its file.

use crate::ops::backup_restore::comparison::{BackupComparison, DifferenceKind};

/// At most this many memories are named.
const NAMED: usize = 24;

/// The number of memories that differ between a backup and its file, and the first ones that can be restored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupSummary {
    /// The number of memories for each kind of difference.
    pub counts: Vec<(DifferenceKind, usize)>,
    /// The first memories that can be restored, with their titles. Untrusted text.
    pub first: Vec<(DifferenceKind, String)>,
}

impl BackupSummary {
    pub fn of(compared: &BackupComparison) -> BackupSummary {
        let counts = DifferenceKind::ALL.into_iter().map(|kind| (kind, compared.count(kind)));
        let coming = compared.items.iter().filter(|item| item.can_come);
        BackupSummary {
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            first: coming.take(NAMED).map(|item| (item.kind, item.title.clone())).collect(),
        }
    }

    /// Returns the number of memories that can be restored.
    pub fn coming(&self) -> usize {
        let kinds = [DifferenceKind::Missing, DifferenceKind::Changed, DifferenceKind::Deleted];
        self.counts.iter().filter(|(kind, _)| kinds.contains(kind)).map(|(_, count)| count).sum()
    }
}
