//! Prepares new files beside their places, and puts them there.

pub mod append_lines;
pub mod apply_plan;
pub mod create_files;
pub mod inverse_change;
pub mod line_index;
pub mod owner_and_mode;
pub mod ready_plan;
pub mod rebase_files;
pub mod rebase_splices;
pub mod record_digests;
pub mod replace_file;
pub mod step_folders;
pub mod unterminated_line;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use super::{CommitError, FilesState};
use crate::disk::host::Host;
use crate::disk::{Disk, ItemKind, Owner, WritableFile, optional};
use crate::format::Format;
use crate::model::plan::{change, line_end_for};
use crate::model::snapshot::Generation;
use crate::model::{Act, Bytes, Change};
use crate::store::hidden_names;
use crate::store::steps::make_folders_as;
use crate::store::write::apply::replace_file::ReplacedFile;
use crate::store::write::handover::wait_for_line_end::wait_for_line_end;

/// The size of one write, in bytes: smaller pieces are collected up to it.
const BLOCK: usize = 64 << 10;

/// A change that is being prepared or applied.
#[derive(Clone)]
pub struct StagedChange {
    /// The path relative to the store's root.
    pub relative: PathBuf,
    pub path: PathBuf,
    pub(super) derived: bool,
    /// True if other programs append to it: their late lines are taken over.
    grows: bool,
    /// True if the format forbids to adapt the change to what others wrote since.
    exact: bool,
    /// True if it was given up: the file is rebuilt afterwards.
    dropped: bool,
    pub(super) act: Act,
    pub(super) mode: u32,
    /// The owner that the file had before it was removed, to be restored with its mode.
    pub(super) owner: Option<Owner>,
    /// The file's bytes that the new bytes are based on.
    base: Option<Bytes>,
    /// The length of the base in which equal records were counted; none if the change was rebased since.
    pub(super) counted: Option<usize>,
    /// True if the base is still the base of the plan.
    pub(super) is_as_planned: bool,
    /// The file that was compared with the base.
    seen: Option<Generation>,
    /// The temporary file with the new bytes, durable beside the file.
    pub(super) temp: Option<PathBuf>,
    /// The state of the temporary file after it was written.
    made: Option<Generation>,
    /// The file's length if an agent did not end its line within the waiting time.
    partial_len: Option<u64>,
}

/// The loss of the lock or the file to another program before anything was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostRace {
    Yes,
    No,
}

impl StagedChange {
    pub fn of(change: &Change, derived: bool, format: &dyn Format, path: PathBuf) -> StagedChange {
        StagedChange {
            relative: change.path.clone(),
            path,
            derived,
            grows: format.is_append_log(&change.path),
            exact: format.forbids_rebase(&change.path),
            dropped: false,
            act: change.act.clone(),
            mode: change.mode,
            owner: change.owner,
            base: change.base.clone(),
            counted: change.base.as_ref().map(|base| base.len()),
            is_as_planned: true,
            seen: None,
            temp: None,
            made: None,
            partial_len: None,
        }
    }

    pub(super) fn base(&self) -> Bytes {
        self.base.clone().unwrap_or_default()
    }

    /// True if it creates a file or folder that no other program knows yet.
    pub fn is_new(&self) -> bool {
        !self.derived && matches!(self.act, Act::Create(_) | Act::MakeFolder)
    }

    /// Returns the change as adapted so far, without its owner.
    pub(super) fn change(&self) -> Change {
        let (path, act, base) = (self.relative.clone(), self.act.clone(), self.base.clone());
        Change { path, act, base, mode: self.mode, owner: None }
    }

    /// Removes the temporary file if it was not used.
    pub fn drop_temp(&mut self, disk: &dyn Disk) {
        if let Some(temp) = self.temp.take() {
            // A call that failed may succeed at the second try.
            let _ = disk.remove(&temp).or_else(|_| disk.remove(&temp));
        }
    }

