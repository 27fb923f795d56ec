//! Bytes of files and records that several hold: a plan, what carries it out, and what takes it back.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use super::plan::{Splice, apply, pieces};

/// Bytes that are held once, however many have them. What a plan makes of others is put together only
/// where all of it is asked for.
#[derive(Clone, Default)]
pub struct Bytes(Arc<Held>);

#[derive(Default)]
struct Held {
    whole: OnceLock<Vec<u8>>,
    /// What they are made of, where they were not put together yet.
    of: Option<Spliced>,
}

/// Other bytes with stretches replaced.
struct Spliced {
    base: Bytes,
    splices: Vec<Splice>,
}

impl Spliced {
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        pieces(&self.base, &self.splices)
    }
}

impl Bytes {
    /// Those bytes with stretches replaced, in ascending order.
    pub fn spliced(base: &Bytes, splices: Vec<Splice>) -> Bytes {
        Bytes(Arc::new(Held { whole: OnceLock::new(), of: Some(Spliced { base: base.clone(), splices }) }))
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        match (self.0.whole.get(), &self.0.of) {
            (None, Some(of)) => of.pieces().map(<[u8]>::len).sum(),
            (whole, _) => whole.map_or(0, Vec::len),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A range of them; `None` where it is not within them.
    pub fn range(&self, range: Range<usize>) -> Option<Cow<'_, [u8]>> {
        let (None, Some(of)) = (self.0.whole.get(), &self.0.of) else {
            return self.get(range).map(Cow::Borrowed);
        };
        let mut found: Cow<'_, [u8]> = Cow::Borrowed(&[]);
        let mut from = 0;
        for piece in of.pieces() {
            let place = |at: usize| at.saturating_sub(from).min(piece.len());
            let own = &piece[place(range.start)..place(range.end).max(place(range.start))];
            from += piece.len();
            match (found.is_empty(), own.is_empty()) {
                (_, true) => {}
                (true, _) => found = Cow::Borrowed(own),
                (false, _) => found.to_mut().extend_from_slice(own),
            }
        }
        (range.start <= range.end && range.end <= from).then_some(found)
    }

    /// Whether they are held in one with the others.
    pub fn is_same(&self, other: &Bytes) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Adds to them. Others that have them keep them as they are.
    pub fn extend(&mut self, more: &[u8]) {
        let own = Arc::get_mut(&mut self.0).filter(|own| own.of.is_none());
        let own = own.and_then(|own| own.whole.take());
        let mut whole = own.unwrap_or_else(|| self.to_vec());
        whole.extend_from_slice(more);
        *self = Bytes::of(whole);
    }

    fn of(whole: Vec<u8>) -> Bytes {
        Bytes(Arc::new(Held { whole: whole.into(), of: None }))
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl Eq for Bytes {}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let made = || self.0.of.as_ref().map_or_else(Vec::new, |of| apply(&of.base, &of.splices));
        self.0.whole.get_or_init(made)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::whole_lines;

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
