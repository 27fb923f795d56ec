//! What an erasure takes.

use std::sync::Arc;

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

/// Values that must not be shown, not even by a failed test.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretValues(Arc<[SharedText]>);

impl SecretValues {
    /// Takes these texts, each once.
    pub fn of(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> SecretValues {
        let all: std::collections::BTreeSet<SharedText> =
            texts.into_iter().map(|own| own.as_ref().into()).collect();
        SecretValues(all.into_iter().collect())
    }

    /// Returns the values.
    pub fn all(&self) -> &[SharedText] {
        &self.0
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for SecretValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretValues({})", self.0.len())
    }
}
