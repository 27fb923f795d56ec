//! `edit`: one field of one record, every other byte as it was.

use super::tag::check_words;
use super::{Refusal, Scene, Setting, backups, base, check, is_json, plan, writable, writes};
use crate::format::Format;
use crate::format::writing::{Deed, Writes, set_field};
use crate::model::{Change, Code, Document, Entry, Plan};
use crate::store::derive;
use crate::text::edit::scan;
use crate::text::scan::Tape;

/// Sets fields of a record.
pub fn edit(scene: &Scene<'_>, entry: &Entry, set: &[Setting<'_>]) -> Result<Plan, Refusal> {
    let (format, writes) = writes(scene.store)?;
    let document = writable(scene.store, entry)?;
    writes.may(Deed::Edit, &document.path).map_err(Refusal::unfit)?;
    if scene.store.view(entry).is_none() {
        return Err(Refusal::broken());
    }
    let changes = match writes.edit(scene, entry, set) {
        Some(changes) => changes?,
        None if is_json(format, scene.store, entry) => vec![json(scene, format, writes, entry, set)?],
        None => return Err(Refusal::unfit("it is no JSON, and can't be edited field by field.")),
    };
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let plan = plan("edit", scene, 1, all)?;
    check(scene, &plan)?;
    unharmed(scene, entry, &plan)?;
    Ok(plan)
}

/// Refuses an edit that brings its record a problem which it did not have.
fn unharmed(scene: &Scene<'_>, entry: &Entry, plan: &Plan) -> Result<(), Refusal> {
    let path = &scene.store.document(entry).path;
    let after = derive::after(scene.store, &plan.changes, scene.now);
    let Some(new) = after.iter().find(|document| document.path == *path) else { return Ok(()) };
    let of = |document: &Document| -> Vec<(Code, String)> {
        let own = document.problems.iter().filter(|problem| problem.record == Some(entry.record));
        own.map(|problem| (problem.code, problem.message.clone())).collect()
    };
    new_tags(scene, entry, new)?;
    let before = of(scene.store.document(entry));
    let harmless = |code: Code| matches!(code, Code::FutureTimestamp | Code::DanglingReference);
    match of(new).into_iter().find(|own| !before.contains(own) && !harmless(own.0)) {
        Some((code, message)) => {
            let message = format!("{message} ({})", code.as_str());
            let exceeds = matches!(code, Code::TooLong | Code::LimitExceeded);
            Err(if exceeds { Refusal::too_large(message) } else { Refusal::invalid(message) })
        }
        None => Ok(()),
    }
}

/// Refuses tags that an edit brings and that are no words; those that were there stay.
fn new_tags(scene: &Scene<'_>, entry: &Entry, new: &Document) -> Result<(), Refusal> {
    let view = new.records.get(entry.record as usize).and_then(|record| record.view());
    let old = scene.store.view(entry);
    let known = |tag: &str| old.is_some_and(|old| old.tags.iter().any(|own| &**own == tag));
    check_words(view.iter().flat_map(|view| view.tags.iter()).map(|tag| &**tag).filter(|tag| !known(tag)))
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

fn json(
    scene: &Scene<'_>,
    format: &dyn Format,
    writes: &dyn Writes,
    entry: &Entry,
    set: &[Setting<'_>],
) -> Result<Change, Refusal> {
    if let Some(own) = set.iter().find(|own| matches!(own.name, "id" | "session_id")) {
        return Err(Refusal::invalid(format!("`{}` names the record, and can't be changed.", own.name)));
    }
    let after = edited(scene, format, writes, entry, set)?;
    let document = scene.store.document(entry);
    let span = scene.store.record(entry).span;
    let edits = vec![(span.start as usize..span.end as usize, after)];
    Ok(Change::edits(&document.path, base(document), edits))
}
