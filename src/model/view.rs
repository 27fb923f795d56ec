//! Packed views of records. The views of a file share one run of bytes, in which repeated words (types, tags,
//! relations) are stored once.

mod pack;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use super::parsed_record::ParsedRecord;
use super::time::Moment;
use crate::model::record_name::{Name, NameKind, Reference};

pub use pack::ViewPacker;

/// The view of a record, in the run that it shares with others of its file.
#[derive(Clone)]
pub struct PackedView {
    run: Arc<ViewRun>,
    /// Its number in the run.
    number: u32,
    /// True if the record is torn. Then only its id is certain.
    is_torn: bool,
}

impl PackedView {
    /// Packs a single view.
    pub fn of(parsed: &ParsedRecord) -> PackedView {
        let mut packer = ViewPacker::default();
        packer.add(parsed);
        packer.views()(0)
    }

    /// Marks the view as that of a torn record whose id could be read.
    #[must_use]
    pub fn torn(self) -> PackedView {
        PackedView { is_torn: true, ..self }
    }

    /// True if the record is torn.
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Unpacks the view.
    pub fn view(&self) -> View<'_> {
        let at = self.run.places.get(self.number as usize).map_or(0, |own| *own as usize);
        let bytes = self.run.bytes.get(at..).unwrap_or_default();
        ViewCursor { bytes, words: &self.run.words }.view()
    }

    /// True if its text has something that looks like a token or a private key. Calls `look` only once.
    pub fn is_sensitive(&self, look: impl FnOnce() -> bool) -> bool {
        let Some(known) = self.run.sensitive.get(self.number as usize) else { return look() };
        match known.load(Relaxed) {
            UNKNOWN => {
                let is = look();
                known.store(if is { SENSITIVE } else { HARMLESS }, Relaxed);
                is
            }
            known => known == SENSITIVE,
        }
    }
}

impl fmt::Debug for PackedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// Packed views, one after another, and the words that they share.
#[derive(Debug, Default)]
struct ViewRun {
    bytes: Box<[u8]>,
    words: Box<[Box<str>]>,
    /// The place where each view starts.
    places: Box<[u32]>,
    /// For each, if it is sensitive: computed on demand, because most are never shown.
    sensitive: Box<[AtomicU8]>,
}

/// The part of a record that is needed in memory. The rest stays in its bytes. All texts are untrusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View<'a> {
    /// The stored id.
    pub id: Option<&'a str>,
    /// The format's own word for its type (`decision`, `learning`, …), as stored.
    pub kind: &'a str,
    /// The time of its creation.
    pub created: Option<Moment>,
    /// The time of its last access, if it is recorded.
    pub accessed: Option<Moment>,
    /// The number of accesses, if it is recorded.
    pub access_count: u64,
    /// 0 to 1; 0.5 if it is not recorded.
    pub importance: f64,
    /// The stored tags, in order.
    pub tags: Tags<'a>,
    /// The topic, for formats that have one.
    pub topic: Option<&'a str>,
    /// Its references, in order.
    pub references: PackedList<'a, Reference<'a, &'a str>>,
    /// Other names than its id by which references may name it: the stem of its file, its trace.
    pub names: PackedList<'a, Name<&'a str>>,
    /// The other fields of its schema that the query language has, by their names there (`severity`,
    /// `status`, `agent`, …), as text. A name may occur several times.
    pub facets: PackedList<'a, (&'a str, &'a str)>,
    /// True if it is at the floor of its decay at any age: a deprecated note.
    pub faded: bool,
    /// True if the record itself says that it is archived.
    pub archived: bool,
    /// True if it has a checksum.
    pub checksum: bool,
}

impl<'a> View<'a> {
    /// Returns the agent that wrote the record, if the record says so.
    pub fn agent(&self) -> Option<&'a str> {
        self.facets.into_iter().find(|(name, _)| *name == "agent").map(|(_, agent)| agent)
    }
}

/// The tags of a record, in order.
pub type Tags<'a> = PackedList<'a, &'a str>;

/// An item of a list in a packed view.
pub trait PackedItem<'a> {
    /// Reads the next item.
    fn read(cursor: &mut ViewCursor<'a>) -> Self;
}

impl<'a> PackedItem<'a> for &'a str {
    fn read(cursor: &mut ViewCursor<'a>) -> Self {
        cursor.word()
    }
}

impl<'a> PackedItem<'a> for Reference<'a, &'a str> {
    fn read(cursor: &mut ViewCursor<'a>) -> Self {
        Reference { relation: cursor.word(), to: PackedItem::read(cursor) }
    }
}

