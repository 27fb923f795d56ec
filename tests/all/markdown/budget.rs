//! What a model gets of a folder when an agent starts.

use std::path::Path;

use serde_json::Value;

use super::{TOPIC, claude, slug};
use crate::support::{Files, Verb, run};

fn budget(files: &Files, root: &str) -> (Vec<Value>, String) {
    let store = files.build(root);
    let path = store.path.to_str().unwrap();
    let rows = run(["budget", "--json", "--store", path]).expect_status(0).json_lines();
    (rows, run(["budget", "--store", path]).expect_status(0).stdout)
}

#[test]
fn an_index_is_loaded_up_to_its_cut_and_topics_are_not() {
    let index = format!("- [a](deploy.md) — x\n{}- the newest correction\n", "- x\n".repeat(199));
    let (rows, told) = budget(&claude().with("MEMORY.md", index), ".claude/memory");
    let own = &rows[0];
    assert_eq!((own["file"].as_str(), own["loaded"].as_str()), (Some("MEMORY.md"), Some("part")));
    assert_eq!((own["cut_line"].as_u64(), own["lines_beyond"].as_u64()), (Some(201), Some(1)));
    assert_eq!(own["lines"].as_u64(), Some(200));
    assert!(rows[1..].iter().all(|row| row["loaded"] == "nothing") && rows.len() == 4, "{rows:?}");
    assert!(told.contains("never sees line 201") && told.contains("the newest correction"), "{told}");
}

#[test]
fn what_must_go_so_that_the_rest_fits_is_named_with_the_repair_and_the_lines_that_cost_most() {
    let log = format!("## Log\n{}", "- a long day\n".repeat(196));
    let index =
        format!("- [a](deploy.md) — x\n- [b](gone.md) — y\n{log}## Corrections\n- the newest\n- and one\n");
    let (rows, told) = budget(&claude().with("MEMORY.md", index), ".claude/memory");
    let excess = &rows[0]["excess"];
    assert_eq!((excess["lines"].as_u64(), excess["bytes"].as_u64()), (Some(2), Some(0)));
    assert!(told.contains("It is 2 lines too long.") && told.contains("`palimp repair --code"), "{told}");
    assert!(told.contains("These lines cost most:\n    line 1, 23 B: - [a](deploy.md)"), "{told}");
    assert!(rows[1..].iter().all(|row| row["excess"].is_null()), "{rows:?}");
}

#[test]
fn what_is_beyond_the_cut_is_found_by_a_search_and_says_why() {
    let index = format!(
        "- [t](feedback_tabs.md) — x\n{}- [d](deploy.md) — y\n- [t](feedback_tabs.md)\n## New\n- the newest\n",
        "- x\n".repeat(199)
    );
    let store = claude().with("MEMORY.md", index).build(".claude/memory");
    let found = crate::support::rows(&store, "list", "is:unseen");
    let mut ids: Vec<&str> = found.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["MEMORY#new", "deploy"]);
    let why = found.iter().flat_map(|row| row["facets"].as_array().unwrap()).any(|own| {
        own[0] == "unseen" && own[1] == "MEMORY.md is cut at line 201, before each line that leads here"
    });
    assert!(why, "{found:?}");
    let whole = crate::support::rows(&claude().build(".claude/memory"), "list", "is:unseen");
    assert!(whole.is_empty(), "{whole:?}");
}

#[test]
fn empty_lines_that_are_enough_are_named() {
    let index = format!("- [a](deploy.md) — x\n{}- the newest\n", "- x\n\n".repeat(100));
    let (rows, told) = budget(&claude().with("MEMORY.md", index), ".claude/memory");
    assert_eq!(rows[0]["excess"]["fits_without_empty"], true);
    assert!(told.contains("Its 100 empty lines count, too: without them it fits"), "{told}");
}

