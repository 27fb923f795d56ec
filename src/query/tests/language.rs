//! Tests what each part of the language means.

use proptest::prelude::*;

use super::*;
use crate::model::Reference;

fn three() -> Asked {
    memories(&[
        memory("a", "Use a connection pool").body("for the database"),
        memory("b", "OAuth tokens").body("expire from the pool of keys"),
        memory("c", "Concise answers"),
    ])
}

fn error(query: &str) -> QueryError {
    Query::parse(query, now()).unwrap_err()
}

#[test]
fn words_phrases_signs_and_groups_find_what_they_say() {
    assert!(!Query::parse(" ", now()).unwrap().has_conditions());
    for (query, found) in [
        ("  ", &["a", "b", "c"][..]),
        ("pool connection", &["a"]),
        ("\"connection  pool\"", &["a"]),
        ("\"pool connection\"", &[]),
        ("pool -oauth", &["a"]),
        ("pool -\"pool of keys\"", &["a"]),
        ("pool -id:a", &["b"]),
        ("-(oauth OR concise)", &["a"]),
        ("-pool", &["c"]),
        // OR binds less than words side by side, and is written in capitals.
        ("concise OR oauth keys", &["b", "c"]),
        ("(concise OR oauth) keys", &["b"]),
        ("concise or oauth", &[]),
    ] {
        let mut own = three().found(query);
        own.sort();
        assert_eq!(own, found, "{query}");
    }
}

