//! The names of palimp's own files in a store's folders. They start with a dot and end in a suffix of
//! palimp: no agent's `*.jsonl` or `*.md` finds them. After a change only one kind remains.
//!
//! It is a second name of the file that a rewrite replaced. A program that opened the file before may
//! still write to it: `store::write::handover::rescue` takes that over. The name has the length and
//! digest of what was taken over, so that no crash can separate the file from them.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::disk::Disk;
use crate::model::{Bytes, Moment, PathText, path_from_text};
use crate::text::digest::digest;

/// The suffix of a temporary file.
const TEMP: &str = ".palimp-tmp";
/// The suffix of a replaced file's second name.
const OLD: &str = ".palimp-old";

/// The prefixes of palimp's files beside a lock: see `store::lock`.
const LOCKS: [&str; 3] = [".lock.own.", ".lock.stale.", ".lock.takeover"];

/// The most characters that an inode and a length add to a name, with their separators.
const NUMBERS: usize = 42;

/// The longest name that file systems accept, in bytes.
const LONGEST: usize = 255;

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// True if a name is one of palimp's own.
pub fn is_ours(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let ends = || [TEMP, OLD].iter().any(|own| name.ends_with(own.as_bytes()));
    (name.starts_with(b".") && ends()) || LOCKS.iter().any(|own| name.starts_with(own.as_bytes()))
}

/// Returns the process that made a temporary file of palimp; `None` for other names.
pub fn temp_process(name: &OsStr) -> Option<i32> {
    let (process, number) = name.to_str()?.strip_prefix('.')?.strip_suffix(TEMP)?.split_once('-')?;
    number.parse::<u64>().ok().and(process.parse().ok())
}

/// True if palimp has a file of this name only during a change.
pub fn is_temp(name: &OsStr) -> bool {
    temp_process(name).is_some() || SwapFileName::read(name).is_some()
}

/// Returns the process whose file beside a lock has this name.
pub fn lock_process(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?;
    let rest = LOCKS.iter().find_map(|own| name.strip_prefix(own))?;
    rest.split('-').next()?.parse().ok()
}

/// Returns a new name for a temporary file beside `file`.
pub fn temp_path(file: &Path, process: u32) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    file.with_file_name(format!(".{process}-{number}{TEMP}"))
}

/// Takes the place of the digest while the bytes are being overwritten.
const BLANKED: u128 = 0;

/// The second name of a file that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldFileName {
    /// The time of the replacement, in seconds since 1970.
    pub since: i64,
    /// The number of its bytes that are in the file that took its place.
    pub taken: u64,
    /// A number that distinguishes it from others.
    pub number: u64,
    /// A digest of those bytes.
    pub digest: u128,
    /// The name of the file, or a substitute if that is too long: see [`OldFileName::file_of`].
    pub file: PathBuf,
}

impl OldFileName {
    /// Returns the second name of `file`, of which the bytes `taken` are taken over.
    pub fn of(file: &Path, taken: &Bytes, now: Moment, process: u32) -> OldFileName {
        let number = u64::from(process) << 24 | COUNTER.fetch_add(1, Ordering::Relaxed) & 0xff_ffff;
        let file = PathBuf::from(file.file_name().unwrap_or_default());
        let own = OldFileName {
            since: now.0.div_euclid(1_000_000),
            taken: taken.len() as u64,
            number,
            digest: digest(taken),
            file,
        };
        // While the file leaves its place, the name also has an inode and a length.
        match own.name().len() + NUMBERS > LONGEST {
            true => OldFileName { file: stand_in(&own.file), ..own },
            false => own,
        }
    }

    /// Returns the same name with other bytes that are taken over.
    pub fn up_to(&self, taken: &[u8], since: i64) -> OldFileName {
        OldFileName { since, taken: taken.len() as u64, digest: digest(taken), ..self.clone() }
    }

    /// Returns the name while an erasure overwrites `len` bytes. The file gets it before the first byte
    /// goes: what an interrupted erasure leaves is not another program's writing.
    pub fn while_blanked(&self, len: u64, since: i64) -> OldFileName {
        OldFileName { since, taken: len, digest: BLANKED, ..self.clone() }
    }

    /// True if an erasure was overwriting the bytes.
    pub fn is_blanked(&self) -> bool {
        self.digest == BLANKED
    }

    /// Reads a second name; `None` for other names.
    pub fn read(name: &OsStr) -> Option<OldFileName> {
        let (file, numbers) = name.to_str()?.strip_prefix('.')?.strip_suffix(OLD)?.rsplit_once('.')?;
        let mut parts = numbers.splitn(4, '-');
        let since = parts.next()?.parse().ok()?;
        let taken = parts.next()?.parse().ok()?;
        let number = parts.next()?.parse().ok()?;
        let digest = u128::from_str_radix(parts.next()?, 16).ok()?;
        Some(OldFileName { since, taken, number, digest, file: path_from_text(file) })
    }

    pub fn name(&self) -> String {
        let OldFileName { since, taken, number, digest, file } = self;
        let file = file.to_text();
        format!(".{file}.{since}-{taken}-{number}-{digest:032x}{OLD}")
    }

    /// True if it has the name of its file, not a substitute.
    fn has_name(&self) -> bool {
        let name = self.file.file_stem().unwrap_or_default().as_encoded_bytes();
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        !(name.len() == 33 && name[0] == b'~' && name[1..].iter().all(is_digit))
    }

    /// True if `name` is the name of its file.
    pub fn is_of(&self, name: &Path) -> bool {
        self.file == name || !self.has_name() && stand_in(name) == self.file
    }

