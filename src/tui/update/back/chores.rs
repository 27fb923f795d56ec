//! What is due, what a compaction drops, and what is archived: chosen, shown, done.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::confirm;
use super::{look_at, request};
use crate::deed::{Planned, Wanted, memories, say_which};
use crate::model::{Entry, EntryRef, Plan};
use crate::tui::action::Action;
use crate::tui::app::{App, Screen};
use crate::tui::back::{ChoreName, Shelf, name_of};
use crate::work::{Batch, Chore, Task, Upkeep};

/// What is due was read, and what is archived.
pub fn read(app: &mut App, seen: Upkeep) {
    let back = &mut app.back;
    let known: HashSet<ChoreName> =
        seen.chores.iter().filter(|chore| chore.plan.is_some()).map(name_of).collect();
    back.chosen.retain(|own| known.contains(own));
    (back.chores, back.batches, back.read_of) = (seen.chores, seen.batches, Some(seen.snapshot));
    let there: HashSet<(usize, String)> = (0..back.batches.len()).flat_map(|at| keys(app, at)).collect();
    app.back.memories.retain(|own| there.contains(own));
}

/// How many memories are beside the line under the cursor.
pub fn within(app: &App) -> usize {
    match (app.screen, app.back.shelf()) {
        (Screen::Upkeep, _) => app.back.task().map_or(0, |chore| chore.touched.len()),
        (_, Some(Shelf::Chore(at))) => app.back.chores[at].touched.len(),
        (_, Some(Shelf::Batch(at))) => app.back.batches[at].entries.len(),
        (_, None) => 0,
    }
}

/// Does an action of the views; whether they have one of the kind.
pub fn act(app: &mut App, action: Action) -> bool {
    let is_archive = app.screen == Screen::Archive;
    match (action, is_archive) {
        (Action::Toggle, _) => toggle(app),
        (Action::ChooseAll, _) => choose_all(app),
        (Action::Open, true) => match app.back.shelf() {
            Some(_) => app.back.inside = true,
            None => app.say("nothing is due, and nothing is archived"),
        },
        (Action::Open, false) | (Action::Archive, true) => carry_out(app),
        (Action::BringBack, true) => bring_back(app),
        _ => return false,
    }
    true
}

/// The chore under the cursor.
fn chore(app: &App) -> Option<&Chore> {
    match (app.screen, app.back.shelf()) {
        (Screen::Upkeep, _) => app.back.task(),
        (_, Some(Shelf::Chore(at))) => app.back.chores.get(at),
        _ => None,
    }
}

/// Chooses what is under the cursor, or no longer, and steps on.
fn toggle(app: &mut App) {
    if let Some(own) = chore(app) {
        let (name, can, why) = (name_of(own), own.plan.is_some(), not_now(own));
        if !can {
            app.say(why);
        } else if !app.back.chosen.remove(&name) {
            app.back.chosen.insert(name);
        }
        app.back.at.at += 1;
        return;
    }
    let Some(Shelf::Batch(at)) = app.back.shelf() else { return };
    let keys = keys(app, at);
    let archive = &mut app.back;
    if !archive.inside {
        archive.inside = true;
        return;
    }
    if let Some(key) = keys.get(archive.within.at)
        && !archive.memories.remove(key)
    {
        archive.memories.insert(key.clone());
    }
    archive.within.at += 1;
}

fn not_now(chore: &Chore) -> String {
    match (&chore.refused, chore.task) {
        (Some(why), _) => why.clone(),
        (None, Task::Soon(days)) => {
            format!("not due yet: within {days} days, if nobody uses them until then")
        }
        _ => "there is nothing to do".into(),
    }
}

/// What tells the memories of a batch.
fn keys(app: &App, at: usize) -> Vec<(usize, String)> {
    let (Some(batch), Some(snapshot)) = (app.back.batches.get(at), &app.back.read_of) else {
        return Vec::new();
    };
    let Some(store) = snapshot.stores.get(batch.store) else { return Vec::new() };
    let entry = |at: &u32| store.entries.get(*at as usize);
    let key = |entry: &Entry| (batch.store, store.key(entry));
    batch.entries.iter().filter_map(entry).map(key).collect()
}

