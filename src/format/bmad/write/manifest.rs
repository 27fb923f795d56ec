//! A session's manifest (§3.1): its counts, and when it was written.

use std::collections::HashSet;

use super::json::{self, Edit, pretty, quote, quote_all};
use super::{Log, Refused, each_piece, stamp};
use crate::model::Moment;
use crate::text::json::{Json, Kind};

/// The member with the counts.
const STATISTICS: &str = "statistics";
/// What is counted, by the type of memory.
const COUNTED: [(&str, &str); 3] =
    [("total_messages", "conversation"), ("total_decisions", "decision"), ("total_findings", "finding")];

/// The manifest of a session with these logs: with its counts right, or made (§8.2) from what the
/// logs tell where it is missing.
pub fn manifest(
    existing: Option<&[u8]>,
    session: &str,
    logs: &[Log<'_>],
    now: Moment,
    touched: bool,
) -> Result<Vec<u8>, Refused> {
    let seen = Seen::of(logs);
    if let Some(existing) = existing {
        return recounted(existing, &seen, now, touched);
    }
    let written = seen.span.map_or(now, |(_, last)| last.min(now));
    let new = New {
        session,
        user_id: None,
        agent_ids: &seen.agents,
        metadata: "{}",
        created: seen.span.map_or(now, |(first, _)| first.min(now)),
        updated: if touched { now } else { written },
    };
    Ok(new.write(&seen))
}

/// The manifest with its counts and, if the session was `touched`, `updated_at` and
/// `last_accessed` set in place; every other byte stays.
pub fn recounted(existing: &[u8], seen: &Seen, now: Moment, touched: bool) -> Result<Vec<u8>, Refused> {
    json::splice(existing, "The manifest", |object| {
        let now = quote(&stamp(now));
        let (mut edits, mut members) = (Vec::new(), Vec::new());
        match object.get(STATISTICS).filter(|own| own.kind() == Kind::Object) {
            Some(statistics) => edits = seen.counted(statistics, touched.then_some(now.as_str())),
            None => members.push((STATISTICS, seen.statistics(&now))),
        }
        if touched {
            members.push(("updated_at", now));
        }
        edits.extend(json::set(object, &members));
        edits
    })
}

/// What one pass over the logs tells.
#[derive(Default)]
pub struct Seen {
    /// Messages, decisions and findings.
    counts: [u64; 3],
    /// The bytes of the logs.
    size: u64,
    agents: Vec<String>,
    /// The times of the first record and of the last.
    span: Option<(Moment, Moment)>,
}

impl Seen {
    /// What counts need, where it is known already.
    pub fn counts_alone(counts: [u64; 3], size: u64) -> Seen {
        Seen { counts, size, ..Seen::default() }
    }

    fn of(logs: &[Log<'_>]) -> Seen {
        let mut seen = Seen { size: logs.iter().map(|log| log.bytes.len() as u64).sum(), ..Seen::default() };
        let mut known = HashSet::new();
        each_piece(logs, &mut |log, piece| {
            let Some(object) = piece.object else { return };
            if let Some(count) = seen.counts.get_mut(log.place) {
                *count += 1;
            }
            let text = |name| object.get(name).and_then(|value: Json<'_>| value.text());
            let agent = ["agent_id", "made_by", "discovered_by"].into_iter().find_map(text);
            if let Some(agent) = agent.filter(|agent| !known.contains(agent.as_ref())) {
                known.insert(agent.to_string());
                seen.agents.push(agent.into_owned());
            }
            if let Some((when, _)) = text("timestamp").and_then(|text| Moment::parse(&text)) {
                let (first, last) = seen.span.unwrap_or((when, when));
                seen.span = Some((first.min(when), last.max(when)));
            }
        });
        seen
    }

    fn counts(&self) -> [(&'static str, u64); 4] {
        let [messages, decisions, findings] = COUNTED.map(|(name, _)| name);
        let [a, b, c] = self.counts;
        [(messages, a), (decisions, b), (findings, c), ("size_bytes", self.size)]
    }

    fn statistics(&self, accessed: &str) -> String {
        let mut members = self.counts().map(|(name, count)| (name, count.to_string())).to_vec();
        members.push(("last_accessed", accessed.to_owned()));
        pretty(&members, 1)
    }

    /// A count that is right keeps its spelling.
    fn counted(&self, statistics: Json<'_>, accessed: Option<&str>) -> Vec<Edit> {
        let stored = |name: &str| statistics.get(name).and_then(|value| value.count());
        let wrong = self.counts().into_iter().filter(|(name, count)| stored(name) != Some(*count));
        let mut members: Vec<_> = wrong.map(|(name, count)| (name, count.to_string())).collect();
        members.extend(accessed.map(|now| ("last_accessed", now.to_owned())));
        json::set(statistics, &members)
    }
}

/// A manifest to be made.
pub struct New<'a, T> {
    pub session: &'a str,
    pub user_id: Option<&'a str>,
    pub agent_ids: &'a [T],
    /// A JSON object.
    pub metadata: &'a str,
    pub created: Moment,
    pub updated: Moment,
}

impl<T: AsRef<str>> New<'_, T> {
    /// Its bytes (§8.2).
    pub fn write(&self, seen: &Seen) -> Vec<u8> {
        let updated = quote(&stamp(self.updated));
        let mut members =
            vec![("session_id", quote(self.session)), ("created_at", quote(&stamp(self.created)))];
        members.push(("updated_at", updated.clone()));
        members.extend(self.user_id.map(|user| ("user_id", quote(user))));
        members.push(("agent_ids", quote_all(self.agent_ids)));
        members.push(("metadata", self.metadata.to_owned()));
        members.push((STATISTICS, seen.statistics(&updated)));
        members.push(("version", quote("1.0")));
        (pretty(&members, 0) + "\n").into_bytes()
    }
}
