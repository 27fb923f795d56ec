//! What programs load by their own limits, which their settings change, and when they refuse to write.

use serde_json::Value;

use crate::support::files::NOW;
use crate::support::{Desk, Files, TempStore, problems, rows, run};

const HERMES: &str = ".hermes/memories";

/// Returns a number of memories of Hermes, each of 99 characters, and the file with them.
fn facts(count: usize) -> String {
    let fact = |number: usize| format!("Fact {number:03}: {}", "z".repeat(89));
    (0..count).map(fact).collect::<Vec<_>>().join("\n§\n")
}

fn row(store: &TempStore, file: &str) -> Value {
    let path = store.path.to_str().unwrap();
    let all = run(["budget", "--json", "--now", NOW, "--store", path]).json_lines();
    all.iter().find(|row| row["file"] == file).unwrap_or_else(|| panic!("{file}: {all:?}")).clone()
}

fn found(store: &TempStore, file: &str) -> Vec<(String, String)> {
    let all = problems(store).into_iter().filter(|row| row.2 == file && row.0 != "loose-permissions");
    all.map(|(code, severity, ..)| (code, severity)).collect()
}

fn unseen(store: &TempStore) -> Vec<String> {
    let all = rows(store, "list", "is:unseen");
    let mut titles: Vec<String> = all.iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

fn one(code: &str, severity: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), severity.to_owned())]
}

fn printed(store: &TempStore) -> String {
    run(["budget", "--store", store.path.to_str().unwrap()]).expect_status(0).stdout
}

#[test]
fn hermes_shows_twice_its_limit_and_of_more_the_start_and_the_end() {
    // 99 characters and three between each: 22 have 2,241.
    let build = |text: String| Files::default().with("MEMORY.md", text).build(HERMES);
    let to = |count: usize, length: usize| {
        let text = facts(count);
        format!("{text}\n§\n{}", "é".repeat(length - text.chars().count() - 3))
    };
    for (text, expected, loaded) in [
        (to(18, 1_980), Vec::new(), "whole"),
        (to(18, 1_981), one("limit-near", "warning"), "whole"),
        (to(20, 2_200), one("limit-near", "warning"), "whole"),
        (to(20, 2_201), one("limit-exceeded", "warning"), "whole"),
        (to(42, 4_400), one("limit-exceeded", "warning"), "whole"),
        (to(42, 4_401), one("limit-exceeded", "error"), "part"),
    ] {
        let store = build(text);
        assert_eq!(found(&store, "MEMORY.md"), expected);
        assert_eq!(row(&store, "MEMORY.md")["loaded"], loaded);
    }
    let store = build(facts(60));
    let row = row(&store, "MEMORY.md");
    // 3,080 characters at the start are 30 and a part, 880 at the end are eight and a part.
    assert_eq!((&row["cut_line"], &row["cut_end_line"]), (&61.into(), &103.into()), "{row}");
    let expected: Vec<String> = (31..51).map(|number| format!("Fact {number:03}")).collect();
    let titles = unseen(&store);
    assert_eq!(titles.iter().map(|title| &title[..8]).collect::<Vec<_>>(), expected);
    let text = printed(&store);
    assert!(text.contains("between its start and its end, lines 61 to 103"), "{text}");
    assert!(text.contains("Hermes Agent"), "{text}");
}

#[test]
fn a_secret_that_is_cut_in_two_is_masked() {
    let token = ["ghp", "_", &"a1B2c3D4e5F6".repeat(3)].concat();
    let text = format!("{} {token}\n{}", "a".repeat(3_060), "b".repeat(3_000));
    let store = Files::default().with("MEMORY.md", text).with("USER.md", "x\n§\ny").build(HERMES);
    let text = printed(&store);
    assert!(text.contains("line 1, 3080 B"), "{text}");
    assert!(!text.contains(&token[..8]) && !text.contains(&token[30..]), "{text}");
}

