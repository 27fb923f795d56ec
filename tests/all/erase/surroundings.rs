//! What lies beside the stores and has an erased value is named before and in the receipt, and never changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::markdown::slug;
use crate::support::git::{commit, git, repository};
use crate::support::{Output, Verb, files_below, folder, write};

const TOPIC: &str = "---\nname: bank\ndescription: the bank\n---\n\nThe account is ACCOUNT.\n";

/// A home with a project of Claude Code, of which the memories hold a value, as do the files beside it.
struct Home {
    folder: tempfile::TempDir,
    value: String,
}

impl Home {
    fn new() -> Home {
        let value = ["sepa-", "8841 2290", "\"x\""].concat();
        let home = Home { folder: folder::new(), value };
        let value = &home.value;
        let json = serde_json::to_string(value).unwrap();
        let own = home.at(".claude/projects").join(slug(&home.project()));
        let cwd = serde_json::to_string(&home.project()).unwrap();
        let text = format!("{{\"text\":{json}}}\n").repeat(2);
        write(&own.join("0a.jsonl"), format!("{{\"cwd\":{cwd}}}\n{text}"));
        write(&own.join("memory/MEMORY.md"), "- [Bank](bank.md) — money\n");
        write(&own.join("memory/bank.md"), TOPIC.replace("ACCOUNT", value));
        let page = ["SQLite format 3\0".as_bytes(), &[0; 4096], value.as_bytes(), &[0; 100]].concat();
        write(&home.at(".codex/memories_1.sqlite"), &page);
        write(&home.at(".codex/memories_1.sqlite-wal"), [&[7; 900], value.as_bytes()].concat());
        write(&home.at(".zsh_history"), format!(": 1:0;echo '{value}'\n"));
        write(&own.join(".notes.md.swp"), [b"b0VIM 9.0\0", value.as_bytes()].concat());
        // It is in the store, and is erased there.
        write(&own.join("memory/.bank.md.swp"), value);
        write(&home.at(".local/share/Trash/files/old.txt"), value);
        write(&home.at("notes.txt"), value);
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// The folder of the memories.
    fn memories(&self) -> PathBuf {
        let mut projects = std::fs::read_dir(self.at(".claude/projects")).unwrap();
        projects.next().unwrap().unwrap().path().join("memory")
    }

    fn project(&self) -> PathBuf {
        self.at("work/shop")
    }

    fn run(&self, words: &[&str], input: &str) -> Output {
        run_in(self.folder.path(), words, input)
    }

    /// Returns the rows of an erasure of the value.
    fn erased(&self, more: &[&str]) -> Vec<Value> {
        let words = [&["erase", "--value-from", "-", "--json"], more].concat();
        self.run(&words, &self.value).json_lines()
    }

    /// The bytes of every file below the home folder, but for the memories and palimp's own data.
    fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let is_own = |folder: &Path| folder.ends_with("memory") || folder.ends_with(".local/share/palimp");
        let mut found = files_below(self.folder.path());
        found.retain(|path, _| !path.ancestors().skip(1).any(is_own));
        found
    }
}

fn run_in(home: &Path, words: &[&str], input: &str) -> Output {
    Verb::new(words.iter().copied()).in_folder(home).home(home).with_input(input).run()
}

fn places(row: &Value) -> Vec<(String, String, u64)> {
    let own = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let all = row["beside"].as_array().unwrap().iter();
    let name = |own: &str| Path::new(own).file_name().unwrap().to_str().unwrap().to_owned();
    all.map(|row| (own(row, "kind"), name(&own(row, "path")), row["matches"].as_u64().unwrap())).collect()
}

