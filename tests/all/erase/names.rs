//! An erasure also covers ids that repeat a text of the record, and reasons of tombstones.

use super::*;
use crate::support::{DemoStore, MadeStore, files_below};

/// A key without a known prefix.
fn key() -> String {
    ["9f8e7d6c5b4a", "39281706f5e4", "d3c2b1a09f8e", "7d6c"].concat()
}

fn made(format: &str) -> MadeStore {
    MadeStore::new((format, "note"))
}

/// Returns the files of the store and of palimp's own data that have the text in their content or name.
fn with_text(desk: &MadeStore, text: &str) -> Vec<PathBuf> {
    let has = |(path, bytes): &(PathBuf, Vec<u8>)| {
        path.to_string_lossy().contains(text) || memchr::memmem::find(bytes, text.as_bytes()).is_some()
    };
    files_below(desk.folder.path()).into_iter().filter(has).map(|(path, _)| path).collect()
}

#[test]
fn an_id_made_of_a_text_takes_no_key_from_it() {
    let desk = made("a-mem");
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8"].concat();
    desk.run(&["add", "--type", "note", "--text", &format!("deploy key {}", key())]).expect_status(0);
    desk.run(&["add", "--type", "note", "--text", &format!("push with {token}")]).expect_status(0);
    let rows = desk.run(&["list", "--json"]).json_lines();
    for row in rows {
        let id = row["id"].as_str().unwrap();
        assert!(!id.contains(&key()[..12]) && !id.contains("a1b2c3d4"), "{id}");
    }
}

#[test]
fn where_an_id_stays_that_holds_what_was_erased_is_said() {
    let desk = made("a-mem");
    desk.run(&["add", "--type", "note", "--text", "deploy"]).expect_status(0);
    // The id is from another program.
    let notes = desk.root().join("knowledge/notes");
    let note = std::fs::read_to_string(notes.join("deploy.md")).unwrap();
    let id = format!("deploy-key-{}", key());
    let with =
        note.replace("id: deploy", &format!("id: {id}")).replace("# deploy", &format!("# deploy {}", key()));
    let with = format!("{with}\ndeploy key {}\n", key());
    std::fs::write(notes.join(format!("{id}.md")), &with).unwrap();
    desk.run(&["tag", &id, "+new"]).expect_status(0);
    desk.run(&["delete", &id]).expect_status(0);
    assert!(with_text(&desk, &key()).len() > 2);
    let erased = desk.run(&["erase", &id, "--json"]).expect_status(4);
    assert!(!erased.stdout.contains("erasing.json"), "{}", erased.stdout);
    for file in with_text(&desk, &key()) {
        assert!(erased.stdout.contains(file.to_str().unwrap()), "{}: {}", file.display(), erased.stdout);
    }
    // The memory is still recognized as an erased one.
    std::fs::write(notes.join(format!("{id}.md")), with).unwrap();
    desk.run(&["check", "--json"]).expect_stdout("erased-anew");
}

#[test]
fn the_reason_of_a_tombstone_goes_with_its_record() {
    let site = session_log();
    let reason = ["leaked", "by", "agent", "seven"].join("-");
    site.run(&["delete", "sess_a/mem_001", "--reason", &reason, "--yes"]).expect_status(0);
    site.run(&["undelete", "sess_a/mem_001", "--yes"]).expect_status(0);
    assert!(!found(&site.data, std::slice::from_ref(&reason)).is_empty());
    site.erase("sess_a/mem_001");
    assert_eq!(found(site.store.around(), &[reason]), Vec::<PathBuf>::new());
}

/// Returns the receipt's path and what is left. Asserts that message, result and receipt agree.
fn left_of(erased: &Output) -> (String, Vec<String>) {
    let row: Value = serde_json::from_str(&erased.stdout).unwrap();
    let receipt = std::fs::read(row["receipt"].as_str().unwrap()).unwrap();
    let receipt: Value = serde_json::from_slice(&receipt).unwrap();
    assert_eq!((&row["left"], receipt["state"].as_str()), (&receipt["left"], Some("left")), "{receipt}");
    let left = row["left"].as_array().unwrap().iter().map(|own| own.as_str().unwrap().to_owned());
    let left: Vec<String> = left.collect();
    for own in &left {
        assert!(erased.stderr.contains(own.as_str()), "{own}: {}", erased.stderr);
    }
    let found: u64 =
        row["searched"].as_array().unwrap().iter().map(|own| own["left"].as_u64().unwrap()).sum();
    assert_eq!(found, left.len() as u64, "{row}");
    assert!(erased.stderr.contains("receipt: "), "{}", erased.stderr);
    (row["receipt"].as_str().unwrap().to_owned(), left)
}

