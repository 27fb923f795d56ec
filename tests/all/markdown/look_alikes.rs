//! Folders that only look like memories are not taken for them.

use super::TOPIC;
use crate::support::{Files, Verb, run};

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
    let own = Files::default().with("MEMORY.md", "- [a](a.md) — x\n").with("a.md", TOPIC);
    for root in ["examples/one/shop/.claude/memory", "skills/x/y/z/memory", ".claude/agent-memory/skills"] {
        assert!(is_found(&own, root), "{root}");
    }
    assert!(is_found(&Files::default().with("a.md", TOPIC), ".claude/memory"));
}

/// An index that leads to two topics.
fn certain() -> Files {
    let topic =
        |name: &str| format!("---\nname: {name}\ndescription: about {name}\n---\n\nText of {name}.\n");
    Files::default()
        .with("MEMORY.md", "- [a](a.md) — x\n- [b](b.md) — y\n")
        .with("a.md", topic("a"))
        .with("b.md", topic("b"))
}

#[test]
fn an_index_of_topics_is_one_in_folders_of_documents_and_roots_of_repositories_too() {
    assert!(is_found(&certain(), "docs/memory"));
    assert!(is_found(&certain().with("README.md", "# About\n"), "memory"));
    assert!(is_found(&certain().with(".git/HEAD", "ref: x\n"), "memory"));
    assert!(!is_found(&certain(), "docs/pages"));
    assert!(!is_found(&certain(), "templates/memory"));
}

#[test]
fn an_empty_index_at_a_default_place_is_a_store() {
    let empty = Files::default().with("MEMORY.md", "");
    for root in [".claude/memory", ".agents/memory", ".claude/agent-memory/reviewer"] {
        assert!(is_found(&empty, root), "{root}");
    }
    assert!(!is_found(&empty, "memory"));
}

#[test]
fn a_bank_is_no_template_unless_it_has_placeholders() {
    let bank = |text: &str| Files::default().with("activeContext.md", text).with("progress.md", text);
    assert!(is_found(&bank("# Now\n\nThe till.\n"), "templates/memory-bank"));
    assert!(!is_found(&bank("# Now\n\n- [What is being worked on]\n"), "templates/memory-bank"));
    assert!(!is_found(&bank("# Now\n\n- [Task]\n"), "skills/keeper/assets/memory-bank"));
}

