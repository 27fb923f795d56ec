//! Erasing: records, every copy of them, and then the search of every byte.
//!
//! An entry without content says "erasing" before anything is changed and is gone when the
//! search is over. Whatever cuts this short, the next start finishes it: what is erased is
//! known by its id, and what it said is taken from the versions that are still there. No step
//! keeps what an erasure takes out, so nothing undoes it.

mod byte_search;
mod count_versions;
mod erasure_list;
mod erasure_receipt;
mod finish_erasure;
mod git_history;
mod replaced_files;
mod restore_guard;
mod scrub_vault;
mod scrubbed_copies;
mod stale_plan_guard;
mod torn_tombstones;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use byte_search::SearchReport;
pub use count_versions::count_versions;
pub use erasure_list::ErasureLine;
pub use erasure_receipt::{ErasureReceipt, cannot_reach};
pub use git_history::GitHistory;
pub use scrub_vault::PendingErasure;
pub use scrubbed_copies::CopyDoubt;

use super::{CommitError, FilesState, Vault, Writer, file_line};
use crate::disk::Disk;
use crate::format::Placement;
use crate::format::writing::{NO_COMPRESSED_FILES, Refusal, WriteContext};
use crate::model::{Document, Moment, Plan, Role, Store};
use crate::store::commit::apply::apply_plan;
use crate::store::compressed_files::{FileCompression, inside};
use crate::store::erase::{
    CopySource, ERASE_UNPACK_LIMIT, ErasedContents, ErasureContext, ErasureMatcher, ErasureTarget,
    FileVisitor, OutsideFile, is_log_or_copy,
};
use crate::text::unpack::{gunzip, untar};

/// So often files are gone through again because others wrote meanwhile.
const ROUNDS: usize = 4;

/// What a store as it was read does not have: files that may hold records, and our own data.
pub struct UnreadSources<'a> {
    disk: &'a dyn Disk,
    root: &'a Path,
    vault: &'a Vault<'a>,
    /// Relative to the root, each with a hash of what it held.
    files: Vec<(PathBuf, u64)>,
    key: RandomState,
    /// What those held that others are known to change meanwhile: it is shown as it was taken in.
    held: HashMap<PathBuf, Vec<u8>>,
    /// Those that were shown, and that others changed since what they say was taken in.
    changed: RefCell<BTreeSet<PathBuf>>,
}

impl CopySource for UnreadSources<'_> {
    fn outside(&self, see: FileVisitor<'_>) -> Result<(), CommitError> {
        for (file, was) in &self.files {
            if let Some(bytes) = self.held.get(file) {
                see(OutsideFile { path: file, bytes, is_loose: false });
                continue;
            }
            // One that is gone by now holds nothing; one that can't be read is found by the search.
            let read = self.disk.read(&self.root.join(file), 0, None).map(|(bytes, _)| bytes);
            if !read.as_ref().is_ok_and(|bytes| self.key.hash_one(bytes) == *was) {
                self.changed.borrow_mut().insert(file.clone());
            }
            if let Ok(bytes) = read {
                see(OutsideFile { path: file, bytes: &bytes, is_loose: false });
            }
        }
        Ok(())
    }

    fn copies(&self, see: FileVisitor<'_>) -> Result<(), CommitError> {
        self.vault.each_copy(see)
    }
}

/// The files that a store as it was read has no bytes of, and that may hold records. What
/// they and our own data say of what is erased is taken in.
///
/// # Errors
///
/// If our own data can't be read: nobody knows what it says.
pub fn gather<'a>(
    disk: &'a dyn Disk,
    store: &'a Store,
    vault: &'a Vault<'a>,
    wanted: &ErasureMatcher<'_>,
    contents: &mut ErasedContents,
) -> Result<UnreadSources<'a>, CommitError> {
    gather_holding(disk, store, vault, wanted, contents, &BTreeSet::new())
}

