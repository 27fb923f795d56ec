//! Joins two changes of a file.

use super::{Bytes, line_end_for};
use crate::model::plan::change::{Act, Change};

impl Change {
    /// Joins two changes of the same file, made for the same bytes. `None` if they can't be joined.
    pub fn join(self, other: &Change) -> Option<Change> {
        match (&self.act, &other.act) {
            (Act::Splice(_), Act::Append(lines)) => Some(self.and_append(lines)),
            (Act::Append(lines), Act::Splice(_)) => Some(other.clone().and_append(lines)),
            (Act::Append(own), Act::Append(lines)) => {
                let act = Act::Append([own, line_end_for(own), lines].concat());
                Some(Change { act, ..self })
            }
            (Act::Create(bytes), Act::Append(lines)) => {
                let act = Act::Create([bytes, line_end_for(bytes), lines].concat().into());
                Some(Change { act, ..self })
            }
            _ => None,
        }
    }

    /// Appends lines to a change of the lines of a file.
    pub fn and_append(self, lines: &[u8]) -> Change {
        if lines.is_empty() {
            // Then no line end has to be added.
            return self;
        }
        let (Act::Splice(splices), Some(base)) = (&self.act, &self.base) else { return self };
        let end = base.len();
        let mut edits: Vec<(std::ops::Range<usize>, Vec<u8>)> =
            splices.iter().map(|own| (own.range(), own.becomes.to_vec())).collect();
        edits.push((end..end, [line_end_for(&Bytes::spliced(base, splices.clone())), lines].concat()));
        Change { mode: self.mode, ..Change::edits(&self.path, base.clone(), edits) }
    }
}
