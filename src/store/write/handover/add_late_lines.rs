//! Adds late lines to the file that replaced theirs. Others may be in the middle of a line there,
//! and write at any moment.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::rescue::note_left_files;
use super::wait_for_line_end::{is_fresh, whole_lines};
use crate::disk::{Disk, WritableFile, optional};
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::plan::line_end_for;
use crate::model::snapshot::Generation;
use crate::model::{Change, Lock, PathText, Plan, Verb};
use crate::store::hidden_names::OldFileName;
use crate::store::lock::{LockGuard, WaitPolicy};
use crate::store::write::CommitContext;
use crate::store::write::apply::line_index::first_line;
use crate::store::write::apply::{ApplyProgress, apply_plan, owner_and_mode};

/// How long to wait for a lock that agents take again and again: one try would hardly ever get it.
const A_MOMENT: Duration = Duration::from_millis(500);

/// How often palimp tries again if others write in the same moment.
const TRIES: usize = 5;

enum AddOutcome {
    Yes,
    /// Others wrote, or replaced the file, between a check and the next call.
    Again,
    /// These bytes of ours are inside a line that others began in that moment.
    Within(Vec<u8>),
}

/// The lock for late lines: taken once for all of them, with one wait only.
#[derive(Default)]
pub struct SharedLock<'a> {
    held: Option<(Lock, LockGuard<'a>)>,
    refused: Vec<Lock>,
}

impl<'a> SharedLock<'a> {
    /// Takes the lock of a file; `None` if others hold it.
    fn take(&mut self, context: &CommitContext<'a>, file: &Path) -> Option<()> {
        let protocol = context.protocol(&[file]);
        if self.held.as_ref().is_some_and(|(own, held)| *own == protocol && held.still_ours()) {
            return Some(());
        }
        self.release();
        if self.refused.contains(&protocol) {
            return None;
        }
        let is_busy = context.is_busy.get();
        let usual = context.patience();
        let wait = if is_busy { A_MOMENT.min(usual.wait) } else { Duration::ZERO };
        match context.lock_as(&[file], WaitPolicy { wait, ..usual }) {
            Ok(held) => self.held = Some((protocol, held)),
            Err(_) => self.refused.push(protocol),
        }
        self.held.as_ref().map(|_| ())
    }

    /// Releases it before a call that takes its own lock.
    pub fn release(&mut self) {
        self.held = None;
    }
}

/// Adds late lines to the file, under its lock, durably. Skips lines that were added before a
/// crash. If the file is gone, creates it with the owner and mode of `old`.
pub fn add_late_lines<'a>(
    context: &CommitContext<'a>,
    lock: &mut SharedLock<'a>,
    old: &Path,
    file: &Path,
    (begun, lines): (&[u8], &[u8]),
) -> Option<()> {
    let relative = context.relative(file)?;
    for _ in 0..TRIES {
        lock.take(context, &relative)?;
        match add_lines(context, old, file, begun, lines)? {
            AddOutcome::Yes => return Some(()),
            AddOutcome::Again => {}
            AddOutcome::Within(bytes) => {
                lock.release();
                take_out(context, file, &bytes, b"")?;
            }
        }
    }
    None
}

/// Moves our lines to before the line of another program that they cut in two.
pub fn move_before(context: &CommitContext<'_>, cutting: Vec<(PathBuf, Vec<u8>)>) {
    for (file, bytes) in cutting {
        let lines = bytes.strip_prefix(b"\n").unwrap_or(&bytes);
        if take_out(context, &file, &bytes, lines).is_none() {
            let file = file.to_text();
            context.note(format!(
                "the new line in {file} is in the middle of a line that another program wrote. Both are there, and broken. `palimp check` names the line"
            ));
        }
    }
}

