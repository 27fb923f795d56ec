//! Files made ready beside their places, and put there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::carry::Carried;
use super::hidden::{self, Old};
use super::rebase::rebase;
use super::vault::make_folders;
use super::{CommitError, Files, Host};
use crate::disk::{Disk, ItemKind};
use crate::model::plan::{self, line_end_for};
use crate::model::snapshot::Generation;
use crate::model::{Act, Change};

/// A change on its way.
pub struct Ready {
    /// Relative to the store's root.
    pub relative: PathBuf,
    /// The whole path.
    pub path: PathBuf,
    derived: bool,
    /// Whether it was given up: it is made anew afterwards.
    dropped: bool,
    act: Act,
    mode: u32,
    /// The file's bytes as the new ones were made of them.
    base: Option<Arc<[u8]>>,
    /// The file that was compared with them.
    seen: Option<Generation>,
    /// The new bytes, durable beside the file.
    temp: Option<PathBuf>,
}

/// Whether the lock was lost before anything was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    Yes,
    No,
}

impl Ready {
    /// A change that nothing was done for yet.
    pub fn of(change: &Change, derived: bool, path: PathBuf) -> Ready {
        Ready {
            relative: change.path.clone(),
            path,
            derived,
            dropped: false,
            act: change.act.clone(),
            mode: change.mode,
            base: change.base.clone(),
            seen: None,
            temp: None,
        }
    }

    /// Whether it makes what nobody knows yet.
    pub fn is_new(&self) -> bool {
        !self.derived && matches!(self.act, Act::Create(_) | Act::MakeFolder)
    }

    /// Removes what was made ready and not used.
    pub fn drop_temp(&mut self, disk: &dyn Disk) {
        if let Some(temp) = self.temp.take() {
            let _ = disk.remove(&temp);
        }
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Whether others append to it: their late lines are taken over.
    fn is_log(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "jsonl")
    }

    fn io(&self, stage: &'static str) -> impl Fn(io::Error) -> CommitError + use<> {
        let path = self.path.clone();
        move |source| CommitError::io(&path, stage, source)
    }

    fn moved(&self, what: &'static str) -> CommitError {
        CommitError::Moved { file: self.path.clone(), what, files: Files::Untouched }
    }

    /// Whether lines that came behind the base leave what is spliced alone: a splice that
    /// reaches an unfinished last line, or leaves one, is about that line.
    fn may_grow(&self) -> bool {
        let base = self.base.as_deref().unwrap_or_default();
        let Act::Splice(splices) = &self.act else { return false };
        let whole = |lines: &[u8]| lines.is_empty() || lines.ends_with(b"\n");
        let Some(last) = splices.last() else { return true };
        last.end() < base.len() as u64 || whole(base) && whole(&last.becomes)
    }

    fn conflict(&self, found: Option<Vec<u8>>) -> CommitError {
        let planned = self.base.as_deref().unwrap_or_default().to_vec();
        CommitError::Conflict { file: self.path.clone(), planned, found, files: Files::Untouched }
    }
}

/// Where changes are carried out, and what came of them so far.
pub struct Scene<'a, 'c> {
    pub host: Host<'a>,
    pub carried: &'c mut Carried,
}

impl Scene<'_, '_> {
    /// The length of a file that is there.
    pub fn len(&self, path: &Path) -> Option<u64> {
        self.host.disk.look(path).ok().map(|item| item.generation.len)
    }

    /// Makes a new file or folder, durably.
    pub fn make(&mut self, own: &mut Ready) -> Result<(), CommitError> {
        let disk = self.host.disk;
        self.carried.began |= !own.derived;
        if own.act == Act::MakeFolder {
            return make_folders(disk, &own.path).map_err(own.io("made"));
        }
        make_folders(disk, own.folder()).map_err(own.io("made"))?;
        self.prepare(own)?;
        self.put_new(own)?;
        disk.sync_folder(own.folder()).map_err(own.io("made durable"))
    }