#[test]
fn a_memory_that_hermes_has_twice_counts_once_and_is_seen() {
    let twice = format!("{}\n§\n{}", facts(40), facts(60));
    let store = Files::default().with("MEMORY.md", twice).build(HERMES);
    assert_eq!(row(&store, "MEMORY.md")["excess"]["characters"], 6_117 - 2_200);
    let titles = unseen(&store);
    assert_eq!((titles.len(), &titles[0][..8], &titles[19][..8]), (20, "Fact 031", "Fact 050"));
}

#[test]
fn settings_of_hermes_change_its_limits_or_turn_a_file_off() {
    let files = |settings: &str| {
        let files = Files::default().with("MEMORY.md", facts(25)).with("USER.md", facts(15));
        files.with("NOTES.md", "by hand").with("../config.yaml", settings).build(HERMES)
    };
    let store = files("memory:\n  memory_char_limit: 3000 # more\n  user_char_limit: 2000\n");
    for file in ["MEMORY.md", "USER.md"] {
        let row = row(&store, file);
        assert_eq!((&row["loaded"], &row["excess"]), (&"whole".into(), &Value::Null));
        assert_eq!((&row["limit_source"], found(&store, file)), (&"../config.yaml".into(), Vec::new()));
    }
    assert_eq!(row(&store, "NOTES.md")["loaded"], "nothing");
    let off = files("memory: {memory_enabled: false}");
    assert_eq!(row(&off, "MEMORY.md")["loaded"], "nothing");
    assert_eq!(found(&off, "MEMORY.md"), []);
    assert_eq!(found(&off, "USER.md"), one("limit-exceeded", "warning"));
    // A limit may be smaller, too, and what is shown is 4,000 characters at least.
    let small = files("memory:\n  memory_char_limit: 120\n");
    assert_eq!(row(&small, "MEMORY.md")["loaded"], "whole");
}

#[test]
fn a_memory_over_the_limit_of_hermes_is_split_without_losing_a_line() {
    let note = |number: usize| format!("- note of part {number}\n").repeat(20);
    let long: String = (0..9).map(|number| format!("## Part {number}\n{}\n", note(number))).collect();
    let text = format!("before\n§\n{}\n§\nafter", long.trim());
    let desk = Desk::of(&Files::default().with("MEMORY.md", &text), HERMES);
    let refused = |desk: &Desk| {
        let all = desk.run(&["check", "--json"]).json_lines();
        all.into_iter().filter(|row| row["code"] == "round-trip").collect::<Vec<_>>()
    };
    let found = refused(&desk);
    assert_eq!((found.len(), &found[0]["line"]), (1, &3.into()));
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("refuses to replace or remove"), "{message}");
    desk.repair(&found[0], &[]);
    let after = desk.text("MEMORY.md");
    let parts: Vec<&str> = after.split("\n§\n").collect();
    assert!(parts.len() > 3 && parts.iter().all(|part| part.len() <= 2_200), "{after}");
    assert!(parts.iter().all(|part| part.trim() == *part), "{after}");
    assert_eq!((parts[0], parts[parts.len() - 1]), ("before", "after"));
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.is_empty() && *line != "§").map(str::to_owned).collect()
    };
    assert_eq!(lines(&after), lines(&text));
    assert!(refused(&desk).is_empty());
    desk.change(&["undo"]);
    assert_eq!(desk.text("MEMORY.md"), text);
    // One line that is too long is named, and stays.
    let one = Desk::of(&Files::default().with("USER.md", "x".repeat(1_400)), HERMES);
    assert_eq!(refused(&one)[0]["fix"], "none");
}

/// Returns a workspace of OpenClaw whose file of memories has this many sections of 100 characters.
fn workspace(count: usize) -> Files {
    let section = |number: usize| format!("## Topic {number:03}\n\n{}\n\n", "y".repeat(84));
    Files::default()
        .with("SOUL.md", "# Be kind\n")
        .with("AGENTS.md", "a".repeat(1_000))
        .with("MEMORY.md", (0..count).map(section).collect::<String>())
}

