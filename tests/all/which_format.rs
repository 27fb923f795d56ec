//! Whatever happened to a store and wherever it is, it is found with its own format or not at all:
//! never as a store of another format, and never a part of it as a store.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use palimp::store::{DiscoveryResult, look_at};
use serde_json::json;
use support::tries::some;
use support::{AgentMemoryBuilder, Files, StoreBuilder, TempStore, run};

/// Names of folders that formats use, and others.
const ODD: [&str; 14] = [
    "memory",
    ".bmad/memory",
    ".chora/memory",
    ".agent-memory",
    ".claude/agents/memories",
    "storage",
    "sessions",
    "events",
    "knowledge",
    "archive",
    "profiles",
    "history",
    "shared",
    "a b/ü",
];

/// The formats of which `init` makes stores.
const MADE: [&str; 4] = ["memory-server", "session-log", "bmad", "a-mem"];

fn healthy() -> Vec<(&'static str, Files)> {
    let server = StoreBuilder::memory_server()
        .core(json!({"content": "Yes"}))
        .learning(json!({"tags": ["tasks", "learnings"]}))
        .task(json!({"content": "Do"}));
    let log = StoreBuilder::session_log().session("s one").entries(3).session("two").entries(1);
    let log = log.config(json!({"version": "1.0", "storage": {"max_session_size_mb": 10}}));
    let bundle = AgentMemoryBuilder::new().files();
    let inside = bundle.0.into_iter().filter(|(path, _)| !path.starts_with("..")).collect();
    vec![
        ("memory-server", files_of(&server.build())),
        ("session-log", files_of(&log.build())),
        ("agent-memory", Files(inside)),
        (
            "bmad",
            crate::bmad::healthy().with("shared/user-preferences.json", "{\"tasks\":[],\"learnings\":[]}"),
        ),
        ("a-mem", crate::a_mem::healthy()),
    ]
}

fn files_of(store: &TempStore) -> Files {
    let files = paths(&store.path).into_iter().filter(|path| path.is_file());
    Files(files.map(|path| (relative(&path, &store.path), fs::read(&path).unwrap())).collect())
}

fn relative(path: &Path, root: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap().to_owned()
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    let mut at = 0;
    while at < all.len() {
        if all[at].is_dir() {
            let mut inner: Vec<_> =
                fs::read_dir(&all[at]).unwrap().map(|item| item.unwrap().path()).collect();
            inner.sort();
            all.extend(inner);
        }
        at += 1;
    }
    all
}

fn wrong(looked: &DiscoveryResult, root: &Path, format: &str) -> Option<String> {
    let found = looked.found.as_ref().ok()?;
    let is_own = |place: &palimp::store::Place| place.root == root && place.format == format;
    let others: Vec<_> = found.iter().filter(|place| !is_own(place)).collect();
    (!others.is_empty())
        .then(|| format!("{format} at {}, asked {}: {others:?}", root.display(), looked.path.display()))
}

/// Looks from everywhere: the store, its parent, each of its folders and files.
fn expect_same_or_none(root: &Path, format: &str, what: &str) {
    for path in paths(root).into_iter().chain(root.parent().map(Path::to_owned)) {
        let looked = look_at(&path, None);
        assert_eq!(wrong(&looked, root, format), None, "{what}");
    }
}

/// Like `expect_same_or_none`, and it must be found from its root and its parent.
fn expect_found(root: &Path, format: &str, what: &str) {
    for path in [root, root.parent().unwrap()] {
        let found = look_at(path, None)
            .found
            .unwrap_or_else(|why| panic!("{format}, {what}, {}: {why}", path.display()));
        assert_eq!(
            (found.len(), found[0].format, found[0].root.as_path()),
            (1, format, root),
            "{what}: {found:?}"
        );
    }
    expect_same_or_none(root, format, what);
}

/// Makes an empty store as `init` does, from the library's plan.
fn make(format: &str, root: &Path) {
    let now = palimp::model::Moment::parse("2026-02-01T12:00:00Z").unwrap().0;
    let plan = palimp::ops::init::init(format, root, now).unwrap();
    fs::create_dir_all(root).unwrap();
    for change in &plan.changes {
        let path = root.join(&change.path);
        match change.path.extension() {
            None => fs::create_dir_all(path).unwrap(),
            Some(_) => {
                crate::support::write(&path, change.after().unwrap_or_default());
            }
        }
    }
}

fn damages(bytes: &[u8]) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let half = bytes.len() / 2;
    vec![
        ("gone", None),
        ("emptied", Some(Vec::new())),
        ("torn", Some(bytes[..half].to_vec())),
        ("torn early", Some(bytes[..bytes.len().min(9)].to_vec())),
        ("without its start", Some(bytes[half..].to_vec())),
        ("of NULs", Some(vec![0; 64])),
    ]
}

