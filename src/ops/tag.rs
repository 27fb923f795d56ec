//! `tag`: adds, removes and renames tags.

use super::edit::EditResult;
use super::{
    Progress, Refusal, WriteContext, check, is_json, plan_and_after, with_backups, writable, writes,
};
use crate::format::Format;
use crate::format::writing::{FormatWriter, Operation, RefusalList, list};
use crate::model::{Change, Entry, KEEP_UNTIL, Plan, names_no_day};
use crate::text::json::JsonKind;
use crate::text::json_edit::{self, quoted, scan, set};
use crate::text::json_scanner::Tape;
use crate::text::shell_quote;

/// A change of the tags of records.
#[derive(Clone, Copy, Debug)]
pub enum TagChange<'a> {
    /// Adds and removes tags.
    Change {
        /// The tags to add, behind the others.
        add: &'a [String],
        /// The tags to remove.
        remove: &'a [String],
    },
    /// Renames a tag in its place. If the new name exists already, both are merged.
    Rename {
        /// The old name.
        from: &'a str,
        /// The new name.
        to: &'a str,
    },
}

impl TagChange<'_> {
    fn of(&self, now: &[String]) -> Vec<String> {
        match self {
            TagChange::Change { add, remove } => changed(now, add, remove),
            TagChange::Rename { from, to } => renamed(now, from, to),
        }
    }

    fn coming(&self) -> Vec<&str> {
        match self {
            TagChange::Change { add, .. } => add.iter().map(String::as_str).collect(),
            TagChange::Rename { to, .. } => vec![to],
        }
    }
}

/// Plans to change the tags of records. Counts the records in `progress`.
pub fn tagged(
    context: &WriteContext<'_>,
    entries: &[Entry],
    tagging: TagChange<'_>,
    progress: &Progress,
) -> Result<Plan, Refusal> {
    let (format, writes) = writes(context.store)?;
    check_words(tagging.coming())?;
    let mut changes: Vec<Change> = Vec::new();
    let mut count = 0;
    let mut faults = RefusalList::default();
    for (document, own) in context.store.by_document(entries) {
        let mut edits = Vec::new();
        for entry in &own {
            progress.step()?;
            match faults.collect(entry, of_one(context, (format, writes), entry, tagging))? {
                None | Some(None) => continue,
                Some(Some(EditResult::Record(after))) => {
                    edits.push((context.store.record(entry).span.range(), after));
                }
                Some(Some(EditResult::Files(own))) => changes.extend(own),
            }
            count += 1;
        }
        if !edits.is_empty() {
            changes.push(Change::edits(&document.path, document.bytes.clone(), edits));
        }
    }
    let all = with_backups(context, writes, changes);
    let (plan, after) = plan_and_after("tag", context, count, all)?;
    faults.join(check(context, &plan, &after))?;
    faults.finish()?;
    Ok(plan)
}

/// Changes the tags of one record; `None` if it has the new tags already.
fn of_one(
    context: &WriteContext<'_>,
    (format, writes): (&dyn Format, &dyn FormatWriter),
    entry: &Entry,
    tagging: TagChange<'_>,
) -> Result<Option<EditResult>, Refusal> {
    let document = writable(context.store, entry)?;
    writes.allows(Operation::Tag, &document.path).map_err(Refusal::unfit)?;
    let Some(memory) = context.store.memory(entry) else {
        return Err(Refusal::broken());
    };
    let is_json = is_json(format, context.store, entry);
    if is_json {
        check_list(context, entry)?;
    }
    let now: Vec<String> = memory.tags().map(|tag| tag.to_string()).collect();
    let tags = tagging.of(&now);
    if tags == now {
        return Ok(None);
    }
    match writes.own().set_tags {
        Some(set_tags) => set_tags(context, entry, &tags).map(|own| Some(EditResult::Files(own))),
        None if is_json => retagged(context, writes, entry, tagging).map(|own| Some(EditResult::Record(own))),
        None => Ok(Some(EditResult::Files(Vec::new()))),
    }
}

