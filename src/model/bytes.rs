//! Bytes of files and records, shared by a plan and the code that applies or undoes it.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use super::Splice;
use super::plan::{SplicedPart, part_at, spliced_parts};

/// Bytes that are in memory once for all owners. Spliced bytes are joined only if all of them are needed.
#[derive(Clone, Default)]
pub struct Bytes(Arc<BytesInner>);

#[derive(Default)]
struct BytesInner {
    whole: OnceLock<Vec<u8>>,
    /// Their source, if they are made of something else.
    of: Option<BytesSource>,
}

enum BytesSource {
    /// Other bytes, what replaces parts of them, and the ends of all parts.
    Spliced(Bytes, Vec<Splice>, OnceLock<Vec<usize>>),
    /// The length of a file, and its last bytes. The others are unknown.
    End(usize, Vec<u8>),
    /// Other bytes, and which of them.
    Part(Bytes, Range<usize>),
}

impl Bytes {
    /// Returns `base` with parts replaced. The splices are in ascending order.
    pub fn spliced(base: &Bytes, splices: Vec<Splice>) -> Bytes {
        Bytes::made_of(BytesSource::Spliced(base.clone(), splices, OnceLock::new()))
    }

    /// Returns the bytes of a file of that length, of which only the last are known.
    pub fn end_of_file(len: usize, last: Vec<u8>) -> Bytes {
        Bytes::made_of(BytesSource::End(len, last))
    }

    /// Returns a part of them, which shares their memory. What is out of bounds is left out.
    pub fn part(&self, range: Range<usize>) -> Bytes {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        let part = match &self.0.of {
            Some(BytesSource::Part(of, own)) => (of.clone(), own.start + start..own.start + end),
            _ => (self.clone(), start..end),
        };
        Bytes::made_of(BytesSource::Part(part.0, part.1))
    }

    /// Returns the last bytes, if only those are known.
    pub fn known_end(&self) -> Option<&[u8]> {
        match &self.0.of {
            Some(BytesSource::End(_, last)) => Some(last),
            _ => None,
        }
    }

    fn made_of(of: BytesSource) -> Bytes {
        Bytes(Arc::new(BytesInner { whole: OnceLock::new(), of: Some(of) }))
    }

    pub fn len(&self) -> usize {
        match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::Spliced(base, splices, ends))) => match ends.get() {
                Some(ends) => ends.last().copied().unwrap_or_default(),
                None => spliced_parts(base.len(), splices).map(|own| own.size()).sum(),
            },
            (None, Some(BytesSource::End(len, _))) => *len,
            (None, Some(BytesSource::Part(_, range))) => range.len(),
            (whole, _) => whole.map_or(0, Vec::len),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a range of them. `None` if it is out of bounds, or if one of them is unknown.
    pub fn range(&self, range: Range<usize>) -> Option<Cow<'_, [u8]>> {
        if let Some(whole) = self.0.whole.get() {
            return whole.get(range).map(Cow::Borrowed);
        }
        let mut slices = Vec::new();
        self.add_slices(range, &mut slices)?;
        Some(match slices.as_slice() {
            [] => Cow::Borrowed(&[]),
            [one] => Cow::Borrowed(one),
            several => Cow::Owned(several.concat()),
        })
    }

    /// Returns them part by part, as they are in memory. `None` if one of them is unknown.
    pub fn slices(&self) -> Option<Vec<&[u8]>> {
        let mut slices = Vec::new();
        self.add_slices(0..self.len(), &mut slices)?;
        Some(slices)
    }

    fn add_slices<'b>(&'b self, range: Range<usize>, to: &mut Vec<&'b [u8]>) -> Option<()> {
        let slice = match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::Spliced(base, splices, ends))) => {
                let ends = ends.get_or_init(|| ends_of(base.len(), splices));
                return add_spliced((base, splices), ends, range, to);
            }
            (None, Some(BytesSource::End(len, last))) => {
                let from = len - last.len();
                last.get(range.start.checked_sub(from)?..range.end.checked_sub(from)?)?
            }
            (None, Some(BytesSource::Part(of, own))) => {
                let is_inside = range.start <= range.end && range.end <= own.len();
                let range = is_inside.then(|| own.start + range.start..own.start + range.end)?;
                return of.add_slices(range, to);
            }
            (whole, _) => whole.map_or(&[][..], |whole| whole).get(range)?,
        };
        if !slice.is_empty() {
            to.push(slice);
        }
        Some(())
    }

    fn put_together(&self) -> Vec<u8> {
        match (self.slices(), &self.0.of) {
            (Some(slices), _) => slices.concat(),
            // Unknown bytes are zeros.
            (None, Some(BytesSource::Spliced(base, splices, _))) => {
                let part = |part: SplicedPart<'_>| match part {
                    SplicedPart::Unchanged(range) => base[range].to_vec(),
                    SplicedPart::Inserted(bytes) => bytes.to_vec(),
                };
                spliced_parts(base.len(), splices).flat_map(part).collect()
            }
            (None, Some(BytesSource::End(len, last))) => {
                let mut whole = vec![0; *len];
                whole[len - last.len()..].copy_from_slice(last);
                whole
            }
            (None, Some(BytesSource::Part(of, range))) => of[range.clone()].to_vec(),
            (None, None) => Vec::new(),
        }
    }

    /// True if both share the same memory.
    pub fn is_same(&self, other: &Bytes) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Appends bytes. Other owners keep theirs.
    pub fn extend(&mut self, more: &[u8]) {
        let own = Arc::get_mut(&mut self.0).filter(|own| own.of.is_none());
        let own = own.and_then(|own| own.whole.take());
        let mut whole = own.unwrap_or_else(|| self.to_vec());
        whole.extend_from_slice(more);
        *self = Bytes::of(whole);
    }

    /// Returns them with bytes added. Both share what they have in common.
    #[must_use]
    pub fn with_added(&self, more: &[u8]) -> Bytes {
        let splice = |base: &Bytes, added: Vec<u8>| {
            let start = base.len() as u64;
            let splice =
                Splice { start, was: Bytes::default(), becomes: added.into(), line_before: Bytes::default() };
            Bytes::spliced(base, vec![splice])
        };
        match (self.0.whole.get(), &self.0.of) {
            (None, Some(BytesSource::Spliced(base, splices, _))) => match splices.as_slice() {
                [one] if one.start == base.len() as u64 => splice(base, [&one.becomes, more].concat()),
                _ => splice(self, more.to_vec()),
            },
            _ => splice(self, more.to_vec()),
        }
    }

    fn of(whole: Vec<u8>) -> Bytes {
        Bytes(Arc::new(BytesInner { whole: whole.into(), of: None }))
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

fn add_spliced<'b>(
    (base, splices): (&'b Bytes, &'b [Splice]),
    ends: &[usize],
    range: Range<usize>,
    to: &mut Vec<&'b [u8]>,
) -> Option<()> {
    if range.start > range.end || range.end > ends.last().copied().unwrap_or_default() {
        return None;
    }
    let mut at = ends.partition_point(|end| *end <= range.start);
    let mut from = at.checked_sub(1).map_or(0, |before| ends[before]);
    while from < range.end {
        let part = part_at(base.len(), splices, at)?;
        let (start, end) = (range.start.max(from) - from, range.end.min(ends[at]) - from);
        match part {
            SplicedPart::Unchanged(own) => base.add_slices(own.start + start..own.start + end, to)?,
            SplicedPart::Inserted(own) => own.add_slices(start..end, to)?,
        }
        (from, at) = (ends[at], at + 1);
    }
    Some(())
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        self.is_same(other)
            || self.len() == other.len()
                && match (self.slices(), other.slices()) {
                    (Some(own), Some(other)) => are_equal(own, other),
                    _ => **self == **other,
                }
    }
}

