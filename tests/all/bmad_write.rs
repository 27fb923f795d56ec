//! Changes of `bmad` stores: the store before, a verb, the store after, and back again.

mod adding;
mod auto_redaction;
mod sessions;

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use palimp::disk::host::Host;
use palimp::disk::{Machine, RealDisk, ThisMachine};
use palimp::model::{Entry, Extent, Lock, Plan, State, Store, UnreadPath};
use palimp::ops::{self, FieldAssignment, RecordDraft, Refusal, WriteContext};
use palimp::store::hidden_names::{OldFileName, is_ours};
use palimp::store::{Place, load, write::Writer};
use serde_json::{Value, json};
use support::files::now;
use support::{Files, TempStore, tar_gz};

use crate::bmad::lines;

const NAME: &str = "sess-2026-01-11-abc123";
const SESSION: &str = "sessions/sess-2026-01-11-abc123";
const ARCHIVE: &str = "archive/sess-2026-01-11-abc123.tar.gz";
const ARCHIVE_MANIFEST: &str = "archive/sess-2026-01-11-abc123.manifest.json";

fn message(number: usize) -> Value {
    json!({"id": format!("msg-{number:03}"), "timestamp": format!("2026-01-11T10:{:02}:00Z", number % 60),
        "agent_id": "analyst", "role": "user", "content": format!("Question {number} about pools"),
        "zzz": 1.50, "decay_factor": 1.0})
}

fn decision() -> Value {
    json!({"id": "dec-001", "timestamp": "2026-01-11T10:10:00Z", "made_by": "architect",
        "approved_by": ["user-789"], "decision": "Use PostgreSQL", "impact": "high", "tags": ["database"],
        "references": {"conversations": ["msg-001"]}, "decay_factor": 1.0})
}

fn finding() -> Value {
    json!({"id": "finding-003", "timestamp": "2026-01-11T10:08:15Z", "discovered_by": "analyst",
        "severity": "critical", "description": "No connection pool", "status": "open", "decay_factor": 1.0})
}

fn preference() -> Value {
    json!({"id": "pref-001", "timestamp": "2026-01-11T10:00:00Z", "category": "communication",
        "key": "response_style", "value": "concise", "decay_factor": 1.0})
}

/// A store whose derived files an agent wrote, with other spacing and order than palimp's.
fn healthy() -> Files {
    let logs = [
        ("conversation.jsonl", lines(&[message(1), message(2), message(3)])),
        ("decisions.jsonl", lines(&[decision()])),
        ("findings.jsonl", lines(&[finding()])),
        ("preferences.jsonl", lines(&[preference()])),
    ];
    let size: usize = logs.iter().map(|(_, log)| log.len()).sum();
    let manifest = json!({"session_id": NAME, "created_at": "2026-01-11T10:00:00Z",
        "updated_at": "2026-01-11T14:30:00Z", "user_id": "user-789", "agent_ids": ["architect", "analyst"],
        "metadata": {"project_name": "payments"}, "statistics": {"total_messages": 3, "total_decisions": 1,
            "total_findings": 1, "size_bytes": size, "last_accessed": "2026-01-11T14:30:00Z"}, "version": "1.0"});
    let ids = ["msg-001", "msg-002", "msg-003", "dec-001", "finding-003", "pref-001"];
    let index = json!({"session_id": NAME, "created_at": "2026-01-11T14:30:00Z",
        "inverted_index": {"question": ["msg-001", "msg-002"]}, "topic_index": {},
        "temporal_index": {"2026-01-11T10": ids}, "version": 1});
    let config = json!({"memory_config": {"version": "1.0", "compaction": {"enabled": true}}});
    let files = logs
        .iter()
        .fold(Files::default(), |files, (name, log)| files.with(&format!("{SESSION}/{name}"), log));
    files
        .with(&format!("{SESSION}/manifest.json"), manifest.to_string())
        .with(&format!("{SESSION}/index.json"), index.to_string())
        .with("config.json", config.to_string())
        .with("shared/user-preferences.json", r#"{"theme":"dark"}"#)
}

fn build(files: &Files) -> TempStore {
    files.build(".bmad/memory")
}

fn open(store: &TempStore) -> Store {
    let place = Place::whole(store.path.clone(), "bmad");
    load(&place, Extent::All, None, now())
}

fn files(store: &TempStore) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![store.path.clone()];
    while let Some(folder) = open.pop() {
        let items: Vec<fs::DirEntry> = fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
        let is_ours = |item: &fs::DirEntry| is_ours(&item.file_name());
        if !items.is_empty() && items.iter().all(is_ours) {
            found.remove(folder.strip_prefix(&store.path).unwrap());
        }
        for item in items {
            if is_ours(&item) {
                continue;
            }
            let path = item.path();
            let relative = path.strip_prefix(&store.path).unwrap().to_owned();
            if path.is_dir() {
                found.insert(relative, None);
                open.push(path);
            } else {
                found.insert(relative, Some(fs::read(&path).unwrap()));
            }
        }
    }
    found
}

