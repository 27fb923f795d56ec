//! Folders that a step makes for its files, and that go with them when it is taken back.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::apply_plan::ApplyProgress;
use crate::disk::{Disk, Item, ItemKind, Machine};
use crate::model::plan::change;
use crate::model::{Act, Change, PathText, Plan};
use crate::store::commit::vault::{FileLine, JournalLine, Vault};
use crate::store::commit::{CommitContext, CommitError, Host};
use crate::store::{hidden_names, lock};

/// The plan, with the folders that its new files need and that are not there: what takes
/// the step back removes them. One that is there already is not made, and stays then.
pub fn with_folders<'p>(context: &CommitContext<'_>, plan: Cow<'p, Plan>) -> Cow<'p, Plan> {
    let missing = missing(context, &plan);
    let stands = |change: &Change| change.act == Act::MakeFolder && is_folder(context, &change.path);
    if plan.changes.is_empty() || missing.is_empty() && !plan.changes.iter().any(stands) {
        return plan;
    }
    let mut plan = plan.into_owned();
    plan.changes.retain(|change| !stands(change));
    let made = missing.into_iter().map(|(path, mode)| Change { mode, ..Change::make_folder(path) });
    plan.changes = made.chain(plan.changes).collect();
    Cow::Owned(plan)
}

fn is_folder(context: &CommitContext<'_>, path: &Path) -> bool {
    context.host.disk.look(&context.path(path)).is_ok_and(|item| item.kind == ItemKind::Folder)
}

/// The outer folders first, with their modes.
fn missing(context: &CommitContext<'_>, plan: &Plan) -> BTreeMap<PathBuf, u32> {
    let is_absent = |path: &Path| {
        let looked = context.host.disk.look(&context.path(path));
        looked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let is_made =
        |path: &Path| plan.changes.iter().any(|change| change.act == Act::MakeFolder && change.path == path);
    let makes = |change: &&Change| matches!(change.act, Act::Create(_) | Act::Append(_) | Act::MakeFolder);
    let mut missing = BTreeMap::new();
    for change in plan.all().filter(makes).filter(|change| !change.path.starts_with("..")) {
        let mode = if change.mode == change::SHARED_MODE { 0o777 } else { 0o700 };
        let above = change.path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
        for folder in above.take_while(|path| is_absent(path)).filter(|path| !is_made(path)) {
            missing.entry(folder.to_owned()).or_insert(mode);
        }
    }
    missing
}

/// When everything else is done: folders go that something was still in. One that
/// holds what is not ours stays, and a note says so.
pub fn tidy(
    context: &CommitContext<'_>,
    plan: &Plan,
    carried: &mut ApplyProgress,
) -> Result<(), CommitError> {
    let gone = plan.all().filter(|change| change.act == Act::RemoveFolder);
    let mut folders: Vec<PathBuf> = gone.map(|change| context.path(&change.path)).collect();
    folders.sort_by_key(|folder| Reverse(folder.components().count()));
    folders.iter().try_for_each(|folder| remove_emptied(context, folder, carried))
}

/// Removes a folder that is empty except for files that are removed by themselves. A removal that fails
/// is tried once more. A folder that stays is not reported as removed.
fn remove_emptied(
    context: &CommitContext<'_>,
    folder: &Path,
    carried: &mut ApplyProgress,
) -> Result<(), CommitError> {
    let disk = context.host.disk;
    let remove = || match disk.remove_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    };
    let outcome = remove().or_else(|_| {
        remove_left_in(context, folder);
        remove()
    });
    match outcome {
        Ok(()) => drop(folder.parent().map(|above| disk.sync_folder(above))),
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => {
            return Err(CommitError::io(folder, "removed", error));
        }
        Err(error) => match other_in(context, folder) {
            Some(name) => {
                let (folder, name) = (folder.to_text(), Path::new(&name).to_text());
                carried.notes.push(format!("{folder} holds other files ({name}) and stays"));
            }
            None if left_in(context, folder).is_empty() => {}
            None => return Err(CommitError::io(folder, "removed", error)),
        },
    }
    Ok(())
}

/// Removes what this process made in a folder and could not remove earlier.
fn remove_left_in(context: &CommitContext<'_>, folder: &Path) {
    left_in(context, folder).iter().for_each(|path| drop(context.host.disk.remove(path)));
}

