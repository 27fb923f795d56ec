//! The role of each file, its id, and what marks a folder of each family.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::entry_file::has_delimiter;
use super::family::{Family, FileId};
use super::instructions::OF_WORKSPACES;
use super::references::links_in;
use super::{bullet_file, facts, index_file};
use crate::format::Placement;
use crate::format::detection::{
    ENOUGH_RECORD_FILES, Evidence, FolderProbe, MAX_PROBED, PROBE_BYTES, is_hidden,
};
use crate::format::notes::note_file::stem;
use crate::model::{PathText, Role};
use crate::text::front_matter::Note;

/// The files of a memory bank, in lower case, without `-` and `_`.
const BANK: [&str; 6] =
    ["projectbrief", "productcontext", "activecontext", "systempatterns", "techcontext", "progress"];
/// The files of a bank of Kilo Code. Other folders have such names, too.
const KILO: [&str; 5] = ["brief", "product", "context", "architecture", "tech"];
/// Folders of which the contents are copied into projects: nobody's memories.
const COPIED: [&str; 7] = ["templates", "template", "skills", "assets", "examples", "vendor", "node_modules"];
/// Folders of documents and sources. Memories in them need more marks.
const DOCUMENTS: [&str; 4] = ["docs", "doc", "src", "lib"];
/// Signs of a text that someone has to write.
const PLACEHOLDERS: [&str; 6] = ["YYYY-MM-DD", "- [", "[Project", "{{", "TODO", "<!--"];
/// At least this many instructions are in a workspace of OpenClaw, and in one that is the root of a project, too.
const SOME_OF_THEM: usize = 2;
const MOST_OF_THEM: usize = 4;
/// The start of each block of Codex's memories.
const TASK_GROUP: &str = "# Task Group: ";
/// How many folders up to a root may show that it is another's.
const NEAR: usize = 3;
/// What is in the root of a project and in no folder of memories.
const PROJECT: [&str; 6] =
    ["README.md", "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Makefile"];
/// Settings of which a `project.yml` of Serena has one.
const SERENA: [&str; 3] = ["project_name:", "read_only_memory_patterns:", "ignored_memory_patterns:"];
/// As many notes tell whether a folder is one of basic-memory.
const MANY_NOTES: usize = 64;
/// As many topics show that an index is one, also in a folder of documents or the root of a repository.
const SOME_TOPICS: usize = 2;
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
    match family.file_id {
        FileId::Stem => stem(path),
        FileId::StemAtTop if path.iter().count() == 1 => stem(path),
        FileId::StemAtTop | FileId::Path => path.with_extension("").to_text().into_owned(),
    }
}

/// An index with links that lead to files, or topics with a name and a description beside it.
pub fn claude(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no `MEMORY.md` that leads to memories");
    let files = glance.files(root);
    let is_nobodys = !is_agents(root) && (is_copied(root) || is_in_vault(root, glance));
    if !files.iter().any(|name| is_markdown(name)) || is_nobodys || is_of_another(root, glance) {
        return seen;
    }
    let head = glance.head(&root.join("MEMORY.md")).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let has_mark = |mark: &str| head.contains(mark);
    if has_delimiter(&head) || has_mark("# Task Group:") || has_mark("<!-- agent-memory:") {
        return seen;
    }
    let mut topics = Vec::new();
    let is_topic = |path: &Path| is_topic(&glance.head(&root.join(path)).unwrap_or_default());
    for name in files.iter().filter(|name| is_markdown(name) && *name != "MEMORY.md").take(MAX_PROBED) {
        topics.extend(is_topic(Path::new(name)).then_some(name));
        if topics.len() >= ENOUGH_RECORD_FILES {
            break;
        }
    }
    let is_named = root.file_name().is_some_and(|name| name == "memory" || name == "memories");
    let targets: Vec<&str> = index_file::lines(&head).map(|link| link.target).collect();
    let leads_to = |name: &OsString| targets.iter().any(|target| name == target);
    let is_certain = is_named && topics.len() >= SOME_TOPICS && topics.iter().any(|name| leads_to(name));
    if !is_certain && is_others(root, glance) {
        return seen;
    }
    let inner = if topics.len() < SOME_TOPICS { inner_topics(root, &head, glance) } else { 0 };
    let topics = topics.len() + inner;
    seen.likely += topics + usize::from(files.iter().any(|name| name == "MEMORY.md"));
    let leads = targets.iter().filter(|target| files.iter().any(|file| file == **target)).count();
    let is_index = !head.is_empty() && (topics > 0 || is_named && leads > 0);
    seen.records += if is_index { topics + leads } else { 0 };
    seen
}

