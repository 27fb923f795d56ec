//! What others wrote to a file after it was replaced.
//!
//! An agent may have opened the file before the rename and write after it. The old file is
//! still there under a name of ours; what it gained is added to the file that took its place.
//! The name goes as soon as no process can have the file open, and else after a minute in which
//! nothing came.

use crate::store::commit::derive::derive_files;
use std::path::{Path, PathBuf};

use super::add_late_lines::SharedLock;
use super::late_writes::LateWrite;
pub use super::replaced_file::ReplacedFile;
use super::wait_for_line_end::{is_fresh, whole_lines};
use super::watch_list;
use crate::disk::Lookup;
use crate::model::snapshot::Generation;
use crate::model::{Bytes, Store, is_log};
use crate::store::commit::CommitContext;
use crate::store::commit::apply::step_folders;
use crate::store::commit::handover::add_late_lines;
use crate::store::commit::handover::file_exchange;
use crate::store::commit::handover::late_writes;
use crate::store::hidden_names::OldFileName;

/// So long, in seconds, an old file is watched after it last grew.
pub const WATCHED: i64 = 60;

/// What became of an old file when it was looked after.
struct RescueOutcome {
    /// So many lines were added to the file that took its place, if it was touched.
    lines: Option<usize>,
    /// Where it still is.
    left: Option<PathBuf>,
}

impl RescueOutcome {
    const GONE: RescueOutcome = RescueOutcome { lines: None, left: None };

    fn waits(path: &Path) -> RescueOutcome {
        RescueOutcome { lines: None, left: Some(path.to_owned()) }
    }
}

/// Looks after every replaced file of the store. Hardly waits for a lock: what can't be done
/// now is done next time. Returns how many lines were rescued.
pub fn rescue(context: &CommitContext<'_>, store: &Store) -> usize {
    rescue_each(context, store.own_files.iter().map(|own| context.path(own).into()))
}

/// Looks after what this writer replaced. Which files lines were added to: what is derived
/// from those is to be made anew.
pub fn rescue_own(context: &CommitContext<'_>) -> Vec<PathBuf> {
    let olds = std::mem::take(&mut *context.replaced.borrow_mut());
    look_after(context, olds.into_iter()).1
}

pub fn rescue_each(context: &CommitContext<'_>, olds: impl Iterator<Item = ReplacedFile>) -> usize {
    let (count, touched) = look_after(context, olds);
    if !touched.is_empty() {
        derive_files::derive_touched(context, &touched, "rescue");
    }
    count
}

fn look_after(
    context: &CommitContext<'_>,
    olds: impl Iterator<Item = ReplacedFile>,
) -> (usize, Vec<PathBuf>) {
    let named = |own: ReplacedFile| Some((own.path.file_name().and_then(OldFileName::read)?, own));
    let olds: Vec<(OldFileName, ReplacedFile)> = olds.filter_map(named).collect();
    if olds.is_empty() {
        return (0, Vec::new());
    }
    let paths: Vec<&Path> = olds.iter().map(|(_, own)| &*own.path).collect();
    // Asked before anything is read: who has it not open now can add nothing later.
    let open = context.host.machine.may_be_open(&paths);
    let (mut count, mut touched, mut left) = (0, Vec::new(), Vec::new());
    let mut lock = SharedLock::default();
    for ((old, ReplacedFile { path, content: held }), is_open) in olds.iter().zip(open) {
        // In which file's place it was nobody may be able to tell now: it waits.
        let Ok(file) = context.file_of(old, path) else {
            left.push(path.clone());
            continue;
        };
        let file = file.unwrap_or_else(|| path.with_file_name(&old.file));
        let looked = rescue_one(context, &mut lock, (path, old, held.as_ref()), &file, is_open);
        if let Some(lines) = looked.lines {
            count += lines;
            touched.extend(file.strip_prefix(&context.place.root).ok().map(Path::to_owned));
        }
        left.extend(looked.left);
    }
    if !left.is_empty() {
        watch_list::note_replaced(&context.place, context.host.data, left);
    }
    (count, touched)
}