/// Refuses a record whose `tags` are not a list: their value would be lost.
fn check_list(context: &WriteContext<'_>, entry: &Entry) -> Result<(), Refusal> {
    let mut tape = Tape::default();
    let raw = context.store.raw(entry);
    let record = scan(&mut tape, &raw)?;
    let Some(tags) =
        record.get("tags").filter(|tags| !matches!(tags.kind(), JsonKind::Array | JsonKind::Null))
    else {
        return Ok(());
    };
    let id = context.store.id(entry).map(str::to_owned);
    let id = id.unwrap_or_else(|| context.store.key(entry));
    let what = tags.kind().as_str();
    Err(Refusal::invalid(format!(
        "`tags` of {id} is {what} and not a list: its value would be lost. Make it a list first, as with `palimp edit {} --set 'tags=[\"…\"]'`.",
        shell_quote::word(&id)
    )))
}

/// Refuses new tags that can't be seen or searched, or whose day is wrong. A format may have more rules.
pub(super) fn check_words<'t>(tags: impl IntoIterator<Item = &'t str>) -> Result<(), Refusal> {
    let is_word = |tag: &str| !tag.trim().is_empty() && !tag.chars().any(char::is_control);
    match tags.into_iter().find(|tag| !is_word(tag) || names_no_day(tag)) {
        Some(tag) if is_word(tag) => Err(Refusal::invalid(format!(
            "the tag {tag:?} names no day, so it would keep nothing. Write the day as in {KEEP_UNTIL}2027-01-31."
        ))),
        Some(tag) if tag.trim().is_empty() => Err(Refusal::invalid("a tag is empty.")),
        Some(tag) => Err(Refusal::invalid(format!("a tag can't contain control characters: {tag:?}."))),
        None => Ok(()),
    }
}

/// Returns the record with items of its tags changed. All else in the list keeps its bytes.
fn retagged(
    context: &WriteContext<'_>,
    writes: &dyn FormatWriter,
    entry: &Entry,
    tagging: TagChange<'_>,
) -> Result<Vec<u8>, Refusal> {
    let raw = context.store.raw(entry);
    let mut tape = Tape::default();
    let before = scan(&mut tape, &raw)?;
    let Some(tags) = before.get("tags").filter(|tags| tags.kind() == JsonKind::Array) else {
        let TagChange::Change { add, .. } = tagging else { return Ok(raw.to_vec()) };
        return writes.finish_edit(before, set(&raw, &["tags"], &list(add))?, context.now, true);
    };
    let places = |text: &str| -> Vec<usize> {
        let items = tags.items().enumerate();
        items.filter(|(_, item)| item.is_text(text)).map(|(at, _)| at).collect()
    };
    let mut after = raw.to_vec();
    match tagging {
        TagChange::Change { add, remove } => {
            let mut goes: Vec<usize> = remove.iter().flat_map(|text| places(text)).collect();
            goes.sort_unstable();
            goes.dedup();
            for at in goes.into_iter().rev() {
                after = json_edit::remove(&after, &["tags", &at.to_string()])?;
            }
            for text in add.iter().filter(|text| places(text).is_empty() || remove.contains(text)) {
                after = json_edit::insert_item(&after, &["tags"], usize::MAX, &quoted(text))?;
            }
        }
        TagChange::Rename { from, to } => {
            // The first of both stays.
            let is_there = places(to).first().copied();
            let own = places(from);
            let stays = own.first().copied().filter(|at| is_there.is_none_or(|there| *at < there));
            let also = is_there.filter(|_| stays.is_some());
            let mut goes: Vec<usize> = own.into_iter().chain(also).filter(|at| Some(*at) != stays).collect();
            goes.sort_unstable();
            for at in goes.into_iter().rev() {
                after = json_edit::remove(&after, &["tags", &at.to_string()])?;
            }
            if let Some(at) = stays {
                after = json_edit::set(&after, &["tags", &at.to_string()], &quoted(to))?;
            }
        }
    }
    writes.finish_edit(before, after, context.now, true)
}

/// Returns the tags in order, without the removed ones, and with the added ones at the end.
pub fn changed(now: &[String], add: &[String], remove: &[String]) -> Vec<String> {
    let mut tags: Vec<String> = now.iter().filter(|tag| !remove.contains(tag)).cloned().collect();
    for tag in add {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags
}

/// Returns the tags in order with one renamed. If the new name exists already, only the first stays.
pub fn renamed(now: &[String], from: &str, to: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    if !now.iter().any(|tag| tag == from) {
        return now.to_vec();
    }
    for tag in now {
        let tag = if tag == from { to } else { tag };
        if tag != to || !tags.iter().any(|own| own == to) {
            tags.push(tag.to_owned());
        }
    }
    tags
}
