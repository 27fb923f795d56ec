//! The first frame: it shows what can be read at once.

use std::sync::Arc;

use ratatui::buffer::Buffer;

use crate::model::{Extent, Moment, Snapshot};
use crate::query::CancelToken;
use crate::store;
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::App;
use crate::tui::tui_options::TuiOptions;
use crate::tui::update;
use crate::tui::view::drawn;
use crate::work::{Job, LoadedStores, WorkerState, run_job};

/// Reads and lists the newest entries of the stores, which takes no longer than a frame.
pub(super) fn first_entries(app: &mut App) {
    let stores = store::load_each(&app.places, Extent::Newest, &Snapshot::default(), app.now);
    let snapshot = Arc::new(Snapshot::of(stores));
    let effects = update::open(app, LoadedStores { snapshot, counts: Vec::new(), changes: 0 });
    let is_load = |effect: &Effect| matches!(effect, Effect::Job(Job::Load { .. }));
    settle(app, effects.into_iter().filter(|effect| !is_load(effect)).collect());
}

/// Runs the jobs of effects, and the jobs that follow, on this thread. Nothing is written.
fn settle(app: &mut App, mut effects: Vec<Effect>) {
    let mut kept = WorkerState::default();
    while let Some(effect) = effects.pop() {
        if let Effect::Job(job @ (Job::Load { .. } | Job::Search(_) | Job::Explain(..))) = effect
            && let Some(done) = run_job(job, &mut kept, &CancelToken::default())
        {
            effects.extend(update::take(app, Msg::Done(done), app.now));
        }
    }
}

/// Draws one frame of the first view, once everything was read. Returns it with the stores that were read.
pub fn frame(options: &TuiOptions, width: u16, height: u16) -> (Buffer, Arc<Snapshot>) {
    let now = options.now.unwrap_or_else(Moment::of_the_clock);
    let mut app = App::new(options, (width, height), now);
    first_entries(&mut app);
    let reload = update::load_now(&app);
    settle(&mut app, vec![reload]);
    update::ready(&mut app);
    (drawn(&app), app.snapshot)
}
