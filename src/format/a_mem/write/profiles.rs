//! Adds and edits profiles (§5).

use std::path::{Path, PathBuf};

use crate::format::a_mem::write::field_values::{bad_value, no_worse, rewritten, timestamp};
use crate::format::a_mem::{AMem, layout};
use crate::format::record_reader::{edit_object, without_mark};
use crate::format::writing::{
    ChangesResult, FieldAssignment, RecordDraft, RecordMembers, Refusal, Result, WriteContext, pretty,
    set_field,
};
use crate::model::{Change, Document, Moment};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{self, JsonSplice};
use crate::text::json_scanner::Tape;
use crate::text::names;

/// The longest name of an agent, in bytes: with `.json` it is a file name.
const NAME: usize = 200;
const ORDER: [&str; 7] = names(
    "agent_name agent_version last_active session_count capabilities preferences \
    context_switches",
);

/// Adds a profile.
pub fn add(scene: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
    if !draft.tags.is_empty() || draft.importance.is_some() {
        return Err(Refusal::unfit("profiles have neither tags nor importance."));
    }
    let mut members = RecordMembers::of(draft.record)?;
    if let Some(name) = draft.text {
        members.or_text("agent_name", name.trim());
    }
    let Some(name) = members.text("agent_name")? else {
        return Err(Refusal::invalid("name the agent: the JSON needs an `agent_name`."));
    };
    let path = file(scene, &name)?;
    members.or_text("agent_version", "unknown");
    members.or_text("last_active", &timestamp(scene.now));
    members.or("session_count", "0");
    let mut names: Vec<&str> = members.names().collect();
    names.sort_by_key(|name| ORDER.iter().position(|own| own == name).unwrap_or(ORDER.len()));
    let raw = |name: &str| members.get(name).unwrap_or("null").to_owned();
    let members: Vec<(&str, String)> = names.into_iter().map(|name| (name, raw(name))).collect();
    let bytes = pretty(&members, 0) + "\n";
    no_worse(&path, None, bytes.as_bytes(), scene.now)?;
    Ok(vec![Change::create(path, bytes)])
}

/// Returns the file of a new profile, in the folder of the existing ones.
fn file(scene: &WriteContext<'_>, name: &str) -> Result<PathBuf> {
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
        true => Err(Refusal::invalid(format!("a profile of {name:?} already exists."))),
        false => Ok(path),
    }
}

