//! `palimp redact`: replaces sensitive values, and keeps the rest of the memories.

use std::ops::Range;
use std::sync::Arc;

use super::args::RecordSelection;
use super::change_records::is_there;
use super::run_change::run_change_of;
use super::selection::records;
use super::value_input::{ValueOptions, holders};
use super::{Context, Failure, ReadScope, Result, load_stores, say, secrets};
use crate::detectors::Kind;
use crate::disk::host::Host;
use crate::model::{Entry, EntryRef, Snapshot};
use crate::ops::redact::{RecordSpan, RedactedValues, Redaction, RedactionStyle, has_value};
use crate::store::erase::SecretValues;
use crate::usecase::{Requester, memory_count, with_key};

pub struct RedactOptions {
    pub chosen: RecordSelection,
    pub secrets: bool,
    pub only: Vec<String>,
    pub with: RedactionStyle,
    pub span: Option<NamedSpan>,
    pub values: ValueOptions,
}

/// A range of a line, in bytes, and the number of the line in its file if it is named.
#[derive(Clone, Debug)]
pub struct NamedSpan {
    pub line: Option<u32>,
    pub span: Range<usize>,
}

/// Reads the word for what replaces a value.
pub fn style(text: &str) -> Result<RedactionStyle, String> {
    match text {
        "mask" => Ok(RedactionStyle::Mask),
        "label" => Ok(RedactionStyle::Label),
        "pseudonym" => Ok(RedactionStyle::Pseudonym),
        _ => Err("it should be mask, label or pseudonym".into()),
    }
}

/// Reads a range of bytes: `A..B`, or `LINE:A..B`.
pub fn span(text: &str) -> Result<NamedSpan, String> {
    let wrong = || "it should be A..B, as `palimp secrets --json` prints a span, or LINE:A..B".to_owned();
    let (line, ends) = match text.split_once(':') {
        Some((line, ends)) => (Some(line.parse().map_err(|_| wrong())?), ends),
        None => (None, text),
    };
    let ends = ends.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let span = ends.filter(|(start, end)| start < end).map(|(start, end)| start..end);
    span.map(|span| NamedSpan { line, span }).ok_or_else(wrong)
}

pub fn run(context: &mut Context, options: &RedactOptions) -> Result {
    let chosen = &options.chosen;
    let is_named = !chosen.ids.is_empty() || chosen.query.is_some();
    if options.span.is_some() && chosen.ids.len() != 1 {
        return Err(Failure::usage("--span needs the id or the key of one memory."));
    }
    let texts = options.values.read()?;
    if !is_named && !options.secrets && options.only.is_empty() && texts.is_empty() {
        return Err(Failure::usage(
            "name memories, or say what to redact: --secrets, --only KIND, --value-from -.",
        ));
    }
    let snapshot = load_stores::to_change(context, ReadScope::All)?;
    holders(&snapshot, &SecretValues::of(&texts))?;
    let redaction = redaction(context, &snapshot, options, texts)?;
    let mut found = match is_named {
        true => records(context, &snapshot, chosen, |_, entry| is_there(entry))?,
        false => snapshot.entries().filter(|at| is_there(snapshot.get(*at).1)).collect(),
    };
    found.retain(|at| has(&snapshot, *at, &redaction));
    if !is_named {
        tell_gone(&snapshot, &redaction);
    }
    if found.is_empty() {
        return Err(Failure::nothing("no memory has such a value. Nothing was changed."));
    }
    let by = if chosen.ids.is_empty() { Requester::Query } else { Requester::Ids };
    run_change_of(context, &snapshot, (found, by), Arc::new(redaction))
}

fn bound(
    context: &Context,
    snapshot: &Snapshot,
    chosen: &RecordSelection,
    own: &NamedSpan,
) -> Result<RecordSpan> {
    let found = records(context, snapshot, chosen, |_, entry| is_there(entry))?;
    let [at] = found.as_slice() else {
        return Err(Failure::refused("--span needs one memory that is there. Nothing was changed."));
    };
    let (store, entry) = snapshot.get(*at);
    let line = own.line.map(|line| line.checked_sub(store.record(entry).line)).map_or(Ok(None), |line| {
        let wrong = || Failure::refused("the memory is not on that line. Nothing was changed.");
        line.map(Some).ok_or_else(wrong)
    })?;
    Ok(RecordSpan { key: store.key(entry), line, span: own.span.clone() })
}

fn has(snapshot: &Snapshot, at: EntryRef, redaction: &Redaction) -> bool {
    let (store, entry) = snapshot.get(at);
    has_value(store, entry, redaction)
}

/// Says how many memories have the value and are not changed, because they are deleted or broken.
fn tell_gone(snapshot: &Snapshot, redaction: &Redaction) {
    let is_gone = |entry: &Entry| !is_there(entry);
    let gone = snapshot.entries().filter(|at| is_gone(snapshot.get(*at).1) && has(snapshot, *at, redaction));
    let count = gone.count();
    if count > 0 {
        let memories = memory_count(count);
        say(&format!(
            "{memories} with such a value, deleted or broken, stay as they are: `palimp erase` takes them"
        ));
    }
}

fn redaction(
    context: &Context,
    snapshot: &Snapshot,
    options: &RedactOptions,
    texts: Vec<String>,
) -> Result<Redaction> {
    let values = match &options.span {
        Some(own) => RedactedValues::Span(bound(context, snapshot, &options.chosen, own)?),
        None if texts.is_empty() => {
            RedactedValues::Detected(options.only.iter().filter_map(|own| Kind::of(own)).collect())
        }
        None => RedactedValues::Texts(texts),
    };
    let data = load_stores::data_folder(context)?;
    let (key, false_alarms) = (Vec::new(), secrets::verdicts(context)?.false_alarms());
    let redaction = Redaction { values, style: options.with, key, false_alarms };
    let keeps = !context.options.dry_run && !context.options.readonly;
    with_key(redaction, Host::here(&data, context.now), keeps).map_err(Failure::failed)
}