    /// Gives what was made ready its name, which nothing may have yet.
    fn put_new(&mut self, own: &mut Ready) -> Result<(), CommitError> {
        let Some(temp) = &own.temp else { return Ok(()) };
        let outcome = match self.host.disk.link(temp, &own.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(own.moved("something stands there already"))
            }
            outcome => outcome.map_err(own.io("made")),
        };
        own.drop_temp(self.host.disk);
        outcome
    }

    /// Writes the new bytes beside the file, durably.
    pub fn prepare(&mut self, own: &mut Ready) -> Result<(), CommitError> {
        if own.temp.is_some() || own.dropped {
            return Ok(());
        }
        let disk = self.host.disk;
        let (bytes, mode) = match &own.act {
            Act::Create(bytes) => (bytes.clone(), None),
            Act::Splice(splices) => {
                let item = disk.look(&own.path).map_err(own.io("read"))?;
                if item.link.is_some() || item.kind != ItemKind::File {
                    return Err(own.moved("it is a link, or no regular file: it is not written through"));
                }
                (plan::apply(own.base.as_deref().unwrap_or_default(), splices), Some(item.mode))
            }
            _ => return Ok(()),
        };
        let temp = hidden::temp(&own.path, self.host.machine.own_process());
        let write = || {
            // What is shared follows the umask; what is there keeps its mode.
            let mut out = disk.create(&temp, if mode.is_some() { plan::PRIVATE } else { own.mode })?;
            if let Some(mode) = mode.filter(|mode| *mode != plan::PRIVATE) {
                out.set_mode(mode)?;
            }
            out.write(&bytes)?;
            out.sync()
        };
        let outcome = write();
        own.temp = Some(temp.clone());
        outcome.map_err(|source| {
            own.drop_temp(disk);
            CommitError::io(&own.path, "written", source)
        })
    }

    /// Whether every file is as its new bytes were made of it. With `last_chance` lines that
    /// others added are taken over here, under the lock.
    pub fn fits(&mut self, ready: &mut [Ready], last_chance: bool) -> Result<bool, CommitError> {
        for at in 0..ready.len() {
            if ready[at].dropped {
                continue;
            }
            if !self.fits_one(&mut ready[at], last_chance)? {
                return Ok(false);
            }
            if self.carried.derive {
                self.drop_derived(ready);
            }
        }
        Ok(true)
    }

    fn fits_one(&mut self, own: &mut Ready, last_chance: bool) -> Result<bool, CommitError> {
        match &own.act {
            Act::Create(_) if own.derived => Ok(self.len(&own.path).is_none()),
            Act::Append(_) => {
                let len = own.base.as_ref().map_or(0, |base| base.len() as u64);
                self.carried.derive |= self.len(&own.path).unwrap_or(0) != len;
                Ok(true)
            }
            Act::Remove(_) => {
                let (now, seen) = self.host.disk.read(&own.path, 0, None).map_err(own.io("read"))?;
                own.seen = Some(seen);
                if own.base.as_deref() != Some(&now[..]) {
                    return Err(own.conflict(Some(now)));
                }
                Ok(true)
            }
            Act::Splice(_) => {
                let (now, seen) = self.host.disk.read(&own.path, 0, None).map_err(own.io("read"))?;
                own.seen = Some(seen);
                let base = own.base.as_deref().unwrap_or_default();
                if now == base {
                    return Ok(true);
                }
                if !own.may_grow() || own.derived || !own.is_log() || !now.starts_with(base) {
                    return Ok(false);
                }
                let grown = whole_lines(&now[base.len()..]).to_vec();
                if grown.is_empty() {
                    return Ok(true);
                }
                if last_chance {
                    self.take_over(own, &grown)?;
                }
                Ok(last_chance)
            }
            _ => Ok(true),
        }
    }

    /// Adds lines that came meanwhile to the new bytes.
    fn take_over(&mut self, own: &mut Ready, lines: &[u8]) -> Result<(), CommitError> {
        if let Some(temp) = &own.temp {
            let add = || {
                let mut out = self.host.disk.append(temp)?;
                out.write(lines)?;
                out.sync()
            };
            add().map_err(own.io("written"))?;
        }
        let base = own.base.as_deref().unwrap_or_default();
        own.base = Some([base, lines].concat().into());
        self.carried.derive = true;
        Ok(())
    }

    /// Gives derived changes up: they are made anew afterwards.
    pub fn drop_derived(&mut self, ready: &mut [Ready]) {
        self.carried.derive = true;
        for own in ready.iter_mut().filter(|own| own.derived && !own.dropped) {
            own.drop_temp(self.host.disk);
            own.dropped = true;
        }
    }

    /// Fits the changes to the files as they are now, without the lock.
    pub fn refit(
        &mut self,
        ready: &mut [Ready],
        keep: &mut dyn FnMut(&Path, Change) -> Result<(), CommitError>,
    ) -> Result<(), CommitError> {
        self.drop_derived(ready);
        for own in ready.iter_mut().filter(|own| !own.dropped) {
            let Act::Splice(splices) = own.act.clone() else { continue };
            let (now, _) = self.host.disk.read(&own.path, 0, None).map_err(own.io("read"))?;
            let base = own.base.clone().unwrap_or_else(|| Vec::new().into());
            if now == *base {
                continue;
            }
            own.drop_temp(self.host.disk);
            if own.may_grow() && now.starts_with(&base) {
                let len = base.len() + whole_lines(&now[base.len()..]).len();
                own.base = Some(now[..len].into());
                continue;
            }
            let fitted = rebase(&splices, &now).map_err(|conflict| CommitError::Conflict {
                file: own.path.clone(),
                planned: conflict.planned,
                found: conflict.found,
                files: Files::Untouched,
            })?;
            own.act = Act::Splice(fitted);
            own.base = Some(now.into());
            let change = Change {
                path: own.relative.clone(),
                act: own.act.clone(),
                base: own.base.clone(),
                mode: own.mode,
            };
            keep(&own.relative, Change { base: None, ..change.inverse() })?;
        }
        Ok(())
    }

    /// Puts everything in place, under the lock. Copies are durable before anything goes.
    pub fn apply(&mut self, ready: &mut [Ready], is_ours: &dyn Fn() -> bool) -> Result<Lost, CommitError> {
        let mut pending: Option<PathBuf> = None;
        for own in ready.iter_mut().filter(|own| !own.dropped) {
            if !self.carried.began && !is_ours() {
                return Ok(Lost::Yes);
            }
            let other_folder = pending.as_deref().is_some_and(|folder| folder != own.folder());
            if other_folder || matches!(own.act, Act::Remove(_) | Act::RemoveFolder) {
                self.settle(&mut pending, own)?;
            }
            match own.act.clone() {
                Act::Append(lines) => self.append(own, &lines)?,
                Act::Splice(_) => {
                    if self.replace(own)? == Lost::Yes {
                        return Ok(Lost::Yes);
                    }
                    pending = Some(own.folder().to_owned());
                }
                Act::Remove(_) => {
                    self.keep_old(own)?;
                    self.carried.began |= !own.derived;
                    self.host.disk.remove(&own.path).map_err(own.io("removed"))?;
                    pending = Some(own.folder().to_owned());
                }
                Act::RemoveFolder => self.remove_folder(own)?,
                // One that stays is one too many, and no reason to fail.
                Act::Expire => drop(self.host.disk.remove(&own.path)),
                Act::Create(_) | Act::MakeFolder => self.make(own)?,
            }
        }
        match ready.last() {
            Some(last) => self.settle(&mut pending, last).map(|()| Lost::No),
            None => Ok(Lost::No),
        }
    }

    fn settle(&self, pending: &mut Option<PathBuf>, own: &Ready) -> Result<(), CommitError> {
        match pending.take() {
            Some(folder) => self.host.disk.sync_folder(&folder).map_err(own.io("made durable")),
            None => Ok(()),
        }
    }

    /// Renames the new bytes onto the file, which keeps a second name of ours if others
    /// append to it.
    fn replace(&mut self, own: &mut Ready) -> Result<Lost, CommitError> {
        let Some(temp) = own.temp.clone() else { return Ok(Lost::No) };
        let old = self.keep_old(own)?;
        if let Some(old) = &old {
            let linked = self.host.disk.look(old).map_err(own.io("read"))?.generation.inode;
            if own.seen.is_some_and(|seen| seen.inode != linked) && !self.carried.began {
                let _ = self.host.disk.remove(old);
                return Ok(Lost::Yes);
            }
        }
        self.host.disk.rename(&temp, &own.path).map_err(|source| {
            old.iter().for_each(|old| drop(self.host.disk.remove(old)));
            CommitError::io(&own.path, "replaced", source)
        })?;
        own.temp = None;
        self.carried.began |= !own.derived;
        self.carried.olds.extend(old);
        Ok(Lost::No)
    }

    fn keep_old(&mut self, own: &Ready) -> Result<Option<PathBuf>, CommitError> {
        if !own.is_log() || own.derived {
            return Ok(None);
        }
        let taken = own.base.as_ref().map_or(0, |base| base.len() as u64);
        let machine = self.host.machine;
        let name = Old::of(&own.path, taken, machine.now(), machine.own_process()).name();
        let old = own.path.with_file_name(name);
        self.host.disk.link(&own.path, &old).map_err(own.io("kept beside itself"))?;
        Ok(Some(old))
    }

    /// Adds lines at the end of a file, durably. Where the system fails half-way, what it
    /// wrote is cut off again if nobody wrote behind it.
    fn append(&mut self, own: &Ready, lines: &[u8]) -> Result<(), CommitError> {
        let disk = self.host.disk;
        let mut made = false;
        let mut out = match disk.append(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                made = true;
                make_folders(disk, own.folder()).map_err(own.io("made"))?;
                disk.create(&own.path, own.mode).map_err(own.io("made"))?
            }
            outcome => outcome.map_err(own.io("opened"))?,
        };
        self.carried.began |= made && !own.derived;
        let len = out.generation().map_err(own.io("read"))?.len;
        let tail = match len.checked_sub(1) {
            Some(last) => disk.read(&own.path, last, Some(1)).map_err(own.io("read"))?.0,
            None => Vec::new(),
        };
        let bytes = [line_end_for(&tail), lines].concat();
        if let Err(source) = out.write(&bytes) {
            let grown = out.generation().map_or(0, |now| now.len.saturating_sub(len));
            let cut = grown > 0 && grown < bytes.len() as u64 && out.set_len(len).is_ok();
            self.carried.began |= grown > 0 && !cut && !own.derived;
            return Err(CommitError::io(&own.path, "written", source));
        }
        self.carried.began |= !own.derived;
        out.sync().map_err(own.io("made durable"))?;
        if made {
            disk.sync_folder(own.folder()).map_err(own.io("made durable"))?;
        }
        Ok(())
    }

    fn remove_folder(&mut self, own: &Ready) -> Result<(), CommitError> {
        self.carried.began |= !own.derived;
        match self.host.disk.remove_folder(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                self.carried.notes.push(format!("{} holds other files and stays", own.path.display()));
                Ok(())
            }
            outcome => {
                outcome.map_err(own.io("removed"))?;
                let parent = own.folder();
                self.host.disk.sync_folder(parent).map_err(own.io("made durable"))
            }
        }
    }
}

/// What of the bytes is whole lines.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)]
}
