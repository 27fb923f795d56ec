//! Which stores an erasure of several still has to reach. It has no word of what is erased.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::screen_state::{read, write};
use crate::disk::ProcessState;
use crate::disk::host::Host;
use crate::model::{JournalLine, Moment, PathText};
use crate::store::commit::Vault;

const FILE: &str = "unfinished-erasure.json";
/// It is named for this long, in microseconds: 30 days.
const NAMED: i64 = 30 * 86_400 * 1_000_000;

/// The stores that are left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct UnfinishedErasure {
    /// When it began, in microseconds.
    at: i64,
    /// The process that carries it out.
    process: u32,
    /// The number of stores.
    stores: usize,
    /// The folders of those that are left.
    left: Vec<PathBuf>,
}

/// Notes the stores of an erasure before the first one is changed.
///
/// # Errors
///
/// If the folder of palimp's own data can't be written. Nothing is changed then.
pub fn begin(host: Host<'_>, roots: Vec<PathBuf>) -> Result<(), String> {
    let (at, process) = (host.now.0, host.machine.own_process());
    let own = UnfinishedErasure { at, process, stores: roots.len(), left: roots };
    kept(host, &own)
        .map_err(|error| format!("palimp's own data can't be written: {error}. Nothing was changed."))
}

/// Notes that a store was reached. What an earlier erasure left there is named until then.
pub fn done(host: Host<'_>, root: &Path) {
    let mut own: UnfinishedErasure = read(host.data, FILE);
    own.left.retain(|left| left != root);
    // It is only named, so a failure is no reason to stop.
    let _ = match own.left.is_empty() {
        true => host.disk.remove(&host.data.join(FILE)),
        false => kept(host, &own),
    };
}

/// Takes the note back: nothing was changed.
pub fn drop_notice(host: Host<'_>) {
    let _ = host.disk.remove(&host.data.join(FILE));
}

/// Says which stores an erasure did not reach because it was stopped. `None` if there are none, or while it goes on.
pub fn unfinished_erasure(host: Host<'_>) -> Option<String> {
    let own: UnfinishedErasure = read(host.data, FILE);
    let is_recent = (0..NAMED).contains(&(host.now.0 - own.at));
    let began = |started: Option<Moment>| started.is_none_or(|started| started.0 <= own.at);
    let is_going_on = match host.machine.process(own.process as i32) {
        ProcessState::Alive(started) => began(started),
        ProcessState::Gone => false,
    };
    if own.left.is_empty() || !is_recent || is_going_on {
        return None;
    }
    let left = own.left.iter().filter(|root| !is_reached(host, root, own.at));
    let left: Vec<String> = left.map(|own| own.to_text().into_owned()).collect();
    if left.is_empty() {
        return None;
    }
    Some(format!(
        "an erasure of {} stores was stopped on {}: it did not reach {}. Ask for the same erasure again.",
        own.stores,
        Moment(own.at).to_minute(),
        left.join(", ")
    ))
}

/// True if something was erased from a store since then, or if an erasure of it goes on at its next start.
fn is_reached(host: Host<'_>, root: &Path, since: i64) -> bool {
    let vault = Vault::open_read_only(host.disk, host.data, root);
    // The journal may have whole seconds.
    let is_later = |line: &JournalLine| {
        line.verb == "erase" && Moment::of(&line.at).is_some_and(|at| at.0 > since - 1_000_000)
    };
    let journal = vault.journal().unwrap_or_default();
    vault.erasing().is_ok_and(|own| own.is_some()) || journal.iter().any(is_later)
}

fn kept(host: Host<'_>, own: &UnfinishedErasure) -> std::io::Result<()> {
    write(host.data, FILE, &serde_json::to_vec(own)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Machine, RealDisk};
    use crate::folder;

    /// A machine on which no process lives.
    struct NoProcess;

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
            [0; 16]
        }
        fn process(&self, _: i32) -> ProcessState {
            ProcessState::Gone
        }
    }

    #[test]
    fn stores_that_a_stopped_erasure_did_not_reach_are_named_until_they_are() {
        let data = folder::new();
        let now = Moment(1_770_000_000_000_000);
        let host = Host { disk: &RealDisk, machine: &NoProcess, data: data.path(), now };
        assert_eq!(unfinished_erasure(host), None);
        begin(host, ["/a", "/b", "/c"].map(PathBuf::from).into()).unwrap();
        done(host, Path::new("/a"));
        let told = unfinished_erasure(host).unwrap();
        assert!(told.contains("of 3 stores") && told.contains("reach /b, /c."), "{told}");
        let later = Host { now: Moment(now.0 + NAMED), ..host };
        assert_eq!(unfinished_erasure(later), None);
        done(host, Path::new("/b"));
        done(host, Path::new("/c"));
        assert_eq!(unfinished_erasure(host), None);
        assert!(!data.path().join(FILE).exists());
    }
}
