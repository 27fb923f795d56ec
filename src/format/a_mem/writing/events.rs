//! Events that are added to the log (§3).

use std::path::PathBuf;

use super::parts;
use crate::format::a_mem::write::{NewEvent, new_event};
use crate::format::writing::{Draft, Members, Refusal, Scene, document, uuid};
use crate::model::{Change, Moment, Zone};
use crate::text::edit;
use crate::text::scan::Tape;

/// The members of an event (§3.1).
const MEMBERS: [&str; 7] =
    ["timestamp", "trace_id", "status", "schema_version", "event_type", "source", "metadata"];
/// What an event is that is added without saying what it is.
const NOTED: &str = "user.noted";

/// Adds an event to the log of its month and to the file of its trace.
pub fn add(scene: &Scene<'_>, draft: &Draft<'_>) -> Result<Vec<Change>, Refusal> {
    if !draft.tags.is_empty() || draft.importance.is_some() {
        return Err(Refusal::unfit("events have neither tags nor importance."));
    }
    let members = Members::of(draft.record)?;
    if let Some(name) = members.names().find(|name| !MEMBERS.contains(name)) {
        let message =
            format!("an event has no member {name:?}; what is its own alone belongs into `metadata`.");
        return Err(Refusal::invalid(message));
    }
    if members.text("schema_version")?.is_some_and(|version| version != "1.0") {
        return Err(Refusal::invalid("`schema_version` has to be 1.0."));
    }
    let text = |name: &str, or: &str| Ok::<_, Refusal>(members.text(name)?.unwrap_or_else(|| or.to_owned()));
    let status = text("status", "success")?;
    let metadata = metadata(&members, &status, draft.text)?;
    let event = NewEvent {
        event_type: &text("event_type", NOTED)?,
        status: &status,
        source: &text("source", "palimp")?,
        trace_id: &text("trace_id", draft.session.unwrap_or(&uuid(scene.random)))?,
        metadata: Some(&metadata),
    };
    logged(scene, event, when(&members, scene.now)?)
}

/// The changes that log an event.
pub fn logged(scene: &Scene<'_>, event: NewEvent<'_>, when: Moment) -> Result<Vec<Change>, Refusal> {
    let lines = new_event(&parts(scene.store), event, when)?;
    let append = |(path, line): (PathBuf, String)| {
        let current = document(&scene.store.documents, &path).map(|own| own.bytes.clone());
        Change::append(path, line, current)
    };
    Ok(lines.into_iter().map(append).collect())
}

fn when(members: &Members, now: Moment) -> Result<Moment, Refusal> {
    let Some(text) = members.text("timestamp")? else { return Ok(now) };
    match Moment::parse(&text) {
        Some((when, Zone::Given)) if when <= now => Ok(when),
        Some((_, Zone::Given)) => Err(Refusal::invalid(format!("`timestamp` lies in the future: {text}."))),
        _ => {
            Err(Refusal::invalid(format!("`timestamp` is {text:?}, not an ISO 8601 timestamp with a zone.")))
        }
    }
}

/// The metadata with the text in it, where the reader looks for words.
fn metadata(members: &Members, status: &str, text: Option<&str>) -> Result<String, Refusal> {
    let own = members.get("metadata").unwrap_or("{}").to_owned();
    let Some(text) = text else { return Ok(own) };
    let mut tape = Tape::default();
    let object = edit::scan(&mut tape, own.as_bytes())?;
    // Those come before it where the reader looks for what an event is known by.
    if let Some(name) = ["error", "error_message", "note"].iter().find(|name| object.get(name).is_some()) {
        let message = format!("`metadata.{name}` says already what happened; leave out the text.");
        return Err(Refusal::invalid(message));
    }
    let name = if status == "failure" { "error" } else { "note" };
    let set = edit::set(own.as_bytes(), &[name], &edit::quoted(text))?;
    Ok(String::from_utf8_lossy(&set).into_owned())
}
