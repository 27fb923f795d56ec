//! Late appends: lines that came to a file after it was replaced.
//!
//! An agent that takes no lock may have opened the file before the rename and write after
//! it. The old file is still there under a name of ours; what it gained is added to the file
//! that took its place. After a minute without any it goes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::hidden::Old;
use super::unfinished::{is_fresh, whole_lines};
use super::{Host, Writer};
use crate::disk::Disk;
use crate::model::plan::{PRIVATE, apply, line_end_for, whole_lines as split};
use crate::model::{Plan, Record, Span, Store};
use crate::store::erase::{Target, Wanted};
use crate::store::lock::{self, Patience};
use crate::text::lines;

/// So long, in seconds, an old file is watched after it last grew.
const WATCHED: i64 = 60;

impl Writer<'_> {
    /// Looks after every replaced file of the store. Never waits for a lock: what can't be
    /// done now is done next time. Returns how many lines were rescued.
    pub fn rescue(&self, store: &Store) -> usize {
        self.rescue_each(store.own.iter().map(|own| self.path(own)))
    }

    pub(super) fn rescue_each(&self, olds: impl Iterator<Item = PathBuf>) -> usize {
        let (mut count, mut touched) = (0, Vec::new());
        for path in olds {
            let Some(old) = path.file_name().and_then(Old::read) else { continue };
            if let Some(lines) = self.rescue_one(&path, &old) {
                count += lines;
                let file = old.file_of(self.host.disk, &path);
                touched.extend(file.strip_prefix(&self.place.root).ok().map(Path::to_owned));
            }
        }
        if !touched.is_empty() {
            self.derive(&touched, &Plan::new("rescue", &self.place.root, self.place.format));
        }
        count
    }

    /// The number of lines that were rescued; `None` where there was nothing to be done.
    fn rescue_one(&self, path: &Path, old: &Old) -> Option<usize> {
        let disk = self.host.disk;
        let file = old.file_of(disk, path);
        let own = disk.look(path).ok()?.generation;
        let now = disk.look(&file).ok().map(|item| item.generation);
        if now.is_some_and(|now| (now.device, now.inode) == (own.device, own.inode)) {
            // The rename never came: the file has two names, and needs one.
            let _ = disk.remove(path);
            return None;
        }
        if !self.holds_what_was_taken(path, &disk.look(path).ok()?, old)? {
            self.join_changed(path, old)?;
            return Some(0);
        }
        let is_over = self.host.machine.now().0.div_euclid(1_000_000) - old.since > WATCHED;
        if own.len <= old.taken {
            // Where somebody cut it, what it says now was never the file's.
            if is_over {
                let _ = disk.remove(path);
                self.leave(path, now.is_none());
            }
            return None;
        }
        let (late, _) = disk.read(path, old.taken, None).ok()?;
        let whole = whole_lines(&late).len();
        if whole == 0 && !is_over {
            return None;
        }
        // What is no whole line after a minute is a torn one, and is kept as such.
        let taken = if is_over { late.len() } else { whole };
        let end: &[u8] = if taken > whole { b"\n" } else { b"" };
        let begun = begun(disk, path, old.taken)?;
        let late = [&late[..taken], end].concat();
        // Where the list of what was erased can't be read, they wait.
        let lines = self.without_erased(&file, &begun, &late)?;
        if !lines.is_empty() {
            self.add(&file, &begun, &lines)?;
        }
        let since = self.host.machine.now().0.div_euclid(1_000_000);
        let (begun, _) = disk.read(path, 0, Some(old.taken + taken as u64)).ok()?;
        let next = path.with_file_name(old.up_to(&begun, since).name());
        let _ = disk.rename(path, &next);
        Some(memchr::memchr_iter(b'\n', &lines).count())
    }

    /// Late lines without records that were erased: an agent that had the file open may have
    /// written them once more. `None` where nobody can say which those are.
    fn without_erased(&self, file: &Path, begun: &[u8], late: &[u8]) -> Option<Vec<u8>> {
        let erased = self.vault.erased().ok()?;
        let relative = file.strip_prefix(&self.place.root).ok()?;
        let targets: Vec<Target> = erased.into_iter().map(|line| line.record).collect();
        if targets.is_empty() {
            return Some(late.to_vec());
        }
        let wanted = Wanted::of(self.format, self.store, &targets, self.host.now);
        let whole = [begun, late].concat();
        let records = wanted.read(relative, &whole);
        let raw =
            |own: &Record| whole.get(own.span.start as usize..own.span.end as usize).unwrap_or_default();
        let taken = records.iter().filter(|own| wanted.takes(relative, raw(own), own.view(), None));
        // What had been begun stands in the file: only its rest does not come.
        let (begun_on, new): (Vec<Span>, Vec<Span>) =
            taken.map(|own| own.span).partition(|span| span.start < begun.len() as u64);
        let rest = |span: Span| (begun.len()..(span.end as usize).max(begun.len()), Vec::new());
        let mut edits = lines::holes(&whole, &new);
        edits.extend(begun_on.into_iter().map(rest));
        Some(apply(&whole, &split(&whole, edits)).split_off(begun.len()))
    }

    /// A folder that was to go with the file had to wait for the file's second name, and those
    /// above it that were to go, too. They go if they are empty; the store's own stays.
    fn leave(&self, old: &Path, is_gone: bool) {
        let root = &self.place.root;
        let above = old.ancestors().skip(1).take_while(|folder| is_gone && *folder != root);
        for (number, folder) in above.enumerate() {
            let is_to_go = number == 0 || self.went(folder);
            if !is_to_go || self.host.disk.remove_folder(folder).is_err() {
                break;
            }
        }
    }

    /// Adds late lines to the file, under its lock, durably; not those that a crash left
    /// there already.
    pub(super) fn add(&self, file: &Path, begun: &[u8], lines: &[u8]) -> Option<()> {
        let host = self.host;
        let relative = file.strip_prefix(&self.place.root).ok()?;
        let protocol = self.protocol(&[relative]);
        let held = lock::acquire(
            host.disk,
            host.machine,
            &protocol,
            "write",
            "palimp",
            &Patience::of(Duration::ZERO),
        )
        .ok()?;
        let added = add_lines(host, file, begun, lines);
        held.release();
        added
    }
}

