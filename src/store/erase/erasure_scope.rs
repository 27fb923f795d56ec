//! What an erasure takes.

use super::erasure_target::{ErasureTarget, SharedText};
use crate::model::NotReached;

/// What an erasure takes from one store.
#[derive(Clone, Copy, Default)]
pub struct ErasureScope<'a> {
    /// Records, each with every copy.
    pub targets: &'a [ErasureTarget],
    /// Values, wherever they are.
    pub values: &'a [SharedText],
    /// What it does not reach, for its receipt.
    pub not_reached: Option<&'a NotReached>,
}

impl<'a> ErasureScope<'a> {
    /// Takes only records.
    pub fn of_records(targets: &'a [ErasureTarget]) -> ErasureScope<'a> {
        ErasureScope { targets, ..ErasureScope::default() }
    }
}
