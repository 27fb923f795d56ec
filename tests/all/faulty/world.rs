//! The file system itself: what is visible, what is durable, and the changes in between.

mod handles;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use handles::Holder;

use super::change::{Change, Fate, Name};
use super::disk::Owner;
use super::op::Lie;
use super::tree::{Body, Id, Node, READ, ROOT, Tree, WRITE};

/// Longer files would only use up the memory of a test.
const LONGEST_FILE: u64 = 1 << 30;

/// A change at or after the first one that is not durable.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub change: Change,
    pub stamp: i128,
    pub label: String,
    pub durable: bool,
    /// True for a move whose old name may come back, because the old folder was not synced.
    pub tail: bool,
    /// A sync after it failed: the system has dropped it, and no later sync writes it.
    spoiled: bool,
}

impl Pending {
    fn is_settled(&self) -> bool {
        self.durable && !self.tail
    }
}

#[derive(Clone, Debug)]
pub(super) struct World {
    pub now: Tree,
    pub base: Tree,
    pub pending: VecDeque<Pending>,
    pub lies: BTreeSet<Lie>,
    /// The step of the next changes, for messages.
    pub label: String,
    next: u64,
    stamp: i128,
    locks: BTreeMap<Id, Holder>,
    /// How often each inode is open. An open inode without a name stays.
    open: BTreeMap<Id, usize>,
}

impl World {
    pub(super) fn new(tree: Tree, stamp: i128, next: u64) -> Self {
        Self {
            base: tree.clone(),
            now: tree,
            pending: VecDeque::new(),
            lies: BTreeSet::new(),
            label: String::new(),
            next,
            stamp,
            locks: BTreeMap::new(),
            open: BTreeMap::new(),
        }
    }

    pub(super) fn empty() -> Self {
        Self::new(Tree::new(), 0, ROOT + 1)
    }

    /// The same disk after a power cut, with what is left of it.
    pub(super) fn with_only(&self, mut tree: Tree) -> Self {
        tree.tidy();
        let highest = tree.reachable().iter().map(|(_, _, node)| node.number).max();
        let next = self.next.max(highest.unwrap_or(ROOT) + 1);
        Self { lies: self.lies.clone(), ..Self::new(tree, self.stamp, next) }
    }

    /// The same disk after the end of every process.
    pub(super) fn without_processes(&self) -> Self {
        Self { locks: BTreeMap::new(), open: BTreeMap::new(), ..self.clone() }
    }

    fn change(&mut self, change: Change) {
        self.stamp = self.next_stamp();
        self.now.apply(&change, self.stamp, Fate::Kept);
        self.pending.push_back(Pending {
            tail: change.spans_folders(),
            change,
            stamp: self.stamp,
            label: self.label.clone(),
            durable: false,
            spoiled: false,
        });
    }

    fn next_stamp(&self) -> i128 {
        if self.lies.contains(&Lie::ClockStops) { self.stamp } else { self.stamp + 1 }
    }

    fn durable_change(&mut self, change: Change) {
        self.change(change);
        if let Some(last) = self.pending.back_mut() {
            last.durable = true;
            last.tail = false;
        }
        self.settle();
    }

    /// Moves changes that no power cut can undo to the base, as far as they are in order.
    fn settle(&mut self) {
        while self.pending.front().is_some_and(Pending::is_settled) {
            if let Some(first) = self.pending.pop_front() {
                self.base.apply(&first.change, first.stamp, Fate::Kept);
            }
        }
    }

    fn new_node(&mut self, body: Body, mode: u32) -> (Id, Node) {
        let id = self.next;
        self.next += 1;
        let number = if self.lies.contains(&Lie::InodeNumbersReused) { self.free_number() } else { id };
        (id, Node::new(body, mode & 0o7777, self.next_stamp(), number))
    }

    fn free_number(&self) -> u64 {
        let open = self.open.keys().filter_map(|id| self.now.node(*id).ok());
        let taken: BTreeSet<u64> = self
            .now
            .reachable()
            .into_iter()
            .map(|(_, _, node)| node)
            .chain(open)
            .map(|node| node.number)
            .collect();
        (ROOT + 1..).find(|number| !taken.contains(number)).unwrap_or(self.next)
    }

