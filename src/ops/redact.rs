//! `redact`: replaces sensitive values in records, and keeps every other byte.
//!
//! The bytes of a value are replaced where they are stored, so escapes, spaces and the order of members stay.
//! Checksums, indexes and projections follow, as after an edit. Times of the last edit stay: what the memory says
//! is no newer.

mod fixed_places;
mod note_fields;
mod redaction;
mod span_place;
mod text_places;

use std::ops::Range;

use super::edit::{EditStrictness, unharmed};
use super::{
    Command, CommandRules, MemoryInput, Operation, Refusal, Result, ShownFirst, WriteContext, check, may,
    own_operations, plan_and_after, with_backups, writes,
};
use crate::check::secrets::sensitive_parts;
use crate::detectors::Detection;
use crate::format::writing::RefusalList;
use crate::model::{Change, Document, Entry, Moment, Plan, State, Store, Verb};
use crate::store::erase::{ErasedValues, SecretValues};
use crate::text::json_edit::{JsonSplice, Tape, apply, scan};

pub use redaction::{RecordSpan, RedactedValues, Redaction, RedactionStyle, value_digest};
pub use text_places::holds;

/// A redaction can uncover what another value was a part of. It is looked for at most this often.
const ROUNDS: usize = 4;

/// A place in a record's bytes, and what comes there.
#[derive(Clone)]
pub(super) struct ValuePlace {
    /// Its place.
    pub at: Range<usize>,
    /// The value, unescaped.
    pub value: Vec<u8>,
    /// What replaces it, not escaped.
    pub with: String,
}

pub(super) fn refused(field: &str, why: impl std::fmt::Display) -> Refusal {
    Refusal::unfit(format!("`{field}` {why}."))
}

/// Plans a redaction. Records without such a value stay as they are.
fn planned(input: &MemoryInput<'_>, redaction: &Redaction) -> Result<Plan> {
    let (context, entries) = (&input.context, input.entries);
    let (mut faults, mut changes, mut count) = (RefusalList::default(), Vec::new(), 0);
    for (document, own) in context.store.by_document(entries) {
        let mut made = Vec::new();
        for entry in &own {
            input.progress.step()?;
            let new = redacted(context.store, entry, redaction, context.now);
            let new = new.and_then(|raw| raw.map(|raw| finished(context, entry, raw)).transpose());
            made.extend(faults.collect(entry, new)?.flatten().map(|raw| (*entry, raw)));
        }
        match changes_of(context, &document, &made) {
            Ok(own) => {
                count += made.len();
                changes.extend(own);
            }
            Err(why) => faults.refuse(made.iter().map(|(entry, _)| *entry).collect(), why),
        }
    }
    changes.retain(|change| !change.is_empty());
    if changes.is_empty() {
        faults.finish()?;
        return Ok(Plan::of(Verb::Redact, context.store.whole()?));
    }
    let all = with_backups(context, changes);
    let (mut plan, after) = plan_and_after(Verb::Redact, context, count, all)?;
    plan.lines.push(KEPT.to_owned());
    faults.join(check(context, &plan, &after))?;
    faults.join(unharmed(context, entries, &after, EditStrictness::Clean))?;
    faults.finish()?;
    Ok(plan)
}

const KEPT: &str = "undo data, backups, archives, and older events and checkpoints keep the old values until `palimp erase` takes them";

fn changes_of(
    context: &WriteContext<'_>,
    document: &Document,
    made: &[(Entry, Vec<u8>)],
) -> Result<Vec<Change>> {
    if made.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(replace) = own_operations(context.store).replace_records {
        return replace(context, made);
    }
    let edit = |(entry, raw): &(Entry, Vec<u8>)| (context.store.record(entry).span.range(), raw.clone());
    Ok(vec![Change::edits(&document.path, document.bytes.clone(), made.iter().map(edit).collect())])
}

/// Returns a record with its checksum renewed. A checksum that was wrong stays: nobody has checked the record.
fn finished(context: &WriteContext<'_>, entry: &Entry, raw: Vec<u8>) -> Result<Vec<u8>> {
    let (_, writes) = writes(context.store)?;
    let record = context.store.raw(entry);
    let mut tape = Tape::default();
    match scan(&mut tape, &record) {
        Ok(before) => writes.finish_edit(before, raw, context.now, false),
        Err(_) => Ok(raw),
    }
}

