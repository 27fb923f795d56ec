//! `edit`: sets fields of records, and keeps every other byte.

mod sanity_checks;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::change_plan::check_for;
use super::form::as_settings;
use super::tag::check_words;
use super::{
    Command, CommandRules, FieldAssignment, MemoryInput, Operation, Refusal, Result, ShownFirst,
    WriteContext, auto_redaction, breaks, check, is_json, may, plan_and_after, refused_for, with_backups,
    writable, writes,
};
use crate::format::RecordSyntax;
use crate::format::writing::{RefusalList, set_field};
use crate::model::{Change, Code, Document, Entry, Moment, Plan, Problem, Severity, Store, Verb};
use crate::text::json_edit::{Tape, scan};

/// The files and the record after an edit.
pub(crate) enum EditResult {
    /// The new bytes of the record.
    Record(Vec<u8>),
    Files(Vec<Change>),
}

/// Which problems an edit must not cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditStrictness {
    /// Refuses exceeded limits, and new problems of the record.
    Clean,
    /// Refuses only errors: the user has seen what `check` would warn of.
    Shown,
}

/// Checks that a record can get another id. The plan can still be refused.
pub fn may_rename(store: &Store, entry: &Entry) -> Result<()> {
    may(store, entry, Operation::Rename)?;
    match writes(store)?.0.syntax(&store.document(entry).path) {
        RecordSyntax::Markdown => Ok(()),
        _ => Err(Refusal::invalid("`id` names the memory, and can't be changed.")),
    }
}

/// Checks that a record can get this id. The plan can still be refused.
pub fn may_be_named(store: &Store, entry: &Entry, id: &str, now: Moment) -> Result<()> {
    may_rename(store, entry)?;
    let context = WriteContext::of(store, now, [0; 16]);
    as_set(&context, entry, &[FieldAssignment { name: "id", value: id }]).map(drop)
}

/// Plans to set fields of a record.
pub fn edit(context: &WriteContext<'_>, entry: &Entry, set: &[FieldAssignment<'_>]) -> Result<Plan> {
    edit_with(context, entry, set, EditStrictness::Clean)
}

