//! Searches all objects of a git work tree: loose and packed ones, stashes, and those that no branch leads to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ByteProgress;
use super::raw_search::{MatchCount, RawSearch};
use crate::disk::{Disk, Git};
use crate::model::plan::count_with_noun;
use crate::model::{PathText, SurroundingFinding, SurroundingKind, SurroundingReport};
use crate::store::git_work_tree::{LoggedCommit, logged_commits, staged_versions, work_tree};

/// The time limit for a work tree.
const TIME: Duration = Duration::from_secs(60);
/// A larger object is not searched, and this is said.
const LARGEST: u64 = 256 << 20;
const COMMITS: usize = 1_000_000;
/// The most places of a work tree that are named.
const NAMED: usize = 50;
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
pub fn search(tree: &Path, search: &RawSearch, progress: ByteProgress<'_>, report: &mut SurroundingReport) {
    let mut objects = GitObjects { git: Git::of(tree, TIME), tree, search, report };
    if let Err(error) = objects.search(progress) {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "`git` is not installed".to_owned(),
            _ => error.to_string(),
        };
        objects.incomplete(&why);
    }
}

/// The objects that have something, by their ids.
type HeldObjects = BTreeMap<String, MatchCount>;

struct GitObjects<'a> {
    git: Git,
    tree: &'a Path,
    search: &'a RawSearch,
    report: &'a mut SurroundingReport,
}

/// A commit that has a value, in its message or in a version of a file that it added.
struct HoldingCommit {
    id: String,
    date: String,
    matches: MatchCount,
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

    fn search(&mut self, progress: ByteProgress<'_>) -> io::Result<()> {
        let (ids, folders) = self.ids()?;
        let (mut held, mut seen, mut is_stopped) = (HeldObjects::new(), [0; 2], !progress(0));
        let (mut names, mut holders) = (MatchCount::default(), 0);
        let search = self.search;
        let is_all = is_stopped
            || self.git.objects(&ids, LARGEST, &mut |id, own| {
                seen = [seen[0] + 1, seen[1] + own.len() as u64];
                let is_folder = folders.contains(id);
                // A folder lists names. Words are in its binary ids by chance.
                let of_names = || MatchCount { values: search.count_values(own), words: 0 };
                let matches = if is_folder { of_names() } else { search.count(own) };
                if is_folder && !matches.is_zero() {
                    names.add(matches);
                    holders += 1;
                } else if !matches.is_zero() {
                    held.insert(id.to_owned(), matches);
                }
                is_stopped = !progress(own.len() as u64);
                !is_stopped
            })?;
        self.report.files += seen[0];
        self.report.bytes += seen[1];
        self.report.stopped |= is_stopped;
        if !is_all && !is_stopped {
            self.incomplete("not all of them were searched: some are too large, or it took too long");
        }
        if holders > 0 {
            self.add(names, format!("a name, in {}", count_with_noun(holders, "folder object")));
        }
        match held.is_empty() {
            true => {}
            // Who stops does not wait for the names of commits.
            false if is_stopped => self.name_objects(&held, &BTreeSet::new(), None),
            false => self.name(&held),
        }
        Ok(())
    }

    /// Returns the ids of all objects, and which of them are folders: these list names of files.
    fn ids(&mut self) -> io::Result<(Vec<String>, HashSet<String>)> {
        let format = "--batch-check=%(objectname) %(objecttype)";
        let (listed, is_all) = self.git.ask(&["cat-file", "--batch-all-objects", format])?;
        if !is_all {
            self.incomplete("not all of them were listed: it took too long");
        }
        let listed = String::from_utf8_lossy(&listed);
        let objects = listed.lines().filter_map(|line| line.split_once(' '));
        let (folders, others): (Vec<_>, Vec<_>) = objects.partition(|(_, kind)| *kind == "tree");
        let id = |(id, _): &(&str, &str)| (*id).to_owned();
        // What files have is searched first: there is a limit of time.
        let all = others.iter().chain(&folders).map(id).collect();
        Ok((all, folders.iter().map(id).collect()))
    }

    /// Names the commits that brought these objects, and the objects that no commit has.
    fn name(&mut self, held: &HeldObjects) {
        let log = logged_commits(&self.git, &[], COMMITS).ok().filter(|(_, is_all)| *is_all);
        let is_known = log.is_some();
        let (commits, reached) = commits_of(log.unwrap_or_default().0, held);
        for own in commits.iter().take(NAMED) {
            let short = own.id.get(..SHORT).unwrap_or(&own.id);
            let branches = self.branches(&own.id).map(|own| format!(", {own}")).unwrap_or_default();
            self.add(own.matches, format!("commit {short} of {}{branches}", own.date));
        }
        if let more @ 1.. = commits.len().saturating_sub(NAMED) {
            self.incomplete(&format!("{more} more commits have it, and are not named"));
        }
        let staged = staged_versions(&self.git, &[]).ok().filter(|(_, is_all)| *is_all && is_known);
        self.name_objects(held, &reached, staged.as_ref().map(|(staged, _)| &staged[..]));
    }

