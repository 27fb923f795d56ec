//! The rules of `docs/architecture.md`, checked in the sources.

mod ceilings;
mod chance;
mod circles;
mod code;
mod commit_users;
mod formats;
mod states;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use code::{has_word, imports, line_at, without_comments_and_strings, without_tests, words_at};

/// The modules. Each may import only those before it; `cli` opens the screens of `tui`.
const ORDER: [&[&str]; 17] = [
    &["model"],
    &["text"],
    &["detectors"],
    &["disk"],
    &["format"],
    &["store"],
    &["sqlite"],
    &["query"],
    &["check"],
    &["ops"],
    &["usecase"],
    &["memory"],
    &["demo"],
    &["work"],
    &["tui"],
    &["cli"],
    &["main"],
];
/// Modules whose results depend only on their arguments.
const CLOCKLESS: [&str; 9] = ["model", "text", "format", "store", "sqlite", "query", "check", "ops", "demo"];
/// The one file of those that may read the clock: it has `Moment::of_the_clock`.
const CLOCK: &str = "model/time.rs";
/// The most lines of a file.
const LINES: usize = 600;

const CLOCK_WORDS: [&str; 5] = ["Utc::now", "Local::now", "SystemTime::now", "Instant::now", "of_the_clock"];
const DISK_WORDS: [&str; 9] = [
    "std::fs",
    "fs::File",
    "File::open",
    "OpenOptions",
    "rustix::fs",
    ".exists()",
    ".canonicalize()",
    ".read_dir()",
    ".symlink_metadata()",
];
const CRASH_WORDS: [&str; 7] =
    [".unwrap()", ".expect(", ".unwrap_err()", "panic!", "todo!", "unimplemented!", "unreachable!"];
/// Words for a path that lose bytes, so that the path can't be used again.
const LOSSY_WORDS: [&str; 2] = [".display()", "to_string_lossy"];
const PRINT_WORDS: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];
const EMPTY_NAMES: [&str; 8] = ["util", "utils", "helper", "helpers", "manager", "misc", "common", "shared"];

/// A source file with comments, strings and tests blanked. Line numbers stay.
struct Source {
    /// Relative to `src`.
    path: PathBuf,
    /// As it is written; empty for a file of tests.
    text: String,
    code: String,
    /// The same with tests.
    with_tests: String,
}

impl Source {
    /// The module that it belongs to: the first part of its path.
    fn module(&self) -> &str {
        let first = self.path.components().next().and_then(|part| part.as_os_str().to_str());
        first.map_or("", |name| name.trim_end_matches(".rs"))
    }

    fn is(&self, path: &str) -> bool {
        self.path == Path::new(path)
    }

    /// Returns each line that has one of `words` as a complete word, with the word.
    fn find<'a>(&'a self, words: &'a [&str]) -> impl Iterator<Item = (usize, &'a str)> {
        let lines =
            move |word: &'a str| words_at(&self.code, word).map(move |at| (line_at(&self.code, at), word));
        words.iter().flat_map(move |word| lines(word))
    }
}

#[derive(Default)]
struct Broken(String);

impl Broken {
    fn note(&mut self, source: &Source, line: usize, rule: &str) {
        writeln!(self.0, "src/{}:{line}: {rule}", source.path.display()).unwrap();
    }

    #[track_caller]
    fn assert_none(self) {
        assert!(self.0.is_empty(), "\n{}", self.0);
    }
}

#[test]
fn a_module_imports_only_those_before_it() {
    let mut broken = Broken::default();
    for source in sources() {
        let Some(own) = rank(source.module()) else { continue };
        for (line, name) in imports(&source.code) {
            if name != source.module() && rank(&name).is_some_and(|other| other >= own) {
                let rule =
                    format!("`{}` must not import `{name}`, which does not come before it", source.module());
                broken.note(source, line, &rule);
            }
        }
    }
    broken.assert_none();
}

#[test]
fn only_the_disk_module_touches_the_file_system() {
    each_line(
        &DISK_WORDS,
        |source| source.module() != "disk",
        |word| format!("`{word}` outside `disk`: every touch of the file system goes through it"),
    );
}

#[test]
fn nothing_made_for_tests_is_in_the_library() {
    each_line(&["faulty::", "mod faulty", "Faulty::new"], |_| true, |word| format!("`{word}` outside tests"));
    let takes_in: Vec<&Source> = sources().iter().filter(|source| source.code.contains("#[path")).collect();
    assert!(takes_in.is_empty(), "only tests take in files from beyond `src`");
}

#[test]
fn what_must_be_pure_never_reads_the_clock() {
    each_line(
        &CLOCK_WORDS,
        |source| CLOCKLESS.contains(&source.module()) && !source.is(CLOCK),
        |word| format!("`{word}`: the time is a parameter here"),
    );
}

#[test]
fn formats_never_name_each_other() {
    let formats = formats();
    let mut broken = Broken::default();
    for source in sources().iter().filter(|source| source.module() == "format") {
        let Some(own) = format_of(&source.path, &formats) else { continue };
        let others: Vec<&str> = formats.iter().filter(|name| *name != own).map(String::as_str).collect();
        for (line, word) in source.find(&others) {
            broken.note(source, line, &format!("the format `{own}` must not know the format `{word}`"));
        }
    }
    broken.assert_none();
}

#[test]
fn the_screens_name_no_single_format_and_never_touch_the_disk() {
    // The screens have a module that draws Markdown.
    let formats = formats().into_iter().filter(|name| name != "markdown");
    let named: Vec<String> =
        formats.flat_map(|name| [format!("format::{name}"), format!("{name}::")]).collect();
    let words: Vec<&str> = named.iter().map(String::as_str).chain(["crate::disk"]).collect();
    each_line(
        &words,
        |source| source.module() == "tui",
        |word| format!("`{word}` in `tui`: screens read capabilities and send jobs"),
    );
}

