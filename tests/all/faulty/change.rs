//! One change of the disk: its effect now, and how much of it a power cut leaves.

use std::ffi::OsString;
use std::sync::Arc;

use super::disk::Owner;
use super::tree::{Body, Id, Node, Tree};

/// A change that was made, whether or not it is durable.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Creates an inode with its first name.
    Make { at: Name, id: Id, node: Node },
    /// Adds a name.
    Add { at: Name, id: Id },
    /// Removes a name.
    Drop { at: Name },
    /// Moves a name, perhaps over another.
    Move { from: Name, to: Name, id: Id },
    /// Exchanges the files of two names.
    Swap { one: Name, other: Name, one_id: Id, other_id: Id },
    /// Writes bytes over and after the old ones.
    Write { id: Id, from: u64, bytes: Arc<Vec<u8>> },
    /// Cuts a file, or extends it with zeros.
    Length { id: Id, len: u64 },
    /// Changes permission bits.
    Mode { id: Id, mode: u32 },
    /// Changes the owner.
    Owner { id: Id, owner: Owner },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub folder: Id,
    pub name: OsString,
}

/// The fate of a change in a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Lost,
    /// Only this many bytes of a write are there.
    Torn(usize),
    /// The space for a write is there, its bytes are not.
    Zeros,
    /// A move between folders is there in one folder only, so both names exist.
    BothNames,
}

impl Change {
    /// Returns the inode whose content, mode or owner it changes.
    pub(super) fn data_of(&self) -> Option<Id> {
        match self {
            Self::Write { id, .. }
            | Self::Length { id, .. }
            | Self::Mode { id, .. }
            | Self::Owner { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// Returns the folders whose names it changes, first the one with the new name.
    pub(super) fn folders(&self) -> [Option<Id>; 2] {
        match self {
            Self::Make { at, .. } | Self::Add { at, .. } | Self::Drop { at } => [Some(at.folder), None],
            Self::Move { from, to, .. } => [Some(to.folder), Some(from.folder)],
            Self::Swap { one, .. } => [Some(one.folder), None],
            _ => [None, None],
        }
    }

    /// True for a move that needs a sync of two folders.
    pub(super) fn spans_folders(&self) -> bool {
        matches!(self, Self::Move { from, to, .. } if from.folder != to.folder)
    }
}

impl Tree {
    /// Makes a change as far as `fate` says. Skips what is impossible because an earlier change was lost.
    pub(super) fn apply(&mut self, change: &Change, stamp: i128, fate: Fate) {
        if let Change::Make { id, node, .. } = change {
            self.insert(*id, node);
        }
        if fate == Fate::Lost {
            return;
        }
        match change {
            Change::Make { at, id, .. } | Change::Add { at, id } => self.enter(at, *id, stamp),
            Change::Drop { at } => self.leave(at, stamp),
            Change::Move { from, to, id } => {
                if self.is_within(to.folder, *id) || self.holds_something(to) {
                    return;
                }
                self.enter(to, *id, stamp);
                if fate != Fate::BothNames {
                    self.forget(from, stamp);
                }
            }
            Change::Swap { one, other, one_id, other_id } => {
                self.enter(one, *other_id, stamp);
                self.enter(other, *one_id, stamp);
            }
            Change::Write { id, from, bytes } => match fate {
                Fate::Torn(cut) => self.write(*id, *from, bytes.get(..cut).unwrap_or(bytes), stamp),
                Fate::Zeros => self.write(*id, *from, &vec![0; bytes.len()], stamp),
                _ => self.write(*id, *from, bytes, stamp),
            },
            Change::Length { id, len } => self.content(*id, stamp, |content| content.resize(size(*len), 0)),
            Change::Mode { id, mode } => self.about(*id, |node| node.mode = *mode),
            Change::Owner { id, owner } => self.about(*id, |node| node.owner = *owner),
        }
    }

    fn about(&mut self, id: Id, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.node_mut(id) {
            change(node);
        }
    }

    fn enter(&mut self, at: &Name, id: Id, stamp: i128) {
        if let Some(entries) = self.entries_mut(at.folder) {
            entries.insert(at.name.clone(), id);
        }
        self.stamp(at.folder, stamp);
    }

    /// A folder that is not empty because removals were lost stays: journaling file systems keep that order.
    fn leave(&mut self, at: &Name, stamp: i128) {
        if !self.holds_something(at) {
            self.forget(at, stamp);
        }
    }

    fn forget(&mut self, at: &Name, stamp: i128) {
        if let Some(entries) = self.entries_mut(at.folder) {
            entries.remove(&at.name);
        }
        self.stamp(at.folder, stamp);
    }

    fn holds_something(&self, at: &Name) -> bool {
        let there = self.entries(at.folder).ok().and_then(|entries| entries.get(&at.name));
        there.and_then(|id| self.entries(*id).ok()).is_some_and(|entries| !entries.is_empty())
    }

    fn write(&mut self, id: Id, from: u64, bytes: &[u8], stamp: i128) {
        let from = size(from);
        self.content(id, stamp, |content| {
            let end = from + bytes.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            if let Some(over) = content.get_mut(from..end) {
                over.copy_from_slice(bytes);
            }
        });
    }

    fn content(&mut self, id: Id, stamp: i128, act: impl FnOnce(&mut Vec<u8>)) {
        if let Some(Node { body: Body::File(content), .. }) = self.node_mut(id) {
            act(Arc::make_mut(content));
        }
        self.stamp(id, stamp);
    }

    fn stamp(&mut self, id: Id, stamp: i128) {
        if let Some(node) = self.node_mut(id) {
            node.modified = node.modified.max(stamp);
        }
    }
}

fn size(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
