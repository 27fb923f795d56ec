//! Up to when the memories of each store were seen, for what is new since. It is kept with our own
//! data, never in a store, and holds no text of any.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::{Disk, Real, write_synced};
use crate::model::{Moment, Tell};

/// The file in the folder of our own data.
const FILE: &str = "visits.json";
/// A longer one is none of ours.
const LONGEST: u64 = 4 << 20;

/// Up to when each store was seen, by the path of its root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visits {
    /// Microseconds since 1970, UTC.
    seen: BTreeMap<String, i64>,
    /// What of each store was marked as seen since, by id or key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    one_by_one: BTreeMap<String, BTreeSet<String>>,
}

impl Visits {
    /// What is kept in a folder of our own data; nothing where there is no such file, or none of ours.
    pub fn kept_in(data: &Path) -> Visits {
        let read = Real.read(&data.join(FILE), 0, Some(LONGEST));
        read.ok().and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Up to when a store was seen; `None` on the first visit.
    pub fn seen(&self, root: &Path) -> Option<Moment> {
        self.seen.get(&*root.told()).copied().map(Moment)
    }

    /// Stores are seen up to a moment; `only_new` leaves those that were visited before.
    pub fn see<'a>(&mut self, roots: impl IntoIterator<Item = &'a PathBuf>, until: Moment, only_new: bool) {
        for root in roots {
            let name = root.told().into_owned();
            if !(only_new && self.seen.contains_key(&name)) {
                self.one_by_one.remove(&name);
                self.seen.insert(name, until.0);
            }
        }
    }

    /// One memory of a store is seen, by its id or key.
    pub fn see_one(&mut self, root: &Path, name: String) {
        self.one_by_one.entry(root.told().into_owned()).or_default().insert(name);
    }

    /// Whether it was seen by itself. Its name is asked for only where some of its store were.
    pub fn is_seen(&self, root: &Path, name: impl FnOnce() -> String) -> bool {
        let own = (!self.one_by_one.is_empty()).then(|| self.one_by_one.get(&*root.told())).flatten();
        own.is_some_and(|own| own.contains(&name()))
    }

    /// Keeps it, replacing what was kept as a whole file.
    ///
    /// # Errors
    ///
    /// Where the folder of our own data can't be written.
    pub fn keep_in(&self, data: &Path) -> io::Result<()> {
        if Real.look(data).is_err() {
            Real.make_folder(data, 0o700)?;
        }
        let temporary = data.join(format!("{FILE}.{}", std::process::id()));
        let text = serde_json::to_vec(self)?;
        let written = write_synced(&Real, &temporary, 0o600, &text);
        let moved = written.and_then(|()| Real.rename(&temporary, &data.join(FILE)));
        if moved.is_err() {
            let _ = Real.remove(&temporary);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_outlives_the_program_and_a_first_visit_moves_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let (one, two) = (PathBuf::from("/a"), PathBuf::from("/b"));
        let mut visits = Visits::kept_in(&data);
        assert_eq!(visits.seen(&one), None);
        visits.see([&one], Moment(5), true);
        visits.see([&one, &two], Moment(9), true);
        visits.keep_in(&data).unwrap();
        let kept = Visits::kept_in(&data);
        assert_eq!((kept.seen(&one), kept.seen(&two)), (Some(Moment(5)), Some(Moment(9))));
        visits.see([&one], Moment(11), false);
        visits.keep_in(&data).unwrap();
        assert_eq!(Visits::kept_in(&data).seen(&one), Some(Moment(11)));
    }

    #[test]
    fn one_memory_that_was_seen_is_kept_until_all_of_its_store_are() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (PathBuf::from("/a"), PathBuf::from("/b"));
        let mut visits = Visits::default();
        visits.see_one(&one, "m1".into());
        visits.keep_in(folder.path()).unwrap();
        let mut kept = Visits::kept_in(folder.path());
        let seen = |own: &Visits, root: &Path, name: &str| own.is_seen(root, || name.into());
        assert!(seen(&kept, &one, "m1") && !seen(&kept, &one, "m2") && !seen(&kept, &two, "m1"));
        kept.see([&one], Moment(9), false);
        assert!(!seen(&kept, &one, "m1"));
    }
}
