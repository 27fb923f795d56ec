//! What a `[[link]]` of a memory may name besides memories: skills, sub-agents and commands. They are `skills/NAME/`,
//! `agents/NAME.md` and `commands/NAME.md` in the agent's folder (code.claude.com/docs/en/claude-directory, 2026-11-29).

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::assembly::{fold, missing_name};
use crate::format::detection::FolderProbe;
use crate::model::{PathText, Problem};

const FOLDERS: [&str; 3] = ["skills", "agents", "commands"];
/// How far above the memories the agent's folder may be: `~/.claude/projects/*/memory`.
const ABOVE: usize = 3;

/// Drops the links that lead to what is in an agent's folder.
pub fn drop_known(problems: &mut Vec<Problem>, root: &Path, project: Option<&Path>, probe: &dyn FolderProbe) {
    if !problems.iter().any(|problem| missing_name(problem).is_some()) {
        return;
    }
    let above = root.ancestors().skip(1).take(ABOVE).map(Path::to_owned);
    let homes = above.chain(project.map(|project| project.join(".claude")));
    let folders = homes.flat_map(|home| FOLDERS.map(|name| home.join(name)));
    let names = |folder: PathBuf| probe.folders(&folder).into_iter().chain(probe.files(&folder));
    let fold_file = |file: OsString| fold(Path::new(&file).to_text().trim_end_matches(".md"));
    let known: HashSet<String> = folders.flat_map(names).map(fold_file).collect();
    problems.retain(|problem| missing_name(problem).is_none_or(|name| !known.contains(&fold(name))));
}
