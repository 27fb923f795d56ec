//! Backups: lists them, opens one, verifies them, and offers an intact one first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::BackupCheck;
use crate::model::plan::count_with_noun;
use crate::tui::action::Action;
use crate::tui::list_view::backups::item_key;
use crate::tui::list_view::journal;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_view::IntactBackupSearch;
use crate::tui::update::list_view::change_request;
use crate::tui::update::list_view::row_refresh::ask;
use crate::work::{BackupCompareMode, BackupRow, BackupSummary, Inspect, OpenedBackup};

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open if !app.list_view.in_details => open(app),
        Action::Open | Action::BringBack => change_request::from_backup(app),
        Action::ReplaceFile => change_request::replace(app),
        Action::Difference => difference(app),
        Action::Verify => verify(app),
        _ => return false,
    }
    true
}

fn under(app: &App) -> Option<(usize, PathBuf)> {
    app.list_view.backups.of(app.list_view.row()).map(|own| (own.store, own.copy.path.clone()))
}

/// Opens the backup under the cursor. Only this one is read.
fn open(app: &mut App) {
    let Some(BackupRow { store, copy, .. }) = app.list_view.backups.of(app.list_view.row()).cloned() else {
        return app.say("There is no backup here: nothing is changed.");
    };
    let backups = &mut app.list_view.backups;
    if let Some(offering) = &mut backups.intact_search {
        offering.opens = true;
        return;
    }
    let is_open = backups.opened.as_ref().is_some_and(|own| own.store == store && own.copy.path == copy.path);
    app.list_view.in_details = true;
    if is_open {
        return;
    }
    backups.opening = Some((store, copy.path.clone()));
    backups.opened = None;
    backups.failed = None;
    ask(app, Inspect::Backup(store, copy, None))
}

/// Closes the open backup if the cursor moved to another one.
pub fn follow(app: &mut App) {
    let under = under(app);
    let backups = &mut app.list_view.backups;
    if backups.opening != under {
        // A late result would belong to another backup than the one under the cursor.
        backups.opening = None;
    }
    let opened = backups.opened.as_ref().map(|own| (own.store, own.copy.path.clone()));
    if opened.is_some() && opened != under {
        (backups.opened, backups.failed, backups.difference) = (None, None, false);
    }
}

/// Takes in the list of backups. The open one is compared again.
pub fn listed(app: &mut App, mut list: Vec<BackupRow>, unread: Option<String>) {
    let backups = &mut app.list_view.backups;
    backups.failed = unread.or(backups.failed.take());
    let is_first = backups.list.is_none();
    let before = backups.list.take().unwrap_or_default();
    for backup in &mut list {
        let same = |own: &&BackupRow| own.store == backup.store && own.copy == backup.copy;
        backup.verified = before.iter().find(same).and_then(|own| own.verified.clone());
    }
    backups.list = Some(list);
    let again = backups.opened.as_ref();
    let again = again.map(|own| Inspect::Backup(own.store, own.copy.clone(), Some(Arc::clone(&own.bytes))));
    if let Some(what) = again {
        ask(app, what);
    } else if is_first {
        app.list_view.backups.intact_search = Some(IntactBackupSearch::default());
    }
}

/// Limits how many backups are verified to offer an intact one first, and how large these may be.
const OFFERED: (usize, u64) = (12, 16 << 20);

/// Continues the search for an intact backup to offer first. After a damaged one, the cursor moves
/// to the next. If no backup within the limits is intact, the cursor returns to the first.
pub fn offer(app: &mut App, looked: Option<((usize, PathBuf), bool)>) {
    let Some(offering) = app.list_view.backups.intact_search else { return };
    let Some((place, is_whole)) = looked else {
        if offering.looked == 0 {
            look(app)
        }
        return;
    };
    let is_last =
        app.list_view.backups.list.as_ref().is_none_or(|list| app.list_view.list.cursor.at + 1 >= list.len());
    match under(app).as_ref() == Some(&place) && !is_whole {
        true if !is_last => {
            app.list_view.list.cursor.at += 1;
            look(app)
        }
        true => offer_first(app),
        false => end_offer(app),
    }
}

/// Verifies the backup under the cursor. An intact one is also compared.
fn look(app: &mut App) {
    let own = app.list_view.backups.of(app.list_view.row()).cloned();
    let Some(offering) = &mut app.list_view.backups.intact_search else { return };
    match own.filter(|own| offering.looked < OFFERED.0 && own.copy.bytes <= OFFERED.1) {
        Some(own) => {
            offering.looked += 1;
            ask(app, Inspect::Verify(own.store, own.copy, BackupCompareMode::Intact))
        }
        None => offer_first(app),
    }
}

fn offer_first(app: &mut App) {
    app.list_view.list.cursor.at = 0;
    end_offer(app)
}

fn end_offer(app: &mut App) {
    let offering = app.list_view.backups.intact_search.take();
    if offering.is_some_and(|own| own.opens) {
        open(app)
    }
}

