//! The allowed states: before, after, or what a crash may leave between them.

mod look;

use look::*;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::model::{Act, Change, Code, Plan, Role, State, Store};
use palimp::store::hidden_names::is_ours;
use serde_json::Value;

use super::bench::{Bench, Bytes, ROOT, load, next_start, run, turn};
use super::cases::Do;
use super::machine::Still;

/// The moment at which a state is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The process was killed: its operations are on the disk in order.
    Killed,
    PowerCut,
    /// Recovery was interrupted: the next start must settle what it left.
    Recovering,
    /// Success was reported before.
    Told,
    /// Success was reported, with a note that an index is stale. The next start rebuilds it.
    ToldStale,
}

/// The state of a settled store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Before,
    After,
    /// It changes no memories, or was done in part.
    Either,
}

/// The allowed results of an operation.
pub struct Judge {
    format: &'static str,
    changes: Vec<Change>,
    derived: BTreeSet<PathBuf>,
    expired: BTreeSet<PathBuf>,
    before: Look,
    after: Look,
    back: Do,
}

fn is_stale(code: Code) -> bool {
    matches!(code, Code::IndexStale | Code::IndexBroken | Code::CountMismatch | Code::BadJson)
}

impl Judge {
    /// Learns the allowed results of a case from a run in which nothing fails.
    pub fn of(bench: &Bench) -> Judge {
        let disk = bench.disk();
        let before = Look::of(&disk, bench.format);
        run(&disk, &Still::first(), &bench.prepare(&disk)).unwrap();
        let Plan { changes, derived, .. } = bench.plan();
        let expires = |change: &&Change| matches!(change.act, Act::Expire(_));
        Judge {
            format: bench.format,
            expired: changes.iter().filter(expires).map(|change| change.path.clone()).collect(),
            derived: derived.into_iter().map(|change| change.path).collect(),
            changes,
            before,
            after: Look::of(&disk, bench.format),
            back: bench.back(),
        }
    }

    /// True for a file with memories: neither derived, nor an expired copy.
    fn is_data(&self, path: &Path) -> bool {
        !self.derived.contains(path) && !self.expired.contains(path)
    }

