//! Erases records and every copy of them, then searches every byte.

use super::super::{CommitContext, CommitError, FilesState, Writer};
use super::erasure_receipt::ErasureReceipt;
use super::unread_sources::gather;
use crate::format::Placement;
use crate::format::writing::{NO_COMPRESSED_FILES, Refusal, WriteContext};
use crate::model::{FileLine, Moment, NotReached, Plan, Role, Store, Verb};
use crate::store::erase::{ErasedContents, ErasureContext, ErasureMatcher, ErasureScope, SharedText};
use crate::store::steps::pending_erasure::PendingErasure;
use crate::store::write::apply::{ApplyProgress, apply_plan};
use crate::store::write::derive::derive_files;
use crate::store::write::handover::rescue;
use crate::store::write::scrub::finish_erasure::refused;
use crate::store::write::scrub::{
    finish_erasure, replaced_files, scrubbed_copies, torn_tombstones, value_search,
};
use crate::text::keyed_search::{KeyedSearch, ValueKey};
use crate::text::needle::Needles;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The limit of passes over the files. Another pass is needed if other programs wrote during the last.
pub(super) const ROUNDS: usize = 4;

impl Writer<'_> {
    /// Erases by the plan that was shown. After an error, its [`FilesState`] says what state the files are in; the
    /// next start finishes an erasure that has begun. Fails if another program holds the lock, a file is not as it
    /// was shown, or the system refuses a call.
    pub fn erase(
        &self,
        plan: &Plan,
        scope: ErasureScope<'_>,
        reason: &str,
    ) -> Result<ErasureReceipt, CommitError> {
        let context = &self.context;
        // Without this check an unreadable list would be noticed only after the data is gone.
        context.vault.erasure_list()?;
        none_is_pending(context)?;
        check_folders(context, plan)?;
        let machine = context.host.machine;
        let key = context.vault.make_value_key([machine.random(), machine.random()])?;
        let matcher = |store: &Store| {
            let wanted = ErasureMatcher::of(context.format, store, scope.targets, context.host.now);
            wanted.with_values(scope.values, scope.keeps_memories)
        };
        let sought_beside = scope.not_reached.map_or(&[][..], NotReached::sought);
        let mut entry = PendingErasure {
            step: context.vault.next_step()?,
            process: context.own_process(),
            at: context.host.now.to_rfc3339(),
            reason: reason.to_owned(),
            records: scope.targets.to_vec(),
            count: if scope.keeps_memories { plan.touched_entries().count() } else { scope.targets.len() }
                as u64,
            shown: matcher(context.store).shown(&context.store.documents, &machine.random()),
            files: plan.all().filter(|change| !change.is_empty()).map(FileLine::of).collect(),
            with_torn: plan.with_torn.clone(),
            values: scope.values.iter().map(|own| key.digest(own)).collect(),
            keeps_memories: scope.keeps_memories,
            texts: Vec::new(),
            steps: scope.steps.cloned().unwrap_or_default(),
            alike: Vec::new(),
            value_key: key.id(),
            beside_values: sought_beside.iter().map(|own| key.digest(own)).collect(),
            not_reached: scope.not_reached.cloned().unwrap_or_default(),
        };
        let store = context.load();
        let wanted = matcher(&store).with_shown(&entry.shown);
        let mut contents = ErasedContents::default();
        gather(context.host.disk, &store, &context.vault, &wanted, &mut contents, &BTreeSet::new())?;
        if let Cow::Owned(_) = store {
            // What was shown may be gone since.
            for document in &context.store.documents {
                contents.see_document(&wanted, document);
            }
        }
        let wanted = wanted.with_all_found(&context.store.documents);
        entry.records = contents.with_versions(scope.targets);
        entry.alike = contents.alike(&wanted, &context.store.documents, &machine.random());
        entry.texts = Needles::of(contents.main_texts()).contents().map(|own| key.digest(own)).collect();
        let through = scrubbed_copies::gone_through(context, &store)?;
        // A step whose line a power cut takes would be judged by files that the erasure has changed.
        context.vault.sync_journal()?;
        context.vault.begin_erasing(&entry)?;
        if let Err((error, began)) = carry_bare(context, plan) {
            if !began {
                torn_tombstones::drop_adding(context);
                // If the entry stays, the next start carries it out.
                let is_over = context.vault.end_erasing().is_ok();
                return Err(error.with(if is_over { FilesState::Untouched } else { FilesState::Erasing }));
            }
            return Err(error.with(FilesState::Erasing));
        }
        let erased = finish(context, &entry, &wanted, (contents, &key), Some(&through));
        let notes = std::mem::take(&mut *context.notes.borrow_mut());
        erased.map(|own| ErasureReceipt { notes, ..own }).map_err(|error| error.with(FilesState::Erasing))
    }
}

