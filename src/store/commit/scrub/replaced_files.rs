//! Second names of files that hold what is erased. Who has such a file open may go on writing to
//! it: then its content goes, and the name stays until nobody can.

use std::io;
use std::path::{Path, PathBuf};

use super::super::{CommitContext, CommitError};
use super::byte_search;
use crate::model;
use crate::store::commit::handover::add_late_lines;
use crate::store::commit::handover::add_late_lines::SharedLock;
use crate::store::commit::handover::file_exchange;
use crate::store::commit::handover::late_writes;
use crate::store::commit::handover::late_writes::LateWrite;
use crate::store::commit::handover::rescue;
use crate::store::commit::handover::wait_for_line_end::whole_lines;
use crate::store::compressed_files::FileCompression;
use crate::store::erase::{ErasedContents, ErasureMatcher, is_log_or_copy, original};
use crate::store::hidden_names::OldFileName;
use crate::store::own_files;

/// How far an old file is taken over.
struct TakeoverPoint {
    /// So many of its bytes go.
    gone: u64,
    /// What is taken over behind them of a line that goes on.
    begun: Vec<u8>,
}

/// Removes them or takes their content, when what others added by them has been taken over.
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
    // All are read before one goes: each may know more of what is erased.
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
    // One that can't be read now may hold it.
    let Ok((bytes, _)) = context.host.disk.read(path, 0, None) else { return true };
    if bytes.iter().all(|byte| *byte == b'\n') {
        return false;
    }
    let relative = &*context.relative(path).unwrap_or_else(|| path.to_owned());
    // Of files that are bound to each other one may repeat what another says.
    let is_bound = context.format.forbids_rebase(relative);
    // What is no plain log may say it in another way: an index has its words.
    let is_other = !is_log_or_copy(relative) || FileCompression::of(&original(relative)).is_some();
    is_other || contents.see(wanted, relative, &bytes) > 0 || is_bound || contents.main().any(&bytes)
}

/// Does it to an old file, whatever it is called by now.
fn drop_old(
    context: &CommitContext<'_>,
    (path, old): (&Path, &OldFileName),
    wanted: &ErasureMatcher<'_>,
    contents: &ErasedContents,
) -> Result<(), CommitError> {
    let disk = context.host.disk;
    let folder = path.parent().unwrap_or(Path::new("/"));
    // Its own name has a digest of what it holds.
    let file = path.with_file_name(&old.file);
    let failed = |source| CommitError::io(&file, "erased everywhere (an old version of it stays)", source);
    let items = match disk.list(folder) {
        // The last one that was in it took its folder with it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        items => items.map_err(failed)?,
    };
    for item in items {
        let Some(own) = OldFileName::read(&item.name).filter(|own| own.number == old.number) else {
            continue;
        };
        let path = folder.join(&item.name);
        let is_open = context.host.machine.may_be_open(&[&path]).first() != Some(&false);
        // By another name it is somebody else's, or the file itself.
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

/// Takes over what came to an old file since, or keeps it aside. A line that an agent is in the
/// middle of stays where that `goes_on`: its rest comes to it.
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
        LateWrite::Other { bytes } => {
            let is_kept = file_exchange::merge_late_write(context, path, old, &bytes)
                || late_writes::quarantine_late_write(context, &file, &bytes);
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
        false => (ended(&bytes), taken + bytes.len() as u64),
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

/// The line that had been begun where an old file was taken over.
fn begun(context: &CommitContext<'_>, path: &Path, old: &OldFileName, len: u64) -> io::Result<Vec<u8>> {
    if !model::is_log(&old.file) {
        return Ok(Vec::new());
    }
    let (bytes, _) = context.host.disk.read(path, 0, Some(len))?;
    Ok(bytes[whole_lines(&bytes).len()..].to_vec())
}

/// Leaves an old file with nothing that was in it but a line that goes on, for those who have it
/// open.
fn empty(
    context: &CommitContext<'_>,
    path: &Path,
    old: &OldFileName,
    taken: TakeoverPoint,
) -> io::Result<()> {
    let disk = context.host.disk;
    let since = context.host.machine.now().0.div_euclid(1_000_000);
    let len = taken.gone + taken.begun.len() as u64;
    let marked = path.with_file_name(old.while_blanked(len, since).name());
    match disk.rename(path, &marked) {
        // It was the file itself, and is there again.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        outcome => outcome?,
    }
    disk.sync_folder(path.parent().unwrap_or(Path::new("/")))?;
    disk.blank(&marked, taken.gone)?;
    let mut now = vec![b'\n'; usize::try_from(taken.gone).unwrap_or_default()];
    now.extend(taken.begun);
    let next = path.with_file_name(old.up_to(&now, since).name());
    disk.rename(&marked, &next)?;
    context.replaced.borrow_mut().push(next.into());
    Ok(())
}

/// Bytes that end in a line end; none where there are none.
fn ended(bytes: &[u8]) -> Vec<u8> {
    let end: &[u8] = if bytes.is_empty() || bytes.ends_with(b"\n") { b"" } else { b"\n" };
    [bytes, end].concat()
}

/// Whether an unfinished line of an old file is, by what there is of it, of what is erased, or repeats
/// whatever that said: it would be found by the search afterwards.
fn goes(wanted: &ErasureMatcher<'_>, contents: &ErasedContents, path: &Path, line: &[u8]) -> bool {
    let (all, main) = contents.needles();
    all.any(line) || wanted.is_erased(path, line, None, Some(&main))
}
