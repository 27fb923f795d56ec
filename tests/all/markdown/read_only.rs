//! Families that palimp opens only to read: found, read, checked, and never changed.

use serde_json::Value;

use crate::support::{Desk, Files, TempStore, Tree, assert_untouched, folder, problems, rows, run};

const SESSION: &str =
    "# Session: 2026-01-03 10:00 UTC\n\n- **Session Key**: a\n\n## Conversation Summary\n\nuser: hi\n";
const PROMOTED: &str = "# Long-Term\n\nAbove all.\n\n## People\n\nMia likes tea.\n\n## Promoted From Short-Term Memory (2026-01-05)\n\n<!-- openclaw-memory-promotion:memory:memory/2026-01-02.md:3:3 -->\n- Deploy by hand. [score=0.8 source=memory/2026-01-02.md:3-3]\n<!-- openclaw-memory-promotion:memory:memory/2026-01-02.md:7:7 -->\n<!-- importance: 7 -->\n- Never on Friday. [score=0.9 source=memory/2026-01-02.md:7-7]\n\nBy the way.\n";

fn openclaw() -> Files {
    Files::default()
        .with("SOUL.md", "# Be kind\n")
        .with("USER.md", "Mia\n")
        .with("AGENTS.md", "Read SOUL.md.\n")
        .with("MEMORY.md", PROMOTED)
        .with("DREAMS.md", "A dream.\n")
        .with("memory/2026-01-02.md", "# 2026-01-02\n\n## Morning\n\nIt rained.\n\n## Morning\n\nStill.\n")
        .with("memory/2026-01-03-1000.md", SESSION)
        .with("memory/2026-01-04.md", "Just a line.\n")
        .with("memory/people.md", "Leo is new.\n")
}

const GROUPS: &str = "Written by a job.\n\n# Task Group: shop deploys\n\nscope: shop\n\n## Task 1: by hand\n\n### rollout_summary_files\n\n- rollout_summaries/2026-01-02T10-00-00-Abcd-x.md (cwd=/w, updated_at=2026-01-02T11:00:00+00:00, thread_id=1)\n\n### keywords\n\n- shop, deploy\n\n# Task Group: shop deploys\n\nMore.\n";
const ROLLOUT: &str =
    "thread_id: 1\nupdated_at: 2026-01-02T11:00:00+00:00\ncwd: /w\n\n# Deployed the shop\n\nBy hand.\n";

fn codex() -> Files {
    Files::default()
        .with("MEMORY.md", GROUPS)
        .with("memory_summary.md", "v1\n\n## User Profile\n\nMia writes Rust.\n")
        .with("raw_memories.md", "# Raw Memories\n\nMerged.\n\n## Thread `1`\nupdated_at: 2026-01-02T11:00:00+00:00\n\nkeywords: shop\n\n## Thread `2`\nTwo.\n")
        .with("rollout_summaries/2026-01-02T10-00-00-Abcd-x.md", ROLLOUT)
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with("README.md", "A file of the user.\n")
}

fn note(title: &str, permalink: &str, more: &str) -> String {
    format!(
        "---\ntitle: {title}\ntype: note\npermalink: {permalink}\n{more}---\n\n# {title}\n\n- [fact] it runs #run\n- needs [[Nothing Yet]]\n"
    )
}

fn basic_memory() -> Files {
    Files::default()
        .with("Shop.md", note("Shop", "main/shop", "tags: one, two\ncreated: 2026-01-02T10:00:00Z\n"))
        .with("specs/Auth.md", note("Auth flow", "main/specs/auth", "tags:\n- three\n"))
        .with("plain.md", "A note by hand, see [[Auth flow]].\n")
}

fn bullets() -> Files {
    Files::default().with("oauth_creds.json", "{}").with(
        "GEMINI.md",
        "# Rules\n\n- Obey.\n\n## Gemini Added Memories\n- Mia likes tea.\n- Two lines:\n  and this.\n\n  And that.\n\nA line between.\n* Three.\n\n## Style\n- Short.\n",
    )
}

