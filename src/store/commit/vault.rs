//! Our own data about a store: the journal, what undo needs, drafts, backups, quarantine.
//!
//! One folder a store, in the user's data folder or where `--data-dir` says, never in the
//! store. The journal holds numbers and names of files and no content; what undo needs is
//! content, stands in a file a step, and goes after 30 days or 256 MB.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::CommitError;
use super::keeping::{NEW, STEP};
use super::short;
use super::step::{Step, digest};
use crate::disk::{Disk, ItemKind, Seen};
use crate::model::Tell;
use crate::model::plan::PRIVATE;

/// What was done to the store, a step a line.
const JOURNAL: &str = "journal.jsonl";

/// What a line of the journal says of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Relative to the store's root.
    #[serde(with = "crate::model::told::serde_path")]
    pub path: PathBuf,
    /// `create`, `rewrite`, `append` or `remove`.
    pub change: String,
    /// Its length before.
    pub bytes_before: u64,
    /// Its length afterwards.
    pub bytes_after: u64,
}

/// What a step took back or did again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// It took that step back.
    Undo(u64),
    /// It did that step again.
    Redo(u64),
}

/// A line of the journal: a step that was done. It holds no content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalLine {
    /// Its number, from 1.
    pub step: u64,
    /// When it was done.
    pub at: String,
    /// The verb.
    pub verb: String,
    /// How many records it concerned.
    pub records: u64,
    /// The files that it changed.
    #[serde(serialize_with = "short::put_files", deserialize_with = "short::take_files")]
    pub files: Vec<FileLine>,
    /// What it took back or did again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<Turn>,
    /// The ids of what it erased: of that nothing else is left to name it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ids: Vec<String>,
    /// The store's format: a store that a step emptied is known by it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub format: String,
    /// The change of several stores of which it is a part: its other parts have the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<String>,
    /// Whether all that it derived is what its plan said: then nothing else was made anew.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub as_planned: bool,
    /// What held the files that were replaced, where the file system can't exchange them: `link`
    /// or `copy`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guard: Option<String>,
}

/// The folder of one store.
pub struct Vault<'a> {
    disk: &'a dyn Disk,
    folder: PathBuf,
    root: PathBuf,
    /// The last number that a step has had, where nobody else can give any.
    last: Cell<Option<u64>>,
}

