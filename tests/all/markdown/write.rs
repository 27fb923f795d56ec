//! Changes of Markdown memories keep every other byte, and take the lines of an index with them.

use crate::support::{Desk, Files};

use super::claude;

#[test]
fn an_edit_changes_one_value_and_undo_brings_back_every_byte() {
    let crlf = claude().with("deploy.md", "---\r\nname:   deploy\r\n# a comment\r\ndescription: 'by hand'\r\nnote: a: b\r\n---\r\n\r\nBy hand.  \r\nno end");
    let desk = Desk::of(&crlf, ".claude/memory");
    let before = desk.text("deploy.md");
    desk.change(&["edit", "deploy", "--set", "description=at night: never"]);
    assert_eq!(desk.text("deploy.md"), before.replace("'by hand'", "'at night: never'"));
    desk.change(&["undo"]);
    assert_eq!(desk.text("deploy.md"), before);
    desk.change(&["edit", "deploy", "--set", "text=By robot."]);
    assert!(desk.text("deploy.md").starts_with("---\r\nname:   deploy\r\n# a comment\r\n"));
    assert!(!desk.text("deploy.md").contains("modified"));
}

#[test]
fn the_time_of_a_change_is_written_only_where_there_is_one() {
    let text = "---\nname: a\ndescription: b\nmetadata: \n  type: project\n  modified: 2025-01-01T00:00:00.000Z\n---\n\nx\n";
    let desk = Desk::of(&claude().with("deploy.md", text), ".claude/memory");
    desk.change(&["edit", "deploy", "--set", "description=c"]);
    let expected = text
        .replace("description: b", "description: c")
        .replace("2025-01-01T00:00:00", "2026-02-01T12:00:00");
    assert_eq!(desk.text("deploy.md"), expected);
}

#[test]
fn a_topic_goes_and_comes_back_with_its_line_in_the_index() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let index = desk.text("MEMORY.md");
    desk.change(&["delete", "deploy"]);
    assert!(!desk.store.file("deploy.md").exists());
    assert_eq!(desk.text("MEMORY.md"), index.replace("- [Deploy](deploy.md) — by hand\n", ""));
    desk.change(&["undo"]);
    assert_eq!(desk.text("MEMORY.md"), index);
    assert!(desk.text("deploy.md").contains("By hand"));
    desk.change(&["delete", "MEMORY#rules"]);
    assert!(
        !desk.text("MEMORY.md").contains("Ask first") && desk.text("MEMORY.md").contains("feedback_tabs.md")
    );
}

#[test]
fn a_new_topic_gets_a_line_in_the_index_after_the_others() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["add", "--type", "feedback", "--text", "Tests: first"]);
    assert_eq!(
        desk.text("tests-first.md"),
        "---\nname: tests-first\ndescription: \"Tests: first\"\nmetadata:\n  type: feedback\n---\n\nTests: first\n"
    );
    let lines: Vec<String> = desk.text("MEMORY.md").lines().map(str::to_owned).collect();
    assert_eq!(lines[4], "- [tests-first](tests-first.md) — Tests: first");
}

#[test]
fn a_new_topic_has_a_line_of_its_own_where_the_last_line_of_the_index_has_no_end() {
    let before = "- [Tabs](feedback_tabs.md) — never tabs";
    let desk = Desk::of(&claude().with("MEMORY.md", before), ".claude/memory");
    desk.change(&["add", "--type", "feedback", "--text", "Tests: first"]);
    let after = format!("{before}\n- [tests-first](tests-first.md) — Tests: first");
    assert_eq!(desk.text("MEMORY.md"), after);
    desk.change(&["undo"]);
    assert_eq!(desk.text("MEMORY.md"), before);
}

#[test]
fn an_erased_topic_is_gone_with_its_line_from_the_store_and_from_undo_data() {
    let files = claude()
        .with(
            "MEMORY.md",
            "- [Tabs](feedback_tabs.md) — never tabs\n- [D](deploy.md) — only kingfishers know\n",
        )
        .with("deploy.md", "---\nname: deploy\ndescription: d\n---\n\nThe otter swims alone at night.\n");
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["edit", "deploy", "--set", "text=The heron stands in the reeds."]);
    desk.change(&["delete", "deploy"]);
    desk.change(&["undo"]);
    desk.change(&["erase", "deploy"]);
    for text in ["otter swims", "heron stands", "only kingfishers know"] {
        assert!(!desk.has(text), "{text}");
    }
    assert_eq!(desk.text("MEMORY.md"), "- [Tabs](feedback_tabs.md) — never tabs\n");
    desk.run(&["undo", "--yes"]);
    assert!(!desk.has("otter swims"));
}

