//! `tag`: adds, removes and renames tags.

use super::edit::EditResult;
use super::{
    Command, CommandRules, MemoryInput, Operation, Refusal, Result, ShownFirst, WriteContext, check, is_json,
    may, plan_and_after, with_backups, writable, writes,
};
use crate::format::writing::{RefusalList, list};
use crate::model::{Change, Entry, KEEP_UNTIL, Plan, Store, StoredMemory, Verb, names_no_day};
use crate::text::json::JsonKind;
use crate::text::json_edit::{self, Tape, quoted, scan, set};
use crate::text::shell_quote;

/// A change of the tags of records.
#[derive(Clone, Copy)]
enum TagChange<'a> {
    Change { add: &'a [String], remove: &'a [String] },
    Rename { from: &'a str, to: &'a str },
}

impl TagChange<'_> {
    /// Returns the tags in their order, with those that are added at the end. If a tag gets the name of another, only the
    /// first of both stays.
    fn of(&self, now: &[String]) -> Vec<String> {
        match self {
            TagChange::Change { add, remove } => {
                let mut tags: Vec<String> = now.iter().filter(|tag| !remove.contains(tag)).cloned().collect();
                for tag in *add {
                    if !tags.contains(tag) {
                        tags.push(tag.clone());
                    }
                }
                tags
            }
            TagChange::Rename { from, .. } if !now.iter().any(|tag| tag == from) => now.to_vec(),
            TagChange::Rename { from, to } => {
                let first = now.iter().position(|tag| tag == from || tag == to);
                let is_kept = |(at, tag): &(usize, &String)| Some(*at) == first || *tag != from && *tag != to;
                let kept = now.iter().enumerate().filter(is_kept);
                kept.map(|(_, tag)| if tag == from { (*to).to_owned() } else { tag.clone() }).collect()
            }
        }
    }
}

/// Plans to change the tags of records. Counts the records in `progress`.
fn tagged(input: &MemoryInput<'_>, tagging: TagChange<'_>) -> Result<Plan> {
    let context = &input.context;
    match tagging {
        TagChange::Change { add, .. } => check_words(add.iter().map(String::as_str))?,
        TagChange::Rename { to, .. } => check_words([to])?,
    }
    let mut changes: Vec<Change> = Vec::new();
    let mut count = 0;
    let mut faults = RefusalList::default();
    for (document, own) in context.store.by_document(input.entries) {
        let mut edits = Vec::new();
        for entry in &own {
            input.progress.step()?;
            match faults.collect(entry, of_one(context, entry, tagging))? {
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
    let all = with_backups(context, changes);
    let (plan, after) = plan_and_after(Verb::Tag, context, count, all)?;
    faults.join(check(context, &plan, &after))?;
    faults.finish()?;
    Ok(plan)
}

/// Changes the tags of one record; `None` if it has the new tags already.
fn of_one(context: &WriteContext<'_>, entry: &Entry, tagging: TagChange<'_>) -> Result<Option<EditResult>> {
    let (_, writes) = writes(context.store)?;
    let document = writable(context.store, entry)?;
    writes.allows(Operation::Tag, &document.path).map_err(Refusal::unfit)?;
    let memory = context.store.memory(entry).ok_or_else(Refusal::broken)?;
    let is_json = is_json(context.store, entry);
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
        None if is_json => retagged(context, entry, tagging).map(|own| Some(EditResult::Record(own))),
        None => Ok(Some(EditResult::Files(Vec::new()))),
    }
}

/// Refuses a record whose `tags` are not a list: their value would be lost.
fn check_list(context: &WriteContext<'_>, entry: &Entry) -> Result<()> {
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
pub(super) fn check_words<'t>(tags: impl IntoIterator<Item = &'t str>) -> Result<()> {
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
fn retagged(context: &WriteContext<'_>, entry: &Entry, tagging: TagChange<'_>) -> Result<Vec<u8>> {
    let (_, writes) = writes(context.store)?;
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
    let (mut goes, stays, come): (Vec<usize>, _, Vec<&String>) = match tagging {
        TagChange::Change { add, remove } => {
            let goes = remove.iter().flat_map(|text| places(text)).collect();
            let is_new = |text: &&String| places(text).is_empty() || remove.contains(text);
            (goes, None, add.iter().filter(is_new).collect())
        }
        TagChange::Rename { from, to } => {
            // The first of both stays.
            let (own, is_there) = (places(from), places(to).first().copied());
            let stays = own.first().copied().filter(|at| is_there.is_none_or(|there| *at < there));
            let also = is_there.filter(|_| stays.is_some());
            let goes = own.into_iter().chain(also).filter(|at| Some(*at) != stays).collect();
            (goes, stays.map(|at| (at, to)), Vec::new())
        }
    };
    goes.sort_unstable();
    goes.dedup();
    let mut after = raw.to_vec();
    for at in goes.into_iter().rev() {
        after = json_edit::remove(&after, &["tags", &at.to_string()])?;
    }
    if let Some((at, to)) = stays {
        after = set(&after, &["tags", &at.to_string()], &quoted(to))?;
    }
    for text in come {
        after = json_edit::insert_item(&after, &["tags"], usize::MAX, &quoted(text))?;
    }
    writes.finish_edit(before, after, context.now, true)
}

/// Adds and removes tags.
#[derive(Clone, Debug, Default)]
pub struct ChangeTags {
    /// The tags to add.
    pub add: Vec<String>,
    /// The tags to remove.
    pub remove: Vec<String>,
}

impl Command for ChangeTags {
    fn rules(&self) -> CommandRules {
        let words = ["tagging", "tag", "tagged"];
        CommandRules { words, is_repeatable: true, is_counted: true, ..CommandRules::default() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may(store, entry, Operation::Tag)
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        let tags = TagChange::Change { add: &self.add, remove: &self.remove };
        tagged(input, tags)
    }

    fn effect_on(&self, _: &Store, _: &Entry, memory: &StoredMemory) -> Option<String> {
        let added = self.add.iter().filter(|tag| !memory.has_tag(tag)).map(|tag| format!("+{tag}"));
        let removed = self.remove.iter().filter(|tag| memory.has_tag(tag)).map(|tag| format!("-{tag}"));
        let words: Vec<String> = added.chain(removed).collect();
        Some(if words.is_empty() { "unchanged".to_owned() } else { words.join(" ") })
    }

    fn change_in_words(&self) -> String {
        let added = self.add.iter().map(|tag| format!(" +{tag}"));
        added.chain(self.remove.iter().map(|tag| format!(" -{tag}"))).collect()
    }
}

#[derive(Clone, Debug)]
pub struct RenameTag {
    /// The old name.
    pub from: String,
    /// The new name.
    pub to: String,
}

impl Command for RenameTag {
    fn rules(&self) -> CommandRules {
        let words = ["renaming a tag of", "rename a tag of", "renamed a tag of"];
        CommandRules { words, is_counted: true, shown_first: ShownFirst::Always, ..CommandRules::default() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may(store, entry, Operation::Tag)
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        let tags = TagChange::Rename { from: &self.from, to: &self.to };
        tagged(input, tags)
    }

    fn effect_on(&self, _: &Store, _: &Entry, _: &StoredMemory) -> Option<String> {
        Some(format!("{} → {}", self.from, self.to))
    }

    fn change_in_words(&self) -> String {
        format!(" {} → {}", self.from, self.to)
    }
}
