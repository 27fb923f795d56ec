//! What agents, merges and sync programs do to memories, and what undoes it.

use serde_json::Value;

use super::{claude, codes};
use crate::support::{Desk, Files, rows};

fn problem(desk: &Desk, code: &str, file: &str) -> Value {
    let rows = desk.run(&["check", "--json"]).json_lines();
    let found = rows.iter().find(|row| row["code"] == code && row["file"] == file);
    found.unwrap_or_else(|| panic!("no {code} in {file}: {rows:?}")).clone()
}

fn titles(problem: &Value) -> Vec<&str> {
    problem["fixes"].as_array().unwrap().iter().map(|fix| fix["title"].as_str().unwrap()).collect()
}

/// Returns the file after a fix of its problem. An undo brings every byte back.
fn fixed(files: &Files, root: &str, (code, file): (&str, &str), number: &str) -> String {
    let desk = Desk::of(files, root);
    let before = desk.text(file);
    desk.repair(&problem(&desk, code, file), &["--fix", number]);
    let after = if desk.store.file(file).exists() { desk.text(file) } else { String::new() };
    desk.change(&["undo"]);
    assert_eq!(desk.text(file), before);
    after
}

fn lines(files: &Files, root: &str, code: &str) -> Vec<(String, u64)> {
    let found = codes(files, root).into_iter().filter(|found| found.0 == code);
    found.map(|(_, file, line)| (file, line.unwrap())).collect()
}

const CLAUDE: &str = ".claude/memory";
const MERGED: &str = "conflict-markers";

#[test]
fn a_merge_in_an_index_is_found_is_no_memory_and_keeps_each_line_once() {
    let tabs = "- [Tabs](feedback_tabs.md) — never tabs\n";
    let index = format!(
        "# Memory\n<<<<<<< HEAD\n{tabs}||||||| base\n=======\n{tabs}- [D](deploy.md) — d\n>>>>>>> x/main\n\n- [A](alone.md) — a\n"
    );
    let files = claude().with("MEMORY.md", &index);
    assert_eq!(lines(&files, CLAUDE, MERGED), [("MEMORY.md".to_owned(), 2)]);
    let listed = rows(&files.build(CLAUDE), "list", "");
    assert!(listed.iter().all(|row| !row["id"].as_str().unwrap().starts_with("MEMORY")), "{listed:?}");
    let rest = "- [D](deploy.md) — d\n\n- [A](alone.md) — a\n";
    assert_eq!(fixed(&files, CLAUDE, (MERGED, "MEMORY.md"), "1"), format!("# Memory\n{tabs}{rest}"));
    let ours = format!("# Memory\n{tabs}\n- [A](alone.md) — a\n");
    assert_eq!(fixed(&files, CLAUDE, (MERGED, "MEMORY.md"), "2"), ours);
}

#[test]
fn a_merge_of_entries_keeps_both_sides_as_memories() {
    let both = "one\n§\ntwo\n§\nthree\n§\nfour";
    for text in [
        "one\n§\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> b\n§\nfour",
        "one\n<<<<<<< HEAD\n§\ntwo\n=======\n§\nthree\n>>>>>>> b\n§\nfour",
    ] {
        let files = Files::default().with("USER.md", text);
        assert_eq!(lines(&files, "memories", MERGED).len(), 1, "{text}");
        let titles: Vec<Value> = rows(&files.build("memories"), "list", "");
        assert!(titles.iter().all(|row| !row["title"].as_str().unwrap().contains("<<<")), "{titles:?}");
        assert_eq!(fixed(&files, "memories", (MERGED, "USER.md"), "1"), both);
    }
}

#[test]
fn a_merge_is_found_in_front_matter_and_where_palimp_only_reads() {
    let topic =
        "---\nname: deploy\n<<<<<<< a\ndescription: x\n=======\ndescription: y\n>>>>>>> b\n---\n\nx\n";
    let files = claude().with("deploy.md", topic);
    assert_eq!(lines(&files, CLAUDE, MERGED), [("deploy.md".to_owned(), 3)]);
    let problem = problem(&Desk::of(&files, CLAUDE), MERGED, "deploy.md");
    assert_eq!(titles(&problem), ["keep the first side", "keep the second side"]);
    let merged = "<<<<<<< a\n- Tea.\n=======\n- Rum.\n>>>>>>> b\n";
    let gemini = Files::default().with("GEMINI.md", format!("## Gemini Added Memories\n{merged}"));
    assert_eq!(lines(&gemini, ".gemini", MERGED), [("GEMINI.md".to_owned(), 2)]);
    let listed = rows(&gemini.build(".gemini"), "list", "");
    assert_eq!(listed.len(), 2, "{listed:?}");
}

