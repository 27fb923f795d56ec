//! Deleted memories come back, with what led to them.

use super::claude;
use crate::support::{Desk, Files};

#[test]
fn a_restored_topic_has_its_line_in_the_index_again() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let before = desk.text("deploy.md");
    desk.change(&["delete", "deploy"]);
    assert!(!desk.text("MEMORY.md").contains("deploy.md"));
    desk.change(&["undelete", "deploy"]);
    assert_eq!(desk.text("deploy.md"), before);
    assert_eq!(desk.text("MEMORY.md").matches("- [Deploy](deploy.md) — by hand\n").count(), 1);
    let found = desk.run(&["check", "--json"]).stdout;
    assert!(
        !found.contains("dangling-reference\",\"severity\":\"warning")
            && !found.contains("deploy.md\",\"line\":1"),
        "{found}"
    );
}

#[test]
fn a_topic_that_no_line_led_to_gets_none_if_there_is_one_now() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["delete", "deploy"]);
    let index = desk.text("MEMORY.md") + "- [again](deploy.md) — written since\n";
    std::fs::write(desk.store.path.join("MEMORY.md"), &index).unwrap();
    desk.change(&["undelete", "deploy"]);
    assert_eq!(desk.text("MEMORY.md"), index);
}

#[test]
fn several_topics_come_back_with_their_lines_in_one_change() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["delete", "deploy", "feedback_tabs"]);
    desk.change(&["undelete", "deploy", "feedback_tabs"]);
    let index = desk.text("MEMORY.md");
    assert_eq!(index.matches("- [Deploy](deploy.md) — by hand\n").count(), 1, "{index}");
    assert_eq!(index.matches("- [Tabs](feedback_tabs.md) — never tabs\n").count(), 1, "{index}");
    desk.change(&["undo"]);
    assert!(!desk.text("MEMORY.md").contains("](") && !desk.store.path.join("deploy.md").exists());
}

#[test]
fn what_got_another_name_or_was_merged_is_not_deleted() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["edit", "deploy", "--set", "id=ship"]);
    desk.change(&["merge", "alone", "--into", "ship"]);
    desk.change(&["undo"]);
    desk.change(&["redo"]);
    assert_eq!(desk.run(&["undelete", "deploy", "--yes"]).status, Some(1));
    assert!(desk.run(&["list", "is:deleted", "--json"]).json_lines().is_empty());
}

#[test]
fn undo_brings_back_sections_and_entries_where_they_were() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["delete", "MEMORY#rules"]);
    desk.change(&["undo"]);
    assert_eq!(desk.store.read("MEMORY.md"), claude().0[0].1);
    let files = Files::default().with("USER.md", "one\n§\ntwo\n§\nthree");
    let desk = Desk::of(&files, "memories");
    desk.change(&["delete", "USER.1"]);
    desk.change(&["undo"]);
    assert_eq!(desk.text("USER.md"), "one\n§\ntwo\n§\nthree");
}
