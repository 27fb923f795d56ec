//! Reads files of the store.

use crate::disk::{Item, Lookup};
use crate::format::Placement;
use crate::model::{Bytes, Document, Role};
use crate::store::commit::{CommitContext, CommitError};
use crate::store::large_file;
use std::io;
use std::path::Path;

/// True if the file is a backup, from which nothing is derived.
pub fn is_copy(context: &CommitContext<'_>, path: &Path) -> bool {
    context.format.place(path, false) == Placement::File(Role::Backup)
}

impl CommitContext<'_> {
    /// Returns the item at a path, or `None` if there is none.
    pub fn item_at(&self, path: &Path) -> Result<Option<Item>, CommitError> {
        Lookup::from(self.host.disk.look(path)).optional().map_err(|error| CommitError::unread(path, error))
    }

    /// Reads a file's bytes; `None` if it does not exist. Fails if it exists and can't be read.
    pub fn read(&self, relative: &Path) -> Result<Option<Vec<u8>>, CommitError> {
        let path = self.path(relative);
        match self.host.disk.read(&path, 0, None) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommitError::io(&path, "read", error)),
        }
    }

    /// Returns a file's bytes, shared with the store that was read if the file is unchanged. The
    /// bytes of a large log are read on demand.
    pub fn bytes(&self, relative: &Path) -> Result<Option<Bytes>, CommitError> {
        let path = self.path(relative);
        let own = self.store.document_at(relative).filter(|own| own.is_held());
        if let Some(own) = own.filter(|own| own.bytes.is_file_backed()) {
            return self.bytes_of_large(&path, own);
        }
        if let Some(own) = own
            && let Ok((Some(more), now)) = self.host.disk.read_after(&path, &own.bytes)
            && more.is_empty()
            && now == own.generation
        {
            return Ok(Some(own.bytes.clone()));
        }
        match large_file::read(self.host.disk, &path) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommitError::io(&path, "read", error)),
        }
    }

    fn bytes_of_large(&self, path: &Path, own: &Document) -> Result<Option<Bytes>, CommitError> {
        let disk = self.host.disk;
        let Some(now) = self.item_at(path)? else { return Ok(None) };
        if own.generation.has_same_bytes(&now.generation) && !own.bytes.has_changed() {
            return Ok(Some(own.bytes.clone()));
        }
        if let Ok((Some(more), _)) = disk.read_after(path, &own.bytes) {
            let mut bytes = own.bytes.clone();
            if !more.is_empty() {
                bytes.extend(&more);
            }
            return Ok(Some(bytes));
        }
        large_file::read(disk, path)
            .map(|own| Some(own.0))
            .map_err(|error| CommitError::io(path, "read", error))
    }
}
