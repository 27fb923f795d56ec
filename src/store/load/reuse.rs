//! Reuses documents of files that are as they were at the last read.

use std::path::Path;
use std::sync::Arc;

use super::Loader;
use crate::model::key::RecordDigests;
use crate::model::{Document, Extent, Record, RecordReader, Role, Store, lazy_bytes};
use crate::store::compressed_files::{self, FileCompression};
use crate::store::long_log;
use crate::store::store_walk::StoreFile;

impl Loader<'_> {
    pub(super) fn before(&self, path: &Path) -> Option<&Arc<Document>> {
        let is_all = |store: &&Store| matches!(store.extent, Extent::Whole | Extent::Judged);
        let previous = self.given.previous.filter(is_all)?;
        let index = previous.documents.binary_search_by(|document| (*document.path).cmp(path)).ok()?;
        previous
            .documents
            .get(index)
            .filter(|own| !own.record_reader.as_ref().is_some_and(RecordReader::has_changed))
    }

    /// Returns the documents of an unchanged file, with those unpacked from it.
    pub(super) fn unchanged(&self, found: &StoreFile) -> Option<Vec<Arc<Document>>> {
        let previous = self.given.previous?;
        let document = self.before(&found.path).filter(|own| !was_let_go(own))?;
        let holds = document.generation.has_same_bytes(&found.item.generation);
        let own = match &document.record_reader {
            Some(_) if document.is_held() && holds => Arc::clone(document),
            Some(known) if self.extent == Extent::Whole => self.held(document, known)?,
            None if !holds => self.the_same(document, found)?,
            Some(known) if !holds => taken_over(document, known, found)?,
            _ => Arc::clone(document),
        };
        let mut own = vec![own];
        if FileCompression::of(&found.path) == Some(FileCompression::TarGzip) {
            let inside = compressed_files::inside(&found.path);
            own.extend(previous.documents.iter().filter(|own| own.path.starts_with(&inside)).cloned());
        }
        Some(own)
    }

    /// Returns a log with its bytes, if it is as it was listed.
    fn held(&self, document: &Document, known: &RecordReader) -> Option<Arc<Document>> {
        let path = self.root.join(&document.path);
        if let Some(opened) =
            (document.len >= long_log::LARGE_LOG).then(|| self.disk.open_ranges(&path).ok()?).flatten()
        {
            let own = with_bytes(document, opened)?;
            let is_sure = own.generation.is_settled && !known.is_partly_reused();
            return (is_sure || has_all(&own)).then(|| Arc::new(own));
        }
        let (bytes, generation) = self.disk.read(&path, 0, None).ok()?;
        let (records, digests) = (&document.records, known.digests());
        let is_as_it_was = document.generation == generation
            && lazy_bytes::digests(&bytes, 0, records).eq(digests.iter().copied());
        is_as_it_was.then(|| {
            let digests = RecordDigests::known(digests);
            let bytes = bytes.into();
            Arc::new(Document {
                bytes,
                offset: 0,
                record_reader: None,
                generation,
                digests,
                ..Document::clone(document)
            })
        })
    }

    /// Returns the document of a file that was too young for its time to prove anything. Its bytes decide.
    fn the_same(&self, document: &Arc<Document>, found: &StoreFile) -> Option<Arc<Document>> {
        let is_plain = FileCompression::of(&found.path).is_none() && found.role.is_content();
        if document.generation != found.item.generation || !is_plain {
            return None;
        }
        let path = self.root.join(&found.path);
        let (more, generation) = self.disk.read_after(&path, &document.bytes).ok()?;
        if more.is_none_or(|more| !more.is_empty()) || document.generation != generation {
            return None;
        }
        // Once the time is old enough, it proves again that nothing changed.
        let is_settled = generation.is_settled;
        Some(if is_settled {
            Arc::new(Document { generation, ..Document::clone(document) })
        } else {
            Arc::clone(document)
        })
    }

    /// Returns the earlier document if it is equal, so that what was derived from it is kept.
    pub(super) fn reuse_if_equal(&self, own: Document) -> Arc<Document> {
        let is_same = |before: &&Arc<Document>| {
            let is_held = before.record_reader.is_none() && own.record_reader.is_none();
            let is_same_state = before.generation == own.generation && before.len == own.len;
            // If a file is not held, only its time is known, and that may not have moved yet.
            let is_same_text = !own.bytes.is_empty() && before.bytes == own.bytes;
            // A settled time is kept, so that the file need not be read next time.
            is_held && is_same_state && is_same_text && !own.generation.is_settled
        };
        match self.before(&own.path).filter(is_same) {
            Some(before) => Arc::clone(before),
            None => Arc::new(own),
        }
    }

    /// Drops the bytes of a judged index. Reuses an equal one that was dropped before, with its checks.
    pub(super) fn drop_index(&self, document: &mut Arc<Document>) {
        let is_large = document.bytes.len() as u64 > long_log::LONG_LOG;
        if document.role != Role::Index || !self.format.reads_without_bytes(Role::Index) || !is_large {
            return;
        }
        let is_same =
            |own: &&Arc<Document>| was_let_go(own) && own.generation.has_same_bytes(&document.generation);
        if let Some(before) = self.before(&document.path).filter(is_same) {
            *document = Arc::clone(before);
            return;
        }
        let (generation, len) = (document.generation, document.len);
        *document = Arc::new(Document {
            generation,
            len,
            problems: document.problems.clone(),
            ..Document::of_bytes(document.path.clone(), document.role, Vec::new())
        });
    }
}

/// Returns a log whose bytes are read on demand, if its file is the one that was listed.
pub(super) fn with_bytes(document: &Document, (blocks, generation): super::OpenLogFile) -> Option<Document> {
    let known = document.record_reader.as_ref().filter(|_| document.generation == generation)?;
    let digests = RecordDigests::known(known.digests());
    Some(Document { bytes: known.bytes_from(blocks), offset: 0, generation, digests, ..document.clone() })
}

/// True if nothing in it was reused from an earlier state of the file and is missing in this one.
pub(super) fn is_as_read(document: &Document) -> bool {
    let is_taken_over = document.record_reader.as_ref().is_some_and(RecordReader::is_partly_reused);
    !is_taken_over || has_all(document)
}

/// True if all records have the bytes they were read from. Looks at each of them.
fn has_all(document: &Document) -> bool {
    let Some(known) = &document.record_reader else { return true };
    let is_there = |(own, was): (&Record, &u64)| lazy_bytes::digest(&document.raw(own)) == *was;
    let has_all = document.records.iter().zip(known.digests().iter()).all(is_there);
    if has_all {
        known.set_verified(true);
    }
    has_all
}

/// Reuses a log that is too young for its time to prove that nothing changed.
fn taken_over(document: &Arc<Document>, known: &RecordReader, found: &StoreFile) -> Option<Arc<Document>> {
    let generation = found.item.generation;
    let on_demand = (document.generation == generation).then(|| known.clone().mark_reused())?;
    // Once the time is old enough, it proves again that nothing changed.
    Some(match generation.is_settled {
        true => {
            Arc::new(Document { generation, record_reader: Some(on_demand), ..Document::clone(document) })
        }
        false => Arc::clone(document),
    })
}

fn was_let_go(document: &Document) -> bool {
    document.role == Role::Index && document.bytes.is_empty() && document.len > 0
}
