//! Makes a new session (§8.2).

use std::path::Path;

use super::index_build::index;
use super::logs::NewFile;
use super::manifest_build::{LogSummary, new_manifest};
use crate::format::bmad::layout::LOGS;
use crate::format::writing::{Refusal, Result};
use crate::model::Moment;

const PREFIX: &str = "sess-";
/// The longest id, in bytes: with `.manifest.json` it is still a file name.
const LONGEST: usize = 200;

/// Returns the id of a session made at `now`: `sess-YYYY-MM-DD-name`. A name in this form stays as it is.
pub fn session_id(name: &str, now: Moment) -> Result<String> {
    if check_pattern(name).is_ok() {
        return Ok(name.to_owned());
    }
    let day = now.to_rfc3339();
    let id = format!("{PREFIX}{}-{name}", day.get(..10).unwrap_or(&day));
    check_pattern(&id).map(|()| id)
}

/// Returns the files of a new session, relative to the root.
pub fn new_session(id: &str, user_id: Option<&str>, now: Moment) -> Result<Vec<NewFile>> {
    check_pattern(id)?;
    let folder = Path::new("sessions").join(id);
    let manifest = new_manifest(id, user_id, &LogSummary::default(), now, now);
    let mut files = vec![(folder.join("manifest.json"), manifest)];
    files.extend(LOGS.iter().map(|(log, _)| (folder.join(log), Vec::new())));
    files.push((folder.join("index.json"), index(None, id, &[], now)));
    Ok(files)
}

/// Refuses an id that a new session can't have.
fn check_pattern(id: &str) -> Result<()> {
    check_name(id)?;
    let refused = |why| Err(bad_id(id, why));
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

pub(super) fn check_name(id: &str) -> Result<()> {
    let why = match id {
        "" => "it is empty",
        "." | ".." => "it names another folder",
        _ if id.contains('/') => "it holds a separator",
        _ if id.chars().any(char::is_control) => "it holds a control character",
        _ if id.len() > LONGEST => "it is too long",
        _ => return Ok(()),
    };
    Err(bad_id(id, why))
}

fn bad_id(id: &str, why: &str) -> Refusal {
    Refusal::invalid(format!("{id:?} can't be a session's id: {why}."))
}
