//! `forget`: what stays is named, and not a word of a value is shown.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Output, Verb, folder};

const NOW: &str = "2026-01-20T10:00:00Z";
const OLD: &str = "2025-01-01T00:00:00Z";
const NEW: &str = "2026-01-19T00:00:00Z";

/// A token that opens nothing. It is in pieces, so that no scanner takes it for a real one.
fn token() -> String {
    ["gh", "p_", "A1b2C3d4E5f6G7h8", "I9j0K1l2M3n4O5p6Q7r8"].concat()
}

/// A store with these memories, a home folder, and a folder of palimp's own data.
struct Home {
    folder: tempfile::TempDir,
}

/// Returns a memory as it is in its file.
fn memory(id: &str, time: &str, tags: &[&str], text: &str) -> String {
    let own = json!({"session_id": "s", "type": "conversation", "id": id, "tags": tags, "timestamp": time,
        "content": {"role": "user", "message": text}});
    format!("{own}\n")
}

impl Home {
    fn new(memories: &[String]) -> Home {
        let own = Home { folder: folder::new() };
        std::fs::create_dir_all(own.log().parent().unwrap()).unwrap();
        std::fs::write(own.log(), memories.concat()).unwrap();
        std::fs::write(own.folder.path().join("store/config.json"), "{\"version\":\"1.0\"}").unwrap();
        own
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("store/sessions/s/memory.jsonl")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.log()).unwrap()
    }

    fn run(&self, input: &str, words: &[&str]) -> Output {
        run_in(self.folder.path(), "store", input, words)
    }

    /// Runs `forget` and returns its facts.
    fn facts(&self, input: &str, words: &[&str]) -> Value {
        let words = [&["forget", "--json"], words].concat();
        self.run(input, &words).json_lines()[0]["forget"].clone()
    }
}

/// Runs a verb on a store below a home folder.
fn run_in(home: &Path, store: &str, input: &str, words: &[&str]) -> Output {
    let (store, data) = (home.join(store), home.join("data"));
    let also = ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", NOW];
    Verb::new(words.iter().copied().chain(also)).in_folder(home).home(home).with_input(input).run()
}

fn count(facts: &Value, name: &str) -> usize {
    facts[name].as_array().unwrap().len()
}

#[test]
fn a_value_is_not_shown_and_is_searched_for_beside_the_stores_though_a_memory_with_it_stays() {
    let key = token();
    let stays = memory("mem_1", OLD, &[], &format!("Old: {key}"));
    let home = Home::new(&[stays.clone(), memory("mem_2", NEW, &[], &format!("New: {key}"))]);
    let history = home.folder.path().join(".bash_history");
    std::fs::write(&history, format!("export TOKEN={key}\n")).unwrap();
    let words = ["forget", "--value-from", "-", "--since", "-2d"];
    let plan = home.run(&key, &[&words[..], &["--dry-run"]].concat());
    for told in ["forget 1 memory\n", "with a value, and not forgotten: 1 memory\n", "1 value stays"] {
        assert!(plan.stdout.contains(told), "{told}: {}", plan.stdout);
    }
    assert!(plan.stdout.contains(".bash_history"), "{}", plan.stdout);
    let done = home.run(&key, &[&words[..], &["--yes", "--json"]].concat()).expect_status(0);
    let rows = done.json_lines();
    let receipt = rows.iter().find_map(|row| row["receipt"].as_str()).unwrap();
    let receipt = std::fs::read_to_string(receipt).unwrap();
    assert!(receipt.contains(".bash_history"), "{receipt}");
    for shown in [&plan.stdout, &plan.stderr, &done.stdout, &done.stderr, &receipt] {
        assert!(!shown.contains(&key[4..12]), "{shown}");
    }
    assert_eq!(home.text(), stays);
}

#[test]
fn a_memory_with_a_part_of_a_value_is_named_once_and_never_quoted() {
    let key = token();
    let says =
        |part: &str| format!("The deploy job uses {part} as its token in the nightly run of all tests");
    let home = Home::new(&[
        memory("mem_1", OLD, &[], &says(&key)),
        memory("mem_2", OLD, &[], &says(&key[..20])),
        memory("mem_3", OLD, &[], &says(&key[20..])),
    ]);
    for words in [&["--dry-run"][..], &["--near-copies", "--dry-run"], &["--near-copies", "--yes"]] {
        let words = [&["forget", "--value-from", "-"], words].concat();
        let told = home.run(&key, &words).expect_status(0).stdout;
        assert!(!told.contains(&key[4..12]) && !told.contains(&key[24..32]), "{told}");
        if !words.contains(&"--near-copies") {
            assert_eq!(told.matches("holds a part of the value").count(), 2, "{told}");
            assert_eq!(told.matches("mem_2").count(), 1, "{told}");
        }
    }
    assert_eq!(home.text(), "");
}

