//! Erasures in a bundle, its events and its checkpoints.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use super::*;

#[test]
fn nothing_is_left_of_a_part_of_a_bundle_and_hashes_and_counts_are_right() {
    let site = agent_memory(false);
    let texts = [secret(20), secret(21), secret(22)];
    let around = site.store.around();
    let holding = found(around, &texts);
    assert!(holding.len() >= 8, "{holding:?}");
    let before = faults(&site);
    let row = site.erase("gotchas.1");
    assert_eq!(found(around, &texts), Vec::<PathBuf>::new(), "{row}");
    assert_eq!(row["left"], json!([]));
    assert_eq!(faults(&site), before);
    let state: Value = serde_json::from_slice(&site.store.read("state.json")).unwrap();
    let titles: Vec<&str> = state["bundle"]["gotchas"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["The drawer sticks", "The clock drifts"]);
    assert_eq!(state["bundleHash"], json!(hash(&state["bundle"])));
    for file in [
        "history/checkpoints/chk-000003.json",
        "archive/prune-20260101T000000000Z/checkpoints/chk-000001.json",
    ] {
        let checkpoint: Value = serde_json::from_slice(&site.store.read(file)).unwrap();
        assert_eq!(checkpoint["bundleHash"], json!(hash(&checkpoint["bundle"])), "{file}");
        assert_eq!(checkpoint["bundle"]["gotchas"].as_array().unwrap().len(), 2, "{file}");
    }
    let page = site.store.text("../docs/agent-memory/gotchas.md");
    assert!(page.contains("## The drawer sticks"), "{page}");
    let event: Value = serde_json::from_str(&site.lines("history/events.jsonl")[1]).unwrap();
    assert_eq!(event["signals"]["gotchas"], json!(["The drawer sticks: Age."]));
    assert_eq!(event["signals"]["decisions"], json!(["It stays."]));
    // Another part has this number, and is not taken for the erased one.
    let list = std::fs::read_to_string(site.vault().join("erased.jsonl")).unwrap();
    assert!(!list.contains("digest") && list.contains("gotchas.1"), "{list}");
    site.run(&["edit", "gotchas.1", "--set", "cause=Dust.", "--yes"]).expect_status(0);
    site.erase("gotchas.1");
    assert_eq!(faults(&site), before);
}

#[test]
fn a_part_that_an_agent_writes_meanwhile_under_the_title_of_an_erased_one_stays() {
    let site = agent_memory(false);
    let state = site.store.path.join("state.json");
    let old = std::fs::read_to_string(&state).unwrap();
    let new = old.replace(&json!(secret(22)).to_string(), "\"Quinces are ripe.\"");
    assert_ne!(new, old);
    let (erasing, is_over) = (site.vault().join("erasing.json"), AtomicBool::new(false));
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !erasing.exists() && !is_over.load(SeqCst) {
                std::thread::yield_now();
            }
            let beside = state.with_extension("by-another");
            std::fs::write(&beside, &new).unwrap();
            std::fs::rename(&beside, &state).unwrap();
        });
        let said = site.run(&["erase", "gotchas.1", "--yes"]).stderr;
        is_over.store(true, SeqCst);
        said
    });
    site.run(&["list"]);
    let now = std::fs::read_to_string(&state).unwrap();
    assert!(now.contains("Quinces are ripe."), "{said}{now}");
}

#[test]
fn a_page_that_people_changed_stays_and_what_it_still_says_is_named() {
    let site = agent_memory(false);
    let page = "../docs/agent-memory/gotchas.md";
    let text = site.store.text(page) + "\nA note of somebody's own.\n";
    site.store.write(page, text.as_bytes());
    let output = site.run(&["erase", "gotchas.1", "--yes", "--json"]);
    assert_eq!(site.store.text(page), text);
    let row: Value = serde_json::from_str(&output.stdout).unwrap();
    assert!(row["left"].to_string().contains("docs/agent-memory/gotchas.md"), "{row}");
}

