//! A session's `metadata.json` (§3.2).

use std::path::Path;

use super::index_check::EntryLog;
use super::{config, layout};
use crate::format::field_reader::{FieldReader, Need};
use crate::model::{Code, Document, Moment, PathText, Problem, Severity};
use crate::text::json::Json;

/// Checks the document without other files.
pub fn check(object: Json<'_>, path: &Path, now: Moment) -> Vec<Problem> {
    let mut fields = FieldReader::new(object, now);
    let id = fields.text("session_id", Need::Required);
    let folder = layout::session_of(path).map(|name| name.to_text().into_owned());
    if let (Some(id), Some(folder)) = (id, folder)
        && id != folder
    {
        let message = format!("`session_id` is {id:?}, and the folder is named {folder:?}.");
        fields.fault(Code::UnexpectedPlace, Severity::Warning, message);
    }
    fields.moment("created_at", Need::Optional);
    fields.moment("last_accessed", Need::Optional);
    fields.count("total_entries", Need::Optional);
    fields.count("total_size_bytes", Need::Optional);
    let version = object.get("version").filter(|v| !matches!(&*v.plain(), "1" | "1.0" | "1.0.0"));
    if let Some(version) = version {
        let message = format!("The metadata names version {:?}; this format has 1.", version.plain());
        fields.fault(Code::UnsupportedVersion, Severity::Warning, message);
    }
    let mut problems = fields.into_problems(path);
    problems.extend(config::check_session(object, path));
    problems
}

/// The counts of a session's live entries, as the metadata has them.
pub struct EntryCounts {
    pub total: u64,
    /// The numbers by the words of `statistics`.
    pub by_kind: [(&'static str, u64); 4],
    /// Accepted values of `total_size_bytes`: the log's length, and that of all that counts toward the limit.
    pub sizes: [u64; 2],
}

impl EntryCounts {
    /// Counts the entries of a log. `size` is what counts toward the limit.
    pub fn of(log: Option<&Document>, entries: &EntryLog<'_>, size: u64) -> Self {
        let by_kind = ["conversations", "decisions", "findings", "preferences"].map(|name| (name, 0));
        let mut counts = EntryCounts { total: 0, by_kind, sizes: [log.map_or(0, |log| log.len), size] };
        let views = log.into_iter().flat_map(|log| &log.records).filter_map(|record| record.memory());
        for memory in views.filter(|memory| !entries.is_deleted(memory)) {
            counts.total += 1;
            let own = |(name, _): &&mut (&str, u64)| name.strip_suffix('s') == Some(memory.kind());
            counts.by_kind.iter_mut().find(own).into_iter().for_each(|(_, count)| *count += 1);
        }
        counts
    }
}

pub fn check_counts(object: Json<'_>, path: &Path, counts: &EntryCounts) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut compare = |names: &[&str], accepted: &[f64], severity| {
        let Some(stored) = object.path(names).and_then(|value| value.number()) else { return };
        if !accepted.contains(&stored) {
            let name = names.join(".");
            let message = format!("`{name}` says {stored}; there are {}.", accepted[0]);
            problems.push(Problem::of_file(Code::CountMismatch, severity, path, message));
        }
    };
    compare(&["total_entries"], &[counts.total as f64], Severity::Warning);
    for (name, count) in counts.by_kind {
        compare(&["statistics", name], &[count as f64], Severity::Warning);
    }
    compare(&["total_size_bytes"], &counts.sizes.map(|size| size as f64), Severity::Note);
    problems
}
