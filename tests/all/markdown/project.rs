//! The projects of memories: their names, their places, and the files that they do not have any more.

use std::path::Path;

use serde_json::Value;

use super::claude;
use crate::support::git::{commit, git};
use crate::support::{Files, Verb, folder};

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn put(files: &Files, at: &Path) {
    let store = files.build("x");
    for name in ["MEMORY.md", "feedback_tabs.md", "deploy.md", "alone.md"] {
        write(&at.join(name), &std::fs::read_to_string(store.path.join(name)).unwrap());
    }
}

/// Writes a folder of Claude Code for a project below a home folder, with a transcript that names it.
fn project(home: &Path, path: &Path, files: &Files) {
    let slug: String =
        path.to_str().unwrap().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let own = home.join(".claude/projects").join(slug);
    let cwd = serde_json::to_string(path).unwrap();
    write(&own.join("0a.jsonl"), &format!("{{\"type\":\"summary\"}}\n{{\"type\":\"user\",\"cwd\":{cwd}}}\n"));
    put(files, &own.join("memory"));
}

fn rows(home: &Path, words: &[&str]) -> Vec<Value> {
    Verb::new(words.iter().copied().chain(["--json"])).in_folder(home).home(home).run().json_lines()
}

#[test]
fn projects_have_the_names_of_their_folders_and_those_that_were_moved_are_named() {
    let home = folder::new();
    let (shop, gone) = (home.path().join("work/my_shop"), home.path().join("old/place"));
    std::fs::create_dir_all(&shop).unwrap();
    project(home.path(), &shop, &claude());
    project(home.path(), &gone, &claude());
    let stores = rows(home.path(), &["stores"]);
    let mut found: Vec<&str> = stores.iter().map(|row| row["project"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, [gone.to_str().unwrap(), shop.to_str().unwrap()]);
    assert_eq!(rows(home.path(), &["list", "store:my_shop"]).len(), 4);
    let moved: Vec<Value> =
        rows(home.path(), &["check"]).into_iter().filter(|row| row["code"] == "project-moved").collect();
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert!(moved[0]["message"].as_str().unwrap().contains(gone.to_str().unwrap()));
}

/// Returns the messages about files that are gone, of the project at `root`.
fn stale(root: &Path) -> Vec<(Option<u64>, String)> {
    let found = rows(root, &["check"]).into_iter().filter(|row| row["code"] == "stale-claim");
    found.map(|row| (row["line"].as_u64(), row["message"].as_str().unwrap().to_owned())).collect()
}

const CLAIMS: &str = "# Sign-in\n`src/old.rs:12` and src/here.rs, never `src/never.rs`, see https://x.org/src/old.rs\n```\nsrc/old.rs\n```\n";

#[test]
fn a_file_that_a_commit_removed_is_named_with_the_commit() {
    let root = folder::new();
    let root = root.path();
    write(&root.join(".serena/project.yml"), "project_name: shop\n");
    write(&root.join(".serena/memories/core/auth.md"), CLAIMS);
    write(&root.join("src/old.rs"), "x");
    write(&root.join("src/here.rs"), "x");
    if git(root, &["init", "-q", "-b", "main"]).is_none() {
        eprintln!("skipped: there is no git here");
        return;
    }
    commit(root, "one");
    assert!(stale(root).is_empty());
    std::fs::remove_file(root.join("src/old.rs")).unwrap();
    assert_eq!(stale(root), [(Some(2), "It names \"src/old.rs\", which is not in the project.".to_owned())]);
    let id = commit(root, "two");
    let found = stale(root);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.contains(&id[..7]) && found[0].1.contains("2026-01-05"), "{found:?}");
}

#[test]
fn without_git_a_file_is_missed_if_its_first_folder_is_there() {
    let root = folder::new();
    let root = root.path();
    write(&root.join("memory-bank/projectbrief.md"), "# Brief\n`src/gone.rs`, `lib/other.rs`\n");
    write(&root.join("memory-bank/progress.md"), "# Progress\nsrc/here.rs\n");
    write(&root.join("src/here.rs"), "x");
    assert_eq!(stale(root), [(Some(2), "It names \"src/gone.rs\", which is not in the project.".to_owned())]);
}