/// The same, where others are known to change some files all the time.
fn gather_holding<'a>(
    disk: &'a dyn Disk,
    store: &'a Store,
    vault: &'a Vault<'a>,
    wanted: &ErasureMatcher<'_>,
    contents: &mut ErasedContents,
    busy: &BTreeSet<PathBuf>,
) -> Result<UnreadSources<'a>, CommitError> {
    let known: HashMap<&Path, &Arc<Document>> = store.documents.iter().map(|own| (&*own.path, own)).collect();
    for own in &store.documents {
        contents.see_document(wanted, own);
    }
    wanted.note_kept_lines(&store.documents);
    let (mut files, mut held, key) = (Vec::new(), HashMap::new(), RandomState::new());
    byte_search::each_file(disk, &store.root, 0, &mut |path, _| {
        let Ok(relative) = path.strip_prefix(&store.root) else { return };
        let is_read = known.get(relative).is_some_and(|own| !is_unread(own.role));
        let packing = FileCompression::of(relative);
        let placed = wanted.format.place(relative, false) == Placement::File(Role::Backup);
        if packing.is_none() && (is_read || !is_log_or_copy(relative) && !placed) {
            return;
        }
        let Ok((bytes, _)) = disk.read(path, 0, None) else { return };
        each_within(relative, &bytes, &mut |path, bytes| {
            contents.see(wanted, path, bytes);
        });
        if !path.file_name().is_some_and(super::is_ours) {
            files.push((relative.to_owned(), key.hash_one(&bytes)));
            if busy.contains(relative) {
                held.insert(relative.to_owned(), bytes);
            }
        }
    });
    vault.each_kept(&mut |path, own, bytes| match scrub_vault::is_step(path) && !is_log_or_copy(own) {
        // A few lines of a document are no record: another that has them is no copy of it.
        true => contents.see_lines(wanted, own, bytes),
        false => drop(contents.see(wanted, own, bytes)),
    })?;
    Ok(UnreadSources { disk, root: &store.root, vault, files, key, held, changed: RefCell::default() })
}

fn is_unread(role: Role) -> bool {
    matches!(role, Role::Backup | Role::Temp | Role::Lock | Role::Other)
}

/// What a file of those bytes says, by path: itself, what it is compressed from, or each file in it.
fn each_within(path: &Path, bytes: &[u8], see: &mut dyn FnMut(&Path, &[u8])) {
    match FileCompression::of(path) {
        None => see(path, bytes),
        Some(FileCompression::Gzip) => see(path, &gunzip(bytes, ERASE_UNPACK_LIMIT).content),
        Some(FileCompression::TarGzip) => {
            for member in untar(bytes, ERASE_UNPACK_LIMIT).content {
                see(&inside(path).join(member.path), &member.bytes);
            }
        }
    }
}

