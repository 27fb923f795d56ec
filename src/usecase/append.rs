//! Adds a record at the end of a log, to a store that was not read.

use std::path::Path;

use super::failure::Result;
use super::write::{SMALL, write_at_ends};
use crate::disk::host::Host;
use crate::disk::{Item, ItemKind};
use crate::format::{self, Format};
use crate::model::plan::digest;
use crate::model::{Bytes, Change, CommitReceipt, Durability, Plan, Store, is_file_name, is_log};
use crate::ops;
use crate::ops::add::NewRecord;
use crate::ops::add_many::AddMemories;
use crate::store::log_ends::LogEnds;
use crate::store::{Place, empty_store};

/// Adds a record to the store at `place`. The next start rebuilds the index. Returns `None` if the store
/// has to be read first; then nothing is changed.
pub fn append(place: &Place, new: &NewRecord, host: Host<'_>) -> Result<Option<(Store, CommitReceipt)>> {
    let Some(format) = format::by_name(place.format) else { return Ok(None) };
    let store = empty_store(place);
    let appended = write_at_ends(host, &store, Durability::Each, || {
        let last = largest_id(format, place, new, host);
        let ends = LogEnds::of(host.disk, &store, last.into_iter().collect());
        let random = |_| host.machine.random();
        let drafts = [new.draft()];
        let appended = ops::add::append((format, &place.root), (&ends, host.now), &random, &drafts)?;
        let command = AddMemories { store: 0, records: vec![new.clone()] };
        let asked = digest([format!("{command:?}").as_bytes()]);
        let planned = appended.filter(|plan| !plan.changes.iter().all(is_small));
        Ok(planned.map(|plan| Plan { asked, ..plan }))
    })?;
    Ok(appended.map(|own| (store, own.receipt)))
}

/// Returns a session, a type and their largest id, if ids are numbered and the session's logs are not small.
fn largest_id(
    format: &dyn Format,
    place: &Place,
    new: &NewRecord,
    host: Host<'_>,
) -> Option<((String, String), String)> {
    let largest = format.own().largest_id?;
    let session = new.session.as_ref().filter(|name| is_file_name(name))?;
    let folder = place.root.join(format.session_paths(session).first()?);
    let items = host.disk.list(&folder).ok()?;
    let is_it =
        |item: &&Item| item.kind == ItemKind::File && item.link.is_none() && is_log(Path::new(&item.name));
    let logs: Vec<&Item> = items.iter().filter(is_it).collect();
    (logs.iter().map(|own| own.generation.len).sum::<u64>() >= SMALL as u64).then_some(())?;
    let read = |own: &&Item| Some(host.disk.read(&folder.join(&own.name), 0, None).ok()?.0);
    let logs: Vec<Vec<u8>> = logs.iter().map(read).collect::<Option<_>>()?;
    Some(((session.clone(), new.kind.clone()), largest(&logs, &new.kind)?))
}

fn is_small(change: &Change) -> bool {
    change.base.as_ref().map_or(0, Bytes::len) < SMALL
}