/// Refuses an erasure in a folder that can't be written: once begun, it could not be finished.
fn check_folders(context: &CommitContext<'_>, plan: &Plan) -> Result<(), CommitError> {
    let paths = plan.all().filter(|change| !change.is_empty()).map(|change| context.path(&change.path));
    let folders: BTreeSet<PathBuf> = paths.filter_map(|path| path.parent().map(Path::to_owned)).collect();
    for folder in folders {
        match context.host.disk.check_writable(&folder) {
            // The erasure makes it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            outcome => outcome.map_err(|source| CommitError::io(&folder, "written", source))?,
        }
    }
    Ok(())
}

/// Refuses a second erasure while one is pending: it would overwrite the only entry.
pub(super) fn none_is_pending(context: &CommitContext<'_>) -> Result<(), CommitError> {
    let Some(PendingErasure { step, .. }) = context.vault.erasing()? else { return Ok(()) };
    let message = format!(
        "step {step}, an erasure, was interrupted and is not finished. Every change of this store continues it. Remove what is in its way (a lock that is held, a file that can't be read or written), then erase again."
    );
    Err(CommitError::Refused(Refusal::new("E_CONCURRENT_MOD", message)))
}

/// Finishes an interrupted erasure and notes its result. If it fails, the next start tries again.
pub fn finish_erasing(context: &CommitContext<'_>) -> Result<Option<ErasureReceipt>, CommitError> {
    let Some(entry) = context.vault.erasing()? else { return Ok(None) };
    let finished = torn_tombstones::cut_torn(context).and_then(|()| finish_begun(context, &entry));
    match &finished {
        Ok(erased) => {
            context.note(format!("step {}, an erasure that was interrupted, was finished now", erased.step));
            let found = if erased.left.is_empty() { Vec::new() } else { erased.found() };
            found.into_iter().chain(erased.besides()).for_each(|line| context.note(line));
        }
        Err(error) => context.note(format!(
            "step {}, an erasure that was interrupted, can't be finished yet ({}): what it erases may still be in \
             places",
            entry.step,
            error.in_short()
        )),
    }
    Ok(finished.ok())
}

/// Finishes an interrupted erasure. Values and texts are read again from where they still are.
fn finish_begun(context: &CommitContext<'_>, entry: &PendingErasure) -> Result<ErasureReceipt, CommitError> {
    let machine = context.host.machine;
    let key = match (context.vault.known_value_key(&entry.value_key), entry.values.is_empty()) {
        (Err(_), true) => context.vault.make_value_key([machine.random(), machine.random()])?,
        (known, _) => known?,
    };
    let digests = [&entry.values[..], &entry.texts].concat();
    let found = value_search::read_again(context, &KeyedSearch::of(&key, &digests));
    let is_value = |own: &SharedText| entry.values.contains(&key.digest(own));
    let (values, texts): (Vec<SharedText>, Vec<SharedText>) = found.into_iter().partition(is_value);
    let mut contents = ErasedContents::default();
    contents.main.extend(texts);
    let wanted = ErasureMatcher::of(context.format, context.store, &entry.records, context.host.now)
        .with_values(&values, entry.keeps_memories)
        .with_shown(&entry.shown)
        .with_alike(&entry.alike);
    finish(context, entry, &wanted, (contents, &key), None)
}

