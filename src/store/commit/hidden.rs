//! The names of our own files in a store's folders: they start with `.palimp-`, say whose
//! they are, and are gone when the change is over, but for one.
//!
//! That one is a second name of the file that a rewrite replaced. Whoever opened the file
//! before the rename may still append to it, and [`super::rescue`] takes such lines over.
//! Its name says how far they had been taken over, so that no crash can part the two.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::Moment;

/// What every name starts with.
pub const START: &str = ".palimp-";
const TEMP: &str = ".palimp-tmp-";
const OLD: &str = ".palimp-old-";

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// What our files beside a lock start with: see `store::lock`.
const LOCKS: [&str; 3] = [".lock.own.", ".lock.stale.", ".lock.takeover"];

/// Whether a name is one of ours.
pub fn is_ours(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.starts_with(START.as_bytes()) || LOCKS.iter().any(|own| bytes.starts_with(own.as_bytes()))
}

/// Whether a name is that of a temporary file of ours, and which process made it.
pub fn temp_of(name: &OsStr) -> Option<i32> {
    name.to_str()?.strip_prefix(TEMP)?.split('-').next()?.parse().ok()
}

/// The process whose file beside a lock that is.
pub fn lock_of(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?;
    let rest = LOCKS.iter().find_map(|own| name.strip_prefix(own))?;
    rest.split('-').next()?.parse().ok()
}

/// A new name for a temporary file beside `file`.
pub fn temp(file: &Path, process: u32) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    file.with_file_name(format!("{TEMP}{process}-{number}"))
}

/// The second name of a file that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// When it was replaced, in seconds since 1970.
    pub since: i64,
    /// How many of its bytes stand in the file that took its place.
    pub taken: u64,
    /// A number that tells it from others.
    pub number: u64,
    /// The name of the file.
    pub file: PathBuf,
}

impl Old {
    /// The second name of `file`, of which `taken` bytes are taken over.
    pub fn of(file: &Path, taken: u64, now: Moment, process: u32) -> Old {
        let number = u64::from(process) << 24 | COUNTER.fetch_add(1, Ordering::Relaxed) & 0xff_ffff;
        let file = PathBuf::from(file.file_name().unwrap_or_default());
        Old { since: now.0.div_euclid(1_000_000), taken, number, file }
    }

    /// Reads such a name.
    pub fn read(name: &OsStr) -> Option<Old> {
        let rest = name.to_str()?.strip_prefix(OLD)?;
        let mut parts = rest.splitn(4, '-');
        let since = parts.next()?.parse().ok()?;
        let taken = parts.next()?.parse().ok()?;
        let number = parts.next()?.parse().ok()?;
        Some(Old { since, taken, number, file: parts.next()?.into() })
    }

    /// The name.
    pub fn name(&self) -> String {
        format!("{OLD}{}-{}-{}-{}", self.since, self.taken, self.number, self.file.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_files_name_says_how_far_it_was_taken_over() {
        let old = Old::of(Path::new("a/b/memory-x.jsonl"), 42, Moment(7_000_000), 9);
        assert_eq!(Old::read(OsStr::new(&old.name())), Some(old.clone()));
        assert!(is_ours(OsStr::new(&old.name())) && temp_of(OsStr::new(&old.name())).is_none());
        let temp = temp(Path::new("a/b.jsonl"), 12);
        assert_eq!(temp.parent(), Some(Path::new("a")));
        assert_eq!(temp_of(temp.file_name().unwrap()), Some(12));
    }
}
