//! Finds what a clean-up takes. Preview and effect both use what is found here.

use std::collections::{BTreeMap, BTreeSet};

use super::clean_up_match::{CleanUpAction, CleanUpError, CleanUpMatch, CleanUpRequest};
use super::near_copies::{NearCopy, NearKind, near_copies};
use crate::check::secrets::{Finding, findings};
use crate::detectors::{Kind, NameList, detect, provider_of};
use crate::model::{EntryRef, Moment, ProviderKeys, Snapshot, is_kept};
use crate::ops::erase::is_masked;
use crate::query::{CancelToken, Order, Query, Ranking, Request, Results, search};
use crate::store::erase::SecretValues;
use crate::usecase::value_holders::{SHORTEST_VALUE, ValueHolders, removable};
use crate::usecase::{DetectedValues, HiddenValues, Triage, erasable};

/// What is asked, and of which stores. They list their deleted and archived memories.
struct CleanUpSearch<'a> {
    snapshot: &'a Snapshot,
    request: &'a CleanUpRequest,
    triage: &'a Triage,
    now: Moment,
    cancel: &'a CancelToken,
    /// The memories of the time that is asked for; `None` if it is any.
    in_time: Option<BTreeSet<EntryRef>>,
}

/// What fits, and the values that are the reason.
#[derive(Default)]
struct FittingMemories {
    at: BTreeSet<EntryRef>,
    /// The values, each with true if it is a key: a part of it is secret, too.
    values: BTreeMap<Vec<u8>, bool>,
    /// Says how many memories may fit and have no time, if one is asked for.
    timeless: Option<String>,
}

/// The memories that go, and those that stay for a reason that is said.
#[derive(Default)]
struct GoingAndStaying {
    goes: BTreeSet<EntryRef>,
    near: BTreeMap<EntryRef, NearKind>,
    pinned: BTreeSet<EntryRef>,
}

/// Finds what a clean-up takes from stores that list their deleted and archived memories.
/// Fails if the request names nothing, or can't be understood.
pub fn find(
    snapshot: &Snapshot,
    request: &CleanUpRequest,
    triage: &Triage,
    now: Moment,
    cancel: &CancelToken,
) -> Result<CleanUpMatch, CleanUpError> {
    let rule = &request.rule;
    if rule.says_nothing() || rule.is_empty() && request.values.is_empty() && request.names.is_none() {
        return Err(CleanUpError::Empty);
    }
    let query = rule.parsed(now).map_err(CleanUpError::Query)?;
    let time = rule.parsed_time(now).map_err(CleanUpError::Query)?;
    let in_time = time.map(|time| of_query(snapshot, &time, now, cancel)).transpose()?;
    let in_time = in_time.map(|found| memories(&found).collect());
    let search = CleanUpSearch { snapshot, request, triage, now, cancel, in_time };
    let fitting = search.fitting(query.as_ref())?;
    let found = search.going(fitting.at)?;
    let mut words = query.map(|own| own.wanted_texts()).unwrap_or_default();
    words.extend(request.names.iter().flat_map(|own| NameList::lines(own).map(str::to_owned)));
    let found = search.matched(found, &fitting.values);
    let by_file = search.by_file_note(&found.at);
    let time_notes = fitting.timeless.into_iter().chain(by_file).collect();
    Ok(CleanUpMatch { words, time_notes, ..found })
}

