//! Says what a folder without a store seems to be, by the names in it and by where it is.

use std::path::Path;

use crate::disk::{Disk, ItemKind, ItemName};
use crate::model::PathText;

/// How many of the last folders of a path count.
const NEAR: usize = 3;

/// A kind of folder, with an article, the names in it that show the kind, and the names of folders that it is in.
type FolderKind = (&'static str, &'static str, &'static str);

/// The first one that fits counts.
const KINDS: [FolderKind; 9] = [
    ("an Obsidian vault", ".obsidian", ""),
    ("a template that is copied into projects", "templates template", "templates template assets examples"),
    (
        "skills, commands or roles of an agent, which are instructions",
        "SKILL.md skills commands",
        "skills commands agents prompts .cursor",
    ),
    ("a website", "_config.yml _posts hugo.toml hugo.yaml astro.config.mjs docusaurus.config.js", "_posts"),
    (
        "documentation",
        "mkdocs.yml mkdocs.yaml conf.py book.toml docs doc adr changelog manual",
        "docs doc adr decisions changelog manual wiki",
    ),
    ("the root of a project", ".git package.json Cargo.toml pyproject.toml go.mod Makefile src", ""),
    (
        "instructions for agents",
        "CLAUDE.md AGENTS.md GEMINI.md SOUL.md .cursorrules .cursor .claude .agents",
        ".claude .agents",
    ),
    ("source code", "", "src lib vendor node_modules"),
    ("a project's notes", "README.md", ""),
];

const CODE: [&str; 12] = ["c", "h", "cc", "cpp", "rs", "py", "js", "ts", "go", "java", "rb", "sh"];

/// Returns what a folder with these items seems to be, with an article; `None` if nothing shows it.
pub fn seems_to_be(disk: &dyn Disk, folder: &Path, items: &[ItemName]) -> Option<&'static str> {
    let is_within = |name: &str| folder.iter().rev().take(NEAR).any(|part| part == name);
    let fits = |own: &&FolderKind| has_one(items, own.1) || own.2.split_whitespace().any(is_within);
    if let Some(what) = KINDS.iter().find(fits).map(|own| own.0).or_else(|| by_files(items)) {
        return Some(what);
    }
    // A folder with nothing but one folder is what that is.
    let [only] = items else { return None };
    let path = folder.join(&only.name);
    let inside = disk.names(&path, usize::MAX).unwrap_or_default();
    let named = || KINDS.iter().find(|own| has_one(&inside, own.1)).map(|own| own.0);
    (only.kind == ItemKind::Folder).then(|| by_files(&inside).or_else(named))?
}

fn has_one(items: &[ItemName], names: &str) -> bool {
    names.split_whitespace().any(|name| items.iter().any(|item| item.name == name))
}

fn by_files(items: &[ItemName]) -> Option<&'static str> {
    let names: Vec<_> =
        items.iter().filter(|item| item.kind == ItemKind::File).map(|item| &item.name).collect();
    let ends = |ends: &dyn Fn(&str) -> bool| {
        let own =
            names.iter().filter(|name| Path::new(name).extension().is_some_and(|end| ends(&end.to_text())));
        own.count() * 2 >= names.len()
    };
    let is_day =
        |name: &str| name.len() >= 10 && name.bytes().take(10).all(|own| own.is_ascii_digit() || own == b'-');
    match () {
        () if names.is_empty() => None,
        () if ends(&|end| CODE.contains(&end)) => Some("source code"),
        () if !ends(&|end| end == "md") => None,
        () if names.iter().all(|name| is_day(&Path::new(name).to_text())) => Some("a diary or a log by days"),
        () => Some("documents in Markdown that no index of an agent leads to"),
    }
}
