//! An agent that never releases the format's lock.

use std::time::Instant;

use palimp::disk::Machine;
use palimp::ops::WriteContext;
use palimp::store::commit::CommitError;
use palimp::store::lock::LockError;

use super::clock::Clock;
use super::part::until;
use super::town::{Deed, Town, planned};
use crate::support::SOON;
use crate::support::tries::is_long;

fn held(format: &'static str) {
    let town =
        Town { clock: if is_long() { Clock::real() } else { Clock::skipping() }, ..Town::new(format, 5) };
    let agent = town.part("holder", 1, 0).start();
    until("the lock to be held", || town.room.join("held").exists());
    for deed in [Deed::Text("Edited."), Deed::Tag("tag"), Deed::Delete, Deed::Bury] {
        let store = town.load();
        let context = WriteContext {
            store: &store,
            now: town.clock.now(),
            random: [1; 16],
            compressed_files: &palimp::format::writing::NO_COMPRESSED_FILES,
        };
        let entry = store.entries.last().unwrap();
        let plan = planned(&context, entry, deed).unwrap();
        let before = town.files();
        let (began, turned) = (Instant::now(), town.clock.monotonic());
        let error = town.commit(&store, &plan).unwrap_err();
        assert!(matches!(error, CommitError::Lock(LockError::Busy { .. })), "{format}: {error}");
        assert!(began.elapsed() < SOON, "{format}: {:?}", began.elapsed());
        assert!(town.clock.monotonic() - turned < SOON, "{format}");
        assert!(error.to_string().contains(&agent.child.id().to_string()), "{format}: {error}");
        assert_eq!(error.code(), "E_LOCK_TIMEOUT");
        assert_eq!(town.files(), before, "{format}: nothing was changed");
    }
}

#[test]
fn a_lock_that_is_held_for_ever_refuses_a_change_in_time_and_names_its_holder() {
    ["memory-server", "session-log"].into_iter().for_each(held);
}
