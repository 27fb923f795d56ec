//! `erase`: afterwards an independent search of every byte finds nothing, and everything else
//! is as it was.

use crate::support;

mod again;
mod copies;
mod cut_short;
mod git;
mod looked;
mod torn;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde_json::{Value, json};
use support::agent_memory::{WHEN, gotcha, hash, pretty};
use support::{Output, SOON, StoreBuilder, TempStore, Terminal, Tree, assert_untouched, gzip, run, tar_gz};

const NOW: &str = "2026-02-01T12:00:00Z";

/// What is erased: no whole secret stands in this file.
fn secret(number: u32) -> String {
    ["the safe's \"code\" – ", "söme ", "words ", &format!("{}-{}", number * 7919, number)].concat()
}

/// A term of the index that only the erased record has.
fn term() -> String {
    ["only", "this", "record", "has", "it"].join("-")
}

/// The forms of a text, made without palimp.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let json = serde_json::to_string(text).unwrap();
    let json = json[1..json.len() - 1].to_owned();
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let ascii: String = json
        .chars()
        .map(|c| match c.is_ascii() {
            true => c.to_string(),
            false => units(&c.to_string()).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        })
        .collect();
    let mut forms = vec![ascii.into_bytes()];
    for text in [text, &json] {
        forms.push(text.as_bytes().to_vec());
        forms.push(text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes());
        forms.push(text.bytes().map(|byte| format!("{byte:02X}")).collect::<String>().into_bytes());
        forms.push(units(text).iter().flat_map(|unit| unit.to_le_bytes()).collect());
        forms.push(units(text).iter().flat_map(|unit| unit.to_be_bytes()).collect());
        for before in 0..3 {
            let padded = ["x".repeat(before).as_bytes(), text.as_bytes()].concat();
            let whole = base64::engine::general_purpose::STANDARD_NO_PAD.encode(padded);
            forms.push(whole.as_bytes()[(before * 8).div_ceil(6)..whole.len() - 1].to_vec());
        }
    }
    forms
}

fn holds(bytes: &[u8], forms: &[Vec<u8>]) -> bool {
    let own = forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == form));
    let mut unpacked = Vec::new();
    own || bytes.starts_with(&[0x1f, 0x8b])
        && flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut unpacked).is_ok()
        && holds(&unpacked, forms)
}

/// Every file below a folder that holds a text in any form.
fn found(folder: &Path, texts: &[String]) -> Vec<PathBuf> {
    let forms: Vec<Vec<u8>> = texts.iter().flat_map(|text| forms(text)).collect();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(self::found(&path, texts)),
            false if holds(&std::fs::read(&path).unwrap(), &forms) => found.push(path),
            false => {}
        }
    }
    found
}

struct Site {
    store: TempStore,
    data: PathBuf,
}

impl Site {
    fn of(store: TempStore) -> Site {
        let data = store.around().join("data");
        Site { store, data }
    }

    fn run(&self, words: &[&str]) -> Output {
        let (store, data) = (self.store.path.to_str().unwrap(), self.data.to_str().unwrap());
        let options = ["--store", store, "--data-dir", data, "--now", NOW];
        run(words.iter().copied().chain(options))
    }

    fn vault(&self) -> PathBuf {
        std::fs::read_dir(self.data.join("stores")).unwrap().next().unwrap().unwrap().path()
    }

    fn keep(&self, folder: &str, name: &str, bytes: impl AsRef<[u8]>) {
        let folder = self.vault().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), bytes).unwrap();
    }

    fn lines(&self, file: &str) -> Vec<String> {
        String::from_utf8(self.store.read(file)).unwrap().lines().map(str::to_owned).collect()
    }

    fn erase(&self, id: &str) -> Value {
        let output = self.run(&["erase", id, "--yes", "--json"]).expect_status(0);
        serde_json::from_str(&output.stdout).unwrap()
    }
}

const LOG: &str = "sessions/sess_a/memory.jsonl";

