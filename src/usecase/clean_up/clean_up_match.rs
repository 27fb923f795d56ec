//! Finds what a clean-up takes. Preview and effect both use what is found here.

use std::collections::BTreeSet;

use super::keys_to_rotate::keys_to_rotate;
use super::near_copies::{NearCopy, alike, with_parts};
use super::rule::CleanUpRule;
use crate::detectors::{Kind, NameList};
use crate::model::{EntryRef, Moment, ProviderKeys, Snapshot, is_kept};
use crate::ops::erase::is_masked;
use crate::ops::secrets::findings;
use crate::query::{CancelToken, Order, Query, QueryError, Ranking, Request, SavedQueryRefusal, search};
use crate::store::erase::{ErasedValues, SecretValues};
use crate::usecase::value_holders::{SHORTEST_VALUE, ValueHolders};
use crate::usecase::{ChangeFailure, Triage};

/// What happens to the memories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CleanUpAction {
    /// They are erased everywhere, for good.
    #[default]
    Erase,
    /// They are deleted. That can be undone for 30 days.
    Delete,
}

/// What to forget, and what was chosen by hand.
#[derive(Clone, Default)]
pub struct CleanUpRequest {
    /// What it is about.
    pub rule: CleanUpRule,
    /// Values, which no rule has.
    pub values: Vec<String>,
    /// The text of the list of names.
    pub names: Option<String>,
    /// Memories that stay, though they fit.
    pub except: BTreeSet<EntryRef>,
    /// Memories that go, though they do not fit: near-copies.
    pub with: BTreeSet<EntryRef>,
    /// What happens to the memories.
    pub action: CleanUpAction,
}

/// What a clean-up takes, and what it leaves.
#[derive(Debug, Default)]
pub struct CleanUpMatch {
    /// The memories that go, in the order of the snapshot.
    pub at: Vec<EntryRef>,
    /// Memories that stay and say nearly the same, or hold a part of a value.
    pub near_copies: Vec<NearCopy>,
    /// Memories that fit and stay, because they are pinned.
    pub pinned: Vec<EntryRef>,
    /// The values that are erased wherever they are.
    pub values: SecretValues,
    /// The number of values that stay where other memories hold them: short ones, common ones, and those of memories
    /// that stay.
    pub values_left: usize,
    /// The words and phrases to search for beside the stores.
    pub words: Vec<String>,
    /// The keys that their providers must replace.
    pub rotate: Vec<ProviderKeys>,
}

/// Why nothing was found out.
#[derive(Debug)]
pub enum CleanUpError {
    /// Nothing is named. That never means everything.
    Empty,
    /// The query or a time can't be understood.
    Query(QueryError),
    /// A saved query of the store is not run.
    Saved(SavedQueryRefusal),
    /// A value is no secret of a few memories, or a list has no name. The sentence says which.
    Value(String),
    /// The change is refused.
    Change(ChangeFailure),
    /// It was stopped.
    Stopped,
}

impl From<ChangeFailure> for CleanUpError {
    fn from(failed: ChangeFailure) -> CleanUpError {
        CleanUpError::Change(failed)
    }
}

impl CleanUpError {
    /// Says why, in a sentence. Untrusted text.
    pub fn told(&self) -> String {
        match self {
            CleanUpError::Empty => "Nothing is named. That never means everything.".into(),
            CleanUpError::Query(error) => format!("It can't be understood: {error}"),
            CleanUpError::Saved(_) => "A saved query of a store can't be run here.".into(),
            CleanUpError::Value(why) => format!("Refused: {why}"),
            CleanUpError::Change(failed) => failed.message.clone(),
            CleanUpError::Stopped => "It was stopped. Nothing was changed.".into(),
        }
    }
}

