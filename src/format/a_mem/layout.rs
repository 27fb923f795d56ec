//! The role of each file, and how a folder is recognised as a store of this format.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::super::detection::{Evidence, FolderProbe, JsonHead, Likeness, MAX_PROBED, likeness};
use super::super::{Placement, parts};
use crate::model::{PathText, Role};
use crate::text::json::Json;

/// Specification 5.
pub struct AMem;

/// The folders below the root. A folder in `events/` with such a name belongs to another store.
const ROOMS: [&str; 5] = ["events", "traces", "knowledge", "profiles", "queries"];
const INDEXES: [&str; 2] = ["tags.json", "links.json"];
/// Files for people and agents to read, in any folder.
const GUIDES: [&str; 3] = ["README.md", "AGENTS.md", "CLAUDE.md"];

/// Returns the type of the records in a file.
pub fn kind_of(path: &Path) -> &'static str {
    let text = path.to_text();
    let mut parts = parts(&text);
    let first = parts.next().unwrap_or_default();
    match if first == "archive" { parts.next().unwrap_or_default() } else { first } {
        "knowledge" => "note",
        "profiles" => "profile",
        "queries" => "query",
        _ => "event",
    }
}

/// True if a file has the events of one trace.
pub fn is_trace(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "traces")
}

pub fn place(path: &Path, is_folder: bool) -> Placement {
    let text = path.to_text();
    let parts: Vec<&str> = parts(&text).collect();
    let (Some(first), Some(name)) = (parts.first(), parts.last()) else { return Placement::Unexpected };
    let archived = *first == "archive";
    let room = if archived { parts.get(1).unwrap_or(first) } else { first };
    let known = matches!(*room, "events" | "traces" | "knowledge" | "profiles" | "queries" | "archive");
    if is_folder {
        return if known && !name.starts_with('.') { Placement::Enter } else { Placement::Unexpected };
    }
    let records = if archived { Role::Archive } else { Role::Records };
    let role = match *room {
        _ if name.ends_with(".tmp") || name.contains(".tmp.") => Role::Temp,
        _ if name.ends_with(".lock") || *name == "lock" => Role::Lock,
        _ if name.ends_with(".backup") || name.ends_with(".bak") => Role::Backup,
        _ if GUIDES.contains(name) => Role::Other,
        "events" | "traces" | "archive" if name.ends_with(".jsonl.gz") => Role::Archive,
        "events" | "traces" | "archive" if name.ends_with(".jsonl") => records,
        "events" if *name == "index.json" => Role::Other,
        "knowledge" if matches!(parts.as_slice(), ["knowledge", "links.json" | "tags.json"]) => Role::Index,
        "knowledge" if name.ends_with(".md") => records,
        "profiles" if name.ends_with(".json") => records,
        "queries" if parts.len() > 1 => records,
        _ => return Placement::Unexpected,
    };
    Placement::File(role)
}

pub fn evidence(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no events, no notes with front matter and no profiles");
    rooms(root, glance, &mut seen);
    // The archive has the same folders again. If only `archive/` has them, it may be a store of that name.
    if seen.likely > 0 {
        rooms(&root.join("archive"), glance, &mut seen);
    }
    seen
}

fn rooms(root: &Path, glance: &dyn FolderProbe, seen: &mut Evidence) {
    let rooms = ["events", "knowledge", "profiles"].map(|room| glance.has_folder(root, room));
    seen.likely += rooms.iter().filter(|is_there| **is_there).count();
    for (is_there, look) in rooms.into_iter().zip([events, notes, profiles]) {
        if is_there {
            look(root, glance, seen);
        }
    }
    // An empty store has all its folders and an index.
    let has_index = || INDEXES.iter().any(|name| glance.has_file(&root.join("knowledge"), name));
    seen.names += usize::from(rooms == [true; 3] && has_index());
}

