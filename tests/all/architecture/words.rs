//! Texts that people read use the words of `CONTRIBUTING.md`, and none of the retired ones.

use std::path::Path;

use aho_corasick::AhoCorasick;

use super::code::{comments_of, has_word, strings_of};
use super::files;
use crate::support::run;

/// Where a retired word is allowed: part of a file's path, the phrase, the reason.
const RIGHT: &[(&str, &str, &str)] = &[
    ("", "entry file", "agent-memory's own name of a file"),
    ("", "entry-block", "a code of `check`"),
    ("", "agent-memory:entry", "a marker in a file of agent-memory"),
    ("", "glued-records", "a code of `check`"),
    ("", "--record", "an option: a whole memory as JSON"),
    ("bmad/write/session_unpack.rs", "entries", "what a tar archive holds"),
    ("session_log/index_check.rs", "`entries`", "a field of the index"),
    ("docs/architecture.md", "record", "a word of the code"),
    ("docs/architecture.md", "entry", "a word of the code"),
    ("docs/dependencies.md", "record", "a word of the code"),
    ("docs/formats.md", "record", "\"A sixth format\" speaks of the code"),
    ("CONTRIBUTING.md", "record", "a word of the code"),
];

struct Retired {
    word: String,
    instead: String,
    /// The specifications and types use the word, so comments may.
    is_right_in_comments: bool,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads the table of the section "Words" of `CONTRIBUTING.md`.
fn retired() -> Vec<Retired> {
    let page = read(&root().join("CONTRIBUTING.md"));
    let (_, words) = page.split_once("\n## Words\n").expect("the section of the words");
    let words = words.split("\n## ").next().unwrap_or(words);
    let rows = words.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let cells = rows.map(|row| row.split('|').map(str::trim).map(str::to_owned).collect::<Vec<_>>());
    let of_row = |cells: Vec<String>| -> Vec<Retired> {
        let [word, _, instead] = cells.as_slice() else { return Vec::new() };
        let is_right_in_comments = instead.contains("(comments may)");
        let phrases = instead.split('`').skip(1).step_by(2);
        phrases
            .map(|own| Retired { word: own.to_lowercase(), instead: word.clone(), is_right_in_comments })
            .collect()
    };
    cells.flat_map(of_row).collect()
}

/// Finds the texts that may have a retired word.
fn any_of(retired: &[Retired]) -> AhoCorasick {
    AhoCorasick::new(retired.iter().map(|own| &own.word)).unwrap()
}

fn found<'r>(path: &str, text: &str, retired: &'r [Retired], any: &AhoCorasick) -> Vec<&'r Retired> {
    let mut text = text.to_lowercase();
    if !any.is_match(&text) {
        return Vec::new();
    }
    for (file, phrase, _) in RIGHT {
        if path.contains(file) {
            text = if phrase.is_empty() { String::new() } else { text.replace(phrase, "") };
        }
    }
    retired.iter().filter(|own| has_word(&text, &own.word)).collect()
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns the prose of a document: no fenced code, and nothing in backticks.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((number, without_code(line)));
        }
    }
    lines
}

/// Returns a text without the `{…}` names of values in it.
fn without_names(text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + "…" + part.split_once('}').map_or(part, |(_, rest)| rest))
}

fn help() -> Vec<(String, usize, String)> {
    let of = |words: &[&str]| run([words, &["--help"]].concat()).stdout;
    let verbs_in = |help: &str| -> Vec<String> {
        let list = help.split_once("Commands:\n").map_or("", |(_, list)| list);
        let rows = list.lines().take_while(|line| !line.is_empty());
        rows.filter_map(|row| row.split_whitespace().next())
            .filter(|verb| *verb != "help")
            .map(str::to_owned)
            .collect()
    };
    let whole = of(&[]);
    let verbs = verbs_in(&whole);
    assert!(verbs.len() > 25, "{whole}");
    let mut all = vec![("palimp --help".to_owned(), whole)];
    for verb in &verbs {
        let own = of(&[verb]);
        let parts = verbs_in(&own);
        all.push((format!("palimp {verb} --help"), own));
        all.extend(parts.iter().map(|part| (format!("palimp {verb} {part} --help"), of(&[verb, part]))));
    }
    let lines = |(name, text): (String, String)| {
        let own = (1..).zip(text.lines()).map(|(line, text)| (name.clone(), line, text.to_owned()));
        own.collect::<Vec<_>>()
    };
    all.into_iter().flat_map(lines).collect()
}

