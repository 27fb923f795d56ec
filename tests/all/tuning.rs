//! Settings in a store's config: how to wait for locks, and what an open store writes later.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use palimp::disk::{Disk, Machine, ProcessState, RealDisk, ThisMachine};
use palimp::memory::{Memory, MemoryError, New};
use palimp::model::Moment;
use palimp::store::Place;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::faulty::{Errno, Fault, Faulty};
use crate::support::passed_on::passed_on;
use crate::support::{SOON, Verb, files_below};

/// This machine with a sleep that takes no time, and is noted.
#[derive(Clone)]
struct Sleepless {
    real: ThisMachine,
    slept: Arc<Mutex<Vec<Duration>>>,
    numbers: Arc<AtomicU8>,
}

impl Sleepless {
    fn new() -> Self {
        Sleepless { real: ThisMachine::new(), slept: Arc::default(), numbers: Arc::default() }
    }

    fn ahead(&self) -> Duration {
        self.slept.lock().unwrap().iter().sum()
    }
}

impl Machine for Sleepless {
    passed_on! { self => self.real; own_process process }

    fn now(&self) -> Moment {
        self.real.now().plus(self.ahead().as_micros() as i64)
    }

    fn monotonic(&self) -> Duration {
        self.real.monotonic() + self.ahead()
    }

    fn sleep(&self, time: Duration) {
        self.slept.lock().unwrap().push(time);
    }

    fn random(&self) -> [u8; 16] {
        [self.numbers.fetch_add(1, Ordering::SeqCst); 16]
    }
}

/// A store with one session and that config.
struct Desk {
    folder: TempDir,
    format: &'static str,
    session: String,
}

