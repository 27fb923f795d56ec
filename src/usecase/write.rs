//! The one way to write: opens a store to change it, carries out a plan, and settles what is left. Nothing else calls
//! [`Writer`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::planned_change::PlannedErasure;
use super::recovery::RecoveryReport;
use crate::disk::host::Host;
use crate::model::{Bytes, Change, CommitReceipt, Durability, NotReached, Plan, Store};
use crate::ops::command::{StorePlan, WriteWay};
use crate::ops::repair::{self, QuarantinePiece};
use crate::store::CommitError;
use crate::store::write::Writer;
use crate::store::write::scrub::ErasureReceipt;

/// Derived files of logs of fewer bytes are rebuilt at once.
pub const SMALL: usize = 64 << 10;

/// Makes a plan of the store as it is while no other palimp writes.
pub type MakePlan<'m> = &'m dyn Fn(&Arc<Store>) -> Result<Plan, CommitError>;

/// A plan that was carried out.
pub struct Written {
    pub receipt: CommitReceipt,
    /// The store that the plan was made of, if it was made again.
    pub store: Option<Arc<Store>>,
}

/// Carries out the plan of one store in its way. `again` makes the plan of a store that has changed since.
/// Fails as [`Writer::commit`].
pub fn write(
    host: Host<'_>,
    store: &Store,
    planned: &StorePlan,
    again: MakePlan<'_>,
) -> Result<Written, CommitError> {
    let writer = Writer::open(host, store)?;
    let (plan, mut current) = (&planned.plan, None);
    let receipt = match &planned.way {
        WriteWay::AsPlanned => writer.commit(plan)?,
        WriteWay::PlannedAgain | WriteWay::PlannedLocked => match (writer.load(), &planned.way) {
            (Cow::Borrowed(_), WriteWay::PlannedAgain) => {
                writer.commit(&Plan { exact: false, ..plan.clone() })?
            }
            (store, _) => writer.commit(&again(current.insert(Arc::new(store.into_owned())))?)?,
        },
        WriteWay::Restored => writer.restore(plan)?,
        WriteWay::Reversed(turn) => writer.commit_undo_redo(plan, *turn)?,
        WriteWay::Repaired(pieces) => repair(&writer, plan, pieces, host)?,
    };
    settle_derived(&writer, &receipt);
    Ok(Written { receipt, store: current })
}

/// Rebuilds derived files that wait, if they are small or the step is a batch. Otherwise the next start does it.
fn settle_derived(writer: &Writer<'_>, receipt: &CommitReceipt) {
    let is_small = |change: &Change| change.base.as_ref().map_or(0, Bytes::len) < SMALL;
    let is_batch = receipt.plan.records >= writer.tuning().index_after_records;
    if receipt.waits && (is_batch || receipt.plan.changes.iter().all(is_small)) {
        writer.derive_due();
    }
}

/// Lines that were added to logs.
pub struct Appended {
    pub receipt: CommitReceipt,
    /// The files with lines that are not durable yet.
    pub not_durable: Vec<PathBuf>,
}

/// Adds lines to a store that need not be read. `make` plans them while no other palimp writes. `None` if the store has
/// to be read first; then nothing is changed.
/// Fails as [`Writer::commit`].
pub fn write_at_ends(
    host: Host<'_>,
    store: &Store,
    durability: Durability,
    make: impl FnOnce() -> Result<Option<Plan>, CommitError>,
) -> Result<Option<Appended>, CommitError> {
    let Some(writer) = Writer::open_to_append(host, store)? else { return Ok(None) };
    let Some(plan) = make()? else { return Ok(None) };
    writer.set_durability(durability);
    let receipt = writer.commit(&plan)?;
    Ok(Some(Appended { receipt, not_durable: writer.not_durable() }))
}

/// Makes the lines durable that a batch added to these files, and palimp's own data about them.
/// Fails if another palimp has the store, or the system refuses a call.
pub fn make_batch_durable(host: Host<'_>, store: &Store, files: &[PathBuf]) -> Result<(), CommitError> {
    Writer::open(host, store)?.make_durable(files)
}

/// Rebuilds the derived files that wait. True if none is left.
/// Fails if another palimp has the store, or palimp's own data can't be read.
pub fn write_derived(host: Host<'_>, store: &Store) -> Result<bool, CommitError> {
    Ok(Writer::open(host, store)?.derive_due())
}

/// Keeps what a repair takes out, and carries it out.
fn repair(
    writer: &Writer<'_>,
    plan: &Plan,
    pieces: &[QuarantinePiece],
    host: Host<'_>,
) -> Result<CommitReceipt, CommitError> {
    let mut files: BTreeMap<&Path, Vec<&QuarantinePiece>> = BTreeMap::new();
    pieces.iter().for_each(|piece| files.entry(&piece.file).or_default().push(piece));
    let mut kept: Vec<PathBuf> = Vec::new();
    for (file, pieces) in files {
        let at = pieces.first().map_or(0, |piece| piece.at);
        let bytes = repair::written(pieces.into_iter());
        kept.push(writer.vault().quarantine(file, (at, None), &bytes, host.now)?);
    }
    let outcome = writer.commit(plan);
    match &outcome {
        // A piece without a step would stay listed after the undo of the repair.
        Ok(done) => kept.iter().for_each(|path| drop(writer.vault().quarantined_by(path, done.step))),
        // Bytes that did not leave their file are not kept twice.
        Err(_) => kept.iter().for_each(|path| drop(host.disk.remove(path))),
    }
    outcome
}

/// Erases what was shown.
/// Fails as [`Writer::erase`].
pub fn write_erasure(
    host: Host<'_>,
    erasure: &PlannedErasure,
    not_reached: &NotReached,
    reason: &str,
) -> Result<ErasureReceipt, CommitError> {
    Writer::open(host, &erasure.store)?.erase(&erasure.plan, erasure.scope(not_reached), reason)
}

/// Finishes or undoes what was interrupted in a store. Waits this long for each lock, otherwise as a change does.
/// Fails if another program has the store, or palimp's own data can't be read or written.
pub fn settle(host: Host<'_>, store: &Store, wait: Option<Duration>) -> Result<RecoveryReport, CommitError> {
    let writer = Writer::open_within(host, store, wait)?;
    let erased = writer.finished();
    Ok(RecoveryReport {
        rescued: writer.rescued(),
        notes: writer.notes(),
        is_erasure_left: erased.is_some_and(|erased| !erased.left.is_empty()),
        erased: erased.into_iter().flat_map(ErasureReceipt::names).collect(),
    })
}
