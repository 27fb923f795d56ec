//! Events (§3.1), and summaries of traces, which real writers keep.

use std::borrow::Cow;
use std::path::Path;

use crate::format::field_reader::{FieldReader, Need};
use crate::format::format_trait::is_text;
use crate::format::record_reader::{self, Reading};
use crate::model::{Code, Moment, Name, NameKind, Reference, Severity, StoredMemory};
use crate::text::json::{Json, JsonKind};
use crate::text::names;

pub(super) const STATUSES: [&str; 4] = ["success", "failure", "pending", "timeout"];

/// Members that say in words what happened. The first that exists counts.
const SAYS: [&str; 9] = names(
    "description summary message metadata.error metadata.error_message metadata.note metadata.task \
     metadata.tool_name metadata.script",
);

pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    record_reader::read_lines(path, bytes, now, &|fields, _| memory(fields))
}

fn memory(fields: &mut FieldReader<'_>) -> StoredMemory {
    let is_trace = fields.object().get("events").is_some() && fields.object().get("event_type").is_none();
    let time = if is_trace { "start_time" } else { "timestamp" };
    let created = fields.moment(time, Need::Required);
    let trace = fields.text("trace_id", Need::Required);
    let kind = fields.text("event_type", if is_trace { Need::Optional } else { Need::Required });
    let mut facets = facets(fields, is_trace);
    facets.extend(trace.iter().map(|trace| ("trace", trace.as_ref().into())));
    let mut references: Vec<Reference<'static>> = fields.references("events", Need::Optional).into_vec();
    references.extend(fields.references("knowledge_generated", Need::Optional));
    // The note that an `agent.knowledge_learned` event made (§3.2).
    let learned = fields.object().path(&["metadata", "note_id"]).and_then(|note| note.text());
    references.extend(learned.map(|note| Reference::to_record("note_id", note)));
    StoredMemory {
        id: fields.text("event_id", Need::Optional).map(Into::into),
        kind: Cow::Borrowed("event"),
        created,
        importance: 0.5,
        tags: fields.tags("tags", Need::Optional, 0, usize::MAX),
        topic: kind.map(Into::into),
        references: references.into(),
        names: trace.iter().map(|trace| Name { of: NameKind::Trace, text: trace.as_ref().into() }).collect(),
        facets: facets.into(),
        ..StoredMemory::default()
    }
}

fn facets(fields: &mut FieldReader<'_>, is_trace: bool) -> Vec<(&'static str, Box<str>)> {
    let need = if is_trace { Need::Optional } else { Need::Required };
    let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
    match fields.object().get("outcome") {
        Some(outcome) if fields.object().get("status").is_none() => {
            facets.extend(outcome.text().map(|outcome| ("status", outcome.into())));
        }
        _ => facets.extend(fields.word("status", need, &STATUSES).map(|status| ("status", status.into()))),
    }
    let version = fields.text("schema_version", need);
    if let Some(version) = version.filter(|version| version != "1.0" && !version.starts_with("1.")) {
        let message = format!("`schema_version` is {version:?}; this format has 1.0.");
        fields.fault(Code::UnsupportedVersion, Severity::Warning, message);
    }
    facets.extend(fields.text("source", need).map(|source| ("source", source.into())));
    fields.of_kind("metadata", Need::Optional, JsonKind::Object);
    let agents = [fields.object().get("actor"), fields.object().path(&["metadata", "agent_name"])];
    facets.extend(agents.into_iter().flatten().filter_map(|agent| Some(("agent", agent.text()?.into()))));
    facets
}

/// Returns what happened, in one line, with the event's own words.
pub fn main_text(event: Json<'_>) -> (String, Vec<&'static str>) {
    let word = |name: &str| event.get(name).and_then(|value| value.text());
    let what = word("event_type").or_else(|| word("action"));
    let how = word("status").or_else(|| word("outcome"));
    let says = words(event);
    let head: Vec<&str> = [what.as_deref(), how.as_deref()].into_iter().flatten().collect();
    let text = match (head.is_empty(), says) {
        (false, Some(says)) => format!("{} · {says}", head.join(" ")),
        (false, None) => head.join(" "),
        (true, Some(says)) => says.into_owned(),
        (true, None) => event.plain(),
    };
    (text, Vec::new())
}

fn words<'a>(event: Json<'a>) -> Option<Cow<'a, str>> {
    let member = |name: &&str| match name.split_once('.') {
        Some((outer, inner)) => event.path(&[outer, inner]),
        None => event.get(name),
    };
    SAYS.iter().filter_map(member).filter_map(|own| own.text()).find(|text| !text.trim().is_empty())
}

/// True if the record says what happened; an outcome alone does not. A profile must name its agent.
pub fn says(record: Json<'_>) -> bool {
    let known = ["event_type", "action", "agent_name"].into_iter();
    let known = known.filter_map(|name| record.get(name).and_then(|own| own.text()));
    known.chain(words(record)).any(|text| is_text(&text))
}
