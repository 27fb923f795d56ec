//! The demo's `a-mem` store: two months of events, notes that link to one another, a
//! profile, a saved query.

use std::path::{Path, PathBuf};

use super::File;
use super::chance::Chance;
use super::log::Planted;
use super::material::{About, Material, column, tags};
use crate::model::time::{DAY, HOUR};
use crate::model::{Code, Moment};

/// Where the store is in the demo's folder.
const ROOT: &str = "project/.chora/memory";
/// Notes, each with the notes that it links to.
const NOTES: [(&str, &[&str]); 7] = [
    ("timeouts-of-the-gateway", &["retries-with-jitter", "tracing-a-request"]),
    ("retries-with-jitter", &["timeouts-of-the-gateway"]),
    ("tracing-a-request", &[]),
    ("reading-the-ledger", &["tracing-a-request"]),
    ("cold-starts", &["timeouts-of-the-gateway", "cold-starts"]),
    ("cache-keys", &["a-note-that-is-gone"]),
    ("retries-without-jitter", &["retries-with-jitter"]),
];
/// The steps of a workflow; each has a trace of its own.
const STEPS: [(&str, &str); 5] = [
    ("agent.session_started", "success"),
    ("gateway.tool_call", "success"),
    ("backend.tool_executed", "failure"),
    ("backend.tool_executed", "success"),
    ("agent.session_ended", "success"),
];
const TRACES: usize = 9;
const LINKS: &str = include_str!("../../assets/demo/links.json");
const PROFILE: &str = include_str!("../../assets/demo/profile.json");

/// The store's files, and what is wrong with them.
pub fn write(material: &mut Material, chance: &mut Chance, now: Moment) -> (Vec<File>, Vec<Planted>) {
    let root = Path::new(ROOT);
    let mut files = events(root, chance, now);
    let mut planted = Vec::new();
    for (number, (id, links)) in NOTES.iter().enumerate() {
        let path = root.join(format!("knowledge/notes/{id}.md"));
        files.push((path.clone(), note(material, chance, now, number, links)));
        if links.contains(&"a-note-that-is-gone") {
            planted.push((path, Some(1), Code::DanglingReference));
        }
    }
    files.push((root.join("knowledge/links.json"), LINKS.into()));
    let profile = PROFILE.replace("{last_active}", &now.plus(-3 * HOUR).to_rfc3339());
    files.push((root.join("profiles/gateway-agent.json"), profile.into()));
    let query = "-- Failures of the last week\nSELECT * FROM events WHERE status = 'failure';\n";
    files.push((root.join("queries/recent-failures.sql"), query.as_bytes().to_vec()));
    (files, planted)
}

/// Each event is in the log of its month and in the file of its trace.
fn events(root: &Path, chance: &mut Chance, now: Moment) -> Vec<File> {
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut append = |path: PathBuf, line: &str| match files.iter_mut().find(|(own, _)| *own == path) {
        Some((_, bytes)) => bytes.extend_from_slice(line.as_bytes()),
        None => files.push((path, line.as_bytes().to_vec())),
    };
    for number in 0..TRACES {
        let started = now.plus(-((TRACES - number) as i64 * 5 * DAY) + chance.below(HOUR as usize) as i64);
        let trace = format!("trace-{:03}", number + 1);
        for (step, (kind, status)) in STEPS.iter().enumerate() {
            let when = started.plus(step as i64 * 1_700_000).to_rfc3339();
            let tool = chance.pick(&["deploy", "search", "export"]).unwrap_or_default();
            let took = 100 + chance.below(900);
            let line = format!(
                r#"{{"timestamp":"{when}","trace_id":"{trace}","status":"{status}","schema_version":"1.0","event_type":"{kind}","source":"gateway","metadata":{{"tool_name":"{tool}","duration_ms":{took}}}}}"#
            ) + "\n";
            let month: String = when.chars().take(7).collect();
            let folder = root.join("events").join(month);
            append(folder.join("events.jsonl"), &line);
            append(folder.join(format!("traces/{trace}.jsonl")), &line);
        }
    }
    files
}

fn note(material: &mut Material, chance: &mut Chance, now: Moment, number: usize, links: &[&str]) -> Vec<u8> {
    let told = material.tell(About::Finding, chance);
    let id = NOTES[number].0;
    let created = now.plus(-(number as i64 * 11 + 3) * DAY).to_rfc3339();
    let confidence = ["high", "medium", "low"][number % 3];
    let status = if number == 6 { "deprecated" } else { "validated" };
    let title = id.replace('-', " ");
    let related: String = links.iter().map(|link| format!("- [[{link}]]\n")).collect();
    format!(
        "---\nid: {id}\ncreated: {created}\nupdated: {created}\ntags: [{}]\nconfidence: {confidence}\n\
         source: agent-learning\nlinked_to: [{}]\nstatus: {status}\nauthor: gateway-agent\n\
         related_traces: [trace-{:03}]\n---\n\n# {}{}\n\n## Problem\n\n{}\n\n## Evidence\n\n{}\n\n```sh\n\
         gateway --timeout 60\n```\n\n## Related notes\n\n{related}",
        tags(column(&told, 0)).join(", "),
        links.join(", "),
        number % TRACES + 1,
        title.chars().take(1).flat_map(char::to_uppercase).collect::<String>(),
        title.get(1..).unwrap_or_default(),
        column(&told, 2),
        column(&told, 3),
    )
    .into_bytes()
}
