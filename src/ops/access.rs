//! Counts a use of a record.

use super::{Command, MemoryInput, Refusal, Result, WriteContext, is_json, plan, writable, writes};
use crate::format::writing::with_members;
use crate::model::{Change, Entry, Plan, Store, Verb};
use crate::text::json_edit::{Tape, scan};

/// Plans to record an access of a record.
pub fn access(context: &WriteContext<'_>, entry: &Entry) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let document = writable(context.store, entry)?;
    if context.store.memory(entry).is_none() {
        return Err(Refusal::broken());
    }
    let raw = context.store.raw(entry);
    let mut tape = Tape::default();
    let members = match is_json(context.store, entry) {
        true => writes.access_members(scan(&mut tape, &raw)?, context.now),
        false => Vec::new(),
    };
    if members.is_empty() {
        return Err(Refusal::unfit("the format does not store when a memory was used."));
    }
    let new = with_members(writes, &raw, &members, context.now);
    let new = new.ok_or_else(|| Refusal::corrupt("the memory is broken."))?;
    let edits = vec![(context.store.record(entry).span.range(), new)];
    plan(Verb::Access, context, 1, vec![Change::edits(&document.path, document.bytes.clone(), edits)])
}

/// Counts a use of a memory.
#[derive(Clone, Debug)]
pub struct RecordAccess;

impl Command for RecordAccess {
    fn check_allowed(&self, _: &Store, _: &Entry) -> Result<()> {
        Ok(())
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        access(&input.context, input.one()?)
    }
}
