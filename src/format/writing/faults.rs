//! Collects the refusals of several records, so that the rest can be planned.

use super::{Refusal, Result};
use crate::model::Entry;

/// Records that are refused, and the reason.
pub type RefusedEntries = (Vec<Entry>, String);

/// The refused records so far.
#[derive(Default)]
pub struct RefusalList {
    first: Option<Refusal>,
    of: Vec<RefusedEntries>,
}

impl RefusalList {
    /// Returns a value, or notes a refusal and returns `None`. Passes on a refusal that stops everything.
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

    /// Notes refused records.
    pub fn refuse(&mut self, entries: Vec<Entry>, refusal: Refusal) {
        match self.of.iter_mut().find(|(_, why)| *why == refusal.message) {
            Some((own, _)) => own.extend(entries),
            None => self.of.push((entries, refusal.message.clone())),
        }
        self.first.get_or_insert(refusal);
    }

    /// Adds the records of another refusal. Passes on one that names no records.
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

    /// True if nothing was refused.
    pub fn is_none(&self) -> bool {
        self.first.is_none()
    }

    /// Returns the refusal that names all refused records.
    pub fn finish(self) -> Result<()> {
        match self.first {
            Some(first) => Err(Refusal { refused: self.of, ..first }),
            None => Ok(()),
        }
    }
}
