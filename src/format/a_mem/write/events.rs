//! Events that are added to the log (§3).

use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::{bad_value, one_of, parts, timestamp};
use crate::format::a_mem::event::STATUSES;
use crate::format::a_mem::layout;
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, RecordDraft, RecordMembers, Refusal, Result, WriteContext,
    document, uuid,
};
use crate::format::{AssemblyInput, Placement};
use crate::model::bytes::Ranges;
use crate::model::{Change, Moment, Record, Role, Zone};
use crate::text::json::JsonKind;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// The members of an event (§3.1).
const MEMBERS: [&str; 7] =
    ["timestamp", "trace_id", "status", "schema_version", "event_type", "source", "metadata"];
/// What an event is that is added without saying what it is.
const NOTED: &str = "user.noted";

/// Adds an event to the log of its month and to the file of its trace.
pub fn add(scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
    let own = EventFields::of(draft, scene.random)?;
    logged(scene, own.event(), when(&own.members, scene.now)?)
}

/// The lines of an event for the log of its month and the file of its trace, where both are known: in a
/// store that has a folder for that month, with its traces beside the log.
pub fn appended(scene: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
    let own = EventFields::of(draft, scene.random)?;
    // An event of a time that is given may be there already: its key says how many are alike.
    if own.members.get("timestamp").is_some() {
        return Ok(None);
    }
    let month = Path::new("events").join(scene.now.to_pattern("%Y-%m"));
    let (log, traces) = (month.join("events.jsonl"), month.join("traces"));
    if !matches!(scene.lookup.len(&log), Ok(Some(_))) || !scene.lookup.is_folder(&traces) {
        return Ok(None);
    }
    let line = line_of(&own.event(), scene.now)?;
    let trace = trace_file(&traces, &own.trace_id)?;
    Ok(Some(vec![(log, line.clone().into_bytes()), (trace, line.into_bytes())]))
}

/// What a draft says of an event, and what it gets where it says nothing.
struct EventFields {
    members: RecordMembers,
    event_type: String,
    status: String,
    source: String,
    trace_id: String,
    metadata: String,
}

impl EventFields {
    fn of(draft: &RecordDraft<'_>, random: [u8; 16]) -> Result<EventFields> {
        if !draft.tags.is_empty() || draft.importance.is_some() {
            return Err(Refusal::unfit("events have neither tags nor importance."));
        }
        let members = RecordMembers::of(draft.record)?;
        if let Some(name) = members.names().find(|name| !MEMBERS.contains(name)) {
            let message = format!("an event has no field {name:?}; put your own fields into `metadata`.");
            return Err(Refusal::invalid(message));
        }
        if members.text("schema_version")?.is_some_and(|version| version != "1.0") {
            return Err(Refusal::invalid("`schema_version` should be 1.0."));
        }
        let text =
            |name: &str, or: &str| Ok::<_, Refusal>(members.text(name)?.unwrap_or_else(|| or.to_owned()));
        let status = text("status", "success")?;
        Ok(EventFields {
            metadata: metadata(&members, &status, draft.text)?,
            event_type: text("event_type", NOTED)?,
            source: text("source", "palimp")?,
            trace_id: text("trace_id", draft.session.unwrap_or(&uuid(random)))?,
            status,
            members,
        })
    }

    fn event(&self) -> NewEvent<'_> {
        NewEvent {
            event_type: &self.event_type,
            status: &self.status,
            source: &self.source,
            trace_id: &self.trace_id,
            metadata: Some(&self.metadata),
        }
    }
}

/// The changes that log an event.
pub fn logged(scene: &WriteContext<'_>, event: NewEvent<'_>, when: Moment) -> ChangesResult {
    let lines = new_event(&parts(scene.store), event, when)?;
    let append = |(path, line): (PathBuf, String)| {
        let current = document(&scene.store.documents, &path).map(|own| own.bytes.clone());
        Change::append(path, line, current)
    };
    Ok(lines.into_iter().map(append).collect())
}

fn when(members: &RecordMembers, now: Moment) -> Result<Moment> {
    let Some(text) = members.text("timestamp")? else { return Ok(now) };
    match Moment::parse(&text) {
        Some((when, Zone::Given)) if when <= now => Ok(when),
        Some((_, Zone::Given)) => Err(Refusal::invalid(format!("`timestamp` is in the future: {text}."))),
        _ => {
            Err(Refusal::invalid(format!("`timestamp` is {text:?}, not an ISO 8601 timestamp with a zone.")))
        }
    }
}

