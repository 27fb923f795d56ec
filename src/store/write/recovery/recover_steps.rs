//! Finishes or undoes interrupted steps, by their undo data and the files as they are.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied};
use std::path::{Path, PathBuf};

use super::change_progress::{ChangeProgress, lines_at};
use crate::disk::{ItemKind, is_absent};
use crate::format::Placement;
use crate::model::plan::line_end_for;
use crate::model::{Act, Bytes, Change, ChangeKind, FileLine, JournalLine, Plan, Role, Verb, is_log};
use crate::store::steps::UndoStep;
use crate::store::write::apply::rebase_splices::{fits, rebase};
use crate::store::write::apply::{ApplyProgress, LostRace, apply_plan, owner_and_mode, step_folders};
use crate::store::write::commit_context::is_copy;
use crate::store::write::derive::derive_files;
use crate::store::write::derive::rebuild_derived::is_as_before;
use crate::store::write::recovery::change_progress;
use crate::store::write::{CommitContext, CommitError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// All of its changes were made.
    Finished,
    /// It was undone, or had not begun.
    Undone,
    /// Others changed the same since: the files stay as they are, and a note says so.
    Left,
    /// It could not be settled; the next start tries again.
    Waits,
}

/// Settles every step that is not in the journal. Then removes undo data that is too old.
pub fn recover(context: &CommitContext<'_>) -> Result<(), CommitError> {
    context.vault.damaged()?.into_iter().for_each(|note| context.note(note));
    context.vault.complete_journal()?;
    let journal = context.vault.journal()?;
    context.vault.cut_torn_entry(&journal)?;
    let mut unsettled = HashSet::new();
    for number in context.vault.unsettled(&journal)? {
        if settle(context, number, None)? == RecoveryOutcome::Waits {
            unsettled.insert(number);
            context.note(format!(
                "step {number} was interrupted and can't be finished or undone yet; the next change tries again"
            ));
        }
    }
    if let Err(error) = context.vault.expire(context.host.machine.now(), &journal, &unsettled) {
        context.note(format!("old undo data could not be removed: {}", error.in_short()));
    }
    Ok(())
}

/// Finishes a step whose files are all changed; undoes any other. After an error, `began` has the files that were or may
/// be changed: a step is not finished then, as what can be seen may not be durable. A file of another program stays.
pub fn settle(
    context: &CommitContext<'_>,
    number: u64,
    began: Option<&HashMap<PathBuf, LostRace>>,
) -> Result<RecoveryOutcome, CommitError> {
    let Some(step) = context.vault.step(number)? else {
        // The step file itself is incomplete: nothing had been changed yet.
        context.forget(number)?;
        return Ok(RecoveryOutcome::Undone);
    };
    let made: Vec<ChangeProgress> =
        step.changes.iter().map(|change| made_of(context, &step, change)).collect::<Result<_, _>>()?;
    // A step that only rebuilds derived files can be finished at any time.
    let of = if step.changes.is_empty() { &step.derived } else { &step.changes };
    let mut touched: Vec<_> = of.iter().map(|change| change.path.clone()).collect();
    let is_over = made.iter().all(|made| matches!(made, ChangeProgress::Whole | ChangeProgress::Harmless));
    let is_over =
        is_over && (made.is_empty() || made.iter().any(|made| matches!(made, ChangeProgress::Whole)));
    if is_over && began.is_none() {
        finish_step(context, &step, &touched, false)?;
        return Ok(RecoveryOutcome::Finished);
    }
    let is_theirs = |path: &Path| began.is_some_and(|own| own.get(path) != Some(&LostRace::No));
    let back = step.changes.iter().zip(made).map(|(change, made)| match made {
        _ if is_theirs(&change.path) => Ok(None),
        ChangeProgress::Whole => fitted(context, change, true),
        ChangeProgress::Harmless => fitted(context, change, false),
        ChangeProgress::Torn(cut) => Ok(Some(cut)),
        ChangeProgress::NotMade => Ok(None),
        ChangeProgress::Changed => Err(CommitError::moved(
            &context.path(&change.path),
            "another program changed the same lines since",
        )),
    });
    let changes: Vec<Change> = match back.collect::<Result<Vec<_>, _>>() {
        Ok(changes) => changes.into_iter().flatten().collect(),
        Err(error) if error.is_failure() || began.is_some() => return Ok(RecoveryOutcome::Waits),
        Err(error) => {
            context.note(format!(
                "step {number} ({}) was interrupted, and is neither finished nor undone: {} Look at the files.",
                step.line.verb,
                error.what()
            ));
            finish_step(context, &step, &touched, true)?;
            return Ok(RecoveryOutcome::Left);
        }
    };
    let derived = derived_back(context, &step, is_over)?;
    let derive_after = derived.is_none();
    let derived = derived.unwrap_or_default();
    let plan = Plan { changes, derive_after, derived, ..context.unseen(Verb::Recover) };
    let mut carried = ApplyProgress::default();
    // The step file stays as it is: an interrupted recovery starts again with it.
    if apply_plan::apply_plan(context, &plan, &mut carried, None).is_err() {
        return Ok(RecoveryOutcome::Waits);
    }
    let emptied = plan.changes.iter().filter(|change| change.act == Act::RemoveFolder);
    context.emptied.borrow_mut().extend(emptied.map(|change| context.path(&change.path)));
    owner_and_mode::sentences(&carried.lacking).into_iter().for_each(|note| context.note(note));
    if carried.derive {
        // Pages beside the store have their old bytes again, though they may have been stale.
        touched.retain(|path| step.changes.is_empty() || !path.starts_with(".."));
        derive_files::derive(context, &touched, plan.verb);
    }
    context.forget(number)?;
    Ok(RecoveryOutcome::Undone)
}

