//! Computes derived files from documents. Pure.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compressed_files::{self, FileCompression};
use super::incremental_read::reread_between;
use super::parallel_read;
use crate::format::record_reader::Reading;
use crate::format::{self, AssemblyInput, Format};
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{Act, Bytes, Change, Document, Moment, Role, Store, container, is_log};

/// If a log is being written to and has more bytes than this, its derived files are made after the
/// change: made before it, they would be out of date.
pub const LARGE_BUSY_LOG: u64 = 1 << 20;
/// A write at most this many nanoseconds (one second) ago means that a program is writing to the file.
pub const RECENT_WRITE: i128 = 1_000_000_000;

/// A write at most this long (one minute) after the command began happened while palimp reads. If it is
/// later, a clock is wrong, or the time was given.
const WHILE_READ: i128 = 60 * RECENT_WRITE;

/// True if another program is writing to a large log in which lines change. Only such changes count: a
/// file that is made or removed is in derived files at once. `now` is when the command began.
pub fn is_written_to(store: &Store, changes: &[Change], now: Moment) -> bool {
    let mut logs = spliced_logs(changes).filter_map(|own| store.document_at(&own.path));
    let age = |own: &Document| i128::from(now.0) * 1000 - own.generation.modified;
    logs.any(|own| own.len > LARGE_BUSY_LOG && (-WHILE_READ..RECENT_WRITE).contains(&age(own)))
}

fn spliced_logs(changes: &[Change]) -> impl Iterator<Item = &Change> {
    changes.iter().filter(|own| matches!(own.act, Act::Splice(_)) && is_log(&own.path))
}

/// Returns the derived files beside the logs that are changed, as they are.
pub fn beside_logs<'s>(store: &'s Store, changes: &[Change]) -> Vec<&'s Arc<Document>> {
    let folders: HashSet<&Path> = spliced_logs(changes).filter_map(|own| own.path.parent()).collect();
    let is_derived = |own: &&Arc<Document>| {
        matches!(own.role, Role::Index | Role::Metadata)
            && own.path.parent().is_some_and(|folder| folders.contains(folder))
    };
    store.documents.iter().filter(is_derived).collect()
}

/// Returns a store's documents as they are after the changes, without files beside the store.
pub fn documents_after(store: &Store, changes: &[Change], now: Moment) -> Vec<Arc<Document>> {
    let mut documents = store.documents.clone();
    let Some(format) = format::by_name(store.format) else { return documents };
    let within = changes.iter().filter(|change| !change.path.starts_with(".."));
    // If a file has several changes, the last one counts.
    let last: HashMap<&Path, &Change> = within.map(|change| (&*change.path, change)).collect();
    documents.retain(|document| !last.contains_key(&*document.path));
    for (path, change) in last {
        let before = store.document_at(path);
        if let Some(own) = before.and_then(|before| respliced_log(format, before, change, now)) {
            documents.push(Arc::new(own));
        } else if let Some(bytes) = change.after()
            && let format::Placement::File(role) = format.place(path, false)
        {
            documents.push(Arc::new(read(format, role, path, bytes, now)));
        }
    }
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    documents
}

/// Returns a log after a change of lines, planned from what was read. Reads only those lines and does
/// not assemble the whole file. `None` for any other change.
fn respliced_log(format: &dyn Format, before: &Document, change: &Change, now: Moment) -> Option<Document> {
    let is_it = |base: &&Bytes| base.is_same(&before.bytes) && base.len() as u64 == before.len;
    let (base, splices) = (change.base.as_ref().filter(is_it)?, change.splices()?);
    let bytes = Bytes::spliced(base, splices.clone());
    let (first, last) = (splices.first()?, splices.last()?);
    let same_end = before.len.checked_sub(last.end())? as usize;
    let reading = reread_between(format, before, (&bytes, (first.start as usize, same_end)), now)?;
    let len = bytes.len() as u64;
    let own = Document::of_bytes(before.path.clone(), before.role, bytes);
    Some(Document { len, records: reading.records, problems: reading.problems, ..own })
}

fn read(format: &dyn Format, role: Role, path: &Path, bytes: Bytes, now: Moment) -> Document {
    let packing = FileCompression::of(path);
    let unread = packing == Some(FileCompression::TarGzip) || !role.is_content();
    let bytes = if packing == Some(FileCompression::Gzip) {
        compressed_files::unpacked(&bytes).into()
    } else {
        bytes
    };
    let reading = match unread {
        true => Reading::default(),
        false => parallel_read::read(format, (role, path, &bytes), now),
    };
    let len = bytes.len() as u64;
    let held = if unread { Bytes::default() } else { bytes };
    let own = Document::of_bytes(path.to_owned(), role, held);
    Document { len, records: reading.records, problems: reading.problems, ..own }
}

/// Returns the changes that make the derived files fit `documents`, if files in `touched` concern them.
/// `store` has the derived files as they are on disk.
pub fn derived_changes(
    store: &Store,
    documents: &[Arc<Document>],
    touched: &[PathBuf],
    now: Moment,
) -> Vec<Change> {
    let there: HashMap<&Path, &Arc<Document>> =
        store.documents.iter().map(|document| (&*document.path, document)).collect();
    let change = |derived: format::DerivedFile| match there.get(&*derived.path) {
        Some(document) if document.bytes == derived.bytes => None,
        Some(document) => Some(Change::rewrite(derived.path, document.bytes.clone(), derived.bytes)),
        None => Some(Change { mode: PRIVATE_MODE, ..Change::create(derived.path, derived.bytes) }),
    };
    make_derived(store, documents, touched, now).into_iter().filter_map(change).collect()
}

/// Makes all files derived from `documents` that concern files in `touched`, also ones that don't exist.
pub fn make_derived(
    store: &Store,
    documents: &[Arc<Document>],
    touched: &[PathBuf],
    now: Moment,
) -> Vec<format::DerivedFile> {
    let Some(format) = format::by_name(store.format) else { return Vec::new() };
    let folders = folders_of(documents);
    let parts = AssemblyInput::of(documents, &folders);
    format.derived(&parts, touched, now)
}

/// Returns the right content of the file at `path`, if it is derived from `documents`.
pub fn expected_content(
    store: &Store,
    documents: &[Arc<Document>],
    path: &Path,
    now: Moment,
) -> Option<Bytes> {
    let all = make_derived(store, documents, &[path.to_owned()], now);
    all.into_iter().find(|own| own.path == path).map(|own| own.bytes)
}

/// Returns the files that derived files are made from, with their lengths, without those in `changed`.
pub fn derivation_inputs(store: &Store, changed: &[PathBuf]) -> Vec<(PathBuf, u64)> {
    let changed: HashSet<&Path> = changed.iter().map(|path| &**path).collect();
    let data = |role| matches!(role, Role::Records | Role::Archive | Role::Tombstones);
    // The files in an archive change with the archive.
    let own = |document: &&Arc<Document>| {
        let packed = container(&document.path).is_some();
        data(document.role) && !packed && !changed.contains(&*document.path)
    };
    store.documents.iter().filter(own).map(|own| (own.path.clone(), own.generation.len)).collect()
}

/// Returns every folder that leads to a document, sorted.
pub fn folders_of(documents: &[Arc<Document>]) -> Vec<PathBuf> {
    let above = documents.iter().flat_map(|document| document.path.ancestors().skip(1));
    let mut folders: Vec<PathBuf> =
        above.filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned).collect();
    folders.sort();
    folders.dedup();
    folders
}
