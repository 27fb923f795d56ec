//! Why Claude Code and programs like it do not load a folder, and which one settings name.
//!
//! Documentation of Claude Code, pages "settings", "memory" and "sub-agents", 2026; anthropics/claude-code#36636: a relative
//! directory is ignored; #54208: 2.1.121 made the dots in names of sub-agents `-`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::family::Family;
use super::places::{BY_INSTRUCTION, CLAUDE_FOLDER};
use super::project::transcripts_folder;
use crate::format::detection::FolderProbe;
use crate::model::{AgentHome, KnownBy, PathText, Project, ProjectRelation, Unloaded};
use crate::text::project_slug::slug_of;

/// Settings of the machine. They count before all others.
const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];
/// Settings of a project, the ones that count first.
const OF_PROJECT: [&str; 2] = [".claude/settings.local.json", ".claude/settings.json"];
/// Settings of a user, in the agent's folder.
const OF_USER: &str = "settings.json";
/// Files that may tell an agent to read a folder.
const INSTRUCTIONS: [&str; 6] =
    ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];
/// What shows that a folder is a project.
const PROJECT: [&str; 6] = [".git", "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "pom.xml"];
/// How many folders around one may have these.
const NEAR: usize = 3;

/// Returns why no agent loads a folder, or may not load it.
pub fn reason(
    family: &Family,
    root: &Path,
    project: Option<&Project>,
    probe: &dyn FolderProbe,
) -> Option<Unloaded> {
    // Only of programs with an index it is known that they load no other folder.
    family.index?;
    let Some(folder) = transcripts_folder(root) else {
        let place = family.about.place_of(root);
        let has_reader = place.is_some_and(|place| place.reader != BY_INSTRUCTION);
        return match place {
            _ if !has_reader && is_in_project(root, probe) => Some(Unloaded::Elsewhere),
            Some(_) => respelled(root, probe),
            // Instructions may lead to it. A copy is not meant to be loaded.
            None => Some(Unloaded::Unknown),
        };
    };
    let agent = folder.parent()?.parent()?;
    let by_settings = by_settings(root, project.and_then(Project::folder), agent, probe);
    by_settings.or_else(|| by_project(folder, project?))
}

/// True if a folder is in a project, is not one of another program, and no file of instructions around it names it.
fn is_in_project(root: &Path, probe: &dyn FolderProbe) -> bool {
    let is_programs = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".") && part != ".claude";
    let around = || root.ancestors().skip(1).take(NEAR);
    let is_named = |around: &Path| {
        let path = format!("{}/", root.strip_prefix(around).unwrap_or(root).to_text());
        let has_it = |head: Vec<u8>| memchr::memmem::find(&head, path.as_bytes()).is_some();
        INSTRUCTIONS.iter().any(|file| probe.head(&around.join(file)).is_some_and(has_it))
    };
    !root.parent().is_some_and(|around| around.iter().any(is_programs))
        && around().any(|around| PROJECT.iter().any(|name| !probe.is_gone(&around.join(name))))
        && !around().any(is_named)
}

/// Returns the folder of a sub-agent in its new spelling, if it is there.
fn respelled(root: &Path, probe: &dyn FolderProbe) -> Option<Unloaded> {
    let (around, name) = (root.parent()?, root.file_name()?.to_text());
    let new = name.replace('.', "-");
    let is_agents = around.file_name()?.to_text().starts_with("agent-memory");
    let is_it = is_agents && *new != *name && probe.has_folder(around, &new);
    is_it.then(|| Unloaded::Respelled(around.join(new)))
}

fn by_project(folder: &Path, project: &Project) -> Option<Unloaded> {
    let is_tree_gone = matches!(project.relation, ProjectRelation::WorkTree { is_there: false, .. });
    if !project.is_there || is_tree_gone || matches!(project.relation, ProjectRelation::MovedFrom(_)) {
        return Some(Unloaded::Moved);
    }
    let slug = slug_of(project.named())?;
    // The letter of a drive is written in either case.
    let is_old = !folder.file_name()?.eq_ignore_ascii_case(&slug);
    is_old.then(|| Unloaded::Respelled(folder.with_file_name(slug).join("memory")))
}

fn by_settings(
    root: &Path,
    project: Option<&Path>,
    agent: &Path,
    probe: &dyn FolderProbe,
) -> Option<Unloaded> {
    // Other programs with such folders have other settings.
    if agent.ends_with(".qwen") {
        return None;
    }
    if let Some((Value::Bool(false), file)) = setting("autoMemoryEnabled", project, agent, probe) {
        return Some(Unloaded::TurnedOff(file));
    }
    let (value, file) = setting("autoMemoryDirectory", project, agent, probe)?;
    let target = value.as_str()?.to_owned();
    let folder = absolute(&target, agent.parent())?;
    (folder != root).then_some(Unloaded::Redirected(target, file))
}

/// Returns the folder that settings name for the memories of a project, or of all.
pub fn set_folder(
    project: Option<&Path>,
    agents: &AgentHome,
    probe: &dyn FolderProbe,
) -> Option<(PathBuf, KnownBy)> {
    let home = agents.home.as_deref();
    let usual = home.map(|home| home.join(".claude"));
    let agent = agents.variable(CLAUDE_FOLDER).or(usual.as_deref())?;
    let (value, file) = setting("autoMemoryDirectory", project, agent, probe)?;
    let folder = absolute(value.as_str()?, home)?;
    let project = project.filter(|project| file.starts_with(project) && !file.starts_with(agent));
    Some((folder, KnownBy::Setting(project.map(Path::to_owned))))
}

/// Returns the value of a setting that counts, and its file.
fn setting(
    name: &str,
    project: Option<&Path>,
    agent: &Path,
    probe: &dyn FolderProbe,
) -> Option<(Value, PathBuf)> {
    let of_project = project.into_iter().flat_map(|project| OF_PROJECT.map(|file| project.join(file)));
    let files = MANAGED.iter().map(PathBuf::from).chain(of_project).chain([agent.join(OF_USER)]);
    let read = |file: PathBuf| {
        let settings: Value = serde_json::from_slice(&probe.whole(&file)?).ok()?;
        Some((settings.get(name)?.clone(), file))
    };
    files.into_iter().find_map(read)
}

/// Returns the folder that a setting names. One that is relative is ignored.
fn absolute(text: &str, home: Option<&Path>) -> Option<PathBuf> {
    let path = match text.strip_prefix("~/") {
        Some(below) => home?.join(below),
        None => PathBuf::from(text),
    };
    // Without a separator at the end.
    path.is_absolute().then(|| path.components().collect())
}
