//! Tests where words are found, and how well they hit.

use proptest::prelude::*;

use super::*;

fn hit(word: &str, memory: TestMemory) -> f64 {
    memories(&[memory]).explained(word, 0).words.remove(0).hit
}

#[test]
fn the_best_place_of_a_word_counts_whatever_its_case_and_accents() {
    let far = "p a very long title in which the letters g and s and q and l stand far apart";
    for (word, memory, expected) in [
        ("pool", memory("m", "the Pool, again"), 1.0),
        ("pool", memory("m", "").tags(&["db.pool"]), 1.0),
        ("pool", memory("pool-7", ""), 1.0),
        ("pool", memory("m", "carpool pools pool"), 1.0),
        ("pool", memory("m", "carpool").body("pools spool (pool)"), 0.8),
        ("pool", memory("m", "carpool").body("pools"), 0.6),
        ("pool", memory("m", "carpool pooling").body("spool"), 0.6),
        ("pool", memory("m", "carpool").body("spool"), 0.4),
        ("pool", memory("m", "none").body("at all"), 0.0),
        ("cafe", memory("m", "CAFE\u{301}"), 1.0),
        ("CAFÉ", memory("m", "cafe"), 1.0),
        ("プール", memory("m", "接続フ\u{309a}ール"), 0.4),
        ("strasse", memory("m", "").body("Straße"), 0.8),
        // A letter beside it that is not ASCII belongs to the word.
        ("pool", memory("m", "pool接"), 0.6),
        ("pool", memory("m", "接pool"), 0.4),
        ("pool", memory("m", "«pool»"), 1.0),
        // A phrase goes across line ends, and never from one field into the next.
        ("\"connection pool\"", memory("m", "Connection\n\t pool"), 1.0),
        ("\"connection po\"", memory("m", "").body("a connection pool"), 0.6),
        ("\"one two\"", memory("m", "one").tags(&["two"]), 0.0),
        ("\"m two\"", memory("m", "one").body("two"), 0.0),
        // A star matches anything within one word.
        ("auth*", memory("m", "authentication"), 1.0),
        ("auth*", memory("m", "oauth"), 0.0),
        ("*auth", memory("m", "").body("oauth"), 0.8),
        ("*auth", memory("m", "authn"), 0.0),
        ("a*n", memory("m", "an authn"), 1.0),
        ("a*n", memory("m", "a n"), 0.0),
        ("a*t*n", memory("m", "authnz a-tin"), 1.0),
        // A fuzzy word finds titles with its letters in order.
        ("~pgsql", memory("m", "Use PostgreSQL"), 0.4),
        ("~pgsql", memory("m", "x").body("PostgreSQL"), 0.0),
        ("~pool", memory("m", "pool"), 1.0),
        ("~zebra", memory("m", "Use PostgreSQL"), 0.0),
        ("~pgsql", memory("m", far), 0.0),
    ] {
        let text = memory.raw.clone();
        assert_eq!(hit(word, memory), expected, "{word} in {text}");
    }
}

#[test]
fn a_broken_record_is_found_by_its_bytes() {
    let asked = memories(&[memory("a", "other"), broken("{\"text\":\"pool of")]);
    assert_eq!(asked.found("pool"), ["{\"text\":\"pool of"]);
}

#[test]
fn an_index_shares_the_text_of_files_that_did_not_change() {
    let one = || store("/one", &[memory("a", "pool")]);
    let before = stores(vec![one(), store("/two", &[memory("b", "pool")])]);
    let changed = store("/two", &[memory("b", "pool"), memory("c", "oauth")]);
    let snapshot = Snapshot::of(vec![Arc::new(one()), Arc::new(changed)]);
    let asked_for = std::sync::Mutex::new(Vec::new());
    let source = |store: &Store, entry: &Entry| {
        asked_for.lock().unwrap().push(store.root.clone());
        searched(store, entry)
    };
    let text =
        TextIndex::build_from(&snapshot, Some(&before.text), &CancelToken::default(), &source).unwrap();
    assert_eq!(asked_for.into_inner().unwrap(), [PathBuf::from("/two"), PathBuf::from("/two")]);
    let after = Asked { snapshot, text };
    assert_eq!(after.found("pool"), ["a", "b"]);
    assert_eq!(after.found("oauth"), ["c"]);
}

#[test]
fn an_index_of_a_file_s_tail_is_not_taken_for_the_whole() {
    let whole = store("/one", &[memory("a", "pool"), memory("b", "oauth")]);
    let mut tail = whole.clone();
    tail.entries.remove(0);
    let tail = stores(vec![tail]);
    let snapshot = Snapshot::of(vec![Arc::new(whole)]);
    let text =
        TextIndex::build_from(&snapshot, Some(&tail.text), &CancelToken::default(), &searched).unwrap();
    assert_eq!(Asked { snapshot, text }.found("pool"), ["a"]);
}

#[test]
fn a_cancelled_build_or_search_gives_nothing() {
    let asked = memories(&[memory("a", "pool")]);
    let cancel = CancelToken::default();
    let older = cancel.next();
    let _newer = cancel.next();
    assert!(TextIndex::build(&asked.snapshot, None, &older).is_none());
    let query = Query::parse("pool", now()).unwrap();
    assert_eq!(search(&asked.request(&query), &older), None);
}

/// Computes a hit in the simplest way: tries every place, one by one.
fn expected(word: &str, head: &[&str], body: &str) -> f64 {
    let best = |text: &str, whole: f64| {
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let levels = (0..text.len()).filter(|&at| text[at..].starts_with(word)).map(|at| {
            let starts = !inside(text[..at].chars().next_back());
            let ends = !inside(text[at + word.len()..].chars().next());
            if starts && ends {
                whole
            } else if starts {
                0.6
            } else {
                0.4
            }
        });
        levels.fold(0.0, f64::max)
    };
    head.iter().map(|text| best(text, 1.0)).fold(best(body, 0.8), f64::max)
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn hits_are_those_of_the_plain_rule(
        word in "[ab]{1,3}",
        texts in proptest::collection::vec(("[ab ,]{0,10}", "[ab ,]{0,16}"), 1..6),
    ) {
        let all: Vec<TestMemory> = texts.iter().map(|(title, body)| memory("-", title).body(body)).collect();
        let asked = memories(&all);
        for (index, (title, body)) in texts.iter().enumerate() {
            let hit = asked.explained(&word, index as u32).words[0].hit;
            prop_assert_eq!(hit, expected(&word, &[title, "-"], body), "{} | {}", title, body);
        }
    }

    #[test]
    fn what_a_longer_query_hits_is_where_the_words_so_far_are(
        before in "-?[ab*~]{1,3}( [ab*]{1,2})?",
        more in "[ab*]{0,2}( -?[ab*~]{1,3})?",
        texts in proptest::collection::vec(("[ab ,]{0,10}", "[ab ,]{0,16}"), 1..6),
    ) {
        let all: Vec<TestMemory> = texts.iter().map(|(title, body)| memory("-", title).body(body)).collect();
        let asked = memories(&all);
        let parsed = [before.clone(), format!("{before}{more}")].map(|text| Query::parse(&text, now()));
        let [Ok(before), Ok(query)] = parsed else { return Ok(()) };
        let [before, words] =
            [&before, &query].map(|query| asked.request(query).matches(&CancelToken::default()).unwrap());
        let Some(within) = before.within(&query) else { return Ok(()) };
        for at in asked.snapshot.entries() {
            let is_hit = (0..query.words.len()).any(|word| words.hits(word, at));
            prop_assert!(!is_hit || within.holds(at.store as usize, at.entry as usize), "{:?}", at);
        }
    }
}
