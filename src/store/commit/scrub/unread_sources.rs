//! Files that may hold records and that the store as it was read does not have.

use super::super::{CommitError, Vault};
use crate::disk::Disk;
use crate::format::Placement;
use crate::model::{Document, Role, Store};
use crate::store::commit::scrub::byte_search;
use crate::store::commit::scrub::scrub_vault;
use crate::store::compressed_files::{FileCompression, inside};
use crate::store::erase::{
    CopySource, ERASE_UNPACK_LIMIT, ErasedContents, ErasureMatcher, FileVisitor, OutsideFile, is_log_or_copy,
};
use crate::store::hidden_names::is_ours;
use crate::text::unpack::{gunzip, untar};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a store as it was read does not have: files that may hold records, and our own data.
pub struct UnreadSources<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) root: &'a Path,
    pub(super) vault: &'a Vault<'a>,
    /// Relative to the root, each with a hash of what it held.
    pub(super) files: Vec<(PathBuf, u64)>,
    pub(super) key: RandomState,
    /// What those held that others are known to change meanwhile: it is shown as it was taken in.
    pub(super) held: HashMap<PathBuf, Vec<u8>>,
    /// Those that were shown, and that others changed since what they say was taken in.
    pub(super) changed: RefCell<BTreeSet<PathBuf>>,
}

impl CopySource for UnreadSources<'_> {
    fn outside(&self, see: FileVisitor<'_>) -> Result<(), CommitError> {
        for (file, was) in &self.files {
            if let Some(bytes) = self.held.get(file) {
                see(OutsideFile { path: file, bytes, is_loose: false });
                continue;
            }
            // One that is gone by now holds nothing; one that can't be read is found by the search.
            let read = self.disk.read(&self.root.join(file), 0, None).map(|(bytes, _)| bytes);
            if !read.as_ref().is_ok_and(|bytes| self.key.hash_one(bytes) == *was) {
                self.changed.borrow_mut().insert(file.clone());
            }
            if let Ok(bytes) = read {
                see(OutsideFile { path: file, bytes: &bytes, is_loose: false });
            }
        }
        Ok(())
    }

    fn copies(&self, see: FileVisitor<'_>) -> Result<(), CommitError> {
        self.vault.each_copy(see)
    }
}

/// The files that a store as it was read has no bytes of, and that may hold records. What
/// they and our own data say of what is erased is taken in.
///
/// # Errors
///
/// If our own data can't be read: nobody knows what it says.
pub fn gather<'a>(
    disk: &'a dyn Disk,
    store: &'a Store,
    vault: &'a Vault<'a>,
    wanted: &ErasureMatcher<'_>,
    contents: &mut ErasedContents,
) -> Result<UnreadSources<'a>, CommitError> {
    gather_holding(disk, store, vault, wanted, contents, &BTreeSet::new())
}

/// The same, where others are known to change some files all the time.
pub(super) fn gather_holding<'a>(
    disk: &'a dyn Disk,
    store: &'a Store,
    vault: &'a Vault<'a>,
    wanted: &ErasureMatcher<'_>,
    contents: &mut ErasedContents,
    busy: &BTreeSet<PathBuf>,
) -> Result<UnreadSources<'a>, CommitError> {
    let known: HashMap<&Path, &Arc<Document>> = store.documents.iter().map(|own| (&*own.path, own)).collect();
    for own in &store.documents {
        contents.see_document(wanted, own);
    }
    wanted.note_kept_lines(&store.documents);
    let (mut files, mut held, key) = (Vec::new(), HashMap::new(), RandomState::new());
    byte_search::each_file(disk, &store.root, 0, &mut |path, _| {
        let Ok(relative) = path.strip_prefix(&store.root) else { return };
        let is_read = known.get(relative).is_some_and(|own| !is_unread(own.role));
        let packing = FileCompression::of(relative);
        let placed = wanted.format.place(relative, false) == Placement::File(Role::Backup);
        if packing.is_none() && (is_read || !is_log_or_copy(relative) && !placed) {
            return;
        }
        let Ok((bytes, _)) = disk.read(path, 0, None) else { return };
        each_within(relative, &bytes, &mut |path, bytes| {
            contents.see(wanted, path, bytes);
        });
        if !path.file_name().is_some_and(is_ours) {
            files.push((relative.to_owned(), key.hash_one(&bytes)));
            if busy.contains(relative) {
                held.insert(relative.to_owned(), bytes);
            }
        }
    });
    vault.each_kept(&mut |path, own, bytes| match scrub_vault::is_step(path) && !is_log_or_copy(own) {
        // A few lines of a document are no record: another that has them is no copy of it.
        true => contents.see_lines(wanted, own, bytes),
        false => drop(contents.see(wanted, own, bytes)),
    })?;
    Ok(UnreadSources { disk, root: &store.root, vault, files, key, held, changed: RefCell::default() })
}

pub(super) fn is_unread(role: Role) -> bool {
    matches!(role, Role::Backup | Role::Temp | Role::Lock | Role::Other)
}

/// What a file of those bytes says, by path: itself, what it is compressed from, or each file in it.
pub(super) fn each_within(path: &Path, bytes: &[u8], see: &mut dyn FnMut(&Path, &[u8])) {
    match FileCompression::of(path) {
        None => see(path, bytes),
        Some(FileCompression::Gzip) => see(path, &gunzip(bytes, ERASE_UNPACK_LIMIT).content),
        Some(FileCompression::TarGzip) => {
            for member in untar(bytes, ERASE_UNPACK_LIMIT).content {
                see(&inside(path).join(member.path), &member.bytes);
            }
        }
    }
}
