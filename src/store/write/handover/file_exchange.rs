//! Files whose exchange a crash interrupted, and what others wrote in place to replaced files.

use std::path::Path;

use crate::disk::{Item, ProcessState, is_unsupported, optional, put_new};
use crate::model::{Act, Change, PathText, Plan, Store, Verb, plan};
use crate::store::hidden_names::{OldFileName, SwapFileName};
use crate::store::write::apply::rebase_splices::rebase;
use crate::store::write::apply::replace_file::{ReplacedFile, link_as_old, rename_as_old};
use crate::store::write::apply::{ApplyProgress, apply_plan};
use crate::store::write::commit_context::STEPS;
use crate::store::write::handover::late_writes;
use crate::store::write::{CommitContext, CommitError};
use crate::text::digest::digest;

/// Settles every file whose exchange was interrupted. A file that is not the compared one returns
/// to its place before recovery judges the change.
pub fn recover_exchanges(context: &CommitContext<'_>, store: &Store) {
    for path in &store.own_files {
        let own = path.file_name().and_then(SwapFileName::read);
        // Beside the store, palimps that change other stores may be at work.
        let is_left = |process| {
            context.own_process() == Some(process)
                || context.host.machine.process(process) == ProcessState::Gone
        };
        if own.is_some_and(|own| !path.starts_with("..") || is_left(own.process())) {
            settle_one(context, &context.path(path));
        }
    }
}

fn settle_one(context: &CommitContext<'_>, path: &Path) -> Option<()> {
    let disk = context.host.disk;
    let own = path.file_name().and_then(SwapFileName::read)?;
    let item = disk.look(path).ok()?;
    let Some(file) = context.file_of(&own.old, path).ok()? else {
        // Its name is unknown: it gets a second name, and the rescue keeps its content aside.
        return disk.rename(path, &path.with_file_name(own.old.name())).ok();
    };
    let now = optional(disk.look(&file)).ok()?;
    let is = |inode: u64| now.as_ref().is_some_and(|now| now.generation.inode == inode);
    if is(item.generation.inode) {
        // One file has both names.
        return disk.remove(path).ok();
    }
    if item.generation.inode == own.new_inode {
        return settle_ours(context, path, &file, own.len);
    }
    if holds_what_was_taken(context, path, &item, &own.old)? {
        return disk.rename(path, &path.with_file_name(own.old.name())).ok();
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    match now {
        None => put_new(disk, path, &file).ok()?,
        Some(_) if is(own.new_inode) => match disk.exchange(path, &file) {
            Err(error) if is_unsupported(&error) => {
                let ours = own.len.and_then(|len| link_as_old(context.host, &file, len));
                context.replaced.borrow_mut().extend(ours.map(ReplacedFile::from));
                disk.rename(path, &file).ok()?;
            }
            Err(_) => return None,
            Ok(()) if disk.look(path).ok()?.generation.inode == own.new_inode => {
                settle_ours(context, path, &file, own.len)?;
            }
            // Another file took the place in between.
            Ok(()) => disk.exchange(path, &file).ok()?,
        },
        // The file that others put there stays; this one is watched under a second name.
        Some(_) => disk.rename(path, &path.with_file_name(own.old.name())).ok()?,
    }
    disk.sync_folder(folder).ok()
}

/// Settles our new file that did not reach its place or lost it: gives it a second name, so that
/// what others wrote to it is taken over. Without `len` it is removed.
fn settle_ours(context: &CommitContext<'_>, path: &Path, file: &Path, len: Option<u64>) -> Option<()> {
    match len {
        Some(len) => {
            let name = rename_as_old(context.host, path, file, len)?;
            context.replaced.borrow_mut().push(name.into());
        }
        None => context.host.disk.remove(path).ok()?,
    }
    Some(())
}

/// True if a replaced file still holds what was taken over, perhaps with more lines in a log.
/// `None` if it can't be read.
pub fn holds_what_was_taken(
    context: &CommitContext<'_>,
    path: &Path,
    item: &Item,
    old: &OldFileName,
) -> Option<bool> {
    let file = context.file_of(old, path).ok()?.unwrap_or_else(|| path.with_file_name(&old.file));
    let relative = context.relative(&file).unwrap_or_else(|| file.clone());
    let len = item.generation.len;
    if len < old.taken || len > old.taken && !context.format.is_append_log(&relative) {
        return Some(false);
    }
    // A file that was last changed well before it was replaced is unchanged.
    let is_older =
        item.generation.is_settled && item.generation.modified < i128::from(old.since - 2) * 1_000_000_000;
    if is_older && len == old.taken {
        return Some(true);
    }
    let (bytes, _) = context.host.disk.read(path, 0, Some(old.taken)).ok()?;
    Some(digest(&bytes) == old.digest)
}

/// Merges what others wrote in place to a replaced file with our change, or restores a file that
/// was removed. False if both changed the same.
pub fn merge_late_write(context: &CommitContext<'_>, path: &Path, old: &OldFileName, theirs: &[u8]) -> bool {
    // A difference that an interrupted erasure left is no change of another program.
    if !matches!(context.vault.erasing(), Ok(None)) {
        return false;
    }
    let Ok(Some(file)) = context.file_of(old, path) else { return false };
    let Some(relative) = context.relative(&file) else { return false };
    match context.read(&relative) {
        Ok(Some(ours)) => is_joined(context, &relative, old, &ours, theirs) == Some(true),
        Ok(None) if !theirs.is_empty() => brought_back(context, path, &file).is_some(),
        _ => false,
    }
}

fn brought_back(context: &CommitContext<'_>, path: &Path, file: &Path) -> Option<()> {
    let theirs = context.host.disk.read(path, 0, None).ok()?.0;
    // The file must not bring back what was erased since.
    if late_writes::without_erased(context, file, b"", &theirs)? != theirs {
        return None;
    }
    put_new(context.host.disk, path, file).ok()?;
    context.note(format!(
        "conflict: another program wrote to {} while it was being removed. It was put back",
        file.to_text()
    ));
    context.host.disk.sync_folder(path.parent()?).ok()
}

/// Merges our change into what others wrote; false if both changed the same.
fn is_joined(
    context: &CommitContext<'_>,
    file: &Path,
    old: &OldFileName,
    ours: &[u8],
    theirs: &[u8],
) -> Option<bool> {
    if context.format.forbids_rebase(file) || !context.vault.erasure_list().ok()?.is_empty() {
        return Some(false);
    }
    let Some(before) = before(context, file, old, ours).ok()? else { return Some(false) };
    // A part of it, with zeros, comes from a power cut and not from another program.
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
    let plan = Plan { changes: vec![change], exact: true, ..context.unseen(Verb::Rescue) };
    let mut carried = ApplyProgress::default();
    apply_plan::apply_plan(context, &plan, &mut carried, None).ok()?;
    // The file that this replaced is ours: no program has it open for long.
    Some(true)
}

/// Returns what a file held when it was replaced, from the undo data of the last steps.
fn before(
    context: &CommitContext<'_>,
    file: &Path,
    old: &OldFileName,
    ours: &[u8],
) -> Result<Option<Vec<u8>>, CommitError> {
    for step in context.vault.last_steps(STEPS)? {
        let step = step?;
        let own = step.changes.iter().find(|change| change.path == file);
        let Some(Change { act: Act::Splice(back), .. }) = own else { continue };
        let Ok(fitted) = rebase(back, ours) else { continue };
        let before = plan::apply(ours, &fitted);
        if digest(&before) == old.digest {
            return Ok(Some(before));
        }
    }
    Ok(None)
}