/// The metadata with the text in it, where the reader looks for words.
fn metadata(members: &RecordMembers, status: &str, text: Option<&str>) -> Result<String> {
    let own = members.get("metadata").unwrap_or("{}").to_owned();
    let Some(text) = text else { return Ok(own) };
    let mut tape = Tape::default();
    let object = json_edit::scan(&mut tape, own.as_bytes())?;
    // Those come before it where the reader looks for what an event is known by.
    if let Some(name) = ["error", "error_message", "note"].iter().find(|name| object.get(name).is_some()) {
        let message = format!("`metadata.{name}` already says what happened; leave out the text.");
        return Err(Refusal::invalid(message));
    }
    let name = if status == "failure" { "error" } else { "note" };
    let set = json_edit::set(own.as_bytes(), &[name], &json_edit::quoted(text))?;
    Ok(String::from_utf8_lossy(&set).into_owned())
}

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
    parts: &AssemblyInput<'_>,
    event: NewEvent<'_>,
    now: Moment,
) -> Result<Vec<(PathBuf, String)>> {
    let line = line_of(&event, now)?;
    let log = log(parts, &now.to_pattern("%Y-%m"));
    let trace = trace_file(&traces(parts, &log), event.trace_id)?;
    Ok(vec![(log, line.clone()), (trace, line)])
}

/// How many of the last records of a log are looked at for an event of palimp.
const LAST: usize = 64;

/// The change that adds the event of that type, which palimp logged `since` then, to the file of its trace; `None`
/// if it is there. A process that is killed may write to the log alone.
pub fn missing_in_trace(scene: &WriteContext<'_>, event_type: &str, since: Moment) -> Result<Option<Change>> {
    let store = scene.store;
    let log = log(&parts(store), &scene.now.to_pattern("%Y-%m"));
    let Some(document) = document(&store.documents, &log) else { return Ok(None) };
    let raw = |own: &Record| document.bytes.at(own.span.start as usize..own.span.end as usize).into_owned();
    let event = |own: &Record| {
        let line = raw(own);
        let value: serde_json::Value = serde_json::from_slice(&line).ok()?;
        let when = Moment::parse(value["timestamp"].as_str()?)?.0;
        let is_it = value["event_type"] == event_type && value["source"] == "palimp" && when >= since;
        is_it.then(|| Some((value["trace_id"].as_str()?.to_owned(), line))).flatten()
    };
    let Some((id, line)) = document.records.iter().rev().take(LAST).find_map(event) else { return Ok(None) };
    let trace = trace_file(&traces(&parts(store), &log), &id)?;
    let file = store.document_at(&trace);
    let is_there = file.is_some_and(|own| !own.records.is_empty());
    let current = file.map(|own| own.bytes.clone());
    Ok((!is_there).then(|| Change::append(trace, [line.trim_ascii_end(), b"\n"].concat(), current)))
}

/// The file of a trace in the folder of traces.
fn trace_file(traces: &Path, id: &str) -> Result<PathBuf> {
    let file = traces.join(format!("{}.jsonl", trace(id)?));
    match layout::place(&file, false) {
        Placement::File(Role::Records) => Ok(file),
        _ => Err(bad_value("trace_id", id, "its file would be mistaken for another kind")),
    }
}

/// The line of an event, with its end.
fn line_of(event: &NewEvent<'_>, now: Moment) -> Result<String> {
    one_of("status", event.status, &STATUSES)?;
    for (field, value) in [("event_type", event.event_type), ("source", event.source)] {
        if value.trim().is_empty() {
            return Err(bad_value(field, value, "it can't be empty"));
        }
    }
    let metadata = event.metadata.unwrap_or("{}").trim();
    let mut tape = Tape::default();
    if !json_edit::scan(&mut tape, metadata.as_bytes()).is_ok_and(|own| own.kind() == JsonKind::Object) {
        return Err(bad_value("metadata", metadata, "it should be a JSON object"));
    }
    // Line breaks in JSON that is whole are between its tokens.
    let metadata = metadata.replace(['\n', '\r'], "");
    Ok(format!(
        "{{\"timestamp\": {}, \"trace_id\": {}, \"status\": {}, \"schema_version\": \"1.0\", \
         \"event_type\": {}, \"source\": {}, \"metadata\": {metadata}}}\n",
        json_edit::quoted(&timestamp(now)),
        json_edit::quoted(event.trace_id),
        json_edit::quoted(event.status),
        json_edit::quoted(event.event_type),
        json_edit::quoted(event.source),
    ))
}

fn trace(id: &str) -> Result<&str> {
    let rule = "it names a file: no separators, no control characters, at most 200 bytes";
    let is_name = !id.is_empty() && id.len() <= TRACE && !matches!(id, "." | "..") && id.trim() == id;
    let is_plain = !id.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'));
    if is_name && is_plain { Ok(id) } else { Err(bad_value("trace_id", id, rule)) }
}

/// The names of a path's folders and file; one that is no text is none that the format gives.
pub fn names(path: &Path) -> Vec<&str> {
    path.iter().map(|part| part.to_str().unwrap_or_default()).collect()
}

pub fn is_month(name: &str) -> bool {
    name.len() == 7 && first_day(name).is_some()
}

pub fn first_day(month: &str) -> Option<NaiveDate> {
    crate::model::time::day(&format!("{month}-01"))
}

/// The log of the month: in a folder of its own, or directly below `events/` in stores
/// that have no such folders.
fn log(parts: &AssemblyInput<'_>, month: &str) -> PathBuf {
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
fn traces(parts: &AssemblyInput<'_>, log: &Path) -> PathBuf {
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
