//! Which of its files is what, and what marks a folder as this format.

use std::path::Path;

use super::super::Placement;
use super::super::glance::{Glance, Likeness, likeness, names_member};
use crate::model::Role;
use crate::text::json::{Json, Kind};

/// So many sessions are looked into to tell whose store it is.
const LOOKED_INTO: usize = 4_096;

/// The session that a path belongs to: the folder below `sessions/`.
pub fn session_of(path: &Path) -> Option<&Path> {
    let mut parts = path.iter();
    (parts.next()?.to_str()? == "sessions").then_some(())?;
    parts.next().map(Path::new)
}

/// What a path is to the format.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("\u{fffd}")).collect();
    if is_folder {
        return match parts.as_slice() {
            ["sessions"] | ["sessions", _] | ["indices"] => Placement::Enter,
            _ => Placement::Unexpected,
        };
    }
    match parts.as_slice() {
        [.., name] if name.ends_with(".tmp") || name.contains(".tmp.") => Placement::File(Role::Temp),
        ["config.json"] => Placement::File(Role::Config),
        ["indices", name] if name.ends_with(".json") => Placement::File(Role::Index),
        ["sessions", _, "metadata.json"] => Placement::File(Role::Metadata),
        ["sessions", _, "memory.jsonl"] => Placement::File(Role::Records),
        ["sessions", _, "index.json"] => Placement::File(Role::Index),
        ["sessions", _, "tombstones.jsonl"] => Placement::File(Role::Tombstones),
        ["sessions", _, "lock"] => Placement::File(Role::Lock),
        _ => Placement::Unexpected,
    }
}

/// Whether the folder is a store of this format.
pub fn recognise(root: &Path, glance: &dyn Glance) -> Result<(), String> {
    let folder = root.join("sessions");
    let sessions = glance.folders(&folder);
    if sessions.is_empty() {
        let config =
            || glance.head(&root.join("config.json")).is_some_and(|head| names_member(&head, "storage"));
        let has_room = glance.folders(root).iter().any(|name| name == "sessions");
        let suffices = has_room && (glance.names_suffice() || config());
        return if suffices { Ok(()) } else { Err("it has no session below `sessions/`".into()) };
    }
    let mut silent = false;
    let mut other = false;
    for session in sessions.iter().take(LOOKED_INTO) {
        match look(&folder.join(session), glance) {
            Some(Likeness::Yes) => return Ok(()),
            Some(Likeness::Silent) => silent = true,
            Some(Likeness::No) => other = true,
            None => {}
        }
    }
    match (silent, other) {
        (true, false) => Ok(()),
        (_, true) => Err("the files below `sessions/` are of another kind".into()),
        (false, false) => Err("no session has a `memory.jsonl` or `metadata.json`".into()),
    }
}

fn look(session: &Path, glance: &dyn Glance) -> Option<Likeness> {
    let files = glance.files(session);
    let named = |name: &str| files.iter().any(|file| file == name);
    let metadata = named("metadata.json").then(|| glance.head(&session.join("metadata.json"))).flatten();
    if metadata.as_deref().is_some_and(|head| names_member(head, "session_id")) {
        return Some(Likeness::Yes);
    }
    let log = named("memory.jsonl").then(|| glance.head(&session.join("memory.jsonl"))).flatten();
    let by_log = log.map(|head| likeness(&head, is_entry));
    let by_metadata = metadata.map(|head| if head.is_empty() { Likeness::Silent } else { Likeness::No });
    by_log.or(by_metadata)
}

/// Some fields of its schema, enough to tell its entries from others'.
fn is_entry(object: Json<'_>) -> bool {
    let known = ["conversation", "decision", "finding", "preference"];
    let kind = object.get("type").is_some_and(|kind| known.iter().any(|word| kind.is_text(word)));
    let content = object.get("content").is_some_and(|content| content.kind() != Kind::Null);
    content && (kind || object.get("session_id").is_some()) && object.get("id").is_some()
}
