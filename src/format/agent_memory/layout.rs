//! Which of its files is what, and what marks a folder as this format.

use std::path::Path;

use super::super::Placement;
use super::super::glance::{Glance, Likeness, likeness, names_member};
use crate::model::Role;
use crate::text::json::Json;

/// The projections, each with the name that its marker gives.
pub const PROJECTIONS: [(&str, &str); 5] = [
    ("docs/agent-memory/README.md", "readme"),
    ("docs/agent-memory/project-map.md", "project-map"),
    ("docs/agent-memory/current-focus.md", "current-focus"),
    ("docs/agent-memory/gotchas.md", "gotchas"),
    ("docs/agent-memory/next-steps.md", "next-steps"),
];
/// The projections, and the files that may hold the entry block.
pub const BESIDE: [&str; 8] = [
    PROJECTIONS[0].0,
    PROJECTIONS[1].0,
    PROJECTIONS[2].0,
    PROJECTIONS[3].0,
    PROJECTIONS[4].0,
    "AGENTS.md",
    "README.md",
    "CLAUDE.md",
];

/// What the records of a file are.
pub fn kind_of(path: &Path) -> &'static str {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    match path.file_name().and_then(|name| name.to_str()).unwrap_or_default() {
        "state.json" => "state",
        "sources.json" => "source",
        "manifest.json" => "manifest",
        _ if folder == "checkpoints" => "checkpoint",
        _ => "event",
    }
}

/// What a path is to the format.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("\u{fffd}")).collect();
    if is_folder {
        return match parts.as_slice() {
            ["history" | "archive" | "automation", ..] if parts.len() <= 3 => Placement::Enter,
            _ => Placement::Unexpected,
        };
    }
    let role = match parts.as_slice() {
        [.., name] if name.ends_with(".tmp") || name.contains(".tmp.") => Role::Temp,
        ["state.json"] | ["sources.json"] | ["history", "events.jsonl"] => Role::Records,
        ["history", "checkpoints", name] if name.ends_with(".json") => Role::Records,
        ["archive", _, "events.jsonl" | "manifest.json"] => Role::Archive,
        ["archive", _, "checkpoints", name] if name.ends_with(".json") => Role::Archive,
        ["config.json"] => Role::Config,
        ["automation", .., name] if is_lock(name) => Role::Lock,
        ["automation", ..] | [".gitignore"] => Role::Other,
        _ => return Placement::Unexpected,
    };
    Placement::File(role)
}

fn is_lock(name: &str) -> bool {
    name.ends_with(".lock") || name.starts_with("lock") || name.ends_with(".pid")
}

/// Whether the folder is a store of this format.
pub fn recognise(root: &Path, glance: &dyn Glance) -> Result<(), String> {
    let files = glance.files(root);
    let state = files.iter().any(|name| name == "state.json").then(|| glance.head(&root.join("state.json")));
    let history = glance.head(&root.join("history/events.jsonl"));
    let is_state = state.iter().flatten().any(|head| {
        // Keys are sorted, and `schemaVersion` may stand far behind the bundle.
        names_member(head, "bundle")
            && ["schemaVersion", "currentFocus", "bundleHash"].iter().any(|name| names_member(head, name))
    });
    let of_history = history.as_deref().map(|head| likeness(head, is_event));
    if is_state || of_history == Some(Likeness::Yes) {
        return Ok(());
    }
    let silent = matches!(of_history, None | Some(Likeness::Silent))
        && state.as_ref().is_none_or(|head| head.as_ref().is_none_or(Vec::is_empty));
    let named = state.is_some() || history.is_some();
    match () {
        () if named && silent && glance.names_suffice() => Ok(()),
        () if state.is_some() => Err("its `state.json` holds no bundle of this format".into()),
        () if history.is_some() => Err("its `history/events.jsonl` holds no events of this format".into()),
        () => Err("it has no `state.json` with a bundle, and no `history/events.jsonl` with events".into()),
    }
}

fn is_event(object: Json<'_>) -> bool {
    object.get("kind").is_some_and(|kind| kind.is_text("tool_run") || kind.is_text("imported_session"))
}
