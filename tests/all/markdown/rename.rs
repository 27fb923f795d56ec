//! A memory gets another name, and what leads to it follows.

use super::claude;
use crate::support::{Desk, Files};

#[test]
fn the_index_the_links_and_the_name_follow_in_one_change() {
    let files = claude().changed("MEMORY.md", "- [Deploy](deploy.md)", "- [deploy](./deploy.md#how)");
    let desk = Desk::of(&files, ".claude/memory");
    let before = desk.text("feedback_tabs.md");
    desk.change(&["edit", "deploy", "--set", "id=release_by-hand"]);
    assert!(!desk.store.path.join("deploy.md").exists());
    let new = desk.text("release_by-hand.md");
    assert!(new.starts_with("---\nname: release_by-hand\ndescription: \"about deploy: short\"\n"), "{new}");
    assert!(desk.text("MEMORY.md").contains("- [release_by-hand](release_by-hand.md#how) — by hand\n"));
    assert_eq!(desk.text("feedback_tabs.md"), before.replace("[[deploy]]", "[[release_by-hand]]"));
    desk.change(&["undo"]);
    for (path, bytes) in &files.0 {
        assert_eq!(&desk.store.read(path.to_str().unwrap()), bytes, "{path:?}");
    }
}

#[test]
fn links_by_a_name_that_stays_and_links_in_code_stay() {
    let files = claude()
        .changed("deploy.md", "name: deploy", "name: How we deploy")
        .with("other.md", "See [[How we deploy]], `[[deploy]]`, [[DEPLOY|it]].\n```\n[x](deploy.md)\n```\n");
    let desk = Desk::of(&files, ".claude/memory");
    desk.change(&["edit", "deploy", "--set", "id=ship"]);
    let new = desk.text("other.md");
    assert_eq!(new, "See [[How we deploy]], `[[deploy]]`, [[ship|it]].\n```\n[x](deploy.md)\n```\n");
    assert!(desk.text("ship.md").contains("name: How we deploy\n"));
}

#[test]
fn a_memory_of_serena_moves_to_another_topic_with_its_references() {
    let files = Files::default()
        .with("../project.yml", "project_name: shop\n")
        .with("core/auth.md", "# Sign-in\r\nSee [plan](../plan.md), `mem:core/auth` and mem:core/auth2.\r\n")
        .with("core/auth2.md", "# Other\n")
        .with("plan.md", "# Plan\n`mem:core/auth`, [a](core/auth.md)\n");
    let desk = Desk::of(&files, ".serena/memories");
    desk.change(&["edit", "core/auth", "--set", "id=login"]);
    assert_eq!(
        desk.text("login.md"),
        "# Sign-in\r\nSee [plan](plan.md), `mem:login` and mem:core/auth2.\r\n"
    );
    assert_eq!(desk.text("plan.md"), "# Plan\n`mem:login`, [a](login.md)\n");
}

#[test]
fn a_name_that_is_taken_or_no_name_is_refused() {
    let desk = Desk::of(&claude(), ".claude/memory");
    for (id, name) in [
        ("deploy", "Alone"),
        ("deploy", "../x"),
        ("deploy", ".x"),
        ("deploy", "MEMORY"),
        ("MEMORY#rules", "x"),
    ] {
        let out = desk.run(&["edit", id, "--set", &format!("id={name}"), "--yes"]);
        assert_ne!(out.status, Some(0), "{id} as {name}: {}", out.stdout);
        assert!(desk.store.path.join("deploy.md").exists());
    }
}
