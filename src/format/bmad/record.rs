//! Reads the records of the four logs (§3.2 to §3.5).

use std::borrow::Cow;
use std::path::Path;

use super::layout;
use crate::format::field_reader::{FieldReader, Need};
use crate::format::record_form::RecordForm;
use crate::format::record_reader::{self, Reading};
use crate::model::{Moment, Name, NameKind, PathText, Reference, StoredMemory};
use crate::text::json::{Json, JsonKind};

const LEVELS: [&str; 4] = ["low", "medium", "high", "critical"];
const ROLES: [&str; 4] = ["user", "assistant", "system", "tool"];
const STATUSES: [&str; 6] = ["open", "in_progress", "resolved", "closed", "accepted", "wont_fix"];

type Facet = (&'static str, Box<str>);

/// Reads a log, live or inside an archive, or a shared file (§2.1).
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let read =
        if path.starts_with("shared") { record_reader::read_document } else { record_reader::read_lines };
    read(path, bytes, now, &|fields, _| memory(fields, path))
}

pub fn form(path: &Path, record: &[u8], now: Moment) -> RecordForm {
    record_reader::form(record, now, &|fields, _| memory(fields, path))
}

fn shared(fields: &mut FieldReader<'_>, path: &Path) -> StoredMemory {
    let kind = if path.ends_with("user-preferences.json") { "preference" } else { "knowledge" };
    let stem = path.file_stem().unwrap_or_default().to_text();
    StoredMemory {
        id: fields.text("id", Need::Optional).unwrap_or(stem).into_owned().into_boxed_str().into(),
        kind: Cow::Borrowed(kind),
        created: fields.moment("updated_at", Need::Optional),
        importance: if kind == "preference" { 0.7 } else { 0.5 },
        ..StoredMemory::default()
    }
}

fn memory(fields: &mut FieldReader<'_>, path: &Path) -> StoredMemory {
    if path.starts_with("shared") {
        return shared(fields, path);
    }
    let kind = layout::kind_of(path);
    let id = fields.text("id", Need::Required);
    let created = fields.moment("timestamp", Need::Required);
    // The update of §6.3 writes the boosted factor without a clamp: it may be above 1.
    fields.number("decay_factor", Need::Optional);
    let own = match kind {
        "conversation" => message(fields),
        "decision" => decision(fields),
        "finding" => finding(fields),
        _ => preference(fields),
    };
    StoredMemory {
        id: id.map(Into::into),
        kind: Cow::Borrowed(kind),
        created,
        accessed: fields.moment("last_accessed", Need::Optional),
        access_count: fields.count("access_count", Need::Optional).unwrap_or_default(),
        importance: importance(kind, &own.facets),
        tags: fields.tags("tags", Need::Optional, 0, usize::MAX),
        checksum: fields.object().get("checksum").is_some(),
        ..own
    }
}

/// Returns the importance of §5.3: by type, higher for severe, high-impact or approved records.
fn importance(kind: &str, facets: &[Facet]) -> f64 {
    let base = match kind {
        "decision" => 1.0,
        "finding" => 0.8,
        "preference" => 0.7,
        _ => 0.5,
    };
    let has = |name: &str, value: &str| facets.iter().any(|(own, of)| *own == name && &**of == value);
    let severe = if has("severity", "critical") || has("impact", "high") { 1.3 } else { 1.0 };
    let approved = if facets.iter().any(|(name, _)| *name == "approved") { 1.2 } else { 1.0 };
    f64::min(base * severe * approved, 1.0)
}