impl<'a> Vault<'a> {
    /// The folder of the store at `root` below `data`, made if it is not there (0700).
    pub fn open(disk: &'a dyn Disk, data: &Path, root: &Path) -> Result<Vault<'a>, CommitError> {
        let vault = Vault::look(disk, data, root);
        vault.make(&vault.folder)?;
        Ok(vault)
    }

    /// The same, without making anything.
    pub fn look(disk: &'a dyn Disk, data: &Path, root: &Path) -> Vault<'a> {
        Vault { disk, folder: folder_of(disk, data, root), root: root.to_owned(), last: Cell::new(None) }
    }

    /// From now on nobody else gives numbers: that was the last.
    pub(super) fn begin_at(&self, last: u64) {
        self.last.set(Some(last));
    }

    /// The disk that it stands on.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// A folder within it, made with those that lead to it.
    pub fn folder(&self, name: &str) -> Result<PathBuf, CommitError> {
        let folder = self.folder.join(name);
        self.make(&folder)?;
        Ok(folder)
    }

    /// Where something of that name stands in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn make(&self, folder: &Path) -> Result<(), CommitError> {
        make_folders(self.disk, folder).map_err(|source| CommitError::own_data(folder, source))
    }

    /// The lines of the journal, in order. A torn last line is one that a crash cut: its step is
    /// found by its own file.
    ///
    /// # Errors
    ///
    /// If it is there and can't be read: it is not empty then.
    pub fn journal(&self) -> Result<Vec<JournalLine>, CommitError> {
        let bytes = self.own(&self.path(JOURNAL))?.unwrap_or_default();
        let mut lines = lines_of(&bytes);
        let lost: Vec<JournalLine> = self.lost(&bytes, &lines)?.into_iter().map(|(_, line)| line).collect();
        lines.extend(lost);
        lines.sort_by_key(|line| line.step);
        lines.dedup_by_key(|line| line.step);
        Ok(lines)
    }

    /// What is to be told of lines of the journal that are damaged: a sentence each.
    pub(super) fn damaged(&self) -> Result<Vec<String>, CommitError> {
        let path = self.path(JOURNAL);
        let bytes = self.own(&path)?.unwrap_or_default();
        let told = |(number, line): (usize, JournalLine)| {
            let (path, step) = (path.told(), line.step);
            format!(
                "line {number} of {path} is damaged: step {step} is known only by its undo data, and is left alone"
            )
        };
        Ok(self.lost(&bytes, &lines_of(&bytes))?.into_iter().map(told).collect())
    }

    /// What lines said that are damaged, as far as what takes their steps back says it, with the
    /// lines' numbers. The last line, where it has no end, is one that a crash cut: its step is
    /// settled. A step before it that no line names was settled, and is left alone.
    fn lost(&self, bytes: &[u8], lines: &[JournalLine]) -> Result<Vec<(usize, JournalLine)>, CommitError> {
        let whole = &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)];
        let is_damaged = |(_, line): &(usize, &[u8])| {
            !line.trim_ascii().is_empty() && serde_json::from_slice::<JournalLine>(line).is_err()
        };
        let named = |line: &[u8]| lines.iter().any(|own| line.starts_with(&start_of(own.step)));
        let damaged = (1..).zip(whole.split(|byte| *byte == b'\n')).filter(is_damaged);
        // One that a crash had cut, and whose step was settled after it, says nothing more.
        let damaged: Vec<(usize, &[u8])> = damaged.filter(|(_, line)| !named(line)).collect();
        if damaged.is_empty() {
            return Ok(Vec::new());
        }
        let steps = self.steps()?.into_iter().filter(|step| lines.iter().all(|line| line.step != *step));
        let lost = steps.filter_map(|step| {
            let last = lines.last().map_or(0, |line| line.step);
            let by_name = damaged.iter().find(|(_, line)| line.starts_with(&start_of(step)));
            let (number, _) = by_name.or(damaged.first().filter(|_| step < last))?;
            Some((*number, step))
        });
        let named = |(number, step): (usize, u64)| {
            let own = self.step(step)?.map(|own| (number, line_of_step(step, &own)));
            Ok(own)
        };
        let lost = lost.map(named).filter_map(Result::transpose);
        lost.collect()
    }

    /// The format of the store, as the last step that names it does; `None` where none does.
    ///
    /// # Errors
    ///
    /// If the journal can't be read.
    pub fn format(&self) -> Result<Option<String>, CommitError> {
        let named = |line: JournalLine| Some(line.format).filter(|format| !format.is_empty());
        Ok(self.journal()?.into_iter().rev().find_map(named))
    }

    /// Adds a line to the journal, durably.
    pub fn write(&self, line: &JournalLine) -> Result<(), CommitError> {
        let path = self.path(JOURNAL);
        let failed = |source| CommitError::own_data(&path, source);
        let mut bytes = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        append(self.disk, &path, &bytes).map_err(failed)
    }

    /// The numbers of the steps that can still be taken back, ascending.
    ///
    /// # Errors
    ///
    /// If it can't be told which are there.
    pub fn steps(&self) -> Result<Vec<u64>, CommitError> {
        Ok(self.numbered()?.iter().filter(|own| own.end == STEP).map(|own| own.number).collect())
    }

    /// A number that no step has had. Who alone may write here reads them once.
    pub fn next_step(&self) -> Result<u64, CommitError> {
        let last = match self.last.get() {
            Some(last) => last,
            None => {
                let numbered = self.numbered()?.last().map_or(0, |own| own.number);
                numbered.max(self.journal()?.last().map_or(0, |line| line.step))
            }
        };
        let next = 1 + last.max(self.erasing()?.map_or(0, |entry| entry.step));
        self.last.set(self.last.get().map(|_| next));
        Ok(next)
    }

    /// Whether a change was cut short: a step that the journal does not know, or an erasure.
    ///
    /// # Errors
    ///
    /// If that can't be told: something may be pending then.
    pub fn is_unfinished(&self) -> Result<bool, CommitError> {
        let steps = self.steps()?;
        let known: HashSet<u64> = if steps.is_empty() {
            HashSet::new()
        } else {
            self.journal()?.iter().map(|line| line.step).collect()
        };
        let is_cut = steps.iter().any(|step| !known.contains(step));
        Ok(is_cut || self.erasing()?.is_some() || !self.pending()?.is_empty())
    }

    pub(super) fn step_path(&self, number: u64) -> PathBuf {
        self.undo_path(number, STEP)
    }

    pub(super) fn undo_path(&self, number: u64, end: &str) -> PathBuf {
        self.path("undo").join(format!("{number:06}.{end}"))
    }

    /// Keeps what takes a step back, durably, before the step is done. Where it is kept anew,
    /// one of the two is there at any moment.
    pub fn keep(&self, number: u64, step: &Step) -> Result<(), CommitError> {
        let folder = self.folder("undo")?;
        let path = self.step_path(number);
        let beside = self.undo_path(number, NEW);
        let failed = |source| CommitError::own_data(&path, source);
        let _ = self.disk.remove(&beside);
        let bytes = step.to_bytes();
        self.make_room(number, bytes.len() as u64)?;
        let put = || {
            let mut file = self.disk.create(&beside, PRIVATE)?;
            file.write(&bytes)?;
            file.sync()?;
            self.disk.rename(&beside, &path)
        };
        // It holds content: a part of it stays no longer than the whole would.
        put().inspect_err(|_| drop(self.disk.remove(&beside))).map_err(failed)?;
        self.disk.sync_folder(&folder).map_err(failed)
    }

    /// What takes a step back; `None` where it is gone, or was cut short by a crash.
    pub fn step(&self, number: u64) -> Result<Option<Step>, CommitError> {
        let path = self.step_path(number);
        match self.disk.read(&path, 0, None) {
            Ok((bytes, _)) => {
                let failed = RefCell::new(None);
                let step = Step::read(&bytes, &|file, made| {
                    let fail = |error| drop(failed.replace(Some(CommitError::unread(file, error))));
                    self.made(file, made).map_err(fail).unwrap_or_default()
                });
                failed.into_inner().map_or(Ok(step), Err)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommitError::unread(&path, error)),
        }
    }

    /// The bytes of a file of the store that a step made with that digest; where it is another
    /// by now, bytes that it does not have. One that can't be read is not another.
    fn made(&self, file: &Path, made: &str) -> io::Result<Vec<u8>> {
        let read = Seen::from(self.disk.read(&self.root.join(file), 0, None)).there()?;
        let mut bytes = read.map(|(bytes, _)| bytes).unwrap_or_default();
        if digest(&bytes) != made {
            bytes.push(0);
        }
        Ok(bytes)
    }
}

