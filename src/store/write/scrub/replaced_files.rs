//! Removes replaced files that hold erased content. If a program still has one open and may write to
//! it, only its content is overwritten. The file then stays until no program can write to it.

use std::io;
use std::path::{Path, PathBuf};

use super::super::{CommitContext, CommitError};
use super::byte_search;
use crate::disk::optional;
use crate::model::{self, plan::line_end_for};
use crate::store::compressed_files::FileCompression;
use crate::store::erase::{ErasedContents, ErasureMatcher, is_log_or_copy, original};
use crate::store::hidden_names::OldFileName;
use crate::store::own_files;
use crate::store::write::handover::add_late_lines::SharedLock;
use crate::store::write::handover::late_writes::LateWrite;
use crate::store::write::handover::wait_for_line_end::whole_lines;
use crate::store::write::handover::{add_late_lines, file_exchange, late_writes, rescue};
use crate::text::digest::digest;
use crate::text::needle::Needles;

struct TakeoverPoint {
    /// The number of bytes to overwrite, from the start.
    gone: u64,
    /// The unfinished line behind them, which stays.
    begun: Vec<u8>,
}

/// Removes or overwrites replaced files, after lines that other programs added to them are taken over.
pub fn scrub_replaced_files(
    context: &CommitContext<'_>,
    wanted: &ErasureMatcher<'_>,
    contents: &mut ErasedContents,
) -> Result<(), CommitError> {
    let disk = context.host.disk;
    let mut paths = Vec::new();
    byte_search::each_file(disk, &context.place.root, 0, &mut |path, _| paths.push(path.to_owned()));
    let beside = own_files::own_files_beside(disk, &context.place.root, context.format)
        .map_err(|error| CommitError::unread(&context.place.root, error))?;
    paths.extend(beside.iter().map(|own| context.path(own)));
    let named = |path: PathBuf| Some((path.file_name().and_then(OldFileName::read)?, path));
    let olds: Vec<(OldFileName, PathBuf)> = paths.into_iter().filter_map(named).collect();
    // All are read before one is removed: each may add texts to search for.
    let goes: Vec<bool> = olds.iter().map(|(_, path)| may_hold(context, path, wanted, contents)).collect();
    for ((old, path), _) in olds.iter().zip(goes).filter(|(_, goes)| *goes) {
        rescue::rescue_each(context, std::iter::once(path.clone().into()));
        drop_old(context, (path, old), wanted, contents)?;
    }
    Ok(())
}

fn may_hold(
    context: &CommitContext<'_>,
    path: &Path,
    wanted: &ErasureMatcher<'_>,
    contents: &mut ErasedContents,
) -> bool {
    // A file that can't be read may hold it.
    let Ok((bytes, _)) = context.host.disk.read(path, 0, None) else { return true };
    if bytes.iter().all(|byte| *byte == b'\n') {
        return false;
    }
    let relative = &*context.relative(path).unwrap_or_else(|| path.to_owned());
    // Files that depend on each other may repeat each other's content.
    let is_bound = context.format.forbids_rebase(relative);
    // A file that is no plain log may have the content in another form: an index has its words.
    let replaced = path.file_name().and_then(OldFileName::read).map(|own| own.file);
    let is_packed = |own: &Path| FileCompression::of(own).is_some();
    let is_other = !is_log_or_copy(relative)
        || is_packed(&original(relative))
        || replaced.is_some_and(|own| is_packed(&own));
    is_other
        || contents.see(wanted, relative, &bytes) > 0
        || is_bound
        || Needles::of(&contents.main).any(&bytes)
        || wanted.values.any(&bytes)
}

/// Removes or overwrites an old file, even if it was renamed since: its number stays the same.
fn drop_old(
    context: &CommitContext<'_>,
    (path, old): (&Path, &OldFileName),
    wanted: &ErasureMatcher<'_>,
    contents: &ErasedContents,
) -> Result<(), CommitError> {
    let disk = context.host.disk;
    let folder = path.parent().unwrap_or(Path::new("/"));
    // Errors name the original file, because the old file's name has a digest of its content.
    let file = path.with_file_name(&old.file);
    let failed = |source| CommitError::io(&file, "erased everywhere (an old version of it stays)", source);
    // A folder may have been removed together with its last file.
    for item in optional(disk.list(folder)).map_err(failed)?.unwrap_or_default() {
        let Some(own) = OldFileName::read(&item.name).filter(|own| own.number == old.number) else {
            continue;
        };
        let path = folder.join(&item.name);
        let is_open = context.host.machine.may_be_open(&[&path]).first() != Some(&false);
        // With a second hard link it is another program's file or the current file: its bytes stay.
        let is_only = item.links == 1;
        let stays = is_open && is_only;
        let goes = |line: &[u8]| goes(wanted, contents, &path, line);
        let taken = taken_over(context, &path, &own, &|line| stays && !goes(line)).map_err(failed)?;
        match stays {
            true => empty(context, &path, &own, taken).map_err(failed)?,
            false => disk.remove(&path).map_err(failed)?,
        }
    }
    disk.sync_folder(folder).map_err(failed)
}

