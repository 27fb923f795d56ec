//! What is derived from a session's log: its index (§3.3) and the counts of its metadata (§3.2).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::{SessionLog, config, index, layout};
use crate::format::reading::{whole_object, without_mark};
use crate::format::writing::{document, list};
use crate::format::{Derived, Format, Parts};
use crate::model::{DecayTable, Document, Moment, View};
use crate::text::edit;
use crate::text::json::Json;
use crate::text::scan::{Newlines, Tape};

/// The index and the counts of every session that a touched file belongs to.
pub fn derived(parts: &Parts<'_>, touched: &[PathBuf], now: Moment) -> Vec<Derived> {
    let sessions: BTreeSet<&Path> = touched.iter().filter_map(|path| layout::session_of(path)).collect();
    let mut config_tape = Tape::default();
    let config = document(parts.documents, Path::new("config.json"));
    let config = config.and_then(|own| whole_object(&mut config_tape, without_mark(&own.bytes)).ok());
    let mut decay = SessionLog.decay();
    if let Some(config) = config {
        config::apply_config(&mut decay, config);
    }
    let mut derived = Vec::new();
    for session in sessions {
        let own = Own::of(parts, session);
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
struct Own<'a> {
    folder: PathBuf,
    log: Option<&'a Document>,
    index: Option<&'a Document>,
    metadata: Option<&'a Document>,
    tombstones: Option<&'a Document>,
    deleted: HashSet<&'a str>,
}

impl<'a> Own<'a> {
    fn of(parts: &Parts<'a>, session: &Path) -> Self {
        let folder = Path::new("sessions").join(session);
        let file = |name: &str| document(parts.documents, &folder.join(name));
        let tombstones = file("tombstones.jsonl");
        let deleted = tombstones.iter().flat_map(|own| &own.records);
        Own {
            log: file("memory.jsonl"),
            index: file("index.json"),
            metadata: file("metadata.json"),
            deleted: deleted.filter_map(|record| record.view()?.id.as_deref()).collect(),
            tombstones,
            folder,
        }
    }

    /// Live entries with an id, the first of each.
    fn live(&self) -> impl Iterator<Item = (&'a crate::model::Record, &'a View, &'a str)> {
        let mut seen = HashSet::new();
        let records = self.log.into_iter().flat_map(|log| &log.records);
        let all = records.filter_map(|record| Some((record, record.view()?)));
        all.filter_map(move |(record, view)| {
            let id = view.id.as_deref()?;
            (!self.deleted.contains(id) && seen.insert(id)).then_some((record, view, id))
        })
        .collect::<Vec<_>>()
        .into_iter()
    }

    /// The index as it should be: the one that is there, where it is right.
    fn index(&self, mut decay: DecayTable, now: Moment) -> Vec<u8> {
        let mut tape = Tape::default();
        let current = self.index.and_then(|own| whole_object(&mut tape, without_mark(&own.bytes)).ok());
        if let (Some(object), Some(own)) = (current, self.index)
            && object.get("entries").is_some()
            && index::check(object, &own.path, self.log, &self.deleted).is_empty()
        {
            return own.bytes.to_vec();
        }
        let mut metadata_tape = Tape::default();
        let metadata =
            self.metadata.and_then(|own| whole_object(&mut metadata_tape, without_mark(&own.bytes)).ok());
        if let Some(metadata) = metadata {
            config::apply_session(&mut decay, metadata);
        }
        let parts = self.index_parts(&decay, now);
        let base = match (current, self.index) {
            (Some(_), Some(own)) => without_mark(&own.bytes).to_vec(),
            _ => b"{}".to_vec(),
        };
        let set =
            |bytes: Vec<u8>, (name, raw): (&str, String)| edit::set(&bytes, &[name], &raw).unwrap_or(bytes);
        parts.into_iter().fold(base, set)
    }

    fn index_parts(&self, decay: &DecayTable, now: Moment) -> [(&'static str, String); 5] {
        let mut entries = Vec::new();
        let mut tags: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut tape = Tape::default();
        for (record, view, id) in self.live() {
            let id = edit::quoted(id);
            let raw = self.log.map(|log| log.raw(record)).unwrap_or_default();
            tape.scan(raw, Newlines::Refused);
            entries.push(entry(&id, Json::of(raw, &tape), record, view, relevance(view, decay, now)));
            let known: BTreeSet<&str> = view.tags.iter().map(|tag| &**tag).collect();
            known.into_iter().for_each(|tag| tags.entry(tag).or_default().push(id.clone()));
            types.entry(&view.kind).or_default().push(id);
        }
        let map = |map: BTreeMap<&str, Vec<String>>| {
            let lists: Vec<String> = map
                .into_iter()
                .map(|(key, ids)| format!("{}:[{}]", edit::quoted(key), ids.join(",")))
                .collect();
            format!("{{{}}}", lists.join(","))
        };
        [
            ("version", "1".into()),
            ("last_updated", edit::quoted(&now.to_millis())),
            ("entries", format!("{{{}}}", entries.join(","))),
            ("tags", map(tags)),
            ("types", map(types)),
        ]
    }

    /// The metadata with its counts right; every other byte as it is.
    fn counts(&self, index_len: u64) -> Option<Derived> {
        let own = self.metadata?;
        let mut tape = Tape::default();
        let object = whole_object(&mut tape, without_mark(&own.bytes)).ok()?;
        let views: Vec<&View> =
            self.log.into_iter().flat_map(|log| &log.records).filter_map(|r| r.view()).collect();
        let live =
            || views.iter().filter(|view| view.id.as_deref().is_none_or(|id| !self.deleted.contains(id)));
        let log = self.log.map_or(0, |log| log.len);
        let size = log + index_len + self.tombstones.map_or(0, |own| own.len);
        let mut wanted: Vec<(Vec<&str>, u64)> = vec![(vec!["total_entries"], live().count() as u64)];
        for kind in ["conversation", "decision", "finding", "preference"] {
            let name = STATISTICS[KINDS.iter().position(|own| *own == kind).unwrap_or(0)];
            wanted.push((vec!["statistics", name], live().filter(|view| view.kind == kind).count() as u64));
        }
        // What the size covers, two writers see differently: one that is right stays.
        let stored = object.get("total_size_bytes").and_then(|value| value.count());
        if stored != Some(log) || log == 0 {
            wanted.push((vec!["total_size_bytes"], size));
        }
        let mut bytes = without_mark(&own.bytes).to_vec();
        for (path, count) in wanted {
            let stored = object.path(&path).and_then(|value| value.number());
            if stored != Some(count as f64) {
                // One that is in something else than an object is nobody's count.
                bytes = edit::set(&bytes, &path, &count.to_string()).unwrap_or(bytes);
            }
        }
        let mark = own.bytes.len() - without_mark(&own.bytes).len();
        Some(Derived { path: own.path.clone(), bytes: [&own.bytes[..mark], &bytes].concat() })
    }
}

const KINDS: [&str; 4] = ["conversation", "decision", "finding", "preference"];
const STATISTICS: [&str; 4] = ["conversations", "decisions", "findings", "preferences"];

fn entry(id: &str, value: Json<'_>, record: &crate::model::Record, view: &View, relevance: f64) -> String {
    let raw = |name: &str, or: &str| {
        value.get(name).map_or(or.to_owned(), |value| String::from_utf8_lossy(value.raw()).into_owned())
    };
    let tags: Vec<String> = view.tags.iter().map(|tag| tag.to_string()).collect();
    format!(
        "{id}:{{\"line_number\":{},\"byte_offset\":{},\"type\":{},\"timestamp\":{},\"tags\":{},\"importance\":{},\"current_relevance\":{:.4}}}",
        record.line,
        record.span.start,
        edit::quoted(&view.kind),
        raw("timestamp", "null"),
        list(&tags),
        raw("importance", "0.5"),
        relevance,
    )
}

/// What the index calls `current_relevance`: importance × decay, with the boost for what is
/// fresh (§17.2).
pub fn relevance(view: &View, decay: &DecayTable, now: Moment) -> f64 {
    let age = view.created.map(|created| now.hours_since(created).max(0.0));
    let fresh = if age.is_some_and(|hours| hours < 24.0) { 1.5 } else { 1.0 };
    view.importance * decay.rule(&view.kind).factor(age, 0.0) * fresh
}
