//! Chooses memories to archive: those unused for long, and those above the limits of a full file.

use std::collections::HashSet;

use super::super::assembly;
use crate::format::writing::WriteContext;
use crate::model::{Entry, Moment, Role, State, StoredMemory, is_kept, is_log};
use crate::text::json::Json;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// The rules, in words ("Archival", "Storage Limits").
pub const RULE: &str = "learnings are archived 90 days after their last use, tasks 30 days after they are done; above the soft limit (500 learnings or 5 MB, 200 tasks or 2 MB) the least recently used, done tasks only; core memories by hand; what is pinned stays";

pub struct DueEntries {
    /// A description in a few words.
    pub what: String,
    /// The entries, in the store's order.
    pub entries: Vec<Entry>,
}

pub fn own(context: &WriteContext<'_>) -> DueEntries {
    let live = live(context);
    let old: Vec<usize> = (0..live.len()).filter(|&at| live[at].is_old).collect();
    let full = without_room(context, &live);
    let mut parts = Vec::new();
    if !old.is_empty() || full.is_empty() {
        parts.push("learnings not used for 90 days and tasks done for 30".to_owned());
    }
    if !full.is_empty() {
        parts.push(format!("{} that full files have no room for", full.len()));
    }
    let own: HashSet<usize> = old.into_iter().chain(full).collect();
    let entries = (0..live.len()).filter(|at| own.contains(at)).map(|at| *live[at].entry).collect();
    DueEntries { what: format!("archive {}", parts.join(", and ")), entries }
}

struct LiveRecord<'a> {
    entry: &'a Entry,
    /// True if it is due by its age.
    is_old: bool,
    /// True if it may go when its file is full.
    may_go: bool,
    /// The time of the last use or completion, and the number of uses.
    used: (Option<Moment>, u64),
    bytes: u64,
}

fn live<'a>(context: &'a WriteContext<'_>) -> Vec<LiveRecord<'a>> {
    let mut live = Vec::new();
    for entry in context.store.entries.iter().filter(|entry| entry.state == State::Live) {
        let document = context.store.document(entry);
        let is_log = document.role == Role::Records && is_log(&document.path);
        let Some(memory) = context.store.memory(entry).filter(|_| is_log) else { continue };
        let mut tape = Tape::default();
        let bytes = context.store.raw(entry);
        let Ok(raw) = json_edit::scan(&mut tape, &bytes) else { continue };
        let done = done(raw);
        let (may_go, last) = match memory.kind() {
            "learning" => (true, memory.accessed.or(memory.created)),
            "task" => (done.is_some(), done),
            _ => (false, None),
        };
        let is_kept = is_kept(memory, context.now);
        let bytes = context.store.raw(entry).len() as u64 + 1;
        let used = (last, memory.access_count);
        let is_old = !is_kept && is_due(memory, raw, context.now);
        live.push(LiveRecord { entry, is_old, may_go: may_go && !is_kept, used, bytes });
    }
    live
}

/// Returns the records that are archived, in addition to old ones, until each file is within its soft limit.
fn without_room(context: &WriteContext<'_>, live: &[LiveRecord<'_>]) -> Vec<usize> {
    let mut full = Vec::new();
    for (number, document) in (0_u32..).zip(&context.store.documents) {
        let Some((most_bytes, most)) = assembly::soft_limit(&document.path) else { continue };
        let of_file: Vec<usize> = (0..live.len()).filter(|&at| live[at].entry.document == number).collect();
        let stay: Vec<usize> = of_file.iter().copied().filter(|&at| !live[at].is_old).collect();
        let gone: u64 = of_file.iter().filter(|&&at| live[at].is_old).map(|&at| live[at].bytes).sum();
        let (mut count, mut bytes) = (stay.len(), document.len.saturating_sub(gone));
        let mut candidates: Vec<usize> = stay.into_iter().filter(|&at| live[at].may_go).collect();
        candidates.sort_by_key(|&at| live[at].used);
        for at in candidates {
            if count <= most && bytes <= most_bytes {
                break;
            }
            count -= 1;
            bytes = bytes.saturating_sub(live[at].bytes);
            full.push(at);
        }
    }
    full
}

/// Returns when a task was completed.
fn done(raw: Json<'_>) -> Option<Moment> {
    let status = raw.path(&["task_metadata", "status"]);
    let done = raw.path(&["task_metadata", "completed_at"]).and_then(|when| when.moment());
    done.filter(|_| status.is_some_and(|status| status.is_text("completed")))
}

/// True if "Archival" makes a record due: a learning unused for 90 days, a task completed 30 days ago.
fn is_due(memory: &StoredMemory, raw: Json<'_>, now: Moment) -> bool {
    let day = crate::model::time::DAY;
    match memory.kind() {
        "learning" => memory.accessed.or(memory.created).is_some_and(|used| now > used.plus(90 * day)),
        "task" => done(raw).is_some_and(|done| now > done.plus(30 * day)),
        _ => false,
    }
}