fn lines_of(bytes: &[u8]) -> Vec<JournalLine> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// How the line of a step begins.
fn start_of(step: u64) -> Vec<u8> {
    format!("{{\"step\":{step},").into_bytes()
}

/// What the journal would say of a step, but for the lengths of its files.
fn line_of_step(number: u64, step: &Step) -> JournalLine {
    JournalLine {
        step: number,
        at: step.at.clone(),
        verb: step.verb.clone(),
        records: step.records,
        files: Vec::new(),
        turn: step.turn,
        ids: Vec::new(),
        format: String::new(),
        change: step.change.clone(),
        as_planned: false,
        guard: None,
    }
}

/// A store is known by the way that leads to it from our data: both can be moved together, as
/// with a home that gets another name, or be brought back elsewhere.
fn folder_of(disk: &dyn Disk, data: &Path, root: &Path) -> PathBuf {
    let way = way_to(&real_of(disk, data), &real_of(disk, root));
    let bytes = way.as_os_str().as_encoded_bytes();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    data.join("stores").join(format!("{hash:016x}"))
}

/// The path without links, also where its last folders are not there yet.
pub(super) fn real_of(disk: &dyn Disk, path: &Path) -> PathBuf {
    let real = |folder: &Path| {
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        disk.real_path(named).ok()
    };
    let there = path.ancestors().find_map(|folder| Some((real(folder)?, folder)));
    match there {
        Some((real, folder)) => match path.strip_prefix(folder) {
            Ok(rest) if rest.as_os_str().is_empty() => real,
            Ok(rest) => real.join(rest),
            Err(_) => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

/// The relative path from a folder to another.
pub(super) fn way_to(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(from, to)| from == to).count();
    let up = from.components().skip(shared).map(|_| "..");
    up.map(PathBuf::from).chain(to.components().skip(shared).map(|part| part.as_os_str().into())).collect()
}

/// Makes a private folder and those that lead to it, each durably.
pub fn make_folders(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    make_folders_as(disk, folder, 0o700)
}

/// The same with another mode, of which the umask takes away.
pub fn make_folders_as(disk: &dyn Disk, folder: &Path, mode: u32) -> io::Result<()> {
    match disk.look(folder) {
        Ok(item) if item.kind == ItemKind::Folder => return Ok(()),
        Ok(_) => return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is no folder there")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        make_folders_as(disk, parent, mode)?;
    }
    match disk.make_folder(folder, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        outcome => outcome?,
    }
    parent.map_or(Ok(()), |parent| disk.sync_folder(parent))
}

/// Adds bytes to a file of our own, durably; makes it if it is absent.
fn append(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, made) = match disk.append(path) {
        Ok(file) => (file, false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (disk.create(path, PRIVATE)?, true),
        Err(error) => return Err(error),
    };
    let len = file.generation()?.len;
    let glued = len > 0 && disk.read(path, len - 1, Some(1))?.0 != b"\n";
    let line = if glued { [b"\n", bytes].concat() } else { bytes.to_vec() };
    file.write(&line)?;
    file.sync()?;
    match path.parent() {
        Some(folder) if made => disk.sync_folder(folder),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Real;

    fn name_in(home: &Path) -> PathBuf {
        let folder = folder_of(&Real, &home.join("share/palimp"), &home.join("project/memory"));
        folder.strip_prefix(home).expect("below the data folder").to_owned()
    }

    #[test]
    fn a_store_that_moves_with_our_data_keeps_its_journal() {
        let desk = tempfile::tempdir().expect("a folder");
        let (one, other) = (desk.path().join("one"), desk.path().join("other"));
        std::fs::create_dir_all(one.join("project/memory")).expect("a store");
        let before_there_is_data = name_in(&one);
        std::fs::create_dir_all(one.join("share/palimp")).expect("a data folder");
        assert_eq!(name_in(&one), before_there_is_data);
        std::fs::rename(&one, &other).expect("moved");
        assert_eq!(name_in(&other), before_there_is_data);
    }

    #[test]
    fn two_stores_have_two_journals_and_a_link_leads_to_the_one_of_its_store() {
        let desk = tempfile::tempdir().expect("a folder");
        let at = |name: &str| desk.path().join(name);
        std::fs::create_dir_all(at("a/memory")).expect("a store");
        std::fs::create_dir_all(at("b/memory")).expect("a store");
        std::os::unix::fs::symlink(at("a"), at("c")).expect("a link");
        let folder = |root: &str| folder_of(&Real, &at("data"), &at(root));
        assert_ne!(folder("a/memory"), folder("b/memory"));
        assert_eq!(folder("a/memory"), folder("c/memory"));
    }
}
