//! Events that are added, and months that are put away (§3, §8.1).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::{Months, NaiveDate};
use flate2::{Compression, GzBuilder};

use super::super::event::STATUSES;
use super::super::layout;
use super::json_text::{is_json, quote};
use super::{Refused, part_of, timestamp};
use crate::format::{Parts, Placement};
use crate::model::time::DAY;
use crate::model::{Moment, Role};
use crate::text::json::Kind;

/// Events are compressed when they are so many days old (§8.1).
pub const ARCHIVE_AFTER_DAYS: u32 = 30;

/// The longest trace id, in bytes: it is part of a file's name.
const TRACE: usize = 200;

/// An event as it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// Namespace and action: `agent.knowledge_learned`.
    pub event_type: &'a str,
    /// `success`, `failure`, `pending` or `timeout`.
    pub status: &'a str,
    /// Who says so.
    pub source: &'a str,
    /// The workflow that it belongs to.
    pub trace_id: &'a str,
    /// A JSON object; an empty one where there is none.
    pub metadata: Option<&'a str>,
}

/// The line of an event and where it is appended: to the log, and to the file of its trace,
/// wherever this store has them. The line has its end.
///
/// # Errors
///
/// If a value is not one that the format has, or the trace can't be the name of a file.
pub fn new_event(
    parts: &Parts<'_>,
    event: NewEvent<'_>,
    now: Moment,
) -> Result<Vec<(PathBuf, String)>, Refused> {
    Refused::unless_one_of("status", event.status, &STATUSES)?;
    for (field, value) in [("event_type", event.event_type), ("source", event.source)] {
        if value.trim().is_empty() {
            return Err(Refused::value(field, value, "it can't be empty"));
        }
    }
    let metadata = event.metadata.unwrap_or("{}").trim();
    if !is_json(metadata, Some(Kind::Object)) {
        return Err(Refused::value("metadata", metadata, "it has to be a JSON object"));
    }
    let month = part_of(now, "%Y-%m");
    let log = log(parts, &month);
    let trace = traces(parts, &log).join(format!("{}.jsonl", trace(event.trace_id)?));
    if layout::place(&trace, false) != Placement::File(Role::Records) {
        return Err(Refused::value("trace_id", event.trace_id, "its file would be taken for another"));
    }
    // Line breaks in JSON that is whole are between its tokens.
    let metadata = metadata.replace(['\n', '\r'], "");
    let line = format!(
        "{{\"timestamp\": {}, \"trace_id\": {}, \"status\": {}, \"schema_version\": \"1.0\", \
         \"event_type\": {}, \"source\": {}, \"metadata\": {metadata}}}\n",
        quote(&timestamp(now)),
        quote(event.trace_id),
        quote(event.status),
        quote(event.event_type),
        quote(event.source),
    );
    Ok(vec![(log, line.clone()), (trace, line)])
}

fn trace(id: &str) -> Result<&str, Refused> {
    let rule = "it names a file: no separators, no control characters, at most 200 bytes";
    let is_name = !id.is_empty() && id.len() <= TRACE && !matches!(id, "." | "..") && id.trim() == id;
    let is_plain = !id.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'));
    if is_name && is_plain { Ok(id) } else { Err(Refused::value("trace_id", id, rule)) }
}

/// The names of a path's folders and file; one that is no text is none that the format gives.
fn names(path: &Path) -> Vec<&str> {
    path.iter().map(|part| part.to_str().unwrap_or_default()).collect()
}

fn is_month(name: &str) -> bool {
    name.len() == 7 && first_day(name).is_some()
}

fn first_day(month: &str) -> Option<NaiveDate> {
    crate::model::time::day(&format!("{month}-01"))
}

