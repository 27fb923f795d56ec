//! The copies of memories beside them: backups, temporary files, and what editors and people leave.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, ItemKind, optional};
use crate::format::{Format, Placement, by_name};
use crate::model::{PathText, Role, Store, container, path_from_text};
use crate::store::compressed_files::contents;
use crate::store::hidden_names::is_ours;

/// Only the start of a larger copy is searched, and this is reported.
const LARGEST: u64 = 64 << 20;
/// The most bytes of a store's copies that are searched.
const MOST: u64 = 512 << 20;
/// What marks a copy that does not keep the ending of its file: `MEMORY.old` of `MEMORY.md`.
const MARKS: [&str; 9] = ["bak", "backup", "copy", "old", "orig", "prev", "save", "swp", "tmp"];
/// A name of more parts is not examined to its end.
const PARTS: usize = 12;

/// Passes the copies of a store's memories to `see`: the path in the store, and the bytes, unpacked. Returns which were
/// not searched to their end. Untrusted text.
pub fn each_copy(disk: &dyn Disk, store: &Store, see: &mut dyn FnMut(&Path, &[u8])) -> Vec<String> {
    let (mut left, mut unread) = (MOST, Vec::new());
    for path in paths(disk, store) {
        let file = store.root.join(&path);
        match optional(disk.read(&file, 0, Some(left.min(LARGEST)))) {
            Ok(Some((bytes, generation))) => {
                if generation.len > bytes.len() as u64 {
                    let len = bytes.len();
                    unread.push(format!("{}: only {len} bytes of this copy were searched", file.to_text()));
                }
                for (path, bytes) in contents(&path, &bytes) {
                    left = left.saturating_sub(bytes.len() as u64);
                    see(&path, &bytes);
                }
            }
            Ok(None) => {}
            Err(error) => {
                unread.push(format!("{}: a copy of memories was not searched: {error}", file.to_text()));
            }
        }
    }
    unread
}

fn paths(disk: &dyn Disk, store: &Store) -> BTreeSet<PathBuf> {
    let Some(format) = by_name(store.format) else { return BTreeSet::new() };
    let files = || store.documents.iter().filter(|file| container(&file.path).is_none());
    let with = |is_it: fn(Role) -> bool| files().filter(move |file| is_it(file.role)).map(|file| &*file.path);
    let mut found: BTreeSet<PathBuf> =
        with(|role| matches!(role, Role::Backup | Role::Temp)).map(Path::to_owned).collect();
    let read: HashSet<&Path> = with(Role::is_content).collect();
    let memories: Vec<&Path> = with(is_of_memories).collect();
    let stems: HashSet<PathBuf> = memories.iter().map(|path| path.with_extension("")).collect();
    let folders: BTreeSet<&Path> = memories.iter().filter_map(|path| path.parent()).collect();
    for folder in folders {
        for item in disk.names(&store.root.join(folder), usize::MAX).unwrap_or_default() {
            let path = folder.join(&item.name);
            let is_other = item.kind == ItemKind::File && !item.is_link && !is_ours(&item.name);
            if is_other && !read.contains(&*path) && is_copy(format, folder, &item.name, &stems) {
                found.insert(path);
            }
        }
    }
    found
}

fn is_of_memories(role: Role) -> bool {
    matches!(role, Role::Records | Role::Archive)
}

/// True if a part of a name is the name of a file with memories, also of one that is gone: `.a.md.swp`, `a.md~`,
/// `a.md.orig`.
fn is_copy(format: &dyn Format, folder: &Path, name: &OsStr, stems: &HashSet<PathBuf>) -> bool {
    let name = name.to_text();
    let is_sign = |c: char| !c.is_alphanumeric();
    let is_marked = name.split(is_sign).any(|part| MARKS.iter().any(|mark| part.eq_ignore_ascii_case(mark)));
    let is_file = |part: &str| {
        let path = folder.join(path_from_text(part));
        matches!(format.place(&path, false), Placement::File(role) if is_of_memories(role))
            || is_marked && stems.contains(&path)
    };
    let signs = || name.match_indices(is_sign).take(PARTS);
    let starts = || std::iter::once(0).chain(signs().map(|(at, sign)| at + sign.len()));
    let mut ends = signs().map(|(at, _)| at).chain([name.len()]);
    ends.any(|end| {
        starts().any(|start| start < end && end - start < name.len() && is_file(&name[start..end]))
    })
}