/// Like [`edit`]. Even if the user has seen what `check` would warn of, it refuses errors, and what the format's
/// writer rules out.
pub(super) fn edit_with(
    context: &WriteContext<'_>,
    entry: &Entry,
    set: &[FieldAssignment<'_>],
    care: EditStrictness,
) -> Result<Plan> {
    let verb = if matches!(set, [FieldAssignment { name: "id", .. }]) { Verb::Rename } else { Verb::Edit };
    let changes = match after_edit(context, entry, set)? {
        EditResult::Files(changes) => changes,
        EditResult::Record(after) => {
            let document = context.store.document(entry);
            let edits = vec![(context.store.record(entry).span.range(), after)];
            vec![Change::edits(&document.path, document.bytes.clone(), edits)]
        }
    };
    if changes.iter().all(Change::is_empty) {
        // If nothing changes, no derived file changes: an index that was stale before is no part of an edit.
        return Ok(Plan::of(verb, context.store.whole()?));
    }
    let all = with_backups(context, changes);
    let (mut plan, after) = plan_and_after(verb, context, 1, all)?;
    plan.lines.extend(sanity_checks::misspelt(context, entry, set));
    plan.lines.extend(auto_redaction::told_of_edit(context.store, &plan));
    let ours: fn(&Problem) -> bool = match care {
        EditStrictness::Clean => breaks,
        EditStrictness::Shown => |own| own.severity == Severity::Error,
    };
    check_for(context, (&plan, &after), &[], &ours)?;
    unharmed(context, &[*entry], &after, care)?;
    Ok(plan)
}

/// Sets fields of a record. Checks only that the record keeps a text.
pub(super) fn after_edit(
    context: &WriteContext<'_>,
    entry: &Entry,
    set: &[FieldAssignment<'_>],
) -> Result<EditResult> {
    let made = as_set(context, entry, set)?;
    sanity_checks::require_text(context, entry, set, &made)?;
    Ok(made)
}

/// Like [`after_edit`], for a memory that is known to keep its text.
pub(super) fn as_set(
    context: &WriteContext<'_>,
    entry: &Entry,
    set: &[FieldAssignment<'_>],
) -> Result<EditResult> {
    let (_, writes) = writes(context.store)?;
    let document = writable(context.store, entry)?;
    writes.allows(Operation::Edit, &document.path).map_err(Refusal::unfit)?;
    if context.store.memory(entry).is_none() {
        return Err(Refusal::broken());
    }
    // The format's own refusal is more precise.
    match writes.edit(context, entry, set) {
        Some(changes) => Ok(EditResult::Files(changes?)),
        None if is_json(context.store, entry) => {
            if let Some(setting) = set.iter().find(|setting| matches!(setting.name, "id" | "session_id")) {
                let message = format!("`{}` names the memory, and can't be changed.", setting.name);
                return Err(Refusal::invalid(message));
            }
            edited(context, entry, set).map(EditResult::Record)
        }
        None => Err(Refusal::unfit("it is not JSON, and can't be edited field by field.")),
    }
}

/// A function that returns the fields of a record to set, with their new values.
pub type FieldSetter<'s> = dyn Fn(&Entry) -> Result<Vec<(String, String)>> + 's;

/// Plans to set fields of several records.
pub fn each(input: &MemoryInput<'_>, set: &FieldSetter<'_>) -> Result<Plan> {
    let (context, entries) = (&input.context, input.entries);
    let mut changes: Vec<Change> = Vec::new();
    let mut count = 0;
    let mut faults = RefusalList::default();
    let mut misspelt = BTreeSet::new();
    for (document, in_document) in context.store.by_document(entries) {
        let mut edits = Vec::new();
        for entry in &in_document {
            input.progress.step()?;
            let edited = set(entry).and_then(|fields| {
                let set = as_settings(&fields);
                misspelt.extend(sanity_checks::misspelt(context, entry, &set));
                match after_edit(context, entry, &set)? {
                    EditResult::Files(_) if in_document.len() > 1 => Err(Refusal::unfit(ONE_DOCUMENT)),
                    edited => Ok(edited),
                }
            });
            match faults.collect(entry, edited)? {
                None => {}
                Some(EditResult::Files(files)) => {
                    count += usize::from(files.iter().any(|change| !change.is_empty()));
                    changes.extend(files);
                }
                Some(EditResult::Record(after)) => {
                    count += usize::from(*context.store.raw(entry) != *after);
                    edits.push((context.store.record(entry).span.range(), after));
                }
            }
        }
        changes.push(Change::edits(&document.path, document.bytes.clone(), edits));
    }
    changes.retain(|change| !change.is_empty());
    if changes.is_empty() {
        faults.finish()?;
        return Ok(Plan::of(Verb::Edit, context.store.whole()?));
    }
    let all = with_backups(context, changes);
    let (mut plan, after) = plan_and_after(Verb::Edit, context, count, all)?;
    plan.lines.extend(misspelt);
    plan.lines.extend(auto_redaction::told_of_edit(context.store, &plan));
    faults.join(check(context, &plan, &after))?;
    faults.join(unharmed(context, entries, &after, EditStrictness::Clean))?;
    faults.finish()?;
    Ok(plan)
}

const ONE_DOCUMENT: &str = "it is in one document with others of these: edit them one at a time.";

/// Refuses an edit that gives one of its records a new problem.
pub(super) fn unharmed(
    context: &WriteContext<'_>,
    entries: &[Entry],
    after: &[Arc<Document>],
    care: EditStrictness,
) -> Result<()> {
    let new: HashMap<&Path, &Document> = after.iter().map(|new| (&*new.path, &**new)).collect();
    let mut faults = RefusalList::default();
    for (document, in_document) in context.store.by_document(entries) {
        let Some(new) = new.get(&*document.path) else { continue };
        let (before, found) = (problems(&document), problems(new));
        for entry in &in_document {
            let memory = new.records.get(entry.record as usize).and_then(|record| record.memory());
            let tags: Vec<String> =
                memory.iter().flat_map(|memory| memory.tags()).map(|tag| tag.to_string()).collect();
            faults.collect(entry, fits_words(context, entry, &tags))?;
            let before = before.get(&entry.record);
            let is_new = |problem: &&&Problem| {
                let known = |old: &&Problem| old.code == problem.code && old.message == problem.message;
                !before.is_some_and(|before| before.iter().any(known))
            };
            let mut problems = found.get(&entry.record).into_iter().flatten().filter(is_new);
            if let Some(problem) = problems.find(|problem| harms(problem, care)) {
                faults.refuse(vec![*entry], refused_for(problem));
            }
        }
    }
    faults.finish()
}

/// True if an edit must not cause this problem.
fn harms(problem: &Problem, care: EditStrictness) -> bool {
    match care {
        EditStrictness::Clean => !matches!(problem.code, Code::FutureTimestamp | Code::DanglingReference),
        EditStrictness::Shown => problem.severity == Severity::Error,
    }
}

fn problems(document: &Document) -> HashMap<u32, Vec<&Problem>> {
    let mut by_record: HashMap<u32, Vec<&Problem>> = HashMap::new();
    for problem in &document.problems {
        if let Some(record) = problem.record {
            by_record.entry(record).or_default().push(problem);
        }
    }
    by_record
}

/// Refuses new tags that are no words. Tags that the record has already may stay.
pub(super) fn fits_words(context: &WriteContext<'_>, entry: &Entry, tags: &[String]) -> Result<()> {
    let old = context.store.memory(entry);
    let known = |tag: &str| old.is_some_and(|old| old.has_tag(tag));
    check_words(tags.iter().map(String::as_str).filter(|tag| !known(tag)))
}

fn edited(context: &WriteContext<'_>, entry: &Entry, set: &[FieldAssignment<'_>]) -> Result<Vec<u8>> {
    let (format, writes) = writes(context.store)?;
    let raw = context.store.raw(entry);
    let mut tape = Tape::default();
    let before = scan(&mut tape, &raw)?;
    let main = format.main_text(before).1.first().copied().unwrap_or("text");
    let mut after = raw.to_vec();
    for setting in set {
        after = set_field(writes, &after, setting, main)?;
    }
    if *raw == *after {
        return Ok(after);
    }
    let after = match auto_redaction::rules(context.store) {
        Some(rules) => auto_redaction::redacted(&rules, &after, &raw).0,
        None => after,
    };
    writes.finish_edit(before, after, context.now, true)
}

/// Fields and their new values.
type FieldValues = Vec<(String, String)>;

/// Sets fields of memories.
#[derive(Clone, Debug)]
pub struct EditMemory {
    pub set: FieldValues,
    /// Which problems it must not cause.
    pub strictness: EditStrictness,
}

impl EditMemory {
    /// A command that causes no problem.
    pub fn of(set: FieldValues) -> EditMemory {
        EditMemory { set, strictness: EditStrictness::Clean }
    }

    /// A command that sets the main text.
    pub fn text(text: String) -> EditMemory {
        EditMemory::of(vec![("text".to_owned(), text)])
    }

    /// A command that gives a memory another name. Other files may change with it.
    pub fn rename(name: String) -> EditMemory {
        EditMemory::of(vec![("id".to_owned(), name)])
    }

    /// The new name, if that is what it sets. Untrusted text.
    pub fn new_name(&self) -> Option<&str> {
        let [(name, new)] = self.set.as_slice() else { return None };
        (name == "id").then_some(new)
    }
}

impl Command for EditMemory {
    fn rules(&self) -> CommandRules {
        let words = match self.new_name() {
            Some(_) => ["renaming", "rename", "renamed"],
            None => ["saving", "save", "saved"],
        };
        let shown_first = if self.new_name().is_some() { ShownFirst::Always } else { ShownFirst::Several };
        CommandRules { words, is_written: true, is_counted: true, shown_first, ..CommandRules::default() }
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        match input.entries {
            [one] => edit_with(&input.context, one, &as_settings(&self.set), self.strictness),
            _ => each(input, &|_| Ok(self.set.clone())),
        }
    }

    fn new_value(&self) -> Option<String> {
        self.new_name().map(str::to_owned)
    }
}
