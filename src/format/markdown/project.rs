//! The project that a folder of memories is about.
//!
//! Claude Code and Qwen Code name a project's folder by the project's path (`text::project_slug`). The path itself is in
//! the transcripts beside the folder, as `cwd`.

use std::path::{Component, Path, PathBuf};

use super::family::Family;
use crate::format::detection::{FolderProbe, PROBE_BYTES};
use crate::model::project::is_of_windows;
use crate::model::{PathText, Project, ProjectRelation};
use crate::text::lines::lines;
use crate::text::project_slug::{is_slug, is_slug_of, slug_of};

/// At most this many transcripts are looked at.
const TRANSCRIPTS: usize = 32;
/// So much of an end of a transcript is read, until a folder is in it.
const READ: [usize; 3] = [PROBE_BYTES, 1 << 17, 1 << 20];
/// The longest path of Linux, in bytes (`PATH_MAX`): each part of what is longer would be looked for on disk in vain.
const LONGEST: usize = 4_096;
/// The folder of Claude Code's projects.
const PROJECTS: &str = "projects";
/// Where Claude Code makes its work trees (its documentation, page "worktrees", 2026).
const WORK_TREES: &str = ".claude/worktrees";

/// Returns the project, if a transcript or the place of the memories tells it.
pub fn find(family: &Family, root: &Path, probe: &dyn FolderProbe) -> Option<Project> {
    // palimp only reads folders that one program keeps for all projects.
    if family.about.read_only.is_some() {
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
    let folder = root.parent()?;
    let projects = folder.parent().filter(|projects| projects.ends_with(PROJECTS))?;
    let is_usual = projects.parent().is_some_and(|home| home.ends_with(".claude") || home.ends_with(".qwen"));
    (is_usual || root.ends_with("memory") && is_slug(&folder.file_name()?.to_text())).then_some(folder)
}

fn of_transcripts(folder: &Path, probe: &dyn FolderProbe) -> Option<Project> {
    let name = folder.file_name()?.to_text().into_owned();
    let is_log = |file: &PathBuf| file.extension().is_some_and(|end| end == "jsonl");
    let logs = |folder: PathBuf| {
        let names = probe.files(&folder).into_iter();
        names.map(move |name| folder.join(name)).filter(is_log)
    };
    // Qwen Code keeps its transcripts in a folder of their own.
    let folders = [folder.to_owned(), folder.join("chats")];
    let files: Vec<PathBuf> = folders.into_iter().flat_map(logs).take(TRANSCRIPTS).collect();
    // A session may begin in a subfolder or a worktree of the project.
    let named =
        |(_, path): (String, PathBuf)| with_parents(&path).into_iter().find(|path| is_slug_of(&name, path));
    let path = files.iter().find_map(|file| stays(&part(file, false, probe)?).find_map(named))?;
    Some(with_relation(path, folder, &files, probe))
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
        None => {
            let around = path.ancestors().skip(1).find(has_git).map(Path::to_owned);
            around.or_else(|| repository_beside(&path, probe))
        }
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

/// Returns the repository `shop` beside a work tree `shop-till` that is gone, as long as git still has its place.
fn repository_beside(tree: &Path, probe: &dyn FolderProbe) -> Option<PathBuf> {
    let name = tree.file_name()?.to_str()?;
    let place = Path::new(".git/worktrees").join(name).join("gitdir");
    let has_it = |repository: &PathBuf| {
        let text = probe.head(&repository.join(&place)).unwrap_or_default();
        Path::new(String::from_utf8_lossy(&text).trim_end()) == tree.join(".git")
    };
    name.match_indices(['-', '_', '.']).map(|(at, _)| tree.with_file_name(&name[..at])).find(has_it)
}

/// Returns as much of the start or the end of a transcript as has the folder of a session: a prompt, or what a tool says,
/// may be long.
fn part(transcript: &Path, is_end: bool, probe: &dyn FolderProbe) -> Option<Vec<u8>> {
    let mut parts = READ.into_iter().filter_map(|most| probe.part(transcript, most, is_end));
    parts.find(|part| stays(part).next().is_some())
}

/// Returns the folders in which a session was, each with the time.
fn stays(part: &[u8]) -> impl Iterator<Item = (String, PathBuf)> {
    // A line may be long, or cut: it is not read as a whole.
    let value = |line: &[u8], member: &str| {
        let at = memchr::memmem::find(line, member.as_bytes())? + member.len();
        serde_json::Deserializer::from_slice(line.get(at..)?).into_iter::<String>().next()?.ok()
    };
    let stay = move |line: &[u8]| {
        let folder = PathBuf::from(value(line, "\"cwd\":")?);
        let time = value(line, "\"timestamp\":").unwrap_or_default();
        let is_path = folder.is_absolute() || is_of_windows(&folder);
        (is_path && folder.as_os_str().len() <= LONGEST).then_some((time, folder))
    };
    lines(part).filter_map(move |line| stay(&part[line.start..line.end]))
}

/// Returns where a project that is gone probably is: the last folder in which its sessions went on, or the one around it
/// with the project's name. A folder of another name that has memories of its own is another project.
fn moved_to(old: &Path, folder: &Path, files: &[PathBuf], probe: &dyn FolderProbe) -> Option<PathBuf> {
    let parts = [false, true].into_iter().flat_map(|is_end| files.iter().map(move |file| (file, is_end)));
    let parts = parts.filter_map(|(file, is_end)| part(file, is_end, probe));
    let mut all: Vec<(String, PathBuf)> = parts.flat_map(|part| stays(&part).collect::<Vec<_>>()).collect();
    all.retain(|(_, path)| path.is_absolute() && !folder.starts_with(path) && !probe.is_gone(path));
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    let is_known = |path: &Path| {
        slug_of(path).is_some_and(|slug| folder.parent().is_some_and(|all| probe.has_folder(all, &slug)))
    };
    let project = |(_, path): (String, PathBuf)| {
        let same = path.ancestors().find(|path| path.file_name() == old.file_name()).map(Path::to_owned);
        same.or_else(|| (!is_known(&path) && path.components().count() > 2).then_some(path))
    };
    all.into_iter().rev().find_map(project)
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
        let folders = |line: &str| stays(line.as_bytes()).map(|(_, folder)| folder).collect::<Vec<_>>();
        assert_eq!(folders(r#"{"type":"user","cwd":"/home/m/my shop"}"#), [Path::new("/home/m/my shop")]);
        assert_eq!(folders(r#"{"type":"summary"}"#), [""; 0].map(PathBuf::from));
        assert_eq!(folders("{\"cwd\":\"/cut"), [""; 0].map(PathBuf::from));
        let deep = |depth| folders(&format!("{{\"cwd\":\"/{}\"}}", "a/".repeat(depth))).len();
        assert_eq!((deep(2_047), deep(2_048)), (1, 0));
        let windows = folders(r#"{"cwd":"C:\\git\\x"}"#);
        assert_eq!(with_parents(&windows[0]), ["C:\\git\\x", "C:\\git", "C:"].map(PathBuf::from));
    }
}
