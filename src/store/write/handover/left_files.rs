//! Replaced files that this process left under second names, because a program may still write to them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::store::discovery::Place;

/// What this process left, by store.
static LEFT: Mutex<BTreeMap<PathBuf, (Place, Vec<PathBuf>)>> = Mutex::new(BTreeMap::new());

/// Notes second names that are left in a store.
pub fn note_left_files(place: &Place, names: Vec<PathBuf>) {
    if let Ok(mut left) = LEFT.lock() {
        let place = Place::whole(place.root.clone(), place.format);
        left.entry(place.root.clone()).or_insert((place, Vec::new())).1.extend(names);
    }
}

/// Returns the stores in which this process left second names since the last call, and these names.
pub fn take_left_files() -> Vec<(Place, Vec<PathBuf>)> {
    LEFT.lock().map(|mut left| std::mem::take(&mut *left).into_values().collect()).unwrap_or_default()
}
