//! Which folder of our own data belongs to a store, and how private folders are made.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, ItemKind};
use crate::model::short_digest;

/// A store is known by the way that leads to it from our data: both can be moved together, as
/// with a home that gets another name, or be brought back elsewhere.
pub(super) fn folder_of(disk: &dyn Disk, data: &Path, root: &Path) -> PathBuf {
    let way = way_to(&real_of(disk, data), &real_of(disk, root));
    let hash = short_digest(way.as_os_str().as_encoded_bytes());
    data.join("stores").join(format!("{hash:016x}"))
}

/// The path without links, also where its last folders are not there yet.
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

/// The relative path from a folder to another.
pub fn way_to(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(from, to)| from == to).count();
    let up = from.components().skip(shared).map(|_| "..");
    up.map(PathBuf::from).chain(to.components().skip(shared).map(|part| part.as_os_str().into())).collect()
}

/// Makes a private folder and those that lead to it, each durably.
///
/// # Errors
///
/// If something else has its name, or the system refuses a call.
pub fn make_folders(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    make_folders_as(disk, folder, 0o700)
}

/// The same with another mode, of which the umask takes away.
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
