//! Edits of one field of one record.

use palimp::model::{Entry, State, Store};
use palimp::ops::FieldAssignment;
use palimp::text::canonical::{self, Checksum};
use palimp::text::json_scanner::Tape;

use super::chance::Chance;
use super::expected::{spans, text};
use super::scanner::{object, value_end};
use super::stores::Files;

const TEXTS: [&str; 5] =
    ["new", "a \"quoted\" \\ line\nand \u{1f600}\u{7}", "", "\u{2028}", "{\"id\":\"x\"}"];

/// Returns a field with a value, and all names that an edit of it may change.
pub fn random<'a>(chance: &mut Chance, format: &str) -> (FieldAssignment<'a>, &'static [&'static str]) {
    let value: &str = chance.one_of::<&str>(&TEXTS);
    match (format, chance.below(4)) {
        ("memory-server", 0) => {
            (FieldAssignment { name: "content", value: "Changed." }, &["content", "updated_at"])
        }
        ("memory-server", 1) => (
            FieldAssignment { name: "importance", value: chance.one_of::<&str>(&["low", "high"]) },
            &["importance", "updated_at"],
        ),
        ("memory-server", _) => (FieldAssignment { name: "x", value }, &["x", "updated_at"]),
        (_, 0) => {
            let value = *chance.one_of(&["{\"finding\": \"F\\u0041\"}", "\"plain\"", "[1.0, \"two\"]"]);
            (FieldAssignment { name: "content", value }, &["content", "checksum"])
        }
        (_, 1) => (FieldAssignment { name: "importance", value: "0.750" }, &["importance", "checksum"]),
        (_, _) => (FieldAssignment { name: "x", value }, &["x", "checksum"]),
    }
}

pub fn readable(store: &Store) -> Vec<Entry> {
    let states = [State::Live, State::Archived, State::Deleted];
    store.entries.iter().filter(|entry| states.contains(&entry.state)).copied().collect()
}

fn judged(record: &[u8]) -> Option<Checksum> {
    let mut tape = Tape::default();
    canonical::verify(palimp::text::json_edit::scan(&mut tape, record).unwrap())
}

/// Fails unless the record has the value that was set, and the checksum that the edit of it leads to.
#[track_caller]
pub fn assert_set(store: &Store, entry: &Entry, set: &FieldAssignment<'_>, before: &Files, after: &Files) {
    let path = &store.document(entry).path;
    let (start, end) = spans(store, path, &[*entry])[0];
    let record = &after[path][start..value_end(&after[path], start)];
    let raw = object(record).get(set.name).unwrap().to_vec();
    match serde_json::from_slice(&raw) {
        Ok(serde_json::Value::String(held)) if set.name != "content" || store.format == "memory-server" => {
            assert_eq!(held, set.value);
        }
        _ => assert_eq!(text(&raw), text(set.value.as_bytes())),
    }
    let was = judged(&before[path][start..end]);
    // If no nested name is dropped, both forms of the checksum are the same.
    let same = was == Some(Checksum::Legacy) && judged(record) == Some(Checksum::Canonical);
    // An edit of the content corrects a wrong checksum.
    let wanted = if was == Some(Checksum::Mismatch) { Some(Checksum::Canonical) } else { was };
    assert!(same || judged(record) == wanted, "{}", text(record));
}
