//! `tag`, `delete`, `undelete`, `archive`, `unarchive`: verbs on records that are named or found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::args::{Chosen, taken};
use super::backup::gone;
use super::change::{make, scene};
use super::chosen::{by_store, records};
use super::failure::{Exit, Failure};
use super::{Context, open};
use crate::disk::Real;
use crate::format::writing::Scene;
use crate::model::{Entry, Plan, State, Store};
use crate::ops;
use crate::store::packed_bytes;

/// Adds and removes tags.
pub fn tag(context: &mut Context, words: &[String], query: Option<String>) -> Result<Exit, Failure> {
    let add: Vec<String> =
        words.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned).collect();
    let remove: Vec<String> = words.iter().filter_map(|word| taken(word)).map(str::to_owned).collect();
    if add.is_empty() && remove.is_empty() {
        return Err(Failure::new(Exit::Usage, "name tags as +new or -old."));
    }
    let ids = words.iter().filter(|word| !word.starts_with('+') && taken(word).is_none()).cloned().collect();
    let chosen = Chosen { ids, query };
    if !chosen.ids.is_empty() && chosen.query.is_some() {
        return Err(Failure::new(Exit::Usage, "name records by their ids, or with --query, not both."));
    }
    let fits = |_: &Store, entry: &Entry| matches!(entry.state, State::Live | State::Archived);
    each(context, &chosen, fits, &|scene, entries| Ok(ops::tag::tag(scene, entries, &add, &remove)?))
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
    each(context, chosen, fits, &|scene, entries| Ok(ops::delete::delete(scene, entries, asked)?))
}

/// Whether a query asks for what is archived by name.
fn context_all(chosen: &Chosen) -> bool {
    chosen.query.as_deref().is_some_and(|query| query.contains("is:archived") || query.contains("in:archive"))
}

/// Takes deletions back.
pub fn undelete(context: &mut Context, chosen: &Chosen) -> Result<Exit, Failure> {
    let data = open::data_folder(context)?;
    each(context, chosen, |_, _| true, &|scene, entries| {
        Ok(ops::delete::undelete(scene, entries, &gone(&data, scene.store)?)?)
    })
}

/// Moves records aside.
pub fn archive(context: &mut Context, chosen: &Chosen) -> Result<Exit, Failure> {
    let fits = |_: &Store, entry: &Entry| entry.state == State::Live;
    each(context, chosen, fits, &|scene, entries| Ok(ops::archive::archive(scene, entries)?))
}

/// Brings archived records back.
pub fn unarchive(context: &mut Context, chosen: &Chosen) -> Result<Exit, Failure> {
    let fits = |_: &Store, entry: &Entry| entry.state == State::Archived;
    each(context, chosen, fits, &|scene, entries| Ok(ops::archive::unarchive(scene, entries)?))
}

type Plans<'p> = dyn Fn(&Scene<'_>, &[Entry]) -> Result<Plan, Failure> + 'p;

/// Plans for the chosen records, store by store, and carries the plans out.
fn each(
    context: &mut Context,
    chosen: &Chosen,
    fits: impl Fn(&Store, &Entry) -> bool,
    plan: &Plans<'_>,
) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    let found = records(context, &snapshot, chosen, fits)?;
    let mut plans = Vec::new();
    for (store, entries) in by_store(&snapshot, &found) {
        let packed = packed(store, &entries)?;
        let scene = Scene { packed: &packed, ..scene(context, store) };
        plans.push((store, plan(&scene, &entries)?));
    }
    make(context, &plans)
}

/// The compressed files that a change of these records goes by, as they stand on the disk.
fn packed(store: &Store, entries: &[Entry]) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let files = ops::archive::packed(store, entries)?;
    packed_bytes(&Real, store, &files).map_err(|error| {
        Failure::new(Exit::Failed, format!("an archive can't be read: {error}. Nothing was changed."))
    })
}
