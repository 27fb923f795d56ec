//! The index as it is written.

use std::collections::HashSet;
use std::path::PathBuf;

use super::super::{index, layout, rules};
use crate::format::lists::Lists;
use crate::format::reading::{whole_object, without_mark};
use crate::format::writing::{document, set_members};
use crate::format::{Derived, Parts};
use crate::text::edit;
use crate::text::scan::Tape;

/// The index as it should be: the one that is there, where it is right.
pub fn derived(parts: &Parts<'_>) -> Vec<Derived> {
    let path = PathBuf::from("index.json");
    let (ids, _) = rules::ids(parts);
    let records = index::AllRecords::of(parts, &rules::entries(parts), &ids);
    let own = document(parts.documents, &path).map(|own| &*own.bytes).unwrap_or_default();
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, without_mark(own)).ok();
    let bytes = match object.is_some_and(|object| index::is_right(object, &records)) {
        true => own.to_vec(),
        false => set_members(object, without_mark(own), &index_parts(&records)),
    };
    vec![Derived { path, bytes: bytes.into() }]
}

fn index_parts(records: &index::AllRecords<'_>) -> [(&'static str, String); 5] {
    let count = |kind| records.live().filter(|own| own.view().kind == kind).count();
    let kinds = layout::FILES.map(|(_, kind)| format!("\"{kind}\":{}", count(kind)));
    let (live, [bytes, _]) = (records.live().count(), records.bytes);
    let statistics = format!(
        "{{\"total_memories\":{live},\"by_type\":{{{}}},\"archived_count\":{},\"total_storage_bytes\":{bytes}}}",
        kinds.join(","),
        records.own.len() - live,
    );
    let [of_tags, of_categories, of_importances] = lists(records);
    let [tags, categories, importances] = index::MAPS.map(|(name, _)| name);
    [
        ("version", edit::quoted(index::VERSION)),
        ("statistics", statistics),
        (tags, of_tags.to_json()),
        (categories, of_categories.to_json()),
        (importances, of_importances.to_json_of(&["high", "medium", "low"])),
    ]
}

/// The maps from keys to the ids of the live records that have them. Tags and categories list each
/// id once, the importances every record.
fn lists<'a>(records: &index::AllRecords<'a>) -> [Lists<'a>; 3] {
    let mut lists = index::MAPS.map(|_| Lists::default());
    let live = || records.live().filter_map(|own| Some((own.view(), own.id?)));
    let mut often = vec![0_usize; records.ids.all().len()];
    live().for_each(|(_, (_, place))| often[place as usize] += 1);
    let mut known = HashSet::new();
    for (view, (id, place)) in live() {
        let id = edit::quoted(id);
        for (at, (list, (_, keys))) in lists.iter_mut().zip(index::MAPS).enumerate() {
            let mut keys = keys(view);
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                if at == 2 || often[place as usize] == 1 || known.insert((at, key, place)) {
                    list.push(key, &id);
                }
            }
        }
    }
    lists
}
