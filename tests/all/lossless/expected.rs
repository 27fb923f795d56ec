//! The expected result of an operation, computed from the bytes before it.

use std::path::{Path, PathBuf};

use palimp::model::plan::effect::{EffectKind, MemoryEffect};
use palimp::model::{Entry, Plan, State, Store};

use super::scanner::{object, value_end};
use super::stores::{Files, START};

pub type Spans = Vec<(usize, usize)>;

pub fn spans(store: &Store, path: &Path, entries: &[Entry]) -> Spans {
    let own = entries.iter().filter(|entry| store.document(entry).path == path);
    let span = |entry: &Entry| store.record(entry).span;
    let mut spans: Spans = own.map(|entry| (span(entry).start as usize, span(entry).end as usize)).collect();
    spans.sort_unstable();
    spans
}

/// Fails unless `after` is `before` with other values for these names of these records.
#[track_caller]
pub fn assert_edited(before: &[u8], after: &[u8], spans: &Spans, names: &[&str]) {
    let (mut from, mut at) = (0, 0);
    for &(start, end) in spans {
        let lead = &before[from..start];
        assert!(after[at..].starts_with(lead), "{} became {}", text(before), text(after));
        at += lead.len();
        let stop = value_end(after, at);
        assert_same_but(&before[start..end], &after[at..stop], names);
        (from, at) = (end, stop);
    }
    assert_eq!(text(&before[from..]), text(&after[at..]));
}

/// Fails unless two records differ only in these names.
#[track_caller]
pub fn assert_same_but(before: &[u8], after: &[u8], names: &[&str]) {
    let (old, new) = (object(before), object(after));
    let said = || format!("{}\nbecame\n{}", text(before), text(after));
    assert_eq!(old.tail, new.tail, "{}", said());
    assert!(new.members.len() >= old.members.len(), "{}", said());
    for (at, own) in old.members.iter().enumerate() {
        let other = &new.members[at];
        assert_eq!((&own.lead, &own.name), (&other.lead, &other.name), "{}", said());
        let is_last = !old.members[at + 1..].iter().any(|later| later.name == own.name);
        let may_differ = is_last && names.contains(&&*own.name);
        assert!(may_differ || own.value == other.value, "{}: {}", own.name, said());
    }
    for added in &new.members[old.members.len()..] {
        assert!(names.contains(&&*added.name) && old.get(&added.name).is_none(), "{}", said());
    }
}

pub fn without(bytes: &[u8], spans: &Spans) -> Vec<u8> {
    let mut gone = vec![false; bytes.len()];
    for &(start, end) in spans {
        let before = bytes[..start].iter().rev().take_while(|byte| b" \t\0".contains(byte)).count();
        let behind = bytes[end..].iter().take_while(|byte| b" \t\r}\0".contains(byte)).count();
        gone[start - before..end + behind].fill(true);
    }
    let (mut out, mut from) = (Vec::new(), 0);
    for at in 0..bytes.len() {
        let ends = bytes[at] == b'\n' && !gone[at];
        if !ends && at + 1 < bytes.len() {
            continue;
        }
        let line = from..at + 1;
        from = at + 1;
        if !gone[line.clone()].contains(&true) {
            out.extend_from_slice(&bytes[line]);
            continue;
        }
        let end: &[u8] = match (ends, bytes[line.clone()].ends_with(b"\r\n")) {
            (false, _) => b"",
            (true, true) => b"\r\n",
            (true, false) => b"\n",
        };
        let content = line.start..line.end - end.len();
        let rest: Vec<u8> = content.filter(|&at| !gone[at]).map(|at| bytes[at]).collect();
        out.extend_from_slice(&rest);
        if !rest.is_empty() && rest != b"\xef\xbb\xbf" {
            out.extend_from_slice(end);
        }
    }
    out
}

pub fn with_lines(before: &[u8], lines: &[u8]) -> Vec<u8> {
    let end: &[u8] = if before.last().is_some_and(|byte| *byte != b'\n') { b"\n" } else { b"" };
    [before, end, lines].concat()
}

#[track_caller]
pub fn added<'a>(before: &[u8], after: &'a [u8]) -> Vec<&'a [u8]> {
    let start = with_lines(before, b"");
    assert!(after.starts_with(&start), "{}\nbecame\n{}", text(before), text(after));
    assert!(after.ends_with(b"\n"), "{}", text(after));
    after[start.len()..].split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]).collect()
}

/// Returns what a compaction of a session drops: deleted and decayed records (2 §4.4 and §5.1).
pub fn faded(store: &Store, now: i64) -> Vec<Entry> {
    let goes = |entry: &&Entry| {
        let Some(view) = store.memory(entry) else { return false };
        let half_life = match view.kind() {
            "conversation" => 168.0,
            "decision" => 720.0,
            "finding" => 336.0,
            _ => f64::INFINITY,
        };
        let half_life = if KINDS.contains(&view.kind()) { half_life } else { 168.0 };
        let age = view.created.map_or(f64::MAX, |when| (now - when.0).max(0) as f64 / 3.6e9);
        let decay = if half_life.is_finite() { 0.5_f64.powf(age / half_life).max(0.1) } else { 1.0 };
        let fresh = if age < 24.0 { 1.5 } else { 1.0 };
        let faint = view.kind() != "preference" && view.importance * decay * fresh < 0.05;
        entry.state == State::Deleted || entry.state == State::Live && faint
    };
    store.entries.iter().filter(goes).copied().collect()
}

