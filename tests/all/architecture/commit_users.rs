//! Screens, verbs and jobs know the history of a store, its backups and drafts only through `usecase`.

use std::path::Path;

use super::circles::{Module, Sources};
use super::{Source, sources};

/// The modules that must not import from `store::write` and `store::steps`.
const ABOVE: [&str; 3] = ["cli", "tui", "work"];

/// Returns the files that import from these, each with what it imports from. Names that another
/// module passes on count.
fn users(sources: &Sources) -> Vec<String> {
    let is_above = |module: &Module| ABOVE.contains(&module.first().map_or("", String::as_str));
    let imports = sources.imports().into_iter().filter(|(module, _)| is_above(module));
    let all = imports.flat_map(|(module, used)| used.into_iter().map(move |other| (module, other)));
    let is_below = |other: &Module| matches!(&other[..], [first, second, ..] if first == "store" && (second == "write" || second == "steps"));
    all.filter(|(_, other)| is_below(other))
        .map(|(module, other)| format!("{} imports from {}", module.join("/"), other.join("/")))
        .collect()
}

#[test]
fn screens_verbs_and_jobs_import_nothing_from_the_commit() {
    let users = users(&Sources::read_with_tests());
    assert!(
        users.is_empty(),
        "what they show of it is a function or a type of `usecase`:\n{}",
        users.join("\n")
    );
}

#[test]
fn one_file_writes() {
    let has_writer =
        |source: &&Source| source.module() != "store" && source.find(&["Writer"]).next().is_some();
    let users: Vec<_> = sources().iter().filter(has_writer).map(|source| source.path.as_path()).collect();
    assert_eq!(users, [Path::new("usecase/write.rs")]);
}

#[test]
fn an_import_from_the_commit_is_seen_however_it_is_written() {
    let files = [
        ("store", "pub mod steps;\npub mod write;"),
        ("store/write", "pub struct Writer;"),
        ("store/steps", "pub struct Step;"),
        ("usecase", "mod backups;\npub use backups::Backups;\npub use crate::store::steps::Step;"),
        ("usecase/backups", "use crate::store::write::Writer;\npub struct Backups;"),
        ("cli/alone", "use crate::store::write::Writer;"),
        ("cli/grouped", "use crate::{model, store::{self, steps}};"),
        ("cli/through", "use crate::usecase::Backups;"),
        ("tui/passed", "use crate::usecase::Step;"),
        ("tui/tests/own", "#[cfg(test)]\nmod a {}\nfn t() { crate::store::steps::Step; }"),
        ("work/later", "use crate::store;\nfn go() { store::write::go() }"),
    ];
    assert_eq!(
        users(&Sources::of(&files)),
        [
            "cli/alone imports from store/write",
            "cli/grouped imports from store/steps",
            "tui/passed imports from store/steps",
            "tui/tests/own imports from store/steps",
            "work/later imports from store/write",
        ]
    );
}
