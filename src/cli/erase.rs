//! `palimp erase`: erases the chosen records with every copy.

use std::sync::Arc;

use super::args::RecordSelection;
use super::failure::warn;
use super::run_change::{confirm_and_execute, plan, request};
use super::selection::records;
use super::surroundings_search::search_surroundings;
use super::value_input::{ValueOptions, holders};
use super::{Context, Exit, Failure, ReadScope, Result, load_stores, secrets};
use crate::check::secrets::Finding;
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{EntryRef, Snapshot};
use crate::query::Query;
use crate::store::erase::SecretValues;
use crate::usecase::value_holders::{SHORTEST_VALUE, removable};
use crate::usecase::{
    ChangeRequest, DetectedValues, EraseOptions, erasable, finish_erasure, not_reached_lines,
};

pub struct EraseChoice {
    pub chosen: RecordSelection,
    pub values: ValueOptions,
    /// True for what is detected.
    pub secrets: bool,
    /// Only these kinds of it.
    pub only: Vec<String>,
    /// Why, as a code.
    pub reason: Option<String>,
    pub keeps_memories: bool,
}

fn is_named(chosen: &RecordSelection) -> bool {
    !chosen.ids.is_empty() || chosen.query.is_some()
}

/// Erases. Fails if an interrupted erasure is finished first and leaves something.
pub fn run(context: &mut Context, choice: EraseChoice) -> Result {
    if choice.values.is_given() && (choice.secrets || is_named(&choice.chosen)) {
        return Err(Failure::usage("a value is erased wherever it is: name no memories beside it."));
    }
    let is_detected =
        choice.secrets || choice.keeps_memories && (is_named(&choice.chosen) || !choice.only.is_empty());
    if choice.keeps_memories && !is_detected && !choice.values.is_given() {
        return Err(Failure::usage("name memories, or give --secrets, --only KIND or --value-from -."));
    }
    if !choice.only.is_empty() && !is_detected {
        return Err(Failure::usage("--only needs --secrets."));
    }
    let texts = choice.values.read()?;
    let snapshot = whole_snapshot(context)?;
    let outcome = erase(context, snapshot, EraseChoice { secrets: is_detected, ..choice }, &texts);
    end_of(context, outcome)
}

/// Refuses what a repeated command names, if the erasure of its first run was finished just now: what has the name of an
/// erased memory came later, or moved to its place.
fn refuse_erased_now(context: &Context, snapshot: &Snapshot, found: &[EntryRef]) -> Result<()> {
    let erased = context.erased.borrow();
    let name = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        let session = store.session(entry).map(|session| session.name.clone());
        Some((store.root.clone(), session, store.id(entry)?.to_owned()))
    };
    let Some((.., id)) = found.iter().filter_map(name).find(|name| erased.contains(name)) else {
        return Ok(());
    };
    let message = format!(
        "{id} was erased just now, by the erasure that was interrupted. Another memory that has this id stays: look at \
         it, and run the command again to erase that, too. Nothing else was changed."
    );
    Err(Failure::refused(message))
}

/// Reads the stores to erase from, after interrupted erasures are finished.
pub fn whole_snapshot(context: &Context) -> Result<Snapshot> {
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let writes = !context.options.dry_run && !context.options.readonly;
    match writes && finish(context, &snapshot)? {
        true => load_stores::snapshot(context, ReadScope::All),
        false => Ok(snapshot),
    }
}

/// Returns how an erasure ends: it fails if an interrupted one was finished before it and left something.
pub fn end_of(context: &Context, outcome: Result) -> Result {
    match outcome {
        Ok(_) if context.is_left.get() => Ok(Exit::Failed),
        Err(mut why) if context.is_left.get() => {
            why.exit = Exit::Failed;
            Err(why)
        }
        outcome => outcome,
    }
}

