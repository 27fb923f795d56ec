//! Backups of a store's files: lists, checks, compares and makes them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Result;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::model::{BackupCheck, BackupCopy, Document, Moment, PathText, Role, Store, container};
use crate::ops::WriteContext;
use crate::ops::backup_restore::comparison::BackupComparison;
use crate::ops::backup_restore::{CopyFacts, compare};
use crate::store::steps::DeletionsCache;
use crate::store::{Vault, steps};

/// Lists all backups of a store's files, the newest first. Does not read their contents.
/// Fails if palimp's own data can't be read: there may be more backups then.
pub fn list_backups(data: &Path, store: &Store) -> Result<Vec<BackupCopy>> {
    Ok(steps::list_backups(store, &Vault::open_read_only(&RealDisk, data, &store.root))?)
}

/// Checks that the bytes are the copied ones, if those are known, and that the format can read all.
pub fn check_backup(data: &Path, store: &Store, copy: (&BackupCopy, &[u8]), now: Moment) -> BackupCheck {
    steps::verify_backup(copy, store, &Vault::open_read_only(&RealDisk, data, &store.root), now)
}

/// Copies all files with memories into palimp's own data, because some formats drop their oldest copies.
/// The copies are made as the result is iterated.
/// Fails if palimp's own data can't be written.
pub fn create_backups<'a>(
    data: &Path,
    store: &'a Store,
    now: Moment,
) -> Result<impl Iterator<Item = Result<(&'a Document, PathBuf)>>> {
    let vault = Vault::open(&RealDisk, data, &store.root)?;
    let copied = move |own: &'a Document| Ok((own, vault.copy(&own.path, &own.bytes, now)?));
    Ok(files_to_back_up(store).map(copied))
}

/// Returns the documents to copy: all that hold memories or settings, except compressed files.
pub fn files_to_back_up(store: &Store) -> impl Iterator<Item = &Document> {
    let wanted = |document: &&Document| {
        let packed = document.path.to_text().ends_with(".gz") || container(&document.path).is_some();
        matches!(document.role, Role::Records | Role::Tombstones | Role::Metadata | Role::Config) && !packed
    };
    store.documents.iter().map(|document| &**document).filter(wanted)
}

/// Compares backups with their files. Keeps what was deleted from the stores, as it was read last.
#[derive(Default)]
pub struct BackupComparer(DeletionsCache);

impl BackupComparer {
    /// Compares a backup with its file. `held` is the listed store with its bytes.
    /// Fails if palimp's own data can't be read, or the format refuses to restore from such a file.
    pub fn compare(
        &mut self,
        host: Host<'_>,
        (listed, held): (&Arc<Store>, &Store),
        copy: (&BackupCopy, &[u8]),
    ) -> Result<BackupComparison> {
        let vault = Vault::open_read_only(host.disk, host.data, &held.root);
        let deleted = self.0.of(&vault, (listed, held), host.now)?;
        let facts = CopyFacts::of(held, &vault, copy, deleted)?;
        let context = WriteContext::of(held, host.now, host.machine.random());
        Ok(compare(&context, &copy.0.file, copy.1, &facts)?)
    }
}