fn all() -> [(&'static str, Files, &'static str); 4] {
    [
        ("openclaw", openclaw(), ".openclaw/workspace"),
        ("codex", codex(), ".codex/memories"),
        ("basic-memory", basic_memory(), "basic-memory"),
        ("bullets", bullets(), ".gemini"),
    ]
}

fn path(store: &TempStore) -> &str {
    store.path.to_str().unwrap()
}

/// Returns the memories of a folder as (id, type, title), in their order.
fn listed(files: &Files, root: &str) -> Vec<(String, String, String)> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let all = rows(&files.build(root), "list", "");
    let mut all: Vec<_> =
        all.iter().map(|row| (text(row, "id"), text(row, "type"), text(row, "title"))).collect();
    all.sort();
    all
}

fn own(id: &str, kind: &str, title: &str) -> (String, String, String) {
    (id.to_owned(), kind.to_owned(), title.to_owned())
}

fn row(files: &Files, root: &str, id: &str) -> Value {
    rows(&files.build(root), "list", "").into_iter().find(|row| row["id"] == id).unwrap()
}

#[test]
fn sections_and_promoted_memories_of_openclaw_are_read_and_its_instructions_are_not() {
    let found = listed(&openclaw(), "shop/workspace");
    let day = "memory/2026-01-02";
    assert_eq!(
        found,
        [
            own("DREAMS", "note", "A dream."),
            own("MEMORY#long-term", "note", "Long-Term"),
            own("MEMORY#people", "section", "People"),
            own("MEMORY#promoted-from-short-term-memory-2026-01-05", "note", "By the way."),
            own(&format!("{day}#morning"), "daily", "Morning"),
            own(&format!("{day}#morning-2"), "daily", "Morning"),
            own("memory/2026-01-03-1000#conversation-summary", "daily", "Conversation Summary"),
            own(
                "memory/2026-01-03-1000#session-2026-01-03-1000-utc",
                "note",
                "Session: 2026-01-03 10:00 UTC"
            ),
            own("memory/2026-01-04", "daily", "Just a line."),
            own("memory/people", "note", "Leo is new."),
            own(
                "memory:memory/2026-01-02.md:3:3",
                "promoted",
                "Deploy by hand. [score=0.8 source=memory/2026-01-02.md:3-3]"
            ),
            own(
                "memory:memory/2026-01-02.md:7:7",
                "promoted",
                "Never on Friday. [score=0.9 source=memory/2026-01-02.md:7-7]"
            ),
        ]
    );
    for id in ["memory/2026-01-02#morning-2", "memory:memory/2026-01-02.md:7:7"] {
        let created = row(&openclaw(), "workspace", id)["created"].as_str().unwrap().to_owned();
        assert!(created.starts_with("2026-01-02"), "{id}: {created}");
    }
}

#[test]
fn task_groups_threads_and_summaries_of_codex_are_read() {
    let found = listed(&codex(), "home/.codex/memories");
    assert_eq!(
        found,
        [
            own("2026-01-02T10-00-00-Abcd-x", "summary", "Deployed the shop"),
            own("MEMORY#note", "note", "Written by a job."),
            own("README", "note", "A file of the user."),
            own("memory_summary", "summary", "User Profile"),
            own("raw_memories#raw-memories", "note", "Raw Memories"),
            own("raw_memories#thread-1", "note", "Thread `1`"),
            own("raw_memories#thread-2", "note", "Thread `2`"),
            own("task-group-shop-deploys", "section", "Task Group: shop deploys"),
            own("task-group-shop-deploys-2", "section", "Task Group: shop deploys"),
        ]
    );
    let group = row(&codex(), ".codex/memories", "task-group-shop-deploys");
    assert_eq!(group["tags"], serde_json::json!(["shop", "deploy"]));
    assert!(group["created"].as_str().unwrap().starts_with("2026-01-02T11:00"), "{group}");
    let store = codex().build(".codex/memories");
    let budget = run(["budget", "--json", "--store", path(&store)]).expect_status(0).json_lines();
    let loaded: Vec<&str> = budget
        .iter()
        .filter(|row| row["loaded"] != "nothing")
        .map(|row| row["file"].as_str().unwrap())
        .collect();
    assert_eq!(loaded, ["memory_summary.md"]);
    run(["budget", "--store", path(&store)]).expect_status(0).expect_stdout("of 10000 bytes");
}

