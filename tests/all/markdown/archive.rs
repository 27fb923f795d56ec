//! Archived memories are out of the agent's folder, kept for good, and come back as they were.

use super::claude;
use crate::support::{Desk, Files};

/// The ids and states of what a query finds.
fn found(desk: &Desk, query: &str) -> Vec<(String, String)> {
    let rows = desk.run(&["list", query, "--json"]).json_lines();
    let text = |own: &serde_json::Value| own.as_str().unwrap_or_default().to_owned();
    rows.iter().map(|own| (text(&own["id"]), text(&own["state"]))).collect()
}

#[test]
fn an_archived_topic_is_out_of_the_folder_and_comes_back_byte_for_byte() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let (index, topic) = (desk.text("MEMORY.md"), desk.text("feedback_tabs.md"));
    desk.change(&["archive", "feedback_tabs"]);
    assert!(!desk.store.path.join("feedback_tabs.md").exists());
    assert!(!desk.text("MEMORY.md").contains("feedback_tabs"));
    assert!(found(&desk, "").iter().all(|own| own.0 != "feedback_tabs"));
    assert_eq!(found(&desk, "is:archived"), [("feedback_tabs".into(), "archived".into())]);
    assert!(found(&desk, "is:deleted").is_empty());
    assert_eq!(desk.run(&["undelete", "feedback_tabs", "--yes"]).status, Some(3));
    desk.change(&["unarchive", "feedback_tabs"]);
    assert_eq!(desk.text("MEMORY.md"), index);
    assert_eq!(desk.text("feedback_tabs.md"), topic);
    assert!(found(&desk, "is:archived").is_empty());
}

#[test]
fn a_purge_takes_a_value_out_of_an_archived_memory_which_comes_back_without_it() {
    let value = ["never", "tabs"].join(" ");
    let desk = Desk::of(&claude(), ".claude/memory");
    let topic = desk.text("feedback_tabs.md").replace("Tabs", &value);
    std::fs::write(desk.store.path.join("feedback_tabs.md"), format!("{topic}\nSo it is: {value}.\n"))
        .unwrap();
    let before = desk.text("feedback_tabs.md");
    desk.change(&["archive", "feedback_tabs"]);
    desk.fed(&value, &["redact", "--value-from", "-", "--purge", "--yes"]).expect_status(0);
    assert_eq!(found(&desk, "is:archived"), [("feedback_tabs".into(), "archived".into())]);
    desk.change(&["unarchive", "feedback_tabs"]);
    assert_eq!(desk.text("feedback_tabs.md"), before.replace(&value, "••••••"));
}

#[test]
fn lines_come_back_where_they_were_though_the_index_changed_since() {
    let index = "# Memory\n\n## Style\n\n- [Tabs](feedback_tabs.md) — never tabs\n\n## Work\n\n- [Deploy](deploy.md) — by hand\n- [Alone](alone.md)\n";
    let desk = Desk::of(&claude().with("MEMORY.md", index), ".claude/memory");
    desk.change(&["archive", "feedback_tabs", "deploy"]);
    std::fs::write(desk.store.path.join("MEMORY.md"), desk.text("MEMORY.md") + "- [New](new.md)\n").unwrap();
    desk.change(&["unarchive", "--query", "is:archived"]);
    assert_eq!(desk.text("MEMORY.md"), format!("{index}- [New](new.md)\n"));
}

