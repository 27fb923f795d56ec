//! Notes about erasures of several stores that were stopped: the stores that are left. A note has no erased text.
//!
//! Each erasure has a note of its own, so two processes never write the same one at the start.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::last_change::change_id;
use super::planned_change::PlannedErasure;
use crate::disk::host::Host;
use crate::disk::{ProcessState, write_synced};
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{Moment, PathText};
use crate::store::commit::{CommitError, Vault, make_folders};
use crate::store::erase::ErasureTarget;
use crate::text::digest::hex;

const FOLDER: &str = "unfinished-erasures";
const SUFFIX: &str = "json";
/// An erasure is named for this long, in microseconds: a year.
const NAMED: i64 = 365 * 86_400 * 1_000_000;
/// The times of palimp's own lists may have whole seconds.
const SECOND: i64 = 1_000_000;
/// The length of a digest in hexadecimal digits.
const DIGITS: usize = 16;

/// An erasure of several stores that has begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct UnfinishedErasure {
    /// Its random id. The receipts of its stores have it, too.
    id: String,
    /// When it began, in microseconds.
    at: i64,
    /// The process that carries it out.
    process: u32,
    /// The number of stores.
    stores: usize,
    /// The stores that are left.
    left: Vec<LeftStore>,
}

/// A store that an erasure still has to reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct LeftStore {
    #[serde(with = "crate::model::path_text::serde_path")]
    root: PathBuf,
    /// Short digests that identify the memories to erase.
    targets: Vec<String>,
    /// Short digests of the values to erase. The id of the erasure is in them.
    values: Vec<String>,
}

/// Notes the stores of an erasure before the first one is changed, and returns its id.
///
/// # Errors
///
/// If the folder of palimp's own data can't be written. Nothing is changed then.
pub fn begin(host: Host<'_>, erasures: &[PlannedErasure]) -> Result<String, CommitError> {
    let is_over = |own: &UnfinishedErasure| host.now.0 - own.at >= NAMED;
    notes(host).iter().filter(|own| is_over(own)).for_each(|own| own.drop(host));
    let id = change_id(host.machine);
    let left = erasures.iter().map(|own| LeftStore::of(&id, own)).collect();
    let (at, process, stores) = (host.now.0, host.machine.own_process(), erasures.len());
    UnfinishedErasure { id: id.clone(), at, process, stores, left }
        .keep(host)
        .map_err(|error| CommitError::own_data(&host.data.join(FOLDER), error))?;
    Ok(id)
}

/// Notes that the erasure with this id reached a store. What an earlier erasure left there is reached, too, if this one
/// takes the same. Without an id, the erasure is of one store.
pub fn done(host: Host<'_>, id: Option<&str>, erased: &PlannedErasure) {
    for mut own in notes(host) {
        let (is_own, stores) = (id == Some(&own.id), own.left.len());
        let is_taken = |left: &LeftStore| {
            left.root == erased.store.root && (is_own || left.is_taken_by(&own.id, erased))
        };
        own.left.retain(|left| !is_taken(left));
        if own.left.is_empty() {
            own.drop(host);
        } else if own.left.len() < stores {
            // It is only named, so a failure is no reason to stop.
            let _ = own.keep(host);
        }
    }
}

/// Takes the note of the erasure with this id back: nothing was changed.
pub fn drop_notice(host: Host<'_>, id: Option<&str>) {
    notes(host).iter().filter(|own| id == Some(&own.id)).for_each(|own| own.drop(host));
}

/// Says which stores erasures did not reach because they were stopped: one line for each erasure that does not go on
/// now, oldest first.
pub fn unfinished_erasure(host: Host<'_>) -> Vec<String> {
    notes(host).iter().filter_map(|own| own.told(host)).collect()
}

impl UnfinishedErasure {
    fn told(&self, host: Host<'_>) -> Option<String> {
        let is_recent = (0..NAMED).contains(&(host.now.0 - self.at));
        if !is_recent || self.is_going_on(host) {
            return None;
        }
        let left = self.left.iter().filter(|own| !own.is_reached(host, self));
        let left: Vec<String> = left.map(|own| own.root.to_text().into_owned()).collect();
        if left.is_empty() {
            return None;
        }
        Some(format!(
            "an erasure of {} stores was stopped on {}: it did not reach {}. Ask for the same erasure again.",
            self.stores,
            Moment(self.at).to_minute(),
            left.join(", ")
        ))
    }

    fn is_going_on(&self, host: Host<'_>) -> bool {
        match host.machine.process(self.process as i32) {
            ProcessState::Alive(started) => started.is_none_or(|started| started.0 <= self.at),
            ProcessState::Gone => false,
        }
    }

