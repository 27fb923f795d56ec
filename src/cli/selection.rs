//! Which records a verb is about: those that are named, or that a query finds.

mod by_name;

use by_name::{key, the_named};
pub use by_name::{named, nothing_named, the_one};

use std::collections::HashSet;

use super::args::RecordSelection;
use super::{Context, Exit, Failure, Result};
use crate::format::writing::Refusal;
use crate::model::{Entry, EntryRef, Snapshot, State, Store};
use crate::ops;
use crate::query::{CancelToken, Order, Query, Request, search};
use crate::text::shell_quote;
use crate::usecase::memory_count;

/// Returns the chosen records. If none are named, this is wrong usage, and never means all of them.
/// If nothing matches the choice, the verb ends.
pub fn records(
    context: &Context,
    snapshot: &Snapshot,
    chosen: &RecordSelection,
    fits: impl Fn(&Store, &Entry) -> bool,
) -> Result<Vec<EntryRef>> {
    let mut found = the_named(context, snapshot, &chosen.ids)
        .map_err(|failure| with_query(context, snapshot, (&chosen.ids, failure), &fits))?;
    match &chosen.query {
        Some(query) if query.trim().is_empty() => {
            return Err(Failure::usage("the query is empty. An empty query never means everything."));
        }
        Some(query) => found.extend(by_query(context, snapshot, query)?),
        None if chosen.ids.is_empty() => {
            return Err(Failure::usage("name memories by their ids, or with --query."));
        }
        None => {}
    }
    let named = found.len() * usize::from(chosen.query.is_none());
    let mut fitting = Vec::new();
    let mut others = Vec::new();
    for (number, at) in found.into_iter().enumerate() {
        let (store, entry) = snapshot.get(at);
        match fits(store, entry) {
            true => fitting.push(at),
            false if number < named && entry.state == State::Broken => return Err(broken(snapshot, at)),
            false => others.push(at),
        }
    }
    let mut taken = HashSet::new();
    fitting.retain(|at| taken.insert(*at));
    match (fitting.is_empty(), others.as_slice()) {
        (false, _) => Ok(fitting),
        (true, []) => Err(Failure::nothing("no memory matches. Nothing was changed.")),
        (true, [one, ..]) => Err(unfit(snapshot, *one, others.len())),
    }
}

fn broken(snapshot: &Snapshot, at: EntryRef) -> Failure {
    let refusal = Refusal::broken();
    let message =
        format!("{}: {} Nothing was changed. ({})", key(snapshot, at), refusal.message, refusal.code);
    Failure::refused(message)
}

/// Returns the failure that records were found, but none in a state for this. It names the first one.
fn unfit(snapshot: &Snapshot, at: EntryRef, count: usize) -> Failure {
    let (store, entry) = snapshot.get(at);
    let id = store.id(entry).map(str::to_owned);
    let id = id.unwrap_or_else(|| key(snapshot, at));
    let state = match entry.state {
        State::Live => "is neither archived nor deleted",
        State::Archived => &format!("is archived; {}", ops::way_back(store, entry)),
        State::Deleted => "is deleted; `palimp undelete` restores it",
        State::Broken => return broken(snapshot, at),
    };
    let more = if count > 1 { format!(" So are {} others.", count - 1) } else { String::new() };
    let more = if entry.state == State::Live { String::new() } else { more };
    Failure::nothing(format!("{id} {state}.{more} Nothing was changed."))
}

/// Adds to a failure that no record has such a name: the query that finds records, if there is one.
pub fn with_query<S: AsRef<str>>(
    context: &Context,
    snapshot: &Snapshot,
    (names, failure): (&[S], Failure),
    fits: impl Fn(&Store, &Entry) -> bool,
) -> Failure {
    if failure.exit != Exit::Nothing {
        return failure;
    }
    let words: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let text = words.join(" ");
    let found = by_query(context, snapshot, &text).unwrap_or_default();
    let is_fitting = |at: &&EntryRef| {
        let (store, entry) = snapshot.get(**at);
        fits(store, entry)
    };
    match found.iter().filter(is_fitting).count() {
        0 => failure,
        count => {
            let memories = memory_count(count);
            failure.with(&format!("As a query it finds {memories}: use --query {}", shell_quote::word(&text)))
        }
    }
}

/// Returns everything that a query finds, in any state.
fn by_query(context: &Context, snapshot: &Snapshot, text: &str) -> Result<Vec<EntryRef>> {
    let query = Query::parse(text, context.now)?;
    let request = Request { all: true, ..context.request(snapshot, &query, Order::Time) };
    let results = search(&request, &CancelToken::default()).unwrap_or_default().answered()?;
    Ok(results.hits.iter().map(|hit| hit.at).collect())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use clap::CommandFactory;

    use crate::cli::{Args, Exit, run};

    /// Returns every verb that takes a selection, with what else it needs.
    fn selecting() -> Vec<(String, Vec<String>)> {
        let command = Args::command();
        let takes = |verb: &&clap::Command| {
            let has_ids = verb.get_arguments().any(|own| own.get_id() == "ids");
            has_ids && verb.get_arguments().any(|own| own.get_long() == Some("query"))
        };
        let required = |verb: &clap::Command| -> Vec<String> {
            let required = verb.get_arguments().filter(|own| own.is_required_set());
            let names = required.filter_map(|own| own.get_long());
            names.flat_map(|name| [format!("--{name}"), "other".to_owned()]).collect()
        };
        let needs = |verb: &clap::Command| match verb.get_name() {
            "tag" => vec!["+new".to_owned()],
            "edit" => ["--set", "importance=0.9"].map(str::to_owned).into(),
            "redact" => ["--with", "mask"].map(str::to_owned).into(),
            _ => required(verb),
        };
        command
            .get_subcommands()
            .filter(takes)
            .map(|verb| (verb.get_name().to_owned(), needs(verb)))
            .collect()
    }

    fn exit(folder: &Path, verb: &str, words: &[&str]) -> Exit {
        let (store, data) = (folder.join("store"), folder.join("data"));
        let options = ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
        let all = [&["palimp", verb][..], words, &options].concat().into_iter().map(OsString::from);
        Args::read(all).map_or(Exit::Usage, run)
    }

    #[test]
    fn a_verb_with_nothing_chosen_changes_nothing_and_its_status_says_so() {
        let folder = crate::folder::new();
        let log = folder.path().join("store/sessions/s/memory.jsonl");
        let line = "{\"id\":\"m\",\"session_id\":\"s\",\"type\":\"conversation\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                    \"content\":{\"role\":\"user\",\"message\":\"first\"}}\n";
        crate::disk::write_new(&log, line.as_bytes()).unwrap();
        crate::disk::write_new(&folder.path().join("store/config.json"), b"{\"version\":\"1.0\"}").unwrap();
        let verbs = selecting();
        assert!(verbs.len() >= 7, "{verbs:?}");
        for (verb, needs) in &verbs {
            let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
            let with = |more: &[&'static str]| exit(folder.path(), verb, &[&needs[..], more].concat());
            assert_eq!(with(&["--query", "tag:no_such_tag"]), Exit::Nothing, "{verb}");
            assert_eq!(with(&[]), Exit::Usage, "{verb}");
            assert_eq!(with(&["--query", ""]), Exit::Usage, "{verb}");
            assert_eq!(with(&["--query", "  "]), Exit::Usage, "{verb}");
            assert_eq!(with(&["no_such_id"]), Exit::Nothing, "{verb}");
            assert_eq!(std::fs::read_to_string(&log).unwrap(), line, "{verb}");
        }
    }
}
