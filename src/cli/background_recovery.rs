//! When a verb is over: old files that a process may still write to, and what waits until others
//! pause, are looked after by a small process that outlives it, for about a minute.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Context;
use super::failure::Exit;
use super::load_stores;
use crate::disk::{Disk, RealDisk, leave_session, spawn_detached};
use crate::format;
use crate::store::Place;
use crate::store::commit::{Host, StoreToWatch, take_stores_to_watch, watch};

/// The verb that such a process runs.
pub const VERB: &str = "look-after";
/// This many stores are named to it; those beyond are looked after by the next start.
const STORES: usize = 200;

/// Has the stores looked after in which this process left old files.
pub fn leave() {
    let waits = |own: &StoreToWatch| own.is_due || own.names.iter().any(|name| RealDisk.look(name).is_ok());
    let mut left: Vec<StoreToWatch> = take_stores_to_watch().into_iter().filter(waits).collect();
    left.truncate(STORES);
    let Some(data) = left.first().map(|own| own.data.clone()) else { return };
    let mut arguments: Vec<OsString> = vec!["--data-dir".into(), data.into(), VERB.into()];
    for own in left {
        arguments.extend([own.place.format.into(), own.place.root.into()]);
    }
    // Where it can't be started, the next start of any verb does it.
    let _ = spawn_detached(&arguments);
}

/// Looks after those stores: formats and roots by turns.
pub fn run(context: &Context, words: &[PathBuf]) -> Exit {
    leave_session();
    let place = |pair: &[PathBuf]| {
        let [format, root] = pair else { return None };
        let format = format::by_name(format.to_str()?)?.name();
        Some(Place::whole(root.clone(), format))
    };
    let places: Vec<Place> = words.chunks(2).filter_map(place).collect();
    let Ok(data) = load_stores::data_folder(context) else { return Exit::Failed };
    watch(Host::here(&data, context.now), &places);
    // What is left after that is looked after by the next start.
    take_stores_to_watch();
    Exit::Done
}
