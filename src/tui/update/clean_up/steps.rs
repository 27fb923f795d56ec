//! From one step of the clean-up to the next, and what was typed as a request.

use std::sync::Arc;

use crate::detectors::Kind;
use crate::model::{PathText, Snapshot, Store};
use crate::ops::secrets::findings;
use crate::tui::panes::clean_up;
use crate::tui::state::app::App;
use crate::tui::state::clean_up::{CleanUp, CleanUpField, CleanUpStep};
use crate::tui::state::pending_changes::ActiveChange;
use crate::tui::update::confirm;
use crate::usecase::clean_up::{CleanUpPlan, CleanUpRequest, CleanUpRule, SavedRules};
use crate::usecase::value_holders::SHORTEST_VALUE;
use crate::usecase::{PlannedChange, Verdict};
use crate::work::{CleanUpJob, Job};

/// Goes on to the stores, if what was typed can be understood.
pub fn to_scope(app: &mut App) {
    let now = app.now;
    let Some(own) = &mut app.clean_up else { return };
    let checked = request(own).and_then(|request| {
        request.rule.parsed(now).map_err(|error| format!("It can't be understood: {error}"))?;
        new_rule(own, &request)
    });
    match checked {
        Ok(rule) => {
            (own.step, own.failure) = (CleanUpStep::Scope, None);
            (own.except, own.with) = Default::default();
            own.stop_waiting();
            if let Some((name, rule)) = rule {
                keep_rule(app, name, rule);
            }
        }
        Err(why) => own.failure = Some(why),
    }
}

fn keep_rule(app: &mut App, name: String, rule: CleanUpRule) {
    match app.data.clone().filter(|_| !app.is_readonly()) {
        Some(data) => app.give_job(Job::KeepCleanUpRule { name, rule, data }),
        None => app.say("The rule is not saved: palimp only reads."),
    }
}

/// Takes in the saved rules, or why a new one is not among them.
pub fn rule_kept(app: &mut App, outcome: Result<SavedRules, String>) {
    match outcome {
        Ok(rules) => {
            app.clean_up.iter_mut().for_each(|own| own.rules = Some(Ok(rules.clone())));
            app.say("The rule is saved.");
        }
        Err(why) => app.say(why),
    }
}

/// Looks for what goes, in the chosen stores as they are now, and beside them.
pub fn to_preview(app: &mut App) {
    list_stores(app);
    let Some(own) = &mut app.clean_up else { return };
    if !own.chosen.contains(&true) {
        own.failure = Some("No store is chosen: nothing would go.".into());
        return;
    }
    let chosen = own.listed.stores.iter().zip(&own.chosen).filter(|(_, chosen)| **chosen);
    let stores: Vec<Arc<Store>> = chosen.map(|(store, _)| Arc::clone(store)).collect();
    (own.snapshot, own.plan, own.asks_next) = (None, None, false);
    (own.except, own.with, own.row) = Default::default();
    own.rows.clear();
    ask(app, Arc::new(Snapshot::of(stores)), false);
}

/// Lists the stores as they are now. They may be in another order, and those that are new are not chosen.
fn list_stores(app: &mut App) {
    let Some(own) = &mut app.clean_up else { return };
    let roots: Vec<_> =
        own.listed.stores.iter().zip(&own.chosen).map(|(own, is)| (own.root.clone(), *is)).collect();
    (own.listed, own.names) = (Arc::clone(&app.snapshot), app.store_names.clone());
    let is_chosen = |store: &Arc<Store>| roots.iter().any(|(root, is)| *is && *root == store.root);
    own.chosen = own.listed.stores.iter().map(is_chosen).collect();
}

/// Makes the plan again for what the user chose. What lies beside is searched again if `beside`.
pub fn plan_again(app: &mut App, beside: bool) {
    let Some(own) = &mut app.clean_up else { return };
    let Some(snapshot) = own.snapshot.clone() else { return };
    ask(app, snapshot, !beside);
}

