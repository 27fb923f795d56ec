//! What is chosen to be deleted or archived, and what of it can't be.

use std::collections::BTreeSet;

use super::canonical::BundleEdit;
use super::prune::{Pruning, prune};
use super::{Contents, Writing, bundle_path};
use crate::format::writing::{Faults, Refusal, Result, Scene};
use crate::model::{Entry, Store};

/// What is deleted or archived.
#[derive(Default)]
pub struct Choice {
    /// Parts of the bundle, the last first: what is before one that goes keeps its number.
    pub paths: Vec<String>,
    events: BTreeSet<String>,
    checkpoints: BTreeSet<String>,
}

impl Choice {
    pub fn of(store: &Store, entries: &[Entry]) -> Result<Choice> {
        let mut choice = Choice::default();
        let mut parts: BTreeSet<u32> = BTreeSet::new();
        for entry in entries {
            let document = store.document(entry);
            let view = store.view(entry);
            let view = view.ok_or_else(Refusal::broken)?;
            let id = || {
                let id = view.id.map(str::to_owned);
                id.ok_or_else(|| Refusal::invalid("it has no id by which an archive batch could name it."))
            };
            match Contents::of(&document.path) {
                Contents::Bundle => drop(parts.insert(entry.record)),
                Contents::Event => drop(choice.events.insert(id()?)),
                Contents::Checkpoint => drop(choice.checkpoints.insert(id()?)),
                _ => return Err(Refusal::unfit("it belongs neither to the bundle nor to the history.")),
            }
        }
        for record in parts.into_iter().rev() {
            choice.paths.push(bundle_path(store, record as usize)?);
        }
        Ok(choice)
    }

    pub fn prune(&self, writing: &mut Writing<'_>) -> Result<()> {
        if self.events.is_empty() && self.checkpoints.is_empty() {
            return Ok(());
        }
        let events: Vec<&str> = self.events.iter().map(String::as_str).collect();
        let checkpoints: Vec<&str> = self.checkpoints.iter().map(String::as_str).collect();
        let chosen = Pruning::These { events: &events, checkpoints: &checkpoints };
        if let Some(pruned) = prune(&writing.documents, chosen, writing.scene.now)? {
            writing.take_pruned(pruned);
        }
        Ok(())
    }
}

/// A refusal with what is in the way: parts of the bundle and checkpoints that each alone can't go,
/// and events, which go together or not at all.
pub fn each_refused(scene: &Scene<'_>, entries: &[Entry], whole: Refusal) -> Refusal {
    let is = |part: Contents| move |own: &&Entry| Contents::of(&scene.store.document(own).path) == part;
    let pruned = |own: &[Entry]| Choice::of(scene.store, own)?.prune(&mut Writing::of(scene)?);
    let mut faults = Faults::default();
    for entry in entries.iter().filter(is(Contents::Bundle)) {
        let removed = bundle_path(scene.store, entry.record as usize).and_then(|path| {
            let edit = BundleEdit::Remove { path: &path };
            Writing::of(scene)?.canonical(&[edit], &path)
        });
        if let Err(refusal) = removed {
            faults.several(vec![*entry], refusal);
        }
    }
    let checkpoints: Vec<Entry> = entries.iter().filter(is(Contents::Checkpoint)).copied().collect();
    let each: Vec<&[Entry]> = match checkpoints.len() {
        few if few <= ALONE => checkpoints.chunks(1).collect(),
        _ => vec![&checkpoints],
    };
    let events: Vec<Entry> = entries.iter().filter(is(Contents::Event)).copied().collect();
    for own in each.into_iter().chain([&events[..]]).filter(|own| !own.is_empty()) {
        if let Err(refusal) = pruned(own) {
            faults.several(own.to_vec(), refusal);
        }
    }
    faults.over().err().unwrap_or(whole)
}

/// So many checkpoints are looked at one by one.
const ALONE: usize = 64;
