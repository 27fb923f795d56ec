//! How much of a file a program loads that keeps its start and its end.

use std::collections::HashSet;
use std::ops::Range;

use super::entry_file::{DELIMITER, entries};
use super::family::Grammar;
use super::load_rule::{LoadCut, LoadRule};
use crate::model::{LoadLimit, LoadSettings};

/// What counts of a file, and what of it is not loaded.
pub struct LoadPart {
    /// Its size and its limit, as the rule counts.
    pub size: usize,
    pub limit: usize,
    /// The place in the file that is not loaded; `None` if all is loaded.
    pub gap: Option<Range<usize>>,
    /// The places of what counts. Hermes loads equal memories once.
    parts: Vec<Range<usize>>,
}

impl LoadPart {
    /// Measures a file; `None` if nothing is loaded, or if the rule counts lines.
    pub fn of(rule: &LoadRule, grammar: Grammar, settings: &LoadSettings, text: &str) -> Option<LoadPart> {
        let (LoadLimit::Bytes(limit) | LoadLimit::Characters(limit)) = rule.limit else { return None };
        let limit = settings.number(rule.setting).unwrap_or(limit);
        let before: usize = settings.before.iter().map(|own| limit.min(*own)).sum();
        let left =
            rule.shared.map(|(name, most)| settings.number(name).unwrap_or(most).saturating_sub(before));
        let limit = left.map_or(limit, |left| limit.min(left));
        let (parts, between) = parts(grammar, text);
        let counted: usize = parts.iter().map(|own| rule.len(&text[own.clone()])).sum();
        let size = counted + between * parts.len().saturating_sub(1);
        let place = |at| place(rule, (&parts, between), text, at);
        let gap = match rule.cut {
            _ if settings.number(rule.switch) == Some(0) => return None,
            LoadCut::Ends { times, least, start, end } => {
                let most = limit.saturating_mul(times).max(least);
                let share = |hundredths: usize| (most as u128 * hundredths as u128 / 100) as usize;
                (size > most).then(|| place(share(start))..place(size - share(end)))
            }
            LoadCut::Lines { .. } | LoadCut::Unknown => None,
        };
        Some(LoadPart { size, limit, gap: gap.filter(|own| !own.is_empty()), parts })
    }

    /// True if what starts at this place of the file counts.
    pub fn counts(&self, start: usize) -> bool {
        self.parts.binary_search_by_key(&start, |own| own.start).is_ok()
    }

    /// Returns by how much it is over the limit.
    pub fn excess(&self) -> usize {
        self.size.saturating_sub(self.limit)
    }

    /// Returns the first and the last line of what is not loaded, counted from 1.
    pub fn gap_lines(&self, text: &str) -> Option<(u32, u32)> {
        let gap = self.gap.as_ref()?;
        let line = |end: usize| 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..end]).count() as u32;
        Some((line(gap.start), line(gap.end - 1)))
    }
}

/// Returns the places of what a program joins to one text, and the size of what it puts between them.
fn parts(grammar: Grammar, text: &str) -> (Vec<Range<usize>>, usize) {
    let mut known = HashSet::new();
    match grammar {
        Grammar::Entries => {
            let is_first = |own: &Range<usize>| known.insert(&text[own.clone()]);
            (entries(text).into_iter().filter(is_first).collect(), DELIMITER.chars().count())
        }
        _ => (std::iter::once(0..text.trim_end().len()).collect(), 0),
    }
}

/// Returns the place in the file of what is at a place of the joined text.
fn place(rule: &LoadRule, (parts, between): (&[Range<usize>], usize), text: &str, at: usize) -> usize {
    let mut left = at;
    for own in parts {
        for (offset, c) in text[own.clone()].char_indices() {
            if left < (rule.size)(c) {
                return own.start + offset;
            }
            left -= (rule.size)(c);
        }
        if left < between {
            return own.end;
        }
        left -= between;
    }
    text.len()
}
