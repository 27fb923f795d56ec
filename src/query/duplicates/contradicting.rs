//! Pairs of memories of one store that say nearly the same, but with different dates or numbers.

use std::collections::HashMap;

use super::claims::Claim;
use super::{Contradiction, SimilarEntry, TextSketch, TextsByDigest, common, groups, said};
use crate::format::{self, RecordSyntax};
use crate::model::{EntryRef, PathText, Snapshot, State, Store};
use crate::query::cancel::CancelToken;
use crate::query::search_results::Hit;

/// From this similarity on, in percent, texts without their figures count as nearly the same.
const SIMILAR_CLAIMS: u32 = 85;
/// What more memories say is a template.
const MOST_ALIKE: usize = 3;

/// Two entries of a store by their numbers, and what differs.
pub type ContradictingPair = (u32, u32, Contradiction);

/// Returns the pairs among these entries of a store that contradict each other. Only notes are compared. `None` if
/// cancelled.
pub fn contradictions(
    store: &Store,
    entries: impl Iterator<Item = u32>,
    cancel: &CancelToken,
) -> Option<Vec<ContradictingPair>> {
    let claims: Vec<(u32, Claim)> =
        entries.filter_map(|number| Some((number, claim_of(store, number)?))).collect();
    let mut once = TextsByDigest::default();
    for (place, (_, claim)) in claims.iter().enumerate() {
        TextSketch::of(&claim.masked).into_iter().for_each(|text| once.add(place, text));
    }
    let mut pairs = Vec::new();
    for group in groups(once.texts(), SIMILAR_CLAIMS, cancel)?.iter().filter(|own| own.len() <= MOST_ALIKE) {
        let mut members = group.iter().filter_map(|(place, _)| claims.get(*place));
        let Some((first, claim)) = members.next() else { continue };
        pairs.extend(members.filter_map(|(number, own)| Some((*first, *number, claim.contradicts(own)?))));
    }
    Some(pairs)
}

fn claim_of(store: &Store, number: u32) -> Option<Claim> {
    let entry = store.entries.get(number as usize).filter(|own| own.state == State::Live)?;
    let path = &store.document(entry).path;
    let is_note = format::by_name(store.format)?.syntax(path) == RecordSyntax::Markdown;
    if !is_note || !store.is_readable(entry) {
        return None;
    }
    Claim::of(&path.to_text(), &format::text_of(store, entry).text)
}

/// Adds the pairs to groups of similar memories: a note on a member of a group, or a member or a group more. `None` if
/// cancelled.
pub fn add_contradictions(
    snapshot: &Snapshot,
    ranked: &[Hit],
    groups: &mut Vec<Vec<SimilarEntry>>,
    cancel: &CancelToken,
) -> Option<()> {
    let places: HashMap<EntryRef, usize> = ranked.iter().enumerate().map(|(at, hit)| (hit.at, at)).collect();
    let mut of = HashMap::new();
    for (number, group) in groups.iter().enumerate() {
        of.extend(group.iter().map(|own| (own.hit.at, number)));
    }
    for (number, store) in (0..).zip(&snapshot.stores) {
        let own = ranked.iter().map(|hit| hit.at).filter(|at| at.store == number);
        for (one, other, contradiction) in contradictions(store, own.map(|at| at.entry), cancel)? {
            let pair = [one, other].map(|entry| EntryRef { store: number, entry });
            let [first, hit] = pair.map(|at| places.get(&at).and_then(|place| ranked.get(*place)).copied());
            let similarity = similarity(snapshot, pair);
            let member = SimilarEntry { hit: hit?, similarity, contradiction: Some(contradiction) };
            add(groups, &mut of, first?, member);
        }
    }
    let place = |own: &SimilarEntry| places.get(&own.hit.at).copied();
    groups.iter_mut().for_each(|group| group.sort_by_key(place));
    groups.sort_by_key(|group| group.first().and_then(place));
    Some(())
}

/// Adds a memory that contradicts `first` to the groups. `of` has the group of each member: a memory is in one at most.
fn add(
    groups: &mut Vec<Vec<SimilarEntry>>,
    of: &mut HashMap<EntryRef, usize>,
    first: Hit,
    member: SimilarEntry,
) {
    let other = member.hit.at;
    match (of.get(&first.at).copied(), of.get(&other).copied()) {
        (None, None) => {
            of.extend([(first.at, groups.len()), (other, groups.len())]);
            let first = SimilarEntry { hit: first, similarity: 1.0, contradiction: None };
            groups.push(vec![first, member]);
        }
        // Members of a group are compared with its first.
        (Some(number), within) => {
            let group = groups.get_mut(number).filter(|own| own.first().is_some_and(|own| own.hit == first));
            match (group, within) {
                (Some(group), None) => {
                    of.insert(other, number);
                    group.push(member);
                }
                (Some(group), Some(_)) => {
                    let own = group.iter_mut().find(|own| own.hit.at == other);
                    own.into_iter().for_each(|own| own.contradiction.clone_from(&member.contradiction));
                }
                (None, _) => {}
            }
        }
        (None, Some(_)) => {}
    }
}

fn similarity(snapshot: &Snapshot, pair: [EntryRef; 2]) -> f64 {
    let sketch = |at: EntryRef| {
        let (store, entry) = snapshot.get(at);
        TextSketch::of(&said(store, entry))
    };
    let [Some(one), Some(other)] = pair.map(sketch) else { return 0.0 };
    let both = common(&one.pairs, &other.pairs);
    let all = (one.pairs.len() + other.pairs.len()) as u64 - both;
    if all == 0 { 0.0 } else { (both as f64 / all as f64).min(0.99) }
}
