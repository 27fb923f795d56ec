//! Which records a plan names.

use super::*;

#[test]
fn a_plan_names_what_changes_and_tells_apart_what_is_left_out() {
    let folder = crate::support::folder::new();
    let demo = folder.path().join("demo");
    let now = ["--now", "2026-03-01T12:00:00Z"];
    crate::support::demo::lay_out(&demo, now[1]);
    let store = demo.join("notes/.chora/memory");
    let options = ["--store", store.to_str().unwrap(), "--data-dir", folder.path().to_str().unwrap()];
    let all = [&["delete", "--query", "type:note OR type:event", "--dry-run"][..], &options, &now].concat();
    let output = Verb::new(all).run().expect_status(0);
    let named: Vec<&str> = output.stdout.lines().filter(|line| line.ends_with(':')).collect();
    assert!(!named.is_empty(), "{}", output.stdout);
    for name in named {
        let name = name.trim_end_matches(':');
        assert!(store.join(format!("knowledge/notes/{name}.md")).exists(), "{name}: {}", output.stdout);
    }
    let events =
        Verb::new([&["list", "--json", "type:event"][..], &options, &now].concat()).run().json_lines().len();
    assert!(output.stderr.contains(&format!("left out: {events} of ")), "{}", output.stderr);
    assert!(output.stdout.contains("… and 2 more memories"), "{}", output.stdout);
}

#[test]
fn a_record_that_is_named_twice_is_one() {
    let store = StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1"})).build();
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
