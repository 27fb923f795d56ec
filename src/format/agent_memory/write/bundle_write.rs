//! The files of a store while a change of the bundle is built, and paths in the bundle.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::{AgentMemory, layout};
use super::canonical_write::{canonical_write, path_of};
use super::path_edits::{BundleEdit, BundleFileWrite};
use super::prune::PruneResult;
use super::recall_effects::unsaid;
use crate::format::writing::{Refusal, Result, WriteContext, document};
use crate::format::{Format, Placement};
use crate::model::plan::change::SHARED_MODE;
use crate::model::{Bytes, Change, Document, Extent, Moment, Store};

/// The number of parts or events that are named one by one.
const NAMED: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BundleFileKind {
    Bundle,
    Event,
    Checkpoint,
    Source,
    Archived,
    Other,
}

impl BundleFileKind {
    pub(super) fn of(file: &Path) -> BundleFileKind {
        match () {
            () if layout::batch_of(file).is_some() => BundleFileKind::Archived,
            () if file == Path::new(layout::STATE) => BundleFileKind::Bundle,
            () if file == Path::new(layout::EVENTS) => BundleFileKind::Event,
            () if file == Path::new(layout::SOURCES) => BundleFileKind::Source,
            () if layout::is_checkpoint(file) => BundleFileKind::Checkpoint,
            () => BundleFileKind::Other,
        }
    }
}

pub(super) fn bundle_path(store: &Store, record: usize) -> Result<String> {
    let state = document(&store.documents, Path::new(layout::STATE));
    let path = state.and_then(|state| path_of(state, record));
    path.ok_or_else(|| Refusal::corrupt("the state has no bundle that it could be a part of."))
}

/// Describes a change for the event. It names the parts, and never quotes their content.
pub(super) fn summary<'p>(verb: &str, paths: impl Iterator<Item = &'p str>) -> String {
    format!("{verb} {}", named(&paths.collect::<Vec<_>>()))
}

/// Names the first of several parts or events, and counts the others.
pub(super) fn named(all: &[impl AsRef<str>]) -> String {
    let first: Vec<&str> = all.iter().take(NAMED).map(AsRef::as_ref).collect();
    match all.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The files after each step of a change, and the changes that lead there.
pub(super) struct BundleWrite<'a> {
    pub(super) context: &'a WriteContext<'a>,
    pub(super) documents: Vec<Arc<Document>>,
    pub(super) changes: Vec<Change>,
    pub(super) removals: Vec<Change>,
}

impl<'a> BundleWrite<'a> {
    pub(super) fn of(context: &'a WriteContext<'a>) -> Result<Self> {
        if context.store.extent != Extent::All {
            return Err(Refusal::unfit("the store has not been read completely yet."));
        }
        let documents = context.store.documents.clone();
        Ok(BundleWrite { context, documents, changes: Vec::new(), removals: Vec::new() })
    }

    pub(super) fn canonical(&mut self, edits: &[BundleEdit<'_>], summary: &str) -> Result<()> {
        let beside = &self.context.store.outside_files;
        let files = canonical_write(&self.documents, beside, edits, summary, self.context.now)?;
        files.into_iter().for_each(|file| self.take(file));
        Ok(())
    }

    /// Removes the deleted texts from the signals of events that are not recalled yet.
    pub(super) fn take_out_of_events(&mut self, edits: &[BundleEdit<'_>]) -> Result<()> {
        if let Some(bytes) = unsaid(&self.documents, edits)? {
            self.take(BundleFileWrite { path: layout::EVENTS.into(), bytes, append: false });
        }
        Ok(())
    }

    pub(super) fn take_pruned(&mut self, pruned: PruneResult) {
        let PruneResult { batch, rewritten, removed, .. } = pruned;
        let mut folders: BTreeSet<PathBuf> =
            batch.iter().filter_map(|file| file.path.parent()).map(Path::to_owned).collect();
        // The format's own tool makes this folder in every batch, even without checkpoints.
        let own = batch.iter().find_map(|file| layout::batch_of(&file.path));
        folders.extend(own.map(|batch| batch.join("checkpoints")));
        self.changes.extend(folders.into_iter().map(Change::make_folder));
        batch.into_iter().chain(rewritten).for_each(|file| self.take(file));
        for path in removed {
            if let Some(base) = self.base(&path) {
                self.removals.push(Change::remove(&path, base));
            }
            self.documents.retain(|document| document.path != path);
        }
    }

    /// Returns the bytes of a file as the store has it.
    pub(super) fn base(&self, path: &Path) -> Option<Bytes> {
        let store = self.context.store;
        match path.strip_prefix("..") {
            Ok(path) => store.outside_files.iter().find(|(own, _)| own == path).map(|(_, own)| own.clone()),
            Err(_) => document(&store.documents, path).map(|own| own.bytes.clone()),
        }
    }

    /// Takes the new content of a file. If the file was written before, only the later write stays.
    pub(super) fn take(&mut self, file: BundleFileWrite) {
        let path = file.path;
        let base = self.base(&path);
        let before = self.changes.iter().position(|change| change.path == path);
        let now = document(&self.documents, &path).filter(|_| file.append);
        let bytes = [now.map_or(&b""[..], |now| &*now.bytes), &file.bytes].concat();
        let change = match base {
            // An append itself closes a last line that has no line end.
            base if file.append && before.is_none() => {
                let lines = file.bytes.strip_prefix(b"\n").unwrap_or(&file.bytes);
                Change::append(&path, lines, base)
            }
            Some(base) => Change::rewrite(&path, base, &*bytes),
            None => Change::create(&path, bytes.clone()),
        };
        before.into_iter().for_each(|at| drop(self.changes.remove(at)));
        self.changes.push(if path.starts_with("..") {
            Change { mode: SHARED_MODE, ..change }
        } else {
            change
        });
        self.read_again(path, bytes);
    }

    pub(super) fn read_again(&mut self, path: PathBuf, bytes: Vec<u8>) {
        if let Some(document) = document_of(path, bytes, self.context.now) {
            self.documents.retain(|own| own.path != document.path);
            self.documents.push(Arc::new(document));
        }
    }

    /// Returns the changes: copies first, removals last.
    pub(super) fn done(mut self) -> Vec<Change> {
        self.changes.append(&mut self.removals);
        self.changes
    }
}

/// Reads a file as the store does; `None` if the format does not read such files.
pub(super) fn document_of(path: PathBuf, bytes: Vec<u8>, now: Moment) -> Option<Document> {
    let Placement::File(role) = AgentMemory.place(&path, false) else { return None };
    let reading = AgentMemory.read(role, &path, &bytes, now);
    let own = Document::of_bytes(path, role, bytes);
    Some(Document { records: reading.records, problems: reading.problems, ..own })
}
