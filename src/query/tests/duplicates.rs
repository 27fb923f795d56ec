//! Tests duplicates against a naive judge that compares every pair of texts, word by word.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::query::CancelToken;
use crate::query::duplicates::{TextSketch, TextsByDigest, groups};
use crate::text::fold::fold;

/// Returns the groups of `texts`, which are in the order in which they are to be kept.
fn found(texts: &[String], percent: u32) -> Vec<Vec<(usize, f64)>> {
    let mut once = TextsByDigest::default();
    for (place, text) in texts.iter().enumerate() {
        TextSketch::of(text).into_iter().for_each(|text| once.add(place, text));
    }
    groups(once.texts(), percent, &CancelToken::default()).unwrap()
}

/// A text for the judge: its words, and its pairs of neighbouring words if it has enough words.
struct Judged {
    words: Vec<String>,
    pairs: BTreeSet<Vec<String>>,
}

impl Judged {
    fn of(text: &str) -> Judged {
        let folded = fold(text);
        let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|own| !own.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let pairs =
            if words.len() < 4 { [].into() } else { words.windows(2).map(<[String]>::to_vec).collect() };
        Judged { words, pairs }
    }

    fn like(&self, other: &Judged) -> f64 {
        if self.words == other.words {
            return 1.0;
        }
        let common = self.pairs.intersection(&other.pairs).count();
        let longer = self.pairs.len().max(other.pairs.len());
        let ends = [self.words.first() != other.words.first(), self.words.last() != other.words.last()];
        let apart = longer - common;
        let numbers = |judged: &Judged| -> Vec<String> {
            judged.words.iter().filter(|word| word.contains(char::is_numeric)).cloned().collect()
        };
        let share = match numbers(self) == numbers(other)
            && apart > 0
            && apart + ends.into_iter().filter(|differ| *differ).count() <= 2
        {
            true => {
                let unequal = 1 + usize::from(self.pairs.len() == other.pairs.len());
                longer as f64 / (longer + unequal) as f64
            }
            false => common as f64 / (self.pairs.len() + other.pairs.len() - common).max(1) as f64,
        };
        // The same pairs in another order are not an equal text.
        share.min(0.99)
    }
}

fn judged(one: &str, other: &str) -> f64 {
    Judged::of(one).like(&Judged::of(other))
}

/// Checks the groups against the judgement of every pair.
fn hold(texts: &[String], percent: u32, margin: f64) -> Result<(), TestCaseError> {
    let least = f64::from(percent) / 100.0;
    let found = found(texts, percent);
    let mut kept = vec![true; texts.len()];
    let mut seen = BTreeSet::new();
    for group in &found {
        prop_assert!(group.len() > 1);
        prop_assert!(group.is_sorted_by_key(|(place, _)| *place));
        for (place, similarity) in group {
            prop_assert!(seen.insert(*place), "{} is in two groups", texts[*place]);
            let real = judged(&texts[group[0].0], &texts[*place]);
            prop_assert!((real - similarity).abs() < 1e-9, "{similarity}, but {real}");
            prop_assert!(real >= least - 1e-9, "{} | {} {real}", texts[group[0].0], texts[*place]);
            kept[*place] = *place == group[0].0;
        }
    }
    let kept = texts.iter().zip(kept).filter(|(_, kept)| *kept).map(|(text, _)| Judged::of(text));
    let kept: Vec<Judged> = kept.filter(|own| !own.words.is_empty()).collect();
    for (at, one) in kept.iter().enumerate() {
        for other in &kept[..at] {
            let alike = one.like(other);
            prop_assert!(
                alike < least + margin,
                "both are kept, {alike}: {:?} | {:?}",
                one.words,
                other.words
            );
        }
    }
    Ok(())
}

