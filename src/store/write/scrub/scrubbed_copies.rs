//! Notes which copies an erasure has cleaned. Others may hold an erased record without an id, unrecognized.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ErasureLine;
use crate::disk::Disk;
use crate::model::time::DAY;
use crate::model::{BackupCopy, Moment, Store};
use crate::store::steps::list_backups;
use crate::store::steps::pending_erasure::json_lines;
use crate::store::write::{CommitContext, CommitError, Vault};

/// A cleaned copy, as it was afterwards. This note has no content.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ScrubbedCopy {
    #[serde(with = "crate::model::path_text::serde_path")]
    copy: PathBuf,
    inode: u64,
    bytes: u64,
    modified: i64,
    steps: Vec<u64>,
}

/// The erasures that cleaned each copy.
pub(super) type ScrubbedBy = HashMap<PathBuf, Vec<u64>>;

/// Inode, length and time of the last write: they distinguish a file from one that replaces it.
type FileIdentity = (u64, u64, i64);

/// The copies in the store before a sweep.
pub(super) type CopyIdentities = HashMap<PathBuf, FileIdentity>;

const LOOKED: &str = "looked.jsonl";

/// The reason why a copy may hold an erased record that can't be recognized in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyDoubt {
    /// The step of the erasure that has not cleaned it.
    pub step: u64,
    /// The time of that erasure.
    pub at: String,
    /// True if an erasure removed parts of documents, which other records may repeat.
    pub of_parts: bool,
}

impl Vault<'_> {
    /// Returns a doubt if the copy may hold an erased record without an id: it may be older than the
    /// erasure, and the erasure has not cleaned it as it is.
    pub fn doubt(&self, root: &Path, copy: &BackupCopy, erased: &[ErasureLine]) -> Option<CopyDoubt> {
        let nameless: Vec<&ErasureLine> = erased.iter().filter(|line| line.record.id.is_none()).collect();
        if nameless.is_empty() {
            return None;
        }
        let steps = through(self.disk, root, &copy.path, &self.looked());
        let line = nameless.iter().find(|line| !steps.contains(&line.step) && !is_later(copy, line))?;
        let of_parts = nameless.iter().any(|line| line.record.was.is_some());
        Some(CopyDoubt { step: line.step, at: line.at.clone(), of_parts })
    }

    /// If the list or a line can't be read, its copies count as not cleaned.
    fn looked(&self) -> Vec<ScrubbedCopy> {
        self.readable_lines(LOOKED).unwrap_or_default()
    }
}

/// True if the copy was made after the erasure. palimp's copies in the store are recognized by their
/// step, those in palimp's data by its clock. Other programs name copies by local time, which is ahead
/// of palimp's clock by less than a day.
fn is_later(copy: &BackupCopy, line: &ErasureLine) -> bool {
    if copy.made.is_some_and(|(step, len)| step > line.step && len == copy.bytes) {
        return true;
    }
    let margin = if is_in_our_data(&copy.path) { 0 } else { DAY };
    let erased = Moment::of(&line.at);
    copy.at.zip(erased).is_some_and(|(made, erased)| made > erased.plus(margin))
}

fn is_in_our_data(copy: &Path) -> bool {
    copy.is_absolute()
}

fn through(disk: &dyn Disk, root: &Path, copy: &Path, looked: &[ScrubbedCopy]) -> Vec<u64> {
    let Some(own_identity) = identity(disk, &root.join(copy)) else { return Vec::new() };
    let same = |own: &&ScrubbedCopy| own.copy == copy && (own.inode, own.bytes, own.modified) == own_identity;
    looked.iter().find(same).map(|own| own.steps.clone()).unwrap_or_default()
}

fn identity(disk: &dyn Disk, path: &Path) -> Option<FileIdentity> {
    let own = disk.look(path).ok()?.generation;
    Some((own.inode, own.len, i64::try_from(own.modified).ok()?))
}

/// Returns the erasures that cleaned each copy of the store.
pub fn gone_through(context: &CommitContext<'_>, store: &Store) -> Result<ScrubbedBy, CommitError> {
    let looked = context.vault.looked();
    let own = list_backups(store, &context.vault)?.into_iter();
    let all = own.map(|copy| {
        let steps = through(context.host.disk, &context.place.root, &copy.path, &looked);
        (copy.path, steps)
    });
    Ok(all.collect())
}

/// Returns the identities of the copies in the store.
pub fn identities(context: &CommitContext<'_>, store: &Store) -> Result<CopyIdentities, CommitError> {
    let own = list_backups(store, &context.vault)?.into_iter().filter(|copy| !is_in_our_data(&copy.path));
    let identity_of = |copy: &BackupCopy| identity(context.host.disk, &context.place.root.join(&copy.path));
    Ok(own.filter_map(|copy| Some((identity_of(&copy)?, copy.path))).map(|(own, path)| (path, own)).collect())
}

/// Notes that this erasure cleaned the copies that existed before the last sweep (`there`). Later copies
/// were not searched. Copies in palimp's data all count, because only palimp adds them.
pub fn note_through(
    context: &CommitContext<'_>,
    before: &ScrubbedBy,
    there: &CopyIdentities,
    step: u64,
) -> Result<(), CommitError> {
    if context.vault.erasure_list()?.iter().all(|line| line.record.id.is_some()) {
        return Ok(());
    }
    let mut lines = Vec::new();
    for BackupCopy { path, .. } in list_backups(&context.load(), &context.vault)? {
        let found = match is_in_our_data(&path) {
            true => identity(context.host.disk, &path),
            false => there.get(&path).copied(),
        };
        let Some((inode, bytes, modified)) = found else { continue };
        let mut steps = before.get(&path).cloned().unwrap_or_default();
        steps.push(step);
        lines.push(ScrubbedCopy { copy: path, inode, bytes, modified, steps });
    }
    context.vault.write_own_file(&context.vault.path(LOOKED), &json_lines(lines)?)
}
