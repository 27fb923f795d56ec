//! Reads compressed files in place, without unpacking them onto the disk.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::store_walk::StoreFile;
use crate::disk::Disk;
use crate::format::{Format, Placement};
use crate::model::snapshot::Generation;
use crate::model::{Code, Document, Moment, PathText, Problem, Severity, Store};
use crate::text::unpack::{gunzip, untar};

/// The largest unpacked size of one file, in bytes. A larger one is taken for a bomb.
const FILE_UNPACK_LIMIT: u64 = 256 << 20;
/// The most bytes that all files of a store may unpack to together.
pub const STORE_UNPACK_LIMIT: u64 = 1 << 30;

/// The compression of a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCompression {
    /// A single file.
    Gzip,
    /// A tar archive.
    TarGzip,
}

impl FileCompression {
    /// Returns the compression that a file's name shows, if any.
    pub fn of(path: &Path) -> Option<FileCompression> {
        let name = path.file_name()?.to_text();
        match () {
            () if name.ends_with(".tar.gz") || name.ends_with(".tgz") => Some(FileCompression::TarGzip),
            () if name.ends_with(".gz") => Some(FileCompression::Gzip),
            () => None,
        }
    }

    /// Returns the file's documents: one for a `.gz` file; one for an archive and each of its files
    /// that the format has. Bytes and spans are the unpacked ones.
    pub fn documents(
        self,
        found: &StoreFile,
        packed: &[u8],
        generation: Generation,
        room: &mut u64,
        format: &dyn Format,
        now: Moment,
    ) -> Vec<Document> {
        let limit = FILE_UNPACK_LIMIT.min(*room);
        let mut container = empty_document(found, generation);
        if self == FileCompression::Gzip {
            let unpacked = gunzip(packed, limit);
            *room -= unpacked.content.len() as u64;
            fill(&mut container, unpacked.content, format, now);
            container.problems.extend(unpacked.fault.map(|fault| broken(&found.path, &fault)));
            return vec![container];
        }
        let unpacked = untar(packed, limit);
        container.problems.extend(unpacked.fault.map(|fault| broken(&found.path, &fault)));
        let mut documents = vec![container];
        let mut seen = HashSet::new();
        // If two files in an archive have the same path, the later one counts, as in tar.
        for member in unpacked.content.into_iter().rev() {
            *room -= member.bytes.len() as u64;
            if !seen.insert(member.path.clone()) {
                continue;
            }
            let path = inside(&found.path).join(&member.path);
            if let Placement::File(role) = format.place(&path, false) {
                let mut document = Document { path, role, ..empty_document(found, generation) };
                fill(&mut document, member.bytes, format, now);
                documents.push(document);
            }
        }
        documents
    }
}

/// Returns the files in a file with these bytes: the file itself if it is not compressed.
pub fn contents(path: &Path, bytes: &[u8]) -> Vec<(PathBuf, Vec<u8>)> {
    match FileCompression::of(path) {
        None => vec![(path.to_owned(), bytes.to_vec())],
        Some(FileCompression::Gzip) => vec![(path.to_owned(), unpacked(bytes))],
        Some(FileCompression::TarGzip) => {
            let members = untar(bytes, FILE_UNPACK_LIMIT).content.into_iter().rev();
            members.map(|member| (inside(path).join(member.path), member.bytes)).collect()
        }
    }
}

/// Reads the bytes of a store's compressed files as they are on disk. Fails if a file can't be read, or has changed
/// since the store was read.
pub fn packed_bytes(
    disk: &dyn Disk,
    store: &Store,
    files: &[PathBuf],
) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for file in files {
        let (bytes, generation) = disk.read(&store.root.join(file), 0, None)?;
        let known = store.documents.iter().find(|document| document.path == *file);
        if known.is_none_or(|known| known.generation != generation) {
            return Err(io::Error::other(format!("{} has changed since it was read", file.to_text())));
        }
        found.insert(file.clone(), bytes);
    }
    Ok(found)
}

/// Returns the content of a gzip file, as far as it can be unpacked.
pub fn unpacked(packed: &[u8]) -> Vec<u8> {
    gunzip(packed, FILE_UNPACK_LIMIT).content
}

/// Returns the prefix of the paths of an archive's files: the archive's own path and `!`.
pub fn inside(archive: &Path) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push("!");
    name.into()
}

fn fill(document: &mut Document, bytes: Vec<u8>, format: &dyn Format, now: Moment) {
    if document.role.is_content() {
        let reading = format.read(document.role, &document.path, &bytes, now);
        document.records = reading.records;
        document.problems = reading.problems;
    }
    document.len = bytes.len() as u64;
    document.bytes = bytes.into();
}

fn broken(path: &Path, fault: &str) -> Problem {
    let message = format!("It can't be unpacked completely: {fault}. What was read before that is shown.");
    Problem::of_file(Code::ArchiveBroken, Severity::Error, path, message)
}

pub(crate) fn empty_document(found: &StoreFile, generation: Generation) -> Document {
    let empty = Document::of_bytes(found.path.clone(), found.role, Vec::new());
    Document { len: generation.len, generation, ..empty }
}
