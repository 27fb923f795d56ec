//! What the user said of findings: real, a false alarm, or undecided.
//!
//! The verdicts are kept with palimp's own data, by a keyed digest of each value. Without the key nobody can
//! check a guess, and the values themselves are in no file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::data_file::{read_to_change, write};
use crate::ops::redact::value_digest;
use crate::text::digest::hex;

const FILE: &str = "triage.json";

/// A verdict on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is sensitive.
    Yes,
    /// It is a false alarm, and is not listed any more.
    No,
    /// Not decided yet.
    Skip,
}

impl Verdict {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Skip => "skip",
        }
    }

    pub fn of(word: &str) -> Option<Verdict> {
        [Verdict::Yes, Verdict::No, Verdict::Skip].into_iter().find(|own| own.as_str() == word)
    }
}

/// The verdicts on values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Triage {
    /// The key of the digests, in hex. Empty if there is no verdict yet.
    key: String,
    verdicts: BTreeMap<String, Verdict>,
}

impl Triage {
    /// Reads the verdicts in the folder of palimp's own data.
    /// Fails if there are some that can't be read: a verdict that is noted then would replace them.
    pub fn kept_in(data: &Path) -> Result<Triage, String> {
        read_to_change(data, FILE).map_err(|why| format!("{why} Nothing was noted."))
    }

    pub fn verdict(&self, value: &[u8]) -> Option<Verdict> {
        self.verdicts.get(&self.digest(value)).copied()
    }

    /// True if the user said that a value is not sensitive.
    pub fn is_false_alarm(&self, value: &[u8]) -> bool {
        self.verdict(value) == Some(Verdict::No)
    }

    /// Notes a verdict. `random` makes the key if there is none.
    pub fn note(&mut self, value: &[u8], verdict: Verdict, random: [u8; 16]) {
        self.key(random);
        self.verdicts.insert(self.digest(value), verdict);
    }

    /// Returns the key of digests and pseudonyms. `random` makes it if there is none; then it must be kept.
    pub fn key(&mut self, random: [u8; 16]) -> Vec<u8> {
        if self.key.is_empty() {
            self.key = hex(&random);
        }
        self.key.clone().into_bytes()
    }

    /// Returns the digests of false alarms.
    pub fn false_alarms(&self) -> BTreeSet<String> {
        let all = self.verdicts.iter().filter(|(_, verdict)| **verdict == Verdict::No);
        all.map(|(digest, _)| digest.clone()).collect()
    }

    /// Keeps the verdicts.
    /// Fails if the folder of palimp's own data can't be written. The text says why.
    pub fn keep_in(&self, data: &Path) -> Result<(), String> {
        let kept = write(data, FILE, serde_json::to_vec(self));
        kept.map_err(|error| format!("The verdict can't be kept: {error}."))
    }

    fn digest(&self, value: &[u8]) -> String {
        value_digest(self.key.as_bytes(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_that_cannot_be_read_are_not_taken_for_none() {
        let folder = crate::folder::new();
        std::fs::write(folder.path().join(FILE), "{\"key\":").unwrap();
        let Err(why) = Triage::kept_in(folder.path()) else { panic!("it was read") };
        assert!(why.contains(FILE) && why.contains("Nothing was noted"), "{why}");
    }
}
