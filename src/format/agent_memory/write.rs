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
//!   checkpoint's is left alone, and the notes say so. A file that is empty, or has only the beginning
//!   or the end of such a text, was cut and is completed.
//! - A missing projection or entry file stays missing.
//! - palimp refuses a bundle that the format's own tool would refuse. Older faults may stay.
//! - If retention is off, no event is ever pruned: that would leave a gap in the numbers.

mod bundle_edit;
mod bundle_write;
mod canonical_write;
mod deleted_parts;
mod erase;
mod field_edits;
mod page_rebuild;
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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AgentMemory, layout};
use crate::format::writing::{
    ChangesResult, DeletionKind, DueTask, FieldAssignment, FormatDeletion, FormatWriter, Operation,
    OwnOperations, RecordDraft, Refusal, RestoredDocument, Result, WriteContext, document,
};
use crate::model::plan::change::SHARED_MODE;
use crate::model::{Change, Document, Entry, Moment, Store};

pub(super) use crate::format::agent_memory::write::bundle_edit::beside_path;
use crate::format::agent_memory::write::bundle_edit::{BundleEdit, BundleFileWrite};
use bundle_write::{BundleFileKind, BundleWrite, NAMED, beside_of, bundle_path, document_of, summary};
use canonical_write::{make_counts, make_pages};
use prune::{PruneRequest, prune, retention_off};
use prune_selection::{PruneSelection, each_refused};

const STAYS: &str =
    "agent-memory can't bring anything back from an archive batch; `palimp undo` undoes an archiving.";

impl FormatWriter for AgentMemory {
    fn own(&self) -> OwnOperations {
        OwnOperations {
            rebuild_pages: Some(rebuild_pages),
            restore_document: Some(restore_document),
            deleted_parts: Some(deleted_parts::taken_out),
            restore_parts: Some(deleted_parts::bring_back),
            origin: Some(origin),
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
        let records = changes.iter().filter(|change| change.word() == "remove").count();
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
    let pages = make_pages(documents, &beside_of(store))?;
    let pages = pages.iter().filter_map(|page| rewritten(store, page)).chain(state);
    Ok(pages.filter(|change| !change.is_empty()).collect())
}

fn restore_document(store: &Store, torn: &Document) -> Vec<RestoredDocument> {
    if torn.path != Path::new(layout::STATE) {
        return Vec::new();
    }
    state_restore::from_checkpoint(&store.documents, torn).into_iter().collect()
}

fn origin(new: &Path) -> Option<&'static Path> {
    (BundleFileKind::of(new) == BundleFileKind::Checkpoint).then(|| Path::new(layout::STATE))
}

fn plan_notices(store: &Store, changes: &[Change]) -> Vec<String> {
    let of =
        |part: BundleFileKind| changes.iter().find(move |change| BundleFileKind::of(&change.path) == part);
    match (
        of(BundleFileKind::Checkpoint).filter(|change| change.word() == "create"),
        of(BundleFileKind::Bundle),
    ) {
        (Some(_), Some(state)) => {
            let mut told = plan_notices::left_alone(store, state, changes);
            told.extend(plan_notices::repeated(state, changes));
            told
        }
        // What writes no checkpoint makes no pages.
        (None, Some(state)) => plan_notices::not_written(store, state, changes),
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