fn message(fields: &mut FieldReader<'_>) -> StoredMemory {
    let mut facets = Vec::new();
    fields.text("content", Need::Required);
    fields.says("content", fields.object().get("content"));
    facet(&mut facets, "agent", fields.text("agent_id", Need::Required));
    facet(&mut facets, "role", fields.usual_word("role", Need::Required, &ROLES));
    let (mut references, mut topic) = (Vec::new(), None);
    fields.within("metadata", Need::Optional, |metadata| {
        references.extend(metadata.references("references", Need::Optional));
    });
    fields.within("context", Need::Optional, |context| {
        facet(&mut facets, "conversation", context.text("conversation_id", Need::Optional));
        let parent = context.text("parent_message_id", Need::Optional);
        references.extend(parent.iter().map(|id| Reference::to_record("parent_message_id", id.as_ref())));
        facet(&mut facets, "parent", parent);
        topic = context.text("topic", Need::Optional).map(Into::into);
    });
    StoredMemory { topic, references: references.into(), facets: facets.into(), ..StoredMemory::default() }
}

fn decision(fields: &mut FieldReader<'_>) -> StoredMemory {
    let mut facets = Vec::new();
    fields.text("decision", Need::Required);
    fields.says("decision", fields.object().get("decision"));
    fields.text("rationale", Need::Optional);
    facet(&mut facets, "agent", fields.text("made_by", Need::Required));
    facets.extend(fields.texts("approved_by", Need::Optional).into_iter().map(|by| ("approved", by)));
    facet(&mut facets, "impact", fields.usual_word("impact", Need::Optional, &LEVELS));
    fields.of_kind("alternatives_considered", Need::Optional, JsonKind::Array);
    let mut references = Vec::new();
    fields.within("references", Need::Optional, |of| {
        references.extend(of.references("conversations", Need::Optional));
        references.extend(of.references("findings", Need::Optional));
    });
    StoredMemory { references: references.into(), facets: facets.into(), ..StoredMemory::default() }
}

fn finding(fields: &mut FieldReader<'_>) -> StoredMemory {
    let mut facets = Vec::new();
    fields.text("description", Need::Required);
    fields.says("description", fields.object().get("description"));
    fields.text("evidence", Need::Optional);
    fields.text("recommendation", Need::Optional);
    facet(&mut facets, "agent", fields.text("discovered_by", Need::Required));
    facet(&mut facets, "category", fields.text("category", Need::Optional));
    facet(&mut facets, "severity", fields.usual_word("severity", Need::Required, &LEVELS));
    facet(&mut facets, "status", fields.usual_word("status", Need::Required, &STATUSES));
    StoredMemory { facets: facets.into(), ..StoredMemory::default() }
}

fn preference(fields: &mut FieldReader<'_>) -> StoredMemory {
    let mut facets = Vec::new();
    facet(&mut facets, "category", fields.text("category", Need::Required));
    facet(&mut facets, "key", fields.text("key", Need::Required));
    let value = fields.value("value", Need::Required, "a value", Some);
    facets.extend(value.map(|value| ("value", value.plain().into())));
    let confidence = fields.fraction("confidence", Need::Optional);
    facets.extend(confidence.map(|confidence| ("confidence", confidence.to_string().into())));
    let learned = fields.texts("learned_from", Need::Optional).into_iter();
    let references = learned.map(|session| Reference {
        relation: "learned_from",
        to: Name { of: NameKind::Session, text: session },
    });
    StoredMemory { references: references.collect(), facets: facets.into(), ..StoredMemory::default() }
}

fn facet(facets: &mut Vec<Facet>, name: &'static str, value: Option<Cow<'_, str>>) {
    facets.extend(value.map(|value| (name, value.into())));
}

pub fn main_text(object: Json<'_>) -> (String, Vec<&'static str>) {
    for name in ["content", "decision", "description"] {
        if let Some(text) = object.get(name).and_then(|value| value.text()) {
            return (text.into_owned(), vec![name]);
        }
    }
    let plain = |name: &str| object.get(name).map(|value| value.plain());
    match (plain("key"), plain("value")) {
        (Some(key), Some(value)) => (format!("{key}: {value}"), vec!["key", "value"]),
        _ => (object.plain(), Vec::new()),
    }
}