#[test]
fn older_copies_beside_the_folder_of_hermes_are_not_taken_for_it() {
    let files = Files::default()
        .with("MEMORY.md", "one\n§\ntwo")
        .with("USER.md", "three")
        .with("../MEMORY.md", "old\n§\nolder")
        .with("../USER.md", "old")
        .with("../SOUL.md", "Be kind.\n");
    let store = files.build("home/memories");
    let around = store.path.parent().unwrap().to_str().unwrap();
    let found = run(["stores", "--json", "--store", around]).json_lines();
    let paths: Vec<&str> = found.iter().map(|own| own["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [store.path.to_str().unwrap()]);
    let inside = Files::default().with("MEMORY.md", "one\n§\ntwo").with("SOUL.md", "Be kind.\n");
    let store = inside.build("memories");
    let rows = run(["list", "--json", "--store", store.path.to_str().unwrap()]).json_lines();
    assert_eq!(rows.len(), 2, "instructions are no memories");
}

#[test]
fn one_line_says_what_a_folder_without_memories_seems_to_be() {
    let says = |files: &Files, root: &str| {
        let store = files.build(root);
        let told = run(["list", "--store", store.path.to_str().unwrap()]).stderr;
        told.lines().next().unwrap_or_default().to_owned()
    };
    let page = Files::default().with("MEMORY.md", "# How memory is managed\n\nThe heap grows.\n");
    let code = Files::default().with("heap.c", "int x;\n").with("MEMORY.md", "# RAM\n");
    let cases = [
        (page.clone().with(".obsidian/app.json", "{}"), "notes", "an Obsidian vault"),
        (page.clone(), "docs", "documentation"),
        (page.clone(), "templates/memory", "a template"),
        (page.clone(), "skills/keeper/memory", "skills"),
        (page.clone().with("_config.yml", "title: x\n"), "site", "a website"),
        (page.clone().with("Cargo.toml", "[package]\n"), "thing", "the root of a project"),
        (Files::default().with("AGENTS.md", "Be brief.\n"), "thing", "instructions for agents"),
        (code, "memory", "documents|code"),
        (Files::default().with("2026-01-02.md", "Rain.\n"), "diary", "a diary"),
        (page, "thing", "documents in Markdown"),
    ];
    for (files, root, expected) in cases {
        let told = says(&files, root);
        assert!(expected.split('|').any(|own| told.contains(own)), "{root}: {told}");
        assert!(told.contains("no memory store"), "{told}");
    }
}

fn found_from(home: &std::path::Path) -> Vec<(String, Option<String>)> {
    let rows = Verb::new(["stores", "--json"]).home(home).in_folder(home).run().json_lines();
    let below = |row: &serde_json::Value| {
        let path = std::path::Path::new(row["path"].as_str().unwrap()).strip_prefix(home).unwrap();
        (path.to_str().unwrap().to_owned(), row["family"].as_str().map(str::to_owned))
    };
    rows.iter().map(below).collect()
}

#[test]
fn a_store_of_a_known_form_is_found_at_each_place_where_programs_keep_it() {
    let copilot = |user: &str| format!("{user}/globalStorage/github.copilot-chat/memory-tool/memories");
    let of_workspace = ".config/Code/User/workspaceStorage/x1/GitHub.copilot-chat/memory-tool/memories";
    let workspace = "SOUL.md TOOLS.md MEMORY.md";
    let places: [(&str, &str, Option<&str>); 12] = [
        (".qwen/projects/-w-shop/memory", "a.md", Some("claude")),
        (".qwen/memories", "a.md", Some("claude")),
        (&copilot(".config/VSCodium/User"), "a.md", None),
        (&copilot("Library/Application Support/Code/User"), "a.md", None),
        (&copilot(".vscode-server-insiders/data/User"), "a.md", None),
        (of_workspace, "repo/a.md", None),
        (".local/share/kilo/memory/shop-0a1b2c", "project.md", None),
        (".hermes/profiles/work/memories", "USER.md", Some("hermes")),
        (".hermes/profiles/new/memories", ".keep ../pending/memory/1a.json", Some("hermes")),
        (".openclaw-night/workspace", workspace, Some("openclaw")),
        (".openclaw/workspace-ops", workspace, Some("openclaw")),
        (".openclaw/workspace/mail", workspace, Some("openclaw")),
    ];
    let mut files = Files::default();
    for (root, names, _) in places {
        let text = if names == workspace { "Be kind.\n" } else { TOPIC };
        for name in names.split(' ') {
            files = files.with(&format!("{root}/{name}"), text);
        }
    }
    let home = files.build("home");
    let mut expected = places.map(|(root, _, family)| (root.to_owned(), family.map(str::to_owned)));
    let mut found = found_from(&home.path);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_bank_of_kilo_is_known_by_its_files_in_a_folder_of_that_name_only() {
    let kilo =
        Files::default().with("brief.md", "# Shop\n").with("tech.md", "x").with("architecture.md", "x");
    for root in [".kilocode/rules/memory-bank", ".github/memory-bank", "web/memory-bank"] {
        assert!(is_found(&kilo, root), "{root}");
    }
    assert!(!is_found(&kilo, "design") && !is_found(&kilo, "docs/architecture"));
}

#[test]
fn an_index_that_leads_into_folders_alone_is_one_if_topics_are_there() {
    let index = Files::default().with("MEMORY.md", "- [P](feedback/p.md) — x\n");
    let topic = "---\nname: p\ndescription: use it\n---\nText.\n";
    let table = index.clone().with("MEMORY.md", "| file | |\n|---|---|\n| `feedback/p.md` | x |\n");
    let of_index = table.clone().with("MEMORY.md", "- [F](_index/f.md)\n");
    for files in [index.clone(), table, of_index.with("_index/f.md", "- [P](../feedback/p.md)\n")] {
        assert!(is_found(&files.with("feedback/p.md", topic), "kept/mem"));
    }
    assert!(!is_found(&index.clone().with("feedback/p.md", "# P\n"), "kept/mem"));
    assert!(!is_found(&index.with("feedback/p.md", topic), "docs/mem"));
}

#[test]
fn the_name_of_a_folder_does_not_decide_its_family() {
    let notes = Files::default().with("a.md", "# A\n").with("b.md", "# B\n").build("kept/memories");
    let path = notes.path.to_str().unwrap();
    let rows = run(["stores", "--json", "--as", "markdown", "--store", path]).json_lines();
    assert!(rows.len() == 1 && rows[0]["family"].is_null(), "{rows:?}");
    let rows = run(["stores", "--json", "--as", "markdown/serena", "--store", path]).json_lines();
    assert_eq!(rows[0]["family"], "serena");
}
