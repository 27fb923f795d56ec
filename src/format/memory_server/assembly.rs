//! Assembles the files of a store: states, duplicates, limits, locks.

use std::path::Path;

use super::{index_check, layout};
use crate::format::id_index::IdIndex;
use crate::format::{Assembly, AssemblyInput, LockFact, entries};
use crate::model::{Code, Document, Entry, Moment, Problem, Role, Severity, State, StoredMemory, time};

/// The limits of each live file: bytes, memories, and true if a limit is hard ("Storage Limits").
const LIMITS: [(&str, u64, usize, bool); 3] = [
    ("core_memories.jsonl", 10 << 20, 1000, true),
    ("learnings.jsonl", 5 << 20, 500, false),
    ("tasks.jsonl", 2 << 20, 200, false),
];

/// The age in microseconds at which a lock is old ("Concurrency Control": 30 seconds).
const OLD_LOCK: i64 = 30_000_000;

pub fn assemble(parts: &AssemblyInput<'_>, now: Moment) -> Assembly {
    let (ids, problems) = ids(parts);
    let mut assembly = Assembly { entries: entries(parts), problems, ..Assembly::default() };
    let records = index_check::IndexedRecords::of(parts, &assembly.entries, &ids);
    for document in parts.documents {
        match document.role {
            Role::Records => assembly.problems.extend(limits(document)),
            Role::Index => assembly.problems.extend(index_check::check(document, &records)),
            _ => {}
        }
    }
    assembly.problems.extend(parts.locks.iter().filter_map(|lock| stale_lock(lock, now)));
    assembly
}

/// Returns every record of the live files and the archives, with its state.
pub fn entries(parts: &AssemblyInput<'_>) -> Vec<Entry> {
    let state = |own: &StoredMemory| if own.archived { State::Archived } else { State::Live };
    entries::entries(parts.numbered(), None, |_, own| state(own))
}

/// Returns every id. The first record with an id has it, live files before archives; others are problems.
pub fn ids<'a>(parts: &AssemblyInput<'a>) -> (IdIndex<'a>, Vec<Problem>) {
    let mut files: Vec<&Document> = parts.documents.iter().map(|document| &**document).collect();
    files.sort_by_key(|document| document.role);
    let mut ids = IdIndex::of(files.iter().map(|file| file.records.len()).sum());
    let problems = entries::duplicates(&mut ids, files.into_iter());
    (ids, problems)
}

fn limits(document: &Document) -> Vec<Problem> {
    let name = document.path.to_str().unwrap_or_default();
    let Some(&(file, bytes, memories, hard)) = LIMITS.iter().find(|(file, ..)| *file == name) else {
        return Vec::new();
    };
    let live = live(document);
    let remedy = match (hard, layout::kind_of_file(&document.path)) {
        (true, _) => "Agents refuse to add more until some are archived.",
        (false, Some("task")) => "Archive tasks that are done.",
        (false, _) => "Archive what was not used for a long time.",
    };
    let sizes = [(document.len, bytes, "bytes"), (live as u64, memories as u64, "memories")];
    let problem = |(is, max, what): (u64, u64, &str)| {
        let code = if is > max { Code::LimitExceeded } else { Code::LimitNear };
        let message = format!("{file} holds {is} of {max} {what}. {remedy}");
        Problem::of_file(code, Severity::Warning, file, message)
    };
    sizes.into_iter().filter(|&(is, max, _)| is * 10 >= max * 9).map(problem).collect()
}

/// Counts the memories for a file's limit.
fn live(document: &Document) -> usize {
    document.records.iter().filter(|record| record.memory().is_some_and(|memory| !memory.archived)).count()
}

/// Returns the bytes and memories above which a file with a soft limit is archived automatically.
pub fn soft_limit(file: &Path) -> Option<(u64, usize)> {
    let name = file.to_str()?;
    let &(_, bytes, memories, _) = LIMITS.iter().find(|(own, .., hard)| !*hard && *own == name)?;
    Some((bytes, memories))
}

/// Returns why a file can't have this content: a hard limit. A file above it may keep its size, but not grow.
pub fn hard_limit(before: Option<&Document>, document: &Document) -> Option<String> {
    let name = document.path.to_str().unwrap_or_default();
    let &(_, bytes, memories, _) = LIMITS.iter().find(|(file, .., hard)| *hard && *file == name)?;
    let live = live(document);
    let full = document.len > bytes.max(before.map_or(0, |own| own.len))
        || live > memories.max(before.map_or(0, self::live));
    full.then(|| {
        format!(
            "{name} would hold {live} of {memories} memories in {} of {bytes} bytes. Archive some first.",
            document.len
        )
    })
}

/// True if a live file with this size is above a limit.
pub fn may_be_full(name: &str, bytes: u64, count: usize) -> bool {
    let limits = LIMITS.iter().find(|(file, ..)| *file == name);
    limits.is_none_or(|&(_, most, memories, _)| bytes > most || count > memories)
}

/// Returns a problem if the lock is old and its holder gone. A release leaves an empty lock.
fn stale_lock(lock: &LockFact, now: Moment) -> Option<Problem> {
    // "Contains PID and timestamp", without a form: any word that reads as a time counts.
    let text = String::from_utf8_lossy(&lock.bytes).into_owned();
    let words = text.split(|c: char| c.is_whitespace() || "\"',;{}".contains(c));
    let taken = words.filter_map(Moment::of).next();
    let age = now.0.saturating_sub(taken.unwrap_or(lock.modified).0);
    let stale = lock.holder_alive == Some(false) && age > OLD_LOCK;
    stale.then(|| {
        let hours = age as f64 / time::HOUR as f64;
        let message = format!("The process that took it is gone. The lock is {hours:.1} hours old.");
        Problem::of_file(Code::StaleLock, Severity::Warning, &lock.path, message)
    })
}
