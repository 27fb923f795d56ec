//! Checks the manifest of a session (§3.1), and of an archived one (§8.3).

use std::path::Path;

use super::layout;
use crate::format::field_reader::{FieldReader, Need};
use crate::format::record_reader::with_object;
use crate::model::{Code, Document, Moment, Problem, Severity};
use crate::text::json::Json;

/// Returns the problems of a manifest by itself.
pub fn check(object: Json<'_>, path: &Path, now: Moment) -> Vec<Problem> {
    let mut fields = FieldReader::new(object, now);
    let own = fields.text("session_id", Need::Required);
    let session = layout::session_of(path);
    if let (Some(own), Some((session, _))) = (own, &session)
        && own != session.as_str()
    {
        let message = format!("`session_id` is {own:?}, and the session is {session:?}.");
        fields.fault(Code::UnexpectedPlace, Severity::Warning, message);
    }
    fields.moment("created_at", Need::Required);
    fields.moment("updated_at", Need::Required);
    fields.text("user_id", Need::Optional);
    fields.texts("agent_ids", Need::Required);
    fields.within("metadata", Need::Optional, |metadata| {
        metadata.tags("tags", Need::Optional, 0, usize::MAX);
    });
    fields.within("statistics", Need::Required, |statistics| {
        for (name, _) in RecordCounts::default().named() {
            statistics.count(name, Need::Required);
        }
        statistics.moment("last_accessed", Need::Optional);
    });
    if let Some(version) = fields.text("version", Need::Required).filter(|version| version != "1.0") {
        let message = format!("The manifest names version {version:?}; this format has \"1.0\".");
        fields.fault(Code::UnsupportedVersion, Severity::Warning, message);
    }
    if session.is_some_and(|(_, archived)| archived) {
        fields.moment("archived_at", Need::Required);
        fields.count("original_size_bytes", Need::Optional);
        fields.count("compressed_size_bytes", Need::Optional);
    }
    fields.into_problems(path)
}

pub fn moment(manifest: &Document, name: &str) -> Option<Moment> {
    with_object(&manifest.bytes, |object| object.get(name)?.moment())?
}

const COUNTED: [(&str, &str); 3] =
    [("total_messages", "conversation"), ("total_decisions", "decision"), ("total_findings", "finding")];
const SIZE: &str = "size_bytes";

/// Counts of a session's records and bytes.
#[derive(Debug, Default)]
pub struct RecordCounts {
    /// Messages, decisions and findings that can be read.
    pub records: [u64; 3],
    /// The bytes of the logs, and of the whole session.
    pub sizes: [u64; 2],
}

impl RecordCounts {
    /// Counts the records of a session with these logs. `size` is the number of bytes in all its files.
    pub fn of<'a>(logs: impl Iterator<Item = &'a Document> + Clone, size: u64) -> RecordCounts {
        let count = |kind: &str| {
            let own = logs.clone().filter(|log| layout::kind_of(&log.path) == kind);
            own.flat_map(|log| &log.records).filter(|record| record.memory().is_some()).count() as u64
        };
        RecordCounts {
            records: COUNTED.map(|(_, kind)| count(kind)),
            sizes: [logs.map(|log| log.len).sum(), size],
        }
    }

    /// Returns the members of the statistics.
    pub fn named(&self) -> [(&'static str, u64); 4] {
        let ([messages, decisions, findings], [a, b, c]) = (COUNTED.map(|(name, _)| name), self.records);
        [(messages, a), (decisions, b), (findings, c), (SIZE, self.sizes[0])]
    }
}

/// Returns a problem for each count in a manifest that differs from the logs.
pub fn check_counts(object: Json<'_>, path: &Path, counts: &RecordCounts) -> Vec<Problem> {
    let Some(statistics) = object.get("statistics") else { return Vec::new() };
    let stored = |name: &str| statistics.get(name).and_then(|value| value.count());
    let mut problems = Vec::new();
    for ((name, _), found) in COUNTED.iter().zip(counts.records) {
        if let Some(stored) = stored(name).filter(|stored| *stored != found) {
            let message = format!("`statistics.{name}` is {stored}, and the logs hold {found}.");
            problems.push(Problem::of_file(Code::CountMismatch, Severity::Warning, path, message));
        }
    }
    if let Some(size) = stored(SIZE).filter(|size| !counts.sizes.contains(size)) {
        let message =
            format!("`statistics.size_bytes` is {size}, and the logs have {} bytes.", counts.sizes[0]);
        problems.push(Problem::of_file(Code::CountMismatch, Severity::Note, path, message));
    }
    problems
}