    fn path(&self, host: Host<'_>) -> PathBuf {
        host.data.join(FOLDER).join(&self.id).with_extension(SUFFIX)
    }

    fn keep(&self, host: Host<'_>) -> io::Result<()> {
        let (path, bytes) = (self.path(host), serde_json::to_vec(self)?);
        let temporary = path.with_extension(host.machine.own_process().to_string());
        let folder = host.data.join(FOLDER);
        make_folders(host.disk, &folder)?;
        let written = write_synced(host.disk, &temporary, PRIVATE_MODE, &bytes);
        let moved = written.and_then(|()| host.disk.rename(&temporary, &path));
        let moved = moved.inspect_err(|_| drop(host.disk.remove(&temporary)));
        moved.and_then(|()| host.disk.sync_folder(&folder))
    }

    fn drop(&self, host: Host<'_>) {
        let _ = host.disk.remove(&self.path(host));
    }
}

impl LeftStore {
    fn of(id: &str, own: &PlannedErasure) -> LeftStore {
        LeftStore {
            root: own.store.root.clone(),
            targets: own.targets.iter().map(target_digest).collect(),
            values: value_digests(id, own).into_iter().collect(),
        }
    }

    /// True if an erasure of the same store takes the same: all values, and every memory that is still there.
    fn is_taken_by(&self, id: &str, erased: &PlannedErasure) -> bool {
        let values = value_digests(id, erased);
        if !self.values.iter().all(|own| values.contains(own)) {
            return false;
        }
        let targets: HashSet<String> = erased.targets.iter().map(target_digest).collect();
        let (taken, rest): (Vec<&String>, Vec<&String>) =
            self.targets.iter().partition(|own| targets.contains(*own));
        if rest.is_empty() {
            return true;
        }
        let (store, is_any) = (&erased.store, !taken.is_empty() || !self.values.is_empty());
        let digest = |entry| target_digest(&ErasureTarget::of(store, entry, &[], None));
        let there: HashSet<String> = store.entries.iter().filter(|_| is_any).map(digest).collect();
        is_any && !rest.iter().any(|own| there.contains(*own))
    }

    /// True if the erasure reached the store after all, if it goes on there at the next start, or if all its memories
    /// were erased since. The list of what was erased has no values, so of values only a receipt can show it.
    fn is_reached(&self, host: Host<'_>, of: &UnfinishedErasure) -> bool {
        let vault = Vault::open_read_only(host.disk, host.data, &self.root);
        if let Ok(Some(pending)) = vault.erasing()
            && (pending.not_reached.erasure.as_deref() == Some(&*of.id) || self.is_covered(&pending.records))
        {
            return true;
        }
        let receipts = vault.receipts().unwrap_or_default();
        if receipts.iter().any(|own| own.not_reached.erasure.as_deref() == Some(&*of.id)) {
            return true;
        }
        let is_later = |at: &str| Moment::of(at).is_some_and(|at| at.0 > of.at - SECOND);
        let lines = vault.erasure_list().unwrap_or_default();
        let later = lines.into_iter().filter(|line| is_later(&line.at)).map(|line| line.record);
        self.is_covered(&later.collect::<Vec<_>>())
    }

    /// True if these are all that is to be erased.
    fn is_covered(&self, erased: &[ErasureTarget]) -> bool {
        let erased: HashSet<String> = erased.iter().map(target_digest).collect();
        let is_known = self.values.is_empty() && !self.targets.is_empty();
        is_known && self.targets.iter().all(|own| erased.contains(own))
    }
}

/// Returns all notes, oldest first. What can't be read names nothing.
fn notes(host: Host<'_>) -> Vec<UnfinishedErasure> {
    let folder = host.data.join(FOLDER);
    let items = host.disk.list(&folder).unwrap_or_default();
    let read = |name: &Path| -> Option<UnfinishedErasure> {
        let (bytes, _) = host.disk.read(&folder.join(name), 0, None).ok()?;
        let own: UnfinishedErasure = serde_json::from_slice(&bytes).ok()?;
        // It is written and removed by its id.
        (Path::new(&own.id).with_extension(SUFFIX) == name).then_some(own)
    };
    let mut all: Vec<UnfinishedErasure> =
        items.iter().filter_map(|item| read(Path::new(&item.name))).collect();
    all.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    all
}

/// Returns a digest of the names by which a memory is known after its erasure.
fn target_digest(own: &ErasureTarget) -> String {
    let file = own.file.as_os_str().as_encoded_bytes();
    digest(
        [own.session.as_deref(), own.name(), own.created.as_deref()].map(|own| own.map(str::as_bytes)),
        file,
    )
}