/// Returns the progress of a change. An old copy that the step should have removed does not count:
/// if it stays, it is one extra, and the step is complete without that.
fn made_of(
    context: &CommitContext<'_>,
    step: &UndoStep,
    change: &Change,
) -> Result<ChangeProgress, CommitError> {
    let made = change_progress::change_progress(context, step, change)?;
    let is_old =
        step.line.turn.is_none() && matches!(change.act, Act::Create(_)) && is_copy(context, &change.path);
    Ok(if is_old && matches!(made, ChangeProgress::NotMade) { ChangeProgress::Harmless } else { made })
}

/// Returns the changes that undo a step's derived files, as far as they were made. `None` if that
/// is unknown, or the step does not say how they were.
fn derived_back(
    context: &CommitContext<'_>,
    step: &UndoStep,
    is_over: bool,
) -> Result<Option<Vec<Change>>, CommitError> {
    let is_new = |change: &Change| matches!(change.act, Act::Remove(_) | Act::RemoveFolder);
    let has_none = step.derived.is_empty() && step.remade.is_empty();
    // A step that only creates files, like `init`, names all of them. Files that a step does not name
    // are derived after all its changes.
    if has_none && (!is_over || step.changes.iter().all(is_new)) {
        return Ok(Some(Vec::new()));
    }
    if has_none || !step.remade.iter().all(|own| is_as_before(context, own)) {
        return Ok(None);
    }
    let mut back = Vec::new();
    for change in &step.derived {
        match change_progress::change_progress(context, step, change)? {
            ChangeProgress::Whole => match fitted(context, change, true) {
                Ok(fitted) => back.extend(fitted),
                Err(_) => return Ok(None),
            },
            ChangeProgress::NotMade | ChangeProgress::Harmless => {}
            ChangeProgress::Torn(_) | ChangeProgress::Changed => return Ok(None),
        }
    }
    Ok(Some(back))
}

/// Writes a step to the journal, after its changes are durable.
fn finish_step(
    context: &CommitContext<'_>,
    step: &UndoStep,
    touched: &[PathBuf],
    is_half: bool,
) -> Result<(), CommitError> {
    make_durable(context, touched)?;
    // It was killed before it removed the folders that it emptied.
    let emptied = step.changes.iter().filter(|inverse| inverse.act == Act::MakeFolder);
    step_folders::remove_folders(context, emptied, &mut ApplyProgress::default())?;
    let is_derived = leaves_derived(step);
    if is_derived {
        derive_files::note_derive_due(context, touched);
    }
    let data = step.changes.iter().rev().chain(step.derived.iter().rev());
    let files = data.filter(|change| !change.is_empty()).map(|inverse| left_by(context, inverse)).collect();
    let format = context.place.format.to_owned();
    context.vault.write(&JournalLine {
        files,
        format,
        is_half,
        as_planned: !is_derived,
        ..step.line.clone()
    })?;
    remove_derived(context, step);
    if is_derived {
        let before = indexes_of(context, step);
        derive_files::derive_touched(context, touched, Verb::Recover);
        keep_as_derived(context, step, &before)?;
    }
    Ok(())
}

