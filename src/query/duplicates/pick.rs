//! Equal and nearly equal memories as the screens list them.

use super::{ALIKE, Alike, duplicates, said};
use crate::model::plan::counted;
use crate::model::{EntryRef, Moment, Snapshot};
use crate::query::cancel::Cancel;
use crate::query::pick::{Pick, Picked};
use crate::query::rank::Ranking;
use crate::query::search::Results;

/// The groups on the screens: what says the same as the first of its group is marked.
pub static DUPLICATES: Pick = Pick {
    title: "duplicates, group by group",
    figure: "like ",
    none: "No two of these memories are nearly equal. Esc goes back.",
    find: picked,
};

fn picked(snapshot: &Snapshot, results: Results, _at: (Ranking, Moment), cancel: &Cancel) -> Option<Results> {
    let groups = duplicates(snapshot, &results.hits, ALIKE, cancel)?;
    let mut picked = Picked::default();
    for group in &groups {
        picked.figures.push(format!("×{}", group.len().min(999)));
        picked.figures.extend(group.iter().skip(1).map(|own| format!("{}%", own.percent())));
        picked.marked.extend(equal_to_first(snapshot, group));
    }
    let told = |count: usize, what| counted(count as u64, what);
    picked.told = match (groups.len(), picked.marked.len()) {
        (0, _) => DUPLICATES.none.into(),
        (many, 0) => format!("{} of nearly equal memories. None is marked.", told(many, "group")),
        (many, 1) => format!("{}. 1 memory is marked: it equals the first.", told(many, "group")),
        (many, equal) => {
            format!("{}. {equal} memories are marked: each equals its first.", told(many, "group"))
        }
    };
    let hits = groups.iter().flatten().map(|own| own.hit).collect();
    Some(Results { hits, picked: Some(picked), ..results })
}

/// Those of a group whose text is the first one's, to the letter.
fn equal_to_first<'a>(snapshot: &'a Snapshot, group: &'a [Alike]) -> impl Iterator<Item = EntryRef> + 'a {
    let text = |own: &Alike| {
        let (store, entry) = snapshot.get(own.hit.at);
        said(store, entry).trim().to_owned()
    };
    let same: Vec<&Alike> = group.iter().skip(1).filter(|own| own.percent() == 100).collect();
    let first = group.first().filter(|_| !same.is_empty()).map(text);
    same.into_iter().filter(move |own| first.as_ref() == Some(&text(own))).map(|own| own.hit.at)
}