/// Returns how many topics in folders an index leads to, also by way of other indexes there.
fn inner_topics(root: &Path, index: &str, glance: &dyn FolderProbe) -> usize {
    let head = |path: &PathBuf| glance.head(&root.join(path)).unwrap_or_default();
    let paths = |text: &str, folder: &Path| {
        let paths = links_in(text).into_iter().filter_map(|link| link.path(folder));
        let inner = paths.filter(|path| path.iter().count() > 1 && !is_copied(path));
        inner.take(ENOUGH_RECORD_FILES).collect::<Vec<_>>()
    };
    let leads_on = |path: &&PathBuf| {
        let (text, folder) = (head(path), path.parent().unwrap_or(path));
        is_topic(&text)
            || paths(&String::from_utf8_lossy(&text), folder).iter().any(|path| is_topic(&head(path)))
    };
    paths(index, Path::new("")).iter().filter(leads_on).count()
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
    let is_global = glance.has_file(around, "serena_config.yml") && glance.has_folder(root, "global");
    seen.names += usize::from(is_global || SERENA.iter().any(|own| settings.contains(own)));
    seen
}

/// Two of the six files.
pub fn memory_bank(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has none of the files of a memory bank");
    let plain = |name: &OsStr| {
        let name = name.to_text().to_lowercase().replace(['-', '_'], "");
        name.strip_suffix(".md")
            .is_some_and(|stem| BANK.contains(&stem) || is_bank(root) && KILO.contains(&stem))
    };
    let files = glance.files(root);
    let own = || files.iter().filter(|name| plain(name));
    let count = own().count();
    if count == 0 || !is_bank(root) && is_others(root, glance) {
        return seen;
    }
    let is_template = |name: &OsString| {
        let head = glance.head(&root.join(name)).unwrap_or_default();
        PLACEHOLDERS.iter().any(|own| String::from_utf8_lossy(&head).contains(own))
    };
    if is_copied(root) && own().any(is_template) {
        return seen;
    }
    seen.likely += count;
    if count >= MANY_OF_BANK || count > 1 && is_bank(root) {
        seen.names += count;
    }
    seen
}

fn is_bank(root: &Path) -> bool {
    let name = root.file_name().unwrap_or_default().to_text().to_lowercase().replace(['-', '_', '.'], "");
    name == "memorybank"
}

/// Files with entries between lines of `§`.
pub fn hermes(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no memories between lines of `§`");
    // Older copies may be beside the folder that Hermes uses.
    if ["MEMORY.md", "USER.md"].iter().any(|name| glance.has_file(&root.join("memories"), name)) {
        return seen;
    }
    let is_named = root.file_name().is_some_and(|name| name == "memories");
    // Writes may wait before the first memory is there.
    let home = root.parent().filter(|_| is_named);
    seen.likely += home.map_or(0, |home| glance.files(&home.join("pending/memory")).len());
    for name in ["MEMORY.md", "USER.md"].into_iter().filter(|name| glance.has_file(root, name)) {
        let head = glance.head(&root.join(name)).unwrap_or_default();
        seen.likely += 1;
        let is_own = is_named || glance.has_file(root, "USER.md");
        seen.records += usize::from(is_own && has_delimiter(&String::from_utf8_lossy(&head)));
    }
    seen
}

/// Returns the place of a path in an OpenClaw workspace: its memories are Markdown beside the instructions, and in
/// `memory`. The rest is the model's work.
pub fn openclaw_place(path: &Path, is_folder: bool) -> Placement {
    let is_below = path.iter().count() > 1 || is_folder;
    // What its jobs know: machine state without rows.
    let is_state = path.starts_with("memory/.dreams") || path == Path::new("memory/.schema-version");
    match () {
        () if is_state && is_folder => Placement::Enter,
        () if is_state || is_instruction(path) => Placement::File(Role::Other),
        () if is_below && !path.starts_with("memory") => Placement::Unexpected,
        () => place(path, is_folder),
    }
}

/// Returns the place of a path of Hermes. Instructions beside its memories are none.
pub fn hermes_place(path: &Path, is_folder: bool) -> Placement {
    match is_instruction(path) && path != Path::new("USER.md") {
        true => Placement::File(Role::Other),
        false => place(path, is_folder),
    }
}

fn is_instruction(path: &Path) -> bool {
    OF_WORKSPACES.iter().any(|place| path == Path::new(place.path))
}

/// Returns the place of a path in a folder of Gemini CLI: only one file has memories. Others hold sign-ins.
pub fn bullets_place(path: &Path, is_folder: bool) -> Placement {
    match path == Path::new("GEMINI.md") && !is_folder {
        true => Placement::File(Role::Records),
        false => Placement::Unexpected,
    }
}

/// `MEMORY.md` or daily files beside the files with which OpenClaw instructs its model.
pub fn openclaw(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it is no workspace of OpenClaw with memories");
    let beside = OF_WORKSPACES.iter().filter(|place| glance.has_file(root, place.path)).count();
    let is_project = PROJECT.iter().any(|name| glance.has_file(root, name));
    let enough = if is_project { MOST_OF_THEM } else { SOME_OF_THEM };
    if beside < enough || is_among_documents(root) || glance.has_folder(root, ".obsidian") {
        return seen;
    }
    let is_daily = |name: &&OsString| is_markdown(name) && facts::is_daily(&Path::new("memory").join(name));
    seen.records +=
        glance.files(&root.join("memory")).iter().filter(is_daily).take(ENOUGH_RECORD_FILES).count();
    let index = glance.head(&root.join("MEMORY.md"));
    let is_own = |head: Vec<u8>| !has_delimiter(&String::from_utf8_lossy(&head));
    seen.records += usize::from(index.is_some_and(is_own));
    seen
}