/// Returns `None` if the lines have to wait.
fn add_lines(
    context: &CommitContext<'_>,
    old: &Path,
    file: &Path,
    begun: &[u8],
    lines: &[u8],
) -> Option<AddOutcome> {
    let (host, disk) = (context.host, context.host.disk);
    let mut out = optional(disk.append(file)).ok()?.map_or_else(|| made_as(context, old, file), Some)?;
    let mut log = TargetLog::of(disk.read(file, 0, None).ok()?);
    // If others wrote after the line that these continue, it is repeated in full. If only its line end is late, it is
    // complete and not repeated.
    let whole = match lines.strip_prefix(b"\n") {
        Some(rest) if !begun.is_empty() => rest.to_vec(),
        _ => [begun, lines].concat(),
    };
    let (bytes, is_last) = loop {
        let is_last = !begun.is_empty() && log.now[whole_lines(&log.now).len()..] == *begun;
        let end = if is_last { b"" } else { line_end_for(&log.now) };
        // An agent is in the middle of a line: our bytes would cut it in two.
        if !end.is_empty() && is_fresh(host.machine, &log.seen) {
            return None;
        }
        let taken = || {
            let name = OldFileName::read(old.file_name()?)?;
            disk.read(old, 0, Some(name.taken)).ok().map(|(bytes, _)| bytes)
        };
        let new = if is_last { lines } else { &whole[log.known(&whole, taken)?..] };
        if new.is_empty() {
            return Some(AddOutcome::Yes);
        }
        match log.grown(disk, file, out.as_ref(), &whole) {
            Some(false) => break ([end, new].concat(), is_last),
            Some(true) => {}
            None => return Some(AddOutcome::Again),
        }
    };
    let seen = log.seen;
    out.write(&bytes).ok()?;
    if cuts_a_line(disk, file, &seen, &bytes, is_last)? {
        return Some(AddOutcome::Within(bytes));
    }
    // The folder, too: the file may be new, from here or from a process that died before it synced.
    let folder = file.parent().unwrap_or(Path::new("/"));
    out.sync().and_then(|()| disk.sync_folder(folder)).ok()?;
    let is_there = disk.look(file).is_ok_and(|item| is_same(&item.generation, &seen));
    Some(if is_there { AddOutcome::Yes } else { AddOutcome::Again })
}

/// Creates a file in place of one that is gone, with the mode and owner of `old`. What the system
/// refuses becomes a note.
fn made_as<'a>(context: &CommitContext<'a>, old: &Path, file: &Path) -> Option<Box<dyn WritableFile + 'a>> {
    let disk = context.host.disk;
    let mut out = disk.create(file, PRIVATE_MODE).ok()?;
    let lacks = match disk.look(old) {
        Ok(had) => {
            let mode = had.mode_without_list();
            owner_and_mode::set_owner_and_mode(disk, file, out.as_mut(), had.owner, mode)
        }
        Err(_) => Vec::new(),
    };
    let relative = context.relative(file).unwrap_or_else(|| file.to_owned());
    let lacking = lacks.into_iter().map(|what| (what, vec![relative.clone()])).collect();
    owner_and_mode::sentences(&lacking).into_iter().for_each(|note| context.note(note));
    Some(out)
}

/// Removes our bytes from the line of others that they cut in two, and puts `lines` before it. The
/// result is a new file, so that late writes of others are taken over.
fn take_out(context: &CommitContext<'_>, file: &Path, bytes: &[u8], lines: &[u8]) -> Option<()> {
    let relative = context.relative(file)?;
    for _ in 0..TRIES {
        let (now, _) = context.host.disk.read(file, 0, None).ok()?;
        let Some(at) = memchr::memmem::rfind(&now, bytes) else { return Some(()) };
        let start = whole_lines(&now[..at]).len();
        let edits = vec![(start..start, lines.to_vec()), (at..at + bytes.len(), Vec::new())];
        let change = Change::edits(&relative, now.into(), edits);
        let plan = Plan { changes: vec![change], exact: true, ..context.unseen(Verb::Rescue) };
        if apply_plan::apply_plan(context, &plan, &mut ApplyProgress::default(), None).is_ok() {
            let olds = context.replaced.borrow().iter().map(|own| own.path.clone()).collect();
            note_left_files(&context.place, olds);
            return Some(());
        }
    }
    None
}