fn damage_each(root: &Path, format: &str, place: &str) {
    let files: Vec<PathBuf> = paths(root).into_iter().filter(|path| path.is_file()).collect();
    for file in &files {
        let bytes = fs::read(file).unwrap();
        for (what, damaged) in damages(&bytes) {
            match damaged {
                Some(damaged) => fs::write(file, damaged).unwrap(),
                None => fs::remove_file(file).unwrap(),
            }
            expect_same_or_none(root, format, &format!("{place}: {what} is {}", file.display()));
        }
        fs::write(file, &bytes).unwrap();
    }
    // All of them at once, then files that describe others.
    for (what, number) in [("emptied", 1), ("torn", 2), ("without its start", 4)] {
        for file in &files {
            let bytes = fs::read(file).unwrap();
            fs::write(file, damages(&bytes)[number].1.as_ref().unwrap()).unwrap();
        }
        expect_same_or_none(root, format, &format!("{place}: all {what}"));
    }
    let describing =
        ["index.json", "manifest.json", "config.json", "metadata.json", "tags.json", "links.json"];
    for file in files.iter().filter(|file| describing.iter().any(|name| file.ends_with(name))) {
        fs::remove_file(file).unwrap();
    }
    expect_same_or_none(root, format, &format!("{place}: without what describes it"));
}

#[test]
fn an_empty_store_is_of_its_own_format_wherever_it_is_and_whatever_befell_it() {
    for (number, format) in MADE.into_iter().enumerate() {
        for place in some(ODD, &[number, number + 4, number + 9]) {
            let folder = crate::support::folder::new();
            let root = folder.path().join(place);
            make(format, &root);
            expect_found(&root, format, place);
            // Both have `sessions/` and `config.json`. If nothing else is left, the place decides.
            let is_anothers = matches!((format, place), ("session-log", ".bmad/memory") | ("bmad", "memory"));
            if !is_anothers {
                damage_each(&root, format, place);
            }
        }
    }
}

#[test]
fn a_store_is_of_its_own_format_wherever_it_is() {
    for (number, (format, files)) in healthy().into_iter().enumerate() {
        for place in some(ODD, &[0, 1 + number, 6 + number]) {
            let store = files.build(place);
            expect_found(&store.path, format, place);
            for path in files.0.iter().map(|(path, _)| store.file(path)) {
                let found = look_at(&path, None).found;
                // A file that the format does not know would lead to no store.
                assert!(found.is_ok(), "{format}, {place}: {}: {found:?}", path.display());
            }
        }
    }
}

#[test]
fn a_damaged_store_is_of_its_own_format_or_of_none() {
    for (number, (format, files)) in healthy().into_iter().enumerate() {
        for place in some(ODD, &[(number * 5) % ODD.len()]) {
            let store = files.build(place);
            damage_each(&store.path, format, place);
        }
    }
}

#[test]
fn a_store_that_was_emptied_is_of_its_own_format_or_of_none() {
    for (format, files) in healthy() {
        for place in some(ODD, &[0]) {
            let store = files.build(place);
            let path = store.path.to_str().unwrap();
            for words in
                [["delete", "--query", "NOT id:none", "--remove"], ["session", "delete", "s one", "--yes"]]
            {
                run(words.iter().copied().chain(["--store", path, "--yes"]));
                expect_same_or_none(&store.path, format, place);
            }
        }
    }
}

#[test]
fn what_is_written_to_a_part_of_a_store_goes_to_the_store() {
    let store = crate::a_mem::healthy().build(".chora/memory");
    for part in
        ["events/2026-01/events.jsonl", "events/2026-01", "events/2026-01/traces/abc123.jsonl", "profiles"]
    {
        let path = store.file(part);
        let words = ["add", "--type", "note", "--text", "more", "--yes", "--store", path.to_str().unwrap()];
        run(words).expect_status(0);
    }
    assert_eq!(paths(&store.file("knowledge/notes")).len(), 1 + 2 + 4);
    assert!(!store.file("events/2026-01/knowledge").exists() && !store.file("profiles/knowledge").exists());
}

#[test]
fn a_part_that_is_reached_through_a_link_leads_to_its_store() {
    let store = crate::a_mem::healthy().build("x");
    let link = store.around().join("link");
    std::os::unix::fs::symlink(store.file("events/2026-01"), &link).unwrap();
    let found = look_at(&link, None).found.unwrap();
    assert_eq!((found.len(), found[0].root.as_path()), (1, store.path.canonicalize().unwrap().as_path()));
}

