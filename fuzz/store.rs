//! A store with one file of any bytes: it opens, and every record can be shown and searched.

// A fuzz target uses only a part of it.
#[allow(dead_code, unused_imports)]
#[path = "../tests/all/faulty/mod.rs"]
mod faulty;

use faulty::Faulty;
use palimp::format::{searched_of, text_of};
use palimp::model::{Extent, Moment};
use palimp::store::{Place, load_from};
use palimp::{disk, model};

/// Files that each format reads, one of each kind. The first byte of the input chooses one.
const FILES: [(&str, &[&str]); 5] = [
    (
        "memory-server",
        &["core_memories.jsonl", "index.json", "archive/2025/learnings_2025_Q1.jsonl", "architect.json"],
    ),
    (
        "session-log",
        &[
            "sessions/s/memory.jsonl",
            "sessions/s/metadata.json",
            "sessions/s/tombstones.jsonl",
            "sessions/s/index.json",
            "config.json",
        ],
    ),
    (
        "agent-memory",
        &[
            "state.json",
            "sources.json",
            "config.json",
            "history/events.jsonl",
            "history/checkpoints/chk-000001.json",
            "archive/prune-1/manifest.json",
        ],
    ),
    (
        "bmad",
        &[
            "sessions/s/conversation.jsonl",
            "sessions/s/manifest.json",
            "sessions/s/index.json",
            "config.json",
            "shared/user-preferences.json",
            "archive/s.tar.gz",
        ],
    ),
    (
        "a-mem",
        &[
            "events/2026-01/events.jsonl",
            "events/2025-12/events.jsonl.gz",
            "knowledge/notes/n.md",
            "knowledge/links.json",
            "knowledge/tags.json",
            "profiles/p.json",
        ],
    ),
];

/// Opens such a store, and reads everything that it lists.
pub fn opens(format: &'static str, input: &[u8]) {
    let Some((first, bytes)) = input.split_first() else { return };
    let Some((_, files)) = FILES.iter().find(|(name, _)| *name == format) else { return };
    let disk = Faulty::new();
    let root = std::path::Path::new("/store");
    disk.put(root.join(files[usize::from(*first) % files.len()]), bytes, 0o600);
    let place = Place::whole(root.into(), format);
    let now = Moment(1_769_947_200_000_000);
    let store = load_from(&disk, &place, Extent::All, None, now);
    for document in &store.documents {
        let mut at = 0;
        for record in &document.records {
            assert!(at <= record.span.start && record.span.end <= document.len);
            at = record.span.end;
        }
    }
    for entry in &store.entries {
        text_of(&store, entry);
        searched_of(&store, entry);
        store.problems_of(entry).count();
    }
}
