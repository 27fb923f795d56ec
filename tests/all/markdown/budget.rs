//! What a model gets of a folder when an agent starts.

use serde_json::Value;

use super::claude;
use crate::support::{Files, run};

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
fn what_must_go_so_that_the_rest_fits_is_named_with_the_memory_that_is_enough() {
    let log = format!("## Log\n{}", "- a long day\n".repeat(196));
    let index =
        format!("- [a](deploy.md) — x\n- [b](gone.md) — y\n{log}## Corrections\n- the newest\n- and one\n");
    let (rows, told) = budget(&claude().with("MEMORY.md", index), ".claude/memory");
    let excess = &rows[0]["excess"];
    assert_eq!((excess["lines"].as_u64(), excess["bytes"].as_u64()), (Some(2), Some(0)));
    // The line that leads nowhere is not enough.
    let without: Vec<&Value> = rows[0]["fits_without"].as_array().unwrap().iter().collect();
    assert_eq!(without[0]["leads_nowhere"], true);
    assert_eq!((&without[1]["id"], without.len()), (&"deploy".into(), 2));
    assert!(
        told.contains("All of it fits without 2 lines of it.") && told.contains("leads to no file"),
        "{told}"
    );
    let long = format!("## Log\n{}## Corrections\n- the newest\n", "- a long day\n".repeat(250));
    let (rows, told) = budget(&claude().with("MEMORY.md", long), ".claude/memory");
    let without = &rows[0]["fits_without"];
    assert_eq!((&without[0]["id"], without[0]["lines"].as_u64()), (&"MEMORY#log".into(), Some(251)));
    assert!(told.contains("Without this the rest fits:") && told.contains("MEMORY#log"), "{told}");
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
fn empty_lines_that_are_enough_are_named_alone() {
    let index = format!("- [a](deploy.md) — x\n{}- the newest\n", "- x\n\n".repeat(100));
    let (rows, told) = budget(&claude().with("MEMORY.md", index), ".claude/memory");
    assert_eq!(rows[0]["excess"]["fits_without_empty"], true);
    assert!(rows[0]["fits_without"].as_array().unwrap().is_empty());
    assert!(told.contains("Its 100 empty lines count: without them it fits"), "{told}");
}

#[test]
fn entries_over_their_limit_name_the_entry_that_is_enough() {
    let text = format!("{}\n§\n{}\n§\nshort", "x".repeat(1_000), "y".repeat(500));
    let (rows, told) = budget(&Files::default().with("USER.md", text), "memories");
    assert_eq!(rows[0]["excess"]["characters"].as_u64(), Some(1_511 - 1_375));
    assert_eq!(rows[0]["fits_without"][0]["id"], "USER.1");
    assert!(told.contains("All of it fits without 136 characters of it."), "{told}");
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
    let out = run(["budget", "--store", store.path.to_str().unwrap()]);
    assert_eq!(out.status, Some(1));
}