/// All of this list, or none.
fn choose_all(app: &mut App) {
    if let (Screen::Archive, true, Some(Shelf::Batch(at))) = (app.screen, app.back.inside, app.back.shelf()) {
        let all: HashSet<(usize, String)> = keys(app, at).into_iter().collect();
        let memories = &mut app.back.memories;
        match all.is_subset(memories) {
            true => memories.retain(|own| !all.contains(own)),
            false => memories.extend(all),
        }
        return;
    }
    let shown = |chore: &&Chore| app.screen == Screen::Upkeep || chore.task == Task::Due;
    let all: HashSet<ChoreName> =
        app.back.chores.iter().filter(shown).filter(|own| own.plan.is_some()).map(name_of).collect();
    let own = &mut app.back.chosen;
    *own = if *own == all { HashSet::new() } else { all };
}

/// Shows what is chosen, or what is under the cursor, as it will be carried out.
fn carry_out(app: &mut App) {
    let mut names = app.back.chosen.clone();
    if names.is_empty() {
        match chore(app) {
            Some(own) if own.plan.is_some() => drop(names.insert(name_of(own))),
            Some(own) => return app.say(not_now(own)),
            None => return app.say("nothing is chosen"),
        }
    }
    let chores: Vec<&Chore> = app.back.chores.iter().filter(|own| names.contains(&name_of(own))).collect();
    let wanted = match chores.iter().all(|own| own.task == Task::Compact) {
        true => Wanted::Compact(None),
        false => Wanted::Maintain,
    };
    let (plans, later) = together(&chores);
    let name = match chores.as_slice() {
        [one] => one.what.strip_prefix("compact ").map_or_else(|| format!("“{}”", one.what), str::to_owned),
        several => format!("{} of {} chosen tasks", plans.len(), several.len()),
    };
    let Some(request) = request(app, name, wanted) else { return };
    confirm::planned(app, Ok(Planned::of(request, plans)));
    if later > 0 {
        app.say(format!(
            "{later} of the chosen tasks change the same files: the rest of them is planned again after this"
        ));
    }
}

/// The plans that can be carried out one after the other as they are: no two change one file.
/// How many have to wait.
fn together(chores: &[&Chore]) -> (Vec<(usize, Plan)>, usize) {
    let mut touched: HashSet<(usize, PathBuf)> = HashSet::new();
    let (mut plans, mut later) = (Vec::new(), 0);
    for chore in chores {
        let Some(plan) = &chore.plan else { continue };
        let files: Vec<(usize, PathBuf)> =
            plan.changes.iter().map(|change| (chore.store, change.path.clone())).collect();
        if files.iter().any(|file| touched.contains(file)) {
            later += 1;
            continue;
        }
        touched.extend(files);
        let mut plan = plan.clone();
        say_which(&mut plan, &chore.rule, &chore.touched);
        plans.push((chore.store, plan));
    }
    (plans, later)
}

/// Shows what bringing the chosen memories back, or the one under the cursor, comes to.
fn bring_back(app: &mut App) {
    let at = to_bring(app);
    if at.is_empty() {
        return app.say("no archived memory is chosen: Enter goes to them, Space chooses");
    }
    let name = memories(at.len());
    let Some(mut request) = request(app, name, Wanted::Unarchive) else { return };
    request.at = at;
    look_at(app, request);
}

fn to_bring(app: &App) -> Vec<EntryRef> {
    let archive = &app.back;
    let Some(snapshot) = app.back.read_of.as_ref().map(Arc::clone) else { return Vec::new() };
    let of_batch = |batch: &Batch| {
        let store = batch.store as u32;
        batch.entries.iter().map(move |&entry| EntryRef { store, entry }).collect::<Vec<_>>()
    };
    let key = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        (at.store as usize, store.key(entry))
    };
    let every = app.back.batches.iter().flat_map(of_batch);
    let chosen: Vec<EntryRef> = match archive.memories.is_empty() {
        false => every.filter(|at| archive.memories.contains(&key(at))).collect(),
        true => Vec::new(),
    };
    match (chosen.is_empty(), archive.inside, app.back.shelf()) {
        (true, true, Some(Shelf::Batch(at))) => {
            let own = of_batch(&app.back.batches[at]);
            own.get(archive.within.at).copied().into_iter().collect()
        }
        _ => chosen,
    }
}