/// Blocks of task groups, or a summary beside raw memories.
pub fn codex(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no memories of Codex");
    if is_among_documents(root) || glance.has_folder(root, ".obsidian") {
        return seen;
    }
    let head = glance.head(&root.join("MEMORY.md")).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let is_group = |line: &&str| {
        line.strip_prefix(TASK_GROUP)
            .is_some_and(|own| !own.trim().is_empty() && !own.starts_with(['<', '{']))
    };
    seen.records += head.lines().filter(is_group).take(ENOUGH_RECORD_FILES).count();
    let others = ["memory_summary.md", "raw_memories.md"].iter().filter(|name| glance.has_file(root, name));
    match others.count() {
        2 => seen.records += 2,
        count => seen.likely += count,
    }
    seen
}

/// Notes with a permalink and a title; at the default place one is enough, also in a folder.
pub fn basic_memory(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no notes with a `permalink` of basic-memory");
    let is_home = root.ends_with("basic-memory");
    let is_project = PROJECT.iter().any(|name| glance.has_file(root, name));
    if !is_home && (is_among_documents(root) || is_project) {
        return seen;
    }
    let mut folders = vec![root.to_owned()];
    if is_home {
        folders.extend(glance.folders(root).iter().filter(|own| !is_hidden(own)).map(|own| root.join(own)));
    }
    let (mut notes, mut others) = (0, 0);
    for folder in folders.iter().take(MAX_PROBED) {
        for name in glance.files(folder).iter().filter(|name| is_markdown(name)).take(MAX_PROBED) {
            match is_linked_note(&glance.head(&folder.join(name)).unwrap_or_default()) {
                true => notes += 1,
                false => others += 1,
            }
            if notes + others >= MANY_NOTES {
                break;
            }
        }
    }
    let enough = if is_home { 1 } else { 2 };
    if notes >= enough && (is_home || notes >= others) {
        seen.records += notes;
    }
    seen
}

/// True if a note has a title and a permalink. Those of websites are paths from their root.
fn is_linked_note(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let note = Note::read(&text);
    let link = note.field("permalink").map(|own| own.value.plain()).unwrap_or_default();
    let is_of_site = link.starts_with('/') || link.contains(':') || link.ends_with(".html");
    note.field("title").is_some() && !link.is_empty() && !is_of_site
}

/// The list that Gemini CLI writes into its file of instructions.
pub fn bullets(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let missing = format!("its `GEMINI.md` has no heading `{}`", bullet_file::HEADING);
    let mut seen = Evidence::lacking(missing);
    if !root.ends_with(".gemini") {
        return seen;
    }
    let head = glance.head(&root.join("GEMINI.md")).unwrap_or_default();
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}');
    seen.records += usize::from(text.lines().any(|line| line.trim_end() == bullet_file::HEADING));
    // The heading may be below what is looked at.
    seen.likely += usize::from(head.len() >= PROBE_BYTES);
    seen
}

/// Any Markdown at all: enough at its places, or if the user names the format.
pub fn plain(root: &Path, glance: &dyn FolderProbe) -> Evidence {
    let mut seen = Evidence::lacking("it has no Markdown files");
    let has = |folder: &Path| glance.files(folder).iter().any(|name| is_markdown(name));
    // Copilot has a folder for the repository, and one for each session.
    let inner = || glance.folders(root).iter().take(MAX_PROBED).any(|name| has(&root.join(name)));
    seen.likely += usize::from(has(root) || root.ends_with("memory-tool/memories") && inner());
    seen
}

fn is_markdown(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(b".md") && !is_hidden(name)
}

fn is_near(root: &Path, names: &[&str]) -> bool {
    root.iter().rev().take(NEAR).any(|part| names.iter().any(|own| part == *own))
}

/// True if one of the nearest folders has documents, sources, or what is copied into projects.
fn is_among_documents(root: &Path) -> bool {
    is_near(root, &DOCUMENTS) || is_copied(root)
}

fn is_copied(root: &Path) -> bool {
    is_near(root, &COPIED)
}

fn is_agents(root: &Path) -> bool {
    is_near(root, &[".claude", ".agents"])
}

fn is_in_vault(root: &Path, glance: &dyn FolderProbe) -> bool {
    root.ancestors().take(NEAR).any(|folder| glance.has_folder(folder, ".obsidian"))
}

/// True if a folder has documents, sources or the root of a project, is copied into projects, or is in a vault.
fn is_others(root: &Path, glance: &dyn FolderProbe) -> bool {
    !is_agents(root)
        && (is_among_documents(root)
            || is_in_vault(root, glance)
            || glance.has_folder(root, ".git")
            || PROJECT.iter().any(|name| glance.has_file(root, name)))
}
