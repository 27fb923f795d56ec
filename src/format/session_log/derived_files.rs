//! The files derived from a session's log: its index (§3.3) and the counts of its metadata (§3.2).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::index_check::{EntryLog, LogEntry};
use super::metadata::EntryCounts;
use super::{config, index_check, layout};
use crate::format::id_lists::{IdListWriter, KeysOf};
use crate::format::record_reader::{edit_object, set_members, with_object};
use crate::format::writing::{document, list, members_of};
use crate::format::{AssemblyInput, DerivedFile};
use crate::model::{Bytes, DecayTable, Document, Moment, StoredMemory};
use crate::text::json::Json;
use crate::text::json_edit;
use crate::text::json_scanner::{Newlines, Tape};

/// Returns the index and metadata of every session that a touched file belongs to.
pub fn derived(parts: &AssemblyInput<'_>, touched: &[PathBuf], now: Moment) -> Vec<DerivedFile> {
    let sessions: BTreeSet<&Path> = touched.iter().filter_map(|path| layout::session_of(path)).collect();
    let config = document(parts.documents, Path::new("config.json"));
    let mut decay = config::default_decay();
    with_object(config.map(|own| &*own.bytes).unwrap_or_default(), |config| {
        config::apply_config(&mut decay, config);
    });
    let mut derived = Vec::new();
    for session in sessions {
        let own = LogRebuild::of(parts, session);
        if own.log.is_none() && own.metadata.is_none() {
            continue;
        }
        let index = own.index(decay.clone(), now);
        derived.extend(own.counts(index.len() as u64));
        derived.push(DerivedFile { path: own.folder.join("index.json"), bytes: index });
    }
    derived
}

struct LogRebuild<'a> {
    folder: PathBuf,
    log: Option<&'a Document>,
    index: Option<&'a Document>,
    metadata: Option<&'a Document>,
    tombstones: Option<&'a Document>,
    entries: EntryLog<'a>,
}

impl<'a> LogRebuild<'a> {
    fn of(parts: &AssemblyInput<'a>, session: &Path) -> Self {
        let folder = Path::new("sessions").join(session);
        let file = |name: &str| document(parts.documents, &folder.join(name));
        let (log, tombstones) = (file("memory.jsonl"), file("tombstones.jsonl"));
        LogRebuild {
            log,
            index: file("index.json"),
            metadata: file("metadata.json"),
            entries: EntryLog::of(log, tombstones),
            tombstones,
            folder,
        }
    }

    /// Returns the correct index. An existing one stays if it is correct.
    fn index(&self, mut decay: DecayTable, now: Moment) -> Bytes {
        let own = self.index.map(|own| own.bytes.clone()).unwrap_or_default();
        if index_check::is_right(&own, &self.entries) {
            return own;
        }
        let metadata = self.metadata.map(|own| &*own.bytes).unwrap_or_default();
        with_object(metadata, |metadata| config::apply_session(&mut decay, metadata));
        let [(tags, of_tags), (types, of_types)] = index_check::MAPS;
        let members = [
            ("version", "1".to_owned()),
            ("last_updated", json_edit::quoted(&now.to_millis())),
            ("entries", self.json_entries(&decay, now)),
            (tags, self.json_map(of_tags)),
            (types, self.json_map(of_types)),
        ];
        set_members(&own, &members).into()
    }

    fn json_entries(&self, decay: &DecayTable, now: Moment) -> String {
        let (mut json, mut tape) = (String::from("{"), Tape::default());
        for own in self.entries.live() {
            let raw = self.log.map(|log| log.raw(own.record)).unwrap_or_default();
            tape.scan(&raw, Newlines::Refused);
            json.push_str(if json.len() > 1 { "," } else { "" });
            json.push_str(&json_edit::quoted(own.id));
            write_entry(&mut json, Json::of(&raw, &tape), own, relevance(own.memory, decay, now));
        }
        json.push('}');
        json
    }

    fn json_map(&self, keys: KeysOf) -> String {
        let mut map = IdListWriter::default();
        for own in self.entries.live() {
            let id = json_edit::quoted(own.id);
            keys(own.memory).into_iter().for_each(|key| map.push(key, &id));
        }
        map.to_json()
    }

    /// Other bytes stay.
    fn counts(&self, index_len: u64) -> Option<DerivedFile> {
        let own = self.metadata?;
        let size = |own: Option<&Document>| own.map_or(0, |own| own.len);
        let size = size(self.log) + index_len + size(self.tombstones);
        let EntryCounts { total, by_kind, sizes: [log, size] } =
            EntryCounts::of(self.log, &self.entries, size);
        let mut wanted: Vec<(Vec<&str>, u64)> = vec![(vec!["total_entries"], total)];
        wanted.extend(by_kind.map(|(name, count)| (vec!["statistics", name], count)));
        let bytes = edit_object(&own.bytes, |body, object| {
            // Writers disagree about what the size covers, so the log's length is also correct.
            let stored = object.get("total_size_bytes").and_then(|value| value.count());
            if stored != Some(log) || log == 0 {
                wanted.push((vec!["total_size_bytes"], size));
            }
            let is_wrong = |(path, count): &&(Vec<&str>, u64)| {
                object.path(path).and_then(|value| value.number()) != Some(*count as f64)
            };
            // A count can't be set if its parent is not an object. It is skipped.
            wanted.iter().filter(is_wrong).fold(body.to_vec(), |bytes, (path, count)| {
                json_edit::set(&bytes, path, &count.to_string()).unwrap_or(bytes)
            })
        });
        Some(DerivedFile { path: own.path.clone(), bytes: bytes.ok()?.into() })
    }
}

/// Writes the index entry after its id. Writing to memory can't fail.
fn write_entry(out: &mut String, stored: Json<'_>, own: &LogEntry<'_>, relevance: f64) {
    let [timestamp, importance] =
        members_of(stored, ["timestamp", "importance"]).map(|member| member.map(|member| member.spelled()));
    let _ = write!(
        out,
        ":{{\"line_number\":{},\"byte_offset\":{},\"type\":{},\"timestamp\":{},\"tags\":{},\"importance\":{},\"current_relevance\":{:.4}}}",
        own.record.line,
        own.record.span.start,
        json_edit::quoted(own.memory.kind()),
        timestamp.as_deref().unwrap_or("null"),
        list(own.memory.tags()),
        importance.as_deref().unwrap_or("0.5"),
        relevance,
    );
}

/// The hours for which an entry is fresh, and its bonus in that time.
pub const FRESH_HOURS: f64 = 24.0;
pub const FRESH: f64 = 1.5;

/// Returns the index's `current_relevance`: importance × decay × bonus (§17.2).
pub fn relevance(memory: &StoredMemory, decay: &DecayTable, now: Moment) -> f64 {
    let age = memory.created.map(|created| now.hours_since(created).max(0.0));
    let fresh = if age.is_some_and(|hours| hours < FRESH_HOURS) { FRESH } else { 1.0 };
    memory.importance * decay.rule(memory.kind()).factor(age, 0.0) * fresh
}