/// Finds what a clean-up takes from stores that list their deleted and archived memories.
///
/// # Errors
///
/// If the request names nothing, or can't be understood.
pub fn find(
    snapshot: &Snapshot,
    request: &CleanUpRequest,
    triage: &Triage,
    now: Moment,
    cancel: &CancelToken,
) -> Result<CleanUpMatch, CleanUpError> {
    let rule = &request.rule;
    if rule.is_empty() && request.values.is_empty() && request.names.is_none() {
        return Err(CleanUpError::Empty);
    }
    let query = rule.parsed(now).map_err(CleanUpError::Query)?;
    let mut at = match &query {
        Some(query) => of_query(snapshot, query, now, cancel)?,
        None => snapshot.entries().collect(),
    };
    let mut texts: BTreeSet<Vec<u8>> = request.values.iter().map(|own| own.clone().into_bytes()).collect();
    if !request.values.is_empty() {
        let holders = ValueHolders::of(snapshot, &SecretValues::of(&request.values));
        holders.refusal().map_or(Ok(()), |why| Err(CleanUpError::Value(why)))?;
        let holders: BTreeSet<EntryRef> = holders.found.into_iter().collect();
        at.retain(|own| holders.contains(own));
    }
    let names = names_of(request)?;
    if names.is_some() || !rule.kinds.is_empty() {
        at.retain(|own| {
            let found = found_values(snapshot, *own, (&rule.kinds, names.as_ref()), triage);
            let any = !found.is_empty();
            texts.extend(found);
            any
        });
    }
    let is_by_words = request.values.is_empty() && rule.kinds.is_empty() && names.is_none();
    let is_pinned = |own: &EntryRef| {
        let (store, entry) = snapshot.get(*own);
        is_by_words && !rule.pinned && store.view(entry).is_some_and(|view| is_kept(view, now))
    };
    let (pinned, at): (BTreeSet<EntryRef>, BTreeSet<EntryRef>) = at.into_iter().partition(is_pinned);
    let mut goes: BTreeSet<EntryRef> = at.union(&request.with).copied().collect();
    let (equal, mut near) = alike(snapshot, &goes, cancel).ok_or(CleanUpError::Stopped)?;
    goes.extend(equal);
    near.extend(with_parts(snapshot, &goes, &request.values));
    if rule.near_copies {
        goes.extend(near.drain(..).map(|own| own.at));
    }
    goes.retain(|own| !request.except.contains(own));
    near.retain(|own| !goes.contains(&own.at) && !request.except.contains(&own.at));
    let at: Vec<EntryRef> = goes.iter().copied().collect();
    let values = erased_everywhere(snapshot, &goes, &texts, !request.values.is_empty());
    let mut words = query.map(|own| own.wanted_texts()).unwrap_or_default();
    words.extend(request.names.iter().flat_map(|own| NameList::lines(own).map(str::to_owned)));
    Ok(CleanUpMatch {
        rotate: keys_to_rotate(snapshot, &at, &request.values, triage),
        values_left: texts.len() - values.all().len(),
        pinned: pinned.difference(&goes).copied().collect(),
        near_copies: near,
        at,
        values,
        words,
    })
}

fn of_query(
    snapshot: &Snapshot,
    query: &Query,
    now: Moment,
    cancel: &CancelToken,
) -> Result<Vec<EntryRef>, CleanUpError> {
    let (ranking, order) = (Ranking::default(), Order::default());
    let request = Request { snapshot, text: None, query, ranking, order, all: true, now };
    let found = search(&request, cancel).ok_or(CleanUpError::Stopped)?;
    let found = found.answered().map_err(CleanUpError::Saved)?;
    Ok(found.hits.into_iter().map(|own| own.at).collect())
}

fn names_of(request: &CleanUpRequest) -> Result<Option<NameList>, CleanUpError> {
    let Some(text) = &request.names else { return Ok(None) };
    let why = || CleanUpError::Value("the list has no names, or more than can be searched for.".into());
    NameList::of(text).map(Some).ok_or_else(why)
}

/// Returns the values of a memory that are of these kinds, or names. False alarms are left out.
fn found_values(
    snapshot: &Snapshot,
    at: EntryRef,
    (kinds, names): (&[String], Option<&NameList>),
    triage: &Triage,
) -> Vec<Vec<u8>> {
    let (store, entry) = snapshot.get(at);
    let found = findings(store, entry, names).into_iter().filter(|own| {
        // An address with a name in it is found as an address.
        let is_name = own.kind == Kind::Name || names.is_some_and(|names| !names.find(&own.value).is_empty());
        is_name || kinds.iter().any(|kind| kind == own.kind.as_str())
    });
    found.map(|own| own.value).filter(|own| !triage.is_false_alarm(own)).collect()
}

/// Returns the values that are erased wherever they are: no memory that stays holds them. A short value is in other
/// texts by chance, and one that many memories hold is no secret of these, unless the user named it.
fn erased_everywhere(
    snapshot: &Snapshot,
    goes: &BTreeSet<EntryRef>,
    texts: &BTreeSet<Vec<u8>>,
    is_named: bool,
) -> SecretValues {
    let long = SecretValues::of(texts.iter().filter(|own| own.len() >= SHORTEST_VALUE));
    let values = if is_named { long } else { ValueHolders::of(snapshot, &long).uncommon() };
    if values.is_empty() {
        return values;
    }
    let search = ErasedValues::of(values.all());
    let mut held = BTreeSet::new();
    for at in snapshot.entries().filter(|at| !goes.contains(at)) {
        let (store, entry) = snapshot.get(at);
        // What the format keeps has the value masked.
        if !is_masked(store, entry) {
            held.extend(search.which(&store.raw(entry)));
        }
    }
    SecretValues::of(values.all().iter().enumerate().filter(|(at, _)| !held.contains(at)).map(|(_, own)| own))
}
