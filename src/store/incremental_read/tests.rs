use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::format::{self, FORMATS, Placement};
use crate::model::plan::change;
use crate::model::{Act, Role};
use crate::store::parallel_read;

pub(in crate::store) const NOW: Moment = Moment(1_770_000_000_000_000);

/// Logs of each format.
pub(in crate::store) const LOGS: [(&str, &str); 8] = [
    ("memory-server", "learnings.jsonl"),
    ("memory-server", "archive/2025/learnings_2025_Q1.jsonl"),
    ("session-log", "sessions/s/memory.jsonl"),
    ("session-log", "sessions/s/tombstones.jsonl"),
    ("bmad", "sessions/s/findings.jsonl"),
    ("agent-memory", "history/events.jsonl"),
    ("a-mem", "events/2026-01/events.jsonl"),
    ("a-mem", "elsewhere/events.jsonl"),
];

/// Whole lines, and parts of lines that are separated by `§`.
const LINES: [&str; 5] = [
    "{\"id\":\"one\",\"timestamp\":\"2026-01-10T12:00:00.000Z\",\"type\":\"finding\",\"content\":\"x\"}\n",
    "{\"event_id\":\"two\",\"event_type\":\"run\",\"status\":\"none of these\",\"tags\":[\"a\",\"b\"]}\n",
    "{\"id\":\"evt-000001\",\"kind\":\"tool_run\",\"createdAt\":\"2026-01-10T12:00:00Z\"}\n",
    "{\"id\":\"three\",\"importance\":7}\r\n",
    "{\"content\":\"a longer text, so that some bytes are the same and others are not\"}\n",
];
const PARTS: &str = "{\"}\":1}\n§{\"}\":1}§{}\n§{\"a\":\"x§{\"a\":\n§{\"a\":{\"b\":1}\n§{\"a\":1}}\n§\
    {\"a\":1}{\"b\":2}\n§\"c\":1}\n§}\n§\n§\r\n§\0\0§\u{feff}§<<<<<<< ours\n§[1,2]\n§no JSON§ §\\";

fn document(format: &dyn Format, role: Role, path: &Path, bytes: &[u8]) -> Document {
    let reading = format.read(role, path, bytes, NOW);
    let own = Document::of_bytes(path.to_owned(), role, bytes.to_vec());
    Document { records: reading.records, problems: reading.problems, ..own }
}

/// Returns all that was read, with the problems in the order of their lines.
fn told(mut reading: Reading) -> String {
    reading.problems.sort_by_key(|own| (own.line, own.code));
    format!("{reading:#?}")
}

fn role_of(format: &dyn Format, path: &Path) -> Role {
    match format.place(path, false) {
        Placement::File(role) => role,
        _ => Role::Records,
    }
}

#[track_caller]
fn reads_as_the_whole(before: &[u8], now: &[u8]) {
    for (name, path) in LOGS {
        let (format, path) = (format::by_name(name).unwrap(), Path::new(path));
        let role = role_of(format, path);
        let before = document(format, role, path, before);
        let whole = told(format.read(role, path, now, NOW));
        let reads_between = |becomes: &Bytes, unchanged: (usize, usize), what: &str| {
            if let Some(read) = reread_between(format, &before, (becomes, unchanged), NOW) {
                assert_eq!(told(read), whole, "{what}, {name}, {}", path.display());
            }
        };
        let same = common(&before.bytes, now);
        let same_end = common_end(&before.bytes[same..], &now[same..]);
        reads_between(&now.into(), (same, same_end), "of what differs");
        if let Some(added) = now.strip_prefix(&*before.bytes) {
            reads_between(&before.bytes.with_added(added), (before.bytes.len(), 0), "read on");
        }
        let change = change::Change::rewrite(path, before.bytes.clone(), now);
        let Act::Splice(splices) = change.act else { continue };
        let (Some(first), Some(last)) = (splices.first(), splices.last()) else { continue };
        let unchanged = (first.start as usize, before.bytes.len() - last.end() as usize);
        reads_between(&Bytes::spliced(&before.bytes, splices), unchanged, "of its splices");
    }
}

