//! The names of our own files in a store's folders. They start with a dot and end in a suffix
//! of ours, so that no agent's `*.jsonl` or `*.md` finds them, and are gone when the change is
//! over, but for one.
//!
//! That one is a second name of the file that a rewrite replaced. Whoever opened the file
//! before the rename may still write to it, and `store::commit::handover::rescue` takes that over. Its name
//! says how far it had been taken over and what it held, so that no crash can part the two.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::disk::Disk;
use crate::model::{Bytes, Moment, PathText, path_from_text};
use crate::text::digest::{Digester, digest};

/// What a temporary file ends in.
const TEMP: &str = ".palimp-tmp";
/// What the second name of a replaced file ends in.
const OLD: &str = ".palimp-old";

/// What the names of earlier versions start with.
const EARLIER: &str = ".palimp-";
const EARLIER_TEMP: &str = ".palimp-tmp-";
const EARLIER_OLD: &str = ".palimp-old-";

/// What our files beside a lock start with: see `store::lock`.
const LOCKS: [&str; 3] = [".lock.own.", ".lock.stale.", ".lock.takeover"];

/// So many digits an inode and a length may have, and what is before them.
const NUMBERS: usize = 42;

/// The longest name that file systems take, in bytes.
const LONGEST: usize = 255;

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Whether a name is one of ours.
pub fn is_ours(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let ends = || [TEMP, OLD].iter().any(|own| name.ends_with(own.as_bytes()));
    let starts = |own: &[&str]| own.iter().any(|own| name.starts_with(own.as_bytes()));
    (name.starts_with(b".") && ends()) || starts(&[EARLIER]) || starts(&LOCKS)
}

/// Whether a name is that of a temporary file of ours, and which process made it.
pub fn temp_process(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?;
    let own = name.strip_prefix('.').and_then(|name| name.strip_suffix(TEMP));
    let (process, number) = own.or_else(|| name.strip_prefix(EARLIER_TEMP))?.split_once('-')?;
    number.parse::<u64>().ok().and(process.parse().ok())
}

/// Whether a name is one that no file of ours has when no change is being made.
pub fn is_temp(name: &OsStr) -> bool {
    temp_process(name).is_some() || SwapFileName::read(name).is_some()
}

/// The process whose file beside a lock that is.
pub fn lock_process(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?;
    let rest = LOCKS.iter().find_map(|own| name.strip_prefix(own))?;
    rest.split('-').next()?.parse().ok()
}

/// A new name for a temporary file beside `file`.
pub fn temp_path(file: &Path, process: u32) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    file.with_file_name(format!(".{process}-{number}{TEMP}"))
}

/// The digest of bytes that are not all held. Of a file that changed since it is that of what was there:
/// such a one is not what was compared, and goes back to its place.
fn digest_of(bytes: &Bytes) -> u128 {
    let mut digester = Digester::of(bytes.len());
    let added = bytes.each_block(BLOCK, &mut |block| {
        digester.add(block);
        Ok::<(), Infallible>(())
    });
    let Ok(_) = added;
    digester.finish()
}

/// So many bytes of a file are digested at once.
const BLOCK: usize = 1 << 20;

/// Stands for the digest of bytes that are being overwritten.
const BLANKED: u128 = 0;

/// The second name of a file that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldFileName {
    /// When it was replaced, in seconds since 1970.
    pub since: i64,
    /// How many of its bytes are in the file that took its place.
    pub taken: u64,
    /// A number that distinguishes it from others.
    pub number: u64,
    /// A digest of those bytes; names of earlier versions have none.
    pub digest: Option<u128>,
    /// The name of the file, or what stands for one that is too long: see [`OldFileName::file_of`].
    pub file: PathBuf,
}

impl OldFileName {
    /// The second name of `file`, of which those bytes are taken over.
    pub fn of(file: &Path, taken: &Bytes, now: Moment, process: u32) -> OldFileName {
        let number = u64::from(process) << 24 | COUNTER.fetch_add(1, Ordering::Relaxed) & 0xff_ffff;
        let file = PathBuf::from(file.file_name().unwrap_or_default());
        let own = OldFileName {
            since: now.0.div_euclid(1_000_000),
            taken: taken.len() as u64,
            number,
            digest: Some(digest_of(taken)),
            file,
        };
        // An inode and a length are added to it while the file leaves its place.
        match own.name().len() + NUMBERS > LONGEST {
            true => OldFileName { file: stand_in(&own.file), ..own },
            false => own,
        }
    }

    /// The same when that much of it is taken over.
    pub fn up_to(&self, taken: &[u8], since: i64) -> OldFileName {
        let known = self.digest.map(|_| digest(taken));
        OldFileName { since, taken: taken.len() as u64, digest: known, ..self.clone() }
    }

    /// The same while an erasure overwrites that many of its bytes. Its name says so before the first byte goes:
    /// what an interrupted erasure leaves is not what another program wrote.
    pub fn while_blanked(&self, len: u64, since: i64) -> OldFileName {
        OldFileName { since, taken: len, digest: Some(BLANKED), ..self.clone() }
    }