#[test]
fn nothing_outside_tests_can_panic_on_purpose() {
    each_line(&CRASH_WORDS, |_| true, |word| format!("`{word}` outside tests: return what went wrong"));
}

#[test]
fn paths_are_told_in_one_way_by_which_they_can_be_named_again() {
    each_line(&LOSSY_WORDS, |_| true, |word| format!("`{word}`: a path is told by `PathText::to_text`"));
}

#[test]
fn no_lint_is_silenced_outside_tests() {
    each_line(&["#[allow", "#![allow"], |_| true, |word| format!("`{word}` outside tests"));
}

#[test]
fn only_verbs_and_main_print() {
    each_line(
        &PRINT_WORDS,
        |source| !["cli", "main"].contains(&source.module()),
        |word| format!("`{word}` outside `cli` and `main`: it would garble a screen"),
    );
}

#[test]
fn files_stay_small_enough_to_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = ["src", "tests", "benches", "examples"].iter().flat_map(|top| files(&root.join(top), "rs"));
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<PathBuf> = all.filter(|path| lines(path) > LINES).collect();
    assert!(long.is_empty(), "more than {LINES} lines, split them by what they do: {long:#?}");
}

/// Participles and adjectives that must not be a file's name: they do not say what is kept, or later.
const NO_NOUNS: &str = "told had made known kept asked planned carried looked listed shown taken gone held back late \
                        later latest short beside elsewhere after anew again";

#[test]
fn a_file_is_named_after_a_thing_or_an_action() {
    let mut broken = Broken::default();
    let says_nothing = |name: &str| name.split('_').any(|word| EMPTY_NAMES.contains(&word));
    for source in sources() {
        let names = source.path.iter().filter_map(|part| part.to_str());
        let is_none = |name: &&str| says_nothing(name) || has_word(NO_NOUNS, name);
        for name in names.map(|part| part.trim_end_matches(".rs")).filter(is_none) {
            broken.note(source, 1, &format!("`{name}` is neither a thing nor an action: what does it hold?"));
        }
    }
    broken.assert_none();
}

/// Returns the type that an item at the start of a line defines.
fn defined_type(line: &str) -> Option<&str> {
    let public = line.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")).map(|(_, rest)| rest);
    let item = public.or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| item.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn a_type_name_is_defined_in_one_folder_only() {
    let mut folders: BTreeMap<&str, BTreeSet<&Path>> = BTreeMap::new();
    for source in sources() {
        let folder = source.path.parent().unwrap();
        for name in source.code.lines().filter_map(defined_type) {
            folders.entry(name).or_default().insert(folder);
        }
    }
    assert!(folders.len() > 500, "{}", folders.len());
    // Each module may have a `Result` with its own error, as in the standard library.
    folders.retain(|name, folders| *name != "Result" && folders.len() > 1);
    assert!(folders.is_empty(), "{folders:#?}");
}

#[test]
fn the_rules_are_read_from_code_and_not_from_comments_strings_or_tests() {
    let code = code::code_of(concat!(
        "use crate::{model::Moment, text::show};\n",
        "// use crate::tui;\n",
        "const A: &str = \"crate::cli\"; /* crate::tui /* nested */ */ const B: char = '\"';\n",
        "fn f<'a>(x: &'a str) -> &'a str { crate::disk::g(r#\"panic!\"#) }\n",
        "#[cfg(test)]\nmod tests { fn t() { crate::main::x(); panic!(\"{\") } }\n",
        "fn last() { crate::query::q() }\n",
    ));
    let found: Vec<(usize, String)> = imports(&code);
    let found: Vec<(usize, &str)> = found.iter().map(|(line, name)| (*line, name.as_str())).collect();
    assert_eq!(found, [(1, "model"), (1, "text"), (4, "disk"), (7, "query")]);
    assert!(!code.contains("panic!"));
}

#[track_caller]
fn each_line(words: &[&str], applies: impl Fn(&Source) -> bool, rule: impl Fn(&str) -> String) {
    let mut broken = Broken::default();
    for source in sources().iter().filter(|source| applies(source)) {
        for (line, word) in source.find(words) {
            broken.note(source, line, &rule(word));
        }
    }
    broken.assert_none();
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|modules| modules.contains(&module))
}

fn sources() -> &'static [Source] {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let sources: Vec<Source> = files(&root, "rs").iter().map(|path| source(&root, path)).collect();
        assert!(sources.len() > 10, "src was not found");
        sources
    })
}

fn source(root: &Path, path: &Path) -> Source {
    let text = std::fs::read_to_string(path).unwrap();
    let path = path.strip_prefix(root).unwrap().to_owned();
    // A module's tests in their own file: `#[cfg(test)] mod tests;`.
    let is_tests = path.iter().any(|part| part == "tests" || part == "tests.rs");
    let with_tests = without_comments_and_strings(&text);
    let text = if is_tests { String::new() } else { text };
    let code = if is_tests { String::new() } else { without_tests(with_tests.clone()) };
    Source { path, text, code, with_tests }
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let all = crate::support::files_below(folder).into_keys();
    all.filter(|path| path.extension().is_some_and(|own| own == extension)).collect()
}

/// Names of formats, also of their folders in `format/`. Other code must not use them.
fn formats() -> BTreeSet<String> {
    palimp::format::FORMATS.iter().map(|format| format.name().replace('-', "_")).collect()
}

fn format_of<'a>(path: &Path, formats: &'a BTreeSet<String>) -> Option<&'a String> {
    let part = path.iter().nth(1)?.to_str()?.trim_end_matches(".rs");
    formats.get(part)
}
