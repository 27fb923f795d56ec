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

mod beside;
mod canonical;
mod choice;
mod erase;
mod event;
mod held;
mod markdown;
mod parts;
mod project;
mod prune;
mod recall;
mod splice;
mod state_whole;
mod store;
#[cfg(test)]
mod tests;
mod told;
mod whole;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AgentMemory, layout};
use crate::format::writing::{
    Changes, Deed, Deleting, Deletion, Draft, Due, Erases, MadeWhole, Refusal, Result, Scene, Setting,
    Writes, document,
};
use crate::format::{Format, Placement};
use crate::model::plan::SHARED;
use crate::model::{Bytes, Change, Document, Entry, Extent, Moment, Store};

use canonical::{BundleEdit, FileAnew, canonical_write, counts_anew, pages_anew, path_of};
use choice::{Choice, each_refused};
use prune::{Pruned, Pruning, prune, retention_off};
use recall::unsaid;

/// So many parts of the bundle an event names one by one.
const NAMED: usize = 8;

/// Why nothing comes back from the archive.
const STAYS: &str =
    "agent-memory can't bring anything back from an archive batch; `palimp undo` undoes an archiving.";

impl Writes for AgentMemory {
    fn may(&self, deed: Deed, file: &Path) -> Result<(), String> {
        let why = match (deed, Contents::of(file)) {
            (Deed::Tag, _) => "agent-memory has no tags.",
            (_, Contents::Archived) => {
                "it is in an archive batch, which the format's own tool removes in time."
            }
            (_, Contents::Source) => "the import sources are registered by the format's own tool.",
            (Deed::Edit, Contents::Event) => {
                "an event can't be edited: its content comes from the format's own tool."
            }
            (Deed::Edit, Contents::Checkpoint) => {
                "a checkpoint can't be edited: it is an old copy of the bundle. Edit the bundle."
            }
            (Deed::Archive, Contents::Bundle) => {
                "the bundle can't be archived: checkpoints keep its old states. Delete what is not needed."
            }
            _ => return Ok(()),
        };
        Err(why.into())
    }

    fn deletion(&self, _file: &Path) -> Deletion {
        Deletion::Canonical
    }

    fn add(&self, _scene: &Scene<'_>, _draft: &Draft<'_>) -> Changes {
        Err(Refusal::unfit("nothing can be added to agent-memory: its events come from its own tool."))
    }

    fn edit(&self, scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Option<Changes> {
        Some(parts::edit(scene, entry, set))
    }

    fn delete(&self, scene: &Scene<'_>, entries: &[Entry], asked: Deleting<'_>) -> Changes {
        let choice = Choice::of(scene.store, entries)?;
        let mut writing = Writing::of(scene)?;
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

    fn taken_out(&self, store: &Store, deletions: &[Vec<Change>]) -> Option<(PathBuf, Vec<u8>)> {
        held::taken_out(store, deletions)
    }

    fn bring_back(&self, scene: &Scene<'_>, held: &Document, records: &[u32]) -> Option<Changes> {
        Some(held::bring_back(scene, held, records))
    }

    fn archive(&self, scene: &Scene<'_>, entries: &[Entry]) -> Changes {
        let choice = Choice::of(scene.store, entries)?;
        let mut writing = Writing::of(scene)?;
        choice.prune(&mut writing).map_err(|refusal| each_refused(scene, entries, refusal))?;
        Ok(writing.done())
    }

    fn pages(&self, store: &Store, documents: &[Arc<Document>]) -> Changes {
        let state = counts_anew(documents)?.and_then(|state| {
            let there = document(&store.documents, &state.path)?;
            Some(Change::rewrite(&state.path, there.bytes.clone(), &*state.bytes))
        });
        let pages = pages_anew(documents, &beside_of(store))?;
        let pages = pages.iter().filter_map(|page| rewritten(store, page)).chain(state);
        Ok(pages.filter(|change| !change.is_empty()).collect())
    }

    fn made_whole(&self, store: &Store, torn: &Document) -> Vec<MadeWhole> {
        if torn.path != Path::new(layout::STATE) {
            return Vec::new();
        }
        state_whole::from_checkpoint(&store.documents, torn).into_iter().collect()
    }

    fn way_back(&self, _session: Option<&str>) -> String {
        "the format can't bring anything back from an archive batch; `palimp undo` undoes an archiving".into()
    }

    fn may_archive(&self, store: &Store, entry: &Entry) -> Result<()> {
        let is_event = matches!(Contents::of(&store.document(entry).path), Contents::Event);
        if is_event && retention_off(&store.documents)? { Err(prune::off()) } else { Ok(()) }
    }

    fn keeps_archived(&self) -> Option<&'static str> {
        Some(STAYS)
    }

    fn unarchive(&self, _scene: &Scene<'_>, _entries: &[Entry]) -> Changes {
        Err(Refusal::unfit(STAYS))
    }

    fn compact(&self, scene: &Scene<'_>, session: Option<&str>) -> Option<Changes> {
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
    fn due(&self, scene: &Scene<'_>) -> Result<Vec<Due>> {
        let changes = pruned(scene)?;
        let what = "archive what the config's retention does not keep any more".to_owned();
        let records = changes.iter().filter(|change| change.word() == "remove").count();
        Ok(if changes.is_empty() {
            Vec::new()
        } else {
            vec![Due { what, rule: RULE.into(), records, changes }]
        })
    }

    fn origin(&self, new: &Path) -> Option<&'static Path> {
        (Contents::of(new) == Contents::Checkpoint).then(|| Path::new(layout::STATE))
    }

    fn told(&self, store: &Store, changes: &[Change]) -> Vec<String> {
        let of = |part: Contents| changes.iter().find(move |change| Contents::of(&change.path) == part);
        match (of(Contents::Checkpoint).filter(|change| change.word() == "create"), of(Contents::Bundle)) {
            (Some(_), Some(state)) => {
                let mut told = told::left_alone(store, state, changes);
                told.extend(told::repeated(state, changes));
                told
            }
            _ => Vec::new(),
        }
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        Vec::new()
    }

    fn erases(&self) -> Option<&dyn Erases> {
        Some(self)
    }
}

/// What is pruned.
const RULE: &str =
    "what is older, or more, than the config's retention keeps moves to a batch of the archive";

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    Bundle,
    Event,
    Checkpoint,
    Source,
    Archived,
    Other,
}