#[track_caller]
fn assert_same(now: &BTreeMap<PathBuf, Option<Vec<u8>>>, before: &BTreeMap<PathBuf, Option<Vec<u8>>>) {
    let names: Vec<&PathBuf> = now.keys().collect();
    assert_eq!(names, before.keys().collect::<Vec<_>>());
    for (path, bytes) in now {
        let text =
            |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|own| String::from_utf8_lossy(own).into_owned());
        assert_eq!(text(bytes), text(&before[path]), "{}", path.display());
    }
}

fn problems(store: &TempStore) -> Vec<String> {
    let store = open(store);
    let kept = store
        .problems
        .iter()
        .filter(|problem| !matches!(problem.code.as_str(), "dangling-reference" | "limit-near"));
    kept.map(|problem| format!("{problem:?}")).collect()
}

fn context(store: &Store) -> WriteContext<'_> {
    WriteContext::of(store, now(), [7; 16])
}

fn entry(store: &Store, id: &str) -> Entry {
    let of_id = |entry: &&Entry| store.memory(entry).is_some_and(|view| view.id() == Some(id));
    *store.entries.iter().find(of_id).unwrap_or_else(|| panic!("{id}"))
}

fn host<'a>(machine: &'a dyn Machine, data: &'a Path) -> Host<'a> {
    Host { disk: &RealDisk, machine, data, now: now() }
}

/// Applies what `make` plans and returns the plan. A second store undoes it and compares every byte.
fn done(store: &TempStore, make: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>) -> Plan {
    let twin = TempStore::of_files(".bmad/memory", &[]);
    for (path, bytes) in files(store) {
        match bytes {
            Some(bytes) => twin.write(&path, &bytes),
            None => drop(fs::create_dir_all(twin.file(&path))),
        }
    }
    let data = crate::support::folder::new();
    let before = files(&twin);
    let (machine, loaded) = (ThisMachine::new(), open(&twin));
    let writer = Writer::open(host(&machine, data.path()), &loaded).unwrap();
    writer.commit(&make(&context(&loaded)).unwrap()).unwrap();
    let (undo, turn) = writer.undo(None).unwrap();
    let receipt = writer.commit_undo_redo(&undo, turn).unwrap();
    assert_eq!(receipt.notes, Vec::<String>::new());
    assert_same(&files(&twin), &before);

    let known = problems(store);
    let loaded = open(store);
    let plan = make(&context(&loaded)).unwrap();
    let writer = Writer::open(host(&machine, data.path()), &loaded).unwrap();
    let receipt = writer.commit(&plan).unwrap();
    assert_eq!(receipt.notes, Vec::<String>::new());
    let new: Vec<String> = problems(store).into_iter().filter(|problem| !known.contains(problem)).collect();
    assert_eq!(new, Vec::<String>::new());
    let again = ops::reindex::reindex(&context(&open(store))).unwrap();
    assert!(again.is_empty(), "derived files are up to date: {:?}", again.derived);
    plan
}

