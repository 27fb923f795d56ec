//! One field of one record is edited, and that is undone.

use palimp::model::{Entry, State, Store};
use palimp::ops::{FieldAssignment, edit};
use palimp::text::canonical::{self, Checksum};
use palimp::text::json_scanner::Tape;

use super::chance::Chance;
use super::expected::{assert_edited, assert_same, spans, text};
use super::scanner::{object, value_end};
use super::site::{Site, assert_agreeing};
use super::stores;
use crate::support::tries::seed;

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

/// Edits one field of one record of a random store. Returns false if nothing can be edited.
fn one(seed: u64, format: &'static str) -> bool {
    let mut chance = Chance::new(seed);
    let site = Site::new(format, &stores::random(&mut chance, format));
    let store = site.store();
    let entries = readable(&store);
    let before = site.files();
    if entries.is_empty() {
        return false;
    }
    let entry = *chance.one_of(&entries);
    let (set, names) = random(&mut chance, format);
    let context = site.context(&store, &mut chance);
    let Ok(plan) = edit::edit(&context, &entry, std::slice::from_ref(&set)) else { return false };
    if plan.is_empty() {
        return false;
    }
    let path = &store.document(&entry).path;
    let spans = spans(&store, path, &[entry]);
    site.commit(&plan).unwrap();
    let after = site.files();
    for (own, bytes) in site.data() {
        match own == *path {
            true => assert_edited(&before[path], &bytes, &spans, names),
            false => assert_eq!(bytes, before[&own]),
        }
    }
    let start = spans[0].0;
    let record = &after[path][start..value_end(&after[path], start)];
    let raw = object(record).get(set.name).unwrap().to_vec();
    match serde_json::from_slice(&raw) {
        Ok(serde_json::Value::String(held)) if set.name != "content" || format == "memory-server" => {
            assert_eq!(held, set.value);
        }
        _ => assert_eq!(text(&raw), text(set.value.as_bytes())),
    }
    let was = judged(&before[path][spans[0].0..spans[0].1]);
    // If no nested name is dropped, both forms of the checksum are the same.
    let same = was == Some(Checksum::Legacy) && judged(record) == Some(Checksum::Canonical);
    // An edit of the content corrects a wrong checksum. A change of tags does not.
    let is_signed = was == Some(Checksum::Mismatch) && set.name != "tags";
    let wanted = if is_signed { Some(Checksum::Canonical) } else { was };
    assert!(same || judged(record) == wanted, "{}", text(record));
    assert_agreeing(&store, &site.store());
    site.undo().unwrap();
    assert_same(&before, &site.files());
    site.redo().unwrap();
    assert_same(&after, &site.files());
    site.undo().unwrap();
    assert_same(&before, &site.files());
    true
}

#[test]
fn an_edit_changes_one_field_and_is_undone_and_redone_byte_for_byte() {
    let rounds = crate::support::tries::count(15, 4_000);
    for format in ["memory-server", "session-log"] {
        let done =
            (0..rounds).map(|n| seed() + n).filter(|&seed| super::told(seed, || one(seed, format))).count();
        assert!(done > rounds as usize / 2, "{done} of {rounds}");
    }
}
