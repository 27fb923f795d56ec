//! The projects of memories: their names, their places, and the files that they do not have any more.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{claude, slug};
use crate::support::git::{commit, repository};
use crate::support::{Files, Verb, folder, write};

/// Writes a folder of Claude Code for a project below a home folder, with a transcript that names it.
fn project(home: &Path, path: &Path, files: &Files) {
    let memories = agent(home, &slug(path), &[path]).join("memory");
    files.0.iter().for_each(|(file, bytes)| write(&memories.join(file), bytes));
}

/// Writes a folder of Claude Code with a transcript of a session that was in these folders, in their order. Its lines are
/// longer than what is read of it first.
fn agent(home: &Path, name: &str, stays: &[&Path]) -> PathBuf {
    let folder = home.join(".claude/projects").join(name);
    let line = |(minute, path): (usize, &&Path)| {
        let at = format!("2026-01-02T10:{minute:02}:00.000Z");
        let output = "x".repeat(20_000);
        serde_json::json!({"type": "user", "cwd": path, "timestamp": at, "output": output}).to_string() + "\n"
    };
    let lines: String = stays.iter().enumerate().map(line).collect();
    write(&folder.join("0a.jsonl"), format!("{{\"type\":\"summary\"}}\n{lines}"));
    write(
        &folder.join("memory/deploy.md"),
        "---\nname: deploy\ndescription: by hand\n---\nSee src/gone.rs.\n",
    );
    write(&folder.join("memory/MEMORY.md"), "- [Deploy](deploy.md) — by hand\n");
    folder
}

fn problems(home: &Path, code: &str) -> Vec<String> {
    let found = rows(home, &["check"]).into_iter().filter(|row| row["code"] == code);
    found.map(|row| row["message"].as_str().unwrap().to_owned()).collect()
}

fn member(home: &Path, folder: &Path, name: &str) -> Option<PathBuf> {
    let all = rows(home, &["stores"]);
    let row = all.iter().find(|row| Path::new(row["path"].as_str().unwrap()).starts_with(folder)).unwrap();
    row[name].as_str().map(PathBuf::from)
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
    let moved = problems(home.path(), "project-moved");
    assert!(moved.len() == 1 && moved[0].contains(gone.to_str().unwrap()), "{moved:?}");
}

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
    if !repository(root) {
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
    let expected = [(Some(2), "It names \"src/gone.rs\", which is not in the project.".to_owned())];
    assert_eq!(stale(root), expected);
    write(&root.join(".git/HEAD"), "ref: x\n");
    assert_eq!(stale(root), expected, "`.git` without objects is no repository");
}

#[test]
fn two_folders_of_one_project_are_named_whatever_version_spelled_them() {
    let home = folder::new();
    let shop = home.path().join("work/my_shop");
    std::fs::create_dir_all(&shop).unwrap();
    let old = shop.to_str().unwrap().replace('/', "-");
    for name in [&slug(&shop), &old] {
        assert_eq!(member(home.path(), &agent(home.path(), name, &[&shop]), "project"), Some(shop.clone()));
    }
    // Another project, the name of which today's versions would give to the first one.
    agent(home.path(), &slug(&home.path().join("work/my-other")), &[&home.path().join("work/my-other")]);
    let found = problems(home.path(), "two-folders-of-one-project");
    assert_eq!(found.len(), 2, "{found:?}");
    for message in &found {
        let loaded = format!("Today's versions of the agent load {:?}", slug(&shop));
        assert!(message.contains("In both: deploy.md") && message.contains(&loaded), "{message}");
    }
    std::fs::remove_file(home.path().join(".claude/projects").join(&old).join("0a.jsonl")).unwrap();
    assert_eq!(problems(home.path(), "two-folders-of-one-project").len(), 1, "its name alone says it");
}

#[test]
fn a_project_of_windows_is_one_in_any_case_and_is_not_looked_for_here() {
    let home = folder::new();
    for (name, path) in [("C--Git-shop", "C:\\Git\\shop"), ("c--git-shop", "c:/git/shop")] {
        let folder = agent(home.path(), name, &[Path::new(path)]);
        assert_eq!(member(home.path(), &folder, "project"), Some(path.into()));
    }
    let found = problems(home.path(), "two-folders-of-one-project");
    assert!(found.len() == 2 && found[0].contains("how it is started"), "{found:?}");
    for code in ["project-moved", "stale-claim"] {
        assert_eq!(problems(home.path(), code), [""; 0]);
    }
}

#[test]
fn a_moved_project_is_where_its_sessions_went_on_unless_that_is_another_project() {
    let home = folder::new();
    let (old, new) = (home.path().join("old/shop"), home.path().join("new/shop"));
    let (other, inner) = (home.path().join("new/till"), new.join("src"));
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::create_dir_all(&other).unwrap();
    let folder = agent(home.path(), &slug(&old), &[&old, &other, &inner, home.path()]);
    assert_eq!(member(home.path(), &folder, "project"), Some(new.clone()));
    assert_eq!(member(home.path(), &folder, "named_after"), Some(old.clone()));
    let found = problems(home.path(), "project-moved");
    assert!(found.len() == 1 && found[0].contains("probably"), "{found:?}");
    for path in [&old, &new, &home.path().join(".claude/projects").join(slug(&new)).join("memory")] {
        assert!(found[0].contains(path.to_str().unwrap()), "{found:?}");
    }
    // With another name it is the last folder, too, if that has no memories of its own.
    agent(home.path(), &slug(&old), &[&old, &inner, &other]);
    assert_eq!(member(home.path(), &folder, "project"), Some(other.clone()));
    agent(home.path(), &slug(&other), &[&other]);
    assert_eq!(member(home.path(), &folder, "project"), Some(new));
    agent(home.path(), &slug(&old), &[&old, &other]);
    assert_eq!(member(home.path(), &folder, "project"), Some(old));
}

