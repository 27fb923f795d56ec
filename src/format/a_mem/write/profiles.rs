//! Profiles: one preference set, one capability asked for (§6.3).

use super::json_text::{is_json, quote};
use super::{Refused, timestamp};
use crate::format::reading;
use crate::model::Moment;
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;

/// The profile with that preference and `last_active`; every other byte stays. `value` is
/// JSON.
///
/// # Errors
///
/// If the profile is not a JSON object, its preferences are none, or `value` is not JSON.
pub fn set_preference(profile: &[u8], key: &str, value: &str, now: Moment) -> Result<Vec<u8>, Refused> {
    let value = value.trim();
    if !is_json(value, None) {
        return Err(Refused::value("preference", value, "it has to be JSON: text is in quotes"));
    }
    if key.is_empty() {
        return Err(Refused::value("preference", key, "it needs a name"));
    }
    let active = quote(&timestamp(now));
    let changed = edit(profile, |object| match object.get("preferences") {
        Some(own) if own.kind() == Kind::Object => Ok(set(profile, object, own, key, value)),
        Some(own) if !own.is_null() => Err(Refused::Unreadable("`preferences` is not an object".into())),
        _ => {
            let (line, unit) = indents(profile, object, object);
            let inner = within(line + &unit, &unit, &member(profile, object, key, value));
            Ok(set(profile, object, object, "preferences", &inner))
        }
    })?;
    edit(&changed, |object| Ok(set(&changed, object, object, "last_active", &active)))
}

/// One change of a document: the bytes from the first to the second are replaced.
type Change = (usize, usize, String);

fn edit(bytes: &[u8], change: impl FnOnce(Json<'_>) -> Result<Change, Refused>) -> Result<Vec<u8>, Refused> {
    let body = reading::without_mark(bytes);
    let mark = bytes.len() - body.len();
    let mut tape = Tape::default();
    let object = reading::whole_object(&mut tape, body).map_err(|(_, why)| Refused::Unreadable(why))?;
    let (from, to, new) = change(object)?;
    let (before, after) = (bytes.get(..mark + from), bytes.get(mark + to..));
    Ok([before.unwrap_or_default(), new.as_bytes(), after.unwrap_or_default()].concat())
}

/// Sets a member of an object somewhere in the document: in place where it is there, and
/// otherwise as the last one, set apart as the others are.
fn set(bytes: &[u8], whole: Json<'_>, object: Json<'_>, key: &str, value: &str) -> Change {
    if let Some(old) = object.get(key) {
        let (from, to) = old.span();
        return (from, to, value.to_owned());
    }
    let new = member(bytes, whole, key, value);
    let (start, end) = object.span();
    let members: Vec<(Json<'_>, Json<'_>)> = object.members().collect();
    let Some((_, last)) = members.last() else {
        let (line, unit) = indents(bytes, whole, object);
        return (start, end, within(line, &unit, &new));
    };
    let at = last.span().1;
    let apart = match members.as_slice() {
        [.., (_, before), (key, _)] => between(bytes, before.span().1, key.span().0),
        [(key, _)] => {
            let opening = between(bytes, start + 1, key.span().0);
            let is_spaced = opening.is_empty() && colon(bytes, whole) == ": ";
            format!(",{}", if is_spaced { " " } else { &opening })
        }
        [] => String::new(),
    };
    (at, at, apart + &new)
}

fn between(bytes: &[u8], from: usize, to: usize) -> String {
    let body = reading::without_mark(bytes);
    String::from_utf8_lossy(body.get(from..to).unwrap_or_default()).into_owned()
}

fn member(bytes: &[u8], whole: Json<'_>, key: &str, value: &str) -> String {
    format!("{}{}{value}", quote(key), colon(bytes, whole))
}

fn colon(bytes: &[u8], whole: Json<'_>) -> String {
    let first = whole.members().next();
    first.map_or_else(|| ": ".into(), |(key, value)| between(bytes, key.span().1, value.span().0))
}

/// The line end and indentation of the line on which `object` starts, and what a level adds;
/// both empty where the document is on one line.
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

/// An object with that one member; `line` ends the line and indents the closing brace.
fn within(line: String, unit: &str, member: &str) -> String {
    format!("{{{line}{unit}{member}{line}}}")
}
