//! The keys of upkeep. Tasks that are due, and compactions, are shown as a plan and carried out.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::plan::effect::EffectKind;
use crate::ops::command::StorePlan;
use crate::ops::compact::Compact;
use crate::ops::effect_lines::add_touched_lines;
use crate::ops::maintain::Maintain;
use crate::tui::action::Action;
use crate::tui::list_view::upkeep::{self, not_now};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::update::list_view::change_request::{self, aimed, request};
use crate::tui::update::{confirm, reference_go_back};
use crate::usecase::{Command, PlannedChange};
use crate::work::{Chore, ChoreKind};

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.list_view.row()) {
        (Action::BringBack, _) => change_request::from_archive(app),
        _ if action != Action::Open || app.list_view.in_details => return false,
        (_, Some(ListRow::Archived(_))) => return false,
        (_, Some(ListRow::Fading(at))) => {
            let snapshot = app.list_view.read_snapshot.clone();
            if let (Some(snapshot), Some(at)) = (snapshot, upkeep::fading_memory(app, at)) {
                reference_go_back::open_memory_of(app, &snapshot, at);
            }
        }
        _ => carry_out(app),
    }
    true
}

fn carry_out(app: &mut App) {
    let chore = |row| if let ListRow::Chore(at) = row { app.list_view.chores.get(at) } else { None };
    // A rule is for all of its memories together.
    let rows = if app.list_view.list.marks.is_empty() {
        app.list_view.row().into_iter().collect()
    } else {
        aimed(app)
    };
    let chores: Vec<&Chore> = rows.into_iter().filter_map(chore).collect();
    match chores.as_slice() {
        [] => return app.say("Nothing that is due is marked or under the cursor: nothing is changed."),
        [one] if one.plan.is_none() => return app.say(not_now(one)),
        _ => {}
    }
    let wanted: Arc<dyn Command> = match chores.iter().all(|own| own.task == ChoreKind::Compact) {
        true => Arc::new(Compact { session: None }),
        false => Arc::new(Maintain),
    };
    let (plans, later) = together(&chores);
    let name = match chores.as_slice() {
        [one] if one.task == ChoreKind::Compact => {
            let goes = one.touched.iter().filter(|own| own.effect.kind != EffectKind::Change).count();
            format!("{} ({} go)", app.store_name(one.store), crate::usecase::memory_count(goes))
        }
        [one] => format!("\"{}\"", one.what),
        several => format!("{} of {} marked tasks", plans.len(), several.len()),
    };
    let Some(request) = request(app, name, wanted) else { return };
    confirm::planned(app, Ok(PlannedChange::of(request, plans)));
    if later > 0 {
        app.say(format!(
            "{later} of the marked tasks change the same files: the rest of them is planned again after this."
        ));
    }
}

/// Returns the plans that can be carried out one after the other, because no two change the same
/// file, and how many tasks have to wait.
fn together(chores: &[&Chore]) -> (Vec<StorePlan>, usize) {
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
        add_touched_lines(&mut plan, &chore.rule, &chore.touched);
        plans.push(StorePlan::of(chore.store, plan));
    }
    (plans, later)
}
