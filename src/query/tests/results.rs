//! Tests which entries are listed, in which order, and what an empty result says.

use super::*;

#[test]
fn the_best_comes_first() {
    let asked = memories(&[
        memory("faded", "pool").aged(5000),
        memory("fresh", "pool").aged(1),
        memory("vital", "pool").aged(1).importance(1.0),
    ]);
    assert_eq!(asked.found("pool"), ["vital", "fresh", "faded"]);
}

#[test]
fn equal_ranks_go_by_age_and_then_by_place() {
    let same = |id| memory(id, "").kind("preference");
    let asked = memories(&[same("a").aged(900), same("b").aged(900), same("c").aged(800)]);
    assert_eq!(asked.found(""), ["c", "a", "b"]);
}

#[test]
fn results_can_be_ordered_by_time_importance_and_size() {
    let asked = memories(&[
        memory("a", "x").aged(30).importance(0.9),
        memory("b", "xxxxxxxx").aged(20).importance(0.1),
        memory("c", "xxxx").aged(10).importance(0.5),
    ]);
    assert_eq!(asked.found("sort:time"), ["c", "b", "a"]);
    assert_eq!(asked.found("sort:oldest"), ["a", "b", "c"]);
    assert_eq!(asked.found("sort:importance"), ["a", "c", "b"]);
    assert_eq!(asked.found("sort:size"), ["b", "c", "a"]);
}

#[test]
fn broken_records_follow_all_ranked_ones() {
    let asked = memories(&[broken("{"), memory("a", "").importance(0.0), memory("b", "")]);
    assert_eq!(asked.found(""), ["b", "a", "{"]);
    assert_eq!(asked.results("").hits[2].rank, None);
}

#[test]
fn by_time_a_broken_record_is_beside_its_neighbour_in_the_file() {
    let asked =
        memories(&[broken("first"), memory("a", "").aged(30), broken("second"), memory("b", "").aged(10)]);
    assert_eq!(asked.found("sort:time"), ["b", "first", "a", "second"]);
    assert_eq!(asked.found("until:-20h sort:time"), ["first", "a", "second"]);
}

#[test]
fn archived_and_deleted_memories_appear_when_they_are_asked_for() {
    let asked = memories(&[
        memory("live", ""),
        memory("archived", "").state(State::Archived),
        memory("deleted", "").state(State::Deleted),
        broken("{"),
    ]);
    for (query, found) in [
        ("", &["live", "{"][..]),
        ("is:archived", &["archived"]),
        ("in:archive", &["archived"]),
        ("is:deleted", &["deleted"]),
        ("is:live,archived", &["live", "archived"]),
        ("-is:archived", &["live", "{"]),
        ("-(-is:archived)", &["archived"]),
    ] {
        assert_eq!(asked.found(query), found, "{query}");
    }
    let query = Query::parse("", now()).unwrap();
    let all = Request { all: true, ..asked.request(&query) };
    assert_eq!(search(&all, &CancelToken::default()).unwrap().hits.len(), 4);
}

#[test]
fn a_least_rank_drops_what_lies_below_it() {
    let asked =
        memories(&[memory("a", "").aged(1).importance(1.0), memory("b", "").importance(0.1), broken("{")]);
    assert_eq!(asked.found("min:.3"), ["a"]);
}

#[test]
fn a_result_names_the_term_that_hides_most() {
    let asked = memories(&[memory("a", "pool"), memory("b", "pool"), memory("c", "oauth").kind("finding")]);
    for (query, blocker) in [
        ("pool type:finding", Some((5..17, 2))),
        ("pool zebra", Some((5..10, 2))),
        ("zebra", Some((0..5, 3))),
        ("pool is:archived", Some((5..16, 2))),
        ("zebra giraffe", None),
        ("min:9", Some((0..5, 3))),
        ("pool", Some((0..4, 1))),
        ("pool type:decision", None),
        ("pool -is:archived", Some((0..4, 1))),
        ("oauth limit:1", None),
        ("", None),
    ] {
        assert_eq!(asked.results(query).blocker, blocker, "{query}");
    }
}

#[test]
fn facets_count_what_results_have_in_common() {
    let asked = memories(&[
        memory("a", "").tags(&["db", "auth"]).session(1).importance(0.9),
        memory("b", "").tags(&["db"]).session(1).importance(0.5),
        memory("c", "").kind("finding").importance(0.1),
        broken("{"),
    ]);
    let facets = facets(&asked.snapshot, &asked.results("").hits);
    assert_eq!(facets.types, [("decision".to_owned(), 2), ("finding".to_owned(), 1)]);
    assert_eq!(facets.tags, [("db".to_owned(), 2), ("auth".to_owned(), 1)]);
    assert_eq!(facets.importance, [1, 1, 1]);
}

#[test]
fn memories_without_a_time_that_fit_otherwise_are_counted() {
    let timeless = |id, text| memory(id, text).with(|memory| memory.created = None);
    let asked = memories(&[memory("a", "pool").aged(1), timeless("b", "pool"), timeless("c", "")]);
    for (query, count) in [
        ("since:-7d", 2),
        ("since:-7d until:2099-01-01", 2),
        ("pool since:-7d", 1),
        ("(since:-7d OR id:c) pool", 1),
        ("-since:-7d", 0),
        ("pool", 0),
    ] {
        assert_eq!(asked.results(query).timeless, count, "{query}");
    }
    let note = asked.results("since:-7d").timeless_note();
    assert_eq!(note.as_deref(), Some("2 memories have no known time and are not among them"));
}

#[test]
fn a_newer_search_cancels_those_before_it() {
    let first = crate::query::CancelToken::default().next();
    let second = first.next();
    assert!(first.is_cancelled() && !second.is_cancelled());
}
