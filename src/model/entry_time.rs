//! When an entry was written: its stored time, or else that of its file.

use super::{Document, Entry, Moment, Store};

/// When an entry was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryTime {
    /// The time.
    pub at: Moment,
    is_of_file: bool,
}

impl EntryTime {
    /// True if it is the last change of the file. Another entry of the file may be the reason for that.
    pub fn is_of_file(self) -> bool {
        self.is_of_file
    }

    /// Returns the mark before a time that is the file's, else nothing.
    pub fn mark(self) -> &'static str {
        if self.is_of_file { "~" } else { "" }
    }

    /// Returns what happened at that time.
    pub fn event(self) -> &'static str {
        if self.is_of_file { "file changed" } else { "written" }
    }

    /// Says how old it is: `3d`, or `~3d` by its file.
    pub fn age_at(self, now: Moment) -> String {
        format!("{}{}", self.mark(), self.at.age_at(now))
    }

    /// Says how long ago it was: `3 d ago`, or `file changed 3 d ago`.
    pub fn ago_at(self, now: Moment) -> String {
        match self.is_of_file {
            // A clock that was wrong once says nothing about a memory.
            true => format!("file changed {}", self.at.min(now).ago_at(now)),
            false => self.at.ago_at(now),
        }
    }
}

impl Document {
    /// Returns the time of the last change of its file; `None` if it was not read from one.
    pub fn modified(&self) -> Option<Moment> {
        let at = i64::try_from(self.generation.modified / 1_000).ok()?;
        (at > 0).then_some(Moment(at))
    }
}

impl Store {
    /// Returns when an entry was written, if that is known.
    pub fn time_of(&self, entry: &Entry) -> Option<EntryTime> {
        self.time_with(entry, self.memory(entry).and_then(|memory| memory.created))
    }

    /// Like [`Store::time_of`], of an entry with this stored time.
    pub fn time_with(&self, entry: &Entry, stored: Option<Moment>) -> Option<EntryTime> {
        let of_file = if self.has_file_times { self.document(entry).modified() } else { None };
        // A stored day has no hour. On the day itself the file has it.
        let is_closer = |file: &Moment| stored.is_none_or(|stored| file.day() == stored);
        let of_file = of_file.filter(is_closer).map(|at| EntryTime { at, is_of_file: true });
        of_file.or(stored.map(|at| EntryTime { at, is_of_file: false }))
    }
}
