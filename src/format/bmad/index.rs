//! A session's `index.json` (§3.6) against its logs.

use std::collections::HashSet;
use std::path::Path;

use crate::model::{Code, Problem, Severity};
use crate::text::json::Json;

/// The parts of an index: from words, topics and hours to ids.
const PARTS: [&str; 3] = ["inverted_index", "topic_index", "temporal_index"];
/// So many ids are in one message.
const NAMED: usize = 5;

/// Judges the index of one session, whose logs hold `ids`.
pub fn check(index: Json<'_>, path: &Path, session: &str, ids: &HashSet<&str>) -> Vec<Problem> {
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
        let listed = listed(map);
        let unknown = listed.iter().map(String::as_str).filter(|id| !ids.contains(id)).collect();
        stale.extend(some(part, "names what is not in the logs", unknown));
        if part == "temporal_index" {
            let missing = ids.iter().copied().filter(|id| !listed.contains(*id)).collect();
            stale.extend(some(part, "lacks", missing));
        }
    }
    if !stale.is_empty() {
        let message =
            format!("The index disagrees with the logs: {}. It is rebuilt from them.", stale.join("; "));
        add(Code::IndexStale, message);
    }
    problems
}

fn listed(map: Json<'_>) -> HashSet<String> {
    let ids = map.members().flat_map(|(_, ids)| ids.items()).filter_map(|id| id.text());
    ids.map(|id| id.into_owned()).collect()
}

fn some(part: &str, what: &str, mut ids: Vec<&str>) -> Option<String> {
    ids.sort_unstable();
    let more = if ids.len() > NAMED { ", …" } else { "" };
    let count = ids.len();
    ids.truncate(NAMED);
    (count > 0).then(|| format!("`{part}` {what} ({count}: {}{more})", ids.join(", ")))
}
