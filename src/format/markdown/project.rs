//! The project that a folder of memories is about.
//!
//! Claude Code and Qwen Code name a project's folder by the project's path (`text::project_slug`). The path itself is in
//! the transcripts beside the folder, as `cwd`.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::family::Family;
use crate::format::detection::FolderProbe;
use crate::model::project::is_of_windows;
use crate::model::{PathText, Project, ProjectRelation};
use crate::text::project_slug::{is_slug, is_slug_of, slug_of};

/// At most this many transcripts are looked at.
const TRANSCRIPTS: usize = 32;
/// The folder of Claude Code's projects.
const PROJECTS: &str = "projects";
/// Where Claude Code makes its work trees (its documentation, page "worktrees", 2026).
const WORK_TREES: &str = ".claude/worktrees";

/// Returns the project, if a transcript or the place of the memories tells it.
pub fn of(family: &Family, root: &Path, probe: &dyn FolderProbe) -> Option<Project> {
    // palimp only reads folders that one program keeps for all projects.
    if family.read_only.is_some() {
        return None;
    }
    if let Some(folder) = transcripts_folder(root) {
        return of_transcripts(folder, probe);
    }
    let around = family.about.folder_around(root)?;
    // The home folder has memories of all projects.
    let is_home = probe.has_folder(&around.join(".claude"), PROJECTS)
        || probe.has_file(&around.join(".serena"), "serena_config.yml");
    (!is_home).then(|| Project::at(around, true))
}

/// Returns the folder of the transcripts of a project, if the memories are in a folder of its agent. A setting may move
/// the folder of the agent.
pub fn transcripts_folder(root: &Path) -> Option<&Path> {
    let own = root.parent()?;
    let projects = own.parent().filter(|projects| projects.ends_with(PROJECTS))?;
    let is_usual =
        [".claude", ".qwen"].iter().any(|name| projects.parent().is_some_and(|home| home.ends_with(name)));
    (is_usual || root.ends_with("memory") && is_slug(&own.file_name()?.to_text())).then_some(own)
}

fn of_transcripts(folder: &Path, probe: &dyn FolderProbe) -> Option<Project> {
    let name = folder.file_name()?.to_text().into_owned();
    let files = transcripts(folder, probe);
    // A session may begin in a subfolder or a worktree of the project.
    let named = |stay: Stay| with_parents(&stay.folder).into_iter().find(|path| is_slug_of(&name, path));
    let path = files.iter().find_map(|file| stays(&probe.head(file)?).find_map(named))?;
    Some(with_relation(path, folder, &files, probe))
}

fn transcripts(folder: &Path, probe: &dyn FolderProbe) -> Vec<PathBuf> {
    let names = |folder: PathBuf| {
        let files = probe.files(&folder).into_iter();
        let logs = files.filter(|name| name.as_encoded_bytes().ends_with(b".jsonl"));
        logs.map(|name| folder.join(name)).collect::<Vec<_>>()
    };
    // Qwen Code keeps them in a folder of their own.
    [folder.to_owned(), folder.join("chats")].into_iter().flat_map(names).take(TRANSCRIPTS).collect()
}

/// Says what the folder that memories are named after is to their project.
fn with_relation(path: PathBuf, folder: &Path, files: &[PathBuf], probe: &dyn FolderProbe) -> Project {
    // What is on another system can't be looked at.
    let is_there = !path.is_absolute() || !probe.is_gone(&path);
    // A repository around the agent's own folder has settings, and is no project.
    let has_git = |around: &&Path| !folder.starts_with(around) && !probe.is_gone(&around.join(".git"));
    let trees = path.ancestors().find(|around| around.ends_with(WORK_TREES));
    let repository = match trees.and_then(|trees| trees.ancestors().nth(2)) {
        Some(repository) => Some(repository.to_owned()),
        None if is_there => path.is_absolute().then(|| repository_of(&path, probe)).flatten(),
        None => path.ancestors().skip(1).find(has_git).map(Path::to_owned),
    };
    if let Some(repository) = repository.filter(|repository| !probe.is_gone(repository)) {
        let relation = ProjectRelation::WorkTree { path, is_there };
        return Project { path: repository, is_there: true, relation };
    }
    let new = if is_there { None } else { moved_to(&path, folder, files, probe) };
    match new {
        Some(new) => Project { path: new, is_there: true, relation: ProjectRelation::MovedFrom(path) },
        None => Project::at(path, is_there),
    }
}

