//! Which folder of our own data belongs to a store, and how private folders are made.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::de::DeserializeOwned;

use crate::disk::{Disk, ItemKind, optional, write_synced};
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::short_digest;
use crate::store::CommitError;
use crate::store::steps::retention::NEW_SUFFIX;
use crate::store::steps::step_segments::{LastSegment, StepEntry};

/// The folder of our own data about one store. Its methods fail if that data can't be read or written: what can't be read
/// is not absent.
pub struct Vault<'a> {
    pub disk: &'a dyn Disk,
    pub(super) folder: PathBuf,
    pub(super) root: PathBuf,
    /// The last step number, known only if no other process can use the next one.
    pub last: Cell<Option<u64>>,
    /// The step whose undo data this process kept last.
    pub(super) begun: Cell<u64>,
    /// The segment that grows, once it is known.
    pub(super) last_segment: RefCell<Option<LastSegment>>,
    /// The entries of all segments, once they were read.
    pub(super) entries: RefCell<Option<Rc<BTreeMap<u64, StepEntry>>>>,
}

impl<'a> Vault<'a> {
    /// Opens the folder of the store at `root` below `data`. Makes it (0700) if it is absent.
    pub fn open(disk: &'a dyn Disk, data: &Path, root: &Path) -> Result<Vault<'a>, CommitError> {
        let vault = Vault::open_read_only(disk, data, root);
        vault.make(&vault.folder)?;
        Ok(vault)
    }

    /// Opens the folder without making anything.
    pub fn open_read_only(disk: &'a dyn Disk, data: &Path, root: &Path) -> Vault<'a> {
        Vault {
            disk,
            folder: folder_of(disk, data, root),
            root: root.to_owned(),
            last: Cell::new(None),
            begun: Cell::default(),
            last_segment: RefCell::default(),
            entries: RefCell::default(),
        }
    }

    /// Makes a folder inside it, with its parents, and returns its path.
    pub fn folder(&self, name: &str) -> Result<PathBuf, CommitError> {
        let folder = self.folder.join(name);
        self.make(&folder)?;
        Ok(folder)
    }

    /// Returns the path of `name` inside it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn make(&self, folder: &Path) -> Result<(), CommitError> {
        make_folders(self.disk, folder).map_err(|source| CommitError::own_data(folder, source))
    }

    /// Reads a file of our data; `None` if it is absent. A file that can't be read is an error.
    pub fn read_own_file(&self, path: &Path) -> Result<Option<Vec<u8>>, CommitError> {
        let read = optional(self.disk.read(path, 0, None));
        Ok(read.map_err(|error| CommitError::unread(path, error))?.map(|(bytes, _)| bytes))
    }

    /// Reads a file of our data that has lines of JSON. A line that can't be read is left out.
    pub fn readable_lines<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, CommitError> {
        let bytes = self.read_own_file(&self.path(name))?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Writes a file of our data, durably. The old or the new one exists at any moment.
    pub fn write_own_file(&self, path: &Path, bytes: &[u8]) -> Result<(), CommitError> {
        let written = self.write_as(path, bytes, |temp| self.disk.rename(temp, path));
        written.map_err(|source| CommitError::own_data(path, source))
    }

    /// Writes a file under another name, and durably. `put` gives it its own name.
    pub(super) fn write_as(
        &self,
        path: &Path,
        bytes: &[u8],
        put: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let (disk, temp) = (self.disk, path.with_extension(NEW_SUFFIX));
        let _ = disk.remove(&temp);
        // The temporary file may hold content: it must not outlive a failure.
        let written = write_synced(disk, &temp, PRIVATE_MODE, bytes).and_then(|()| put(&temp));
        written.inspect_err(|_| drop(disk.remove(&temp)))?;
        disk.sync_folder(path.parent().unwrap_or(Path::new("/")))
    }
}

/// Names the folder by a digest of the relative path from our data to the store: both can be moved
/// together, for example if a home folder is renamed or restored elsewhere.
pub(super) fn folder_of(disk: &dyn Disk, data: &Path, root: &Path) -> PathBuf {
    let way = way_to(&real_of(disk, data), &real_of(disk, root));
    let hash = short_digest(way.as_os_str().as_encoded_bytes());
    data.join("stores").join(format!("{hash:016x}"))
}

/// Returns the path without links, even if its last folders don't exist yet.
pub fn real_of(disk: &dyn Disk, path: &Path) -> PathBuf {
    let real = |folder: &Path| {
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        disk.real_path(named).ok()
    };
    let there = path.ancestors().find_map(|folder| Some((real(folder)?, folder)));
    match there {
        Some((real, folder)) => match path.strip_prefix(folder) {
            Ok(rest) if rest.as_os_str().is_empty() => real,
            Ok(rest) => real.join(rest),
            Err(_) => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

/// Returns the relative path from one folder to another.
pub fn way_to(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(from, to)| from == to).count();
    let up = from.components().skip(shared).map(|_| "..");
    up.map(PathBuf::from).chain(to.components().skip(shared).map(|part| part.as_os_str().into())).collect()
}

/// Makes a private folder (0700) and its parents, each durably. Fails if it exists and is no folder, or the system
/// refuses a call.
pub fn make_folders(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    make_folders_as(disk, folder, 0o700)
}

/// Like [`make_folders`], with another mode. The umask applies.
pub fn make_folders_as(disk: &dyn Disk, folder: &Path, mode: u32) -> io::Result<()> {
    match disk.look(folder) {
        Ok(item) if item.kind == ItemKind::Folder => return Ok(()),
        Ok(_) => return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is no folder there")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        make_folders_as(disk, parent, mode)?;
    }
    match disk.make_folder(folder, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        outcome => outcome?,
    }
    parent.map_or(Ok(()), |parent| disk.sync_folder(parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    fn name_in(home: &Path) -> PathBuf {
        let folder = folder_of(&RealDisk, &home.join("share/palimp"), &home.join("project/memory"));
        folder.strip_prefix(home).expect("below the data folder").to_owned()
    }

    #[test]
    fn a_store_that_moves_with_our_data_keeps_its_journal() {
        let desk = crate::folder::new();
        let (one, other) = (desk.path().join("one"), desk.path().join("other"));
        std::fs::create_dir_all(one.join("project/memory")).expect("a store");
        let before_there_is_data = name_in(&one);
        std::fs::create_dir_all(one.join("share/palimp")).expect("a data folder");
        assert_eq!(name_in(&one), before_there_is_data);
        std::fs::rename(&one, &other).expect("moved");
        assert_eq!(name_in(&other), before_there_is_data);
    }

    #[test]
    fn two_stores_have_two_journals_and_a_link_leads_to_the_one_of_its_store() {
        let desk = crate::folder::new();
        let at = |name: &str| desk.path().join(name);
        std::fs::create_dir_all(at("a/memory")).expect("a store");
        std::fs::create_dir_all(at("b/memory")).expect("a store");
        std::os::unix::fs::symlink(at("a"), at("c")).expect("a link");
        let folder = |root: &str| folder_of(&RealDisk, &at("data"), &at(root));
        assert_ne!(folder("a/memory"), folder("b/memory"));
        assert_eq!(folder("a/memory"), folder("c/memory"));
    }
}