/// A session-log store with a past: an edit and a deletion, copies, a draft, quarantine.
fn session_log() -> Site {
    let store = StoreBuilder::session_log()
        .session("sess_a")
        .entry(json!({"id": "mem_001", "content": {"finding": secret(1)}, "tags": [term(), "plain"]}))
        .entry(json!({"id": "mem_002", "content": {"finding": "It is to be deleted."}}))
        .entry(json!({"id": "mem_003", "content": {"finding": "It stays as it is."}, "tags": ["plain"]}))
        .session("sess_b")
        .entry(json!({"id": "mem_001", "content": {"finding": "Another one of the same id."}}))
        .build();
    let site = Site::of(store);
    site.run(&["backup", "create", "--yes"]).expect_status(0);
    let set = format!("text={}", secret(2));
    site.run(&["edit", "sess_a/mem_001", "--set", &set, "--yes"]).expect_status(0);
    site.run(&["delete", "mem_002", "--yes"]).expect_status(0);
    let line = site.lines(LOG)[0].clone();
    assert!(line.contains("mem_001"));
    site.keep("drafts", "sessions%2Fsess_a%2Fmemory.jsonl.backup.20260101_100000", format!("{line}\n"));
    let torn = &line[..line.len() - 20];
    site.keep("quarantine", "sessions%2Fsess_a%2Fmemory.jsonl@7.backup.20260101_100000", torn);
    site.keep(
        "quarantine",
        "sessions%2Fsess_a%2Fmemory.jsonl@9.backup.20260101_100000",
        gzip(torn.as_bytes()),
    );
    site.store
        .write("sessions/sess_a/memory.jsonl.bak", format!("{line}\n{}\n", site.lines(LOG)[2]).as_bytes());
    let snippet = json!({"words": {term(): ["mem_001"]}, "seen": [secret(2), "other"]}).to_string();
    site.store.write("indices/global.json", snippet.as_bytes());
    site
}