#[test]
fn places_in_what_is_no_text_are_not_shown_and_a_merge_comes_before_a_repair() {
    let start: [(&[u8], bool); 2] = [(b"- \xff\n", false), (b"<<<<<<< a\n=======\n>>>>>>> b\n", true)];
    for (start, are_shown) in start {
        let index = [start, "- x\n".repeat(202).as_bytes()].concat();
        let (_, told) = budget(&claude().with("MEMORY.md", index), ".claude/memory");
        assert!(told.contains("lines too long") && told.contains("4 B: - x") == are_shown, "{told}");
        assert!(!told.contains("palimp repair"), "{told}");
    }
}

#[test]
fn entries_over_their_limit_say_how_much_is_too_much() {
    let text = format!("{}\n§\n{}\n§\nshort", "x".repeat(1_000), "y".repeat(500));
    let (rows, told) = budget(&Files::default().with("USER.md", text), "memories");
    assert_eq!(rows[0]["excess"]["characters"].as_u64(), Some(1_511 - 1_375));
    assert!(told.contains("It is 136 characters too long."), "{told}");
}

#[test]
fn names_alone_or_whole_files_are_counted() {
    let serena = Files::default()
        .with("../project.yml", "project_name: shop\n")
        .with("plan.md", "A plan.\n")
        .with("core/auth.md", "# Sign-in\n");
    let (rows, told) = budget(&serena, ".serena/memories");
    assert!(rows.iter().all(|row| row["loaded"] == "name"));
    assert_eq!(rows.iter().map(|row| row["bytes"].as_u64().unwrap()).sum::<u64>(), 8 + 13);
    assert!(told.contains("the names of 2 files"), "{told}");
    let hermes = Files::default().with("USER.md", "one\n§\ntwo");
    let (rows, told) = budget(&hermes, "memories");
    assert_eq!((rows[0]["loaded"].as_str(), rows[0]["bytes"].as_u64()), (Some("whole"), Some(10)));
    assert!(told.contains("at most 1375 characters"), "{told}");
}

#[test]
fn stores_that_no_program_loads_have_no_budget() {
    let store = crate::a_mem::healthy().build(".chora/memory");
    run(["budget", "--store", store.path.to_str().unwrap()]).expect_status(1);
}

fn rows(verb: &str, home: &Path, from: &str) -> Vec<Value> {
    Verb::new([verb, "--json"]).home(home).in_folder(home.join(from)).run().json_lines()
}

/// Returns the problems `not-loaded` of a home folder as (store, severity, message), the stores relative to it.
fn unloaded(home: &Path, from: &str) -> Vec<(String, String, String)> {
    let rows = rows("check", home, from);
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let below = |path: String| Path::new(&path).strip_prefix(home).unwrap().to_str().unwrap().to_owned();
    let named = rows.iter().filter(|row| row["code"] == "not-loaded");
    named.map(|row| (below(text(row, "store")), text(row, "severity"), text(row, "message"))).collect()
}

fn is_loaded(home: &Path, from: &str, store: &str) -> bool {
    let rows = rows("budget", home, from);
    let rows = rows.iter().filter(|row| row["store"] == home.join(store).to_str().unwrap());
    let loaded: Vec<bool> = rows.map(|row| row["loaded"] != "nothing" || row["bytes"] != 0).collect();
    assert!(!loaded.is_empty(), "{store}");
    loaded.contains(&true)
}

const LEADS: &str = "- [a](a.md) — x\n";

fn with_memory(files: Files, root: &str) -> Files {
    files.with(&format!("{root}/MEMORY.md"), LEADS).with(&format!("{root}/a.md"), TOPIC)
}