impl Writer<'_> {
    /// Erases, by the plan that was shown. Where it returns an error, its [`FilesState`] say what
    /// became of the files; what began is finished by the next start.
    ///
    /// # Errors
    ///
    /// If another holds the lock, a file is not as it was shown, or the system refuses a call.
    pub fn erase(
        &self,
        plan: &Plan,
        targets: &[ErasureTarget],
        reason: &str,
    ) -> Result<ErasureReceipt, CommitError> {
        // A list that can't be added to now would be found only when the data is gone.
        self.vault.erasure_list()?;
        self.none_is_pending()?;
        let entry = PendingErasure {
            step: self.vault.next_step()?,
            process: self.own_process(),
            at: self.host.now.to_rfc3339(),
            reason: reason.to_owned(),
            records: targets.to_vec(),
            files: plan.all().filter(|change| !change.is_empty()).map(file_line).collect(),
            with_torn: plan.with_torn.clone(),
        };
        let store = self.load();
        let wanted = ErasureMatcher::of(self.format, &store, &entry.records, self.host.now);
        let mut contents = ErasedContents::default();
        gather(self.host.disk, &store, &self.vault, &wanted, &mut contents)?;
        let through = self.gone_through(&store)?;
        self.vault.begin_erasing(&entry)?;
        if let Err((error, began)) = self.carry_bare(plan) {
            if !began {
                self.drop_adding();
                // An entry that stays is carried out by the next start.
                let is_over = self.vault.end_erasing().is_ok();
                return Err(error.with(if is_over { FilesState::Untouched } else { FilesState::Erasing }));
            }
            return Err(error.with(FilesState::Erasing));
        }
        let erased = self.finish(&entry, &wanted, contents, Some(&through));
        let notes = std::mem::take(&mut *self.notes.borrow_mut());
        erased.map(|own| ErasureReceipt { notes, ..own }).map_err(|error| error.with(FilesState::Erasing))
    }

    /// Refuses another erasure while one is not over: there is one entry, and what it names would
    /// be forgotten.
    fn none_is_pending(&self) -> Result<(), CommitError> {
        let Some(PendingErasure { step, .. }) = self.vault.erasing()? else { return Ok(()) };
        let message = format!(
            "step {step}, an erasure, was interrupted and is not finished. Every change of this store continues it. Remove what is in its way (a lock that is held, a file that can't be read or written), then erase again."
        );
        Err(CommitError::Refused(Refusal::new("E_CONCURRENT_MOD", message)))
    }

    /// Finishes an erasure that was interrupted, and tells what came of it. What it can't finish waits
    /// for the next start.
    pub(super) fn finish_erasing(&self) -> Result<Option<ErasureReceipt>, CommitError> {
        let Some(entry) = self.vault.erasing()? else { return Ok(None) };
        let wanted = ErasureMatcher::of(self.format, self.store, &entry.records, self.host.now);
        let finished =
            self.cut_torn().and_then(|()| self.finish(&entry, &wanted, ErasedContents::default(), None));
        match &finished {
            Ok(erased) => self.tell_finished(erased),
            Err(error) => self.note(format!(
                "step {}, an erasure that was interrupted, can't be finished yet ({}): what it erases may still be in \
                 places",
                entry.step,
                error.in_short()
            )),
        }
        Ok(finished.ok())
    }

    /// Carries a plan out that nothing takes back: tombstones first, durably.
    fn carry_bare(&self, plan: &Plan) -> Result<(), (CommitError, bool)> {
        let is_tombstone = |path: &Path| self.format.place(path, false) == Placement::File(Role::Tombstones);
        let bare = || Plan { exact: plan.exact, ..Plan::of_unread_store("erase", &plan.root, plan.format) };
        let (first, then) = plan.changes.iter().cloned().partition(|change| is_tombstone(&change.path));
        let parts = [
            Plan { changes: first, ..bare() },
            Plan { changes: then, derived: plan.derived.clone(), ..bare() },
        ];
        let mut began = false;
        self.keep_adding(plan).map_err(|error| (error, began))?;
        for part in parts {
            let mut carried = apply_plan::ApplyProgress::default();
            let outcome = apply_plan::apply_plan(self, &part, &mut carried, None);
            began |= carried.began;
            outcome.map_err(|error| (error, began))?;
            if carried.derive {
                self.derive(&carried.touched, part.verb);
            }
        }
        self.drop_adding();
        Ok(())
    }

    fn finish(
        &self,
        entry: &PendingErasure,
        wanted: &ErasureMatcher<'_>,
        mut contents: ErasedContents,
        through: Option<&scrubbed_copies::ScrubbedBy>,
    ) -> Result<ErasureReceipt, CommitError> {
        let mut with_torn: BTreeSet<String> = entry.with_torn.iter().cloned().collect();
        let (mut busy, mut round) = (BTreeSet::new(), 0);
        let (sought, changed, before) = loop {
            round += 1;
            self.scrub_replaced_files(wanted, &mut contents)?;
            let store = self.load();
            let before = self.identities(&store)?;
            let scene = WriteContext {
                store: &store,
                now: self.host.now,
                random: self.host.machine.random(),
                compressed_files: &NO_COMPRESSED_FILES,
            };
            let kept = gather_holding(self.host.disk, &store, &self.vault, wanted, &mut contents, &busy)?;
            let site = ErasureContext {
                scene: &scene,
                matcher: wanted,
                contents: &contents,
                copies: &kept,
                reason: &entry.reason,
                began: Moment::parse(&entry.at).map(|(when, _)| when),
            };
            let removal = site.removal();
            let changed = kept.changed.take();
            if !changed.is_empty() && round < ROUNDS {
                busy.extend(changed);
                continue;
            }
            let removal = removal.map_err(|error| match error {
                CommitError::Refused(why) => self.refused(&why),
                other => other,
            })?;
            // What was taken in may not be all that would be taken out.
            if !changed.is_empty() {
                break (removal.search_texts, changed, before);
            }
            with_torn.extend(removal.plan.with_torn.iter().cloned());
            if !removal.plan.is_empty() {
                self.carry_bare(&removal.plan).map_err(|(error, _)| error)?;
            }
            if removal.plan.is_empty() || round >= ROUNDS {
                break (removal.search_texts, changed, before);
            }
        };
        self.vault.list_erased(entry)?;
        self.vault.sweep(wanted, &sought, &entry.reason)?;
        // Where it was cut short, copies may have been written anew by then.
        self.note_through(through.unwrap_or(&scrubbed_copies::ScrubbedBy::new()), &before, entry.step)?;
        self.conclude(entry, (sought, &contents), &changed, with_torn, through.is_none())
    }

    fn refused(&self, why: &Refusal) -> CommitError {
        CommitError::NotErased { root: self.place.root.clone(), why: why.message.clone() }
    }
}