/// Generates texts, some of them copies of others with a few words changed, removed or added.
fn texts(words: usize, most: usize) -> impl Strategy<Value = Vec<String>> {
    let word = (0..words).prop_map(|number| format!("Word{number}é"));
    let text = prop::collection::vec(word.clone(), 0..30);
    let change = (any::<prop::sample::Index>(), 0_u8..4, word);
    let change = (any::<prop::sample::Index>(), prop::collection::vec(change, 0..4));
    (prop::collection::vec(text, 1..6), prop::collection::vec(change, 0..most)).prop_map(
        |(mut texts, changes)| {
            for (of, changes) in changes {
                let mut own = texts[of.index(texts.len())].clone();
                for (at, how, word) in changes {
                    let at = at.index(own.len() + 1).min(own.len());
                    match how {
                        0 => own.insert(at, word),
                        1 if at < own.len() => drop(own.remove(at)),
                        2 if at < own.len() => own[at] = word,
                        _ => {}
                    }
                }
                texts.push(own);
            }
            texts.into_iter().map(|own| own.join(", ")).collect()
        },
    )
}

proptest! {
    #![proptest_config(crate::tries::config(48, 2_048))]

    #[test]
    fn of_what_is_alike_one_is_kept_and_what_is_not_is_in_no_group(
        texts in prop_oneof![texts(12, 40), texts(4_000, 40)],
        percent in prop::sample::select(vec![50, 65, 80, 90, 100]),
    ) {
        // Rare pairs miss nothing.
        hold(&texts, percent, 0.0)?;
    }
}

proptest! {
    #![proptest_config(crate::tries::config(2, 256))]

    #[test]
    fn of_many_by_one_template_those_that_are_alike_are_found(
        runs in prop::collection::vec((0..40_u32, 0..40_u32, 0..6_u32), 300..500),
        percent in prop::sample::select(vec![50, 65, 80, 90]),
    ) {
        let text = |(one, two, three): &(u32, u32, u32)| {
            let (start, end) = ("the nightly run of the tests of part", "was green after it had been begun anew");
            format!("{start} {one} {end} {two} times on machine {three} of the old rack in the cellar")
        };
        hold(&runs.iter().map(text).collect::<Vec<_>>(), percent, 0.1)?;
    }
}

#[test]
fn texts_of_few_words_are_alike_only_where_they_are_equal_and_case_accents_and_signs_do_not_count() {
    let texts = ["Use tabs", "use  TABS!", "Use spaces", "Café au lait", "cafe, au lait", "…", "…", "", ""];
    let found = found(&texts.map(str::to_owned), 50);
    let places = |group: &Vec<(usize, f64)>| group.iter().map(|own| own.0).collect::<Vec<_>>();
    assert_eq!(found.iter().map(places).collect::<Vec<_>>(), [[0, 1], [3, 4]]);
}

#[test]
fn where_no_blanks_are_written_each_sign_is_a_word() {
    let texts =
        ["接続プールのタイムアウト調査", "接続プールのタイムアウト調査中", "全く別の話をここに書いておく"];
    let found = found(&texts.map(str::to_owned), 80);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0][0].0, found[0][1].0), (0, 1));
}

#[test]
fn a_text_joins_what_it_is_most_like_of_what_is_to_be_kept() {
    let base = "one two three four five six seven eight nine ten eleven twelve";
    let near = base.replace("twelve", "dozen");
    let nearer = format!("{base} and");
    let far = base.replace("six", "6").replace("nine", "9");
    let found = found(&[far.clone(), base.into(), near, nearer], 60);
    // At 60 % the third text may join the first, but it is more similar to the second.
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].iter().map(|own| own.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(found[0][2].1 > found[0][1].1);
}

#[test]
fn equal_texts_are_compared_once_however_many_they_are() {
    let mut texts = vec!["the same words over and over again".to_owned(); 20_000];
    texts.push("the same words over and over once more".into());
    let found = found(&texts, 60);
    assert_eq!(
        (found.len(), found[0].len()),
        (1, 20_001 - usize::from(judged(&texts[0], &texts[20_000]) < 0.6))
    );
}