/// False for a new store, which names all its files, and for a step that removes the index of a layout.
fn leaves_derived(step: &UndoStep) -> bool {
    let only_removes = step.remade.is_empty() && step.derived.iter().all(is_removal);
    step.line.verb != Verb::Init && (step.derived.is_empty() || !only_removes)
}

/// True if the step removes the file of this undo data.
fn is_removal(inverse: &Change) -> bool {
    matches!(inverse.act, Act::Create(_))
}

/// Removes the derived files that an interrupted step was to remove, if they are as they were. A removal that fails leaves
/// a file that nothing needs.
fn remove_derived(context: &CommitContext<'_>, step: &UndoStep) {
    let is_left = |inverse: &&Change| {
        let made = change_progress::change_progress(context, step, inverse);
        is_removal(inverse) && matches!(made, Ok(ChangeProgress::NotMade))
    };
    let removed = |inverse: &Change| fitted(context, &inverse.bare_inverse(), false).ok()?;
    let derived = step.derived.iter().filter(is_left).filter_map(removed).collect();
    let _ = apply_plan::apply_derived(context, &Plan { derived, ..context.unseen(Verb::Recover) });
}

/// Keeps undo data that knows the derived files that a step made first as they are now, so that undo removes them.
fn keep_as_derived(
    context: &CommitContext<'_>,
    step: &UndoStep,
    before: &[PathBuf],
) -> Result<(), CommitError> {
    let (mut step, mut is_new) = (step.clone(), false);
    let indexes = indexes_of(context, &step).into_iter().filter(|path| !before.contains(path));
    let is_new_to = |path: &PathBuf| step.derived.iter().all(|derived| derived.path != *path);
    for path in indexes.filter(is_new_to).collect::<Vec<_>>() {
        // Its bytes follow below.
        step.derived.push(Change::create(path, Bytes::default()).bare_inverse());
    }
    for inverse in &mut step.derived {
        if let (Act::Remove(was), Some(now)) = (&mut inverse.act, context.bytes(&inverse.path)?) {
            is_new |= now != *was;
            *was = now;
        }
    }
    if is_new { context.keep(step.line.step, &step) } else { Ok(()) }
}

/// Returns the indexes in the folders that a step made.
fn indexes_of(context: &CommitContext<'_>, step: &UndoStep) -> Vec<PathBuf> {
    let folders = step.changes.iter().filter(|inverse| inverse.act == Act::RemoveFolder);
    let items = folders.flat_map(|folder| {
        let items = context.host.disk.list(&context.path(&folder.path)).unwrap_or_default();
        items.into_iter().map(|item| folder.path.join(item.name))
    });
    items.filter(|path| context.format.place(path, false) == Placement::File(Role::Index)).collect()
}

/// Returns the journal's data of a file as the finished step left it, from the step's undo data.
fn left_by(context: &CommitContext<'_>, inverse: &Change) -> FileLine {
    let item = context.host.disk.look(&context.path(&inverse.path)).ok();
    let bytes_after = item.filter(|item| item.kind == ItemKind::File).map_or(0, |item| item.generation.len);
    let (change, bytes_before) = match &inverse.act {
        Act::Create(_) | Act::Append(_) => (ChangeKind::Remove, inverse.len_after()),
        Act::Remove(_) | Act::RemoveFolder => (ChangeKind::Create, 0),
        Act::MakeFolder | Act::Expire(_) => (ChangeKind::Remove, 0),
        Act::Splice(splices) => {
            let gone: usize = splices.iter().map(|splice| splice.becomes.len()).sum();
            let come: usize = splices.iter().map(|splice| splice.was.len()).sum();
            (ChangeKind::Rewrite, (bytes_after + gone as u64).saturating_sub(come as u64))
        }
    };
    FileLine { path: inverse.path.clone(), change, bytes_before, bytes_after }
}

