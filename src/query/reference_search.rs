//! `ref:` and `depth:`: finds memories that are linked to one, directly or through others.

use std::collections::HashSet;

use super::name_pattern::Pattern;
use crate::model::{EntryRef, NameKind, Snapshot};

/// Returns the entries within `depth` references, in either direction, of the entries with an id or other
/// name that matches `patterns`. Those entries themselves are left out.
pub(super) fn related(snapshot: &Snapshot, patterns: &[Pattern], depth: usize) -> HashSet<EntryRef> {
    reachable(snapshot, snapshot.entries().filter(|at| is_meant(snapshot, *at, patterns)).collect(), depth)
}

/// Returns the entries within `depth` references, in either direction, of `start`, without `start` itself.
pub fn reachable(snapshot: &Snapshot, start: HashSet<EntryRef>, depth: usize) -> HashSet<EntryRef> {
    let mut seen = start.clone();
    let mut edge: Vec<EntryRef> = start.iter().copied().collect();
    for _ in 0..depth {
        let mut next = Vec::new();
        for at in edge {
            let store = snapshot.get(at).0;
            let others = snapshot.references().links_of(store, at).into_iter().filter_map(|tie| tie.other);
            next.extend(others.filter(|other| seen.insert(*other)));
        }
        if next.is_empty() {
            break;
        }
        edge = next;
    }
    seen.retain(|at| !start.contains(at));
    seen
}

fn is_meant(snapshot: &Snapshot, at: EntryRef, patterns: &[Pattern]) -> bool {
    let (store, entry) = snapshot.get(at);
    let Some(memory) = store.memory(entry) else { return false };
    let others = memory.names().filter(|name| name.of == NameKind::Record).map(|name| name.text);
    memory.id().into_iter().chain(others).any(|name| patterns.iter().any(|own| own.matches(name)))
}