impl CleanUpSearch<'_> {
    fn fitting(&self, query: Option<&Query>) -> Result<FittingMemories, CleanUpError> {
        let CleanUpSearch { snapshot, request, .. } = *self;
        let found = query.map(|query| of_query(snapshot, query, self.now, self.cancel)).transpose()?;
        let mut own = FittingMemories {
            timeless: found.as_ref().and_then(Results::timeless_note),
            at: match &found {
                Some(found) => memories(found).collect(),
                None => snapshot.entries().collect(),
            },
            values: request.values.iter().map(|own| (own.clone().into_bytes(), true)).collect(),
        };
        if !request.values.is_empty() {
            let holders = ValueHolders::of(snapshot, &SecretValues::of(&request.values));
            holders.refusal().map_or(Ok(()), |why| Err(CleanUpError::Value(why)))?;
            own.at.retain(|at| holders.found.contains_key(at));
        }
        let names = names_of(request)?;
        if let Some(names) = &names {
            let holders = self.detected(&own.at, Some(names), &|found| self.is_name(found, names)).holders;
            own.at = holders.into_iter().collect();
        }
        if !request.rule.kinds.is_empty() {
            let holders = self.detected(&own.at, names.as_ref(), &|found| self.is_of_kind(found)).holders;
            own.at = holders.into_iter().collect();
        }
        let is_wanted = |found: &Finding| {
            self.is_of_kind(found) || names.as_ref().is_some_and(|names| self.is_name(found, names))
        };
        let values = self.detected(&own.at, names.as_ref(), &is_wanted).values;
        values.into_iter().for_each(|(value, is_key)| _ = own.values.entry(value).or_insert(is_key));
        Ok(own)
    }

    fn detected(
        &self,
        at: &BTreeSet<EntryRef>,
        names: Option<&NameList>,
        is_wanted: &dyn Fn(&Finding) -> bool,
    ) -> DetectedValues {
        if names.is_none() && self.request.rule.kinds.is_empty() {
            return DetectedValues::default();
        }
        DetectedValues::of(self.snapshot, at.iter().copied(), names, is_wanted)
    }

    /// True for a name, and for an address with a name in it, which is found as an address.
    fn is_name(&self, own: &Finding, names: &NameList) -> bool {
        (own.kind == Kind::Name || !names.find(&own.value).is_empty())
            && !self.triage.is_false_alarm(&own.value)
    }

    fn is_of_kind(&self, own: &Finding) -> bool {
        let is_wanted = self.request.rule.kinds.iter().any(|kind| kind == own.kind.as_str());
        is_wanted && !self.triage.is_false_alarm(&own.value)
    }

    /// Adds what says the same to what fits, and what the user chose by hand. Pinned memories and those of another
    /// time stay, unless the user chose them.
    fn going(&self, fits: BTreeSet<EntryRef>) -> Result<GoingAndStaying, CleanUpError> {
        let request = self.request;
        let is_by_words = request.is_by_words();
        let (pinned, fits): (BTreeSet<EntryRef>, BTreeSet<EntryRef>) =
            fits.into_iter().partition(|at| is_by_words && self.is_pinned(*at));
        let goes: BTreeSet<EntryRef> = fits.union(&request.with).copied().collect();
        let others: Vec<EntryRef> = self.snapshot.entries().filter(|at| !goes.contains(at)).collect();
        let chosen: Vec<EntryRef> = goes.iter().copied().collect();
        let near = near_copies(self.snapshot, &chosen, &others, &request.values, self.cancel);
        let near = near.ok_or(CleanUpError::Stopped)?;
        let mut own = GoingAndStaying { goes, near: BTreeMap::new(), pinned };
        for (at, kind) in near {
            let is_taken = request.rule.near_copies || is_by_words && kind == NearKind::Equal;
            match is_taken && self.is_in_time(at) {
                true if self.is_pinned(at) => _ = own.pinned.insert(at),
                true => _ = own.goes.insert(at),
                false => _ = own.near.insert(at, kind),
            }
        }
        own.goes.retain(|at| !request.except.contains(at));
        own.near.retain(|at, _| !request.except.contains(at) && !own.pinned.contains(at));
        own.pinned.retain(|at| !own.goes.contains(at) && !request.except.contains(at));
        Ok(own)
    }

    /// Says how many memories have only the time of their file, if a time is asked for.
    fn by_file_note(&self, at: &[EntryRef]) -> Option<String> {
        let times = at.iter().filter_map(|at| self.snapshot.get(*at).0.time_of(self.snapshot.get(*at).1));
        match times.filter(|time| time.is_of_file()).count() {
            count if count == 0 || self.in_time.is_none() => None,
            1 => Some("of 1 memory only the time of its file is known: it may be older".to_owned()),
            count => {
                Some(format!("of {count} memories only the time of their file is known: they may be older"))
            }
        }
    }

    fn is_in_time(&self, at: EntryRef) -> bool {
        self.in_time.as_ref().is_none_or(|own| own.contains(&at))
    }

    /// True if a memory is pinned, and pinned ones stay.
    fn is_pinned(&self, at: EntryRef) -> bool {
        let (store, entry) = self.snapshot.get(at);
        !self.request.rule.pinned && store.memory(entry).is_some_and(|memory| is_kept(memory, self.now))
    }

    /// Names what goes and what stays, with the values that are erased everywhere.
    fn matched(&self, found: GoingAndStaying, values: &BTreeMap<Vec<u8>, bool>) -> CleanUpMatch {
        let CleanUpSearch { snapshot, request, .. } = *self;
        let GoingAndStaying { goes, near, pinned } = found;
        let erasable = self.erasable(values);
        let takes_out = request.action == CleanUpAction::TakeOut;
        let mut holders = ValueHolders::of(snapshot, &erasable).found;
        holders.retain(|at, _| !goes.contains(at));
        // What the format keeps has the value masked, unless the user wants that memory to stay as it is.
        let stays = holders.iter().filter(|(at, _)| {
            let (store, entry) = snapshot.get(**at);
            request.except.contains(at) || !takes_out && !is_masked(store, entry)
        });
        let held: BTreeSet<usize> = stays.flat_map(|(_, values)| values).copied().collect();
        let everywhere = erasable.all().iter().enumerate().filter(|(at, _)| !held.contains(at));
        let everywhere = SecretValues::of(everywhere.map(|(_, own)| own));
        let is_named =
            |at: &EntryRef| request.except.contains(at) || pinned.contains(at) || goes.contains(at);
        let holders: Vec<EntryRef> = holders.into_keys().filter(|at| !is_named(at)).collect();
        let is_near = |kind| !takes_out || kind == NearKind::Part;
        let near = near.into_iter().filter(|(at, kind)| !holders.contains(at) && is_near(*kind));
        let near = near.map(|(at, kind)| NearCopy {
            at,
            kind,
            is_out_of_time: !self.is_in_time(at),
            is_pinned: self.is_pinned(at),
        });
        let near_copies = near.collect();
        let (at, holders): (Vec<EntryRef>, Vec<EntryRef>) = match takes_out {
            true => {
                (goes.into_iter().chain(holders).collect::<BTreeSet<_>>().into_iter().collect(), Vec::new())
            }
            false => (goes.into_iter().collect(), holders),
        };
        CleanUpMatch {
            rotate: keys_to_rotate(snapshot, &at, &request.values, self.triage),
            near_copies,
            pinned: pinned.into_iter().collect(),
            values_left: values.len() - everywhere.all().len(),
            hidden: self.hidden(values),
            values: everywhere,
            holders,
            at,
            ..CleanUpMatch::default()
        }
    }

    /// Returns the values that may be erased wherever they are: also a common one, if the user named it.
    fn erasable(&self, values: &BTreeMap<Vec<u8>, bool>) -> SecretValues {
        if self.request.action == CleanUpAction::TakeOut {
            return removable(self.snapshot, values);
        }
        let named: BTreeSet<&[u8]> = self.request.values.iter().map(|own| own.as_bytes()).collect();
        let found = erasable(self.snapshot, values.keys().filter(|own| !named.contains(&own[..])));
        let named = named.into_iter().filter(|own| own.len() >= SHORTEST_VALUE);
        SecretValues::of(named.chain(found.all().iter().map(|own| &own[..])))
    }

    /// Returns what is never shown. A short name is a part of other words, so it is shown.
    fn hidden(&self, values: &BTreeMap<Vec<u8>, bool>) -> HiddenValues {
        let long = values.iter().filter(|(own, _)| own.len() >= SHORTEST_VALUE);
        let keys = long.clone().filter(|(_, is_key)| **is_key).map(|(own, _)| own);
        HiddenValues::of(&SecretValues::of(long.clone().map(|(own, _)| own)), &SecretValues::of(keys))
    }
}

