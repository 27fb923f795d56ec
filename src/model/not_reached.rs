//! What an erasure does not reach. It is named before the erasure and in its receipt.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::SurroundingReport;

/// What an erasure does not reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotReached {
    /// What lies beside the stores and has it, if that was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<SurroundingReport>,
    /// The keys that open something until their providers replace them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rotate: Vec<ProviderKeys>,
}

impl NotReached {
    /// Returns the values and texts of which the places beside the stores hold some.
    pub fn sought(&self) -> &[Arc<[u8]>] {
        self.beside.as_ref().map_or(&[], |own| own.sought.all())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProviderKeys {
    /// The provider, as people call it.
    pub provider: String,
    /// The rules that found them.
    pub rules: Vec<String>,
    /// The number of different keys.
    pub keys: usize,
    /// Where they are replaced, in a few words; empty if that is not known.
    pub place: String,
}

impl ProviderKeys {
    /// Says what to do, in one line.
    pub fn told(&self) -> String {
        let keys = if self.keys == 1 { "1 key".to_owned() } else { format!("{} keys", self.keys) };
        match self.place.is_empty() {
            true => format!("{}: {keys}", self.provider),
            false => format!("{}: {keys}, at {}", self.provider, self.place),
        }
    }
}
