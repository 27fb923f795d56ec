//! Finds what memories say that is no longer true of their project: files that it does not have any more.
//!
//! In a git repository a path is reported if git once had it, with the commit that removed it. Elsewhere it is reported
//! if its first folder is there. A name without a folder is reported if no file of the project has it, and git once had
//! it, or, without git, other files are of its kind. Markdown is named by an index: there git need not have had it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::{Disk, Git, ItemKind, is_absent};
use crate::format::{self, PathClaim};
use crate::model::{Code, Document, PathText, Problem, Project, Severity, Store};
use crate::store::git_work_tree::{git_folders, work_tree};

/// The time limit of git for a store.
const TIME: Duration = Duration::from_secs(3);
/// The most paths of a store that are looked at.
const LOOKED_AT: usize = 20_000;
/// Folders of programs, with files that are not the project's.
const OTHERS: [&str; 4] = [".git", "node_modules", "target", ".venv"];
/// The most missing paths that git is asked about.
const ASKED: usize = 2_000;

/// What is known of a path that is not in the project.
enum Absence {
    /// A commit removed it: its short id and day.
    Removed { commit: String, day: String },
    /// It is not there. No more is known.
    Missing,
}

/// Returns the problems of a store's memories with their project.
pub fn problems(disk: &dyn Disk, store: &Store) -> Vec<Problem> {
    let folder = store.project.as_ref().map_or(Some(&*store.root), Project::folder);
    let (Some(folder), Some(format)) = (folder, format::by_name(store.format)) else { return Vec::new() };
    let claims: Vec<(&Document, PathClaim)> = store
        .documents
        .iter()
        .flat_map(|own| format.path_claims(own).into_iter().map(move |claim| (&**own, claim)))
        .take(LOOKED_AT)
        .collect();
    // A link to another memory is no path of the project, and without a project names may be anywhere.
    let files: BTreeSet<_> =
        store.documents.iter().filter_map(|document| document.path.file_name()).collect();
    let is_memory = |path: &Path| match is_name(path) {
        true => store.project.is_none() || files.contains(path.as_os_str()),
        false => store.document_at(path).is_some(),
    };
    let named = claims.iter().map(|(_, claim)| &*claim.path).filter(|path| !is_memory(path));
    let named: BTreeSet<&Path> = named.collect();
    let missing = named.into_iter().filter(|path| is_absent(disk, &folder.join(path)));
    let absent = absences(disk, folder, missing.take(ASKED).collect());
    let problem = |(document, claim): &(&Document, PathClaim)| {
        let path = claim.path.to_text();
        let message = match absent.get(&*claim.path)? {
            Absence::Removed { commit, day } => {
                format!("It names {path:?}, which commit {commit} of {day} removed.")
            }
            Absence::Missing if is_name(&claim.path) || store.project.is_none() => {
                format!("It names {path:?}, which is neither among the memories nor in the project.")
            }
            Absence::Missing => format!("It names {path:?}, which is not in the project."),
        };
        let problem = Problem::of_file(Code::StaleClaim, Severity::Note, &document.path, message);
        let problem = problem.at_line(claim.line);
        let Some(record) = claim.record else { return Some(problem) };
        let id = document.records.get(record as usize).and_then(|record| record.id());
        Some(problem.of_record(record, id))
    };
    claims.iter().filter_map(problem).collect()
}

/// True for the name of a file that may be in any folder.
fn is_name(path: &Path) -> bool {
    path.iter().count() == 1
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "md")
}

