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