#[test]
fn pinned_memories_and_those_of_another_time_stay_though_they_say_the_same() {
    let says = "Marzipan pays on the first day of each month and wants the invoice as a file";
    let nearly = says.replace("the invoice", "an invoice");
    let all = [
        memory("mem_1", NEW, &[], says),
        memory("mem_2", NEW, &["pinned"], says),
        memory("mem_3", OLD, &[], says),
        memory("mem_4", NEW, &["pinned"], &nearly),
        memory("mem_5", NEW, &[], &says.replace("Marzipan", "It")),
    ];
    let home = Home::new(&all);
    let words = ["--topic", "marzipan", "--since", "-2d", "--near-copies"];
    let facts = home.facts("", &[&words[..], &["--dry-run"]].concat());
    assert_eq!((count(&facts, "keys"), count(&facts, "pinned")), (2, 2), "{facts}");
    assert_eq!(facts["near_copies"][0]["outside_time"], true, "{facts}");
    home.run("", &[&["forget"], &words[..], &["--yes"]].concat()).expect_status(0);
    assert_eq!(home.text(), all[1..4].concat());
}

#[test]
fn a_short_rule_for_something_else_is_no_near_copy_and_stays() {
    let says = "Never run the alpha migration before you deploy to the production cluster";
    let other = memory("mem_2", OLD, &[], &says.replace("alpha", "beta"));
    let home = Home::new(&[memory("mem_1", OLD, &[], says), other.clone()]);
    let words = ["--topic", "alpha", "--near-copies"];
    let facts = home.facts("", &[&words[..], &["--dry-run"]].concat());
    assert_eq!((count(&facts, "keys"), count(&facts, "near_copies")), (1, 0), "{facts}");
    home.run("", &[&["forget"], &words[..], &["--yes"]].concat()).expect_status(0);
    assert_eq!(home.text(), other);
}

#[test]
fn a_memory_that_its_format_keeps_is_counted_as_staying_with_the_value_masked() {
    let folder = folder::new();
    crate::support::demo::lay_out(folder.path(), NOW);
    let run = |input: &str, words: &[&str]| run_in(folder.path(), "web", input, words);
    let value = "The cart is empty after a deploy";
    let words = ["forget", "--value-from", "-", "--json"];
    let facts = run(value, &[&words[..], &["--dry-run"]].concat()).json_lines()[0]["forget"].clone();
    assert_eq!((count(&facts, "keys"), count(&facts, "kept")), (1, 1), "{facts}");
    // Checkpoints have the same summary, and are no copies.
    assert_eq!((facts["memories"].as_u64(), count(&facts, "near_copies")), (Some(1), 0), "{facts}");
    let before = run("", &["list", "--all", "--json"]).json_lines().len();
    run(value, &[&words[..], &["--yes"]].concat()).expect_status(0);
    assert_eq!(run("", &["list", "--all", "--json"]).json_lines().len(), before - 1);
}

#[test]
fn a_memory_with_the_id_of_one_that_goes_is_named_as_a_copy_and_not_as_staying() {
    let home = Home::new(&[
        memory("mem_1", NEW, &[], "Marzipan moved."),
        memory("mem_1", NEW, &["pinned"], "Marzipan moved."),
        memory("mem_2", NEW, &[], "Nothing to see here."),
    ]);
    let facts = home.facts("", &["--topic", "marzipan", "--dry-run"]);
    assert_eq!((count(&facts, "copies"), count(&facts, "pinned")), (1, 0), "{facts}");
    home.run("", &["forget", "--topic", "marzipan", "--yes"]).expect_status(0);
    assert_eq!(home.text(), memory("mem_2", NEW, &[], "Nothing to see here."));
}

#[test]
fn a_star_in_a_topic_is_a_star_and_a_list_that_can_not_be_read_whole_is_refused() {
    let home = Home::new(&[
        memory("mem_1", NEW, &["alpha"], "Nothing."),
        memory("mem_2", NEW, &["a*"], "Nothing of it."),
    ]);
    let facts = home.facts("", &["--topic", "a*", "--dry-run"]);
    assert_eq!(count(&facts, "keys"), 1, "{facts}");
    let list = home.folder.path().join("names.txt");
    std::fs::write(&list, "a name\n".repeat(200_000)).unwrap();
    let refused = home.run("", &["forget", "--names", list.to_str().unwrap(), "--yes"]).expect_status(2);
    assert!(refused.stderr.contains("more than 1 MiB"), "{}", refused.stderr);
}

#[test]
fn another_rule_of_the_same_name_is_not_replaced() {
    let home = Home::new(&[memory("mem_1", NEW, &[], "Marzipan moved.")]);
    home.run("", &["forget", "--topic", "marzipan", "--rule", "customer"]);
    let refused = home.run("", &["forget", "--topic", "other", "--rule", "customer"]).expect_status(3);
    assert!(refused.stderr.contains("there is another rule customer: topic marzipan"), "{}", refused.stderr);
    let rules = home.run("", &["forget", "--rules"]).expect_status(0);
    assert!(rules.stdout.starts_with("customer: topic marzipan, in /"), "{}", rules.stdout);
}

