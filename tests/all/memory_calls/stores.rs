//! Calls on the stores of the demo, one of each format.

use palimp::memory::{Memory, MemoryQuery, State};

use super::assert_refused;
use crate::support::demo::DemoStore;
use crate::support::tries::count;

const STORES: [&str; 5] =
    ["team/memories", "ops/memory", "web/.agent-memory", "shop/.bmad/memory", "notes/.chora/memory"];

fn open(desk: &DemoStore) -> Memory {
    Memory::open(&desk.store, &desk.data()).unwrap()
}

#[test]
fn a_link_that_leads_to_a_memory_is_told_by_that_memory_too() {
    for name in STORES.into_iter().filter(|name| *name != "team/memories") {
        let desk = DemoStore::new(name);
        let mut memory = open(&desk);
        let all = memory.query(MemoryQuery { archived: true, ..MemoryQuery::default() }).unwrap();
        let mut followed = 0;
        for own in all.iter().step_by(count(3, 1)) {
            let (Some(id), session) = (own.id.as_deref(), own.session.as_deref()) else { continue };
            for link in memory.links(session, id).unwrap().read.outgoing {
                // A trace or a session leads to one of several memories.
                let Some(other) = link.other.filter(|other| other.id.as_ref() == Some(&link.id)) else {
                    continue;
                };
                if other.state == State::Live {
                    let back = memory.links(other.session.as_deref(), &link.id).unwrap().read.incoming;
                    assert!(back.iter().any(|own| own.id == id), "{name}: {id} {}", link.id);
                    followed += 1;
                }
            }
        }
        assert!(followed > 0, "{name}");
    }
}

#[test]
fn parts_of_a_bundle_are_deleted_restored_and_undone_in_one_step_each() {
    let desk = DemoStore::new("web/.agent-memory");
    let mut memory = open(&desk);
    let query = "type:gotchas";
    let gotchas = memory.query(query).unwrap();
    let count = gotchas.len();
    assert!(count >= 2, "{count}");
    let keys: Vec<String> = {
        let store = memory.store();
        let is_own = |entry: &&palimp::model::Entry| {
            entry.state == State::Live && store.memory(entry).is_some_and(|own| own.kind() == "gotchas")
        };
        store.entries.iter().filter(is_own).map(|own| store.key(own)).collect()
    };
    let two = [&*keys[0], &*keys[1]];
    assert_refused(memory.archive(None, &two), "E_INVALID_FORMAT", "");
    assert_eq!(memory.delete_all(None, &two, "superseded").unwrap(), 2);
    assert_eq!(memory.query(query).unwrap().len(), count - 2);
    memory.undo().unwrap();
    assert_eq!(memory.query(query).unwrap().len(), count);
    memory.redo().unwrap();
    assert_eq!(memory.query(query).unwrap().len(), count - 2);
    assert!(memory.deleted(None).unwrap().iter().filter(|own| own.kind == "gotchas").count() >= 2);
    memory.undo().unwrap();
    let after: Vec<String> = memory.query(query).unwrap().into_iter().map(|own| own.text).collect();
    assert_eq!(after, gotchas.iter().map(|own| own.text.clone()).collect::<Vec<_>>());
}