#[test]
fn files_beside_the_stores_that_hold_a_value_are_counted_before_and_in_the_receipt() {
    let home = Home::new();
    let before = home.bytes();
    let expected = [
        ("database", "memories_1.sqlite", 1),
        ("database", "memories_1.sqlite-wal", 1),
        ("editor", ".notes.md.swp", 1),
        ("history", ".zsh_history", 1),
        ("transcript", "0a.jsonl", 2),
        ("trash", "old.txt", 1),
    ]
    .map(|(kind, name, count)| (kind.to_owned(), name.to_owned(), count));
    let plan = home.erased(&["--dry-run"]);
    let mut found = places(&plan[0]);
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(home.bytes(), before);
    let told = home.run(&["erase", "--value-from", "-", "--dry-run"], &home.value).stdout;
    assert!(told.contains("beside the stores, and not changed: 1 transcript, 2 database files"), "{told}");
    let done = home.erased(&["--yes"]);
    let receipt: Value =
        serde_json::from_slice(&std::fs::read(done[0]["receipt"].as_str().unwrap()).unwrap()).unwrap();
    let mut kept = places(&serde_json::json!({ "beside": receipt["beside"]["found"] }));
    kept.sort();
    assert_eq!(kept, expected);
    assert!(!receipt.to_string().contains("8841"));
    assert_eq!(home.bytes(), before, "nothing beside the stores is changed");
}

#[test]
fn a_secret_of_a_memory_that_is_erased_is_looked_for_beside_and_older_versions_of_an_editor_go() {
    let home = Home::new();
    let key = ["ghp", "_Zq8aK2mT7rWx4LbN9vYc1DfHs5JpQeUg3oRi"].concat();
    let topic = TOPIC.replace("ACCOUNT", &format!("{key} for deploys"));
    for name in ["bank.md", "bank.md~", "bank.md.orig"] {
        write(&home.memories().join(name), &topic);
    }
    write(&home.memories().parent().unwrap().join("1b.jsonl"), format!("{{\"text\":\"use {key}\"}}\n"));
    let rows = home.run(&["erase", "bank", "--json", "--yes"], "").expect_status(0).json_lines();
    assert_eq!(places(&rows[0]), [("transcript".to_owned(), "1b.jsonl".to_owned(), 1)]);
    assert_eq!(rows[0]["left"], json!([]));
    let left = files_below(&home.memories()).into_keys().map(|path| path.file_name().unwrap().to_owned());
    assert_eq!(left.collect::<Vec<_>>(), [".bank.md.swp", "MEMORY.md"]);
}

#[test]
fn loose_and_packed_objects_and_stashes_of_the_work_tree_are_named() {
    let home = Home::new();
    let tree = home.project();
    std::fs::create_dir_all(&tree).unwrap();
    if !repository(&tree) {
        return;
    }
    write(&tree.join("a.txt"), format!("key {}\n", home.value));
    let packed = commit(&tree, "one");
    git(&tree, &["gc", "-q"]).unwrap();
    write(&tree.join("a.txt"), "nothing\n");
    commit(&tree, "two");
    write(&tree.join("a.txt"), format!("stashed {}\n", home.value));
    git(&tree, &["stash", "-q"]).unwrap();
    write(&tree.join("b.txt"), format!("lost {}\n", home.value));
    let lost = git(&tree, &["hash-object", "-w", "b.txt"]).unwrap();
    std::fs::remove_file(tree.join("b.txt")).unwrap();
    write(&tree.join(".git/COMMIT_EDITMSG"), format!("about {}\n", home.value));
    let objects = home.bytes();
    let plan = home.erased(&["--dry-run"]);
    let found = plan[0]["beside"].as_array().unwrap();
    let details: Vec<&str> =
        found.iter().filter(|own| own["kind"] == "git").map(|own| own["detail"].as_str().unwrap()).collect();
    let has = |parts: &[&str]| details.iter().any(|own| parts.iter().all(|part| own.contains(part)));
    assert!(has(&[&packed, "on main"]), "{details:?}");
    assert!(has(&["a stash"]), "{details:?}");
    assert!(has(&[&lost[..10], "in no commit"]), "{details:?}");
    let files: Vec<_> = places(&plan[0]).into_iter().filter(|own| own.0 == "git-file").collect();
    assert_eq!(files, [("git-file".into(), "COMMIT_EDITMSG".into(), 1)]);
    assert_eq!(home.bytes(), objects);
}