fn parts() -> impl Strategy<Value = Vec<u8>> {
    let all: Vec<&str> = LINES.into_iter().chain(PARTS.split('§')).collect();
    let part = prop_oneof![
        6 => (0..5_usize).prop_map(|at| LINES[at].as_bytes().to_vec()),
        3 => proptest::sample::select(all).prop_map(|own| own.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::tries::config(12, 6_000))]

    #[test]
    fn a_log_that_changed_in_one_place_is_read_as_if_it_was_read_whole(
        start in parts(),
        (old, new) in (parts(), parts()),
        end in parts(),
        cut in any::<(proptest::sample::Index, proptest::sample::Index)>(),
    ) {
        let (before, now) = ([&start[..], &old, &end].concat(), [&start[..], &new, &end].concat());
        reads_as_the_whole(&before, &now);
        reads_as_the_whole(&before, &before);
        reads_as_the_whole(&start, &before);
        // Also cuts that are not between two parts.
        let (a, b) = (cut.0.index(now.len() + 1), cut.1.index(now.len() + 1));
        reads_as_the_whole(&now, &[&now[..a.min(b)], &now[a.max(b)..]].concat());
        reads_as_the_whole(&now[..a], &now);
        reads_as_the_whole(&now, &now[..b]);
    }
}

proptest! {
    #![proptest_config(crate::tries::config(12, 6_000))]

    #[test]
    fn a_log_is_read_in_chunks_as_it_is_read_whole(bytes in parts(), more in parts(), len in 0..200_usize) {
        let bytes = [bytes, more].concat();
        for (name, path) in LOGS {
            let (format, path) = (format::by_name(name).unwrap(), Path::new(path));
            let role = role_of(format, path);
            let chunked = parallel_read::read_by(len, format, (role, path, &bytes), NOW);
            prop_assert_eq!(told(chunked), told(format.read(role, path, &bytes, NOW)), "{}", name);
        }
    }
}

/// Returns how many bytes the format gets to read of a log that grew, or changed in one line.
fn given(before: &[u8], now: &[u8]) -> usize {
    let (format, path) = (FORMATS[0], Path::new("learnings.jsonl"));
    let before = document(format, Role::Records, path, before);
    let now = Bytes::from(now);
    let same = common(&before.bytes, &now);
    let same_end = common_end(&before.bytes[same..], &now[same..]);
    let change = ChangedLines::between(&before, &now, (same, same_end));
    let start = change.head.checked_sub(1).map_or(0, |at| before.records[at].span.end + 1);
    let grown = now.len() as i64 - before.bytes.len() as i64;
    let end =
        change.tail.map_or(now.len() as u64, |at| moved(before.records[at].clone(), grown, 0).span.end + 1);
    (end - start) as usize
}

#[test]
fn of_a_long_log_only_the_lines_are_read_that_changed() {
    let line = |number: usize| format!("{{\"id\":\"{number}\",\"content\":\"A memory of some length.\"}}\n");
    let before: String = (0..1000).map(line).collect();
    let grown = before.clone() + &line(1000);
    assert_eq!(given(before.as_bytes(), grown.as_bytes()), line(1000).len());
    let changed = before.replacen(&line(500), "{\"id\":\"500\",\"content\":\"Other words.\"}\n", 1);
    assert!(given(before.as_bytes(), changed.as_bytes()) <= 2 * line(500).len());
}

/// Returns how many bytes two files have in common at the start.
fn common(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let from = blocks * BLOCK;
    from + a[from..].iter().zip(&b[from..]).take_while(|(a, b)| a == b).count()
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - blocks * BLOCK], &b[..b.len() - blocks * BLOCK]);
    blocks * BLOCK + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
