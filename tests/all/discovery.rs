//! Where stores are found: above the folder, below it, in the home folder, nested; and look-alikes.

use crate::support;

use std::path::Path;

use crate::markdown::TOPIC;
use support::{Files, Output, TempStore, Verb};

const EVENT: &str = "{\"timestamp\":\"2026-01-01T00:00:00Z\",\"trace_id\":\"t\",\"status\":\"success\",\
    \"schema_version\":\"1.0\",\"event_type\":\"a.b\",\"source\":\"s\"}\n";
const MESSAGE: &str = "{\"id\":\"m\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"agent_id\":\"a\",\"role\":\"user\",\"content\":\"x\"}\n";
const ENTRY: &str = "{\"id\":\"e\",\"session_id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"finding\",\"content\":{\"finding\":\"x\"}}\n";
const CORE: &str = "{\"id\":\"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\",\"type\":\"core\",\"content\":\"x\"}\n";

/// A home folder with a project that has stores of every format, and look-alikes.
fn home() -> TempStore {
    Files::default()
        .with(".claude/agents/memories/core_memories.jsonl", CORE)
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
    let home = Files::default()
        .with("one/core_memories.jsonl", CORE)
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
    let named = ["stores", "--json", "--store", "."];
    let output = Verb::new(named).home(&home.path).in_folder(home.file("project")).run();
    let said =
        |path: &str| output.stderr.lines().find(|line| line.contains(path)).unwrap_or_default().to_owned();
    let line = said("./.agent-memory");
    assert!(line.contains("not a memory store: its `state.json` holds no bundle"), "{}", output.stderr);
    assert!(said("packages/api/.bmad/memory").contains("not a memory store"), "{}", output.stderr);
    // Who names no folder did not ask about them, unless nothing else is found.
    for folder in ["project", "project/src/deep"] {
        let around = stores(&home.path, &home.file(folder));
        assert!(!around.json_lines().is_empty() && around.stderr.is_empty(), "{}", around.stderr);
    }
    let alone = Files::default().with(".agent-memory/state.json", "{\"notes\": []}").build("home/project");
    stores(alone.around(), &alone.path).expect_stderr("not a memory store: its `state.json`");
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

/// Makes a project with folders (ending in `/`) and files with their contents at a place.
fn project(place: &str, items: &[(&str, &str)]) -> TempStore {
    let items = items.iter().map(|(path, text)| (format!("{place}/{path}"), *text));
    let (folders, files): (Vec<_>, Vec<_>) = items.partition(|(path, _)| path.ends_with('/'));
    let empty = Files::default().with("src/main.rs", "");
    let files = files.iter().fold(empty, |files, (path, text)| files.with(path, text));
    let home = files.build("home/project");
    folders.iter().for_each(|(path, _)| std::fs::create_dir_all(home.file(path)).unwrap());
    home
}

/// Returns the formats found from each place of the project: by its path, and as the working directory.
fn from_everywhere(project: &TempStore, places: &[&str]) -> Vec<String> {
    let mut formats = Vec::new();
    for place in places.iter().map(|place| project.file(place)).filter(|place| place.is_dir()) {
        let named = support::run(["stores", "--json", "--store", place.to_str().unwrap()]);
        for output in [named, stores(project.around(), &place)] {
            let rows = output.json_lines();
            formats.extend(rows.iter().map(|row| row["format"].as_str().unwrap().to_owned()));
            formats.extend(rows.is_empty().then(|| "none".to_owned()));
        }
    }
    formats.dedup();
    formats
}

#[test]
fn an_empty_store_at_its_default_place_is_found_from_the_repository_the_root_and_inside() {
    let bmad: [&[(&str, &str)]; 8] = [
        &[("sessions/", "")],
        &[("sessions/", ""), ("archive/", "")],
        &[("shared/", "")],
        &[("sessions/.gitkeep", ""), (".DS_Store", "x")],
        &[("sessions/sess-2026-01-11-abc123/", "")],
        &[("sessions/", ""), ("config.json", "{}")],
        &[("sessions/", ""), ("config.json", "{\"memory_con")],
        // A Git checkout has no empty folders.
        &[("config.json", "{\"memory_config\": {\"decay\": {\"enabled\": true}}}")],
    ];
    let session_log: [&[(&str, &str)]; 7] = [
        &[("sessions/", "")],
        &[("sessions/", ""), ("indices/", "")],
        &[("sessions/.gitkeep", "")],
        &[("sessions/session_1/", "")],
        &[("sessions/", ""), ("config.json", "{\"version\": \"1.0\", \"decay\": {\"enabled\": true}}")],
        &[("sessions/", ""), ("config.json", "")],
        &[("config.json", "{\"storage\": {\"max_session_size_mb\": 10}}")],
    ];
    let places = [(".bmad/memory", "bmad", &bmad[..]), ("memory", "session-log", &session_log[..])];
    for (place, format, cases) in places {
        for items in cases.iter().step_by(crate::support::tries::count(2, 1)) {
            let project = project(place, items);
            let inside = ["sessions", "shared"].map(|room| format!("{place}/{room}"));
            let found = from_everywhere(&project, &["", place, &inside[0], &inside[1]]);
            assert_eq!(found, [format], "{items:?}");
            // It is found from other folders of the repository, too.
            let beside = stores(project.around(), &project.file("src")).json_lines();
            assert_eq!((beside.len(), &beside[0]["format"]), (1, &format.into()), "{items:?}");
        }
    }
}

#[test]
fn a_store_whose_last_session_went_is_found_again_and_that_is_undone() {
    for (place, file, text) in [
        (".bmad/memory", "sessions/s/conversation.jsonl", MESSAGE),
        ("memory", "sessions/s/memory.jsonl", ENTRY),
    ] {
        let project = project(place, &[(file, text)]);
        let at = |words: &[&str]| {
            Verb::new(words.to_vec()).home(project.around()).in_folder(project.file("src")).run()
        };
        at(&["session", "delete", "s", "--yes"]).expect_status(0);
        assert!(!project.file(place).join("sessions/s").exists(), "{place}");
        assert_eq!(at(&["stores", "--json"]).json_lines().len(), 1, "{place}");
        at(&["undo", "--yes"]).expect_status(0);
        assert_eq!(at(&["list", "--json"]).json_lines().len(), 1, "{place}");
    }
}

#[test]
fn what_others_keep_at_a_default_place_beside_an_empty_sessions_folder_is_no_store() {
    let others: [&[(&str, &str)]; 9] = [
        &[],
        &[("sessions/", ""), ("notes.md", "x")],
        &[("sessions/", ""), ("graph/", "")],
        &[("sessions/a.md", "x")],
        &[("sessions/a/notes.txt", "x")],
        &[("sessions/2026/01/", "")],
        &[("sessions/2026/01/notes.md", "x")],
        &[("sessions/", ""), ("config.json", "{\"model\": \"small\"}")],
        &[("sessions/", ""), ("config.json", "{\"storage\": \"local\"}")],
    ];
    for (number, place) in [".bmad/memory", "memory", "elsewhere"].into_iter().enumerate() {
        // The short form tries a third of them at each place.
        let others = crate::support::tries::some(others, &[number, number + 3, number + 6]);
        for items in others.iter().copied().chain((place == "elsewhere").then_some(&[("sessions/", "")][..]))
        {
            let project = project(place, &[items, &[("", "")]].concat());
            let sessions = format!("{place}/sessions");
            assert_eq!(from_everywhere(&project, &["", place, &sessions]), ["none"], "{items:?}");
        }
    }
    // If the format is forced, it is a store.
    let project = project(".bmad/memory", &[("sessions/", ""), ("keep", "")]);
    let path = project.file(".bmad/memory").display().to_string();
    support::run(["stores", "--json", "--store", &path]).expect_status(1).expect_stderr("--as");
    for format in ["bmad", "session-log"] {
        let forced = support::run(["stores", "--json", "--as", format, "--store", &path]);
        assert_eq!(forced.json_lines()[0]["format"], format, "{}", forced.stderr);
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

/// Makes many stores below one folder, some deeper than others.
fn many(count: usize) -> TempStore {
    let path = |number: usize| format!("agents{}/a{number}/core_memories.jsonl", number % 7);
    let files: Vec<_> = (0..count).map(|number| (path(number).into(), CORE.into())).collect();
    TempStore::of_files("many", &files)
}

#[test]
fn thousands_of_stores_below_a_folder_are_all_listed() {
    let count = crate::support::tries::count(60, 10_000);
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
    // This includes the empty folders and the start of the program.
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
    at(&["compact", "--yes"]).expect_status(3).expect_stderr("--store");
}

#[test]
fn variables_move_the_folders_in_which_programs_keep_memories() {
    let cases = [
        ("CLAUDE_CONFIG_DIR", "projects/-w-shop/memory", "a.md"),
        ("CLAUDE_CONFIG_DIR", "agent-memory/reviewer", "a.md"),
        ("QWEN_HOME", "memories", "a.md"),
        ("QWEN_RUNTIME_DIR", "projects/-w-shop/memory", "a.md"),
        ("HERMES_HOME", "memories", "USER.md"),
        ("HERMES_HOME", "profiles/work/memories", "USER.md"),
        ("CODEX_HOME", "memories", "memory_summary.md"),
        ("XDG_CONFIG_HOME", "Code/User/globalStorage/github.copilot-chat/memory-tool/memories", "a.md"),
        ("XDG_DATA_HOME", "kilo/memory/shop-0a", "project.md"),
        ("OPENCLAW_STATE_DIR", "workspace-ops", "MEMORY.md"),
        ("OPENCLAW_WORKSPACE_DIR", "", "MEMORY.md"),
    ];
    for (variable, below, name) in cases {
        let root = Path::new("moved").join(below);
        let file = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let mut files = Files::default().with(&file(name), TOPIC).with("home/x", "");
        if name == "MEMORY.md" {
            files = files.with(&file("SOUL.md"), "Be kind.\n").with(&file("USER.md"), "Mia.\n");
        }
        let place = files.build("place");
        let find = |verb: Verb| verb.home(place.file("home")).in_folder(place.file("home")).run();
        let moved = find(Verb::new(["stores", "--json"]).env(variable, place.file("moved")));
        let found = paths(&moved.expect_status(0), &place.path);
        assert!(found.len() == 1 && Path::new(&found[0].1) == root, "{variable}: {found:?}");
        find(Verb::new(["stores", "--json"])).expect_status(1);
        let check = find(Verb::new(["check", "--json"]).env(variable, place.file("moved"))).json_lines();
        assert!(check.iter().all(|row| row["code"] != "not-loaded"), "{variable}: {check:?}");
    }
}

#[test]
fn the_folders_of_a_default_place_do_not_count_for_how_deep_a_store_is() {
    let home = Files::default()
        .with("shop/web/app/.claude/agent-memory/reviewer/a.md", TOPIC)
        .with("shop/web/app/lib/.serena/memories/plan.md", "A plan.\n")
        .with("shop/web/app/lib/deep/memory-bank/progress.md", "x")
        .with("shop/web/app/lib/deep/er/.claude/agent-memory/reviewer/a.md", TOPIC)
        .build("home");
    let found = paths(&stores(&home.path, &home.file("shop")), &home.path);
    let found: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
    let expected = [
        "shop/web/app/.claude/agent-memory/reviewer",
        "shop/web/app/lib/.serena/memories",
        "shop/web/app/lib/deep/er/.claude/agent-memory/reviewer",
    ];
    assert_eq!(found, expected);
}

#[test]
fn from_home_it_is_said_that_folders_below_are_not_searched() {
    let home = home();
    let said = |folder: &Path, words: &[&str]| {
        let words = ["stores", "--json"].iter().chain(words);
        Verb::new(words).home(&home.path).in_folder(folder).run().stderr
    };
    let note = "Folders below home are not searched.";
    assert!(said(&home.path, &[]).contains(note), "{}", said(&home.path, &[]));
    assert!(!said(&home.file("project"), &[]).contains(note));
    assert!(!said(&home.path, &["--store", "project"]).contains(note));
    let empty = Files::default().with("x", "").build("home");
    let none = stores(&empty.path, &empty.path);
    assert!(none.stderr.contains(note) && none.status == Some(1), "{}", none.stderr);
}
