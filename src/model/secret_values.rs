//! Values that must not be shown.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Values that must not be shown, not even by a failed test.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretValues(Arc<[Arc<[u8]>]>);

impl SecretValues {
    /// Takes these texts, each once.
    pub fn of(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> SecretValues {
        let all: BTreeSet<Arc<[u8]>> = texts.into_iter().map(|own| own.as_ref().into()).collect();
        SecretValues(all.into_iter().collect())
    }

    /// Returns the values.
    pub fn all(&self) -> &[Arc<[u8]>] {
        &self.0
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretValues({})", self.0.len())
    }
}
