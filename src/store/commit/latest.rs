//! Of several stores the one whose step is the next to be turned.

use std::path::Path;
use std::sync::Arc;

use super::Vault;
use super::turn::History;
use crate::disk::Disk;
use crate::model::Store;

/// The store with the newest step in force, or with the newest one that was taken back.
pub fn latest<'s>(
    disk: &dyn Disk,
    data: &Path,
    stores: &'s [Arc<Store>],
    taken_back: bool,
) -> Option<&'s Arc<Store>> {
    let when = |store: &Arc<Store>| {
        let journal = Vault::look(disk, data, &store.root).journal();
        let history = History::of(&journal);
        let steps = if taken_back { history.undone } else { history.done };
        let (_, by) = *steps.last()?;
        journal.into_iter().find(|line| line.step == by).map(|line| line.at)
    };
    let steps = stores.iter().filter_map(|store| Some((when(store)?, store)));
    steps.max_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, store)| store)
}
