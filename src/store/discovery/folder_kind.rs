//! Says what a folder without a store seems to be, by the names in it and by where it is.

use std::path::Path;

use crate::disk::{Disk, Item, ItemKind};
use crate::model::PathText;

/// How many of the last folders of a path count.
const NEAR: usize = 3;

/// What shows that a folder is of a kind: one of the names in it, or one of the folders that it is in.
struct FolderKind {
    /// What it is, with an article.
    what: &'static str,
    names: &'static [&'static str],
    within: &'static [&'static str],
}

/// The first one that fits counts.
const KINDS: [FolderKind; 9] = [
    FolderKind { what: "an Obsidian vault", names: &[".obsidian"], within: &[] },
    FolderKind {
        what: "a template that is copied into projects",
        names: &["templates", "template"],
        within: &["templates", "template", "assets", "examples"],
    },
    FolderKind {
        what: "skills, commands or roles of an agent, which are instructions",
        names: &["SKILL.md", "skills", "commands"],
        within: &["skills", "commands", "agents", "prompts", ".cursor"],
    },
    FolderKind {
        what: "a website",
        names: &[
            "_config.yml",
            "_posts",
            "hugo.toml",
            "hugo.yaml",
            "astro.config.mjs",
            "docusaurus.config.js",
        ],
        within: &["_posts"],
    },
    FolderKind {
        what: "documentation",
        names: &[
            "mkdocs.yml",
            "mkdocs.yaml",
            "conf.py",
            "book.toml",
            "docs",
            "doc",
            "adr",
            "changelog",
            "manual",
        ],
        within: &["docs", "doc", "adr", "decisions", "changelog", "manual", "wiki"],
    },
    FolderKind {
        what: "the root of a project",
        names: &[".git", "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Makefile", "src"],
        within: &[],
    },
    FolderKind {
        what: "instructions for agents",
        names: &[
            "CLAUDE.md",
            "AGENTS.md",
            "GEMINI.md",
            "SOUL.md",
            ".cursorrules",
            ".cursor",
            ".claude",
            ".agents",
        ],
        within: &[".claude", ".agents"],
    },
    FolderKind { what: "source code", names: &[], within: &["src", "lib", "vendor", "node_modules"] },
    FolderKind { what: "a project's notes", names: &["README.md"], within: &[] },
];

/// The extensions of source code.
const CODE: [&str; 12] = ["c", "h", "cc", "cpp", "rs", "py", "js", "ts", "go", "java", "rb", "sh"];

/// Returns what a folder with these items seems to be, with an article; `None` if nothing shows it.
pub fn seems_to_be(disk: &dyn Disk, folder: &Path, items: &[Item]) -> Option<&'static str> {
    let has = |name: &&str| items.iter().any(|item| item.name == **name);
    let is_within = |name: &&str| folder.iter().rev().take(NEAR).any(|part| *part == **name);
    let fits = |own: &&FolderKind| own.names.iter().any(has) || own.within.iter().any(is_within);
    if let Some(own) = KINDS.iter().find(fits) {
        return Some(own.what);
    }
    if let Some(what) = by_files(items) {
        return Some(what);
    }
    // A folder with nothing but one folder is what that is.
    let [only] = items else { return None };
    let path = folder.join(&only.name);
    let inside = disk.list(&path).unwrap_or_default();
    (only.kind == ItemKind::Folder).then(|| by_files(&inside).or_else(|| named(&inside)))?
}

fn named(items: &[Item]) -> Option<&'static str> {
    let has = |name: &&str| items.iter().any(|item| item.name == **name);
    KINDS.iter().find(|own| own.names.iter().any(has)).map(|own| own.what)
}

/// Returns what most of the files are.
fn by_files(items: &[Item]) -> Option<&'static str> {
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