#[test]
fn openclaw_leaves_out_the_middle_by_its_settings() {
    let root = ".openclaw/workspace";
    let build = |settings: &str| workspace(130).with("../openclaw.json", settings).build(root);
    let store = build("{ // most\n  agents: { defaults: { bootstrapMaxChars: 12000, }, },\n}");
    assert_eq!(found(&store, "MEMORY.md"), one("limit-exceeded", "error"));
    let part = row(&store, "MEMORY.md");
    assert_eq!((&part["loaded"], &part["cut_line"]), (&"part".into(), &361.into()));
    // 9,000 at the start and 3,000 at the end are at most loaded.
    let expected: Vec<String> = (90..99).map(|number| format!("Topic {number:03}")).collect();
    assert_eq!(unseen(&store), expected);
    // Without settings 20,000 are loaded.
    let more = build("{agents: {defaults: {bootstrapMaxChars: 14000}}}");
    for whole in [workspace(130).build(root), build("{}"), more] {
        assert_eq!(row(&whole, "MEMORY.md")["loaded"], "whole");
        assert!(found(&whole, "MEMORY.md").iter().all(|problem| problem.0 == "limit-near"));
    }
    // An agent's limit counts before that of all, and what is loaded before is taken off the sum.
    let agents = "list: [{id: 'main', bootstrapMaxChars: 8000}], defaults: {bootstrapMaxChars: 50000}";
    assert_eq!(unseen(&build(&format!("{{agents: {{{agents}}}}}"))).len(), 49);
    let sum = build("{agents: {defaults: {bootstrapTotalMaxChars: 9010}}}");
    assert_eq!(row(&sum, "MEMORY.md")["excess"]["characters"], 12_998 - 8_001);
    let none = build("{agents: {defaults: {bootstrapTotalMaxChars: 1009}}}");
    assert_eq!((&row(&none, "MEMORY.md")["cut_line"], unseen(&none).len()), (&1.into(), 130));
}

#[test]
fn settings_that_cannot_be_read_are_a_note_and_the_usual_limits_count() {
    let store = workspace(30).with("../openclaw.json", "{agents: {").build(".openclaw/workspace");
    assert_eq!(found(&store, "../openclaw.json"), one("unreadable-file", "note"));
    assert_eq!(row(&store, "MEMORY.md")["loaded"], "whole");
    let bytes = Files::default().with("USER.md", "one").with("../config.yaml", b"memory:\xff\n");
    let store = bytes.build(HERMES);
    assert_eq!(found(&store, "../config.yaml"), one("unreadable-file", "note"));
    Desk::of(&bytes, HERMES).change(&["add", "--type", "entry", "--text", "two"]);
}

#[test]
fn qwen_code_counts_the_front_matter_of_its_index() {
    let index = format!("---\na: b\n---\n- [d](deploy.md) — x\n{}", "- x\n".repeat(197));
    for (root, cut) in [(".claude/projects/x/memory", Value::Null), (".qwen/projects/x/memory", 201.into())] {
        let store = super::claude().with("MEMORY.md", &index).build(root);
        assert_eq!(row(&store, "MEMORY.md")["cut_line"], cut, "{root}");
    }
}

#[test]
fn what_is_not_known_to_be_loaded_is_said_to_be_unknown() {
    let bank = Files::default()
        .with("projectbrief.md", "# Brief\n")
        .with("progress.md", "# Done\n")
        .build("memory-bank");
    assert_eq!(row(&bank, "progress.md")["loaded"], "unknown");
    let text = printed(&bank);
    assert!(text.contains("2 files of which it is unknown what is loaded: progress.md"), "{text}");
    let notes =
        workspace(1).with("memory/2026-02-01.md", "## A\n\nx\n").with("memory/2026-01-20.md", "## B\n\ny\n");
    let store = notes.build(".openclaw/workspace");
    assert_eq!(row(&store, "memory/2026-02-01.md")["loaded"], "unknown");
    assert_eq!(row(&store, "memory/2026-01-20.md")["loaded"], "nothing");
}