    /// Writes the new bytes in as few calls as possible.
    fn write_to(&self, out: &mut dyn WritableFile) -> io::Result<()> {
        let bytes = match &self.act {
            Act::Create(bytes) => bytes.clone(),
            Act::Splice(splices) => Bytes::spliced(&self.base(), splices.clone()),
            _ => return Ok(()),
        };
        let mut small: Vec<u8> = Vec::new();
        for slice in bytes.slices().unwrap_or_default() {
            if small.len() + slice.len() <= BLOCK {
                small.extend_from_slice(slice);
                continue;
            }
            for whole in [&std::mem::take(&mut small)[..], slice] {
                if !whole.is_empty() {
                    out.write(whole)?
                }
            }
        }
        if small.is_empty() { Ok(()) } else { out.write(&small) }
    }

    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    pub(super) fn folder_mode(&self) -> u32 {
        if self.mode == change::SHARED_MODE { 0o777 } else { 0o700 }
    }

    pub(super) fn io(&self, stage: &'static str) -> impl Fn(io::Error) -> CommitError + use<> {
        let path = self.path.clone();
        move |source| CommitError::io(&path, stage, source)
    }

    pub(super) fn moved(&self, what: &'static str) -> CommitError {
        CommitError::Moved { file: self.path.clone(), what, files: FilesState::Untouched }
    }

    /// True if lines appended to the base do not affect the splices. A splice that reaches or
    /// leaves an unfinished last line depends on that line.
    fn may_grow(&self) -> bool {
        let base = self.base();
        let Act::Splice(splices) = &self.act else { return false };
        let whole = |lines: &[u8]| lines.is_empty() || lines.ends_with(b"\n");
        let Some(last) = splices.last() else { return true };
        let has_end = line_end_for(&base).is_empty();
        last.end() < base.len() as u64 || has_end && whole(&last.becomes)
    }
}

/// How far a plan was applied, and what happened.
#[derive(Default)]
pub struct ApplyProgress {
    /// The files with memories that were changed, or may have been, and whether another program's is in their place.
    pub began: HashMap<PathBuf, LostRace>,
    /// True if one of them existed before.
    pub began_there: bool,
    /// The same for a derived file.
    pub began_derived: bool,
    /// New files and folders that were made before a lock was taken.
    pub created: Vec<CreatedItem>,
    /// True if derived files must be rebuilt, because files were not as planned.
    pub derive: bool,
    /// True if other programs wrote to a file at the same time.
    pub met_others: bool,
    /// The changed files, relative to the root.
    pub touched: Vec<PathBuf>,
    /// Replaced files that don't have their second names yet, by the names that they have.
    pub unnamed: Vec<(PathBuf, ReplacedFile)>,
    /// The second names of replaced files.
    pub replaced: Vec<ReplacedFile>,
    /// Bytes added to a file (full path) that split a line another program was just writing.
    pub splitting: Vec<(PathBuf, Vec<u8>)>,
    /// How the outcome differs from the plan.
    pub notes: Vec<String>,
    /// Owners and modes that restored files and folders did not get back.
    pub lacking: LostOwners,
    /// Files to which lines were added, and that are made durable once the lock is released.
    pub not_durable: Vec<PathBuf>,
    /// Lengths, before and after, of files that others changed since the plan was made.
    pub changed_lens: Vec<(PathBuf, u64, u64)>,
}

/// A new file with its bytes, or a new folder, that was made before a lock was taken.
pub struct CreatedItem {
    path: PathBuf,
    bytes: Option<Bytes>,
}

/// Owners and modes that could not be restored, with the files and folders that lack them.
pub type LostOwners = BTreeMap<String, Vec<PathBuf>>;

/// The surroundings of the changes that are applied, and their progress.
pub struct ApplyContext<'a, 'c> {
    pub host: Host<'a>,
    /// True if replaced files must be as they were shown.
    pub exact: bool,
    /// True if all changes under the lock only add lines.
    pub only_adds: bool,
    pub carried: &'c mut ApplyProgress,
}

