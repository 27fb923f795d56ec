//! Bytes of files and records, shared by a plan and the code that applies or undoes it.

mod byte_ranges;

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use super::lazy_bytes::BlockFile;
use super::plan::{Splice, SplicedPart, part_at, spliced_parts};

pub use byte_ranges::Ranges;

/// Bytes that are in memory once for all owners. Spliced bytes are joined only if all of them are needed.
#[derive(Clone, Default)]
pub struct Bytes(Arc<BytesInner>);

#[derive(Default)]
struct BytesInner {
    whole: OnceLock<Vec<u8>>,
    /// Their source, if they are made of something else.
    of: Option<BytesSource>,
    /// True if their source is not in memory.
    is_file_backed: bool,
}

enum BytesSource {
    /// Other bytes, what replaces parts of them, and the ends of all parts.
    Spliced(Bytes, Vec<Splice>, OnceLock<Vec<usize>>),
    File(BlockFile),
    /// The length of a file, and its last bytes. The others are unknown.
    End(usize, Vec<u8>),
}

/// The number of bytes that are compared at a time.
const COMPARED: usize = 1 << 20;

/// A part of bytes.
pub enum BytesPart<'b> {
    /// Bytes in memory.
    InMemory(&'b [u8]),
    /// A block of a file.
    Block {
        /// The number of bytes.
        len: usize,
        /// The digest of its bytes ([`super::lazy_bytes::digest`]).
        digest: u64,
    },
}

impl Bytes {
    /// Returns `base` with parts replaced. The splices are in ascending order.
    pub fn spliced(base: &Bytes, splices: Vec<Splice>) -> Bytes {
        Bytes::made_of(BytesSource::Spliced(base.clone(), splices, OnceLock::new()))
    }

    /// Returns the bytes of a file, which are read on demand.
    pub fn of_file(file: BlockFile) -> Bytes {
        Bytes::made_of(BytesSource::File(file))
    }

    /// Returns the bytes of a file of that length, of which only the last are known.
    pub fn end_of_file(len: usize, last: Vec<u8>) -> Bytes {
        Bytes::made_of(BytesSource::End(len, last))
    }

    /// Returns the last bytes, if only those are known.
    pub fn known_end(&self) -> Option<&[u8]> {
        match &self.0.of {
            Some(BytesSource::End(_, last)) => Some(last),
            _ => None,
        }
    }

    fn made_of(of: BytesSource) -> Bytes {
        let is_of_a_file = match &of {
            BytesSource::Spliced(base, splices, _) => {
                base.is_file_backed() || splices.iter().any(|own| own.becomes.is_file_backed())
            }
            BytesSource::File(_) | BytesSource::End(..) => true,
        };
        Bytes(Arc::new(BytesInner { whole: OnceLock::new(), of: Some(of), is_file_backed: is_of_a_file }))
    }

    /// True if most of them are in a file and not in memory.
    pub fn is_file_backed(&self) -> bool {
        self.0.is_file_backed && self.0.whole.get().is_none()
    }

