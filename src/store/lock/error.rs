//! The errors of taking a lock.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::lock_content::SeenLockFile;
use crate::model::PathText;

/// What is known of a lock's holder. All but `age` and `alive` comes from the lock's file and is untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The process that the file names.
    pub pid: Option<i32>,
    /// The agent that the file names.
    pub agent: Option<String>,
    /// How long ago it was taken, by its content or last change, whichever is later; `None` if both
    /// are ahead.
    pub age: Option<Duration>,
    /// True if that process is alive; `None` if the lock names none.
    pub alive: Option<bool>,
    /// The file that was seen, so that no other is broken; `None` for the kernel's locks.
    pub(super) found: Option<SeenLockFile>,
}

impl LockHolder {
    /// True if the user may choose to break it.
    pub fn is_breakable(&self) -> bool {
        self.found.is_some()
    }
}

/// Why a lock could not be taken. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it and did not release it in time.
    #[error("{} is locked: {}. It did not become free within {:.1} s. Nothing was changed. {}",
        path.to_text(), held_by(holder.as_deref()), waited.as_secs_f64(), advice(holder.as_deref()))]
    Busy {
        /// The lock.
        path: PathBuf,
        /// Who holds it, as far as its file can be read.
        holder: Option<Box<LockHolder>>,
        /// How long palimp waited, without the time in which it judged the lock.
        waited: Duration,
    },
    /// What is at the path can't be a lock file, such as "a folder".
    #[error("{} should be a lock file and is {}. Nothing was changed. If nothing needs it, move it away and try again.", .0.to_text(), .1)]
    NotALock(PathBuf, &'static str),
    /// The system reported an error at the lock or a file beside it.
    #[error("{} can't be locked: {}. Nothing was changed. Make its folder writable, or free \
        some space, then try again.", .0.to_text(), .1)]
    Io(PathBuf, io::Error),
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