#[test]
fn a_marker_without_the_other_side_goes_alone_and_quoted_ones_and_headings_stay() {
    let quoted = "```\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n```\n\nHeading\n=======\n\n";
    let topic = |end: &str| format!("---\nname: deploy\ndescription: d\n---\n\n{quoted}{end}");
    let files = claude().with("deploy.md", topic("By hand.\n"));
    assert_eq!(lines(&files, CLAUDE, MERGED), []);
    let files = claude().with("deploy.md", topic("By hand.\n>>>>>>> origin/main\nAt night.\n"));
    assert_eq!(lines(&files, CLAUDE, MERGED), [("deploy.md".to_owned(), 18)]);
    assert_eq!(fixed(&files, CLAUDE, (MERGED, "deploy.md"), "1"), topic("By hand.\nAt night.\n"));
    let files = claude().with("deploy.md", topic("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"));
    assert_eq!(fixed(&files, CLAUDE, (MERGED, "deploy.md"), "1"), topic("x\n"));
}

#[test]
fn a_second_version_is_named_alone_and_goes_or_takes_the_place_of_the_first() {
    let (tabs, other) = ("---\nname: tabs\ndescription: d\n---\n\nOne.\n", "feedback_tabs 2.md");
    let files = claude().with("feedback_tabs.md", tabs).with(other, tabs.replace("One", "Two"));
    let files = files.with("deploy 2.md", "---\nname: deploy again\ndescription: d\n---\n\nX.\n");
    let set_aside = "alone (conflicted copy 2026-01-02).md";
    let files = files.with(set_aside, "---\nname: alone\ndescription: d\n---\n\nX.\n");
    let found = codes(&files, CLAUDE);
    for file in [other, set_aside] {
        let named: Vec<_> = found.iter().filter(|problem| problem.1 == file).collect();
        assert_eq!(named, [&("sync-conflict".to_owned(), file.to_owned(), Some(1))]);
    }
    assert!(found.iter().all(|(code, file, _)| file != "deploy 2.md" || code == "orphan-note"), "{found:?}");
    let desk = Desk::of(&files, CLAUDE);
    let problem = problem(&desk, "sync-conflict", other);
    let keep = "keep this version in place of feedback_tabs.md";
    assert_eq!(titles(&problem), ["move this version to quarantine", keep]);
    assert_eq!(fixed(&files, CLAUDE, ("sync-conflict", other), "1"), "");
    desk.repair(&problem, &["--fix", "2"]);
    assert_eq!(desk.text("feedback_tabs.md"), tabs.replace("One", "Two"));
    assert!(
        !desk.store.file(other).exists() && desk.run(&["quarantine", "show", "1"]).stdout.contains("One.")
    );
}

const DOUBLE: &str = "double-front-matter";
const EMPTY: &str = "empty-front-matter";
const LEFT_OUT: &str = "placeholder-text";

#[test]
fn a_second_front_matter_is_found_gives_the_title_and_becomes_one_with_the_first() {
    let both = "---\nname: x\ntags: [a]\nkind: odd\n---\n\n---\nname: deploy\ntags:\ndescription: by hand\nmetadata:\n  type: project\n---\n\nText.\n";
    let files = claude().with("deploy.md", both);
    assert_eq!(lines(&files, CLAUDE, DOUBLE), [("deploy.md".to_owned(), 7)]);
    assert_eq!(rows(&files.build(CLAUDE), "list", "id:deploy")[0]["title"], "by hand");
    let one = "---\ntags: [a]\nkind: odd\nname: deploy\ndescription: by hand\nmetadata:\n  type: project\n---\n\nText.\n";
    assert_eq!(fixed(&files, CLAUDE, (DOUBLE, "deploy.md"), "1"), one);
    let notes = "---\npermalink: main/a\n---\n---\ntags: [x]\n---\n***\n# Tea\n";
    let notes =
        Files::default().with("a.md", notes).with("b.md", "---\ntitle: B\npermalink: main/b\n---\nB\n");
    assert_eq!(lines(&notes, "basic-memory", DOUBLE), [("a.md".to_owned(), 4)]);
    assert_eq!(rows(&notes.build("basic-memory"), "list", "id:main/a")[0]["title"], "Tea");
    for text in [
        "---\nNote: x\n---\n",
        "---\n\nOne.\n\n---\n",
        "---\nname: x\nand a sentence\n---\n",
        "---\nname: x\n",
    ] {
        let files = claude().with("deploy.md", format!("---\nname: deploy\ndescription: d\n---\n\n{text}"));
        assert_eq!(lines(&files, CLAUDE, DOUBLE), [], "{text}");
    }
}