    fn make(&mut self, (folder, name): (Id, OsString), body: Body, mode: u32) -> Id {
        let (id, node) = self.new_node(body, mode);
        self.change(Change::Make { at: Name { folder, name }, id, node });
        id
    }

    /// Puts something on the disk durably, with the folders of its path.
    pub(super) fn put(&mut self, path: &Path, body: Body, mode: u32) {
        let mut folder = ROOT;
        for name in path.parent().into_iter().flat_map(Path::components) {
            let std::path::Component::Normal(name) = name else { continue };
            folder = match self.now.entries(folder).ok().and_then(|entries| entries.get(name)).copied() {
                Some(id) if self.now.entries(id).is_ok() => id,
                _ => self.put_one(folder, name.to_owned(), Body::Folder(BTreeMap::new()), 0o700),
            };
        }
        let Some(name) = path.file_name() else { return };
        let there = self.now.entries(folder).ok().and_then(|entries| entries.get(name)).copied();
        let is_folder = there.is_some_and(|id| self.now.entries(id).is_ok());
        if !(is_folder && matches!(body, Body::Folder(_))) {
            self.put_one(folder, name.to_owned(), body, mode);
        }
    }

    fn put_one(&mut self, folder: Id, name: OsString, body: Body, mode: u32) -> Id {
        let (id, node) = self.new_node(body, mode);
        self.durable_change(Change::Make { at: Name { folder, name }, id, node });
        id
    }

    pub(super) fn create(&mut self, file: &Path, mode: u32) -> io::Result<Id> {
        let place = self.now.vacant(file)?;
        Ok(self.make(place, Body::File(Arc::default()), mode))
    }

    pub(super) fn make_folder(&mut self, folder: &Path, mode: u32) -> io::Result<()> {
        let place = self.now.vacant(folder)?;
        self.make(place, Body::Folder(BTreeMap::new()), mode);
        Ok(())
    }

    pub(super) fn link(&mut self, file: &Path, name: &Path) -> io::Result<()> {
        if self.lies.contains(&Lie::NoLinks) {
            return Err(Errno::PERM.into());
        }
        let id = self.now.find(file)?;
        let (folder, name) = self.now.vacant(name)?;
        if self.now.node(id)?.is_folder() {
            return Err(Errno::PERM.into());
        }
        self.change(Change::Add { at: Name { folder, name }, id });
        Ok(())
    }