/// The log of the month: in a folder of its own, or directly below `events/` in stores
/// that have no such folders.
fn log(parts: &Parts<'_>, month: &str) -> PathBuf {
    let in_folder = PathBuf::from(format!("events/{month}/events.jsonl"));
    let by_month = PathBuf::from(format!("events/{month}.jsonl"));
    let paths = || parts.documents.iter().map(|document| names(&document.path));
    let folders = parts.folders.iter().map(|folder| names(folder));
    let mut all = paths().chain(folders);
    if all.any(|names| matches!(names.as_slice(), ["events", month, ..] if is_month(month))) {
        return in_folder;
    }
    let flat: Vec<&str> = parts
        .documents
        .iter()
        .filter(|document| document.role == Role::Records)
        .filter_map(|document| match names(&document.path).as_slice() {
            ["events", file] => file.strip_suffix(".jsonl"),
            _ => None,
        })
        .collect();
    match flat.as_slice() {
        [] => in_folder,
        [one] if !is_month(one) => PathBuf::from(format!("events/{one}.jsonl")),
        _ if flat.contains(&"events") => PathBuf::from("events/events.jsonl"),
        _ => by_month,
    }
}

/// The folder of the traces' files: beside the log of the month, or where they are.
fn traces(parts: &Parts<'_>, log: &Path) -> PathBuf {
    let beside = log.parent().unwrap_or(Path::new("events")).join("traces");
    let at_top = PathBuf::from("traces");
    let in_months = |path: &Path| matches!(names(path).as_slice(), ["events", .., "traces", _]);
    let documents = || parts.documents.iter().map(|document| document.path.as_path());
    let is_flat = log.parent() == Some(Path::new("events"));
    if documents().any(in_months) {
        return beside;
    }
    let has_top = documents().any(|path| path.starts_with(&at_top)) || parts.folders.contains(&at_top);
    if has_top || is_flat { at_top } else { beside }
}

/// The months of which every event is older than so many days, and that still are
/// uncompressed: the folder of a month, or its log where logs are directly below
/// `events/`.
pub fn archivable_months(parts: &Parts<'_>, now: Moment, days: u32) -> Vec<PathBuf> {
    let until = now.plus(i64::from(days).saturating_mul(-DAY));
    let mut months: Vec<PathBuf> = Vec::new();
    for document in parts.documents.iter().filter(|document| document.role == Role::Records) {
        let month = match names(&document.path).as_slice() {
            ["events", month, "events.jsonl"] if is_month(month) => document.path.parent(),
            ["events", file] if file.strip_suffix(".jsonl").is_some_and(is_month) => Some(&*document.path),
            _ => None,
        };
        months.extend(month.map(Path::to_owned));
    }
    months.retain(|month| {
        let name = month.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let next =
            first_day(name.trim_end_matches(".jsonl")).and_then(|day| day.checked_add_months(Months::new(1)));
        let is_over = next.and_then(Moment::start_of).is_some_and(|end| end <= until);
        is_over
            && !live_logs(parts, month).any(|document| {
                let times = document.records.iter().filter_map(|record| record.view()?.created);
                times.max().is_some_and(|newest| newest > until)
            })
    });
    months
}

/// The month that a log or a trace belongs to, compressed or not, as [`archivable_months`]
/// names it.
pub fn month_of(path: &Path) -> Option<PathBuf> {
    match names(path).as_slice() {
        ["events", month, _, ..] if is_month(month) => Some(Path::new("events").join(month)),
        ["events", file] => {
            let log = file.strip_suffix(".gz").unwrap_or(file);
            log.strip_suffix(".jsonl").is_some_and(is_month).then(|| Path::new("events").join(log))
        }
        _ => None,
    }
}

/// The uncompressed files of a month, as [`archivable_months`] names it: its log and its
/// traces. Each is replaced by one of the same name with `.gz` behind it; where that is
/// there already, the new one is added to its end.
pub fn logs_of_month(parts: &Parts<'_>, month: &Path) -> Vec<PathBuf> {
    live_logs(parts, month).map(|document| document.path.clone()).collect()
}

fn live_logs<'a>(parts: &Parts<'a>, month: &'a Path) -> impl Iterator<Item = &'a crate::model::Document> {
    let documents = parts.documents.iter().map(|document| &**document);
    documents.filter(move |document| document.role == Role::Records && document.path.starts_with(month))
}

/// The bytes compressed, the same for the same bytes at any time.
///
/// # Errors
///
/// None that memory can give; nothing is returned rather than a part.
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
}
