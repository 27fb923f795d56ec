//! What was shown to somebody on a terminal who was asked: where others changed it before the
//! answer, nothing is written, what differs is shown, and it is asked for again, for the same
//! records and never for what came meanwhile.

use std::cell::RefCell;
use std::sync::Arc;

use super::failure::{Exit, Failure};
use crate::model::carried::carried;
use crate::model::{EntryRef, Moment, Plan, Snapshot, Store};
use crate::work::{Difference, of_bound, read_anew, touched};

/// What was shown.
#[derive(Default)]
pub struct Shown {
    /// The records that were chosen, in the stores as they were read then.
    chosen: RefCell<Option<(Snapshot, Vec<EntryRef>)>>,
    /// Whether somebody was asked, and said yes.
    pub agreed: bool,
    /// Whether it is asked once: what was written in an editor is not written again.
    pub once: bool,
    /// What differs from what was shown before.
    pub difference: Option<Difference>,
}

impl Shown {
    /// The records that a choice found: those of the time before, where it is asked again.
    pub fn choose(&self, snapshot: &Snapshot, found: Vec<EntryRef>) -> Vec<EntryRef> {
        match self.chosen.borrow().as_ref().filter(|_| self.difference.is_some()) {
            Some((before, own)) => carried(before, snapshot, own.iter().copied()),
            None => found,
        }
    }

    /// Keeps which records are shown.
    pub fn keep(&self, snapshot: &Snapshot, chosen: &[EntryRef]) {
        self.chosen.replace(Some((Snapshot::of(snapshot.stores.clone()), chosen.to_vec())));
    }

    /// Whether a choice is made again of what was shown before.
    pub fn is_bound(&self) -> bool {
        self.difference.is_some() && self.chosen.borrow().is_some()
    }

    /// Refuses where others changed what was agreed to.
    pub fn still_stands(&self, plans: &[(&Store, &Plan)], now: Moment) -> Result<(), Failure> {
        if !self.agreed {
            return Ok(());
        }
        let chosen = self.chosen.borrow();
        let all;
        let (was, bound) = match &*chosen {
            Some((was, chosen)) => (was, chosen.clone()),
            None => {
                all = Snapshot::of(plans.iter().map(|(store, _)| Arc::new((*store).clone())).collect());
                let plans = plans.iter().enumerate().map(|(number, (_, plan))| (number, *plan));
                let bound = touched(&all, plans, now);
                (&all, bound)
            }
        };
        let difference = of_bound(was, &bound, &read_anew(was, now), now);
        if difference.is_none() { Ok(()) } else { Err(Failure::moved(difference)) }
    }

    /// The failure of a change that was agreed to: where others were quicker, what they changed.
    pub fn told_of(&self, failure: Failure, plans: &[(&Store, &Plan)], now: Moment) -> Failure {
        match self.still_stands(plans, now) {
            Err(moved) if failure.exit == Exit::Refused => moved,
            _ => failure,
        }
    }

    /// Whether a failure is asked about again; then what differs is kept for the question.
    pub fn asks_again(&mut self, failure: &Failure, changed: &[String]) -> bool {
        let Some(difference) = failure.moved.as_ref().filter(|_| !self.once && changed.is_empty()) else {
            return false;
        };
        self.difference = Some(difference.clone());
        self.agreed = false;
        true
    }

    /// What is shown before the question, where it is asked again: what differs, and that alone.
    pub fn lines(&self) -> Option<Vec<String>> {
        let difference = self.difference.as_ref()?;
        let head = format!("{}; all else is as it was shown:", difference.head());
        let moved = difference.moved.iter().map(|own| format!("  {}", own.line()));
        Some(std::iter::once(head).chain(moved).collect())
    }
}