const ENTRIES: &str = "one\n§\ntwo words\nmore\n§\nthree";

#[test]
fn entries_are_written_as_hermes_writes_them() {
    let desk = Desk::of(&Files::default().with("MEMORY.md", ENTRIES), "memories");
    desk.change(&["edit", "MEMORY.1", "--set", "text= zwei \n"]);
    assert_eq!(desk.text("MEMORY.md"), "one\n§\nzwei\n§\nthree");
    desk.change(&["add", "--type", "entry", "--text", "four"]);
    assert_eq!(desk.text("MEMORY.md"), "one\n§\nzwei\n§\nthree\n§\nfour");
    desk.change(&["delete", "MEMORY.0"]);
    assert_eq!(desk.text("MEMORY.md"), "zwei\n§\nthree\n§\nfour");
    desk.run(&["edit", "MEMORY.0", "--set", "text=a\n§\nb", "--yes"]).expect_status(3);
    for _ in 0..3 {
        desk.change(&["undo"]);
    }
    assert_eq!(desk.text("MEMORY.md"), ENTRIES);
}

#[test]
fn an_erased_entry_is_gone_from_every_version() {
    let files =
        Files::default().with("MEMORY.md", "the first entry\n§\nthe otter swims at night\n§\nthe third");
    let desk = Desk::of(&files, "memories");
    desk.change(&["edit", "MEMORY.0", "--set", "text=the new entry"]);
    desk.change(&["erase", "MEMORY.1"]);
    assert!(!desk.has("otter swims"));
    assert_eq!(desk.text("MEMORY.md"), "the new entry\n§\nthe third");
}

#[test]
fn a_value_is_erased_from_topics_and_masked_in_the_index() {
    let value = ["kingfisher", "1708"].join("-");
    let files = claude()
        .with("MEMORY.md", format!("- [Tabs](feedback_tabs.md) — {value}\n\n## Rules\n\nIt is {value}.\n"))
        .with("deploy.md", format!("---\nname: deploy\ndescription: d\n---\n\nIt is {value} here.\n"));
    let desk = Desk::of(&files, ".claude/memory");
    desk.fed(&value, &["erase", "--value-from", "-", "--yes"]).expect_status(0);
    assert!(!desk.has(&value));
    assert!(desk.text("MEMORY.md").contains("[Tabs](feedback_tabs.md)"));
    assert!(desk.text("feedback_tabs.md").contains("Spaces."));
}

/// Carries out the first fix that is offered for a problem.
fn fixed(desk: &Desk, code: &str) {
    let rows = desk.run(&["check", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{code}: {rows:?}"));
    desk.repair(row, &[]);
    let rows = desk.run(&["check", "--json"]).json_lines();
    assert!(rows.iter().all(|row| row["code"] != code), "{code}: {rows:?}");
}

#[test]
fn a_file_that_no_index_leads_to_gets_a_line_and_a_line_that_leads_nowhere_goes() {
    let files = claude()
        .with("MEMORY.md", "- [Tabs](feedback_tabs.md) — never\n- [x](gone.md) — y\n- [D](deploy.md) — z\n");
    let files = files.changed("feedback_tabs.md", " and [[Nobody]]", "");
    let desk = Desk::of(&files, ".claude/memory");
    fixed(&desk, "orphan-note");
    fixed(&desk, "dangling-reference");
    assert_eq!(
        desk.text("MEMORY.md"),
        "- [Tabs](feedback_tabs.md) — never\n- [D](deploy.md) — z\n- [alone](alone.md) — about alone: short\n"
    );
}

#[test]
fn an_index_that_is_no_text_is_refused_and_keeps_its_bytes() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let bytes = b"# M\n- [Tabs](feedback_tabs.md) \xe9 hook\n- [D](deploy.md) - y\n";
    desk.store.write("MEMORY.md", bytes);
    desk.run(&["add", "--type", "project", "--text", "Hello there", "--yes"]).expect_status(3);
    let rows = desk.run(&["check", "--json"]).json_lines();
    for row in rows.iter().filter(|row| row["code"] == "orphan-note") {
        desk.run(&["repair", "--problem", row["problem"].as_str().unwrap(), "--yes"]);
    }
    assert_eq!(desk.store.read("MEMORY.md"), bytes);
}

#[test]
fn earlier_versions_of_an_erased_section_go_too() {
    let desk = Desk::of(&claude(), ".claude/memory");
    for text in ["## Rules\n\nThe otter swims.", "## Rules\n\nThe heron waits."] {
        desk.change(&["edit", "MEMORY#rules", "--set", &format!("text={text}")]);
    }
    desk.change(&["erase", "MEMORY#rules"]);
    for text in ["Ask first", "otter swims", "heron waits"] {
        assert!(!desk.has(text), "{text}");
    }
    assert!(desk.text("MEMORY.md").contains("feedback_tabs.md"));
}

#[test]
fn a_line_of_two_links_goes_with_both_and_stays_with_one() {
    let files =
        claude().with("MEMORY.md", "- [T](feedback_tabs.md) and [D](deploy.md \"t\") — herons\n- x\n");
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["erase", "deploy"]);
    assert!(desk.text("MEMORY.md").contains("herons"));
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["erase", "deploy", "feedback_tabs"]);
    assert_eq!(desk.text("MEMORY.md"), "- x\n");
}

