//! Computes decay (§6.3), and what a compaction drops (§4.3).

use std::path::Path;

use crate::format::bmad::config;
use crate::format::writing::{WriteContext, with_config};
use crate::model::{DecayTable, Entry, Moment, State, Store, StoredMemory, is_kept};

/// The share that is kept if none between 0 and 1 is given (§9.1).
const KEEP: f64 = 0.8;
/// The weights of decay, importance and access in the relevance (§5.3). Without a query the text
/// counts the same for all records.
const WEIGHTS: [f64; 3] = [0.3, 0.2, 0.1];
/// The access score of a record without an access time (§5.3).
const ACCESS: f64 = 0.5;

/// Returns the decay factor of a record at `now`: the half-life of its type, slowed by access and
/// importance, between the floor and 1.
pub fn factor(memory: &StoredMemory, decay: &DecayTable, now: Moment) -> f64 {
    let rule = decay.rule(memory.kind());
    let boost = 1.0 + 0.1 * memory.access_count as f64 + 0.2 * memory.importance;
    rule.factor(memory.created.map(|created| now.hours_since(created)), boost)
}

/// A live record with its relevance.
#[derive(Clone, Copy, Debug)]
pub struct WeighedRecord<'a> {
    pub kind: &'a str,
    /// The value that compaction ranks by.
    pub relevance: f64,
}

/// Returns the indices of the records that a compaction drops, in order: all but the share `keep`
/// with the highest relevance. Preferences always stay. Among equals, the first ones stay.
pub fn compaction(entries: &[WeighedRecord<'_>], keep: f64) -> Vec<usize> {
    let keep = if keep > 0.0 && keep <= 1.0 { keep } else { KEEP };
    let kept = (entries.len() as f64 * keep).floor() as usize;
    let relevance = |entry: &WeighedRecord<'_>| {
        if entry.relevance.is_nan() { f64::NEG_INFINITY } else { entry.relevance }
    };
    let mut ranked: Vec<(usize, &WeighedRecord<'_>)> = entries.iter().enumerate().collect();
    ranked.sort_by(|(_, a), (_, b)| relevance(b).total_cmp(&relevance(a)));
    let dropped = ranked.into_iter().skip(kept).filter(|(_, entry)| entry.kind != "preference");
    let mut dropped: Vec<usize> = dropped.map(|(at, _)| at).collect();
    dropped.sort_unstable();
    dropped
}

/// Returns the memories that a compaction of the session in `folder` drops. Pinned memories stay.
pub fn compacted(context: &WriteContext<'_>, folder: &Path) -> Vec<Entry> {
    let store = context.store;
    let in_session =
        |entry: &Entry| entry.state == State::Live && store.document(entry).path.starts_with(folder);
    let live: Vec<(Entry, &StoredMemory)> = store
        .entries
        .iter()
        .copied()
        .filter(in_session)
        .filter_map(|entry| Some((entry, store.memory(&entry)?)))
        .collect();
    let weighed: Vec<WeighedRecord<'_>> = live
        .iter()
        .map(|(entry, memory)| WeighedRecord {
            kind: memory.kind(),
            relevance: relevance(store, entry, memory, context.now),
        })
        .collect();
    let keep = with_config(store, config::keep_share);
    let dropped = compaction(&weighed, keep).into_iter().filter_map(|at| live.get(at));
    dropped.filter(|(_, memory)| !is_kept(memory, context.now)).map(|(entry, _)| *entry).collect()
}

/// Returns the relevance of §5.3 without a query.
fn relevance(store: &Store, entry: &Entry, memory: &StoredMemory, now: Moment) -> f64 {
    let decay = factor(memory, store.decay(entry), now);
    let access =
        memory.accessed.map_or(ACCESS, |accessed| (-0.05 * now.hours_since(accessed).max(0.0)).exp());
    let [time, importance, last] = WEIGHTS;
    time * decay + importance * memory.importance + last * access
}
