//! Reads and writes files of our own data.

use std::path::Path;

use super::Vault;
use super::retention::NEW_SUFFIX;
use crate::model::plan::change::PRIVATE_MODE;
use crate::store::commit::CommitError;

impl Vault<'_> {
    /// Reads a file of our data; `None` if it is absent. A file that can't be read is an error.
    pub fn read_own_file(&self, path: &Path) -> Result<Option<Vec<u8>>, CommitError> {
        match self.disk().read(path, 0, None) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommitError::unread(path, error)),
        }
    }

    /// Writes a file of our data, durably. The old or the new one exists at any moment.
    pub fn write_own_file(&self, path: &Path, bytes: &[u8]) -> Result<(), CommitError> {
        let (disk, temp) = (self.disk(), path.with_extension(NEW_SUFFIX));
        let _ = disk.remove(&temp);
        let write = || {
            let mut out = disk.create(&temp, PRIVATE_MODE)?;
            out.write(bytes)?;
            out.sync()
        };
        let put = write().and_then(|()| disk.rename(&temp, path));
        // The temporary file may hold content: it must not outlive a failure.
        let put = put.inspect_err(|_| drop(disk.remove(&temp)));
        put.and_then(|()| disk.sync_folder(path.parent().unwrap_or(Path::new("/"))))
            .map_err(|source| CommitError::own_data(path, source))
    }
}
