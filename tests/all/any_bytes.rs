//! Any bytes in any file of any format: the store opens, its records are in order within the file,
//! and everything in it can be shown and searched.

use crate::support;

use palimp::format::{searched_of, text_of, title};
use palimp::model::{Extent, Snapshot, Store};
use palimp::query::TextIndex;
use palimp::store::{Place, load};
use proptest::prelude::*;
use support::files::now;
use support::{Files, gzip, tar_gz};

/// The formats, each with the files that it reads, one of each kind.
const FILES: &str = "\
    memory-server core_memories.jsonl index.json archive/2025/learnings_2025_Q1.jsonl architect.json\n\
    session-log sessions/s/memory.jsonl sessions/s/metadata.json config.json\n\
    agent-memory state.json sources.json config.json history/events.jsonl \
    history/checkpoints/chk-000001.json archive/prune-1/manifest.json\n\
    bmad sessions/s/conversation.jsonl sessions/s/manifest.json sessions/s/index.json config.json \
    shared/user-preferences.json archive/s.tar.gz\n\
    a-mem events/2026-01/events.jsonl events/2026-01/traces/t.jsonl events/2025-12/events.jsonl.gz \
    knowledge/notes/n.md knowledge/links.json profiles/p.json queries/q.sql\n\
    markdown/claude MEMORY.md topic.md\n\
    markdown/serena topic/name.md\n\
    markdown/hermes USER.md\n\
    markdown/openclaw MEMORY.md memory/2026-01-02.md\n\
    markdown/codex raw_memories.md\n\
    markdown/basic-memory n.md\n\
    markdown/bullets GEMINI.md";

fn files() -> Vec<(&'static str, &'static str)> {
    let of = |line: &'static str| line.split(' ').skip(1).map(|file| (line.split(' ').next().unwrap(), file));
    FILES.lines().flat_map(of).collect()
}

/// Files consist of these pieces, so that more than the first byte is read.
const SIGNS: [&str; 21] = [
    "{", "}", "[", "]", ":", ",", "\"", "\n", "\r\n", "---\n", "- ", "[[x]]", "\u{feff}", "\\ud800", "1e999",
    "-0.0", "null", "true", "id: n\n", "\n§\n", "<!-- x",
];
const PIECES: &str = "## é #\n§\"id\":\"a\",§\"timestamp\":\"2026-01-01T00:00:00Z\",§\"events\":[\"a\"],§\
    \"bundle\":{§\"gotchas\":[{\"title\":\"x\"}],§\"bundleHash\":\"0\",§\"agent_name\":\"x\",§\
    \"notes\":[{\"id\":\"n\"}],§\"content\":\"text\",§tags: [a, \"b\n§\"learned_from\":[\"s\"],§\
    \"references\":{\"findings\":[\"a\"]},§\"capabilities\":{\"c\":{\"skill_level\":\"x\"}},§\
    \"session_id\":\"s\"}\n§\"trace_id\":\"t\"}\n§- [a](a.md) [b](../b.md) `mem:x`\n";

fn content() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&str> = PIECES.split('§').collect();
    let piece = prop_oneof![
        4 => proptest::sample::select(&SIGNS[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        4 => proptest::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Asserts that the records of each file are in order, do not overlap, and are within it.
fn assert_tiled(store: &Store) {
    for document in &store.documents {
        let mut at = 0;
        for record in &document.records {
            assert!(record.span.start >= at && record.span.end <= document.len, "{document:?} {record:?}");
            assert_eq!(document.raw(record).len() as u64, record.span.len());
            at = record.span.end;
        }
    }
}

proptest! {
    #![proptest_config(crate::support::tries::config(400, 20_000))]

    #[test]
    fn any_bytes_in_any_file_of_any_format_open(
        (format, path) in proptest::sample::select(files()), bytes in content(), packed in any::<bool>(),
    ) {
        let bytes = match packed {
            true if path.ends_with(".tar.gz") => tar_gz(&[("s/conversation.jsonl", &bytes), ("s/findings.jsonl", &bytes)]),
            true if path.ends_with(".gz") => gzip(&bytes),
            _ => bytes,
        };
        let folder = Files::default().with(path, bytes).build("store");
        let place = Place::whole(folder.path.clone(), format);
        for extent in [Extent::Newest, Extent::All] {
            let store = load(&place, extent, None, now());
            assert_tiled(&store);
            for entry in &store.entries {
                let text = text_of(&store, entry);
                prop_assert!(!text.title.raw().is_empty() && text.title == title(&store, entry));
                searched_of(&store, entry);
                store.problems_of(entry).count();
            }
            let snapshot = Snapshot::of(vec![store.into()]);
            prop_assert!(TextIndex::build(&snapshot, None, &palimp::query::CancelToken::default()).is_some());
            for at in snapshot.entries() {
                snapshot.references().links_of(snapshot.get(at).0, at);
                snapshot.references().trace(snapshot.get(at).0, at);
            }
        }
    }
}