    fn data<'a>(&'a self, look: &'a Look) -> BTreeMap<&'a Path, &'a Vec<u8>> {
        let own = look.files.iter().filter(|(path, _)| self.is_data(path));
        own.map(|(path, bytes)| (path.as_path(), bytes)).collect()
    }

    fn which(&self, now: &Look) -> Option<Which> {
        let (before, after) = (self.data(&self.before), self.data(&self.after));
        match self.data(now) {
            now if now == before && now == after => Some(Which::Either),
            now if now == before => Some(Which::Before),
            now if now == after => Some(Which::After),
            _ => None,
        }
    }

    /// Judges a state that is not settled.
    pub fn raw(&self, disk: &Faulty, when: When) -> Result<(), String> {
        let now = Look::of(disk, self.format);
        match when {
            When::Told => return self.told(&now),
            When::ToldStale => return self.told_stale(&now),
            When::Recovering => return self.nothing_lost(&now),
            When::Killed | When::PowerCut => {}
        }
        let paths = [&self.before, &self.after, &now].into_iter().flat_map(|look| look.files.keys());
        for path in paths.filter(|path| self.is_data(path)) {
            self.one_file(path, &now)?;
        }
        self.nothing_lost(&now)?;
        self.copies_first(&now)?;
        let which = self.which(&now);
        if when == When::Killed && which == Some(Which::Before) {
            self.derived_after_data(&now)?;
        }
        self.not_silently_wrong(&now, which)
    }

    /// After success was reported.
    fn told(&self, now: &Look) -> Result<(), String> {
        match self.which(now) {
            Some(Which::After | Which::Either) => {}
            other => return Err(format!("after success the store is {other:?}: {}", self.differences(now))),
        }
        self.consistent(now, &self.after)
    }

    /// After success was reported except for an index: the memories are as planned.
    fn told_stale(&self, now: &Look) -> Result<(), String> {
        match self.which(now) {
            Some(which @ (Which::After | Which::Either)) => self.not_silently_wrong(now, Some(which)),
            other => Err(format!("after success the store is {other:?}: {}", self.differences(now))),
        }
    }

    fn one_file(&self, path: &Path, now: &Look) -> Result<(), String> {
        let [before, after, there] = [&self.before, &self.after, now].map(|look| look.files.get(path));
        if there == before || there == after {
            return Ok(());
        }
        let is_append = self.changes.iter().any(|own| own.path == path && matches!(own.act, Act::Append(_)));
        let (start, whole) = (before.map_or(&[][..], Vec::as_slice), after.map_or(&[][..], Vec::as_slice));
        let torn = there.and_then(|there| there.strip_prefix(start)).zip(whole.strip_prefix(start));
        match torn {
            Some((torn, lines)) if is_append && is_torn(torn, lines) => Ok(()),
            _ => Err(format!("{} is neither as before nor as after: {}", path.display(), shown(there))),
        }
    }

    /// No memory of both states is ever missing. One that a tombstone replaces goes after the
    /// tombstone came.
    fn nothing_lost(&self, now: &Look) -> Result<(), String> {
        let kept = self.before.ids.intersection(&self.after.ids);
        let lost: Vec<&String> = kept.filter(|id| !now.ids.contains(*id)).collect();
        if !lost.is_empty() {
            return Err(format!("lost: {lost:?}"));
        }
        let gone = |id: &&String| !now.ids.contains(*id) && !now.tombstones.contains(*id);
        match self.after.tombstones.iter().filter(|id| self.before.ids.contains(*id)).find(gone) {
            Some(id) => Err(format!("{id} went before its tombstone")),
            None => Ok(()),
        }
    }

    /// Nothing is replaced or removed before all additions are there.
    fn copies_first(&self, now: &Look) -> Result<(), String> {
        let is_after = |change: &Change| now.files.get(&change.path) == self.after.files.get(&change.path);
        let is_before = |change: &Change| now.files.get(&change.path) == self.before.files.get(&change.path);
        let takes = |change: &&Change| matches!(change.act, Act::Splice(_) | Act::Remove(_));
        let gives = |change: &&Change| matches!(change.act, Act::Create(_) | Act::Append(_));
        let taken = self.changes.iter().filter(takes).find(|change| !is_before(change));
        let missing = self.changes.iter().filter(gives).find(|change| !is_after(change));
        match (taken, missing) {
            (Some(taken), Some(missing)) => {
                Err(format!("{} changed before {}", taken.path.display(), missing.path.display()))
            }
            _ => Ok(()),
        }
    }

    fn derived_after_data(&self, now: &Look) -> Result<(), String> {
        let changed = |path: &&PathBuf| now.files.get(*path) != self.before.files.get(*path);
        match self.derived.iter().find(changed) {
            Some(path) if self.data(&self.before) != self.data(&self.after) => {
                Err(format!("{} changed before what it is made of", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// Derived files agree with the records, or `check` reports that they do not.
    fn not_silently_wrong(&self, now: &Look, which: Option<Which>) -> Result<(), String> {
        let wanted = match which {
            Some(Which::Before) => &self.before,
            Some(Which::After) => &self.after,
            _ => return Ok(()),
        };
        for path in &self.derived {
            let reported = now.problems.iter().any(|(file, code)| file == path && is_stale(*code));
            let (there, own) = (now.files.get(path), wanted.files.get(path));
            // An index may still name what a tombstone names.
            let same = content(there, &now.tombstones) == content(own, &now.tombstones);
            if !reported && there.is_some() && own.is_some() && !same {
                return Err(format!("{} is wrong and nobody says so: {}", path.display(), shown(there)));
            }
        }
        Ok(())
    }

    /// Everything agrees as it does in `wanted`.
    fn consistent(&self, now: &Look, wanted: &Look) -> Result<(), String> {
        let new: Vec<_> = now.problems.difference(&wanted.problems).collect();
        if !new.is_empty() {
            return Err(format!("there are problems: {new:?}"));
        }
        for path in wanted.files.keys().filter(|path| self.derived.contains(*path)) {
            if content(now.files.get(path), &now.tombstones)
                != content(wanted.files.get(path), &now.tombstones)
            {
                return Err(format!("{} does not agree: {}", path.display(), shown(now.files.get(path))));
            }
        }
        let all: BTreeSet<&PathBuf> = self.before.folders.union(&self.after.folders).collect();
        match now.folders.iter().find(|folder| !all.contains(folder)) {
            Some(folder) => Err(format!("a folder is left: {}", folder.display())),
            None => Ok(()),
        }
    }

    /// Lets the next start settle a state, and judges the result.
    pub fn settled(&self, disk: &Faulty) -> Result<Which, String> {
        let machine = Still::next();
        next_start(disk, self.format, &machine).map_err(|error| format!("the next start fails: {error}"))?;
        let temps: Vec<PathBuf> = ours(disk, ".palimp-tmp");
        if !temps.is_empty() {
            return Err(format!("left: {temps:?}"));
        }
        let which = self.settled_as(disk)?;
        machine.pass(120);
        next_start(disk, self.format, &machine)
            .map_err(|error| format!("the start after it fails: {error}"))?;
        let olds = ours(disk, ".palimp-old");
        if !olds.is_empty() {
            return Err(format!("left after a minute: {olds:?}"));
        }
        let later = self.settled_as(disk)?;
        (later == which).then_some(which).ok_or_else(|| format!("first {which:?}, then {later:?}"))
    }

    fn settled_as(&self, disk: &Faulty) -> Result<Which, String> {
        let now = Look::of(disk, self.format);
        let which = self.which(&now);
        let which = which.ok_or_else(|| format!("neither before nor after: {}", self.differences(&now)))?;
        match which {
            Which::Before => self.consistent(&now, &self.before)?,
            Which::After => self.consistent(&now, &self.after)?,
            Which::Either => {
                let new = now.problems.difference(&self.before.problems).next();
                new.map_or(Ok(()), |problem| Err(format!("a problem is new: {problem:?}")))?;
            }
        }
        Ok(which)
    }

    /// Reverses the operation and compares the bytes with those before.
    pub fn turned_back(&self, disk: &Faulty) -> Result<(), String> {
        turn(disk, self.format, &Still::next(), self.back)
            .map_err(|error| format!("no way back: {error}"))?;
        let now = Look::of(disk, self.format);
        match self.which(&now) {
            Some(Which::Before | Which::Either) => self.consistent(&now, &self.before),
            other => Err(format!("after the way back it is {other:?}: {}", self.differences(&now))),
        }
    }

    /// After an error that says that nothing was changed, or that all was restored.
    pub fn untouched(&self, disk: &Faulty, wholly: bool) -> Result<(), String> {
        let now = Look::of(disk, self.format);
        let same = match wholly {
            true => now.files == self.before.files,
            false => self.data(&now) == self.data(&self.before),
        };
        same.then_some(()).ok_or_else(|| format!("it is not as before: {}", self.differences(&now)))
    }

    /// Describes how a state differs from both.
    fn differences(&self, now: &Look) -> String {
        let all = [&self.before, &self.after, now].into_iter().flat_map(|look| look.files.keys());
        let paths: BTreeSet<&PathBuf> = all.filter(|path| self.is_data(path)).collect();
        let mut found = String::new();
        for path in paths {
            let [before, after, there] = [&self.before, &self.after, now].map(|look| look.files.get(path));
            let word = match (there == before, there == after) {
                (true, true) => continue,
                (true, false) => "as before".to_owned(),
                (false, true) => "as after".to_owned(),
                (false, false) => shown(there),
            };
            found.push_str(&format!("{}: {word}; ", path.display()));
        }
        found
    }
}

pub fn ours(disk: &Faulty, end: &str) -> Vec<PathBuf> {
    let own = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end));
    disk.files().into_keys().filter(|path| path.starts_with(ROOT)).filter(own).collect()
}
