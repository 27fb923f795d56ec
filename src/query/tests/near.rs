//! Tests what is said and searched if a search finds nothing.

use super::*;

/// Returns what a search finds that tries similar words, and what it says.
fn guessed(asked: &Asked, text: &str) -> (Vec<String>, Vec<String>) {
    let query = Query::parse(text, now()).unwrap();
    let request = asked.request(&query);
    let never = CancelToken::default();
    let matches = request.matches(&never).unwrap();
    let mut found = search_in(&request, &matches, &never).unwrap();
    match similar_search(&request, &matches, &found, &never) {
        Some(similar) => found = similar.results,
        None => found.wider = wider_term(&request, &matches, &found, &never),
    }
    (found.hits.iter().map(|hit| asked.name(hit.at)).collect(), found.notes())
}

#[test]
fn a_mistyped_word_finds_what_was_meant_and_that_is_said() {
    let asked = memories(&[
        memory("a", "Retries").body("wait longer after each, then the pool of Postgres rests"),
        memory("b", "retries again"),
        memory("c", "Größe der Datenbank"),
        memory("d", "gone").body("retiree").state(State::Archived),
    ]);
    for (text, ids, note) in [
        ("retires", &["a", "b"][..], "nothing has “retires”; shown is “retries”"),
        ("Retires", &["a", "b"], "nothing has “Retires”; shown is “retries”"),
        ("potsgres", &["a"], "nothing has “potsgres”; shown is “postgres”"),
        // The beginning of a word, as in an exact search.
        ("potsg", &["a"], "nothing has “potsg”; shown is “postgres”"),
        ("datebank", &["c"], "nothing has “datebank”; shown is “datenbank”"),
        ("grosze", &["c"], "nothing has “grosze”; shown is “grosse”"),
        // The word is looked for where everything else fits.
        ("retires id:b", &["b"], "nothing has “retires”; shown is “retries”"),
        ("retires pool", &["a"], "nothing has “retires”; shown is “retries”"),
        (
            "retires potsgres",
            &["a"],
            "nothing has “retires”; shown is “retries”; nothing has “potsgres”; shown is “postgres”",
        ),
    ] {
        assert_eq!(guessed(&asked, text), (ids.iter().map(|id| (*id).into()).collect(), vec![note.into()]));
    }
}

#[test]
fn what_was_typed_right_or_on_purpose_is_not_replaced() {
    let asked = memories(&[memory("a", "retries of 2026 and pool"), memory("b", "sql")]);
    for text in ["\"retires\"", "ratios", "2025", "pol", "sq1", "retires*", "retires missing", "pool sql"] {
        assert_eq!(guessed(&asked, text), (vec![], vec![]), "{text}");
    }
    // What is there is found alone, and what is left out needs nothing.
    assert_eq!(guessed(&asked, "retries"), (vec!["a".into()], vec![]));
    assert_eq!(guessed(&asked, "retires OR sql"), (vec!["b".into()], vec![]));
    assert_eq!(guessed(&asked, "sql -retires"), (vec!["b".into()], vec![]));
}

#[test]
fn a_value_that_no_memory_has_exactly_names_the_term_that_finds_something() {
    let asked = memories(&[
        memory("a", "one").tags(&["review-q4"]),
        memory("b", "two").tags(&["review-q3", "old"]),
        memory("c", "three").tags(&["code-review"]).kind("note"),
        memory("d", "four").tags(&["two words"]),
    ]);
    for (text, note) in [
        ("tag:review", Some("no tag is exactly “review”: `tag:review*` finds 2")),
        ("tag:Review one", Some("no tag is exactly “review”: `tag:review*` finds 1")),
        ("tag:view", Some("no tag is exactly “view”: `tag:*view*` finds 3")),
        ("tag:two limit:1", Some("no tag is exactly “two”: `tag:two*` finds 1")),
        ("tag:\"two w\"", Some("no tag is exactly “two w”: `tag:\"two w\"*` finds 1")),
        ("type:not", Some("no type is exactly “not”: `type:not*` finds 1")),
        // The tag is there, and something else fits no memory.
        ("tag:old one", None),
        ("tag:nothing", None),
        ("-tag:review missing", None),
    ] {
        let said: Vec<String> = note.into_iter().map(str::to_owned).collect();
        assert_eq!(guessed(&asked, text), (vec![], said), "{text}");
    }
    assert_eq!(asked.found("tag:\"two w\"*"), ["d"]);
}

#[test]
fn memories_of_a_project_are_found_by_its_name_or_path() {
    let of = |root: &str, project: Option<&str>, id: &str| Store {
        project: project.map(|path| crate::model::Project::at(path.into(), true)),
        ..store(root, &[memory(id, "")])
    };
    let asked = stores(vec![
        of("/home/.claude/a", Some("/code/shop"), "a"),
        of("/code/shop/.bmad", None, "b"),
        of("/home/.claude/c", Some("/code/shopping"), "c"),
        of("/home/.claude/d", None, "d"),
    ]);
    assert_eq!(asked.found("project:shop"), ["a", "b"]);
    assert_eq!(asked.found("project:/code/shopping"), ["c"]);
    assert_eq!(asked.found("project:ping"), ["c"], "no name is exactly that");
    assert_eq!(asked.found("-project:shop"), ["c", "d"]);
}
