//! Which records a plan names.

use super::*;
use crate::support::DemoStore;

#[test]
fn a_plan_names_what_changes_and_tells_apart_what_is_left_out() {
    let demo = DemoStore::at("notes/.chora/memory", "2026-03-01T12:00:00Z");
    let words = ["delete", "--query", "type:note OR type:event", "--dry-run"];
    let output = demo.run(&words).expect_status(0);
    let named: Vec<&str> = output.stdout.lines().filter(|line| line.ends_with(':')).collect();
    assert!(!named.is_empty(), "{}", output.stdout);
    for name in named {
        let name = name.trim_end_matches(':');
        assert!(demo.store.join(format!("knowledge/notes/{name}.md")).exists(), "{name}: {}", output.stdout);
    }
    let events = demo.list("type:event").len();
    assert!(output.stderr.contains(&format!("left out: {events} of ")), "{}", output.stderr);
    assert!(output.stdout.contains("… and 2 more memories"), "{}", output.stdout);
}

#[test]
fn a_record_that_is_named_twice_is_one() {
    let store = entry();
    for verb in [&["delete", "mem_1", "mem_1"][..], &["tag", "mem_1", "mem_1", "+x"]] {
        change(&store, &[verb, &["--dry-run"]].concat()).expect_status(0);
    }
}

#[test]
fn an_edit_writes_the_right_checksum_where_it_was_wrong() {
    let wrong = format!("sha256:{}", "00".repeat(32));
    let entry = json!({"id": "mem_1", "checksum": wrong});
    let store = StoreBuilder::session_log().session("s").entry(entry).build();
    let codes = |store: &TempStore| change(store, &["check", "--json"]).stdout;
    assert!(codes(&store).contains("checksum-mismatch"));
    // A change of tags says nothing about the text.
    change(&store, &["tag", "mem_1", "+new"]).expect_status(0);
    assert!(codes(&store).contains("checksum-mismatch"));
    change(&store, &["edit", "mem_1", "--set", "text=fixed"]).expect_status(0);
    assert!(!codes(&store).contains("checksum-mismatch"), "{}", codes(&store));
}