#[test]
fn deleted_memories_that_can_not_be_restored_afterwards_are_named_before() {
    let folder = folder::new();
    crate::support::demo::lay_out(folder.path(), NOW);
    let run = |words: &[&str]| run_in(folder.path(), "shop/.bmad/memory", "", words);
    let rows = |query: &str| -> Vec<[String; 2]> {
        let rows = run(&["list", query, "--all", "--json"]).json_lines();
        rows.iter().map(|own| ["key", "id"].map(|name| own[name].as_str().unwrap().to_owned())).collect()
    };
    let live = rows("type:decision is:live");
    let ([first, id], [second, name]) = (&live[0], &live[1]);
    run(&["delete", first, second, "--yes"]).expect_status(0);
    assert_eq!(rows("is:deleted").len(), 2);
    let query = format!("is:deleted id:{id}");
    let plan = run(&["forget", "--query", &query, "--dry-run", "--json"]).json_lines();
    let facts = &plan[0]["forget"];
    assert_eq!((count(facts, "keys"), count(facts, "lost")), (1, 1), "{facts}");
    let told = run(&["forget", "--query", &query, "--yes"]).expect_status(0).stdout;
    assert!(
        told.contains("with 1 deleted memory, which can't be restored then") && told.contains(name),
        "{told}"
    );
    assert!(rows("is:deleted").is_empty());
}

#[test]
fn a_deleted_note_that_is_erased_can_be_searched_for_later_and_a_missing_receipt_is_said() {
    let text = "A receipt is made once, from the sale as it was.\n";
    let (note, entry) = (format!("# Receipts\n\n{text}"), format!("Names are English words.\n§\n{text}"));
    let notes = ("app/.serena/memories", "receipts.md", note, "receipts");
    for (root, file, text, id) in [notes, (".hermes/memories", "MEMORY.md", entry, "MEMORY.1")] {
        let folder = folder::new();
        let file = folder.path().join(root).join(file);
        let run = |words: &[&str]| run_in(folder.path(), root, "", words);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &text).unwrap();
        std::fs::write(file.with_file_name("USER.md"), "Names are English words.\n").unwrap();
        run(&["delete", id, "--yes"]).expect_status(0);
        let done = run(&["forget", "--query", "is:deleted", "--yes", "--json"]).expect_status(0).json_lines();
        let told = run(&["verify-erased", "--all"]).expect_status(0).stdout;
        assert!(told.contains("1 value of step 2: none has it"), "{told}");
        std::fs::write(&file, text).unwrap();
        run(&["verify-erased", "--all"]).expect_status(1);
        std::fs::remove_file(done.iter().find_map(|row| row["receipt"].as_str()).unwrap()).unwrap();
        let told = run(&["verify-erased", "--all"]).expect_status(1).stdout;
        assert!(told.contains("of step 2 the receipt, its digests or their key are missing"), "{told}");
    }
}

#[test]
fn a_topic_or_a_query_that_says_nothing_never_means_everything() {
    let all = [memory("mem_1", NEW, &[], "Marzipan moved."), memory("mem_2", NEW, &[], "Nothing.")];
    let home = Home::new(&all);
    for words in [["--topic", ""], ["--topic", "\"\""], ["--query", "sort:time"], ["--query", "limit:9"]] {
        home.run("", &[&["forget"], &words[..], &["--yes"]].concat()).expect_status(2);
        home.run("", &[&["forget"], &words[..], &["--kind", "email", "--yes"]].concat()).expect_status(2);
    }
    assert_eq!(home.text(), all.concat());
}

#[test]
fn a_person_and_a_kind_must_both_be_in_a_memory_that_goes() {
    let address = ["bob", "corp.example.org"].join("@");
    let all = [
        memory("mem_1", NEW, &[], "Marzenka prefers tabs."),
        memory("mem_2", NEW, &[], &format!("Write to {address}.")),
        memory("mem_3", NEW, &[], &format!("Marzenka writes from {address}.")),
    ];
    let home = Home::new(&all);
    let list = home.folder.path().join("names.txt");
    std::fs::write(&list, "Marzenka\n").unwrap();
    let facts = home.facts("", &["--names", list.to_str().unwrap(), "--kind", "email", "--dry-run"]);
    assert_eq!(count(&facts, "keys"), 1, "{facts}");
}

#[test]
fn an_id_with_an_asked_value_is_not_printed_and_a_rule_that_holds_a_value_must_go_first() {
    let all = [
        memory("mem_1", NEW, &["x"], "The word is kingfisher-17."),
        memory("note-kingfisher-17", OLD, &[], "It has it in its id: kingfisher-17."),
    ];
    let home = Home::new(&all);
    let words = ["forget", "--value-from", "-", "--query", "tag:x", "--dry-run"];
    let told = home.run("kingfisher-17", &words);
    assert!(!told.stdout.contains("kingfisher") && !told.stderr.contains("kingfisher"), "{}", told.stdout);
    let home = Home::new(&all[..1]);
    home.run(
        "",
        &["forget", "--topic", "kingfisher-17", "--until", "2020-01-01", "--rule", "birds", "--yes"],
    );
    let refused = home.run("kingfisher-17", &["forget", "--value-from", "-", "--yes"]).expect_status(3);
    assert!(refused.stderr.contains("a saved rule holds the value"), "{}", refused.stderr);
    assert_eq!(home.text(), all[0]);
}
