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
    [
        ("version", edit::quoted(index::VERSION)),
        ("statistics", statistics),
        ("tags_index", map(&live, |view| view.tags.iter().map(|tag| tag.to_string()).collect())),
        ("category_index", map(&live, |view| view.topic.iter().map(|topic| topic.to_string()).collect())),
        ("importance_index", importances(&live)),
    ]
}

fn importances(live: &[&View]) -> String {
    let words = ["high", "medium", "low"].map(|word| {
        let own = live.iter().filter(|view| index::importance_word(view.importance) == word);
        let ids: Vec<String> = own.filter_map(|view| view.id.as_deref().map(edit::quoted)).collect();
        format!("\"{word}\":[{}]", ids.join(","))
    });
    format!("{{{}}}", words.join(","))
}

fn map(live: &[&View], keys: fn(&View) -> Vec<String>) -> String {
    let mut map: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut known: HashSet<(String, &str)> = HashSet::new();
    for view in live {
        let Some(id) = view.id.as_deref() else { continue };
        for key in keys(view) {
            if known.insert((key.clone(), id)) {
                map.entry(key).or_default().push(edit::quoted(id));
            }
        }
    }
    let lists: Vec<String> =
        map.into_iter().map(|(key, ids)| format!("{}:[{}]", edit::quoted(&key), ids.join(","))).collect();
    format!("{{{}}}", lists.join(","))
}