/// Takes in the opened backup, or why it can't be opened. Marks what is restored by default.
pub fn opened(app: &mut App, outcome: Result<OpenedBackup, String>) {
    let backups = &mut app.list_view.backups;
    let opened = match outcome {
        Ok(opened) => opened,
        Err(why) => {
            (backups.opening, backups.opened) = (None, None);
            backups.failed = Some(why);
            return;
        }
    };
    let place = (opened.store, opened.copy.path.clone());
    let again = backups.opened.as_ref().is_some_and(|own| own.store == place.0 && own.copy.path == place.1);
    if !again && backups.opening.as_ref() != Some(&place) {
        // The user has gone to another backup.
        return;
    }
    backups.opening = None;
    let within = &mut app.list_view.details;
    if again {
        let can_come = opened.compared.items.iter().filter(|item| item.can_come).map(item_key);
        let can_come: HashSet<String> = can_come.collect();
        within.keep_marks(|key| can_come.contains(key));
    } else {
        within.marks = opened.compared.by_default().into_iter().map(|at| at.to_string()).collect();
        within.cursor = Default::default();
    }
    let differs = BackupSummary::of(&opened.compared);
    note(backups.list.as_mut(), (place.0, &place.1), (opened.verified.clone(), Some(differs)));
    backups.opened = Some(opened);
}

fn difference(app: &mut App) {
    let shows = !app.list_view.backups.difference
        && app.list_view.backups.item(app.list_view.details.selected()).is_some();
    if !shows && !app.list_view.backups.difference {
        return app.say("Open a backup first: Enter. Then go to a memory that differs.");
    }
    (app.list_view.backups.difference, app.list_view.top) = (shows, 0);
    app.list_view.in_details |= shows;
}

/// Verifies every backup that was not compared with its file, one by one. A second call stops it.
pub fn verify(app: &mut App) {
    let backups = &mut app.list_view.backups;
    if backups.verifying.take().is_some() {
        return app.say("No more backups are looked at.");
    }
    backups.verifying = Some(HashSet::new());
    next(app)
}

fn next(app: &mut App) {
    let backups = &mut app.list_view.backups;
    let Some(looked) = backups.verifying.as_mut().filter(|_| app.screen == Screen::Backups) else {
        backups.verifying = None;
        return;
    };
    let list = backups.list.as_deref().unwrap_or_default();
    // A backup that can't be compared is not verified twice, even if the list was read again.
    let place = |own: &BackupRow| (own.store, own.copy.path.clone());
    let left: Vec<&BackupRow> =
        list.iter().filter(|own| own.differs.is_none() && !looked.contains(&place(own))).collect();
    let Some(own) = left.first() else {
        let broken = list.iter().filter(|own| own.verified.as_ref().is_some_and(|own| !own.is_whole));
        let (broken, all) = (broken.count(), list.len());
        backups.verifying = None;
        return app.say(format!("{} looked at, {broken} damaged", count_with_noun(all as u64, "backup")));
    };
    looked.insert(place(own));
    let what = Inspect::Verify(own.store, own.copy.clone(), BackupCompareMode::Each);
    let left = left.len();
    let stop = Action::Verify.call();
    app.say(format!("Looking at every byte: {left} to go, {stop} stops."));
    ask(app, what)
}

pub fn verified(app: &mut App, place: (usize, &Path), found: VerifyResult) {
    note(app.list_view.backups.list.as_mut(), place, found);
    if app.list_view.backups.verifying.is_some() {
        next(app);
    }
}

pub type VerifyResult = (BackupCheck, Option<BackupSummary>);

fn note(list: Option<&mut Vec<BackupRow>>, (store, path): (usize, &Path), (verified, differs): VerifyResult) {
    let own = list.into_iter().flatten().find(|own| own.store == store && own.copy.path == path);
    if let Some(own) = own {
        (own.verified, own.differs) = (Some(verified), differs);
    }
}

pub fn verify_erased(app: &mut App) {
    let Some((store, row)) = journal::step(app).filter(|(_, row)| row.line.verb.is_erasure()) else {
        return app.say("Only an erasure is searched for again: no such step is under the cursor.");
    };
    let step = row.line.step;
    app.say(format!("Searching every file again for what step {step} erased …"));
    ask(app, Inspect::Erased(store, step))
}

/// Takes in the result of that search: it is shown above the receipt.
pub fn erased_verified(app: &mut App, (store, step): (usize, u64), told: Result<Vec<String>, String>) {
    let told = told.unwrap_or_else(|why| vec![why]);
    if let Some(first) = told.first() {
        app.say(first.clone());
    }
    let checks = &mut app.list_view.journal.checks;
    checks.retain(|own| (own.0, own.1) != (store, step));
    checks.push((store, step, told));
    (app.list_view.in_details, app.list_view.top) = (true, 0);
}
