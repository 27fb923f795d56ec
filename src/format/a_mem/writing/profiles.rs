//! Profiles that are added and edited (§5).

use std::path::{Path, PathBuf};

use super::{no_worse, rewritten};
use crate::format::a_mem::write::{set_preference, timestamp};
use crate::format::a_mem::{AMem, layout};
use crate::format::reading::without_mark;
use crate::format::writing::{Draft, Members, Refusal, Scene, Setting, set_field};
use crate::model::{Change, Document};
use crate::text::edit;
use crate::text::json::Kind;
use crate::text::scan::Tape;

/// The longest name of an agent, in bytes: with `.json` it is the name of a file.
const NAME: usize = 200;
const ORDER: [&str; 7] = [
    "agent_name",
    "agent_version",
    "last_active",
    "session_count",
    "capabilities",
    "preferences",
    "context_switches",
];

/// Adds a profile.
pub fn add(scene: &Scene<'_>, draft: &Draft<'_>) -> Result<Vec<Change>, Refusal> {
    if !draft.tags.is_empty() || draft.importance.is_some() {
        return Err(Refusal::unfit("profiles have neither tags nor importance."));
    }
    let mut members = Members::of(draft.record)?;
    if let Some(name) = draft.text {
        members.or_text("agent_name", name.trim());
    }
    let Some(name) = members.text("agent_name")? else {
        return Err(Refusal::invalid("name the agent: the record needs an `agent_name`."));
    };
    let path = file(scene, &name)?;
    members.or_text("agent_version", "unknown");
    members.or_text("last_active", &timestamp(scene.now));
    members.or("session_count", "0");
    let mut names: Vec<&str> = members.names().collect();
    names.sort_by_key(|name| ORDER.iter().position(|own| own == name).unwrap_or(ORDER.len()));
    let lines: Vec<String> = names
        .into_iter()
        .map(|name| format!("  {}: {}", edit::quoted(name), members.get(name).unwrap_or("null")))
        .collect();
    let bytes = format!("{{\n{}\n}}\n", lines.join(",\n"));
    no_worse(&path, None, bytes.as_bytes(), scene.now)?;
    Ok(vec![Change::create(path, bytes)])
}

/// The file of a new profile, beside those that are there.
fn file(scene: &Scene<'_>, name: &str) -> Result<PathBuf, Refusal> {
    let is_plain = !name.is_empty()
        && name.len() <= NAME
        && name.trim() == name
        && !name.starts_with('.')
        && !name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'));
    if !is_plain {
        let rule = "it names a file: no separators, no control characters, at most 200 bytes";
        return Err(Refusal::invalid(format!("`agent_name` can't be {name:?}: {rule}.")));
    }
    let own = || scene.store.documents.iter().filter(|own| layout::kind_of(&own.path) == "profile");
    let nested = own().any(|own| own.path.starts_with("profiles/agents"));
    let folder = Path::new(if nested { "profiles/agents" } else { "profiles" });
    let path = folder.join(format!("{name}.json"));
    let has_name = |own: &Document| {
        let mut views = own.records.iter().filter_map(|record| record.view()?.id);
        own.path == path || views.any(|id| id == name)
    };
    match own().any(|own| has_name(own)) {
        true => Err(Refusal::invalid(format!("a profile of {name:?} is there already."))),
        false => Ok(path),
    }
}

/// Sets members of a profile; a preference brings `last_active` along (§6.3).
pub fn edit(scene: &Scene<'_>, document: &Document, set: &[Setting<'_>]) -> Result<Vec<Change>, Refusal> {
    let body = without_mark(&document.bytes);
    let mark = document.bytes.len() - body.len();
    let mut bytes = body.to_vec();
    for setting in set {
        bytes = with_field(scene, &bytes, setting)?;
    }
    let whole = [&document.bytes[..mark], &bytes].concat();
    no_worse(&document.path, Some(&document.bytes), &whole, scene.now)?;
    Ok(vec![rewritten(document, &whole)])
}

fn with_field(scene: &Scene<'_>, profile: &[u8], setting: &Setting<'_>) -> Result<Vec<u8>, Refusal> {
    let mut tape = Tape::default();
    let object = edit::scan(&mut tape, profile)?;
    if setting.name == "text" && object.get("text").is_none() {
        let message = "a profile has no text; name a field, as in `preferences.verbose_logging=true`.";
        return Err(Refusal::unfit(message));
    }
    let Some(key) = setting.name.strip_prefix("preferences.").filter(|key| !key.contains('.')) else {
        return set_field(&AMem, profile, setting, "");
    };
    let current = object.path(&["preferences", key]);
    let mut own = Tape::default();
    let is_json = edit::scan(&mut own, setting.value.trim().as_bytes()).is_ok();
    let raw = match current.map(|value| value.kind()) {
        Some(Kind::String) => edit::quoted(setting.value),
        // What a new preference is, only its value says.
        None | Some(Kind::Null) if !is_json => edit::quoted(setting.value),
        _ => setting.value.to_owned(),
    };
    if current.is_some_and(|value| value.raw() == raw.trim().as_bytes()) {
        return Ok(profile.to_vec());
    }
    Ok(set_preference(profile, key, &raw, scene.now)?)
}
