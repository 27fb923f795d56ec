//! What must go of a file so that a model gets all of it.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use crate::format;
use crate::model::plan::count_with_noun;
use crate::model::{Document, Entry, LoadExcess, LoadedFile, Store};
use crate::text::columns::human_size;

/// At most this many parts are named.
const SHOWN: usize = 5;

/// What must go of a file, and what could.
pub struct WhatFits {
    /// How much must go.
    pub excess: LoadExcess,
    /// The number of empty lines, which count, too.
    pub empty_lines: usize,
    /// True if removing empty lines is enough.
    pub fits_without_empty: bool,
    /// The fewest parts without which the rest fits, the costliest first; empty if there are none.
    pub without: Vec<RemovablePart>,
}

/// A part of a file that can be removed: a memory, or a line that leads to one.
pub struct RemovablePart {
    /// The id of the memory. Untrusted text.
    pub id: Option<String>,
    /// The title of the memory. Untrusted text.
    pub title: Option<String>,
    /// The first line, counted from 1.
    pub line: usize,
    /// Its size.
    pub size: LoadExcess,
    /// True if it is a line that leads to no file.
    pub leads_nowhere: bool,
}

/// Returns what must go of a file; `None` if all of it is loaded.
pub fn what_fits(store: &Store, file: &LoadedFile) -> Option<WhatFits> {
    if file.excess.is_none() {
        return None;
    }
    let document = store.document_at(&file.path)?;
    let counted = || file.loaded.iter().chain(&file.beyond);
    let is_empty = |own: &&Range<usize>| bytes_of(document, own).trim_ascii().is_empty();
    let empty: Vec<&Range<usize>> = counted().filter(is_empty).collect();
    let size =
        LoadExcess { lines: empty.len(), bytes: empty.iter().map(|own| own.len()).sum(), characters: 0 };
    let fits_without_empty = file.excess.less(size).is_none();
    let parts = if fits_without_empty { Vec::new() } else { parts(store, document, file) };
    let without = fewest(parts, file.excess);
    Some(WhatFits { excess: file.excess, empty_lines: empty.len(), fits_without_empty, without })
}

fn bytes_of<'a>(document: &'a Document, range: &Range<usize>) -> &'a [u8] {
    document.bytes.get(range.clone()).unwrap_or_default()
}

/// Returns what can be removed above the cut: memories in the file, and lines that lead to others.
fn parts(store: &Store, document: &Document, file: &LoadedFile) -> Vec<RemovablePart> {
    let mut firsts: HashMap<&Path, &Entry> = HashMap::new();
    for entry in &store.entries {
        firsts.entry(&store.document(entry).path).or_insert(entry);
    }
    let title = |entry: &Entry| format::title(store, entry);
    let id = |entry: &Entry| store.view(entry).and_then(|view| view.id).map(str::to_owned);
    let leads = file.leads.iter().map(|(range, path)| {
        let entry = firsts.get(path.as_path()).copied();
        let leads_nowhere = store.document_at(path).is_none();
        RemovablePart {
            id: entry.and_then(id),
            title: entry.map(title),
            leads_nowhere,
            ..part(document, file, range)
        }
    });
    let end = file.loaded.last().map_or(0, |own| own.end);
    let is_own = |entry: &&Entry| {
        store.document(entry).path == document.path && store.record(entry).span.range().start < end
    };
    let own = store.entries.iter().filter(is_own).map(|entry| RemovablePart {
        id: id(entry),
        title: Some(title(entry)),
        ..part(document, file, &store.record(entry).span.range())
    });
    leads.chain(own).collect()
}

fn part(document: &Document, file: &LoadedFile, range: &Range<usize>) -> RemovablePart {
    let lines = [&file.loaded, &file.beyond].map(|all| {
        let from = all.partition_point(|own| own.end <= range.start);
        let to = all.partition_point(|own| own.start < range.end);
        all.get(from..to).unwrap_or_default()
    });
    let text = bytes_of(document, range);
    let size = LoadExcess {
        lines: lines.iter().map(|own| own.len()).sum(),
        bytes: text.len(),
        characters: String::from_utf8_lossy(text).chars().count(),
    };
    let before = document.bytes.get(..range.start).unwrap_or_default();
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    RemovablePart { id: None, title: None, line, size, leads_nowhere: false }
}

