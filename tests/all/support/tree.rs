//! The state of a folder tree, to prove that nothing in it was changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Every path below a folder, and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree(BTreeMap<PathBuf, Node>);

/// One path: kind and mode, last change, and a digest of the content.
///
/// The time of the last access is left out, because reading a file may change it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    mode: u32,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    content: String,
}

impl Tree {
    /// The state of `folder` and everything below it.
    pub fn of(folder: &Path) -> Tree {
        let mut nodes = BTreeMap::new();
        gather(folder, folder, &mut nodes);
        Tree(nodes)
    }

    pub fn changes_since(&self, before: &Tree) -> String {
        let mut lines = String::new();
        for (path, node) in &before.0 {
            match self.0.get(path) {
                None => lines += &format!("gone: {}\n", path.display()),
                Some(now) if now != node => {
                    lines += &format!("changed: {}\n  was {node:?}\n  is  {now:?}\n", path.display());
                }
                Some(_) => {}
            }
        }
        for path in self.0.keys().filter(|path| !before.0.contains_key(*path)) {
            lines += &format!("new: {}\n", path.display());
        }
        lines
    }
}

/// Fails with the list of differences if anything below `folder` has changed.
#[track_caller]
pub fn assert_untouched(folder: &Path, before: &Tree) {
    let changes = Tree::of(folder).changes_since(before);
    assert!(changes.is_empty(), "{} was touched:\n{changes}", folder.display());
}

fn gather(root: &Path, path: &Path, nodes: &mut BTreeMap<PathBuf, Node>) {
    let status = fs::symlink_metadata(path).unwrap();
    let content = if status.is_symlink() {
        format!("-> {}", fs::read_link(path).unwrap().display())
    } else if status.is_file() {
        fs::read(path).map_or_else(|error| error.to_string(), |bytes| digest(&bytes))
    } else {
        String::new()
    };
    let node = Node {
        mode: status.mode(),
        inode: status.ino(),
        modified: (status.mtime(), status.mtime_nsec()),
        changed: (status.ctime(), status.ctime_nsec()),
        content,
    };
    nodes.insert(path.strip_prefix(root).unwrap().to_owned(), node);
    if status.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten() {
            gather(root, &entry.unwrap().path(), nodes);
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn lasting(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for item in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = item.file_name();
        let name = name.to_string_lossy();
        match item.file_type().unwrap().is_dir() {
            true if name == ".backup" => {}
            true => files.extend(lasting(&item.path())),
            false if name.ends_with("lock") || name.ends_with(".palimp-old") => {}
            false => drop(files.insert(item.path(), std::fs::read(item.path()).unwrap())),
        }
    }
    files
}
