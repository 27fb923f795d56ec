//! What a user may do with a store, and the changes that follow.
//!
//! A canonical write leaves the store as the format's own tool does: a checkpoint of the new
//! bundle, the state, the projections, the entry block, and last one event, which the state already
//! counts. The files are in the order of writing.
//!
//! Choices where the specification is silent:
//! - Parts of a bundle that are deleted together are one canonical write. If events or checkpoints
//!   are deleted with them, the archive batch comes first, and each file is written once.
//! - An edit that sets the old value again changes nothing and leaves no event.
//! - Records in an archive batch stay there: the format's own tool lets batches expire.
//! - A store is not written if only its newest entries were read: counts and event numbers need all files.
//! - A state in canonical form stays canonical. Any other state keeps its bytes except for the edits.
//! - An existing entry block keeps its text: only its marker holds a value.
//! - Projections are rendered whole. One whose text is not a rendering of the present bundle or of a
//!   checkpoint's, or that was cut, is left alone, and the notes say so.
//! - A missing projection or entry file stays missing.
//! - palimp refuses a bundle that the format's own tool would refuse. Older faults may stay.
//! - If retention is off, no event is ever pruned: that would leave a gap in the numbers.

mod bundle_write;
mod canonical_write;
mod deleted_parts;
mod erase;
mod field_edits;
mod page_rebuild;
mod path_edits;
mod prune;
mod recall_effects;
mod state_restore;
mod store_files;
#[cfg(test)]
mod tests;
mod write_event;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AgentMemory, layout, projection};
use crate::format::record_reader::without_mark;
use crate::format::writing::{
    ChangesResult, DeletionKind, DueTask, FieldAssignment, FormatDeletion, FormatWriter, Operation,
    OwnOperations, RecordDraft, Refusal, RestoredDocument, Result, WriteContext, document,
};
use crate::model::plan::change::SHARED_MODE;
use crate::model::{Change, ChangeKind, Document, Entry, Moment, Store};
use crate::text::json_edit;

use bundle_write::{BundleFileKind, BundleWrite, bundle_path, document_of, named, summary};
use canonical_write::{make_counts, make_pages};
use path_edits::{BundleEdit, BundleFileWrite, beside_path};
use prune::{PruneRequest, PruneSelection, each_refused, prune, retention_off};
use recall_effects::would_return;

const STAYS: &str =
    "agent-memory can't bring anything back from an archive batch; `palimp undo` undoes an archiving.";

impl FormatWriter for AgentMemory {
    fn own(&self) -> OwnOperations {
        OwnOperations {
            rebuild_pages: Some(rebuild_pages),
            restore_document: Some(restore_document),
            deleted_parts: Some(deleted_parts::taken_out),
            restore_parts: Some(deleted_parts::bring_back),
            origin: Some(|new| {
                (BundleFileKind::of(new) == BundleFileKind::Checkpoint).then(|| Path::new(layout::STATE))
            }),
            replace_records: Some(field_edits::replace),
            plan_notices: Some(plan_notices),
            eraser: Some(&AgentMemory),
            ..OwnOperations::default()
        }
    }

    fn allows(&self, operation: Operation, file: &Path) -> Result<(), String> {
        let why = match (operation, BundleFileKind::of(file)) {
            (Operation::Unarchive, _) => STAYS,
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
        context: &WriteContext<'_>,
        entry: &Entry,
        set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        Some(field_edits::edit(context, entry, set))
    }

    fn delete(
        &self,
        context: &WriteContext<'_>,
        entries: &[Entry],
        asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        let choice = PruneSelection::of(context.store, entries)?;
        let mut writing = BundleWrite::of(context)?;
        if let Err(refusal) = choice.prune(&mut writing) {
            return Err(each_refused(context, entries, refusal));
        }
        if !choice.paths.is_empty() {
            let edits: Vec<_> = choice.paths.iter().map(|path| BundleEdit::Remove { path }).collect();
            if asked.remove {
                writing.take_out_of_events(&edits)?;
            }
            // Parts are removed from the last to the first, and named from the first to the last.
            let told = choice.paths.iter().rev().map(String::as_str);
            if let Err(refusal) = writing.canonical(&edits, &summary("removed", told)) {
                return Err(each_refused(context, entries, refusal));
            }
        }
        Ok(writing.done())
    }

    fn archive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let choice = PruneSelection::of(context.store, entries)?;
        let mut writing = BundleWrite::of(context)?;
        choice.prune(&mut writing).map_err(|refusal| each_refused(context, entries, refusal))?;
        Ok(writing.done())
    }

    fn unarchive_hint(&self, _session: Option<&str>) -> String {
        "the format can't bring anything back from an archive batch; `palimp undo` undoes an archiving".into()
    }

    fn may_archive(&self, store: &Store, entry: &Entry) -> Result<()> {
        let is_event = matches!(BundleFileKind::of(&store.document(entry).path), BundleFileKind::Event);
        if is_event && retention_off(&store.documents)? { Err(prune::off()) } else { Ok(()) }
    }

    fn unarchive(&self, _scene: &WriteContext<'_>, _entries: &[Entry]) -> ChangesResult {
        Err(Refusal::unfit(STAYS))
    }

    fn compact(&self, context: &WriteContext<'_>, session: Option<&str>) -> Option<ChangesResult> {
        if let Some(name) = session {
            return Some(Err(Refusal::no_session(name)));
        }
        let store = context.store;
        Some(pruned(context).and_then(|changes| {
            match changes.is_empty() && retention_off(&store.documents)? {
                true => Err(prune::off()),
                false => Ok(changes),
            }
        }))
    }