/// Temporary files and locks of this process. The second names of files stay until nobody has these files
/// open.
fn left_in(context: &CommitContext<'_>, folder: &Path) -> Vec<PathBuf> {
    let own = context.own_process();
    let items = context.host.disk.list(folder).unwrap_or_default().into_iter();
    let is_left = |item: &Item| {
        let maker = hidden_names::temp_process(&item.name).or_else(|| hidden_names::lock_process(&item.name));
        item.kind == ItemKind::File
            && (maker.is_some() && maker == own || is_own_lock(context, &folder.join(&item.name)))
    };
    items.filter(is_left).map(|item| folder.join(item.name)).collect()
}

/// What is in a folder and does not go by itself, as files and locks of ours do.
fn other_in(context: &CommitContext<'_>, folder: &Path) -> Option<OsString> {
    let items = context.host.disk.list(folder).unwrap_or_default();
    let other = items.into_iter().find(|item| {
        let path = folder.join(&item.name);
        match item.kind {
            ItemKind::Folder => other_in(context, &path).is_some(),
            _ => !hidden_names::is_ours(&item.name) && !is_own_lock(context, &path),
        }
    });
    other.map(|item| item.name)
}

fn is_own_lock(context: &CommitContext<'_>, path: &Path) -> bool {
    let is_lock = path.as_os_str().as_encoded_bytes().ends_with(b".lock");
    let read = || context.host.disk.read(path, 0, Some(4096));
    is_lock && read().is_ok_and(|(bytes, _)| lock::is_of(&bytes, "palimp"))
}

/// Whether the last step that was about a folder, or anything in it, was to remove it.
pub fn was_removed(context: &CommitContext<'_>, folder: &Path) -> bool {
    let Ok(relative) = folder.strip_prefix(&context.place.root) else { return false };
    let Ok(journal) = context.vault.journal() else { return false };
    // A step since then that has files in it found it there again.
    let mut about =
        journal.iter().rev().filter(|line| line.files.iter().any(|file| file.path.starts_with(relative)));
    about
        .next()
        .is_some_and(|line| line.files.iter().any(|file| file.path == relative && file.change == "remove"))
}

/// Removes the folders that a palimp left empty when it was ended, and those around them that are empty
/// then.
pub fn remove_left_folders(context: &CommitContext<'_>) {
    let Ok(journal) = context.vault.journal() else { return };
    let Host { disk, machine, .. } = context.host;
    let removed: Vec<PathBuf> = removed_folders(&context.place.root, &journal).collect();
    let left = left_folders((disk, machine), &context.place.root, (&context.vault, &journal));
    for folder in left.collect::<Vec<_>>() {
        let around = folder.ancestors().take_while(|own| removed.iter().any(|one| one == own));
        let _ = around.map(|own| disk.remove_folder(own)).take_while(Result::is_ok).count();
    }
}

/// An empty folder that changed within this time, in nanoseconds, may be an agent's that is about to fill it.
const SETTLED: i128 = 10_000_000_000;

/// A step empties its folders within this time, in nanoseconds, after the journal told of it. A folder that
/// changed later was made again by somebody else.
const EMPTIED: i128 = 120_000_000_000;

/// The empty folders that the last step was to remove. The palimp that did it was ended after it had removed
/// their last file.
pub fn left_folders<'j>(
    (disk, machine): (&'j dyn Disk, &'j dyn Machine),
    root: &'j Path,
    (vault, journal): (&Vault<'_>, &'j [JournalLine]),
) -> impl Iterator<Item = PathBuf> + 'j {
    let now = i128::from(machine.now().0) * 1000;
    let told = vault.written_at();
    let is_left =
        move |changed: i128| now - changed > SETTLED && told.is_some_and(|told| changed - told < EMPTIED);
    removed_folders(root, journal).filter(move |folder| {
        let item = disk.look(folder).ok().filter(|item| item.kind == ItemKind::Folder);
        item.is_some_and(|item| is_left(item.generation.modified))
            && disk.list(folder).is_ok_and(|items| items.is_empty())
    })
}

/// The folders that the last step was to remove.
fn removed_folders<'j>(root: &'j Path, journal: &'j [JournalLine]) -> impl Iterator<Item = PathBuf> + 'j {
    // Folders have no length. This spares looking for each file that was removed.
    let is_folder = |file: &&FileLine| file.change == "remove" && file.bytes_before == 0;
    let removed = journal.last().into_iter().flat_map(|line| &line.files).filter(is_folder);
    removed.map(|file| root.join(&file.path))
}
