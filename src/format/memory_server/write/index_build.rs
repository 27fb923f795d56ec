//! Builds the index.

use std::collections::HashSet;
use std::path::PathBuf;

use super::super::{assembly, index_check, layout};
use crate::format::id_lists::{IdListWriter, KeysOf};
use crate::format::record_reader::set_members;
use crate::format::writing::document;
use crate::format::{AssemblyInput, DerivedFile};
use crate::text::json_edit;

/// Returns the correct index. An existing one stays if it is correct.
pub fn derived(parts: &AssemblyInput<'_>) -> Vec<DerivedFile> {
    let path = PathBuf::from("index.json");
    let (ids, _) = assembly::ids(parts);
    let records = index_check::IndexedRecords::of(parts, &assembly::entries(parts), &ids);
    let own = document(parts.documents, &path).map(|own| own.bytes.clone()).unwrap_or_default();
    if index_check::is_right(&own, &records) {
        return vec![DerivedFile { path, bytes: own }];
    }
    let often = often(&records);
    let [tags, categories, importances] = index_check::MAPS;
    let members = [
        ("version", json_edit::quoted(index_check::VERSION)),
        ("statistics", statistics(&records)),
        (tags.0, lists(&records, Some(&often), tags.1).to_json()),
        (categories.0, lists(&records, Some(&often), categories.1).to_json()),
        (importances.0, lists(&records, None, importances.1).json_of(&["high", "medium", "low"])),
    ];
    vec![DerivedFile { path, bytes: set_members(&own, &members).into() }]
}

fn statistics(records: &index_check::IndexedRecords<'_>) -> String {
    let count = |kind| records.live().filter(|own| own.memory.kind() == kind).count();
    let kinds = layout::FILES.map(|(_, kind)| format!("\"{kind}\":{}", count(kind)));
    let (live, [bytes, _]) = (records.live().count(), records.bytes);
    format!(
        "{{\"total_memories\":{live},\"by_type\":{{{}}},\"archived_count\":{},\"total_storage_bytes\":{bytes}}}",
        kinds.join(","),
        records.own.len() - live,
    )
}

/// Counts the live records of each id, by place.
fn often(records: &index_check::IndexedRecords<'_>) -> Vec<u32> {
    let mut often = vec![0; records.ids.all().len()];
    records.live().filter_map(|own| own.id).for_each(|(_, place)| often[place as usize] += 1);
    often
}

/// Maps keys to ids of live records: with the counts `often` each id once per key, else once per record.
fn lists<'a>(
    records: &index_check::IndexedRecords<'a>,
    often: Option<&Vec<u32>>,
    keys: KeysOf,
) -> IdListWriter<'a> {
    let (mut lists, mut known) = (IdListWriter::default(), HashSet::new());
    for (memory, (id, place)) in records.live().filter_map(|own| Some((own.memory, own.id?))) {
        let id = json_edit::quoted(id);
        let mut keys = keys(memory);
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let is_once = || often.is_none_or(|often| often[place as usize] == 1);
            if is_once() || known.insert((key, place)) {
                lists.push(key, &id);
            }
        }
    }
    lists
}
