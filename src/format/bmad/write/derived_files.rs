//! Rebuilds a session's manifest and index after a change.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::manifest_check::{RecordCounts, check_counts};
use super::super::{config, index_check, layout};
use super::index_build::{IndexTemplate, contradicts, is_own};
use super::logs::LogBytes;
use super::manifest_build::recounted;
use crate::format::id_index::IdIndex;
use crate::format::record_reader::{edit_object, object_of, without_mark};
use crate::format::writing::{document, with_config_of};
use crate::format::{AssemblyInput, DerivedFile};
use crate::model::{Code, Document, Generation, Moment, Role};
use crate::text::json::Json;
use crate::text::json_edit::{apply, put};
use crate::text::json_scanner::Tape;

/// Returns manifest and index of every session with a touched file.
pub fn derived(parts: &AssemblyInput<'_>, touched: &[std::path::PathBuf], now: Moment) -> Vec<DerivedFile> {
    let folders: BTreeSet<&Path> = touched.iter().filter_map(|path| layout::folder_of(path)).collect();
    let own = folders.into_iter().filter_map(|folder| SessionRebuild::of(parts, folder));
    let config = document(parts.documents, Path::new("config.json"));
    let indexes = with_config_of(config.map(|own| &*own.bytes), config::indexes);
    // An existing index has words of memories: those of deleted memories must disappear from it.
    let index = |own: &SessionRebuild<'_>| (indexes || own.index.is_some()).then(|| own.index(now));
    let own = own.flat_map(|own| own.manifest(now).into_iter().chain(index(&own)));
    let archived =
        touched.iter().filter_map(|path| layout::session_of(path)).filter(|(_, archived)| *archived);
    let archived: BTreeSet<String> = archived.map(|(session, _)| session).collect();
    own.chain(archived.iter().filter_map(|session| archived_manifest(parts, session))).collect()
}

/// Returns the manifest of an archived session with the correct size of its archive. Skips a broken
/// archive: if it was cut, the manifest still has the original size.
fn archived_manifest(parts: &AssemblyInput<'_>, session: &str) -> Option<DerivedFile> {
    let [packed, manifest] = layout::archive_files(session).map(|path| document(parts.documents, &path));
    let (packed, manifest) = (packed?, manifest.filter(|own| own.offset == 0)?);
    if packed.problems.iter().any(|own| own.code == Code::ArchiveBroken) {
        return None;
    }
    let sized = |body: &[u8], object: Json<'_>| {
        let stored = object.get(PACKED_SIZE).and_then(|size| size.count());
        let is_wrong = stored.is_some_and(|size| size != packed.len);
        let members: &[_] = if is_wrong { &[(PACKED_SIZE, packed.len.to_string())] } else { &[] };
        apply(body, put(object, members))
    };
    let bytes = edit_object(&manifest.bytes, sized).ok()?;
    Some(DerivedFile { path: manifest.path.clone(), bytes: bytes.into() })
}

const PACKED_SIZE: &str = "compressed_size_bytes";

struct SessionRebuild<'a> {
    name: String,
    folder: &'a Path,
    logs: Vec<&'a Document>,
    manifest: Option<&'a Document>,
    index: Option<&'a Document>,
    /// The bytes of all files of the session.
    size: u64,
    /// True if a log has the bytes of a plan. A log on disk has a generation.
    is_planned: bool,
}

impl<'a> SessionRebuild<'a> {
    /// Returns `None` if nothing of the session is left, or not all of it was read.
    fn of(parts: &'a AssemblyInput<'_>, folder: &'a Path) -> Option<Self> {
        let (name, _) = layout::session_of(folder)?;
        let files: Vec<&Document> =
            parts.documents.iter().filter(|own| own.path.starts_with(folder)).map(|own| &**own).collect();
        let logs: Vec<&Document> =
            files.iter().copied().filter(|document| document.role == Role::Records).collect();
        let manifest = document(parts.documents, &folder.join("manifest.json"));
        let is_whole = files.iter().all(|document| document.offset == 0);
        let is_there = manifest.is_some() || !logs.is_empty();
        (is_whole && is_there).then(|| SessionRebuild {
            name,
            folder,
            manifest,
            index: document(parts.documents, &folder.join("index.json")),
            size: files.iter().map(|document| document.len).sum(),
            is_planned: logs.iter().any(|log| log.generation == Generation::default()),
            logs,
        })
    }

    /// Does not make a missing manifest: agents and user of the session are recorded nowhere else.
    fn manifest(&self, now: Moment) -> Option<DerivedFile> {
        let own = self.manifest?;
        let counts = RecordCounts::of(self.logs.iter().copied(), self.size);
        let bytes = match self.is_planned || !is_counted(own, &counts) {
            true => recounted(&own.bytes, &counts, now, true).ok()?.into(),
            false => own.bytes.clone(),
        };
        Some(DerivedFile { path: own.path.clone(), bytes })
    }

    /// Returns the existing index if it is correct. A plan that changes a log always updates the index.
    fn index(&self, now: Moment) -> DerivedFile {
        let own = self.index.map(|own| &*own.bytes).unwrap_or_default();
        let mut tape = Tape::default();
        let object = object_of(&mut tape, own).ok();
        let logs: Vec<LogBytes<'_>> = self.logs.iter().filter_map(|log| LogBytes::of(log)).collect();
        let created = object.and_then(|object| object.get("created_at")?.moment());
        let created = created.filter(|_| self.is_planned || is_own(without_mark(own)));
        let is_others = object.filter(|_| !self.is_planned && created.is_none());
        let bytes = if is_others.is_some_and(|object| self.fits(object) && !contradicts(object, &logs)) {
            own.to_vec()
        } else {
            let made = IndexTemplate::of(object, &self.name, &logs);
            let body = if self.is_planned { own } else { without_mark(own) };
            if created.is_some_and(|created| made.is(body, created)) { own.to_vec() } else { made.at(now) }
        };
        DerivedFile { path: self.folder.join("index.json"), bytes: bytes.into() }
    }

    fn fits(&self, object: Json<'_>) -> bool {
        let records = || self.logs.iter().flat_map(|log| log.records.iter().map(move |own| (log, own)));
        let mut ids = IdIndex::of(records().count());
        for (log, record) in records() {
            let id = record.id();
            id.map(|id| ids.first(id, log, record.line));
        }
        index_check::check(object, self.folder, &self.name, &ids).is_empty()
    }
}

fn is_counted(own: &Document, counts: &RecordCounts) -> bool {
    let mut tape = Tape::default();
    let Ok(object) = object_of(&mut tape, &own.bytes) else { return false };
    let is_there = |name: &str| {
        let stored = object.path(&["statistics", name]);
        stored.and_then(|value| value.count()).is_some()
    };
    counts.named().iter().all(|(name, _)| is_there(name))
        && check_counts(object, &own.path, counts).is_empty()
}