#[test]
fn an_entry_is_archived_alone_and_comes_back_to_its_file() {
    let desk = Desk::of(&Files::default().with("USER.md", "one\n§\ntwo\nlines\n§\nthree"), "memories");
    desk.change(&["archive", "USER.2"]);
    assert_eq!(desk.text("USER.md"), "one\n§\ntwo\nlines");
    desk.change(&["archive", "USER.0"]);
    assert_eq!(desk.text("USER.md"), "two\nlines");
    let rows = desk.run(&["list", "is:archived", "--json"]).json_lines();
    let mut texts: Vec<&str> = rows.iter().map(|own| own["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "three"]);
    let key = rows.iter().find(|own| own["text"] == "one").unwrap()["key"].as_str().unwrap().to_owned();
    desk.change(&["unarchive", &key]);
    assert_eq!(desk.text("USER.md"), "two\nlines\n§\none");
    assert_eq!(found(&desk, "is:archived").len(), 1);
}

#[test]
fn a_deleted_entry_is_listed_and_restored_too() {
    let desk = Desk::of(&Files::default().with("USER.md", "one\n§\ntwo\n§\nthree"), "memories");
    desk.change(&["delete", "USER.1"]);
    let rows = desk.run(&["list", "is:deleted", "--json"]).json_lines();
    assert_eq!(rows.iter().map(|own| own["text"].as_str().unwrap()).collect::<Vec<_>>(), ["two"]);
    desk.change(&["undelete", "--query", "is:deleted"]);
    assert_eq!(desk.text("USER.md"), "one\n§\nthree\n§\ntwo");
    assert!(found(&desk, "is:deleted").is_empty());
}

#[test]
fn an_undone_archive_is_no_archive() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let index = desk.text("MEMORY.md");
    desk.change(&["archive", "deploy"]);
    desk.change(&["undo"]);
    assert_eq!(desk.text("MEMORY.md"), index);
    assert!(
        found(&desk, "is:archived").is_empty() && found(&desk, "deploy").iter().any(|own| own.0 == "deploy")
    );
    desk.change(&["redo"]);
    assert_eq!(found(&desk, "is:archived"), [("deploy".into(), "archived".into())]);
}

#[test]
fn an_agents_new_file_of_that_name_stays_and_so_does_the_archived_one() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["archive", "deploy"]);
    std::fs::write(desk.store.path.join("deploy.md"), "---\nname: deploy\n---\n\nNew.\n").unwrap();
    let mut all = found(&desk, "is:live,archived deploy");
    all.retain(|own| own.0 == "deploy");
    all.sort();
    assert_eq!(all, [("deploy".into(), "archived".into()), ("deploy".into(), "live".into())]);
    let refused = desk.run(&["unarchive", "deploy", "--yes"]);
    assert_ne!(refused.status, Some(0), "{}", refused.stdout);
    assert!(refused.stderr.contains("deploy.md"), "{}", refused.stderr);
    assert_eq!(desk.text("deploy.md"), "---\nname: deploy\n---\n\nNew.\n");
}

#[test]
fn an_archived_topic_is_erased_for_good() {
    let files = claude()
        .with("secret.md", "---\nname: secret\ndescription: hush\n---\n\nThe quiet word is marzipan.\n");
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["archive", "secret"]);
    assert!(desk.has("marzipan"));
    desk.change(&["erase", "secret"]);
    assert!(!desk.has("marzipan"));
    assert!(found(&desk, "is:archived").is_empty());
}

#[test]
fn an_archive_is_exported_and_counted() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["archive", "deploy"]);
    desk.run(&["export", "is:archived", "--format", "jsonl"]).expect_stdout("By hand, see");
    assert_eq!(desk.run(&["stores", "--json"]).json_lines()[0]["archived"], 1);
}

#[test]
fn a_part_of_an_index_is_not_archived() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let index = desk.text("MEMORY.md");
    let refused = desk.run(&["archive", "MEMORY#rules", "--yes"]);
    assert_ne!(refused.status, Some(0));
    assert!(refused.stderr.contains("part of an index"), "{}", refused.stderr);
    assert_eq!(desk.text("MEMORY.md"), index);
}

#[test]
fn an_erasure_takes_one_archived_memory_and_leaves_the_others() {
    let topic = |word: &str| {
        format!("---\nname: {word}\ndescription: about {word}\n---\n\nThe word is {word}{word}.\n")
    };
    let files = Files::default()
        .with("MEMORY.md", "- [a](ant.md) — hook\n- [b](bee.md) — hook\n- [c](cat.md) — hook\n")
        .with("ant.md", topic("ant"))
        .with("bee.md", topic("bee"))
        .with("cat.md", topic("cat"));
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["archive", "ant", "bee"]);
    desk.change(&["erase", "cat"]);
    desk.change(&["erase", "bee"]);
    assert!(!desk.has("beebee") && !desk.has("catcat"));
    assert_eq!(found(&desk, "is:archived"), [("ant".into(), "archived".into())]);
    desk.change(&["unarchive", "ant"]);
    assert_eq!(desk.text("ant.md"), topic("ant"));
    let entries =
        Desk::of(&Files::default().with("USER.md", "one one\n§\ntwo two\n§\nthree three"), "memories");
    entries.change(&["archive", "USER.0", "USER.2"]);
    let rows = entries.run(&["list", "is:archived", "--json"]).json_lines();
    let key = rows.iter().find(|own| own["text"] == "one one").unwrap()["key"].as_str().unwrap().to_owned();
    entries.change(&["erase", &key]);
    assert!(!entries.has("one one") && entries.has("three three"));
    assert_eq!(found(&entries, "is:archived").len(), 1);
}

