//! Events, sources, and the manifests of archived batches.

use std::borrow::Cow;
use std::path::Path;

use super::bundle::{self, Item};
use crate::format::fields::{Fields, Need};
use crate::format::reading::{self, Reading, whole_value};
use crate::model::{Code, Moment, Problem, Reference, Severity, View};
use crate::text::json::Kind;
use crate::text::scan::Tape;

const KINDS: [&str; 2] = ["tool_run", "imported_session"];
const SIGNALS: [&str; 5] = ["decisions", "gotchas", "nextStepHints", "keyPaths", "validationObservations"];
/// The source of the tool's own runs; it stands in no registry.
const LOCAL: &str = "agent-memory.local";

/// Reads a log of events.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    reading::read_lines(path, bytes, now, &|fields, _| event(fields))
}

fn event(fields: &mut Fields<'_>) -> View {
    let id = bundle::filled(fields, "id");
    let kind = fields.word("kind", Need::Required, &KINDS);
    let source = bundle::filled(fields, "sourceId");
    fields.text("externalItemId", Need::Optional);
    bundle::filled(fields, "contentHash");
    bundle::filled(fields, "summary");
    fields.text("sourceRef", Need::Required);
    fields.within("signals", Need::Required, |signals| {
        SIGNALS.iter().for_each(|name| {
            signals.texts(name, Need::Required);
        });
    });
    let registered = source.iter().filter(|source| *source != LOCAL);
    View {
        id: id.map(Into::into),
        kind: match kind.as_deref() {
            Some("tool_run") => Cow::Borrowed("tool_run"),
            Some("imported_session") => Cow::Borrowed("imported_session"),
            other => Cow::Owned(other.unwrap_or("unknown").to_owned()),
        },
        created: fields.moment("createdAt", Need::Required),
        importance: 0.5,
        references: registered.map(|source| Reference::to_record("sourceId", source.as_ref())).collect(),
        facets: source.iter().map(|source| ("source", source.as_ref().into())).collect(),
        ..View::default()
    }
}

/// Reads `sources.json`: an array, each item a record.
pub fn read_sources(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let body = reading::without_mark(bytes);
    let mut tape = Tape::default();
    let items: Result<Vec<Item<'_>>, (usize, String)> = whole_value(&mut tape, body).and_then(|value| {
        let list = if value.kind() == Kind::Array { Some(value) } else { value.get("sources") };
        let Some(list) = list else { return Err((0, "The file should hold an array of sources.".into())) };
        Ok(list.items().map(|item| Item { kind: "source", value: item, created: None }).collect())
    });
    match items {
        Ok(items) => bundle::records(path, bytes, now, items),
        Err((at, why)) => {
            let line = 1 + reading::feeds(&body[..at.min(body.len())]);
            let problem = Problem::of_file(Code::BadJson, Severity::Error, path, why);
            bundle::broken(bytes, problem.at_line(line))
        }
    }
}

/// Views a source of the registry.
pub fn source(fields: &mut Fields<'_>) -> View {
    let id = bundle::filled(fields, "id");
    let mut facets: Vec<(&'static str, Box<str>)> = Vec::new();
    let kind = bundle::filled(fields, "type");
    facets.extend(kind.map(|kind| ("provider", kind.into())));
    facets.extend(bundle::filled(fields, "path").map(|path| ("path", path.into())));
    let status = fields.text("lastSyncStatus", Need::Optional);
    facets.extend(status.map(|status| ("status", status.into())));
    facets.extend(id.iter().map(|id| ("source", id.as_ref().into())));
    fields.text("lastSyncError", Need::Optional);
    fields.count("lastImportedCount", Need::Optional);
    fields.moment("updatedAt", Need::Required);
    View {
        id: id.map(Into::into),
        created: fields.moment("createdAt", Need::Required),
        accessed: fields.moment("lastSyncedAt", Need::Optional),
        facets: facets.into(),
        ..View::default()
    }
}

/// Reads the manifest of an archived batch: one record.
pub fn read_manifest(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let batch = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    reading::read_document(path, bytes, now, &|fields, _| {
        let created = ["createdAt", "archivedAt", "generatedAt"].iter().find_map(|name| {
            fields.object().get(name)?;
            fields.moment(name, Need::Optional)
        });
        View {
            id: Some(batch.as_str().into()),
            kind: Cow::Borrowed("manifest"),
            created,
            importance: 0.5,
            ..View::default()
        }
    })
}