#[test]
fn nothing_is_left_of_a_session_log_entry_and_everything_else_stays() {
    let site = session_log();
    let texts = [secret(1), secret(2), term()];
    assert!(found(&site.data, &texts).len() >= 4 && found(&site.store.path, &texts).len() >= 3);
    let (before, other) = (site.lines(LOG), site.store.read("sessions/sess_b/memory.jsonl"));
    let row = site.erase("sess_a/mem_001");
    assert_eq!(row["applied"], true, "{row}");
    assert_eq!(row["undo"], Value::Null);
    assert!(row["searched"].as_array().unwrap().iter().all(|own| own["left"] == 0 && own["files"] != 0));
    assert!(!row["cannot_reach"].as_array().unwrap().is_empty());
    assert_eq!(found(site.store.around(), &texts), Vec::<PathBuf>::new());
    assert_eq!(site.lines(LOG), before[1..]);
    assert_eq!(site.store.read("sessions/sess_b/memory.jsonl"), other);
    assert_eq!(site.lines("sessions/sess_a/memory.jsonl.bak"), before[2..]);
    let stones = site.lines("sessions/sess_a/tombstones.jsonl");
    assert!(
        stones[1].contains(r#""id":"mem_001""#) && stones[1].contains(r#""reason":"erased""#),
        "{stones:?}"
    );
    let journal = site.run(&["journal", "--json"]).json_lines();
    assert_eq!(journal.last().unwrap()["ids"], json!(["mem_001"]));
    assert_eq!(
        site.run(&["check", "--json"]).json_lines().iter().filter(|own| own["severity"] == "error").count(),
        0
    );
}

#[test]
fn nothing_brings_an_erased_entry_back() {
    let site = session_log();
    site.erase("sess_a/mem_001");
    let step = site.run(&["journal", "--json"]).json_lines().last().unwrap()["step"].to_string();
    let refused = site.run(&["undo", &step, "--yes"]);
    assert_eq!(refused.status, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("nothing takes back"), "{}", refused.stderr);
    assert_eq!(site.run(&["undo", "1", "--yes"]).status, Some(1));
    // The step before it is taken back instead.
    let undone = site.run(&["undo", "--yes"]).expect_status(0);
    assert!(undone.stdout.contains(&format!("step {step} is skipped")), "{}", undone.stdout);
    for row in site.run(&["backup", "list", "--json"]).json_lines() {
        let name = row["backup"].as_str().unwrap();
        site.run(&["backup", "restore", name, "--yes"]);
        site.run(&["backup", "restore", name, "--replace", "--yes"]);
    }
    site.run(&["undelete", "--query", "is:deleted", "--yes"]);
    assert_eq!(found(site.store.around(), &[secret(1), secret(2), term()]), Vec::<PathBuf>::new());
}

#[test]
fn a_backup_that_was_kept_elsewhere_brings_nothing_back() {
    let site = session_log();
    let name = "sessions%2Fsess_a%2Fmemory.jsonl.backup.20260101_100000";
    let old = site.store.read(LOG);
    site.erase("sess_a/mem_001");
    site.keep("backups", name, &old);
    site.run(&["backup", "restore", name, "--yes"]);
    site.run(&["backup", "restore", name, "--replace", "--yes"]);
    assert!(!String::from_utf8(site.store.read(LOG)).unwrap().contains("mem_001"));
    // One that an agent writes anew stays deleted.
    site.store.append(LOG, &old[..old.iter().position(|byte| *byte == b'\n').unwrap() + 1]);
    let refused = site.run(&["undelete", "sess_a/mem_001", "--yes"]);
    assert_eq!(refused.status, Some(3), "{}", refused.stderr);
}

#[test]
fn an_erasure_list_that_cannot_be_read_stops_the_change_and_stays() {
    let site = session_log();
    let old = site.store.read(LOG);
    site.erase("sess_a/mem_001");
    let name = "sessions%2Fsess_a%2Fmemory.jsonl.backup.20260101_100000";
    site.keep("backups", name, &old);
    let list = site.vault().join("erased.jsonl");
    let whole = std::fs::read(&list).unwrap();
    let torn = &whole[..whole.len() / 2];
    for says in [Some(torn), None] {
        std::fs::remove_file(&list).unwrap();
        match says {
            Some(bytes) => std::fs::write(&list, bytes).unwrap(),
            None => std::fs::create_dir(&list).unwrap(),
        }
        let before = Tree::of(site.store.around());
        for words in [
            &["erase", "sess_a/mem_003", "--yes"][..],
            &["backup", "restore", name, "--yes"],
            &["backup", "restore", name, "--replace", "--yes"],
            &["undelete", "sess_a/mem_002", "--yes"],
            &["undo", "--yes"],
        ] {
            let output = site.run(words);
            assert_ne!(output.status, Some(0), "{words:?}: {}", output.stderr);
            assert!(output.stderr.contains("erased.jsonl"), "{words:?}: {}", output.stderr);
        }
        assert_untouched(site.store.around(), &before);
    }
}

#[test]
fn an_erasure_that_began_and_cannot_be_read_stops_every_change() {
    let site = session_log();
    let entry = site.vault().join("erasing.json");
    std::fs::write(&entry, b"{\"step\": 3").unwrap();
    let before = Tree::of(&site.store.path);
    let output = site.run(&["delete", "sess_a/mem_003", "--yes"]).expect_status(4);
    assert!(output.stderr.contains("erasing.json"), "{}", output.stderr);
    assert_untouched(&site.store.path, &before);
    assert_eq!(std::fs::read(&entry).unwrap(), b"{\"step\": 3");
}

#[test]
fn an_agent_that_writes_an_erased_entry_anew_is_reported() {
    let site = session_log();
    let old = site.store.read(LOG);
    site.erase("sess_a/mem_001");
    let anew = |site: &Site| -> Vec<Value> {
        let rows = site.run(&["check", "--json"]).json_lines();
        rows.into_iter().filter(|row| row["code"] == "erased-anew").collect()
    };
    assert_eq!(anew(&site), Vec::<Value>::new());
    site.store.append(LOG, &old[..old.iter().position(|byte| *byte == b'\n').unwrap() + 1]);
    let told = anew(&site);
    assert_eq!((told.len(), &told[0]["id"], &told[0]["line"]), (1, &json!("mem_001"), &json!(3)));
    site.erase("sess_a/mem_001");
    assert_eq!(anew(&site), Vec::<Value>::new());
}

/// A memory-server store with backups, archives and an undo history.
fn memory_server() -> Site {
    let own = json!({"id": "k-1", "content": secret(3), "tags": [term()]});
    let store = StoreBuilder::memory_server()
        .learning(own)
        .learning(json!({"id": "k-2", "content": "It stays as it is, in the file."}))
        .build();
    let site = Site::of(store);
    let old = site.store.read("learnings.jsonl");
    let set = format!("content={}", secret(4));
    site.run(&["edit", "k-1", "--set", &set, "--yes"]).expect_status(0);
    site.store.write("archive/2025/learnings_2025_Q4.jsonl", &old);
    site.store.write("archive/learnings.jsonl.gz", &gzip(&old));
    site.store.write("archive/kept.tar.gz", &tar_gz(&[("x/learnings.jsonl", &old), ("x/other", b"other")]));
    site.store.write(".backup/learnings.jsonl.backup.20250101_100000", &old);
    site
}

#[test]
fn nothing_is_left_of_a_memory_in_backups_and_archives() {
    let site = memory_server();
    let texts = [secret(3), secret(4), term()];
    let keeps = site.lines("learnings.jsonl")[1].clone();
    assert!(found(&site.store.path, &texts).len() >= 6, "{:?}", found(&site.store.path, &texts));
    let key = site.run(&["list", "--json", "k-1"]).json_lines()[0]["key"].as_str().unwrap().to_owned();
    let row = site.erase(&key);
    assert_eq!(found(site.store.around(), &texts), Vec::<PathBuf>::new(), "{row}");
    for file in [
        "learnings.jsonl",
        "archive/2025/learnings_2025_Q4.jsonl",
        ".backup/learnings.jsonl.backup.20250101_100000",
    ] {
        assert_eq!(site.lines(file), std::slice::from_ref(&keeps), "{file}");
    }
    let mut unpacked = Vec::new();
    let packed = site.store.read("archive/learnings.jsonl.gz");
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, format!("{keeps}\n").as_bytes());
    let members = palimp::text::unpack::untar(&site.store.read("archive/kept.tar.gz"), 1 << 20).content;
    let files: Vec<&[u8]> = members.iter().map(|own| &*own.bytes).collect();
    assert_eq!(files, [format!("{keeps}\n").as_bytes(), b"other"]);
    let undone = site.run(&["undo", "1", "--yes"]);
    assert_eq!(undone.status, Some(1), "{}", undone.stderr);
}