/// Erases a record with a key in its name and its text. Each file that still has the key is named.
fn leaves_its_name(desk: &MadeStore, id: &str, how: &str) {
    let erased = desk.run(&["erase", id, "--json"]).expect_status(4);
    let (receipt, left) = left_of(&erased);
    let holding = with_text(desk, &key());
    for file in holding.iter().map(|own| own.to_str().unwrap()) {
        let told: Vec<&String> = left.iter().filter(|own| own.starts_with(&format!("{file}: "))).collect();
        let is_below = left.iter().any(|own| {
            own.contains(": its name repeats") && file.starts_with(own.split(": ").next().unwrap())
        });
        assert!(told.len() == 1 || is_below, "{how}: {file}: {left:?}");
        let is_list = file.ends_with("erased.jsonl") || file.ends_with("journal.jsonl");
        assert!(!is_list || told[0].contains("keep it"), "{how}: {told:?}");
    }
    assert!(holding.iter().any(|own| own.to_str() == Some(&receipt)), "{how}: {holding:?}");
    assert!(!left.iter().any(|own| own.contains("erasing.json")), "{how}: {left:?}");
}
#[test]
fn a_note_that_is_erased_directly_leaves_no_name_unsaid() {
    for id in [key(), format!("deploy-key-{}", key())] {
        let desk = made("a-mem");
        let note = format!(
            "---\nid: {id}\ntype: note\ntags: []\n---\n\n# Deploy\n\nThe key is {}.\n",
            key().to_uppercase()
        );
        std::fs::write(desk.root().join("knowledge/notes").join(format!("{id}.md")), note).unwrap();
        leaves_its_name(&desk, &id, &id);
    }
}

#[test]
fn a_part_of_a_key_in_a_name_is_said_too() {
    let desk = made("a-mem");
    let id = format!("deploy-{}", &key()[..20]);
    let note = format!("---\nid: {id}\ntype: note\ntags: []\n---\n\nThe key is {}.\n", key());
    std::fs::write(desk.root().join("knowledge/notes/deploy.md"), note).unwrap();
    let erased = desk.run(&["erase", &id, "--json"]).expect_status(4);
    let (_, left) = left_of(&erased);
    assert_eq!(left.len(), with_text(&desk, &id).len(), "{left:?}");
}

#[test]
fn an_entry_that_is_erased_leaves_no_name_unsaid_in_any_format() {
    let (key, says) = (key(), format!("The key is {}.", key()));
    let server = |id: &str| json!({"id": id, "content": says}).to_string();
    let tagged = |id: &str| json!({"id": id, "content": "It has a tag.", "tags": [key]}).to_string();
    let session = |id: &str, session: &str| {
        json!({"id": id, "session_id": session, "timestamp": "2026-01-01T10:00:00Z", "type": "finding",
            "content": {"finding": says}, "importance": 0.5, "tags": []})
        .to_string()
    };
    let named = format!("mem-{key}");
    let cases = [
        ("memory-server", "learnings.jsonl".to_owned(), named.clone(), server(&named)),
        ("memory-server", "learnings.jsonl".to_owned(), key.clone(), server(&key)),
        ("memory-server", "learnings.jsonl".to_owned(), named.clone(), tagged(&named)),
        ("session-log", "sessions/one/memory.jsonl".to_owned(), named.clone(), session(&named, "one")),
        // The session has the name, not the entry.
        ("session-log", format!("sessions/{key}/memory.jsonl"), "mem_1".to_owned(), session("mem_1", &key)),
    ];
    for (format, file, id, line) in cases {
        let desk = made(format);
        let path = desk.root().join(&file);
        crate::support::write(&path, format!("{line}\n"));
        leaves_its_name(&desk, &id, &format!("{format}, {file}, {id}"));
    }
}

