//! The index as it is written.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::super::{index, layout, rules};
use crate::format::reading::{whole_object, without_mark};
use crate::format::writing::document;
use crate::format::{Derived, Parts};
use crate::model::{Entry, Moment, Role, State, View};
use crate::text::edit;
use crate::text::scan::Tape;

/// The index as it should be: the one that is there, where it is right.
pub fn derived(parts: &Parts<'_>) -> Vec<Derived> {
    let path = PathBuf::from("index.json");
    let entries = rules::entries(parts);
    let current = document(parts.documents, &path);
    let mut tape = Tape::default();
    let object = current.and_then(|own| whole_object(&mut tape, without_mark(&own.bytes)).ok());
    if let (Some(own), Some(object)) = (current, object)
        && object.get("statistics").is_some()
        && object.get("tags_index").is_some()
        && index::check(own, parts, &entries).is_empty()
    {
        return vec![Derived { bytes: own.bytes.to_vec(), path }];
    }
    let base = match (current, object) {
        (Some(own), Some(_)) => without_mark(&own.bytes).to_vec(),
        _ => b"{}".to_vec(),
    };
    let set = |bytes: Vec<u8>, (name, raw): (&str, String)| edit::set(&bytes, &[name], &raw).unwrap_or(bytes);
    let bytes = index_parts(parts, &entries).into_iter().fold(base, set);
    vec![Derived { path, bytes }]
}

fn index_parts(parts: &Parts<'_>, entries: &[Entry]) -> [(&'static str, String); 5] {
    let mut live: Vec<&View> = Vec::new();
    let mut archived = 0;
    let mut last: Option<Moment> = None;
    for entry in entries {
        let document = &parts.documents[entry.document as usize];
        let Some(view) = document.records[entry.record as usize].view() else { continue };
        last = last.max(view.created);
        match entry.state {
            State::Live => live.push(view),
            _ => archived += 1,
        }
    }
    let kinds = layout::FILES
        .map(|(_, kind)| format!("\"{kind}\":{}", live.iter().filter(|view| view.kind == kind).count()));
    let bytes: u64 = parts.documents.iter().filter(|own| own.role == Role::Records).map(|own| own.len).sum();
    let statistics = format!(
        "{{\"total_memories\":{},\"by_type\":{{{}}},\"archived_count\":{archived},\"total_storage_bytes\":{bytes}}}",
        live.len(),
        kinds.join(",")
    );
    let [(tags, of_tags), (categories, of_categories), (importances, _)] = index::MAPS;
    [
        ("version", edit::quoted(index::VERSION)),
        ("statistics", statistics),
        (tags, lists(&live, of_tags)),
        (categories, lists(&live, of_categories)),
        (importances, by_importance(&live)),
    ]
}

fn by_importance(live: &[&View]) -> String {
    let words = ["high", "medium", "low"].map(|word| {
        let own = live.iter().filter(|view| index::importance_word(view.importance) == word);
        let ids: Vec<String> = own.filter_map(|view| view.id.as_deref().map(edit::quoted)).collect();
        format!("\"{word}\":[{}]", ids.join(","))
    });
    format!("{{{}}}", words.join(","))
}

/// A map from keys to the ids of the records that have them, each once.
fn lists(live: &[&View], keys: index::Keys) -> String {
    let mut lists: BTreeMap<&str, String> = BTreeMap::new();
    let mut known: HashSet<(&str, &str)> = HashSet::new();
    let mut ids: HashSet<&str> = HashSet::with_capacity(live.len());
    for view in live {
        let Some(id) = view.id.as_deref() else { continue };
        let keys = keys(view);
        // One key of an id that nobody else has can't be there twice.
        let is_new = ids.insert(id) && keys.len() < 2;
        for key in keys {
            if is_new || known.insert((key, id)) {
                let list = lists.entry(key).or_default();
                list.push_str(if list.is_empty() { "" } else { "," });
                list.push_str(&edit::quoted(id));
            }
        }
    }
    let lists: Vec<String> =
        lists.into_iter().map(|(key, ids)| format!("{}:[{ids}]", edit::quoted(key))).collect();
    format!("{{{}}}", lists.join(","))
}
