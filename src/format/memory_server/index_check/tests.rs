//! Compares the check of an index with one that uses sets of its pairs of key and id.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::super::{MemoryServer, assembly};
use super::*;
use crate::format::Format;
use crate::format::id_lists::tests::{IDS, KEYS, Map, any_damage, lists, pairs, spelled};
use crate::format::record_reader::whole_object;
use crate::model::Moment;
use crate::text::json_scanner::Tape;

const NOW: Moment = Moment(1_768_141_800_123_456);

fn document(name: &str, role: Role, bytes: &[u8]) -> Arc<Document> {
    let read = MemoryServer.read(role, Path::new(name), bytes, NOW);
    let own = Document::of_bytes(name.into(), role, bytes.to_vec());
    Arc::new(Document { records: read.records, problems: read.problems, ..own })
}

/// A log with missing, doubled and escaped ids. Some memories are archived.
fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let tags = proptest::collection::vec(select(&KEYS[..4]), 0..4);
    let category = proptest::option::of(select(&KEYS[..4]));
    let line = (0_usize..9, tags, category, select(&["high", "low"][..]), any::<bool>(), 0..4);
    let line = line.prop_map(|(id, tags, category, importance, escaped, archived)| {
        let rest = json!({
            "type": "learning", "content": "x", "created_at": "2026-01-10T12:00:00Z", "tags": tags,
            "category": category, "importance": importance, "archived": archived == 0,
        });
        match IDS[..7].get(id) {
            Some(id) => format!("{{\"id\":{},{}\n", spelled(id, escaped), &rest.to_string()[1..]),
            None => format!("{rest}\n"),
        }
    });
    proptest::collection::vec(line, 0..9).prop_map(|lines| lines.concat().into_bytes())
}

#[test]
fn an_id_that_is_there_twice_is_listed_once_under_each_key() {
    let line = |tags: &str| {
        let rest = r#""content":"x","created_at":"2026-01-10T12:00:00Z","importance":"high""#;
        format!("{{\"id\":\"a\",\"type\":\"learning\",\"category\":\"c\",\"tags\":{tags},{rest}}}\n")
    };
    let log = [line("[\"t\"]"), line("[\"t\"]"), line("[\"u\",\"t\",\"u\"]")].concat();
    let documents = [document("learnings.jsonl", Role::Records, log.as_bytes())];
    let parts = AssemblyInput::of(&documents, &[]);
    let index = MemoryServer.derived(&parts, &[], NOW).pop().unwrap().bytes;
    let index = String::from_utf8(index.to_vec()).unwrap();
    assert!(index.contains(r#""tags_index":{"t":["a"],"u":["a"]},"category_index":{"c":["a"]}"#), "{index}");
}

/// True if a map has the pairs of all live records, and no others. Compares sets.
fn is_as_sets(map: Json<'_>, records: &IndexedRecords<'_>, keys: KeysOf) -> bool {
    let indexed = pairs(map);
    let pairs_of = |own: &IndexedRecord<'_>| {
        let id = own.memory.id().unwrap_or_default().to_owned();
        keys(own.memory).into_iter().map(|key| (key.to_owned(), id.clone())).collect::<Vec<_>>()
    };
    let with_id = || records.own.iter().filter(|own| own.memory.id().is_some());
    let known: HashSet<(String, String)> = with_id().flat_map(pairs_of).collect();
    let mut live = with_id().filter(|own| own.state == State::Live);
    live.all(|own| pairs_of(own).iter().all(|pair| indexed.contains(pair))) && indexed.is_subset(&known)
}

proptest! {
    #![proptest_config(crate::tries::config(256, 20_000))]

    #[test]
    fn an_index_is_judged_as_its_sets_are(
        logs in [any_log(), any_log(), any_log()],
        is_stale in any::<bool>(),
        damage in [any_damage(), any_damage(), any_damage()],
        left_out in 0_usize..20,
    ) {
        let [learnings, archived, before] = logs;
        let archive = document(".archive/learnings_2026.jsonl", Role::Archive, &archived);
        let log = document("learnings.jsonl", Role::Records, &learnings);
        let before = document("learnings.jsonl", Role::Records, if is_stale { &before } else { &learnings });
        let parts = |documents| AssemblyInput::of(documents, &[]);
        let written_of = [archive.clone(), before];
        let written = MemoryServer.derived(&parts(&written_of), &[], NOW).pop().unwrap().bytes;
        let mut tape = Tape::default();
        let written = whole_object(&mut tape, &written).unwrap();
        let text = |json: Json<'_>| String::from_utf8(json.raw().to_vec()).unwrap();
        let damaged = MAPS.iter().zip(damage).map(|((name, _), damage)| {
            let members = written.get(name).unwrap().members();
            let mut map: Map = members.flat_map(|(key, ids)| ids.items().map(move |id| (text(key), text(id))).collect::<Vec<_>>()).collect();
            damage.done_to(&mut map, &["1".into(), "\"\\ud800\"".into()]);
            format!("\"{name}\":{}", lists(&map))
        });
        let kept: Vec<String> = damaged.enumerate().filter(|(at, _)| *at != left_out).map(|(_, part)| part).collect();
        let index = document("index.json", Role::Index, format!("{{{}}}", kept.join(",")).as_bytes());

        let documents = [archive, log];
        let parts = parts(&documents);
        let (entries, (ids, _)) = (assembly::entries(&parts), assembly::ids(&parts));
        let records = IndexedRecords::of(&parts, &entries, &ids);
        let mut tape = Tape::default();
        let object = whole_object(&mut tape, &index.bytes).unwrap();
        let stale = MAPS.iter().filter(|(name, keys)| match object.get(name) {
            Some(map) => !is_as_sets(map, &records, *keys),
            None => records.live().any(|own| own.memory.id().is_some() && !keys(own.memory).is_empty()),
        });
        let message = |(name, _): &(&str, KeysOf)| format!("`{name}` disagrees with the memories. It is rebuilt from them.");
        let expected: Vec<String> = stale.map(message).collect();
        let told: Vec<String> = check(&index, &records).into_iter().map(|problem| problem.message.to_string()).collect();
        prop_assert_eq!(&told, &expected, "{:?}", String::from_utf8_lossy(&index.bytes));
        let whole = format!("{{\"statistics\":{{}},{}", String::from_utf8_lossy(&index.bytes[1..]));
        let has_tags = object.get("tags_index").is_some();
        prop_assert_eq!(is_right(whole.as_bytes(), &records), has_tags && expected.is_empty());
    }
}
