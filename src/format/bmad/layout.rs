//! Which of its files is what, and what marks a folder as this format.

use std::path::{Path, PathBuf};

use super::super::Placement;
use super::super::glance::{Glance, Likeness, likeness, names_member};
use crate::model::Role;
use crate::text::json::Json;

/// The logs of a session, and the type of memory that each holds.
pub const LOGS: [(&str, &str); 4] = [
    ("conversation.jsonl", "conversation"),
    ("decisions.jsonl", "decision"),
    ("findings.jsonl", "finding"),
    ("preferences.jsonl", "preference"),
];
/// So many sessions are looked into to tell whose store it is.
const LOOKED_INTO: usize = 4_096;
/// What the file of an archived session ends in.
const ARCHIVE: &str = ".tar.gz";
/// What the manifest of an archived session ends in.
const MANIFEST: &str = ".manifest.json";

/// The type of memory that a log holds.
pub fn kind_of(path: &Path) -> &'static str {
    let name = path.file_name().unwrap_or_default();
    LOGS.iter().find(|(log, _)| name == *log).map_or("unknown", |(_, kind)| kind)
}

/// The session that a path belongs to, and whether it is archived.
pub fn session_of(path: &Path) -> Option<(String, bool)> {
    let mut parts = path.iter().map(|part| part.to_string_lossy());
    let (room, own) = (parts.next()?, parts.next()?);
    match room.as_ref() {
        "sessions" => Some((own.into_owned(), false)),
        "archive" => {
            let own = own.strip_suffix('!').unwrap_or(&own);
            let name = own.strip_suffix(ARCHIVE).or_else(|| own.strip_suffix(MANIFEST))?;
            Some((name.to_owned(), true))
        }
        _ => None,
    }
}

/// The archive of a session, and its manifest.
pub fn archive_files(name: &str) -> [PathBuf; 2] {
    [ARCHIVE, MANIFEST].map(|end| Path::new("archive").join(format!("{name}{end}")))
}

/// The folder of the session that a file stands in.
pub fn folder_of(path: &Path) -> Option<&Path> {
    let folder = path.ancestors().skip(1).find(|folder| folder.components().count() == 2)?;
    folder.starts_with("sessions").then_some(folder)
}

/// The session's own lock, or that of one of its files (§4.2).
fn is_lock(name: &str) -> bool {
    name == ".lock" || name.ends_with(".jsonl.lock") || name.ends_with(".json.lock")
}

/// What a path is to the format. What stands within an archive is asked for with the
/// archive's own path and `!` before it.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("\u{fffd}")).collect();
    if is_folder {
        return match parts.as_slice() {
            ["sessions" | "archive" | "shared"] | ["sessions", _] => Placement::Enter,
            _ => Placement::Unexpected,
        };
    }
    let is_log = |name: &str| LOGS.iter().any(|(log, _)| *log == name);
    let role = match parts.as_slice() {
        ["archive", archive, .., name] if archive.ends_with(".tar.gz!") => match is_log(name) {
            true => Role::Archive,
            false => Role::Other,
        },
        [.., name] if name.ends_with(".tmp") || name.contains(".tmp.") => Role::Temp,
        ["config.json"] => Role::Config,
        ["sessions", _, "manifest.json"] => Role::Metadata,
        ["sessions", _, "index.json"] => Role::Index,
        ["sessions", _, name] if is_log(name) => Role::Records,
        ["sessions", _, name] if is_lock(name) => Role::Lock,
        ["archive", name] if name.ends_with(MANIFEST) => Role::Metadata,
        ["archive", name] if name.ends_with(ARCHIVE) => Role::Archive,
        ["shared", "user-preferences.json" | "agent-knowledge.json"] => Role::Records,
        ["shared", name] if name.ends_with(".json") => Role::Other,
        _ => return Placement::Unexpected,
    };
    Placement::File(role)
}

/// Whether the folder is a store of this format.
pub fn recognise(root: &Path, glance: &dyn Glance) -> Result<(), String> {
    let folder = root.join("sessions");
    let sessions = glance.folders(&folder);
    let mut looks = Vec::new();
    for likeness in sessions.iter().take(LOOKED_INTO).filter_map(|own| look(&folder.join(own), glance)) {
        looks.push(likeness);
        if likeness == Likeness::Yes {
            break;
        }
    }
    if looks.contains(&Likeness::Yes) || archives(root, glance) {
        return Ok(());
    }
    let config =
        || glance.head(&root.join("config.json")).is_some_and(|head| names_member(&head, "memory_config"));
    let has_room = glance.folders(root).iter().any(|name| name == "sessions");
    let expected = has_room && (glance.names_suffice() || config());
    match looks.contains(&Likeness::No) {
        true => Err("the files below `sessions/` are of another kind".into()),
        false if looks.contains(&Likeness::Silent) => Ok(()),
        false if expected && sessions.is_empty() => Ok(()),
        false => Err("no session below `sessions/` has a manifest or one of the four logs".into()),
    }
}

/// Whether the manifest of an archived session stands beside its archive.
fn archives(root: &Path, glance: &dyn Glance) -> bool {
    let folder = root.join("archive");
    let files = glance.files(&folder);
    let manifests = files.iter().filter(|name| name.ends_with(MANIFEST)).take(LOOKED_INTO);
    let mut heads = manifests.filter_map(|name| glance.head(&folder.join(name)));
    heads.any(|head| names_member(&head, "session_id"))
}

fn look(session: &Path, glance: &dyn Glance) -> Option<Likeness> {
    let files = glance.files(session);
    let head = |name: &str| {
        files.iter().any(|file| file == name).then(|| glance.head(&session.join(name))).flatten()
    };
    let manifest = head("manifest.json");
    if manifest.as_deref().is_some_and(|head| names_member(head, "session_id")) {
        return Some(Likeness::Yes);
    }
    let logs: Vec<Likeness> = LOGS
        .iter()
        .filter_map(|(log, kind)| Some(likeness(&head(log)?, |object| is_record(object, kind))))
        .collect();
    let of_manifest = manifest.map(|head| if head.is_empty() { Likeness::Silent } else { Likeness::No });
    for likeness in [Likeness::Yes, Likeness::No] {
        if logs.contains(&likeness) {
            return Some(likeness);
        }
    }
    of_manifest.or(logs.first().copied())
}

fn is_record(object: Json<'_>, kind: &str) -> bool {
    let has = |names: &[&str]| names.iter().all(|name| object.get(name).is_some());
    match kind {
        "conversation" => has(&["id", "role", "content"]) || has(&["id", "agent_id", "content"]),
        "decision" => has(&["id", "decision"]),
        "finding" => has(&["id", "description"]) && (has(&["severity"]) || has(&["discovered_by"])),
        _ => has(&["id", "key", "value"]),
    }
}
