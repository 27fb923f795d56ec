//! The role of each file, its id, and what marks a folder of each family.

use std::ffi::OsStr;
use std::path::Path;

use super::entry_file::DELIMITER;
use super::family::Family;
use super::index_file;
use crate::format::Placement;
use crate::format::detection::{ENOUGH_RECORD_FILES, Evidence, FolderProbe, MAX_PROBED};
use crate::format::notes::note_file::stem;
use crate::model::{PathText, Role};
use crate::text::front_matter::Note;

/// The files of a memory bank, in lower case, without `-` and `_`.
const BANK: [&str; 6] =
    ["projectbrief", "productcontext", "activecontext", "systempatterns", "techcontext", "progress"];
/// Folders of which the contents are documents, sources, or copied into projects: nobody's memories.
const OTHERS: [&str; 11] = [
    "templates",
    "template",
    "skills",
    "assets",
    "examples",
    "docs",
    "doc",
    "src",
    "lib",
    "vendor",
    "node_modules",
];
/// How many folders up to a root may show that it is another's.
const NEAR: usize = 3;
/// What is in the root of a project and in no folder of memories.
const PROJECT: [&str; 6] =
    ["README.md", "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Makefile"];
/// Settings of which a `project.yml` of Serena has one.
const SERENA: [&str; 3] = ["project_name:", "read_only_memory_patterns:", "ignored_memory_patterns:"];
/// A bank in a folder of another name has at least this many of its files.
const MANY_OF_BANK: usize = 4;

/// Returns the place of a path. All families read recursively, and no hidden files.
pub fn place(path: &Path, is_folder: bool) -> Placement {
    let name = path.file_name().unwrap_or_default().to_text();
    if path.iter().any(|part| part.as_encoded_bytes().starts_with(b".")) {
        let is_temp = name.ends_with(".tmp") && path.iter().count() == 1;
        return if is_temp { Placement::File(Role::Temp) } else { Placement::Unexpected };
    }
    if is_folder {
        return Placement::Enter;
    }
    let is_copy = [".bak", ".backup"].iter().any(|end| name.ends_with(end)) || name.contains(".md.bak.");
    match () {
        () if is_copy => Placement::File(Role::Backup),
        () if name.ends_with(".tmp") => Placement::File(Role::Temp),
        () if name.ends_with(".lock") => Placement::File(Role::Lock),
        () if name.ends_with(".md") => Placement::File(Role::Records),
        () => Placement::Unexpected,
    }
}

/// Returns the id of the memory that is a file. The stem of `a/b.md` is `b`, its path `a/b`.
pub fn id_of(family: &Family, path: &Path) -> String {
    match family.is_named_by_stem && path.iter().count() == 1 {
        true => stem(path),
        false => path.with_extension("").to_text().into_owned(),
    }
}

/// An index with links that lead to files, or topics with a name and a description beside it.
pub fn claude(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no `MEMORY.md` that leads to memories");
    if is_others(root, glance) || is_of_another(root, glance) {
        return seen;
    }
    let files = glance.files(root);
    let head = glance.head(&root.join("MEMORY.md")).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let is_strange = |own: &str| head.contains(own);
    if has_delimiter(&head) || ["# Task Group:", "<!-- agent-memory:"].into_iter().any(is_strange) {
        return seen;
    }
    let mut topics = 0;
    for name in files.iter().filter(|name| is_markdown(name) && *name != "MEMORY.md").take(MAX_PROBED) {
        topics += usize::from(is_topic(&glance.head(&root.join(name)).unwrap_or_default()));
        if topics >= ENOUGH_RECORD_FILES {
            break;
        }
    }
    seen.likely += topics + usize::from(!head.is_empty());
    let is_named = root.file_name().is_some_and(|name| name == "memory" || name == "memories");
    let leads = index_file::lines(&head).filter(|own| files.iter().any(|file| file == own.target)).count();
    let is_index = !head.is_empty() && (topics > 0 || is_named && leads > 0);
    seen.records += if is_index { topics + leads } else { 0 };
    seen
}

/// True if other families' files are beside an index.
fn is_of_another(root: &Path, glance: &dyn FolderProbe) -> bool {
    let has = |name: &str| glance.has_file(root, name);
    has("SOUL.md") || has("IDENTITY.md") || has("memory_summary.md")
}

fn is_topic(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let note = Note::read(&text);
    note.field("name").is_some() && note.field("description").is_some()
}

/// Markdown files beside Serena's settings.
pub fn serena(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("`project.yml` of Serena is not beside it");
    let Some(around) = root.parent().filter(|_| root.file_name() == Some(OsStr::new("memories"))) else {
        return seen;
    };
    seen.likely += glance.files(root).iter().filter(|name| is_markdown(name)).take(MAX_PROBED).count();
    seen.likely += glance.folders(root).len().min(MAX_PROBED);
    let settings = glance.head(&around.join("project.yml")).unwrap_or_default();
    let settings = String::from_utf8_lossy(&settings);
    seen.names += usize::from(SERENA.iter().any(|own| settings.contains(own)));
    seen
}

/// Two of the six files.
pub fn memory_bank(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has none of the files of a memory bank");
    if is_others(root, glance) && !is_bank(root) {
        return seen;
    }
    let plain = |name: &OsStr| {
        let name = name.to_text().to_lowercase().replace(['-', '_'], "");
        name.strip_suffix(".md").is_some_and(|own| BANK.contains(&own))
    };
    let count = glance.files(root).iter().filter(|name| plain(name)).count();
    seen.likely += count;
    if count >= MANY_OF_BANK || count > 1 && is_bank(root) {
        seen.names += count;
    }
    seen
}

/// True if a folder is called a memory bank.
fn is_bank(root: &Path) -> bool {
    let name = root.file_name().unwrap_or_default().to_text().to_lowercase().replace(['-', '_', '.'], "");
    name == "memorybank"
}

/// Files with entries between lines of `§`.
pub fn hermes(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no memories between lines of `§`");
    for name in ["MEMORY.md", "USER.md"].into_iter().filter(|name| glance.has_file(root, name)) {
        let head = glance.head(&root.join(name)).unwrap_or_default();
        seen.likely += 1;
        let is_own =
            root.file_name().is_some_and(|name| name == "memories") || glance.has_file(root, "USER.md");
        seen.records += usize::from(is_own && has_delimiter(&String::from_utf8_lossy(&head)));
    }
    seen
}

fn has_delimiter(text: &str) -> bool {
    text.contains(DELIMITER)
}

/// Any Markdown at all: enough if the user names the format.
pub fn plain(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no Markdown files");
    seen.likely += glance.files(root).iter().filter(|name| is_markdown(name)).take(1).count();
    seen
}

fn is_markdown(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".md") && !name.starts_with(b".")
}

/// True if a folder has documents, sources or the root of a project, is copied into projects, or is in a vault.
fn is_others(root: &Path, glance: &dyn FolderProbe) -> bool {
    let near: Vec<&OsStr> = root.iter().rev().take(NEAR).collect();
    if near.iter().any(|part| *part == ".claude" || *part == ".agents") {
        return false;
    }
    let is_vault = |folder: &Path| glance.has_folder(folder, ".obsidian");
    near.iter().any(|part| OTHERS.iter().any(|own| part == own))
        || root.ancestors().take(NEAR).any(is_vault)
        || glance.has_folder(root, ".git")
        || PROJECT.iter().any(|name| glance.has_file(root, name))
}
