//! Which records are similar to chosen ones, and how similar each is to the most similar of them.
//!
//! These may be erased, so only the pairs of words count: a rule for `alpha` is not the one for `beta`.

use super::duplicates::{DistinctText, SimilarityIndex, TextSketch, distinct, said, similarity};
use super::{CancelToken, Hit};
use crate::model::{EntryRef, Snapshot};

/// A record, and its similarity to the most similar of the chosen ones, in percent. Only equal texts have 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestEntry {
    /// The record.
    pub at: EntryRef,
    /// The similarity in percent, rounded down.
    pub percent: u32,
}

/// Returns the other records whose texts are at least `percent` similar to one of the chosen records. Records that
/// can't be read or have no words are left out. `None` if cancelled.
pub fn nearest(
    snapshot: &Snapshot,
    (chosen, others): (&[EntryRef], &[EntryRef]),
    percent: u32,
    cancel: &CancelToken,
) -> Option<Vec<NearestEntry>> {
    let all: Vec<Hit> =
        chosen.iter().chain(others).map(|at| Hit { at: *at, rank: None, decay: 0.0 }).collect();
    let text = |hit: &Hit| {
        let (store, entry) = snapshot.get(hit.at);
        store.is_readable(entry).then(|| TextSketch::of(&said(store, entry))).flatten()
    };
    let texts = distinct(&all, &text, cancel)?;
    let found = nearest_texts(&texts, chosen.len(), percent, cancel)?;
    let mut found: Vec<NearestEntry> = found
        .into_iter()
        .map(|(place, similarity)| NearestEntry {
            at: all[place].at,
            percent: (similarity * 100.0 + 1e-9) as u32,
        })
        .collect();
    found.sort_unstable_by_key(|near| near.at);
    Some(found)
}

/// Returns the places from `chosen` on whose text is similar to one at an earlier place, with the similarity. The texts
/// are in the order of their first places.
///
/// Chosen texts that are similar to each other form a group, and only its first text is in the index. The part of the
/// pairs in which two texts differ is a distance (Jaccard): a text that is similar to any member is not further from the
/// first than twice the allowed distance. So the index finds the group, and its members are compared one by one.
fn nearest_texts(
    texts: &[DistinctText],
    chosen: usize,
    percent: u32,
    cancel: &CancelToken,
) -> Option<Vec<(usize, f64)>> {
    let least = (2 * percent).saturating_sub(100);
    let mut index = SimilarityIndex::of(texts, least, DistinctText::pairs_overlap);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); texts.len()];
    let mut found = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        cancel.check()?;
        let rare = index.rare(&text.pairs);
        let is_chosen = text.places.first().is_some_and(|place| *place < chosen);
        let nearest = match is_chosen {
            true => {
                let first = index.best(number, &rare).filter(|(_, share)| is_similar(*share, percent));
                match first {
                    Some((first, _)) => members[first].push(number),
                    None => {
                        index.add(number, rare);
                        members[number].push(number);
                    }
                }
                Some(1.0)
            }
            false => {
                let groups = index.similar(number, &rare).flat_map(|(first, _)| &members[first]);
                let each = groups.map(|member| similarity(text.pairs_overlap(&texts[*member])));
                each.max_by(f64::total_cmp).filter(|similarity| is_similar(*similarity, percent))
            }
        };
        let places = text.places.iter().filter(|place| **place >= chosen);
        found.extend(nearest.into_iter().flat_map(|near| places.clone().map(move |place| (*place, near))));
    }
    Some(found)
}

fn is_similar(similarity: f64, percent: u32) -> bool {
    similarity * 100.0 + 1e-9 >= f64::from(percent)
}

#[cfg(test)]
mod tests {
    use super::super::duplicates::TextsByDigest;
    use super::*;

    /// Texts by one template of 40 words, of which some are other words.
    fn texts(count: usize) -> Vec<DistinctText> {
        let mut all = TextsByDigest::default();
        for number in 0..count {
            let word = |at: usize| match (number * 7 + at * 13) % 41 {
                0 | 1 => format!("other{}", number * 31 + at),
                _ => format!("word{at}"),
            };
            let text: Vec<String> = (0..40).map(word).collect();
            all.add(number, TextSketch::of(&text.join(" ")).unwrap());
        }
        all.texts()
    }

    #[test]
    fn each_text_that_is_similar_to_one_of_thousands_by_a_template_is_found() {
        let (texts, chosen) = (texts(2_100), 2_000);
        let found = nearest_texts(&texts, chosen, 80, &CancelToken::default()).unwrap();
        let exact = |text: &DistinctText| {
            let chosen = texts.iter().filter(|other| other.places[0] < chosen);
            let each = chosen.map(|other| similarity(text.pairs_overlap(other)));
            each.max_by(f64::total_cmp).unwrap()
        };
        let expected: Vec<(usize, f64)> = texts
            .iter()
            .filter(|text| text.places[0] >= chosen)
            .map(|text| (text.places[0], exact(text)))
            .filter(|(_, similarity)| is_similar(*similarity, 80))
            .collect();
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!(found, expected);
    }
}