    /// Names the objects that no commit has. `staged` is what git lists as staged; without it nothing is claimed.
    fn name_objects(&mut self, held: &HeldObjects, reached: &BTreeSet<String>, staged: Option<&[String]>) {
        let others: Vec<_> = held.iter().filter(|(id, _)| !reached.contains(*id)).collect();
        let refs = self
            .ask(&["for-each-ref", "--format=%(objectname) %(refname:short)", "refs/tags"])
            .unwrap_or_default();
        let names: HashMap<&str, &str> = refs.lines().filter_map(|line| line.split_once(' ')).collect();
        for (id, matches) in others.iter().take(NAMED) {
            let short = id.get(..SHORT).unwrap_or(id);
            let what = match (names.get(id.as_str()), staged) {
                (Some(name), _) => format!(": the tag {}", self.told_name(name)),
                (None, Some(staged)) if staged.contains(id) => ": staged, not committed".into(),
                (None, Some(_)) => ": in no commit".into(),
                (None, None) => String::new(),
            };
            self.add(**matches, format!("object {short}{what}"));
        }
        if let more @ 1.. = others.len().saturating_sub(NAMED) {
            self.incomplete(&format!("{more} more objects have it, and are not named"));
        }
    }

    fn add(&mut self, found: MatchCount, detail: String) {
        let path = self.tree.to_text().into_owned();
        self.report.found.push(SurroundingFinding {
            kind: SurroundingKind::Git,
            path,
            matches: found.values,
            words: found.words,
            line: None,
            detail: Some(detail),
        });
    }

    /// Returns the name of a ref, unless it has a value.
    fn told_name(&self, name: &str) -> String {
        if self.search.has_value(name.as_bytes()) { "(its name has it)".into() } else { name.to_owned() }
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
        let names: Vec<String> = refs.lines().map(|own| self.told_name(&short(own))).collect();
        Some(match names.is_empty() {
            true => "only the reflog leads there".into(),
            false => format!("on {}", names.join(", ")),
        })
    }
}

fn commits_of(log: Vec<LoggedCommit>, held: &HeldObjects) -> (Vec<HoldingCommit>, BTreeSet<String>) {
    let mut commits: Vec<HoldingCommit> = Vec::new();
    let mut reached = BTreeSet::new();
    for LoggedCommit { id, day: date, versions } in log {
        let mut found: Option<MatchCount> = None;
        for (object, matches) in [&id].into_iter().chain(&versions).filter_map(|own| held.get_key_value(own))
        {
            // An object is listed for each commit that brought it, and its matches count for the newest alone.
            let is_new = reached.insert(object.clone());
            match &mut found {
                Some(found) if is_new => found.add(*matches),
                Some(_) => {}
                None => found = Some(*matches),
            }
        }
        commits.extend(found.map(|matches| HoldingCommit { id, date, matches }));
    }
    (commits, reached)
}

/// The commands that take objects out of a repository.
pub const REWRITE: &str = "Rewrite the commits with git filter-repo, delete the tags and drop the stashes that \
    have it, then run `git reflog expire --expire=now --all` and `git gc --prune=now`. Where they were pushed, they stay.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::write_new;
    use crate::store::surroundings::SoughtTexts;

    #[test]
    fn a_search_of_git_objects_ends_when_it_is_stopped_and_says_so() {
        let folder = crate::folder::new();
        let git = |words: &[&str]| {
            let made = std::process::Command::new("git").current_dir(folder.path()).args(words).output();
            made.is_ok_and(|own| own.status.success())
        };
        if !git(&["init", "-q"]) {
            return;
        }
        for name in ["a", "b", "c"] {
            write_new(&folder.path().join(name), format!("{name} has marzipan-7").as_bytes()).unwrap();
            assert!(git(&["hash-object", "-w", name]));
        }
        let own = RawSearch::of(&SoughtTexts::of_values(vec![b"marzipan-7".to_vec()])).unwrap();
        let searched = |progress: ByteProgress<'_>| {
            let mut report = SurroundingReport::default();
            search(folder.path(), &own, progress, &mut report);
            (report.files, report.found.len(), report.stopped, report.unread.len())
        };
        assert_eq!(searched(&|_| true), (3, 3, false, 0));
        assert_eq!(searched(&|bytes| bytes == 0), (1, 1, true, 0));
        assert_eq!(searched(&|_| false), (0, 0, true, 0));
    }
}
