//! Rescues what others wrote to a file after it was replaced.
//!
//! An agent may have opened the file before the rename and write to it afterwards. The old file still exists
//! under a second name; its late lines are added to the file that replaced it. The second name is removed
//! when no process can have the file open, or after a minute without new lines.

use crate::store::write::derive::derive_files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::add_late_lines::SharedLock;
use super::late_writes::LateWrite;
use super::wait_for_line_end::{is_fresh, whole_lines};
use super::{add_late_lines, file_exchange, late_writes};
use crate::disk::optional;
use crate::model::snapshot::Generation;
use crate::model::{Bytes, Verb, is_log};
use crate::store::discovery::Place;
use crate::store::hidden_names::OldFileName;
use crate::store::write::CommitContext;
use crate::store::write::apply::replace_file::ReplacedFile;
use crate::store::write::apply::step_folders;

/// How long an old file is watched after it last grew, in seconds.
const WATCHED: i64 = 60;

/// The outcome of a look at an old file.
struct RescueOutcome {
    /// The number of lines added to the file that replaced it, if that was touched.
    lines: Option<usize>,
    /// The path of the old file, if it stays.
    left: Option<PathBuf>,
}

impl RescueOutcome {
    const GONE: RescueOutcome = RescueOutcome { lines: None, left: None };

    fn waits(path: &Path) -> RescueOutcome {
        RescueOutcome { lines: None, left: Some(path.to_owned()) }
    }
}

/// Looks after the files that this writer replaced. Returns the files that got lines: files derived
/// from them must be rebuilt.
pub fn rescue_own(context: &CommitContext<'_>) -> Vec<PathBuf> {
    let olds = std::mem::take(&mut *context.replaced.borrow_mut());
    look_after(context, olds.into_iter()).1
}

/// Looks after these replaced files. Hardly waits for a lock: the rest is done next time. Returns the number of rescued
/// lines.
pub fn rescue_each(context: &CommitContext<'_>, olds: impl Iterator<Item = ReplacedFile>) -> usize {
    let (count, touched) = look_after(context, olds);
    if !touched.is_empty() {
        derive_files::derive_touched(context, &touched, Verb::Rescue);
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
    // Checked before the files are read: a process that has closed a file can't add to it later.
    let open = context.host.machine.may_be_open(&paths);
    let (mut count, mut touched, mut left) = (0, Vec::new(), Vec::new());
    let mut lock = SharedLock::default();
    for ((old, ReplacedFile { path, content: held }), is_open) in olds.iter().zip(open) {
        // If palimp can't find out which file it belongs to, it waits.
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
        note_left_files(&context.place, left);
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
    let looked = |path: &Path| optional(disk.look(path)).map(|item| Some(item?.generation));
    let own = match looked(path) {
        Ok(Some(own)) => own,
        Ok(None) => return RescueOutcome::GONE,
        Err(_) => return RescueOutcome::waits(path),
    };
    let Ok(now) = looked(file) else { return RescueOutcome::waits(path) };
    if now.is_some_and(|now| (now.device, now.inode) == (own.device, own.inode)) {
        // The rename did not happen: the file has two names and needs one.
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
                // If nothing more is expected, an incomplete line is kept as a torn line.
                false => {
                    let taken = if is_over { bytes.len() } else { whole };
                    take_lines(context, lock, (path, old), file, (&begun, &bytes[..taken]), is_open)
                }
            }
        }
        LateWrite::Other { .. } if !is_over => RescueOutcome::waits(path),
        LateWrite::Other { bytes, after } => {
            let merged = file_exchange::merge_late_write(context, path, old, &bytes);
            if !merged && !late_writes::quarantine_late_write(context, file, &bytes[after..]) {
                return RescueOutcome::waits(path);
            }
            let outcome = match is_open && disk.look(path).is_ok() {
                true => RescueOutcome::waits(&go_on(context, path, old, bytes.len())),
                false => drop_name(context, path, now),
            };
            RescueOutcome { lines: merged.then_some(0), ..outcome }
        }
    }
}

/// Renames an old file to watch it after its first `taken` bytes. Returns its name.
fn go_on(context: &CommitContext<'_>, path: &Path, old: &OldFileName, taken: usize) -> PathBuf {
    let since = context.host.machine.now().0.div_euclid(1_000_000);
    let Ok((begun, _)) = context.host.disk.read(path, 0, Some(taken as u64)) else { return path.to_owned() };
    let next = path.with_file_name(old.up_to(&begun, since).name());
    let is_named = context.host.disk.rename(path, &next).is_ok();
    if is_named { next } else { path.to_owned() }
}

/// Adds late lines of an old file to the file that replaced it.
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
    // If the list of erased records can't be read, the lines wait.
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
    let next = go_on(context, path, old, old.taken as usize + taken);
    RescueOutcome { lines: count, left: Some(next) }
}

/// Removes an old file's second name, and folders that waited for that.
fn drop_name(context: &CommitContext<'_>, path: &Path, now: Option<Generation>) -> RescueOutcome {
    if optional(context.host.disk.remove(path)).is_err() {
        return RescueOutcome::waits(path);
    }
    leave(context, path, now.is_none());
    RescueOutcome::GONE
}

/// Removes the folders that should go with the file and had to wait for its second name. They go if
/// they are empty; the store's root stays.
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

/// What this process left, by store.
static LEFT: Mutex<BTreeMap<PathBuf, (Place, Vec<PathBuf>)>> = Mutex::new(BTreeMap::new());

/// Notes second names that are left in a store.
pub fn note_left_files(place: &Place, names: Vec<PathBuf>) {
    if let Ok(mut left) = LEFT.lock() {
        let place = Place::whole(place.root.clone(), place.format);
        left.entry(place.root.clone()).or_insert((place, Vec::new())).1.extend(names);
    }
}

/// Returns the stores in which this process left second names since the last call, and these names.
pub fn take_left_files() -> Vec<(Place, Vec<PathBuf>)> {
    LEFT.lock().map(|mut left| std::mem::take(&mut *left).into_values().collect()).unwrap_or_default()
}
