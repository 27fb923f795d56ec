//! Reuses documents of files that are as they were at the last read, and reads on those that have grown.

use std::path::Path;
use std::sync::Arc;

use super::Loader;
use crate::model::{Document, Extent, Generation, is_log};
use crate::store::compressed_files::{self, FileCompression, empty_document};
use crate::store::incremental_read;
use crate::store::store_walk::StoreFile;

/// A log of fewer bytes is read whole when it has grown: that takes no longer.
const READ_ON: u64 = 256 << 10;
/// What is compared before the end of a log that has grown, and at each sample, in bytes.
const LAST: u64 = 64 << 10;
const SAMPLE: u64 = 4 << 10;
const SAMPLES: u64 = 16;

impl Loader<'_> {
    pub(super) fn before(&self, path: &Path) -> Option<&Arc<Document>> {
        let previous = self.given.previous.filter(|store| store.extent == Extent::All)?;
        let index = previous.documents.binary_search_by(|document| (*document.path).cmp(path)).ok()?;
        previous.documents.get(index)
    }

    /// Returns the documents of an unchanged file, with those unpacked from it.
    pub(super) fn unchanged(&self, found: &StoreFile) -> Option<Vec<Arc<Document>>> {
        let previous = self.given.previous?;
        let document = self.before(&found.path)?;
        let own = match document.generation.has_same_bytes(&found.item.generation) {
            true => Arc::clone(document),
            false => self.the_same(document, found)?,
        };
        let mut own = vec![own];
        if FileCompression::of(&found.path) == Some(FileCompression::TarGzip) {
            let inside = compressed_files::inside(&found.path);
            own.extend(previous.documents.iter().filter(|own| own.path.starts_with(&inside)).cloned());
        }
        Some(own)
    }

    /// Reads a large log on from where it ended. `None` if it must be read from the start.
    pub(super) fn grown(&self, found: &StoreFile) -> Option<Document> {
        let is_known =
            |before: &&Arc<Document>| before.len >= READ_ON && before.is_held() && is_log(&before.path);
        let before = self.before(&found.path).filter(is_known)?;
        let path = self.root.join(&found.path);
        let (added, generation) = match self.given.compares_samples {
            true => self.read_after_samples(before, &path)?,
            false => {
                let (added, generation) = self.disk.read_after(&path, &before.bytes).ok()?;
                (added?, generation)
            }
        };
        let was = before.generation;
        let is_same_file = (was.device, was.inode) == (generation.device, generation.inode);
        let has_grown = !added.is_empty() && before.len + added.len() as u64 == generation.len;
        if !is_same_file || !has_grown {
            return None;
        }
        let bytes = before.bytes.with_added(&added);
        let end = (before.bytes.len(), 0);
        let reading = incremental_read::reread_between(self.format, before, (&bytes, end), self.given.now)?;
        let (records, problems) = (reading.records, reading.problems);
        Some(Document { len: generation.len, bytes, records, problems, ..empty_document(found, generation) })
    }

    /// Reads what follows the known bytes of a log. `None` if samples of them have changed.
    ///
    /// An agent adds to the end, and comparing 100 MB for each line would take a core. So the state counts as
    /// unsettled, and all of the log is compared once writing stops ([`crate::store::has_misread`]). No plan is made of
    /// such a log before all of it was compared.
    fn read_after_samples(&self, before: &Document, path: &Path) -> Option<(Vec<u8>, Generation)> {
        let is_as_it_was = |from: u64, bytes: &[u8]| {
            before.bytes.range(from as usize..from as usize + bytes.len()).is_some_and(|was| *was == *bytes)
        };
        let from = before.len - LAST;
        let (bytes, generation) = self.disk.read(path, from, None).ok()?;
        let (last, added) = bytes.split_at_checked(LAST as usize)?;
        if !is_as_it_was(from, last) {
            return None;
        }
        for sample in 0..SAMPLES {
            let from = sample * from / SAMPLES;
            if !is_as_it_was(from, &self.disk.read(path, from, Some(SAMPLE)).ok()?.0) {
                return None;
            }
        }
        Some((added.to_vec(), Generation { is_settled: false, ..generation }))
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
            let is_same_state = before.generation == own.generation && before.len == own.len;
            // If a file is not held, only its time is known, and that may not have moved yet.
            let is_same_text = !own.bytes.is_empty() && before.bytes == own.bytes;
            // A settled time is kept, so that the file need not be read next time.
            is_same_state && is_same_text && !own.generation.is_settled
        };
        let before = self.before(&own.path).filter(is_same).map(Arc::clone);
        before.unwrap_or_else(|| Arc::new(own))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::disk::RealDisk;
    use crate::model::{Extent, Moment, Snapshot, Store};
    use crate::store::{Place, has_misread, load, load_each};

    fn line(number: usize, word: &str) -> String {
        format!("{{\"id\":\"{number}\",\"content\":\"{word} {}\"}}\n", "x".repeat(500))
    }

    #[test]
    fn a_large_log_is_read_on_and_what_changed_before_its_end_is_found_later() {
        let folder = crate::folder::new();
        let (path, now) = (folder.path().join("learnings.jsonl"), Moment(1_800_000_000_000_000));
        let place = Place::whole(folder.path().to_owned(), "memory-server");
        let compared = |previous: Option<&Store>| load(&place, Extent::All, previous, now);
        let read = |previous: Option<&Arc<Store>>| {
            let previous = Snapshot::of(previous.into_iter().cloned().collect());
            load_each(std::slice::from_ref(&place), Extent::All, &previous, now).remove(0)
        };
        let was: String = (0..1_000).map(|number| line(number, "one")).collect();
        let added = line(1_000, "new");
        let once = |word: &str| was.replacen(&line(700, "one"), &line(700, word), 1);
        let (other, shorter) = (was.replace("one", "two"), was[..was.len() / 2].to_owned());
        for (is, is_misread) in [
            (was.clone(), false),
            (once("two"), true),
            (once("three"), false),
            (other, false),
            (shorter, false),
        ] {
            std::fs::write(&path, &was).unwrap();
            let before = read(None);
            std::fs::write(&path, is.clone() + &added).unwrap();
            let grown = read(Some(&before));
            assert_eq!(has_misread(&RealDisk, &grown), is_misread);
            let (again, whole, compared) = (read(Some(&grown)), read(None), compared(Some(&before)));
            for store in if is_misread { vec![&*again, &compared] } else { vec![&grown, &again, &compared] } {
                let [own, all] = [store, &whole].map(|own| &own.documents[0]);
                assert_eq!((&*own.bytes, own.len), (&*all.bytes, all.len));
                assert_eq!(format!("{:?}", own.records), format!("{:?}", all.records));
                assert_eq!(store.entries, whole.entries);
            }
        }
    }
}
