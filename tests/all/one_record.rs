//! A change of one memory in a long session reads only it, has the same result, and the index follows.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Output, SOON, Verb};

/// The formats with separate sessions, and the log of their findings.
const FORMATS: [(&str, &str); 2] = [("session-log", "memory.jsonl"), ("bmad", "findings.jsonl")];
/// The number of memories: the log has more than 64 KiB.
const MANY: usize = 400;

/// A store with one long session.
struct Site {
    folder: TempDir,
    session: String,
    log: &'static str,
}

impl Site {
    fn new((format, log): (&str, &'static str)) -> Site {
        let mut site = Site { folder: crate::support::folder::new(), session: String::new(), log };
        let root = site.root();
        site.raw(&["init", format, root.to_str().unwrap()]).expect_status(0);
        let told = site.run(&["session", "new", "long"]).expect_status(0).stdout;
        site.session = told.lines().find_map(|line| line.strip_prefix("new session ")).unwrap().to_owned();
        let lines: String = (0..MANY).map(|number| format!("{}\n", site.memory(number))).collect();
        site.write(&lines);
        site.run(&["reindex"]).expect_status(0);
        site
    }

    fn memory(&self, number: usize) -> Value {
        let text = format!("number {number} {}", "x".repeat(200));
        match self.log {
            "memory.jsonl" => json!({"id": self.id(number), "session_id": self.session,
                "timestamp": "2026-01-01T00:00:00Z", "type": "finding", "content": {"finding": text},
                "importance": 0.5, "tags": [], "zzz": 1.50}),
            _ => {
                json!({"id": self.id(number), "timestamp": "2026-01-11T10:08:15Z", "discovered_by": "analyst",
                "severity": "high", "description": text, "status": "open", "tags": [], "decay_factor": 1.0})
            }
        }
    }

    fn id(&self, number: usize) -> String {
        match self.log {
            "memory.jsonl" => format!("mem_{number:08}_001"),
            _ => format!("finding-{number:03}"),
        }
    }

    fn name(&self, number: usize) -> String {
        format!("{}/{}", self.session, self.id(number))
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn log(&self) -> PathBuf {
        self.root().join("sessions").join(&self.session).join(self.log)
    }

    fn read(&self) -> String {
        fs::read_to_string(self.log()).unwrap()
    }

    fn write(&self, text: &str) {
        fs::write(self.log(), text).unwrap();
    }

    fn raw(&self, args: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        Verb::new([args, &["--yes", "--data-dir", data.to_str().unwrap()]].concat()).run()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.raw(&[args, &["--store", self.root().to_str().unwrap()]].concat())
    }

    /// Returns the codes of `check` for indexes and counts.
    fn codes(&self) -> Vec<String> {
        let rows = self.run(&["check", "--readonly", "--json"]).json_lines();
        let codes = rows.iter().filter_map(|row| row["code"].as_str().map(str::to_owned));
        codes.filter(|code| code.starts_with("index-") || code == "count-mismatch").collect()
    }

    /// Waits for the background process.
    #[track_caller]
    fn until_index_is_right(&self) {
        let began = Instant::now();
        while !self.codes().is_empty() {
            assert!(began.elapsed() < SOON, "{:?}", self.codes());
            std::thread::yield_now();
        }
    }
}

#[test]
fn the_log_is_what_it_is_where_all_is_read_and_the_index_is_right_in_the_end() {
    let verbs: [&[&str]; 3] = [
        &["tag", "NAME", "+auth"],
        &["edit", "NAME", "--set", "text=Another text"],
        &["edit", "NAME", "--set", "severity=low"],
    ];
    for (which, format) in FORMATS.into_iter().enumerate() {
        let site = Site::new(format);
        let before = site.read();
        for (at, words) in verbs.into_iter().enumerate() {
            let place = format!("{format:?} {words:?}");
            // Another verb for each format in the short form.
            let is_left_out = !crate::support::tries::is_long() && at + which != 1;
            if is_left_out || format.0 == "session-log" && words.contains(&"severity=low") {
                continue;
            }
            let with =
                |name: &str| -> Vec<String> { words.iter().map(|own| own.replace("NAME", name)).collect() };
            // At both ends of the log, too.
            let number = [MANY / 2, 0, MANY - 1][at];
            let run = |words: &[String]| {
                site.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).expect_status(0)
            };
            run(&with(&site.name(number)));
            let alone = site.read();
            assert_ne!(alone, before, "{place}");
            site.until_index_is_right();
            site.run(&["undo"]).expect_status(0);
            assert_eq!(site.read(), before, "{place}");
            site.until_index_is_right();
            run(&with(&site.id(number)));
            let stamped = |text: &str| {
                let own: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                own.into_iter()
                    .map(|mut own| {
                        let fields = own.as_object_mut().unwrap();
                        fields.retain(|name, _| !name.ends_with("_at") && name != "checksum");
                        own
                    })
                    .collect::<Vec<_>>()
            };
            assert_eq!(stamped(&alone), stamped(&site.read()), "{place}");
            site.run(&["undo"]).expect_status(0);
            assert_eq!(site.read(), before, "{place}");
            site.until_index_is_right();
        }
    }
}

#[test]
fn an_id_that_other_memories_mention_is_changed_in_its_own_alone() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        let id = site.id(7);
        let mention = |line: &str| line.replace("number 9 ", &format!("\\\"{id}\\\" and \\\"{id}\\\" "));
        site.write(&site.read().lines().map(|line| mention(line) + "\n").collect::<String>());
        site.run(&["reindex"]).expect_status(0);
        let before = site.read();
        site.run(&["tag", &site.name(7), "+auth"]).expect_status(0);
        let after = site.read();
        let changed: Vec<usize> =
            (0..MANY).filter(|at| before.lines().nth(*at) != after.lines().nth(*at)).collect();
        assert_eq!(changed, [7], "{format:?}");
    }
}

