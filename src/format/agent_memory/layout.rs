//! Which file has which role, and how a folder is recognized as this format.

use std::path::Path;
use std::sync::Arc;

use super::super::detection::{
    ENOUGH_RECORD_FILES, Evidence, FolderProbe, JsonHead, likeness, likeness_of_document,
};
use super::super::{Placement, parts};
use crate::model::{Document, PathText, Role};
use crate::text::json::Json;

pub const STATE: &str = "state.json";
/// The active event stream.
pub const EVENTS: &str = "history/events.jsonl";
/// The folder of the active checkpoints.
pub const CHECKPOINTS: &str = "history/checkpoints";
pub const SOURCES: &str = "sources.json";
pub const CONFIG: &str = "config.json";

/// Members beside `bundle` or in it. Detection may not reach `schemaVersion`, because members are sorted.
const BESIDE_BUNDLE: [&str; 6] =
    ["schemaVersion", "bundleHash", "currentFocus", "projectMap", "nextSteps", "validationCommands"];

pub fn place(path: &Path, is_folder: bool) -> Placement {
    let text = path.to_text();
    let parts: Vec<&str> = parts(&text).collect();
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

pub fn is_checkpoint(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("checkpoints"))
}

/// Returns the active checkpoints, also those that can't be read.
pub fn active_checkpoints(documents: &[Arc<Document>]) -> impl Iterator<Item = &Document> {
    let is_active = |own: &&Document| own.role == Role::Records && own.path.starts_with(CHECKPOINTS);
    documents.iter().map(|document| &**document).filter(is_active)
}

/// Returns the folder of the archive batch that a file belongs to.
pub fn batch_of(path: &Path) -> Option<&Path> {
    let batch = path.ancestors().find(|folder| folder.parent() == Some(Path::new("archive")))?;
    (batch != path).then_some(batch)
}

/// Collects evidence for this format. Other tools use folders of the same name, so the content of
/// the files decides. If it does not tell, the file names decide, but only at the default place.
pub fn evidence(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    const LACKS: &str = "it has no `state.json` with a bundle, and no `history/events.jsonl` with events";
    let mut seen = Evidence::lacking(LACKS);
    let state = glance.has_file(root, STATE).then(|| glance.head(&root.join(STATE)).unwrap_or_default());
    if let Some(head) = state {
        let likeness = likeness_of_document(&head, is_state);
        seen.see(likeness, false, "its `state.json` holds no bundle: it is of another kind");
    }
    if !glance.has_folder(root, "history") {
        return seen;
    }
    if glance.has_file(&root.join("history"), "events.jsonl") {
        let head = glance.head(&root.join(EVENTS)).unwrap_or_default();
        let other = seen.against.take();
        let message = "the events in its `history/events.jsonl` are of another kind";
        seen.see(likeness(&head, is_event), false, message);
        seen.against = other.or(seen.against);
    }
    seen.likely += 1;
    let folder = root.join(CHECKPOINTS);
    let checkpoints = glance.files(&folder).into_iter().take(ENOUGH_RECORD_FILES);
    let heads = checkpoints.filter_map(|name| glance.head(&folder.join(name)));
    seen.records += heads.filter(|head| is_state(&JsonHead::of(head))).count();
    seen
}

/// True for a state, and for a checkpoint, which holds the bundle of a state.
fn is_state(outline: &JsonHead) -> bool {
    let beside = |name: &&str| outline.has(&[name]) || outline.has(&["bundle", name]);
    outline.has(&["bundle"]) && BESIDE_BUNDLE.iter().any(beside)
}

fn is_event(object: Json<'_>) -> bool {
    object.get("kind").is_some_and(|kind| kind.is_text("tool_run") || kind.is_text("imported_session"))
}
