//! Searches all objects of a git work tree: loose and packed ones, stashes, and those that no branch leads to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::raw_search::RawSearch;
use crate::disk::{Disk, Git};
use crate::model::{PathText, SurroundingFinding, SurroundingKind, SurroundingReport};
use crate::store::git_work_tree::work_tree;

/// The time limit for a work tree.
const TIME: Duration = Duration::from_secs(60);
/// A larger object is not searched, and this is said.
const LARGEST: u64 = 256 << 20;
/// The most places of a work tree that are named.
const NAMED: usize = 50;
/// The length of a short id.
const SHORT: usize = 10;

/// Returns the git work trees that folders are in, each once.
pub fn work_trees<'p>(disk: &dyn Disk, folders: impl Iterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
    let tree = |folder: &PathBuf| {
        let real = disk.real_path(folder).unwrap_or_else(|_| folder.clone());
        work_tree(disk, &real).map(Path::to_owned)
    };
    let all: BTreeSet<PathBuf> = folders.filter_map(tree).collect();
    all.into_iter().collect()
}

/// Searches the objects of a work tree, and adds what is found to a report.
pub fn search(tree: &Path, search: &RawSearch, report: &mut SurroundingReport) {
    let mut objects = GitObjects { git: Git::of(tree, TIME), tree, report };
    if let Err(error) = objects.search(search) {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "`git` is not installed".to_owned(),
            _ => error.to_string(),
        };
        objects.incomplete(&why);
    }
}

struct GitObjects<'a> {
    git: Git,
    tree: &'a Path,
    report: &'a mut SurroundingReport,
}

/// A commit that has a value, in its message or in a version of a file that it added.
struct HoldingCommit {
    id: String,
    date: String,
    matches: u64,
}

