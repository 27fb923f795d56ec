//! Lists equal and nearly equal memories for the screens.

use std::collections::HashSet;

use super::{SIMILAR_PERCENT, SimilarEntry, differing, duplicates};
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, Snapshot};
use crate::query::{CancelToken, PickSummary, Results};

/// A pick from the results of a search: listed alone, in its own order, and partly marked.
#[derive(Debug, PartialEq)]
pub struct ResultPick {
    /// The title of the list.
    pub title: &'static str,
    /// The message if nothing is picked.
    pub none: &'static str,
}

/// The groups of duplicates. Memories that equal the first of their group are marked.
pub static DUPLICATES: ResultPick = ResultPick {
    title: "duplicates, group by group",
    none: "No two of these memories are nearly equal. Esc goes back.",
};

/// Picks the duplicates from results that are ordered by importance. `None` if cancelled.
pub fn pick_duplicates(snapshot: &Snapshot, results: Results, cancel: &CancelToken) -> Option<Results> {
    let groups = duplicates(snapshot, &results.hits, SIMILAR_PERCENT, cancel)?;
    let mut picked = PickSummary::default();
    for group in &groups {
        let equal: HashSet<EntryRef> = equal_to_first(snapshot, group).collect();
        // A memory with the same words may differ in other fields.
        let percent =
            |like: &SimilarEntry| if equal.contains(&like.hit.at) { 100 } else { like.percent().min(99) };
        picked.figures.push(format!("×{}", group.len().min(999)));
        let figure = |like: &SimilarEntry| format!("{}%", percent(like));
        picked.figures.extend(group.iter().skip(1).map(figure));
        picked.marked.extend(group.iter().map(|like| like.hit.at).filter(|at| equal.contains(at)));
    }
    let count = count_with_noun(groups.len() as u64, "group");
    picked.summary = match (groups.len(), picked.marked.len()) {
        (0, _) => DUPLICATES.none.into(),
        (_, 0) => format!("{count} of nearly equal memories. None is marked."),
        (_, 1) => format!("{count}. 1 memory is marked: it equals the first."),
        (_, equal) => format!("{count}. {equal} memories are marked: each equals its first."),
    };
    let hits = groups.iter().flatten().map(|like| like.hit).collect();
    Some(Results { hits, picked: Some(picked), ..results })
}

/// Returns the members of a group that can be removed without loss because they equal its first one.
fn equal_to_first<'a>(
    snapshot: &'a Snapshot,
    group: &'a [SimilarEntry],
) -> impl Iterator<Item = EntryRef> + 'a {
    let first = group.first().map(|like| like.hit.at);
    let same = group.iter().skip(1).filter(|like| like.percent() == 100).map(|like| like.hit.at);
    same.filter(move |at| first.is_some_and(|first| differing(snapshot, first, *at).is_empty()))
}
