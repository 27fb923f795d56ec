//! The action `verify`: reads every byte of each backup, or searches again for what a step erased.

use std::collections::HashSet;
use std::path::Path;

use crate::model::BackupCheck;
use crate::model::plan::count_with_noun;
use crate::tui::action::Action;
use crate::tui::list_view::journal;
use crate::tui::state::app::{App, Screen};
use crate::tui::update::list_view::row_refresh::ask;
use crate::work::{BackupCompareMode, BackupRow, BackupSummary, Inspect};

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

/// The result of a verification, and the differences.
pub type VerifyResult = (BackupCheck, Option<BackupSummary>);

/// Notes the result in the list of backups.
pub fn note(
    list: Option<&mut Vec<BackupRow>>,
    (store, path): (usize, &Path),
    (verified, differs): VerifyResult,
) {
    let own = list.into_iter().flatten().find(|own| own.store == store && own.copy.path == path);
    if let Some(own) = own {
        (own.verified, own.differs) = (Some(verified), differs);
    }
}

/// Starts to search for what the step under the cursor erased.
pub fn verify_erased(app: &mut App) {
    let Some((store, row)) = journal::step(app).filter(|(_, row)| row.line.verb == "erase") else {
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
