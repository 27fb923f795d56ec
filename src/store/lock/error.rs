//! Why a lock could not be taken.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::lock_content::SeenLockFile;
use crate::model::PathText;

/// What is known of the one that holds a lock. All but the ages is what the lock's file
/// says: untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The process that it names.
    pub pid: Option<i32>,
    /// The agent that it names.
    pub agent: Option<String>,
    /// How long ago it was taken, by its own word or its file's last change, whichever is
    /// later; `None` where both lie in the future.
    pub age: Option<Duration>,
    /// Whether that process is alive; `None` if the lock names none.
    pub alive: Option<bool>,
    /// What stood there, so that nothing else is broken; `None` for the kernel's locks.
    pub(super) found: Option<SeenLockFile>,
}

impl LockHolder {
    /// Whether the user may choose to break it.
    pub fn is_breakable(&self) -> bool {
        self.found.is_some()
    }
}

/// Why a lock could not be taken. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another holds it, and did not let go in time.
    #[error("{} is locked: {}. It did not become free within {:.1} s. Nothing was changed. {}",
        path.to_text(), held_by(holder.as_deref()), waited.as_secs_f64(), advice(holder.as_deref()))]
    Busy {
        /// The lock.
        path: PathBuf,
        /// Who holds it, as far as its file can be read.
        holder: Option<Box<LockHolder>>,
        /// For how long it was waited, the time left out in which it was judged.
        waited: Duration,
    },
    /// What is there is not a file that anyone could have taken as a lock.
    #[error("{} should be a lock file and is {what}. Nothing was changed. If nothing needs it, move it away and try again.", path.to_text())]
    NotALock {
        /// Where it is.
        path: PathBuf,
        /// What it is: "a folder".
        what: &'static str,
    },
    /// The wait was given up.
    #[error("Waiting for the lock {} was stopped, and nothing was changed. Try again when it is free.",
        path.to_text())]
    GivenUp {
        /// The lock.
        path: PathBuf,
    },
    /// The system failed.
    #[error("{} can't be locked: {source}. Nothing was changed. Make its folder writable, or free \
        some space, then try again.", path.to_text())]
    Io {
        /// The lock, or the file beside it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn held_by(holder: Option<&LockHolder>) -> String {
    let Some(holder) = holder else { return "its holder can't be read".into() };
    let agent = holder.agent.as_ref().map(|agent| format!(" of the agent {agent}")).unwrap_or_default();
    let age = holder.age.map(|age| format!(", {} s ago", age.as_secs())).unwrap_or_default();
    match (holder.pid, holder.alive) {
        (Some(pid), Some(false)) => format!("process {pid}{agent}, which is gone, took it{age}"),
        (Some(pid), _) => format!("process {pid}{agent} took it{age}"),
        (None, _) if agent.is_empty() => format!("its file names no process, and was written{age}"),
        (None, _) => format!("a process{agent} took it{age}"),
    }
}

fn advice(holder: Option<&LockHolder>) -> &'static str {
    match holder {
        Some(holder) if holder.is_breakable() => {
            "Try again when the agent is done. If none works here any more, run this on a terminal: it asks whether to break the lock."
        }
        Some(_) => "Try again when the agent is done, or end it: the lock then ends by itself.",
        None => "Try again when it is gone, or make it readable.",
    }
}