fn erase(context: &mut Context, snapshot: Snapshot, choice: EraseChoice, texts: &[String]) -> Result {
    // A copy may be in what was not read.
    snapshot.stores.iter().try_for_each(|store| store.whole().map(drop))?;
    load_stores::data_folder(context)?;
    let (snapshot, found, values) = if choice.secrets {
        detected(context, &snapshot, &choice)?
    } else if choice.values.is_given() {
        let values = SecretValues::of(texts);
        let with = load_stores::with_deleted(context, &snapshot)?;
        let found = holders(&with, &values)?.found.into_keys().collect();
        (with, found, values)
    } else {
        let (snapshot, found) = chosen_of(context, snapshot, &choice.chosen)?;
        if !choice.chosen.ids.is_empty() {
            refuse_erased_now(context, &snapshot, &found)?;
        }
        (snapshot, found, SecretValues::default())
    };
    let options = EraseOptions { reason: choice.reason, values, keeps_memories: choice.keeps_memories };
    let request = request(context, &snapshot, Arc::new(options));
    let mut planned = plan(ChangeRequest { at: found, ..request })?;
    let is_nowhere = planned.erasures.is_empty() && planned.request.erases_values();
    search_surroundings(context, &mut planned, &[]);
    if is_nowhere {
        let message = match planned.notes.as_slice() {
            [] => {
                "no memory, backup or undo data has it, and no other file of these stores. Nothing was changed."
            }
            _ => "nothing else of these stores has it. Nothing was changed.",
        };
        let beside = not_reached_lines(&planned.not_reached);
        let lines = [planned.notes, vec![message.to_owned()], beside].concat();
        return Err(Failure::lines(Exit::Nothing, lines));
    }
    planned.notes.iter().for_each(|own| warn(own));
    confirm_and_execute(context, planned, None)
}

/// Returns the memories in which something sensitive is found, and what is found: it is erased everywhere. A
/// value that is short, or that many memories hold, is erased only with these memories.
fn detected(
    context: &Context,
    snapshot: &Snapshot,
    choice: &EraseChoice,
) -> Result<(Snapshot, Vec<EntryRef>, SecretValues)> {
    let verdicts = secrets::verdicts(context)?;
    let with = load_stores::with_deleted(context, snapshot)?;
    let found: Vec<EntryRef> = match is_named(&choice.chosen) {
        true => records(context, &with, &choice.chosen, |_, _| true)?,
        false => with.entries().collect(),
    };
    let is_wanted =
        |own: &Finding| secrets::is_wanted(&choice.only, own) && !verdicts.is_false_alarm(&own.value);
    let detected = DetectedValues::of(&with, found, None, &is_wanted);
    if detected.holders.is_empty() {
        return Err(Failure::nothing(
            "no memory has something sensitive of these kinds. Nothing was changed.",
        ));
    }
    let values = match choice.keeps_memories {
        true => removable(&with, &detected.values),
        false => erasable(&with, detected.values.keys()),
    };
    let left = detected.values.len() - values.all().len();
    if choice.keeps_memories && left > 0 {
        let stay = count_with_noun(left as u64, "value");
        let message = format!(
            "{stay} of fewer than {SHORTEST_VALUE} bytes, or in more than 5 % of the memories, can't be taken out \
             everywhere: `palimp redact --with mask` masks what is in these memories."
        );
        match values.is_empty() {
            true => return Err(Failure::nothing(format!("{message} Nothing was changed."))),
            false => warn(&message),
        }
    }
    Ok((with, detected.holders, values))
}

/// Returns the chosen records and their stores. Undo data and backups may hold a record that no file has.
fn chosen_of(
    context: &Context,
    snapshot: Snapshot,
    chosen: &RecordSelection,
) -> Result<(Snapshot, Vec<EntryRef>)> {
    let query = chosen.query.as_deref().map(|query| Query::parse(query, context.now)).transpose()?;
    if query.is_none_or(|query| !query.asks_deleted() && !query.asks_archived()) {
        match records(context, &snapshot, chosen, |_, _| true) {
            Ok(found) => return Ok((snapshot, found)),
            // A record that is not found may have been deleted.
            Err(why) if matches!(why.exit, Exit::Nothing | Exit::Refused) && !why.is_ambiguous => {}
            Err(why) => return Err(why),
        }
    }
    let with = load_stores::with_deleted(context, &snapshot)?;
    let found = records(context, &with, chosen, |_, _| true)?;
    Ok((with, found))
}

/// Finishes interrupted erasures first: their rest may be what is asked for. True if there was one.
fn finish(context: &Context, snapshot: &Snapshot) -> Result<bool> {
    let data = load_stores::data_folder(context)?;
    let mut any = false;
    for store in &snapshot.stores {
        if let Some(report) = finish_erasure(Host::here(&data, context.now), store)? {
            any = true;
            load_stores::tell(context, &store.root, &report);
        }
    }
    Ok(any)
}
