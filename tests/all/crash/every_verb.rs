//! Runs every verb in all five formats. At each step, a call fails or the process is killed. What
//! was reported as done is there, and what was refused left no trace. After the next start, the
//! store is as before or as after, including folders and derived files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::faulty::{Errno, Fault, Faulty};
use palimp::model::Store;
use palimp::ops::WriteContext;
use palimp::store::FilesState;
use palimp::store::hidden_names::is_ours;
use serde_json::Value;

use super::foreign::begun;
use super::foreign::deeds::{DEEDS, Deed, FORMATS};
use super::foreign::town::{load, minutes_later, root, run};
use super::machine::NOW;
use crate::support::tries;

/// A store at one moment, without palimp's names and locks.
#[derive(PartialEq, Eq)]
struct Look {
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: BTreeSet<PathBuf>,
    /// The derived files that do not agree with the memories.
    stale: BTreeSet<PathBuf>,
}

impl Look {
    fn of(disk: &Faulty, format: &'static str) -> Look {
        let root = root(format).parent().filter(|above| above.parent().is_some()).unwrap_or(root(format));
        let counts = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            let is_lock = name == "lock" || name.as_encoded_bytes().ends_with(b".lock");
            path.starts_with(root) && !is_ours(name) && !is_lock
        };
        // A folder that waits for the second name of a file is removed together with that file.
        let holds_ours = |folder: &Path| {
            let mut names = disk.files().into_keys().filter(|path| path.starts_with(folder));
            names.any(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(b"-old")))
        };
        let folders = disk.folders().into_iter().filter(|path| path.starts_with(root));
        Look {
            files: disk.files().into_iter().filter(|(path, _)| counts(path)).collect(),
            folders: folders.filter(|path| !holds_ours(path)).collect(),
            stale: stale(disk, format),
        }
    }

    fn differences(&self, other: &Look) -> String {
        let all: BTreeSet<_> = self.files.keys().chain(other.files.keys()).collect();
        let differ: Vec<_> =
            all.into_iter().filter(|path| self.files.get(*path) != other.files.get(*path)).collect();
        let folders: Vec<_> = self.folders.symmetric_difference(&other.folders).collect();
        format!("files {differ:?}, folders {folders:?}, stale {:?}", self.stale)
    }

    /// True if two stores are equal. Derived files may differ if some were stale in the other
    /// store; values that follow from the time may always differ.
    fn is(&self, other: &Look) -> bool {
        let is_same = |path: &&PathBuf| {
            let (own, others) = (self.files.get(*path), other.files.get(*path));
            own == others || is_derived(path) && has_same_content(own, others)
        };
        let mut differ = self.files.keys().chain(other.files.keys()).filter(|path| !is_same(path));
        differ.all(|path| !other.stale.is_empty() && is_derived(path))
    }

    fn has_no_other_folders(&self, all: &[&Look]) -> bool {
        self.folders.iter().all(|folder| all.iter().any(|own| own.folders.contains(folder)))
    }
}

fn is_derived(path: &Path) -> bool {
    ["index.json", "manifest.json", "metadata.json"].iter().any(|own| path.ends_with(own))
}

/// The members of derived files that follow from the time.
const TIMES: [&str; 5] = ["created_at", "updated_at", "last_updated", "last_accessed", "current_relevance"];

/// True if two derived files are equal except for values that follow from the time.
fn has_same_content(one: Option<&Vec<u8>>, other: Option<&Vec<u8>>) -> bool {
    let content = |bytes: &Vec<u8>| {
        let mut content: serde_json::Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        drop_times(&mut content);
        Some(content)
    };
    one.and_then(content).is_some_and(|own| other.and_then(content) == Some(own))
}

fn drop_times(content: &mut serde_json::Map<String, Value>) {
    content.retain(|name, _| !TIMES.contains(&name.as_str()));
    for value in content.values_mut() {
        if let Value::Object(own) = value {
            drop_times(own);
        }
    }
}

pub(super) fn stale(disk: &Faulty, format: &'static str) -> BTreeSet<PathBuf> {
    let store: Store = load(disk, format);
    let context = WriteContext::of(&store, NOW, [7; 16]);
    let plan = palimp::ops::reindex::reindex(&context);
    let changed = plan.map(|plan| plan.derived).unwrap_or_default().into_iter();
    changed.filter(|change| !change.is_empty()).map(|change| change.path).collect()
}

/// One action in one format.
struct Sweep {
    format: &'static str,
    deed: &'static Deed,
    begin: Faulty,
    before: Look,
    after: Look,
    log: Vec<String>,
}