#[track_caller]
fn refused(store: &TempStore, make: impl Fn(&WriteContext<'_>) -> Result<Plan, Refusal>) -> Refusal {
    let loaded = open(store);
    make(&context(&loaded)).map(|plan| plan.changes).unwrap_err()
}

fn json_of(store: &TempStore, file: &str) -> Value {
    serde_json::from_slice(&store.read(format!("{SESSION}/{file}"))).unwrap()
}

fn text_of(store: &TempStore, file: &str) -> String {
    String::from_utf8(store.read(format!("{SESSION}/{file}"))).unwrap()
}

fn draft<'a>(kind: &'a str, text: &'a str) -> RecordDraft<'a> {
    RecordDraft { session: Some(NAME), kind, text: Some(text), ..RecordDraft::default() }
}

#[test]
fn a_session_s_lock_comes_first_and_each_file_has_its_own() {
    let own = |name: &str| PathBuf::from(format!("{SESSION}/{name}"));
    let (log, manifest) = (own("conversation.jsonl"), own("manifest.json"));
    let locks = [".lock", "conversation.jsonl.lock", "manifest.json.lock"].map(own);
    assert_eq!(
        palimp::format::by_name("bmad").unwrap().lock(&[&manifest, &log]),
        Lock::Exclusive(locks.to_vec())
    );
    assert_eq!(palimp::format::by_name("bmad").unwrap().lock(&[Path::new(SESSION)]), Lock::None);
    assert_eq!(
        palimp::format::by_name("bmad").unwrap().lock(&[Path::new("shared/user-preferences.json")]),
        Lock::None
    );
    assert_eq!(palimp::format::by_name("bmad").unwrap().lock(&[Path::new(ARCHIVE)]), Lock::None);
}

#[test]
fn what_is_derived_and_right_comes_back_byte_for_byte() {
    let store = build(&healthy());
    let plan = ops::reindex::reindex(&context(&open(&store))).unwrap();
    assert!(plan.is_empty(), "{:?}", plan.derived);
    let mut whole: u64 = files(&store)
        .iter()
        .filter(|(path, _)| path.starts_with(SESSION))
        .filter_map(|(_, bytes)| Some(bytes.as_ref()?.len() as u64))
        .sum();
    let size = json_of(&store, "manifest.json")["statistics"]["size_bytes"].as_u64().unwrap();
    // The manifest's own length counts too.
    whole += (whole.to_string().len() - size.to_string().len()) as u64;
    let other = healthy().changed(
        &format!("{SESSION}/manifest.json"),
        &format!("\"size_bytes\":{size}"),
        &format!("\"size_bytes\":{whole}"),
    );
    let plan = ops::reindex::reindex(&context(&open(&build(&other)))).unwrap();
    assert!(plan.is_empty(), "a size of the whole session is right too");
}

#[test]
fn a_wrong_count_is_put_right_and_a_missing_index_made_but_no_manifest() {
    let wrong = healthy().changed(
        &format!("{SESSION}/manifest.json"),
        "\"total_messages\":3",
        "\"total_messages\":9",
    );
    let store = build(&wrong.without(&format!("{SESSION}/index.json")));
    done(&store, ops::reindex::reindex);
    assert_eq!(json_of(&store, "manifest.json")["statistics"]["total_messages"], 3);
    assert!(text_of(&store, "index.json").contains("\"2026-01-11T10\""));

    let store = build(&healthy().without(&format!("{SESSION}/manifest.json")));
    let loaded = open(&store);
    let plan = ops::add::add(&context(&loaded), &draft("conversation", "More")).unwrap();
    let changed: Vec<String> = plan.all().map(|change| change.path.display().to_string()).collect();
    assert_eq!(changed, ["conversation.jsonl", "index.json"].map(|name| format!("{SESSION}/{name}")));
}

#[test]
fn an_edit_changes_its_field_alone_and_what_follows_from_it() {
    let store = build(&healthy());
    let set = [FieldAssignment { name: "text", value: "Which cache?" }];
    done(&store, |context| ops::edit::edit(context, &entry(context.store, "msg-002"), &set));
    let expected =
        lines(&[message(1), message(2), message(3)]).replace("Question 2 about pools", "Which cache?");
    assert_eq!(text_of(&store, "conversation.jsonl"), expected);
    let index = json_of(&store, "index.json");
    assert_eq!(index["inverted_index"]["cache"], json!(["msg-002"]));
    assert_eq!(index["inverted_index"]["question"], json!(["msg-001", "msg-003"]));
    assert_eq!(json_of(&store, "manifest.json")["updated_at"], "2026-02-01T12:00:00Z");
    // palimp's index has every word: a change of no word leaves it as it is.
    let index = text_of(&store, "index.json");
    let set = [FieldAssignment { name: "severity", value: "high" }];
    done(&store, |context| ops::edit::edit(context, &entry(context.store, "finding-003"), &set));
    assert_eq!(text_of(&store, "index.json"), index);
}

#[test]
fn the_text_of_a_preference_is_its_value() {
    let store = build(&healthy());
    let set = [
        FieldAssignment { name: "text", value: "long" },
        FieldAssignment { name: "confidence", value: "0.5" },
    ];
    done(&store, |context| ops::edit::edit(context, &entry(context.store, "pref-001"), &set));
    let record: Value = serde_json::from_str(&text_of(&store, "preferences.jsonl")).unwrap();
    assert_eq!((&record["key"], &record["value"]), (&json!("response_style"), &json!("long")));
    assert_eq!(record["confidence"], 0.5);
    let wrong = [FieldAssignment { name: "confidence", value: "often" }];
    let refusal =
        refused(&store, |context| ops::edit::edit(context, &entry(context.store, "pref-001"), &wrong));
    assert_eq!(refusal.code, "E_SCHEMA_INVALID");
}

#[test]
fn tags_are_at_the_top_of_a_record_also_of_a_message() {
    let store = build(&healthy());
    let (add, remove) = (["pool".to_owned()], ["database".to_owned()]);
    done(&store, |context| {
        let chosen = ["msg-003", "dec-001"].map(|id| entry(context.store, id));
        crate::support::plans::tag(context, &chosen, &add, &remove)
    });
    assert!(text_of(&store, "conversation.jsonl").trim_end().ends_with(r#","tags":["pool"]}"#));
    assert!(text_of(&store, "decisions.jsonl").contains(r#""tags":["pool"]"#));
    let shared = |context: &WriteContext<'_>| {
        let shared = context.store.entries.iter().find(|entry| entry.session.is_none()).copied().unwrap();
        crate::support::plans::tag(context, &[shared], &add, &[])
    };
    assert!(refused(&store, shared).message.contains("shared file"));
    let weigh = |context: &WriteContext<'_>| {
        crate::support::plans::importance(context, &entry(context.store, "msg-001"), 0.9)
    };
    assert!(refused(&store, weigh).message.contains("importance follows from the type"));
}

#[test]
fn a_deletion_removes_the_line_and_its_traces_in_the_index() {
    let store = build(&healthy());
    let delete = |context: &WriteContext<'_>| {
        let chosen = ["msg-002", "finding-003"].map(|id| entry(context.store, id));
        ops::delete::delete(context, &chosen, &ops::delete::DeleteOptions::default())
    };
    assert_eq!(done(&store, delete).records, 2);
    assert_eq!(text_of(&store, "conversation.jsonl"), lines(&[message(1), message(3)]));
    assert_eq!(text_of(&store, "findings.jsonl"), "");
    let index = text_of(&store, "index.json");
    assert!(!index.contains("msg-002") && !index.contains("finding-003") && !index.contains("connection"));
    let statistics = &json_of(&store, "manifest.json")["statistics"];
    assert_eq!((&statistics["total_messages"], &statistics["total_findings"]), (&json!(2), &json!(0)));
}

#[test]
fn a_shared_file_is_edited_in_place_and_deleted_whole() {
    let shared = |store: &Store| *store.entries.iter().find(|entry| entry.session.is_none()).unwrap();
    let store = build(&healthy());
    let set = [FieldAssignment { name: "theme", value: "light" }];
    done(&store, |context| ops::edit::edit(context, &shared(context.store), &set));
    assert_eq!(store.read("shared/user-preferences.json"), br#"{"theme":"light"}"#);
    done(&store, |context| {
        ops::delete::delete(context, &[shared(context.store)], &ops::delete::DeleteOptions::default())
    });
    assert!(!store.file("shared/user-preferences.json").exists());
}

#[test]
fn a_new_store_is_clean_and_can_be_used() {
    let store = TempStore::of_files(".bmad/memory", &[]);
    fs::create_dir_all(store.path.parent().unwrap()).unwrap();
    let (machine, data) = (ThisMachine::new(), crate::support::folder::new());
    let plan = ops::init::init("bmad", &store.path, now()).unwrap();
    store.write("x", b"");
    store.remove("x");
    let loaded = open(&store);
    let writer = Writer::open(host(&machine, data.path()), &loaded).unwrap();
    writer.commit(&plan).unwrap();
    drop(writer);
    assert_eq!(problems(&store), Vec::<String>::new());
    let config: Value = serde_json::from_slice(&store.read("config.json")).unwrap();
    assert_eq!(config["memory_config"]["compaction"]["keep_percentage"], 0.8);
    done(&store, |context| ops::session::new(context, Some("first"), ""));
    done(&store, |context| {
        ops::add::add(
            context,
            &RecordDraft { session: Some("sess-2026-02-01-first"), ..draft("decision", "Begin") },
        )
    });
}
