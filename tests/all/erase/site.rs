//! Stores with a secret, and the search for what is left of it.

use super::*;
use crate::support::files_below;

/// The text to erase. It is in parts, so that this file does not have it.
pub(super) fn secret(number: u32) -> String {
    ["the safe's \"code\" – ", "söme ", "words ", &format!("{}-{}", number * 7919, number)].concat()
}

/// A term in the index that only the erased record has.
pub(super) fn term() -> String {
    ["only", "this", "record", "has", "it"].join("-")
}

pub(super) struct Site {
    pub(super) store: TempStore,
    pub(super) data: PathBuf,
}

impl Site {
    pub(super) fn of(store: TempStore) -> Site {
        Site { data: store.data(), store }
    }

    pub(super) fn run(&self, words: &[&str]) -> Output {
        self.verb(words).run()
    }

    pub(super) fn fed(&self, text: &str, words: &[&str]) -> Output {
        self.verb(words).with_input(text).run()
    }

    fn verb(&self, words: &[&str]) -> support::Verb {
        self.store.verb(&[words, &["--now", NOW]].concat())
    }

    pub(super) fn vault(&self) -> PathBuf {
        std::fs::read_dir(self.data.join("stores")).unwrap().next().unwrap().unwrap().path()
    }

    pub(super) fn keep(&self, folder: &str, name: &str, bytes: impl AsRef<[u8]>) {
        let folder = self.vault().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), bytes).unwrap();
    }

    pub(super) fn lines(&self, file: &str) -> Vec<String> {
        self.store.text(file).lines().map(str::to_owned).collect()
    }

    pub(super) fn erase(&self, id: &str) -> Value {
        let output = self.run(&["erase", id, "--yes", "--json"]).expect_status(0);
        serde_json::from_str(&output.stdout).unwrap()
    }
}

pub(super) const LOG: &str = "sessions/sess_a/memory.jsonl";

/// A session-log store with a history: an edit and a deletion, copies, a draft, quarantine.
pub(super) fn session_log() -> Site {
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

/// A memory-server store with backups, archives and undo data.
pub(super) fn memory_server() -> Site {
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

/// A gotcha with erased texts in its title and its cause.
pub(super) fn secret_gotcha(number: u32) -> Value {
    let mut gotcha = gotcha(&format!("The key to {}", secret(20)));
    gotcha["cause"] = json!(secret(number));
    gotcha
}

/// An agent-memory store with two bundles. The first checkpoint has an older version of the gotcha,
/// between other gotchas. Pages and events repeat it.
pub(super) fn agent_memory(retention: bool) -> Site {
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
    site.run(&["backup", "create", "--yes"]).expect_status(0);
    site.run(&["edit", "nextSteps.0", "--set", "why=It is stuck.", "--yes"]).expect_status(0);
    let batch = "archive/prune-20260101T000000000Z";
    site.store.write(format!("{batch}/events.jsonl"), b"");
    let checkpoint = site.store.text("history/checkpoints/chk-000002.json");
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

/// Returns the problems except notes.
pub(super) fn faults(site: &Site) -> Vec<Value> {
    let rows = site.run(&["check", "--json"]).json_lines();
    rows.into_iter().filter(|row| row["severity"] != "note").collect()
}

/// Returns every file below a folder, by its path in it.
pub(super) fn below(folder: PathBuf) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files_below(&folder).into_iter();
    files.map(|(path, bytes)| (path.strip_prefix(&folder).unwrap().to_owned(), bytes)).collect()
}