    /// Whether an erasure was overwriting its bytes.
    pub fn is_blanked(&self) -> bool {
        self.digest == Some(BLANKED)
    }

    /// Reads such a name.
    pub fn read(name: &OsStr) -> Option<OldFileName> {
        let name = name.to_str()?;
        let Some(own) = name.strip_prefix('.').and_then(|name| name.strip_suffix(OLD)) else {
            return OldFileName::read_earlier(name);
        };
        let (file, numbers) = own.rsplit_once('.')?;
        let mut parts = numbers.splitn(4, '-');
        let since = parts.next()?.parse().ok()?;
        let taken = parts.next()?.parse().ok()?;
        let number = parts.next()?.parse().ok()?;
        let digest = u128::from_str_radix(parts.next()?, 16).ok()?;
        Some(OldFileName { since, taken, number, digest: Some(digest), file: path_from_text(file) })
    }

    fn read_earlier(name: &str) -> Option<OldFileName> {
        let mut parts = name.strip_prefix(EARLIER_OLD)?.splitn(4, '-');
        let since = parts.next()?.parse().ok()?;
        let taken = parts.next()?.parse().ok()?;
        let number = parts.next()?.parse().ok()?;
        Some(OldFileName { since, taken, number, digest: None, file: path_from_text(parts.next()?) })
    }

    /// The name.
    pub fn name(&self) -> String {
        let OldFileName { since, taken, number, digest, file } = self;
        let file = file.to_text();
        match digest {
            Some(digest) => format!(".{file}.{since}-{taken}-{number}-{digest:032x}{OLD}"),
            None => format!("{EARLIER_OLD}{since}-{taken}-{number}-{file}"),
        }
    }

    /// Whether it says what its file is called: what is too long has something that stands for it.
    fn has_name(&self) -> bool {
        let name = self.file.file_stem().unwrap_or_default().as_encoded_bytes();
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        !(name.len() == 33 && name[0] == b'~' && name[1..].iter().all(is_digit))
    }

    /// Whether that is the name of its file.
    pub fn is_of(&self, name: &Path) -> bool {
        self.file == name || !self.has_name() && stand_in(name) == self.file
    }

    /// The file that took the place of the one whose second name is `path`; `None` where its name is
    /// too long to be kept, and nothing in the folder has it any more.
    pub fn file_of(&self, disk: &dyn Disk, path: &Path) -> io::Result<Option<PathBuf>> {
        if self.has_name() {
            return Ok(Some(path.with_file_name(&self.file)));
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut names = disk.list(folder)?.into_iter().map(|item| PathBuf::from(item.name));
        Ok(names.find(|name| self.is_of(name)).map(|name| path.with_file_name(name)))
    }
}

/// The name by which a file leaves its place, until what came out is known to be the file that
/// was compared. Before the two change places it is the name of our new bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwapFileName {
    /// What is to be under the name.
    pub old: OldFileName,
    /// The inode of our new bytes: what is not that one came out. 0 where the file only goes.
    pub new_inode: u64,
    /// How many bytes those are: what is behind them in that inode others wrote while it was in the
    /// file's place. Names of earlier versions don't say it.
    pub len: Option<u64>,
}

impl SwapFileName {
    /// Reads such a name.
    pub fn read(name: &OsStr) -> Option<SwapFileName> {
        let (rest, last) = name.to_str()?.strip_suffix(TEMP)?.rsplit_once('-')?;
        let last = last.parse().ok()?;
        let old =
            |rest| OldFileName::read(format!("{rest}{OLD}").as_ref()).filter(|old| old.digest.is_some());
        if let Some(old) = old(rest) {
            return Some(SwapFileName { old, new_inode: last, len: None });
        }
        let (rest, own) = rest.rsplit_once('-')?;
        Some(SwapFileName { old: old(rest)?, new_inode: own.parse().ok()?, len: Some(last) })
    }

    /// The name.
    pub fn name(&self) -> String {
        let name = self.old.name();
        let name = name.strip_suffix(OLD).unwrap_or(&name);
        match self.len {
            Some(len) => format!("{name}-{}-{len}{TEMP}", self.new_inode),
            None => format!("{name}-{}{TEMP}", self.new_inode),
        }
    }

    /// The process that made it.
    pub fn process(&self) -> i32 {
        i32::try_from(self.old.number >> 24).unwrap_or_default()
    }
}

/// What stands for a file's name that leaves no room beside it for ours.
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
        assert_eq!((old.taken, old.digest), (3, Some(digest(b"{}\n"))));
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
    fn names_of_earlier_versions_are_still_known() {
        let old = OldFileName::read(OsStr::new(".palimp-old-17-42-9-memory-x.jsonl")).unwrap();
        assert_eq!((old.since, old.taken, old.number, old.digest), (17, 42, 9, None));
        assert_eq!(old.file, Path::new("memory-x.jsonl"));
        assert_eq!(temp_process(OsStr::new(".palimp-tmp-12-0")), Some(12));
        assert!(is_ours(OsStr::new(".palimp-tmp-12-0")) && is_ours(OsStr::new(&old.name())));
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
