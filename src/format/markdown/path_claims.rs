//! The files of a project that memories name: by paths, and by names alone.
//!
//! A path is relative, has a folder, and its last part has a file extension. Addresses, patterns and placeholders
//! are none. What is in code blocks is not looked at: there are commands and their results. A name is that of a source
//! file, as code or of several words; in an index also that of any Markdown file.

use std::collections::HashSet;
use std::path::PathBuf;

use super::family::{Family, Grammar};
use super::references::{outside_links, words};
use crate::format::PathClaim;
use crate::model::Document;
use crate::text::markdown_blocks::each_shown;
use crate::text::names;

/// The longest path, in bytes.
const LONGEST: usize = 512;
/// The longest extension, in characters.
const EXTENSION: usize = 6;
/// The most paths of a file.
const MOST: usize = 2_000;
/// The extensions of source files.
const SOURCES: [&str; 27] = names(
    "c cc cpp cs dart ex go h hpp java js jsx kt lua mjs php py rb rs scala sh sql svelte swift ts tsx vue",
);
/// Names that stand for any file, that many projects have, of instructions, and of products and sites.
const NO_NAMES: [&str; 42] = names(
    "file name topic title example foo bar main index mod lib app config setup install test tests \
     readme memory claude agents gemini skill soul identity user tools heartbeat changelog contributing license \
     node next vue nuxt three d3 chart express docs bun brew",
);

/// Returns the paths and names in a file, each once in a record and once outside records.
pub fn of(family: &Family, document: &Document) -> Vec<PathClaim> {
    let text = String::from_utf8_lossy(&document.bytes);
    let is_index = family.grammar_of(&document.path) == Grammar::Index;
    let mut found: Vec<PathClaim> = Vec::new();
    let mut known: HashSet<(Option<u32>, PathBuf)> = HashSet::new();
    each_shown(&text, &mut |line, _, part| {
        let next = document.records.partition_point(|own| own.line <= line);
        let record =
            next.checked_sub(1).filter(|at| line - document.records[*at].line < document.records[*at].lines);
        // What is in no memory is no claim, but in an index.
        if record.is_none() && !is_index {
            return;
        }
        let pieces = outside_links(part).into_iter().flat_map(|own| own.split('`').enumerate());
        for (number, piece) in pieces {
            let is_code = number % 2 == 1;
            let is_command = is_code && piece.trim().contains(char::is_whitespace);
            let is_own =
                |word: &str| !is_command && is_name(word, is_code, is_index) && !is_linked(&text, word);
            for path in words(piece).filter(|word| is_path(word) || is_own(word)).map(PathBuf::from) {
                let claim = PathClaim { record: record.map(|at| at as u32), line, path };
                if known.len() < MOST && known.insert((claim.record, claim.path.clone())) {
                    found.push(claim);
                }
            }
        }
    });
    found
}

/// True if a link leads to a file: that it is gone is said of the link.
fn is_linked(text: &str, name: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), format!("]({name}").as_bytes()).is_some()
}

fn is_name(word: &str, is_code: bool, is_index: bool) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    let is_plain = |c: char| c.is_alphanumeric() || "._-+@".contains(c);
    let is_clear = is_code || stem.contains(['_', '-', '.']) || stem.chars().skip(1).any(char::is_uppercase);
    word.len() <= LONGEST
        && stem.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && word.chars().all(is_plain)
        && (extension == "md" && is_index || SOURCES.contains(&extension) && is_clear)
        && !NO_NAMES.contains(&&*stem.to_lowercase())
        && !["YYYY", "example", "your"].iter().any(|part| word.contains(part))
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
        && !word.contains("YYYY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_of_a_file_is_found_and_other_words_are_not() {
        let all = |line| words(line).filter(|word| is_path(word)).collect::<Vec<_>>();
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
