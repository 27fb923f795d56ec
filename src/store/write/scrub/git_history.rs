//! Finds the commits that still have erased content, if a store is in a git work tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::byte_search::SearchTerms;
use crate::disk::{Disk, Git};
use crate::model::PathText;
use crate::store::erase::ERASE_UNPACK_LIMIT;
use crate::store::git_work_tree::{LoggedCommit, logged_commits, staged_versions, work_tree};

const TIME: Duration = Duration::from_secs(20);
/// The limits of searched commits, newest first, and of searched bytes.
const COMMITS: usize = 50_000;
const BYTES: u64 = 8 << 30;
/// The limit of commits and of branches that a message names.
const NAMED: usize = 12;
/// The limit of commits in the query for branches.
const ASKED: usize = 500;

/// The length of a short commit id.
const SHORT: usize = 10;

/// Erased content in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitHistory {
    /// The folder of the work tree.
    pub work_tree: String,
    /// The commits whose message or changed files have it, newest first.
    pub commits: Vec<GitCommit>,
    /// The branches, tags and other refs that contain one of these commits.
    pub branches: Vec<String>,
    /// True if a staged version that is not committed has it.
    pub staged: bool,
    /// The number of searched commits.
    pub searched: usize,
    /// The reason why the search is incomplete, if it is.
    pub incomplete: Option<String>,
}

/// A commit, without its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitCommit {
    /// Its short id.
    pub id: String,
    /// Its day.
    pub date: String,
    #[serde(skip)]
    whole: String,
}

