//! What a backup has otherwise than its file, in short.

use crate::ops::restore::{Comparison, Kind};

/// So many memories are named.
const NAMED: usize = 24;

/// How many memories differ between a backup and its file, and the first that can be brought back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// How many there are of each kind that is there.
    pub counts: Vec<(Kind, usize)>,
    /// What can be brought back, with its title. Untrusted text.
    pub first: Vec<(Kind, String)>,
}

impl Difference {
    /// The difference in short.
    pub fn of(compared: &Comparison) -> Difference {
        let counts = Kind::ALL.into_iter().map(|kind| (kind, compared.count(kind)));
        let coming = compared.items.iter().filter(|item| item.can_come);
        Difference {
            counts: counts.filter(|(_, count)| *count > 0).collect(),
            first: coming.take(NAMED).map(|item| (item.kind, item.title.clone())).collect(),
        }
    }

    /// How many can be brought back.
    pub fn coming(&self) -> usize {
        let kinds = [Kind::Missing, Kind::Changed, Kind::Deleted];
        self.counts.iter().filter(|(kind, _)| kinds.contains(kind)).map(|(_, count)| count).sum()
    }
}