impl Desk {
    fn new(format: &'static str, config: Value) -> Desk {
        let folder = crate::support::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let mut memory = Memory::create(format, &root, &data).unwrap();
        let config = if format == "bmad" { json!({ "memory_config": config }) } else { config };
        std::fs::write(root.join("config.json"), config.to_string()).unwrap();
        let session = memory.create_session(None, "tester").unwrap();
        Desk { folder, format, session }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn place(&self) -> Place {
        Place::whole(self.root(), self.format)
    }

    /// Opens the store on a machine that the test chooses.
    fn at(&self, machine: impl Machine + Send + 'static) -> Memory {
        Memory::at(Box::new(RealDisk), Box::new(machine), self.place(), &self.data())
    }

    fn open(&self) -> Memory {
        Memory::open(&self.root(), &self.data()).unwrap()
    }

    fn add(&self, memory: &mut Memory, text: &str) -> Result<String, MemoryError> {
        let new = New { session: Some(&self.session), kind: "finding", text, ..New::default() };
        memory.add(&new).map(|own| own.id)
    }

    fn session_file(&self, name: &str) -> PathBuf {
        self.root().join("sessions").join(&self.session).join(name)
    }

    fn index(&self) -> String {
        std::fs::read_to_string(self.session_file("index.json")).unwrap_or_default()
    }

    /// Lets this process take the session's lock as an agent does, and never release it.
    fn hold(&self) {
        let (pid, now) = (std::process::id(), ThisMachine::new().now());
        let [since, until] = [now, now.plus(50_000_000)].map(Moment::to_millis);
        let (name, said) = match self.format {
            "bmad" => (".lock", json!({"pid": pid, "agent_id": "dev", "acquired_at": since})),
            _ => {
                let lease =
                    json!({"pid": pid, "timestamp": since, "operation": "write", "expires_at": until});
                ("lock", lease)
            }
        };
        std::fs::write(self.session_file(name), said.to_string()).unwrap();
    }

    fn words(&self, words: &[&str]) -> Verb {
        let (root, data) = (self.root(), self.data());
        let places = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new([words, &places].concat())
    }

    fn verb(&self, words: &[&str]) -> crate::support::Output {
        self.words(words).run()
    }
}

#[track_caller]
fn until(what: &str, mut seen: impl FnMut() -> bool) {
    let began = Instant::now();
    while !seen() {
        assert!(began.elapsed() < SOON, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_lock_is_waited_for_as_long_as_the_config_says_and_once() {
    for format in ["session-log", "bmad"] {
        for (millis, said) in
            [(json!(700), "within 0.7 s"), (json!(0), "within 5.0 s"), (json!("x"), "5.0 s")]
        {
            let desk = Desk::new(format, json!({"concurrency": {"lock_timeout_ms": millis}}));
            let machine = Sleepless::new();
            let mut memory = desk.at(machine.clone());
            desk.hold();
            let error = desk.add(&mut memory, "held").unwrap_err();
            assert!(error.code == "E_LOCK_TIMEOUT" && error.message.contains(said), "{format}: {error}");
            let most = Duration::from_millis(millis.as_u64().filter(|own| *own > 0).unwrap_or(5_000) + 500);
            assert!(machine.ahead() < most, "{format}: {:?}", machine.ahead());
        }
    }
}

/// Returns how many calls of an `add` may fail once in that way without failing it.
fn survived(desk: &Desk, fault: Fault) -> usize {
    let root = Path::new("/memory");
    let add = |step: Option<usize>| {
        let disk = Faulty::new();
        for (path, bytes) in files_below(&desk.root()) {
            disk.put(root.join(path.strip_prefix(desk.root()).unwrap_or(&path)), bytes, 0o600);
        }
        let place = Place::whole(root.into(), desk.format);
        let machine = Box::new(Sleepless::new());
        let mut memory = Memory::at(Box::new(disk.clone()), machine, place, Path::new("/data"));
        desk.add(&mut memory, "the first").unwrap();
        let begins = disk.steps();
        step.into_iter().for_each(|step| disk.fail_at(begins + step, fault));
        let is_added = desk.add(&mut memory, "the second").is_ok();
        let calls = disk.steps() - begins;
        drop(memory);
        let log = disk.read(&root.join("sessions").join(&desk.session).join("memory.jsonl"), 0, None);
        let log = String::from_utf8(log.unwrap().0).unwrap();
        let there = log.matches("the second").count();
        assert!(there <= 1 && there >= usize::from(is_added), "{fault:?} at {step:?}: {log}");
        assert_eq!(log.matches("the first").count(), 1, "{fault:?} at {step:?}");
        (is_added, calls)
    };
    let (_, calls) = add(None);
    (0..calls).filter(|step| add(Some(*step)).0).count()
}

#[test]
fn a_write_that_failed_for_a_passing_reason_is_tried_again_and_never_made_twice() {
    let desk = |retries| Desk::new("session-log", json!({"concurrency": {"max_retries": retries}}));
    for fault in [Fault::Error(Errno::IO), Fault::ErrorAfter(Errno::IO)] {
        let (never, thrice) = (survived(&desk(0), fault), survived(&desk(3), fault));
        assert!(thrice > never, "{fault:?}: {thrice} after retries, {never} without");
    }
    let full = Fault::Error(Errno::NOSPC);
    assert_eq!(survived(&desk(3), full), survived(&desk(0), full), "a full disk does not pass");
}

#[test]
fn an_open_store_writes_its_index_with_an_addition_as_late_as_the_config_says() {
    let interval =
        |millis: u64| Desk::new("session-log", json!({"performance": {"batch_write_interval_ms": millis}}));
    let (patient, prompt) = (interval(86_400_000), interval(20));
    let (mut late, mut soon) = (patient.open(), prompt.open());
    let waits = patient.add(&mut late, "a day").unwrap();
    let first = prompt.add(&mut soon, "the first").unwrap();
    until("the index to be written", || {
        prompt.add(&mut soon, "another").unwrap();
        prompt.index().contains(&first)
    });
    assert!(!patient.index().contains(&waits));
    late.close().unwrap();
    assert!(patient.index().contains(&waits));
    soon.close().unwrap();
    assert_eq!(prompt.verb(&["check", "--json"]).json_lines(), Vec::<Value>::new());
}

#[test]
fn an_index_that_is_not_kept_in_memory_is_written_with_each_record() {
    for (in_memory, waits) in [(json!(false), false), (json!(true), true), (json!("no"), true)] {
        let desk = Desk::new("session-log", json!({"performance": {"index_in_memory": in_memory}}));
        let mut memory = desk.at(ThisMachine::new());
        for number in 0..2 {
            let id = desk.add(&mut memory, &format!("memory {number}")).unwrap();
            assert_eq!(desk.index().contains(&id), !waits, "{in_memory}");
        }
        let out = desk.verb(&["check", "--readonly", "--json"]).stdout;
        assert_eq!(out.contains("index-due"), waits, "{out}");
    }
}

#[test]
fn a_batch_of_records_does_not_wait_any_longer_for_its_index() {
    let desk = Desk::new("bmad", json!({"performance": {"batch_write_size": 3}}));
    let mut memory = desk.at(ThisMachine::new());
    for round in 0..2 {
        for number in 1..=3 {
            let id = desk.add(&mut memory, &format!("memory {number} of {round}")).unwrap();
            assert_eq!(desk.index().contains(&id), number == 3, "{number} of {round}");
        }
    }
}

#[test]
fn without_indexing_no_session_gets_an_index_and_none_is_missed() {
    let desk = Desk::new("bmad", json!({"indexing": {"enabled": false}}));
    let mut memory = desk.at(ThisMachine::new());
    desk.add(&mut memory, "not indexed").unwrap();
    memory.close().unwrap();
    assert_eq!(desk.verb(&["check", "--json"]).json_lines(), Vec::<Value>::new());
    desk.verb(&["reindex", "--yes"]);
    assert!(!desk.session_file("index.json").exists() && desk.session_file("manifest.json").exists());
}

#[test]
fn without_indexing_an_index_that_is_there_forgets_what_is_deleted() {
    let desk = Desk::new("bmad", json!({}));
    let mut memory = desk.at(ThisMachine::new());
    let id = desk.add(&mut memory, "forgettable").unwrap();
    memory.flush().unwrap();
    assert!(desk.index().contains("forgettable"));
    let off = json!({"memory_config": {"indexing": {"enabled": false}}});
    std::fs::write(desk.root().join("config.json"), off.to_string()).unwrap();
    memory.delete(Some(&desk.session), &id, "test").unwrap();
    memory.close().unwrap();
    assert!(!desk.index().is_empty() && !desk.index().contains("forgettable"));
}

#[test]
fn a_setting_that_is_out_of_range_or_of_another_type_is_a_problem_with_its_name() {
    let numbers = [
        ("session-log", "concurrency", "lock_timeout_ms"),
        ("session-log", "concurrency", "max_retries"),
        ("session-log", "concurrency", "retry_backoff_ms"),
        ("session-log", "performance", "cache_size"),
        ("session-log", "performance", "batch_write_interval_ms"),
        ("bmad", "concurrency", "lock_timeout_ms"),
        ("bmad", "concurrency", "lock_retry_interval_ms"),
        ("bmad", "concurrency", "max_concurrent_writes"),
        ("bmad", "indexing", "rebuild_threshold_writes"),
        ("bmad", "indexing", "cache_size_mb"),
        ("bmad", "performance", "batch_write_size"),
        ("bmad", "performance", "index_cache_ttl_seconds"),
    ];
    let others = [
        ("session-log", "performance", "index_in_memory"),
        ("bmad", "indexing", "enabled"),
        ("bmad", "indexing", "update_strategy"),
        ("bmad", "performance", "lazy_load"),
    ];
    let wrong =
        numbers.iter().flat_map(|own| [(own, json!(-1), "out-of-range"), (own, json!("5"), "wrong-type")]);
    let wrong = wrong.chain(others.iter().map(|own| (own, json!(5), "wrong-type")));
    for format in ["session-log", "bmad"] {
        let mut config = json!({});
        let desk = Desk::new(format, json!({}));
        for ((_, section, name), value, code) in wrong.clone().filter(|((own, ..), ..)| *own == format) {
            config = json!({ *section: { *name: value } });
            let config = if format == "bmad" { json!({ "memory_config": config }) } else { config.clone() };
            std::fs::write(desk.root().join("config.json"), config.to_string()).unwrap();
            let rows = desk.verb(&["check", "--readonly", "--json"]).json_lines();
            let is_it = |row: &Value| row["code"] == code && row["message"].to_string().contains(name);
            assert!(rows.len() == 1 && rows.iter().all(is_it), "{format} {name}: {rows:?}");
        }
        assert_ne!(config, json!({}));
    }
}

/// A config in which a session is full enough to be compacted after a few long memories.
fn compacting(auto_compact: Option<bool>) -> Value {
    let mut storage = json!({ "max_session_size_mb": 0.02, "compaction_threshold": 0.1 });
    if let Some(own) = auto_compact {
        storage["auto_compact"] = json!(own);
    }
    json!({ "storage": storage })
}

#[test]
fn a_full_session_is_compacted_as_its_own_setting_says_and_else_as_the_config_whose_default_is_true() {
    for (of_store, of_session, compacts) in [
        (None, None, true),
        (Some(true), None, true),
        (Some(false), None, false),
        (Some(false), Some(true), true),
        (Some(true), Some(false), false),
        (None, Some(false), false),
    ] {
        let desk = Desk::new("session-log", compacting(of_store));
        if let Some(own) = of_session {
            let path = desk.session_file("metadata.json");
            let mut metadata: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            metadata["compaction_config"] = json!({ "auto_compact": own });
            std::fs::write(&path, metadata.to_string()).unwrap();
        }
        let mut memory = desk.open();
        let first = desk.add(&mut memory, &"word ".repeat(60)).unwrap();
        memory.delete(None, &first, "superseded").unwrap();
        for _ in 0..4 {
            desk.add(&mut memory, &"word ".repeat(60)).unwrap();
        }
        memory.flush().unwrap();
        let log = std::fs::read_to_string(desk.session_file("memory.jsonl")).unwrap();
        assert_eq!(!log.contains(&first), compacts, "{of_store:?} {of_session:?}");
    }
}

#[test]
fn a_session_gets_no_larger_than_its_limit_with_the_index_that_waits() {
    let config = json!({ "storage": { "max_session_size_mb": 0.05, "auto_compact": false } });
    let limit = (0.05 * f64::from(1 << 20)) as u64;
    let lines = |count: usize| "{\"content\":{\"finding\":\"x1\"}}\n".repeat(count);
    // Many tags make a large index, and what comes behind them has few.
    let tags = |of: u32| (0..10).map(|number| format!("tag-number-{of}-{number}")).collect::<Vec<_>>();
    let tagged = |of| json!({ "content": { "finding": "x" }, "tags": tags(of) }).to_string() + "\n";
    let long = json!({ "content": { "finding": "y ".repeat(300) } }).to_string() + "\n";
    let mixed = (49, false, (0..34).map(tagged).collect::<String>() + &long.repeat(15));
    let counts = [(40, true), (100, true), (130, false), (400, false)];
    let same = counts.map(|(count, fits)| (count, fits, lines(count)));
    for (count, fits, input) in same.into_iter().chain([mixed]) {
        let desk = Desk::new("session-log", config.clone());
        let words = ["add", "--type", "finding", "--session", &desk.session, "--record", "-", "--yes"];
        let added = desk.words(&words).with_input(&input).run();
        assert!(counted(&desk) <= limit, "{count}: {} of {limit}", counted(&desk));
        assert_eq!(added.status == Some(0), fits, "{count}: {}", added.stderr);
        assert!(added.status == Some(0) || added.stderr.contains("session"), "{count}: {}", added.stderr);
        // One by one, until it is full.
        let mut memory = desk.open();
        let refused = (0..400).find_map(|_| desk.add(&mut memory, "x1").err()).unwrap();
        assert_eq!(refused.code, "E_SIZE_LIMIT", "{refused}");
        memory.flush().unwrap();
        drop(memory);
        assert!(counted(&desk) <= limit, "{count}: {} of {limit}", counted(&desk));
        assert!(counted(&desk) > limit * 9 / 10, "{count}: {} of {limit}", counted(&desk));
    }
}

/// Returns the bytes of a session that count towards its limit.
fn counted(desk: &Desk) -> u64 {
    let len = |name: &&str| std::fs::metadata(desk.session_file(name)).map_or(0, |found| found.len());
    ["memory.jsonl", "tombstones.jsonl", "index.json"].iter().map(len).sum()
}

#[test]
fn a_full_session_whose_index_is_stale_gets_no_new_memory_over_its_limit_and_all_else_works() {
    let desk = Desk::new("session-log", json!({ "storage": { "max_session_size_mb": 0.05 } }));
    let line = |id: u32, text: &str| {
        let entry = json!({ "id": format!("mem_{id}"), "type": "finding", "timestamp": "2026-01-01T00:00:00Z",
            "importance": 0.9, "tags": ["t"], "content": { "finding": text } });
        format!("{entry}\n")
    };
    let all: String = (1..300).map(|id| line(id, "x1")).collect();
    std::fs::write(desk.session_file("memory.jsonl"), line(0, &"word ".repeat(1_400)) + &all).unwrap();
    desk.verb(&["delete", "mem_0", "--yes"]).expect_status(0);
    std::fs::remove_file(desk.session_file("index.json")).unwrap();
    let before = std::fs::read(desk.session_file("memory.jsonl")).unwrap();
    let text = "y ".repeat(600);
    let add = ["add", "--type", "finding", "--session", &desk.session, "--text", &text, "--yes"];
    desk.verb(&add).expect_status(3).expect_stderr("E_SIZE_LIMIT");
    assert_eq!(std::fs::read(desk.session_file("memory.jsonl")).unwrap(), before);
    for words in [&["reindex"][..], &["delete", "mem_5"], &["undo"], &["erase", "mem_6"], &["compact"]] {
        desk.verb(&[words, &["--yes"]].concat()).expect_status(0);
    }
    assert!(counted(&desk) > 52_428, "the index alone took it over");
}

#[test]
fn a_session_s_own_threshold_counts_and_a_wrong_one_is_reported() {
    let desk = Desk::new("session-log", json!({ "storage": { "max_session_size_mb": 0.02 } }));
    let mut memory = desk.open();
    desk.add(&mut memory, &"word ".repeat(600)).unwrap();
    drop(memory);
    let path = desk.session_file("metadata.json");
    let mut metadata: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    for (share, code) in [(0.95, ""), (0.1, "limit-near"), (7.0, "out-of-range")] {
        metadata["compaction_config"] = json!({ "threshold": share });
        std::fs::write(&path, metadata.to_string()).unwrap();
        let found = desk.verb(&["check", "--readonly", "--json"]).stdout;
        assert!(found.contains(code) && found.is_empty() == code.is_empty(), "{share}: {found}");
    }
}

#[test]
fn the_floor_of_the_config_holds_in_sessions_that_palimp_makes_and_another_checksum_is_reported() {
    let desk = Desk::new("session-log", json!({ "decay": { "min_decay_factor": 0.4 } }));
    let mut memory = desk.open();
    desk.add(&mut memory, "It fades.").unwrap();
    drop(memory);
    let rows = desk.verb(&["search", "fades", "--explain", "--json", "--now", "2036-01-01T00:00:00Z"]);
    assert!(rows.stdout.contains("0.4"), "{}", rows.stdout);
    let config = json!({ "integrity": { "checksum_algorithm": "sha512" } });
    std::fs::write(desk.root().join("config.json"), config.to_string()).unwrap();
    let rows = desk.verb(&["check", "--readonly", "--json"]).json_lines();
    let is_it = |row: &Value| row["message"].to_string().contains("checksum_algorithm");
    assert_eq!(rows.iter().filter(|row| is_it(row)).count(), 1, "{rows:?}");
    let other = json!({ "storage": { "format": "yaml", "encoding": "utf-16", "compression": { "enabled": true } },
        "compaction": { "strategy": "oldest" }, "version": "7" });
    let rows = Desk::new("bmad", other).verb(&["check", "--readonly", "--json"]).json_lines();
    assert!(rows.len() == 5 && rows.iter().all(|row| row["file"] == "config.json"), "{rows:?}");
}