impl GitHistory {
    /// Searches the repository that the store is in. `None` if it is in none. `beside` are files outside
    /// the store that are made from it.
    pub(super) fn of(
        disk: &dyn Disk,
        root: &Path,
        beside: &[PathBuf],
        look: SearchTerms<'_>,
    ) -> Option<GitHistory> {
        let (mut history, root, work_tree) = GitHistory::begin(disk, root)?;
        let git = Git::of(&root, TIME);
        let inside = beside.iter().filter(|own| own.starts_with(&work_tree)).map(|own| own.clone().into());
        let paths: Vec<OsString> = [OsString::from(".")].into_iter().chain(inside).collect();
        if look.needles.is_empty() && look.values.is_empty() {
            history.stop("nothing that was erased is long enough to search for");
        } else if let Err(error) = history.search(&git, &paths, look) {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "`git` is not installed".to_owned(),
                _ => error.to_string(),
            };
            history.stop(why);
        }
        Some(history)
    }

    /// Returns what is known before anything is erased.
    pub fn before(disk: &dyn Disk, root: &Path) -> Option<GitHistory> {
        let (mut history, ..) = GitHistory::begin(disk, root)?;
        history.stop("nothing is erased yet");
        Some(history)
    }

    /// Also returns the folders of the store and of the work tree, with links resolved.
    fn begin(disk: &dyn Disk, root: &Path) -> Option<(GitHistory, PathBuf, PathBuf)> {
        let root = disk.real_path(root).unwrap_or_else(|_| root.to_owned());
        let work_tree = work_tree(disk, &root)?.to_owned();
        let history = GitHistory { work_tree: work_tree.to_text().into_owned(), ..GitHistory::default() };
        Some((history, root, work_tree))
    }

    /// Notes why the search is incomplete. Keeps the first reason.
    pub(super) fn stop(&mut self, why: impl Into<String>) {
        self.incomplete.get_or_insert(why.into());
    }

    fn search(&mut self, git: &Git, paths: &[OsString], look: SearchTerms<'_>) -> io::Result<()> {
        let came = self.commits(git, paths)?;
        let (staged, is_all) = staged_versions(git, paths)?;
        if !is_all {
            self.stop("it took too long to list what is staged");
        }
        // Commit messages are searched, too. The newest come first, because a limit may end the search.
        let mut order: Vec<String> = staged.clone();
        order.extend(came.iter().flat_map(|own| [&own.id].into_iter().chain(&own.versions)).cloned());
        let mut known = BTreeSet::new();
        order.retain(|id| known.insert(id.clone()));
        let held = self.held(git, &order, look)?;
        let holds =
            |own: &&LoggedCommit| held.contains(&own.id) || own.versions.iter().any(|id| held.contains(id));
        self.searched = came.len();
        let committed: BTreeSet<&String> = came.iter().flat_map(|own| &own.versions).collect();
        self.staged = staged.iter().any(|id| held.contains(id) && !committed.contains(id));
        let commit = |own: &LoggedCommit| {
            let id = own.id.get(..SHORT).unwrap_or(&own.id).to_owned();
            GitCommit { id, date: own.day.clone(), whole: own.id.clone() }
        };
        self.commits = came.iter().filter(holds).map(commit).collect();
        self.branches = self.leading(git)?;
        // A receipt keeps these names.
        for name in &mut self.branches {
            if look.found(name.as_bytes()).is_some() {
                *name = "a ref whose name has it".into();
            }
        }
        Ok(())
    }

    /// Returns the commits that changed the paths, newest first.
    fn commits(&mut self, git: &Git, paths: &[OsString]) -> io::Result<Vec<LoggedCommit>> {
        let (commits, is_all) = logged_commits(git, paths, COMMITS)?;
        if !is_all {
            self.stop("it took too long to list them");
        }
        if commits.len() >= COMMITS {
            self.stop(format!("only the newest {COMMITS} were searched"));
        }
        Ok(commits)
    }

    fn held(&mut self, git: &Git, ids: &[String], look: SearchTerms<'_>) -> io::Result<BTreeSet<String>> {
        let (mut held, mut bytes) = (BTreeSet::new(), 0);
        let is_all = git.objects(ids, ERASE_UNPACK_LIMIT, &mut |id, own| {
            bytes += own.len() as u64;
            if look.found(own).is_some() {
                held.insert(id.to_owned());
            }
            bytes < BYTES
        })?;
        if !is_all {
            self.stop("they hold too much, or a part of them is not here");
        }
        Ok(held)
    }

    /// Returns the refs that contain one of the commits. Asks only for the oldest: others descend from them.
    fn leading(&mut self, git: &Git) -> io::Result<Vec<String>> {
        if self.commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut asked: Vec<String> = vec!["for-each-ref".into(), "--format=%(refname)".into()];
        let oldest = self.commits.iter().rev().take(ASKED);
        asked.extend(oldest.map(|commit| format!("--contains={}", commit.whole)));
        let (answer, is_all) = git.ask(&asked)?;
        if !is_all {
            self.stop("it took too long to list the branches");
        }
        let short = |name: &str| {
            let name = ["refs/heads/", "refs/remotes/"]
                .iter()
                .find_map(|start| name.strip_prefix(start))
                .unwrap_or(name);
            name.strip_prefix("refs/tags/").map_or_else(|| name.to_owned(), |tag| format!("tag {tag}"))
        };
        Ok(String::from_utf8_lossy(&answer).lines().map(short).collect())
    }

    /// Describes the result in a sentence or two.
    pub fn told(&self) -> String {
        let place = &self.work_tree;
        let incomplete = self.incomplete.as_ref();
        let count = self.commits.len();
        if count == 0 && !self.staged {
            return match incomplete {
                Some(why) => format!(
                    "git commits of {place}: not all of them were searched ({why}). What was committed stays in them, and wherever it was pushed"
                ),
                None => format!(
                    "clones of {place}: none of the {} commits here that changed this store has it",
                    self.searched
                ),
            };
        }
        let mut told = match count {
            0 => format!("a version staged in {place} has it"),
            1 => format!("1 commit of {place} has it: {}", self.named()),
            _ => format!("{count} commits of {place} have it: {}", self.named()),
        };
        if self.staged && count > 0 {
            told.push_str("; a staged version has it, too");
        }
        if let Some(why) = incomplete {
            told.push_str(&format!("; more may have it, as not all were searched ({why})"));
        }
        told.push_str(
            ". Rewrite them with git filter-repo, then run `git reflog expire --expire=now --all` and `git gc --prune=now`; where they were pushed, they stay",
        );
        told
    }

    fn named(&self) -> String {
        let mut days: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for commit in self.commits.iter().take(NAMED) {
            days.entry(&commit.date).or_default().push(&commit.id);
        }
        let day = |(date, ids): (&&str, &Vec<&str>)| format!("{} ({date})", ids.join(", "));
        let mut named = days.iter().rev().map(day).collect::<Vec<_>>().join(", ");
        match self.commits.len().saturating_sub(NAMED) {
            0 => {}
            more => named.push_str(&format!(" and {more} more")),
        }
        let branches: Vec<&str> = self.branches.iter().take(NAMED).map(String::as_str).collect();
        match (branches.as_slice(), self.branches.len().saturating_sub(NAMED)) {
            ([], _) => named.push_str("; only the reflog leads there"),
            (some, 0) => named.push_str(&format!("; on {}", some.join(", "))),
            (some, more) => named.push_str(&format!("; on {} and {more} more", some.join(", "))),
        }
        named
    }
}