/// Takes over late writes to an old file, or quarantines them. Keeps an unfinished line that `goes_on`.
fn taken_over(
    context: &CommitContext<'_>,
    path: &Path,
    old: &OldFileName,
    goes_on: &dyn Fn(&[u8]) -> bool,
) -> io::Result<TakeoverPoint> {
    let disk = context.host.disk;
    let item = disk.look(path)?;
    let file = context.file_of(old, path)?.unwrap_or_else(|| path.with_file_name(&old.file));
    let is_same = disk.look(&file).is_ok_and(|now| now.generation.inode == item.generation.inode);
    let waits = || io::Error::from(io::ErrorKind::WouldBlock);
    let late = LateWrite::of(context, (path, old, None), &item.generation, true).ok_or_else(waits)?;
    let (begun, bytes) = match late {
        LateWrite::Nothing => (begun(context, path, old, item.generation.len)?, Vec::new()),
        LateWrite::Lines { begun, bytes } => (begun, bytes),
        LateWrite::Other { bytes, after } => {
            let is_kept = file_exchange::merge_late_write(context, path, old, &bytes)
                || late_writes::quarantine_late_write(context, &file, &bytes[after..]);
            let whole = TakeoverPoint { gone: bytes.len() as u64, begun: Vec::new() };
            return if is_kept || is_same { Ok(whole) } else { Err(waits()) };
        }
    };
    let taken = item.generation.len.min(old.taken);
    let whole = whole_lines(&bytes);
    let (begun_now, end) =
        if whole.is_empty() { (&begun[..], &bytes[..]) } else { (&b""[..], &bytes[whole.len()..]) };
    let line = [begun_now, end].concat();
    let stays = model::is_log(&old.file) && !is_same && !line.is_empty() && goes_on(&line);
    let (lines, len) = match stays {
        true => (whole.to_vec(), taken + whole.len() as u64),
        false => ([&bytes[..], line_end_for(&bytes)].concat(), taken + bytes.len() as u64),
    };
    let lines = late_writes::without_erased(context, &file, &begun, &lines).ok_or_else(waits)?;
    let add =
        || add_late_lines::add_late_lines(context, &mut SharedLock::default(), path, &file, (&begun, &lines));
    if !lines.is_empty() && !is_same && add().is_none() {
        return Err(waits());
    }
    let begun = if stays { begun_now.to_vec() } else { Vec::new() };
    Ok(TakeoverPoint { gone: len - begun.len() as u64, begun })
}

/// Returns the unfinished last line of an old log.
fn begun(context: &CommitContext<'_>, path: &Path, old: &OldFileName, len: u64) -> io::Result<Vec<u8>> {
    if !model::is_log(&old.file) {
        return Ok(Vec::new());
    }
    let (bytes, _) = context.host.disk.read(path, 0, Some(len))?;
    Ok(bytes[whole_lines(&bytes).len()..].to_vec())
}

/// Overwrites an old file that a program has open, except its unfinished line.
fn empty(
    context: &CommitContext<'_>,
    path: &Path,
    old: &OldFileName,
    taken: TakeoverPoint,
) -> io::Result<()> {
    let disk = context.host.disk;
    let since = context.host.machine.now().0.div_euclid(1_000_000);
    let len = taken.gone + taken.begun.len() as u64;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let to_overwrite = |path: &Path| disk.read(path, 0, Some(taken.gone)).map(|(bytes, _)| digest(&bytes));
    let before = to_overwrite(path)?;
    let marked = path.with_file_name(old.while_blanked(len, since).name());
    match disk.rename(path, &marked) {
        // It was the current file itself, which is in its place again.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        outcome => outcome?,
    }
    disk.sync_folder(folder)?;
    if to_overwrite(&marked)? != before {
        // A program wrote over it meanwhile: the next start takes that over.
        disk.rename(&marked, path)?;
        disk.sync_folder(folder)?;
        return Err(io::ErrorKind::WouldBlock.into());
    }
    disk.blank(&marked, taken.gone)?;
    let mut now = vec![b'\n'; usize::try_from(taken.gone).unwrap_or_default()];
    now.extend(taken.begun);
    let next = path.with_file_name(old.up_to(&now, since).name());
    disk.rename(&marked, &next)?;
    context.replaced.borrow_mut().push(next.into());
    Ok(())
}

/// True if an unfinished line seems to be erased or repeats an erased text, which a search would find.
fn goes(wanted: &ErasureMatcher<'_>, contents: &ErasedContents, path: &Path, line: &[u8]) -> bool {
    let (all, main) = contents.needles();
    all.any(line) || wanted.values.any(line) || wanted.is_erased(path, line, None, Some(&main))
}
