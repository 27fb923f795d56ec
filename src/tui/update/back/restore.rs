//! Backups: choosing one, what of it comes back, and the plan of that.

use std::path::Path;
use std::sync::Arc;

use super::{ask, plan};
use crate::deed::{Restoring, Wanted};
use crate::model::Tell;
use crate::model::plan::counted;
use crate::ops::restore::{Item, Kind};
use crate::store::commit::Verified;
use crate::tui::action::Action;
use crate::tui::app::{App, Screen};
use crate::work::{Backup, Inspect, Opened};

/// Does an action of the view; whether it has one of the kind.
pub fn act(app: &mut App, action: Action) -> bool {
    let is_inside = app.back.inside;
    match action {
        Action::Open if !is_inside => open(app),
        Action::Open => bring_back(app),
        Action::Toggle if is_inside => toggle(app),
        Action::Toggle => open(app),
        Action::ChooseAll => choose_all(app),
        Action::BringBack => bring_back(app),
        Action::ReplaceFile => replace(app),
        Action::Difference => difference(app),
        Action::Verify => verify(app),
        _ => return false,
    }
    true
}

/// Opens the backup under the cursor: it alone is read.
fn open(app: &mut App) {
    let Some(Backup { store, copy, .. }) = app.back.backup().cloned() else {
        return app.say("there is no backup here: nothing is changed");
    };
    let restore = &mut app.back.restore;
    let is_open = restore.opened.as_ref().is_some_and(|own| own.store == store && own.copy.path == copy.path);
    app.back.inside = true;
    if is_open {
        return;
    }
    restore.opening = Some((store, copy.path.clone()));
    restore.opened = None;
    restore.failed = None;
    ask(app, Inspect::Backup(store, copy, None))
}

/// Where the cursor moved to another backup, what the one before would bring is not shown.
pub fn follow(app: &mut App) {
    if app.screen != Screen::Restore || app.back.inside {
        return;
    }
    let under = app.back.backup().map(|own| (own.store, own.copy.path.clone()));
    let restore = &mut app.back.restore;
    let opened = restore.opened.as_ref().map(|own| (own.store, own.copy.path.clone()));
    if restore.opening != under {
        // What comes late is of another backup than the one under the cursor.
        restore.opening = None;
    }
    if opened.is_some() && opened != under {
        (restore.opened, restore.failed, restore.difference) = (None, None, None);
        restore.chosen.clear();
    }
}

/// The backups were read: the cursor stays on its own, and what is open is compared anew.
pub fn listed(app: &mut App, mut list: Vec<Backup>, unread: Option<String>) {
    let own = app.back.backup().map(|own| (own.store, own.copy.path.clone()));
    let restore = &mut app.back.restore;
    restore.failed = unread.or(restore.failed.take());
    let before = restore.list.take().unwrap_or_default();
    for backup in &mut list {
        let same = |own: &&Backup| own.store == backup.store && own.copy == backup.copy;
        backup.verified = before.iter().find(same).and_then(|own| own.verified.clone());
    }
    let is_own =
        |backup: &Backup| own.as_ref().is_some_and(|(s, p)| backup.store == *s && backup.copy.path == *p);
    let at = &mut app.back.at.at;
    *at = list.iter().position(is_own).unwrap_or(*at);
    restore.list = Some(list);
    let again = restore.opened.as_ref();
    let again = again.map(|own| Inspect::Backup(own.store, own.copy.clone(), Some(Arc::clone(&own.bytes))));
    if let Some(what) = again {
        ask(app, what);
    }
}

/// A backup was opened, or why it can't be.
pub fn opened(app: &mut App, outcome: Result<Opened, String>) {
    let restore = &mut app.back.restore;
    let opened = match outcome {
        Ok(opened) => opened,
        Err(why) => {
            (restore.opening, restore.opened) = (None, None);
            restore.failed = Some(why);
            return;
        }
    };
    let place = (opened.store, opened.copy.path.clone());
    let again = restore.opened.as_ref().is_some_and(|own| own.store == place.0 && own.copy.path == place.1);
    if !again && restore.opening.as_ref() != Some(&place) {
        // The user went on to another meanwhile.
        return;
    }
    restore.opening = None;
    if again {
        let can_come: std::collections::HashSet<u64> =
            opened.compared.items.iter().filter(|item| item.can_come).map(|item| item.at).collect();
        restore.chosen.retain(|at| can_come.contains(at));
    } else {
        restore.chosen = opened.compared.by_default();
        app.back.within = Default::default();
    }
    note(restore.list.as_mut(), place.0, &place.1, opened.verified.clone());
    restore.opened = Some(opened);
}

fn note(list: Option<&mut Vec<Backup>>, store: usize, path: &Path, verified: Verified) {
    let own = list.into_iter().flatten().find(|own| own.store == store && own.copy.path == path);
    if let Some(own) = own {
        own.verified = Some(verified);
    }
}

