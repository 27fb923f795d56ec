//! Agent profiles (§5.1): what an agent can do and what it prefers.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use crate::format::field_reader::{FieldReader, Need};
use crate::format::record_form::{FieldKind as Holds, RecordForm};
use crate::format::record_reader::{self, Reading};
use crate::model::{Code, Moment, Name, NameKind, PathText, Reference, Severity, StoredMemory};
use crate::text::json::{Json, JsonKind};

const SKILLS: [&str; 4] = ["novice", "intermediate", "advanced", "expert"];

/// Reads a profile: the whole file is one record.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    record_reader::read_document(path, bytes, now, &|fields, _| memory(fields, path))
}

pub fn form(path: &Path, record: &[u8], now: Moment) -> RecordForm {
    record_reader::form(record, now, &|fields, _| memory(fields, path))
}

fn memory(fields: &mut FieldReader<'_>, path: &Path) -> StoredMemory {
    let name = fields.text("agent_name", Need::Required);
    fields.text("agent_version", Need::Required);
    let active = fields.moment("last_active", Need::Required);
    fields.count("session_count", Need::Required);
    let stem = path.file_stem().unwrap_or_default().to_text();
    let id: Box<str> = name.clone().unwrap_or(stem).into();
    let mut facets = vec![("agent", id.clone())];
    let mut references = Vec::new();
    let object = fields.object();
    fields.ask("preferences", || Holds::Json);
    fields.of_kind("capabilities", Need::Optional, JsonKind::Object);
    for (name, capability) in object.get("capabilities").into_iter().flat_map(|all| all.members()) {
        let name = name.text().unwrap_or_default();
        facets.push(("capability", name.as_ref().into()));
        facets.extend(skill(fields, &name, capability).map(|skill| ("skill", skill)));
        let learned = capability.get("learned_patterns").into_iter().flat_map(|all| all.items());
        references
            .extend(learned.filter_map(|note| Some(Reference::to_record("learned_patterns", note.text()?))));
    }
    let handoff =
        object.path(&["context_switches", "last_handoff", "trace_id"]).and_then(|trace| trace.text());
    references.extend(handoff.map(|trace| Reference {
        relation: "last_handoff",
        to: Name { of: NameKind::Trace, text: trace.into() },
    }));
    StoredMemory {
        id: Some(id),
        kind: Cow::Borrowed("profile"),
        created: active,
        accessed: active,
        importance: 0.5,
        references: references.into(),
        facets: facets.into(),
        ..StoredMemory::default()
    }
}

fn skill(fields: &mut FieldReader<'_>, name: &str, capability: Json<'_>) -> Option<Box<str>> {
    let asked = format!("capabilities.{name}.skill_level");
    fields.ask(&asked, || Holds::word(&SKILLS, true));
    let skill = capability.get("skill_level")?.text()?;
    if !SKILLS.contains(&skill.as_ref()) {
        let message =
            format!("The skill level of {name:?} is {skill:?}; it should be one of {}.", SKILLS.join(", "));
        fields.fault(Code::OutOfRange, Severity::Note, message);
    }
    Some(skill.into())
}

/// Returns the agent, a line for each capability with its skill level, and the preferences.
pub fn main_text(profile: Json<'_>) -> (String, Vec<&'static str>) {
    let word = |name: &str| profile.get(name).map(|value| value.plain()).unwrap_or_default();
    let mut text = format!("{} {}", word("agent_name"), word("agent_version")).trim_end().to_owned();
    let sessions = word("session_count");
    if !sessions.is_empty() {
        let what = if sessions == "1" { "session" } else { "sessions" };
        let _ = write!(text, " · {sessions} {what}");
    }
    for (name, capability) in profile.get("capabilities").into_iter().flat_map(|all| all.members()) {
        let _ = write!(text, "\n\n{}  {}", name.text().unwrap_or_default(), skill_bar(capability));
        for list in ["learned_patterns", "common_mistakes"] {
            for item in capability.get(list).into_iter().flat_map(|all| all.items()) {
                let _ = write!(text, "\n  {}: {}", list.replace('_', " "), item.plain());
            }
        }
    }
    let preferences = profile.get("preferences").into_iter().flat_map(|all| all.members());
    for (number, (name, value)) in preferences.enumerate() {
        let head = if number == 0 { "\n\npreferences" } else { "" };
        let _ = write!(text, "{head}\n  {} = {}", name.text().unwrap_or_default(), value.plain());
    }
    (text, vec!["capabilities", "preferences"])
}

fn skill_bar(capability: Json<'_>) -> String {
    let level = capability.get("skill_level").and_then(|level| level.text()).unwrap_or("novice".into());
    let blocks = SKILLS.iter().position(|skill| *skill == level).map_or(0, |at| at + 1);
    let count = |name: &str| capability.get(name).map(|value| value.plain());
    let mut bar = format!("{}{} {level}", "■".repeat(blocks), "□".repeat(SKILLS.len() - blocks));
    if let Some(done) = count("successful_operations") {
        let _ = write!(bar, ", {done} done");
    }
    if let Some(failed) = count("failed_operations") {
        let _ = write!(bar, ", {failed} failed");
    }
    bar
}