fn texts() -> Vec<(String, usize, String)> {
    let mut all = Vec::new();
    for path in files(&root().join("src"), "rs") {
        let name = name_of(&path);
        if name.contains("/tests") {
            continue;
        }
        // A single word may be a key or a code.
        let strings = strings_of(&read(&path)).into_iter().filter(|(_, text)| text.trim().contains(' '));
        all.extend(strings.map(|(line, text)| (name.clone(), line, without_names(&text))));
    }
    all.extend(help());
    let documents =
        files(&root().join("docs"), "md").into_iter().filter(|path| !path.ends_with("CHANGELOG.md"));
    let others =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "benches/README.md"].map(|name| root().join(name));
    for path in documents.chain(others) {
        all.extend(prose(&read(&path)).into_iter().map(|(line, text)| (name_of(&path), line, text)));
    }
    all
}

#[test]
fn texts_have_the_words_of_the_list_and_none_that_it_retired() {
    let retired = retired();
    assert!(retired.len() > 30, "the table was not read: {}", retired.len());
    let texts = texts();
    assert!(texts.len() > 2_000, "{} texts", texts.len());
    let any = any_of(&retired);
    assert_none(&texts, |file, text| found(file, text, &retired, &any));
}

/// Fails if a text has a retired word.
#[track_caller]
fn assert_none<'r>(texts: &[(String, usize, String)], found: impl Fn(&str, &str) -> Vec<&'r Retired>) {
    let told = texts.iter().flat_map(|(file, line, text)| {
        let say = |own: &Retired| format!("{file}:{line}: \"{}\": use \"{}\": {text}", own.word, own.instead);
        found(file, text).into_iter().map(say).collect::<Vec<_>>()
    });
    let told: Vec<String> = told.collect();
    assert!(told.is_empty(), "{} of {}:\n{}", told.len(), texts.len(), told.join("\n"));
}

#[test]
fn a_retired_word_is_found_as_a_word_alone_and_not_in_a_phrase_that_is_right() {
    let retired = retired();
    let any = any_of(&retired);
    let said = |path: &str, text: &str| -> Vec<String> {
        found(path, text, &retired, &any).iter().map(|own| own.instead.clone()).collect()
    };
    assert_eq!(said("src/cli/x.rs", "The text Stands in 2 backups."), ["exists", "is"]);
    assert_eq!(said("src/cli/x.rs", "it is taken back"), ["undo"]);
    assert_eq!(said("src/cli/x.rs", "no record matches"), ["memory"]);
    for broken in
        ["1 damaged memory", "3 damaged lines", "it can't be read as a memory", "the log is corrupt"]
    {
        assert_eq!(said("src/cli/x.rs", broken), ["broken"], "{broken}");
    }
    for right in [
        "It was recorded.",
        "The standing orders",
        "The entry file is missing.",
        "give --record -",
        "a torn line",
        "the backup is damaged",
        "the file can't be read",
    ] {
        assert!(said("src/cli/x.rs", right).is_empty(), "{right}");
    }
    assert_eq!(prose("a `record`\n```\nrecord\n```\nb").len(), 2);
}

fn comments() -> Vec<(String, usize, String)> {
    let mut all = Vec::new();
    for path in ["src", "tests", "benches"].iter().flat_map(|top| files(&root().join(top), "rs")) {
        let comments = comments_of(&read(&path)).into_iter();
        all.extend(comments.map(|(line, text)| (name_of(&path), line, without_code(&text))));
    }
    all
}

#[test]
fn comments_have_no_retired_words() {
    let retired: Vec<Retired> = retired().into_iter().filter(|own| !own.is_right_in_comments).collect();
    let comments = comments();
    assert!(comments.len() > 8_000, "{} comments", comments.len());
    let any = any_of(&retired);
    assert_none(&comments, |file, text| {
        let lower = text.to_lowercase();
        let may = !file.ends_with("architecture/words.rs") && any.is_match(&lower);
        retired.iter().filter(|own| may && has_word(&lower, &own.word)).collect()
    });
}
