//! Words in stores whose text is not held: it is read block by block, looked through and let go.

use super::cancel::Cancel;
use super::matching::{Level, Matcher, Within};
use super::syntax::{Form, Query};
use super::text_index::{DocumentText, Source};
use crate::model::{Entry, Snapshot, Store};
use crate::store::crowd;

/// The records of a block have about this many bytes.
const BLOCK: u64 = 1 << 20;

/// Consecutive entries of one document.
struct Block<'a> {
    store: usize,
    first: usize,
    entries: &'a [Entry],
    of: &'a Store,
}

/// How well each word hits the entries of a block, by store and the first of them.
pub(super) type Found = (usize, usize, Vec<Vec<Level>>);

/// Looks for the words in every entry; `None` when cancelled.
pub(super) fn find(
    (query, matchers): (&Query, &[Matcher<'_>]),
    snapshot: &Snapshot,
    within: Option<&Within<'_>>,
    source: Source<'_>,
    cancel: &Cancel,
) -> Option<Vec<Found>> {
    let needles: Option<Vec<Needle>> = query.words.iter().map(|word| Needle::of(&word.form)).collect();
    let can_hit = |store, entry| within.is_none_or(|own| own.holds(store, entry));
    let mut blocks = blocks(snapshot);
    blocks.retain(|own| (own.first..own.first + own.entries.len()).any(|entry| can_hit(own.store, entry)));
    let found = crowd::each(&blocks, |block| {
        let may_hit = |entry: &Entry| {
            let at = block.of.number_of(entry);
            at.is_none_or(|at| can_hit(block.store, at as usize))
                && may_hit(needles.as_deref(), block.of, entry)
        };
        let text = DocumentText::of(block.of, block.entries, cancel, &|store, entry| {
            if may_hit(entry) { source(store, entry) } else { Default::default() }
        })?;
        let levels = matchers.iter().map(|matcher| {
            let mut levels = vec![Level::None; block.entries.len()];
            matcher.scan(&text, &mut levels, cancel).map(|()| levels)
        });
        Some((block.store, block.first, levels.collect::<Option<_>>()?))
    });
    found.into_iter().collect()
}

fn blocks(snapshot: &Snapshot) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
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
            blocks.push(Block { store: number, first, entries: &of.entries[first..end], of });
            first = end;
        }
    }
    blocks
}

/// What the bytes of a record have to hold, in either case, for a word to hit its text.
struct Needle {
    letters: Vec<u8>,
    /// It holds what only bytes beyond ASCII stand for.
    is_beyond: bool,
}

/// The title of a text that says nothing.
const NO_TEXT: &str = "(no text)";

impl Needle {
    /// `None` where the bytes say nothing of it: a fuzzy word's letters can be anywhere.
    fn of(form: &Form) -> Option<Needle> {
        let parts = match form {
            Form::Plain(text) => std::slice::from_ref(text),
            Form::Wild(parts) => parts,
            Form::Fuzzy(_) => return None,
        };
        let is_beyond = parts.iter().any(|part| !part.is_ascii());
        let runs = parts.iter().flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()));
        let longest = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty() || is_beyond)?;
        (!NO_TEXT.contains(longest) || is_beyond)
            .then(|| Needle { letters: longest.as_bytes().to_vec(), is_beyond })
    }
}

/// Whether a word can hit an entry, as far as its bytes tell: letters and digits stand for themselves in
/// JSON, unless they are written as `\u`.
fn may_hit(needles: Option<&[Needle]>, store: &Store, entry: &Entry) -> bool {
    let is_log = store.document(entry).on_demand.is_some();
    let Some((needles, raw)) = needles.filter(|_| is_log).zip(store.read(entry)) else { return true };
    if !raw.is_ascii() || memchr::memmem::find(&raw, b"\\u").is_some() {
        return true;
    }
    let lower = raw.to_ascii_lowercase();
    needles.iter().any(|own| !own.is_beyond && memchr::memmem::find(&lower, &own.letters).is_some())
}
