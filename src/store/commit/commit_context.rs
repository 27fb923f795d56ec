//! The data that all parts of a change share: the store, its format, our own data.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use super::Vault;
use super::handover::second_name::ReplacedFile;
use crate::disk::host::Host;
use crate::format::Format;
use crate::format::tuning::StoreTuning;
use crate::model::{Extent, Plan, Store};
use crate::store::discovery::Place;
use crate::store::freshness::is_as_read;
use crate::store::load::load_from;

/// A store that this process changes while no other palimp does.
pub struct CommitContext<'a> {
    pub(super) host: Host<'a>,
    pub(super) place: Place,
    pub(super) store: &'a Store,
    pub(super) format: &'static dyn Format,
    pub(super) vault: Vault<'a>,
    /// True if other programs write to the store during this change.
    pub(super) is_busy: Cell<bool>,
    /// How long to wait for locks, and what is written later.
    pub(super) tuning: StoreTuning,
    /// Second names of replaced files that may still get late lines.
    pub(super) replaced: RefCell<Vec<ReplacedFile>>,
    /// Notes for the user, until a receipt takes them.
    pub(super) notes: RefCell<Vec<String>>,
}

impl<'a> CommitContext<'a> {
    /// Returns an empty plan of palimp's own, which no user sees.
    pub fn unseen(&self, verb: &'static str) -> Plan {
        Plan::of_unread_store(verb, &self.place.root, self.place.format)
    }

    pub fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    pub fn own_process(&self) -> Option<i32> {
        i32::try_from(self.host.machine.own_process()).ok()
    }

    /// Returns the store as it is on disk. Reads it again only if it changed.
    pub fn load(&self) -> Cow<'a, Store> {
        match is_as_read(self.host.disk, self.store) {
            true => Cow::Borrowed(self.store),
            false => {
                let Host { disk, now, .. } = self.host;
                Cow::Owned(load_from(disk, &self.place, Extent::All, Some(self.store), now))
            }
        }
    }
}
