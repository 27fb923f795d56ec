//! Second names of files that hold what is erased. Who has such a file open may go on writing to
//! it: then its content goes, and the name stays until nobody can.

use std::io;
use std::path::{Path, PathBuf};

use super::super::adding::Shared;
use super::super::hidden::Old;
use super::super::late::Late;
use super::super::{CommitError, Writer};
use super::search;
use crate::store::beside;
use crate::store::erase::{Contents, Wanted, is_log, original};
use crate::store::packed::Packing;

impl Writer<'_> {
    /// Removes them or takes their content, when what others added by them has been taken over.
    pub(super) fn drop_olds(&self, wanted: &Wanted<'_>, contents: &mut Contents) -> Result<(), CommitError> {
        let disk = self.host.disk;
        let mut paths = Vec::new();
        search::each_file(disk, &self.place.root, 0, &mut |path, _| paths.push(path.to_owned()));
        let beside = beside::own(disk, &self.place.root, self.format)
            .map_err(|error| CommitError::unread(&self.place.root, error))?;
        paths.extend(beside.iter().map(|own| self.path(own)));
        let named = |path: PathBuf| Some((path.file_name().and_then(Old::read)?, path));
        let olds: Vec<(Old, PathBuf)> = paths.into_iter().filter_map(named).collect();
        // All are read before one goes: each may know more of what is erased.
        let goes: Vec<bool> = olds.iter().map(|(_, path)| self.may_hold(path, wanted, contents)).collect();
        for ((old, path), _) in olds.iter().zip(goes).filter(|(_, goes)| *goes) {
            self.rescue_each(std::iter::once(path.clone()));
            self.drop_old(path, old)?;
        }
        Ok(())
    }

    fn may_hold(&self, path: &Path, wanted: &Wanted<'_>, contents: &mut Contents) -> bool {
        // One that can't be read now may hold it.
        let Ok((bytes, _)) = self.host.disk.read(path, 0, None) else { return true };
        if bytes.iter().all(|byte| *byte == b'\n') {
            return false;
        }
        let relative = &*self.relative(path).unwrap_or_else(|| path.to_owned());
        // Of files that are bound to each other one may repeat what another says.
        let is_bound = self.format.is_bound(relative);
        // What is no plain log may say it in another way: an index has its words.
        let is_other = !is_log(relative) || Packing::of(&original(relative)).is_some();
        is_other || contents.see(wanted, relative, &bytes) > 0 || is_bound || contents.main().any(&bytes)
    }

    /// Does it to an old file, whatever it is called by now.
    fn drop_old(&self, path: &Path, old: &Old) -> Result<(), CommitError> {
        let disk = self.host.disk;
        let folder = path.parent().unwrap_or(Path::new("/"));
        // Its own name has a digest of what it holds.
        let file = path.with_file_name(&old.file);
        let failed =
            |source| CommitError::io(&file, "erased everywhere (an old version of it stays)", source);
        let items = match disk.list(folder) {
            // The last one that was in it took its folder with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            items => items.map_err(failed)?,
        };
        for item in items {
            let Some(own) = Old::read(&item.name).filter(|own| own.number == old.number) else { continue };
            let path = folder.join(&item.name);
            let is_open = self.host.machine.may_be_open(&[&path]).first() != Some(&false);
            // By another name it is somebody else's, or the file itself.
            let is_only = item.links == 1;
            let len = self.taken_over(&path, &own).map_err(failed)?;
            match is_open && is_only {
                true => self.empty(&path, &own, len).map_err(failed)?,
                false => disk.remove(&path).map_err(failed)?,
            }
        }
        disk.sync_folder(folder).map_err(failed)
    }

    /// Takes over what came to an old file since, or keeps it aside: its length then.
    fn taken_over(&self, path: &Path, old: &Old) -> io::Result<u64> {
        let disk = self.host.disk;
        let item = disk.look(path)?;
        let file = self.file_of(old, path)?.unwrap_or_else(|| path.with_file_name(&old.file));
        let is_same = disk.look(&file).is_ok_and(|now| now.generation.inode == item.generation.inode);
        let waits = || io::Error::from(io::ErrorKind::WouldBlock);
        let late = Late::of(self, path, old, &item.generation, true).ok_or_else(waits)?;
        let (len, is_taken) = match late {
            Late::Nothing => (item.generation.len, true),
            Late::Lines { bytes, .. } => {
                let lines = [&bytes[..], b"\n"].concat();
                let len = old.taken + bytes.len() as u64;
                (
                    len,
                    bytes.is_empty()
                        || is_same
                        || self.add(&mut Shared::default(), path, &file, (b"", &lines)).is_some(),
                )
            }
            Late::Other { bytes } => {
                let is_kept = self.join_changed(path, old, &bytes) || self.keep_aside(&file, &bytes);
                (bytes.len() as u64, is_kept || is_same)
            }
        };
        if is_taken { Ok(len) } else { Err(waits()) }
    }

    /// Leaves an old file with nothing that was in it, for those who have it open.
    fn empty(&self, path: &Path, old: &Old, len: u64) -> io::Result<()> {
        let disk = self.host.disk;
        match disk.blank(path, len) {
            // It was the file itself, and is there again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            outcome => outcome?,
        }
        let blanks = vec![b'\n'; usize::try_from(len).unwrap_or_default()];
        let since = self.host.machine.now().0.div_euclid(1_000_000);
        let next = path.with_file_name(old.up_to(&blanks, since).name());
        disk.rename(path, &next)?;
        self.replaced.borrow_mut().push(next);
        Ok(())
    }
}