/// Logs are in a folder per month, or directly below `events/`. The files of traces are beside them.
fn events(root: &Path, glance: &dyn FolderProbe, seen: &mut Evidence) {
    let events = root.join("events");
    let months = glance.folders(&events).into_iter().filter(|name| !ROOMS.iter().any(|room| name == room));
    let months: Vec<PathBuf> = months.take(MAX_PROBED).map(|month| events.join(month)).collect();
    let mut folders = vec![events];
    folders.extend(months.iter().cloned());
    folders.extend(months.iter().map(|month| month.join("traces")));
    folders.push(root.join("traces"));
    for folder in folders {
        for file in glance.files(&folder).into_iter().take(MAX_PROBED) {
            if seen.is_enough() {
                return;
            }
            event_file(&folder, &file, glance, seen);
        }
    }
}

fn event_file(folder: &Path, file: &OsStr, glance: &dyn FolderProbe, seen: &mut Evidence) {
    let name = file.to_text();
    let is_log = folder.file_name().is_some_and(is_month) && name.starts_with("events.jsonl");
    if name.ends_with(".jsonl.gz") {
        seen.names += usize::from(is_log);
    } else if name.ends_with(".jsonl") {
        let head = glance.head(&folder.join(file)).unwrap_or_default();
        match likeness(&head, is_event) {
            Likeness::No if likeness(&head, is_like_event) == Likeness::Yes => seen.likely += 1,
            likeness => seen.see(likeness, is_log, "its events are of another kind"),
        }
    }
}

fn is_month(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let digits = |(at, byte): (usize, &u8)| if at == 4 { *byte == b'-' } else { byte.is_ascii_digit() };
    name.len() == 7 && name.iter().enumerate().all(digits)
}

fn is_event(object: Json<'_>) -> bool {
    let named = |name: &str| object.get(name).is_some();
    let traced = named("trace_id") && (named("event_type") || named("events") || named("status"));
    traced || named("event_id") && (named("actor") || named("action"))
}

/// Events of other programs have a time and a type, too. That is only enough at the default place.
fn is_like_event(object: Json<'_>) -> bool {
    let named = |name: &str| object.get(name).is_some();
    named("timestamp") && (named("event_type") || named("event_id"))
}

/// The most notes of a folder that detection reads, spread over all of them.
const NOTES: usize = 256;

fn notes(root: &Path, glance: &dyn FolderProbe, seen: &mut Evidence) {
    for folder in [root.join("knowledge/notes"), root.join("knowledge")] {
        let is_note = |name: &OsString| {
            name.as_encoded_bytes().ends_with(b".md") && !GUIDES.iter().any(|guide| name == guide)
        };
        let names: Vec<OsString> = glance.files(&folder).into_iter().filter(is_note).collect();
        let step = names.len().div_ceil(NOTES).max(1);
        for name in names.iter().step_by(step) {
            if seen.is_enough() {
                return;
            }
            let head = glance.head(&folder.join(name)).unwrap_or_default();
            let is_own = head.starts_with(b"---") && is_front_matter(&head);
            seen.see(if is_own { Likeness::Yes } else { Likeness::Silent }, false, "");
        }
        seen.likely += names.len() - names.len().div_ceil(step);
    }
}

/// True if the front matter names links, or a note and how far it is trusted. An id, a title, times
/// and tags prove nothing: web pages and notes of other programs have them, too.
fn is_front_matter(head: &[u8]) -> bool {
    let has = |name: &[u8]| head.split(|byte| *byte == b'\n').any(|line| line.starts_with(name));
    let dated = has(b"id:") && has(b"created:");
    has(b"note_id:") || has(b"linked_to:") || dated && (has(b"confidence:") || has(b"source:"))
}

fn profiles(root: &Path, glance: &dyn FolderProbe, seen: &mut Evidence) {
    for folder in [root.join("profiles"), root.join("profiles/agents")] {
        let names = glance.files(&folder).into_iter();
        for name in names.filter(|name| name.as_encoded_bytes().ends_with(b".json")).take(MAX_PROBED) {
            if seen.is_enough() {
                return;
            }
            let head = glance.head(&folder.join(name)).unwrap_or_default();
            if JsonHead::of(&head).has(&["agent_name"]) { seen.records += 1 } else { seen.likely += 1 }
        }
    }
}