#[test]
fn empty_lines_around_a_text_and_its_line_ends_stay() {
    let crlf = "---\r\nname: deploy\r\ndescription: d\r\n---\r\n\r\nold\r\n";
    let desk = Desk::of(&claude().with("deploy.md", crlf), ".claude/memory");
    desk.change(&["edit", "deploy", "--set", "text=one\ntwo"]);
    assert_eq!(desk.text("deploy.md"), crlf.replace("old", "one\r\ntwo"));
    let index = "## A\n\nold\n\n## B\n\nother\n";
    let desk = Desk::of(&claude().with("MEMORY.md", index), ".claude/memory");
    desk.change(&["edit", "MEMORY#a", "--set", "text=## A\n\nnew"]);
    assert_eq!(desk.text("MEMORY.md"), index.replace("old", "new"));
}

#[test]
fn windows_line_ends_of_hermes_stay_beside_a_change() {
    let text = "one\r\n§\r\ntwo\r\n§\r\nthree\n§\nfour";
    let desk = Desk::of(&Files::default().with("MEMORY.md", text), "memories");
    desk.change(&["delete", "MEMORY.1"]);
    assert_eq!(desk.text("MEMORY.md"), "one\r\n§\r\nthree\n§\nfour");
    desk.change(&["edit", "MEMORY.0", "--set", "text=x\ny"]);
    assert_eq!(desk.text("MEMORY.md"), "x\r\ny\r\n§\r\nthree\n§\nfour");
    desk.change(&["delete", "MEMORY.2"]);
    assert_eq!(desk.text("MEMORY.md"), "x\r\ny\r\n§\r\nthree");
}

#[test]
fn a_delimiter_that_hermes_does_not_know_is_in_the_way_of_a_change() {
    let text = "one\n§ \ntwo\n§\nthree";
    let desk = Desk::of(&Files::default().with("MEMORY.md", text), "memories");
    desk.run(&["delete", "MEMORY.0", "--yes"]).expect_status(3);
    desk.run(&["edit", "MEMORY.0", "--set", "text=x", "--yes"]).expect_status(3);
    assert_eq!(desk.text("MEMORY.md"), text);
}

#[test]
fn an_entry_that_is_like_its_neighbour_is_listed_whole_after_its_deletion() {
    for (number, gone, stays) in [(0, "close at 5", "open at 9"), (1, "open at 9", "close at 5")] {
        let text = "Shop rule\nclose at 5\n§\nShop rule\nopen at 9\n";
        let desk = Desk::of(&Files::default().with("MEMORY.md", text), "memories");
        desk.change(&["delete", &format!("MEMORY.{number}")]);
        assert_eq!(desk.text("MEMORY.md"), format!("Shop rule\n{stays}"));
        desk.change(&["undo"]);
        assert_eq!(desk.text("MEMORY.md"), text);
        desk.change(&["redo"]);
        let rows = desk.run(&["list", "is:deleted", "--json"]).json_lines();
        assert_eq!(rows.len(), 1, "{rows:?}");
        desk.change(&["undelete", rows[0]["id"].as_str().unwrap()]);
        assert_eq!(desk.text("MEMORY.md"), format!("Shop rule\n{stays}\n§\nShop rule\n{gone}"));
    }
}

#[test]
fn a_new_entry_after_a_delimiter_at_the_end_is_one_memory() {
    for text in ["one\n§\ntwo\n§\n", "\n§\none\n§\ntwo"] {
        let files = Files::default().with("MEMORY.md", text);
        let found = super::codes(&files, "memories");
        assert!(found.iter().any(|own| own.0 == "round-trip"), "{text:?}: {found:?}");
        let desk = Desk::of(&files, "memories");
        desk.change(&["add", "--type", "entry", "--text", "new fact"]);
        assert_eq!(desk.text("MEMORY.md"), "one\n§\ntwo\n§\nnew fact");
    }
}
