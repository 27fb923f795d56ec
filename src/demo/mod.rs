//! The invented stores of the demo.

use std::path::PathBuf;

use crate::model::Moment;

/// Every file of the demo's stores, relative to their folder.
pub fn stores(_seed: u64, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
    Vec::new()
}
