//! The roles of the format's files, and the marks of its folder.

use std::path::Path;

use super::super::detection::{Evidence, FolderProbe, JsonHead, is_bare, likeness, sessions};
use super::super::{Placement, parts};
use crate::model::{PathText, Role};
use crate::text::json::{Json, JsonKind};

/// The sections of its config (§7.1).
const SECTIONS: [&str; 5] = ["storage", "concurrency", "decay", "performance", "integrity"];

/// Returns the session of a path: the folder below `sessions/`.
pub fn session_of(path: &Path) -> Option<&Path> {
    let mut parts = path.iter();
    (parts.next()?.to_str()? == "sessions").then_some(())?;
    parts.next().map(Path::new)
}

pub fn place(path: &Path, is_folder: bool) -> Placement {
    let text = path.to_text();
    let parts: Vec<&str> = parts(&text).collect();
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

pub fn evidence(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no session below `sessions/`");
    let has_sessions = glance.has_folder(root, "sessions");
    let config = glance.head(&root.join("config.json"));
    let is_own = config.as_deref().is_some_and(is_config);
    // Other programs have an empty `sessions/`, too. It proves nothing if their files are beside it.
    let is_other =
        config.is_some_and(|head| !is_own && !JsonHead::of(&head).has_only(&["version"], &SECTIONS));
    let is_likely = (has_sessions || is_own) && !is_other && is_bare(root, glance, place);
    seen.likely += usize::from(has_sessions && glance.has_folder(root, "indices") || is_likely);
    if !has_sessions {
        return seen;
    }
    seen.config = is_own;
    let none = "no session below `sessions/` has a `memory.jsonl` or `metadata.json`";
    let has_any = sessions(root, glance, &mut seen, ("metadata.json", none), &|head, metadata| {
        let log = head("memory.jsonl").map(|head| likeness(&head, is_entry));
        let deleted = || head("tombstones.jsonl").map(|head| likeness(&head, is_tombstone));
        log.or(metadata).or_else(deleted)
    });
    if has_any {
        seen.lacks = "no session has a `memory.jsonl` or `metadata.json`".into();
    }
    seen
}

/// True for settings of §7.1 whose names no other program uses.
fn is_config(head: &[u8]) -> bool {
    let outline = JsonHead::of(head);
    let own = [
        ["storage", "max_session_size_mb"],
        ["storage", "compaction_threshold"],
        ["storage", "auto_compact"],
        ["concurrency", "lock_timeout_ms"],
        ["decay", "min_decay_factor"],
        ["decay", "type_specific"],
        ["integrity", "enable_checksums"],
    ];
    own.iter().any(|path| outline.has(path))
}

fn is_tombstone(object: Json<'_>) -> bool {
    object.get("id").is_some() && object.get("deleted_at").is_some()
}

/// True if some fields match the schema, enough to distinguish its entries from others.
fn is_entry(object: Json<'_>) -> bool {
    let known = ["conversation", "decision", "finding", "preference"];
    let kind = object.get("type").is_some_and(|kind| known.iter().any(|word| kind.is_text(word)));
    let content = object.get("content").is_some_and(|content| content.kind() != JsonKind::Null);
    content && (kind || object.get("session_id").is_some()) && object.get("id").is_some()
}
