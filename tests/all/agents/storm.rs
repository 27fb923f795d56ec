//! Agents that append as fast as they can while palimp rewrites.

use std::collections::{BTreeMap, BTreeSet};

use palimp::disk::Machine;
use palimp::model::{Entry, Store};
use palimp::ops::WriteContext;

use super::part::Playing;
use super::town::{Deed, Town, logs, planned, text_of};
use crate::support::tries::is_long;

/// What palimp did, for a comparison with the final store.
#[derive(Default)]
struct Done {
    texts: BTreeMap<String, String>,
    tags: BTreeMap<String, Vec<String>>,
    gone: BTreeSet<String>,
}

/// One format gets the full number of records. The others write in the same way and hold a few
/// hundred records by their own limits: a rewrite among 20,000 takes them seconds.
fn storm(format: &'static str) {
    let (records, rewrites) = match format {
        _ if !is_long() => (400, 8),
        "session-log" => (20_000, 400),
        _ => (8_000, 120),
    };
    let town = Town::new(format, 60);
    let few = records / 10;
    let many = (records - few) / 3;
    let parts = [
        town.part("literal", few, rewrites),
        town.part("opener", many, rewrites),
        town.part("keeper", many, rewrites),
        town.part_alone("halver", records - few - 2 * many, rewrites),
    ];
    let agents: Vec<Playing> = parts.iter().map(|part| part.start()).collect();
    let done = rewrite(&town, rewrites);
    let met: Vec<String> = agents.into_iter().flat_map(Playing::end).collect();
    // A line that an agent could not write is not lost by palimp.
    assert_eq!(met, Vec::<String>::new(), "an agent met with errors");
    town.settle();

    let found = town.records();
    let ids = (0..60).map(|number| match format {
        "memory-server" => format!("00000000-0000-4000-8000-{number:012x}"),
        _ => format!("seed_{number:06}"),
    });
    let theirs = parts.iter().flat_map(|part| (0..part.count).map(|number| part.id(number)));
    let all: BTreeSet<String> = ids.chain(theirs).collect();
    assert_eq!(all.len(), 60 + records);
    let lost: Vec<&String> =
        all.iter().filter(|id| !done.gone.contains(*id) && !found.contains_key(*id)).collect();
    let doubled: Vec<&String> = found.iter().filter(|(_, own)| own.len() > 1).map(|(id, _)| id).collect();
    let back: Vec<&String> = done.gone.iter().filter(|id| found.contains_key(*id)).collect();
    assert_eq!((lost.as_slice(), doubled.as_slice(), back.as_slice()), (&[][..], &[][..], &[][..]));
    assert!(found.keys().all(|id| all.contains(id)), "nothing came out of nowhere");
    for (id, text) in done.texts.iter().filter(|(id, _)| !done.gone.contains(*id)) {
        assert_eq!(text_of(&found[id][0]), text);
    }
    for (id, tags) in done.tags.iter().filter(|(id, _)| !done.gone.contains(*id)) {
        assert!(
            tags.iter().all(|tag| found[id][0]["tags"].as_array().unwrap().contains(&tag.as_str().into()))
        );
    }
}

/// Edits, tags and deletes. Each change is planned on the current store.
fn rewrite(town: &Town, times: usize) -> Done {
    let mut done = Done::default();
    for turn in 0..times {
        let store = town.load();
        let entry = chosen(&store, turn);
        let id = store.id(&entry).unwrap_or_default().to_owned();
        let (text, tag) = (format!("Said in turn {turn}."), format!("turn{turn}"));
        let deed = match turn % 4 {
            0 | 2 => Deed::Text(&text),
            1 => Deed::Tag(&tag),
            _ => Deed::Delete,
        };
        let context = WriteContext::of(&store, town.clock.now(), [turn as u8; 16]);
        let plan = planned(&context, &entry, deed).unwrap();
        town.commit(&store, &plan).unwrap_or_else(|error| panic!("turn {turn}: {error}"));
        match deed {
            Deed::Text(_) => drop(done.texts.insert(id, text)),
            Deed::Tag(_) => done.tags.entry(id).or_default().push(tag),
            Deed::Delete | Deed::Bury => drop(done.gone.insert(id)),
        }
        town.one_more();
    }
    done
}

fn chosen(store: &Store, turn: usize) -> Entry {
    let (one, two) = logs(store.format);
    let in_logs = |entry: &&Entry| [one, two].contains(&store.document(entry).path.as_path());
    let readable =
        |entry: &&Entry| in_logs(entry) && store.memory(entry).is_some_and(|view| view.id().is_some());
    let all: Vec<&Entry> = store.entries.iter().filter(readable).collect();
    *all[(turn * 7919 + turn * turn * 31) % all.len()]
}

#[test]
fn nothing_is_lost_doubled_or_torn_while_agents_append_to_a_memory_server_store() {
    storm("memory-server");
}

#[test]
fn nothing_is_lost_doubled_or_torn_while_agents_append_to_a_session_log_store() {
    storm("session-log");
}

#[test]
fn nothing_is_lost_doubled_or_torn_while_agents_append_to_a_bmad_store() {
    storm("bmad");
}
