//! Tests the numbers of the rank.

use super::*;

/// True if two numbers are equal except for rounding.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn in_the_weighted_sum_the_access_of_what_was_never_read_is_a_half() {
    let asked = memories(&[memory("a", "x")]);
    let query = Query::parse("", now()).unwrap();
    let request = Request { ranking: Ranking::Weighted, ..asked.request(&query) };
    assert_eq!(explain(&request, EntryRef { store: 0, entry: 0 }).unwrap().factors.access, 0.5);
}

#[test]
fn what_is_dated_ahead_counts_as_new_and_what_is_undated_as_old() {
    let asked = memories(&[memory("a", "").aged(-50), memory("b", "").with(|memory| memory.created = None)]);
    let ahead = asked.explained("", 0);
    assert_eq!((ahead.factors.decay, ahead.factors.recency), (1.0, 1.5));
    let undated = asked.explained("", 1);
    assert_eq!(
        (undated.factors.decay, undated.factors.recency, undated.factors.fading.age_hours),
        (0.1, 1.0, None)
    );
}

#[test]
fn a_preference_never_fades() {
    let why = memories(&[memory("a", "").kind("preference").aged(100_000)]).explained("", 0);
    assert_eq!((why.factors.decay, why.factors.fading.rule.half_life_hours), (1.0, None));
}

#[test]
fn words_that_few_memories_have_weigh_more_in_the_match() {
    let asked = memories(&[
        memory("a", "pool").body("oauth"),
        memory("b", "pool"),
        memory("c", "pools"),
        memory("d", "").body("x"),
    ]);
    let why = asked.explained("pool oauth", 0);
    let (pool, oauth) = ((1.0_f64 + 4.0 / 3.0).ln(), (1.0_f64 + 4.0 / 1.0).ln());
    assert_eq!(why.words.iter().map(|word| (word.df, word.n)).collect::<Vec<_>>(), [(3, 4), (1, 4)]);
    assert!(close(why.words[0].idf, pool) && close(why.words[1].idf, oauth));
    assert!(close(why.factors.matched, (pool * 1.0 + oauth * 0.8) / (pool + oauth)));
}

#[test]
fn words_left_out_take_no_part_in_the_match() {
    let why = memories(&[memory("a", "pool"), memory("b", "oauth")]).explained("pool -oauth", 0);
    assert_eq!(why.words.len(), 1);
    assert_eq!(why.factors.matched, 1.0);
}

#[test]
fn a_word_beside_or_that_is_missing_lowers_the_match() {
    let asked = memories(&[memory("a", "pool"), memory("b", "pool oauth")]);
    assert_eq!(asked.found("pool OR oauth"), ["b", "a"]);
}

#[test]
fn a_word_that_only_archived_memories_have_still_has_a_weight() {
    let asked = memories(&[memory("a", "pool").state(State::Archived)]);
    let hits = asked.results("pool is:archived").hits;
    assert_eq!(hits.len(), 1);
    assert!(hits[0].rank.is_some_and(|rank| rank.is_finite() && rank > 0.0));
}

#[test]
fn archived_and_broken_records_do_not_change_what_words_weigh() {
    let live = memories(&[memory("a", "pool"), memory("b", "x")]);
    let more = memories(&[
        memory("a", "pool"),
        memory("b", "x"),
        memory("c", "pool").state(State::Archived),
        memory("d", "pool").state(State::Deleted),
        broken("pool"),
    ]);
    assert_eq!(live.explained("pool", 0).words, more.explained("pool", 0).words);
}

#[test]
fn an_explanation_gives_the_very_rank_of_the_result() {
    let asked = memories(&[
        memory("a", "pool").body("oauth").aged(77).importance(0.73),
        memory("b", "oauth pools").aged(1234).accessed(50).kind("finding"),
        memory("c", "spool").tags(&["oauth"]).aged(3).importance(0.11),
        broken("pool oauth"),
    ]);
    for text in ["", "pool", "pool oauth", "pool OR zebra", "\"oauth pools\" OR p*l", "~pol"] {
        let query = Query::parse(text, now()).unwrap();
        for ranking in [Ranking::Product, Ranking::Weighted] {
            let request = Request { ranking, ..asked.request(&query) };
            for hit in search(&request, &CancelToken::default()).unwrap().hits {
                let why = explain(&request, hit.at);
                assert_eq!(why.as_ref().map(|why| why.factors.rank), hit.rank, "{text}");
                assert_eq!(why.map_or(0.0, |why| why.factors.decay), hit.decay, "{text}");
            }
        }
    }
}