#[test]
fn a_folder_where_no_agent_looks_is_loaded_by_none_unless_instructions_name_it() {
    let home = with_memory(Files::default(), "shop/memory").with("shop/package.json", "{}").build("home");
    let found = unloaded(&home.path, "shop");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0.as_str(), found[0].1.as_str()), ("shop/memory", "warning"));
    assert!(found[0].2.contains(".claude/projects/*/memory"), "{found:?}");
    assert!(!is_loaded(&home.path, "shop", "shop/memory"));
    assert_eq!(rows("stores", &home.path, "shop")[0]["not_loaded"], *found[0].2);
    home.write("shop/AGENTS.md", b"Read memory/MEMORY.md first.\n");
    assert!(unloaded(&home.path, "shop").is_empty() && is_loaded(&home.path, "shop", "shop/memory"));
    for (root, loaded) in [
        ("shop/.claude/memory", "nothing"),
        ("shop/.memory", "nothing"),
        ("shop/.tool/memory", "unknown"),
        ("kept/memory", "unknown"),
        ("kept/.claude/memory", "whole"),
    ] {
        let home = with_memory(Files::default(), root).with("shop/package.json", "{}").build("home");
        let from = root.split('/').next().unwrap();
        assert_eq!(unloaded(&home.path, from).is_empty(), loaded != "nothing", "{root}");
        assert_eq!(rows("budget", &home.path, from)[0]["loaded"], loaded, "{root}");
    }
}

#[test]
fn a_sub_agent_with_a_dot_in_its_name_loads_its_new_folder_if_that_is_there() {
    let home = with_memory(Files::default(), "shop/.claude/agent-memory/a.b").build("home");
    assert!(unloaded(&home.path, "shop").is_empty());
    std::fs::create_dir(home.file("shop/.claude/agent-memory/a-b")).unwrap();
    let found = unloaded(&home.path, "shop");
    assert!(found.len() == 1 && found[0].1 == "note" && found[0].2.contains("agent-memory/a-b"), "{found:?}");
    assert!(!is_loaded(&home.path, "shop", "shop/.claude/agent-memory/a.b"));
}

#[test]
fn settings_move_memories_and_the_first_file_that_says_so_counts() {
    let home = ["notes/local", "notes/shop", "notes/mine"].into_iter().fold(Files::default(), with_memory);
    let home = home.with("shop/src/main.rs", "").with("notes/package.json", "{}").build("home");
    let shop = home.file("shop");
    let usual = format!(".claude/projects/{}/memory", slug(&shop));
    for (name, text) in [("MEMORY.md", LEADS), ("a.md", TOPIC)] {
        home.write(format!("{usual}/{name}"), text.as_bytes());
    }
    let line = serde_json::json!({"cwd": shop}).to_string();
    home.write(format!("{usual}/../0a.jsonl"), line.as_bytes());
    let set = |file: &str, folder: &str| {
        home.write(file, serde_json::json!({"autoMemoryDirectory": folder}).to_string().as_bytes());
    };
    assert!(is_loaded(&home.path, "shop", &usual));
    let mine = home.file("notes/mine");
    let files = [
        (".claude/settings.json", mine.to_str().unwrap(), "notes/mine", None),
        ("shop/.claude/settings.json", "~/notes/shop/", "notes/shop", Some(&shop)),
        ("shop/.claude/settings.local.json", "~/notes/local", "notes/local", Some(&shop)),
    ];
    for (file, folder, root, project) in files {
        set(file, folder);
        // From the project, and from the home folder, where only the transcripts name the project.
        for from in ["shop", ""] {
            assert!(is_loaded(&home.path, from, root), "{file} {from}");
            assert!(!is_loaded(&home.path, from, &usual), "{file} {from}");
            let found = unloaded(&home.path, from);
            assert!(found.len() == 1 && found[0].0 == usual && found[0].2.contains(file), "{found:?}");
        }
        let path = home.file(root);
        let named = Verb::new(["stores", "--json", "--store", path.to_str().unwrap()]).home(&home.path).run();
        let row = &named.json_lines()[0];
        assert_eq!(row["project"].as_str().map(Path::new), project.map(|path| path.as_path()), "{row}");
        assert!(row["not_loaded"].is_null(), "{row}");
    }
    set("shop/.claude/settings.local.json", "notes/local");
    assert!(unloaded(&home.path, "shop").is_empty(), "a relative folder is ignored");
    home.write("shop/.claude/settings.json", b"{\"autoMemoryEnabled\": false}");
    let found = unloaded(&home.path, "shop");
    assert!(
        found.len() == 1 && found[0].1 == "note" && found[0].2.contains("turns memories off"),
        "{found:?}"
    );
}
