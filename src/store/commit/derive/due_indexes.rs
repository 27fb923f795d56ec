//! Rebuilds the indexes of an open store that wait since lines were added.

use std::time::Duration;

use crate::disk::host::Host;
use crate::model::Extent;
use crate::store::commit::vault::pending_notices;
use crate::store::commit::{Vault, VaultState, Writer, is_settled};
use crate::store::discovery::Place;
use crate::store::load_from;

/// Rebuilds what is due in a store, without waiting. Returns the state of our own data afterwards,
/// or `None` if others are in the way. Reads the store before it takes any lock: the part that is
/// due, or all of it if a change was interrupted.
pub fn derive_at_once(host: Host<'_>, place: &Place) -> Option<Option<VaultState>> {
    let due = Vault::open_read_only(host.disk, host.data, &place.root).derive_due_files().ok()?;
    let place = match is_settled(host.disk, host.data, &place.root) {
        true => place.with_files(&due),
        false => place.clone(),
    };
    let store = load_from(host.disk, &place, Extent::All, None, host.now);
    let writer = Writer::open_within(host, &store, Some(Duration::ZERO)).ok()?;
    let is_made = writer.derive_due();
    pending_notices::keep_notes(&writer.context);
    is_made.then(|| writer.vault_state())
}