    /// True if bytes that were asked for were gone, because the file has changed.
    pub fn has_changed(&self) -> bool {
        match &self.0.of {
            Some(BytesSource::Spliced(base, ..)) => base.has_changed(),
            Some(BytesSource::File(file)) => file.has_changed(),
            Some(BytesSource::End(..)) | None => false,
        }
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::Spliced(base, splices, ends))) => match ends.get() {
                Some(ends) => ends.last().copied().unwrap_or_default(),
                None => spliced_parts(base.len(), splices).map(|own| own.size()).sum(),
            },
            (None, Some(BytesSource::File(file))) => file.len(),
            (None, Some(BytesSource::End(len, _))) => *len,
            (whole, _) => whole.map_or(0, Vec::len),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a range of them. `None` if it is out of bounds, or if the file has changed.
    pub fn range(&self, range: Range<usize>) -> Option<Cow<'_, [u8]>> {
        match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::Spliced(base, splices, ends))) => {
                let ends = ends.get_or_init(|| ends_of(base.len(), splices));
                of_spliced((base, splices), ends, range)
            }
            (None, Some(BytesSource::File(file))) => file.range(range).map(Cow::Owned),
            (None, Some(BytesSource::End(len, last))) => {
                let from = len - last.len();
                last.get(range.start.checked_sub(from)?..range.end.checked_sub(from)?).map(Cow::Borrowed)
            }
            _ => self.get(range).map(Cow::Borrowed),
        }
    }

    /// Passes them to `take` in order. Those that are not in memory come in blocks of at most `most` bytes.
    /// Returns false at the first block that is gone.
    pub fn each_block<E>(
        &self,
        most: usize,
        take: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<bool, E> {
        let spliced = match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::Spliced(base, splices, _))) => Some((base, &splices[..])),
            (None, Some(BytesSource::File(_) | BytesSource::End(..))) => Some((self, &[][..])),
            _ => None,
        };
        let Some((base, splices)) = spliced else { return take(self).map(|()| true) };
        for own in spliced_parts(base.len(), splices) {
            let range = match own {
                SplicedPart::Inserted(bytes) if bytes.each_block(most, take)? => continue,
                SplicedPart::Inserted(_) => return Ok(false),
                SplicedPart::Unchanged(range) => range,
            };
            if !base.is_file_backed() {
                take(&base[range])?;
                continue;
            }
            for start in range.clone().step_by(most) {
                let Some(block) = base.range(start..range.end.min(start + most)) else { return Ok(false) };
                take(&block)?;
            }
        }
        Ok(true)
    }

    /// Passes them to `take` in order, part by part: bytes in memory, and digests of the blocks of a file.
    /// Returns false if `take` refuses a part.
    pub fn parts<E>(&self, take: &mut dyn FnMut(BytesPart<'_>) -> Result<bool, E>) -> Result<bool, E> {
        match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::File(file))) => {
                for (span, digest) in file.blocks() {
                    if !take(BytesPart::Block { len: span.len() as usize, digest })? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (None, Some(BytesSource::Spliced(base, splices, _))) => {
                for own in spliced_parts(base.len(), splices) {
                    let is_taken = match own {
                        SplicedPart::Unchanged(range) if range == (0..base.len()) => base.parts(take)?,
                        SplicedPart::Unchanged(range) => take(BytesPart::InMemory(&base.at(range)))?,
                        SplicedPart::Inserted(bytes) => bytes.parts(take)?,
                    };
                    if !is_taken {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => take(BytesPart::InMemory(self)),
        }
    }

    fn put_together(&self) -> Vec<u8> {
        match &self.0.of {
            None => Vec::new(),
            Some(BytesSource::File(file)) => file.whole(),
            // Like those of a changed file, unknown bytes are zeros.
            Some(BytesSource::End(len, last)) => [vec![0; len - last.len()], last.clone()].concat(),
            Some(BytesSource::Spliced(base, splices, _)) => {
                let mut whole = Vec::with_capacity(self.len());
                spliced_parts(base.len(), splices).for_each(|own| match own {
                    SplicedPart::Unchanged(range) => whole.extend_from_slice(&base.at(range)),
                    SplicedPart::Inserted(bytes) => whole.extend_from_slice(bytes),
                });
                whole
            }
        }
    }

    /// True if both share the same memory.
    pub fn is_same(&self, other: &Bytes) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Appends bytes. Other owners keep theirs.
    pub fn extend(&mut self, more: &[u8]) {
        if self.is_file_backed() {
            let (start, becomes) = (self.len() as u64, more.into());
            let splice = Splice { start, was: Bytes::default(), becomes, line_before: Vec::new() };
            *self = Bytes::spliced(self, vec![splice]);
            return;
        }
        let own = Arc::get_mut(&mut self.0).filter(|own| own.of.is_none());
        let own = own.and_then(|own| own.whole.take());
        let mut whole = own.unwrap_or_else(|| self.to_vec());
        whole.extend_from_slice(more);
        *self = Bytes::of(whole);
    }

    fn of(whole: Vec<u8>) -> Bytes {
        Bytes(Arc::new(BytesInner { whole: whole.into(), of: None, is_file_backed: false }))
    }
}

/// Returns where each part ends after splices are applied to a file of `len` bytes.
fn ends_of(len: usize, splices: &[Splice]) -> Vec<usize> {
    let mut end = 0;
    let ends = spliced_parts(len, splices).map(|own| {
        end += own.size();
        end
    });
    ends.collect()
}

fn of_spliced<'b>(
    (base, splices): (&'b Bytes, &'b [Splice]),
    ends: &[usize],
    range: Range<usize>,
) -> Option<Cow<'b, [u8]>> {
    if range.start > range.end || range.end > ends.last().copied().unwrap_or_default() {
        return None;
    }
    let mut found: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut at = ends.partition_point(|end| *end <= range.start);
    let mut from = at.checked_sub(1).map_or(0, |before| ends[before]);
    while from < range.end {
        let stretch = part_at(base.len(), splices, at)?;
        let (start, end) = (range.start.max(from) - from, range.end.min(ends[at]) - from);
        let own = match stretch {
            SplicedPart::Unchanged(own) => base.range(own.start + start..own.start + end)?,
            SplicedPart::Inserted(own) => own.range(start..end)?,
        };
        match found.is_empty() {
            true => found = own,
            false => found.to_mut().extend_from_slice(&own),
        }
        (from, at) = (ends[at], at + 1);
    }
    Some(found)
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        let window = |start: usize| start..self.len().min(start + COMPARED);
        let is_alike =
            |at: Range<usize>| self.range(at.clone()).is_some_and(|own| other.range(at) == Some(own));
        self.is_same(other)
            || self.len() == other.len()
                && (0..self.len()).step_by(COMPARED).all(|start| is_alike(window(start)))
    }
}

