//! Folders that only look like memories are not taken for them.

use crate::support::{Files, run};

fn is_found(files: &Files, root: &str) -> bool {
    let store = files.build(root);
    run(["stores", "--json", "--store", store.path.to_str().unwrap()]).status == Some(0)
}

#[test]
fn documents_templates_and_vaults_are_no_memories() {
    let prose = Files::default().with("MEMORY.md", "# How memory is managed\n\nThe heap grows.\n");
    assert!(!is_found(&prose, "docs"));
    let template = Files::default().with("MEMORY.md", "- [a](a.md) — <hook>\n").with("a.md", "# TODO\n");
    assert!(!is_found(&template, "skills/x/assets"));
    let vault = Files::default()
        .with(".obsidian/app.json", "{}")
        .with("MEMORY.md", "- [a](a.md) — x\n")
        .with("a.md", "# A\n");
    assert!(!is_found(&vault, "vault"));
    let agents = Files::default().with("one.md", "---\nname: one\ndescription: an agent\n---\nDo it.\n");
    assert!(!is_found(&agents, ".claude/agents"));
    let bank = Files::default().with("progress.md", "# Progress\n").with("other.md", "x\n");
    assert!(!is_found(&bank, "docs/notes"));
    let root = Files::default().with("progress.md", "x").with("tech-context.md", "x").with("README.md", "x");
    assert!(!is_found(&root, "project"));
    let root = Files::default().with("MEMORY.md", "- [readme](README.md)\n").with("README.md", "# A\n");
    assert!(!is_found(&root, "project"));
    let links = Files::default().with("MEMORY.md", "- [heap](heap.md)\n").with("heap.md", "# Heap\n");
    assert!(!is_found(&links, "docs") && !is_found(&links, "src/memory"));
    let memories = Files::default().with("a.md", "# A\n");
    assert!(!is_found(&memories, "src/memories"));
}

#[test]
fn a_folder_of_no_family_opens_only_if_it_is_named() {
    let notes = Files::default().with("a.md", "# A\n").with("b/c.md", "# C\n").build("notes");
    let path = notes.path.to_str().unwrap();
    assert_ne!(run(["list", "--store", path]).status, Some(0));
    let rows = run(["list", "--json", "--as", "markdown", "--store", path]).json_lines();
    let mut ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["a", "b/c"]);
}

#[test]
fn memories_are_found_below_folders_of_any_name() {
    let topic = "---\nname: a\ndescription: b\n---\nText.\n";
    let own = Files::default().with("MEMORY.md", "- [a](a.md) — x\n").with("a.md", topic);
    for root in ["examples/one/shop/.claude/memory", "skills/x/y/z/memory", ".claude/agent-memory/skills"] {
        assert!(is_found(&own, root), "{root}");
    }
    assert!(is_found(&Files::default().with("a.md", topic), ".claude/memory"));
}
