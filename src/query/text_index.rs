//! The folded text of every entry, document by document.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use super::CancelToken;
use super::fold_text::fold_collapsed_into;
use crate::format::{self, SearchText};
use crate::model::{Document, Entry, Generation, Snapshot, Store};

/// The cancel token is checked once per this many entries.
const STRIDE: usize = 256;

/// Separates the parts of an entry's text. No needle contains it.
const SEPARATOR: char = '\n';

/// The folded text of every entry by document. Unchanged documents are shared with the previous index.
#[derive(Clone, Debug, Default)]
pub struct TextIndex {
    stores: Vec<Arc<StoreText>>,
}

#[derive(Debug)]
struct StoreText {
    /// The store that was folded. Its address identifies it without a comparison.
    of: Weak<Store>,
    root: PathBuf,
    chunks: Vec<Chunk>,
}

/// Consecutive entries of one document.
#[derive(Debug)]
pub(super) struct Chunk {
    /// The index of the first one in `Store::entries`.
    pub first: usize,
    pub text: Arc<DocumentText>,
}

/// The folded text of the entries of one document in one string, so that one pass searches all of them.
#[derive(Debug)]
pub(super) struct DocumentText {
    path: PathBuf,
    generation: Generation,
    /// The position of the first read byte in the file. A tail of the file has other entries.
    offset: u64,
    /// The listed records. They may change while the file stays the same.
    records: Vec<u32>,
    pub folded: String,
    pub slots: Vec<Slot>,
}

/// The end of an entry's text in the text of its document. It starts where the one before ends.
#[derive(Debug)]
pub(super) struct Slot {
    /// The end of title, tags and id, where the body starts.
    pub head_end: usize,
    pub end: usize,
    /// The letters of the head, to exclude a fuzzy word quickly.
    pub letters: u64,
}

/// The source of an entry's searched text: its format, or a test.
pub(super) type Source<'a> = &'a (dyn Fn(&Store, &Entry) -> SearchText + Sync);

impl TextIndex {
    /// Folds the text of every entry. `None` if cancelled.
    pub fn build(
        snapshot: &Snapshot,
        previous: Option<&TextIndex>,
        cancel: &CancelToken,
    ) -> Option<TextIndex> {
        Self::build_from(snapshot, previous, cancel, &format::searched_of)
    }

    pub(super) fn build_from(
        snapshot: &Snapshot,
        previous: Option<&TextIndex>,
        cancel: &CancelToken,
        source: Source<'_>,
    ) -> Option<TextIndex> {
        let known = previous.map(TextIndex::by_path).unwrap_or_default();
        let mut stores = Vec::with_capacity(snapshot.stores.len());
        for store in &snapshot.stores {
            let same = previous.and_then(|index| index.stores.iter().find(|text| text.is_of(store)));
            stores.push(match same {
                Some(text) => Arc::clone(text),
                None => Arc::new(StoreText::build(store, &known, cancel, source)?),
            });
        }
        Some(TextIndex { stores })
    }

    /// True if it was built from exactly these stores.
    pub fn is_of(&self, snapshot: &Snapshot) -> bool {
        self.stores.len() == snapshot.stores.len()
            && self.stores.iter().zip(&snapshot.stores).all(|(text, store)| text.is_of(store))
    }

    /// Returns the texts of each store, in the order of the snapshot.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[Chunk]> {
        self.stores.iter().map(|store| store.chunks.as_slice())
    }

    fn by_path(&self) -> HashMap<(&Path, &Path), &Arc<DocumentText>> {
        let texts = self.stores.iter().flat_map(|store| {
            store.chunks.iter().map(|c| ((store.root.as_path(), c.text.path.as_path()), &c.text))
        });
        texts.collect()
    }
}

impl StoreText {
    fn is_of(&self, store: &Arc<Store>) -> bool {
        Weak::as_ptr(&self.of) == Arc::as_ptr(store)
    }

    fn build(
        store: &Arc<Store>,
        known: &HashMap<(&Path, &Path), &Arc<DocumentText>>,
        cancel: &CancelToken,
        source: Source<'_>,
    ) -> Option<StoreText> {
        let mut chunks = Vec::new();
        let mut first = 0;
        for entries in store.entries.chunk_by(|a, b| a.document == b.document) {
            cancel.check()?;
            let Some(entry) = entries.first() else { continue };
            let document = store.document(entry);
            let before = known.get(&(store.root.as_path(), document.path.as_path()));
            let text = match before.filter(|text| text.is_of(document, entries)) {
                Some(text) => Arc::clone(text),
                None => Arc::new(DocumentText::of(store, entries, cancel, source)?),
            };
            chunks.push(Chunk { first, text });
            first += entries.len();
        }
        Some(StoreText { of: Arc::downgrade(store), root: store.root.clone(), chunks })
    }
}

impl DocumentText {
    fn is_of(&self, document: &Document, entries: &[Entry]) -> bool {
        self.generation.has_same_bytes(&document.generation)
            && self.offset == document.offset
            && self.records.iter().eq(entries.iter().map(|entry| &entry.record))
    }

    /// Folds the text of consecutive entries of one document. `None` if cancelled.
    pub fn of(
        store: &Store,
        entries: &[Entry],
        cancel: &CancelToken,
        source: Source<'_>,
    ) -> Option<DocumentText> {
        let document = store.document(entries.first()?);
        let mut text = DocumentText {
            path: document.path.clone(),
            generation: document.generation,
            offset: document.offset,
            records: entries.iter().map(|entry| entry.record).collect(),
            folded: String::new(),
            slots: Vec::with_capacity(entries.len()),
        };
        for (at, entry) in entries.iter().enumerate() {
            if at % STRIDE == 0 {
                cancel.check()?;
            }
            text.push(&source(store, entry));
        }
        text.folded.shrink_to_fit();
        Some(text)
    }

    fn push(&mut self, searched: &SearchText) {
        let start = self.folded.len();
        self.push_parts(&searched.head);
        let head_end = self.folded.len();
        let letters = letters(self.folded.get(start..).unwrap_or_default());
        self.push_parts(&searched.body);
        self.slots.push(Slot { head_end, end: self.folded.len(), letters });
    }

    fn push_parts(&mut self, parts: &[String]) {
        for part in parts {
            fold_collapsed_into(part, &mut self.folded);
            self.folded.push(SEPARATOR);
        }
    }

    /// Returns the folded title, tags and id of an entry.
    pub fn head(&self, slot: usize) -> impl Iterator<Item = &str> {
        let start = slot.checked_sub(1).and_then(|before| self.slots.get(before)).map_or(0, |slot| slot.end);
        let end = self.slots.get(slot).map_or(start, |slot| slot.head_end);
        self.folded.get(start..end).unwrap_or_default().split_terminator(SEPARATOR)
    }
}

/// Returns a bit for each letter and digit in `text`. Other characters share the remaining bits.
pub(super) fn letters(text: &str) -> u64 {
    text.chars().fold(0, |bits, c| {
        bits | match c {
            'a'..='z' => 1 << (c as u32 - 'a' as u32),
            '0'..='9' => 1 << (26 + c as u32 - '0' as u32),
            _ if c.is_whitespace() => 0,
            _ => 1 << (36 + c as u32 % 28),
        }
    })
}