/// Returns the repository of a work tree that is elsewhere: `.git` is then a file (`gitrepository-layout(5)`).
fn repository_of(tree: &Path, probe: &dyn FolderProbe) -> Option<PathBuf> {
    let head = String::from_utf8(probe.head(&tree.join(".git"))?).ok()?;
    let mut found = PathBuf::new();
    for part in tree.join(head.strip_prefix("gitdir:")?.trim()).components() {
        match part {
            Component::ParentDir => drop(found.pop()),
            part => found.push(part),
        }
    }
    let git = found.parent().filter(|trees| trees.ends_with(".git/worktrees"))?.parent()?;
    git.parent().map(Path::to_owned)
}

/// Where a session was at a time.
struct Stay {
    folder: PathBuf,
    at: String,
}

fn stays(lines: &[u8]) -> impl Iterator<Item = Stay> {
    let stay = |line: &[u8]| {
        let value: Value = serde_json::from_slice(line).ok()?;
        let folder = PathBuf::from(value.get("cwd")?.as_str()?);
        let at = value.get("timestamp").and_then(Value::as_str).unwrap_or_default().to_owned();
        (folder.is_absolute() || is_of_windows(&folder)).then_some(Stay { folder, at })
    };
    lines.split(|byte| *byte == b'\n').filter_map(stay)
}

/// Returns where a project that is gone probably is: the folder of its name, or else the last one, in which its sessions
/// went on. A folder that has memories of its own is another project.
fn moved_to(old: &Path, folder: &Path, files: &[PathBuf], probe: &dyn FolderProbe) -> Option<PathBuf> {
    let heads = files.iter().filter_map(|file| probe.head(file));
    let parts: Vec<Vec<u8>> = heads.chain(files.iter().filter_map(|file| probe.tail(file))).collect();
    let mut all: Vec<Stay> = parts.iter().flat_map(|part| stays(part)).collect();
    all.retain(|stay| {
        stay.folder.is_absolute() && !folder.starts_with(&stay.folder) && !probe.is_gone(&stay.folder)
    });
    all.sort_by(|one, other| one.at.cmp(&other.at));
    let has_name = |path: &&Path| path.file_name() == old.file_name();
    if let Some(same) = all.iter().rev().find_map(|stay| stay.folder.ancestors().find(has_name)) {
        return Some(same.to_owned());
    }
    let last = all.pop()?.folder;
    let known = slug_of(&last).filter(|slug| folder.parent().is_some_and(|all| probe.has_folder(all, slug)));
    (known.is_none() && last.components().count() > 2).then_some(last)
}

/// Returns a path and the folders around it. On other systems a path of Windows has no parts.
fn with_parents(path: &Path) -> Vec<PathBuf> {
    if path.is_absolute() {
        return path.ancestors().map(Path::to_owned).collect();
    }
    let text = path.to_text();
    let ends = text.rmatch_indices(['\\', '/']).map(|(at, _)| at);
    std::iter::once(text.len()).chain(ends).map(|end| PathBuf::from(&text[..end])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_names_the_folder_that_it_was_started_in() {
        let folders = |line: &str| stays(line.as_bytes()).map(|stay| stay.folder).collect::<Vec<_>>();
        assert_eq!(folders(r#"{"type":"user","cwd":"/home/m/my shop"}"#), [Path::new("/home/m/my shop")]);
        assert_eq!(folders(r#"{"type":"summary"}"#), [""; 0].map(PathBuf::from));
        assert_eq!(folders("{\"cwd\":\"/cut"), [""; 0].map(PathBuf::from));
        let windows = folders(r#"{"cwd":"C:\\git\\x"}"#);
        assert_eq!(with_parents(&windows[0]), ["C:\\git\\x", "C:\\git", "C:"].map(PathBuf::from));
    }
}
