//! Files made ready beside their places, and put there.

pub mod append_lines;
pub mod apply_plan;
pub mod apply_progress;
pub mod copy_names;
pub mod create_files;
pub mod equal_records;
pub mod keep_owner;
pub mod line_index;
pub mod rebase_files;
pub mod rebase_splices;
pub mod record_changes;
pub mod record_digests;
pub mod remove_folders;
pub mod replace_file;
pub mod replace_method;
pub mod restore_attributes;
pub mod retry;
pub mod saved_attributes;
pub mod step_folders;
pub mod unterminated_line;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::vault::make_folders_as;
use super::{CommitError, FilesState, Host};
use crate::disk::{Disk, ItemKind, Lookup, WritableFile};
use crate::format::Format;
use crate::model::attributes::FileAttributes;
use crate::model::plan::{change, line_end_for};
use crate::model::snapshot::Generation;
use crate::model::{Act, Bytes, Change};
use crate::store::commit::apply::apply_plan::ApplyProgress;
use crate::store::commit::handover::wait_for_line_end::wait_for_line_end;
use crate::store::hidden_names;

/// Stretches that are shorter are written together.
const BLOCK: usize = 64 << 10;

/// A change on its way.
pub struct StagedChange {
    /// Relative to the store's root.
    pub relative: PathBuf,
    /// The whole path.
    pub path: PathBuf,
    pub(super) derived: bool,
    /// Whether others append to it: their late lines are taken over.
    grows: bool,
    /// Whether nothing is fitted to what others wrote meanwhile.
    exact: bool,
    /// Whether it was given up: it is made anew afterwards.
    dropped: bool,
    pub(super) act: Act,
    pub(super) mode: u32,
    /// What comes back had this.
    pub(super) attributes: Option<Arc<FileAttributes>>,
    /// The file's bytes as the new ones were made of them.
    base: Option<Bytes>,
    /// So many of them the equal records were counted in; none where the change was fitted since.
    pub(super) counted: Option<usize>,
    /// Whether they are those of the plan.
    pub(super) is_as_planned: bool,
    /// The file that was compared with them.
    seen: Option<Generation>,
    /// The new bytes, durable beside the file.
    pub(super) temp: Option<PathBuf>,
    /// The file that holds them.
    made: Option<Generation>,
    /// How long the file was when an agent did not end its line within the time that it was given.
    partial_len: Option<u64>,
}

/// Whether the lock or the file was lost before anything was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostRace {
    Yes,
    No,
}

impl StagedChange {
    /// A change that nothing was done for yet.
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
            attributes: change.attributes.clone(),
            base: change.base.clone(),
            counted: change.base.as_ref().map(|base| base.len()),
            is_as_planned: true,
            seen: None,
            temp: None,
            made: None,
            partial_len: None,
        }
    }

    /// The bytes that the new ones are made of.
    pub(super) fn base(&self) -> Bytes {
        self.base.clone().unwrap_or_default()
    }

    /// Whether it makes what nobody knows yet.
    pub fn is_new(&self) -> bool {
        !self.derived && matches!(self.act, Act::Create(_) | Act::MakeFolder)
    }

    /// The change as it is fitted.
    pub(super) fn change(&self) -> Change {
        let (path, act, base) = (self.relative.clone(), self.act.clone(), self.base.clone());
        Change { path, act, base, mode: self.mode, attributes: None }
    }

    /// Removes what was made ready and not used.
    pub fn drop_temp(&mut self, disk: &dyn Disk) {
        if let Some(temp) = self.temp.take() {
            // A call that failed may succeed at the second try.
            let _ = disk.remove(&temp).or_else(|_| disk.remove(&temp));
        }
    }

    /// Writes the new bytes from where they are held, or read, in as few calls as that takes. Whether all
    /// were there.
    fn write_to(&self, out: &mut dyn WritableFile) -> io::Result<bool> {
        let bytes = match &self.act {
            Act::Create(bytes) => bytes.clone(),
            Act::Splice(splices) => Bytes::spliced(&self.base(), splices.clone()),
            _ => return Ok(true),
        };
        let mut small: Vec<u8> = Vec::new();
        let are_there = bytes.each_block(BLOCK, &mut |block| -> io::Result<()> {
            if small.len() + block.len() <= BLOCK {
                small.extend_from_slice(block);
                return Ok(());
            }
            for whole in [&std::mem::take(&mut small)[..], block] {
                if !whole.is_empty() {
                    out.write(whole)?
                }
            }
            Ok(())
        })?;
        if !small.is_empty() {
            out.write(&small)?;
        }
        Ok(are_there)
    }

    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// The mode of folders that are made to hold it.
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

    /// Whether lines that came behind the base leave what is spliced alone: a splice that
    /// reaches an unfinished last line, or leaves one, is about that line.
    fn may_grow(&self) -> bool {
        let base = self.base();
        let Act::Splice(splices) = &self.act else { return false };
        let whole = |lines: &[u8]| lines.is_empty() || lines.ends_with(b"\n");
        let Some(last) = splices.last() else { return true };
        let has_end = line_end_for(&base).is_empty();
        last.end() < base.len() as u64 || has_end && whole(&last.becomes)
    }

    fn conflict(&self, found: Option<Vec<u8>>) -> CommitError {
        let planned = self.base().to_vec();
        CommitError::Conflict { file: self.path.clone(), planned, found, files: FilesState::Untouched }
    }
}

