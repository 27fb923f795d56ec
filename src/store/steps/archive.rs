//! The archive of a store whose format has none. Each memory is a file of palimp's data, written before it leaves the
//! store. It does not expire while it is archived.
//!
//! The journal says which ones are archived: those whose step is applied, and which no applied step brought back. So
//! undo, redo and a crash change no file here.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::disk::ItemKind;
use crate::model::{ArchivedItem, JournalLine};
use crate::store::steps::StepHistory;
use crate::store::{CommitError, Vault};

pub const ARCHIVE: &str = "archive";
const ITEM_SUFFIX: &str = "item";

impl Vault<'_> {
    /// Writes memories durably, before a step takes them out of the store.
    pub fn put_archived(&self, step: u64, items: &[ArchivedItem]) -> Result<(), CommitError> {
        if items.is_empty() {
            return Ok(());
        }
        let folder = self.folder(ARCHIVE)?;
        for (number, item) in items.iter().enumerate() {
            let path = folder.join(format!("{step:06}-{number}.{ITEM_SUFFIX}"));
            self.write_own_file(&path, &to_bytes(item))?;
        }
        Ok(())
    }

    /// Returns the memories that are archived now, in the order in which they were.
    pub fn archived(&self) -> Result<Vec<ArchivedItem>, CommitError> {
        let names = self.item_names()?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let journal = self.journal()?;
        let state = ArchiveState::of(&journal);
        let mut found = Vec::new();
        for name in names.into_iter().filter(|own| state.has(own)) {
            let bytes = self.read_own_file(&self.item_path(&name))?.unwrap_or_default();
            found.extend(item_of(&bytes).map(|own| ArchivedItem { name, ..own }));
        }
        Ok(found)
    }

    /// Returns the names of all items, sorted by step and number.
    fn item_names(&self) -> Result<Vec<String>, CommitError> {
        let items = self.items(ARCHIVE)?;
        let files = items.iter().filter(|own| own.kind == ItemKind::File && own.link.is_none());
        let name = |own: &crate::disk::Item| {
            let (name, end) = own.name.to_str()?.rsplit_once('.')?;
            (end == ITEM_SUFFIX).then(|| name.to_owned())
        };
        let mut names: Vec<String> = files.filter_map(name).collect();
        names.sort_by_key(|own| numbers(own));
        Ok(names)
    }

    /// Removes the items that are not archived any more, once the undo data is gone that could archive them again.
    pub fn expire_archive(&self, journal: &[JournalLine], kept: &HashSet<u64>) -> Result<(), CommitError> {
        let names = self.item_names()?;
        if names.is_empty() {
            return Ok(());
        }
        let state = ArchiveState::of(journal);
        // The steps whose undo data is kept, and those that they undid: these can still change what is archived.
        let live: HashSet<u64> = journal
            .iter()
            .filter(|own| kept.contains(&own.step))
            .flat_map(|own| [own.step, own.subject_step()])
            .collect();
        let known: HashSet<u64> = journal.iter().map(|own| own.step).collect();
        let brought_by: HashMap<&str, u64> = journal
            .iter()
            .flat_map(|line| line.brought_back.iter().map(move |name| (name.as_str(), line.step)))
            .collect();
        let mut is_changed = false;
        for name in names.iter().filter(|own| !state.has(own)) {
            let step = numbers(name).0;
            let can_return =
                live.contains(&step) || brought_by.get(name.as_str()).is_some_and(|by| live.contains(by));
            // If the journal lost the step, nothing is known: the item stays.
            if known.contains(&step) && !can_return {
                self.drop_own(&self.item_path(name))?;
                is_changed = true;
            }
        }
        if is_changed { self.sync(&self.path(ARCHIVE)) } else { Ok(()) }
    }

    /// Removes the items of a step that was not done.
    pub fn drop_archived_by(&self, step: u64) -> Result<(), CommitError> {
        let names = self.item_names()?;
        let own = names.iter().filter(|name| numbers(name).0 == step);
        own.map(|name| self.item_path(name)).try_for_each(|path| self.drop_own(&path))
    }

    fn item_path(&self, name: &str) -> PathBuf {
        self.path(ARCHIVE).join(format!("{name}.{ITEM_SUFFIX}"))
    }
}

struct ArchiveState<'a> {
    /// The applied steps.
    done: HashSet<u64>,
    /// The items that applied steps brought back.
    brought: HashSet<&'a str>,
}

impl<'a> ArchiveState<'a> {
    fn of(journal: &'a [JournalLine]) -> ArchiveState<'a> {
        let history = StepHistory::of(journal);
        let done: HashSet<u64> = history.done.into_iter().map(|(step, _)| step).collect();
        let lines = journal.iter().filter(|line| done.contains(&line.step));
        let brought = lines.flat_map(|line| line.brought_back.iter().map(String::as_str)).collect();
        ArchiveState { done, brought }
    }

    fn has(&self, name: &str) -> bool {
        self.done.contains(&numbers(name).0) && !self.brought.contains(name)
    }
}

fn numbers(name: &str) -> (u64, u64) {
    let own =
        name.split_once('-').and_then(|(step, number)| Some((step.parse().ok()?, number.parse().ok()?)));
    own.unwrap_or_default()
}

/// Returns an item as a file: a line of JSON, and its bytes.
pub fn to_bytes(item: &ArchivedItem) -> Vec<u8> {
    // Text and numbers always have a JSON form.
    let head = serde_json::to_vec(item).unwrap_or_default();
    [&head[..], b"\n", &item.bytes].concat()
}

/// Reads an item; `None` if the file is none.
pub fn item_of(bytes: &[u8]) -> Option<ArchivedItem> {
    let feed = memchr::memchr(b'\n', bytes)?;
    let item: ArchivedItem = serde_json::from_slice(&bytes[..feed]).ok()?;
    Some(ArchivedItem { bytes: bytes[feed + 1..].to_vec(), ..item })
}

pub fn is_item(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == ITEM_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{UndoRedo, Verb};

    fn line(step: u64, verb: Verb) -> JournalLine {
        JournalLine { step, verb, ..JournalLine::default() }
    }

    fn turn(step: u64, turn: UndoRedo) -> JournalLine {
        JournalLine { turn: Some(turn), ..line(step, Verb::Undo) }
    }

    #[test]
    fn the_journal_says_what_is_archived() {
        let has = |journal: &[JournalLine]| ArchiveState::of(journal).has("000001-0");
        let mut journal = vec![line(1, Verb::Archive)];
        assert!(has(&journal));
        journal.push(turn(2, UndoRedo::Undo(1)));
        assert!(!has(&journal));
        journal.push(turn(3, UndoRedo::Redo(1)));
        assert!(has(&journal));
        journal.push(JournalLine { brought_back: vec!["000001-0".into()], ..line(4, Verb::Unarchive) });
        assert!(!has(&journal));
        journal.push(turn(5, UndoRedo::Undo(4)));
        assert!(has(&journal), "an undone unarchive brought nothing back");
        assert!(!has(&[]), "a step that was never finished archived nothing");
    }

    #[test]
    fn an_item_is_read_as_it_was_written() {
        let lines = vec![RemovedLine { text: "- [a](a.md)".into(), number: 3, ..RemovedLine::default() }];
        let item = ArchivedItem {
            path: "x/a.md".into(),
            lines,
            bytes: b"one\n\ntwo".to_vec(),
            ..Default::default()
        };
        assert_eq!(item_of(&to_bytes(&item)), Some(item));
        assert_eq!(item_of(b"no item"), None);
    }

    use crate::model::RemovedLine;
}