#[test]
fn notes_of_basic_memory_have_their_permalinks_and_may_link_to_what_is_not_there_yet() {
    let found = listed(&basic_memory(), "basic-memory");
    let expected = [
        own("main/shop", "note", "Shop"),
        own("main/specs/auth", "note", "Auth flow"),
        own("plain", "note", "A note by hand, see [[Auth flow]]."),
    ];
    assert_eq!(found, expected);
    let tags = |id| row(&basic_memory(), "basic-memory", id)["tags"].clone();
    assert_eq!(tags("main/shop"), serde_json::json!(["one", "two"]));
    assert_eq!(tags("main/specs/auth"), serde_json::json!(["three"]));
    let found = problems(&basic_memory().build("basic-memory"));
    let dangling: Vec<_> = found.iter().filter(|own| own.0 == "dangling-reference").collect();
    assert!(dangling.len() == 2 && dangling.iter().all(|own| own.1 == "note"), "{found:?}");
}

#[test]
fn bullets_below_the_heading_of_gemini_are_memories_and_the_rest_of_the_file_is_not() {
    let found = listed(&bullets(), ".gemini");
    let expected = [
        own("GEMINI#note", "note", "A line between."),
        own("GEMINI.0", "entry", "Mia likes tea."),
        own("GEMINI.1", "entry", "Two lines:"),
        own("GEMINI.2", "entry", "Three."),
    ];
    assert_eq!(found, expected);
    let store = bullets().build(".gemini");
    let shown = run(["show", "GEMINI.1", "--store", path(&store)]).expect_status(0).stdout;
    assert!(shown.contains("And that.") && !shown.contains("A line between"), "{shown}");
}

#[test]
fn each_family_is_named_and_every_verb_that_reads_works() {
    for (family, files, root) in all() {
        let store = files.build(root);
        let found = run(["stores", "--json", "--store", path(&store)]).expect_status(0).json_lines();
        assert_eq!((&found[0]["format"], &found[0]["family"]), (&"markdown".into(), &family.into()));
        assert!(found[0]["read_only"].as_str().unwrap().contains("only to read"), "{family}");
        for words in [&["search", "Mia"][..], &["check"], &["secrets"], &["budget"], &["list"], &["export"]] {
            let status = run([words, &["--store", path(&store)]].concat()).status;
            assert!(matches!(status, Some(0 | 1)), "{family}");
        }
    }
}

#[test]
fn every_change_is_refused_with_the_reason_and_no_file_changes() {
    for (family, files, root) in all() {
        let files = files.with("left.tmp", "x");
        let desk = Desk::of(&files, root);
        // Each has a problem then.
        desk.store.chmod(".", 0o755);
        let before = Tree::of(&desk.store.path);
        let ids: Vec<String> =
            rows(&desk.store, "list", "").iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        // One memory of each family in the short form.
        for id in ids.iter().take(crate::support::tries::count(1, 100)) {
            for words in [
                &["edit", id, "--set", "text=new", "--yes"][..],
                &["tag", id, "+x", "--yes"],
                &["delete", id, "--yes"],
                &["archive", id, "--yes"],
                &["erase", id, "--yes"],
            ] {
                let out = desk.run(words);
                assert_eq!(out.status, Some(3), "{family} {words:?}: {} {}", out.stdout, out.stderr);
                assert!(out.stderr.contains("only to read"), "{family} {words:?}: {}", out.stderr);
            }
        }
        let value = match family {
            "basic-memory" => "it runs #run",
            "codex" => "Mia writes Rust.",
            _ => "Mia likes tea.",
        };
        for words in [
            &["add", "--type", "note", "--text", "new", "--yes"][..],
            &["repair", "--all-safe", "--yes"],
            &["repair", "--problem", "1", "--yes"],
            &["erase", "--value-from", "-", "--yes"],
            &["redact", "--value-from", "-", "--with", "mask", "--yes"],
        ] {
            let out = desk.fed(value, words);
            assert_eq!(out.status, Some(3), "{family} {words:?}: {} {}", out.stdout, out.stderr);
            assert!(out.stderr.contains("only to read"), "{family} {words:?}: {}", out.stderr);
        }
        assert_untouched(&desk.store.path, &before);
    }
}

