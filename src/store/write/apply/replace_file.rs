//! Replaces and removes files without loss of what others write at the same moment: the old file
//! keeps a name of ours until it is known to be the one that was compared.

use std::io;
use std::path::{Path, PathBuf};

use super::{ApplyContext, LostRace, StagedChange};
use crate::disk::host::Host;
use crate::disk::{Disk, is_absent, is_unsupported, optional, put_new};
use crate::model::snapshot::Generation;
use crate::model::{Act, Bytes};
use crate::store::CommitError;
use crate::store::hidden_names::{OldFileName, SwapFileName};

impl ApplyContext<'_, '_> {
    /// Puts the new bytes in the file's place, or removes the file. If it is not the file that was
    /// compared, it stays or is restored.
    pub(super) fn replace(
        &mut self,
        own: &mut StagedChange,
        is_ours: &dyn Fn() -> bool,
    ) -> Result<LostRace, CommitError> {
        let is_gone = matches!(own.act, Act::Remove(_) | Act::Expire(_));
        let machine = self.host.machine;
        let old = OldFileName::of(&own.path, &own.base(), machine.now(), machine.own_process());
        let made = own.made.filter(|_| !is_gone);
        let swapped =
            SwapFileName { old, new_inode: made.map_or(0, |own| own.inode), len: made.map(|own| own.len) };
        if is_gone {
            return if is_ours() { self.take_away(own, &swapped) } else { Ok(LostRace::Yes) };
        }
        let Some(temp) = own.temp.clone() else { return Ok(LostRace::No) };
        let name = own.path.with_file_name(swapped.name());
        self.host.disk.rename(&temp, &name).map_err(|source| {
            own.drop_temp(self.host.disk);
            own.temp = Some(name.clone());
            own.drop_temp(self.host.disk);
            CommitError::io(&own.path, "replaced", source)
        })?;
        own.temp = Some(name.clone());
        if !is_ours() {
            return Ok(LostRace::Yes);
        }
        match self.host.disk.exchange(&name, &own.path) {
            Ok(()) => {
                own.temp = None;
                self.begin(own);
                self.judge(own, &name, &swapped)
            }
            Err(error) if is_unsupported(&error) => self.replace_by_rename(own, &name, &swapped),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(LostRace::Yes),
            Err(error) => {
                // A network disk may report this error though the exchange succeeded.
                if !own.is_at(self.host.disk, &name).unwrap_or(false) {
                    own.temp = None;
                    self.begin(own);
                }
                Err(CommitError::io(&own.path, "replaced", error))
            }
        }
    }

