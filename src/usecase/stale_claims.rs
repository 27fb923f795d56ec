//! Finds what memories say that is no longer true of their project: files that it does not have any more.
//!
//! In a git repository a path is reported if git once had it, with the commit that removed it. Elsewhere it is reported
//! if its first folder is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::{Disk, Git, Lookup};
use crate::format::{self, PathClaim};
use crate::model::{Code, Document, PathText, Problem, Severity, Store};
use crate::store::git_work_tree::work_tree;

/// The time limit of git for a store.
const TIME: Duration = Duration::from_secs(3);
/// The most paths of a store that are looked at.
const LOOKED_AT: usize = 20_000;
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
    let (Some(project), Some(format)) = (&store.project, format::by_name(store.format)) else {
        return Vec::new();
    };
    if !project.is_there {
        return moved(store, &project.path).into_iter().collect();
    }
    let claims: Vec<(&Document, PathClaim)> = store
        .documents
        .iter()
        .flat_map(|own| format.path_claims(own).into_iter().map(move |claim| (&**own, claim)))
        .take(LOOKED_AT)
        .collect();
    // A link to another memory is no path of the project.
    let is_memory = |own: &Path| store.document_at(own).is_some();
    let named = claims.iter().map(|(_, own)| &*own.path).filter(|own| !is_memory(own));
    let named: BTreeSet<&Path> = named.collect();
    let missing = named.into_iter().filter(|own| is_absent(disk, &project.path.join(own)));
    let absent = absences(disk, &project.path, missing.take(ASKED).collect());
    let problem = |(document, claim): &(&Document, PathClaim)| {
        let path = claim.path.to_text();
        let message = match absent.get(&*claim.path)? {
            Absence::Removed { commit, day } => {
                format!("It names {path:?}, which commit {commit} of {day} removed.")
            }
            Absence::Missing => format!("It names {path:?}, which is not in the project."),
        };
        let id = document.records.get(claim.record as usize).and_then(|own| own.view()?.id);
        let problem = Problem::of_file(Code::StaleClaim, Severity::Note, &document.path, message);
        Some(problem.at_line(claim.line).of_record(claim.record, id))
    };
    claims.iter().filter_map(problem).collect()
}

fn moved(store: &Store, project: &Path) -> Option<Problem> {
    let file = store.documents.first()?;
    let message = format!(
        "Its project was in {:?}, where no folder is now. If it was moved, agents do not find these memories.",
        project.to_text()
    );
    Some(Problem::of_file(Code::ProjectMoved, Severity::Note, &file.path, message))
}

fn is_absent(disk: &dyn Disk, path: &Path) -> bool {
    matches!(Lookup::from(disk.look(path)), Lookup::Absent)
}

/// Returns what is known of paths that are missing in a project. Those that it never had are left out.
fn absences(disk: &dyn Disk, project: &Path, missing: Vec<&Path>) -> BTreeMap<PathBuf, Absence> {
    if missing.is_empty() {
        return BTreeMap::new();
    }
    if work_tree(disk, project).is_some() {
        // Without an answer nothing is known: the project may never have had them.
        return of_git(project, &missing).unwrap_or_default();
    }
    let has_folder = |own: &&Path| {
        let first = own.iter().next();
        first.is_some_and(|first| !is_absent(disk, &project.join(first)))
    };
    missing.into_iter().filter(has_folder).map(|own| (own.to_owned(), Absence::Missing)).collect()
}

/// Asks git for the commits that removed the paths. `None` if the project is no repository, or git does not answer.
fn of_git(project: &Path, missing: &[&Path]) -> Option<BTreeMap<PathBuf, Absence>> {
    let git = Git::of(project, TIME);
    let asked = |own: &[&str]| {
        let paths = missing.iter().map(|own| own.as_os_str());
        let all: Vec<_> =
            ["-c", "core.quotePath=false"].iter().chain(own).map(AsRef::as_ref).chain(paths).collect();
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
    let mut known: BTreeMap<PathBuf, Absence> =
        tracked.map(|(_, own)| (PathBuf::from(own), Absence::Missing)).collect();
    let mut commit = ("", "");
    for line in removed.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("commit ").and_then(|own| own.split_once(' ')) {
            Some(own) => commit = own,
            None => {
                let removed = || Absence::Removed { commit: commit.0.to_owned(), day: commit.1.to_owned() };
                known.entry(line.into()).or_insert_with(removed);
            }
        }
    }
    Some(known)
}
