//! The file at a lock's place, and its content.

use std::io;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat};
use serde_json::Value;

use super::{LockError, LockHolder};
use crate::disk::{Disk, ItemKind, Machine, ProcessState, optional};
use crate::model::Moment;
use crate::model::snapshot::Generation;

/// At most this many bytes of a lock file are read; agents write some hundred.
const LIMIT: u64 = 64 * 1024;
/// The most characters of an agent's name that are kept.
const NAME: usize = 80;
/// A time further ahead than this, in microseconds, comes from a clock that is off.
const AHEAD: i64 = 60_000_000;
/// The system knows when a process started to about a second. In microseconds.
const START_SLACK: i64 = 2_000_000;

/// The agent that palimp's locks name, in formats that have it there.
pub(super) const AGENT: &str = "palimp";

/// The number of looks at a lock's place if looks fail: a network disk may fail once.
const LOOKS: usize = 3;

#[derive(Clone, Copy)]
pub(super) struct LockScene<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) machine: &'a dyn Machine,
}

impl LockScene<'_> {
    /// True if this very file is at the path. A failed look is repeated; if all fail, returns false.
    pub(super) fn stands_at(&self, path: &Path, file: Generation) -> bool {
        let seen = (0..LOOKS).find_map(|_| optional(self.disk.look(path)).ok());
        let Some(item) = seen.flatten() else { return false };
        let there = item.generation;
        item.link.is_none() && (there.device, there.inode) == (file.device, file.inode)
    }

    /// Removes palimp's lock. Tries twice, because a lock that stays stops agents.
    pub(super) fn remove(&self, path: &Path) {
        let _ = self.disk.remove(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => self.disk.remove(path),
        });
    }

    pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> LockError + use<> {
        let path = path.to_owned();
        move |source| LockError::Io(path.clone(), source)
    }
}

/// A file at a lock's place. Equal ones are the same lock; the inode alone could be reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenLockFile {
    pub(super) generation: Generation,
    pub(super) bytes: Vec<u8>,
}

pub(super) enum LockFileState {
    Free,
    /// A file that palimp may not read, or that just changed its kind.
    Unreadable,
    Present(SeenLockFile),
}

/// Looks at a lock's place. Refuses anything but a regular file, and never opens it.
pub(super) fn standing(context: LockScene<'_>, path: &Path) -> Result<LockFileState, LockError> {
    match strange(context, path) {
        Ok(None) => {}
        Ok(Some(what)) => return Err(LockError::NotALock(path.to_owned(), what)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockFileState::Free),
        Err(error) => return Err(LockScene::failed(path)(error)),
    }
    match context.disk.read(path, 0, Some(LIMIT)) {
        Ok((bytes, generation)) => Ok(LockFileState::Present(SeenLockFile { generation, bytes })),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(LockFileState::Free),
            io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput => Ok(LockFileState::Unreadable),
            _ => Err(LockScene::failed(path)(error)),
        },
    }
}

/// Returns what is at the path, if it is not a regular file.
pub(super) fn strange(context: LockScene<'_>, path: &Path) -> io::Result<Option<&'static str>> {
    let item = context.disk.look(path)?;
    Ok(match item.kind {
        _ if item.link.is_some() => Some("a symbolic link"),
        ItemKind::File => None,
        ItemKind::Folder => Some("a folder"),
        ItemKind::Special => Some("a pipe, socket or device"),
    })
}

/// The content of a lock file. Unknown fields are ignored.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LockContent {
    /// True for a complete JSON object.
    pub(super) is_whole: bool,
    /// True if it is only the number of a process.
    pub(super) is_bare: bool,
    /// A number that a process can have.
    pub(super) pid: Option<i32>,
    pub(super) agent: Option<String>,
    pub(super) since: Option<Moment>,
    pub(super) until: Option<Moment>,
}

impl LockContent {
    /// Reads JSON, or else a number and a time: that form is not specified.
    pub(super) fn read(bytes: &[u8]) -> LockContent {
        let Ok(Value::Object(object)) = serde_json::from_slice(bytes) else {
            return LockContent::read_words(&String::from_utf8_lossy(bytes));
        };
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let time = |name: &str| text(name).and_then(Moment::of);
        LockContent {
            is_whole: true,
            is_bare: false,
            pid: object.get("pid").and_then(Value::as_f64).and_then(process_number),
            agent: text("agent_id").map(|agent| agent.chars().take(NAME).collect()),
            since: time("timestamp").or_else(|| time("acquired_at")),
            until: time("expires_at"),
        }
    }

    fn read_words(text: &str) -> LockContent {
        let mut words = text.split_whitespace();
        let pid = words.next().and_then(|word| word.parse().ok()).and_then(process_number);
        LockContent {
            pid,
            is_bare: pid.is_some() && words.clone().next().is_none(),
            since: words.find_map(Moment::of),
            ..LockContent::default()
        }
    }
}

fn process_number(number: f64) -> Option<i32> {
    let is_one = number >= 1.0 && number <= f64::from(i32::MAX) && number.fract() == 0.0;
    is_one.then_some(number as i32)
}

/// Returns when a lock was taken: by its content or its file's last change, whichever is later. So the lock
/// of an agent that writes local time as UTC does not seem old. Ignores times that are ahead.
pub(super) fn taken(found: &SeenLockFile, said: &LockContent, now: Moment) -> Option<Moment> {
    let modified = Moment(i64::try_from(found.generation.modified / 1000).unwrap_or(i64::MAX));
    let ahead = now.plus(AHEAD);
    said.since.into_iter().chain([modified]).filter(|when| *when <= ahead).max()
}

/// True if the process that took something at `taken` is alive; `None` if none is named. A process
/// that started later is another one with the same number.
pub(super) fn is_alive(machine: &dyn Machine, pid: Option<i32>, taken: Option<Moment>) -> Option<bool> {
    Some(match machine.process(pid?) {
        ProcessState::Gone => false,
        ProcessState::Alive(Some(started)) => taken.is_none_or(|taken| started <= taken.plus(START_SLACK)),
        ProcessState::Alive(None) => true,
    })
}

pub(super) fn holder(context: LockScene<'_>, path: &Path, is_breakable: bool) -> Option<Box<LockHolder>> {
    let Ok(LockFileState::Present(found)) = standing(context, path) else { return None };
    let (said, now) = (LockContent::read(&found.bytes), context.machine.now());
    let taken = taken(&found, &said, now);
    let age = taken.map(|taken| u64::try_from(now.0.saturating_sub(taken.0)).unwrap_or_default());
    Some(Box::new(LockHolder {
        alive: is_alive(context.machine, said.pid, taken),
        pid: said.pid,
        agent: said.agent,
        age: age.map(Duration::from_micros),
        found: is_breakable.then_some(found),
    }))
}

/// Returns a time as agents write it, to the millisecond, rounded down.
pub(super) fn stamp(when: Moment) -> String {
    match DateTime::from_timestamp_micros(when.0) {
        Some(when) => when.to_rfc3339_opts(SecondsFormat::Millis, true),
        None => when.to_rfc3339(),
    }
}
