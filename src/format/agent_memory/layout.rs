//! Which of its files is what, and what marks a folder as this format.

use std::path::Path;

use super::super::Placement;
use super::super::glance::{Glance, Likeness, likeness, names_member};
use crate::model::Role;
use crate::text::json::Json;

/// The canonical state.
pub const STATE: &str = "state.json";
/// The active event stream.
pub const EVENTS: &str = "history/events.jsonl";
/// The folder of the active checkpoints.
pub const CHECKPOINTS: &str = "history/checkpoints";
/// The import source registry.
pub const SOURCES: &str = "sources.json";
/// The settings.
pub const CONFIG: &str = "config.json";

/// Names that stand in a state beside `bundle`: its own members are sorted, so that
/// `schemaVersion` may stand beyond the part that detection reads.
const BESIDE_BUNDLE: [&str; 6] =
    ["schemaVersion", "bundleHash", "currentFocus", "projectMap", "nextSteps", "validationCommands"];

/// What a path is to the format.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("\u{fffd}")).collect();
    if is_folder {
        return match parts.as_slice() {
            ["history" | "archive" | "automation"] | ["history", "checkpoints"] => Placement::Enter,
            ["archive", batch] | ["archive", batch, "checkpoints"] if is_batch(batch) => Placement::Enter,
            ["automation", ..] => Placement::Enter,
            _ => Placement::Unexpected,
        };
    }
    let role = match parts.as_slice() {
        [.., name] if name.ends_with(".tmp") || name.contains(".tmp.") => Role::Temp,
        [STATE | SOURCES] | ["history", "events.jsonl"] => Role::Records,
        ["history", "checkpoints", name] if name.ends_with(".json") => Role::Records,
        [CONFIG] => Role::Config,
        ["archive", batch, "manifest.json"] if is_batch(batch) => Role::Metadata,
        ["archive", batch, "events.jsonl"] if is_batch(batch) => Role::Archive,
        ["archive", batch, "checkpoints", name] if is_batch(batch) && name.ends_with(".json") => {
            Role::Archive
        }
        ["automation", .., name] if name.contains("lock") => Role::Lock,
        ["automation", ..] => Role::Other,
        _ => return Placement::Unexpected,
    };
    Placement::File(role)
}

fn is_batch(name: &str) -> bool {
    name.starts_with("prune-")
}

/// Whether the file is one checkpoint.
pub fn is_checkpoint(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("checkpoints"))
}

/// The folder of the archive batch that a file belongs to.
pub fn batch_of(path: &Path) -> Option<&Path> {
    let batch = path.ancestors().find(|folder| folder.parent() == Some(Path::new("archive")))?;
    (batch != path).then_some(batch)
}

/// Whether the folder is a store of this format. Other tools keep other things in folders
/// of that name, so what stands in the files decides; where it can't be told, at the
/// default place, the names of the files do.
pub fn recognise(root: &Path, glance: &dyn Glance) -> Result<(), String> {
    let state = glance.head(&root.join(STATE)).map(|head| state_likeness(&head));
    let events = glance.head(&root.join(EVENTS)).map(|head| likeness(&head, is_event));
    let looks = [state, events];
    if looks.contains(&Some(Likeness::Yes)) {
        return Ok(());
    }
    if state == Some(Likeness::No) {
        return Err("its `state.json` holds no bundle: it is of another kind".into());
    }
    if events == Some(Likeness::No) {
        return Err("the events in its `history/events.jsonl` are of another kind".into());
    }
    let silent = looks.contains(&Some(Likeness::Silent));
    let history = || glance.folders(root).iter().any(|name| name == "history");
    if glance.names_suffice() && (silent || history()) {
        return Ok(());
    }
    Err("it has no `state.json` with a bundle, and no `history/events.jsonl` with events".into())
}

fn state_likeness(head: &[u8]) -> Likeness {
    if names_member(head, "bundle") && BESIDE_BUNDLE.iter().any(|name| names_member(head, name)) {
        return Likeness::Yes;
    }
    likeness(head, |_| false)
}

fn is_event(object: Json<'_>) -> bool {
    object.get("kind").is_some_and(|kind| kind.is_text("tool_run") || kind.is_text("imported_session"))
}