impl Contents {
    fn of(file: &Path) -> Contents {
        match () {
            () if layout::batch_of(file).is_some() => Contents::Archived,
            () if file == Path::new(layout::STATE) => Contents::Bundle,
            () if file == Path::new(layout::EVENTS) => Contents::Event,
            () if file == Path::new(layout::SOURCES) => Contents::Source,
            () if layout::is_checkpoint(file) => Contents::Checkpoint,
            () => Contents::Other,
        }
    }
}

/// What retention moves, where the config has it.
fn pruned(scene: &Scene<'_>) -> Changes {
    match prune(&scene.store.documents, Pruning::Retention, scene.now)? {
        None => Ok(Vec::new()),
        Some(pruned) => {
            let mut writing = Writing::of(scene)?;
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
fn rewritten(store: &Store, page: &FileAnew) -> Option<Change> {
    let (_, base) = store.beside.iter().find(|(own, _)| beside_path(own) == page.path)?;
    Some(Change { mode: SHARED, ..Change::rewrite(&page.path, base.clone(), &*page.bytes) })
}

/// The files around a store, as they were read.
fn beside_of(store: &Store) -> Vec<(PathBuf, Vec<u8>)> {
    store.beside.iter().map(|(path, bytes)| (path.clone(), bytes.to_vec())).collect()
}

/// Files as they become, one step after the other, and the changes that make them so.
struct Writing<'a> {
    scene: &'a Scene<'a>,
    documents: Vec<Arc<Document>>,
    changes: Vec<Change>,
    removals: Vec<Change>,
}

impl<'a> Writing<'a> {
    fn of(scene: &'a Scene<'a>) -> Result<Self> {
        if scene.store.extent != Extent::Whole {
            return Err(Refusal::unfit("the store has not been read completely yet."));
        }
        let documents = scene.store.documents.clone();
        Ok(Writing { scene, documents, changes: Vec::new(), removals: Vec::new() })
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
            self.take(FileAnew { path: layout::EVENTS.into(), bytes, append: false });
        }
        Ok(())
    }

    fn take_pruned(&mut self, pruned: Pruned) {
        let Pruned { batch, rewritten, removed, .. } = pruned;
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
            Ok(path) => store.beside.iter().find(|(own, _)| own == path).map(|(_, own)| own.clone()),
            Err(_) => document(&store.documents, path).map(|own| own.bytes.clone()),
        }
    }

    /// Takes a file as it is to be. One that was written before is written once, later.
    fn take(&mut self, file: FileAnew) {
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
        self.changes.push(if path.starts_with("..") { Change { mode: SHARED, ..change } } else { change });
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
