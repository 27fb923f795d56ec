//! The records that are chosen for deletion or archiving, and which of them can't go.

use std::collections::BTreeSet;

use super::prune::{PruneRequest, prune};
use super::{BundleFileKind, BundleWrite, bundle_path};
use crate::format::agent_memory::write::bundle_edit::BundleEdit;
use crate::format::writing::{Refusal, RefusalList, Result, WriteContext};
use crate::model::{Entry, Store};

/// The records to delete or archive.
#[derive(Default)]
pub struct PruneSelection {
    /// Parts of the bundle, the last first, so that each removal keeps the numbers of the others.
    pub paths: Vec<String>,
    events: BTreeSet<String>,
    checkpoints: BTreeSet<String>,
}

impl PruneSelection {
    pub fn of(store: &Store, entries: &[Entry]) -> Result<PruneSelection> {
        let mut choice = PruneSelection::default();
        let mut parts: BTreeSet<u32> = BTreeSet::new();
        for entry in entries {
            let document = store.document(entry);
            let memory = store.memory(entry);
            let memory = memory.ok_or_else(Refusal::broken)?;
            let id = || {
                let id = memory.id().map(str::to_owned);
                id.ok_or_else(|| Refusal::invalid("it has no id by which an archive batch could name it."))
            };
            match BundleFileKind::of(&document.path) {
                BundleFileKind::Bundle => drop(parts.insert(entry.record)),
                BundleFileKind::Event => drop(choice.events.insert(id()?)),
                BundleFileKind::Checkpoint => drop(choice.checkpoints.insert(id()?)),
                _ => return Err(Refusal::unfit("it belongs neither to the bundle nor to the history.")),
            }
        }
        for record in parts.into_iter().rev() {
            choice.paths.push(bundle_path(store, record as usize)?);
        }
        Ok(choice)
    }

    pub fn prune(&self, writing: &mut BundleWrite<'_>) -> Result<()> {
        if self.events.is_empty() && self.checkpoints.is_empty() {
            return Ok(());
        }
        let events: Vec<&str> = self.events.iter().map(String::as_str).collect();
        let checkpoints: Vec<&str> = self.checkpoints.iter().map(String::as_str).collect();
        let chosen = PruneRequest::These { events: &events, checkpoints: &checkpoints };
        if let Some(pruned) = prune(&writing.documents, chosen, writing.context.now)? {
            writing.take_pruned(pruned);
        }
        Ok(())
    }
}

/// Returns a refusal that names what is in the way, else `whole`. Parts of the bundle and
/// checkpoints are tried alone. Events are tried together, because they go together or not at all.
pub fn each_refused(context: &WriteContext<'_>, entries: &[Entry], whole: Refusal) -> Refusal {
    let is = |part: BundleFileKind| {
        move |own: &&Entry| BundleFileKind::of(&context.store.document(own).path) == part
    };
    let pruned =
        |own: &[Entry]| PruneSelection::of(context.store, own)?.prune(&mut BundleWrite::of(context)?);
    let mut faults = RefusalList::default();
    for entry in entries.iter().filter(is(BundleFileKind::Bundle)) {
        let removed = bundle_path(context.store, entry.record as usize).and_then(|path| {
            let edit = BundleEdit::Remove { path: &path };
            BundleWrite::of(context)?.canonical(&[edit], &path)
        });
        if let Err(refusal) = removed {
            faults.refuse(vec![*entry], refusal);
        }
    }
    let checkpoints: Vec<Entry> = entries.iter().filter(is(BundleFileKind::Checkpoint)).copied().collect();
    let each: Vec<&[Entry]> = match checkpoints.len() {
        few if few <= ALONE => checkpoints.chunks(1).collect(),
        _ => vec![&checkpoints],
    };
    let events: Vec<Entry> = entries.iter().filter(is(BundleFileKind::Event)).copied().collect();
    for own in each.into_iter().chain([&events[..]]).filter(|own| !own.is_empty()) {
        if let Err(refusal) = pruned(own) {
            faults.refuse(own.to_vec(), refusal);
        }
    }
    faults.finish().err().unwrap_or(whole)
}

/// The largest number of checkpoints that are tried alone.
const ALONE: usize = 64;
