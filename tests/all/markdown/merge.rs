//! Several memories become one, and what led to them leads there.

use super::claude;
use crate::support::{Desk, Files};

#[test]
fn texts_follow_each_other_and_one_line_of_the_index_leads_to_them() {
    let desk = Desk::of(
        &claude().with("other.md", "See [[tabs]], [t](feedback_tabs.md) and [[deploy]].\n"),
        ".claude/memory",
    );
    desk.change(&["merge", "feedback_tabs", "alone", "--into", "deploy"]);
    let text = desk.text("deploy.md");
    assert!(text.starts_with("---\nname: deploy\ndescription: \"about deploy: short\"\n"), "{text}");
    let end = "By hand, see [[deploy]] and [[deploy]].\n\n## about alone: short\n\nNothing leads here.\n\n## about tabs: short\n\nSpaces. See [[deploy]] and [[Nobody]].\n";
    assert!(text.ends_with(end), "{text}");
    assert!(!desk.store.path.join("feedback_tabs.md").exists() && !desk.store.path.join("alone.md").exists());
    assert_eq!(
        desk.text("MEMORY.md"),
        "# Memory\n\n- [Deploy](deploy.md) — by hand\n\n## Rules\n\nAsk first.\n"
    );
    assert_eq!(desk.text("other.md"), "See [[deploy]], [t](deploy.md) and [[deploy]].\n");
    desk.change(&["undo"]);
    for (path, bytes) in &claude().0 {
        assert_eq!(&desk.store.read(path.to_str().unwrap()), bytes, "{path:?}");
    }
}

#[test]
fn a_line_of_the_index_is_kept_if_none_led_to_the_memory_that_stays() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.change(&["merge", "deploy", "feedback_tabs", "--into", "alone"]);
    let index = desk.text("MEMORY.md");
    assert_eq!(index.matches("(alone.md)").count(), 1, "{index}");
    assert!(!index.contains("deploy.md") && !index.contains("tabs.md"), "{index}");
}

#[test]
fn memories_of_serena_are_merged_across_topics() {
    let files = Files::default()
        .with("../project.yml", "project_name: shop\n")
        .with("core/auth.md", "# Sign-in\nSee [plan](../plan.md).\n")
        .with("plan.md", "# Plan\r\n`mem:core/auth`\r\n");
    let desk = Desk::of(&files, ".serena/memories");
    desk.change(&["merge", "core/auth", "--into", "plan"]);
    assert_eq!(desk.text("plan.md"), "# Plan\r\n`mem:plan`\r\n\r\n# Sign-in\r\nSee [plan](plan.md).\r\n");
}

#[test]
fn what_is_no_file_of_its_own_or_has_no_target_is_not_merged() {
    let desk = Desk::of(&claude(), ".claude/memory");
    for words in [
        ["merge", "MEMORY#rules", "--into", "deploy"],
        ["merge", "deploy", "--into", "MEMORY#rules"],
        ["merge", "deploy", "--into", "nobody"],
        ["merge", "deploy", "--into", "deploy"],
    ] {
        let out = desk.run(&[&words[..], &["--yes"]].concat());
        assert_eq!(out.status, Some(3), "{words:?}: {}{}", out.stdout, out.stderr);
    }
    let log = crate::support::StoreBuilder::memory_server().build();
    let refused =
        crate::support::run(["merge", "x", "--into", "y", "--yes", "--store", log.path.to_str().unwrap()]);
    assert_ne!(refused.status, Some(0));
}

#[test]
fn memories_of_hermes_are_merged_within_a_file_and_across_files() {
    let text = "\u{feff}one\n§\ntwo\nlines\n§\nthree\n§\nfour";
    let files = Files::default().with("MEMORY.md", text).with("USER.md", "five\n§\nsix");
    for (words, memory, user) in [
        (&["MEMORY.1"][..], "one\ntwo\nlines\n§\nthree\n§\nfour", "five\n§\nsix"),
        (&["MEMORY.3", "MEMORY.2"], "one\nthree\nfour\n§\ntwo\nlines", "five\n§\nsix"),
        (&["USER.0"], "one\nfive\n§\ntwo\nlines\n§\nthree\n§\nfour", "six"),
    ] {
        let desk = Desk::of(&files, "memories");
        desk.change(&[&["merge"], words, &["--into", "MEMORY.0"]].concat());
        assert_eq!(
            (desk.text("MEMORY.md"), desk.text("USER.md")),
            (format!("\u{feff}{memory}"), user.into())
        );
        assert!(desk.run(&["list", "is:deleted", "--json"]).json_lines().is_empty());
        desk.change(&["undo"]);
        assert_eq!((desk.text("MEMORY.md").as_str(), desk.text("USER.md").as_str()), (text, "five\n§\nsix"));
    }
    let desk = Desk::of(&files, "memories");
    desk.change(&["merge", "MEMORY.0", "--into", "MEMORY.2"]);
    assert_eq!(desk.text("MEMORY.md"), "\u{feff}two\nlines\n§\nthree\none\n§\nfour");
}

#[test]
fn the_memory_that_stays_may_be_named_by_its_key() {
    let desk = Desk::of(&claude(), ".claude/memory");
    let key = |id: &str| {
        let rows = desk.run(&["list", "--json"]).json_lines();
        rows.iter().find(|row| row["id"] == id).unwrap()["key"].as_str().unwrap().to_owned()
    };
    desk.change(&["merge", "alone", "--into", &key("deploy")]);
    assert!(desk.text("deploy.md").ends_with("Nothing leads here.\n"));
    let gone = desk.run(&["merge", "deploy", "--into", "00000000@0000000000000000", "--yes"]);
    assert_eq!(gone.status, Some(3), "{}", gone.stderr);
    assert!(gone.stderr.contains("id or key"), "{}", gone.stderr);
}