/// Where changes are carried out, and what came of them so far.
pub struct ApplyContext<'a, 'c> {
    pub host: Host<'a>,
    /// The locks that are held.
    pub locks: Vec<PathBuf>,
    /// Whether what is replaced has to be as it was shown.
    pub exact: bool,
    pub carried: &'c mut ApplyProgress,
}

impl ApplyContext<'_, '_> {
    /// From here on the file may be changed.
    pub(super) fn begin(&mut self, own: &StagedChange) {
        self.carried.began |= !own.derived;
        self.carried.began_there |= !own.derived && !own.is_new();
        self.carried.began_derived |= own.derived;
    }

    /// The length of a file that is there.
    pub fn len(&self, path: &Path) -> Result<Option<u64>, CommitError> {
        let item = Lookup::from(self.host.disk.look(path)).optional();
        Ok(item.map_err(|error| CommitError::unread(path, error))?.map(|item| item.generation.len))
    }

    /// Waits, before a lock is taken, for an agent in the middle of a line.
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
            // What had a mode gets it back with its owner.
            Act::Create(_) if own.attributes.is_some() => (Some(change::PRIVATE_MODE), None),
            Act::Create(_) => (Some(own.mode).filter(|mode| *mode != change::SHARED_MODE), None),
            Act::Splice(_) => {
                let item = disk.look(&own.path).map_err(own.io("read"))?;
                if item.link.is_some() || item.kind != ItemKind::File {
                    let what = "it is a link, or not a regular file: palimp does not write to it";
                    return Err(CommitError::NotWritten { file: own.path.clone(), what });
                }
                (Some(item.mode), Some(item.owner))
            }
            _ => return Ok(()),
        };
        let temp = hidden_names::temp_path(&own.path, self.host.machine.own_process());
        let mut write = |own: &mut StagedChange| {
            // What is shared follows the umask; what is there keeps its mode.
            let created = disk.create(&temp, if mode.is_some() { change::PRIVATE_MODE } else { own.mode });
            let mut out = created.map_err(own.io("written"))?;
            own.temp = Some(temp.clone());
            if let Some(owner) = owner {
                crate::store::commit::apply::keep_owner::keep_owner(disk, own, out.as_mut(), owner)?;
            }
            if let Some(mode) = mode.filter(|mode| *mode != change::PRIVATE_MODE) {
                out.set_mode(mode).map_err(own.io("written"))?;
            }
            if let Some(had) = own.attributes.clone() {
                self.restore_attributes(own, &temp, out.as_mut(), &had);
            }
            let are_there = own.write_to(out.as_mut()).map_err(own.io("written"))?;
            if are_there {
                out.sync().map_err(own.io("written"))?;
                own.made = Some(out.generation().map_err(own.io("written"))?);
            }
            Ok(are_there)
        };
        let outcome = write(own);
        if !matches!(outcome, Ok(true)) {
            // A disk may say of what it has made that it failed. Where the file changed of which the new
            // bytes are made, they are made anew of what it is then.
            own.temp = Some(temp);
            own.drop_temp(disk);
        }
        outcome.map(drop)
    }

    /// Puts everything in place, under the lock. Copies are durable before anything goes.
    pub fn apply(
        &mut self,
        ready: &mut [StagedChange],
        is_ours: &dyn Fn() -> bool,
    ) -> Result<LostRace, CommitError> {
        let mut pending: Option<PathBuf> = None;
        // Of these: what was done under other locks before is no reason not to look.
        let mut began = false;
        // Whether what is pending is the name of a file that lines were copied to.
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
                        match self.stop(own, began)? {
                            LostRace::Yes => return Ok(LostRace::Yes),
                            LostRace::No => continue,
                        }
                    }
                    pending = Some(own.folder().to_owned());
                }
                Act::RemoveFolder => self.remove_folder(own)?,
                // One that stays is one too many, and no reason to fail.
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

    /// Where the lock or the file was lost: what is derived is made anew afterwards, anything
    /// else begins again, or is taken back where a part of it was made.
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
        match pending.take() {
            Some(folder) => self.host.disk.sync_folder(&folder).map_err(own.io("made durable")),
            None => Ok(()),
        }
    }
}