impl ApplyContext<'_, '_> {
    /// Notes that the file may be changed from here on.
    pub(super) fn begin(&mut self, own: &StagedChange) {
        if !own.derived {
            self.carried.began.insert(own.relative.clone(), LostRace::No);
        }
        self.carried.began_there |= !own.derived && !own.is_new();
        self.carried.began_derived |= own.derived;
    }

    /// Returns the length of a file, or `None` if it does not exist.
    pub fn len(&self, path: &Path) -> Result<Option<u64>, CommitError> {
        let item = optional(self.host.disk.look(path)).map_err(|error| CommitError::unread(path, error))?;
        Ok(item.map(|item| item.generation.len))
    }

    /// Waits, before a lock is taken, for an agent that is in the middle of a line.
    pub fn wait_for_line_end(&self, own: &mut StagedChange) {
        if own.grows && !own.derived && !own.dropped {
            own.partial_len = wait_for_line_end(self.host, &own.path);
        }
    }

    /// Writes the new bytes beside the file, durably.
    pub fn prepare(&mut self, own: &mut StagedChange) -> Result<(), CommitError> {
        if own.temp.is_some() || own.dropped {
            return Ok(());
        }
        let disk = self.host.disk;
        if matches!(own.act, Act::Create(_)) && !own.derived {
            make_folders_as(disk, own.folder(), own.folder_mode()).map_err(own.io("made"))?;
        }
        let (mode, owner) = match &own.act {
            // A restored file gets its mode and owner below.
            Act::Create(_) if own.owner.is_some() => (Some(change::PRIVATE_MODE), None),
            Act::Create(_) => (Some(own.mode).filter(|mode| *mode != change::SHARED_MODE), None),
            Act::Splice(_) => {
                let item = disk.look(&own.path).map_err(own.io("read"))?;
                if item.link.is_some() || item.kind != ItemKind::File {
                    let what = "it is a link, or not a regular file: palimp does not write to it";
                    return Err(CommitError::NotWritten(own.path.clone(), what));
                }
                (Some(item.mode_without_list()), Some(item.owner))
            }
            _ => return Ok(()),
        };
        let temp = hidden_names::temp_path(&own.path, self.host.machine.own_process());
        let mut write = |own: &mut StagedChange| {
            // A shared file follows the umask. An existing file keeps its mode.
            let created = disk.create(&temp, if mode.is_some() { change::PRIVATE_MODE } else { own.mode });
            let mut out = created.map_err(own.io("written"))?;
            own.temp = Some(temp.clone());
            if let Some(owner) = owner {
                owner_and_mode::keep_owner(disk, own, out.as_mut(), owner)?;
            }
            if let Some(mode) = mode.filter(|mode| *mode != change::PRIVATE_MODE) {
                out.set_mode(mode).map_err(own.io("written"))?;
            }
            if let Some(owner) = own.owner {
                self.give_back(own, &temp, out.as_mut(), owner);
            }
            own.write_to(out.as_mut()).map_err(own.io("written"))?;
            out.sync().map_err(own.io("written"))?;
            own.made = Some(out.generation().map_err(own.io("written"))?);
            Ok(())
        };
        let outcome = write(own);
        if outcome.is_err() {
            // A disk may create a file and still report an error.
            own.temp = Some(temp);
            own.drop_temp(disk);
        }
        outcome
    }

    /// Puts all files in place, under the lock. Copies are durable before anything is removed.
    pub fn apply(
        &mut self,
        ready: &mut [StagedChange],
        is_ours: &dyn Fn() -> bool,
    ) -> Result<LostRace, CommitError> {
        let outcome = self.apply_each(ready, is_ours);
        self.name_replaced();
        outcome
    }

