//! The one way in which a user's files are changed, for all formats.
//!
//! What is new is written beside the file and made durable before anybody waits; the
//! format's lock is held for the commit alone; what others appended meanwhile is taken over,
//! before the rename and after it; a change in several files is taken back as a whole where
//! it can't be finished. Its undo data is durable before anything is changed.

mod apply;
mod error;
mod format_lock;
mod handover;
mod history;
mod open_writer;
mod paths;
mod recovery;
pub mod scrub;
mod vault;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::LazyLock;

pub use crate::model::deleted_from;
pub use apply::rebase_splices::merge;
pub use apply::replace_method::ReplaceMethod;
pub use error::{CommitError, FilesState, without_untouched};
pub use handover::hidden_names::{OldFileName, is_ours, is_temp};
pub use handover::watch_stores::{StoreToWatch, derive_at_once, take_stores_to_watch, watch, watch_due};
pub use history::deleted_records::{Deletions, DeletionsCache, held_bytes, with_deleted, without_deleted};
pub use history::journal_view::{ForeignChanges, JournalRow, JournalView, StepOutcome};
pub use history::last_change::{change_id, last_change};
pub use history::record_tracker::RecordTracker;
pub use history::undo_redo::StepHistory;
pub use recovery::leftover_files::is_left_over;
pub use vault::activity_log::LogLine;
pub use vault::backups::{BackupCopy, BackupReason, QuarantinedPiece, list_backups};
pub use vault::drafts::{
    DraftField, DraftOf, FormDraft, draft_kept_note, draft_lost_note, drop_form, find_form, keep_form,
    keep_text,
};
pub use vault::retention::undo_until;
pub use vault::store_registry::{interrupted_stores, is_settled};
pub use vault::undo_step::UndoStep;
pub use vault::verify_backup::{BackupCheck, NOT_VERIFIED};
pub use vault::{FileLine, JournalLine, UndoRedo, Vault, VaultState, make_folders};

use handover::rescue::ReplacedFile;

use super::discovery::Place;
use super::freshness::is_as_read;
use super::load::load_from;
use super::referenced_files;
use crate::disk::{Disk, Flock, Machine, RealDisk, ThisMachine};
use crate::format::Format;
use crate::format::tuning::StoreTuning;
use crate::model::{Change, Extent, Moment, PathText, Plan, Store};

/// A copy of up to so many bytes that rotation lets go is brought back by undo.
const KEPT_COPY_LIMIT: u64 = 64 << 10;

/// What a change is made with.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The file system.
    pub disk: &'a dyn Disk,
    /// Clocks and processes.
    pub machine: &'a dyn Machine,
    /// The folder of our own data.
    pub data: &'a Path,
    /// The time that is written down.
    pub now: Moment,
}

impl<'a> Host<'a> {
    /// This machine and its disk.
    pub fn here(data: &'a Path, now: Moment) -> Self {
        static HERE: LazyLock<ThisMachine> = LazyLock::new(ThisMachine::new);
        Host { disk: &RealDisk, machine: &*HERE, data, now }
    }
}

/// What a change came to.
#[derive(Clone, Debug)]
pub struct CommitReceipt {
    /// The step's number: `undo` takes it.
    pub step: u64,
    /// What went otherwise than it was shown: lines that others had added, and the like.
    pub notes: Vec<String>,
    /// Whether the journal has it. Where the system failed at that, the next start writes it
    /// down; a note says so.
    pub is_journalled: bool,
    /// Whether indexes and counts wait to be rebuilt.
    pub waits: bool,
    /// The plan that was carried out: not the one that was shown, where that was made anew.
    pub plan: Plan,
}

/// A store that this process alone of all palimps is changing.
pub struct Writer<'a> {
    host: Host<'a>,
    place: Place,
    store: &'a Store,
    format: &'static dyn Format,
    vault: Vault<'a>,
    rescued: usize,
    finished: Option<scrub::ErasureReceipt>,
    /// Whether others write to the store while this writer changes it.
    is_busy: Cell<bool>,
    /// How locks are waited for, and what is written later.
    tuning: StoreTuning,
    /// Second names of files that this writer replaced and did not look after yet.
    replaced: RefCell<Vec<ReplacedFile>>,
    /// What was found when the store was taken, until a receipt tells it.
    notes: RefCell<Vec<String>>,
    _own: Option<Box<dyn Flock + 'a>>,
}