impl Eq for Bytes {}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.whole.get_or_init(|| self.put_together())
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(mut bytes: Vec<u8>) -> Bytes {
        bytes.shrink_to_fit();
        Bytes::of(bytes)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        bytes.to_vec().into()
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Bytes {
        text.into_bytes().into()
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Bytes {
        text.as_bytes().into()
    }
}

impl Ranges for Bytes {
    fn len(&self) -> usize {
        self.len()
    }

    /// Returns zeros if the file has changed; [`Bytes::has_changed`] is then true. If only the end of a file
    /// is known, returns zeros before it.
    fn at(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        self.range(range.clone()).unwrap_or_else(|| {
            let mut zeros = vec![0; range.len()];
            if let Some(last) = self.known_end() {
                let behind = self.len().saturating_sub(range.end).min(last.len());
                let known = &last[..last.len() - behind];
                let from = zeros.len().saturating_sub(known.len());
                zeros[from..].copy_from_slice(&known[known.len() - (range.len() - from)..]);
            }
            Cow::Owned(zeros)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::{apply, whole_lines};

    #[test]
    fn a_range_of_what_is_not_put_together_is_that_of_the_whole() {
        let base: Bytes = "one\ntwo\nthree\nfour\n".into();
        let edits = vec![(4..7, b"2".to_vec()), (8..14, Vec::new()), (19..19, b"five\n".to_vec())];
        let splices = whole_lines(&base, edits);
        let whole = apply(&base, &splices);
        for start in 0..=whole.len() + 1 {
            for end in 0..=whole.len() + 1 {
                let made = Bytes::spliced(&base, splices.clone());
                assert_eq!(made.range(start..end).as_deref(), whole.get(start..end), "{start}..{end}");
                assert_eq!(made.len(), whole.len());
            }
        }
        assert_eq!(Bytes::spliced(&base, splices)[..], whole);
    }

    /// A search through all splices before it would take ten thousand times as long at the end.
    #[test]
    fn a_range_behind_many_splices_is_found_as_soon_as_one_before_them() {
        const MANY: usize = 100_000;
        let base: Bytes = "one\n".repeat(MANY).into();
        let edits = (0..MANY).map(|at| (4 * at..4 * at + 1, b"O".to_vec())).collect();
        let made = Bytes::spliced(&base, whole_lines(&base, edits));
        let took = |from: usize| {
            let began = std::time::Instant::now();
            (0..500).for_each(|at| {
                assert_eq!(made.range(from + 4 * at..from + 4 * at + 2).as_deref(), Some(&b"On"[..]))
            });
            began.elapsed()
        };
        let (mut first, mut last) = (took(0), took(4 * (MANY - 500)));
        for _ in 0..3 {
            (first, last) = (first.min(took(0)), last.min(took(4 * (MANY - 500))));
        }
        assert!(last < first * 100, "{first:?} at the start, {last:?} at the end");
    }

    #[test]
    fn of_the_end_of_a_file_the_last_bytes_are_known() {
        let end = Bytes::end_of_file(10, b"\ntwo\n".to_vec());
        assert_eq!((end.len(), end.range(6..10).as_deref()), (10, Some(&b"two\n"[..])));
        assert!(end.is_file_backed() && end.range(4..10).is_none() && end.range(6..11).is_none());
        assert_eq!((Ranges::line_before(&end, 10), &*end.at(3..8)), (6, &b"\0\0\ntw"[..]));
        assert_eq!(end.each_block(4, &mut |_| Ok::<_, ()>(())), Ok(false));
    }

    #[test]
    fn what_is_added_to_is_another_s_as_it_was() {
        let mut one: Bytes = "a".into();
        let other = one.clone();
        one.extend(b"b");
        one.extend(b"c");
        let mut made = Bytes::spliced(&one, Vec::new());
        made.extend(b"d");
        assert_eq!([&*one, &*other, &*made], [&b"abc"[..], b"a", b"abcd"]);
    }
}