#[test]
fn an_id_that_is_made_of_other_names_is_no_secret() {
    // The session's name is random, and ids, references and fields are made from it.
    let name = ["sess_", "0a1b2c3d", "4e5f6a7b"].concat();
    let line = |number: u32, text: &str| {
        json!({"id": format!("{name}_{number}"), "session_id": name, "timestamp": "2026-01-01T10:00:00Z",
            "type": "finding", "content": {"finding": text}, "references": [format!("{name}_1")],
            "importance": 0.5, "tags": [], "metadata": {"parent": format!("{name}_1"), "of": name}})
    };
    let desk = made("session-log");
    let folder = desk.root().join("sessions").join(&name);
    std::fs::create_dir_all(&folder).unwrap();
    let lines = format!("{}\n{}\n", line(1, "It stays as it is."), line(2, "It goes for good."));
    std::fs::write(folder.join("memory.jsonl"), lines).unwrap();
    desk.run(&["erase", &format!("{name}_2"), "--json"]).expect_status(0);
}

/// A second name of an unchanged file keeps no erased text.
#[test]
fn only_files_that_an_erasure_replaces_are_said_to_have_a_second_name_that_keeps_it() {
    let site = session_log();
    let (own, other) = (LOG, "sessions/sess_b/memory.jsonl");
    for (number, file) in [own, other].iter().enumerate() {
        let second = site.store.around().join(format!("second-{number}"));
        std::fs::hard_link(site.store.file(file), second).unwrap();
    }
    let keeps = |row: &Value| {
        let all = row["cannot_reach"].as_array().unwrap();
        let all = all.iter().map(|line| line.as_str().unwrap().to_owned());
        all.filter(|line| line.contains("hard link")).collect::<Vec<_>>()
    };
    let says = [format!("the second name of {own} (a hard link), which keeps what was in it")];
    let plan = site.run(&["erase", "sess_a/mem_001", "--dry-run", "--json"]).expect_status(0);
    assert_eq!(keeps(&plan.json_lines()[0]), says);
    assert_eq!(keeps(&site.erase("sess_a/mem_001")), says);
}

/// Index files and counts are replaced, too.
#[test]
fn the_preview_names_the_same_second_names_as_the_receipt_in_every_format() {
    let stores =
        ["notes/.chora/memory", "ops/memory", "shop/.bmad/memory", "team/memories", "web/.agent-memory"];
    for name in crate::support::tries::some(stores, &[1, 4]) {
        let desk = DemoStore::new(name);
        let files = crate::support::lasting(&desk.store).into_keys();
        for (number, file) in files.filter(|file| file.starts_with(&desk.store)).enumerate() {
            std::fs::hard_link(file, desk.folder().join(format!("second-{number}"))).unwrap();
        }
        let rows = desk.run(&["list", "--json"]).json_lines();
        let key = rows.first().unwrap()["key"].as_str().unwrap();
        let keeps = |words: &[&str]| {
            let output = desk.run(&[&["erase", key, "--json"], words].concat());
            let row =
                output.json_lines().first().unwrap_or_else(|| panic!("{name}: {}", output.stderr)).clone();
            let all = row["cannot_reach"].as_array().unwrap();
            let all = all.iter().map(|line| line.as_str().unwrap().to_owned());
            all.filter(|line| line.contains("hard link")).collect::<Vec<_>>()
        };
        let told = keeps(&["--dry-run"]);
        assert!(!told.is_empty(), "{name}");
        assert_eq!(keeps(&["--yes"]), told, "{name}");
    }
}

#[test]
fn an_event_of_another_status_with_the_same_note_is_named_as_staying() {
    let desk = made("a-mem");
    let note = ["the lamp of ", "the attic is broken"].concat();
    let event = |id: &str, status: &str| {
        json!({"event_id": id, "timestamp": NOW, "trace_id": "t", "event_type": "gate.checked", "status": status,
            "source": "cli", "schema_version": "1.0", "metadata": {"note": note}})
    };
    let events = desk.root().join("events/2026-01");
    std::fs::create_dir_all(&events).unwrap();
    let lines = format!("{}\n{}\n", event("evt-1", "success"), event("evt-2", "failure"));
    std::fs::write(events.join("events.jsonl"), lines).unwrap();
    desk.run(&["erase", "evt-1"]).expect_stderr("another memory has the same text and stays");
    assert_eq!(with_text(&desk, &note).len(), 1);
}