#[test]
fn a_phrase_may_hold_quotes_and_end_in_a_backslash() {
    let asked = memories(&[
        memory("a", r"C:\dir\"),
        memory("b", r#"say "yes" now"#),
        memory("c", r"C:\dir"),
        memory("d", r"C:\dir\x"),
    ]);
    assert_eq!(asked.found(r#""C:\dir\\""#), ["a", "d"]);
    assert_eq!(asked.found(r#""C:\\dir\\""#), ["a", "d"]);
    assert_eq!(asked.found(r#""say \"yes\"""#), ["b"]);
    assert_eq!(error(r#""C:\dir\""#).message, "This quote is not closed.");
}

#[test]
fn words_with_two_hyphens_urls_and_times_are_words() {
    let asked =
        memories(&[memory("a", "run with --json at 12:30"), memory("b", "see http://x/y std::fs C:\\tmp")]);
    assert_eq!(asked.found("--json"), ["a"]);
    assert_eq!(asked.found("12:30"), ["a"]);
    assert_eq!(asked.found("http://x std::fs C:\\tmp"), ["b"]);
    let asked = memories(&[memory("a", "note: foo:bar, call parse() first"), memory("b", "foo parse")]);
    assert_eq!(asked.found("\"foo:bar\""), ["a"]);
    assert_eq!(asked.found("(parse())"), ["a"]);
}

#[test]
fn a_list_of_values_takes_any_of_them() {
    let asked = memories(&[
        memory("a", "").kind("decision"),
        memory("b", "").kind("Finding"),
        memory("c", "").kind("preference"),
    ]);
    assert_eq!(asked.found("type:decision,finding"), ["a", "b"]);
    assert_eq!(asked.found("-type:decision,finding"), ["c"]);
}

#[test]
fn a_tag_is_that_tag_and_a_star_what_lies_beneath_it() {
    let asked = memories(&[
        memory("a", "").tags(&["Security"]),
        memory("b", "").tags(&["security.auth"]),
        memory("c", "").tags(&["insecurity"]),
    ]);
    assert_eq!(asked.found("tag:security"), ["a"]);
    assert_eq!(asked.found("tag:security.*"), ["b"]);
    assert_eq!(asked.found("-tag:security,security.*"), ["c"]);
}

#[test]
fn where_a_memory_has_no_topic_its_tags_stand_in() {
    let topic = |memory: &mut StoredMemory| memory.topic = Some("Database".into());
    let asked = memories(&[
        memory("a", "").with(topic).tags(&["x"]),
        memory("b", "").tags(&["database"]),
        memory("c", ""),
    ]);
    assert_eq!(asked.found("topic:database"), ["a", "b"]);
}

#[test]
fn a_session_s_whole_name_means_that_session_alone_and_a_part_all_that_hold_it() {
    let asked = memories(&[
        memory("a", "").session(0),
        memory("b", "").session(1),
        memory("c", "").session(2),
        memory("d", ""),
    ]);
    assert_eq!(asked.found("session:payments"), ["a"]);
    assert_eq!(asked.found("session:pay"), ["a", "b"]);
    assert_eq!(asked.found("session:pay*old,OAUTH"), ["b", "c"]);
}

#[test]
fn a_store_answers_to_its_path_its_folder_and_its_format() {
    let asked =
        stores(vec![store("/one/memory", &[memory("a", "")]), store("/two/memory-b", &[memory("b", "")])]);
    assert_eq!(asked.found("store:/one/memory"), ["a"]);
    assert_eq!(asked.found("store:memory"), ["a"]);
    assert_eq!(asked.found("store:two"), ["b"]);
    assert_eq!(asked.found("store:session-log").len(), 2);
}

#[test]
fn an_id_is_taken_letter_by_letter_and_a_star_takes_several() {
    let asked = memories(&[memory("dec-1", ""), memory("dec-12", ""), memory("DEC-1", "")]);
    assert_eq!(asked.found("id:dec-1"), ["dec-1"]);
    assert_eq!(asked.found("id:dec-*"), ["dec-1", "dec-12"]);
}

#[test]
fn a_memory_without_an_id_answers_to_its_key() {
    let asked = memories(&[memory("a", ""), memory("", "").with(|memory| memory.id = None)]);
    let (store, entry) = asked.snapshot.get(EntryRef { store: 0, entry: 1 });
    let hits = asked.results(&format!("id:{}", store.key(entry))).hits;
    assert_eq!(hits.iter().map(|hit| hit.at.entry).collect::<Vec<_>>(), [1]);
}

#[test]
fn is_and_has_ask_for_traits() {
    let asked = memories(&[
        memory("a", "").tags(&["pinned"]),
        memory("b", &["sk-ant", "-ABCDEFGHIJKLMNOPQRST"].concat()),
        memory("c", "").with_problem(),
        memory("d", "").with(|memory| memory.checksum = true),
        memory("e", "").with(|memory| memory.references = [Reference::to_record("references", "a")].into()),
        broken("{\"id"),
    ]);
    let asks = "is:pinned a|has:tag a|is:sensitive b|has:problem c|has:checksum d|has:reference e|\
        is:broken {\"id";
    for (query, found) in asks.split('|').map(|own| own.split_once(' ').unwrap()) {
        assert_eq!(asked.found(query).join(" "), found, "{query}");
    }
    assert_eq!(asked.found("is:live").len(), 5);
}

#[test]
fn a_broken_line_that_holds_a_token_is_sensitive() {
    let torn = ["{\"text\":\"sk-ant", "-ABCDEFGHIJKLMNOPQRST"].concat();
    assert_eq!(memories(&[broken(&torn), broken("{")]).found("is:sensitive"), [torn]);
}

#[test]
fn times_take_creation_and_access() {
    let asked = memories(&[
        memory("now", "").aged(1),
        memory("week", "").aged(150).accessed(100),
        memory("old", "").aged(2000).accessed(1000),
    ]);
    let asks = "since:-7d now week|until:-7d old|at:today now|since:yesterday now|at:2026-01-14 week|\
        until:2026-01-14 week old|accessed:<-30d old|accessed:>-7d week|accessed:2026-01-16 week";
    for (query, found) in asks.split('|').map(|own| own.split_once(' ').unwrap()) {
        assert_eq!(asked.found(&format!("{query} sort:time")).join(" "), found, "{query}");
    }
}

#[test]
fn importance_takes_numbers_comparisons_and_words() {
    let asked = memories(&[
        memory("high", "").importance(0.9),
        memory("edge", "").importance(0.75),
        memory("medium", "").importance(0.6),
        memory("low", "").importance(0.3),
    ]);
    let asks = "importance:high high edge|importance:medium medium|importance:low low|importance:0.6 medium|\
        importance:>0.75 high|importance:>=.75 high edge|importance:<0.6 low|importance:<=0.6 medium low";
    for (query, found) in asks.split('|').map(|own| own.split_once(' ').unwrap()) {
        assert_eq!(asked.found(&format!("{query} sort:importance")).join(" "), found, "{query}");
    }
}

#[test]
fn settings_hold_for_the_whole_query_beside_or() {
    let asked = memories(&[memory("a", "pool").aged(5), memory("b", "oauth").aged(1), memory("c", "x")]);
    assert_eq!(asked.found("pool OR oauth sort:time limit:1"), ["b"]);
}

#[test]
fn a_query_that_cannot_be_understood_says_where_and_what_is_possible() {
    let errors = "a foo:bar|2..6|importance§type:|0..5|needs a value§is:odd|3..6|live, archived§\
        has:tag,x|8..9|problem, checksum§in:x|3..4|archive§since:soon|6..10|yesterday§accessed:<x|9..11|>=§\
        importance:7|11..12|from 0 to 1§importance:nan|11..14|from 0 to 1§min:x|4..5|rank value§\
        sort:name|5..9|rank, time§limit:0|6..7|from 1§a \"b c|2..6|not closed§(a|0..1|not closed§\
        a ) b|2..3|closes nothing§a ()|2..4|nothing§a OR|2..4|between two terms§OR a|0..2|between two terms§\
        a OR OR b|5..7|between two terms§a OR sort:time|2..4|between two terms§a -|2..3|there is none§\
        -sort:time|1..10|whole query§(sort:time a)|1..10|whole query§\"\"|0..2|Nothing to search§\
        a **|2..4|Nothing to search§~|0..1|Nothing to search";
    for own in errors.split('§') {
        let [query, span, part] = own.splitn(3, '|').collect::<Vec<_>>()[..] else { panic!("{own}") };
        let error = error(query);
        assert_eq!(format!("{:?}", error.span), span, "{query}: {error}");
        assert!(error.message.contains(part), "{query}: {error}");
    }
}

#[test]
fn parentheses_too_deep_are_refused() {
    assert!(error(&"(".repeat(100_000)).message.contains("deep"));
    assert!(error(&"-(".repeat(100_000)).message.contains("deep"));
}

fn pieces() -> impl Strategy<Value = String> {
    let (short, long) = (
        [
            "a", "pool", "\"", "(", ")", "-", "~", "*", "OR", " ", " ", ":", ",", "type:", "tag:a.*",
            "at:today", "0.5", "min:.3", "limit:2", "é", "\u{301}", "接", "\\",
        ],
        ["is:archived", "since:-7d", "importance:>=", "sort:time"],
    );
    let piece = proptest::sample::select([&short[..], &long].concat());
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn no_query_makes_it_stumble(query in prop_oneof![pieces(), "\\PC{0,30}", any::<String>()]) {
        match Query::parse(&query, now()) {
            Ok(parsed) => {
                let asked = memories(&[memory("a", "pool é 接").body("a a.b"), broken("pool"), memory("b", "")]);
                let results = search(&asked.request(&parsed), &CancelToken::default()).unwrap();
                prop_assert!(results.hits.len() <= 3);
                parsed.terms().for_each(|span| assert!(query.get(span).is_some()));
            }
            Err(error) => {
                prop_assert!(query.get(error.span.clone()).is_some_and(|part| !part.is_empty()), "{:?}", error);
            }
        }
    }
}
