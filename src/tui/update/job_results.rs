//! Takes in the results of the workers.

use std::sync::Arc;

use super::search_results::arrived;
use super::stores_loaded::{checked, loaded};
use super::{clean_up, confirm, editor, export, list_view, marks, statistics};
use crate::tui::state::app::App;
use crate::tui::state::rank_place;
use crate::tui::update::{recovery, running_change};
use crate::tui::{record_text, why};
use crate::work::{ExplainedRank, JobResult};

pub fn done(app: &mut App, done: JobResult) {
    match done {
        JobResult::Loaded(read) => loaded(app, read),
        JobResult::Checked(found) => checked(app, found),
        JobResult::Found(found) => arrived(app, *found),
        JobResult::Counted(counted) => statistics::counted(app, *counted),
        JobResult::DeletedCounted(count) => app.deleted.count = count,
        JobResult::Explained(why) => explained(app, *why),
        JobResult::FoundToMark(found) => marks::selected(app, *found),
        JobResult::ChangeDone(outcome) => running_change::done(app, *outcome),
        JobResult::Planned(outcome) => confirm::planned(app, *outcome),
        JobResult::CleanUpPlanned(own) => clean_up::planned(app, *own),
        JobResult::PlanStale(planned) => confirm::ask_again(app, *planned),
        JobResult::CleanUpRuleKept(outcome) => clean_up::rule_kept(app, outcome),
        JobResult::VerdictKept(outcome) => {
            list_view::secrets::verdict_kept(app, outcome);
            clean_up::verdict_kept(app);
        }
        JobResult::Inspected(seen) => list_view::arrived(app, *seen),
        JobResult::FormValidated(judged) => editor::results::judged(app, *judged),
        JobResult::DraftKept(version, outcome) => editor::results::kept(app, version, outcome),
        JobResult::TextKept(said) => editor::edit_json_field::text_kept(app, &said),
        JobResult::FormSaved(saved) => editor::save::saved(app, *saved),
        JobResult::DraftFound(at, draft) => editor::results::draft_found(app, at, draft),
        JobResult::Exported(number, outcome) => export::exported(app, number, outcome),
        JobResult::Notice(said) => app.say(said),
        JobResult::Recovered(tended) => recovery::recovery_done(app, tended),
    }
}

fn explained(app: &mut App, why: ExplainedRank) {
    if Arc::ptr_eq(&why.snapshot, &app.listed_snapshot) && app.selected() == Some(why.at) {
        let rank = why.explanation.as_ref().map(|own| own.factors.rank);
        let place = rank.and_then(|rank| why::place(app, rank));
        app.why_place = place.map(|(place, next)| rank_place::RankPlace {
            place,
            next: next.map(|hit| (hit, record_text::title_of(app, hit.at))),
        });
        app.why = Some(why);
    }
}
