//! Looks after what a verb leaves: old files that a process may still write to, and what waits
//! until other programs pause. A small process does this; it outlives the verb for about a minute.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Context, Exit, load_stores};
use crate::disk::host::Host;
use crate::disk::{leave_session, spawn_detached};
use crate::format;
use crate::store::Place;
use crate::usecase::{look_after, stores_to_look_after};

/// The verb that this process runs.
pub const VERB: &str = "look-after";
/// At most this many stores are passed to it. The next start looks after the others.
const STORES: usize = 200;

/// Starts the process for the stores in which this one left old files.
pub fn leave() {
    let Some((data, places)) = stores_to_look_after(STORES) else { return };
    let mut arguments: Vec<OsString> = vec!["--data-dir".into(), data.into(), VERB.into()];
    for place in places {
        arguments.extend([place.format.into(), place.root.into()]);
    }
    // If it can't be started, the next start of any verb does this.
    let _ = spawn_detached(&arguments);
}

/// Looks after stores. The words are formats and roots in turn.
pub fn run(context: &Context, words: &[PathBuf]) -> Exit {
    leave_session();
    let place = |pair: &[PathBuf]| {
        let [format, root] = pair else { return None };
        let format = format::by_name(format.to_str()?)?.name();
        Some(Place::whole(root.clone(), format))
    };
    let places: Vec<Place> = words.chunks(2).filter_map(place).collect();
    let Ok(data) = load_stores::data_folder(context) else { return Exit::Failed };
    look_after(Host::here(&data, context.now), &places);
    Exit::Done
}