fn value_digests(id: &str, own: &PlannedErasure) -> HashSet<String> {
    own.values.all().iter().map(|value| digest([Some(id.as_bytes()), None, None], value)).collect()
}

fn digest(names: [Option<&[u8]>; 3], last: &[u8]) -> String {
    let mut hash = Sha256::new();
    for own in names {
        // No two lists of names have the same bytes.
        hash.update(own.map_or(u64::MAX, |own| own.len() as u64).to_be_bytes());
        hash.update(own.unwrap_or_default());
    }
    let mut digits = hex(&hash.chain_update(last).finalize()[..]);
    digits.truncate(DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;
    use crate::disk::{Machine, RealDisk, write_new};
    use crate::model::{Extent, NotReached, Store};
    use crate::ops::erase::DEFAULT_REASON;
    use crate::ops::{Progress, WriteContext};
    use crate::store::erase::SecretValues;
    use crate::store::{Place, load};
    use crate::usecase::EraseOptions;
    use crate::usecase::erase::{execute_erasure, plan_erasure};

    /// A machine on which no other process lives.
    #[derive(Default)]
    struct NoProcess(AtomicU8);

    impl Machine for NoProcess {
        fn now(&self) -> Moment {
            Moment(5)
        }
        fn monotonic(&self) -> std::time::Duration {
            std::time::Duration::ZERO
        }
        fn sleep(&self, _: std::time::Duration) {}
        fn own_process(&self) -> u32 {
            7
        }
        fn random(&self) -> [u8; 16] {
            [self.0.fetch_add(1, Ordering::SeqCst); 16]
        }
        fn process(&self, _: i32) -> ProcessState {
            ProcessState::Gone
        }
    }

    const NOW: Moment = Moment(1_770_000_000_000_000);

    /// Stores with the same three memories.
    struct Site {
        folder: tempfile::TempDir,
        machine: NoProcess,
    }

    impl Site {
        fn new() -> Site {
            Site { folder: crate::folder::new(), machine: NoProcess::default() }
        }

        fn store(&self, name: &str) -> Arc<Store> {
            let root = self.folder.path().join(name);
            let line = |number: u8| {
                let text = format!("It has marzipan-{number}{number}{number}{number} in it.");
                let id = format!("mem_{number}");
                format!("{{\"id\":\"{id}\",\"session_id\":\"s\",\"content\":{{\"message\":\"{text}\"}}}}\n")
            };
            let _ = write_new(&root.join("sessions/s/memory.jsonl"), [1, 2, 3].map(line).concat().as_bytes());
            Arc::new(load(&Place::whole(root, "session-log"), Extent::Whole, None, NOW))
        }

        /// Plans to erase memories and values from the store as it is now.
        fn planned(&self, data: &Path, name: &str, ids: &[&str], values: &[&str]) -> PlannedErasure {
            let store = self.store(name);
            let is_asked = |id: Option<&str>| id.is_some_and(|id| ids.contains(&id));
            let of = store.entries.iter().filter(|own| is_asked(store.view(own).and_then(|view| view.id)));
            let entries: Vec<_> = of.copied().collect();
            let options = EraseOptions { reason: None, values: SecretValues::of(values) };
            let context = WriteContext::of(&store, NOW, [7; 16]);
            let how = (&options, true);
            plan_erasure(self.host(data, NOW), &context, &store, &entries, how, &Progress::default()).unwrap()
        }

        fn host<'h>(&'h self, data: &'h Path, now: Moment) -> Host<'h> {
            Host { disk: &RealDisk, machine: &self.machine, data, now }
        }
    }

    fn erase(host: Host<'_>, own: &PlannedErasure, id: Option<&str>) {
        let erasure = id.map(str::to_owned);
        let not_reached = NotReached { erasure, ..NotReached::default() };
        execute_erasure(host, (own, &not_reached), DEFAULT_REASON).unwrap();
    }

    /// Returns the stores that each line names.
    fn named(host: Host<'_>) -> Vec<Vec<String>> {
        let names = |line: &String| {
            let (_, rest) = line.split_once("it did not reach ").unwrap();
            let (names, _) = rest.split_once(". Ask").unwrap();
            names.split(", ").map(|own| own.rsplit('/').next().unwrap().to_owned()).collect()
        };
        unfinished_erasure(host).iter().map(names).collect()
    }

    #[test]
    fn stores_that_a_stopped_erasure_did_not_reach_are_named_until_they_are() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        assert!(unfinished_erasure(host).is_empty());
        let all = ["a", "b", "c"].map(|name| site.planned(data.path(), name, &["mem_1"], &[]));
        let id = begin(host, &all).unwrap();
        done(host, Some(&id), &all[0]);
        assert!(unfinished_erasure(host)[0].starts_with("an erasure of 3 stores was stopped on "));
        assert_eq!(named(host), [["b", "c"]]);
        let later = site.host(data.path(), Moment(NOW.0 + NAMED));
        assert!(unfinished_erasure(later).is_empty());
        done(host, Some(&id), &all[1]);
        done(host, Some(&id), &all[2]);
        assert!(unfinished_erasure(host).is_empty() && notes(host).is_empty());
    }

    #[test]
    fn a_note_has_no_word_of_what_is_erased() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        let all = ["a", "b"].map(|name| site.planned(data.path(), name, &["mem_1"], &["marzipan-2222"]));
        let id = begin(host, &all).unwrap();
        let text = std::fs::read_to_string(data.path().join(FOLDER).join(id).with_extension(SUFFIX)).unwrap();
        assert!(
            !text.contains("mem_1") && !text.contains("marzipan") && !text.contains("memory.jsonl"),
            "{text}"
        );
    }

    #[test]
    fn an_erasure_that_is_refused_takes_only_its_own_note_back() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        let all = ["a", "b"].map(|name| site.planned(data.path(), name, &["mem_1"], &[]));
        begin(host, &all).unwrap();
        drop_notice(host, None);
        assert_eq!(named(host), [["a", "b"]]);
        let second = begin(host, &all).unwrap();
        assert_eq!(named(host), [["a", "b"], ["a", "b"]]);
        drop_notice(host, Some(&second));
        assert_eq!(named(host), [["a", "b"]]);
    }

    #[test]
    fn an_erasure_of_something_else_in_the_same_store_does_not_count() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        let memories = ["a", "b"].map(|name| site.planned(data.path(), name, &["mem_1", "mem_2"], &[]));
        let values = ["a", "b"].map(|name| site.planned(data.path(), name, &[], &["marzipan-1111"]));
        begin(host, &memories).unwrap();
        begin(host, &values).unwrap();
        let later = site.host(data.path(), Moment(NOW.0 + 60 * SECOND));
        for (ids, also) in [(["mem_3"], vec![]), (["mem_2"], vec![]), (["mem_0"], vec!["marzipan-1112"])] {
            let other = site.planned(data.path(), "b", &ids, &also);
            if !other.is_empty() {
                erase(later, &other, None);
            }
            done(later, None, &other);
            assert_eq!(named(later), [["a", "b"], ["a", "b"]], "{ids:?}");
        }
        erase(later, &site.planned(data.path(), "b", &["mem_1"], &[]), None);
        assert_eq!(named(later), [vec!["a"], vec!["a", "b"]], "all its memories were erased since");
        let same = site.planned(data.path(), "a", &[], &["marzipan-1111"]);
        erase(later, &same, None);
        done(later, None, &same);
        assert_eq!(named(later), [["a"], ["b"]]);
    }

    #[test]
    fn the_same_erasure_asked_for_again_takes_the_old_note_along() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        let all = ["a", "b"].map(|name| site.planned(data.path(), name, &["mem_1", "mem_2"], &[]));
        let id = begin(host, &all).unwrap();
        erase(host, &all[0], Some(&id));
        done(host, Some(&id), &all[0]);
        // An agent took one of the memories out meanwhile.
        let log = site.folder.path().join("b/sessions/s/memory.jsonl");
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::write(&log, text.split_inclusive('\n').skip(1).collect::<String>()).unwrap();
        let again = site.planned(data.path(), "b", &["mem_1", "mem_2"], &[]);
        assert_eq!(again.targets.len(), 1);
        done(host, None, &again);
        assert!(named(host).is_empty() && notes(host).is_empty());
    }

    #[test]
    fn a_store_that_was_reached_before_its_note_could_be_written_is_not_named() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        let all = ["a", "b", "c"].map(|name| site.planned(data.path(), name, &[], &["marzipan-1111"]));
        let id = begin(host, &all).unwrap();
        erase(host, &all[1], Some(&id));
        assert_eq!(named(host), [["a", "c"]]);
    }

    #[test]
    fn a_file_that_is_no_note_names_nothing() {
        let (site, data) = (Site::new(), crate::folder::new());
        let host = site.host(data.path(), NOW);
        write_new(&data.path().join(FOLDER).join("ab.json"), b"{\"at\":1,\"left\":[\"/b\"]}").unwrap();
        write_new(&data.path().join(FOLDER).join("cd.json"), b"{\"id\":\"../x\",\"at\":1}").unwrap();
        assert!(notes(host).is_empty());
    }
}