/// Applies a plan without undo data: tombstones first, durably. An error has true if files were changed.
pub(super) fn carry_bare(context: &CommitContext<'_>, plan: &Plan) -> Result<(), (CommitError, bool)> {
    let is_tombstone = |path: &Path| context.format.place(path, false) == Placement::File(Role::Tombstones);
    let bare = || Plan { exact: plan.exact, ..Plan::of_unread_store(Verb::Erase, &plan.root, plan.format) };
    let (first, then) = plan.changes.iter().cloned().partition(|change| is_tombstone(&change.path));
    let parts =
        [Plan { changes: first, ..bare() }, Plan { changes: then, derived: plan.derived.clone(), ..bare() }];
    let mut began = false;
    torn_tombstones::keep_adding(context, plan).map_err(|error| (error, began))?;
    for part in parts {
        let mut carried = ApplyProgress::default();
        let outcome = apply_plan::apply_plan(context, &part, &mut carried, None);
        began |= !carried.began.is_empty();
        outcome.map_err(|error| (error, began))?;
        if carried.derive {
            derive_files::derive(context, &carried.touched, part.verb);
        }
    }
    torn_tombstones::drop_adding(context);
    Ok(())
}

/// True if programs wrote to files that they have open, since these were replaced. Takes that over.
pub(super) fn has_late_lines(context: &CommitContext<'_>) -> bool {
    let olds: Vec<PathBuf> = context.replaced.borrow().iter().map(|own| own.path.clone()).collect();
    rescue::rescue_each(context, olds.into_iter().map(PathBuf::into)) > 0
}

pub(super) fn finish(
    context: &CommitContext<'_>,
    entry: &PendingErasure,
    wanted: &ErasureMatcher<'_>,
    (mut contents, key): (ErasedContents, &ValueKey),
    through: Option<&scrubbed_copies::ScrubbedBy>,
) -> Result<ErasureReceipt, CommitError> {
    let mut with_torn: BTreeSet<String> = entry.with_torn.iter().cloned().collect();
    let (mut busy, mut round) = (BTreeSet::new(), 0);
    let (sought, changed, before) = loop {
        round += 1;
        wanted.note_arrivals(&context.load());
        replaced_files::scrub_replaced_files(context, wanted, &mut contents)?;
        let store = context.load();
        let before = scrubbed_copies::identities(context, &store)?;
        let write_context = WriteContext {
            store: &store,
            now: context.host.now,
            random: context.host.machine.random(),
            compressed_files: &NO_COMPRESSED_FILES,
        };
        let kept = gather(context.host.disk, &store, &context.vault, wanted, &mut contents, &busy)?;
        let site = ErasureContext {
            context: &write_context,
            matcher: wanted,
            contents: &contents,
            copies: &kept,
            reason: &entry.reason,
            began: Moment::of(&entry.at),
            begun_files: &entry.files,
        };
        let removal = site.removal();
        let changed = kept.changed.take();
        if !changed.is_empty() && round < ROUNDS {
            busy.extend(changed);
            continue;
        }
        let removal = removal.map_err(|error| match error {
            CommitError::Refused(why) => refused(context, &why),
            other => other,
        })?;
        // The plan may remove texts that were not collected, so that nothing would search for them.
        if !changed.is_empty() {
            break (removal.search_texts, changed, before);
        }
        with_torn.extend(removal.plan.with_torn.iter().cloned());
        if !removal.plan.is_empty() {
            carry_bare(context, &removal.plan).map_err(|(error, _)| error)?;
        }
        if round >= ROUNDS || removal.plan.is_empty() && !has_late_lines(context) {
            break (removal.search_texts, changed, before);
        }
    };
    context.vault.list_erased(entry)?;
    context.vault.sweep(wanted, &sought, entry)?;
    // After an interruption copies may have been rewritten, so earlier notes don't count.
    scrubbed_copies::note_through(
        context,
        through.unwrap_or(&scrubbed_copies::ScrubbedBy::new()),
        &before,
        entry.step,
    )?;
    let texts = (sought, &contents, &wanted.values);
    finish_erasure::conclude(context, entry, texts, key, &changed, (with_torn, wanted), through.is_none())
}