/// Gives the job. With `keeps`, what was found beside the stores is not searched again.
fn ask(app: &mut App, snapshot: Arc<Snapshot>, keeps: bool) {
    let (home, now) = (app.home.clone(), app.now);
    let (Some(data), Some(own)) = (app.data.clone(), &mut app.clean_up) else {
        return app.say("Without a folder of palimp's own data nothing can be planned.");
    };
    let request = match request(own) {
        Ok(request) => request,
        Err(why) => {
            (own.step, own.failure) = (CleanUpStep::What, Some(why));
            return;
        }
    };
    own.number += 1;
    let progress = Arc::default();
    let beside = own.plan.as_ref().filter(|_| keeps).and_then(|own| own.planned.not_reached.beside.clone());
    let job = CleanUpJob {
        number: own.number,
        lists_deleted: own.snapshot.is_some(),
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
    let is_newest = app.clean_up.as_ref().is_some_and(|own| own.number == number);
    if !is_newest {
        return;
    }
    (app.changes.active, app.notice) = (None, None);
    let rows = clean_up::rows_on_screen(app);
    let Some(own) = &mut app.clean_up else { return };
    match outcome {
        Ok((snapshot, plan)) => {
            (own.snapshot, own.plan, own.failure) = (Some(snapshot), Some(plan), None);
            (own.step, own.action_before) = (CleanUpStep::Preview, None);
            own.list();
            own.row.go(own.row.at, own.rows.len(), rows);
            if std::mem::take(&mut own.asks_next) {
                to_confirm(app);
            }
        }
        Err(why) => {
            own.keep_plan(&why);
            app.say(why);
        }
    }
}

/// Asks, or makes the plan again first if the user chose other memories.
pub fn to_confirm(app: &mut App) {
    if app.is_readonly() {
        return app.say("These stores are open to read only: nothing can be changed.");
    }
    let Some(own) = &mut app.clean_up else { return };
    if own.awaits_verdict {
        own.asks_next = true;
        return;
    }
    if own.is_stale {
        own.asks_next = true;
        return plan_again(app, true);
    }
    let Some(plan) = &mut own.plan else { return };
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
    let (Some(data), Some(own)) = (app.data.clone(), &mut app.clean_up) else { return };
    let asked = request(own).map(|own| own.rule.kinds).unwrap_or_default();
    let (Some(snapshot), Some(row)) = (&own.snapshot, own.rows.get(own.row.at)) else { return };
    let (store, entry) = snapshot.get(row.at);
    let found = findings(store, entry, None).into_iter();
    let values: Vec<Vec<u8>> =
        found.filter(|own| asked.iter().any(|kind| kind == own.kind.as_str())).map(|own| own.value).collect();
    if values.is_empty() {
        return app.say("A false alarm is what a kind finds: this memory has nothing of the chosen kinds.");
    }
    own.awaits_verdict = true;
    app.give_job(Job::KeepVerdict { values, verdict: Verdict::No, data });
}

/// Makes the plan again if it waits for a false alarm that is kept by now.
pub fn verdict_kept(app: &mut App) {
    let Some(own) = &mut app.clean_up else { return };
    if std::mem::take(&mut own.awaits_verdict) {
        plan_again(app, true);
    }
}

/// Returns the request, or why what was typed can't be one.
pub fn request(own: &CleanUp) -> Result<CleanUpRequest, String> {
    let text = |field| Some(own.typed(field)).filter(|own| !own.is_empty());
    let (topic, query) = match text(CleanUpField::Topic) {
        Some(typed) if is_query(&typed) => (None, Some(typed)),
        typed => (typed, None),
    };
    let (names, list) = match text(CleanUpField::Names) {
        Some(typed) if typed.starts_with(['/', '~', '.']) => (Some(whole_path(own, &typed)?), None),
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
        near_copies: false,
        pinned: false,
    };
    let values: Vec<String> = text(CleanUpField::Value).into_iter().collect();
    if let Some(len) = values.iter().map(String::len).find(|len| *len < SHORTEST_VALUE) {
        return Err(format!(
            "The value has {len} bytes: under {SHORTEST_VALUE}, it is in other texts by chance."
        ));
    }
    let rule = match text(CleanUpField::Rule) {
        Some(name) if is_by_name(own) => saved(own, &name)?.narrowed(&rule),
        _ if rule.is_empty() && values.is_empty() && list.is_none() => {
            return Err("Type what is to be forgotten: one field is enough.".into());
        }
        _ => rule,
    };
    Ok(CleanUpRequest {
        rule,
        values,
        names: list,
        except: own.except.clone(),
        with: own.with.clone(),
        action: own.action,
    })
}

/// True if only the name of a rule is typed, or times beside it: the saved rule is run.
fn is_by_name(own: &CleanUp) -> bool {
    let is_of_run = |field: &CleanUpField| {
        matches!(field, CleanUpField::Since | CleanUpField::Until | CleanUpField::Rule)
    };
    !own.typed(CleanUpField::Rule).is_empty()
        && CleanUpField::ALL.iter().all(|field| is_of_run(field) || own.typed(*field).is_empty())
}

/// Returns the path of a list as any program reads it: a rule is run by the verb, too.
fn whole_path(own: &CleanUp, typed: &str) -> Result<String, String> {
    let at_home = typed.strip_prefix("~/").zip(own.home.as_deref());
    let path = at_home.map_or_else(|| typed.into(), |(rest, home)| home.join(rest));
    let whole = std::path::absolute(&path).map_err(|error| format!("{typed}: {error}."))?;
    Ok(whole.to_text().into_owned())
}

/// Returns the rule to save with its name, if a name was typed for it.
fn new_rule(own: &CleanUp, request: &CleanUpRequest) -> Result<Option<(String, CleanUpRule)>, String> {
    let name = own.typed(CleanUpField::Rule);
    if name.is_empty() || is_by_name(own) {
        return Ok(None);
    }
    let mut rules = match &own.rules {
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
    rules.add(&name, request.rule.clone())?;
    Ok(Some((name, request.rule.clone())))
}

fn saved(own: &CleanUp, name: &str) -> Result<CleanUpRule, String> {
    match &own.rules {
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
            .map(|own| own.as_str().to_owned())
            .ok_or_else(|| format!("{word} is no kind. Kinds are {}.", names.join(", ")))
    };
    words.map(known).collect()
}
