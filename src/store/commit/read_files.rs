//! Reads files of the store.

use crate::disk::{Item, Lookup};
use crate::format::Placement;
use crate::model::{Bytes, Role};
use crate::store::commit::{CommitContext, CommitError};
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

    /// Returns a file's bytes, shared with the store that was read as far as they are the same.
    pub fn bytes(&self, relative: &Path) -> Result<Option<Bytes>, CommitError> {
        let path = self.path(relative);
        if let Some(own) = self.store.document_at(relative).filter(|own| own.is_held())
            && let Ok((Some(more), _)) = self.host.disk.read_after(&path, &own.bytes)
        {
            return Ok(Some(if more.is_empty() { own.bytes.clone() } else { own.bytes.with_added(&more) }));
        }
        Ok(self.read(relative)?.map(Bytes::from))
    }
}
