//! `tag`, `delete`, `undelete`, `archive`, `unarchive`, and `edit` of several: verbs on records
//! that are named or found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::args::Chosen;
use super::backup::gone;
use super::change::{make, scene};
use super::chosen::{by_store, records};
use super::failure::{Exit, Failure, say};
use super::words::taken;
use super::{Context, open};
use crate::disk::Real;
use crate::model::plan::counted;
use crate::model::{Entry, EntryRef, Plan, Snapshot, State, Store};
use crate::ops::several::{LeftOut, leave_out, sift};
use crate::ops::{self, Deed, Progress, Refusal, Scene, Setting};
use crate::store::packed_bytes;

/// Adds and removes tags, or calls one otherwise.
pub fn tag(
    context: &mut Context,
    words: &[String],
    query: Option<String>,
    rename: Option<&str>,
) -> Result<Exit, Failure> {
    let add: Vec<String> =
        words.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned).collect();
    let remove: Vec<String> = words.iter().filter_map(|word| taken(word)).map(str::to_owned).collect();
    let rename = rename.map(renamed).transpose()?;
    match (add.is_empty() && remove.is_empty(), &rename) {
        (true, None) => return Err(Failure::new(Exit::Usage, "name tags as +new or -old, or say --rename.")),
        (false, Some(_)) => return Err(Failure::new(Exit::Usage, "name tags, or say --rename, not both.")),
        _ => {}
    }
    let ids = words.iter().filter(|word| !word.starts_with('+') && taken(word).is_none()).cloned().collect();
    let chosen = Chosen { ids, query };
    if !chosen.ids.is_empty() && chosen.query.is_some() {
        return Err(Failure::new(Exit::Usage, "name records by their ids, or with --query, not both."));
    }
    let fits = |_: &Store, entry: &Entry| matches!(entry.state, State::Live | State::Archived);
    each(context, &chosen, Some(Deed::Tag), fits, &|scene, entries| match rename {
        Some((from, to)) => ops::tag::rename(scene, entries, from, to),
        None => ops::tag::tag(scene, entries, &add, &remove),
    })
}

/// Sets fields of the records that a query finds.
pub fn edit(context: &mut Context, query: Option<String>, set: &[Setting<'_>]) -> Result<Exit, Failure> {
    let fields: Vec<(String, String)> =
        set.iter().map(|own| (own.name.to_owned(), own.value.to_owned())).collect();
    let fits = |_: &Store, entry: &Entry| matches!(entry.state, State::Live | State::Archived);
    each(context, &Chosen { ids: Vec::new(), query }, Some(Deed::Edit), fits, &|scene, entries| {
        ops::edit::each(scene, entries, &Progress::default(), &|_| Ok(fields.clone()))
    })
}

/// What a tag is called, and what it is to be called.
fn renamed(word: &str) -> Result<(&str, &str), Failure> {
    let parts = word.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty() && from != to);
    parts.ok_or_else(|| Failure::new(Exit::Usage, "say --rename OLD=NEW, with two names that differ."))
}

/// Deletes records.
pub fn delete(
    context: &mut Context,
    chosen: &Chosen,
    reason: Option<&str>,
    replaced_by: Option<&str>,
    remove: bool,
) -> Result<Exit, Failure> {
    let asked = ops::delete::Asked { reason, replaced_by, remove };
    let fits = |_: &Store, entry: &Entry| match entry.state {
        State::Live | State::Broken => true,
        State::Deleted => remove,
        State::Archived => !chosen.ids.is_empty() || context_all(chosen),
    };
    let deed = (!remove).then_some(Deed::Delete);
    each(context, chosen, deed, fits, &|scene, entries| ops::delete::delete(scene, entries, asked))
}

/// Whether a query asks for what is archived by name.
fn context_all(chosen: &Chosen) -> bool {
    chosen.query.as_deref().is_some_and(|query| query.contains("is:archived") || query.contains("in:archive"))
}

