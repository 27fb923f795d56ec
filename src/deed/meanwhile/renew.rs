//! A plan made again for the memories that it was made for, and for no others.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::super::asked::{By, ChangeRequest};
use super::super::carried::memories;
use super::super::failed::{Failed, Result};
use super::super::of_stores::plans_due;
use super::super::planned::{Planned, name_of, plan};
use super::super::wanted::{Restoring, Wanted};
use super::{Difference, Moved};
use crate::format::writing::NO_PACKED;
use crate::model::plan::counted;
use crate::model::{Carry, EntryRef, Moment, Plan, Snapshot, Store, Tell};
use crate::ops::effect::{Touched, effect};
use crate::ops::restore::{Comparison, CopyFacts, Item, Kind, compare};
use crate::ops::{self, Progress, Refusal, Scene};
use crate::store::commit::{Host, Vault};

/// The plan as it is now, with what differs from what was shown.
pub fn asked_again(
    shown: &Planned,
    mut difference: Difference,
    fresh: Arc<Snapshot>,
    host: Host<'_>,
) -> Result<Planned> {
    let anew = again(shown, Arc::clone(&fresh), host);
    let mut anew = anew.map_err(|failed| Failed {
        message: format!("{}; {}", difference.told(), failed.message),
        ..failed
    })?;
    say_what_becomes(&mut difference, shown, &anew);
    anew.difference = Some(difference);
    Ok(anew)
}

/// Adds to what others did what is done to those memories now.
fn say_what_becomes(difference: &mut Difference, shown: &Planned, anew: &Planned) {
    let request = &anew.request;
    let mut becomes: HashMap<String, String> = HashMap::new();
    for &at in &anew.changing {
        let (store, entry) = request.snapshot.get(at);
        becomes.insert(name_of(store, entry), request.wanted.told(store, entry));
    }
    for own in &anew.left {
        for &at in &own.which {
            let (store, entry) = request.snapshot.get(at);
            becomes.insert(name_of(store, entry), format!("left out: {}", own.reason));
        }
    }
    if shown.changing.is_empty() {
        return;
    }
    for moved in difference.moved.iter_mut().filter(|own| own.what != "gone") {
        match becomes.get(&moved.name).filter(|told| !told.is_empty()) {
            Some(told) => moved.becomes = told.clone(),
            None if becomes.contains_key(&moved.name) => moved.becomes = "stays in the plan".into(),
            None => {}
        }
    }
}

/// The plan made again on the stores as they are now.
pub fn again(shown: &Planned, fresh: Arc<Snapshot>, host: Host<'_>) -> Result<Planned> {
    let request = ChangeRequest {
        snapshot: Arc::clone(&fresh),
        progress: Arc::new(Progress::default()),
        ..shown.request.clone()
    };
    let is_shown = request.by == By::Screen;
    match &shown.request.wanted {
        Wanted::Init => Ok(Planned::of(request, shown.plans.clone())),
        Wanted::Maintain | Wanted::Compact(_) if is_shown => chores(shown, request),
        Wanted::Restore(own) if is_shown || !own.whole => match same_of(shown, own, &fresh, host)? {
            Some((name, restoring)) => {
                let wanted = Wanted::Restore(restoring);
                plan(ChangeRequest { name, wanted, ..request }, host)
            }
            None => Ok(Planned::of(request, Vec::new())),
        },
        wanted if !wanted.is_of_records() => plan(request, host),
        _ => {
            let request = same_memories(&shown.request, request);
            if request.at.is_empty() { Ok(Planned::of(request, Vec::new())) } else { plan(request, host) }
        }
    }
}

