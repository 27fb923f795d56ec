//! `compact`: what a log need not keep goes.

use std::sync::Arc;

use super::{Refusal, Scene, backups, delete::removals, plan, writes};
use crate::model::{Change, Document, Entry, Plan, Role, State};
use crate::store::derive;

/// Below this relevance an entry goes (2 §5.1).
const KEPT: f64 = 0.05;

/// Drops what tombstones name and what has faded below all relevance. Preferences stay.
pub fn compact(scene: &Scene<'_>, session: Option<&str>) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    if let Some(changes) = writes.compact(scene, session) {
        let changes = changes?;
        return plan("compact", scene, dropped(scene, &changes), changes);
    }
    let goes = writes.compaction(scene, session);
    let goes = match goes {
        Some(goes) => goes?,
        None => faded(scene, session),
    };
    let changes = removals(scene.store, &goes);
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    plan("compact", scene, goes.len(), all)
}

/// How many active records are fewer after the changes.
fn dropped(scene: &Scene<'_>, changes: &[Change]) -> usize {
    let active = |documents: &[Arc<Document>]| {
        let live = documents.iter().filter(|document| document.role == Role::Records);
        live.map(|document| document.records.len()).sum::<usize>()
    };
    let after = derive::after(scene.store, changes, scene.now);
    active(&scene.store.documents).saturating_sub(active(&after))
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
