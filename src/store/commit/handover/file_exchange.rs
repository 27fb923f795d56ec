//! What was in the place of a file when new bytes took it, where nobody lived to look at it, and
//! what others wrote to it in place afterwards.

use std::path::{Path, PathBuf};

use super::hidden_names::{OldFileName, SwapFileName};
use super::rescue::ReplacedFile;
use crate::disk::{Item, Lookup, ProcessState, is_unsupported, put_new};
use crate::model::{Act, Change, PathText, Plan, Store, plan};
use crate::store::commit::apply::apply_plan;
use crate::store::commit::apply::rebase_splices::rebase;
use crate::store::commit::{Host, Writer};
use crate::text::digest::digest;

/// So many of the last steps are asked what a file held before it was replaced.
const STEPS: usize = 16;

/// Gives `len` bytes of ours, which were in the place of `file` for a moment and are at `path` now, the
/// name by which a replaced file is watched: others may have written behind them, or still do.
pub(in crate::store::commit) fn rename_as_old(
    host: Host<'_>,
    path: &Path,
    file: &Path,
    len: u64,
) -> Option<PathBuf> {
    let name = name_of_ours(host, path, file, len)?;
    host.disk.rename(path, &name).ok().map(|()| name)
}

/// Gives them that name beside the one of the file, from which they are about to go.
pub(in crate::store::commit) fn link_as_old(host: Host<'_>, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, file, file, len)?;
    host.disk.link(file, &name).ok().map(|()| name)
}

fn name_of_ours(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let (bytes, _) = host.disk.read(path, 0, Some(len)).ok()?;
    let old = OldFileName::of(file, &bytes.into(), host.machine.now(), host.machine.own_process());
    Some(file.with_file_name(old.name()))
}