const KINDS: [&str; 4] = ["conversation", "decision", "finding", "preference"];

/// Returns what a compaction of memories archives: learnings that were not used for 90 days.
pub fn unused(store: &Store, now: i64) -> Vec<Entry> {
    let goes = |entry: &&Entry| {
        let Some(view) = store.memory(entry) else { return false };
        let used = view.accessed.or(view.created);
        let is_log = store.document(entry).path.extension().is_some_and(|end| end == "jsonl");
        let old = used.is_some_and(|when| now - when.0 > 90 * 24 * 3_600_000_000);
        is_log && entry.state == State::Live && view.kind() == "learning" && old
    };
    store.entries.iter().filter(goes).copied().collect()
}

/// Fails unless the files are the same without those entries.
#[track_caller]
pub fn assert_removed(store: &Store, entries: &[Entry], before: &Files, after: &Files) {
    let mut wanted = before.clone();
    for (path, bytes) in &mut wanted {
        *bytes = without(bytes, &spans(store, path, entries));
    }
    assert_same(&wanted, after);
}

#[track_caller]
pub fn assert_same(wanted: &Files, found: &Files) {
    let paths: std::collections::BTreeSet<&PathBuf> = wanted.keys().chain(found.keys()).collect();
    for path in paths {
        let (own, other) = (wanted.get(path), found.get(path));
        assert!(own == other, "{}: {}", path.display(), parted(own, other));
    }
}

/// Shows the place where two files begin to differ.
pub fn parted(wanted: Option<&Vec<u8>>, found: Option<&Vec<u8>>) -> String {
    let (Some(a), Some(b)) = (wanted, found) else {
        return format!("is there: wanted {}, found {}", wanted.is_some(), found.is_some());
    };
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - same;
    let end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let show = |bytes: &[u8]| {
        let from = same.saturating_sub(60);
        text(&bytes[from..(bytes.len() - end + 60).min(bytes.len())])
    };
    format!("\nwanted\n{}\nfound\n{}", show(a), show(b))
}

/// Returns the file to which records of that type are archived at [`START`].
pub fn archive_of(live: &Path) -> PathBuf {
    let stem = live.file_stem().unwrap().to_string_lossy();
    assert_eq!(START.quarter(), Some((1970, 1)));
    format!("archive/1970/{stem}_1970_Q1.jsonl").into()
}

pub fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\\"", "\"").replace("\\n", "\\n\n")
}

/// A listed record: its file, its bytes, and whether a tombstone hides it.
type ListedRecord = (PathBuf, Vec<u8>, bool);

fn listed(store: &Store, entry: &Entry) -> ListedRecord {
    let document = store.document(entry);
    (document.path.clone(), store.raw(entry).to_vec(), entry.state == State::Deleted)
}

fn missing_from(all: Vec<ListedRecord>, others: &[ListedRecord]) -> Vec<ListedRecord> {
    let mut others: Vec<&ListedRecord> = others.iter().collect();
    let mut left = all;
    left.retain(|own| match others.iter().position(|other| *other == own) {
        Some(at) => {
            others.swap_remove(at);
            false
        }
        None => true,
    });
    left
}

/// Asserts that the effects of a plan are the difference of the stores before and after it.
#[track_caller]
pub fn assert_effects(plan: &Plan, before: &Store, after: &Store) {
    let all = |store: &Store| store.entries.iter().map(|entry| listed(store, entry)).collect::<Vec<_>>();
    let (was, is) = (all(before), all(after));
    let (mut gone, come) = (missing_from(was.clone(), &is), missing_from(is, &was));
    let told = plan.effects.iter().filter_map(|effect| effect.entry);
    let mut told: Vec<_> = told.map(|at| listed(before, &before.entries[at as usize])).collect();
    gone.sort();
    told.sort();
    let shown = |all: &[ListedRecord]| -> Vec<String> {
        all.iter().map(|(path, raw, hidden)| format!("{path:?} {hidden} {}", text(raw))).collect()
    };
    assert_eq!(shown(&told), shown(&gone), "what changes or goes: {:?}", plan.effects);
    let stays = |effect: &&MemoryEffect| effect.kind != EffectKind::Remove && effect.is_of_memory();
    let count = plan.effects.iter().filter(stays).count();
    assert_eq!(count, come.len(), "what is there then: {:?}, {:?}", plan.effects, shown(&come));
    let ids = |own: &MemoryEffect| own.id.clone();
    let mut added: Vec<_> = plan.effects.iter().filter(|own| own.kind == EffectKind::Add).map(ids).collect();
    let known = |id: &String| before.entries.iter().any(|own| before.id(own) == Some(id));
    added.retain(|id| id.as_ref().is_some_and(|id| !known(id)));
    let is_there = |id: &Option<String>| after.entries.iter().any(|own| after.id(own) == id.as_deref());
    assert!(added.iter().all(is_there), "{added:?}");
}
