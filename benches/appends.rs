//! Times additions to an open store with few and with many memories: the medians should be the
//! same. Beside them, in the same run: a bare open, flock, append and fsync.
//!
//! `cargo bench --no-default-features --bench appends [folder]`; `folder` selects the file system.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use palimp::memory::{Memory, New};

/// The number of records that are timed; the first few are not.
const RUNS: usize = 60;
const FIRST: usize = 5;
const AT_ONCE: usize = 1_000;

/// Formats, a type whose memories are lines in them, whether those have a session, and the large count.
const LOGS: [(&str, &str, bool, usize); 4] = [
    ("session-log", "finding", true, 10_000),
    ("bmad", "finding", true, 10_000),
    ("memory-server", "core", false, 900),
    ("a-mem", "event", false, 10_000),
];

fn main() {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let folder = match named {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let folder = folder.unwrap();
    println!(
        "{:14} {:>12} {:>12} {:>7} {:>12} {:>12}",
        "", "onto 100", "onto many", "ratio", "bare call", "at once"
    );
    for (format, kind, has_sessions, many) in LOGS {
        let time = |count: usize| {
            let mut site =
                Site::new(&folder.path().join(format!("{format}-{count}")), (format, kind, has_sessions));
            site.fill(count);
            (site.median(), site)
        };
        // A session that is nearly full takes no more at once.
        let ((few, mut site), (much, _)) = (time(100), time(many));
        let at_once = if format == "memory-server" { None } else { Some(site.at_once()) };
        let bare = bare(folder.path());
        let ratio = much.as_secs_f64() / few.as_secs_f64();
        let at_once = at_once.map_or("".into(), |ratio| format!("{ratio:.1}x a write"));
        println!("{format:14} {few:>12.1?} {much:>12.1?} {ratio:>7.2} {bare:>12.1?} {at_once:>12}");
    }
}

struct Site {
    root: PathBuf,
    data: PathBuf,
    session: Option<String>,
    kind: &'static str,
    memory: Memory,
}

impl Site {
    fn new(folder: &Path, (format, kind, has_sessions): (&str, &'static str, bool)) -> Site {
        let (root, data) = (folder.join("store"), folder.join("data"));
        let mut memory = Memory::create(format, &root, &data).unwrap();
        let session = has_sessions.then(|| memory.create_session(None, "bench").unwrap());
        let session = session.or((kind == "event").then(|| "trace-1".to_owned()));
        Site { root, data, session, kind, memory }
    }

    /// Adds memories of 400 bytes in one step.
    fn fill(&mut self, count: usize) {
        let text = "w".repeat(200);
        let new = New { session: self.session.as_deref(), kind: self.kind, text: &text, ..New::default() };
        self.memory.add_all(&vec![new; count]).unwrap();
        self.memory.flush().unwrap();
        self.memory = Memory::open(&self.root, &self.data).unwrap();
    }

    fn median(&mut self) -> Duration {
        let mut all = Vec::new();
        for number in 0..FIRST + RUNS {
            let text = format!("{} {number}", "w".repeat(200));
            let new =
                New { session: self.session.as_deref(), kind: self.kind, text: &text, ..New::default() };
            let began = Instant::now();
            self.memory.add(&new).unwrap();
            all.push(began.elapsed());
        }
        median(all.split_off(FIRST))
    }

    /// Returns how much longer one step with many memories takes than a bare write of as many bytes
    /// with one fsync.
    fn at_once(&mut self) -> f64 {
        let text = "w".repeat(200);
        let new = New { session: self.session.as_deref(), kind: self.kind, text: &text, ..New::default() };
        let all = vec![new; AT_ONCE];
        let bytes = vec![b'x'; 400 * AT_ONCE];
        let path = self.root.with_extension("bare");
        let mut ratios: Vec<f64> = (0..5)
            .map(|_| {
                let began = Instant::now();
                self.memory.add_all(&all).unwrap();
                let took = began.elapsed();
                let began = Instant::now();
                let mut file = File::create(&path).unwrap();
                file.write_all(&bytes).and_then(|()| file.sync_all()).unwrap();
                took.as_secs_f64() / began.elapsed().as_secs_f64()
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }
}

/// Times an open, flock, append and fsync of 400 bytes.
fn bare(folder: &Path) -> Duration {
    let path = folder.join("bare.jsonl");
    fs::write(&path, "").unwrap();
    let one = || {
        let began = Instant::now();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        fs4::FileExt::lock(&file).unwrap();
        file.write_all(&[b'x'; 400]).and_then(|()| file.sync_all()).unwrap();
        drop(file);
        began.elapsed()
    };
    median((0..RUNS * 5).map(|_| one()).collect())
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}
