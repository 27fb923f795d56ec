//! Where stores are found: from here upward, from home, nested; and what only looks like one.

use crate::support;

use std::path::Path;

use serde_json::json;
use support::{Files, Output, TempStore, Verb};

const EVENT: &str = "{\"timestamp\":\"2026-01-01T00:00:00Z\",\"trace_id\":\"t\",\"status\":\"success\",\
    \"schema_version\":\"1.0\",\"event_type\":\"a.b\",\"source\":\"s\"}\n";
const MESSAGE: &str = "{\"id\":\"m\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"agent_id\":\"a\",\"role\":\"user\",\"content\":\"x\"}\n";
const ENTRY: &str = "{\"id\":\"e\",\"session_id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"finding\",\"content\":{\"finding\":\"x\"}}\n";

/// A home folder with a project in it that holds stores of every format, and look-alikes.
fn home() -> TempStore {
    let memory = json!({"id": "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", "type": "core", "content": "x"});
    Files::default()
        .with(".claude/agents/memories/core_memories.jsonl", format!("{memory}\n"))
        .with("project/.chora/memory/events/2026-01/events.jsonl", EVENT)
        .with("project/memory/sessions/s/memory.jsonl", ENTRY)
        .with("project/.agent-memory/state.json", "{\"notes\": [\"of another tool\"]}")
        .with("project/packages/web/.bmad/memory/sessions/s/conversation.jsonl", MESSAGE)
        .with(
            "project/packages/app/.agent-memory/history/events.jsonl",
            "{\"kind\":\"tool_run\",\"id\":\"evt-000001\"}\n",
        )
        .with("project/packages/api/.bmad/memory/sessions/a/notes.txt", "of another tool")
        .with("project/src/deep/file.rs", "")
        .build("home")
}

fn stores(home: &Path, folder: &Path) -> Output {
    Verb::new(["stores", "--json"]).home(home).in_folder(folder).run()
}

fn paths(output: &Output, home: &Path) -> Vec<(String, String)> {
    let relative = |row: &serde_json::Value| {
        let path = Path::new(row["path"].as_str().unwrap()).strip_prefix(home).unwrap().display().to_string();
        (row["format"].as_str().unwrap().to_owned(), path)
    };
    output.json_lines().iter().map(relative).collect()
}

#[test]
fn stores_are_found_from_here_upward_nested_and_in_home() {
    let home = home();
    let output = stores(&home.path, &home.file("project"));
    let mut found = paths(&output, &home.path);
    found.sort();
    let expected = [
        ("a-mem", "project/.chora/memory"),
        ("agent-memory", "project/packages/app/.agent-memory"),
        ("bmad", "project/packages/web/.bmad/memory"),
        ("memory-server", ".claude/agents/memories"),
        ("session-log", "project/memory"),
    ];
    assert_eq!(found, expected.map(|(format, path)| (format.to_owned(), path.to_owned())));
    let deep = paths(&stores(&home.path, &home.file("project/src/deep")), &home.path);
    assert!(deep.iter().any(|(_, path)| path == "project/.chora/memory"), "{deep:?}");
}

#[test]
fn the_folder_itself_is_a_store_or_part_of_one_wherever_it_is() {
    let memory = json!({"id": "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", "type": "core", "content": "x"});
    let home = Files::default()
        .with("one/core_memories.jsonl", format!("{memory}\n"))
        .with("two/sessions/s/conversation.jsonl", MESSAGE)
        .with("three/events/2026-01/events.jsonl", EVENT)
        .with("four/sessions/s/memory.jsonl", ENTRY)
        .build("home");
    for inside in
        ["one", "two", "two/sessions", "two/sessions/s", "three", "three/events/2026-01", "four/sessions/s"]
    {
        let found = paths(&stores(&home.path, &home.file(inside)), &home.path);
        let root = inside.split('/').next().unwrap();
        assert_eq!(found.iter().map(|(_, path)| &**path).collect::<Vec<_>>(), [root], "{inside}");
    }
}

