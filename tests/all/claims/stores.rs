//! A small store of each format with a history: backups, deletions, erasures, an archive, duplicates.

use std::path::Path;

use palimp::model::{EntryRef, State};
use palimp::ops::reindex::Reindex;
use palimp::ops::tag::ChangeTags;
use palimp::usecase::{ArchiveMemories, DeleteOptions, EditMemory, EraseOptions};
use serde_json::{Value, json};

use super::desk::Desk;
use crate::support::{AgentMemoryBuilder, Files, gzip};

const TOPICS: &str = "the outbox keeps what was not sent; a pool of 20 {connections} is enough; \
    rotate the \"staging\" key on Monday; retries carry one key an order; Näheres zu 券 steht im Handbuch; \
    the export ran [twice] in the night; caches are dropped at each release; \
    a timeout of 30 s hides the failure; one writer a log, and a lock; the drawer sticks when it is cold";

pub fn record(format: &str, number: usize) -> Value {
    let id = match format {
        "memory-server" => format!("00000000-0000-4000-8000-{number:012}"),
        "session-log" => format!("mem_{number:03}"),
        "bmad" => format!("msg-{number:03}"),
        _ => format!("evt-{number:06}"),
    };
    let when = format!("2026-01-{:02}T10:00:00Z", 1 + number % 20);
    let text = format!("{}, says {number}", TOPICS.split("; ").nth(number % 10).unwrap());
    match format {
        "memory-server" => json!({"id": id, "type": "learning", "content": text, "created_at": when,
            "updated_at": when, "accessed_at": when, "access_count": 1, "tags": ["a", "b"],
            "importance": "high", "archived": false}),
        "session-log" => json!({"id": id, "session_id": "s", "timestamp": when, "type": "finding",
            "content": {"finding": text}, "importance": 0.5, "decay_factor": 1.0, "tags": ["a"],
            "references": []}),
        "agent-memory" => json!({"id": id, "kind": "tool_run", "sourceId": "agent-memory.local",
            "externalItemId": null, "createdAt": when, "contentHash": "00ff", "summary": text,
            "signals": {"decisions": [], "gotchas": [], "nextStepHints": [], "keyPaths": [],
                "validationObservations": []}, "sourceRef": "agent-memory:update"}),
        "bmad" => json!({"id": id, "timestamp": when, "agent_id": "dev", "role": "user", "content": text,
            "metadata": {"tokens": 3, "references": []}, "decay_factor": 1.0}),
        _ => json!({"event_id": id, "timestamp": when, "trace_id": format!("t{}", number % 2),
            "event_type": "gateway.tool_call", "source": "gateway", "status": "success",
            "schema_version": "1.0", "metadata": {"tool_name": text}}),
    }
}

/// The log whose lines are damaged.
pub fn log(format: &str) -> &'static str {
    match format {
        "memory-server" => "learnings.jsonl",
        "session-log" => "sessions/s/memory.jsonl",
        "agent-memory" => "history/events.jsonl",
        "bmad" => "sessions/s/conversation.jsonl",
        _ => "events/2026-01/events.jsonl",
    }
}

pub fn root(format: &str) -> &'static str {
    match format {
        "agent-memory" => "site/.agent-memory",
        "bmad" => "site/.bmad/memory",
        _ => "site/memory",
    }
}

fn lines(format: &str, numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| format!("{}\n", record(format, number))).collect()
}

const FIRST: usize = 8;