/// Compares as many bytes as both have, part by part.
fn are_equal(a: Vec<&[u8]>, b: Vec<&[u8]>) -> bool {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    let (mut left, mut right): (&[u8], &[u8]) = (&[], &[]);
    loop {
        if left.is_empty() {
            left = a.next().unwrap_or_default();
        }
        if right.is_empty() {
            right = b.next().unwrap_or_default();
        }
        let len = left.len().min(right.len());
        if len == 0 {
            return true;
        }
        if left[..len] != right[..len] {
            return false;
        }
        (left, right) = (&left[len..], &right[len..]);
    }
}

impl Eq for Bytes {}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0.of {
            Some(BytesSource::Part(of, range)) => &of[range.clone()],
            _ => self.0.whole.get_or_init(|| self.put_together()),
        }
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

impl<T: Into<Vec<u8>>> From<T> for Bytes {
    fn from(bytes: T) -> Bytes {
        let mut bytes = bytes.into();
        bytes.shrink_to_fit();
        Bytes::of(bytes)
    }
}

/// Finds the lines around a place.
pub trait LineBounds {
    /// Returns the start of the line that a place is in.
    fn line_start(&self, at: usize) -> usize;

    /// Returns the start of the line that ends at a place.
    fn line_before(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.line_start(last))
    }

    /// Returns the end of the line that a place is in, after its line end.
    fn line_end(&self, at: usize) -> usize;

    /// True if those bytes are at a place.
    fn is_at(&self, at: usize, bytes: &[u8]) -> bool;

    /// True if those bytes end at a place.
    fn ends_at(&self, at: usize, bytes: &[u8]) -> bool {
        at.checked_sub(bytes.len()).is_some_and(|start| self.is_at(start, bytes))
    }
}

impl LineBounds for [u8] {
    fn line_start(&self, at: usize) -> usize {
        memchr::memrchr(b'\n', &self[..at]).map_or(0, |feed| feed + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.len(), |feed| at + feed + 1)
    }

    fn is_at(&self, at: usize, bytes: &[u8]) -> bool {
        self.get(at..).is_some_and(|rest| rest.starts_with(bytes))
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
    fn a_part_has_the_bytes_of_its_range_and_no_copy_of_them() {
        let whole: Bytes = "one\ntwo\nthree\n".into();
        let part = whole.part(4..8);
        assert_eq!((&*part, part.len(), part.range(1..9)), (&b"two\n"[..], 4, None));
        assert_eq!((part.as_ptr(), part.part(1..3)), (whole[4..].as_ptr(), "wo".into()));
        let mut more = part.clone();
        more.extend(b"2");
        assert_eq!(
            [&*more, &*part.with_added(b"2"), &*whole.part(9..99)],
            [&b"two\n2"[..], b"two\n2", b"hree\n"]
        );
    }

    #[test]
    fn of_the_end_of_a_file_the_last_bytes_are_known() {
        let end = Bytes::end_of_file(10, b"\ntwo\n".to_vec());
        assert_eq!((end.len(), end.range(6..10).as_deref()), (10, Some(&b"two\n"[..])));
        assert!(end.range(4..10).is_none() && end.range(6..11).is_none() && end.slices().is_none());
        assert_eq!((end.line_before(10), &end[3..8]), (6, &b"\0\0\ntw"[..]));
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
        let more = one.with_added(b"d").with_added(b"e");
        assert_eq!([&*one, &*more], [&b"abc"[..], b"abcde"]);
        assert_eq!(one.with_added(b"d").with_added(b"e").slices(), Some(vec![&b"abc"[..], b"de"]));
    }
}
