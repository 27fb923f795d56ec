//! The question before a change, and what its memories say.

use crate::detectors::mask;
use crate::format::store_names;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, Moment, RecordText, UndoRedo, Verb};
use crate::ops::command::{StorePlan, WriteWay};
use crate::text::columns::column;
use crate::text::safe_text::{display_width, sanitize, sanitize_lines};
use crate::usecase::PlannedChange;

/// A change can be undone for this long, in microseconds.
const KEPT: i64 = 30 * 86_400 * 1_000_000;

/// At most this many records are shown before a question, and this many lines of a single one.
const RECORDS: usize = 5;
/// At most this many characters of a line are shown.
const COLUMNS: usize = 160;

/// Returns the first lines of the chosen records, masked and safe to show; nothing if it is asked again.
pub fn texts(planned: &PlannedChange) -> Vec<String> {
    let chosen = &planned.changing;
    if planned.concurrent.is_some() {
        return Vec::new();
    }
    let rows = if chosen.len() == 1 { RECORDS } else { 1 };
    let mut lines = Vec::new();
    for &at in chosen.iter().take(RECORDS) {
        lines.push(format!("{}:", planned.shown_name(at)));
        lines.extend(first_lines(planned.shown_text(at), rows));
    }
    lines.extend(more_than_shown(chosen));
    lines
}

/// Returns the question before a change: what is done, to how many memories, and until when it can be undone.
pub fn question(planned: &PlannedChange, now: Moment) -> String {
    let count = count_with_noun(planned.records() as u64, "memory");
    if let Some(own) = planned.erasures.first() {
        let what = if own.keeps_memories { "Take the value out of" } else { "Erase" };
        return format!("{what} {count} for good?");
    }
    let verb = planned.plans.first().map_or_else(Verb::default, |own| own.plan.verb.clone());
    let what = match (&verb, planned.plans.as_slice()) {
        (Verb::Undo | Verb::Redo, [one]) => format!("{verb} {}", step(one)),
        (Verb::Undo | Verb::Redo, several) => {
            format!("{verb} a change of {}", count_with_noun(several.len() as u64, "store"))
        }
        (Verb::BackupRestore, _) => format!("restore {count}"),
        (Verb::SessionNew, _) => "create a session".into(),
        (Verb::SessionArchive | Verb::SessionDelete, _) => {
            format!("{} a session of {count}", last_word(&verb))
        }
        (Verb::SessionUnarchive, _) => "bring a session back".into(),
        (Verb::Init, _) => "create an empty store".into(),
        (Verb::Reindex, _) => "rebuild indexes and counts".into(),
        _ if planned.records() == 0 => verb.to_string(),
        _ => format!("{verb} {count}"),
    };
    let is_kept = !matches!(verb, Verb::Undo | Verb::Redo | Verb::Init);
    let is_kept = is_kept && planned.plans.iter().all(|own| !own.plan.is_too_large_to_undo());
    let undo =
        if is_kept { format!(" Undo until {}.", now.plus(KEPT).to_pattern("%-d %B")) } else { String::new() };
    let mut letters = what.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    format!("{}{}?{undo}", first.unwrap_or_default(), letters.as_str())
}

/// Returns the word of a verb that says what it does: "restore" of `backup restore`.
pub fn last_word(verb: &Verb) -> &str {
    verb.as_str().rsplit(' ').next().unwrap_or_default()
}

/// Returns the step of an undo: "step 3".
fn step(planned: &StorePlan) -> String {
    match planned.way {
        WriteWay::Reversed(UndoRedo::Undo(step) | UndoRedo::Redo(step)) => format!("step {step}"),
        _ => "the last step".into(),
    }
}

/// Returns the chosen memories as a question shows them: a line with type, store, age and title, and for a
/// single one the first lines of its text. Nothing if it is asked again, or none are chosen.
pub fn rows(planned: &PlannedChange, now: Moment) -> Vec<String> {
    let chosen = &planned.changing;
    if planned.concurrent.is_some() {
        return Vec::new();
    }
    let snapshot = &planned.request.snapshot;
    let names = store_names(snapshot);
    let name = |at: EntryRef| if names.len() > 1 { names[at.store as usize].as_str() } else { "" };
    let cells = |&at: &EntryRef| {
        let (store, entry) = snapshot.get(at);
        let memory = store.memory(entry);
        let kind = memory.map_or("broken", |memory| memory.kind()).to_owned();
        let age = store.time_of(entry).map(|time| time.age_at(now)).unwrap_or_default();
        [kind, name(at).to_owned(), age, planned.shown_title(at)]
    };
    let rows: Vec<[String; 4]> = chosen.iter().take(RECORDS).map(cells).collect();
    let widths = [0, 1, 2]
        .map(|at| rows.iter().map(|row| display_width(&sanitize(&row[at]))).max().unwrap_or(0).min(20));
    let line = |row: &[String; 4]| {
        let parts =
            (0..3).filter(|at| widths[*at] > 0).map(|at| column(&sanitize(&mask(&row[at])), widths[at]));
        let parts: Vec<String> = parts.chain([sanitize(&mask(&row[3])).into_owned()]).collect();
        format!("  {}", parts.join("  ").chars().take(COLUMNS).collect::<String>())
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if let ([at], [row]) = (chosen.as_slice(), rows.as_slice()) {
        let title = sanitize(&mask(&row[3])).into_owned();
        let text = first_lines(planned.shown_text(*at), RECORDS).into_iter();
        lines.extend(text.filter(|own| own.trim() != title).map(|own| format!("  {own}")));
    }
    lines.extend(more_than_shown(chosen));
    lines
}

fn more_than_shown(chosen: &[EntryRef]) -> Option<String> {
    let more = chosen.len().checked_sub(RECORDS).filter(|more| *more > 0)?;
    Some(format!("  … and {}", count_with_noun(more as u64, "more memory")))
}

/// Returns the first lines of a text. A private key has several lines, so it is masked before it is cut.
fn first_lines(own: RecordText, rows: usize) -> Vec<String> {
    let text = if own.text.raw().trim().is_empty() { own.title } else { own.text };
    let masked = mask(text.raw()).into_owned();
    let mut lines = sanitize_lines(&masked).filter(|line| !line.trim().is_empty());
    let cut = |line: String| line.chars().take(COLUMNS).collect::<String>();
    let mut first: Vec<String> = lines.by_ref().take(rows).map(|line| format!("  {}", cut(line))).collect();
    first.extend(lines.next().filter(|_| rows > 1).map(|_| "  …".to_owned()));
    first
}