/// Looks at every backup that was not looked at, one after the other; once more stops it.
fn verify(app: &mut App) {
    let restore = &mut app.back.restore;
    restore.verifying = !restore.verifying;
    if !restore.verifying {
        return app.say("stopped looking at backups");
    }
    next(app)
}

/// The next one to be looked at.
fn next(app: &mut App) {
    let restore = &mut app.back.restore;
    let list = restore.list.as_deref().unwrap_or_default();
    let own = list.iter().find(|own| own.verified.is_none());
    let left = list.iter().filter(|own| own.verified.is_none()).count();
    match own.filter(|_| restore.verifying && app.screen == Screen::Restore) {
        Some(own) => {
            let what = Inspect::Verify(own.store, own.copy.clone());
            app.say(format!("looking at every byte: {left} to go, V stops"));
            ask(app, what)
        }
        None => {
            let was = std::mem::take(&mut restore.verifying);
            let broken = list.iter().filter(|own| own.verified.as_ref().is_some_and(|own| !own.is_whole));
            let (broken, all) = (broken.count(), list.len());
            if was && left == 0 {
                app.say(format!("{} looked at, {broken} damaged", counted(all as u64, "backup")));
            }
        }
    }
}

/// A backup was looked at.
pub fn verified(app: &mut App, store: usize, path: &Path, verified: Verified) {
    note(app.back.restore.list.as_mut(), store, path, verified);
    if app.back.restore.verifying {
        next(app);
    }
}

/// Chooses the record under the cursor, or no longer, and steps on.
fn toggle(app: &mut App) {
    let Some(item) = app.back.item() else { return };
    let restore = &app.back.restore;
    if item.can_come {
        let at = item.at;
        let restore = &mut app.back.restore;
        if !restore.chosen.remove(&at) {
            restore.chosen.insert(at);
        }
    } else {
        let why = restore.opened.as_ref().and_then(|own| own.compared.whole_only.clone());
        app.notice = Some(why.unwrap_or_else(|| staying(item)));
    }
    app.back.within.at += 1;
}

/// Why a record can't be chosen.
fn staying(item: &Item) -> String {
    match item.kind {
        Kind::Newer => "written later: it is kept; only replacing the whole file loses it".into(),
        Kind::Tombstoned => format!("{}; undelete it first: d r in the list", item.told),
        _ => item.told.clone(),
    }
}

/// All that are missing and changed, or none.
fn choose_all(app: &mut App) {
    let restore = &mut app.back.restore;
    let all: std::collections::HashSet<u64> =
        restore.items().iter().filter(|item| item.can_come).map(|item| item.at).collect();
    restore.chosen = if restore.chosen == all { Default::default() } else { all };
}

fn difference(app: &mut App) {
    app.back.restore.difference = match app.back.restore.difference {
        Some(_) => None,
        None => app.back.item().map(|_| 0),
    };
    app.back.inside |= app.back.restore.difference.is_some();
}

fn bring_back(app: &mut App) {
    let restore = &app.back.restore;
    let Some(opened) = &restore.opened else { return app.say("open a backup first: Enter") };
    if restore.chosen.is_empty() {
        let whole = opened.compared.whole_only.as_ref().map(|why| format!("{why}; W does"));
        return app.say(whole.unwrap_or_else(|| "nothing is chosen: Space chooses, A all".into()));
    }
    let (count, file) = (counted(restore.chosen.len() as u64, "record"), opened.copy.file.told());
    let name = format!("{count} of {file}");
    let chosen = Some(restore.chosen.clone());
    wanted(app, name, chosen)
}

/// The whole file as it was: what was written later is lost.
fn replace(app: &mut App) {
    let Some(opened) = &app.back.restore.opened else { return app.say("open a backup first: Enter") };
    if opened.compared.is_alike {
        return app.say("the file is as the backup has it");
    }
    let lost = opened.compared.count(Kind::Newer);
    let what = if opened.compared.deletes { "deletion" } else { "record" };
    let lost = match lost {
        0 => String::new(),
        _ => format!(", and lose {} made later", counted(lost as u64, what)),
    };
    let name = format!("{}{lost}", opened.copy.file.told());
    wanted(app, name, None)
}

fn wanted(app: &mut App, name: String, chosen: Option<std::collections::HashSet<u64>>) {
    let Some(opened) = &app.back.restore.opened else { return };
    let (copy, bytes) = (opened.copy.clone(), Arc::clone(&opened.bytes));
    let restoring = Restoring { store: opened.store, copy, bytes, chosen };
    app.back.read_of = Some(Arc::clone(&opened.snapshot));
    plan(app, name, Wanted::Restore(restoring))
}