/// The request for the same memories, without those that are gone.
pub(super) fn same_memories(shown: &ChangeRequest, request: ChangeRequest) -> ChangeRequest {
    let mut carry = Carry::new(&shown.snapshot, &request.snapshot);
    let mut taken: HashSet<EntryRef> = HashSet::new();
    let (mut at, mut hidden) = (Vec::new(), Vec::new());
    for &own in &shown.at {
        if let Some(now) = carry.find(own, &|now| taken.contains(&now))
            && taken.insert(now)
        {
            at.push(now);
            hidden.extend(shown.is_hidden(own).then_some(now));
        }
    }
    hidden.sort_unstable();
    let beside =
        shown.beside.iter().filter_map(|own| carry.find(*own, &|now| taken.contains(&now))).collect();
    let name = match at.as_slice() {
        all if all.len() == shown.at.len() => request.name,
        [one] => {
            let (store, entry) = request.snapshot.get(*one);
            name_of(store, entry)
        }
        several => memories(several.len()),
    };
    ChangeRequest { at, beside, hidden, name, ..request }
}

/// What is due, and a compaction, of the memories that were shown.
fn chores(shown: &Planned, request: ChangeRequest) -> Result<Planned> {
    let mut plans = Vec::new();
    let mut carry = Carry::new(&shown.request.snapshot, &request.snapshot);
    for (number, plan) in &shown.plans {
        let (Some(was), Some(store)) =
            (shown.request.snapshot.stores.get(*number), request.snapshot.stores.get(*number))
        else {
            continue;
        };
        let touched = effect(was, plan, request.now).into_iter();
        let at = |own: Touched| EntryRef { store: *number as u32, entry: own.entry };
        let known: HashSet<u32> =
            touched.filter_map(|own| carry.find(at(own), &|_| false)).map(|own| own.entry).collect();
        for (mut anew, rule) in candidates(store, plan, &request)? {
            let touched = effect(store, &anew, request.now);
            if !touched.iter().any(|own| known.contains(&own.entry)) {
                continue;
            }
            if touched.iter().any(|own| !known.contains(&own.entry)) {
                let message = "this would now change memories that were not shown. Look at it again.";
                return Err(Refusal::unfit(message).into());
            }
            say_which(&mut anew, &rule, &touched);
            plans.push((*number, anew));
            break;
        }
    }
    Ok(Planned::of(request, plans))
}

/// Adds to a plan that concerns memories the rule that it follows, and which they are.
pub fn say_rule(plan: &mut Plan, store: &Store, rule: &str, now: Moment) {
    let touched = effect(store, plan, now);
    if !touched.is_empty() {
        say_which(plan, rule, &touched);
    }
}

/// Adds to a plan the rule that it follows, and exactly which memories it concerns.
pub fn say_which(plan: &mut Plan, rule: &str, touched: &[Touched]) {
    plan.lines.push(format!("the rule: {rule}"));
    plan.lines.extend(touched.iter().map(Touched::line));
}

fn candidates(store: &Store, plan: &Plan, request: &ChangeRequest) -> Result<Vec<(Plan, String)>> {
    if plan.verb != "compact" {
        return plans_due(store, request.now);
    }
    let scene = Scene { store, now: request.now, random: [0; 16], packed: &NO_PACKED };
    let plan = ops::compact::compact(&scene, None)?;
    Ok(if plan.is_empty() { Vec::new() } else { vec![(plan, ops::compact::rule(store))] })
}

/// A copy beside its file, as it was shown and as it is.
struct Sides {
    was: Comparison,
    is: Comparison,
}

fn sides(shown: &Planned, restoring: &Restoring, fresh: &Snapshot, host: Host<'_>) -> Result<Sides> {
    let compared = |snapshot: &Snapshot| -> Result<Comparison> {
        let Some(store) = snapshot.stores.get(restoring.store) else {
            return Err(Refusal::unfit("the store is not open any more.").into());
        };
        let vault = Vault::look(host.disk, host.data, &store.root);
        let now = shown.request.now;
        let facts = CopyFacts::of(store, &vault, (&restoring.copy, &restoring.bytes), now)?;
        let packed = BTreeMap::new();
        let scene = Scene { store, now, random: [0; 16], packed: &packed };
        Ok(compare(&scene, &restoring.copy.file, &restoring.bytes, &facts)?)
    };
    Ok(Sides { was: compared(&shown.request.snapshot)?, is: compared(fresh)? })
}

