//! Which of its files is what, and what marks a folder as this format.

use crate::format::reading::without_mark;
use std::path::Path;

use super::super::Placement;
use super::super::glance::{Glance, HEAD, Likeness, likeness, names_member};
use crate::model::Role;
use crate::text::json::{Json, Kind};

/// The live files, with the type of record that each holds.
pub const FILES: [(&str, &str); 3] =
    [("core_memories.jsonl", "core"), ("learnings.jsonl", "learning"), ("tasks.jsonl", "task")];

/// The arrays of a 1.0 document, with the type of record that each holds.
pub const ARRAYS: [(&str, &str); 3] =
    [("core_memories", "core"), ("learnings", "learning"), ("tasks", "task")];

/// The type of record that a live file, or an archive made from it, holds.
/// Archives are `<stem>_<YEAR>_Q<N>.jsonl`, or `<type>_memories_<YEAR>_Q<N>.jsonl` as
/// the specification's text has it.
pub fn kind_of_file(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    FILES.iter().find_map(|&(file, kind)| {
        let stem = file.strip_suffix(".jsonl")?;
        let rest = name.strip_prefix(stem).or_else(|| name.strip_prefix(kind)?.strip_prefix("_memories"))?;
        (rest == ".jsonl" || rest.starts_with('_')).then_some(kind)
    })
}

/// What a path is to the format.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("\u{fffd}")).collect();
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
        // Whether a document is of the 1.0 writer only its content tells.
        [name] if name.ends_with(".json") => Placement::File(Role::Records),
        _ => Placement::Unexpected,
    }
}

/// Whether the folder is a store of this format.
pub fn recognise(root: &Path, glance: &dyn Glance) -> Result<(), String> {
    let names = glance.files(root);
    let found: Vec<&str> =
        FILES.iter().map(|(file, _)| *file).filter(|file| names.iter().any(|n| n == file)).collect();
    let looks: Vec<Likeness> = found
        .iter()
        .filter_map(|file| glance.head(&root.join(file)))
        .map(|head| match likeness(&head, is_record) {
            // A first record longer than what is looked at tells by the names of its members.
            Likeness::Silent if head.len() >= HEAD && is_record_begun(&head) => Likeness::Yes,
            likeness => likeness,
        })
        .collect();
    if looks.contains(&Likeness::Yes) || (glance.names_suffice() && !found.is_empty()) {
        return Ok(());
    }
    let agent_file = names
        .iter()
        .filter(|name| name.ends_with(".json"))
        .any(|name| glance.head(&root.join(name)).is_some_and(|head| is_agent_file(&head)));
    if agent_file {
        return Ok(());
    }
    match (found.as_slice(), looks.contains(&Likeness::No)) {
        ([], _) => Err(format!("it has none of {}", FILES.map(|(file, _)| file).join(", "))),
        (files, true) => Err(format!("the records in {} are of another kind", files.join(", "))),
        // Nothing readable stands in them; a name that nothing else uses still tells.
        (files, false) if files.contains(&"core_memories.jsonl") || files.len() > 1 => Ok(()),
        (files, false) => Err(format!("{} holds no whole record", files.join(", "))),
    }
}

fn is_record_begun(head: &[u8]) -> bool {
    let has = |name| names_member(head, name);
    head.starts_with(b"{") && has("content") && (has("type") || has("created_at")) && has("id")
}

/// Some fields of its schema, enough to tell its records from others'.
fn is_record(object: Json<'_>) -> bool {
    let content = object.get("content").is_some_and(|content| content.kind() == Kind::String);
    let kind = object.get("type").is_some_and(|kind| FILES.iter().any(|(_, word)| kind.is_text(word)));
    let dated = object.get("created_at").is_some() || object.get("accessed_at").is_some();
    content && (kind || (dated && object.get("importance").is_some()))
}

/// Whether the head is that of a document with the arrays of the 1.0 writer.
pub fn is_agent_file(head: &[u8]) -> bool {
    let head = without_mark(head);
    let starts = head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let named = ARRAYS.iter().filter(|(array, _)| names_member(head, array)).count();
    starts && (named >= 2 || (named == 1 && names_member(head, "core_memories")))
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
