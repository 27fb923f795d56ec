//! The search of every byte: whatever is below a folder, ours or not, read or not.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::disk::{Disk, ItemKind};
use crate::model::Tell;
use crate::store::commit::is_ours;
use crate::store::erase::LARGEST;
use crate::text::needle::Needles;
use crate::text::unpack::{gunzip, untar};

/// Folders nested deeper are reported as not searched.
const DEPTH: usize = 64;
/// So often what is packed may be packed again.
pub(super) const PACKED: usize = 3;

/// What a search of one place came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// The folder.
    pub place: String,
    /// How many files were searched.
    pub files: u64,
    /// How many of them hold what was to be erased, or could not be searched.
    pub left: u64,
    /// Which, and why.
    #[serde(skip)]
    pub found: Vec<String>,
    /// Whether any of them is a file of our own beside the store's, which is ours to remove.
    #[serde(skip)]
    pub has_ours: bool,
}

/// Searches every file below a folder.
pub fn search(disk: &dyn Disk, folder: &Path, needles: &Needles) -> Searched {
    let mut searched = Searched::of(folder.told().into_owned());
    each_file(disk, folder, 0, &mut |path, outcome| searched.add(disk, path, outcome, needles));
    searched
}

/// Searches those files of the folder around a store that say what the store says.
pub fn search_beside(
    disk: &dyn Disk,
    folder: &Path,
    files: impl Iterator<Item = PathBuf>,
    needles: &Needles,
) -> Option<Searched> {
    let mut searched = Searched::of(folder.told().into_owned());
    files.for_each(|file| searched.add(disk, &file, Ok(()), needles));
    Some(searched).filter(|own| own.files > 0)
}

impl Searched {
    fn of(place: String) -> Searched {
        Searched { place, files: 0, left: 0, found: Vec::new(), has_ours: false }
    }

    fn add(&mut self, disk: &dyn Disk, path: &Path, outcome: std::io::Result<()>, needles: &Needles) {
        self.files += 1;
        let why = match outcome.and_then(|()| disk.read(path, 0, None)) {
            Ok((bytes, _)) => says(&bytes, needles, PACKED),
            Err(error) => Some(format!("it can't be searched: {error}")),
        };
        if let Some(why) = why {
            self.left += 1;
            self.has_ours |= path.file_name().is_some_and(is_ours);
            self.found.push(format!("{}: {why}", path.told()));
        }
    }
}

/// Every regular file below a folder; links are not followed, for what they lead to is
/// elsewhere.
pub fn each_file(
    disk: &dyn Disk,
    folder: &Path,
    depth: usize,
    see: &mut dyn FnMut(&Path, std::io::Result<()>),
) {
    let items = match disk.list(folder) {
        Ok(items) if depth < DEPTH => items,
        Ok(_) => return see(folder, Err(std::io::Error::other("its folders are nested too deep"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => return see(folder, Err(error)),
    };
    for item in items.iter().filter(|item| item.link.is_none()) {
        let path = folder.join(&item.name);
        match item.kind {
            ItemKind::File => see(&path, Ok(())),
            ItemKind::Folder => each_file(disk, &path, depth + 1, see),
            ItemKind::Special => {}
        }
    }
}

pub(super) const HELD: &str = "it holds what was to be erased";

/// Why the bytes are not clean, if they are not.
pub(super) fn says(bytes: &[u8], needles: &Needles, depth: usize) -> Option<String> {
    if needles.any(bytes) {
        return Some(HELD.into());
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return None;
    }
    let unpacked = gunzip(bytes, LARGEST);
    if unpacked.content.len() as u64 >= LARGEST {
        return Some(format!("it unpacks to {LARGEST} bytes and more, and was not searched to its end"));
    }
    if needles.any(&unpacked.content) {
        return Some("it holds what was to be erased, compressed".into());
    }
    if unpacked.content.starts_with(&[0x1f, 0x8b]) {
        return match depth {
            0 => Some("it is packed too often to be searched".into()),
            _ => says(&unpacked.content, needles, depth - 1),
        };
    }
    let members = untar(bytes, LARGEST).content;
    let packed = members.iter().filter(|own| own.bytes.starts_with(&[0x1f, 0x8b]));
    packed.filter_map(|own| if depth == 0 { None } else { says(&own.bytes, needles, depth - 1) }).next()
}
