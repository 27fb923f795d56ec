//! Only `format` and `demo` name a format, so that a new one costs one folder and one line.

use std::fmt::Write;
use std::path::Path;

use palimp::format::FORMATS;

use super::rust_files;

#[test]
fn only_the_modules_of_formats_and_of_the_demo_name_a_format() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = String::new();
    for path in rust_files(&root) {
        let own = path.strip_prefix(&root).unwrap();
        let is_free = own.starts_with("format") || own.starts_with("demo");
        if is_free || own.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, name) in named(&text) {
            writeln!(found, "src/{}:{line}: names {name}", own.display()).unwrap();
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

/// Returns the lines that name a format, but for tests and for examples, which are tests, too.
fn named(text: &str) -> Vec<(usize, &'static str)> {
    let mut is_example = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate().take_while(|(_, line)| *line != "mod tests {") {
        let comment = line.trim_start();
        if comment.starts_with("/// ```") || comment.starts_with("//! ```") {
            is_example = !is_example;
        }
        let is_named = |name: &str| {
            let spelled = [name.to_owned(), name.replace('-', "_"), name.replace('-', "")];
            let lower = line.to_lowercase();
            // Three letters and a dash are in words of other languages, too: a name has an end.
            spelled.iter().any(|name| {
                lower.match_indices(name.as_str()).any(|(start, _)| {
                    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                    !letter(lower[..start].chars().next_back())
                        && !letter(lower[start + name.len()..].chars().next())
                })
            })
        };
        // Markdown is also what other modules write and show.
        let names = FORMATS.iter().map(|format| format.name()).filter(|name| *name != "markdown");
        let names = names.filter(|name| is_named(name));
        found.extend(names.filter(|_| !is_example).map(|name| (at + 1, name)));
    }
    found
}

#[test]
fn a_name_is_found_in_code_and_comments_and_not_in_examples() {
    let text =
        "/// Of a-mem.\n/// ```\n/// open(\"bmad\");\n/// ```\nlet own = SessionLog;\nmod tests {\nbmad";
    assert_eq!(named(text), [(1, "a-mem"), (5, "session-log")]);
}
