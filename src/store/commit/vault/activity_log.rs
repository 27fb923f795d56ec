//! palimp's own log of a store: JSON lines (2 §15.2) with session ids, counts and lengths, never
//! content. palimp does not depend on it: a line that can't be written is lost.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::Moment;
use crate::model::plan::change::PRIVATE_MODE;
use crate::store::commit::Vault;

/// The size in bytes above which a new log starts. The previous log is kept beside it.
const LONGEST: u64 = 1 << 20;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// When it was written.
    pub timestamp: String,
    /// `DEBUG`, `INFO`, `WARN` or `ERROR`.
    pub level: String,
    /// The part of the program.
    pub component: String,
    /// What happened, in a few words without content.
    pub message: String,
    /// Counts and lengths.
    pub metadata: Map<String, Value>,
}

impl Vault<'_> {
    /// Adds a line to the log.
    pub fn log(&self, now: Moment, level: &str, message: &str, metadata: &[(&str, u64)]) {
        let metadata = metadata.iter().map(|(name, count)| ((*name).to_owned(), Value::from(*count)));
        let line = LogLine {
            timestamp: now.to_millis(),
            level: level.to_owned(),
            component: "StorageEngine".to_owned(),
            message: message.to_owned(),
            metadata: metadata.collect(),
        };
        let Ok(mut bytes) = serde_json::to_vec(&line) else { return };
        bytes.push(b'\n');
        let path = self.path("log.jsonl");
        if self.disk().look(&path).is_ok_and(|item| item.generation.len > LONGEST) {
            let _ = self.disk().rename(&path, &self.path("log.1.jsonl"));
        }
        let out = self.disk().append(&path).or_else(|_| self.disk().create(&path, PRIVATE_MODE));
        if let Ok(mut out) = out {
            let _ = out.write(&bytes);
        }
    }

    /// Returns the lines of the log that can be read, oldest first.
    pub fn log_lines(&self) -> Vec<LogLine> {
        let read = |name: &str| self.disk().read(&self.path(name), 0, None).map(|(bytes, _)| bytes);
        let both = [read("log.1.jsonl"), read("log.jsonl")];
        let bytes = both.into_iter().filter_map(Result::ok).flatten().collect::<Vec<u8>>();
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}