/// Returns the fewest parts without which the rest fits: lines that lead nowhere, then the costliest; the last one
/// is the smallest that is enough. If it is enough alone, the others stay.
fn fewest(mut parts: Vec<RemovablePart>, excess: LoadExcess) -> Vec<RemovablePart> {
    parts.sort_by_key(|own| {
        (!own.leads_nowhere, std::cmp::Reverse((share(own.size, excess), own.size.bytes)))
    });
    let mut left = excess;
    let mut count = 0;
    while !left.is_none() {
        let Some(own) = parts.get(count) else { return Vec::new() };
        if left.less(own.size).is_none() {
            let rest = parts.iter().enumerate().skip(count);
            let enough = rest.filter(|(_, own)| left.less(own.size).is_none());
            let last = enough.min_by_key(|(_, own)| own.size.bytes).map_or(count, |(at, _)| at);
            parts.swap(count, last);
        }
        left = left.less(parts.get(count).map_or(excess, |own| own.size));
        count += 1;
    }
    parts.truncate(count);
    if parts.last().is_some_and(|own| excess.less(own.size).is_none()) {
        parts.drain(..count.saturating_sub(1));
    }
    parts
}

/// Returns how much of what must go a part is. Of several kinds each counts alike.
fn share(size: LoadExcess, excess: LoadExcess) -> u128 {
    let of = |size: usize, most: usize| (size.min(most) as u128 * 1_000_000) / most.max(1) as u128;
    of(size.lines, excess.lines) + of(size.bytes, excess.bytes) + of(size.characters, excess.characters)
}

impl WhatFits {
    /// Says what must go, and what could. Untrusted text.
    pub fn told(&self) -> Vec<String> {
        let mut told = vec![format!("All of it fits without {} of it.", self.amount())];
        if self.fits_without_empty {
            told.push(format!(
                "Its {} count: without them it fits, and nothing is lost.",
                count_with_noun(self.empty_lines as u64, "empty line")
            ));
        }
        if self.without.is_empty() {
            return told;
        }
        told.push(match self.without.len() {
            1 => "Without this the rest fits:".to_owned(),
            count => format!("Without these {count} the rest fits, the costliest first:"),
        });
        told.extend(self.without.iter().take(SHOWN).map(RemovablePart::told));
        if let [only] = self.without.as_slice()
            && only.size.lines > self.excess.lines
        {
            told.extend(self.lines_enough());
        }
        if let more @ 1.. = self.without.len().saturating_sub(SHOWN) {
            told.push(format!("and {more} more"));
        }
        told
    }

    /// Says that a part of a memory of many lines is enough, if only the number of lines counts.
    fn lines_enough(&self) -> Option<String> {
        let is_of_lines = self.excess.bytes == 0 && self.excess.characters == 0;
        is_of_lines.then(|| match self.excess.lines {
            1 => "One line of it is enough.".to_owned(),
            count => format!("{count} lines of it are enough."),
        })
    }

    fn amount(&self) -> String {
        let own = self.excess;
        let all = [(own.lines, "line"), (own.bytes, "byte"), (own.characters, "character")];
        let told = all.into_iter().filter(|(count, _)| *count > 0);
        told.map(|(count, what)| count_with_noun(count as u64, what)).collect::<Vec<_>>().join(" and ")
    }
}

impl RemovablePart {
    fn told(&self) -> String {
        let size = human_size(self.size.bytes as u64);
        let lines = match self.size.lines {
            0 | 1 => format!("line {}", self.line),
            count => format!("line {} and the {} after it", self.line, count - 1),
        };
        let what = match (&self.id, &self.title) {
            _ if self.leads_nowhere => "leads to no file".to_owned(),
            (Some(id), Some(title)) => format!("{id}: {title}"),
            (id, title) => id.clone().or(title.clone()).unwrap_or_default(),
        };
        format!("{lines}, {size}, {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(line: usize, lines: usize, bytes: usize) -> RemovablePart {
        let size = LoadExcess { lines, bytes, characters: bytes };
        RemovablePart { id: None, title: None, line, size, leads_nowhere: false }
    }

    fn chosen(parts: Vec<RemovablePart>, lines: usize, bytes: usize) -> Vec<usize> {
        let excess = LoadExcess { lines, bytes, characters: 0 };
        fewest(parts, excess).iter().map(|own| own.line).collect()
    }

    #[test]
    fn the_smallest_part_that_is_enough_goes_alone() {
        let all = || vec![part(1, 190, 9_000), part(2, 20, 900), part(3, 1, 100), part(4, 9, 800)];
        assert_eq!(chosen(all(), 6, 0), [4]);
        assert_eq!(chosen(all(), 15, 0), [2]);
        assert_eq!(chosen(all(), 195, 0), [1, 4]);
        assert_eq!(chosen(all(), 6, 850), [2]);
    }

    #[test]
    fn of_equal_lines_the_longest_go_and_lines_that_lead_nowhere_before_them() {
        let nowhere = RemovablePart { leads_nowhere: true, ..part(4, 1, 10) };
        let all = vec![part(1, 1, 50), part(2, 1, 90), part(3, 1, 70), nowhere];
        assert_eq!(chosen(all, 3, 0), [4, 2, 1]);
    }

    #[test]
    fn nothing_is_named_if_it_is_not_enough() {
        assert!(chosen(vec![part(1, 1, 10)], 2, 0).is_empty());
    }
}
