//! `merge`: makes several memories of a store into one. No text is written new: it is that of one, or of all.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::change_plan::Documents;
use super::{
    Command, CommandRules, MemoryInput, Operation, Refusal, Result, ShownFirst, WriteContext, check, may,
    plan_and_after, writes,
};
use crate::model::key::Key;
use crate::model::{Entry, Plan, State, Store, StoredMemory, Verb};

pub use crate::format::writing::MergedText;

const NO_MERGE: &str = "this format has no way to make several memories into one.";
/// At most this many lines of the new text are shown.
const SHOWN: usize = 400;

/// Which memory stays, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeChoice {
    /// The id or the key of the memory that stays.
    pub into: String,
    /// Its text then.
    pub text: MergedText,
}

impl MergeChoice {
    /// Returns the memory that stays.
    pub fn target<'s>(&self, store: &'s Store) -> Result<&'s Entry> {
        let into = &*self.into;
        let key = Key::read(into).and_then(|key| store.entry_of_key(&key));
        let is_it = |own: &&Entry| match key {
            Some(number) => store.number_of(own) == Some(number),
            None => store.memory(own).is_some_and(|memory| memory.id() == Some(into)),
        };
        let mut found = store.entries.iter().filter(|own| own.state == State::Live).filter(is_it);
        let why = || format!("{into:?} is not the id or key of one live memory of the store.");
        match (found.next(), found.next()) {
            (Some(target), None) => Ok(target),
            _ => Err(Refusal::unfit(why())),
        }
    }
}

/// Checks that a memory can become a part of another.
pub fn may_merge(store: &Store, entry: &Entry) -> Result<()> {
    let (_, writes) = writes(store)?;
    writes.own().merge.ok_or_else(|| Refusal::unfit(NO_MERGE))?;
    may(store, entry, Operation::Delete)
}

/// Plans to make `entries` a part of one memory, and to delete the others.
pub fn merge(context: &WriteContext<'_>, entries: &[Entry], choice: &MergeChoice) -> Result<Plan> {
    let (store, (_, writes)) = (context.store, writes(context.store)?);
    let merge = writes.own().merge.ok_or_else(|| Refusal::unfit(NO_MERGE))?;
    let target = choice.target(store)?;
    let others: Vec<Entry> = entries.iter().filter(|own| *own != target).copied().collect();
    if others.is_empty() {
        return Err(Refusal::unfit("name the memories that become a part of it."));
    }
    others.iter().try_for_each(|own| may_merge(store, own))?;
    let changes = merge(context, &others, target, choice.text)?;
    let (mut plan, after) = plan_and_after(Verb::Merge, context, others.len(), changes)?;
    check(context, &plan, &after)?;
    plan.lines.splice(0..0, text_lines(store, (target, &others), &after));
    Ok(plan)
}

/// The text of the memory as it will be, line by line. Untrusted text.
fn text_lines(store: &Store, (target, others): (&Entry, &[Entry]), after: &Documents) -> Vec<String> {
    let before = store.document(target);
    let changed = others.iter().chain([target]).filter(|entry| entry.document == target.document);
    let changed: HashSet<u32> = changed.map(|entry| entry.record).collect();
    // Counted: another memory can have the same text.
    let mut stay: HashMap<Cow<'_, [u8]>, usize> = HashMap::new();
    for (_, record) in (0..).zip(&before.records).filter(|(number, _)| !changed.contains(number)) {
        *stay.entry(before.raw(record)).or_default() += 1;
    }
    let document = after.iter().find(|document| document.path == before.path);
    let mut raws =
        document.into_iter().flat_map(|document| document.records.iter().map(|record| document.raw(record)));
    let new = raws.find(|raw| {
        let left = stay.get_mut(raw).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_none()
    });
    let new = new.unwrap_or_else(|| store.raw(target));
    let text = String::from_utf8_lossy(&new);
    let shown = text.lines().take(SHOWN).map(|line| format!("  {line}"));
    let more = text.lines().count().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("  … and {more} lines more"));
    std::iter::once("It will be:".to_owned()).chain(shown).chain(more).collect()
}

impl Command for MergeChoice {
    fn rules(&self) -> CommandRules {
        let words = ["merging", "merge", "merged"];
        CommandRules { words, shown_first: ShownFirst::Always, ..CommandRules::repeated_as_seen() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may_merge(store, entry)
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        merge(&input.context, input.entries, self)
    }

    fn effect_on(&self, store: &Store, entry: &Entry, _: &StoredMemory) -> Option<String> {
        let stays = self.target(store).is_ok_and(|target| target == entry);
        Some(if stays { "stays" } else { "becomes a part of it" }.to_owned())
    }
}
