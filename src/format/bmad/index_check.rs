//! Checks a session's `index.json` (§3.6) against its logs.

use std::path::Path;

use crate::format::id_index::IdIndex;
use crate::model::{Code, FastSet, Problem, Severity};
use crate::text::json::Json;

/// The parts of an index: from words, topics and hours to ids.
const PARTS: [&str; 3] = ["inverted_index", "topic_index", "temporal_index"];
/// The number of ids in one message.
const NAMED: usize = 5;

/// Checks the index of one session. `ids` are the ids in its logs.
pub fn check(index: Json<'_>, path: &Path, session: &str, ids: &IdIndex<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |code, message: String| {
        problems.push(Problem::of_file(code, Severity::Warning, path, message));
    };
    if let Some(version) = index.get("version").filter(|version| version.number() != Some(1.0)) {
        let message = format!("The index names version {}; this format has 1.", version.plain());
        add(Code::UnsupportedVersion, message);
    }
    if let Some(own) = index.get("session_id").and_then(|own| own.text()).filter(|own| own != session) {
        add(Code::IndexStale, format!("The index is of the session {own:?}. It is rebuilt from the logs."));
    }
    let mut stale = Vec::new();
    for part in PARTS {
        let Some(map) = index.get(part) else { continue };
        let (mut listed, mut unknown) = (vec![false; ids.all().len()], FastSet::default());
        for (_, list) in map.members() {
            let mut next = 0;
            for id in list.items().filter_map(|id| id.text()) {
                match ids.place(&id, &mut next).and_then(|place| listed.get_mut(place as usize)) {
                    Some(listed) => *listed = true,
                    None => drop(unknown.insert(id)),
                }
            }
        }
        let unknown = unknown.iter().map(|id| &**id).collect();
        stale.extend(some(part, "names what is not in the logs", unknown));
        if part == "temporal_index" {
            let missing = ids.all().zip(listed).filter(|(_, listed)| !listed);
            stale.extend(some(part, "lacks", missing.map(|(id, _)| id).collect()));
        }
    }
    if !stale.is_empty() {
        let message =
            format!("The index disagrees with the logs: {}. It is rebuilt from them.", stale.join("; "));
        add(Code::IndexStale, message);
    }
    problems
}

fn some(part: &str, what: &str, mut ids: Vec<&str>) -> Option<String> {
    ids.sort_unstable();
    let more = if ids.len() > NAMED { ", …" } else { "" };
    let count = ids.len();
    ids.truncate(NAMED);
    (count > 0).then(|| format!("`{part}` {what} ({count}: {}{more})", ids.join(", ")))
}

#[cfg(test)]
mod tests;
