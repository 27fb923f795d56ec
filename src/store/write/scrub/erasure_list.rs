//! The list of all erased memories. It has numbers and names, never content. What they said is listed by
//! keyed digests. The key is in a separate file.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::model::plan::line_end_for;
use crate::store::erase::{ErasureTarget, apart, with_key};
use crate::store::steps::pending_erasure::{PendingErasure, json_lines};
use crate::store::{CommitError, Vault};

pub(super) const LIST: &str = "erased.jsonl";
pub(super) const KEYS: &str = "erased.keys";

/// A line of the erasure list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureLine {
    /// The step that erased it.
    pub step: u64,
    /// When it was erased.
    pub at: String,
    /// The record that was erased.
    #[serde(flatten)]
    pub record: ErasureTarget,
}

#[derive(Serialize, Deserialize)]
struct ErasureKey {
    step: u64,
    key: String,
}

impl Vault<'_> {
    /// Returns all erased memories, with their keys. Fails if the list or a key can't be read. Without them erased
    /// memories could come back.
    pub fn erasure_list(&self) -> Result<Vec<ErasureLine>, CommitError> {
        let mut lines: Vec<ErasureLine> = self.lines_of(LIST)?;
        if lines.iter().all(|line| line.record.keyed.is_none()) {
            return Ok(lines);
        }
        let keys: HashMap<u64, String> =
            self.lines_of(KEYS)?.into_iter().map(|own: ErasureKey| (own.step, own.key)).collect();
        for line in &mut lines {
            let Some(digest) = line.record.keyed.take() else { continue };
            let Some(key) = keys.get(&line.step) else {
                // Its id and time are enough. Any text of that time then counts as erased.
                if line.record.id.is_some() {
                    line.record.versions.clear();
                    continue;
                }
                let why =
                    format!("the key of step {} is missing: what was erased can't be recognized", line.step);
                return Err(CommitError::unread(&self.path(KEYS), std::io::Error::other(why)));
            };
            line.record.keyed = Some(with_key(key, &digest));
            line.record.versions.iter_mut().for_each(|own| *own = with_key(key, own));
        }
        Ok(lines)
    }

    fn lines_of<T: for<'d> Deserialize<'d>>(&self, name: &str) -> Result<Vec<T>, CommitError> {
        let path = self.path(name);
        let bytes = self.read_own_file(&path)?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').zip(1_u32..);
        let read = |(line, number): (&[u8], u32)| {
            serde_json::from_slice(line).map_err(|error| {
                let why = format!("line {number} of the erasure list names no memory ({error})");
                CommitError::unread(&path, std::io::Error::other(why))
            })
        };
        lines.filter(|(line, _)| !line.trim_ascii().is_empty()).map(read).collect()
    }

    /// Adds the records of an erasure, durably, unless its step is listed already. Writes the key before
    /// the digests that need it.
    pub fn list_erased(&self, entry: &PendingErasure) -> Result<(), CommitError> {
        if self.lines_of::<ErasureLine>(LIST)?.iter().any(|line| line.step == entry.step) {
            return Ok(());
        }
        let (mut lines, mut keys) = (Vec::new(), Vec::new());
        for record in &entry.records {
            let keyed = record.keyed.as_deref().and_then(apart);
            if let Some((key, _)) = keyed.filter(|_| keys.is_empty()) {
                keys.push(ErasureKey { step: entry.step, key: key.to_owned() });
            }
            let bare = |own: &String| Some(apart(own)?.1.to_owned());
            let keyed = record.keyed.as_ref().and_then(bare);
            let versions = record.versions.iter().filter_map(bare).collect();
            let record = ErasureTarget { keyed, versions, ..record.when_over() };
            lines.push(ErasureLine { step: entry.step, at: entry.at.clone(), record });
        }
        if !keys.is_empty() {
            self.add_lines(KEYS, &keys)?;
        }
        self.add_lines(LIST, &lines)
    }

    fn add_lines<T: Serialize>(&self, name: &str, lines: &[T]) -> Result<(), CommitError> {
        let path = self.path(name);
        let mut whole = self.read_own_file(&path)?.unwrap_or_default();
        whole.extend_from_slice(line_end_for(&whole));
        whole.extend(json_lines(lines)?);
        self.write_own_file(&path, &whole)
    }
}
