//! What a user may do with a store, and the changes that it comes to.
//!
//! A canonical write leaves the store as the format's own tool does: a checkpoint of the
//! new bundle, the state, the projections, the entry block, and last one event, which the
//! state counts already. The files are in the order in which they are to be written.
//!
//! Choices where the specification is silent:
//! - Several parts of a bundle that go at once are one canonical write. Where events or
//!   checkpoints go with them, the batch comes first, and each file is written once.
//! - Editing a part so that it says what it said changes nothing, and leaves no event.
//! - What is in an archive batch stays there: the format's own tool lets batches expire.
//! - A store of which only the newest entries were read is not written: the counts and the
//!   numbers of events are those of all files.
//! - A state in the canonical form is written in it; any other keeps its bytes, but for
//!   what was changed.
//! - An entry block that is there keeps its text: only its marker holds a value.
//! - A projection's part is looked for as the bundle wrote it that its marker names: the
//!   present one, or that of a checkpoint. What people added stays.
//! - A projection or an entry file that is missing stays missing. A file that is not one is left alone, and
//!   the notes say so. A file that is empty, or has only the beginning or the end of one, was cut and is
//!   completed.
//! - An edit that would make a bundle that the format's own tool refuses is refused.
//!   Faults that were there before may stay.
//! - Where retention is off, no event is ever pruned: it would leave a gap in the numbers.

mod canonical_write;
mod deleted_parts;
mod erase;
mod field_edits;
mod page_parts;
mod page_rebuild;
mod page_renewal;
mod page_text;
mod path_edits;
mod plan_notices;
mod prune;
mod prune_selection;
mod recall_effects;
mod state_restore;
mod store_files;
#[cfg(test)]
mod tests;
mod write_event;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AgentMemory, layout};
use crate::format::writing::{
    ChangesResult, DeletionKind, DueTask, FieldAssignment, FormatDeletion, FormatEraser, FormatWriter,
    Operation, RecordDraft, Refusal, RestoredDocument, Result, WriteContext, document,
};
use crate::format::{Format, Placement};
use crate::model::plan::SHARED_MODE;
use crate::model::{Bytes, Change, Document, Entry, Extent, Moment, Store};

use canonical_write::{BundleEdit, BundleFileWrite, canonical_write, counts_anew, pages_anew, path_of};
use prune::{PruneRequest, PruneResult, prune, retention_off};
use prune_selection::{PruneSelection, each_refused};
use recall_effects::unsaid;

/// So many parts of the bundle an event names one by one.
const NAMED: usize = 8;

/// Why nothing comes back from the archive.
const STAYS: &str =
    "agent-memory can't bring anything back from an archive batch; `palimp undo` undoes an archiving.";

impl FormatWriter for AgentMemory {
    fn allows(&self, deed: Operation, file: &Path) -> Result<(), String> {
        let why = match (deed, BundleFileKind::of(file)) {
            (Operation::Tag, _) => "agent-memory has no tags.",
            (_, BundleFileKind::Archived) => {
                "it is in an archive batch, which the format's own tool removes in time."
            }
            (_, BundleFileKind::Source) => "the import sources are registered by the format's own tool.",
            (Operation::Edit, BundleFileKind::Event) => {
                "an event can't be edited: its content comes from the format's own tool."
            }
            (Operation::Edit, BundleFileKind::Checkpoint) => {
                "a checkpoint can't be edited: it is an old copy of the bundle. Edit the bundle."
            }
            (Operation::Archive, BundleFileKind::Bundle) => {
                "the bundle can't be archived: checkpoints keep its old states. Delete what is not needed."
            }
            _ => return Ok(()),
        };
        Err(why.into())
    }

    fn deletion(&self, _file: &Path) -> DeletionKind {
        DeletionKind::Canonical
    }

    fn add(&self, _scene: &WriteContext<'_>, _draft: &RecordDraft<'_>) -> ChangesResult {
        Err(Refusal::unfit("nothing can be added to agent-memory: its events come from its own tool."))
    }

    fn edit(
        &self,
        scene: &WriteContext<'_>,
        entry: &Entry,
        set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        Some(field_edits::edit(scene, entry, set))
    }

    fn delete(
        &self,
        scene: &WriteContext<'_>,
        entries: &[Entry],
        asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        let choice = PruneSelection::of(scene.store, entries)?;
        let mut writing = BundleWrite::of(scene)?;
        if let Err(refusal) = choice.prune(&mut writing) {
            return Err(each_refused(scene, entries, refusal));
        }
        if !choice.paths.is_empty() {
            let edits: Vec<_> = choice.paths.iter().map(|path| BundleEdit::Remove { path }).collect();
            if asked.remove {
                writing.take_out_of_events(&edits)?;
            }
            // They go from the last to the first, and are told in their order.
            let told = choice.paths.iter().rev().map(String::as_str);
            if let Err(refusal) = writing.canonical(&edits, &summary("removed", told)) {
                return Err(each_refused(scene, entries, refusal));
            }
        }
        Ok(writing.done())
    }

