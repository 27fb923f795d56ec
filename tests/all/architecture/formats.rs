//! Only `format` and `demo` name a format, so that a new one costs one folder and one line.

use std::collections::BTreeSet;

use palimp::format::FORMATS;

use super::code::{line_at, words_at};
use super::{Broken, sources};

#[test]
fn only_the_modules_of_formats_and_of_the_demo_name_a_format() {
    let mut broken = Broken::default();
    for source in sources().iter().filter(|source| !["format", "demo"].contains(&source.module())) {
        for (line, name) in named(&source.text) {
            broken.note(source, line, &format!("names {name}"));
        }
    }
    broken.assert_none();
}

fn named(text: &str) -> Vec<(usize, &'static str)> {
    let own = text.split_once("\nmod tests {\n").map_or(text, |(own, _)| own).to_lowercase();
    // Markdown is also what other modules write and show.
    let names = FORMATS.iter().map(|format| format.name()).filter(|name| *name != "markdown");
    let places = |name: &'static str| {
        let spelled = [name.to_owned(), name.replace('-', "_"), name.replace('-', "")];
        let own = &own;
        let found = spelled.into_iter().flat_map(move |spelled| words_at(own, &spelled).collect::<Vec<_>>());
        found
            .filter(|at| !is_in_example(own, *at))
            .map(|at| (line_at(own, at), name))
            .collect::<BTreeSet<_>>()
    };
    names.flat_map(places).collect::<BTreeSet<_>>().into_iter().collect()
}

fn is_in_example(text: &str, at: usize) -> bool {
    let opens = |line: &&str| ["/// ```", "//! ```"].iter().any(|own| line.trim_start().starts_with(own));
    text[..at].lines().filter(opens).count() % 2 == 1
}

#[test]
fn a_name_is_found_in_code_and_comments_and_not_in_examples() {
    let text =
        "/// Of a-mem.\n/// ```\n/// open(\"bmad\");\n/// ```\nlet own = SessionLog;\nmod tests {\nbmad";
    assert_eq!(named(text), [(1, "a-mem"), (5, "session-log")]);
}