#[test]
fn a_worktree_is_one_of_its_repository_also_when_it_is_gone() {
    let home = folder::new();
    let repository = home.path().join("shop");
    let (inner, beside) = (repository.join(".claude/worktrees/auth"), home.path().join("shop-till"));
    write(&repository.join(".git/worktrees/till/HEAD"), "ref: x\n");
    write(&inner.join(".git"), format!("gitdir: {}/.git/worktrees/auth\n", repository.display()));
    write(&beside.join(".git"), "gitdir: ../shop/.git/worktrees/till\n");
    for tree in [&inner, &beside] {
        let folder = agent(home.path(), &slug(tree), &[tree]);
        assert_eq!(member(home.path(), &folder, "project"), Some(repository.clone()), "{}", tree.display());
        assert_eq!(member(home.path(), &folder, "named_after").as_ref(), Some(tree));
    }
    assert!(problems(home.path(), "project-moved").is_empty());
    std::fs::remove_dir_all(repository.join(".claude")).unwrap();
    let deep = repository.join("trees/pay");
    agent(home.path(), &slug(&deep), &[&deep]);
    let gone = home.path().join("shop-gone");
    write(&repository.join(".git/worktrees/shop-gone/gitdir"), format!("{}/.git\n", gone.display()));
    agent(home.path(), &slug(&gone), &[&gone]);
    let found = problems(home.path(), "project-moved");
    assert_eq!(found.len(), 3, "{found:?}");
    for (message, tree) in found.iter().zip([&inner, &gone, &deep]) {
        for part in ["worktree", tree.to_str().unwrap(), &format!("{}/memory", slug(&repository))] {
            assert!(message.contains(part), "{message}");
        }
    }
}

const NAMES: &str =
    "grid_model.rs, `parser.rs`, deep_file.rs, `cargo test some_test.rs`, `main.rs`, docs.rs, other_app.py\n";

fn serena(root: &Path) {
    write(&root.join(".serena/project.yml"), "project_name: shop\n");
    write(&root.join(".serena/memories/names.md"), NAMES);
    write(&root.join("src/a/deep_file.rs"), "x");
}

fn missing(name: &str) -> (Option<u64>, String) {
    let message = format!("It names {name:?}, which is neither among the memories nor in the project.");
    (Some(1), message)
}

#[test]
fn the_name_of_a_source_file_that_no_folder_has_is_missed_where_others_of_its_kind_are() {
    let root = folder::new();
    serena(root.path());
    assert_eq!(stale(root.path()), [missing("grid_model.rs"), missing("parser.rs")]);
    write(&root.path().join("old/parser.rs"), "x");
    assert_eq!(stale(root.path()), [missing("grid_model.rs")]);
}

#[test]
fn in_a_repository_a_name_is_missed_if_a_commit_removed_its_last_file() {
    let root = folder::new();
    let root = root.path();
    serena(root);
    write(&root.join("src/b/grid_model.rs"), "x");
    write(&root.join(".serena/memories/path.md"), "src/b/grid_model.rs\n");
    if !repository(root) {
        return;
    }
    commit(root, "one");
    assert!(stale(root).is_empty());
    std::fs::remove_file(root.join("src/b/grid_model.rs")).unwrap();
    let id = commit(root, "two");
    let found = stale(root);
    assert!(found.len() == 2 && found.iter().all(|(_, why)| why.contains(&id[..7])), "{found:?}");
    write(&root.join("ignored/grid_model.rs"), "x");
    write(&root.join(".gitignore"), "ignored\n");
    assert_eq!(stale(root).len(), 1, "only its path is missed");
}

#[test]
fn a_file_that_was_never_written_is_missed_on_its_line_of_the_index_and_beside_memories_without_a_project() {
    let home = folder::new();
    let shop = home.path().join("shop");
    write(&shop.join("docs/plan.md"), "x");
    let index = "- [Tabs](feedback_tabs.md), see `nested-tabs.md`\n- plan.md, deploy.md, README.md, `title.md`\n- [x.md](x.md)\n";
    project(home.path(), &shop, &claude().with("MEMORY.md", index));
    assert_eq!(stale(home.path()), [missing("nested-tabs.md")]);
    let claw = home.path().join(".openclaw/workspace");
    for name in ["SOUL.md", "IDENTITY.md", "USER.md", "memory/2026-11-20.md"] {
        write(&claw.join(name), "x\n");
    }
    let text = "# M\n\n## A\nSee memory/2026-11-01.md, memory/YYYY-MM-DD.md and src/a.rs.\n";
    write(&claw.join("MEMORY.md"), text);
    let found: Vec<_> = stale(&claw).into_iter().filter(|(line, _)| *line == Some(4)).collect();
    assert!(found.len() == 1 && found[0].1.contains("memory/2026-11-01.md"), "{found:?}");
}
