//! Makes a session's manifest (§3.1), and corrects its counts.

use std::collections::HashSet;

use super::logs::{LogBytes, each_piece, stamp};
use crate::format::bmad::manifest_check::RecordCounts;
use crate::format::record_reader::edit_object;
use crate::format::writing::{Refusal, Result, pretty};
use crate::model::Moment;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{apply, put, quoted};

const STATISTICS: &str = "statistics";

/// Returns the manifest of a session with correct counts. A missing one is made from the logs (§8.2).
pub fn manifest(
    existing: Option<&[u8]>,
    session: &str,
    logs: &[LogBytes<'_>],
    now: Moment,
    touched: bool,
) -> Result<Vec<u8>> {
    let seen = LogSummary::of(logs);
    if let Some(existing) = existing {
        return recounted(existing, &seen.counts, now, touched);
    }
    let written = seen.span.map_or(now, |(_, last)| last.min(now));
    let created = seen.span.map_or(now, |(first, _)| first.min(now));
    Ok(new_manifest(session, None, &seen, created, if touched { now } else { written }))
}

/// Returns the manifest with correct counts, in place; every other byte stays. If the session was
/// `touched`, also sets `updated_at` and `last_accessed`.
pub fn recounted(existing: &[u8], counts: &RecordCounts, now: Moment, touched: bool) -> Result<Vec<u8>> {
    let now = quoted(&stamp(now));
    let made = edit_object(existing, |body, object| {
        let within = object.get(STATISTICS).filter(|own| own.kind() == JsonKind::Object);
        let wrong = within.map(|within| counted(counts, within, touched.then_some(now.as_str())));
        let mut members = Vec::new();
        if wrong.is_none() {
            members.push((STATISTICS, statistics(counts, &now)));
        }
        members.extend(touched.then(|| ("updated_at", now.clone())));
        let mut splices = put(object, &members);
        splices.extend(within.zip(wrong.as_ref()).into_iter().flat_map(|(within, wrong)| put(within, wrong)));
        apply(body, splices)
    });
    made.map_err(unreadable)
}

/// Returns the refusal to change a manifest that can't be read.
pub fn unreadable(why: String) -> Refusal {
    Refusal::corrupt(format!("The manifest can't be read: {why}"))
}

/// The result of one pass over the logs.
#[derive(Default)]
pub struct LogSummary {
    counts: RecordCounts,
    agents: Vec<String>,
    /// The earliest and the latest time of a record.
    span: Option<(Moment, Moment)>,
}

impl LogSummary {
    fn of(logs: &[LogBytes<'_>]) -> LogSummary {
        let mut seen = LogSummary::default();
        seen.counts.sizes = [logs.iter().map(|log| log.bytes.len() as u64).sum(); 2];
        let mut known = HashSet::new();
        each_piece(logs, &mut |log, piece| {
            let Some(object) = piece.object else { return };
            if let Some(count) = seen.counts.records.get_mut(log.place) {
                *count += 1;
            }
            let text = |name| object.get(name).and_then(|value: Json<'_>| value.text());
            let agent = ["agent_id", "made_by", "discovered_by"].into_iter().find_map(text);
            if let Some(agent) = agent.filter(|agent| !known.contains(agent.as_ref())) {
                known.insert(agent.to_string());
                seen.agents.push(agent.into_owned());
            }
            if let Some(when) = object.get("timestamp").and_then(|own| own.moment()) {
                let (first, last) = seen.span.unwrap_or((when, when));
                seen.span = Some((first.min(when), last.max(when)));
            }
        });
        seen
    }
}

fn statistics(counts: &RecordCounts, accessed: &str) -> String {
    let mut members = counts.named().map(|(name, count)| (name, count.to_string())).to_vec();
    members.push(("last_accessed", accessed.to_owned()));
    pretty(&members, 1)
}

/// A correct count keeps its spelling.
fn counted(
    counts: &RecordCounts,
    statistics: Json<'_>,
    accessed: Option<&str>,
) -> Vec<(&'static str, String)> {
    let stored = |name: &str| statistics.get(name).and_then(|value| value.count());
    let wrong = counts.named().into_iter().filter(|(name, count)| stored(name) != Some(*count));
    let mut members: Vec<_> = wrong.map(|(name, count)| (name, count.to_string())).collect();
    members.extend(accessed.map(|now| ("last_accessed", now.to_owned())));
    members
}

pub fn new_manifest(
    session: &str,
    user_id: Option<&str>,
    seen: &LogSummary,
    created: Moment,
    updated: Moment,
) -> Vec<u8> {
    let [created, updated] = [created, updated].map(|when| quoted(&stamp(when)));
    let agents: Vec<String> = seen.agents.iter().map(|agent| quoted(agent)).collect();
    let mut members =
        vec![("session_id", quoted(session)), ("created_at", created), ("updated_at", updated.clone())];
    members.extend(user_id.map(|user| ("user_id", quoted(user))));
    members.push(("agent_ids", format!("[{}]", agents.join(", "))));
    members.push(("metadata", "{}".into()));
    members.push((STATISTICS, statistics(&seen.counts, &updated)));
    members.push(("version", quoted("1.0")));
    (pretty(&members, 0) + "\n").into_bytes()
}
