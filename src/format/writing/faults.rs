//! What is refused of several records: all of it is found in one go, so that the rest can be planned
//! at once.

use super::{Refusal, Result};
use crate::model::Entry;

/// Records that are refused, for one reason.
pub type RefusedEntries = (Vec<Entry>, String);

/// The records that were refused so far.
#[derive(Default)]
pub struct RefusalList {
    first: Option<Refusal>,
    of: Vec<RefusedEntries>,
}

impl RefusalList {
    /// What was made for one record; `None` where that was refused, which is remembered. What stops
    /// the whole is passed on.
    pub fn collect<T>(&mut self, entry: &Entry, made: Result<T>) -> Result<Option<T>> {
        match made {
            Ok(made) => Ok(Some(made)),
            Err(refusal) if refusal.stops => Err(refusal),
            Err(refusal) => {
                self.refuse(vec![*entry], refusal);
                Ok(None)
            }
        }
    }

    /// Remembers that records were refused.
    pub fn refuse(&mut self, entries: Vec<Entry>, refusal: Refusal) {
        match self.of.iter_mut().find(|(_, why)| *why == refusal.message) {
            Some((own, _)) => own.extend(entries),
            None => self.of.push((entries, refusal.message.clone())),
        }
        self.first.get_or_insert(refusal);
    }

    /// Joins the refusal of the whole, where that names records, too. Any other is passed on.
    pub fn join(&mut self, whole: Result<()>) -> Result<()> {
        match whole {
            Err(refusal) if refusal.refused.is_empty() => Err(refusal),
            Err(mut refusal) => {
                self.of.append(&mut refusal.refused);
                self.first.get_or_insert(refusal);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Whether none was refused.
    pub fn is_none(&self) -> bool {
        self.first.is_none()
    }

    /// The refusal of all that were refused, which names them.
    pub fn finish(self) -> Result<()> {
        match self.first {
            Some(first) => Err(Refusal { refused: self.of, ..first }),
            None => Ok(()),
        }
    }
}
