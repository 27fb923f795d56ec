//! A verb, a state or an outcome is an enum: no code compares it with a string.

use regex::Regex;

use super::{Broken, sources};

/// The fields and methods that say such a thing.
const STATES: &str = "verb|what|outcome|state|lifecycle|kind_word|change|action|status|mode";

/// The files that compare words of others: the file, the reason.
const RIGHT: [(&str, &str); 2] = [
    ("format/a_mem/write/events.rs", "a status is a word of the format's files"),
    ("cli/classify_args.rs", "a verb is a word of the command line"),
];

/// Finds a comparison, a `matches!` or a `match` with a string.
fn comparison() -> Regex {
    let state = format!(r"\b(?:{STATES})(?:\(\))?(?:\.as_str\(\))?");
    let text = r#"[&*]*(?:Some\()?""#;
    let inside = r"[\w.&*()]*";
    Regex::new(&format!(
        r"(?-u){state}\s*[!=]=\s*{text}|matches!\(\s*{inside}{state},\s*{text}|match {inside}{state} \{{\s*{text}"
    ))
    .unwrap()
}

#[test]
fn no_state_is_compared_with_a_string() {
    let (comparison, mut broken) = (comparison(), Broken::default());
    for source in sources().iter().filter(|source| !RIGHT.iter().any(|(file, _)| source.is(file))) {
        let text = source.text.split("#[cfg(test)]\nmod ").next().unwrap();
        for found in comparison.find_iter(text) {
            let line = super::code::line_at(text, found.end());
            broken.note(source, line, "a state is an enum: compare its variants");
        }
    }
    broken.assert_none();
}

#[test]
fn a_state_that_is_compared_with_a_string_is_seen() {
    let seen = ["line.verb == \"undo\"", "own.what() != \"gone\"", "state == Some(\"idle\")"];
    let matched =
        ["matches!(self.verb, \"undo\" | \"redo\")", "match row.change.as_str() {\n    \"append\" => 1,"];
    assert!(seen.iter().chain(&matched).all(|text| comparison().is_match(text)));
    let right =
        ["verb == Verb::Undo", "matches!(verb, Verb::Undo)", "format!(\"{}\", own.verb)", "name == \"verb\""];
    assert!(!right.iter().any(|text| comparison().is_match(text)));
}
