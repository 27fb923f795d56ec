//! From one step of the clean-up to the next, and what was typed as a request.

use std::sync::Arc;

use crate::check::secrets::findings;
use crate::detectors::Kind;
use crate::model::{PathText, Snapshot, Store};
use crate::tui::panes::clean_up;
use crate::tui::state::app::App;
use crate::tui::state::clean_up::{CleanUp, CleanUpField, CleanUpStep};
use crate::tui::state::pending_changes::{ActiveChange, PlacesBeside};
use crate::tui::update::confirm;
use crate::usecase::clean_up::{CleanUpAction, CleanUpPlan, CleanUpRequest, CleanUpRule, SavedRules};
use crate::usecase::value_holders::SHORTEST_VALUE;
use crate::usecase::{PlannedChange, Verdict};
use crate::work::{CleanUpJob, Job};

/// Goes on to the stores, if what was typed can be understood.
pub fn to_scope(app: &mut App) {
    let now = app.now;
    let Some(clean_up) = &mut app.clean_up else { return };
    let checked = request(clean_up).and_then(|request| {
        request.rule.parsed(now).map_err(|error| format!("It can't be understood: {error}"))?;
        Ok((new_rule(clean_up, &request)?, request))
    });
    match checked {
        Ok((rule, asked)) => {
            (clean_up.step, clean_up.failure) = (CleanUpStep::Scope, None);
            clean_up.has_values = asked.has_values();
            clean_up.action = if clean_up.has_values { CleanUpAction::TakeOut } else { CleanUpAction::Erase };
            let asked = asked.rule;
            if !asked.stores.is_empty() {
                clean_up.chosen = clean_up.listed.stores.iter().map(|store| asked.is_for(store)).collect();
            }
            (clean_up.except, clean_up.with) = Default::default();
            clean_up.stop_waiting();
            let Some((name, rule)) = rule else { return };
            match app.data.clone().filter(|_| !app.is_readonly()) {
                Some(data) => app.give_job(Job::KeepCleanUpRule { name, rule, data }),
                None => app.say("The rule is not saved: palimp only reads."),
            }
        }
        Err(why) => clean_up.failure = Some(why),
    }
}

/// Takes in the saved rules, or why a new one is not among them.
pub fn rule_kept(app: &mut App, outcome: Result<SavedRules, String>) {
    match outcome {
        Ok(rules) => {
            app.clean_up.iter_mut().for_each(|clean_up| clean_up.rules = Some(Ok(rules.clone())));
            app.say("The rule is saved.");
        }
        Err(why) => app.say(why),
    }
}

/// Looks for what goes, in the chosen stores as they are now, and beside them.
pub fn to_preview(app: &mut App) {
    let Some(clean_up) = &mut app.clean_up else { return };
    // The stores may be in another order by now, and those that are new are not chosen.
    let listed = clean_up.listed.stores.iter().zip(&clean_up.chosen);
    let roots: Vec<_> = listed.map(|(store, chosen)| (store.root.clone(), *chosen)).collect();
    (clean_up.listed, clean_up.names) = (Arc::clone(&app.snapshot), app.store_names.clone());
    let is_chosen = |store: &Arc<Store>| roots.iter().any(|(root, chosen)| *chosen && *root == store.root);
    clean_up.chosen = clean_up.listed.stores.iter().map(is_chosen).collect();
    if !clean_up.chosen.contains(&true) {
        clean_up.failure = Some("No store is chosen: nothing would go.".into());
        return;
    }
    let chosen = clean_up.listed.stores.iter().zip(&clean_up.chosen).filter(|(_, chosen)| **chosen);
    let stores: Vec<Arc<Store>> = chosen.map(|(store, _)| Arc::clone(store)).collect();
    (clean_up.snapshot, clean_up.plan, clean_up.asks_next) = (None, None, false);
    (clean_up.except, clean_up.with, clean_up.row) = Default::default();
    clean_up.rows.clear();
    ask(app, Arc::new(Snapshot::of(stores)), false);
}

/// Makes the plan again for what the user chose. What lies beside is searched again if `beside`.
pub fn plan_again(app: &mut App, beside: bool) {
    let Some(clean_up) = &mut app.clean_up else { return };
    let Some(snapshot) = clean_up.snapshot.clone() else { return };
    ask(app, snapshot, !beside);
}