/// The line that had been begun where a file was taken over up to `taken`: its rest is late.
fn begun(disk: &dyn Disk, path: &Path, taken: u64) -> Option<Vec<u8>> {
    let Some(last) = taken.checked_sub(1) else { return Some(Vec::new()) };
    if disk.read(path, last, Some(1)).ok()?.0 == b"\n" {
        return Some(Vec::new());
    }
    let (bytes, _) = disk.read(path, 0, Some(taken)).ok()?;
    Some(bytes[whole_lines(&bytes).len()..].to_vec())
}

fn add_lines(host: Host<'_>, file: &Path, begun: &[u8], lines: &[u8]) -> Option<()> {
    let disk = host.disk;
    let mut out = disk.append(file).or_else(|_| disk.create(file, PRIVATE)).ok()?;
    let (now, seen) = disk.read(file, 0, None).ok()?;
    let stands_last = !begun.is_empty() && now[whole_lines(&now).len()..] == *begun;
    // An agent is in the middle of a line: what is added now would cut it in two.
    if !stands_last && !now.ends_with(b"\n") && is_fresh(host.machine, &seen) {
        return None;
    }
    let bytes = match stands_last {
        true => lines.to_vec(),
        false => {
            let lines = behind_a_begun_line(begun, lines);
            let new = &lines[known(&now, &lines)..];
            if new.is_empty() {
                return Some(());
            }
            [line_end_for(&now), new].concat()
        }
    };
    // The name too: the file may have been made here, or by one who did not live to sync it.
    let folder = file.parent().unwrap_or(Path::new("/"));
    out.write(&bytes).and_then(|()| out.sync()).and_then(|()| disk.sync_folder(folder)).ok()
}

/// Late lines as they stand where others wrote behind the line that they begin in: that one
/// stands there whole, once more. Where only its end came it was whole already.
fn behind_a_begun_line(begun: &[u8], lines: &[u8]) -> Vec<u8> {
    match lines.strip_prefix(b"\n") {
        Some(rest) if !begun.is_empty() => rest.to_vec(),
        _ => [begun, lines].concat(),
    }
}

/// How many bytes of the lines stand in the file already: a crash came before that could be
/// written down.
fn known(now: &[u8], lines: &[u8]) -> usize {
    let first = &lines[..memchr::memchr(b'\n', lines).map_or(lines.len(), |feed| feed + 1)];
    let starts = |at: &usize| *at == 0 || now[at - 1] == b'\n';
    let Some(at) = memchr::memmem::find_iter(now, first).find(starts) else { return 0 };
    let same = now[at..].iter().zip(lines).take_while(|(now, line)| now == line).count();
    whole_lines(&lines[..same]).len()
}
