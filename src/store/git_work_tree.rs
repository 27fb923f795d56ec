//! The git work tree that a folder is in, and which commits brought which versions of files.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Git, is_absent};
use crate::model::path_from_text;

/// More of a file that names a folder is not read.
const LONGEST: u64 = 4 << 10;

/// Returns the work tree that a folder is in. If `.git` can't be examined, it may exist: git then reports the error.
pub fn work_tree<'p>(disk: &dyn Disk, folder: &'p Path) -> Option<&'p Path> {
    folder.ancestors().find(|folder| !is_absent(disk, &folder.join(".git")))
}

/// Returns the folders in which git keeps what belongs to a work tree: its own, and the one that it shares with other work
/// trees of the repository. `gitrepository-layout(5)` describes both.
pub fn git_folders(disk: &dyn Disk, tree: &Path) -> Vec<PathBuf> {
    let named = |file: &Path, before: &str| {
        let (bytes, _) = disk.read(file, 0, Some(LONGEST)).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        Some(path_from_text(text.strip_prefix(before)?.trim_end_matches(['\r', '\n']).trim_start()))
    };
    let git = tree.join(".git");
    let own = named(&git, "gitdir:").map_or(git, |own| tree.join(own));
    let shared = named(&own.join("commondir"), "").map(|shared| own.join(shared));
    let is_git = |own: &PathBuf| disk.look(&own.join("HEAD")).is_ok();
    std::iter::once(own).chain(shared).filter(is_git).map(|own| disk.real_path(&own).unwrap_or(own)).collect()
}

pub struct LoggedCommit {
    pub id: String,
    pub day: String,
    /// The versions of files that it brought, by their ids.
    pub versions: Vec<String>,
}

/// Returns the commits that changed these paths, or all if there are none, from all refs and reflogs, the newest first.
/// Also returns whether git listed them to the end.
pub fn logged_commits(git: &Git, paths: &[OsString], most: usize) -> io::Result<(Vec<LoggedCommit>, bool)> {
    let count = format!("--max-count={most}");
    let log = ["-c", "log.showRoot=true", "log", "--all", "--reflog", "--full-history", "-m", "--raw"];
    let also = ["--no-abbrev", "--no-renames", "--no-textconv", "--no-ext-diff", "--no-color"];
    let form = ["--format=commit %H %cI", &count];
    let (answer, is_all) = ask(git, &[&log[..], &also, &form].concat(), paths)?;
    let mut found: Vec<LoggedCommit> = Vec::new();
    for line in answer.lines() {
        match line.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            // A merge is listed once for each parent.
            ["commit", id, ..] if found.last().is_some_and(|last| last.id == *id) => {}
            ["commit", id, at, ..] => {
                let day = at.get(..10).unwrap_or(at).to_owned();
                found.push(LoggedCommit { id: (*id).to_owned(), day, versions: Vec::new() });
            }
            [old, mode, _, new, ..] if old.starts_with(':') && is_file(mode) => {
                found.last_mut().into_iter().for_each(|own| own.versions.push((*new).to_owned()));
            }
            _ => {}
        }
    }
    Ok((found, is_all))
}

/// Returns the versions of files that are staged, by their ids, and whether git listed them to the end.
pub fn staged_versions(git: &Git, paths: &[OsString]) -> io::Result<(Vec<String>, bool)> {
    let (answer, is_all) = ask(git, &["ls-files", "--stage"], paths)?;
    let id = |line: &str| {
        let (mode, rest) = line.split_once(' ')?;
        is_file(mode).then(|| rest.split_ascii_whitespace().next().map(str::to_owned))?
    };
    Ok((answer.lines().filter_map(id).collect(), is_all))
}

fn ask(git: &Git, words: &[&str], paths: &[OsString]) -> io::Result<(String, bool)> {
    let paths = paths.iter().map(OsString::as_os_str);
    let asked: Vec<&OsStr> = words.iter().chain(&["--"]).map(OsStr::new).chain(paths).collect();
    let (answer, is_all) = git.ask(&asked)?;
    Ok((String::from_utf8_lossy(&answer).into_owned(), is_all))
}

/// True if the git mode is one of a file: not a removed file, not a submodule.
fn is_file(octal: &str) -> bool {
    octal != "000000" && octal != "160000"
}
