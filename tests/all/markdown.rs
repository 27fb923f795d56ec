//! Folders of Markdown memories in their families (facts 7): found, read, checked, changed, erased.

mod archive;
mod beside_agents;
mod budget;
mod damage;
mod index;
mod instructions;
mod limits;
mod long_index;
mod look_alikes;
mod lossless;
mod merge;
mod project;
mod read_only;
mod real;
mod rename;
mod restore;
mod seen;
mod time;
mod write;

use std::path::Path;

use crate::support::{Files, problems, rows};

/// A topic of Claude Code.
pub const TOPIC: &str = "---\nname: a\ndescription: b\n---\nText.\n";

/// A folder of Claude Code with an index and three topics.
pub fn claude() -> Files {
    let topic = |name: &str, kind: &str, says: &str| {
        format!(
            "---\nname: {name}\ndescription: \"about {name}: short\"\nmetadata: \n  node_type: memory\n  type: {kind}\n---\n\n{says}\n"
        )
    };
    Files::default()
        .with(
            "MEMORY.md",
            "# Memory\n\n- [Tabs](feedback_tabs.md) — never tabs\n- [Deploy](deploy.md) — by hand\n\n## Rules\n\nAsk first.\n",
        )
        .with("feedback_tabs.md", topic("tabs", "feedback", "Spaces. See [[deploy]] and [[Nobody]]."))
        .with("deploy.md", topic("deploy", "project", "By hand, see [[tabs]] and [[feedback-tabs]]."))
        .with("alone.md", topic("alone", "project", "Nothing leads here."))
}

pub fn slug(project: &Path) -> String {
    project.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

fn codes(files: &Files, root: &str) -> Vec<(String, String, Option<u64>)> {
    let own = problems(&files.build(root)).into_iter();
    own.filter(|own| own.0 != "loose-permissions").map(|(code, _, file, line)| (code, file, line)).collect()
}

#[test]
fn topics_sections_and_links_of_claude_are_read() {
    let store = claude().build(".claude/memory");
    let all = rows(&store, "list", "");
    let mut ids: Vec<&str> = all.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["MEMORY#rules", "alone", "deploy", "feedback_tabs"]);
    let deploy = all.iter().find(|row| row["id"] == "deploy").unwrap();
    assert_eq!((&deploy["type"], &deploy["title"]), (&"project".into(), &"about deploy: short".into()));
    assert_eq!(deploy["format"], "markdown");
    let named = |code: &str, file: &str, line| (code.to_owned(), file.to_owned(), Some(line));
    let found = codes(&claude(), ".claude/memory");
    assert_eq!(
        found,
        [named("orphan-note", "alone.md", 1), named("dangling-reference", "feedback_tabs.md", 9)]
    );
}

#[test]
fn an_index_that_leads_nowhere_or_twice_is_named_by_its_lines() {
    let files = claude().with(
        "MEMORY.md",
        "- [a](deploy.md) — x\n- [b](gone.md) — y\n- [c](deploy.md) — z\n[t](feedback_tabs.md), [u](alone.md)\n",
    );
    let found = codes(&files, ".claude/memory");
    let of_index: Vec<_> = found.iter().filter(|own| own.1 == "MEMORY.md").collect();
    let own: Vec<(&str, Option<u64>)> = of_index.iter().map(|own| (own.0.as_str(), own.2)).collect();
    assert_eq!(own, [("dangling-reference", Some(2)), ("duplicate-id", Some(3))]);
}

#[test]
fn an_index_that_is_cut_says_from_which_line_on() {
    let lines = |count: usize| format!("- [a](deploy.md) — x\n{}", "- x\n".repeat(count - 1));
    for (count, expected) in
        [(179, None), (180, Some(("limit-near", 1))), (201, Some(("limit-exceeded", 201)))]
    {
        let found = codes(&claude().with("MEMORY.md", lines(count)), ".claude/memory");
        let limit = found.iter().find(|own| own.0.starts_with("limit-"));
        let own = limit.map(|own| (own.0.as_str(), own.2.unwrap()));
        assert_eq!(own, expected, "{count}");
    }
}

#[test]
fn folders_of_serena_and_memory_banks_are_read_with_their_names() {
    let serena = Files::default()
        .with("../project.yml", "project_name: shop\nlanguages: [rust]\n")
        .with("core/auth.md", "# Sign-in\nSee `mem:core/tokens` and `mem:plan`.\n")
        .with("plan.md", "A plan.\n");
    let store = serena.build(".serena/memories");
    let all = rows(&store, "list", "");
    let mut ids: Vec<&str> = all.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["core/auth", "plan"]);
    assert_eq!(all.iter().find(|row| row["id"] == "core/auth").unwrap()["topic"], "core");
    let found = problems(&store);
    let found: Vec<_> = found.iter().filter(|own| own.0 == "dangling-reference").collect();
    assert_eq!(found.len(), 1, "{found:?}");
    let bank = Files::default().with("active-context.md", "# Now\n").with("progress.md", "# Done\n");
    let all = rows(&bank.build("docs/memory-bank"), "list", "");
    assert_eq!(all.len(), 2);
}

#[test]
fn a_secret_in_a_line_of_the_index_is_reported_and_the_line_is_shown_with_its_memory() {
    let token = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let files = claude().changed("MEMORY.md", "— by hand", &format!("— by hand with {token}"));
    let store = files.build(".claude/memory");
    let found = codes(&files, ".claude/memory");
    assert!(found.contains(&("secret-in-index".into(), "MEMORY.md".into(), Some(4))), "{found:?}");
    let shown = crate::support::run(["show", "deploy", "--store", store.path.to_str().unwrap()]).stdout;
    assert!(
        shown.contains("line 4: - [Deploy](deploy.md) — by hand with") && !shown.contains(&token),
        "{shown}"
    );
}

#[test]
fn a_link_that_leads_nowhere_is_named_by_its_line_in_folders_too() {
    let bank = Files::default()
        .with("projectbrief.md", "# Brief\n")
        .with("progress.md", "# Progress\n")
        .with("tasks/_index.md", "# Tasks\n\n## Now\n- [one](one.md)\n- [two](two%20b.md)\n")
        .with("tasks/one.md", "# One\n");
    let found = codes(&bank, "memory-bank");
    assert_eq!(found, [("dangling-reference".to_owned(), "tasks/_index.md".to_owned(), Some(5))]);
}
