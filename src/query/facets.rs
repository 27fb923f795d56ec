//! Counts types, tags and other fields of results.

use std::collections::HashMap;
use std::hash::Hash;

use super::Hit;
use crate::model::Snapshot;

/// Counts of what results have in common. Broken records are not counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets {
    /// The counts of types, highest first. Untrusted text.
    pub types: Vec<(String, usize)>,
    /// The counts of tags, highest first. Untrusted text.
    pub tags: Vec<(String, usize)>,
    /// The counts of fields that only some formats have, in the order of the formats: the name and its
    /// values, highest first. A field with more than 24 values is left out. Untrusted text.
    pub fields: Vec<(&'static str, Vec<(String, usize)>)>,
    /// The numbers of results of high, medium and low importance, with the limits of `importance:`.
    pub importance: [usize; 3],
}

/// Counts types, tags, importance and fields of results.
pub fn facets(snapshot: &Snapshot, hits: &[Hit]) -> Facets {
    let mut importance = [0; 3];
    let mut fields: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    let (mut types, mut tags) = (HashMap::new(), HashMap::new());
    for hit in hits {
        let (store, entry) = snapshot.get(hit.at);
        let Some(memory) = store.memory(entry) else { continue };
        count(&mut types, memory.kind());
        memory.tags().for_each(|tag| count(&mut tags, tag));
        for (name, value) in memory.facets() {
            count(fields.entry(name).or_default(), value);
        }
        let [high, medium, low] = &mut importance;
        *match memory.importance {
            0.75.. => high,
            0.45.. => medium,
            _ => low,
        } += 1;
    }
    let few = |values: &HashMap<&str, usize>| values.len() <= VALUES;
    let named = crate::format::facets().filter_map(|name| Some((name, fields.remove(name).filter(few)?)));
    let fields = named.map(|(name, values)| (name, most_first(values))).collect();
    Facets { types: most_first(types), tags: most_first(tags), fields, importance }
}

/// A field with more values is left out: a user does not pick from such a long list.
const VALUES: usize = 24;

fn count<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: K) {
    *counts.entry(key).or_default() += 1;
}

/// Sorts words by their counts, highest first, then by name.
pub fn most_first(counts: HashMap<&str, usize>) -> Vec<(String, usize)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}