#[test]
fn what_a_part_alone_says_stays_below_its_headings() {
    let table = [
        ("- a\n- b\n", "- b\n- c\n", "- a\n- b\n\n## part\n\n- c\n"),
        ("x\n", "# Deploy\n\n## Steps\n- y\n", "x\n\n# Deploy\n\n## Steps\n- y\n"),
        ("x\n", "# Always deploy on Friday\n", "x\n\n# Always deploy on Friday\n"),
        ("## Prod\n- port 80\n", "## Staging\n- port 80\n", "## Prod\n- port 80\n\n## Staging\n- port 80\n"),
        (
            "# A\n## Ports\n- 80\n# B\n",
            "# B\n## Ports\n- 80\n",
            "# A\n## Ports\n- 80\n# B\n\n# B\n## Ports\n- 80\n",
        ),
        (
            "Prod:\n- port 80\n",
            "Staging:\n- port 80\n",
            "Prod:\n- port 80\n\n## part\n\nStaging:\n- port 80\n",
        ),
        ("Prod\n---\n- 80\n", "Test\n---\n- 80\n", "Prod\n---\n- 80\n\n## part\n\nTest\n---\n- 80\n"),
        ("- b\n", "One\n- b\n\nTwo\n", "- b\n\n## part\n\nOne\n\nTwo\n"),
        ("x\n", "- y\n- y\n", "x\n\n## part\n\n- y\n- y\n"),
        ("# A\n- x\n", "# A\n- x\n", "# A\n- x\n"),
        ("1. stop\n", "1. stop\n2. restore\n", "1. stop\n\n## part\n\n1. stop\n2. restore\n"),
    ];
    for (target, part, expected) in table {
        let files = Files::default().with("target.md", target).with("part.md", part);
        let files = files.with("MEMORY.md", "- [T](target.md)\n- [P](part.md)\n");
        let desk = Desk::of(&files, ".claude/memory");
        desk.change(&["merge", "part", "--into", "target"]);
        assert_eq!(desk.text("target.md"), expected, "{part:?} into {target:?}");
    }
}

#[test]
fn the_preview_shows_the_text_that_is_written() {
    for (text, words, expected) in [
        ("A\n§\nB", &["merge", "MEMORY.1", "--into", "MEMORY.0", "--text", "others"][..], "B"),
        ("A\n§\nB\n§\nB", &["merge", "MEMORY.1", "--into", "MEMORY.0", "--text", "others"], "B"),
        ("A\n§\nB\n§\nA", &["merge", "MEMORY.1", "--into", "MEMORY.0", "--text", "into"], "A"),
        ("A\n§\n# B", &["merge", "MEMORY.1", "--into", "MEMORY.0"], "A\n  # B"),
    ] {
        let desk = Desk::of(&Files::default().with("MEMORY.md", text), "memories");
        let out = desk.run(&[words, &["--dry-run"]].concat());
        assert!(out.stdout.contains(&format!("It will be:\n  {expected}\n")), "{text:?}: {}", out.stdout);
    }
}

#[test]
fn what_a_note_says_of_itself_is_not_lost_in_a_merge() {
    let note =
        |name: &str, about: &str, text: &str| format!("---\nname: {name}\ndescription: {about}\n---\n{text}");
    let long = "Nobody opens the pool of the shop to more than twenty.\n";
    for (target, part, expected) in [
        (
            "- port 80\n",
            "- port 80\n- port 9\n",
            "- port 80\n\n## Staging\n\n- port 80\n- port 9\n".to_owned(),
        ),
        (long, long, format!("{long}\n## Staging\n")),
        ("x\n", "", "x\n\n## Staging\n".to_owned()),
    ] {
        let files = Files::default().with("MEMORY.md", "- [T](target.md)\n- [P](part.md)\n");
        let files = files.with("target.md", note("target", "Prod", target));
        let desk = Desk::of(&files.with("part.md", note("part", "Staging", part)), ".claude/memory");
        desk.change(&["merge", "part", "--into", "target"]);
        assert!(desk.text("target.md").ends_with(&format!("---\n{expected}")), "{}", desk.text("target.md"));
    }
    let torn =
        Files::default().with("a.md", "x\n").with("b.md", "---\nNever: on Friday\nRule two\n---\nrest\n");
    let desk = Desk::of(&torn.with("MEMORY.md", "- [A](a.md)\n- [B](b.md)\n"), ".claude/memory");
    let refused = desk.run(&["merge", "b", "--into", "a", "--yes"]);
    assert_eq!(refused.status, Some(3), "{}", refused.stdout);
    assert!(refused.stderr.contains("b.md: its front matter"), "{}", refused.stderr);
}

#[test]
fn a_long_line_above_a_long_list_takes_no_more_memory_than_the_texts() {
    let lead_in = format!("{}:\n", "word ".repeat(200_000));
    let list: String = (0..20_000).map(|item| format!("- item {item}\n")).collect();
    let files = Files::default().with("a.md", "x\n").with("b.md", lead_in + &list);
    let desk = Desk::of(&files.with("MEMORY.md", "- [A](a.md)\n- [B](b.md)\n"), ".claude/memory");
    desk.change(&["merge", "b", "--into", "a"]);
    assert!(desk.text("a.md").ends_with("- item 19999\n"));
}
