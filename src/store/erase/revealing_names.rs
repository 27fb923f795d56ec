//! Names that repeat texts of erased records. Names stay in tombstones, in the journal and in paths.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use super::erased_contents::ErasedContents;
use crate::detectors::{has_secret, is_random};
use crate::model::PathText;
use crate::store::erase::erasure_target::{ErasureTarget, SharedText};
use crate::text::needle::SHORTEST;

/// Texts of erased records, including values that are names.
#[derive(Clone, Debug, Default)]
pub(super) struct ErasedTexts {
    pub(super) texts: BTreeSet<SharedText>,
    /// Other values, and records that can't be read.
    pub(super) values: BTreeSet<SharedText>,
}

impl ErasedTexts {
    pub(super) fn add(&mut self, other: &ErasedTexts) {
        self.texts.extend(other.texts.iter().cloned());
        self.values.extend(other.values.iter().cloned());
    }
}

/// A word of a name that is likely a key or a token.
struct NameWord {
    name: Vec<u8>,
    at: Range<usize>,
}

impl NameWord {
    fn bytes(&self) -> &[u8] {
        &self.name[self.at.clone()]
    }

    /// True if the word at this place of a text belongs to the complete name: the text refers to
    /// the record. A name that is only this word may itself be a key in a main text.
    fn is_mentioned(&self, text: &[u8], at: usize, is_main: bool) -> bool {
        let is_whole = self.at.len() == self.name.len();
        let start = at.checked_sub(self.at.start).filter(|_| !is_main || !is_whole);
        start.is_some_and(|start| text[start..].starts_with(&self.name))
    }
}

impl ErasedContents {
    /// Returns the names of targets that reveal something: the name looks like a secret, or a part
    /// of it is likely a key or a token and occurs in a text.
    pub fn revealing_names(&self, targets: &[ErasureTarget]) -> BTreeSet<String> {
        let names: BTreeSet<String> = targets.iter().flat_map(names).collect();
        let (mut found, names): (BTreeSet<String>, BTreeSet<String>) =
            names.into_iter().partition(|name| has_secret(name.as_bytes()));
        let mut words: HashMap<Vec<u8>, Vec<(&String, NameWord)>> = HashMap::new();
        for name in &names {
            for word in random_words(name) {
                let Some(start) = word.bytes().get(..SHORTEST) else { continue };
                words.entry(start.to_vec()).or_default().push((name, word));
            }
        }
        if words.is_empty() {
            return found;
        }
        let texts = self.said.texts.iter().map(|text| (text, true));
        let values = self.said.values.iter().map(|value| (value, false));
        for (text, is_main) in texts.chain(values) {
            let text = text.to_ascii_lowercase();
            for (at, start) in text.windows(SHORTEST).enumerate() {
                let Some(own) = words.get(start) else { continue };
                let here = || own.iter().filter(|(_, word)| text[at..].starts_with(word.bytes()));
                if !here().any(|(_, word)| word.is_mentioned(&text, at, is_main)) {
                    found.extend(here().map(|(name, _)| (*name).clone()));
                }
            }
        }
        found
    }
}

/// Returns the names of a record, those that it had before, its session, its file and the folders of its file.
fn names(target: &ErasureTarget) -> Vec<String> {
    let own = [target.name(), target.session.as_deref()];
    let stem = |part| Some(Path::new(part).file_stem()?.to_text().into_owned());
    let own = own.into_iter().flatten().chain(target.earlier.iter().flat_map(|own| own.name.parts()));
    own.map(str::to_owned).chain(target.file.iter().filter_map(stem)).collect()
}

fn random_words(name: &str) -> Vec<NameWord> {
    let mut words = Vec::new();
    let mut start = 0;
    for part in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let at = name[start..].find(part).map_or(start, |at| start + at);
        start = at + part.len();
        if is_random(part) {
            words.push(NameWord { name: name.to_ascii_lowercase().into_bytes(), at: at..start });
        }
    }
    words
}
