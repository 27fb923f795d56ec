//! Operations of users on this format, and the changes that they make.
//!
//! Choices for cases where the specification is silent:
//! - The event log is append-only. Only whole past months are archived or brought back, and an
//!   event in the log says so.
//! - A note is archived a year after its deprecation: it moves to `archive/`, byte for byte. It
//!   stays in the indexes, because links still lead to it.
//! - The text of a new event is `metadata.error` if it failed, else `metadata.note`.
//! - Every edit sets `updated` of a note, in the same spelling and zone.
//! - A correct index keeps its bytes, whatever its layout. A graph may list only notes with links.
//! - Timestamps end in `+00:00` and have microseconds, as the format's own writer has them.
//! - An index keeps its shape and layout. If it can't be read, it is rebuilt in the specification's
//!   shape. Each note has one node in the graph, with links or without; nodes of missing notes are
//!   dropped. A new graph has links that are only in a text; an existing one only if it already has
//!   some.
//! - Counts in an index (`note_count`, `total_tags`, `total_notes`) and tags by note are derived, too.
//! - `before_deprecation` of a deprecated note has the undo data of the deprecation.

mod deprecation;
mod events;
mod field_values;
mod month_archive;
mod new_notes;
mod notes;
mod profiles;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::note::NOTES;
use super::{AMem, layout};
use crate::format::notes::edit::{self, ended};
use crate::format::notes::link_graph::{links_graph, renewed_links};
use crate::format::notes::note_index::NoteNames;
use crate::format::notes::tag_index::{renewed_tags, tags_index};
use crate::format::writing::{
    AppendContext, AppendLines, AuditEvent, ChangesResult, DeletionKind, DueTask, FieldAssignment,
    FormatDeletion, FormatWriter, Operation, OwnOperations, RecordDraft, Refusal, RefusalList, Result,
    WriteContext, document, level_word,
};
use crate::format::{AssemblyInput, DerivedFile};
use crate::model::{Document, Entry, Moment, Store};
use crate::text::json_edit;
use field_values::rewritten;

const APPEND_ONLY: &str = "the event log only grows: an event can't be changed or deleted. Past months can be archived, and secrets can be erased.";
const README: &str = "# Memory\n\nWhat agents remember of this project (A-MEM).\n\n\
    - `events/`: what happened, a log a month; append-only\n\
    - `knowledge/notes/`: what was learned, a note a file; `links.json` and `tags.json` are made from them\n\
    - `profiles/`: what each agent can do and prefers\n\
    - `queries/`: saved queries\n";
const NO_TEXTS: [&str; 5] =
    ["session_count", "successful_operations", "failed_operations", "learned_patterns", "common_mistakes"];

impl FormatWriter for AMem {
    fn own(&self) -> OwnOperations {
        OwnOperations {
            set_tags: Some(|context, entry, tags| edit::set_tags(&AMem, &NOTES, context, entry, tags)),
            undelete: Some(notes::undeprecate),
            audit: Some(audit),
            are_copies: Some(|one, other| layout::is_trace(one) != layout::is_trace(other)),
            archive_group: Some(month_archive::together),
            compressed_files: Some(month_archive::packed),
            ..OwnOperations::default()
        }
    }

    fn allows(&self, operation: Operation, file: &Path) -> Result<(), String> {
        match (layout::kind_of(file), operation) {
            ("event", Operation::Edit | Operation::Tag | Operation::Delete) => Err(APPEND_ONLY.into()),
            ("profile" | "query", Operation::Tag) => Err("only notes have tags.".into()),
            ("profile" | "query", Operation::Archive) => {
                Err("only months of events and deprecated notes can be archived.".into())
            }
            _ => Ok(()),
        }
    }

    fn may_archive(&self, store: &Store, entry: &Entry) -> Result<()> {
        match store.memory(entry) {
            Some(memory) if memory.kind() == "note" && !memory.faded => {
                Err(Refusal::unfit("it is not deprecated: only deprecated notes are archived."))
            }
            _ => Ok(()),
        }
    }

    fn deletion(&self, file: &Path) -> DeletionKind {
        if layout::kind_of(file) == "note" { DeletionKind::Deprecated } else { DeletionKind::Removed }
    }

    fn is_text(&self, name: &str) -> bool {
        let steps: Vec<&str> = name.split('.').collect();
        let is_object = matches!(
            steps.as_slice(),
            ["capabilities" | "preferences" | "context_switches"]
                | ["capabilities", _]
                | ["context_switches", "last_handoff" | "total"]
        );
        !is_object && steps.last().is_none_or(|last| !NO_TEXTS.contains(last))
    }

    fn importance(&self, kind: &str, value: f64) -> Result<(&'static str, String), String> {
        match kind {
            "note" => Ok(("confidence", json_edit::quoted(level_word(value)))),
            _ => Err("only notes have an importance: their confidence.".into()),
        }
    }