    fn compaction_rule(&self, _store: &Store) -> String {
        RULE.into()
    }

    fn due_tasks(&self, context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        let changes = pruned(context)?;
        let what = "archive what the config's retention does not keep any more".to_owned();
        let records = changes.iter().filter(|change| change.kind() == ChangeKind::Remove).count();
        Ok(if changes.is_empty() {
            Vec::new()
        } else {
            vec![DueTask { what, rule: RULE.into(), records, changes }]
        })
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        Vec::new()
    }
}

fn rebuild_pages(store: &Store, documents: &[Arc<Document>]) -> ChangesResult {
    let state = make_counts(documents)?.and_then(|state| {
        let there = document(&store.documents, &state.path)?;
        Some(Change::rewrite(&state.path, there.bytes.clone(), &*state.bytes))
    });
    let pages = make_pages(documents, &store.outside_files)?;
    let pages = pages.iter().filter_map(|page| rewritten(store, page)).chain(state);
    Ok(pages.filter(|change| !change.is_empty()).collect())
}

fn restore_document(store: &Store, torn: &Document) -> Vec<RestoredDocument> {
    if torn.path != Path::new(layout::STATE) {
        return Vec::new();
    }
    state_restore::from_checkpoint(&store.documents, torn).into_iter().collect()
}

fn plan_notices(store: &Store, changes: &[Change]) -> Vec<String> {
    let of =
        |part: BundleFileKind| changes.iter().find(move |change| BundleFileKind::of(&change.path) == part);
    let made = of(BundleFileKind::Checkpoint).filter(|change| change.kind() == ChangeKind::Create);
    match (made, of(BundleFileKind::Bundle)) {
        (Some(_), Some(state)) => {
            let mut told = left_alone(store, state, changes);
            told.extend(repeated(state, changes));
            told
        }
        // What writes no checkpoint makes no pages.
        (None, Some(state)) => not_written(store, state, changes),
        _ => Vec::new(),
    }
}

const RULE: &str =
    "what is older, or more, than the config's retention keeps moves to a batch of the archive";

/// Returns the changes of retention; none if the config turns it off.
fn pruned(context: &WriteContext<'_>) -> ChangesResult {
    match prune(&context.store.documents, PruneRequest::Retention, context.now)? {
        None => Ok(Vec::new()),
        Some(pruned) => {
            let mut writing = BundleWrite::of(context)?;
            writing.take_pruned(pruned);
            Ok(writing.done())
        }
    }
}

/// Returns the rewrite of a file around the store; `None` if the file does not exist.
fn rewritten(store: &Store, page: &BundleFileWrite) -> Option<Change> {
    let (_, base) = store.outside_files.iter().find(|(own, _)| beside_path(own) == page.path)?;
    Some(Change { mode: SHARED_MODE, ..Change::rewrite(&page.path, base.clone(), &*page.bytes) })
}

/// Names the projections and the entry file that a canonical write does not rewrite or make.
fn left_alone(store: &Store, state: &Change, changes: &[Change]) -> Vec<String> {
    if store.outside_files.is_empty() {
        return vec!["There are no pages of this bundle beside the store, and none are written.".into()];
    }
    let missing = alone(state, changes).into_iter().filter(|(path, _)| !is_beside(store, path));
    let missing = missing.map(|(path, _)| format!("{path} is missing, and is not made."));
    not_written(store, state, changes).into_iter().chain(missing).collect()
}

/// Names those that are there and are not rewritten.
fn not_written(store: &Store, state: &Change, changes: &[Change]) -> Vec<String> {
    let there = alone(state, changes).into_iter().filter(|(path, _)| is_beside(store, path));
    let named = |(path, is_entry)| match is_entry {
        false => format!("{path} is not written: it is not what agent-memory made of this bundle."),
        true => format!("{path} is not written: its block about this bundle can't be read."),
    };
    there.map(named).collect()
}

fn is_beside(store: &Store, path: &str) -> bool {
    store.outside_files.iter().any(|(own, _)| *own == Path::new(path))
}

/// Returns the paths that are not among the changes, each with whether it is the entry file.
fn alone(state: &Change, changes: &[Change]) -> Vec<(String, bool)> {
    let named = ["bundle", "project", "recommendedEntryFile"];
    let entry = state.after().and_then(|bytes| json_edit::text_at(without_mark(&bytes), &named));
    let pages = projection::PROJECTIONS.iter().map(|(_, path)| ((*path).to_owned(), false));
    let is_alone = |(path, _): &(String, bool)| {
        let path = beside_path(Path::new(path));
        changes.iter().all(|change| change.path != path)
    };
    pages.chain(entry.map(|path| (path, true))).filter(is_alone).collect()
}

/// Names the events from which recall would bring back what the new state does not say.
fn repeated(state: &Change, changes: &[Change]) -> Option<String> {
    let events = Path::new(layout::EVENTS);
    let change = changes.iter().find(|change| change.path == events)?;
    let log = document_of(events.into(), change.after()?.to_vec(), Moment(0))?;
    let ids = would_return(state.base.as_deref()?, &state.after()?, &log);
    (!ids.is_empty()).then(|| {
        format!(
            "{}: not recalled yet, and the signals still hold what is deleted. The format's own tool would restore it; `palimp delete --remove` removes it there as well.",
            named(&ids)
        )
    })
}
