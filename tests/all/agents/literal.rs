//! Agents that follow the pseudo-code of their specifications to the letter.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use palimp::model::Moment;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::part::Part;

/// All three give up after this time.
const PATIENCE: Duration = Duration::from_secs(5);
/// Two of them try again after this time.
const PAUSE: Duration = Duration::from_millis(100);

/// How often an agent tries again: on a slow, shared machine, five seconds may pass without a free lock.
const TIMES: usize = 12;

/// Appends one record under the format's lock.
pub fn append(part: &Part, at: usize) -> io::Result<()> {
    let mut outcome = append_once(part, at);
    for _ in 1..TIMES {
        match &outcome {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => outcome = append_once(part, at),
            _ => break,
        }
    }
    outcome
}

fn append_once(part: &Part, at: usize) -> io::Result<()> {
    match part.format {
        "memory-server" => memory_server(part, at),
        "session-log" => session_log(part, at),
        _ => bmad(part, at),
    }
}

fn add(part: &Part, at: usize) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(&part.file)?;
    file.write_all(format!("{}\n", part.line(at)).as_bytes())
}

fn said<T>(what: &'static str, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("{what}: {error}")))
}

fn parsed(what: &'static str, bytes: &[u8]) -> io::Result<Value> {
    serde_json::from_slice(bytes).map_err(|error| io::Error::other(format!("{what}: {error}: {bytes:?}")))
}

/// 1, "Lock Acquisition": `fd = open('.lock', 'w')`, `flock(fd, LOCK_EX)`; released by
/// `flock(fd, LOCK_UN)`, `fd.close()`, `os.remove('.lock')`.
fn memory_server(part: &Part, at: usize) -> io::Result<()> {
    let path = part.root.join(".lock");
    let lock = said("open the lock", File::create(&path))?;
    said("flock", flock(&lock, FlockOperation::LockExclusive).map_err(io::Error::from))?;
    let outcome = add(part, at).and_then(|()| update_index(part, "statistics", at));
    said("unlock", flock(&lock, FlockOperation::Unlock).map_err(io::Error::from))?;
    drop(lock);
    outcome.and(said("remove the lock", fs::remove_file(&path)))
}

/// 2, §17.1: created with `wx` and written by a second call; a lock that is over is unlinked.
fn session_log(part: &Part, at: usize) -> io::Result<()> {
    let path = folder(part).join("lock");
    let began = Instant::now();
    loop {
        if began.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "Lock timeout"));
        }
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut lock) => {
                let now = Moment::of_the_clock();
                said("write the lock", lock.write_all(lease(now.plus(5_000_000)).as_bytes()))?;
                break;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let bytes = match fs::read(&path) {
                    // Its holder released it since, which is not palimp's doing.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    outcome => said("read the lock", outcome)?,
                };
                let existing = parsed("parse the lock", &bytes)?;
                let until = existing["expires_at"].as_str().and_then(Moment::parse);
                let (until, _) =
                    until.ok_or_else(|| io::Error::other(format!("no expires_at: {existing}")))?;
                if until < Moment::of_the_clock() {
                    said("unlink what is over", fs::remove_file(&path))?;
                    continue;
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
    let outcome = add(part, at).and_then(|()| update_index(part, "entries", at));
    outcome.and(said("unlink the lock", fs::remove_file(&path)))
}

fn lease(until: Moment) -> String {
    let now = Moment::of_the_clock().to_millis();
    let until = until.to_millis();
    json!({"pid": std::process::id(), "timestamp": now, "operation": "write", "expires_at": until})
        .to_string()
}

/// 4, §4.2: `.lock` created with `wx`, tried every 100 ms for 5 s.
fn bmad(part: &Part, at: usize) -> io::Result<()> {
    let path = folder(part).join(".lock");
    let began = Instant::now();
    loop {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut lock) => {
                lock.write_all(claim(part).as_bytes())?;
                break;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => std::thread::sleep(PAUSE),
            Err(error) => return Err(error),
        }
        if began.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "Lock acquisition timeout"));
        }
    }
    add(part, at).and(said("unlink the lock", fs::remove_file(&path)))
}

fn claim(part: &Part) -> String {
    let now = Moment::of_the_clock().to_millis();
    json!({"pid": std::process::id(), "agent_id": part.mark, "acquired_at": now}).to_string()
}

fn folder(part: &Part) -> PathBuf {
    part.file.parent().unwrap().to_owned()
}

/// Reads the index, adds an entry, and writes it in place. The long form does so only now and then:
/// complete writes for each of many records would take hours.
fn update_index(part: &Part, member: &str, at: usize) -> io::Result<()> {
    if part.count > 5_000 && !at.is_multiple_of(500) {
        return Ok(());
    }
    let path = folder(part).join("index.json");
    let mut index = parsed("parse the index", &said("read the index", fs::read(&path))?)?;
    match member {
        "entries" => index[member][part.id(at)] = json!({"type": "finding"}),
        _ => index[member]["total_memories"] = json!(at),
    }
    said("write the index", fs::write(&path, index.to_string()))
}