/// Gives the job. With `keeps`, what was found beside the stores is not searched again.
fn ask(app: &mut App, snapshot: Arc<Snapshot>, keeps: bool) {
    let (home, now) = (app.home.clone(), app.now);
    let (Some(data), Some(clean_up)) = (app.data.clone(), &mut app.clean_up) else {
        return app.say("Without a folder of palimp's own data nothing can be planned.");
    };
    let request = match request(clean_up) {
        Ok(request) => request,
        Err(why) => {
            (clean_up.step, clean_up.failure) = (CleanUpStep::What, Some(why));
            return;
        }
    };
    clean_up.number += 1;
    let progress = Arc::default();
    let beside =
        clean_up.plan.as_ref().filter(|_| keeps).and_then(|plan| plan.planned.not_reached.beside.clone());
    let job = CleanUpJob {
        number: clean_up.number,
        lists_deleted: clean_up.snapshot.is_some(),
        snapshot,
        request,
        beside,
        home,
        data,
        progress: Arc::clone(&progress),
        now,
    };
    let what = "looking for it".to_owned();
    app.changes.active = Some(ActiveChange { progress, what, is_planning: true });
    app.notice = Some("Looking for it …".into());
    app.give_job(Job::PlanCleanUp(Box::new(job)));
}

pub fn planned(app: &mut App, number: u64, outcome: Result<(Arc<Snapshot>, CleanUpPlan), String>) {
    let is_newest = app.clean_up.as_ref().is_some_and(|clean_up| clean_up.number == number);
    if !is_newest {
        return;
    }
    (app.changes.active, app.notice) = (None, None);
    let rows = clean_up::rows_on_screen(app);
    let Some(clean_up) = &mut app.clean_up else { return };
    match outcome {
        Ok((snapshot, plan)) => {
            app.changes.places = PlacesBeside::of(&plan.planned.not_reached);
            (clean_up.snapshot, clean_up.plan, clean_up.failure) = (Some(snapshot), Some(plan), None);
            (clean_up.step, clean_up.action_before) = (CleanUpStep::Preview, None);
            clean_up.list();
            clean_up.row.go(clean_up.row.at, clean_up.rows.len(), rows);
            if std::mem::take(&mut clean_up.asks_next) {
                to_confirm(app);
            }
        }
        Err(why) => {
            clean_up.asks_next = false;
            clean_up.action = clean_up.action_before.take().unwrap_or(clean_up.action);
            // A plan that is shown is as good as before: what the user picked is kept.
            if clean_up.plan.is_none() {
                clean_up.fail(&why);
            }
            app.say(why);
        }
    }
}

/// Asks, or makes the plan again first if the user chose other memories.
pub fn to_confirm(app: &mut App) {
    if app.is_readonly() {
        return app.say("These stores are open to read only: nothing can be changed.");
    }
    let Some(clean_up) = &mut app.clean_up else { return };
    if clean_up.awaits_verdict {
        clean_up.asks_next = true;
        return;
    }
    if clean_up.is_stale {
        clean_up.asks_next = true;
        return plan_again(app, true);
    }
    let Some(plan) = &mut clean_up.plan else { return };
    if plan.planned.is_empty() {
        return app.say("Nothing goes: there is nothing to change.");
    }
    let empty = PlannedChange::of(plan.planned.request.clone(), Vec::new());
    let planned = std::mem::replace(&mut plan.planned, empty);
    app.notice = None;
    confirm::show(app, planned);
}

/// Notes that what was found in the memory under the cursor is no secret.
pub fn false_alarm(app: &mut App) {
    if app.is_readonly() {
        return app.say("palimp was started to read only: no false alarm is kept.");
    }
    let (Some(data), Some(clean_up)) = (app.data.clone(), &mut app.clean_up) else { return };
    let asked = request(clean_up).map(|request| request.rule.kinds).unwrap_or_default();
    let (Some(snapshot), Some(row)) = (&clean_up.snapshot, clean_up.rows.get(clean_up.row.at)) else {
        return;
    };
    let (store, entry) = snapshot.get(row.at);
    let found = findings(store, entry, None).into_iter();
    let values: Vec<Vec<u8>> = found
        .filter(|finding| asked.iter().any(|kind| kind == finding.kind.as_str()))
        .map(|finding| finding.value)
        .collect();
    if values.is_empty() {
        return app.say("A false alarm is what a kind finds: this memory has nothing of the chosen kinds.");
    }
    clean_up.awaits_verdict = true;
    app.give_job(Job::KeepVerdict { values, verdict: Verdict::No, data });
}

/// Makes the plan again if it waits for a false alarm that is kept by now.
pub fn verdict_kept(app: &mut App) {
    let Some(clean_up) = &mut app.clean_up else { return };
    if std::mem::take(&mut clean_up.awaits_verdict) {
        plan_again(app, true);
    }
}