impl Writer<'_> {
    /// Settles every file that was on its way out when its change was cut short: what was not the
    /// file that was compared comes back, before anybody asks how far that change came.
    pub(in crate::store::commit) fn recover_exchanges(&self, store: &Store) {
        for path in &store.own_files {
            let own = path.file_name().and_then(SwapFileName::read);
            // Others than those that change this store may be at work beside it.
            let is_left = |process| {
                self.own_process() == Some(process)
                    || self.host.machine.process(process) == ProcessState::Gone
            };
            if own.is_some_and(|own| !path.starts_with("..") || is_left(own.process())) {
                self.settle_one(&self.path(path));
            }
        }
    }

    fn settle_one(&self, path: &Path) -> Option<()> {
        let disk = self.host.disk;
        let own = path.file_name().and_then(SwapFileName::read)?;
        let item = disk.look(path).ok()?;
        let Some(file) = self.file_of(&own.old, path).ok()? else {
            // Nobody can tell what it is called: it is kept aside when it is looked after.
            return disk.rename(path, &path.with_file_name(own.old.name())).ok();
        };
        let now = Lookup::from(disk.look(&file)).optional().ok()?;
        let is = |inode: u64| now.as_ref().is_some_and(|now| now.generation.inode == inode);
        if is(item.generation.inode) {
            // It has two names.
            return disk.remove(path).ok();
        }
        if item.generation.inode == own.new_inode {
            return self.settle_ours(path, &file, own.len);
        }
        if self.holds_what_was_taken(path, &item, &own.old)? {
            return disk.rename(path, &path.with_file_name(own.old.name())).ok();
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        match now {
            None => put_new(disk, path, &file).ok()?,
            Some(_) if is(own.new_inode) => match disk.exchange(path, &file) {
                Err(error) if is_unsupported(&error) => {
                    let ours = own.len.and_then(|len| link_as_old(self.host, &file, len));
                    self.replaced.borrow_mut().extend(ours.map(ReplacedFile::from));
                    disk.rename(path, &file).ok()?;
                }
                Err(_) => return None,
                Ok(()) if disk.look(path).ok()?.generation.inode == own.new_inode => {
                    self.settle_ours(path, &file, own.len)?;
                }
                // Yet another took the place meanwhile.
                Ok(()) => disk.exchange(path, &file).ok()?,
            },
            // What others put there since stays; this is watched beside it.
            Some(_) => disk.rename(path, &path.with_file_name(own.old.name())).ok()?,
        }
        disk.sync_folder(folder).ok()
    }

    /// Our new bytes, that never came to the place of the file or left it again: what others wrote to
    /// them there is taken over before they go.
    fn settle_ours(&self, path: &Path, file: &Path, len: Option<u64>) -> Option<()> {
        match len {
            Some(len) => {
                let name = rename_as_old(self.host, path, file, len)?;
                self.replaced.borrow_mut().push(name.into());
            }
            None => self.host.disk.remove(path).ok()?,
        }
        Some(())
    }

    /// Whether a file that was replaced still holds what it held then, and perhaps more behind it
    /// where others add lines to it. `None` where it can't be read.
    pub(in crate::store::commit) fn holds_what_was_taken(
        &self,
        path: &Path,
        item: &Item,
        old: &OldFileName,
    ) -> Option<bool> {
        let Some(known) = old.digest else { return Some(true) };
        let file = self.file_of(old, path).ok()?.unwrap_or_else(|| path.with_file_name(&old.file));
        let relative = self.relative(&file).unwrap_or_else(|| file.clone());
        let len = item.generation.len;
        if len < old.taken || len > old.taken && !self.format.is_append_log(&relative) {
            return Some(false);
        }
        // What was changed last well before it was replaced was not changed since.
        let is_older = item.generation.is_settled
            && item.generation.modified < i128::from(old.since - 2) * 1_000_000_000;
        if is_older && len == old.taken {
            return Some(true);
        }
        let (bytes, _) = self.host.disk.read(path, 0, Some(old.taken)).ok()?;
        Some(digest(&bytes) == known)
    }

    /// Joins what others wrote in place to a file after it had been replaced with the change, or
    /// brings the file back that had been removed. False where both changed the same.
    pub(in crate::store::commit) fn merge_late_write(
        &self,
        path: &Path,
        old: &OldFileName,
        theirs: &[u8],
    ) -> bool {
        // What an interrupted erasure left of a file is nobody's change.
        if !matches!(self.vault.erasing(), Ok(None)) {
            return false;
        }
        let Ok(Some(file)) = self.file_of(old, path) else { return false };
        let Some(relative) = self.relative(&file) else { return false };
        match self.read(&relative) {
            Ok(Some(ours)) => self.is_joined(&relative, old, &ours, theirs) == Some(true),
            Ok(None) if !theirs.is_empty() => self.brought_back(path, &file).is_some(),
            _ => false,
        }
    }

    fn brought_back(&self, path: &Path, file: &Path) -> Option<()> {
        let theirs = self.host.disk.read(path, 0, None).ok()?.0;
        // What was erased since does not come back with it.
        if self.without_erased(file, b"", &theirs)? != theirs {
            return None;
        }
        put_new(self.host.disk, path, file).ok()?;
        self.note(format!(
            "conflict: another program wrote to {} while it was being removed. It was put back",
            file.to_text()
        ));
        self.host.disk.sync_folder(path.parent()?).ok()
    }

    /// Carries our change over to what others wrote; false where both changed the same.
    fn is_joined(&self, file: &Path, old: &OldFileName, ours: &[u8], theirs: &[u8]) -> Option<bool> {
        if self.format.forbids_rebase(file) || !self.vault.erasure_list().ok()?.is_empty() {
            return Some(false);
        }
        let Some(before) = self.before(file, old, ours).ok()? else { return Some(false) };
        // What a power cut left of it is nothing that anybody wrote.
        let is_ours = |(their, own): (&u8, &u8)| their == own || *their == 0;
        let is_part = theirs.len() <= before.len() && theirs.iter().zip(&before).all(is_ours);
        if is_part || ours == theirs {
            return Some(true);
        }
        let change = Change::rewrite(file, before.as_slice().into(), ours);
        let Act::Splice(splices) = &change.act else { return Some(false) };
        let Ok(fitted) = rebase(splices, theirs) else { return Some(false) };
        let both = plan::apply(theirs, &fitted);
        let change = Change::rewrite(file, ours.into(), both);
        let plan = Plan { changes: vec![change], exact: true, ..self.unseen("rescue") };
        let mut carried = apply_plan::ApplyProgress::default();
        apply_plan::apply_plan(self, &plan, &mut carried, None).ok()?;
        // The file that this replaced is ours, and nobody has it open for long.
        Some(true)
    }

    /// What a file held when it was replaced, from what takes the last steps back.
    fn before(
        &self,
        file: &Path,
        old: &OldFileName,
        ours: &[u8],
    ) -> Result<Option<Vec<u8>>, crate::store::commit::CommitError> {
        for number in self.vault.steps()?.into_iter().rev().take(STEPS) {
            let Some(step) = self.vault.step(number)? else { continue };
            let own = step.changes.iter().find(|change| change.path == file);
            let Some(Change { act: Act::Splice(back), .. }) = own else { continue };
            let Ok(fitted) = rebase(back, ours) else { continue };
            let before = plan::apply(ours, &fitted);
            if Some(digest(&before)) == old.digest {
                return Ok(Some(before));
            }
        }
        Ok(None)
    }
}
