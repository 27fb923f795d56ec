//! Adds and edits profiles (§5).

use std::path::{Path, PathBuf};

use super::field_values::{check_file_name, rewritten, timestamp};
use crate::format::a_mem::{AMem, layout, profile};
use crate::format::record_reader::{edit_object, with_object, without_mark};
use crate::format::writing::{
    ChangesResult, FieldAssignment, RecordDraft, RecordMembers, Refusal, Result, WriteContext, has_id,
    no_worse, pretty, refuse_taken, set_field,
};
use crate::model::{Change, Document, Moment};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{self, JsonSplice, put_last};
use crate::text::json_scanner::Tape;
use crate::text::names;

const ORDER: [&str; 7] = names(
    "agent_name agent_version last_active session_count capabilities preferences \
    context_switches",
);

pub fn add(context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
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
    let path = file(context, &name)?;
    members.or_text("agent_version", "unknown");
    members.or_text("last_active", &timestamp(context.now));
    members.or("session_count", "0");
    let members = members.ordered(&ORDER).into_iter();
    let members: Vec<(&str, String)> = members.map(|(name, raw)| (name.as_str(), raw.clone())).collect();
    let bytes = pretty(&members, 0) + "\n";
    no_worse(|bytes| profile::read(&path, bytes, context.now).problems, None, bytes.as_bytes())?;
    Ok(vec![Change::create(path, bytes)])
}

/// Returns the file of a new profile, in the folder of the existing ones.
fn file(context: &WriteContext<'_>, name: &str) -> Result<PathBuf> {
    check_file_name("`agent_name`", name, !name.starts_with('.'))?;
    let own = || context.store.documents.iter().filter(|own| layout::kind_of(&own.path) == "profile");
    let nested = own().any(|own| own.path.starts_with("profiles/agents"));
    let folder = Path::new(if nested { "profiles/agents" } else { "profiles" });
    let path = folder.join(format!("{name}.json"));
    // Some systems ignore case in file names.
    let is_file = |own: &Document| own.path.as_os_str().eq_ignore_ascii_case(&path);
    let is_taken = own().any(|own| is_file(own) || has_id(own, name));
    refuse_taken(is_taken, format_args!("a profile of {name:?}")).map(|()| path)
}

/// Sets members of a profile. A new value of a preference also sets `last_active` (§6.3).
pub fn edit(context: &WriteContext<'_>, document: &Document, set: &[FieldAssignment<'_>]) -> ChangesResult {
    let body = without_mark(&document.bytes);
    let mark = document.bytes.len() - body.len();
    let mut bytes = body.to_vec();
    for setting in set {
        bytes = with_field(context, &bytes, setting)?;
    }
    let whole = [&document.bytes[..mark], &bytes].concat();
    let problems = |bytes: &[u8]| profile::read(&document.path, bytes, context.now).problems;
    no_worse(problems, Some(&document.bytes), &whole)?;
    Ok(vec![rewritten(document, &whole)])
}

fn with_field(context: &WriteContext<'_>, profile: &[u8], setting: &FieldAssignment<'_>) -> Result<Vec<u8>> {
    let mut tape = Tape::default();
    let object = json_edit::scan(&mut tape, profile)?;
    if setting.name == "text" && object.get("text").is_none() {
        let message = "a profile has no text; name a field, as in `preferences.verbose_logging=true`.";
        return Err(Refusal::unfit(message));
    }
    if setting.name == "preferences"
        && json_edit::scan(&mut Tape::default(), setting.value.as_bytes()).is_ok()
    {
        // The file is no line: the value keeps its layout.
        return Ok(json_edit::set(profile, &["preferences"], setting.value)?);
    }
    let Some(key) = setting.name.strip_prefix("preferences.").filter(|key| !key.contains('.')) else {
        return set_field(&AMem, profile, setting, "");
    };
    let current = object.path(&["preferences", key]);
    let mut own = Tape::default();
    let given = json_edit::scan(&mut own, setting.value.trim().as_bytes()).map(|value| value.kind());
    let (is_json, is_string) = (given.is_ok(), matches!(given, Ok(JsonKind::String)));
    let raw = match current.map(|value| value.kind()) {
        // A text in quotes is what a new preference would be: a second time it must not get more quotes.
        Some(JsonKind::String) if !is_string => json_edit::quoted(setting.value),
        // Only its value shows the type of a new preference.
        None | Some(JsonKind::Null) if !is_json => json_edit::quoted(setting.value),
        _ => setting.value.to_owned(),
    };
    if current.is_some_and(|value| value.raw() == raw.trim().as_bytes()) {
        return Ok(profile.to_vec());
    }
    set_preference(profile, key, &raw, context.now)
}

/// Sets a preference and `last_active`; every other byte stays. `value` is JSON. Fails if the profile or its
/// preferences are not a JSON object, `value` is not JSON, or `key` is empty.
pub fn set_preference(profile: &[u8], key: &str, value: &str, now: Moment) -> Result<Vec<u8>> {
    let value = value.trim();
    if json_edit::scan(&mut Tape::default(), value.as_bytes()).is_err() {
        return Err(Refusal::bad_value("preference", value, "it should be JSON: text is in quotes"));
    }
    if key.is_empty() {
        return Err(Refusal::bad_value("preference", key, "it needs a name"));
    }
    let unreadable = |why: String| Refusal::corrupt(format!("the file can't be edited: {why}."));
    let kind = with_object(profile, |object| object.get("preferences").map(|own| own.kind())).flatten();
    if kind.is_some_and(|kind| !matches!(kind, JsonKind::Object | JsonKind::Null)) {
        return Err(unreadable("`preferences` is not an object".into()));
    }
    let put = |bytes: &[u8], splice: &dyn Fn(Json<'_>) -> JsonSplice<'static>| {
        edit_object(bytes, |body, object| json_edit::apply(body, vec![splice(object)])).map_err(unreadable)
    };
    let changed = put(profile, &|object| match object.get("preferences").filter(|own| !own.is_null()) {
        Some(own) => put_last(object, own, key, value),
        None => put_last(object, object, "preferences", &json_edit::inner_object(object, key, value)),
    })?;
    let active = json_edit::quoted(&timestamp(now));
    put(&changed, &|object| put_last(object, object, "last_active", &active))
}
