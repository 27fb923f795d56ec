//! Compares damaged maps of indexes with sets of their pairs.

use std::borrow::Cow;
use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::format::record_reader::whole_object;
use crate::model::{Document, Role};
use crate::text::json::Json;
use crate::text::json_scanner::Tape;

/// A map from keys to values, both JSON. Adjacent equal keys share one list.
pub type Map = Vec<(String, String)>;

/// Ids that a log has, and one that it lacks. Some need escapes.
pub const IDS: [&str; 8] = ["a", "b", "c", "", "\"q\"\n", "zoë", "dd", "gone"];
pub const KEYS: [&str; 5] = ["t", "u", "", "\\é", "none"];

/// Returns a text as JSON, with all characters escaped if asked.
pub fn spelled(text: &str, escaped: bool) -> String {
    let escape = |unit: u16| format!("\\u{unit:04x}");
    match escaped {
        true => format!("\"{}\"", text.encode_utf16().map(escape).collect::<String>()),
        false => json_edit::quoted(text),
    }
}

/// Damage to a map. Mostly little, because most maps have no fault.
#[derive(Clone, Debug)]
pub struct Damage(Vec<(u8, Index, Index, &'static str)>);

pub fn any_damage() -> impl Strategy<Value = Damage> {
    let one = (0_u8..9, any::<Index>(), any::<Index>(), select(&IDS[..]));
    proptest::collection::vec(one, 0..4).prop_map(Damage)
}

impl Damage {
    /// Damages the map. `others` are wrong values.
    pub fn done_to(&self, map: &mut Map, others: &[String]) {
        for (what, at, to, text) in &self.0 {
            if map.is_empty() {
                map.push((spelled("t", false), spelled(text, false)));
            }
            let (at, to) = (at.index(map.len()), to.index(map.len()));
            match what {
                0 => drop(map.remove(at)),
                1 => map.insert(to, map[at].clone()),
                2 => map.swap(at, to),
                3 => map.truncate(at),
                4 => map[at].0 = map[to].0.clone(),
                5 => map[at].0 = spelled(text, to % 2 == 0),
                6 => map[at].1 = others.get(to % others.len()).cloned().unwrap_or_default(),
                7 => map[at].1 = map[to].1.clone(),
                _ => map[at] = (spelled("t", true), spelled(text, true)),
            }
        }
    }
}

/// Returns the map as a JSON object of lists.
pub fn lists(map: &Map) -> String {
    let runs = map.chunk_by(|one, other| one.0 == other.0);
    let list = |run: &[(String, String)]| {
        let items: Vec<&str> = run.iter().map(|(_, item)| item.as_str()).collect();
        format!("{}: [{}]", run[0].0, items.join(", "))
    };
    format!("{{{}}}", runs.map(list).collect::<Vec<_>>().join(","))
}

/// Returns the pairs of key and id in a map.
pub fn pairs(map: Json<'_>) -> HashSet<(String, String)> {
    let of = |(key, ids): (Json<'_>, Json<'_>)| {
        let key = key.text().unwrap().into_owned();
        let texts: Vec<String> = ids.items().filter_map(|id| id.text()).map(Cow::into_owned).collect();
        texts.into_iter().map(move |id| (key.clone(), id))
    };
    map.members().flat_map(of).collect()
}

proptest! {
    #![proptest_config(crate::tries::config(256, 20_000))]

    #[test]
    fn a_map_lists_what_its_sets_hold(
        records in proptest::collection::vec((select(&IDS[..7]), proptest::collection::vec(select(&KEYS[..4]), 0..3)), 0..9),
        damage in any_damage(),
        escaped in any::<bool>(),
    ) {
        let log = Document::of_bytes("log".into(), Role::Records, Vec::new());
        let mut ids = IdIndex::of(records.len());
        let known: Vec<bool> = records.iter().map(|(id, _)| ids.first(id, &log, 1).is_some()).collect();
        prop_assert_eq!(known.iter().filter(|known| !**known).count(), ids.all().len());
        let mut next = 0;
        let places: Vec<u32> = records.iter().map(|(id, _)| ids.place(id, &mut next).unwrap()).collect();
        let mut written = IdListWriter::default();
        let mut own: HashSet<(String, String)> = HashSet::new();
        for (id, keys) in &records {
            for key in keys {
                if own.insert(((*key).to_owned(), (*id).to_owned())) {
                    written.push(key, &spelled(id, escaped));
                }
            }
        }
        let (mut tape, written) = (Tape::default(), written.to_json());
        let map = whole_object(&mut tape, written.as_bytes()).unwrap();
        prop_assert_eq!(&pairs(map), &own);
        let mut map: Map = map.members()
            .flat_map(|(key, ids)| ids.items().map(move |id| (key, id)).collect::<Vec<_>>())
            .map(|(key, id)| (key.raw(), id.raw()))
            .map(|(key, id)| (String::from_utf8(key.into()).unwrap(), String::from_utf8(id.into()).unwrap()))
            .collect();
        damage.done_to(&mut map, &["1".into(), "{\"a\":[]}".into(), "\"\\ud800\"".into()]);
        let (mut tape, damaged) = (Tape::default(), lists(&map));
        let map = whole_object(&mut tape, damaged.as_bytes()).unwrap();
        let indexed = pairs(map);
        let mut listed = IdListCheck::of(map, &ids);
        for ((id, keys), place) in records.iter().zip(places) {
            prop_assert_eq!(ids.at(place), *id);
            for key in keys {
                let is_listed = indexed.contains(&((*key).to_owned(), (*id).to_owned()));
                prop_assert_eq!(listed.has(key, place), is_listed, "{} {:?} in {}", key, id, damaged);
            }
        }
        let has_others = indexed.difference(&own).any(|(_, id)| id != "b");
        prop_assert_eq!(listed.has_others(&ids, |id| id != "b"), has_others, "{}", damaged);
    }
}