#[test]
fn an_undone_unarchive_archives_again_and_two_memories_of_a_name_are_both_kept() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["archive", "deploy"]);
    desk.change(&["unarchive", "deploy"]);
    desk.change(&["undo"]);
    assert_eq!(found(&desk, "is:archived"), [("deploy".into(), "archived".into())]);
    std::fs::write(desk.store.path.join("deploy.md"), "---\nname: deploy\n---\n\nAnother text.\n").unwrap();
    desk.change(&["archive", "deploy"]);
    assert_eq!(found(&desk, "is:archived").len(), 2);
    assert!(found(&desk, "is:deleted").is_empty());
}

#[test]
fn what_was_brought_back_and_deleted_is_not_archived() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["archive", "deploy", "alone"]);
    desk.change(&["unarchive", "deploy"]);
    desk.change(&["delete", "deploy"]);
    assert_eq!(found(&desk, "is:archived"), [("alone".into(), "archived".into())]);
    assert_eq!(found(&desk, "is:deleted"), [("deploy".into(), "deleted".into())]);
}

#[test]
fn indexes_of_any_form_come_back_byte_for_byte() {
    let indexes = [
        "---\nname: x\n---\n- [Tabs](feedback_tabs.md) — hook\n",
        "# I\n- [Deploy](deploy.md) — h\n\n---\n\n- [b](alone.md)\n\n---\n- [Tabs](feedback_tabs.md)\n",
        "# I\n- [Tabs](feedback_tabs.md) — h\n- [x](x.md) — h\n- [b](alone.md) and [a](feedback_tabs.md)\n- [z](z.md)",
        "- [Tabs](feedback_tabs.md) — hook\n## d\n\n- [Tabs](feedback_tabs.md) two\n",
        "# I\r\n\r\n- [Deploy](deploy.md)\r\n- [Tabs](feedback_tabs.md) — the last",
        "- [Deploy](deploy.md)\n- [Tabs](feedback_tabs.md)\n- [Tabs](feedback_tabs.md)\n- [Deploy](deploy.md)\n",
        "# Nothing leads anywhere\n",
        "- [both](deploy.md), [of](feedback_tabs.md) them\n",
    ];
    for index in indexes {
        let desk = Desk::of(&claude().with("MEMORY.md", index), ".claude/memory");
        desk.change(&["archive", "feedback_tabs", "deploy"]);
        desk.change(&["unarchive", "--query", "is:archived"]);
        assert_eq!(desk.text("MEMORY.md"), index);
    }
}

#[test]
fn secrets_are_found_in_archived_memories_too() {
    let token = ["ghp_", "x9Kd83hfGq27LmPz01Vt", "QwErTyUiOp12"].concat();
    let files =
        claude().with("key.md", format!("---\nname: key\ndescription: k\n---\n\nThe token is {token}.\n"));
    let desk = Desk::of(&files, ".claude/memory");
    let count = || desk.run(&["secrets", "--json"]).json_lines().len();
    let before = count();
    assert!(before > 0);
    desk.change(&["archive", "key"]);
    assert_eq!(count(), before);
    desk.fed(&token, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    assert!(!desk.has(&token) && count() == 0);
}

#[test]
fn an_archived_memory_that_says_the_same_and_more_stays_when_another_is_erased() {
    let topic =
        |name: &str, says: &str| format!("---\nname: {name}\ndescription: about {name}\n---\n\n{says}\n");
    let files = Files::default()
        .with("MEMORY.md", "- [a](long.md) — hook\n- [b](short.md) — hook\n")
        .with("long.md", topic("long", "User prefers dark mode in the editor"))
        .with("short.md", topic("short", "User prefers dark mode"));
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["archive", "long"]);
    desk.run(&["erase", "short", "--yes"]);
    assert_eq!(found(&desk, "is:archived"), [("long".into(), "archived".into())]);
    desk.change(&["unarchive", "long"]);
    assert_eq!(desk.text("long.md"), topic("long", "User prefers dark mode in the editor"));
}