/// Sets members of a profile. A new value of a preference also sets `last_active` (§6.3).
pub fn edit(scene: &WriteContext<'_>, document: &Document, set: &[FieldAssignment<'_>]) -> ChangesResult {
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

fn with_field(scene: &WriteContext<'_>, profile: &[u8], setting: &FieldAssignment<'_>) -> Result<Vec<u8>> {
    let mut tape = Tape::default();
    let object = json_edit::scan(&mut tape, profile)?;
    if setting.name == "text" && object.get("text").is_none() {
        let message = "a profile has no text; name a field, as in `preferences.verbose_logging=true`.";
        return Err(Refusal::unfit(message));
    }
    let Some(key) = setting.name.strip_prefix("preferences.").filter(|key| !key.contains('.')) else {
        return set_field(&AMem, profile, setting, "");
    };
    let current = object.path(&["preferences", key]);
    let mut own = Tape::default();
    let is_json = json_edit::scan(&mut own, setting.value.trim().as_bytes()).is_ok();
    let raw = match current.map(|value| value.kind()) {
        Some(JsonKind::String) => json_edit::quoted(setting.value),
        // Only its value shows the type of a new preference.
        None | Some(JsonKind::Null) if !is_json => json_edit::quoted(setting.value),
        _ => setting.value.to_owned(),
    };
    if current.is_some_and(|value| value.raw() == raw.trim().as_bytes()) {
        return Ok(profile.to_vec());
    }
    set_preference(profile, key, &raw, scene.now)
}

/// Sets a preference and `last_active`; every other byte stays. `value` is JSON.
///
/// # Errors
///
/// If the profile or its preferences are not a JSON object, `value` is not JSON, or `key` is empty.
pub fn set_preference(profile: &[u8], key: &str, value: &str, now: Moment) -> Result<Vec<u8>> {
    let value = value.trim();
    if json_edit::scan(&mut Tape::default(), value.as_bytes()).is_err() {
        return Err(bad_value("preference", value, "it should be JSON: text is in quotes"));
    }
    if key.is_empty() {
        return Err(bad_value("preference", key, "it needs a name"));
    }
    let unreadable = |why: String| Refusal::corrupt(format!("the file can't be edited: {why}."));
    let mut is_other = false;
    let changed = edit_object(profile, |body, object| match object.get("preferences") {
        Some(own) if own.kind() == JsonKind::Object => {
            json_edit::apply(body, put(body, object, own, (key, value)))
        }
        own if own.is_none_or(|own| own.is_null()) => {
            let (line, unit) = indents(body, object, object);
            let colon = colon(body, object);
            let member = format!("{}{colon}{value}", json_edit::quoted(key));
            let inner = within(&(line + &unit), &unit, &member);
            json_edit::apply(body, put(body, object, object, ("preferences", &inner)))
        }
        _ => {
            is_other = true;
            Vec::new()
        }
    });
    let changed = changed.map_err(unreadable)?;
    if is_other {
        return Err(unreadable("`preferences` is not an object".into()));
    }
    let active = json_edit::quoted(&timestamp(now));
    let active = edit_object(&changed, |body, object| {
        json_edit::apply(body, put(body, object, object, ("last_active", &active)))
    });
    active.map_err(unreadable)
}

/// Sets a member in the document: in place if it exists, else as the last one, spaced like the others.
fn put<'a>(
    body: &[u8],
    whole: Json<'_>,
    object: Json<'_>,
    (key, value): (&'a str, &'a str),
) -> Vec<JsonSplice<'a>> {
    let colon = colon(body, whole);
    let member = || format!("{}{colon}{value}", json_edit::quoted(key));
    let members: Vec<(Json<'_>, Json<'_>)> = object.members().collect();
    match (object.get(key), members.as_slice()) {
        (Some(old), _) => vec![JsonSplice::of(old, value)],
        (None, []) => {
            let (line, unit) = indents(body, whole, object);
            vec![JsonSplice::of(object, within(&line, &unit, &member()))]
        }
        (None, [(name, last)]) if name.span().0 == object.span().0 + 1 && colon == ": " => {
            let at = last.span().1;
            vec![JsonSplice::new(at..at, format!(", {}", member()))]
        }
        _ => vec![json_edit::insert(object, usize::MAX, &member())],
    }
}

fn between(bytes: &[u8], from: usize, to: usize) -> String {
    String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default()).into_owned()
}

fn colon(bytes: &[u8], whole: Json<'_>) -> String {
    let first = whole.members().next();
    first.map_or_else(|| ": ".into(), |(key, value)| between(bytes, key.span().1, value.span().0))
}

/// Returns the line end and indentation of the line on which `object` starts, and one level's
/// indentation. Both are empty if the document is on one line.
fn indents(bytes: &[u8], whole: Json<'_>, object: Json<'_>) -> (String, String) {
    let first = whole.members().next();
    let opening = first.map(|(key, _)| between(bytes, whole.span().0 + 1, key.span().0)).unwrap_or_default();
    let Some((before, unit)) = opening.rsplit_once('\n') else { return Default::default() };
    let above = between(bytes, 0, object.span().0);
    let line = above.rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let end = if before.ends_with('\r') { "\r\n" } else { "\n" };
    (format!("{end}{indent}"), unit.to_owned())
}

/// Writes an object with one member. `line` is the line end and indentation of the closing brace.
fn within(line: &str, unit: &str, member: &str) -> String {
    format!("{{{line}{unit}{member}{line}}}")
}
