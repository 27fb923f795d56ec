//! The check gives the same result as a comparison of sets of ids.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::format::id_lists::tests::{IDS, KEYS, Map, any_damage, lists, pairs, spelled};
use crate::format::record_reader::whole_object;
use crate::model::{Document, Role};
use crate::text::json_scanner::Tape;

/// Makes one part of an index. Except for damage, its ids are in the order of `ids`.
fn any_part() -> impl Strategy<Value = Option<String>> {
    let count = 0_usize..8;
    let part = (proptest::collection::vec((select(&KEYS[..4]), count, any::<bool>()), 0..5), any_damage());
    let part = part.prop_map(|(keys, damage)| {
        let of = |(key, count, escaped): &(&str, usize, bool)| {
            let key = spelled(key, *escaped);
            IDS[..*count].iter().map(|id| (key.clone(), spelled(id, *escaped))).collect::<Vec<_>>()
        };
        let mut map: Map = keys.iter().flat_map(of).collect();
        damage.done_to(&mut map, &["1".into(), "\"\\ud800\"".into()]);
        lists(&map)
    });
    proptest::option::weighted(0.9, part)
}

fn named(part: &str, what: &str, ids: HashSet<&str>) -> Option<String> {
    let mut ids: Vec<&str> = ids.into_iter().collect();
    ids.sort_unstable();
    let (more, count) = (if ids.len() > 5 { ", …" } else { "" }, ids.len());
    (count > 0).then(|| format!("`{part}` {what} ({count}: {}{more})", ids[..count.min(5)].join(", ")))
}

proptest! {
    #![proptest_config(crate::tries::config(256, 20_000))]

    #[test]
    fn an_index_is_judged_as_its_sets_are(
        own in proptest::collection::vec(select(&IDS[..]), 0..9),
        parts in [any_part(), any_part(), any_part()],
    ) {
        let log = Document::of_bytes("log".into(), Role::Records, Vec::new());
        let mut ids = IdIndex::of(own.len());
        for id in &own {
            ids.first(id, &log, 1);
        }
        let held: Vec<String> = PARTS.iter().zip(&parts)
            .filter_map(|(name, part)| Some(format!("\"{name}\":{}", part.as_deref()?))).collect();
        let index = format!("{{{}}}", held.join(","));
        let mut tape = Tape::default();
        let object = whole_object(&mut tape, index.as_bytes()).unwrap();
        let own: HashSet<&str> = own.into_iter().collect();
        let mut stale = Vec::new();
        for part in PARTS {
            let Some(map) = object.get(part) else { continue };
            let pairs = pairs(map);
            let listed: HashSet<&str> = pairs.iter().map(|(_, id)| id.as_str()).collect();
            stale.extend(named(part, "names what is not in the logs", &listed - &own));
            if part == "temporal_index" {
                stale.extend(named(part, "lacks", &own - &listed));
            }
        }
        let expected = format!("The index disagrees with the logs: {}. It is rebuilt from them.", stale.join("; "));
        let expected: Vec<String> = (!stale.is_empty()).then_some(expected).into_iter().collect();
        let told = check(object, Path::new("i"), "s", &ids);
        let told: Vec<String> = told.into_iter().map(|problem| problem.message.to_string()).collect();
        prop_assert_eq!(told, expected, "{}", index);
    }
}