fn of_query(
    snapshot: &Snapshot,
    query: &Query,
    now: Moment,
    cancel: &CancelToken,
) -> Result<Results, CleanUpError> {
    let (ranking, order) = (Ranking::default(), Order::default());
    let request = Request { snapshot, text: None, query, ranking, order, all: true, now };
    let found = search(&request, cancel).ok_or(CleanUpError::Stopped)?;
    found.answered().map_err(CleanUpError::Saved)
}

fn memories(found: &Results) -> impl Iterator<Item = EntryRef> + '_ {
    found.hits.iter().map(|hit| hit.at)
}

fn names_of(request: &CleanUpRequest) -> Result<Option<NameList>, CleanUpError> {
    let Some(text) = &request.names else { return Ok(None) };
    let why = || CleanUpError::Value("the list has no names, or more than can be searched for.".into());
    NameList::of(text).map(Some).ok_or_else(why)
}

/// Returns the keys in memories and among values, by provider, which must replace them: an erased key still opens what it
/// opened before. False alarms are left out.
fn keys_to_rotate(
    snapshot: &Snapshot,
    at: &[EntryRef],
    values: &[String],
    triage: &Triage,
) -> Vec<ProviderKeys> {
    let mut rules: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    for at in at {
        let (store, entry) = snapshot.get(*at);
        for own in findings(store, entry, None) {
            if own.kind.is_secret() && !triage.is_false_alarm(&own.value) {
                rules.insert(own.value, own.rule.into_owned());
            }
        }
    }
    for value in values {
        for own in detect(value.as_bytes(), None).into_iter().filter(|own| own.kind.is_secret()) {
            let found = value.as_bytes()[own.span].to_vec();
            rules.entry(found).or_insert_with(|| own.rule.into_owned());
        }
    }
    by_provider(&rules)
}

/// Groups keys by their provider.
fn by_provider(rules: &BTreeMap<Vec<u8>, String>) -> Vec<ProviderKeys> {
    let mut groups: BTreeMap<(String, String), (BTreeSet<&str>, usize)> = BTreeMap::new();
    for rule in rules.values() {
        let own = provider_of(rule);
        let group = groups.entry((own.name.into_owned(), own.place.into_owned())).or_default();
        group.0.insert(rule);
        group.1 += 1;
    }
    let one = |((provider, place), (rules, keys)): ((String, String), (BTreeSet<&str>, usize))| {
        ProviderKeys { provider, rules: rules.into_iter().map(str::to_owned).collect(), keys, place }
    };
    groups.into_iter().map(one).collect()
}
