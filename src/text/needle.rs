//! A content in whatever form it may be in a file, and the search for many at once.
//!
//! A text is looked for as UTF-8, escaped as in JSON (each spelling of an escape, and JSON
//! within JSON), in base64 whatever is before it, in hexadecimal and in UTF-16. Base64
//! that is broken into lines, and what is encrypted or compressed in ways of its own, is
//! found by nobody.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

mod forms;
mod table;
mod unescape;

use table::NeedleTable;
use unescape::{pieces, unescaped};

/// What is shorter, in characters, is not looked for: it would be found everywhere.
pub const SHORTEST: usize = 12;
/// What is longer, in characters, is looked for by its beginning.
const LONGEST: usize = 1024;
/// Of so many bytes at once the escapes are undone.
const BLOCK: usize = 256 << 10;
/// A form may be in JSON, and in JSON within JSON.
const LAYERS: usize = 2;

/// Contents to be looked for. One pass over the bytes finds all of them, however many there
/// are: a search for each form by itself would read a store hundreds of times.
#[derive(Clone, Default)]
pub struct Needles {
    table: Arc<NeedleTable>,
    /// Those of the table that are not looked for any more.
    left_out: HashSet<usize>,
    /// The last of the table are what is before the blanks that contents were cut in: of which each is.
    cut_of: Arc<[usize]>,
    skipped: usize,
}

impl Needles {
    /// Needles for these contents; what is too short is counted and left out.
    pub fn of<C: AsRef<[u8]>>(contents: impl IntoIterator<Item = C>) -> Needles {
        Needles::of_both(contents.into_iter().map(|own| own.as_ref().into()), []).0
    }

    /// Needles for all of them, and for the first alone: among all they come first.
    pub fn of_both(
        first: impl IntoIterator<Item = Arc<[u8]>>,
        others: impl IntoIterator<Item = Arc<[u8]>>,
    ) -> (Needles, Needles) {
        let (mut known, mut contents, mut skipped) = (HashSet::new(), Vec::new(), 0);
        let (mut count, first) = (0, first.into_iter().map(|own| (own, 1)));
        for (whole, is_first) in first.chain(others.into_iter().map(|own| (own, 0))) {
            let Some(content) = beginning(&whole) else {
                skipped += 1;
                continue;
            };
            if !known.contains(content) {
                let content = if content.len() < whole.len() { content.into() } else { whole };
                known.insert(Arc::clone(&content));
                contents.push(content);
                count += is_first;
            }
        }
        let all = contents.len();
        let cut = |(of, own): (usize, &Arc<[u8]>)| Some((of, before_blanks(own)?.into()));
        let cut: Vec<(usize, Arc<[u8]>)> = contents.iter().enumerate().filter_map(cut).collect();
        let cut = cut.into_iter().filter(|(_, own)| known.insert(Arc::clone(own)));
        let (cut_of, cut): (Vec<usize>, Vec<_>) = cut.unzip();
        contents.extend(cut);
        let left_out = (all..contents.len()).collect();
        let table = Arc::new(NeedleTable::of(contents));
        let first_left = (count..all).collect();
        let all = Needles { table, left_out, cut_of: cut_of.into(), skipped };
        let first = all.without(&first_left);
        (all, first)
    }

    /// How many contents are looked for.
    pub fn len(&self) -> usize {
        self.table.contents.len() - self.left_out.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many contents were too short to be looked for.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Whether any is in the bytes.
    pub fn any(&self, bytes: &[u8]) -> bool {
        self.each(bytes, &mut |_| true)
    }

    /// The contents that are in the bytes, by their places among those that were given.
    pub fn which(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.each(bytes, &mut |content| {
            found.insert(content);
            false
        });
        found
    }

    /// The same without some contents.
    pub fn without(&self, some: &BTreeSet<usize>) -> Needles {
        Needles { left_out: self.left_out.iter().chain(some).copied().collect(), ..self.clone() }
    }

    /// The same, with what is before the blanks that a content was cut in.
    pub fn with_cut(&self) -> Needles {
        let from = self.table.contents.len() - self.cut_of.len();
        let stays = |at: &&usize| {
            let of = at.checked_sub(from).and_then(|at| self.cut_of.get(at));
            of.is_none_or(|of| self.left_out.contains(of))
        };
        Needles { left_out: self.left_out.iter().filter(stays).copied().collect(), ..self.clone() }
    }

    /// Hands on what is found until `stop` says that it is enough.
    fn each(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        !self.is_empty() && self.each_by(BLOCK, bytes, &mut |own| !self.left_out.contains(&own) && stop(own))
    }

    /// The same, with escapes undone block by block. Of what a block comes to in each layer as much goes
    /// before the next as the longest form has: none is missed that crosses a border.
    fn each_by(&self, block: usize, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        let table = &self.table;
        if table.each(bytes, bytes.len(), stop) {
            return true;
        }
        if memchr::memchr(b'\\', bytes).is_none() {
            return false;
        }
        let mut tails: [Vec<u8>; LAYERS] = Default::default();
        let mut left = bytes.len();
        for piece in pieces(bytes, block) {
            left -= piece.len();
            let mut now = Cow::Borrowed(piece);
            for tail in &mut tails {
                let next = unescaped(&now);
                let is_new = next.is_some();
                now = next.map_or(now, Cow::Owned);
                let ahead = tail.len();
                tail.extend_from_slice(&now);
                let end = if left == 0 { tail.len() } else { tail.len().saturating_sub(table.longest) };
                // What is in no escape was searched already, but for what begins before it.
                let searched = if is_new { end } else { end.min(ahead) };
                if table.each(tail, searched, stop) {
                    return true;
                }
                tail.drain(..end);
            }
        }
        false
    }
}

/// The part of a content that the search looks for; `None` where the content is too short. Contents are kept
/// whole, as the part of a cut one may differ.
fn beginning(content: &[u8]) -> Option<&[u8]> {
    let Ok(text) = std::str::from_utf8(content) else {
        return (content.len() >= SHORTEST).then(|| &content[..content.len().min(LONGEST)]);
    };
    let text = text.trim();
    text.char_indices().nth(SHORTEST - 1)?;
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    Some(&text.as_bytes()[..end])
}

/// What is before the blanks that a beginning ends in, to be looked for as well: what was torn within
/// them, or goes on with other blanks, holds it.
fn before_blanks(beginning: &[u8]) -> Option<&[u8]> {
    let text = std::str::from_utf8(beginning).ok()?.trim_end();
    text.char_indices().nth(SHORTEST - 1)?;
    (text.len() < beginning.len()).then_some(text.as_bytes())
}

#[cfg(test)]
mod tests;