/// Takes deletions back.
pub fn undelete(context: &mut Context, chosen: &Chosen) -> Result<Exit, Failure> {
    let data = open::data_folder(context)?;
    let snapshot = open::to_change(context)?;
    let snapshot = open::with_deleted(context, &snapshot)?;
    each_of(context, &snapshot, chosen, None, |_, _| true, &|scene, entries| {
        let gone = gone(&data, scene.store).map_err(|failure| Refusal::corrupt(failure.message()))?;
        ops::delete::undelete(scene, entries, &gone)
    })
}

/// Moves records aside.
pub fn archive(context: &mut Context, chosen: &Chosen) -> Result<Exit, Failure> {
    let fits = |_: &Store, entry: &Entry| entry.state == State::Live;
    each(context, chosen, Some(Deed::Archive), fits, &ops::archive::archive)
}

/// Brings archived records back.
pub fn unarchive(context: &mut Context, chosen: &Chosen) -> Result<Exit, Failure> {
    let fits = |_: &Store, entry: &Entry| entry.state == State::Archived;
    each(context, chosen, None, fits, &ops::archive::unarchive)
}

type Plans<'p> = dyn Fn(&Scene<'_>, &[Entry]) -> Result<Plan, Refusal> + 'p;

/// Plans for the chosen records, store by store, and carries the plans out. Of what a query finds
/// is left out what can't be changed, as the screens do; of what is named all can, or nothing is
/// changed.
fn each(
    context: &mut Context,
    chosen: &Chosen,
    deed: Option<Deed>,
    fits: impl Fn(&Store, &Entry) -> bool,
    plan: &Plans<'_>,
) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    each_of(context, &snapshot, chosen, deed, fits, plan)
}

fn each_of(
    context: &mut Context,
    snapshot: &Snapshot,
    chosen: &Chosen,
    deed: Option<Deed>,
    fits: impl Fn(&Store, &Entry) -> bool,
    plan: &Plans<'_>,
) -> Result<Exit, Failure> {
    let found = records(context, snapshot, chosen, fits)?;
    let is_all = chosen.query.is_none() || found.len() == 1;
    let mut plans = Vec::new();
    let mut left: Vec<LeftOut> = Vec::new();
    let mut changing: Vec<EntryRef> = Vec::new();
    for (store, entries) in by_store(snapshot, &found) {
        let packed = packed(store, &entries)?;
        let scene = Scene { packed: &packed, ..scene(context, store) };
        if is_all {
            plans.push((store, plan(&scene, &entries)?));
            changing.extend(refs(snapshot, store, &entries));
            continue;
        }
        let may = |entry: &Entry| deed.map_or(Ok(()), |deed| ops::may(store, entry, deed));
        match sift(&entries, &may, &|own| plan(&scene, own)) {
            Ok(sifted) => {
                sifted.left.iter().for_each(|own| leave_out(&mut left, &own.which, &own.reason));
                plans.extend(sifted.made.map(|plan| (store, plan)));
                changing.extend(refs(snapshot, store, &sifted.entries));
            }
            Err(refusal) if found.len() == entries.len() => return Err(refusal.into()),
            Err(refusal) => leave_out(&mut left, &entries, &refusal.message),
        }
    }
    if let ([], [first, ..]) = (plans.as_slice(), left.as_slice()) {
        return Err(Refusal::unfit(first.reason.clone()).into());
    }
    // What is left out is told apart, not named among what changes.
    context.shown.keep(snapshot, &changing);
    for own in left.iter().filter(|_| context.shown.difference.is_none()) {
        say(&format!("left out: {}: {}", counted(own.which.len() as u64, "record"), own.reason));
    }
    make(context, &plans)
}

/// Where those entries of a store are.
fn refs(snapshot: &Snapshot, store: &Store, entries: &[Entry]) -> Vec<EntryRef> {
    let number = snapshot.stores.iter().position(|own| std::ptr::eq(&**own, store));
    let at = |entry: &Entry| Some(EntryRef { store: number? as u32, entry: store.number_of(entry)? });
    entries.iter().filter_map(at).collect()
}

/// The compressed files that a change of these records goes by, as they are on the disk.
fn packed(store: &Store, entries: &[Entry]) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let files = ops::archive::packed(store, entries)?;
    packed_bytes(&Real, store, &files).map_err(|error| {
        Failure::new(Exit::Failed, format!("an archive can't be read: {error}. Nothing was changed."))
    })
}