#[test]
fn no_new_folder_of_these_families_is_made() {
    let around = folder::new();
    for (family, ..) in all() {
        let (format, place) = (format!("markdown/{family}"), around.path().join("new"));
        let out = run(["init", &format, place.to_str().unwrap(), "--yes"]);
        assert!(out.status != Some(0) && !place.exists(), "{family}");
        assert!(out.stderr.contains("only to read"), "{}", out.stderr);
    }
}

fn family(files: &Files, root: &str) -> Option<String> {
    let found = run(["stores", "--json", "--store", path(&files.build(root))]);
    let rows = if found.status == Some(0) { found.json_lines() } else { Vec::new() };
    Some(rows.first()?["family"].as_str()?.to_owned())
}

#[test]
fn folders_that_only_look_alike_are_not_taken() {
    let docs = Files::default().with("SOUL.md", "x").with("USER.md", "x").with("MEMORY.md", "# How\n");
    for root in ["docs/reference/templates", "skills/x/assets", "src"] {
        assert_eq!(family(&docs, root), None, "{root}");
        assert_eq!(family(&codex(), root), None, "{root}");
        let notes = Files::default().with("a.md", note("A", "a", "")).with("b.md", note("B", "b", ""));
        assert_eq!(family(&notes, root), None, "{root}");
    }
    let project = Files::default()
        .with("package.json", "{}")
        .with("AGENTS.md", "x")
        .with("TOOLS.md", "x")
        .with("MEMORY.md", "# Heap\n");
    assert_eq!(family(&project, "shop"), None);
    let alone = Files::default().with("AGENTS.md", "x").with("memory/2026-01-02.md", "x");
    assert_eq!(family(&alone, "shop"), None);
    let template = Files::default().with("MEMORY.md", "# Task Group: <name>\n\n## Task Group: a\n");
    assert_eq!(family(&template, "kept"), None);
    let site = |link: &str| format!("---\ntitle: x\npermalink: {link}\n---\nText.\n");
    let site =
        Files::default().with("a.md", site("/a/")).with("b.md", site("b.html")).with("c.md", site("/c"));
    assert_eq!(family(&site, "posts"), None);
    let vault =
        Files::default().with(".obsidian/app.json", "{}").with("a.md", "x").with("b.md", note("B", "b", ""));
    assert_eq!(family(&vault, "vault"), None);
    assert_eq!(family(&bullets(), "shop"), None);
    let rules = Files::default().with("GEMINI.md", "# Rules\n- Obey.\n");
    assert_eq!(family(&rules, ".gemini"), None);
}

#[test]
fn each_of_them_is_found_at_another_place_by_its_content() {
    assert_eq!(family(&openclaw(), "my-agent").as_deref(), Some("openclaw"));
    assert_eq!(family(&codex(), "kept/memories").as_deref(), Some("codex"));
    let vault = basic_memory().with(".obsidian/app.json", "{}").with("B.md", note("B", "main/b", ""));
    assert_eq!(family(&vault, "notes").as_deref(), Some("basic-memory"));
    let summary = Files::default().with("memory_summary.md", "v1\n");
    assert_eq!(family(&summary, ".codex/memories").as_deref(), Some("codex"));
}

#[test]
fn other_files_of_an_agent_beside_its_memories_are_no_problem() {
    for (family, files, root) in all().into_iter().filter(|(family, ..)| *family != "basic-memory") {
        let files = files.with("tools/run.py", "").with("state.json", "{}").with(".cache/x.json", "{}");
        let found = problems(&files.build(root));
        assert!(found.iter().all(|problem| problem.0 != "unexpected-place"), "{family}: {found:?}");
    }
}