    /// Checks the file that was replaced, and restores it if it is not the one that was compared.
    fn judge(
        &mut self,
        own: &mut StagedChange,
        name: &Path,
        swapped: &SwapFileName,
    ) -> Result<LostRace, CommitError> {
        let disk = self.host.disk;
        if !own.is_other(disk, name).map_err(own.io("read"))? {
            drop(self.settled(own, name, swapped));
            return Ok(LostRace::No);
        }
        match disk.exchange(name, &own.path) {
            Ok(()) if own.is_at(disk, name).map_err(own.io("put back"))? => self.watch_ours(own, name),
            Ok(()) => {
                // Another program replaced our file. Its file stays, and so does the one that we replaced.
                disk.exchange(name, &own.path).map_err(own.io("put back"))?;
                drop(self.settled(own, name, swapped));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => drop(self.settled(own, name, swapped)),
            Err(error) => return Err(CommitError::io(&own.path, "put back", error)),
        }
        disk.sync_folder(own.folder()).map_err(own.io("made durable"))?;
        Ok(LostRace::Yes)
    }

    /// Watches our new file that was in place for a moment: others may have written to it. A
    /// derived one is not kept.
    fn watch_ours(&mut self, own: &mut StagedChange, name: &Path) {
        match own.made.filter(|_| !own.derived) {
            // If it can't be watched here, the next start checks it.
            Some(made) => self
                .carried
                .replaced
                .extend(rename_as_old(self.host, name, &own.path, made.len).map(ReplacedFile::from)),
            None => own.temp = Some(name.to_owned()),
        }
    }

    /// Notes the name by which the replaced file is to be watched. A derived file is removed, not watched.
    fn settled(&mut self, own: &StagedChange, name: &Path, swapped: &SwapFileName) -> io::Result<()> {
        let disk = self.host.disk;
        let old = own.path.with_file_name(swapped.old.name());
        // Others write to derived files beside the store, too. A file that was not read can't be
        // compared later.
        if own.derived && !own.relative.starts_with("..") || own.base.is_none() {
            // A call that failed may succeed at the second try.
            return disk.remove(name).or_else(|_| disk.remove(name));
        }
        let replaced = ReplacedFile { path: old, content: own.base.clone() };
        self.carried.unnamed.push((name.to_owned(), replaced));
        Ok(())
    }

    /// Renames replaced files to the names by which they are watched. Their replacements are durable before: a power cut
    /// must not keep this name alone. If it fails, the next start handles the file.
    pub(super) fn name_replaced(&mut self) {
        let disk = self.host.disk;
        for (name, replaced) in std::mem::take(&mut self.carried.unnamed) {
            // A call that failed may succeed at the second try.
            if disk.rename(&name, &replaced.path).or_else(|_| disk.rename(&name, &replaced.path)).is_ok() {
                self.carried.replaced.push(replaced);
            }
        }
    }

    /// Replaces a file if the file system can't exchange. The old file keeps a second name, if the file
    /// system has hard links. Else nothing is left of it.
    fn replace_by_rename(
        &mut self,
        own: &mut StagedChange,
        temp: &Path,
        swapped: &SwapFileName,
    ) -> Result<LostRace, CommitError> {
        let disk = self.host.disk;
        // A different name: `temp` has the one with the same inode.
        let machine = self.host.machine;
        let old = OldFileName::of(&own.path, &own.base(), machine.now(), machine.own_process());
        let swapped = SwapFileName { old, ..swapped.clone() };
        let name = own.path.with_file_name(swapped.name());
        let kept = match disk.link(&own.path, &name) {
            Ok(()) => Some(name),
            Err(error) if is_unsupported(&error) => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LostRace::Yes),
            Err(error) => return Err(CommitError::io(&own.path, "kept beside itself", error)),
        };
        let drop_kept = || kept.as_deref().map(|kept| disk.remove(kept));
        // Added lines are taken over afterwards from the second name alone.
        let grew = kept.is_none() && self.len(&own.path)? != Some(own.base().len() as u64);
        if grew || own.is_other(disk, kept.as_deref().unwrap_or(&own.path)).map_err(own.io("read"))? {
            drop_kept();
            return Ok(LostRace::Yes);
        }
        if let Err(source) = disk.rename(temp, &own.path) {
            match disk.look(temp) {
                Ok(_) => drop(drop_kept()),
                Err(_) => {
                    own.temp = None;
                    self.begin(own);
                }
            }
            return Err(CommitError::io(&own.path, "replaced", source));
        }
        own.temp = None;
        self.begin(own);
        kept.map_or(Ok(LostRace::No), |kept| self.judge_kept(own, &kept, &swapped))
    }

    /// Checks the file that was renamed over, by its second name. If it is not the one that was compared, it
    /// returns to its place, unless another program replaced ours.
    fn judge_kept(
        &mut self,
        own: &StagedChange,
        kept: &Path,
        swapped: &SwapFileName,
    ) -> Result<LostRace, CommitError> {
        let disk = self.host.disk;
        let is_other = own.is_other(disk, kept).map_err(own.io("read"))?;
        if is_other && own.is_at(disk, &own.path).map_err(own.io("read"))? {
            if let Some(made) = own.made.filter(|_| !own.derived) {
                self.carried
                    .replaced
                    .extend(link_as_old(self.host, &own.path, made.len).map(ReplacedFile::from));
            }
            disk.rename(kept, &own.path).map_err(own.io("put back"))?;
            disk.sync_folder(own.folder()).map_err(own.io("made durable"))?;
            return Ok(LostRace::Yes);
        }
        drop(self.settled(own, kept, swapped));
        Ok(if is_other { LostRace::Yes } else { LostRace::No })
    }

