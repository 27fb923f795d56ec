//! Files that the system does not let palimp read: no result treats the rest as if it were all.

use std::path::Path;

use crate::faulty::Faulty;
use palimp::format::writing::{FieldAssignment, Refusal, WriteContext};
use palimp::model::{Extent, Moment, Plan, Store, Verb};
use palimp::ops;
use palimp::store::{Place, load_from};
use serde_json::json;

use super::support::{StoreBuilder, TempStore, files_below};

const ROOT: &str = "/home/store";
/// The disk in memory counts its changes from 1970 on.
const NOW: Moment = Moment(19 * 86_400_000_000 + 43_200_000_000);

/// Copies the store to a disk in memory, where modes count for everybody; that file can't be read.
fn without(store: &TempStore, unread: &str) -> Faulty {
    let disk = Faulty::new();
    for (path, bytes) in files_below(&store.path) {
        let mode = if path.ends_with(unread) { 0o000 } else { 0o600 };
        disk.put(Path::new(ROOT).join(path.strip_prefix(&store.path).unwrap()), bytes, mode);
    }
    disk
}

fn plan(
    disk: &Faulty,
    format: &'static str,
    make: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>,
) -> (Store, Result<Plan, Refusal>) {
    let place = Place::whole(ROOT.into(), format);
    let store = load_from(disk, &place, Extent::All, None, NOW);
    let plan = make(&WriteContext::of(&store, NOW, [7; 16]));
    (store, plan)
}

fn bytes(disk: &Faulty, file: &str) -> Vec<u8> {
    disk.files()[&Path::new(ROOT).join(file)].clone()
}

fn learnings() -> TempStore {
    StoreBuilder::memory_server()
        .core(json!({"id": "c-1", "content": "It is the core.", "tags": ["core"]}))
        .learning(json!({"id": "k-1", "content": "It is in the index.", "tags": ["learnt"]}))
        .build()
}

#[test]
fn an_index_is_not_rebuilt_while_a_log_of_it_cannot_be_read() {
    let store = learnings();
    let disk = without(&store, "learnings.jsonl");
    let before = bytes(&disk, "index.json");
    let refusal = plan(&disk, "memory-server", ops::reindex::reindex).1.unwrap_err();
    assert!(refusal.message.contains("learnings.jsonl"), "{}", refusal.message);
    // A change beside it is refused, too.
    let set = [FieldAssignment { name: "content", value: "It is the core, edited." }];
    let (_, edited) = plan(&disk, "memory-server", |context| {
        let store = context.store;
        let is_core = |own: &&palimp::model::Entry| store.document(own).path.ends_with("core_memories.jsonl");
        ops::edit::edit(context, store.entries.iter().find(is_core).unwrap(), &set)
    });
    assert!(edited.unwrap_err().message.contains("learnings.jsonl can't be read"));
    assert_eq!(bytes(&disk, "index.json"), before);
}

#[test]
fn a_session_with_a_file_that_cannot_be_read_is_not_deleted_by_halves() {
    let store = StoreBuilder::session_log().session("one").entries(2).session("two").entries(2).build();
    let disk = without(&store, "one/memory.jsonl");
    let refusal = plan(&disk, "session-log", |context| ops::session::delete(context, "one")).1.unwrap_err();
    assert!(refusal.message.contains("sessions/one/memory.jsonl can't be read"), "{}", refusal.message);
}

#[test]
fn nothing_is_compacted_or_maintained_by_values_that_a_config_which_cannot_be_read_may_change() {
    let store =
        StoreBuilder::session_log().config(json!({"version": "1.0"})).session("one").entries(2).build();
    let told = |disk: &Faulty| {
        let compacted = plan(disk, "session-log", |context| ops::compact::compact(context, None)).1;
        let due = plan(disk, "session-log", |context| {
            ops::maintain::due(context)
                .map(|_| Plan::of_unread_store(Verb::Maintain, &context.store.root, "session-log"))
        });
        [compacted, due.1].map(|own| own.err().map(|refusal| refusal.message))
    };
    for disk in [without(&store, "config.json"), {
        let disk = without(&store, "none");
        disk.put(Path::new(ROOT).join("config.json"), "{\"version\":", 0o600);
        disk
    }] {
        for message in told(&disk) {
            assert!(message.is_some_and(|own| own.contains("config.json can't be read")));
        }
    }
    assert_eq!(told(&without(&store, "none")), [None, None]);
}

#[test]
fn that_nothing_is_to_be_compacted_is_not_said_of_what_could_not_be_read() {
    let store = StoreBuilder::session_log().session("one").entries(2).session("two").entries(2).build();
    let compact = |disk: &Faulty| plan(disk, "session-log", |context| ops::compact::compact(context, None)).1;
    assert!(compact(&without(&store, "none")).unwrap().is_empty());
    let refusal = compact(&without(&store, "sessions/one/memory.jsonl")).unwrap_err();
    assert!(refusal.message.contains("one/memory.jsonl can't be read"), "{}", refusal.message);
}