impl Sides {
    /// What was shown that is not as it was shown, in the order of the copy.
    fn moved(&self, of: &Restoring) -> Vec<Moved> {
        let is: HashMap<u64, &Item> =
            self.is.items.iter().filter(|own| !own.kind.is_only_here()).map(|own| (own.at, own)).collect();
        let newer: HashSet<&[u8]> =
            self.is.items.iter().filter(|own| own.kind.is_only_here()).map(|own| &own.is[..]).collect();
        let shown = |item: &&Item| of.whole || of.chosen.contains(&item.at) && item.can_come;
        let mut moved = Vec::new();
        for item in self.was.items.iter().filter(shown) {
            let name = item.id.clone().unwrap_or_else(|| format!("line {}", item.line));
            let becomes = String::new();
            if item.kind.is_only_here() {
                if !newer.contains(&item.is[..]) {
                    moved.push(Moved { name, what: "changed or gone".into(), becomes });
                }
                continue;
            }
            let what = match is.get(&item.at) {
                None => Some("was changed back"),
                Some(now) if now.kind != item.kind => Some(now.kind.as_str()),
                Some(now) if now.is != item.is => Some("changed on disk"),
                Some(_) => None,
            };
            moved.extend(what.map(|what| Moved { name, what: what.into(), becomes }));
        }
        if of.whole {
            // What was as the copy has it, and no longer is.
            let known: HashSet<u64> =
                self.was.items.iter().filter(|own| !own.kind.is_only_here()).map(|own| own.at).collect();
            let came = is.values().filter(|own| !known.contains(&own.at));
            moved.extend(came.map(|own| {
                let name = own.id.clone().unwrap_or_else(|| format!("line {}", own.line));
                let (what, becomes) = (own.kind.as_str().to_owned(), String::new());
                Moved { name, what, becomes }
            }));
        }
        moved
    }

    /// Whether the file has records now that it had not.
    fn has_grown(&self) -> bool {
        let newer = |own: &Comparison| -> HashSet<Vec<u8>> {
            own.items.iter().filter(|own| own.kind.is_only_here()).map(|own| own.is.clone()).collect()
        };
        !newer(&self.is).is_subset(&newer(&self.was))
    }
}

/// What others did to what a copy would bring back, or put back.
pub fn restoring(
    shown: &Planned,
    restoring: &Restoring,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<Difference> {
    let sides = sides(shown, restoring, fresh, host)?;
    let moved = sides.moved(restoring);
    let of = if restoring.whole { sides.was.items.len() } else { restoring.chosen.len() };
    Ok(Difference { of, moved })
}

/// What is to come back now: of single records those whose place is what it was, with their file's
/// name; of a whole file all, unless that would take what came meanwhile.
fn same_of(
    shown: &Planned,
    restoring: &Restoring,
    fresh: &Snapshot,
    host: Host<'_>,
) -> Result<Option<(String, Restoring)>> {
    let sides = sides(shown, restoring, fresh, host)?;
    if restoring.whole {
        if sides.has_grown() {
            let file = restoring.copy.file.told();
            return Err(Refusal::unfit(format!(
                "{file} has memories now that were not shown, and they would be lost. Look at it again."
            ))
            .into());
        }
        return Ok(Some((shown.request.name.clone(), restoring.clone())));
    }
    let kinds = |own: &Comparison| -> HashMap<u64, Kind> {
        let in_copy = own.items.iter().filter(|item| !item.kind.is_only_here() && item.can_come);
        in_copy.map(|item| (item.at, item.kind)).collect()
    };
    let (was, is) = (kinds(&sides.was), kinds(&sides.is));
    let stays = |at: &&u64| is.contains_key(at) && was.get(at) == is.get(at);
    let chosen: HashSet<u64> = restoring.chosen.iter().filter(stays).copied().collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let name = format!("{} of {}", counted(chosen.len() as u64, "memory"), restoring.copy.file.told());
    Ok(Some((name, Restoring { chosen, ..restoring.clone() })))
}
