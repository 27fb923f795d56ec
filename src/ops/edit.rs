//! `edit`: one field of one record, every other byte as it was.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use super::tag::check_words;
use super::{
    Progress, Refusal, Scene, Setting, backups, base, by_document, check, is_json, plan, writable, writes,
};
use crate::format::Format;
use crate::format::writing::{Deed, Writes, set_field};
use crate::model::{Change, Code, Document, Entry, Plan, Problem};
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
    unharmed(scene, &[*entry], &plan)?;
    Ok(plan)
}

/// The fields of a record that are set, and what they are to be.
pub type Set<'s> = dyn Fn(&Entry) -> Result<Vec<(String, String)>, Refusal> + 's;

/// Sets fields of each of several records.
pub fn each(
    scene: &Scene<'_>,
    entries: &[Entry],
    progress: &Progress,
    set: &Set<'_>,
) -> Result<Plan, Refusal> {
    let (format, writes) = writes(scene.store)?;
    let mut changes: Vec<Change> = Vec::new();
    let mut count = 0;
    for (document, own) in by_document(scene.store, entries) {
        writable(scene.store, &own[0])?;
        writes.may(Deed::Edit, &document.path).map_err(Refusal::unfit)?;
        let mut edits = Vec::new();
        for entry in &own {
            progress.step()?;
            let fields = set(entry)?;
            let set: Vec<Setting<'_>> = fields.iter().map(|(name, value)| Setting { name, value }).collect();
            match writes.edit(scene, entry, &set) {
                _ if scene.store.view(entry).is_none() => return Err(Refusal::broken()),
                Some(_) if own.len() > 1 => return Err(Refusal::unfit(ONE_DOCUMENT)),
                Some(own) => {
                    let own = own?;
                    count += usize::from(own.iter().any(|change| !change.is_empty()));
                    changes.extend(own);
                }
                None if is_json(format, scene.store, entry) => {
                    let after = json_edit(scene, format, writes, entry, &set)?;
                    count += usize::from(after.1 != scene.store.raw(entry));
                    edits.push(after);
                }
                None => return Err(Refusal::unfit("it is no JSON, and can't be edited field by field.")),
            }
        }
        changes.push(Change::edits(&document.path, base(&document), edits));
    }
    changes.retain(|change| !change.is_empty());
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let plan = plan("edit", scene, count, all)?;
    check(scene, &plan)?;
    unharmed(scene, entries, &plan)?;
    Ok(plan)
}

const ONE_DOCUMENT: &str = "it is part of one document with others of these: edit them one at a time.";

/// Refuses an edit that brings one of its records a problem which it did not have.
fn unharmed(scene: &Scene<'_>, entries: &[Entry], plan: &Plan) -> Result<(), Refusal> {
    let after = derive::after(scene.store, &plan.changes, scene.now);
    let new: HashMap<&Path, &Document> = after.iter().map(|own| (&*own.path, &**own)).collect();
    for (document, own) in by_document(scene.store, entries) {
        let Some(new) = new.get(&*document.path) else { continue };
        let (before, found) = (problems(&document), problems(new));
        for entry in &own {
            new_tags(scene, entry, new)?;
            let before = before.get(&entry.record);
            let is_new = |problem: &&&Problem| {
                let known = |old: &&Problem| old.code == problem.code && old.message == problem.message;
                !before.is_some_and(|before| before.iter().any(known))
            };
            let harmless = |code: Code| matches!(code, Code::FutureTimestamp | Code::DanglingReference);
            let mut own = found.get(&entry.record).into_iter().flatten().filter(is_new);
            if let Some(problem) = own.find(|own| !harmless(own.code)) {
                let message = format!("{} ({})", problem.message, problem.code.as_str());
                let exceeds = matches!(problem.code, Code::TooLong | Code::LimitExceeded);
                return Err(if exceeds { Refusal::too_large(message) } else { Refusal::invalid(message) });
            }
        }
    }
    Ok(())
}

/// The problems of a document by the record that they are about.
fn problems(document: &Document) -> HashMap<u32, Vec<&Problem>> {
    let mut by_record: HashMap<u32, Vec<&Problem>> = HashMap::new();
    for problem in &document.problems {
        if let Some(record) = problem.record {
            by_record.entry(record).or_default().push(problem);
        }
    }
    by_record
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
    let edits = vec![json_edit(scene, format, writes, entry, set)?];
    let document = scene.store.document(entry);
    Ok(Change::edits(&document.path, base(document), edits))
}

/// Where the record stands in its file, and what stands there afterwards.
fn json_edit(
    scene: &Scene<'_>,
    format: &dyn Format,
    writes: &dyn Writes,
    entry: &Entry,
    set: &[Setting<'_>],
) -> Result<(Range<usize>, Vec<u8>), Refusal> {
    if let Some(own) = set.iter().find(|own| matches!(own.name, "id" | "session_id")) {
        return Err(Refusal::invalid(format!("`{}` names the record, and can't be changed.", own.name)));
    }
    let after = edited(scene, format, writes, entry, set)?;
    let span = scene.store.record(entry).span;
    Ok((span.start as usize..span.end as usize, after))
}