#[test]
fn names_of_files_branches_and_tags_that_have_a_value_are_counted_and_never_printed_or_kept() {
    let home = Home::new();
    let (tree, value) = (home.project(), ["kestrel", "-plum-", "90417"].concat());
    std::fs::create_dir_all(&tree).unwrap();
    if !repository(&tree) {
        return;
    }
    let memories = home.memories();
    write(&memories.join("other.md"), TOPIC.replace("ACCOUNT", &value));
    write(&home.at(".local/share/Trash/files").join(format!("{value}.txt")), "nothing");
    write(&tree.join(format!("{value}.txt")), "nothing\n");
    commit(&tree, "one");
    git(&tree, &["branch", &format!("fix/{value}")]).unwrap();
    git(&tree, &["tag", "-a", "v1", "-m", &format!("about {value}")]).unwrap();
    write(&tree.join("held.txt"), &value);
    commit(&tree, "two");
    git(&tree, &["tag", &format!("at-{value}")]).unwrap();
    let before = home.bytes();
    let plan = home.run(&["erase", "--value-from", "-", "--dry-run", "--json"], &value);
    let found = plan.json_lines()[0]["beside"].clone();
    let told = |kind: &str| -> Vec<String> {
        let all = found.as_array().unwrap().iter().filter(|own| own["kind"] == kind);
        all.map(|own| own["detail"].as_str().or(own["path"].as_str()).unwrap().to_owned()).collect()
    };
    let has = |kind: &str, part: &str| told(kind).iter().any(|own| own.contains(part));
    assert!(has("trash", "(its name has it)"), "{found}");
    assert!(has("git", "a name, in 2 folder objects"), "{found}");
    assert!(has("git", "the tag v1") && has("git", "on main, (its name has it)"), "{found}");
    assert!(told("git-file").len() > 1, "{found}");
    let done = home.run(&["erase", "--value-from", "-", "--yes", "--json"], &value);
    let receipt = std::fs::read_to_string(done.json_lines()[0]["receipt"].as_str().unwrap()).unwrap();
    for text in [&plan.stdout, &plan.stderr, &done.stdout, &done.stderr, &receipt] {
        assert!(!text.contains(&value), "{text}");
    }
    assert_eq!(home.bytes(), before);
}

fn states(row: &Value) -> Vec<(String, String)> {
    let text = |own: &Value| own.as_str().unwrap().to_owned();
    let name = |own: &Value| text(own).rsplit('/').next().unwrap().to_owned();
    let rows = row["beside"].as_array().unwrap().iter();
    let mut all: Vec<_> = rows.map(|own| (name(&own["path"]), text(&own["now"]))).collect();
    all.sort();
    all
}

#[test]
fn a_receipt_is_verified_with_what_became_of_the_places_that_it_names() {
    let home = Home::new();
    let done = home.erased(&["--yes"]);
    let receipt = done[0]["receipt"].as_str().unwrap().to_owned();
    std::fs::remove_file(home.at(".local/share/Trash/files/old.txt")).unwrap();
    write(&home.at(".zsh_history"), ": 1:0;ls\n");
    let before = home.bytes();
    let checked = home.run(&["verify-erased", &receipt, "--json"], "").expect_status(0).json_lines();
    let expected = [
        (".notes.md.swp", "has-it"),
        (".zsh_history", "not-found"),
        ("0a.jsonl", "has-it"),
        ("memories_1.sqlite", "has-it"),
        ("memories_1.sqlite-wal", "has-it"),
        ("old.txt", "gone"),
    ];
    assert_eq!(states(&checked[0]), expected.map(|(name, now)| (name.to_owned(), now.to_owned())));
    let told = home.run(&["verify-erased", "--all"], "").expect_status(0).stdout;
    for part in [
        "0a.jsonl (transcript): still has it",
        ".zsh_history (history of commands): it was not found there now",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("8841"));
    assert_eq!(home.bytes(), before);
}

#[test]
fn a_value_is_verified_beside_the_stores_too_and_this_does_not_fail() {
    let home = Home::new();
    home.run(&["erase", "--value-from", "-", "--yes"], &home.value).expect_status(0);
    let words = ["verify-erased", "--value-from", "-", "--json"];
    let checked = home.run(&words, &home.value).expect_status(0).json_lines();
    assert_eq!(places(&checked[0]).len(), 6);
    assert!(states(&checked[0]).iter().all(|(_, now)| now == "has-it"));
    let told = home.run(&["verify-erased", "--value-from", "-"], &home.value).expect_status(0).stdout;
    assert!(told.contains("beside the stores, and not changed: 1 transcript, 2 database files"), "{told}");
    assert!(told.contains("0a.jsonl:2, twice"), "{told}");
    let again = home.run(&["erase", "--value-from", "-", "--yes"], &home.value).expect_status(1).stderr;
    assert!(
        again.contains("no other file of these stores") && again.contains("0a.jsonl:2, twice"),
        "{again}"
    );
}