    /// The order of the checks is Linux's, so that the same error comes first.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let (from_folder, from_name) = self.now.place(from)?;
        let (to_folder, to_name) = self.now.place(to)?;
        let id = self.now.child(from_folder, &from_name)?;
        let is_folder = self.now.node(id)?.is_folder();
        if is_folder && from_folder != to_folder && self.now.is_within(to_folder, id) {
            return Err(Errno::INVAL.into());
        }
        if let Some(target) = self.now.entries(to_folder)?.get(&to_name).copied() {
            if from_folder != to_folder && self.now.is_within(from_folder, target) {
                return Err(Errno::NOTEMPTY.into());
            }
            if target == id {
                return Ok(());
            }
            match (is_folder, self.now.entries(target)) {
                (true, Err(_)) => return Err(Errno::NOTDIR.into()),
                (false, Ok(_)) => return Err(Errno::ISDIR.into()),
                (true, Ok(entries)) if !entries.is_empty() => return Err(Errno::NOTEMPTY.into()),
                _ => {}
            }
        }
        self.now.allow(from_folder, WRITE)?;
        self.now.allow(to_folder, WRITE)?;
        let from = Name { folder: from_folder, name: from_name };
        let to = Name { folder: to_folder, name: to_name };
        self.change(Change::Move { from, to, id });
        Ok(())
    }

    pub(super) fn rename_new(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        if self.lies.contains(&Lie::NoExchange) {
            return Err(Errno::INVAL.into());
        }
        self.now.find(from)?;
        self.now.vacant(to)?;
        self.rename(from, to)
    }

    /// Only within a folder: palimp exchanges nothing across folders.
    pub(super) fn exchange(&mut self, one: &Path, other: &Path) -> io::Result<()> {
        let (folder, one) = self.now.place(one)?;
        let (beside, other) = self.now.place(other)?;
        let (one_id, other_id) = (self.now.child(folder, &one)?, self.now.child(beside, &other)?);
        if self.lies.contains(&Lie::NoExchange) || folder != beside {
            return Err(Errno::INVAL.into());
        }
        self.now.allow(folder, WRITE)?;
        let (one, other) = (Name { folder, name: one }, Name { folder, name: other });
        match self.lies.contains(&Lie::ExchangeDropsOld) {
            true => self.change(Change::Move { from: one, to: other, id: one_id }),
            false => self.change(Change::Swap { one, other, one_id, other_id }),
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, file: &Path) -> io::Result<()> {
        if file.file_name().is_none() {
            return Err(Errno::ISDIR.into());
        }
        let (folder, name) = self.now.place(file)?;
        let id = self.now.child(folder, &name)?;
        self.now.allow(folder, WRITE)?;
        if self.now.node(id)?.is_folder() {
            return Err(Errno::ISDIR.into());
        }
        self.change(Change::Drop { at: Name { folder, name } });
        Ok(())
    }

    pub(super) fn remove_folder(&mut self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.now.place(path)?;
        let id = self.now.child(folder, &name)?;
        self.now.allow(folder, WRITE)?;
        if !self.now.entries(id)?.is_empty() {
            return Err(Errno::NOTEMPTY.into());
        }
        self.change(Change::Drop { at: Name { folder, name } });
        Ok(())
    }

    pub(super) fn write(&mut self, id: Id, from: u64, bytes: &[u8]) -> io::Result<()> {
        if from.saturating_add(bytes.len() as u64) > LONGEST_FILE {
            return Err(Errno::FBIG.into());
        }
        if !bytes.is_empty() {
            self.change(Change::Write { id, from, bytes: Arc::new(bytes.to_vec()) });
        }
        Ok(())
    }

    pub(super) fn set_len(&mut self, id: Id, len: u64) -> io::Result<()> {
        if len > LONGEST_FILE {
            return Err(Errno::FBIG.into());
        }
        self.change(Change::Length { id, len });
        Ok(())
    }

    pub(super) fn set_mode(&mut self, id: Id, mode: u32) {
        self.change(Change::Mode { id, mode: mode & 0o7777 });
    }

    pub(super) fn set_owner(&mut self, id: Id, owner: Owner) {
        self.change(Change::Owner { id, owner });
    }

    pub(super) fn sync(&mut self, id: Id) {
        for pending in self.pending.iter_mut().filter(|pending| pending.change.data_of() == Some(id)) {
            pending.durable |= !pending.spoiled;
        }
        self.settle();
    }

    pub(super) fn spoil(&mut self, id: Id) {
        for pending in self.pending.iter_mut().filter(|pending| pending.change.data_of() == Some(id)) {
            pending.spoiled |= !pending.durable;
        }
    }

    /// Also syncs a file, which can be opened like a folder.
    pub(super) fn sync_folder(&mut self, folder: &Path) -> io::Result<()> {
        let id = self.now.find(folder)?;
        self.now.allow(id, READ)?;
        match self.now.node(id)?.body {
            Body::Special => return Err(Errno::INVAL.into()),
            Body::File(_) if !self.lies.contains(&Lie::SyncDoesNothing) => self.sync(id),
            Body::Folder(_) if !self.lies.contains(&Lie::FolderSyncDoesNothing) => self.sync_names(id),
            Body::File(_) | Body::Folder(_) => {}
        }
        Ok(())
    }

    fn sync_names(&mut self, folder: Id) {
        for pending in &mut self.pending {
            let folders = pending.change.folders();
            if folders.contains(&Some(folder)) {
                pending.durable = true;
            }
            // A move is one transaction: if the removal of the old name is durable, the new name is there.
            if folders.last() == Some(&Some(folder)) {
                pending.tail = false;
            }
        }
        self.settle();
    }

    pub(super) fn regular(&self, file: &Path, bits: u32) -> io::Result<Id> {
        let id = self.now.find(file)?;
        match self.now.node(id)?.body {
            Body::Folder(_) => return Err(Errno::ISDIR.into()),
            // The error of opening a FIFO for a write without a reader.
            Body::Special if bits & READ == 0 => return Err(Errno::NXIO.into()),
            Body::Special => return Err(not_regular()),
            Body::File(_) => {}
        }
        self.now.allow(id, bits)?;
        Ok(id)
    }
}

pub(super) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
