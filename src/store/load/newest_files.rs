//! The files of a store that most likely changed last, with a limited number of lookups.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, ItemKind, ItemName, optional};
use crate::format::{Format, Placement};
use crate::model::Role;
use crate::store::hidden_names::is_ours;
use crate::store::store_walk::{StoreFile, StoreListing};

const FOLDERS: usize = 64;
/// The most files of one folder to look up.
const FILES: usize = 64;
/// In a folder with at most this many files, the format is asked about each before that.
const MIXED: usize = 1_024;
/// The most names of one folder to consider.
const NAMES: usize = 1 << 17;

/// Returns the newest files below a root, within these limits. Links wait for the complete read.
pub(super) fn newest(disk: &dyn Disk, root: &Path, format: &dyn Format) -> StoreListing {
    let mut listing = StoreListing::default();
    NewestFiles { disk, root, format }.folder(Path::new(""), FOLDERS, &mut listing);
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.folders.sort();
    listing
}

struct NewestFiles<'a> {
    disk: &'a dyn Disk,
    root: &'a Path,
    format: &'a dyn Format,
}

impl NewestFiles<'_> {
    /// Looks into a folder, and into at most `room` folders below it.
    fn folder(&self, relative: &Path, room: usize, listing: &mut StoreListing) {
        let names = match optional(self.disk.names(&self.root.join(relative), NAMES)) {
            Ok(Some(names)) => names,
            Ok(None) if relative != Path::new("") => return,
            Ok(None) => return listing.unreadable(relative, "it is not there any more"),
            Err(error) => return listing.unreadable(relative, &error.to_string()),
        };
        let (folders, mut files): (Vec<&ItemName>, Vec<&ItemName>) = names
            .iter()
            .filter(|own| own.kind != ItemKind::Special && !own.is_link && !is_ours(&own.name))
            .partition(|own| own.kind == ItemKind::Folder);
        if files.len() <= MIXED {
            files.retain(|own| self.role(&relative.join(&own.name)).is_some());
        }
        for name in likely(files, FILES) {
            self.file(relative.join(&name.name), listing);
        }
        let folders = self.folders(relative, folders, room);
        let Some(left) = room.checked_sub(folders.len()).and_then(|left| left.checked_div(folders.len()))
        else {
            return;
        };
        for path in folders {
            self.folder(&path, left, listing);
            listing.folders.push(path);
        }
    }

    /// Returns the role of a file, if it may be read for the first screen.
    fn role(&self, path: &Path) -> Option<Role> {
        let Placement::File(role) = self.format.place(path, false) else { return None };
        (role.is_content() && role != Role::Index || role == Role::Lock).then_some(role)
    }

    fn file(&self, path: PathBuf, listing: &mut StoreListing) {
        let Some(role) = self.role(&path) else { return };
        match self.disk.look(&self.root.join(&path)) {
            Ok(item) if item.kind == ItemKind::File && item.link.is_none() => {
                listing.files.push(StoreFile { path, role, item });
            }
            _ => {}
        }
    }

    /// Returns those folders that changed last, at most `most`.
    fn folders(&self, relative: &Path, names: Vec<&ItemName>, most: usize) -> Vec<PathBuf> {
        let is_few = names.len() <= most;
        let paths = likely(names, FOLDERS * 4).into_iter().map(|own| relative.join(&own.name));
        let mut folders: Vec<PathBuf> =
            paths.filter(|path| self.format.place(path, true) == Placement::Enter).collect();
        if is_few {
            return folders;
        }
        let changed =
            |path: &PathBuf| self.disk.look(&self.root.join(path)).map_or(0, |item| item.generation.modified);
        folders.sort_by_cached_key(|path| Reverse(changed(path)));
        folders.truncate(most);
        folders
    }
}

/// Returns the names that were most likely made last: the last by name, as names often have a time
/// or a growing number, and the last by inode number.
fn likely(mut names: Vec<&ItemName>, most: usize) -> Vec<&ItemName> {
    if names.len() <= most {
        return names;
    }
    let mut chosen = names.split_off(names.len() - most / 2);
    names.select_nth_unstable_by_key(most / 2, |own| Reverse(own.inode));
    chosen.extend(&names[..most / 2]);
    chosen
}

#[cfg(test)]
mod tests {
    use crate::model::{Extent, Moment, Snapshot};
    use crate::store::load::{load, load_each};
    use crate::store::{Place, look_at};

    fn write(folder: &std::path::Path, file: &str, text: &str) {
        crate::disk::write_new(&folder.join(file), text.as_bytes()).unwrap();
    }

    #[test]
    fn of_many_notes_the_newest_are_shown_first_and_few_are_looked_at() {
        let folder = crate::folder::new();
        for number in 0..300 {
            let text = format!("---\nid: note-{number:03}\ncreated: 2026-01-01T00:00:00Z\n---\n\n# One\n");
            write(folder.path(), &format!("knowledge/notes/note-{number:03}.md"), &text);
        }
        write(folder.path(), "knowledge/tags.json", "{}");
        write(folder.path(), "events/2026-01/events.jsonl", "");
        write(folder.path(), "profiles/agents/one.json", "{}");
        let places = look_at(folder.path(), None).found.unwrap();
        assert_eq!(places.iter().map(|place| place.format).collect::<Vec<_>>(), ["a-mem"]);
        let now = Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
        let tail = load(&places[0], Extent::Newest, None, now);
        let whole = load(&places[0], Extent::All, None, now);
        let notes = |store: &crate::model::Store| -> Vec<Vec<u8>> {
            store.entries.iter().map(|entry| store.raw(entry).to_vec()).collect()
        };
        let (shown, all) = (notes(&tail), notes(&whole));
        assert!((20..=48).contains(&shown.len()) && all.len() >= 300, "{} of {}", shown.len(), all.len());
        assert!(shown.iter().all(|note| all.contains(note)));
        assert!(shown.iter().any(|note| note.windows(8).any(|part| part == b"note-299")));
    }

    #[test]
    fn of_many_stores_few_are_read_first_and_all_are_named() {
        let folder = crate::folder::new();
        let line = "{\"id\":\"a\",\"type\":\"learning\",\"content\":\"one\",\"created_at\":\"2026-01-01T00:00:00Z\"}\n";
        let place = |number: usize| {
            let root = folder.path().join(format!("{number:02}"));
            write(&root, "learnings.jsonl", line);
            Place::whole(root, "memory-server")
        };
        let places: Vec<Place> = (0..20).map(place).collect();
        let now = Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
        let read = |extent| {
            let stores = load_each(&places, extent, &Snapshot::default(), now);
            assert!(stores.iter().map(|store| &store.root).eq(places.iter().map(|place| &place.root)));
            stores.iter().filter(|store| store.entries.len() == 1).count()
        };
        assert_eq!((read(Extent::Newest), read(Extent::All)), (8, 20));
    }
}
