//! Open files, and the holders of their locks.

use super::super::op::Lie;
use super::super::tree::Id;
use super::World;

#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    /// The opening of the file: only its own end releases the lock.
    token: u64,
    outside: bool,
}

impl World {
    pub(in super::super::super) fn open(&mut self, id: Id) {
        *self.open.entry(id).or_default() += 1;
    }

    pub(in super::super::super) fn close(&mut self, id: Id, token: Option<u64>) {
        if let Some(count) = self.open.get_mut(&id) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&id);
            }
        }
        if self.locks.get(&id).is_some_and(|holder| Some(holder.token) == token) {
            self.locks.remove(&id);
        }
    }

    pub(in super::super::super) fn lock(&mut self, id: Id, outside: bool) -> Option<u64> {
        if self.locks.contains_key(&id) && !self.lies.contains(&Lie::FlockExcludesNobody) {
            return None;
        }
        let token = self.next;
        self.next += 1;
        self.locks.insert(id, Holder { token, outside });
        Some(token)
    }

    /// Releases the locks of the killed process.
    pub(in super::super::super) fn unlock_inside(&mut self) {
        self.locks.retain(|_, holder| holder.outside);
    }
}
