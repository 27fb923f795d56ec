//! Packs views.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use super::{
    ACCESSED, ARCHIVED, CHECKSUM, COUNTED, CREATED, FACETS, FADED, HAS_ID, HAS_TOPIC, NAMES, PackedView,
    REFERENCES, TAGS, UNKNOWN, USUAL_IMPORTANCE, ViewRun, WEIGHED,
};
use crate::model::fast_hash::FastMap;
use crate::model::parsed_record::ParsedRecord;
use crate::model::record_name::Name;

/// The maximum number of words that a run stores once. Others are stored at each use.
pub(super) const WORDS: usize = 4_096;
/// The maximum length of such a word, in bytes. Longer words hardly repeat.
const LONGEST: usize = 48;

/// A packer of views into one run.
#[derive(Default)]
pub struct ViewPacker {
    bytes: Vec<u8>,
    places: Vec<u32>,
    words: Vec<Box<str>>,
    known: FastMap<Box<str>, u32>,
}

impl ViewPacker {
    /// Adds a view and returns its number in the run.
    pub fn add(&mut self, own: &ParsedRecord) -> u32 {
        let number = self.places.len() as u32;
        self.places.push(self.bytes.len() as u32);
        let flags = [
            (own.created.is_some(), CREATED),
            (own.accessed.is_some(), ACCESSED),
            (own.access_count != 0, COUNTED),
            (own.importance.to_bits() != USUAL_IMPORTANCE.to_bits(), WEIGHED),
            (own.id.is_some(), HAS_ID),
            (own.topic.is_some(), HAS_TOPIC),
            (!own.tags.is_empty(), TAGS),
            (!own.references.is_empty(), REFERENCES),
            (!own.names.is_empty(), NAMES),
            (!own.facets.is_empty(), FACETS),
            (own.faded, FADED),
            (own.archived, ARCHIVED),
            (own.checksum, CHECKSUM),
        ];
        self.number(flags.iter().filter(|(is, _)| *is).map(|(_, flag)| flag).sum());
        own.created.iter().chain(&own.accessed).for_each(|own| self.bytes.extend(own.0.to_le_bytes()));
        if own.access_count != 0 {
            self.number(own.access_count);
        }
        if own.importance.to_bits() != USUAL_IMPORTANCE.to_bits() {
            self.bytes.extend(own.importance.to_le_bytes());
        }
        own.id.iter().for_each(|id| self.text(id));
        self.word(&own.kind);
        own.topic.iter().for_each(|topic| self.word(topic));
        self.list(&own.tags, |to, tag| to.word(tag));
        self.list(&own.references, |to, own| {
            to.word(own.relation);
            to.name(&own.to);
        });
        self.list(&own.names, |to, own| to.name(own));
        self.list(&own.facets, |to, (name, value)| {
            to.word(name);
            to.word(value);
        });
        number
    }

    /// Ends the run, and returns its views by their numbers.
    pub fn views(self) -> impl Fn(u32) -> PackedView {
        let sensitive = self.places.iter().map(|_| AtomicU8::new(UNKNOWN)).collect();
        let (bytes, words, places) = (self.bytes.into(), self.words.into(), self.places.into());
        let run = Arc::new(ViewRun { bytes, words, places, sensitive });
        move |number| PackedView { run: Arc::clone(&run), number, is_torn: false }
    }

    /// Writes the number of items, their length in bytes (so that a reader can skip them), and the items.
    fn list<T>(&mut self, items: &[T], mut add: impl FnMut(&mut ViewPacker, &T)) {
        if items.is_empty() {
            return;
        }
        self.number(items.len() as u64);
        let start = self.bytes.len();
        items.iter().for_each(|own| add(self, own));
        let end = self.bytes.len();
        self.number((end - start) as u64);
        self.bytes[start..].rotate_left(end - start);
    }

    fn name(&mut self, name: &Name) {
        self.bytes.push(name.of as u8);
        self.text(&name.text);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    /// Writes the number of a word, from 1, or 0 and its text.
    fn word(&mut self, word: &str) {
        if let Some(number) = self.known.get(word) {
            return self.number(u64::from(*number));
        }
        if word.len() > LONGEST || self.words.len() == WORDS {
            self.bytes.push(0);
            return self.text(word);
        }
        self.words.push(word.into());
        let number = self.words.len() as u32;
        self.known.insert(word.into(), number);
        self.number(u64::from(number));
    }

    /// Writes a number in groups of seven bits, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}