/// Returns the request, or why what was typed can't be one.
pub fn request(clean_up: &CleanUp) -> Result<CleanUpRequest, String> {
    let text = |field| Some(clean_up.typed(field)).filter(|text| !text.is_empty());
    let (topic, query) = match text(CleanUpField::Topic) {
        Some(typed) if is_query(&typed) => (None, Some(typed)),
        typed => (typed, None),
    };
    let (names, list) = match text(CleanUpField::Names) {
        Some(typed) if typed.starts_with(['/', '~', '.']) => (Some(whole_path(clean_up, &typed)?), None),
        Some(typed) => (None, Some(typed.split(',').map(str::trim).collect::<Vec<_>>().join("\n"))),
        None => (None, None),
    };
    let rule = CleanUpRule {
        topic,
        query,
        kinds: kinds(&text(CleanUpField::Kind).unwrap_or_default())?,
        names,
        since: text(CleanUpField::Since),
        until: text(CleanUpField::Until),
        ..CleanUpRule::default()
    };
    let values: Vec<String> = text(CleanUpField::Value).into_iter().collect();
    if let Some(len) = values.iter().map(String::len).find(|len| *len < SHORTEST_VALUE) {
        return Err(format!(
            "The value has {len} bytes: under {SHORTEST_VALUE}, it is in other texts by chance."
        ));
    }
    let rule = match text(CleanUpField::Rule) {
        Some(name) if is_by_name(clean_up) => saved(clean_up, &name)?.narrowed(&rule),
        _ if rule.is_empty() && values.is_empty() && list.is_none() => {
            return Err("Type what is to be forgotten: one field is enough.".into());
        }
        _ => rule,
    };
    Ok(CleanUpRequest {
        rule,
        values,
        names: list,
        except: clean_up.except.clone(),
        with: clean_up.with.clone(),
        action: clean_up.action,
    })
}

/// True if only the name of a rule is typed, or times beside it: the saved rule is run.
fn is_by_name(clean_up: &CleanUp) -> bool {
    let is_of_run = |field: &CleanUpField| {
        matches!(field, CleanUpField::Since | CleanUpField::Until | CleanUpField::Rule)
    };
    !clean_up.typed(CleanUpField::Rule).is_empty()
        && CleanUpField::ALL.iter().all(|(field, ..)| is_of_run(field) || clean_up.typed(*field).is_empty())
}

/// Returns the path of a list as any program reads it: a rule is run by the verb, too.
fn whole_path(clean_up: &CleanUp, typed: &str) -> Result<String, String> {
    let at_home = typed.strip_prefix("~/").zip(clean_up.home.as_deref());
    let path = at_home.map_or_else(|| typed.into(), |(rest, home)| home.join(rest));
    let whole = std::path::absolute(&path).map_err(|error| format!("{typed}: {error}."))?;
    Ok(whole.to_text().into_owned())
}

/// Returns the rule to save with its name, if a name was typed for it.
fn new_rule(clean_up: &CleanUp, request: &CleanUpRequest) -> Result<Option<(String, CleanUpRule)>, String> {
    let name = clean_up.typed(CleanUpField::Rule);
    if name.is_empty() || is_by_name(clean_up) {
        return Ok(None);
    }
    let mut rules = match &clean_up.rules {
        Some(Ok(rules)) => rules.clone(),
        Some(Err(why)) => return Err(why.clone()),
        None => return Err("The saved rules are still being read.".into()),
    };
    if request.names.is_some() || !request.values.is_empty() {
        return Err(
            "A rule keeps no value and no typed names. Leave the rule empty, or give the path of a list."
                .into(),
        );
    }
    let rule = request.rule.of_stores(&clean_up.listed);
    rules.add(&name, rule.clone())?;
    Ok(Some((name, rule)))
}

fn saved(clean_up: &CleanUp, name: &str) -> Result<CleanUpRule, String> {
    match &clean_up.rules {
        Some(Ok(rules)) => rules
            .get(name)
            .cloned()
            .ok_or_else(|| format!("There is no rule {name}: type what it is to forget.")),
        Some(Err(why)) => Err(why.clone()),
        None => Err("The saved rules are still being read.".into()),
    }
}

fn is_query(typed: &str) -> bool {
    typed.contains([':', '"', '(', '*', '~'])
        || typed.contains(" OR ")
        || typed.starts_with('-')
        || typed.contains(" -")
}

fn kinds(typed: &str) -> Result<Vec<String>, String> {
    let words = typed.split([',', ' ']).filter(|word| !word.is_empty());
    let known = |word: &str| {
        let names = Kind::ALL.map(Kind::as_str);
        Kind::of(word)
            .map(|kind| kind.as_str().to_owned())
            .ok_or_else(|| format!("{word} is no kind. Kinds are {}.", names.join(", ")))
    };
    words.map(known).collect()
}
