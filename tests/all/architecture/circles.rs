//! Files that import each other in a circle can only be understood together, so circles stay small.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;
use super::code::{code_of, parts_of_group};

/// The largest circle of files outside `src/tui`, and inside it.
const LARGEST: [usize; 2] = [3, 12];

pub type Module = Vec<String>;

/// A file of the source, as far as imports need it.
struct SourceFile {
    /// The paths of its `use` lines with the names that they bring.
    uses: Vec<(Module, String)>,
    /// The paths in its code.
    paths: Vec<Module>,
    /// The names of its items.
    items: BTreeSet<String>,
}

/// The files of a crate by their modules.
pub struct Sources(BTreeMap<Module, SourceFile>);

impl Sources {
    fn read() -> Sources {
        let is_test = |module: &Module| module.iter().any(|part| part == "tests" || part == "main");
        let files = super::sources().iter().map(|source| (module_of(source), SourceFile::of(&source.code)));
        Sources(files.filter(|(module, _)| !is_test(module)).collect())
    }

    /// Reads all files, with their tests.
    pub fn read_with_tests() -> Sources {
        let file = |source: &Source| (module_of(source), SourceFile::of(&source.with_tests));
        Sources(super::sources().iter().map(file).collect())
    }

    /// Makes the sources of a test: paths without `.rs`, each with its code.
    pub fn of(files: &[(&str, &str)]) -> Sources {
        let of = |(path, code): &(&str, &str)| {
            (path.split('/').map(str::to_owned).collect(), SourceFile::of(&code_of(code)))
        };
        Sources(files.iter().map(of).chain([(Module::new(), SourceFile::of(""))]).collect())
    }

    fn defining(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" | "palimp" => (Module::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                (module[..module.len().checked_sub(ups)?].to_vec(), &path[ups..])
            }
            first if self.0.contains_key(&[&module[..], &[first.to_owned()]].concat()) => {
                (module.clone(), path)
            }
            _ => return None,
        };
        while let Some(next) = rest.first() {
            let inner = [&at[..], std::slice::from_ref(next)].concat();
            let file = self.0.get(&at)?;
            if self.0.contains_key(&inner) {
                (at, rest) = (inner, &rest[1..]);
            } else if file.items.contains(next) || depth > 8 {
                return Some(at);
            } else {
                let brought = file.uses.iter().find(|(_, name)| name == next);
                let further = brought
                    .and_then(|(path, _)| self.defining(&at, &[&path[..], &rest[1..]].concat(), depth + 1));
                return further.or(Some(at));
            }
        }
        Some(at)
    }

    pub fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of_file = |(module, file): (&Module, &SourceFile)| -> BTreeSet<Module> {
            let named = |path: &Module| {
                let brought = file.uses.iter().find(|(_, name)| Some(name) == path.first());
                brought.map_or(path.clone(), |(whole, _)| [&whole[..], &path[1..]].concat())
            };
            let used = file.uses.iter().map(|(path, _)| path.clone());
            let all = used.chain(file.paths.iter().map(named));
            let found = all.filter_map(|path| self.defining(module, &path, 0));
            found.filter(|other| other != module && self.0.contains_key(other)).collect()
        };
        self.0.iter().map(|own| (own.0, of_file(own))).collect()
    }

    fn circles(&self) -> Vec<Vec<Module>> {
        let imports = self.imports();
        let names: Vec<&Module> = imports.keys().copied().collect();
        let numbered =
            |own: &BTreeSet<Module>| own.iter().filter_map(|own| names.binary_search(&own).ok()).collect();
        let next: Vec<Vec<usize>> = imports.values().map(numbered).collect();
        let reached: Vec<Vec<bool>> = (0..names.len())
            .map(|start| {
                let (mut seen, mut left) = (vec![false; names.len()], vec![start]);
                while let Some(at) = left.pop() {
                    let new = next[at].iter().filter(|own| !std::mem::replace(&mut seen[**own], true));
                    left.extend(new);
                }
                seen
            })
            .collect();
        let circle = |start: usize| -> Vec<Module> {
            let is_in = |other: &usize| reached[start][*other] && reached[*other][start];
            (0..names.len()).filter(is_in).map(|own| names[own].clone()).collect()
        };
        let circles: BTreeSet<Vec<Module>> = (0..names.len()).map(circle).collect();
        circles.into_iter().filter(|circle| circle.len() > 1).collect()
    }
}