/// True if others wrote between the last look and our write, so that our bytes are inside a line of
/// theirs, or don't directly follow the line that they continue (`goes_on`).
pub fn cuts_a_line(
    disk: &dyn Disk,
    file: &Path,
    seen: &Generation,
    bytes: &[u8],
    goes_on: bool,
) -> Option<bool> {
    let (there, now) = disk.read(file, seen.len, None).ok()?;
    let Some(at) = memchr::memmem::find(&there, bytes) else { return Some(false) };
    Some(at > 0 && now.inode == seen.inode && (goes_on || there[at - 1] != b'\n'))
}

/// A log that gets late lines. Others add to it all the time, so only their additions are read again.
struct TargetLog {
    now: Vec<u8>,
    /// The file, with the length of `now`.
    seen: Generation,
    /// The number of bytes of the late lines that it has, if counted.
    known: Option<usize>,
    tries: usize,
}

impl TargetLog {
    fn of((now, seen): (Vec<u8>, Generation)) -> TargetLog {
        TargetLog { seen: Generation { len: now.len() as u64, ..seen }, now, known: None, tries: TRIES }
    }

    fn known(&mut self, lines: &[u8], before: impl FnOnce() -> Option<Vec<u8>>) -> Option<usize> {
        if self.known.is_none() {
            self.known = Some(known(&self.now, lines, before)?);
        }
        self.known
    }

    /// True if others added to it since it was read; reads that, too. `None` if it must be read in
    /// full: the late lines may be in it, or another file is in its place.
    fn grown(&mut self, disk: &dyn Disk, file: &Path, out: &dyn WritableFile, lines: &[u8]) -> Option<bool> {
        let there = out.generation().ok().filter(|there| is_same(there, &self.seen))?;
        if there.len == self.seen.len {
            return Some(false);
        }
        self.tries = self.tries.checked_sub(1)?;
        let (more, seen) = disk.read(file, self.seen.len, None).ok()?;
        let from = whole_lines(&self.now).len();
        self.now.extend(&more);
        let may_be_known = self.known.is_some_and(|known| {
            known > 0 || line_starts(&self.now[from..], first_line(lines)).next().is_some()
        });
        let is_it = is_same(&seen, &self.seen) && !more.is_empty() && !may_be_known;
        self.seen = Generation { len: self.now.len() as u64, ..seen };
        is_it.then_some(true)
    }
}

fn is_same(one: &Generation, other: &Generation) -> bool {
    (one.device, one.inode) == (other.device, other.inode)
}

/// Returns how many bytes of the lines the file has already, from before a crash. Equal lines that
/// the old file had `before` may be in it, too, and don't count; `None` if those can't be read. If
/// an erasure emptied the old file, they are unknown: all of them, or what the file ends with, count as added.
fn known(now: &[u8], lines: &[u8], before: impl FnOnce() -> Option<Vec<u8>>) -> Option<usize> {
    let first = first_line(lines);
    if line_starts(now, first).next().is_none() {
        return Some(0);
    }
    let before = before()?;
    let same = |at: usize| now[at..].iter().zip(lines).take_while(|(now, line)| now == line).count();
    let at = match before.starts_with(b"\n") {
        true => line_starts(now, first)
            .last()
            .filter(|at| now.len() - at == same(*at) || same(*at) == lines.len()),
        false => line_starts(now, first).nth(line_starts(&before, first).count()),
    };
    Some(at.map_or(0, |at| whole_lines(&lines[..same(at)]).len()))
}

fn line_starts<'b>(bytes: &'b [u8], line: &'b [u8]) -> impl Iterator<Item = usize> + use<'b> {
    memchr::memmem::find_iter(bytes, line).filter(|at| *at == 0 || bytes[at - 1] == b'\n')
}
