//! `palimp add`: adds a record.

use std::io::Read;
use std::sync::Arc;

use super::change_report::{ChangeSummary, report_change};
use super::run_change::{UserText, may_break, request, run_change};
use super::session::stores_with;
use super::{Context, Exit, Failure, ReadScope, Result, load_stores};
use crate::disk::host::Host;
use crate::format;
use crate::format::writing::Refusal;
use crate::model::{Entry, PathText, Snapshot};
use crate::store::empty_store;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;
use crate::usecase::{self, AddMemories, HeldLock, NewRecord};

/// Adds a record to the only open store, or to the one that has the session.
pub fn run(context: &mut Context, mut asked: NewRecord) -> Result {
    if asked.text.is_none() && asked.record.is_none() {
        return Err(Failure::usage(
            "give the text with --text, or the whole memory as JSON with --record -.",
        ));
    }
    let typed = asked.text.as_deref() == Some("-") || asked.record.is_some();
    let input = if typed { Some(standard_input()?) } else { None };
    if asked.text.as_deref() == Some("-") {
        asked.text = input.as_deref().map(|text| text.strip_suffix('\n').unwrap_or(text).to_owned());
    }
    let several = asked.record.as_ref().and(input.as_deref()).map(records_in).unwrap_or_default();
    let new = |record: Option<&str>| NewRecord { record: record.map(str::to_owned), ..asked.clone() };
    let records: Vec<NewRecord> = match several.as_slice() {
        [] | [_] => vec![new(asked.record.as_ref().and(input.as_deref()))],
        several => several.iter().map(|record| new(Some(record))).collect(),
    };
    if let [one] = records.as_slice()
        && let Some(exit) = append(context, one)?
    {
        return Ok(exit);
    }
    // An id that is given may be taken in any session. An id that palimp makes is new in its own session.
    let about = match &asked.session {
        Some(session) if asked.record.is_none() => ReadScope::Session(session),
        _ => ReadScope::All,
    };
    let snapshot = load_stores::to_change(context, about)?;
    let store = the_store(&snapshot, asked.session.as_deref())?;
    records.iter().try_for_each(|record| in_session(snapshot.stores[store].format, record))?;
    let written = asked.text.clone().or(input);
    let written = written.as_deref().map(|text| UserText { text, in_editor: false });
    run_change(context, request(context, &snapshot, Arc::new(AddMemories { store, records })), written)
}

/// Refuses a session if memories of a format and type have none.
fn in_session(format: &str, asked: &NewRecord) -> Result<()> {
    let has_sessions =
        format::by_name(format).is_none_or(|format| (format.about().is_in_session)(&asked.kind));
    if asked.session.is_none() || has_sessions {
        return Ok(());
    }
    Err(Refusal::unfit("memories of this format belong to no session: leave --session out.").into())
}

/// Returns the records of standard input: one JSON object, or JSON Lines.
fn records_in(input: &str) -> Vec<&str> {
    let mut tape = Tape::default();
    match scan(&mut tape, input.trim().as_bytes()) {
        Ok(_) => vec![input],
        Err(_) => input.lines().filter(|line| !line.trim().is_empty()).collect(),
    }
}

/// Adds a record at the ends of logs without reading the store. `None` if that does not suffice.
fn append(context: &mut Context, asked: &NewRecord) -> Result<Option<Exit>> {
    let options = &context.options;
    if !options.yes || options.dry_run || options.readonly {
        return Ok(None);
    }
    let (Some(place), Ok(data)) = (load_stores::the_place(context), load_stores::data_folder(context)) else {
        return Ok(None);
    };
    // The code that reads the store refuses it, after it has reported what can't be read.
    if in_session(place.format, asked).is_err() {
        return Ok(None);
    }
    let host = Host::here(&data, context.now);
    let append = || usecase::append(&place, asked, host);
    let mut outcome = append();
    let is_broken = |held: HeldLock<'_>| may_break(&held) && held.break_it(host);
    if outcome.as_ref().is_err_and(|failed| failed.held_lock().is_some_and(is_broken)) {
        outcome = append();
    }
    let written = asked.text.as_deref().or(asked.record.as_deref()).unwrap_or_default();
    match outcome {
        Ok(Some((store, receipt))) => {
            report_change(context, &store, &receipt, (&ChangeSummary::All("saved".into()), false))?;
            Ok(Some(Exit::Done))
        }
        Ok(None) => Ok(None),
        // The normal path reports or asks about the obstacle. A lock is waited for only once.
        Err(failed) if failed.is_untouched() && !failed.is_locked() => Ok(None),
        Err(failed) => {
            let store = empty_store(&place);
            let kept = usecase::keep_draft(&data, (&store, None::<&Entry>), written.as_bytes(), context.now);
            Err(Failure::from(failed).with(&kept))
        }
    }
}

/// Reads all of standard input, which must be UTF-8.
pub fn standard_input() -> Result<String> {
    let mut text = String::new();
    let refused = |error| format!("standard input can't be read: {error}. Nothing was changed.");
    std::io::stdin().lock().read_to_string(&mut text).map_err(|error| Failure::refused(refused(error)))?;
    Ok(text)
}

/// Returns the number of the only open store, or of the one that has the session.
pub fn the_store(snapshot: &Snapshot, session: Option<&str>) -> Result<usize> {
    let with = session.map(|name| stores_with(snapshot, name)).unwrap_or_default();
    let all = &snapshot.stores;
    match (with.as_slice(), all.len()) {
        ([one], _) => Ok(*one),
        ([], 1) => Ok(0),
        _ => {
            let names = all.iter().map(|store| format!("  {}", store.root.to_text()));
            let message = "several stores are open; name one with --store:".to_owned();
            Err(Failure::lines(Exit::Refused, [message].into_iter().chain(names).collect()))
        }
    }
}
