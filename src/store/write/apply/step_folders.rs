//! Folders that a step makes for its files and that undo removes.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Item, ItemKind};
use crate::model::{Change, ChangeKind, PathText};
use crate::store::write::apply::ApplyProgress;
use crate::store::write::{CommitContext, CommitError};
use crate::store::{hidden_names, lock};

/// Removes the folders of these changes, the innermost first. One with files of others stays, and a note says so.
pub fn remove_folders<'c>(
    context: &CommitContext<'_>,
    changes: impl Iterator<Item = &'c Change>,
    carried: &mut ApplyProgress,
) -> Result<(), CommitError> {
    let mut folders: Vec<PathBuf> = changes.map(|change| context.path(&change.path)).collect();
    folders.sort_by_key(|folder| Reverse(folder.components().count()));
    folders.iter().try_for_each(|folder| remove_emptied(context, folder, carried))
}

/// Removes a folder. If that fails, removes our leftover files in it and tries once more. It may
/// stay for second names of replaced files.
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
        left_in(context, folder).iter().for_each(|path| drop(disk.remove(path)));
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

/// Returns what this process made in a folder and could not remove earlier: temporary files and locks, but no second names,
/// as their files may be open.
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

/// Returns an item in a folder that is not ours, or that contains one.
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
    is_lock && read().is_ok_and(|(bytes, _)| lock::is_ours(&bytes))
}

/// True if the last step that touched a folder, or anything in it, removed the folder.
pub fn was_removed(context: &CommitContext<'_>, folder: &Path) -> bool {
    if context.emptied.borrow().iter().any(|emptied| emptied == folder) {
        return true;
    }
    let Ok(relative) = folder.strip_prefix(&context.place.root) else { return false };
    let Ok(journal) = context.vault.journal() else { return false };
    // A later step with files in the folder found it again.
    let mut about =
        journal.iter().rev().filter(|line| line.files.iter().any(|file| file.path.starts_with(relative)));
    about.next().is_some_and(|line| {
        line.files.iter().any(|file| file.path == relative && file.change == ChangeKind::Remove)
    })
}