    /// Returns the file that replaced the one whose second name is `path`. `None` if its name was too
    /// long to be kept, and no file in the folder has it.
    pub fn file_of(&self, disk: &dyn Disk, path: &Path) -> io::Result<Option<PathBuf>> {
        if self.has_name() {
            return Ok(Some(path.with_file_name(&self.file)));
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut names = disk.list(folder)?.into_iter().map(|item| PathBuf::from(item.name));
        Ok(names.find(|name| self.is_of(name)).map(|name| path.with_file_name(name)))
    }
}

/// The name of a file that leaves its place, until palimp knows that it is the file that was compared.
/// Before the exchange it is the name of palimp's new bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwapFileName {
    /// The second name that the file gets if it is the right one.
    pub old: OldFileName,
    /// The inode of palimp's new bytes: any other is the file that was there. 0 if a file is only
    /// removed.
    pub new_inode: u64,
    /// The length of palimp's new bytes. What follows them was written by other programs, while the
    /// inode was in the file's place. `None` if a file is only removed.
    pub len: Option<u64>,
}

impl SwapFileName {
    /// Reads a name like this one; `None` for other names.
    pub fn read(name: &OsStr) -> Option<SwapFileName> {
        let (rest, last) = name.to_str()?.strip_suffix(TEMP)?.rsplit_once('-')?;
        let last = last.parse().ok()?;
        let old = |rest| OldFileName::read(format!("{rest}{OLD}").as_ref());
        if let Some(old) = old(rest) {
            return Some(SwapFileName { old, new_inode: last, len: None });
        }
        let (rest, own) = rest.rsplit_once('-')?;
        Some(SwapFileName { old: old(rest)?, new_inode: own.parse().ok()?, len: Some(last) })
    }

    pub fn name(&self) -> String {
        let name = self.old.name();
        let name = name.strip_suffix(OLD).unwrap_or(&name);
        match self.len {
            Some(len) => format!("{name}-{}-{len}{TEMP}", self.new_inode),
            None => format!("{name}-{}{TEMP}", self.new_inode),
        }
    }

    /// Returns the process that made it.
    pub fn process(&self) -> i32 {
        i32::try_from(self.old.number >> 24).unwrap_or_default()
    }
}

/// Returns the substitute for a file's name that leaves no room for palimp's additions.
fn stand_in(file: &Path) -> PathBuf {
    let own = PathBuf::from(format!("~{:032x}", digest(file.as_os_str().as_bytes())));
    match file.extension() {
        Some(end) if end.len() <= 8 => own.with_extension(end),
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faulty::{Errno, Fault, Faulty};

    fn of(file: &str) -> OldFileName {
        OldFileName::of(Path::new(file), &"{}\n".into(), Moment(7_000_000), 9)
    }

    #[test]
    fn a_replaced_files_name_says_how_far_it_was_taken_over() {
        let old = of("a/b/memory-x.y.jsonl");
        assert_eq!((old.taken, old.digest), (3, digest(b"{}\n")));
        assert_eq!(OldFileName::read(OsStr::new(&old.name())), Some(old.clone()));
        assert!(is_ours(OsStr::new(&old.name())) && temp_process(OsStr::new(&old.name())).is_none());
        let temp = temp_path(Path::new("a/b.jsonl"), 12);
        assert_eq!(temp.parent(), Some(Path::new("a")));
        assert_eq!(temp_process(temp.file_name().unwrap()), Some(12));
        assert!(is_ours(temp.file_name().unwrap()) && OldFileName::read(temp.file_name().unwrap()).is_none());
    }

    #[test]
    fn a_file_on_its_way_out_is_told_from_a_temporary_and_from_one_that_was_replaced() {
        let own = SwapFileName { old: of("a/5"), new_inode: 77, len: Some(3) };
        for own in [own.clone(), SwapFileName { len: None, ..own.clone() }] {
            let name = own.name();
            let name = OsStr::new(&name);
            assert_eq!(SwapFileName::read(name), Some(own.clone()));
            assert!(is_ours(name) && temp_process(name).is_none() && OldFileName::read(name).is_none());
        }
        assert_eq!(own.process(), 9);
        assert_eq!(SwapFileName::read(temp_path(Path::new("a/b"), 1).file_name().unwrap()), None);
        assert_eq!(SwapFileName::read(OsStr::new(&own.old.name())), None);
    }

    #[test]
    fn no_pattern_for_a_stores_files_finds_ours() {
        for name in [of("memory.jsonl").name(), of("note.md").name(), of("state.json").name()] {
            assert!(name.starts_with('.') && name.ends_with(OLD), "{name}");
        }
        let temp = temp_path(Path::new("a/b.jsonl"), 12);
        assert!(temp.file_name().unwrap().to_str().unwrap().ends_with(TEMP));
    }

    #[test]
    fn a_name_that_is_too_long_is_found_again() {
        let long = format!("{}.md", "ü".repeat(120));
        let old = of(&format!("a/{long}"));
        assert!(old.name().len() <= LONGEST && old.name().contains(".md."), "{}", old.name());
        assert_eq!(OldFileName::read(OsStr::new(&old.name())), Some(old.clone()));
        let disk = Faulty::new();
        let path = Path::new("/a").join(old.name());
        disk.put(&path, "{}\n", 0o600);
        disk.put(Path::new("/a").join(&long), "new\n", 0o600);
        let file = Path::new("/a").join(long);
        assert_eq!(old.file_of(&disk, &path).unwrap(), Some(file.clone()));
        disk.fail_reads(disk.reads().len(), Fault::Error(Errno::IO));
        assert!(old.file_of(&disk, &path).is_err(), "what can't be listed is not absent");
        disk.remove(&file).unwrap();
        assert_eq!(old.file_of(&disk, &path).unwrap(), None);
    }
}