    fn deleted_parts(&self, store: &Store, deletions: &[Vec<Change>]) -> Option<(PathBuf, Vec<u8>)> {
        deleted_parts::taken_out(store, deletions)
    }

    fn restore_parts(
        &self,
        scene: &WriteContext<'_>,
        held: &Document,
        records: &[u32],
    ) -> Option<ChangesResult> {
        Some(deleted_parts::bring_back(scene, held, records))
    }

    fn archive(&self, scene: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let choice = PruneSelection::of(scene.store, entries)?;
        let mut writing = BundleWrite::of(scene)?;
        choice.prune(&mut writing).map_err(|refusal| each_refused(scene, entries, refusal))?;
        Ok(writing.done())
    }

    fn rebuild_pages(&self, store: &Store, documents: &[Arc<Document>]) -> ChangesResult {
        let state = counts_anew(documents)?.and_then(|state| {
            let there = document(&store.documents, &state.path)?;
            Some(Change::rewrite(&state.path, there.bytes.clone(), &*state.bytes))
        });
        let pages = pages_anew(documents, &beside_of(store))?;
        let pages = pages.iter().filter_map(|page| rewritten(store, page)).chain(state);
        Ok(pages.filter(|change| !change.is_empty()).collect())
    }

    fn restore_document(&self, store: &Store, torn: &Document) -> Vec<RestoredDocument> {
        if torn.path != Path::new(layout::STATE) {
            return Vec::new();
        }
        state_restore::from_checkpoint(&store.documents, torn).into_iter().collect()
    }

    fn unarchive_hint(&self, _session: Option<&str>) -> String {
        "the format can't bring anything back from an archive batch; `palimp undo` undoes an archiving".into()
    }

    fn may_archive(&self, store: &Store, entry: &Entry) -> Result<()> {
        let is_event = matches!(BundleFileKind::of(&store.document(entry).path), BundleFileKind::Event);
        if is_event && retention_off(&store.documents)? { Err(prune::off()) } else { Ok(()) }
    }

    fn no_unarchive_reason(&self) -> Option<&'static str> {
        Some(STAYS)
    }

    fn unarchive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit(STAYS))
    }

    fn compact(&self, scene: &WriteContext<'_>, session: Option<&str>) -> Option<ChangesResult> {
        if let Some(name) = session {
            return Some(Err(Refusal::no_session(name)));
        }
        let store = scene.store;
        Some(pruned(scene).and_then(|changes| match changes.is_empty() && retention_off(&store.documents)? {
            true => Err(prune::off()),
            false => Ok(changes),
        }))
    }

    fn compaction_rule(&self, _store: &Store) -> String {
        RULE.into()
    }

    /// Retention, where the config turns it on.
    fn due_tasks(&self, scene: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        let changes = pruned(scene)?;
        let what = "archive what the config's retention does not keep any more".to_owned();
        let records = changes.iter().filter(|change| change.word() == "remove").count();
        Ok(if changes.is_empty() {
            Vec::new()
        } else {
            vec![DueTask { what, rule: RULE.into(), records, changes }]
        })
    }

    fn origin(&self, new: &Path) -> Option<&'static Path> {
        (BundleFileKind::of(new) == BundleFileKind::Checkpoint).then(|| Path::new(layout::STATE))
    }

    fn plan_notices(&self, store: &Store, changes: &[Change]) -> Vec<String> {
        let of = |part: BundleFileKind| {
            changes.iter().find(move |change| BundleFileKind::of(&change.path) == part)
        };
        match (
            of(BundleFileKind::Checkpoint).filter(|change| change.word() == "create"),
            of(BundleFileKind::Bundle),
        ) {
            (Some(_), Some(state)) => {
                let mut told = plan_notices::left_alone(store, state, changes);
                told.extend(plan_notices::repeated(state, changes));
                told
            }
            _ => Vec::new(),
        }
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        Vec::new()
    }

    fn eraser(&self) -> Option<&dyn FormatEraser> {
        Some(self)
    }
}

/// What is pruned.
const RULE: &str =
    "what is older, or more, than the config's retention keeps moves to a batch of the archive";

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BundleFileKind {
    Bundle,
    Event,
    Checkpoint,
    Source,
    Archived,
    Other,
}

