//! How soon the screens appear: `cargo bench --bench screens`.
//!
//! With a session of 10 MB, through a pseudo-terminal: the time from start until the newest entry
//! is on the screen, against a trivial ratatui program in the same run; and the time from a key to
//! the frame that it changes. The exit code is 1 if a goal is missed.

#[path = "../tests/all/support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use serde_json::json;
use support::{SOON, StoreBuilder, TempStore, Terminal};

/// Runs of each program, in turn.
const RUNS: usize = 25;
/// The longest time of the first screen, as a multiple of the trivial program's.
const RATIO: f64 = 2.0;
/// The longest time of the first screen of five stores, as a multiple of that of one.
const FIVE: f64 = 1.3;
/// The longest time until a key shows, at the 99th percentile.
const KEY: Duration = Duration::from_millis(16);

fn main() -> ExitCode {
    let store = ten_megabytes();
    let trivial = trivial_program();
    let first = first_screen(&store, &trivial);
    let five = five_stores(&store);
    let key = keystroke(&store);
    ExitCode::from(u8::from(!(first && five && key)))
}

/// Times the first screen of five stores of 10 MB, one per format, against that of one.
fn five_stores(one: &TempStore) -> bool {
    let others: Vec<TempStore> = OTHERS.iter().map(|&(path, line)| ten_megabytes_of(path, line)).collect();
    let one = one.path.to_str().unwrap();
    let all: Vec<&str> =
        std::iter::once(one).chain(others.iter().map(|own| own.path.to_str().unwrap())).collect();
    let timed = |paths: &[&str]| {
        let begun = Instant::now();
        let args = paths.iter().copied().chain(["--now", "2026-02-01T12:00:00Z"]);
        let terminal = Terminal::palimp(args, 36, 120);
        terminal.wait_for_text("4 Memories", SOON);
        begun.elapsed()
    };
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..RUNS {
        times[0].push(timed(&all[..1]));
        times[1].push(timed(&all));
    }
    let [one, five] = times.map(|mut times| percentile(&mut times, 50));
    let ratio = five.as_secs_f64() / one.as_secs_f64();
    println!("first screen of five stores: {five:.1?}, of one {one:.1?}, ratio {ratio:.2} (goal {FIVE})");
    ratio <= FIVE
}

/// A log of each of the other formats, and a line of it; `#` is the place of its number.
const OTHERS: [(&str, &str); 4] = [
    (
        "sessions/s/conversation.jsonl",
        r##"{"id":"msg-#","timestamp":"2026-01-10T12:00:00Z","agent_id":"a","role":"user","content":"TEXT"}"##,
    ),
    (
        "events/2026-01/events.jsonl",
        r##"{"timestamp":"2026-01-10T12:00:00Z","trace_id":"t#","status":"success","schema_version":"1.0","event_type":"a.b","source":"s","metadata":{"note":"TEXT"}}"##,
    ),
    (
        "history/events.jsonl",
        r##"{"id":"evt-#","kind":"tool_run","sourceId":"s","externalItemId":null,"createdAt":"2026-01-10T12:00:00Z","contentHash":"0","summary":"TEXT","signals":{"decisions":[],"gotchas":[],"nextStepHints":[],"keyPaths":[],"validationObservations":[]},"sourceRef":"x"}"##,
    ),
    (
        "learnings.jsonl",
        r##"{"id":"9b1deb4d-3b7d-4bad-9bdd-0000000#","type":"learning","content":"TEXT","category":"c","created_at":"2026-01-10T12:00:00Z","updated_at":"2026-01-10T12:00:00Z","accessed_at":"2026-01-10T12:00:00Z","access_count":0,"tags":[],"importance":"low","archived":false}"##,
    ),
];

fn ten_megabytes_of(path: &str, line: &str) -> TempStore {
    let text = "Connections are pooled, retried and measured before anything else. ".repeat(8);
    let line = line.replace("TEXT", &text);
    let count = 10_000_000 / line.len();
    let log: String = (0..count).map(|number| line.replace('#', &format!("{number:06}")) + "\n").collect();
    TempStore::of_files("store", &[(path.into(), log.into_bytes())])
}

