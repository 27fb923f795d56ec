//! Memories that say nearly the same, but with different dates or numbers.

use super::claude;
use crate::support::{Files, problems, run};

fn topic(about: &str, text: &str) -> String {
    format!("---\nname: x\ndescription: {about}\n---\n\n{text}\n")
}

fn sign_in(day: &str) -> String {
    topic("the old sign-in", &format!("The old sign-in is switched off on {day}, for all customers."))
}

fn duplicates(files: &Files) -> (String, Vec<serde_json::Value>) {
    let store = files.build(".claude/memory");
    let path = store.path.to_str().unwrap();
    let told = run(["duplicates", "--store", path]).stdout;
    (told, run(["duplicates", "--json", "--store", path]).json_lines())
}

fn noted(files: &Files) -> Vec<(String, String)> {
    let found = problems(&files.build(".claude/memory")).into_iter();
    found.filter(|own| own.0 == "contradicting-dates").map(|own| (own.1, own.2)).collect()
}

#[test]
fn two_memories_with_different_dates_are_candidates_to_merge_or_drop() {
    let files = claude().with("sign_in.md", sign_in("2026-03-01")).with("switch.md", sign_in("2026-04-02"));
    let (told, rows) = duplicates(&files);
    assert!(
        told.contains("(says nearly the same, but with different dates: 2026-03-01 and 2026-04-02)"),
        "{told}"
    );
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[0]["contradicts"].is_null());
    let own = &rows[1]["contradicts"];
    assert_eq!(
        (&own["what"], &own["first"], &own["own"]),
        (&"dates".into(), &"2026-03-01".into(), &"2026-04-02".into())
    );
    assert_eq!(noted(&files), [("note".to_owned(), "switch.md".to_owned())]);
}

#[test]
fn dated_logs_and_what_says_the_same_are_no_contradictions() {
    let log =
        |day: u32| topic("a day", &format!("2026-03-{day:02}: all of the tests were green in the morning."));
    let files = claude()
        .with("a.md", log(1))
        .with("b.md", log(2))
        .with("2026-03-01.md", sign_in("2026-03-01"))
        .with("2026-03-02.md", sign_in("2026-03-02"))
        .with("c.md", sign_in("2026-05-01"))
        .with("d.md", sign_in("2026-05-01"));
    assert!(noted(&files).is_empty());
    assert!(!duplicates(&files).0.contains("different"));
}
