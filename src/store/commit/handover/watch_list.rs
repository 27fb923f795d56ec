//! The stores that this process has to look after later.

use crate::store::discovery::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A store in which second names were left, and the folder of our own data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreToWatch {
    /// The store.
    pub place: Place,
    /// Our own data.
    pub data: PathBuf,
    /// The names.
    pub names: Vec<PathBuf>,
    /// Whether what is derived waits until others pause.
    pub is_due: bool,
}

/// What this process left in stores, by their roots.
pub(super) static LEFT: Mutex<BTreeMap<PathBuf, StoreToWatch>> = Mutex::new(BTreeMap::new());

/// Takes note of second names that are left in a store.
pub fn note_replaced(place: &Place, data: &Path, names: Vec<PathBuf>) {
    in_left(place, data, |own| own.names.extend(names));
}

/// Takes note that what is derived in a store waits until others pause.
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

/// The stores in which this process left second names since this was asked last. Whoever runs
/// verbs has them looked after by [`watch`](crate::store::commit::watch) in a process that outlives it.
pub fn take_stores_to_watch() -> Vec<StoreToWatch> {
    LEFT.lock().map(|mut left| std::mem::take(&mut *left).into_values().collect()).unwrap_or_default()
}