impl<'a> Writer<'a> {
    /// Our own data about the store.
    pub fn vault(&self) -> &Vault<'a> {
        &self.vault
    }

    /// The store that it changes.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// How locks of the store are waited for, and what is written later.
    pub fn tuning(&self) -> &StoreTuning {
        &self.tuning
    }

    /// How many late lines were rescued when the store was taken.
    pub fn rescued(&self) -> usize {
        self.rescued
    }

    /// What came of an erasure that was interrupted, and that was finished when the store was taken. The
    /// notes tell it.
    pub fn finished(&self) -> Option<&scrub::ErasureReceipt> {
        self.finished.as_ref()
    }

    /// What was found when the store was taken and is to be said; the next receipt tells it.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// A plan of our own, of which nobody was shown anything.
    fn unseen(&self, verb: &'static str) -> Plan {
        Plan::of_unread_store(verb, &self.place.root, self.place.format)
    }

    fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    /// Carries a plan out. Where it returns an error, its [`FilesState`] say what became of the
    /// files.
    ///
    /// # Errors
    ///
    /// If another holds the lock, a file changed in the same place since it was read, or the system refuses a
    /// call.
    pub fn commit(&self, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        self.logged(plan, None)
    }

    fn commit_as(&self, plan: &Plan, turn: Option<UndoRedo>) -> Result<CommitReceipt, CommitError> {
        let plan = match plan.is_tail_append() {
            // Nothing that was there is in it.
            true => Cow::Borrowed(plan),
            false => self.refuse_stale_plan(self.with_folders(self.with_free_names(plan)))?,
        };
        let plan = &*self.with_expiring(self.with_saved_attributes(plan)?);
        let number = self.vault.next_step()?;
        let (kept, remade) = history::rebuild_derived::kept_of_derived(self, plan)?;
        let inverse = |change| self.bare_inverse(change);
        let mut step = UndoStep {
            line: JournalLine {
                at: self.host.now.to_rfc3339(),
                verb: plan.verb.to_owned(),
                records: plan.records as u64,
                turn,
                change: plan.change.clone(),
                ..JournalLine::default()
            },
            process: self.own_process(),
            changes: plan.changes.iter().rev().map(inverse).collect::<Result<_, _>>()?,
            derived: kept.into_iter().rev().map(inverse).collect::<Result<_, _>>()?,
            remade,
            twins: plan.changes.iter().flat_map(history::equal_records::remaining_equals_of).collect(),
            claimed: plan.already_restored.clone(),
            owed: plan.deferred.clone(),
        };
        // The next start finishes or undoes whatever is kept: a step that is refused here is neither.
        self.vault.keep(number, &step).inspect_err(|_| {
            if self.host.disk.look(&self.vault.step_path(number)).is_ok() {
                let _ = self.vault.forget(number);
            }
        })?;
        let mut carried = apply::apply_plan::ApplyProgress::default();
        if let Err(error) = apply::apply_plan::apply_plan(self, plan, &mut carried, Some((number, &mut step)))
        {
            return Err(self.taken_back(number, error, &carried));
        }
        let mut notes = std::mem::take(&mut *self.notes.borrow_mut());
        notes.append(&mut carried.notes);
        notes.extend(apply::restore_attributes::sentences(&carried.lacking));
        notes.extend(referenced_files::newly_missing(self.host.disk, self.store, plan, self.host.now));
        let mut line = JournalLine {
            step: number,
            files: plan.all().filter(|change| !change.is_empty()).map(file_line).collect(),
            format: self.place.format.to_owned(),
            as_planned: !carried.derive,
            guard: carried.guard.word(),
            ..step.line
        };
        for (path, before, after) in &carried.changed_lens {
            let own = line.files.iter_mut().find(|own| own.path == *path);
            own.into_iter().for_each(|own| (own.bytes_before, own.bytes_after) = (*before, *after));
        }
        let mut waits = false;
        if carried.derive {
            self.is_busy.set(self.is_busy.get() || carried.met_others);
            waits = self.note_derive_due(&carried.touched) && plan.derive_later && self.tuning.defers_indexes;
        }
        // Said as soon as the files hold it: what others write next makes it hard to tell. A
        // journal that can't say so is no reason to call it undone: its step file says the
        // same, and the next start writes the line.
        let journalled = self.vault.write(&line).map_err(|error| self.unjournalled(number, &error));
        // What the journal does not know is settled by its undo data.
        if journalled.is_ok()
            && let Err(error) = self.vault.drop_too_large(number)
        {
            let why = error.in_short();
            notes.push(format!("its undo data exceeds the limit and could not be removed: {why}"));
        }
        self.move_before(std::mem::take(&mut carried.splitting));
        // What came late is rescued first: what is derived is made anew once for both.
        let late = self.rescue_own();
        carried.derive |= !late.is_empty();
        carried.touched.extend(late);
        if carried.derive && !waits {
            let derived = self.derive_touched(&carried.touched, plan.verb);
            waits = derived != vault::pending_derive::DeriveOutcome::Rebuilt;
            notes.extend(derived.stale());
        }
        let is_journalled = journalled.is_ok();
        notes.extend(journalled.err());
        Ok(CommitReceipt { step: number, notes, is_journalled, waits, plan: plan.clone() })
    }

    /// What is said of a step that is made and that the journal could not take: its own file says
    /// the same, and the next start writes the line.
    fn unjournalled(&self, number: u64, error: &CommitError) -> String {
        let file = self.vault.step_path(number);
        format!(
            "the change is saved, but the journal is not: {}. Step {number} is kept in {}. The next start of palimp adds it to the journal; then `palimp undo {number}` undoes it",
            error.in_short(),
            file.to_text()
        )
    }

    fn own_process(&self) -> Option<i32> {
        i32::try_from(self.host.machine.own_process()).ok()
    }

    /// After a failure: nothing had been changed, or it is put back, or that waits.
    fn taken_back(
        &self,
        number: u64,
        error: CommitError,
        carried: &apply::apply_plan::ApplyProgress,
    ) -> CommitError {
        if !carried.began && carried.began_derived {
            // Nothing but what is derived was to be made anew: the next start finishes it.
            return error.with(FilesState::Halfway);
        }
        // What was only made goes without a lock and a trace: nobody knows it yet, and whoever
        // holds the lock keeps us waiting.
        let is_made_alone = !carried.began_there && !carried.began_derived;
        if !carried.began || (is_made_alone && self.unmake(&carried.created).is_ok()) {
            let _ = self.vault.forget(number);
            return error.with(FilesState::Untouched);
        }
        match self.settle(number, false) {
            Ok(recovery::recover_steps::RecoveryOutcome::Undone) => error.with(FilesState::Restored),
            _ => error.with(FilesState::Halfway),
        }
    }

    /// The plan that takes the last step back, or that one.
    ///
    /// # Errors
    ///
    /// If there is no such step, it is undone already, or its undo data is gone or can't be read.
    pub fn undo(&self, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
        history::undo_redo::undo(self, step)
    }

    /// The plan that does the last step again that was taken back, or that one.
    ///
    /// # Errors
    ///
    /// If there is no such step, it is not undone, or its undo data is gone or can't be read.
    pub fn redo(&self, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
        history::undo_redo::redo(self, step)
    }

    /// Carries out what [`Writer::undo`] or [`Writer::redo`] planned.
    ///
    /// # Errors
    ///
    /// As [`Writer::commit`], and if the step was undone or redone since.
    pub fn commit_undo_redo(&self, plan: &Plan, turn: UndoRedo) -> Result<CommitReceipt, CommitError> {
        // It was planned and shown before this writer kept others out.
        history::undo_redo::check_reversal(self, plan, turn)?;
        self.logged(plan, Some(turn))
            .map_err(|error| history::undo_redo::after_own_steps(self, plan, turn, error))
    }

    /// The store as it is on disk, which is the one that was read where nothing changed since.
    pub fn load(&self) -> Cow<'a, Store> {
        match is_as_read(self.host.disk, self.store) {
            true => Cow::Borrowed(self.store),
            false => Cow::Owned(self.load_again(self.store)),
        }
    }

    /// The same, of which most was `read` before.
    fn load_again(&self, read: &Store) -> Store {
        load_from(self.host.disk, &self.place, Extent::Whole, Some(read), self.host.now)
    }
}

impl Drop for Writer<'_> {
    /// However a change ended: what it replaced does not stay longer than it has to.
    fn drop(&mut self) {
        let late = self.rescue_own();
        if !late.is_empty() {
            self.derive_touched(&late, "rescue");
        }
    }
}

fn file_line(change: &Change) -> FileLine {
    FileLine {
        path: change.path.clone(),
        change: change.word().to_owned(),
        bytes_before: change.len_before(),
        bytes_after: change.len_after(),
    }
}
