//! `compact`: what a log need not keep goes.

use super::{Refusal, Scene, backups, delete::removals, plan, writable, writes};
use crate::format::writing::{Deed, Writes};
use crate::model::{Entry, Plan, State};

/// Below this relevance an entry goes (2 §5.1).
const KEPT: f64 = 0.05;

/// Drops what tombstones name and what has faded below all relevance. Preferences stay.
pub fn compact(scene: &Scene<'_>, session: Option<&str>) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let goes = writes.compaction(scene, session);
    let goes = match goes {
        Some(goes) => goes?,
        // What the program only reads, and what stands in an archive, stays.
        None => faded(scene, session).into_iter().filter(|entry| may_go(scene, writes, entry)).collect(),
    };
    let changes = removals(scene.store, &goes);
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    plan("compact", scene, goes.len(), all)
}

fn may_go(scene: &Scene<'_>, writes: &dyn Writes, entry: &Entry) -> bool {
    writable(scene.store, entry).is_ok_and(|document| writes.may(Deed::Delete, &document.path).is_ok())
}

fn faded(scene: &Scene<'_>, session: Option<&str>) -> Vec<Entry> {
    let store = scene.store;
    let in_session =
        |entry: &&Entry| session.is_none_or(|name| store.session(entry).is_some_and(|own| own.name == name));
    let goes = |entry: &&Entry| match (entry.state, store.view(entry)) {
        (State::Deleted, _) => true,
        (State::Live, Some(view)) => {
            let age = view.created.map(|created| scene.now.hours_since(created).max(0.0));
            let decay = store.decay(entry).rule(&view.kind).factor(age, 0.0);
            view.kind != "preference" && view.importance * decay < KEPT
        }
        _ => false,
    };
    store.entries.iter().filter(in_session).filter(goes).copied().collect()
}
