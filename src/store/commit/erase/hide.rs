//! Names that repeat what an erased record said, taken out of our own data: ids that were made of
//! a text, and the files that are called after them.

use std::path::{Path, PathBuf};

use super::vaulted::{Erasing, FOLDERS};
use crate::disk::ItemKind;
use crate::store::commit::{CommitError, FileLine, Vault};
use crate::store::erase::Names;

/// The folder of receipts, and our folder of the store itself.
const TEXTS: [&str; 2] = ["receipts", ""];

impl Erasing {
    /// The same without names that repeat what was erased.
    pub fn without_names(&self, names: &Names, salt: &[u8]) -> Erasing {
        let file = |own: &FileLine| FileLine { path: names.hidden_in(&own.path), ..own.clone() };
        Erasing {
            records: self.records.iter().map(|own| own.without_names(names, salt)).collect(),
            files: self.files.iter().map(file).collect(),
            ..self.clone()
        }
    }
}

impl Vault<'_> {
    /// Takes names out of everything: what holds content and a name goes, in the journal, the
    /// erasure list and receipts something else stands for them.
    pub(super) fn hide(&self, names: &Names) -> Result<(), CommitError> {
        for folder in FOLDERS {
            for path in self.files_of(folder)? {
                let is_called = path.file_name().is_some_and(|own| names.any(own.as_encoded_bytes()));
                if is_called || self.own(&path)?.is_some_and(|bytes| names.any(&bytes)) {
                    let failed = |source| CommitError::own_data(&path, source);
                    self.disk().remove(&path).map_err(failed)?;
                }
            }
        }
        for folder in TEXTS {
            for path in self.files_of(folder)? {
                self.hide_in(&path, names)?;
            }
        }
        Ok(())
    }

    fn hide_in(&self, path: &Path, names: &Names) -> Result<(), CommitError> {
        let Some(bytes) = self.own(path)?.filter(|bytes| names.any(bytes)) else { return Ok(()) };
        match String::from_utf8(bytes) {
            Ok(text) => self.put_whole(path, names.hidden(&text).as_bytes()),
            Err(_) => Ok(()),
        }
    }

    fn files_of(&self, folder: &str) -> Result<Vec<PathBuf>, CommitError> {
        let items = self.items(folder)?.into_iter();
        let files = items.filter(|item| item.kind == ItemKind::File && item.link.is_none());
        Ok(files.map(|item| self.path(folder).join(item.name)).collect())
    }
}
