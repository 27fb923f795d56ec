//! `add`: adds one record.

use std::path::{Path, PathBuf};

use super::auto_redaction;
use super::tag::check_words;
use super::{
    RecordDraft, Refusal, Result, WriteContext, breaks, check, plan_and_after, refused_for, with_backups,
    with_derived, writes,
};
use crate::format::writing::{AppendContext, AppendLookup, RecordMembers, removals, with_config_of};
use crate::format::{self, Format};
use crate::model::plan::effect::MemoryEffect;
use crate::model::plan::{count_with_noun, line_end_for, whole_lines};
use crate::model::{Act, Change, Entry, Moment, Plan, Role, Store};
use crate::store::plan_effects::added;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Plans to add a record. If it fills a log that compacts itself, the plan says what is removed.
pub fn add(context: &WriteContext<'_>, draft: &RecordDraft<'_>) -> Result<Plan> {
    let (format, writes) = writes(context.store)?;
    check_tags(draft)?;
    let mut added = writes.add(context, draft)?;
    let redaction = auto_redaction::rules(writes, context.store);
    let replaced = redaction.and_then(|rules| {
        let count = auto_redaction::redact_added(&rules, &mut added);
        auto_redaction::told(&rules, count)
    });
    has_text(format, draft)?;
    let with = |changes| plan_and_after("add", context, 1, with_backups(context, writes, changes));
    let (mut plan, mut after) = with(added.clone())?;
    let goes = writes.evictions(context, draft, &with_derived(context, &plan, &after))?;
    if !goes.is_empty() {
        (plan, after) = with(joined(added, removals(context.store, &goes)))?;
        plan.records += goes.len();
        let count = count_with_noun(goes.len() as u64, "memory");
        plan.lines.push(format!("The session is full: a compaction removes {count}."));
        plan.lines.extend(goes.iter().map(|entry| named(context.store, entry)));
    }
    plan.lines.extend(replaced);
    check(context, &plan, &after)?;
    Ok(plan)
}

/// Plans to add records only at the ends of logs: the cost does not grow with the store. Derived
/// files wait. Returns `None` if a record needs more than that; [`add`] plans it then. `random`
/// returns other bytes at each call.
pub fn append(
    (format, root): (&'static dyn Format, &Path),
    (ends, now): (&dyn AppendLookup, Moment),
    random: &dyn Fn() -> [u8; 16],
    drafts: &[RecordDraft<'_>],
) -> Result<Option<Plan>> {
    let (mut logs, mut effects): (Vec<(PathBuf, Vec<u8>)>, _) = (Vec::new(), Vec::new());
    let own = format.own().auto_redaction;
    let redaction = match own.map(|own| (own, ends.small(Path::new("config.json")))) {
        Some((own, Ok(config))) => with_config_of(config.as_deref(), own),
        // Without the config, what it asks for is unknown.
        Some((_, Err(_))) => return Ok(None),
        None => None,
    };
    let mut replaced = 0;
    for (number, draft) in (1..).zip(drafts) {
        let numbered = |refusal: Refusal| match drafts.len() {
            1 => refusal,
            _ => Refusal { message: format!("memory {number}: {}", refusal.message), ..refusal },
        };
        check_tags(draft).and_then(|()| has_text(format, draft)).map_err(numbered)?;
        let context = AppendContext { lookup: ends, now, random: random() };
        let Some(mut lines) = format.append(&context, draft).map_err(numbered)? else { return Ok(None) };
        if let Some(rules) = &redaction {
            for (_, line) in &mut lines {
                let (new, count) = auto_redaction::redacted_lines(rules, line);
                (*line, replaced) = (new, replaced + count);
            }
        }
        let effect = addition(format, root, &lines, now).map_err(numbered)?;
        ends.added(draft, effect.id.as_deref(), &lines);
        effects.push(effect);
        for (path, line) in lines {
            match logs.iter_mut().find(|(own, _)| *own == path) {
                Some((_, all)) => all.extend(line),
                None => logs.push((path, line)),
            }
        }
    }
    let mut changes = Vec::new();
    for (path, lines) in logs {
        let Ok(end) = ends.end(&path) else { return Ok(None) };
        changes.push(Change::append(path, lines, end));
    }
    let plan = Plan::of_unread_store("add", root, format.name());
    let lines = redaction.and_then(|rules| auto_redaction::told(&rules, replaced)).into_iter().collect();
    Ok(Some(Plan { records: drafts.len(), effects, changes, lines, derive_later: true, ..plan }))
}

/// Returns the effect of adding `lines`: their first record is the memory. Refuses lines with problems.
fn addition(
    format: &dyn Format,
    root: &Path,
    lines: &[(PathBuf, Vec<u8>)],
    now: Moment,
) -> Result<MemoryEffect> {
    let mut effect = None;
    for (path, line) in lines {
        let read = format.read(Role::Records, path, line, now);
        if let Some(problem) = read.problems.iter().find(|own| breaks(own)) {
            return Err(refused_for(problem));
        }
        let record = read.records.first().filter(|_| effect.is_none());
        effect = effect.or(record.map(|record| {
            let id = record.id();
            added((root, path), format.session_of(path), id, &line[record.span.range()])
        }));
    }
    effect.ok_or_else(|| Refusal::invalid("the memory has no line of its own."))
}

fn check_tags(draft: &RecordDraft<'_>) -> Result<()> {
    check_words(draft.tags.iter().map(String::as_str))?;
    let own = RecordMembers::of(draft.record).map(|own| own.texts("tags")).unwrap_or_default();
    check_words(own.iter().map(String::as_str))
}

/// Refuses a record with an empty text.
fn has_text(format: &dyn Format, draft: &RecordDraft<'_>) -> Result<()> {
    let mut tape = Tape::default();
    let text = match (draft.text, draft.record) {
        (Some(text), _) => text.to_owned(),
        (None, Some(record)) => format.main_text(scan(&mut tape, record.as_bytes())?).0,
        (None, None) => return Ok(()),
    };
    match text.trim().is_empty() {
        true => Err(Refusal::invalid("the text is empty: there is nothing to remember.")),
        false => Ok(()),
    }
}

fn named(store: &Store, entry: &Entry) -> String {
    let id = store.id(entry).unwrap_or("(no id)");
    format!("removes {id}: {}", format::title(store, entry).raw())
}

/// Joins lines that are added to a file and records that are removed from it into one change.
fn joined(added: Vec<Change>, removed: Vec<Change>) -> Vec<Change> {
    let mut removed = removed;
    let mut changes = Vec::new();
    for change in added {
        let at = removed.iter().position(|own| own.path == change.path);
        match (&change.act, at.map(|at| removed.remove(at))) {
            (Act::Append(lines), Some(mut own)) => {
                let end = own.base.as_ref().map_or(0, |base| base.len());
                let left = own.after().unwrap_or_default();
                let becomes = [line_end_for(&left), lines].concat();
                add_last(&mut own, end, becomes);
                changes.push(own);
            }
            (_, own) => {
                changes.push(change);
                changes.extend(own);
            }
        }
    }
    changes.extend(removed);
    changes
}

/// Adds lines at the end of a spliced file. `end` is the length of its old bytes.
fn add_last(change: &mut Change, end: usize, lines: Vec<u8>) {
    let Act::Splice(splices) = &mut change.act else { return };
    match splices.last_mut().filter(|last| last.start as usize + last.was.len() == end) {
        Some(last) => last.becomes.extend(&lines),
        None => {
            let base = change.base.as_deref().unwrap_or_default();
            let edits = vec![(end..end, lines)];
            splices.extend(whole_lines(base, edits));
        }
    }
}
