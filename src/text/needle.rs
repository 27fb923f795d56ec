//! A content in whatever form it may be in a file, and the search for many at once.
//!
//! A text is looked for as UTF-8, escaped as in JSON (each spelling of an escape, and JSON
//! within JSON), in base64 whatever is before it, in hexadecimal and in UTF-16. Base64
//! that is broken into lines, and what is encrypted or compressed in ways of its own, is
//! found by nobody.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

mod form;
mod table;
mod unescaped;

use table::Table;
use unescaped::Unescaped;

/// What is shorter, in characters, is not looked for: it would be found everywhere.
pub const SHORTEST: usize = 12;
/// What is longer, in characters, is looked for by its beginning.
const LONGEST: usize = 1024;
/// So many bytes are searched at once.
pub const BLOCK: usize = 256 << 10;
/// As it is, as JSON, and as JSON within JSON.
const LEVELS: usize = 3;

/// Contents to be looked for. One pass over the bytes finds all of them, however many there
/// are: a search for each form by itself would read a store hundreds of times.
#[derive(Clone, Default)]
pub struct Needles {
    table: Arc<Table>,
    /// Those of the table that are not looked for any more.
    left_out: HashSet<usize>,
    skipped: usize,
}

impl Needles {
    /// Needles for these contents; what is too short is counted and left out.
    pub fn of<C: AsRef<[u8]>>(contents: impl IntoIterator<Item = C>) -> Needles {
        Needles::of_both(contents, std::iter::empty()).0
    }

    /// Needles for all of them, and for the first alone: among all they come first.
    pub fn of_both<C: AsRef<[u8]>>(
        first: impl IntoIterator<Item = C>,
        others: impl IntoIterator<Item = C>,
    ) -> (Needles, Needles) {
        let (mut known, mut contents, mut skipped) = (HashSet::new(), Vec::new(), 0);
        let (mut count, first) = (0, first.into_iter().map(|own| (own, 1)));
        for (content, is_first) in first.chain(others.into_iter().map(|own| (own, 0))) {
            let Some(content) = beginning(content.as_ref()) else {
                skipped += 1;
                continue;
            };
            if !known.contains(content) {
                let content: Arc<[u8]> = content.into();
                known.insert(Arc::clone(&content));
                contents.push(content);
                count += is_first;
            }
        }
        let table = Arc::new(Table::of(contents));
        let all = Needles { table, left_out: HashSet::new(), skipped };
        let first = all.without(&(count..all.len()).collect());
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

    /// A search of what comes in blocks.
    pub fn search(&self) -> Search<'_> {
        Search { needles: self, levels: Default::default(), is_found: false }
    }

    /// Hands on what is found until `stop` says that it is enough.
    fn each(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut search = self.search();
        let last = bytes.len().saturating_sub(1) / BLOCK;
        let mut blocks = (0..).zip(bytes.chunks(BLOCK));
        blocks.any(|(number, block)| search.level(0, block, number == last, stop))
    }
}

/// A search of bytes that come one after another.
pub struct Search<'n> {
    needles: &'n Needles,
    levels: [Level; LEVELS],
    is_found: bool,
}

/// Bytes as they are, or with so many layers of escapes undone.
#[derive(Default)]
struct Level {
    /// What may begin a form that goes on.
    held: Vec<u8>,
    /// What undoes the next layer; nothing where there was none yet.
    escapes: Option<Unescaped>,
}

impl Search<'_> {
    /// Takes in the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.is_found =
            self.is_found || !self.needles.is_empty() && self.level(0, bytes, false, &mut |_| true);
    }

    /// Whether any content is in what came.
    pub fn ends(mut self) -> bool {
        self.is_found || !self.needles.is_empty() && self.level(0, &[], true, &mut |_| true)
    }

    fn level(
        &mut self,
        depth: usize,
        bytes: &[u8],
        is_last: bool,
        stop: &mut dyn FnMut(usize) -> bool,
    ) -> bool {
        let (table, left_out) = (&self.needles.table, &self.needles.left_out);
        let level = &mut self.levels[depth];
        let all;
        let text = match level.held.is_empty() {
            true => bytes,
            false => {
                all = [&std::mem::take(&mut level.held), bytes].concat();
                &all
            }
        };
        let end = if is_last { text.len() } else { text.len().saturating_sub(table.longest) };
        level.held = text[end..].to_vec();
        if table.each(text, end, &mut |own| !left_out.contains(&own) && stop(own)) {
            return true;
        }
        if depth + 1 == LEVELS {
            return false;
        }
        if level.escapes.is_none() && memchr::memchr(b'\\', bytes).is_none() {
            // As it is, it was searched already: of the next level only its end can matter.
            if is_last {
                return false;
            }
            let held = &mut self.levels[depth + 1].held;
            held.extend_from_slice(bytes);
            held.drain(..held.len().saturating_sub(table.longest));
            return false;
        }
        let next = level.escapes.get_or_insert_default().next(bytes, is_last);
        self.level(depth + 1, &next, is_last, stop)
    }
}

/// What is looked for to find a content; `None` where it is too short.
fn beginning(content: &[u8]) -> Option<&[u8]> {
    let Ok(text) = std::str::from_utf8(content) else {
        return (content.len() >= SHORTEST).then(|| &content[..content.len().min(LONGEST)]);
    };
    let text = text.trim();
    text.char_indices().nth(SHORTEST - 1)?;
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    Some(&text.as_bytes()[..end])
}

#[cfg(test)]
mod tests;
