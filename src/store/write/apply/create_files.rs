//! Makes new files and folders. No other program knows them yet, so no lock is needed.

use crate::store::write::apply::{ApplyContext, CreatedItem, StagedChange};
use std::io;
use std::path::Path;

use crate::disk::{is_absent, put_new};
use crate::model::{Act, Bytes};
use crate::store::hidden_names::{OldFileName, SwapFileName};
use crate::store::steps::make_folders_as;
use crate::store::write::{CommitContext, CommitError};

/// The reason why a new file is not removed.
const OTHERS: &str = "another program wrote to it";

impl ApplyContext<'_, '_> {
    /// Makes a new file or folder, durably. False if the folder exists already.
    pub fn make(&mut self, own: &mut StagedChange) -> Result<bool, CommitError> {
        let disk = self.host.disk;
        if own.act == Act::MakeFolder {
            let was_there = self.len(&own.path)?.is_some();
            let outcome = make_folders_as(disk, &own.path, own.mode).map_err(own.io("made"));
            if outcome.is_ok() || !is_absent(disk, &own.path) {
                self.begin(own);
                let made = CreatedItem { path: own.path.clone(), bytes: None };
                self.carried.created.extend((!was_there).then_some(made));
            }
            outcome?;
            if let Some(owner) = own.owner.filter(|_| !was_there) {
                self.give_back_folder(own, owner);
            }
            return Ok(!was_there);
        }
        let made = self.prepare(own).and_then(|()| self.put_new(own));
        // After `Moved` the file is another program's, and undo must not remove it.
        let is_made = match &made {
            Err(CommitError::Moved { .. }) => false,
            Err(_) => !is_absent(disk, &own.path),
            Ok(()) => true,
        };
        if is_made {
            self.begin(own);
            if let Act::Create(bytes) = &own.act {
                self.carried.created.push(CreatedItem { path: own.path.clone(), bytes: Some(bytes.clone()) });
            }
        }
        made?;
        disk.sync_folder(own.folder()).map_err(own.io("made durable"))?;
        Ok(true)
    }

    /// Gives the prepared file its name, which must be free.
    pub(super) fn put_new(&mut self, own: &mut StagedChange) -> Result<(), CommitError> {
        let Some(temp) = &own.temp else { return Ok(()) };
        let outcome = match put_new(self.host.disk, temp, &own.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(own.moved("something else is in its place"))
            }
            outcome => outcome.map_err(own.io("made")),
        };
        if outcome.is_err() {
            own.drop_temp(self.host.disk);
        }
        own.temp = None;
        outcome
    }
}

/// Removes new files and folders. A file that another program wrote to stays.
pub fn unmake(context: &CommitContext<'_>, made: &[CreatedItem]) -> io::Result<()> {
    let disk = context.host.disk;
    for own in made.iter().rev() {
        match &own.bytes {
            None => disk.remove_folder(&own.path)?,
            Some(bytes) => unmake_file(context, &own.path, bytes)?,
        }
        own.path.parent().map_or(Ok(()), |folder| disk.sync_folder(folder))?;
    }
    Ok(())
}

/// Moves a new file away and removes it, or moves it back if its bytes are not ours.
fn unmake_file(context: &CommitContext<'_>, path: &Path, bytes: &Bytes) -> io::Result<()> {
    let (disk, machine) = (context.host.disk, context.host.machine);
    let is_it =
        |path: &Path| disk.read_after(path, bytes).map(|(more, _)| more.is_some_and(|more| more.is_empty()));
    if !is_it(path)? {
        return Err(io::Error::other(OTHERS));
    }
    let old = OldFileName::of(path, bytes, machine.now(), machine.own_process());
    let name = path.with_file_name(SwapFileName { old, new_inode: 0, len: None }.name());
    disk.rename(path, &name)?;
    if !is_it(&name)? {
        put_new(disk, &name, path)?;
        return Err(io::Error::other(OTHERS));
    }
    disk.remove(&name)
}