fn module_of(source: &Source) -> Module {
    let path = source.path.with_extension("");
    let mut module: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

impl SourceFile {
    fn of(code: &str) -> SourceFile {
        let (mut uses, mut rest) = (Vec::new(), String::new());
        for statement in code.split_inclusive(';') {
            let start = statement.rfind("use ").filter(|at| {
                let before = statement[..*at].lines().last().unwrap_or_default().trim();
                before.is_empty() || before.starts_with("pub")
            });
            match start {
                Some(at) => {
                    expand(statement[at + 4..].trim_end_matches(';'), &[], &mut uses);
                    rest.push_str(&statement[..at]);
                }
                None => rest.push_str(statement),
            }
        }
        let rest = without_visibility(&rest);
        SourceFile { uses, paths: paths_of(&rest), items: items_of(&rest) }
    }
}

/// Adds the paths of a `use` tree, each with the name that it brings.
fn expand(tree: &str, before: &[String], found: &mut Vec<(Module, String)>) {
    let tree = tree.trim();
    if let Some(group) = tree.strip_prefix('{') {
        parts_of_group(group).into_iter().for_each(|part| expand(part, before, found));
    } else if let Some((first, further)) = tree.split_once("::") {
        expand(further, &[before, &[first.trim().to_owned()]].concat(), found);
    } else if !tree.is_empty() {
        let (name, alias) = tree.split_once(" as ").unwrap_or((tree, tree));
        let mut path = before.to_vec();
        path.extend((name != "self").then(|| name.trim().to_owned()));
        let alias =
            if alias == "self" { path.last().cloned().unwrap_or_default() } else { alias.trim().to_owned() };
        found.push((path, alias));
    }
}

/// Returns code without `pub(in …)`, which imports nothing.
fn without_visibility(code: &str) -> String {
    let mut parts = code.split("pub(in ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.split_once(')').map_or("", |(_, rest)| rest))
}

fn paths_of(code: &str) -> Vec<Module> {
    let is_of_path =
        |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b':' || *byte >= 0x80;
    let (bytes, mut paths, mut end) = (code.as_bytes(), Vec::new(), 0);
    for at in memchr::memmem::find_iter(bytes, "::") {
        if at < end {
            continue;
        }
        let start = at - bytes[..at].iter().rev().take_while(|byte| is_of_path(byte)).count();
        end = at + bytes[at..].iter().take_while(|byte| is_of_path(byte)).count();
        if start < at && bytes[start] != b':' {
            let path = code[start..end].trim_end_matches(':');
            paths.push(path.split("::").map(str::to_owned).collect());
        }
    }
    paths
}

fn items_of(code: &str) -> BTreeSet<String> {
    let is_end = |c: char| c.is_whitespace() || "(<{:;=".contains(c);
    let name = |rest: &str| Some(rest.trim_start_matches(is_end).split(is_end).next()?.to_owned());
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!"];
    let of_kind = |kind: &'static str| {
        let ends = memchr::memmem::find_iter(code.as_bytes(), kind).filter_map(move |at| {
            let rest = &code[at + kind.len()..];
            (code[..at].chars().next_back().is_none_or(is_end) && rest.starts_with(is_end)).then_some(rest)
        });
        ends.filter_map(name).collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

#[test]
fn no_more_than_three_files_import_each_other_in_a_circle_and_twelve_in_the_screens() {
    let sources = Sources::read();
    assert!(sources.0.len() > 600, "only {} files were read", sources.0.len());
    let is_screens =
        |circle: &Vec<Module>| circle.iter().all(|own| own.first().is_some_and(|own| own == "tui"));
    let circles = sources.circles();
    let large: Vec<String> = circles
        .iter()
        .filter(|circle| circle.len() > LARGEST[usize::from(is_screens(circle))])
        .map(|circle| circle.iter().map(|own| own.join("/")).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(large.is_empty(), "circles of imports:\n{}", large.join("\n"));
}

#[test]
fn a_circle_is_seen_through_groups_names_of_modules_and_names_that_are_passed_on() {
    let files = [
        ("a", "use crate::b::{self, d::Deep};\nfn go() { b::run(); }"),
        ("b", "mod d;\npub use d::Deep;\npub fn run() {}"),
        ("b/d", "pub(in crate::a) struct Deep;\nuse super::super::c;"),
        ("c", "use crate::b::Deep;\nfn go() -> Deep { crate::a::go() }"),
        ("e", "use crate::b::Deep;"),
    ];
    let sources = Sources::of(&files);
    let circles: Vec<Vec<String>> =
        sources.circles().iter().map(|own| own.iter().map(|own| own.join("/")).collect()).collect();
    assert_eq!(circles, [["a", "b", "b/d", "c"]]);
}
