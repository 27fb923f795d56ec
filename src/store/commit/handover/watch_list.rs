//! The stores that this process must look after later.

use crate::store::discovery::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A store in which second names were left, and the folder of our own data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreToWatch {
    /// The store.
    pub place: Place,
    /// The folder of our own data.
    pub data: PathBuf,
    /// The second names.
    pub names: Vec<PathBuf>,
    /// True if derived files wait until others pause.
    pub is_due: bool,
}

/// What this process left in stores, by root.
pub(super) static LEFT: Mutex<BTreeMap<PathBuf, StoreToWatch>> = Mutex::new(BTreeMap::new());

/// Notes second names that are left in a store.
pub fn note_replaced(place: &Place, data: &Path, names: Vec<PathBuf>) {
    in_left(place, data, |own| own.names.extend(names));
}

/// Notes that derived files of a store wait until others pause.
pub fn watch_due(place: &Place, data: &Path) {
    in_left(place, data, |own| own.is_due = true);
}

pub(super) fn in_left(place: &Place, data: &Path, note: impl FnOnce(&mut StoreToWatch)) {
    if let Ok(mut left) = LEFT.lock() {
        let place = Place::whole(place.root.clone(), place.format);
        let own =
            StoreToWatch { place: place.clone(), data: data.to_owned(), names: Vec::new(), is_due: false };
        note(left.entry(place.root.clone()).or_insert(own));
    }
}

/// Returns the stores in which this process left second names since the last call. The caller
/// starts [`watch`](crate::store::commit::watch) for them in a process that outlives its own.
pub fn take_stores_to_watch() -> Vec<StoreToWatch> {
    LEFT.lock().map(|mut left| std::mem::take(&mut *left).into_values().collect()).unwrap_or_default()
}
