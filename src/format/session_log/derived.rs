//! What is derived from a session's log: its index (§3.3) and the counts of its metadata (§3.2).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::index::{EntryLog, Logged};
use super::metadata::EntryCounts;
use super::{config, index, layout};
use crate::format::lists::Lists;
use crate::format::reading::{edited, whole_object, with_object, without_mark};
use crate::format::writing::{document, list, members_of, set_members};
use crate::format::{Derived, Parts};
use crate::model::{Bytes, DecayTable, Document, Moment, View};
use crate::text::edit;
use crate::text::json::Json;
use crate::text::scan::{Newlines, Tape};

/// The index and the counts of every session that a touched file belongs to.
pub fn derived(parts: &Parts<'_>, touched: &[PathBuf], now: Moment) -> Vec<Derived> {
    let sessions: BTreeSet<&Path> = touched.iter().filter_map(|path| layout::session_of(path)).collect();
    let config = document(parts.documents, Path::new("config.json"));
    let mut decay = config::default_decay();
    with_object(config.map(|own| &*own.bytes).unwrap_or_default(), |config| {
        config::apply_config(&mut decay, config);
    });
    let mut derived = Vec::new();
    for session in sessions {
        let own = LogAnew::of(parts, session);
        if own.log.is_none() && own.metadata.is_none() {
            continue;
        }
        let index = own.index(decay.clone(), now);
        derived.extend(own.counts(index.len() as u64));
        derived.push(Derived { path: own.folder.join("index.json"), bytes: index });
    }
    derived
}

/// One session's files.
struct LogAnew<'a> {
    folder: PathBuf,
    log: Option<&'a Document>,
    index: Option<&'a Document>,
    metadata: Option<&'a Document>,
    tombstones: Option<&'a Document>,
    entries: EntryLog<'a>,
}

impl<'a> LogAnew<'a> {
    fn of(parts: &Parts<'a>, session: &Path) -> Self {
        let folder = Path::new("sessions").join(session);
        let file = |name: &str| document(parts.documents, &folder.join(name));
        let (log, tombstones) = (file("memory.jsonl"), file("tombstones.jsonl"));
        LogAnew {
            log,
            index: file("index.json"),
            metadata: file("metadata.json"),
            entries: EntryLog::of(log, tombstones),
            tombstones,
            folder,
        }
    }

    /// The index as it should be: the one that is there, where it is right.
    fn index(&self, mut decay: DecayTable, now: Moment) -> Bytes {
        let mut tape = Tape::default();
        let own = self.index.map(|own| without_mark(&own.bytes)).unwrap_or_default();
        let current = whole_object(&mut tape, own).ok();
        if let (Some(object), Some(own)) = (current, self.index)
            && index::is_right(object, &self.entries)
        {
            return own.bytes.clone();
        }
        let metadata = self.metadata.map(|own| &*own.bytes).unwrap_or_default();
        with_object(metadata, |metadata| config::apply_session(&mut decay, metadata));
        set_members(current, own, &self.index_parts(&decay, now)).into()
    }

    fn index_parts(&self, decay: &DecayTable, now: Moment) -> [(&'static str, String); 5] {
        let mut entries = String::from("{");
        let mut maps = index::MAPS.map(|_| Lists::default());
        let mut tape = Tape::default();
        for own in self.entries.live() {
            let id = edit::quoted(own.id);
            let raw = self.log.and_then(|log| log.read(own.number)).unwrap_or_default();
            // Gone, as its file changed: what is made of it is not used (`Store::whole`).
            if raw.is_empty() {
                continue;
            }
            tape.scan(&raw, Newlines::Refused);
            entries.push_str(if entries.len() > 1 { "," } else { "" });
            entries.push_str(&id);
            entry(&mut entries, Json::of(&raw, &tape), own, relevance(own.view(), decay, now));
            for (map, (_, keys)) in maps.iter_mut().zip(index::MAPS) {
                keys(own.view()).into_iter().for_each(|key| map.push(key, &id));
            }
        }
        entries.push('}');
        let [tags, types] = maps.map(|map| map.to_json());
        [
            ("version", "1".into()),
            ("last_updated", edit::quoted(&now.to_millis())),
            ("entries", entries),
            ("tags", tags),
            ("types", types),
        ]
    }

    /// The metadata with its counts right; every other byte as it is.
    fn counts(&self, index_len: u64) -> Option<Derived> {
        let own = self.metadata?;
        let size = |own: Option<&Document>| own.map_or(0, |own| own.len);
        let size = size(self.log) + index_len + size(self.tombstones);
        let EntryCounts { total, by_kind, sizes: [log, size] } =
            EntryCounts::of(self.log, &self.entries, size);
        let mut wanted: Vec<(Vec<&str>, u64)> = vec![(vec!["total_entries"], total)];
        wanted.extend(by_kind.map(|(name, count)| (vec!["statistics", name], count)));
        let bytes = edited(&own.bytes, |body, object| {
            // What the size covers, two writers see differently: one that is right stays.
            let stored = object.get("total_size_bytes").and_then(|value| value.count());
            if stored != Some(log) || log == 0 {
                wanted.push((vec!["total_size_bytes"], size));
            }
            let is_wrong = |(path, count): &&(Vec<&str>, u64)| {
                object.path(path).and_then(|value| value.number()) != Some(*count as f64)
            };
            // One that is in something else than an object is nobody's count.
            wanted.iter().filter(is_wrong).fold(body.to_vec(), |bytes, (path, count)| {
                edit::set(&bytes, path, &count.to_string()).unwrap_or(bytes)
            })
        });
        Some(Derived { path: own.path.clone(), bytes: bytes.ok()?.into() })
    }
}

/// Writes what the index holds of an entry, behind its id. A text takes whatever is written.
fn entry(out: &mut String, stored: Json<'_>, own: &Logged<'_>, relevance: f64) {
    let [timestamp, importance] = members_of(stored, ["timestamp", "importance"])
        .map(|member| member.map(|member| String::from_utf8_lossy(member.raw())));
    let _ = write!(
        out,
        ":{{\"line_number\":{},\"byte_offset\":{},\"type\":{},\"timestamp\":{},\"tags\":{},\"importance\":{},\"current_relevance\":{:.4}}}",
        own.record.line,
        own.record.span.start,
        edit::quoted(own.view().kind),
        timestamp.as_deref().unwrap_or("null"),
        list(own.view().tags),
        importance.as_deref().unwrap_or("0.5"),
        relevance,
    );
}

/// What the index calls `current_relevance`: importance × decay, with the boost for what is
/// fresh (§17.2).
pub fn relevance(view: View<'_>, decay: &DecayTable, now: Moment) -> f64 {
    let age = view.created.map(|created| now.hours_since(created).max(0.0));
    let fresh = if age.is_some_and(|hours| hours < 24.0) { 1.5 } else { 1.0 };
    view.importance * decay.rule(view.kind).factor(age, 0.0) * fresh
}