/// Makes the changes durable of a process that died before it could.
fn make_durable(context: &CommitContext<'_>, touched: &[PathBuf]) -> Result<(), CommitError> {
    let disk = context.host.disk;
    for path in touched.iter().map(|path| context.path(path)) {
        let failed = |source| CommitError::io(&path, "made durable", source);
        match disk.append(&path) {
            Ok(mut file) => file.sync().map_err(failed)?,
            // It is gone, is a folder, or palimp may not write to it: nothing can be done for it.
            Err(error) if matches!(error.kind(), NotFound | PermissionDenied) => {}
            Err(error) if matches!(error.kind(), IsADirectory | InvalidInput | NotADirectory) => {}
            Err(error) => return Err(failed(error)),
        }
        // A folder that can't be read counts as existing.
        let there = path.ancestors().skip(1).find(|folder| !is_absent(disk, folder));
        there.map_or(Ok(()), |folder| disk.sync_folder(folder)).map_err(failed)?;
    }
    Ok(())
}

/// Adapts the change to the files as they are; `None` if there is nothing to do.
pub fn fitted(
    context: &CommitContext<'_>,
    change: &Change,
    is_made: bool,
) -> Result<Option<Change>, CommitError> {
    let is_folder = matches!(change.act, Act::MakeFolder | Act::RemoveFolder);
    let now = if is_folder { None } else { context.bytes(&change.path)? };
    fitted_to(context, change, is_made, now)
}

fn fitted_to(
    context: &CommitContext<'_>,
    change: &Change,
    is_made: bool,
    read: Option<Bytes>,
) -> Result<Option<Change>, CommitError> {
    let path = context.path(&change.path);
    let moved = |what| CommitError::moved(&path, what);
    let bound = context.format.forbids_rebase(&change.path);
    let own = match (&change.act, read) {
        (Act::Expire(_), _) => return Ok(None),
        (Act::Append(lines), _) if lines.is_empty() => return Ok(None),
        (Act::MakeFolder, _) => Change::make_folder(&change.path),
        (Act::RemoveFolder, _) if context.item_at(&path)?.is_none() => return Ok(None),
        (Act::RemoveFolder, _) => Change::remove_folder(&change.path),
        (Act::Append(lines), Some(now)) => Change::append(&change.path, lines.clone(), Some(now)),
        (Act::Create(bytes), None) => Change::create(&change.path, bytes.clone()),
        (Act::Append(bytes), None) => Change::create(&change.path, bytes.clone()),
        (Act::Create(bytes), Some(now)) if now == *bytes => return Ok(None),
        // Another program created the log again: the restored lines come first.
        (Act::Create(bytes), Some(now)) if is_log(&change.path) && !bound => {
            let end = if now.is_empty() { b"" } else { line_end_for(bytes) };
            Change::edits(&change.path, now, vec![(0..0, [bytes, end].concat())])
        }
        (Act::Create(_), Some(_)) => return Err(moved("something else is there")),
        (Act::Remove(_), None) if !is_made => return Ok(None),
        (Act::Remove(_) | Act::Splice(_), None) => return Err(moved("it is gone")),
        (Act::Remove(was), Some(now)) if now == *was => Change::remove(&change.path, now),
        (Act::Remove(was), Some(now)) if is_log(&change.path) && !bound => {
            let own = lines_at(&now, was).ok_or_else(|| moved("it changed since"))?;
            Change::edits(&change.path, now, vec![(own, Vec::new())])
        }
        (Act::Remove(_), Some(_)) => return Err(moved("it changed since")),
        (Act::Splice(splices), Some(now)) => {
            if bound && !fits(splices, &now) {
                return Err(moved("it was changed since"));
            }
            let splices = rebase(splices, &now).map_err(|conflict| conflict.at(&path))?;
            let base = Some(now);
            let (path, mode) = (change.path.clone(), change.mode);
            Change { path, act: Act::Splice(splices), base, mode, owner: None }
        }
    };
    Ok(Some(Change { mode: change.mode, owner: change.owner, ..own }))
}
