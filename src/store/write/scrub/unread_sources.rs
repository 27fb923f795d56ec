//! Files that may hold records but that the loaded store doesn't have.

use super::super::{CommitError, Vault};
use crate::disk::Disk;
use crate::format::Placement;
use crate::model::{Document, PathText, Role, Store, container};
use crate::store::compressed_files::{FileCompression, inside};
use crate::store::erase::{
    ERASE_UNPACK_LIMIT, ErasedContents, ErasureMatcher, FileVisitor, OutsideFile, is_log_or_copy,
};
use crate::store::hidden_names::is_ours;
use crate::store::write::scrub::byte_search;
use crate::text::unpack::{gunzip, untar};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sources that a loaded store doesn't have: files that may hold records, and palimp's data.
pub struct UnreadSources<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) root: &'a Path,
    pub(crate) vault: &'a Vault<'a>,
    /// Files relative to the root, each with a hash of its content.
    pub(super) files: Vec<(PathBuf, u64)>,
    pub(super) key: RandomState,
    /// Content of files that other programs keep changing. Visitors get this content, not the file's.
    pub(super) held: HashMap<PathBuf, Vec<u8>>,
    /// Visited files that other programs changed after their texts were collected.
    pub(super) changed: RefCell<BTreeSet<PathBuf>>,
}

impl UnreadSources<'_> {
    /// Visits the files of the store that only an erasure reads.
    pub(crate) fn outside(&self, see: FileVisitor<'_>) {
        for (file, was) in &self.files {
            if let Some(bytes) = self.held.get(file) {
                see(OutsideFile { path: file, bytes, is_loose: false });
                continue;
            }
            // A removed file holds nothing. The search later finds a file that can't be read.
            let read = self.disk.read(&self.root.join(file), 0, None).map(|(bytes, _)| bytes);
            if !read.as_ref().is_ok_and(|bytes| self.key.hash_one(bytes) == *was) {
                self.changed.borrow_mut().insert(file.clone());
            }
            if let Ok(bytes) = read {
                see(OutsideFile { path: file, bytes: &bytes, is_loose: false });
            }
        }
    }
}

/// Finds the files that may hold records and whose bytes the loaded store doesn't have. Collects erased texts from
/// the store, from these files and from palimp's data. Holds the content of `busy` files, which other programs keep
/// changing. Fails if palimp's data can't be read: its content is unknown.
pub fn gather<'a>(
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
    let (mut files, mut held, key) = (Vec::new(), HashMap::new(), RandomState::new());
    byte_search::each_file(disk, &store.root, 0, &mut |path, _| {
        let Ok(relative) = path.strip_prefix(&store.root) else { return };
        let is_read = known.get(relative).is_some_and(|own| !is_unread(own.role));
        let packing = FileCompression::of(relative);
        let placed = wanted.format.place(relative, false) == Placement::File(Role::Backup);
        let is_copy = is_log_or_copy(relative) || placed;
        let may_be_copy = is_copy || wanted.named_indexes(relative).next().is_some();
        // A value can be in a file that palimp does not know.
        if packing.is_none() && (is_read || !may_be_copy && wanted.values.is_empty()) {
            return;
        }
        let Ok((bytes, _)) = disk.read(path, 0, None) else { return };
        let is_copy = is_copy || may_be_copy && wanted.is_index(relative, &bytes);
        // A file of git counts as outside: it is searched and named, never changed.
        let is_outside = relative.iter().any(|part| part == ".git");
        if packing.is_none() && !is_copy && (is_outside || !wanted.values.any(&bytes)) {
            return;
        }
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
    vault.each_kept(&mut |_, own| {
        let is_lines = own.step.is_some() && !own.is_whole && !is_log_or_copy(own.path);
        match is_lines {
            // These are single lines of a document, not records. A record with these lines is no copy.
            true => contents.see_lines(wanted, own.path, own.bytes),
            false => drop(contents.see(wanted, own.path, own.bytes)),
        }
    })?;
    Ok(UnreadSources { disk, root: &store.root, vault, files, key, held, changed: RefCell::default() })
}

/// Counts what an erasure also removes, by place: copies and earlier versions in files of the store and in undo data.
pub fn count_versions(
    store: &Store,
    wanted: &ErasureMatcher<'_>,
    gathered: &UnreadSources<'_>,
) -> Result<BTreeMap<String, usize>, CommitError> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |place: String, count: usize| {
        if count > 0 {
            *found.entry(place).or_default() += count;
        }
    };
    let see = |path: &Path, bytes: &[u8]| ErasedContents::default().see(wanted, path, bytes);
    // The plan names the records of these files one by one.
    let is_listed = |own: OutsideFile<'_>| {
        store.documents.iter().any(|read| {
            !is_unread(read.role) && (read.path == own.path || container(&read.path) == Some(own.path))
        })
    };
    gathered.outside(&mut |own| {
        if !is_listed(own) {
            each_within(own.path, own.bytes, &mut |path, bytes| {
                add(own.path.to_text().into_owned(), see(path, bytes));
            });
        }
    });
    gathered.vault.each_kept(&mut |path, own| {
        let place = match own.step {
            Some(step) => format!("undo data of step {step}"),
            None => path.to_text().into_owned(),
        };
        add(place, see(own.path, own.bytes));
    })?;
    Ok(found)
}

pub(super) fn is_unread(role: Role) -> bool {
    matches!(role, Role::Backup | Role::Temp | Role::Lock | Role::Other)
}

/// Visits the content of a file by path: its bytes, its unpacked bytes, or each file of an archive.
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
