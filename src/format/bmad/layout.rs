//! The role of each file, and how a folder is recognised as a store of this format.

use std::path::{Path, PathBuf};

use super::super::detection::{
    ENOUGH_RECORD_FILES, Evidence, FolderProbe, JsonHead, Likeness, is_bare, likeness, sessions,
};
use super::super::{Placement, parts};
use crate::model::{PathText, Role, path_from_text};
use crate::text::json::Json;

/// Specification 4.
pub struct Bmad;

/// The logs of a session, each with the type of its memories.
pub const LOGS: [(&str, &str); 4] = [
    ("conversation.jsonl", "conversation"),
    ("decisions.jsonl", "decision"),
    ("findings.jsonl", "finding"),
    ("preferences.jsonl", "preference"),
];
const SHARED: [&str; 2] = ["user-preferences.json", "agent-knowledge.json"];
const ARCHIVE: &str = ".tar.gz";
const MANIFEST: &str = ".manifest.json";

/// Returns the type of the memories in a log.
pub fn kind_of(path: &Path) -> &'static str {
    let name = path.file_name().unwrap_or_default();
    LOGS.iter().find(|(log, _)| name == *log).map_or("unknown", |(_, kind)| kind)
}

/// Returns the session of a path, and whether it is archived.
pub fn session_of(path: &Path) -> Option<(String, bool)> {
    let mut parts = path.iter().map(|part| part.to_text());
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

/// Returns the archive of a session, and its manifest.
pub fn archive_files(name: &str) -> [PathBuf; 2] {
    [ARCHIVE, MANIFEST].map(|end| Path::new("archive").join(path_from_text(&format!("{name}{end}"))))
}

/// Returns the folder of the session that a file is in.
pub fn folder_of(path: &Path) -> Option<&Path> {
    let folder = path.ancestors().skip(1).find(|folder| folder.components().count() == 2)?;
    folder.starts_with("sessions").then_some(folder)
}

/// True for the lock of a session and the locks of its files (§4.2).
fn is_lock(name: &str) -> bool {
    name == ".lock" || name.ends_with(".jsonl.lock") || name.ends_with(".json.lock")
}

/// Returns the place of a path in the format. A path inside an archive starts with that of the
/// archive and `!`.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let text = path.to_text();
    let parts: Vec<&str> = parts(&text).collect();
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

pub fn evidence(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("no session below `sessions/` has a manifest or one of the four logs");
    let rooms = ["sessions", "archive", "shared"].map(|room| glance.has_folder(root, room));
    let config = glance.head(&root.join("config.json"));
    let is_own = config.as_deref().is_some_and(is_config);
    // Other programs have an empty `sessions/`, too. It proves nothing if their files are beside it.
    let is_other = config.is_some_and(|head| !is_own && !JsonHead::of(&head).has_only(&[], &[]));
    let is_likely = (rooms != [false; 3] || is_own) && !is_other && is_bare(root, glance, place);
    seen.likely += usize::from(rooms[0] && (rooms[1] || rooms[2]) || is_likely);
    if rooms == [false; 3] {
        return seen;
    }
    seen.config = is_own;
    archives(&root.join("archive"), glance, &mut seen);
    let none = "no session below `sessions/` has a manifest or one of the four logs";
    sessions(root, glance, &mut seen, ("manifest.json", none), &|head, manifest| {
        let of_log =
            |(log, kind): &(&str, &str)| Some(likeness(&head(log)?, |object| is_record(object, kind)));
        let logs: Vec<Likeness> = LOGS.iter().filter_map(of_log).collect();
        let told = [Likeness::Yes, Likeness::No].into_iter().find(|likeness| logs.contains(likeness));
        told.or(logs.first().copied()).or(manifest)
    });
    let shared = SHARED.iter().filter(|name| rooms[2] && glance.has_file(&root.join("shared"), name)).count();
    seen.likely += shared;
    seen.names += usize::from(shared == SHARED.len());
    seen
}

/// Counts the manifests of archived sessions that name a session or have an archive beside them.
fn archives(folder: &Path, glance: &dyn FolderProbe, seen: &mut Evidence) {
    let files = glance.files(folder);
    let names = files.iter().map(|name| name.to_text());
    for name in names.filter(|name| name.ends_with(MANIFEST)).take(ENOUGH_RECORD_FILES) {
        let head = glance.head(&folder.join(&*name)).unwrap_or_default();
        let packed = format!("{}{ARCHIVE}", name.trim_end_matches(MANIFEST));
        match JsonHead::of(&head).has(&["session_id"]) {
            true => seen.records += 1,
            false if files.iter().any(|own| *own == *packed) => seen.names += 1,
            false => {}
        }
    }
}

/// True if the config has settings of §9.1, or of the fragments of §6.2 and §7.3.
fn is_config(head: &[u8]) -> bool {
    let outline = JsonHead::of(head);
    outline.has(&["memory_config"]) || outline.has(&["decay_config"]) || outline.has(&["privacy_config"])
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