impl Sweep {
    fn of(format: &'static str, deed: &'static Deed) -> Sweep {
        let begin = begun(format, deed).unwrap();
        let disk = begin.restart();
        run(&disk, format, deed.act).unwrap().unwrap();
        let log = disk.log();
        let disk = disk.restart();
        minutes_later(&disk, format).unwrap();
        let (before, after) = (Look::of(&begin, format), Look::of(&disk, format));
        Sweep { format, deed, begin, before, after, log }
    }

    fn is_wrong(&self, step: usize, fault: Fault) -> Option<String> {
        let disk = self.begin.restart();
        disk.fail_at(step, fault);
        let outcome = run(&disk, self.format, self.deed.act)?;
        let is_killed = matches!(fault, Fault::Crash);
        let said = outcome.as_ref().map(|(notes, _)| notes.join("; ")).map_err(ToString::to_string);
        let disk = disk.restart();
        let now = Look::of(&disk, self.format);
        let is_stale = outcome.as_ref().is_ok_and(|(notes, _)| notes.iter().any(|own| own.contains("stale")));
        let files = outcome.as_ref().err().map(|error| error.files());
        let wanted = match files {
            _ if is_killed => None,
            None => Some(&self.after),
            Some(FilesState::Untouched | FilesState::Restored) => Some(&self.before),
            Some(_) => None,
        };
        let is_done = outcome.is_ok() && !is_killed;
        let all = [&self.before, &self.after];
        let is_wrong = |wanted: &&Look| !now.is(wanted) || is_done && !now.has_no_other_folders(&[*wanted]);
        if let Some(wanted) = wanted.filter(|wanted| !is_stale && is_wrong(wanted)) {
            return Some(format!("{said:?}, yet {}", now.differences(wanted)));
        }
        if let Err(why) = minutes_later(&disk, self.format) {
            return Some(format!("the next start fails: {why}"));
        }
        let later = Look::of(&disk, self.format);
        // A new empty folder may stay. One that was to be removed may not.
        let is_done = |own: &Look| later.is(own) && later.has_no_other_folders(&[own]);
        let is_undone = |own: &Look| later.is(own) && later.has_no_other_folders(&all);
        let fits = |own: &&&Look| {
            later.stale.is_subset(&own.stale)
                && (is_done(own) || std::ptr::eq(**own, &self.before) && is_undone(own))
        };
        match (all.iter().find(fits), wanted) {
            (None, _) => Some(format!(
                "{said:?}, later neither before ({}) nor after ({})",
                later.differences(&self.before),
                later.differences(&self.after)
            )),
            (_, Some(wanted)) if !later.is(wanted) => {
                Some(format!("{said:?}, and changed by the next start"))
            }
            _ => None,
        }
    }
}

/// Returns the number of states, and what was wrong.
fn sweep(faults: &[Fault], every: usize) -> (usize, Vec<String>) {
    let (mut count, mut number, mut place, mut wrong) = (0, 0_usize, 0, Vec::new());
    for (format, deed) in FORMATS.iter().flat_map(|format| DEEDS.iter().map(move |deed| (*format, deed))) {
        if !deed.formats.contains(&format) {
            continue;
        }
        place += 1;
        // The short form tries each deed in one of three formats.
        if !tries::is_long() && place % 3 != 0 {
            continue;
        }
        let own = Sweep::of(format, deed);
        for (step, fault) in (0..own.log.len()).flat_map(|at| faults.iter().map(move |fault| (at, *fault))) {
            number += 1;
            // Folders are removed rarely, and last, so more such steps are tried.
            let is_folder = own.log[step].contains("remove the folder");
            if number % every != 0 && !(is_folder && number % every.min(5) == 0) {
                continue;
            }
            count += 1;
            wrong.extend(own.is_wrong(step, fault).map(|what| {
                format!("{format} {}, {fault:?} at {step} ({}): {what}", deed.name, own.log[step])
            }));
        }
    }
    (count, wrong)
}

#[test]
fn a_call_that_fails_in_any_verb_is_told_or_made_good_and_a_kill_is_undone_or_finished_by_the_next_start() {
    // An odd number, so that calls fail and processes are killed in turn.
    let every = tries::count(79, 1);
    let (count, wrong) = sweep(&[Fault::Error(Errno::IO), Fault::Crash], every);
    println!("{count} states");
    assert!(count > 30, "{count}");
    assert!(wrong.is_empty(), "{} states: {}", wrong.len(), wrong.join("\n"));
}