/// Two memories of a long log share an id: a changed copy of line 7 is added.
#[track_caller]
fn shared_id_is_refused(replaced: impl Fn(&Site) -> (String, String)) {
    for format in crate::support::tries::some(FORMATS, &[1]) {
        let site = Site::new(format);
        let (from, to) = replaced(&site);
        let line = site.read().lines().nth(7).unwrap().replace(&from, &to);
        site.write(&format!("{}{line}\n", site.read()));
        let before = site.read();
        let told = site.run(&["tag", &site.name(7), "+auth"]).expect_status(3);
        assert!(told.stderr.matches("key ").count() >= 2, "{format:?}: {}", told.stderr);
        assert_eq!(site.read(), before, "{format:?}");
    }
}

#[test]
fn memories_that_share_an_id_are_refused_with_their_keys() {
    shared_id_is_refused(|_| ("number 7 ".into(), "number seven ".into()));
}

#[test]
fn an_id_that_another_memory_has_in_other_letters_is_shared_too() {
    shared_id_is_refused(|site| {
        let id = site.id(7);
        let escaped = format!("\\u00{:02x}{}", id.as_bytes()[0], &id[1..]);
        (format!("\"{id}\""), format!("\"{escaped}\""))
    });
}

#[test]
fn a_memory_that_is_deleted_or_torn_is_refused_as_ever() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        let name = site.name(7);
        let torn = site
            .read()
            .replace(&format!("{}\n", site.memory(8)), &format!("{{\"id\":\"{}\",\"te\n", site.id(8)));
        assert_ne!(torn, site.read(), "{format:?}");
        site.write(&torn);
        let before = site.read();
        site.run(&["tag", &site.name(8), "+auth"]).expect_status(1);
        assert_eq!(site.read(), before, "{format:?}");
        site.run(&["delete", &name]).expect_status(0);
        let before = site.read();
        let told = site.run(&["tag", &name, "+auth"]);
        assert!(matches!(told.status, Some(1 | 3)), "{format:?}: {told:?}");
        assert_eq!(site.read(), before, "{format:?}");
    }
}

#[test]
fn a_line_that_another_adds_meanwhile_stays() {
    for format in crate::support::tries::some(FORMATS, &[0]) {
        let site = Site::new(format);
        for number in 0..5 {
            site.run(&["tag", &site.name(number), "+auth"]).expect_status(0);
            let mut memory = site.memory(900 + number);
            memory["tags"] = json!(["added"]);
            site.write(&format!("{}{memory}\n", site.read()));
        }
        let rows = |tag: &str| site.run(&["list", "--json", tag]).json_lines().len();
        assert_eq!((rows("tag:auth"), rows("tag:added")), (5, 5), "{format:?}");
        site.run(&["reindex"]).expect_status(0);
        assert_eq!(site.codes(), [""; 0], "{format:?}");
    }
}

#[test]
fn a_memory_that_is_added_to_a_long_session_gets_the_number_after_the_largest() {
    let site = Site::new(FORMATS[1]);
    let add = || {
        let words = ["add", "--session", &site.session, "--type", "finding", "--text", "new"];
        site.run(&words).expect_status(0);
        let last: Value = serde_json::from_str(site.read().lines().last().unwrap()).unwrap();
        last["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(add(), format!("finding-{MANY}"));
    // An id in a text does not count. Ids in references and in torn memories do, and are not given again.
    let mut other = site.memory(0);
    other["id"] = "finding-500".into();
    other["description"] = "finding-950 and \"finding-960\" are mentioned".into();
    other["references"] = json!({"findings": ["finding-700"]});
    site.write(&format!("{}{other}\n", site.read()));
    assert_eq!(add(), "finding-701");
    site.write(&format!("{}{{\"id\":\"finding-800\n", site.read()));
    assert_eq!(add(), "finding-801");
    site.until_index_is_right();
}