impl BundleFileKind {
    fn of(file: &Path) -> BundleFileKind {
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

/// What retention moves, where the config has it.
fn pruned(scene: &WriteContext<'_>) -> ChangesResult {
    match prune(&scene.store.documents, PruneRequest::Retention, scene.now)? {
        None => Ok(Vec::new()),
        Some(pruned) => {
            let mut writing = BundleWrite::of(scene)?;
            writing.take_pruned(pruned);
            Ok(writing.done())
        }
    }
}

/// The path of a record of the state within the bundle.
fn bundle_path(store: &Store, record: usize) -> Result<String> {
    let state = document(&store.documents, Path::new(layout::STATE));
    let path = state.and_then(|state| path_of(state, record));
    path.ok_or_else(|| Refusal::corrupt("the state has no bundle that it could be a part of."))
}

/// What was done, for the event: names of parts, never what they said.
fn summary<'p>(verb: &str, paths: impl Iterator<Item = &'p str>) -> String {
    let paths: Vec<&str> = paths.collect();
    let named = paths.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => format!("{verb} {named}"),
        more => format!("{verb} {named} and {more} more"),
    }
}

/// Where a file around the store is, from the store's root.
pub(super) fn beside_path(path: &Path) -> PathBuf {
    Path::new("..").join(path)
}

/// A file around the store made anew; `None` where there is none.
fn rewritten(store: &Store, page: &BundleFileWrite) -> Option<Change> {
    let (_, base) = store.outside_files.iter().find(|(own, _)| beside_path(own) == page.path)?;
    Some(Change { mode: SHARED_MODE, ..Change::rewrite(&page.path, base.clone(), &*page.bytes) })
}

/// The files around a store, as they were read.
fn beside_of(store: &Store) -> Vec<(PathBuf, Vec<u8>)> {
    store.outside_files.iter().map(|(path, bytes)| (path.clone(), bytes.to_vec())).collect()
}

/// Files as they become, one step after the other, and the changes that make them so.
struct BundleWrite<'a> {
    scene: &'a WriteContext<'a>,
    documents: Vec<Arc<Document>>,
    changes: Vec<Change>,
    removals: Vec<Change>,
}

impl<'a> BundleWrite<'a> {
    fn of(scene: &'a WriteContext<'a>) -> Result<Self> {
        if scene.store.extent != Extent::Whole {
            return Err(Refusal::unfit("the store has not been read completely yet."));
        }
        let documents = scene.store.documents.clone();
        Ok(BundleWrite { scene, documents, changes: Vec::new(), removals: Vec::new() })
    }

    fn canonical(&mut self, edits: &[BundleEdit<'_>], summary: &str) -> Result<()> {
        let beside = beside_of(self.scene.store);
        let files = canonical_write(&self.documents, &beside, edits, summary, self.scene.now)?;
        files.into_iter().for_each(|file| self.take(file));
        Ok(())
    }

    /// Takes what the edits remove out of the signals of events that are not recalled yet.
    fn take_out_of_events(&mut self, edits: &[BundleEdit<'_>]) -> Result<()> {
        if let Some(bytes) = unsaid(&self.documents, edits)? {
            self.take(BundleFileWrite { path: layout::EVENTS.into(), bytes, append: false });
        }
        Ok(())
    }

    fn take_pruned(&mut self, pruned: PruneResult) {
        let PruneResult { batch, rewritten, removed, .. } = pruned;
        let mut folders: BTreeSet<PathBuf> =
            batch.iter().filter_map(|file| file.path.parent()).map(Path::to_owned).collect();
        // The format's own tool makes it in every batch, also without checkpoints.
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

    /// The bytes of a file as the store has it.
    fn base(&self, path: &Path) -> Option<Bytes> {
        let store = self.scene.store;
        match path.strip_prefix("..") {
            Ok(path) => store.outside_files.iter().find(|(own, _)| own == path).map(|(_, own)| own.clone()),
            Err(_) => document(&store.documents, path).map(|own| own.bytes.clone()),
        }
    }

    /// Takes a file as it is to be. One that was written before is written once, later.
    fn take(&mut self, file: BundleFileWrite) {
        let path = file.path;
        let base = self.base(&path);
        let before = self.changes.iter().position(|change| change.path == path);
        let bytes = match document(&self.documents, &path).filter(|_| file.append) {
            Some(now) => [&*now.bytes, &file.bytes].concat(),
            None => file.bytes.clone(),
        };
        let change = match base {
            // An append closes an open last line itself.
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
        self.read_anew(path, bytes);
    }

    fn read_anew(&mut self, path: PathBuf, bytes: Vec<u8>) {
        if let Some(document) = document_of(path, bytes, self.scene.now) {
            self.documents.retain(|own| own.path != document.path);
            self.documents.push(Arc::new(document));
        }
    }

    /// The changes: copies first, removals last.
    fn done(mut self) -> Vec<Change> {
        self.changes.append(&mut self.removals);
        self.changes
    }
}

/// A file of the store, as it is read; `None` where the format does not read it.
fn document_of(path: PathBuf, bytes: Vec<u8>, now: Moment) -> Option<Document> {
    let Placement::File(role) = AgentMemory.place(&path, false) else { return None };
    let reading = AgentMemory.read(role, &path, &bytes, now);
    let own = Document::of_bytes(path, role, bytes);
    Some(Document { records: reading.records, problems: reading.problems, ..own })
}
