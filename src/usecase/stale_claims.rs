//! Finds what memories say that is no longer true of their project: files that it does not have any more.
//!
//! In a git repository a path is reported if git once had it, with the commit that removed it. Elsewhere it is reported
//! if its first folder is there. A name without a folder is reported if no file of the project has it, and git once had
//! it, or, without git, other files are of its kind. Markdown is named by an index: there git need not have had it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::{Disk, Git, ItemKind, Lookup};
use crate::format::{self, PathClaim};
use crate::model::{Code, Document, PathText, Problem, Severity, Store};
use crate::store::git_work_tree::work_tree;

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
    let Some(format) = format::by_name(store.format) else { return Vec::new() };
    let folder = match &store.project {
        Some(project) => match project.folder() {
            Some(folder) => folder,
            None => return Vec::new(),
        },
        None => &store.root,
    };
    let claims: Vec<(&Document, PathClaim)> = store
        .documents
        .iter()
        .flat_map(|own| format.path_claims(own).into_iter().map(move |claim| (&**own, claim)))
        .take(LOOKED_AT)
        .collect();
    // A link to another memory is no path of the project, and without a project names may be anywhere.
    let files: BTreeSet<_> = store.documents.iter().filter_map(|own| own.path.file_name()).collect();
    let is_memory = |own: &Path| match is_name(own) {
        true => store.project.is_none() || files.contains(own.as_os_str()),
        false => store.document_at(own).is_some(),
    };
    let named = claims.iter().map(|(_, own)| &*own.path).filter(|own| !is_memory(own));
    let named: BTreeSet<&Path> = named.collect();
    let missing = named.into_iter().filter(|own| is_absent(disk, &folder.join(own)));
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
        let id = document.records.get(record as usize).and_then(|own| own.view()?.id);
        Some(problem.of_record(record, id))
    };
    claims.iter().filter_map(problem).collect()
}

fn is_absent(disk: &dyn Disk, path: &Path) -> bool {
    matches!(Lookup::from(disk.look(path)), Lookup::Absent)
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
    if missing.iter().any(|own| is_name(own)) {
        let files = file_names(disk, project);
        missing.retain(|own| !is_name(own) || files.as_ref().is_some_and(|files| is_gone(own, files)));
    }
    if missing.is_empty() {
        return BTreeMap::new();
    }
    let named = missing.iter().filter(|own| is_name(own) && is_markdown(own));
    let mut known: BTreeMap<PathBuf, Absence> =
        named.map(|own| ((**own).to_owned(), Absence::Missing)).collect();
    if work_tree(disk, project).is_some() {
        // Without an answer nothing is known: the project may never have had them.
        known.extend(of_git(project, &missing).unwrap_or_default());
        return known;
    }
    let has_folder = |own: &&Path| {
        let first = own.iter().next();
        is_name(own) || first.is_some_and(|first| !is_absent(disk, &project.join(first)))
    };
    missing.into_iter().filter(has_folder).map(|own| (own.to_owned(), Absence::Missing)).collect()
}

/// True if no file has a name, and others are of its kind.
fn is_gone(name: &Path, files: &BTreeSet<String>) -> bool {
    let is_of_kind = |own: &String| Path::new(own).extension() == name.extension();
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
                ItemKind::Folder if item.is_link || OTHERS.iter().any(|own| item.name == *own) => {}
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
    let asked = |own: &[&str]| {
        let spec = |own: &&Path| match is_name(own) {
            true => format!(":(glob)**/{}", own.to_text()),
            false => format!(":(literal){}", own.to_text()),
        };
        let plain = ["-c", "core.quotePath=false", "--no-literal-pathspecs"];
        let all: Vec<String> =
            plain.iter().chain(own).map(ToString::to_string).chain(missing.iter().map(spec)).collect();
        let (answer, is_all) = git.ask(&all).ok()?;
        is_all.then(|| String::from_utf8_lossy(&answer).into_owned())
    };
    let format = "--format=commit %h %cs";
    let removed = asked(&[
        "log",
        "--diff-filter=D",
        "--no-renames",
        "--name-only",
        "--relative",
        "--no-color",
        format,
        "--",
    ])?;
    // Files that a sparse checkout leaves out have the mark `S`.
    let tracked = asked(&["ls-files", "-t", "--"])?;
    let tracked = tracked.lines().filter_map(|own| own.split_once(' ')).filter(|(mark, _)| *mark != "S");
    let wanted: BTreeSet<&Path> = missing.iter().copied().collect();
    let as_asked = |path: &str| {
        let path = Path::new(path);
        let name = path.file_name().map_or(path, Path::new);
        if wanted.contains(path) { path.to_owned() } else { name.to_owned() }
    };
    let mut known: BTreeMap<PathBuf, Absence> =
        tracked.map(|(_, own)| (as_asked(own), Absence::Missing)).collect();
    let mut commit = ("", "");
    for line in removed.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("commit ").and_then(|own| own.split_once(' ')) {
            Some(own) => commit = own,
            None => {
                let removed = || Absence::Removed { commit: commit.0.to_owned(), day: commit.1.to_owned() };
                known.entry(as_asked(line)).or_insert_with(removed);
            }
        }
    }
    Some(known)
}