#[test]
fn a_dry_run_writes_nothing_and_without_a_yes_nothing_is_done() {
    let site = memory_server();
    let before = Tree::of(site.store.around());
    site.run(&["erase", "--query", "id:k-1", "--dry-run", "--json"]).expect_status(0);
    site.run(&["erase", "--query", "id:k-1"]).expect_status(3);
    site.run(&["erase", "--query", "id:k-1", "--yes", "--reason", "a whole sentence"]).expect_status(3);
    site.run(&["erase", "--yes"]).expect_status(2);
    assert_untouched(site.store.around(), &before);
}

#[test]
fn what_stands_in_a_file_that_is_not_ours_to_change_is_told_and_is_no_success() {
    let site = memory_server();
    let note = base64::engine::general_purpose::STANDARD.encode(format!("see: {}.", secret(4)));
    site.store.write("notes.txt", note.as_bytes());
    let output = site.run(&["erase", "--query", "id:k-1", "--yes", "--json"]).expect_status(4);
    assert!(output.stderr.contains("notes.txt"), "{}", output.stderr);
    let row: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(row["searched"][0]["left"], 1);
    assert_eq!(found(site.store.around(), &[secret(4)]), [site.store.file("notes.txt")]);
}

#[test]
fn another_record_of_the_same_text_is_named_and_stays() {
    let text = secret(5);
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": text}))
        .learning(json!({"id": "k-2", "content": text}))
        .build();
    let site = Site::of(store);
    let line = site.lines("learnings.jsonl")[1].clone();
    let output = site.run(&["erase", "--query", "id:k-1", "--yes"]).expect_status(0);
    assert!(output.stderr.contains("k-2"), "{}", output.stderr);
    assert_eq!(site.lines("learnings.jsonl"), [line]);
}

