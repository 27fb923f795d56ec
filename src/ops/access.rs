//! Counts a use of a record.

use crate::format::writing::with_members;
use crate::model::{Change, Entry, Plan};
use crate::ops::{Refusal, Result, WriteContext, base, plan, writable, writes};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Plans to record an access of a record.
pub fn access(scene: &WriteContext<'_>, entry: &Entry) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let document = writable(scene.store, entry)?;
    let raw = scene.store.raw(entry);
    let mut tape = Tape::default();
    let members = writes.access_members(scan(&mut tape, &raw)?, scene.now);
    if members.is_empty() {
        return Err(Refusal::unfit("the format does not store when a memory was used."));
    }
    let new = with_members(writes, &raw, &members, scene.now);
    let new = new.ok_or_else(|| Refusal::corrupt("the memory is broken."))?;
    let span = scene.store.record(entry).span;
    let edits = vec![(span.start as usize..span.end as usize, new)];
    plan("access", scene, 1, vec![Change::edits(&document.path, base(document), edits)])
}
