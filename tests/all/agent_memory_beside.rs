//! Files around an `agent-memory` store: files that the bundle names, pages, archives.

use serde_json::{Value, json};

use crate::support::{AgentMemoryBuilder, Files, Output, TempStore, check, rows, run};

fn codes(store: &TempStore) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    check(store).json_lines().iter().map(|own| (text(&own["code"]), text(&own["message"]))).collect()
}

/// Runs a verb on the store, with palimp's data beside the repository.
fn verb(store: &TempStore, args: &[&str]) -> Output {
    let root = store.path.to_str().unwrap();
    let data = store.path.join("../../palimp-data");
    let options = ["--store", root, "--data-dir", data.to_str().unwrap(), "--yes"];
    run([args, &options].concat())
}

fn done(store: &TempStore, args: &[&str]) -> String {
    let output = verb(store, args).expect_status(0);
    format!("{}{}", output.stdout, output.stderr)
}

fn store(files: &Files) -> TempStore {
    files.build(".agent-memory")
}

#[test]
fn a_file_that_the_bundle_names_and_that_is_not_there_is_a_problem() {
    let builder = AgentMemoryBuilder::new()
        .bundle(&[("/project/keyPaths", json!(["src/there.rs", "src/gone.rs", "src/*.rs"]))]);
    let store = store(&builder.files().with("../src/there.rs", ""));
    let named: Vec<_> = codes(&store).into_iter().filter(|(code, _)| code == "dangling-reference").collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(named[0].1.contains("src/gone.rs"), "{named:?}");
}

#[test]
fn a_source_whose_place_is_gone_is_a_problem() {
    let builder = AgentMemoryBuilder::new().source(json!({"path": "/nowhere/at/all"}));
    let named = codes(&store(&builder.files()));
    assert!(
        named.iter().any(|(code, text)| code == "dangling-reference" && text.contains("/nowhere/at/all")),
        "{named:?}"
    );
}

#[test]
fn a_bundle_without_a_validation_is_a_problem() {
    let builder =
        AgentMemoryBuilder::new().bundle(&[("/currentFocus/validationSnapshot/validatedAt", Value::Null)]);
    let named = codes(&store(&builder.files()));
    assert!(
        named.iter().any(|(code, text)| code == "missing-field" && text.contains("validatedAt")),
        "{named:?}"
    );
}

#[test]
fn an_edit_that_names_a_file_that_is_not_there_says_so() {
    let store = store(&AgentMemoryBuilder::new().files());
    let set = r#"keyPaths=["src/nowhere.rs"]"#;
    let told = done(&store, &["edit", "project", "--set", set]);
    assert!(told.contains("src/nowhere.rs"), "{told}");
}

#[test]
fn a_page_of_another_layout_is_a_problem_and_is_never_mixed_with_what_is_rendered() {
    const PAGE: &str = "docs/agent-memory/gotchas.md";
    let store = store(&AgentMemoryBuilder::new().files());
    let page = store.path.join("..").join(PAGE);
    let text = std::fs::read_to_string(&page).unwrap().replace("## ", "### ");
    std::fs::write(&page, &text).unwrap();
    let is_a_problem = || {
        let all = codes(&store);
        assert!(all.iter().any(|(code, _)| code == "projection-stale"), "{all:?}");
        assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
    };
    is_a_problem();
    let told = done(&store, &["reindex"]);
    assert!(told.contains(&format!("not rebuilt: {PAGE}: Its text is not what")), "{told}");
    is_a_problem();
    let told = done(&store, &["edit", "gotchas.0", "--set", "title=The lid sticks"]);
    assert!(told.contains(&format!("{PAGE} is not written")), "{told}");
    is_a_problem();
}

#[test]
fn an_archived_record_says_how_it_really_comes_back() {
    let store =
        store(&AgentMemoryBuilder::new().event(json!({})).config("/retention/enabled", json!(true)).files());
    done(&store, &["archive", "evt-000001"]);
    let second = verb(&store, &["archive", "evt-000001"]);
    assert!(!second.stderr.contains("palimp unarchive"), "{}", second.stderr);
    assert!(second.stderr.contains("palimp undo"), "{}", second.stderr);
    done(&store, &["undo"]);
    assert_eq!(rows(&store, "show", "evt-000001")[0]["state"], "live");
}

