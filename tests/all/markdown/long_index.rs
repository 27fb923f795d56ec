//! Lines of an index over its limit move into a topic file, and none is lost.

use std::collections::BTreeMap;

use super::claude;
use crate::support::{Desk, files_below};

const REPAIR: [&str; 3] = ["repair", "--code", "limit-exceeded"];

fn desk(index: &str) -> Desk {
    Desk::of(&claude().with("MEMORY.md", index), ".claude/memory")
}

fn said(desk: &Desk) -> Vec<String> {
    let texts = files_below(&desk.store.path).into_values().map(|bytes| String::from_utf8(bytes).unwrap());
    let mut all: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    all.retain(|line| !line.trim().is_empty());
    all.sort();
    all
}

fn is_over(desk: &Desk) -> bool {
    let rows = desk.run(&["check", "--json"]).json_lines();
    rows.iter().any(|row| row["code"] == "limit-exceeded" && row["severity"] != "note")
}

#[test]
fn the_lines_beyond_the_limit_move_and_an_undo_brings_back_every_byte() {
    let index = format!("# Memory\n\n- [d](deploy.md) — x\n{}- the newest\n", "- one more\n".repeat(199));
    let desk = desk(&index);
    let before: BTreeMap<_, _> = files_below(&desk.store.path);
    let lines = said(&desk);
    assert!(is_over(&desk));
    desk.change(&REPAIR);
    assert!(!is_over(&desk), "{}", desk.text("MEMORY.md"));
    assert_eq!(desk.text("MEMORY.md").lines().count(), 200);
    assert!(desk.text("MEMORY.md").contains("\n- [more](more.md) — More, from MEMORY.md"));
    let more = desk.text("more.md");
    assert!(more.starts_with("---\nname: more\ndescription: ") && more.ends_with("- the newest\n"), "{more}");
    let after = said(&desk);
    assert!(lines.iter().all(|line| after.contains(line)), "{after:?}");
    let count = |all: &[String], line: &str| all.iter().filter(|own| *own == line).count();
    assert_eq!(count(&after, "- one more"), count(&lines, "- one more"));
    desk.change(&["undo"]);
    assert_eq!(files_below(&desk.store.path), before);
}

#[test]
fn items_and_code_stay_whole_and_front_matter_headings_and_comments_stay() {
    let front = "---\ntitle: index\n---\n";
    let item = "- [d](deploy.md) — x\n  goes on\n\n  and on\n";
    let code = "```sh\n# no heading\n\nmake\n```\n";
    let index = format!(
        "{front}# Memory\n{}\n## Corrections & more\n<!-- kept\n- here -->\n{item}{code}",
        "- a\n".repeat(195)
    );
    let desk = desk(&index.replace('\n', "\r\n"));
    desk.change(&REPAIR);
    let (index, moved) = (desk.text("MEMORY.md"), desk.text("corrections-more.md"));
    assert!(!is_over(&desk), "{index}");
    assert!(
        moved.ends_with(&format!("\n\n## Corrections & more\n{item}{code}").replace('\n', "\r\n")),
        "{moved}"
    );
    let end = "## Corrections & more\n<!-- kept\n- here -->\n- [corrections-more](corrections-more.md) — Corrections & more, from MEMORY.md: d\n";
    assert!(index.starts_with(&front.replace('\n', "\r\n")), "{index}");
    assert!(index.ends_with(&end.replace('\n', "\r\n")), "{index}");
}

#[test]
fn too_many_bytes_are_moved_as_well_and_headings_alone_are_not() {
    let index = format!("- [d](deploy.md) — x\n{}", format!("- {}\n", "é".repeat(600)).repeat(25));
    let long = desk(&index);
    long.change(&REPAIR);
    assert!(!is_over(&long) && long.text("MEMORY.md").len() <= 25_000);
    assert!(long.text("MEMORY.md").len() > 23_000, "no more than needed is moved");
    let headings = desk(&"## a\n".repeat(300));
    let out = headings.run(&[&REPAIR[..], &["--yes"]].concat());
    assert!(out.stdout.contains("no repair is known") && is_over(&headings), "{}{}", out.stdout, out.stderr);
}

#[test]
fn the_line_that_leads_to_the_topic_hides_nothing() {
    let heading = format!("## Log <!-- {} -->\n", "long ".repeat(40));
    let desk = desk(&format!("- [d](deploy.md)\n{heading}{}<!-- kept -->\n# Last\n", "- a\n".repeat(200)));
    desk.change(&REPAIR);
    let index = desk.text("MEMORY.md");
    assert!(index.contains("— Log < !-- long ") && index.ends_with("\n<!-- kept -->\n# Last\n"), "{index}");
    let loaded = &desk.run(&["budget", "--json"]).json_lines()[0]["lines"];
    assert_eq!(*loaded, 200, "all but the comment is loaded");
}

#[test]
fn what_was_apart_in_the_index_is_apart_in_the_topic_and_lines_that_move_are_counted() {
    for (end, moved) in [
        ("One.\n<!-- kept -->\nTwo.\n", "\nOne.\n\nTwo.\n"),
        ("## A\nOne.\n## B\nTwo.\n", "\n## A\nOne.\n\n## B\nTwo.\n"),
        ("- one\n<!-- kept -->\n- two\n", "\n- one\n- two\n"),
    ] {
        let log = 197 - end.matches("##").count();
        let desk = desk(&format!("- [d](deploy.md)\n{}\n{end}", "- a\n".repeat(log)));
        let asked = desk.run(&[&REPAIR[..], &["--dry-run"]].concat());
        assert!(asked.stdout.contains("move 2 lines into the topic more.md"), "{}", asked.stdout);
        desk.change(&REPAIR);
        assert!(desk.text("more.md").ends_with(moved), "{}", desk.text("more.md"));
    }
}

#[test]
fn lines_that_move_stay_below_all_their_headings_but_the_title() {
    for (top, end, topic, moved) in [
        ("# M\n", "## Build\n- b\n# Other\n- c\n- d\n", "more", "\n\n## Build\n- b\n\n# Other\n- c\n- d\n"),
        ("# M\n", "# Other\n## Build\n- b\n- c\n", "build", "\n\n# Other\n## Build\n- b\n- c\n"),
        ("# M\n# Notes\n", "- b\n", "notes", "\n\n# Notes\n- a\n- b\n"),
        (
            "",
            "## Prod\n### Ports\n- b\n### Hosts\n- c\n## Staging\n\n### Ports\n- d\n",
            "more",
            "\n\n## Prod\n### Ports\n- b\n\n### Hosts\n- c\n\n## Staging\n\n### Ports\n- d\n",
        ),
        ("", "### Deep\n## Less\n- b\n- c\n", "less", "\n\n## Less\n- b\n- c\n"),
    ] {
        // Just these lines have to move.
        let lines = 198 + moved.matches("- ").count() - top.lines().chain(end.lines()).count();
        let desk = desk(&format!("{top}- [d](deploy.md)\n{}{end}", "- a\n".repeat(lines)));
        desk.change(&REPAIR);
        let text = desk.text(&format!("{topic}.md"));
        assert!(text.ends_with(moved), "{text}");
    }
}

#[test]
fn the_first_line_behind_a_byte_order_mark_moves_too() {
    let desk = desk(&format!("\u{feff}- {}\n- [d](deploy.md)\n", "a".repeat(25_000)));
    desk.change(&REPAIR);
    assert!(!is_over(&desk) && desk.text("more.md").contains(&"a".repeat(25_000)));
}