    /// Moves a file away, and restores it if it is not the one that was compared.
    fn take_away(&mut self, own: &mut StagedChange, swapped: &SwapFileName) -> Result<LostRace, CommitError> {
        let disk = self.host.disk;
        let name = own.path.with_file_name(swapped.name());
        // After a power cut, lost bytes would look like a change of another program.
        let _ = disk.append(&own.path).and_then(|mut file| file.sync());
        match disk.rename(&own.path, &name) {
            Ok(()) => self.begin(own),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LostRace::Yes),
            Err(error) => {
                // If the lookup fails, the file may be gone.
                if !is_absent(disk, &name) {
                    self.begin(own);
                }
                return Err(CommitError::io(&own.path, "removed", error));
            }
        }
        if !own.is_other(disk, &name).map_err(own.io("read"))? {
            return self.settled(own, &name, swapped).map(|()| LostRace::No).map_err(own.io("removed"));
        }
        match put_new(disk, &name, &own.path) {
            Ok(()) => disk.sync_folder(own.folder()).map_err(own.io("made durable"))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                drop(self.settled(own, &name, swapped))
            }
            Err(error) => return Err(CommitError::io(&own.path, "put back", error)),
        }
        Ok(LostRace::Yes)
    }
}

impl StagedChange {
    /// Returns the state of the copy to remove, if it is the planned one.
    pub(super) fn old_copy(&self, disk: &dyn Disk, len: u64) -> Option<Generation> {
        let seen = match &self.base {
            Some(base) => {
                let (more, seen) = disk.read_after(&self.path, base).ok()?;
                more.filter(Vec::is_empty).map(|_| seen)?
            }
            None => disk.look(&self.path).ok()?.generation,
        };
        (seen.len == len).then_some(seen)
    }

    /// True if the file at `path` is the one with our new bytes.
    fn is_at(&self, disk: &dyn Disk, path: &Path) -> io::Result<bool> {
        let there = optional(disk.look(path))?;
        Ok(self.made.zip(there).is_some_and(|(made, item)| item.generation.inode == made.inode))
    }

    /// True if the file at `path` is not the one that was compared: another replaced it, or a
    /// program changed it in place. New lines alone are taken over from its old name.
    fn is_other(&self, disk: &dyn Disk, path: &Path) -> io::Result<bool> {
        let now = disk.look(path)?.generation;
        let Some(seen) = self.seen else { return Ok(false) };
        if (seen.device, seen.inode) != (now.device, now.inode) || now.len < seen.len {
            return Ok(true);
        }
        if seen.has_same_bytes(&now) {
            return Ok(false);
        }
        let Some(base) = &self.base else { return Ok(seen != now) };
        let grown = disk.read_after(path, base)?.0;
        Ok(grown.is_none_or(|grown| !grown.is_empty() && (self.derived || !self.grows)))
    }
}

/// A replaced file, by its second name.
pub struct ReplacedFile {
    pub path: PathBuf,
    /// What was taken over of it, if this process still has that.
    pub content: Option<Bytes>,
}

impl From<PathBuf> for ReplacedFile {
    fn from(path: PathBuf) -> ReplacedFile {
        ReplacedFile { path, content: None }
    }
}

/// Renames our file at `path`, which was in the place of `file` for a moment, to a second name, so
/// that it is watched: others may have written after its first `len` bytes, or still do.
pub fn rename_as_old(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, path, file, len)?;
    host.disk.rename(path, &name).ok().map(|()| name)
}

/// Links our `file` to such a second name, before it is removed from its place.
pub fn link_as_old(host: Host<'_>, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, file, file, len)?;
    host.disk.link(file, &name).ok().map(|()| name)
}

fn name_of_ours(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let (bytes, _) = host.disk.read(path, 0, Some(len)).ok()?;
    let old = OldFileName::of(file, &bytes.into(), host.machine.now(), host.machine.own_process());
    Some(file.with_file_name(old.name()))
}