#[test]
fn a_place_that_had_the_text_of_another_store_or_a_text_that_stays_elsewhere_is_not_called_clean() {
    let home = Home::new();
    let texts = ["The printer of the second floor is out.", "Nobody has the key of the small shed."];
    let line = |id: &str, text: &str| {
        json!({"id": id, "session_id": "s", "content": {"message": text}}).to_string() + "\n"
    };
    let log = |store: &str| home.at(store).join("sessions/s/memory.jsonl");
    // The text of the first stays in another memory, so the search of the store leaves it out.
    write(&log("a"), [line("mem_a", texts[0]), line("mem_c", texts[0])].concat());
    write(&log("b"), line("mem_b", texts[1]));
    write(&home.at(".bash_history"), texts[0]);
    write(&home.at(".zsh_history"), texts[1]);
    write(&home.at(".python_history"), texts[1]);
    let (a, b) = (home.at("a"), home.at("b"));
    let stores = ["--store", a.to_str().unwrap(), "--store", b.to_str().unwrap(), "--json"];
    let erase = ["erase", "mem_a", "mem_b", "--yes"];
    home.run(&[&erase[..], &stores].concat(), "").expect_status(0);
    write(&home.at(".python_history"), "print()");
    let checked = home.run(&[&["verify-erased", "--all"], &stores[..]].concat(), "").json_lines();
    assert_eq!(checked.len(), 2);
    let expected =
        [(".bash_history", "has-it"), (".python_history", "not-found"), (".zsh_history", "has-it")];
    for row in &checked {
        let states: Vec<_> = states(row).into_iter().filter(|(name, _)| name.ends_with("_history")).collect();
        assert_eq!(states, expected.map(|(name, now)| (name.to_owned(), now.to_owned())), "{row}");
    }
    let receipts = home.run(&[&["verify-erased", "--list"], &stores[..]].concat(), "").json_lines();
    for row in receipts {
        let receipt = std::fs::read_to_string(row["receipt"].as_str().unwrap()).unwrap();
        assert!(!receipt.contains("printer") && !receipt.contains("shed"), "{receipt}");
    }
}

#[test]
fn memories_and_instructions_of_other_agents_are_counted_with_their_kinds() {
    let home = Home::new();
    let memories = [".grok/memory/grok.md", ".config/goose/memory/goose.md", "work/shop/memory.json"];
    for path in memories.iter().chain(&["work/shop/AGENTS.md", ".claude/rules/money.md"]) {
        write(&home.at(path), &home.value);
    }
    let plan = home.run(&["erase", "--value-from", "-", "--dry-run"], &home.value).stdout;
    assert!(plan.contains("3 memory files of other programs, 2 files of instructions"), "{plan}");
}

#[test]
fn what_waits_for_approval_is_counted_by_check_and_named_with_a_value_and_the_open_store_is_not() {
    let folder = folder::new();
    let at = |path: &str| folder.path().join(path);
    write(&at(".hermes/memories/MEMORY.md"), "Tea at four.\n§\nThe shed is green.");
    let waiting = || -> Vec<Value> {
        let rows = run_in(folder.path(), &["check", "--json"], "").json_lines();
        rows.into_iter().filter(|row| row["code"] == "waiting-for-approval").collect()
    };
    assert!(waiting().is_empty());
    write(&at(".hermes/pending/memory/a1.json"), r#"{"text":"The shed is green."}"#);
    write(&at(".hermes/pending/memory/b2.json"), "{}");
    let found = waiting();
    assert_eq!((found.len(), &found[0]["severity"]), (1, &json!("note")));
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("2 writes in") && message.contains(".hermes/pending/memory"), "{message}");
    let words = ["erase", "--value-from", "-", "--dry-run", "--json"];
    let plan = run_in(folder.path(), &words, "The shed is green.").json_lines();
    assert_eq!(places(&plan[0]), [("memory".to_owned(), "a1.json".to_owned(), 1)]);
}