#[test]
fn an_empty_front_matter_is_found_and_filled_in_from_the_name_and_the_text() {
    let empty = "---\nname: \"\"\nmetadata:\n  node_type: memory\n---\n\n# Spaces\n";
    let files = claude().with("feedback_tabs.md", empty);
    assert_eq!(lines(&files, CLAUDE, EMPTY), [("feedback_tabs.md".to_owned(), 2)]);
    let filled = "---\nname: \"feedback_tabs\"\nmetadata:\n  node_type: memory\ndescription: Spaces\ntype: feedback\n---\n\n# Spaces\n";
    assert_eq!(fixed(&files, CLAUDE, (EMPTY, "feedback_tabs.md"), "1"), filled);
    for (front, count) in [
        ("", 1),
        ("name: \"\"\ndescription:\nmetadata:\n  type: project\n", 1),
        ("name:\ndescription: x\n", 0),
        ("title: x\n", 0),
        ("metadata:\n  type: project\n", 0),
    ] {
        let files = claude().with("alone.md", format!("---\n{front}---\n\nText.\n"));
        assert_eq!(lines(&files, CLAUDE, EMPTY).len(), count, "{front}");
    }
}

#[test]
fn what_a_backup_has_comes_before_what_is_filled_in() {
    let desk = Desk::of(&claude(), CLAUDE);
    desk.change(&["backup", "create"]);
    let whole = desk.text("deploy.md");
    desk.store.write("deploy.md", b"---\nname:\n---\n\nBy hand.\n\n[... rest of the memory ...]\n");
    for code in [EMPTY, LEFT_OUT] {
        desk.repair(&problem(&desk, code, "deploy.md"), &[]);
        assert_eq!(desk.text("deploy.md"), whole);
        desk.change(&["undo"]);
    }
}

#[test]
fn a_line_in_place_of_text_is_found_in_every_family_and_can_go() {
    let topic = "---\nname: deploy\ndescription: d\n---\n\nBy hand.\n[Remaining sections unchanged]\n";
    let files = claude().with("deploy.md", topic);
    assert_eq!(lines(&files, CLAUDE, LEFT_OUT), [("deploy.md".to_owned(), 7)]);
    let without = topic.replace("[Remaining sections unchanged]\n", "");
    assert_eq!(fixed(&files, CLAUDE, (LEFT_OUT, "deploy.md"), "1"), without);
    let entries = Files::default().with("USER.md", "one\n§\n(existing memories kept as is)");
    assert_eq!(lines(&entries, "memories", LEFT_OUT), [("USER.md".to_owned(), 3)]);
}

#[test]
fn values_that_yaml_cant_read_keep_their_text_in_quotes() {
    for (value, repaired) in [
        (r#""a "b" c""#, r#""a \"b\" c""#),
        (r#""a" and "b""#, r#""\"a\" and \"b\"""#),
        (r#""C:\Users\me""#, r#""C:\\Users\\me""#),
        ("> 90% of it", "\"> 90% of it\""),
        ("d\nrelated:\n- [[a]]b", "d\nrelated:\n- \"[[a]]b\""),
        ("by hand: \"always\"\nodd: 'x", "\"by hand: \\\"always\\\"\"\nodd: \"'x\""),
    ] {
        let topic = |value: &str| format!("---\nname: deploy\ndescription: {value}\n---\n\nx\n");
        let desk = Desk::of(&claude().with("deploy.md", topic(value)), CLAUDE);
        desk.change(&["repair", "--all-safe"]);
        assert_eq!(desk.text("deploy.md"), topic(repaired));
    }
}

#[test]
fn empty_lines_of_a_front_matter_are_read_in_time() {
    for line in ["\n", "# a\n", "   \n"] {
        let topic = format!("---\nname: a\n{}description: gone\n---\n\nText.\n", line.repeat(100_000));
        let store = claude().with("alone.md", topic).build(CLAUDE);
        assert_eq!(rows(&store, "list", "id:alone")[0]["title"], "gone");
    }
}

#[test]
fn an_erasure_does_not_take_an_index_that_is_not_utf_8_with_it() {
    let note = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n\nText of {name}\n");
    let files = Files::default()
        .with("MEMORY.md", b"- [\xff\xfe](q.md) x\n- [Q](q.md) y\n- [A](a.md) z\nRule of all\n");
    let desk = Desk::of(&files.with("q.md", note("q")).with("a.md", note("a")), CLAUDE);
    let before = desk.store.read("MEMORY.md");
    let words = [&["q"][..], &["--query", "is:broken"], &["--query", "Rule"], &["--value-from", "-"]];
    for words in words {
        let refused = desk.fed("Rule of all", &[&["erase", "--yes"], words].concat());
        assert_eq!(refused.status, Some(3), "{words:?}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains("MEMORY.md is not UTF-8"), "{words:?}: {}", refused.stderr);
        assert_eq!(desk.store.read("MEMORY.md"), before);
        assert!(desk.store.file("q.md").exists());
    }
    std::fs::rename(desk.store.file("MEMORY.md"), desk.store.file("MEMORY.md.bak")).unwrap();
    std::fs::write(desk.store.file("MEMORY.md"), "- [Q](q.md) y\n- [A](a.md) z\n").unwrap();
    desk.change(&["erase", "q"]);
    assert_eq!(desk.text("MEMORY.md"), "- [A](a.md) z\n");
}