/// Returns what is known of paths that are missing in a project. Those that it never had are left out.
fn absences(disk: &dyn Disk, project: &Path, mut missing: Vec<&Path>) -> BTreeMap<PathBuf, Absence> {
    if missing.iter().any(|path| is_name(path)) {
        let files = file_names(disk, project);
        missing.retain(|path| !is_name(path) || files.as_ref().is_some_and(|files| is_gone(path, files)));
    }
    // A `.git` without objects only marks the root of a project.
    let has_objects = |git: &PathBuf| !is_absent(disk, &git.join("objects"));
    let is_repository = |tree: &Path| git_folders(disk, tree).iter().any(has_objects);
    let is_git = !missing.is_empty() && work_tree(disk, project).is_some_and(is_repository);
    let has_folder =
        |path: &Path| path.iter().next().is_some_and(|first| !is_absent(disk, &project.join(first)));
    let is_sure = |path: &&&Path| match is_name(path) {
        true => !is_git || is_markdown(path),
        false => !is_git && has_folder(path),
    };
    let sure = missing.iter().filter(is_sure).map(|path| (path.to_path_buf(), Absence::Missing));
    let mut known: BTreeMap<PathBuf, Absence> = sure.collect();
    if is_git {
        // Without an answer nothing is known: the project may never have had them.
        known.extend(of_git(project, &missing).unwrap_or_default());
    }
    known
}

/// True if no file has a name, and others are of its kind.
fn is_gone(name: &Path, files: &BTreeSet<String>) -> bool {
    let is_of_kind = |file: &String| Path::new(file).extension() == name.extension();
    !files.contains(&name.to_text().to_lowercase()) && (is_markdown(name) || files.iter().any(is_of_kind))
}

/// Returns the names of a project's files in lower case. `None` if not all can be looked at.
fn file_names(disk: &dyn Disk, project: &Path) -> Option<BTreeSet<String>> {
    let (mut names, mut open, mut left) = (BTreeSet::new(), vec![project.to_owned()], LOOKED_AT);
    while let Some(folder) = open.pop() {
        let items = disk.names(&folder, left + 1).ok()?;
        left = left.checked_sub(items.len())?;
        for item in items {
            match item.kind {
                ItemKind::Folder if item.is_link || OTHERS.iter().any(|name| item.name == *name) => {}
                ItemKind::Folder => open.push(folder.join(&item.name)),
                _ => drop(names.insert(item.name.to_text().to_lowercase())),
            }
        }
    }
    Some(names)
}

/// Asks git for the commits that removed the paths. `None` if the project is no repository, or git does not answer.
fn of_git(project: &Path, missing: &[&Path]) -> Option<BTreeMap<PathBuf, Absence>> {
    let git = Git::of(project, TIME);
    let asked = |words: &[&str]| {
        let spec = |path: &&Path| {
            format!("{}{}", if is_name(path) { ":(glob)**/" } else { ":(literal)" }, path.to_text())
        };
        let plain = ["-c", "core.quotePath=false", "--no-literal-pathspecs"];
        let words = plain.iter().chain(words).map(ToString::to_string);
        let (answer, is_all) = git.ask(&words.chain(missing.iter().map(spec)).collect::<Vec<_>>()).ok()?;
        is_all.then(|| String::from_utf8_lossy(&answer).into_owned())
    };
    let log = "log --diff-filter=D --no-renames --name-only --relative --no-color".split(' ');
    let removed = asked(&log.chain(["--format=commit %h %cs", "--"]).collect::<Vec<_>>())?;
    // Files that a sparse checkout leaves out have the mark `S`.
    let tracked = asked(&["ls-files", "-t", "--"])?;
    let tracked = tracked.lines().filter_map(|own| own.split_once(' ')).filter(|(mark, _)| *mark != "S");
    let wanted: BTreeSet<&Path> = missing.iter().copied().collect();
    // One memory may name the path of a file, and another its name alone.
    let as_asked = |path: &str| {
        let both = [Some(OsStr::new(path)), Path::new(path).file_name()];
        let both = both.map(|asked| wanted.get(Path::new(asked?)).map(|path| path.to_path_buf()));
        both.into_iter().flatten()
    };
    let tracked = tracked.flat_map(|(_, path)| as_asked(path));
    let mut known: BTreeMap<PathBuf, Absence> = tracked.map(|path| (path, Absence::Missing)).collect();
    let mut commit = ("", "");
    for line in removed.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("commit ").and_then(|own| own.split_once(' ')) {
            Some(own) => commit = own,
            None => {
                let removed = || Absence::Removed { commit: commit.0.to_owned(), day: commit.1.to_owned() };
                for path in as_asked(line) {
                    known.entry(path).or_insert_with(removed);
                }
            }
        }
    }
    Some(known)
}