#[test]
fn what_other_programs_keep_is_no_store() {
    let entity = "{\"type\":\"entity\",\"name\":\"x\",\"entityType\":\"person\",\"observations\":[\"id\"]}\n";
    let daily = "---\ntitle: x\ntags: [a]\ncreated: 2026-01-01\n---\n# Daily\n";
    let zettel = "---\nid: abc\ntitle: x\ncreated: 2026-01-01\ntags: [a]\n---\ntext\n";
    let index = "- [title](file.md) — hook\n";
    let cases = [
        Files::default()
            .with("config.yaml", "a: 1")
            .with("notes.md", "x")
            .with("sessions/2026-01-01.md", "x"),
        Files::default().with("config.json", "{\"storage\":\"local\"}").with("sessions/2026-01-01.md", "x"),
        Files::default().with("memory.jsonl", entity),
        Files::default().with("sessions/a/memory.jsonl", entity),
        Files::default().with("memory.json", "{\"entities\":[],\"relations\":[]}"),
        Files::default().with("tasks.json", "{\"meta\":{\"tasks\":[],\"learnings\":[]}}"),
        Files::default().with("MEMORY.md", index).with("2026-01-01.md", daily),
        Files::default().with("knowledge/notes/a.md", daily).with("knowledge/b.md", zettel),
        Files::default().with("projectbrief.md", "x").with("context.md", "x"),
        Files::default().with("sessions/a/notes.txt", "x").with("shared/x.txt", "x"),
        Files::default()
            .with("events/a.jsonl", entity)
            .with("profiles/p.json", "{\"deep\":{\"agent_name\":1}}"),
        Files::default().with("state.json", "{\"deep\":{\"bundle\":1,\"schemaVersion\":2}}"),
    ];
    for (number, files) in cases.iter().enumerate() {
        for place in ["memory", ".bmad/memory", ".agent-memory", "x"] {
            let store = files.build(place);
            for path in paths(&store.path).into_iter().chain([store.around().to_owned()]) {
                let found = look_at(&path, None).found;
                assert!(found.is_err(), "case {number} at {place}, {}: {found:?}", path.display());
            }
        }
    }
}

#[test]
fn a_folder_that_fits_two_formats_alike_is_opened_by_force_alone() {
    let entry = "{\"id\":\"e\",\"session_id\":\"s\",\"type\":\"finding\",\"content\":{\"finding\":\"x\"}}\n";
    let message = "{\"id\":\"m\",\"agent_id\":\"a\",\"role\":\"user\",\"content\":\"x\"}\n";
    let store = Files::default()
        .with("sessions/s/memory.jsonl", entry)
        .with("sessions/t/conversation.jsonl", message)
        .build("x");
    let path = store.path.to_str().unwrap();
    run(["list", "--store", path]).expect_status(1).expect_stderr("session-log").expect_stderr("--as");
    assert_eq!(run(["list", "--json", "--as", "bmad", "--store", path]).json_lines().len(), 1);
}

#[test]
fn a_single_torn_file_is_opened_by_force_as_part_of_its_store() {
    for (format, file) in [
        ("session-log", "sessions/s/memory.jsonl"),
        ("bmad", "sessions/s/findings.jsonl"),
        ("memory-server", "tasks.jsonl"),
        ("a-mem", "events/2026-01/events.jsonl"),
        ("agent-memory", "history/events.jsonl"),
    ] {
        let store = Files::default().with(file, "{\"id\":\"torn").build("x");
        let found = look_at(&store.file(file), Some(format)).found.unwrap();
        assert_eq!((found[0].format, found[0].root.as_path()), (format, store.path.as_path()), "{file}");
    }
}

#[test]
fn stores_that_other_programs_wrote_are_theirs_from_each_of_their_files() {
    let real = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/real"));
    let stores = [
        ("agent-memory", "agent-memory/init-only/.agent-memory"),
        ("agent-memory", "agent-memory/full-cycle/.agent-memory"),
        ("a-mem", "a-mem/own-writer/.chora/memory"),
        ("a-mem", "a-mem/in-the-wild/.chora/memory"),
        ("markdown/serena", "markdown/serena/.serena/memories"),
    ];
    for (format, path) in stores {
        let root = real.join(path);
        if !root.exists() {
            println!("skipped: {path} is absent");
            continue;
        }
        let root = root.canonicalize().unwrap();
        expect_same_or_none(&root, format, path);
        assert!(look_at(&root, None).found.is_ok(), "{path}");
    }
    for agent in ["code-reviewer", "go-engineer", "qa-engineer"] {
        let root = real.join("markdown/claude-agents/.claude/agent-memory").join(agent);
        let Ok(root) = root.canonicalize() else { continue };
        for path in paths(&root) {
            assert_eq!(wrong(&look_at(&path, None), &root, "markdown/claude"), None);
        }
        assert!(look_at(&root, None).found.is_ok(), "{agent}");
    }
    for path in paths(&real.join("mcp-graph")).iter().filter(|path| path.exists()) {
        assert!(look_at(path, None).found.is_err(), "{}", path.display());
    }
}
