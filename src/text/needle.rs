//! Searches for many contents at once, in every form that they may have in a file.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::value_search::ValueSearch;

/// Contents with fewer characters are not searched for: they would be found everywhere.
pub const SHORTEST: usize = 12;
/// Contents with more characters are searched for by their start.
const LONGEST: usize = 1024;

/// Contents to search for in one pass. Too short ones are left out, long ones are known by their start.
#[derive(Clone, Default)]
pub struct Needles {
    search: Arc<ValueSearch>,
    left_out: HashSet<usize>,
    /// The indices of contents that were cut within white space. Their parts before it are after the contents.
    cut_of: Arc<[usize]>,
    skipped: usize,
}

impl Needles {
    /// Creates needles for these contents. Counts and skips those that are too short.
    pub fn of<C: AsRef<[u8]>>(contents: impl IntoIterator<Item = C>) -> Needles {
        Needles::of_both(contents.into_iter().map(|own| own.as_ref().into()), []).0
    }

    /// Creates needles for all contents, and for those of `first` alone, which come first among all.
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
        let search = Arc::new(ValueSearch::of(contents));
        let first_left = (count..all).collect();
        let all = Needles { search, left_out, cut_of: cut_of.into(), skipped };
        let first = all.without(&first_left);
        (all, first)
    }

    /// Returns the number of contents that are searched for.
    pub fn len(&self) -> usize {
        self.search.values().len() - self.left_out.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the contents that are searched for, each cut as the search cuts it.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        let all = self.search.values().iter().take(self.cut_from()).enumerate();
        all.filter(|(at, _)| !self.left_out.contains(at)).map(|(_, own)| &**own)
    }

    pub fn content(&self, number: usize) -> Option<&[u8]> {
        self.search.values().get(number).map(|content| &**content)
    }

    /// Returns the number of contents that are too short.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// True if any of them is in the bytes.
    pub fn any(&self, bytes: &[u8]) -> bool {
        self.each(bytes, &mut |_| true)
    }

    /// Returns the contents that are in the bytes, by their index among those that were given.
    pub fn which(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.each(bytes, &mut |content| {
            found.insert(content);
            false
        });
        found
    }

    pub fn without(&self, some: &BTreeSet<usize>) -> Needles {
        Needles { left_out: self.left_out.iter().chain(some).copied().collect(), ..self.clone() }
    }

    /// Returns the needles and, for contents that were cut within white space, also their parts before it.
    pub fn with_cut(&self) -> Needles {
        let stays = |at: &&usize| {
            let of = at.checked_sub(self.cut_from()).and_then(|at| self.cut_of.get(at));
            of.is_none_or(|of| self.left_out.contains(of))
        };
        Needles { left_out: self.left_out.iter().filter(stays).copied().collect(), ..self.clone() }
    }

    /// The index of the first part that was cut.
    fn cut_from(&self) -> usize {
        self.search.values().len() - self.cut_of.len()
    }

    /// Passes each find to `stop`, until that returns true.
    fn each(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        !self.is_empty() && self.search.each(bytes, &mut |at| !self.left_out.contains(&at) && stop(at))
    }
}

/// Returns the part of a content that is searched for. `None` if the content is too short. Callers keep
/// complete contents, because a content that was cut may have another part.
fn beginning(content: &[u8]) -> Option<&[u8]> {
    let Ok(text) = std::str::from_utf8(content) else {
        return (content.len() >= SHORTEST).then(|| &content[..content.len().min(LONGEST)]);
    };
    let text = text.trim();
    text.char_indices().nth(SHORTEST - 1)?;
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    Some(&text.as_bytes()[..end])
}

/// Returns what is before the white space at the end of a part, to be searched for, too. A file has it even
/// if the content was torn within the white space, or continues with other white space.
fn before_blanks(beginning: &[u8]) -> Option<&[u8]> {
    let text = std::str::from_utf8(beginning).ok()?.trim_end();
    text.char_indices().nth(SHORTEST - 1)?;
    (text.len() < beginning.len()).then_some(text.as_bytes())
}

#[cfg(test)]
mod tests;
