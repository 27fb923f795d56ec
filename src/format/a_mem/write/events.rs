//! Adds events to the log (§3).

use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::field_values::{check_file_name, one_of, timestamp};
use crate::format::a_mem::event::STATUSES;
use crate::format::a_mem::layout;
use crate::format::writing::{
    AppendContext, AppendLines, ChangesResult, RecordDraft, RecordMembers, Refusal, Result, WriteContext,
    document, uuid,
};
use crate::format::{AssemblyInput, Placement};
use crate::model::{Change, Moment, Record, Role, Store, Zone};
use crate::text::json::JsonKind;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// The members of an event (§3.1).
const MEMBERS: [&str; 7] =
    ["timestamp", "trace_id", "status", "schema_version", "event_type", "source", "metadata"];
/// The type of an event that is added without a type.
const NOTED: &str = "user.noted";

/// Adds an event to the log of its month and to the file of its trace.
pub fn add(context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
    with_event(draft, context.random, |members, event| logged(context, event, when(members, context.now)?))
}

/// Returns the lines of an event for the month's log and the trace's file. `None` if the store has
/// no folder for that month with `traces/` beside the log.
pub fn appended(context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
    with_event(draft, context.random, |members, event| {
        // With a given time, equal events may exist. The key depends on their number, which needs the log.
        if members.get("timestamp").is_some() {
            return Ok(None);
        }
        let month = Path::new("events").join(context.now.to_pattern("%Y-%m"));
        let (log, traces) = (month.join("events.jsonl"), month.join("traces"));
        if !matches!(context.lookup.len(&log), Ok(Some(_))) || !context.lookup.is_folder(&traces) {
            return Ok(None);
        }
        let line = line_of(&event, context.now)?;
        let trace = trace_file(&traces, event.trace_id)?;
        Ok(Some(vec![(log, line.clone().into_bytes()), (trace, line.into_bytes())]))
    })
}

/// Calls `take` with the members that a draft has, and the event that it and defaults make.
fn with_event<T>(
    draft: &RecordDraft<'_>,
    random: [u8; 16],
    take: impl FnOnce(&RecordMembers, NewEvent<'_>) -> Result<T>,
) -> Result<T> {
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
    let text = |name: &str, or: &str| Ok::<_, Refusal>(members.text(name)?.unwrap_or_else(|| or.to_owned()));
    let status = &*text("status", "success")?;
    let metadata = &*metadata(&members, status, draft.text)?;
    let event = NewEvent {
        event_type: &text("event_type", NOTED)?,
        status,
        source: &text("source", "palimp")?,
        trace_id: &text("trace_id", draft.session.unwrap_or(&uuid(random)))?,
        metadata: Some(metadata),
    };
    take(&members, event)
}

/// Returns the changes that add an event to its files.
pub fn logged(context: &WriteContext<'_>, event: NewEvent<'_>, when: Moment) -> ChangesResult {
    let lines = new_event(&parts(context.store), event, when)?;
    let append = |(path, line): (PathBuf, String)| {
        let current = document(&context.store.documents, &path).map(|own| own.bytes.clone());
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

fn metadata(members: &RecordMembers, status: &str, text: Option<&str>) -> Result<String> {
    let own = members.get("metadata").unwrap_or("{}").to_owned();
    let Some(text) = text else { return Ok(own) };
    let mut tape = Tape::default();
    let object = json_edit::scan(&mut tape, own.as_bytes())?;
    // The reader shows only one of these members.
    if let Some(name) = ["error", "error_message", "note"].iter().find(|name| object.get(name).is_some()) {
        let message = format!("`metadata.{name}` already says what happened; leave out the text.");
        return Err(Refusal::invalid(message));
    }
    let name = if status == "failure" { "error" } else { "note" };
    let set = json_edit::set(own.as_bytes(), &[name], &json_edit::quoted(text))?;
    Ok(String::from_utf8_lossy(&set).into_owned())
}

#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// Namespace and action, for example `agent.knowledge_learned`.
    pub event_type: &'a str,
    /// `success`, `failure`, `pending` or `timeout`.
    pub status: &'a str,
    /// The program or agent that reports the event.
    pub source: &'a str,
    /// The workflow of the event.
    pub trace_id: &'a str,
    /// A JSON object; `None` means an empty one.
    pub metadata: Option<&'a str>,
}

/// Returns the line of an event, with its line end, for the log and for the file of its trace. Fails if the format
/// does not allow a value, or the trace can't be a file name.
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

/// The number of records at the end of a log that are searched for an event of palimp.
const LAST: usize = 64;

/// Returns the change that adds palimp's event of this type, logged at `since` or later, to its
/// trace's file: a killed process may have written only the log. `None` if no such event was logged.
pub fn missing_in_trace(
    context: &WriteContext<'_>,
    event_type: &str,
    since: Moment,
) -> Result<Option<Vec<Change>>> {
    let store = context.store;
    let log = log(&parts(store), &context.now.to_pattern("%Y-%m"));
    let Some(document) = document(&store.documents, &log) else { return Ok(None) };
    let raw = |own: &Record| document.raw(own).into_owned();
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
    let missing = || Change::append(trace, [line.trim_ascii_end(), b"\n"].concat(), current);
    Ok(Some((!is_there).then(missing).into_iter().collect()))
}

fn trace_file(traces: &Path, id: &str) -> Result<PathBuf> {
    check_file_name("trace_id", id, !matches!(id, "." | ".."))?;
    let file = traces.join(format!("{id}.jsonl"));
    match layout::place(&file, false) {
        Placement::File(Role::Records) => Ok(file),
        _ => Err(Refusal::bad_value("trace_id", id, "its file would be mistaken for another kind")),
    }
}

fn line_of(event: &NewEvent<'_>, now: Moment) -> Result<String> {
    one_of("status", event.status, &STATUSES)?;
    for (field, value) in [("event_type", event.event_type), ("source", event.source)] {
        if value.trim().is_empty() {
            return Err(Refusal::bad_value(field, value, "it can't be empty"));
        }
    }
    let metadata = event.metadata.unwrap_or("{}").trim();
    let mut tape = Tape::default();
    if !json_edit::scan(&mut tape, metadata.as_bytes()).is_ok_and(|own| own.kind() == JsonKind::Object) {
        return Err(Refusal::bad_value("metadata", metadata, "it should be a JSON object"));
    }
    // In valid JSON, line breaks are only between tokens.
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

/// Returns the names in a path. A name that is not UTF-8 becomes empty: the format has no such name.
pub fn names(path: &Path) -> Vec<&str> {
    path.iter().map(|part| part.to_str().unwrap_or_default()).collect()
}

pub fn is_month(name: &str) -> bool {
    name.len() == 7 && first_day(name).is_some()
}

pub fn first_day(month: &str) -> Option<NaiveDate> {
    crate::model::time::day(&format!("{month}-01"))
}

/// Returns the log of the month: in the month's folder, or below `events/` in stores without such folders.
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

/// Returns the folder for files of traces: beside the log, or `traces/` at the root.
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

/// Returns the store's files in the form that functions for derived files need.
pub fn parts(store: &Store) -> AssemblyInput<'_> {
    AssemblyInput::of(&store.documents, &[])
}