#[test]
fn a_record_without_an_id_is_told_by_its_bytes_and_others_without_one_stay() {
    let torn = format!("{{\"content\": \"{}", secret(8).replace('"', "'"));
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "", "content": "It has an empty id, and stays."}))
        .line("learnings.jsonl", &torn)
        .line("learnings.jsonl", "{\"id\": \"\", \"content\": \"torn, and stays")
        .build();
    let site = Site::of(store);
    let before = site.lines("learnings.jsonl");
    let rows = site.run(&["list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["raw"] == json!(torn)).unwrap();
    site.erase(row["key"].as_str().unwrap());
    assert_eq!(site.lines("learnings.jsonl"), [before[0].clone(), before[2].clone()]);
    assert_eq!(found(site.store.around(), &[secret(8).replace('"', "'")]), Vec::<PathBuf>::new());
    let list = std::fs::read_to_string(site.vault().join("erased.jsonl")).unwrap();
    assert!(!list.contains("digest"), "{list}");
}

#[test]
fn on_a_terminal_it_is_typed_what_is_done() {
    let site = memory_server();
    let (store, data) = (site.store.path.to_str().unwrap(), site.data.to_str().unwrap());
    let words = ["erase", "--query", "id:k-1", "--store", store, "--data-dir", data, "--now", NOW];
    let before = Tree::of(site.store.around());
    for (typed, is_done) in [("\r", false), ("erase 1\r", false), ("erase 2\r", true)] {
        assert_untouched(site.store.around(), &before);
        let mut terminal = Terminal::palimp(words, 40, 160);
        terminal.wait_for_text("Type `erase 2`", SOON);
        terminal.send_keys(typed);
        assert_eq!(terminal.wait_exit(SOON) == support::Exit::Status(0), is_done, "{typed:?}");
    }
    assert_eq!(found(site.store.around(), &[secret(3), secret(4)]), Vec::<PathBuf>::new());
}

#[test]
fn on_a_terminal_no_token_is_shown_of_what_is_to_be_erased() {
    let token = ["ghp_", &"a1B2".repeat(9)].concat();
    let store = StoreBuilder::memory_server().learning(json!({"id": token, "content": "It goes."})).build();
    let site = Site::of(store);
    let (store, data) = (site.store.path.to_str().unwrap(), site.data.to_str().unwrap());
    let words = ["erase", "--query", "goes", "--store", store, "--data-dir", data, "--now", NOW];
    let mut terminal = Terminal::palimp(words, 40, 160);
    terminal.wait_for_text("Type `erase 1`", SOON);
    let screen = terminal.screen_text();
    terminal.send_keys("no\r");
    assert!(!screen.contains(&token) && screen.contains("ghp_"), "{screen}");
}

/// A gotcha that says what is erased in its title and in what it warns of.
fn secret_gotcha(number: u32) -> Value {
    let mut gotcha = gotcha(&format!("The key to {}", secret(20)));
    gotcha["cause"] = json!(secret(number));
    gotcha
}

/// An agent-memory store with two bundles: the one of the first checkpoint has an older
/// version of the gotcha, and other gotchas stand around it. Pages and events repeat it.
fn agent_memory(retention: bool) -> Site {
    let others = [gotcha("The drawer sticks"), gotcha("The clock drifts")];
    let [first, last] = &others;
    let store = support::AgentMemoryBuilder::new()
        .config("/retention/enabled", json!(retention))
        .config("/recall/backlogWarnThreshold", json!(9))
        .bundle(&[("/gotchas", json!([first, secret_gotcha(21), last]))])
        .bundle(&[("/gotchas", json!([first, secret_gotcha(22), last]))])
        .event(json!({"signals": {"decisions": ["It stays."], "nextStepHints": [], "keyPaths": [],
            "gotchas": [format!("The key to {}: {}", secret(20), secret(21)), "The drawer sticks: Age."],
            "validationObservations": []}}))
        .event(json!({"kind": "imported_session", "summary": secret(23), "contentHash": secret(24)}))
        .files()
        .build("repo/.agent-memory");
    let site = Site::of(store);
    let page = site.store.read("../docs/agent-memory/gotchas.md");
    let head = String::from_utf8(page).unwrap().lines().next().unwrap().to_owned();
    let item = |title: &str, cause: &str| {
        format!("## {title}\n\nSymptom: Näheres 券.\n\nCause: {cause}\n\nCorrect path: Be gentle.")
    };
    let page = format!(
        "{head}\n\n# Gotchas\n\n{}\n\n{}\n\n{}\n\nA note of somebody's own.\n",
        item("The drawer sticks", "Age."),
        item(&format!("The key to {}", secret(20)), &secret(22)),
        item("The clock drifts", "Age.")
    );
    site.store.write("../docs/agent-memory/gotchas.md", page.as_bytes());
    site.run(&["backup", "create", "--yes"]).expect_status(0);
    site.run(&["edit", "nextSteps.0", "--set", "why=It is stuck.", "--yes"]).expect_status(0);
    let batch = "archive/prune-20260101T000000000Z";
    site.store.write(format!("{batch}/events.jsonl"), b"");
    let checkpoint = String::from_utf8(site.store.read("history/checkpoints/chk-000002.json")).unwrap();
    site.store.write(
        format!("{batch}/checkpoints/chk-000001.json"),
        checkpoint.replace("chk-000002", "chk-000001").as_bytes(),
    );
    std::fs::remove_file(site.store.file("history/checkpoints/chk-000001.json")).unwrap();
    let manifest = json!({"archivedCheckpointIds": ["chk-000001"], "archivedEventIds": [],
        "createdAt": WHEN});
    site.store.write(format!("{batch}/manifest.json"), pretty(&manifest).as_bytes());
    site
}

/// The problems that are no notes.
fn faults(site: &Site) -> Vec<Value> {
    let rows = site.run(&["check", "--json"]).json_lines();
    rows.into_iter().filter(|row| row["severity"] != "note").collect()
}

#[test]
fn nothing_is_left_of_a_part_of_a_bundle_and_hashes_and_counts_are_right() {
    let site = agent_memory(false);
    let texts = [secret(20), secret(21), secret(22)];
    let around = site.store.around();
    let holding = found(around, &texts);
    assert!(holding.len() >= 8, "{holding:?}");
    let before = faults(&site);
    let row = site.erase("gotchas.1");
    assert_eq!(found(around, &texts), Vec::<PathBuf>::new(), "{row}");
    assert_eq!(row["left"], json!([]));
    assert_eq!(faults(&site), before);
    let state: Value = serde_json::from_slice(&site.store.read("state.json")).unwrap();
    let titles: Vec<&str> = state["bundle"]["gotchas"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["The drawer sticks", "The clock drifts"]);
    assert_eq!(state["bundleHash"], json!(hash(&state["bundle"])));
    for file in [
        "history/checkpoints/chk-000003.json",
        "archive/prune-20260101T000000000Z/checkpoints/chk-000001.json",
    ] {
        let checkpoint: Value = serde_json::from_slice(&site.store.read(file)).unwrap();
        assert_eq!(checkpoint["bundleHash"], json!(hash(&checkpoint["bundle"])), "{file}");
        assert_eq!(checkpoint["bundle"]["gotchas"].as_array().unwrap().len(), 2, "{file}");
    }
    let page = String::from_utf8(site.store.read("../docs/agent-memory/gotchas.md")).unwrap();
    assert!(page.contains("## The drawer sticks") && page.contains("A note of somebody's own."), "{page}");
    let event: Value = serde_json::from_str(&site.lines("history/events.jsonl")[1]).unwrap();
    assert_eq!(event["signals"]["gotchas"], json!(["The drawer sticks: Age."]));
    assert_eq!(event["signals"]["decisions"], json!(["It stays."]));
    // Another part has the number now, and is not taken for what was erased.
    let list = std::fs::read_to_string(site.vault().join("erased.jsonl")).unwrap();
    assert!(!list.contains("digest") && list.contains("gotchas.1"), "{list}");
    site.run(&["edit", "gotchas.1", "--set", "cause=Dust.", "--yes"]).expect_status(0);
    site.erase("gotchas.1");
    assert_eq!(faults(&site), before);
}

#[test]
fn a_backup_of_a_bundle_keeps_its_other_parts() {
    let site = agent_memory(false);
    site.erase("gotchas.1");
    let rows = site.run(&["backup", "list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["file"] == "state.json").unwrap();
    let backup: Value =
        serde_json::from_slice(&std::fs::read(row["backup"].as_str().unwrap()).unwrap()).unwrap();
    assert_eq!(backup["bundle"]["gotchas"].as_array().unwrap().len(), 2);
    assert_eq!(backup["bundleHash"], json!(hash(&backup["bundle"])));
    assert_eq!(backup["bundle"]["nextSteps"][0]["why"], "It sticks.");
    assert_eq!(site.run(&["undo", "--yes"]).status, Some(1));
}

#[test]
fn an_erased_event_leaves_its_number_and_no_gap() {
    for retention in [false, true] {
        let site = agent_memory(retention);
        let (before, lines) = (faults(&site), site.lines("history/events.jsonl"));
        let id = "evt-000003";
        site.erase(id);
        assert_eq!(found(site.store.around(), &[secret(23), secret(24)]), Vec::<PathBuf>::new());
        assert_eq!(faults(&site), before);
        let after = site.lines("history/events.jsonl");
        assert_eq!((&after[..2], &after[3..]), (&lines[..2], &lines[3..]));
        let event: Value = serde_json::from_str(&after[2]).unwrap();
        assert_eq!((&event["id"], &event["summary"]), (&json!(id), &json!("erased")));
    }
}

#[test]
fn an_erased_checkpoint_leaves_its_batch_and_the_latest_stays() {
    let site = agent_memory(false);
    let before = faults(&site);
    site.erase("chk-000001");
    assert_eq!(faults(&site), before);
    assert!(!site.store.file("archive/prune-20260101T000000000Z/checkpoints/chk-000001.json").exists());
    // The second checkpoint, the event and a backup of each are other records.
    assert_eq!(found(site.store.around(), &[secret(21)]).len(), 4);
    let tree = Tree::of(&site.store.path);
    for id in ["chk-000004", "currentFocus"] {
        let refused = site.run(&["erase", id, "--yes"]).expect_status(3);
        assert!(refused.stderr.contains("erase the"), "{}", refused.stderr);
    }
    assert_untouched(&site.store.path, &tree);
}

#[test]
fn an_event_that_is_erased_leaves_one_that_says_so_and_not_what() {
    let event = |text: &str, trace: &str| {
        json!({"timestamp": "2026-02-01T10:00:00.000000+00:00", "trace_id": trace, "status": "failure",
            "schema_version": "1.0", "event_type": "gateway.tool_call", "source": "gateway",
            "metadata": {"error": text}})
    };
    let (own, stays) = (event(&secret(30), "abc"), event("It stays as it is.", "def"));
    let store = support::Files::default()
        .with("events/2026-02/events.jsonl", format!("{own}\n{stays}\n"))
        .with("events/2026-02/traces/abc.jsonl", format!("{own}\n"))
        .with("knowledge/tags.json", "{\"tags\": {}}")
        .build("project/.chora/memory");
    let site = Site::of(store);
    let rows = site.run(&["list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["raw"] == json!(own.to_string())).unwrap();
    site.erase(row["key"].as_str().unwrap());
    assert_eq!(found(site.store.around(), &[secret(30)]), Vec::<PathBuf>::new());
    let lines = site.lines("events/2026-02/events.jsonl");
    assert_eq!((lines.len(), &lines[0]), (2, &stays.to_string()));
    let told: Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!(told["event_type"], "memory.events_erased");
    assert_eq!(told["metadata"]["events"], 1);
    // Erasing is over: the next change finds nothing to say again.
    site.run(&["reindex", "--yes"]);
    assert_eq!(site.lines("events/2026-02/events.jsonl"), lines);
}

/// What changed between two states of a folder: created, rewritten or removed.
fn changes(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeSet<String> {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let told = |path: &PathBuf| match (before.get(path), after.get(path)) {
        (Some(was), Some(is)) if was == is => None,
        (Some(_), Some(_)) => Some(format!("changes {}", path.display())),
        (None, _) => Some(format!("creates {}", path.display())),
        (_, None) => Some(format!("removes {}", path.display())),
    };
    paths.into_iter().filter_map(told).collect()
}

#[test]
fn what_is_shown_before_is_what_is_done_in_every_format() {
    let folder = tempfile::Builder::new().prefix("palimp-test-").tempdir().unwrap();
    let demo = folder.path().join("demo");
    run(["demo", demo.to_str().unwrap(), "--now", NOW]).expect_status(0);
    let data = folder.path().join("data");
    let at = |words: &[&str], store: &str| {
        run(words.iter().copied().chain([
            "--store",
            store,
            "--data-dir",
            data.to_str().unwrap(),
            "--now",
            NOW,
        ]))
    };
    let (mut seen, mut formats) = (BTreeSet::new(), BTreeSet::new());
    let mut unseen = || {
        let rows = at(&["list", "--json"], demo.to_str().unwrap()).json_lines();
        rows.into_iter().find(|row| seen.insert(format!("{} {}", row["store"], row["type"])))
    };
    while let Some(row) = unseen() {
        let [store, format, kind] =
            ["store", "format", "type"].map(|name| row[name].as_str().unwrap_or_default());
        let key = row["key"].as_str().unwrap();
        let dry = at(&["erase", key, "--dry-run", "--json"], store);
        if dry.status == Some(3) {
            continue;
        }
        formats.insert(format.to_owned());
        let plan: Value = serde_json::from_str(&dry.expect_status(0).stdout).unwrap();
        let files = plan["plan"]["files"].as_array().unwrap().iter();
        let shown: BTreeSet<String> = files
            .map(|own| {
                let word = match own["change"].as_str().unwrap() {
                    "create" => "creates",
                    "remove" => "removes",
                    _ => "changes",
                };
                format!("{word} {}", own["path"].as_str().unwrap())
            })
            .collect();
        let around = |from: &str| -> BTreeMap<PathBuf, Vec<u8>> {
            let root = Path::new(from);
            let mut files: BTreeMap<PathBuf, Vec<u8>> = below(root.to_owned()).into_iter().collect();
            if let ("agent-memory", Some(parent)) = (format, root.parent()) {
                let beside = below(parent.to_owned())
                    .into_iter()
                    .filter(|(path, _)| !path.starts_with(root.file_name().unwrap()));
                files.extend(beside.map(|(path, bytes)| (Path::new("..").join(path), bytes)));
            }
            files.retain(|path, _| !path.ends_with(".lock"));
            files
        };
        let before = around(store);
        let done = at(&["erase", key, "--yes", "--json"], store);
        assert!(matches!(done.status, Some(0 | 4)), "{}", done.stderr);
        // The trace of the event that tells of it is made up anew each time.
        let named = |lines: BTreeSet<String>| -> BTreeSet<String> {
            let name =
                |line: String| match line.strip_prefix("creates ").and_then(|own| own.split_once("/traces/"))
                {
                    Some((month, _)) => format!("creates a trace in {month}"),
                    None => line,
                };
            lines.into_iter().map(name).collect()
        };
        assert_eq!(
            named(changes(&before, &around(store))),
            named(shown),
            "{store} {kind} {key}: {}",
            done.stderr
        );
    }
    assert_eq!(formats.len(), 5, "{formats:?}");
}

/// Every file below a folder, by its path within it.
fn below(folder: PathBuf) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => {
                let name = PathBuf::from(path.file_name().unwrap());
                files.extend(below(path).into_iter().map(|(own, bytes)| (name.join(own), bytes)));
            }
            false => files.push((path.file_name().unwrap().into(), std::fs::read(&path).unwrap())),
        }
    }
    files
}
