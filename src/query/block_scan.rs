//! Searches stores whose text is not kept in memory: reads it block by block and drops each block after use.

use super::query_tree::WordPattern;
use super::text_index::{DocumentText, Source};
use super::word_match::{HitLevel, MatchScope, Matcher};
use super::{CancelToken, Query};
use crate::model::{Entry, Snapshot, Store, is_log};
use crate::store::parallel;

/// The records of a block have about this many bytes.
const BLOCK: u64 = 1 << 20;

/// Consecutive entries of one document.
struct EntryBlock<'a> {
    store: usize,
    first: usize,
    entries: &'a [Entry],
    of: &'a Store,
}

/// Store number, number of the first entry, and for each word the hit level of each entry of the block.
pub(super) type BlockHits = (usize, usize, Vec<Vec<HitLevel>>);

/// Searches every entry for the words. `None` if cancelled.
pub(super) fn find(
    (query, matchers): (&Query, &[Matcher<'_>]),
    snapshot: &Snapshot,
    within: Option<&MatchScope<'_>>,
    source: Source<'_>,
    cancel: &CancelToken,
) -> Option<Vec<BlockHits>> {
    let needles: Option<Vec<ByteNeedle>> =
        query.words.iter().map(|word| ByteNeedle::of(&word.form)).collect();
    let can_hit = |store, entry| within.is_none_or(|own| own.holds(store, entry));
    let mut blocks = blocks(snapshot);
    blocks.retain(|own| (own.first..own.first + own.entries.len()).any(|entry| can_hit(own.store, entry)));
    let found = parallel::map_parallel(&blocks, |block| {
        let may_hit = |entry: &Entry| {
            let at = block.of.number_of(entry);
            at.is_none_or(|at| can_hit(block.store, at as usize))
                && may_hit(needles.as_deref(), block.of, entry)
        };
        let text = DocumentText::of(block.of, block.entries, cancel, &|store, entry| {
            if may_hit(entry) { source(store, entry) } else { Default::default() }
        })?;
        let levels = matchers.iter().map(|matcher| {
            let mut levels = vec![HitLevel::None; block.entries.len()];
            matcher.scan(&text, &mut levels, cancel).map(|()| levels)
        });
        Some((block.store, block.first, levels.collect::<Option<_>>()?))
    });
    found.into_iter().collect()
}

fn blocks(snapshot: &Snapshot) -> Vec<EntryBlock<'_>> {
    let mut blocks: Vec<EntryBlock<'_>> = Vec::new();
    for (number, of) in snapshot.stores.iter().enumerate() {
        let mut first = 0;
        while let Some(entry) = of.entries.get(first) {
            let mut bytes = 0;
            let within = of.entries[first..].iter().take_while(|own| {
                let is_full = bytes >= BLOCK;
                bytes += of.record(own).span.len();
                own.document == entry.document && !is_full
            });
            let end = first + within.count();
            blocks.push(EntryBlock { store: number, first, entries: &of.entries[first..end], of });
            first = end;
        }
    }
    blocks
}

/// Bytes that a record must contain, in either case, so that a word can hit its text.
struct ByteNeedle {
    letters: Vec<u8>,
    /// True if the word has non-ASCII characters. ASCII bytes without `\u` escapes can't contain it.
    is_beyond: bool,
}

/// The title of a record without text. A word that is part of this title can hit any bytes.
const NO_TEXT: &str = "(no text)";

impl ByteNeedle {
    /// Returns `None` if bytes can't rule out a hit, as for a fuzzy word: its letters can be anywhere.
    fn of(form: &WordPattern) -> Option<ByteNeedle> {
        let parts = match form {
            WordPattern::Plain(text) => std::slice::from_ref(text),
            WordPattern::Wild(parts) => parts,
            WordPattern::Fuzzy(_) => return None,
        };
        let is_beyond = parts.iter().any(|part| !part.is_ascii());
        let runs = parts.iter().flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()));
        let longest = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty() || is_beyond)?;
        (!NO_TEXT.contains(longest) || is_beyond)
            .then(|| ByteNeedle { letters: longest.as_bytes().to_vec(), is_beyond })
    }
}

/// False if bytes rule out every word. In JSON, letters and digits are themselves or `\u` escapes.
fn may_hit(needles: Option<&[ByteNeedle]>, store: &Store, entry: &Entry) -> bool {
    let Some(needles) = needles.filter(|_| is_log(&store.document(entry).path)) else { return true };
    let raw = store.raw(entry);
    if !raw.is_ascii() || memchr::memmem::find(&raw, b"\\u").is_some() {
        return true;
    }
    let lower = raw.to_ascii_lowercase();
    needles.iter().any(|own| !own.is_beyond && memchr::memmem::find(&lower, &own.letters).is_some())
}