/// 9,355 entries of about 1.1 kB; the newest has a different text.
fn ten_megabytes() -> TempStore {
    let filler =
        "Connections are pooled, retried and measured before anything else is said of them. ".repeat(10);
    let mut log = String::new();
    for number in 0..9_355 {
        let (day, minute) = (1 + number / 1_440, number % 1_440);
        let text = if number == 9_354 { "the newest entry".to_owned() } else { format!("{number} {filler}") };
        let entry = json!({"id": format!("mem_{number}"), "session_id": "s", "type": "conversation",
            "timestamp": format!("2026-01-{day:02}T{:02}:{:02}:00Z", minute / 60, minute % 60),
            "content": {"role": "user", "message": text}, "importance": 0.5, "decay_factor": 1.0,
            "tags": ["database.pooling"], "references": []});
        log.push_str(&format!("{entry}\n"));
    }
    println!("session of {:.1} MB", log.len() as f64 / 1e6);
    StoreBuilder::session_log().session("s").without("index.json").without("metadata.json").bytes(log).build()
}

/// Builds the example beside the bench.
fn trivial_program() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--example", "trivial_screen"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the trivial program can't be built");
    let palimp = PathBuf::from(env!("CARGO_BIN_EXE_palimp"));
    palimp.parent().unwrap().join("examples/trivial_screen")
}

fn first_screen(store: &TempStore, trivial: &PathBuf) -> bool {
    let timed = |start: &dyn Fn() -> Terminal, text: &str| {
        let begun = Instant::now();
        let terminal = start();
        terminal.wait_for_text(text, SOON);
        begun.elapsed()
    };
    let path = store.path.to_str().unwrap();
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..RUNS {
        let nothing: [&str; 0] = [];
        times[0].push(timed(&|| Terminal::spawn(trivial, nothing, 36, 120), "the first screen is there"));
        times[1].push(timed(
            &|| Terminal::palimp([path, "--now", "2026-02-01T12:00:00Z"], 36, 120),
            "the newest entry",
        ));
    }
    let [floor, own] = times.map(|mut times| percentile(&mut times, 50));
    let ratio = own.as_secs_f64() / floor.as_secs_f64();
    println!("first screen: {own:.1?}, trivial program {floor:.1?}, ratio {ratio:.2} (goal {RATIO})");
    ratio <= RATIO
}

/// Types and deletes a query, letter by letter. A key is answered when its letter is in the search line.
fn keystroke(store: &TempStore) -> bool {
    let mut terminal =
        Terminal::palimp([store.path.to_str().unwrap(), "--now", "2026-02-01T12:00:00Z"], 36, 120);
    terminal.wait_for_text("1/9355", SOON);
    terminal.send_keys("/");
    let mut times = Vec::new();
    for round in 0..12 {
        let word = ["pooled", "measured", "retried", "before"][round % 4];
        for end in 1..=word.len() {
            let begun = Instant::now();
            terminal.send_keys(&word[end - 1..end]);
            let typed = format!("/{}", &word[..end]);
            terminal.wait_for(|screen| line(screen, 1).contains(&typed), SOON);
            times.push(begun.elapsed());
        }
        terminal.send_bytes(b"\x15");
        terminal.wait_for(|screen| line(screen, 1).trim_end().ends_with('/'), SOON);
    }
    let (half, most) = (percentile(&mut times, 50), percentile(&mut times, 99));
    println!("key to frame: median {half:.1?}, 99th percentile {most:.1?} (goal {KEY:?})");
    most <= KEY
}

fn line(screen: &vt100::Screen, row: u16) -> String {
    screen.contents_between(row, 0, row, screen.size().1.into())
}

fn percentile(times: &mut [Duration], of: usize) -> Duration {
    times.sort();
    times[(times.len() - 1) * of / 100]
}
