//! The roles of the format's files, and the marks of its folder.

use std::path::Path;

use super::super::detection::{
    ENOUGH_RECORD_FILES, Evidence, FolderProbe, JsonHead, Likeness, MAX_PROBED, PROBE_BYTES, likeness,
};
use super::super::{Placement, parts};
use crate::model::{PathText, Role};
use crate::text::json::{Json, JsonKind};

/// The live files and the type of their records.
pub const FILES: [(&str, &str); 3] =
    [("core_memories.jsonl", "core"), ("learnings.jsonl", "learning"), ("tasks.jsonl", "task")];

/// The arrays of a 1.0 document and the type of their records.
pub const ARRAYS: [(&str, &str); 3] =
    [("core_memories", "core"), ("learnings", "learning"), ("tasks", "task")];

/// Returns the type of records in a live file or its archive: `<stem>_<YEAR>_Q<N>.jsonl`, or
/// `<type>_memories_<YEAR>_Q<N>.jsonl` in the specification's text.
pub fn kind_of_file(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_text();
    FILES.iter().find_map(|&(file, kind)| {
        let stem = file.strip_suffix(".jsonl")?;
        let rest = name.strip_prefix(stem).or_else(|| name.strip_prefix(kind)?.strip_prefix("_memories"))?;
        (rest == ".jsonl" || rest.starts_with('_')).then_some(kind)
    })
}

pub fn place(path: &Path, is_folder: bool) -> Placement {
    let text = path.to_text();
    let parts: Vec<&str> = parts(&text).collect();
    if is_folder {
        return match parts.as_slice() {
            [".backup"] | ["archive"] | ["archive", _] => Placement::Enter,
            _ => Placement::Unexpected,
        };
    }
    match parts.as_slice() {
        [.., name] if name.ends_with(".tmp") || name.contains(".tmp.") => Placement::File(Role::Temp),
        [name] if FILES.iter().any(|(file, _)| file == name) => Placement::File(Role::Records),
        ["index.json"] => Placement::File(Role::Index),
        [".lock"] => Placement::File(Role::Lock),
        [".backup", name] if name.contains(".backup") => Placement::File(Role::Backup),
        ["archive", name] | ["archive", _, name] if name.ends_with(".jsonl") => {
            Placement::File(Role::Archive)
        }
        // Only the content shows if the 1.0 writer made it.
        [name] if name.ends_with(".json") => Placement::File(Role::Records),
        _ => Placement::Unexpected,
    }
}

pub fn evidence(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let files = FILES.map(|(file, _)| file);
    let mut seen = Evidence::lacking(format!("it has none of {}", files.join(", ")));
    let there: Vec<&str> = files.into_iter().filter(|file| glance.has_file(root, file)).collect();
    for file in &there {
        let head = glance.head(&root.join(file)).unwrap_or_default();
        // If the head ends within the first record, its member names decide.
        let likeness = match likeness(&head, is_record) {
            Likeness::Silent if head.len() >= PROBE_BYTES && is_record_begun(&head) => Likeness::Yes,
            likeness => likeness,
        };
        // Other programs may have one of these names, but not `core_memories.jsonl`.
        let is_own_name = there.len() > 1 || *file == "core_memories.jsonl";
        seen.see(likeness, is_own_name, &format!("the memories in {file} are of another kind"));
        seen.lacks = format!("{} has no complete memory", there.join(", "));
    }
    let documents = glance.files(root).into_iter().filter(|name| name.as_encoded_bytes().ends_with(b".json"));
    let heads = documents.take(MAX_PROBED).filter_map(|name| glance.head(&root.join(name)));
    seen.records += heads.filter(|head| is_agent_file(head)).take(ENOUGH_RECORD_FILES).count();
    seen
}

fn is_record_begun(head: &[u8]) -> bool {
    let outline = JsonHead::of(head);
    let has = |name| outline.has(&[name]);
    has("content") && (has("type") || has("created_at")) && has("id")
}

/// True if some fields match the schema, enough to distinguish its records from others.
fn is_record(object: Json<'_>) -> bool {
    let content = object.get("content").is_some_and(|content| content.kind() == JsonKind::String);
    let kind = object.get("type").is_some_and(|kind| FILES.iter().any(|(_, word)| kind.is_text(word)));
    let dated = object.get("created_at").is_some() || object.get("accessed_at").is_some();
    content && (kind || (dated && object.get("importance").is_some()))
}

/// True if the head is that of a document with the arrays of the 1.0 writer.
pub fn is_agent_file(head: &[u8]) -> bool {
    let outline = JsonHead::of(head);
    let named = ARRAYS.iter().filter(|(array, _)| outline.has_list(array)).count();
    named >= 2 || (named == 1 && outline.has_list("core_memories"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_told_by_both_spellings_of_their_names() {
        let kind = |name: &str| kind_of_file(Path::new(name));
        assert_eq!(kind("archive/2025/core_memories_2025_Q4.jsonl"), Some("core"));
        assert_eq!(kind("archive/2025/learning_memories_2025_Q4.jsonl"), Some("learning"));
        assert_eq!(kind("tasks.jsonl"), Some("task"));
        assert_eq!(kind("tasksheet.jsonl"), None);
    }
}
