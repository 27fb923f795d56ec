//! The project that a folder of memories is about.
//!
//! Claude Code names a project's folder by the project's path with all but letters and digits turned into `-`. The
//! path itself is in the transcripts beside the folder, as `cwd`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::family::Family;
use crate::format::detection::FolderProbe;
use crate::model::PathText;

/// At most this many transcripts are looked at.
const TRANSCRIPTS: usize = 32;
/// The folder of Claude Code's projects.
const PROJECTS: &str = "projects";

/// Returns the project's folder, if a transcript or the place of the memories tells it.
pub fn of(family: &Family, root: &Path, probe: &dyn FolderProbe) -> Option<PathBuf> {
    // palimp only reads folders that one program keeps for all projects.
    if family.read_only.is_some() {
        return None;
    }
    if let Some(own) = transcripts_folder(root) {
        return of_transcripts(own, probe);
    }
    let around = family.about.folder_around(root)?;
    // The home folder has memories of all projects.
    let is_home = probe.has_folder(&around.join(".claude"), PROJECTS)
        || probe.has_file(&around.join(".serena"), "serena_config.yml");
    (!is_home).then_some(around)
}

/// Returns the folder of the transcripts of Claude Code, if the memories are in its own folder.
pub fn transcripts_folder(root: &Path) -> Option<&Path> {
    let own = root.parent()?;
    own.parent()?.ends_with(Path::new(".claude").join(PROJECTS)).then_some(own)
}

fn of_transcripts(folder: &Path, probe: &dyn FolderProbe) -> Option<PathBuf> {
    let slug = folder.file_name()?.to_text().into_owned();
    let files = probe.files(folder).into_iter().filter(|name| name.as_encoded_bytes().ends_with(b".jsonl"));
    for name in files.take(TRANSCRIPTS) {
        let head = probe.head(&folder.join(name)).unwrap_or_default();
        let Some(cwd) = head.split(|byte| *byte == b'\n').find_map(cwd) else { continue };
        // A session may begin in a subfolder or a worktree of the project.
        if let Some(own) = cwd.ancestors().find(|own| slug_of(own) == slug) {
            return Some(own.to_owned());
        }
    }
    None
}

fn cwd(line: &[u8]) -> Option<PathBuf> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let path = PathBuf::from(value.get("cwd")?.as_str()?);
    path.is_absolute().then_some(path)
}

fn slug_of(path: &Path) -> String {
    let one = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    path.to_text().chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_names_the_folder_that_it_was_started_in() {
        assert_eq!(cwd(br#"{"type":"user","cwd":"/home/m/my shop"}"#), Some("/home/m/my shop".into()));
        assert_eq!(cwd(br#"{"type":"summary"}"#), None);
        assert_eq!(cwd(b"{\"cwd\":\"/cut"), None);
        assert_eq!(slug_of(Path::new("/home/m/my_shop.d")), "-home-m-my-shop-d");
    }
}
