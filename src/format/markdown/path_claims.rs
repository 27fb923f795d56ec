//! The paths of a project's files that memories name.
//!
//! A path is relative, has a folder, and its last part has a file extension. Addresses, patterns and placeholders
//! are none. What is in fenced code is not looked at: there are commands and their results.

use std::collections::HashSet;
use std::path::PathBuf;

use super::references::each_plain_line;
use crate::format::PathClaim;
use crate::model::Document;

/// The longest path, in bytes.
const LONGEST: usize = 512;
/// The longest extension, in characters.
const EXTENSION: usize = 6;
/// The most paths of a file.
const MOST: usize = 2_000;

/// Returns the paths that the records of a file name, each once in a record.
pub fn of(document: &Document) -> Vec<PathClaim> {
    let mut found: Vec<PathClaim> = Vec::new();
    let mut known: HashSet<(u32, PathBuf)> = HashSet::new();
    for (record, own) in (0..).zip(&document.records) {
        let raw = document.raw(own);
        let text = String::from_utf8_lossy(&raw);
        each_plain_line(&text, &mut |number, line| {
            for path in paths(line).map(PathBuf::from) {
                let claim = PathClaim { record, line: own.line + number, path };
                if known.len() < MOST && known.insert((record, claim.path.clone())) {
                    found.push(claim);
                }
            }
        });
    }
    found
}

fn paths(line: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "`'\"()[]{}<>,;|=*“”‘’…".contains(c);
    line.split(is_between).filter_map(|word| {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        // `src/a.rs:12`, `src/a.rs:12-14`, `src/a.rs#L12`
        let word = word.split(['#', ':']).next()?;
        let word = word.strip_prefix("./").unwrap_or(word);
        is_path(word).then_some(word)
    })
}

fn is_path(word: &str) -> bool {
    let Some((folder, name)) = word.rsplit_once('/') else { return false };
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_odd = |part: &str| part.is_empty() || part == ".." || part == "..." || part == "~";
    let is_plain = |c: char| c.is_alphanumeric() || "._-+@/".contains(c);
    let is_host =
        folder.split('/').next().is_some_and(|first| first.contains('.') && !first.starts_with('.'));
    word.len() <= LONGEST
        && !stem.is_empty()
        && (1..=EXTENSION).contains(&extension.chars().count())
        && extension.chars().any(char::is_alphabetic)
        && word.chars().all(is_plain)
        && !is_host
        && !folder.split('/').any(is_odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_of_a_file_is_found_and_other_words_are_not() {
        let all = |line| paths(line).collect::<Vec<_>>();
        assert_eq!(
            all("see `src/a.rs:12-14`, (lib/b.test.ts) and ./c/d.py."),
            ["src/a.rs", "lib/b.test.ts", "c/d.py"]
        );
        assert_eq!(
            all("**docs/x.md**: .github/workflows/ci.yml#L3"),
            ["docs/x.md", ".github/workflows/ci.yml"]
        );
        let none = "https://x.org/a.md github.com/a/b.md src/*.rs a/b <x>/y.md 1/2.5 v1/2 ../up.rs ~/a.rs /etc/a.conf x.rs";
        assert!(all(none).is_empty(), "{:?}", all(none));
    }
}
