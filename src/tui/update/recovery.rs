//! Finishes interrupted changes of earlier runs.

use std::sync::Arc;

use crate::model::plan;
use crate::tui::state::app::App;
use crate::tui::update::reload;
use crate::usecase::RecoveryReport;
use crate::work::Job;

/// Starts the recovery: once, and whenever the stores hold files of palimp.
pub fn start_recovery(app: &mut App) {
    let can = !app.readonly && !app.recovery_running && app.is_whole();
    let Some(data) = app.data.clone().filter(|_| can) else { return };
    // It runs once in any case, because an interrupted change need not leave a file in a store.
    if app.recovery_started && app.snapshot.stores.iter().all(|store| store.own_files.is_empty()) {
        return;
    }
    (app.recovery_running, app.recovery_started) = (true, true);
    let snapshot = Arc::clone(&app.snapshot);
    app.give_job(Job::Recover { snapshot, data, now: app.now });
}

pub fn recovery_done(app: &mut App, tended: RecoveryReport) {
    app.recovery_running = false;
    let rescued = plan::count_with_noun(tended.rescued as u64, "line");
    let rescued =
        (tended.rescued > 0).then(|| format!("rescued {rescued} that came while a file was being replaced"));
    let told: Vec<String> = rescued.into_iter().chain(tended.notes).collect();
    if !told.is_empty() {
        app.notice = Some(told.join(" · "));
    }
    if tended.rescued > 0 {
        app.push_effect(reload::load_now(app));
    }
}