impl<'a> PackedItem<'a> for Name<&'a str> {
    fn read(cursor: &mut ViewCursor<'a>) -> Self {
        let of = match cursor.take(1) {
            [1] => NameKind::Trace,
            [2] => NameKind::Session,
            _ => NameKind::Record,
        };
        Name { of, text: cursor.text() }
    }
}

impl<'a> PackedItem<'a> for (&'a str, &'a str) {
    fn read(cursor: &mut ViewCursor<'a>) -> Self {
        (cursor.word(), cursor.word())
    }
}

/// A list in a packed view. Its items are read one by one.
pub struct PackedList<'a, T> {
    cursor: ViewCursor<'a>,
    left: u32,
    of: PhantomData<T>,
}

impl<T> Clone for PackedList<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PackedList<'_, T> {}

impl<'a, T> PackedList<'a, T> {
    /// Returns the items, in order.
    pub fn iter(&self) -> PackedList<'a, T> {
        *self
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.left as usize
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }
}

impl<'a> Tags<'a> {
    /// True if `tag` is one of them.
    pub fn contains(&self, tag: &str) -> bool {
        self.iter().any(|own| own == tag)
    }

    /// Joins all of them into one text.
    pub fn join(&self, between: &str) -> String {
        self.iter().collect::<Vec<_>>().join(between)
    }
}

impl<'a, T: PackedItem<'a>> Iterator for PackedList<'a, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        Some(T::read(&mut self.cursor))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl<'a, T: PackedItem<'a>> ExactSizeIterator for PackedList<'a, T> {}

impl<'a, T: PackedItem<'a> + PartialEq> PartialEq for PackedList<'a, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a, T: PackedItem<'a> + fmt::Debug> fmt::Debug for PackedList<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

const UNKNOWN: u8 = 0;
const HARMLESS: u8 = 1;
const SENSITIVE: u8 = 2;

const CREATED: u64 = 1;
const ACCESSED: u64 = 1 << 1;
const COUNTED: u64 = 1 << 2;
const WEIGHED: u64 = 1 << 3;
const HAS_ID: u64 = 1 << 4;
const HAS_TOPIC: u64 = 1 << 5;
const TAGS: u64 = 1 << 6;
const REFERENCES: u64 = 1 << 7;
const NAMES: u64 = 1 << 8;
const FACETS: u64 = 1 << 9;
const FADED: u64 = 1 << 10;
const ARCHIVED: u64 = 1 << 11;
const CHECKSUM: u64 = 1 << 12;

/// The importance if none is recorded.
pub const USUAL_IMPORTANCE: f64 = 0.5;

/// A position in packed views.
#[derive(Clone, Copy)]
pub struct ViewCursor<'a> {
    bytes: &'a [u8],
    words: &'a [Box<str>],
}

impl<'a> ViewCursor<'a> {
    fn view(mut self) -> View<'a> {
        let flags = self.number();
        let has = |flag| flags & flag != 0;
        let created = has(CREATED).then(|| Moment(i64::from_le_bytes(self.eight())));
        let accessed = has(ACCESSED).then(|| Moment(i64::from_le_bytes(self.eight())));
        let access_count = if has(COUNTED) { self.number() } else { 0 };
        let importance = if has(WEIGHED) { f64::from_le_bytes(self.eight()) } else { USUAL_IMPORTANCE };
        let id = has(HAS_ID).then(|| self.text());
        let kind = self.word();
        let topic = has(HAS_TOPIC).then(|| self.word());
        View {
            id,
            kind,
            created,
            accessed,
            access_count,
            importance,
            tags: self.list(has(TAGS)),
            topic,
            references: self.list(has(REFERENCES)),
            names: self.list(has(NAMES)),
            facets: self.list(has(FACETS)),
            faded: has(FADED),
            archived: has(ARCHIVED),
            checksum: has(CHECKSUM),
        }
    }

    fn list<T>(&mut self, is_there: bool) -> PackedList<'a, T> {
        let left = if is_there { self.number() as u32 } else { 0 };
        let len = if is_there { self.number() } else { 0 };
        let bytes = self.take(len as usize);
        PackedList { cursor: ViewCursor { bytes, words: self.words }, left, of: PhantomData }
    }

    fn text(&mut self) -> &'a str {
        let len = self.number() as usize;
        std::str::from_utf8(self.take(len)).unwrap_or_default()
    }

    fn word(&mut self) -> &'a str {
        match self.number() {
            0 => self.text(),
            number => self.words.get(number as usize - 1).map_or("", |word| word),
        }
    }

    fn number(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = *self.take(1) else { break };
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn eight(&mut self) -> [u8; 8] {
        self.take(8).try_into().unwrap_or_default()
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(len.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }
}

#[cfg(test)]
mod tests;
