//! Which of its files is what, and what marks a folder as this format.

use std::path::Path;

use super::super::Placement;
use super::super::glance::{Glance, Likeness, likeness, names_member};
use crate::model::Role;
use crate::text::json::Json;

/// So many months and files are looked into to tell whose store it is.
const LOOKED_INTO: usize = 4_096;
/// Files for people and agents to read, in whichever folder.
const GUIDES: [&str; 3] = ["README.md", "AGENTS.md", "CLAUDE.md"];

/// What the records of a file are.
pub fn kind_of(path: &Path) -> &'static str {
    let mut parts = path.iter().map(|part| part.to_str().unwrap_or_default());
    let first = parts.next().unwrap_or_default();
    match if first == "archive" { parts.next().unwrap_or_default() } else { first } {
        "knowledge" => "note",
        "profiles" => "profile",
        "queries" => "query",
        _ => "event",
    }
}

/// Whether a file groups the events of one trace.
pub fn is_trace(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "traces")
}

/// What a path is to the format.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("\u{fffd}")).collect();
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

/// What is to be said of a file that real writers put elsewhere than the specification does; it is
/// read all the same.
pub fn misplaced(path: &Path) -> Option<&'static str> {
    let mut parts = path.iter().map(|part| part.to_str().unwrap_or_default());
    let (first, second) = (parts.next()?, parts.next()?);
    let is_flat = parts.next().is_none();
    match (first, is_flat) {
        ("events", true) => {
            Some("It stands directly in events/, not in the folder of a month; it is read all the same.")
        }
        ("traces", true) => {
            Some("It stands in traces/ itself, not in that of a month; it is read all the same.")
        }
        ("knowledge", true) if second.ends_with(".md") => {
            Some("It stands directly in knowledge/, not in knowledge/notes/; it is read all the same.")
        }
        ("profiles", false) => Some("It stands below a folder of profiles/; it is read all the same."),
        _ => None,
    }
}

/// Whether the folder is a store of this format.
pub fn recognise(root: &Path, glance: &dyn Glance) -> Result<(), String> {
    let seen = [events(root, glance), notes(root, glance), profiles(root, glance)];
    if seen.contains(&Some(Likeness::Yes)) {
        return Ok(());
    }
    let named =
        seen.iter().flatten().next().is_some() || glance.folders(root).iter().any(|name| is_room(name));
    match seen.contains(&Some(Likeness::No)) {
        true => Err("its events, notes or profiles are of another kind".into()),
        false if named && glance.names_suffice() => Ok(()),
        // An empty store has all of its rooms, and the index of tags.
        false
            if glance.files(&root.join("knowledge")).iter().any(|name| name == "tags.json")
                && ["events", "profiles"]
                    .iter()
                    .all(|room| glance.folders(root).iter().any(|own| own == room)) =>
        {
            Ok(())
        }
        false => Err("it has no events, no notes with front matter and no profiles".into()),
    }
}

fn is_room(name: &str) -> bool {
    matches!(name, "events" | "knowledge" | "profiles")
}

/// Logs stand in a folder a month, or directly below `events/`.
fn events(root: &Path, glance: &dyn Glance) -> Option<Likeness> {
    let events = root.join("events");
    let mut folders = vec![events.clone()];
    folders.extend(glance.folders(&events).into_iter().take(LOOKED_INTO).map(|month| events.join(month)));
    folders.push(root.join("traces"));
    let logs = folders.iter().flat_map(|folder| {
        let files = glance.files(folder).into_iter().filter(|file| file.ends_with(".jsonl"));
        files.take(LOOKED_INTO).map(|file| folder.join(file)).collect::<Vec<_>>()
    });
    let is_event = |object: Json<'_>| is_event(object, glance.names_suffice());
    best(logs.map(|log| glance.head(&log).map_or(Likeness::Silent, |head| likeness(&head, is_event))))
}

/// Events of other programs have a time and a type too; at the default place that will do.
fn is_event(object: Json<'_>, expected: bool) -> bool {
    let named = |name: &str| object.get(name).is_some();
    let traced = named("trace_id") && (named("event_type") || named("events") || named("status"));
    let acted = named("event_id") && (named("actor") || named("action"));
    traced || acted || expected && named("timestamp") && (named("event_type") || named("event_id"))
}

fn notes(root: &Path, glance: &dyn Glance) -> Option<Likeness> {
    let folders = [root.join("knowledge/notes"), root.join("knowledge")];
    let files = folders.iter().flat_map(|folder| {
        let files = glance.files(folder).into_iter();
        let notes = files.filter(|file| file.ends_with(".md") && !GUIDES.contains(&file.as_str()));
        notes.take(LOOKED_INTO).map(|file| folder.join(file)).collect::<Vec<_>>()
    });
    let is_note = |file: &Path| match glance.head(file) {
        Some(head) if head.starts_with(b"---") && is_front_matter(&head) => Likeness::Yes,
        _ => Likeness::Silent,
    };
    best(files.map(|file| is_note(&file)))
}

/// Front matter of notes names the note, what it links to, or when it was made and what it
/// is tagged with; pages of web sites have tags and a title too.
fn is_front_matter(head: &[u8]) -> bool {
    let has = |name: &[u8]| head.split(|byte| *byte == b'\n').any(|line| line.starts_with(name));
    has(b"id:") || has(b"note_id:") || has(b"linked_to:") || has(b"created:") && has(b"tags:")
}

fn profiles(root: &Path, glance: &dyn Glance) -> Option<Likeness> {
    let folders = [root.join("profiles"), root.join("profiles/agents")];
    let files = folders.iter().flat_map(|folder| {
        let files = glance.files(folder).into_iter().filter(|file| file.ends_with(".json"));
        files.take(LOOKED_INTO).map(|file| folder.join(file)).collect::<Vec<_>>()
    });
    let is_profile = |file: &Path| match glance.head(file) {
        Some(head) if names_member(&head, "agent_name") => Likeness::Yes,
        _ => Likeness::Silent,
    };
    best(files.map(|file| is_profile(&file)))
}

/// One file of the format suffices; without one, one of another kind speaks against it.
fn best(files: impl Iterator<Item = Likeness>) -> Option<Likeness> {
    let mut best = None;
    for likeness in files {
        match likeness {
            Likeness::Yes => return Some(Likeness::Yes),
            Likeness::No => best = Some(Likeness::No),
            Likeness::Silent => best = best.or(Some(Likeness::Silent)),
        }
    }
    best
}
