//! Inodes and the names that lead to them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::disk::{Item, ItemKind, Owner};
use super::model::Generation;

/// Identifies an inode as long as the disk exists. Never reused, unlike [`Node::number`].
pub(super) type Id = u64;

pub(super) const ROOT: Id = 1;
pub(super) const READ: u32 = 0o400;
pub(super) const WRITE: u32 = 0o200;
const ENTER: u32 = 0o100;

const LONGEST_NAME: usize = 255;

#[derive(Clone, Debug)]
pub(super) enum Body {
    File(Arc<Vec<u8>>),
    Folder(BTreeMap<OsString, Id>),
    Special,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub body: Body,
    pub mode: u32,
    pub modified: i128,
    /// The inode number that programs see.
    pub number: u64,
    pub owner: Owner,
    /// The number of zeros after the file's bytes, which would not fit in memory.
    pub hollow: u64,
}

impl Node {
    /// With user and group 0.
    pub(super) fn new(body: Body, mode: u32, modified: i128, number: u64) -> Self {
        Node { body, mode, modified, number, owner: Owner::default(), hollow: 0 }
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.body, Body::Folder(_))
    }

    pub(super) fn generation(&self) -> Generation {
        let len = match &self.body {
            Body::File(bytes) => bytes.len() as u64 + self.hollow,
            Body::Folder(_) | Body::Special => 0,
        };
        Generation { device: 1, inode: self.number, len, modified: self.modified, is_settled: false }
    }

    pub(super) fn item(&self, name: &OsStr, links: u64) -> Item {
        let kind = match self.body {
            Body::File(_) => ItemKind::File,
            Body::Folder(_) => ItemKind::Folder,
            Body::Special => ItemKind::Special,
        };
        Item {
            name: name.to_owned(),
            kind,
            link: None,
            links,
            mode: self.mode,
            bits_without_list: None,
            owner: self.owner,
            generation: self.generation(),
        }
    }
}

/// A file system at one moment. Inodes without a name stay: they may be open.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: BTreeMap<Id, Node>,
}

impl Tree {
    pub(super) fn new() -> Self {
        let root = Node::new(Body::Folder(BTreeMap::new()), 0o755, 0, ROOT);
        Self { nodes: BTreeMap::from([(ROOT, root)]) }
    }

    pub(super) fn node(&self, id: Id) -> io::Result<&Node> {
        self.nodes.get(&id).ok_or_else(|| Errno::STALE.into())
    }

    /// The number of names of each inode.
    pub(super) fn links(&self) -> BTreeMap<Id, u64> {
        let mut links = BTreeMap::new();
        for node in self.nodes.values() {
            let Body::Folder(entries) = &node.body else { continue };
            entries.values().for_each(|id| *links.entry(*id).or_insert(0) += 1);
        }
        links
    }

    pub(super) fn node_mut(&mut self, id: Id) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    /// Keeps an existing inode: data may reach it before its name.
    pub(super) fn insert(&mut self, id: Id, node: &Node) {
        self.nodes.entry(id).or_insert_with(|| node.clone());
    }

    pub(super) fn entries(&self, id: Id) -> io::Result<&BTreeMap<OsString, Id>> {
        match &self.node(id)?.body {
            Body::Folder(entries) => Ok(entries),
            Body::File(_) | Body::Special => Err(Errno::NOTDIR.into()),
        }
    }

    pub(super) fn entries_mut(&mut self, id: Id) -> Option<&mut BTreeMap<OsString, Id>> {
        match &mut self.nodes.get_mut(&id)?.body {
            Body::Folder(entries) => Some(entries),
            Body::File(_) | Body::Special => None,
        }
    }

    pub(super) fn allow(&self, id: Id, bits: u32) -> io::Result<()> {
        if self.node(id)?.mode & bits == bits { Ok(()) } else { Err(Errno::ACCESS.into()) }
    }

