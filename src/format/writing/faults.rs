//! What is refused of several records: all of it is found in one go, so that the rest can be planned
//! at once.

use super::{Refusal, Result};
use crate::model::Entry;

/// Records that are refused, for one reason.
pub type Fault = (Vec<Entry>, String);

/// The records that were refused so far.
#[derive(Default)]
pub struct Faults {
    first: Option<Refusal>,
    of: Vec<Fault>,
}

impl Faults {
    /// What was made for one record; `None` where that was refused, which is remembered. What stops
    /// the whole is passed on.
    pub fn one<T>(&mut self, entry: &Entry, made: Result<T>) -> Result<Option<T>> {
        match made {
            Ok(made) => Ok(Some(made)),
            Err(refusal) if refusal.stops => Err(refusal),
            Err(refusal) => {
                self.several(vec![*entry], refusal);
                Ok(None)
            }
        }
    }

    /// Remembers that records were refused.
    pub fn several(&mut self, entries: Vec<Entry>, refusal: Refusal) {
        match self.of.iter_mut().find(|(_, why)| *why == refusal.message) {
            Some((own, _)) => own.extend(entries),
            None => self.of.push((entries, refusal.message.clone())),
        }
        self.first.get_or_insert(refusal);
    }

    /// Joins the refusal of the whole, where that names records, too. Any other is passed on.
    pub fn join(&mut self, whole: Result<()>) -> Result<()> {
        match whole {
            Err(refusal) if refusal.of.is_empty() => Err(refusal),
            Err(mut refusal) => {
                self.of.append(&mut refusal.of);
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
    pub fn over(self) -> Result<()> {
        match self.first {
            Some(first) => Err(Refusal { of: self.of, ..first }),
            None => Ok(()),
        }
    }
}
