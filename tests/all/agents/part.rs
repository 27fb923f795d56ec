//! The agents that child processes run, and how they get their settings.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{literal, lockless, several, stopped};
use crate::support::SOON;

/// The settings of an agent, as JSON.
const PART: &str = "PALIMP_TEST_PART";

#[derive(Clone)]
pub struct Part {
    pub name: &'static str,
    pub format: &'static str,
    pub root: PathBuf,
    pub file: PathBuf,
    /// A folder outside the store, for messages between the processes.
    pub room: PathBuf,
    pub count: usize,
    /// A part of its ids.
    pub mark: String,
    /// The number of rewrites with which it keeps pace; 0 if it does not wait.
    pub rewrites: usize,
}

impl Part {
    pub fn start(&self) -> Playing {
        let told = json!({
            "name": self.name, "format": self.format, "root": self.root, "file": self.file, "room": self.room,
            "count": self.count, "mark": self.mark, "rewrites": self.rewrites,
        });
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "agents::an_agent_plays_its_part", "--nocapture"])
            .env(PART, told.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Playing { child, part: self.clone() }
    }

    /// The file with the errors that it met.
    pub fn report(&self) -> PathBuf {
        self.room.join(format!("{}.report", self.mark))
    }

    pub fn id(&self, number: usize) -> String {
        match self.format {
            "memory-server" => {
                let mark = self
                    .mark
                    .bytes()
                    .fold(0_u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(u64::from(byte)))
                    & 0xffff_ffff;
                format!("{mark:08x}-0000-4000-8000-{number:012x}")
            }
            _ => format!("{}_{number:06}", self.mark),
        }
    }

    pub fn line(&self, number: usize) -> String {
        line(self.format, &self.id(number), &format!("Record {number} of {}.", self.mark), &self.file)
    }

    /// Waits for the rewrites, so that appends and rewrites happen at the same time.
    pub fn keep_pace(&self, number: usize) {
        let due = (number.saturating_mul(self.rewrites) / self.count.max(1)).saturating_sub(2) as u64;
        let progress = self.room.join("progress");
        let began = Instant::now();
        while due > 0 && fs::metadata(&progress).map_or(0, |found| found.len()) < due {
            assert!(began.elapsed() < SOON * 12, "palimp went on rewriting");
            std::thread::sleep(Duration::from_millis(1));
        }
        // Different pauses, so that appends meet every moment of a rewrite.
        if self.rewrites > 0 && number.is_multiple_of(3) {
            std::thread::sleep(Duration::from_micros((number as u64 * 7919) % 4000));
        }
    }
}

pub fn line(format: &str, id: &str, text: &str, file: &Path) -> String {
    let when = "2026-01-10T12:00:00.000000Z";
    let record = match format {
        "memory-server" => json!({
            "id": id, "type": if file.ends_with("tasks.jsonl") { "task" } else { "learning" }, "content": text,
            "created_at": when, "updated_at": when, "accessed_at": when, "access_count": 0, "tags": ["t"],
            "importance": "medium", "archived": false,
        }),
        "session-log" => json!({
            "id": id, "session_id": session_of(file), "timestamp": "2026-01-10T12:00:00.000Z", "type": "finding",
            "content": {"finding": text}, "importance": 0.5, "decay_factor": 1.0, "tags": ["t"], "references": [],
        }),
        _ => json!({
            "id": id, "timestamp": "2026-01-11T10:08:15Z", "discovered_by": "analyst", "category": "scalability",
            "severity": "critical", "description": text, "evidence": "None", "recommendation": "None",
            "status": "open", "tags": ["t"], "decay_factor": 1.0,
        }),
    };
    record.to_string()
}

pub fn session_of(file: &Path) -> String {
    file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// A child process that runs an agent. It is killed when this is dropped.
pub struct Playing {
    pub child: Child,
    pub part: Part,
}

impl Playing {
    /// Waits for its end. Returns the errors that it met, one per line.
    #[track_caller]
    pub fn end(mut self) -> Vec<String> {
        let status = self.child.wait().unwrap();
        let report = fs::read_to_string(self.part.report()).unwrap_or_default();
        assert!(status.success(), "{} ended with {status}: {report}", self.part.mark);
        report.lines().map(str::to_owned).collect()
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the agent that the variable selects, if it is set.
pub fn play() {
    let Ok(told) = env::var(PART) else { return };
    // Otherwise the agent of a killed test would append for ever.
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    let number = |name: &str| told[name].as_u64().unwrap() as usize;
    let name = NAMES.into_iter().find(|name| *name == told["name"]).unwrap();
    let format =
        ["memory-server", "session-log", "bmad"].into_iter().find(|own| *own == told["format"]).unwrap();
    let part = Part {
        name,
        format,
        root: text("root").into(),
        file: text("file").into(),
        room: text("room").into(),
        count: number("count"),
        mark: text("mark"),
        rewrites: number("rewrites"),
    };
    let mut met: Vec<String> = Vec::new();
    let mut count = 0;
    for at in 0..part.count {
        if part.rewrites == 0 && part.room.join("stop").exists() {
            break;
        }
        count = at + 1;
        if part.rewrites == 0 {
            // A disk takes about this long to make a line durable; a folder in memory takes no
            // time. Also, the log must not grow faster than an unoptimised program can read.
            std::thread::sleep(Duration::from_millis(1));
        }
        part.keep_pace(at);
        if let Err(error) = act(&part, at) {
            met.push(format!("{at}: {error}"));
        }
    }
    fs::write(part.report(), met.join("\n")).unwrap();
    fs::write(part.report().with_extension("count"), count.to_string()).unwrap();
}

const NAMES: [&str; 8] =
    ["literal", "opener", "keeper", "halver", "stopped", "stopped in a line", "palimp", "adder"];

fn act(part: &Part, at: usize) -> io::Result<()> {
    match part.name {
        "literal" => literal::append(part, at),
        "opener" => lockless::open_and_write(part, at),
        "keeper" => lockless::write_to_what_is_open(part, at),
        "halver" => lockless::write_twice(part, at),
        "stopped" => stopped::stop_before_writing(part, at),
        "stopped in a line" => stopped::stop_in_a_line(part, at),
        "palimp" => several::edit_one(part, at),
        _ => several::add_one(part, at),
    }
}

#[track_caller]
pub fn until(what: &str, seen: impl Fn() -> bool) {
    let began = Instant::now();
    while !seen() {
        assert!(began.elapsed() < SOON, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