/// True if a record has a value that the redaction replaces.
pub fn has_value(store: &Store, entry: &Entry, redaction: &Redaction) -> bool {
    match &redaction.values {
        RedactedValues::Texts(texts) => {
            texts.iter().any(|text| holds(store, entry, text)) || search(texts).any(&store.raw(entry))
        }
        RedactedValues::Span(..) => true,
        RedactedValues::Detected(_) => {
            places(redaction, store, entry, &store.raw(entry)).is_ok_and(|places| !places.is_empty())
        }
    }
}

const OTHER_FORM: &str = "it also has the value in another form, such as JSON within a text or base64, which can't be redacted. `palimp erase` takes it.";

fn search(texts: &[String]) -> ErasedValues {
    ErasedValues::of(SecretValues::of(texts).all())
}

/// Returns a record after a redaction, without what the format derives; `None` if it has no such value.
pub fn redacted(store: &Store, entry: &Entry, redaction: &Redaction, now: Moment) -> Result<Option<Vec<u8>>> {
    may(store, entry, Operation::Edit)?;
    let mut raw = store.raw(entry).into_owned();
    let mut is_changed = false;
    for _ in 0..ROUNDS {
        let places = places(redaction, store, entry, &raw)?;
        if places.is_empty() {
            break;
        }
        fixed_places::check(store, entry, &raw, &places, now)?;
        raw = spliced(&raw, &places)?;
        is_changed = true;
        if !matches!(redaction.values, RedactedValues::Detected(_)) {
            break;
        }
    }
    if let RedactedValues::Texts(texts) = &redaction.values {
        fixed_places::check_rest(store, entry, &raw, texts)?;
        if search(texts).any(&raw) {
            return Err(Refusal::unfit(OTHER_FORM));
        }
    }
    Ok(is_changed.then_some(raw))
}

fn spliced(raw: &[u8], places: &[ValuePlace]) -> Result<Vec<u8>> {
    let mut tape = Tape::default();
    if scan(&mut tape, raw).is_err() {
        return note_fields::spliced(raw, places);
    }
    let splice = |own: &ValuePlace| JsonSplice::new(own.at.clone(), text_places::inner(&own.with));
    Ok(apply(raw, places.iter().map(splice).collect()))
}

/// Names each live memory in a refusal: an archive has many. An id that has the value is not named.
fn named(store: &Store, redaction: &Redaction, mut why: Refusal) -> Refusal {
    let name = |entry: &Entry| {
        let id = store.id(entry).filter(|id| !redaction.is_in(id));
        id.map_or_else(|| store.key(entry), str::to_owned)
    };
    let (archived, others): (Vec<_>, Vec<_>) = std::mem::take(&mut why.refused)
        .into_iter()
        .flat_map(|(entries, why)| entries.into_iter().map(move |entry| (entry, why.clone())))
        .partition(|(entry, _)| entry.state == State::Archived);
    why.refused =
        others.into_iter().map(|(entry, why)| (vec![entry], format!("{}: {why}", name(&entry)))).collect();
    why.refused.extend(archived.into_iter().map(|(entry, why)| (vec![entry], why)));
    if let Some((_, first)) = why.refused.first() {
        why.message.clone_from(first);
    }
    why
}

/// Returns the places of the values in a record's bytes, in their order.
fn places(redaction: &Redaction, store: &Store, entry: &Entry, raw: &[u8]) -> Result<Vec<ValuePlace>> {
    let found = sensitive_parts(raw, None);
    let all = match &redaction.values {
        RedactedValues::Detected(kinds) => {
            let is_asked = |own: &Detection, value: &[u8]| {
                (kinds.is_empty() || kinds.contains(&own.kind)) && !redaction.is_false_alarm(value)
            };
            let asked = found.iter().filter(|(_, own, value)| is_asked(own, value));
            asked.map(|(at, _, value)| (at.clone(), value.clone())).collect()
        }
        RedactedValues::Texts(texts) => text_places::places(raw, texts),
        RedactedValues::Span(own) => vec![span_place::place(store, entry, raw, own, &found)?],
    };
    let made = |(at, value): (Range<usize>, Vec<u8>)| {
        let own = found.iter().find(|(place, ..)| *place == at).map(|(_, own, _)| own);
        ValuePlace { with: redaction.replacement(&value, own), at, value }
    };
    Ok(all.into_iter().map(made).collect())
}

impl Command for Redaction {
    fn rules(&self) -> CommandRules {
        let words = ["redacting", "redact", "redacted"];
        let shown_first = ShownFirst::Always;
        CommandRules { words, is_counted: true, hides_texts: true, shown_first, ..CommandRules::default() }
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        planned(input, self).map_err(|why| named(input.context.store, self, why))
    }
}
