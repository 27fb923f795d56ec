//! Which keys must be replaced by their providers: an erased key still opens what it opened before.

use std::collections::{BTreeMap, BTreeSet};

use crate::detectors::{detect, provider_of};
use crate::model::{EntryRef, ProviderKeys, Snapshot};
use crate::ops::secrets::findings;
use crate::usecase::Triage;

/// Returns the keys in memories and among values, by provider. False alarms are left out.
pub fn keys_to_rotate(
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
