//! A store whose root is a symbolic link.

use std::os::unix::fs::symlink;

use palimp::disk::{Disk, Machine, RealDisk};
use palimp::ops::WriteContext;
use palimp::store::CommitError;
use palimp::store::write::Writer;

use super::town::{Deed, Town, commit_on, host, load_at, planned, text_of};

#[test]
fn a_store_whose_root_is_a_link_is_changed_where_the_link_leads_and_locked_there() {
    let town = Town::new("session-log", 3);
    let link = town.store.around().join("linked");
    symlink(&town.store.path, &link).unwrap();
    let (store, data) = (load_at(town.format, &link, town.clock.now()), town.data());
    let context = WriteContext::of(&store, town.clock.now(), [1; 16]);
    let plan = planned(&context, &store.entries[0], Deed::Text("By the link.")).unwrap();
    commit_on(&town.clock, &data, &store, &plan).unwrap();
    assert!(town.records().values().any(|own| text_of(&own[0]) == "By the link."));
    let other = RealDisk.flock(&town.store.path, None).unwrap();
    assert!(other.is_some());
    let skipping = super::clock::Clock::skipping();
    let outcome = Writer::open(host(&skipping, &data), &store).map(drop);
    assert!(matches!(outcome, Err(CommitError::Busy { .. })), "{outcome:?}");
}