#[test]
fn a_backup_of_a_bundle_keeps_its_other_parts() {
    let site = agent_memory(false);
    site.erase("gotchas.1");
    let rows = site.run(&["backup", "list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["file"] == "state.json").unwrap();
    let backup: Value =
        serde_json::from_slice(&std::fs::read(row["backup"].as_str().unwrap()).unwrap()).unwrap();
    assert_eq!(backup["bundle"]["gotchas"].as_array().unwrap().len(), 2);
    assert_eq!(backup["bundleHash"], json!(hash(&backup["bundle"])));
    assert_eq!(backup["bundle"]["nextSteps"][0]["why"], "It sticks.");
    assert_eq!(site.run(&["undo", "--yes"]).status, Some(1));
}

#[test]
fn an_erased_event_leaves_its_number_and_no_gap() {
    for retention in [false, true] {
        let site = agent_memory(retention);
        let (before, lines) = (faults(&site), site.lines("history/events.jsonl"));
        let id = "evt-000003";
        site.erase(id);
        assert_eq!(found(site.store.around(), &[secret(23), secret(24)]), Vec::<PathBuf>::new());
        assert_eq!(faults(&site), before);
        let after = site.lines("history/events.jsonl");
        assert_eq!((&after[..2], &after[3..]), (&lines[..2], &lines[3..]));
        let event: Value = serde_json::from_str(&after[2]).unwrap();
        assert_eq!((&event["id"], &event["summary"]), (&json!(id), &json!("erased")));
    }
}

#[test]
fn an_erased_checkpoint_leaves_its_batch_and_the_latest_stays() {
    let site = agent_memory(false);
    let before = faults(&site);
    site.erase("chk-000001");
    assert_eq!(faults(&site), before);
    assert!(!site.store.file("archive/prune-20260101T000000000Z/checkpoints/chk-000001.json").exists());
    // The second checkpoint, the event and a backup of each are other records.
    assert_eq!(found(site.store.around(), &[secret(21)]).len(), 4);
    let tree = Tree::of(&site.store.path);
    for id in ["chk-000004", "currentFocus"] {
        site.run(&["erase", id, "--yes"]).expect_status(3).expect_stderr("erase the");
    }
    assert_untouched(&site.store.path, &tree);
}

#[test]
fn a_former_checkpoint_is_erased_everywhere_though_the_state_begins_as_it_did() {
    let desk = crate::support::DemoStore::new("web/.agent-memory");
    let key = |id: &str| {
        let rows = desk.list("");
        rows.iter().find(|row| row["id"] == id).expect(id)["key"].as_str().unwrap().to_owned()
    };
    desk.change(&["delete", "--remove", &key("gotchas.3")]).expect_status(0);
    desk.change(&["erase", &key("chk-000003")]).expect_status(0);
}

#[test]
fn a_value_that_people_wrote_into_a_page_is_masked_and_the_rest_of_the_page_stays() {
    let site = agent_memory(false);
    let page = "../docs/agent-memory/gotchas.md";
    let value = ["kingfisher", "1708"].join("-");
    let text = site.store.text(page);
    site.store.write(page, format!("{text}\nSee {value} too.\n").as_bytes());
    site.fed(&value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    let now = site.store.text(page);
    assert!(now.ends_with("\nSee •••••• too.\n") && now.contains("## The drawer sticks"), "{now}");
}

#[test]
fn checkpoints_that_repeat_a_value_do_not_make_it_common() {
    let site = agent_memory(false);
    let value = ["kingfisher", "1708"].join("-");
    site.run(&["edit", "gotchas.1", "--set", &format!("cause=It is {value}."), "--yes"]).expect_status(0);
    for number in 0..8 {
        let cause = format!("cause=Age {number}.");
        site.run(&["edit", "gotchas.2", "--set", &cause, "--yes"]).expect_status(0);
    }
    site.fed(&value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    assert_eq!(found(site.store.around(), &[value]), Vec::<PathBuf>::new());
}