fn begun(format: &str) -> Files {
    let own = |files: Files| files.with(log(format), lines(format, 0..FIRST));
    match format {
        "memory-server" => own(Files::default()).with("tasks.jsonl", "").with("core_memories.jsonl", ""),
        "session-log" => own(Files::default()).with("config.json", "{\"version\": \"1.0\"}\n").with(
            "sessions/s/metadata.json",
            json!({"session_id": "s", "user_id": "u", "created_at": "2026-01-01T00:00:00Z",
                "last_accessed": "2026-01-01T00:00:00Z", "total_entries": FIRST, "total_size_bytes": 0,
                "statistics": {}})
            .to_string(),
        ),
        "agent-memory" => {
            let store = AgentMemoryBuilder::new()
                .bundle(&[("/gotchas/0/cause", json!("Rust."))])
                .bundle(&[("/nextSteps/0/why", json!("It squeaks."))]);
            let store = (1..FIRST).fold(store, |own, number| own.event(record("agent-memory", number + 1)));
            store.files()
        }
        "bmad" => own(Files::default())
            .with("config.json", json!({"memory_config": {"version": "1.0"}}).to_string())
            .with(
                "sessions/s/manifest.json",
                json!({"session_id": "s", "created_at": "2026-01-01T00:00:00Z",
                    "updated_at": "2026-01-01T00:00:00Z", "user_id": "u", "agent_ids": ["dev"],
                    "metadata": {"session_type": "review", "tags": []}, "statistics": {}, "version": "1.0"})
                .to_string(),
            ),
        _ => own(Files::default())
            .with("knowledge/notes/pool.md", note("pool", "Keep twenty connections.", "outbox"))
            .with("knowledge/notes/outbox.md", note("outbox", "What was not sent waits here.", "pool"))
            .with("knowledge/notes/caches.md", note("caches", "They go with each release.", "pool"))
            .with("events/2025-12/events.jsonl.gz", gzip(lines("a-mem", 40..43).as_bytes())),
    }
}

pub fn note(id: &str, text: &str, link: &str) -> String {
    format!(
        "---\nid: {id}\ncreated: 2026-01-17T12:00:00Z\nupdated: 2026-01-17T14:30:00Z\ntags: [a, b]\n\
         confidence: high\nsource: agent-learning\nlinked_to: [{link}]\nstatus: validated\nauthor: dev\n\
         ---\n\n# The {id}\n\n{text}\n\nSee [[{link}]].\n"
    )
}

/// A memory that was deleted or erased on purpose.
#[derive(Clone, Debug)]
pub struct Gone {
    pub id: Option<String>,
    /// Its text, as a list shows it.
    pub title: String,
    pub raw: Vec<u8>,
    pub is_erased: bool,
}

pub fn lived(format: &'static str) -> (Desk, Vec<Gone>) {
    let mut desk = Desk::new(format, root(format), &begun(format));
    let _ = desk.change(Reindex { session: None }, &[]);
    desk.back_up();
    let mut gone = Vec::new();
    let ways = [DeleteOptions::default(), DeleteOptions { remove: true, ..DeleteOptions::default() }];
    for (at, way) in [2, 3].into_iter().zip(ways) {
        let one = nth_live(&desk, at);
        gone.push(desk.gone(one, false));
        desk.change(way.clone(), &[one])
            .or_else(|_| desk.change(DeleteOptions::default(), &[one]))
            .unwrap_or_else(|_| drop(gone.pop()));
    }
    let one = nth_live(&desk, 3);
    gone.push(desk.gone(one, true));
    desk.change(EraseOptions::default(), &[one]).unwrap_or_else(|_| drop(gone.pop()));
    let one = nth_live(&desk, 0);
    let _ = desk.change(ChangeTags { add: vec!["later".into()], remove: Vec::new() }, &[one]);
    let one = nth_live(&desk, 1);
    let _ = desk.change(EditMemory::text("another text, written later".into()), &[one]);
    if format == "memory-server" {
        let one = nth_live(&desk, 2);
        desk.change(ArchiveMemories, &[one]).unwrap();
    }
    // Agents add memories, one of them twice.
    let twice = record(format, 21).to_string().replace("-000000000021", "-000000000022");
    let twice =
        twice.replace("mem_021", "mem_022").replace("msg-021", "msg-022").replace("evt-000021", "evt-000022");
    let more = lines(format, 20..22) + &twice + "\n";
    desk.append(log(format), more.as_bytes());
    let _ = desk.change(Reindex { session: None }, &[]);
    desk.back_up();
    (desk, gone)
}

fn nth_live(desk: &Desk, nth: usize) -> EntryRef {
    let store = desk.store();
    let is_own = |own: &&(u32, &palimp::model::Entry)| {
        own.1.state == State::Live && store.document(own.1).path == Path::new(log(store.format))
    };
    let all: Vec<(u32, &palimp::model::Entry)> = (0..).zip(&store.entries).collect();
    let own: Vec<_> = all.iter().filter(is_own).collect();
    EntryRef { store: 0, entry: own[nth % own.len()].0 }
}
