//! A new session (§8.2).

use std::path::Path;

use super::manifest::New;
use super::{File, Refused, Seen, index};
use crate::format::bmad::layout::LOGS;
use crate::format::bmad::manifest;
use crate::format::reading::whole_object;
use crate::model::Moment;
use crate::text::scan::Tape;

/// What the id of every session starts with.
const PREFIX: &str = "sess-";
/// The longest id: with `.manifest.json` behind it, it is still a file's name.
const LONGEST: usize = 200;

/// The id of a session that is made at `now`: `sess-YYYY-MM-DD-name`. A name that is such
/// an id already is returned as it is.
pub fn session_id(name: &str, now: Moment) -> Result<String, Refused> {
    if check_pattern(name).is_ok() {
        return Ok(name.to_owned());
    }
    let day = now.to_rfc3339();
    let id = format!("{PREFIX}{}-{name}", day.get(..10).unwrap_or(&day));
    check_pattern(&id).map(|()| id)
}

/// The files of a new session, relative to the root. `metadata` is a JSON object.
pub fn new_session<T: AsRef<str>>(
    id: &str,
    user_id: Option<&str>,
    agent_ids: &[T],
    metadata: Option<&str>,
    now: Moment,
) -> Result<Vec<File>, Refused> {
    check_pattern(id)?;
    let metadata = metadata.unwrap_or("{}").trim();
    whole_object(&mut Tape::default(), metadata.as_bytes())
        .map_err(|(_, why)| Refused::Unreadable { what: "The metadata", why })?;
    let folder = Path::new("sessions").join(id);
    let new = New { session: id, user_id, agent_ids, metadata, created: now, updated: now };
    let bytes = new.write(&Seen::default());
    let path = folder.join("manifest.json");
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, &bytes)
        .map_err(|(_, why)| Refused::Unreadable { what: "The metadata", why })?;
    let faults: Vec<String> =
        manifest::check(object, &path, now).into_iter().map(|problem| problem.message).collect();
    if !faults.is_empty() {
        return Err(Refused::Faulty(faults));
    }
    let mut files = vec![(path, bytes)];
    files.extend(LOGS.iter().map(|(log, _)| (folder.join(log), Vec::new())));
    files.push((folder.join("index.json"), index(None, id, &[], now)));
    Ok(files)
}

/// Whether a session that is made may be called that.
fn check_pattern(id: &str) -> Result<(), Refused> {
    check_name(id)?;
    let refused = |why| Err(Refused::BadSession { id: id.to_owned(), why });
    let Some(rest) = id.strip_prefix(PREFIX) else { return refused("it should start with `sess-`") };
    let (day, name) = (rest.get(..10).unwrap_or_default(), rest.get(10..).unwrap_or_default());
    if crate::model::time::day(day).is_none() {
        return refused("a date, YYYY-MM-DD, should follow `sess-`");
    }
    let Some(name) = name.strip_prefix('-').filter(|name| !name.is_empty()) else {
        return refused("a name should follow the date, after a hyphen");
    };
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return refused("its name may hold letters, digits, `-` and `_`");
    }
    Ok(())
}

/// Whether an id that was found can be the name of one folder.
pub(super) fn check_name(id: &str) -> Result<(), Refused> {
    let why = match id {
        "" => "it is empty",
        "." | ".." => "it names another folder",
        _ if id.contains('/') => "it holds a separator",
        _ if id.chars().any(char::is_control) => "it holds a control character",
        _ if id.len() > LONGEST => "it is too long",
        _ => return Ok(()),
    };
    Err(Refused::BadSession { id: id.to_owned(), why })
}