impl GitObjects<'_> {
    fn incomplete(&mut self, why: &str) {
        self.report.unread.push(format!("git objects of {}: {why}", self.tree.to_text()));
    }

    /// Returns git's answer; `None` if it is not complete.
    fn ask(&mut self, words: &[&str]) -> Option<String> {
        match self.git.ask(words) {
            Ok((answer, true)) => Some(String::from_utf8_lossy(&answer).into_owned()),
            _ => None,
        }
    }

    fn search(&mut self, search: &RawSearch) -> io::Result<()> {
        let format = "--batch-check=%(objectname) %(objecttype)";
        let (listed, is_all) = self.git.ask(&["cat-file", "--batch-all-objects", format])?;
        if !is_all {
            self.incomplete("not all of them were listed: it took too long");
        }
        let listed = String::from_utf8_lossy(&listed);
        let of_content = |line: &str| {
            let (id, kind) = line.split_once(' ')?;
            matches!(kind, "blob" | "commit" | "tag").then(|| id.to_owned())
        };
        let ids: Vec<String> = listed.lines().filter_map(of_content).collect();
        let (mut held, mut bytes) = (BTreeMap::new(), 0);
        let is_all = self.git.objects(&ids, LARGEST, &mut |id, own| {
            bytes += own.len() as u64;
            let matches = search.count(own);
            if matches > 0 {
                held.insert(id.to_owned(), matches);
            }
            true
        })?;
        self.report.files += ids.len() as u64;
        self.report.bytes += bytes;
        if !is_all {
            self.incomplete("not all of them were searched: some are too large, or it took too long");
        }
        if !held.is_empty() {
            self.name(&held);
        }
        Ok(())
    }

    /// Names the commits that brought these objects, and the objects that no commit has.
    fn name(&mut self, held: &BTreeMap<String, u64>) {
        let log = ["-c", "log.showRoot=true", "log", "--all", "--reflog", "--full-history", "-m", "--raw"];
        let also = ["--no-abbrev", "--no-renames", "--no-textconv", "--no-ext-diff", "--no-color"];
        let log = self.ask(&[log.as_slice(), &also, &["--format=commit %H %cI"]].concat());
        let (commits, reached) = commits_of(log.as_deref().unwrap_or_default(), held);
        for own in commits.iter().take(NAMED) {
            let short = own.id.get(..SHORT).unwrap_or(&own.id);
            let branches = self.branches(&own.id).map(|own| format!(", {own}")).unwrap_or_default();
            self.add(own.matches, format!("commit {short} of {}{branches}", own.date));
        }
        let staged = self.ask(&["ls-files", "--stage"]);
        let is_staged = |id: &str| {
            let lines = staged.as_deref().unwrap_or_default().lines();
            lines.into_iter().any(|line| line.split_ascii_whitespace().nth(1) == Some(id))
        };
        let others: Vec<(&String, &u64)> = held.iter().filter(|(id, _)| !reached.contains(*id)).collect();
        for (id, matches) in others.iter().take(NAMED) {
            let short = id.get(..SHORT).unwrap_or(id);
            let what = match log.is_some() && staged.is_some() {
                true if is_staged(id) => ": staged, not committed",
                true => ": in no commit",
                // Without a complete answer nothing is claimed.
                false => "",
            };
            self.add(**matches, format!("object {short}{what}"));
        }
        let more = commits.len().saturating_sub(NAMED) + others.len().saturating_sub(NAMED);
        if more > 0 {
            self.incomplete(&format!("{more} more commits and objects have it, and are not named"));
        }
    }

    fn add(&mut self, matches: u64, detail: String) {
        let path = self.tree.to_text().into_owned();
        self.report.found.push(SurroundingFinding {
            kind: SurroundingKind::Git,
            path,
            matches,
            detail: Some(detail),
        });
    }

    /// Returns the refs that lead to a commit, as the end of a sentence; `None` if git does not say.
    fn branches(&mut self, commit: &str) -> Option<String> {
        let contains = format!("--contains={commit}");
        let refs = self.ask(&["for-each-ref", "--format=%(refname)", &contains])?;
        let short = |name: &str| match name.strip_prefix("refs/").unwrap_or(name) {
            "stash" => "a stash".to_owned(),
            own => {
                own.strip_prefix("heads/").or_else(|| own.strip_prefix("remotes/")).unwrap_or(own).to_owned()
            }
        };
        let names: Vec<String> = refs.lines().map(short).collect();
        Some(match names.is_empty() {
            true => "only the reflog leads there".into(),
            false => format!("on {}", names.join(", ")),
        })
    }
}

/// Returns the commits that have held objects, newest first, and the objects that commits have.
fn commits_of(log: &str, held: &BTreeMap<String, u64>) -> (Vec<HoldingCommit>, BTreeSet<String>) {
    let mut commits: Vec<HoldingCommit> = Vec::new();
    let mut reached = BTreeSet::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut now: Option<(&str, &str)> = None;
    let mut take = |commit: Option<(&str, &str)>, id: &str| {
        let (Some((commit, date)), Some(matches)) = (commit, held.get(id)) else { return };
        // A merge is listed once for each parent, and an object once for each commit that brought it.
        let is_new = reached.insert(id.to_owned());
        match places.get(commit).copied() {
            Some(at) => commits[at].matches += if is_new { *matches } else { 0 },
            None => {
                let date = date.get(..10).unwrap_or(date).to_owned();
                places.insert(commit.to_owned(), commits.len());
                commits.push(HoldingCommit { id: commit.to_owned(), date, matches: *matches });
            }
        }
    };
    for line in log.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["commit", id, date, ..] => {
                now = Some((id, date));
                take(now, id);
            }
            [old, _, _, new, ..] if old.starts_with(':') => take(now, new),
            _ => {}
        }
    }
    (commits, reached)
}

/// The commands that take objects out of a repository.
pub const REWRITE: &str = "Rewrite the commits with git filter-repo, drop the stashes, then run \
    `git reflog expire --expire=now --all` and `git gc --prune=now`. Where they were pushed, they stay.";
