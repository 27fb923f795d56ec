//! `edit`: one field of one record, every other byte as it was.

use super::tag::check_words;
use super::{Refusal, Scene, Setting, backups, base, check, check_errors, is_json, plan, writable, writes};
use crate::format::Format;
use crate::format::writing::{Deed, Writes, set_field};
use crate::model::{Change, Code, Document, Entry, Plan, Severity};
use crate::store::derive;
use crate::text::edit::scan;
use crate::text::scan::Tape;

/// How careful an edit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// It brings no limit that is exceeded, and nothing that is worth a warning.
    Clean,
    /// Somebody was shown what `check` would warn of.
    Shown,
}

/// Sets fields of a record.
pub fn edit(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Result<Plan, Refusal> {
    planned(scene, entry, set, Care::Clean)
}

/// The same after somebody was shown what `check` would warn of: only what it calls an error is
/// refused, and what the format's writing rules out.
pub fn edit_as_shown(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Result<Plan, Refusal> {
    planned(scene, entry, set, Care::Shown)
}

fn planned(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>], care: Care) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = match after_edit(scene, entry, set)? {
        Edited::Files(changes) => changes,
        Edited::Record(after) => {
            let document = scene.store.document(entry);
            let span = scene.store.record(entry).span;
            let edits = vec![(span.start as usize..span.end as usize, after)];
            vec![Change::edits(&document.path, base(document), edits)]
        }
    };
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let plan = plan("edit", scene, 1, all)?;
    match care {
        Care::Clean => check(scene, &plan)?,
        Care::Shown => check_errors(scene, &plan)?,
    }
    unharmed(scene, entry, &plan, care)?;
    Ok(plan)
}

/// What an edit makes.
pub(super) enum Edited {
    /// The bytes of the one record.
    Record(Vec<u8>),
    /// Changes of files.
    Files(Vec<Change>),
}

/// What setting fields of a record makes, before anything is judged.
pub(super) fn after_edit(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Result<Edited, Refusal> {
    let (format, writes) = writes(scene.store)?;
    let document = writable(scene.store, entry)?;
    writes.may(Deed::Edit, &document.path).map_err(Refusal::unfit)?;
    if scene.store.view(entry).is_none() {
        return Err(Refusal::broken());
    }
    match writes.edit(scene, entry, set) {
        Some(changes) => Ok(Edited::Files(changes?)),
        None if is_json(format, scene.store, entry) => {
            if let Some(own) = set.iter().find(|own| matches!(own.name, "id" | "session_id")) {
                let message = format!("`{}` names the record, and can't be changed.", own.name);
                return Err(Refusal::invalid(message));
            }
            edited(scene, format, writes, entry, set).map(Edited::Record)
        }
        None => Err(Refusal::unfit("it is no JSON, and can't be edited field by field.")),
    }
}

/// Refuses an edit that brings its record a problem which it did not have.
fn unharmed(scene: &Scene<'_>, entry: &Entry, plan: &Plan, care: Care) -> Result<(), Refusal> {
    let path = &scene.store.document(entry).path;
    let after = derive::after(scene.store, &plan.changes, scene.now);
    let Some(new) = after.iter().find(|document| document.path == *path) else { return Ok(()) };
    let of = |document: &Document| -> Vec<(Code, Severity, String)> {
        let own = document.problems.iter().filter(|problem| problem.record == Some(entry.record));
        own.map(|problem| (problem.code, problem.severity, problem.message.clone())).collect()
    };
    let view = new.records.get(entry.record as usize).and_then(|record| record.view());
    let tags: Vec<String> =
        view.iter().flat_map(|view| view.tags.iter()).map(|tag| tag.to_string()).collect();
    fits_words(scene, entry, &tags)?;
    let before = of(scene.store.document(entry));
    let harmless = |code: Code| matches!(code, Code::FutureTimestamp | Code::DanglingReference);
    let harms = |own: &(Code, Severity, String)| match care {
        Care::Clean => !harmless(own.0),
        Care::Shown => own.1 == Severity::Error,
    };
    match of(new).into_iter().find(|own| !before.contains(own) && harms(own)) {
        Some((code, _, message)) => {
            let message = format!("{message} ({})", code.as_str());
            let exceeds = matches!(code, Code::TooLong | Code::LimitExceeded);
            Err(if exceeds { Refusal::too_large(message) } else { Refusal::invalid(message) })
        }
        None => Ok(()),
    }
}

/// Refuses tags that an edit brings and that are no words; those that were there stay.
pub(super) fn fits_words(scene: &Scene<'_>, entry: &Entry, tags: &[String]) -> Result<(), Refusal> {
    let old = scene.store.view(entry);
    let known = |tag: &str| old.is_some_and(|old| old.tags.iter().any(|own| &**own == tag));
    check_words(tags.iter().map(String::as_str).filter(|tag| !known(tag)))
}

/// The record with its fields set.
pub fn edited(
    scene: &Scene<'_>,
    format: &dyn Format,
    writes: &dyn Writes,
    entry: &Entry,
    set: &[Setting<'_>],
) -> Result<Vec<u8>, Refusal> {
    let raw = scene.store.raw(entry);
    let mut tape = Tape::default();
    let before = scan(&mut tape, raw)?;
    let main = format.main_text(before).1.first().copied().unwrap_or("text");
    let mut after = raw.to_vec();
    for setting in set {
        after = set_field(writes, &after, setting, main)?;
    }
    if after == raw {
        return Ok(after);
    }
    writes.edited(before, after, scene.now)
}
