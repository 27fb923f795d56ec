//! Up to when the memories of each store were seen, to know what is new since. It is kept with
//! palimp's own data, never in a store, and has no text from stores.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::data_file;
use crate::model::{Moment, PathText};

const FILE: &str = "visits.json";

/// Up to when each store was seen, by the path of its root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visits {
    /// Microseconds since 1970, UTC.
    seen: BTreeMap<String, i64>,
    /// The memories of each store that were marked as seen since, by id or key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    one_by_one: BTreeMap<String, BTreeSet<String>>,
    /// The memories of each store that had the time of a file together with others at the last visit, by the start of
    /// their keys. If that file changes, they are not new.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    of_one_time: BTreeMap<String, BTreeSet<String>>,
}

impl Visits {
    /// Reads the visits from a folder of palimp's own data; empty if there is no valid file.
    pub fn kept_in(data: &Path) -> Visits {
        data_file::read(data, FILE)
    }

    /// Keeps them in a folder of palimp's own data. The old file is replaced as a whole.
    /// Fails if the folder can't be written. The text says why.
    pub fn keep_in(&self, data: &Path) -> Result<(), String> {
        let written = data_file::write(data, FILE, serde_json::to_vec(self));
        written.map_err(|error| format!("What is new can't be kept: {error}."))
    }

    /// Returns up to when a store was seen; `None` on the first visit.
    pub fn seen(&self, root: &Path) -> Option<Moment> {
        self.seen.get(&*root.to_text()).copied().map(Moment)
    }

    /// Marks stores as seen up to a time. With `only_new`, it skips stores that were visited before.
    pub fn see<'a>(&mut self, roots: impl IntoIterator<Item = &'a PathBuf>, until: Moment, only_new: bool) {
        for root in roots {
            let name = root.to_text().into_owned();
            if !(only_new && self.seen.contains_key(&name)) {
                self.one_by_one.remove(&name);
                self.seen.insert(name, until.0);
            }
        }
    }

    /// Notes which memories of a store have the time of a file together with others. With `only_new`, it skips a store
    /// that has such a note.
    pub fn note_shared(&mut self, root: &Path, only_new: bool, names: impl FnOnce() -> BTreeSet<String>) {
        let name = root.to_text().into_owned();
        if !(only_new && self.of_one_time.contains_key(&name)) {
            self.of_one_time.insert(name, names());
        }
    }

    /// Marks one memory of a store as seen, by its id or key.
    pub fn see_one(&mut self, root: &Path, name: String) {
        self.one_by_one.entry(root.to_text().into_owned()).or_default().insert(name);
    }

    /// True if a memory was marked by itself, or was there at the last visit in a file that several share. Calls
    /// `name` only if some memories of its store were.
    pub fn is_seen(&self, root: &Path, name: impl FnOnce() -> String) -> bool {
        let (root, name) = (root.to_text(), LazyCell::new(name));
        let known = [&self.one_by_one, &self.of_one_time].into_iter().filter_map(|stores| stores.get(&*root));
        known.filter(|names| !names.is_empty()).any(|names| names.contains(&*name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_outlives_the_program_and_a_first_visit_moves_no_other() {
        let folder = crate::folder::new();
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
    fn a_file_of_nonsense_is_none_and_what_can_t_be_kept_is_told() {
        let folder = crate::folder::new();
        let data = folder.path();
        let wrong: [&[u8]; 5] =
            [b"", b"\xff\x00", b"[]", b"{\"seen\":{\"/a\":\"now\"}}", b"{\"seen\":{\"/a\":1}"];
        for text in wrong {
            std::fs::write(data.join(FILE), text).unwrap();
            assert_eq!(Visits::kept_in(data), Visits::default(), "{text:?}");
        }
        std::fs::remove_file(data.join(FILE)).unwrap();
        std::fs::create_dir(data.join(FILE)).unwrap();
        assert_eq!(Visits::kept_in(data), Visits::default());
        let said = Visits::default().keep_in(data).unwrap_err();
        assert!(said.starts_with("What is new can't be kept: "), "{said}");
    }

    #[test]
    fn one_memory_that_was_seen_is_kept_until_all_of_its_store_are() {
        let folder = crate::folder::new();
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
