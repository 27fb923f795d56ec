//! In a git work tree, an erasure names the commits and branches that still have the erased text.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::support::git::{commit, git, repository};
use super::support::{Output, StoreBuilder, Verb, script};
use super::{NOW, Site, secret};

fn with_git(site: &Site, words: &[&str], path: &str) -> Output {
    let (store, data) = (site.store.path.to_str().unwrap(), site.data.to_str().unwrap());
    let options = ["--store", store, "--data-dir", data, "--now", NOW];
    Verb::new(words.iter().copied().chain(options)).env("PATH", path).run()
}

fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// Returns a store in a new repository without commits, or `None` without git.
fn site() -> Option<Site> {
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": secret(1)}))
        .learning(json!({"id": "k-2", "content": "It stays as it is."}))
        .build();
    let site = Site::of(store);
    repository(&site.store.path).then_some(site)
}

fn erase(site: &Site, id: &str) -> Value {
    let output = with_git(site, &["erase", id, "--yes", "--json"], &path()).expect_status(0);
    serde_json::from_str(&output.stdout).unwrap()
}

/// Returns the ids of the named commits, sorted.
fn ids(row: &Value) -> Vec<&str> {
    let commits = row["git"]["commits"].as_array().unwrap();
    let mut ids: Vec<&str> = commits.iter().map(|own| own["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids
}

fn sorted<const N: usize>(mut ids: [&str; N]) -> [&str; N] {
    ids.sort_unstable();
    ids
}

/// Commits the store without its learnings. Returns its root, and the learnings.
fn without_it(site: &Site) -> (PathBuf, Vec<u8>) {
    let root = site.store.path.clone();
    let log = site.store.read("learnings.jsonl");
    site.store.write("learnings.jsonl", b"");
    commit(&root, "before it");
    (root, log)
}

#[test]
fn an_erasure_names_the_commits_and_branches_that_hold_what_was_erased() {
    let Some(site) = site() else { return };
    let (root, log) = without_it(&site);
    git(&root, &["branch", "clean"]).unwrap();
    git(&root, &["checkout", "-q", "-b", "side"]).unwrap();
    site.store.write("learnings.jsonl", &log);
    let brought = commit(&root, "it comes");
    site.store.write("learnings.jsonl", &[&log[..], b"\n"].concat());
    let kept = commit(&root, "a blank line");
    site.store.write("learnings.jsonl", b"");
    commit(&root, "it goes");
    // A merge without changes to the file hides the branch from the simplified history.
    git(&root, &["checkout", "-q", "main"]).unwrap();
    git(&root, &["merge", "-q", "--no-ff", "-m", "merged", "side"]).unwrap();
    git(&root, &["checkout", "-q", "clean"]).unwrap();
    site.store.write("learnings.jsonl", &log);

    let row = erase(&site, "k-1");
    assert_eq!(ids(&row), sorted([&brought, &kept]), "{row}");
    assert_eq!(row["git"]["commits"][0]["date"], "2026-01-05");
    assert_eq!(row["git"]["branches"], json!(["main", "side"]));
    assert_eq!(row["git"]["incomplete"], Value::Null);
    let told = row["cannot_reach"].as_array().unwrap().last().unwrap().as_str().unwrap();
    for part in ["2 commits", &brought, &kept, "on main, side", "git filter-repo"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let receipt = std::fs::read_to_string(row["receipt"].as_str().unwrap()).unwrap();
    assert!(receipt.contains(&kept) && !receipt.contains(&secret(1)) && !receipt.contains("it comes"));
}

#[test]
fn what_is_staged_or_in_the_reflog_alone_is_named_too() {
    let Some(site) = site() else { return };
    let (root, log) = without_it(&site);
    site.store.write("learnings.jsonl", &log);
    let dropped = commit(&root, "it comes");
    git(&root, &["reset", "-q", "--hard", "HEAD~1"]).unwrap();
    site.store.write("learnings.jsonl", &[&log[..], b"\n"].concat());
    git(&root, &["add", "-A"]).unwrap();
    let output = with_git(&site, &["erase", "k-1", "--yes"], &path()).expect_status(0);
    for part in [&*dropped, "only the reflog leads there", "a staged version has it, too"] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
}

#[test]
fn where_no_commit_holds_it_or_git_is_missing_that_is_said() {
    let Some(site) = site() else { return };
    let (_, log) = without_it(&site);
    site.store.write("learnings.jsonl", &log);
    let output = with_git(&site, &["erase", "k-1", "--yes"], &path()).expect_status(0);
    assert!(output.stderr.contains("none of the 1 commits here"), "{}", output.stderr);
    let output = with_git(&site, &["erase", "k-2", "--yes"], "/nowhere").expect_status(0);
    assert!(output.stderr.contains("`git` is not installed"), "{}", output.stderr);
}

#[test]
fn nothing_that_the_repository_configures_is_run() {
    let Some(site) = site() else { return };
    let root = site.store.path.clone();
    site.store.write(".gitattributes", b"* diff=spy filter=spy\n");
    commit(&root, "it comes");
    let trace = site.store.around().join("was-run");
    let script = script(site.store.around(), "spy", &format!("echo x >> {}\ncat", trace.display()));
    let names = ["core.fsmonitor", "core.pager", "diff.external", "diff.spy.textconv", "diff.spy.command"];
    let more = ["filter.spy.smudge", "filter.spy.clean", "gpg.program", "core.sshCommand"];
    for name in names.iter().chain(&more) {
        git(&root, &["config", name, script.to_str().unwrap()]).unwrap();
    }
    git(&root, &["config", "log.showSignature", "true"]).unwrap();
    let row = erase(&site, "k-1");
    assert_eq!(row["git"]["branches"], json!(["main"]), "{row}");
    assert!(!trace.exists());
}