#[test]
fn look_alikes_are_named_with_the_reason() {
    let home = home();
    let output = stores(&home.path, &home.file("project"));
    let said =
        |path: &str| output.stderr.lines().find(|line| line.contains(path)).unwrap_or_default().to_owned();
    let own = said("project/.agent-memory");
    assert!(own.contains("not a memory store: its `state.json` holds no bundle"), "{}", output.stderr);
    assert!(said("packages/api/.bmad/memory").contains("not a memory store"), "{}", output.stderr);
    let upward = stores(&home.path, &home.file("project/src/deep"));
    assert!(upward.stderr.contains("project/.agent-memory"), "{}", upward.stderr);
}

#[test]
fn a_named_folder_shows_every_store_below_it_in_one_list() {
    let home = home();
    let project = home.file("project");
    let output = support::run(["list", "--json", "--store", project.to_str().unwrap()]);
    let mut formats: Vec<String> =
        output.json_lines().iter().map(|row| row["format"].as_str().unwrap().to_owned()).collect();
    formats.sort();
    assert_eq!(formats, ["a-mem", "agent-memory", "bmad", "session-log"]);
    assert!(output.stderr.contains("not a memory store"), "{}", output.stderr);
}

#[test]
fn a_store_is_found_from_any_of_its_folders_and_files() {
    let home = home();
    for path in [
        "project/.chora/memory/events/2026-01/events.jsonl",
        "project/.chora/memory/events",
        "project/packages/web/.bmad/memory/sessions/s",
        "project/packages/app/.agent-memory/history/events.jsonl",
        "project/packages/app",
    ] {
        let output = support::run(["list", "--json", "--store", home.file(path).to_str().unwrap()]);
        assert_eq!(output.json_lines().len(), 1, "{path}: {}", output.stderr);
    }
}

#[test]
fn a_store_of_one_format_alone_is_ranked_as_its_specification_says() {
    let home = home();
    let ranking = |path: &str| {
        let path = home.file(path);
        let rows =
            support::run(["search", "--json", "--explain", "--store", path.to_str().unwrap(), "--", "x"]);
        rows.json_lines()[0]["explain"]["ranking"].as_str().unwrap().to_owned()
    };
    assert_eq!(ranking("project/packages/web/.bmad/memory"), "weighted");
    assert_eq!(ranking("project/packages"), "product");
}

#[test]
fn folders_of_the_same_names_with_other_content_are_no_stores() {
    let other = |files: Files| files.build("project/x");
    let cases = [
        Files::default()
            .with("events/log.jsonl", "{\"timestamp\":\"2026-01-01T00:00:00Z\",\"event_type\":\"click\"}\n"),
        Files::default()
            .with("knowledge/post.md", "---\ntitle: A post\ntags: [web]\ndate: 2026-01-01\n---\nText\n"),
        Files::default().with("profiles/user.json", "{\"name\": \"x\"}"),
        Files::default().with("sessions/a/memory.jsonl", "{\"role\":\"user\",\"parts\":[]}\n"),
        Files::default().with("sessions/a/conversation.jsonl", "{\"role\":\"user\",\"text\":\"x\"}\n"),
        Files::default()
            .with("state.json", "{\"bundle\":[1]}")
            .with("history/events.jsonl", "{\"kind\":\"click\"}\n"),
        Files::default().with("tasks.jsonl", "{\"id\":1,\"done\":false}\n").with("index.json", "{}"),
    ];
    for files in cases {
        let store = other(files);
        let output = support::run(["list", "--store", store.path.to_str().unwrap()]).expect_status(1);
        assert!(output.stderr.contains("no store"), "{}", output.stderr);
    }
}