fn rescue_one<'a>(
    context: &CommitContext<'a>,
    lock: &mut SharedLock<'a>,
    (path, old, held): (&Path, &OldFileName, Option<&Bytes>),
    file: &Path,
    is_open: bool,
) -> RescueOutcome {
    let disk = context.host.disk;
    let looked = |path: &Path| Lookup::from(disk.look(path)).map(|item| item.generation).optional();
    let own = match looked(path) {
        Ok(Some(own)) => own,
        Ok(None) => return RescueOutcome::GONE,
        Err(_) => return RescueOutcome::waits(path),
    };
    let Ok(now) = looked(file) else { return RescueOutcome::waits(path) };
    if now.is_some_and(|now| (now.device, now.inode) == (own.device, own.inode)) {
        // The rename never came: the file has two names, and needs one.
        return drop_name(context, path, now);
    }
    let age = context.host.machine.now().0.div_euclid(1_000_000) - old.since;
    let is_over = !is_open || age > WATCHED;
    let Some(late) = LateWrite::of(context, (path, old, held), &own, is_over) else {
        return RescueOutcome::waits(path);
    };
    if matches!(late, LateWrite::Lines { .. }) && is_fresh(context.host.machine, &own) {
        context.is_busy.set(true);
    }
    if matches!(late, LateWrite::Other { .. }) {
        lock.release();
    }
    match late {
        LateWrite::Nothing if is_over => drop_name(context, path, now),
        LateWrite::Nothing => RescueOutcome::waits(path),
        LateWrite::Lines { begun, bytes } => {
            let whole = whole_lines(&bytes).len();
            match whole == 0 && !is_over {
                true => RescueOutcome::waits(path),
                // What is no whole line after a minute is a torn one, and is kept as such.
                false => {
                    let taken = if is_over { bytes.len() } else { whole };
                    take_lines(context, lock, (path, old), file, (&begun, &bytes[..taken]), is_open)
                }
            }
        }
        LateWrite::Other { .. } if !is_over => RescueOutcome::waits(path),
        LateWrite::Other { bytes } if file_exchange::merge_late_write(context, path, old, &bytes) => {
            match is_open && disk.look(path).is_ok() {
                true => RescueOutcome { lines: Some(0), left: Some(go_on(context, path, old, &bytes)) },
                false => RescueOutcome { lines: Some(0), ..drop_name(context, path, now) },
            }
        }
        LateWrite::Other { bytes } if late_writes::quarantine_late_write(context, file, &bytes) => {
            match is_open {
                true => RescueOutcome { lines: None, left: Some(go_on(context, path, old, &bytes)) },
                false => drop_name(context, path, now),
            }
        }
        LateWrite::Other { .. } => RescueOutcome::waits(path),
    }
}

/// Goes on watching an old file of which those bytes are taken over: under which name.
fn go_on(context: &CommitContext<'_>, path: &Path, old: &OldFileName, taken: &[u8]) -> PathBuf {
    let since = context.host.machine.now().0.div_euclid(1_000_000);
    let next = path.with_file_name(old.up_to(taken, since).name());
    let is_named = context.host.disk.rename(path, &next).is_ok();
    if is_named { next } else { path.to_owned() }
}

/// Adds lines that came late to the file that took the place of theirs.
fn take_lines<'a>(
    context: &CommitContext<'a>,
    lock: &mut SharedLock<'a>,
    (path, old): (&Path, &OldFileName),
    file: &Path,
    (begun, late): (&[u8], &[u8]),
    is_open: bool,
) -> RescueOutcome {
    let disk = context.host.disk;
    let taken = late.len();
    let end: &[u8] = if late.ends_with(b"\n") { b"" } else { b"\n" };
    let late = [late, end].concat();
    // Where the list of what was erased can't be read, they wait.
    let Some(lines) = late_writes::without_erased(context, file, begun, &late) else {
        return RescueOutcome::waits(path);
    };
    if !lines.is_empty()
        && add_late_lines::add_late_lines(context, lock, path, file, (begun, &lines)).is_none()
    {
        return RescueOutcome::waits(path);
    }
    let count = Some(memchr::memchr_iter(b'\n', &lines).count());
    if !is_open {
        let now = disk.look(file).ok().map(|item| item.generation);
        return RescueOutcome { lines: count, ..drop_name(context, path, now) };
    }
    let begun = disk.read(path, 0, Some(old.taken + taken as u64)).map(|(begun, _)| begun);
    let next = begun.map_or_else(|_| path.to_owned(), |begun| go_on(context, path, old, &begun));
    RescueOutcome { lines: count, left: Some(next) }
}

/// Removes an old file's name, and a folder that had to wait for it.
fn drop_name(context: &CommitContext<'_>, path: &Path, now: Option<Generation>) -> RescueOutcome {
    match context.host.disk.remove(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => RescueOutcome::waits(path),
        _ => {
            leave(context, path, now.is_none());
            RescueOutcome::GONE
        }
    }
}

/// A folder that was to go with the file had to wait for the file's second name, and those
/// above it that were to go, too. They go if they are empty; the store's own stays.
fn leave(context: &CommitContext<'_>, old: &Path, is_gone: bool) {
    let root = &context.place.root;
    let file = old.file_name().and_then(OldFileName::read).map(|own| own.file).unwrap_or_default();
    let above = old.ancestors().skip(1).take_while(|folder| is_gone && *folder != root);
    for (number, folder) in above.enumerate() {
        let is_to_go = number == 0 && is_log(&file) || step_folders::was_removed(context, folder);
        if !is_to_go || context.host.disk.remove_folder(folder).is_err() {
            break;
        }
    }
}
