//! Late appends: lines that came to a file after it was replaced.
//!
//! An agent that takes no lock may have opened the file before the rename and write after
//! it. The old file is still there under a name of ours; what it gained is added to the file
//! that took its place. After a minute without any it goes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Writer;
use super::apply::whole_lines;
use super::hidden::Old;
use crate::disk::Disk;
use crate::model::plan::{PRIVATE, line_end_for};
use crate::model::{Plan, Store};
use crate::store::lock::{self, Patience};

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
                let file = path.with_file_name(&old.file);
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
        let file = path.with_file_name(&old.file);
        let own = disk.look(path).ok()?.generation;
        let now = disk.look(&file).ok().map(|item| item.generation);
        if now.is_some_and(|now| (now.device, now.inode) == (own.device, own.inode)) {
            // The rename never came: the file has two names, and needs one.
            let _ = disk.remove(path);
            return None;
        }
        if own.len < old.taken {
            // Somebody cut it: what it says now was never the file's.
            return None;
        }
        let is_over = self.host.machine.now().0.div_euclid(1_000_000) - old.since > WATCHED;
        if own.len == old.taken {
            if is_over {
                let _ = disk.remove(path);
            }
            return None;
        }
        let (late, _) = disk.read(path, old.taken, None).ok()?;
        let whole = whole_lines(&late);
        let rest = late.len() - whole.len();
        if whole.is_empty() && !is_over {
            return None;
        }
        // What is no whole line after a minute is a torn one, and is kept as such.
        let lines = if is_over && rest > 0 { [&late[..], b"\n"].concat() } else { whole.to_vec() };
        self.add(&file, &lines)?;
        let taken = if is_over { own.len } else { old.taken + whole.len() as u64 };
        let since = self.host.machine.now().0.div_euclid(1_000_000);
        let next = path.with_file_name(Old { since, taken, ..old.clone() }.name());
        let _ = disk.rename(path, &next);
        Some(memchr::memchr_iter(b'\n', &lines).count())
    }

    /// Adds late lines to the file, under its lock, durably; not those that a crash left
    /// there already.
    pub(super) fn add(&self, file: &Path, lines: &[u8]) -> Option<()> {
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
        let added = add_lines(host.disk, file, lines);
        held.release();
        added
    }
}

fn add_lines(disk: &dyn Disk, file: &Path, lines: &[u8]) -> Option<()> {
    let mut out = disk.append(file).or_else(|_| disk.create(file, PRIVATE)).ok()?;
    let (now, _) = disk.read(file, 0, None).ok()?;
    if memchr::memmem::find(&now, lines).is_some() {
        return Some(());
    }
    let bytes = [line_end_for(&now), lines].concat();
    out.write(&bytes).and_then(|()| out.sync()).ok()
}