#[test]
fn an_empty_store_is_of_the_format_whose_place_it_is_at_and_an_empty_folder_of_none() {
    for (place, room, format) in [(".bmad/memory", "shared", "bmad"), ("memory", "indices", "session-log")] {
        let store = Files::default().with(&format!("{place}/keep"), "").build("project");
        std::fs::create_dir_all(store.file(place).join("sessions")).unwrap();
        let path = store.file(place).to_str().unwrap().to_owned();
        // Others have a folder `sessions`, too.
        let output = support::run(["stores", "--json", "--store", &path]).expect_status(1);
        assert!(output.stderr.contains("--as"), "{}", output.stderr);
        let forced = support::run(["stores", "--json", "--as", format, "--store", &path]);
        assert_eq!(forced.json_lines()[0]["format"], format, "{place}: {}", forced.stderr);
        std::fs::create_dir_all(store.file(place).join(room)).unwrap();
        let output = support::run(["stores", "--json", "--store", &path]);
        assert_eq!(output.json_lines()[0]["format"], format, "{place}: {}", output.stderr);
    }
}

#[test]
fn a_store_named_twice_is_shown_once() {
    let store = Files::default().with("memory/sessions/s/memory.jsonl", ENTRY).build("project");
    let link = store.file("link");
    std::os::unix::fs::symlink(store.file("memory"), &link).unwrap();
    let [path, link] = [store.file("memory"), link].map(|path| path.display().to_string());
    let output = support::run(["list", "--json", "--store", &path, "--store", &link, "--store", &path]);
    assert_eq!(output.json_lines().len(), 1, "{}", output.stderr);
}

#[test]
fn a_store_is_found_behind_many_useless_sessions_and_through_dots() {
    let store = Files::default().with("memory/sessions/z/memory.jsonl", ENTRY).build("project");
    for number in 0..600 {
        std::fs::create_dir(store.file(format!("memory/sessions/a{number:03}"))).unwrap();
    }
    for path in [
        "memory/sessions/z/memory.jsonl",
        "memory",
        "memory/sessions/z/..",
        "memory/sessions/z/../../../memory",
    ] {
        let path = store.path.join(path);
        let output = support::run(["list", "--json", "--store", path.to_str().unwrap()]);
        assert_eq!(output.json_lines().len(), 1, "{}: {}", path.display(), output.stderr);
    }
}

/// So many stores below one folder, some deeper than others.
fn many(count: usize) -> TempStore {
    let memory = json!({"id": "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", "type": "core", "content": "x"});
    let line = format!("{memory}\n").into_bytes();
    let path = |number: usize| format!("agents{}/a{number}/core_memories.jsonl", number % 7);
    let files: Vec<_> = (0..count).map(|number| (path(number).into(), line.clone())).collect();
    TempStore::of_files("many", &files)
}

#[test]
fn thousands_of_stores_below_a_folder_are_all_listed() {
    let count = crate::support::tries::count(200, 10_000);
    let store = many(count);
    for number in 0..5_000 {
        std::fs::create_dir(store.file(format!("a{number}"))).unwrap();
    }
    let path = store.path.to_str().unwrap();
    let took = |store: &str, count: usize| {
        let began = std::time::Instant::now();
        let output = support::run(["stores", "--json", "--store", store]).expect_status(0);
        assert_eq!((output.json_lines().len(), output.stderr.as_str()), (count, ""));
        began.elapsed().as_secs_f64()
    };
    let few = many(count / 10);
    let (one, all) = (took(few.path.to_str().unwrap(), count / 10), took(path, count));
    println!("{} stores in {one:.2} s, {count} in {all:.2} s", count / 10);
    // The empty folders, and the start of the program, are in there too.
    assert!(count < 10_000 || all < 15.0 * one + 1.0, "{one} s, {all} s");
}

#[test]
fn where_the_look_around_here_ends_early_it_says_so_and_nothing_is_changed() {
    let store = many(2);
    for number in 0..10_000 {
        std::fs::create_dir(store.file(format!("folder{number}"))).unwrap();
    }
    let at = |words: &[&str]| Verb::new(words.to_vec()).in_folder(&store.path).run();
    let listed = at(&["list", "--json"]).expect_status(1);
    assert_eq!(listed.json_lines().len(), 2);
    assert!(listed.stderr.contains("the search stopped after 10000 folders"), "{}", listed.stderr);
    let refused = at(&["compact", "--yes"]).expect_status(3);
    assert!(refused.stderr.contains("--store"), "{}", refused.stderr);
    assert_eq!(at(&["list", "--json", "."]).expect_status(0).json_lines().len(), 2);
}
