//! The files of a project that memories name: by paths, and by names alone.
//!
//! A path is relative, has a folder, and its last part has a file extension. Addresses, patterns and placeholders
//! are none. What is in code blocks is not looked at: there are commands and their results. A name is that of a source
//! file, as code or of several words; in an index also that of any Markdown file. Links of memories without references
//! are paths from their own file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::family::{Family, Grammar};
use super::references::{file_links, is_cjk, joined, outside_links, words};
use crate::format::PathClaim;
use crate::model::Document;
use crate::text::markdown_blocks::each_shown;
use crate::text::names;
use crate::text::part_range::part_range;

/// The longest path, in bytes.
const LONGEST: usize = 512;
/// The longest extension, in characters.
const EXTENSION: usize = 6;
const MOST: usize = 2_000;
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
pub fn find(family: &Family, document: &Document) -> Vec<PathClaim> {
    let text = String::from_utf8_lossy(&document.bytes);
    let is_index = family.grammar_of(&document.path) == Grammar::Index;
    let mut found: Vec<PathClaim> = Vec::new();
    let mut known: HashSet<(Option<u32>, PathBuf)> = HashSet::new();
    let folder = document.path.parent().unwrap_or(Path::new(""));
    // If the file of a link is gone, the problem is one of the link.
    let linked: HashSet<&str> = text.split("](").skip(1).filter_map(|rest| words(rest).next()).collect();
    each_shown("", &text, &mut |line, _, part| {
        let next = document.records.partition_point(|record| record.line <= line);
        let record =
            next.checked_sub(1).filter(|at| line - document.records[*at].line < document.records[*at].lines);
        // What is in no memory is no claim, but in an index.
        if record.is_none() && !is_index {
            return;
        }
        let memory = || record.and_then(|at| document.records[at].memory());
        let has_links =
            !is_index && part.contains("](") && memory().is_some_and(|memory| memory.references().len() == 0);
        // Models write paths from the root in any folder.
        let base = |target: &str| if target.contains('/') { Path::new("") } else { folder };
        let targets = file_links(part).filter(|_| has_links);
        let targets = targets.filter_map(|target| Some(joined(base(target), target)? + ".md"));
        let mut paths: Vec<PathBuf> = targets.filter(|path| is_path(path)).map(PathBuf::from).collect();
        for (part, is_code) in outside_links(part) {
            let is_command = is_code && part.trim().contains(char::is_whitespace);
            let is_free = |word: &str| !linked.contains(word) && (is_code || is_apart(part, word));
            let is_named = |word: &str| !is_command && is_name(word, is_code, is_index) && is_free(word);
            paths.extend(words(part).filter(|word| is_path(word) || is_named(word)).map(PathBuf::from));
        }
        for path in paths {
            let claim = PathClaim { record: record.map(|at| at as u32), line, path };
            if known.len() < MOST && known.insert((claim.record, claim.path.clone())) {
                found.push(claim);
            }
        }
    });
    found
}

/// Chinese has no spaces: other words may be a part of a name, but not behind a space.
fn is_apart(part: &str, word: &str) -> bool {
    let before = part.get(..part_range(part, word).start).unwrap_or_default();
    !word.contains(is_cjk) || before.strip_suffix(' ').is_some_and(|before| before.ends_with(is_cjk))
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

    #[test]
    fn a_name_that_other_words_may_be_a_part_of_is_not_found() {
        let apart =
            |part: &str| words(part).filter(|word| is_apart(part, word)).any(|word| word.ends_with(".md"));
        assert!(["详见 路由.md。", "- größe.md"].into_iter().all(apart));
        assert!(!["- 详见路由.md。", "部署，详见路由.md", "（路由.md）"].into_iter().any(apart));
    }
}