    fn add(&self, context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> ChangesResult {
        match draft.kind {
            "event" => events::add(context, draft),
            "note" => new_notes::add(context, draft),
            "profile" => profiles::add(context, draft),
            kind => {
                let message = format!("the type should be event, note or profile, not {kind:?}.");
                Err(Refusal::invalid(message))
            }
        }
    }

    fn append(&self, context: &AppendContext<'_>, draft: &RecordDraft<'_>) -> Result<AppendLines> {
        if draft.kind == "event" { events::appended(context, draft) } else { Ok(None) }
    }

    fn edit(
        &self,
        context: &WriteContext<'_>,
        entry: &Entry,
        set: &[FieldAssignment<'_>],
    ) -> Option<ChangesResult> {
        let document = context.store.document(entry);
        Some(match layout::kind_of(&document.path) {
            "note" => edit::edit(self, &NOTES, context, entry, set),
            "profile" => profiles::edit(context, document, set),
            "query" => query(document, set),
            _ => Err(Refusal::unfit(APPEND_ONLY)),
        })
    }

    fn delete(
        &self,
        context: &WriteContext<'_>,
        entries: &[Entry],
        asked: FormatDeletion<'_>,
    ) -> ChangesResult {
        notes::deprecate(context, entries, asked.reason, asked.replaced_by)
    }

    fn archive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        let is_note = |entry: &&Entry| layout::kind_of(&context.store.document(entry).path) == "note";
        let (own, events): (Vec<Entry>, Vec<Entry>) = entries.iter().partition(is_note);
        let mut faults = RefusalList::default();
        let (mut changes, mut removals) = (Vec::new(), Vec::new());
        match notes::archive(context, &own) {
            Ok([copies, gone]) => (changes, removals) = (copies, gone),
            Err(refusal) => faults.join(Err(refusal))?,
        }
        match month_archive::archive(context, &events) {
            Ok(own) => changes.extend(own),
            Err(refusal) => faults.join(Err(refusal))?,
        }
        faults.finish()?;
        changes.append(&mut removals);
        Ok(changes)
    }

    fn unarchive(&self, context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
        month_archive::unarchive(context, entries)
    }

    /// Compresses months that ended 30 days ago (§8.1). Archives notes deprecated a year ago
    /// (§8.2). Deletes nothing by age.
    fn due_tasks(&self, context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
        let mut due = Vec::new();
        let events = month_archive::due(context);
        if !events.is_empty() {
            let changes = month_archive::archive(context, &events)?;
            due.push(DueTask {
                what: "compress past months of events".into(),
                rule: "the log of a past month is compressed; every event stays and can be found".into(),
                records: events.len(),
                changes,
            });
        }
        let notes = notes::due(context);
        if !notes.is_empty() {
            let changes = notes::archive(context, &notes)?.concat();
            let what = "archive notes that were deprecated a year ago".into();
            let rule = "a note that was deprecated a year ago moves to the archive".into();
            due.push(DueTask { what, rule, records: notes.len(), changes });
        }
        Ok(due)
    }

    fn due_task_files(&self, context: &WriteContext<'_>) -> Vec<PathBuf> {
        month_archive::packed(context.store, &month_archive::due(context))
    }

    fn compacted_entries(
        &self,
        _scene: &WriteContext<'_>,
        _session: Option<&str>,
    ) -> Option<Result<Vec<Entry>>> {
        Some(Err(Refusal::unfit(
            "nothing is ever removed from it. `palimp archive` compresses past months of events.",
        )))
    }

    fn new_store(&self, _now: Moment) -> Vec<(PathBuf, Vec<u8>)> {
        let no_notes = NoteNames::of(&NOTES, &[]);
        vec![
            ("README.md".into(), README.into()),
            ("events".into(), Vec::new()),
            ("knowledge/notes".into(), Vec::new()),
            (TAGS.into(), tags_index(&no_notes, None)),
            (LINKS.into(), links_graph(&no_notes, None)),
            ("profiles".into(), Vec::new()),
            ("queries".into(), Vec::new()),
        ]
    }
}

/// The log is append-only, so an event records every other change of it.
fn audit(context: &WriteContext<'_>, what: AuditEvent, files: &[&Path], count: usize) -> ChangesResult {
    let event_type = match what {
        AuditEvent::Repair => "memory.events_repaired",
        AuditEvent::Erasure | AuditEvent::RestOfErasure(_) => "memory.events_erased",
    };
    if let AuditEvent::RestOfErasure(began) = what
        && let Some(missing) = events::missing_in_trace(context, event_type, began)?
    {
        return Ok(missing);
    }
    let logs: BTreeSet<&&Path> = files.iter().filter(|file| layout::kind_of(file) == "event").collect();
    match logs.len() {
        0 => Ok(Vec::new()),
        files => month_archive::recorded(context, event_type, &BTreeSet::new(), files, count),
    }
}

/// Replaces the text of a saved query.
fn query(document: &Document, set: &[FieldAssignment<'_>]) -> ChangesResult {
    let [FieldAssignment { name: "text", value }] = set else {
        return Err(Refusal::unfit("a saved query has no fields but its `text`."));
    };
    let before = String::from_utf8_lossy(&document.bytes);
    Ok(vec![rewritten(document, ended(value, "\n", &before).as_bytes())])
}

const TAGS: &str = "knowledge/tags.json";
const LINKS: &str = "knowledge/links.json";

/// Returns the indexes if a note or an index was touched.
pub fn derived(parts: &AssemblyInput<'_>, touched: &[PathBuf]) -> Vec<DerivedFile> {
    let is_note = |path: &PathBuf| {
        let is_text = path.extension().is_some_and(|end| end == "md");
        layout::kind_of(path) == "note" && is_text || [TAGS, LINKS].iter().any(|own| path.as_os_str() == *own)
    };
    if !touched.iter().any(is_note) {
        return Vec::new();
    }
    let known = NoteNames::of(&NOTES, parts.documents);
    let current = |path: &str| document(parts.documents, Path::new(path));
    vec![
        DerivedFile { path: TAGS.into(), bytes: renewed_tags(&known, current(TAGS)).into() },
        DerivedFile { path: LINKS.into(), bytes: renewed_links(&known, current(LINKS)).into() },
    ]
}
