//! The rules of `docs/architecture.md`, held by reading `src`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The modules, each allowed to import only those before it: `cli` opens the screens of `tui`.
const ORDER: [&[&str]; 14] = [
    &["model"],
    &["text"],
    &["disk"],
    &["format"],
    &["store"],
    &["query"],
    &["check"],
    &["ops"],
    &["memory"],
    &["demo"],
    &["work"],
    &["tui"],
    &["cli"],
    &["main"],
];
/// Modules whose results depend on their arguments alone.
const CLOCKLESS: [&str; 8] = ["model", "text", "format", "store", "query", "check", "ops", "demo"];
/// The one file of those that may read the clock: `Moment::of_the_clock` lives in it.
const CLOCK: &str = "model/time.rs";
const LINES: usize = 450;

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
/// What tells a path so that it can't be named again.
const LOSSY_WORDS: [&str; 2] = [".display()", "to_string_lossy"];
const PRINT_WORDS: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];
const EMPTY_NAMES: [&str; 8] = ["util", "utils", "helper", "helpers", "manager", "misc", "common", "shared"];

/// A source file, its comments, strings and tests blanked, its lines where they were.
struct Source {
    /// Relative to `src`.
    path: PathBuf,
    code: String,
    lines: usize,
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

    /// Each line in which one of `words` stands as a whole, with the word.
    fn find<'a>(&'a self, words: &'a [&str]) -> impl Iterator<Item = (usize, &'a str)> {
        self.code.lines().enumerate().flat_map(move |(at, line)| {
            words.iter().filter(move |word| stands_in(line, word)).map(move |word| (at + 1, *word))
        })
    }
}

/// The rules broken so far.
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
            if name == source.module() {
                continue;
            }
            if rank(&name).is_some_and(|other| other >= own) {
                let rule =
                    format!("`{}` must not import `{name}`, which does not stand before it", source.module());
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
    let named: Vec<String> =
        formats().iter().flat_map(|name| [format!("format::{name}"), format!("{name}::")]).collect();
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
    each_line(&LOSSY_WORDS, |_| true, |word| format!("`{word}`: a path is told by `Tell::told`"));
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
    let mut broken = Broken::default();
    for source in sources().iter().filter(|source| source.lines > LINES) {
        broken.note(source, source.lines, &format!("longer than {LINES} lines: usually two rooms"));
    }
    broken.assert_none();
}

#[test]
fn file_names_say_what_is_in_them() {
    let mut broken = Broken::default();
    for source in sources() {
        for part in source.path.iter().filter_map(|part| part.to_str()) {
            if EMPTY_NAMES
                .iter()
                .any(|name| part.trim_end_matches(".rs").split('_').any(|word| word == *name))
            {
                broken.note(source, 1, &format!("`{part}` says nothing: name it after what it holds"));
            }
        }
    }
    broken.assert_none();
}

#[test]
fn the_rules_are_read_from_code_and_not_from_comments_strings_or_tests() {
    let code = code_of(concat!(
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
        let mut sources = Vec::new();
        gather(&root, &root, &mut sources);
        assert!(sources.len() > 10, "src was not found");
        sources
    })
}

fn gather(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(root).unwrap().to_owned();
            // A module's tests in a file of their own: `#[cfg(test)] mod tests;`.
            let is_tests = path.iter().any(|part| part == "tests" || part == "tests.rs");
            let code = if is_tests { String::new() } else { code_of(&text) };
            sources.push(Source { path, lines: text.lines().count(), code });
        }
    }
}

/// The names of the formats: folders and files beside `format/mod.rs` that another one's
/// code has no business with.
fn formats() -> BTreeSet<String> {
    let known = ["memory_server", "session_log", "agent_memory", "bmad", "a_mem"];
    known.iter().map(|name| (*name).to_owned()).collect()
}

fn format_of<'a>(path: &Path, formats: &'a BTreeSet<String>) -> Option<&'a String> {
    let part = path.iter().nth(1)?.to_str()?.trim_end_matches(".rs");
    formats.get(part)
}

/// The modules of this crate that code names, with their lines: `crate::a`,
/// `crate::{a, b}`, and `palimp::a` in the binary.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for root in ["crate::", "palimp::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &code[at + root.len()..];
            let line = code[..at].matches('\n').count() + 1;
            found.extend(first_names(rest).into_iter().map(|name| (line, name)));
        }
    }
    found.sort();
    found
}

/// The first name of a path, or of each path of a braced group.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![name_at(path)] };
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name_at(group[start..at].trim()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name_at(group[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn name_at(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Whether `word` stands in `line` without a letter before or after it.
fn stands_in(line: &str, word: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joined_before = word.starts_with(letter) && before.is_some_and(letter);
        let joined_after = word.ends_with(letter) && after.is_some_and(letter);
        !joined_before && !joined_after
    })
}

/// `text` with comments, strings and `#[cfg(test)]` items blanked; line ends stay.
fn code_of(text: &str) -> String {
    let mut code = without_comments_and_strings(text);
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = end_of_item(&code, start + "#[cfg(test)]".len());
        let blank: String = code[start..end].chars().filter(|c| *c == '\n').collect();
        code.replace_range(start..end, &blank);
    }
    code
}

/// One past the item that starts at `from`: its closing brace, or its semicolon.
fn end_of_item(code: &str, from: usize) -> usize {
    let mut depth = 0;
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (c == '}' || c == ';') {
            return from + at + 1;
        }
    }
    code.len()
}

fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| literal(rest, code.chars().next_back()));
        match skipped {
            Some(length) => {
                code.extend(rest[..length].chars().filter(|c| *c == '\n'));
                code.push(' ');
                rest = &rest[length..];
            }
            None => {
                code.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    code
}

fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0;
    for at in 0..text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 2);
        }
    }
    Some(text.len())
}

fn literal(text: &str, before: Option<char>) -> Option<usize> {
    let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let start = text.char_indices().take(3).find(|(_, c)| ['"', '\'', '#'].contains(c));
    let prefix = start.filter(|_| !in_name).map_or("", |(at, _)| &text[..at]);
    let body = &text[prefix.len()..];
    if ["r", "br"].contains(&prefix) {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let inner = body[hashes..].strip_prefix('"')?;
        let end = inner.find(&format!("\"{}", "#".repeat(hashes)))?;
        return Some(prefix.len() + hashes + 1 + end + 1 + hashes);
    }
    if !["", "b"].contains(&prefix) {
        return None;
    }
    match body.chars().next()? {
        '"' => Some(prefix.len() + quoted(body, '"')?),
        // A lifetime has no closing quote after one character.
        '\'' if body[1..].starts_with('\\') => Some(prefix.len() + quoted(body, '\'')?),
        '\'' => {
            let c = body[1..].chars().next()?;
            let end = 1 + c.len_utf8();
            body[end..].starts_with('\'').then_some(prefix.len() + end + 1)
        }
        _ => None,
    }
}

/// The length of a quoted literal with escapes, quotes included.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}