#[test]
fn every_batch_has_a_folder_for_checkpoints() {
    let store =
        store(&AgentMemoryBuilder::new().event(json!({})).config("/retention/enabled", json!(true)).files());
    done(&store, &["archive", "evt-000001"]);
    let batches = std::fs::read_dir(store.path.join("archive")).unwrap().map(|batch| batch.unwrap().path());
    let batches: Vec<_> = batches.collect();
    assert!(batches.len() == 1 && batches[0].join("checkpoints").is_dir(), "{batches:?}");
}

#[test]
fn pages_that_nobody_touched_are_not_called_changed_by_others() {
    let store = store(&AgentMemoryBuilder::new().files());
    done(&store, &["edit", "project", "--set", "summary=Another"]);
    let all = done(&store, &["journal"]);
    assert!(!all.contains("changed outside palimp") && !all.contains("changed outside"), "{all}");
    std::fs::remove_file(store.path.join("../docs/agent-memory/README.md")).unwrap();
    let all = done(&store, &["journal"]);
    assert!(all.contains("docs/agent-memory/README.md"), "{all}");
}

#[test]
fn pages_of_an_older_state_are_found_and_made_anew() {
    for verb in [&["reindex"][..], &["repair", "--all-safe"]] {
        let files = AgentMemoryBuilder::new().files();
        let store =
            store(&files.changed("../docs/agent-memory/next-steps.md", "bundleHash=", "bundleHash=00"));
        assert!(codes(&store).iter().any(|(code, _)| code == "projection-stale"));
        done(&store, verb);
        let left = codes(&store);
        assert!(!left.iter().any(|(code, _)| code == "projection-stale"), "{verb:?}: {left:?}");
        let before = std::fs::read(store.path.join("../docs/agent-memory/gotchas.md")).unwrap();
        done(&store, verb);
        assert_eq!(std::fs::read(store.path.join("../docs/agent-memory/gotchas.md")).unwrap(), before);
    }
}

#[test]
fn a_deletion_says_in_plain_words_which_pages_it_does_not_write() {
    let files = AgentMemoryBuilder::new().files();
    let files = files.without("../docs/agent-memory/next-steps.md").changed(
        "../AGENTS.md",
        "bundleHash=",
        "bundleHush=",
    );
    let store = store(&files.with("../docs/agent-memory/current-focus.md", "# Mine\n"));
    let told = done(&store, &["delete", "gotchas.0", "--dry-run"]);
    for line in [
        "docs/agent-memory/next-steps.md is missing, and is not made.",
        "docs/agent-memory/current-focus.md is not written: it is not what agent-memory made of this bundle.",
        "AGENTS.md is not written: its block about this bundle can't be read.",
    ] {
        assert!(told.lines().any(|own| own.ends_with(line)), "{line}: {told}");
    }
    assert!(!told.contains("marker") && !told.contains("/../"), "{told}");
    assert!(told.contains(&format!("rewrite  {}", store.around().join("docs").display())), "{told}");
}

#[test]
fn a_page_that_was_changed_by_hand_is_told_and_stays_as_it_is() {
    let store = store(&AgentMemoryBuilder::new().files());
    let page = store.path.join("../docs/agent-memory/current-focus.md");
    let text = std::fs::read_to_string(&page).unwrap() + "\n## Mine\n\nA note.\n";
    std::fs::write(&page, &text).unwrap();
    let stale = |store: &TempStore| {
        let rows = check(store).json_lines();
        rows.into_iter().filter(|own| own["code"] == "projection-stale").collect::<Vec<_>>()
    };
    let told = stale(&store);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0]["file"].as_str().unwrap().ends_with("current-focus.md"), "{told:?}");
    assert_eq!(told[0]["fix"], "none", "{told:?}");
    verb(&store, &["reindex"]);
    let told = done(&store, &["edit", "project", "--set", "summary=Another"]);
    assert!(told.contains("docs/agent-memory/current-focus.md is not written"), "{told}");
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
    assert_eq!(stale(&store).len(), 1);
}

#[test]
fn a_repair_makes_what_is_derived_of_the_files_as_they_are_after_it() {
    let torn = "{\"id\":\"evt-000002\",\"kind\":\"tool";
    // The count includes the torn line.
    let builder = AgentMemoryBuilder::new().state("/maintenance/historyEventCount", json!(2));
    let files = builder.files();
    let store = store(&files);
    store.append("history/events.jsonl", torn.as_bytes());
    done(&store, &["repair", "--all-safe"]);
    let left = codes(&store);
    assert!(!left.iter().any(|(code, _)| code == "count-mismatch"), "{left:?}");
}
