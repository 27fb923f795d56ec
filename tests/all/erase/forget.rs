//! `forget`: what the preview names is what goes, in every format; rules are saved and run again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::demo::lay_out;
use crate::support::files::gzip;
use crate::support::tries::{config, count};
use crate::support::{Output, StoreBuilder, Verb, folder};

const NOW: &str = "2026-01-20T10:00:00Z";

/// Stores of the demo: each with a type, and a session if it needs one.
pub const PLACES: [(&str, &str, Option<&str>); 5] = [
    ("ops/memory", "finding", Some("oauth_spike")),
    ("team/memories", "learning", None),
    ("shop/.bmad/memory", "finding", Some("double-charge")),
    ("notes/.chora/memory", "note", None),
    ("till/.claude/memory", "project", None),
];

/// The stores of the demo, and a folder of palimp's own data.
pub struct Demo {
    folder: tempfile::TempDir,
}

impl Demo {
    pub fn new() -> Demo {
        let own = Demo { folder: folder::new() };
        lay_out(&own.stores(), NOW);
        own
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn stores(&self) -> PathBuf {
        self.folder.path().join("stores")
    }

    pub fn fed(&self, input: &str, words: &[&str]) -> Output {
        self.fed_in(&self.stores(), input, words)
    }

    fn fed_in(&self, stores: &Path, input: &str, words: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        let also = ["--store", stores.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", NOW];
        let words = words.iter().copied().chain(also);
        Verb::new(words).in_folder(self.folder.path()).home(self.folder.path()).with_input(input).run()
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.fed("", words)
    }

    /// Adds a memory with a text. False if its format takes none.
    pub fn add(&self, (store, kind, session): (&str, &str, Option<&str>), text: &str) -> bool {
        let (root, data) = (self.stores().join(store), self.folder.path().join("data"));
        let text = format!("Note it: {text} is what we said.");
        let words = ["add", "--type", kind, "--text", &text, "--yes", "--store", root.to_str().unwrap()];
        let also = ["--data-dir", data.to_str().unwrap(), "--now", NOW];
        let session = session.map_or(Vec::new(), |own| vec!["--session", own]);
        let words = words.into_iter().chain(also).chain(session);
        Verb::new(words).in_folder(self.folder.path()).run().status == Some(0)
    }

    /// The keys of all memories, also of deleted and archived ones.
    fn keys(&self) -> BTreeSet<String> {
        self.names().into_keys().collect()
    }

    /// The id and the type of each memory, by its key.
    fn names(&self) -> BTreeMap<String, (String, String)> {
        let rows = self.run(&["list", "--all", "--json"]).json_lines();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        rows.iter().map(|row| (text(row, "key"), (text(row, "id"), text(row, "type")))).collect()
    }
}

fn keys_in(facts: &Value) -> BTreeSet<String> {
    facts["keys"].as_array().unwrap().iter().map(|own| own.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_topic_goes_with_what_the_preview_named_and_nothing_else() {
    let topics = ["retry budget", "payments", "release", "oauth", "search index", "pool", "database", "ci"];
    for topic in &topics[..count(1, topics.len())] {
        let demo = Demo::new();
        let (before, names_before) = (demo.keys(), demo.names());
        let words = ["forget", "--topic", topic, "--json"];
        let preview = demo.run(&[&words[..], &["--dry-run"]].concat()).json_lines();
        assert_eq!(demo.keys(), before);
        let named = keys_in(&preview[0]["forget"]);
        assert!(!named.is_empty(), "{topic}");
        let done = demo.run(&[&words[..], &["--yes"]].concat()).expect_status(0).json_lines();
        assert_eq!(keys_in(&done[0]["forget"]), named, "{topic}");
        let after = demo.keys();
        // A checkpoint without the part that went has another key, and the same id.
        let names = demo.names();
        let is_changed = |key: &&String| {
            names_before[*key].1 == "checkpoint" && names.values().any(|own| *own == names_before[*key])
        };
        let gone: BTreeSet<&String> = before.difference(&after).filter(|key| !is_changed(key)).collect();
        let stays: BTreeSet<&String> =
            before.intersection(&named).filter(|own| after.contains(*own)).collect();
        assert_eq!(gone, before.intersection(&named).collect(), "{topic}: {stays:?}");
        let again = demo.run(&["forget", "--topic", topic, "--dry-run"]);
        // Of some formats, events and checkpoints stay.
        assert!(matches!(again.status, Some(1 | 3)), "{topic}: {}", again.stdout);
        demo.run(&["verify-erased", "--all"]).expect_status(0);
    }
}

#[test]
fn a_person_is_forgotten_by_a_list_of_names_and_a_short_name_goes_with_its_memories() {
    let demo = Demo::new();
    let add = |text: &str| assert!(demo.add(PLACES[0], text));
    add("Marzenka prefers tabs.");
    add("Write to marzenka.w@corp.example about it.");
    add("Nothing about a person.");
    let list = demo.folder.path().join("names.txt");
    std::fs::write(&list, "# who left\nMarzenka\nmarzenka.w@corp.example\n").unwrap();
    let names = ["forget", "--names", list.to_str().unwrap()];
    let told = demo.run(&[&names[..], &["--dry-run"]].concat()).stdout;
    assert!(told.starts_with("forget 2 memories, and 2 values wherever they are"), "{told}");
    demo.run(&[&names[..], &["--yes"]].concat()).expect_status(0);
    let left = demo.run(&["list", "marzenka", "--all"]);
    assert_eq!(left.stdout, "");
    assert!(demo.run(&["list", "\"about a person\""]).stdout.contains("Nothing about a person"));
}

#[test]
fn a_key_is_named_by_its_provider_and_its_near_copies_by_their_memories() {
    let demo = Demo::new();
    let key = ["ghp_", "x7Kd9Qw2Lm4Rt6Yp8Zs1", "Vb3Nc5Hf0JgAeTuW"].concat();
    let add = |text: &str| assert!(demo.add(PLACES[0], text));
    add(&format!("The deploy job uses {key} as its token."));
    add(&format!("A part of it: {} was in the log.", &key[..24]));
    let words = ["forget", "--value-from", "-", "--json"];
    let plan = demo.fed(&key, &[&words[..], &["--dry-run"]].concat()).json_lines();
    let facts = &plan[0]["forget"];
    assert_eq!((facts["memories"].as_u64(), facts["values"].as_u64()), (Some(1), Some(1)), "{facts}");
    assert_eq!(facts["rotate"][0]["provider"], "GitHub");
    assert_eq!(facts["near_copies"].as_array().unwrap().len(), 1, "{facts}");
    let done = demo.fed(&key, &[&words[..], &["--yes"]].concat()).expect_status(0).json_lines();
    let receipt = done[1]["receipt"].as_str().unwrap();
    let receipt = std::fs::read_to_string(receipt).unwrap();
    assert!(
        receipt.contains("\"provider\": \"GitHub\"") || receipt.contains("\"provider\":\"GitHub\""),
        "{receipt}"
    );
    assert!(!receipt.contains(&key[..12]));
    demo.fed(&key, &["verify-erased", "--value-from", "-"]).expect_status(0);
    let taken = demo.fed(&key[..24], &["forget", "--value-from", "-", "--yes"]).expect_status(0);
    assert!(!taken.stdout.contains(&key[..24]) && !taken.stderr.contains(&key[..24]));
}

#[test]
fn a_value_is_masked_in_text_of_any_encoding_and_a_file_that_is_no_text_is_named_before() {
    let demo = Demo::new();
    let value = ["marzipan", "-and-", "tea-77"].concat();
    let file = |name: &str| demo.stores().join(PLACES[0].0).join(name);
    let latin = |own: &str| [b"caf\xe9 ", own.as_bytes(), b"\n"].concat();
    let wide = |own: &str| -> Vec<u8> {
        format!("\u{feff}a {own}\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let binary = [b"\xff\x01", value.as_bytes()].concat();
    std::fs::write(file("latin.txt"), latin(&value)).unwrap();
    std::fs::write(file("wide.txt"), wide(&value)).unwrap();
    std::fs::write(file("data.bin"), &binary).unwrap();
    let words = ["forget", "--value-from", "-"];
    let plan = demo.fed(&value, &[&words[..], &["--dry-run"]].concat()).stdout;
    assert!(plan.contains("data.bin: it is no text, and keeps the value"), "{plan}");
    assert!(!plan.contains("txt: it is no text"), "{plan}");
    demo.fed(&value, &[&words[..], &["--yes"]].concat()).expect_status(4);
    let mask = "\u{2022}".repeat(6);
    assert_eq!(std::fs::read(file("latin.txt")).unwrap(), latin(&mask));
    assert_eq!(std::fs::read(file("wide.txt")).unwrap(), wide(&mask));
    assert_eq!(std::fs::read(file("data.bin")).unwrap(), binary);
}

#[test]
fn a_value_that_is_written_into_another_store_later_is_found_by_the_check_of_all_receipts() {
    let demo = Demo::new();
    let value = ["marzipan", "-or-", "tea-88"].concat();
    assert!(demo.add(PLACES[0], &value));
    demo.fed(&value, &["forget", "--value-from", "-", "--yes"]).expect_status(0);
    demo.run(&["verify-erased", "--all"]).expect_status(0);
    std::fs::write(demo.stores().join("team/memories/later.txt"), &value).unwrap();
    demo.run(&["verify-erased", "--all"]).expect_status(1).expect_stdout("later.txt");
}

#[test]
fn a_check_that_could_not_read_a_file_is_not_clean_and_names_it() {
    let demo = Demo::new();
    let value = ["marzipan", "-yet-", "tea-66"].concat();
    assert!(demo.add(PLACES[0], &value));
    demo.fed(&value, &["forget", "--value-from", "-", "--yes"]).expect_status(0);
    let packed = (0..9).fold(b"{}".to_vec(), |bytes, _| gzip(&bytes));
    std::fs::write(demo.stores().join(PLACES[0].0).join("later.gz"), packed).unwrap();
    let checked = demo.run(&["verify-erased", "--all"]).expect_status(1);
    assert!(checked.stderr.contains("later.gz"), "{}", checked.stderr);
    assert!(checked.stdout.contains("none of those that could be read has it"), "{}", checked.stdout);
}

#[test]
fn what_a_stopped_erasure_left_in_another_store_is_named_by_the_check_and_goes_with_the_same_erasure() {
    let demo = Demo::new();
    let value = ["marzipan", "-but-", "tea-77"].concat();
    assert!(PLACES[..2].iter().all(|own| demo.add(*own, &value)));
    let words = ["forget", "--value-from", "-", "--yes"];
    // It was stopped after its first store.
    demo.fed_in(&demo.stores().join(PLACES[0].0), &value, &words).expect_status(0);
    demo.run(&["verify-erased", "--all"]).expect_status(1).expect_stdout(PLACES[1].0);
    demo.fed(&value, &words).expect_status(0);
    demo.run(&["verify-erased", "--all"]).expect_status(0);
}

#[test]
fn files_that_an_agent_imports_are_searched_beside_the_stores() {
    let demo = Demo::new();
    let value = ["marzipan", "-and-", "tea-99"].concat();
    let file = demo.stores().join("web/imports/notebook/mine.txt");
    crate::support::write(&file, &value);
    let plan = demo.fed(&value, &["forget", "--value-from", "-", "--dry-run", "--json"]).json_lines();
    let all: Vec<&Value> = plan.iter().filter_map(|own| own["beside"].as_array()).flatten().collect();
    assert_eq!((all.len(), &all[0]["kind"]), (1, &"import".into()), "{all:?}");
}

#[test]
fn a_rule_is_saved_without_a_value_and_runs_again() {
    let demo = Demo::new();
    let saved = demo.run(&["forget", "--topic", "retry budget", "--until", "-1d", "--rule", "retries"]);
    assert!(saved.stderr.contains("`palimp forget --rule retries` runs it again"), "{}", saved.stderr);
    assert_eq!(saved.status, Some(3), "off a terminal nothing is erased without --yes");
    let rules = demo.run(&["forget", "--rules", "--json"]).json_lines();
    assert_eq!((&rules[0]["rule"], &rules[0]["until"]), (&"retries".into(), &"-1d".into()));
    demo.run(&["forget", "--rule", "retries", "--yes"]).expect_status(0);
    let nothing = demo.run(&["forget", "--rule", "retries", "--yes"]).expect_status(0);
    assert!(nothing.stderr.contains("no memory fits"), "{}", nothing.stderr);
    demo.fed("kingfisher-17", &["forget", "--value-from", "-", "--rule", "key", "--yes"]).expect_status(3);
    demo.run(&["forget", "--rule", "unknown"]).expect_status(2);
    demo.run(&["forget"]).expect_status(2);
    demo.run(&["forget", "--since", "-3d"]).expect_status(2);
    demo.run(&["forget", "--remove-rule", "retries"]).expect_status(0);
    demo.run(&["forget", "--rules"]).expect_status(1);
}

#[test]
fn a_rule_runs_in_its_stores_from_anywhere_and_is_quiet_if_that_is_asked() {
    let stores = [(), ()]
        .map(|()| StoreBuilder::memory_server().learning(json!({"content": "Old marzipan."})).build());
    let [mine, other] = &stores;
    mine.at_now(&["forget", "--topic", "marzipan", "--rule", "sweets"]).expect_status(3);
    mine.at_now(&["verify-erased", "--all", "--quiet"]).expect_status(0);
    let data = mine.data();
    let cron = |words: &[&str]| {
        let own = ["--quiet", "--now", NOW, "--data-dir", data.to_str().unwrap()];
        let done = Verb::new([words, &own].concat()).in_folder(&other.path).home(other.around()).run();
        let done = done.expect_status(0);
        assert_eq!(done.stdout + &done.stderr, "", "{words:?}");
    };
    let rule = ["forget", "--rule", "sweets", "--yes"];
    cron(&rule);
    assert!(!mine.text("learnings.jsonl").contains("marzipan"));
    assert!(other.text("learnings.jsonl").contains("marzipan"));
    cron(&rule);
    cron(&["maintain", "--yes"]);
}

#[test]
fn what_a_format_keeps_is_left_out_with_the_reason_and_the_rest_goes() {
    let demo = Demo::new();
    let words = ["forget", "--query", "type:checkpoint,tool_run store:web", "--json"];
    let plan = demo.run(&[&words[..], &["--dry-run"]].concat()).expect_status(0).json_lines();
    let left = plan[0]["forget"]["left_out"].as_array().unwrap();
    assert!(left[0]["reason"].as_str().unwrap().contains("the latest checkpoint"), "{left:?}");
    let named = keys_in(&plan[0]["forget"]);
    assert!(named.len() > 3, "{plan:?}");
    demo.run(&[&words[..], &["--yes"]].concat()).expect_status(0);
    assert!(demo.keys().is_disjoint(&named));
}

#[test]
fn pinned_memories_stay_and_are_named() {
    let demo = Demo::new();
    let keys = demo.run(&["list", "retry", "--json"]).json_lines();
    let key = keys.iter().find(|row| row["format"] == "bmad").unwrap()["key"].as_str().unwrap();
    demo.run(&["tag", key, "+pinned", "--yes"]).expect_status(0);
    let plan = demo.run(&["forget", "--topic", "retry", "--dry-run", "--json"]).json_lines();
    assert_eq!(plan[0]["forget"]["pinned"].as_array().unwrap().len(), 1);
    let all = demo.run(&["forget", "--topic", "retry", "--pinned", "--dry-run", "--json"]).json_lines();
    assert_eq!(all[0]["forget"]["pinned"].as_array().unwrap().len(), 0);
    assert_eq!(
        all[0]["forget"]["memories"].as_u64(),
        plan[0]["forget"]["memories"].as_u64().map(|own| own + 1)
    );
}

/// The forms in which memories hold a value.
fn encoded(value: &str, form: u64) -> String {
    match form % 5 {
        0 => value.to_owned(),
        1 => {
            base64::Engine::encode(&base64::engine::general_purpose::STANDARD, format!("it is {value} here"))
        }
        2 => value.bytes().map(|byte| format!("{byte:02x}")).collect(),
        3 => serde_json::to_string(value).unwrap(),
        _ => serde_json::to_string(&serde_json::to_string(value).unwrap()).unwrap(),
    }
}

proptest! {
    #![proptest_config(config(1, 40))]

    #[test]
    fn a_value_in_any_encoding_goes_with_what_the_preview_named_and_nothing_else(
        number in any::<u32>(),
        forms in prop::collection::vec(any::<u64>(), 5),
    ) {
        let demo = Demo::new();
        let value = format!("zebra-{number}-\"{}\" été", number % 977);
        let held = forms.iter().zip(PLACES).filter(|(form, place)| demo.add(*place, &encoded(&value, **form)));
        let held = held.count();
        assert!(held >= 4, "{held}");
        let before = demo.keys();
        let words = ["forget", "--value-from", "-", "--json"];
        let plan = demo.fed(&value, &[&words[..], &["--dry-run"]].concat()).json_lines();
        let facts = &plan[0]["forget"];
        let named = keys_in(facts);
        assert!(named.len() >= held, "{facts}");
        let left = facts["left_out"].as_array().unwrap().iter().flat_map(keys_in).collect::<BTreeSet<_>>();
        demo.fed(&value, &[&words[..], &["--yes"]].concat()).expect_status(0);
        let after = demo.keys();
        let gone: BTreeSet<&String> = before.difference(&after).collect();
        assert!(gone.iter().all(|own| named.contains(*own) || left.contains(*own)), "{value}: {gone:?}");
        assert!(named.iter().all(|own| !after.contains(own)), "{value}");
        demo.fed(&value, &["verify-erased", "--value-from", "-"]).expect_status(0);
        demo.run(&["verify-erased", "--all"]).expect_status(0);
    }
}

#[test]
fn receipts_are_listed_with_their_later_checks_and_a_value_that_was_written_again_is_found() {
    let demo = Demo::new();
    demo.run(&["forget", "--topic", "retry budget", "--yes"]).expect_status(0);
    let rows = demo.run(&["verify-erased", "--list", "--json"]).json_lines();
    assert!(
        rows.len() >= 2 && rows.iter().all(|row| row["checks"].as_array().unwrap().is_empty()),
        "{rows:?}"
    );
    demo.run(&["verify-erased", "--all"]).expect_status(0);
    demo.run(&["verify-erased", "--list"]).expect_stdout("searched again").expect_stdout("nothing found");
    let before = Demo::new();
    let erased = ["learnings", "tasks", "core_memories"].into_iter().find_map(|name| {
        let path = format!("team/memories/{name}.jsonl");
        let now = std::fs::read_to_string(demo.stores().join(&path)).unwrap();
        let was = std::fs::read_to_string(before.stores().join(&path)).unwrap();
        let line = was.lines().find(|line| !now.contains(line)).map(str::to_owned)?;
        Some((demo.stores().join(path), format!("{now}{line}\n")))
    });
    let (log, text) = erased.unwrap();
    std::fs::write(&log, text).unwrap();
    let found = demo.run(&["verify-erased", "--all", "--json"]);
    assert_eq!(found.status, Some(1), "{}", found.stdout);
    let rows = demo.run(&["verify-erased", "--list", "--json"]).json_lines();
    let last = |row: &Value| row["checks"].as_array().unwrap().last().unwrap()["found"].as_u64().unwrap();
    assert!(rows.iter().any(|row| last(row) > 0) && rows.iter().any(|row| last(row) == 0), "{rows:?}");
}

#[test]
fn words_of_a_topic_are_counted_in_transcripts_without_regard_to_case_and_nothing_there_changes() {
    let demo = Demo::new();
    let transcript = demo.folder.path().join(".claude/projects/-x/one.jsonl");
    std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    let text = "{\"text\":\"the RETRY budget\"}\n{\"text\":\"Retry, retry\"}\n";
    std::fs::write(&transcript, text).unwrap();
    let plan = demo.run(&["forget", "--topic", "retry budget", "--dry-run", "--json"]).json_lines();
    let beside = plan[1]["beside"].as_array().unwrap();
    assert_eq!(
        (&beside[0]["kind"], beside[0]["words"].as_u64()),
        (&"transcript".into(), Some(4)),
        "{beside:?}"
    );
    demo.run(&["forget", "--topic", "retry budget", "--yes"]).expect_status(0).expect_stdout("one.jsonl");
    assert_eq!(std::fs::read_to_string(&transcript).unwrap(), text);
}