    pub(super) fn child(&self, folder: Id, name: &OsStr) -> io::Result<Id> {
        let entries = self.entries(folder)?;
        self.allow(folder, ENTER)?;
        if name.len() > LONGEST_NAME {
            return Err(Errno::NAMETOOLONG.into());
        }
        entries.get(name).copied().ok_or_else(|| Errno::NOENT.into())
    }

    /// Returns the target of a path, and the path without `.` and `..`.
    pub(super) fn walk(&self, path: &Path) -> io::Result<(Id, PathBuf)> {
        let mut real = PathBuf::from("/");
        let mut ids = vec![ROOT];
        for part in path.components() {
            let at = ids.last().copied().unwrap_or(ROOT);
            match part {
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
                Component::ParentDir => {
                    self.entries(at)?;
                    real.pop();
                    if ids.len() > 1 {
                        ids.pop();
                    }
                }
                Component::Normal(name) => {
                    ids.push(self.child(at, name)?);
                    real.push(name);
                }
            }
        }
        Ok((ids.last().copied().unwrap_or(ROOT), real))
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<Id> {
        self.walk(path).map(|(id, _)| id)
    }

    pub(super) fn place(&self, path: &Path) -> io::Result<(Id, OsString)> {
        let Some(name) = path.file_name() else { return Err(Errno::BUSY.into()) };
        let folder = self.find(path.parent().unwrap_or(Path::new("/")))?;
        match self.child(folder, name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok((folder, name.to_owned())),
        }
    }

    /// Like `place`, for a name that must be free and a folder that must be writable.
    pub(super) fn vacant(&self, path: &Path) -> io::Result<(Id, OsString)> {
        if path.file_name().is_none() {
            return Err(Errno::EXIST.into());
        }
        let (folder, name) = self.place(path)?;
        if self.entries(folder)?.contains_key(&name) {
            return Err(Errno::EXIST.into());
        }
        self.allow(folder, WRITE)?;
        Ok((folder, name))
    }

    /// True if `folder` is `id` or below it.
    pub(super) fn is_within(&self, folder: Id, id: Id) -> bool {
        let mut found = false;
        self.visit(id, Path::new(""), &mut BTreeSet::new(), &mut |_, at, _| found |= at == folder);
        found || folder == id
    }

    /// Everything that names lead to, except the root; folders before their content.
    pub(super) fn reachable(&self) -> Vec<(PathBuf, Id, &Node)> {
        let mut found = Vec::new();
        self.visit(ROOT, Path::new("/"), &mut BTreeSet::new(), &mut |path, id, node| {
            found.push((path, id, node));
        });
        found
    }

    /// `seen` stops it if lost moves have led a folder into itself.
    fn visit<'a>(
        &'a self,
        folder: Id,
        path: &Path,
        seen: &mut BTreeSet<Id>,
        found: &mut dyn FnMut(PathBuf, Id, &'a Node),
    ) {
        let Ok(entries) = self.entries(folder) else { return };
        if !seen.insert(folder) {
            return;
        }
        for (name, id) in entries {
            let Some(node) = self.nodes.get(id) else { continue };
            let path = path.join(name);
            found(path.clone(), *id, node);
            self.visit(*id, &path, seen, found);
        }
    }

    /// Removes inodes without a name. If several of the others share a number, gives them new
    /// numbers: a reused number may come back with an old name.
    pub(super) fn tidy(&mut self) {
        let kept: BTreeSet<Id> = self.reachable().iter().map(|(_, id, _)| *id).chain([ROOT]).collect();
        self.nodes.retain(|id, _| kept.contains(id));
        let mut numbers = BTreeSet::new();
        let mut free = self.nodes.values().map(|node| node.number).max().unwrap_or(ROOT) + 1;
        for node in self.nodes.values_mut() {
            if !numbers.insert(node.number) {
                node.number = free;
                free += 1;
            }
        }
    }
}