    fn apply_each(
        &mut self,
        ready: &mut [StagedChange],
        is_ours: &dyn Fn() -> bool,
    ) -> Result<LostRace, CommitError> {
        let mut pending: Option<PathBuf> = None;
        // Counts only changes under this lock: changes under earlier locks don't forbid a new try.
        let mut began = false;
        // True if the pending folder has the name of a file to which lines were copied.
        let mut named = false;
        for own in ready.iter_mut().filter(|own| !own.dropped) {
            if !is_ours() {
                match self.stop(own, began)? {
                    LostRace::Yes => return Ok(LostRace::Yes),
                    LostRace::No => continue,
                }
            }
            let other_folder = pending.as_deref().is_some_and(|folder| folder != own.folder());
            let replaces = named && !own.derived && matches!(own.act, Act::Splice(_));
            if other_folder || replaces || matches!(own.act, Act::Remove(_) | Act::RemoveFolder) {
                self.settle(&mut pending, own)?;
                named = false;
            }
            match own.act.clone() {
                Act::Append(lines) => {
                    if self.append(own, &lines)? {
                        named = true;
                        pending = Some(own.folder().to_owned());
                    }
                }
                Act::Splice(_) | Act::Remove(_) => {
                    if self.replace(own, is_ours)? == LostRace::Yes {
                        if let Some(lost) = self.carried.began.get_mut(&own.relative) {
                            *lost = LostRace::Yes;
                        }
                        match self.stop(own, began)? {
                            LostRace::Yes => return Ok(LostRace::Yes),
                            LostRace::No => continue,
                        }
                    }
                    pending = Some(own.folder().to_owned());
                }
                Act::RemoveFolder => self.remove_folder(own)?,
                // A copy that stays is one extra: no reason to fail.
                Act::Expire(_) if own.seen.is_some() => drop(self.replace(own, is_ours)),
                Act::Expire(_) => {}
                Act::Create(_) | Act::MakeFolder => drop(self.make(own)?),
            }
            began = true;
        }
        match ready.last() {
            Some(last) => self.settle(&mut pending, last).map(|()| LostRace::No),
            None => Ok(LostRace::No),
        }
    }

    /// Handles the loss of the lock or the file. If nothing was changed, all begins again. Else a
    /// derived file is rebuilt afterwards, and any other change fails and is undone.
    fn stop(&mut self, own: &mut StagedChange, began: bool) -> Result<LostRace, CommitError> {
        if !began {
            return Ok(LostRace::Yes);
        }
        if !own.derived {
            return Err(own.moved("its lock was lost, or another program wrote to it or replaced it"));
        }
        own.drop_temp(self.host.disk);
        own.dropped = true;
        self.carried.derive = true;
        Ok(LostRace::No)
    }

    fn settle(&self, pending: &mut Option<PathBuf>, own: &StagedChange) -> Result<(), CommitError> {
        let synced = pending.take().map_or(Ok(()), |folder| self.host.disk.sync_folder(&folder));
        synced.map_err(own.io("made durable"))
    }

    /// Makes the removal of released locks durable if files were removed. Otherwise a power cut
    /// could bring back a folder of locks.
    pub fn tidy(&self, ready: &[StagedChange]) {
        let went = ready.iter().filter(|own| matches!(own.act, Act::Remove(_))).map(StagedChange::folder);
        let went: BTreeSet<&Path> = went.collect();
        went.iter().for_each(|folder| drop(self.host.disk.sync_folder(folder)));
    }

    /// Removes a folder. If it is not empty, it is tried again after everything else.
    pub(super) fn remove_folder(&mut self, own: &StagedChange) -> Result<(), CommitError> {
        self.begin(own);
        match self.host.disk.remove_folder(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            outcome => {
                outcome.map_err(own.io("removed"))?;
                self.host.disk.sync_folder(own.folder()).map_err(own.io("made durable"))
            }
        }
    }
}
