//! How much of a file a program loads, and what a model gets of a folder when an agent starts.
//!
//! Of an index, Claude Code loads 200 lines or 25,000 bytes, whichever comes first. Front matter and HTML comments do
//! not count, and the cut is at the end of a line. Qwen Code counts them, and characters. Other programs keep the start
//! and the end of a file.

use std::collections::HashSet;
use std::iter::once;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry_file::{DELIMITER, entries};
use super::family::{Family, FamilyLoad, Grammar};
use super::index_file;
use super::load_rule::{LoadCut, LoadRule};
use super::references::TextLink;
use crate::format::notes::note_file::stem;
use crate::format::record_reader;
use crate::model::time::DAY;
use crate::model::{Document, LoadExcess, LoadSettings, LoadedExtent, LoadedFile, Moment, Role};
use crate::text::front_matter::Note;
use crate::text::lines::lines;

/// From this number of lines on the limit is near.
const MANY_LINES: usize = 180;
/// From this number of bytes or characters on the limit of an index is near.
const MANY: usize = 20_000;

/// What counts of a file, and what of it is not loaded.
pub struct LoadedPart {
    pub rule: &'static LoadRule,
    /// The bytes or characters that count, and the most of them.
    pub size: usize,
    pub most: usize,
    /// The lines that count, with their ends.
    pub lines: Vec<Range<usize>>,
    /// The place in the file that is not loaded; `None` if all is loaded.
    pub gap: Option<Range<usize>>,
}

impl LoadedPart {
    /// Measures a file; `None` if a setting turns it off.
    pub fn of(
        rule: &'static LoadRule,
        grammar: Grammar,
        settings: &LoadSettings,
        text: &str,
    ) -> Option<LoadedPart> {
        if settings.number(rule.switch) == Some(0) {
            return None;
        }
        let mut part =
            LoadedPart { rule, size: 0, most: rule.most_with(settings), lines: Vec::new(), gap: None };
        match rule.cut {
            LoadCut::Lines { most, with_front_matter } => part.count_lines(text, most, with_front_matter),
            _ => part.count_characters(text, grammar),
        }
        Some(part)
    }

    fn count_lines(&mut self, text: &str, most: usize, with_front_matter: bool) {
        let body = if with_front_matter { 0 } else { Note::read(text).body.start };
        let mut in_comment = false;
        // A comment without an end is text.
        let last_end = text.rfind("-->").filter(|_| !with_front_matter);
        for line in lines(text.as_bytes()) {
            let all = text.get(line.start..line.next).unwrap_or_default();
            let last_end = last_end.and_then(|end| end.checked_sub(line.start));
            let (counted, had_comment) = without_comments(all, last_end, &mut in_comment);
            if line.next <= body || had_comment && counted.trim().is_empty() {
                continue;
            }
            self.lines.push(line.start..line.next);
            self.size += self.rule.len(&counted);
            if self.gap.is_none() && (self.lines.len() > most || self.size > self.most) {
                self.gap = Some(line.start..text.len());
            }
        }
    }

    fn count_characters(&mut self, text: &str, grammar: Grammar) {
        self.lines = lines(text.as_bytes()).map(|line| line.start..line.next).collect();
        let (rule, (parts, between)) = (self.rule, parts(grammar, text));
        let sizes = parts.iter().flat_map(|part| {
            let characters = text[part.clone()].char_indices();
            let sizes = characters.map(move |(at, c)| (part.start + at, rule.size(c)));
            sizes.chain(once((part.end, between)))
        });
        self.size = sizes.clone().map(|(_, size)| size).sum::<usize>().saturating_sub(between);
        let place = |wanted: usize| {
            let mut counted = 0;
            let is_beyond = |(_, size): &(usize, usize)| {
                counted += size;
                counted > wanted
            };
            sizes.clone().find(is_beyond).map_or(text.len(), |(at, _)| at)
        };
        if let LoadCut::Ends { times, least, start, end } = rule.cut {
            let most = self.most.saturating_mul(times).max(least);
            let share = |per_cent: usize| (most as u128 * per_cent as u128 / 100) as usize;
            let gap = (self.size > most).then(|| place(share(start))..place(self.size - share(end)));
            self.gap = gap.filter(|gap| !gap.is_empty());
        }
    }

    /// Returns what must go so that all of it is loaded.
    pub fn excess(&self) -> LoadExcess {
        let lines = match self.rule.cut {
            LoadCut::Lines { most, .. } => self.lines.len().saturating_sub(most),
            _ => 0,
        };
        let more = self.size.saturating_sub(self.most);
        let (bytes, characters) = if self.rule.has_bytes() { (more, 0) } else { (0, more) };
        LoadExcess { lines, bytes, characters }
    }

    pub fn extent(&self, text: &str) -> LoadedExtent {
        match (self.gap_lines(text), self.rule.cut) {
            (Some((cut, _)), LoadCut::Lines { .. }) => LoadedExtent::UpTo(cut),
            (Some((first, last)), _) => LoadedExtent::Ends(first, last),
            (None, LoadCut::Unknown) if self.size > self.most => LoadedExtent::Unknown,
            (None, _) => LoadedExtent::Whole,
        }
    }

    /// True if hardly more fits.
    pub fn is_near(&self) -> bool {
        match self.rule.cut {
            LoadCut::Lines { .. } => self.lines.len() >= MANY_LINES || self.size >= MANY,
            _ => self.size.saturating_mul(10) > self.most.saturating_mul(9),
        }
    }

    /// Returns the first and the last line of what is not loaded, counted from 1.
    pub fn gap_lines(&self, text: &str) -> Option<(u32, u32)> {
        let gap = self.gap.as_ref()?;
        let line = |end: usize| 1 + record_reader::feeds(&text.as_bytes()[..end]);
        Some((line(gap.start), line(gap.end - 1)))
    }
}

/// Returns the places of what a program joins to one text, and the size of what it puts between them. Hermes loads equal
/// memories once.
fn parts(grammar: Grammar, text: &str) -> (Vec<Range<usize>>, usize) {
    let mut known = HashSet::new();
    let is_first = |entry: &Range<usize>| known.insert(&text[entry.clone()]);
    match grammar {
        Grammar::Entries => (entries(text).into_iter().filter(is_first).collect(), DELIMITER.chars().count()),
        _ => (once(0..text.trim_end().len()).collect(), 0),
    }
}

/// Returns a line without its comments, and whether it had any. A comment may go on over lines, up to the last end.
fn without_comments(line: &str, last_end: Option<usize>, in_comment: &mut bool) -> (String, bool) {
    let has_end = |after: &str| last_end.is_some_and(|end| end >= line.len() - after.len());
    let (mut out, mut rest, mut had) = (String::new(), line, *in_comment);
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("-->") else { return (out, had) };
            (*in_comment, rest) = (false, after);
        }
        let Some((before, after)) = rest.split_once("<!--").filter(|(_, after)| has_end(after)) else {
            out.push_str(rest);
            return (out, had);
        };
        out.push_str(before);
        (*in_comment, had, rest) = (true, true, after);
    }
}

/// Returns what is loaded of each file: the index first, then the others by their paths.
pub fn loaded(
    family: &Family,
    documents: &[Arc<Document>],
    settings: &LoadSettings,
    now: Moment,
) -> Vec<LoadedFile> {
    let files = documents.iter().filter(|document| document.role == Role::Records);
    let of_file = |document: &Arc<Document>| match family.load_rule(&document.path, settings) {
        Some(rule) => by_rule(family.grammar_of(&document.path), rule, settings, document),
        None => without_rule(family, document, now),
    };
    let mut all: Vec<LoadedFile> = files.map(of_file).collect();
    all.sort_by_key(|file| family.grammar_of(&file.path) != Grammar::Index);
    all
}

fn of_extent(document: &Document, extent: LoadedExtent) -> LoadedFile {
    LoadedFile { path: document.path.clone(), extent, ..LoadedFile::default() }
}

fn without_rule(family: &Family, own: &Document, now: Moment) -> LoadedFile {
    match family.loads {
        FamilyLoad::Whole => {
            let loaded = lines(&own.bytes).map(|line| line.start..line.next).collect();
            LoadedFile { loaded, ..of_extent(own, LoadedExtent::Whole) }
        }
        FamilyLoad::Names => of_extent(own, LoadedExtent::Name),
        FamilyLoad::Unknown => of_extent(own, LoadedExtent::Unknown),
        // OpenClaw loads a part of today's and yesterday's notes at the start of some sessions.
        FamilyLoad::Rules
            if matches!(family.grammar_of(&own.path), Grammar::Sections(_)) && is_new(&own.path, now) =>
        {
            of_extent(own, LoadedExtent::Unknown)
        }
        FamilyLoad::Rules | FamilyLoad::Nothing => of_extent(own, LoadedExtent::Nothing),
    }
}

/// True for a note of today or yesterday. The time zone of the program is unknown.
fn is_new(path: &Path, now: Moment) -> bool {
    let name = stem(path);
    (-1..=1).any(|days| name.starts_with(&Moment(now.0 - days * DAY).to_pattern("%Y-%m-%d")))
}

fn by_rule(
    grammar: Grammar,
    rule: &'static LoadRule,
    settings: &LoadSettings,
    document: &Document,
) -> LoadedFile {
    let text = String::from_utf8_lossy(&document.bytes);
    let Some(part) = LoadedPart::of(rule, grammar, settings, &text) else {
        return of_extent(document, LoadedExtent::Nothing);
    };
    let gap = part.gap.clone().unwrap_or(text.len()..text.len());
    let clip = |from: usize, to: usize| {
        let clipped = part.lines.iter().map(move |line| line.start.max(from)..line.end.min(to));
        clipped.filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    let loaded = [clip(0, gap.start), clip(gap.end, text.len())].concat();
    LoadedFile {
        leads: if grammar == Grammar::Index { leads(&text, &part.lines) } else { Vec::new() },
        loaded,
        beyond: clip(gap.start, gap.end),
        limit: Some(rule.limit(part.most)),
        limit_source: Some(rule.limit_source(settings)),
        excess: part.excess(),
        ..of_extent(document, part.extent(&text))
    }
}

/// Returns those of the lines that lead to files, with the first file of each.
fn leads(text: &str, lines: &[Range<usize>]) -> Vec<(Range<usize>, PathBuf)> {
    let links: Vec<_> = index_file::lines(text).collect();
    let lead = |line: &[TextLink<'_>]| {
        let link = line.first()?;
        let at = lines.binary_search_by_key(&link.span.range().start, |line| line.start).ok()?;
        Some((lines[at].clone(), link.path(Path::new(""))?))
    };
    links.chunk_by(|one, other| one.line == other.line).filter_map(lead).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::markdown::load_rule::rules_of;

    fn part_by(rule: &'static LoadRule, text: &str) -> LoadedPart {
        LoadedPart::of(rule, Grammar::Index, &LoadSettings::NONE, text).unwrap()
    }

    fn cut(text: &str) -> Option<u32> {
        part_by(&rules_of("markdown/claude")[1], text).gap_lines(text).map(|(first, _)| first)
    }

    #[test]
    fn two_hundred_lines_are_loaded_and_no_more() {
        for end in ["\n", "\r\n"] {
            let lines = |count: usize| format!("- a{end}").repeat(count);
            assert_eq!((cut(&lines(199)), cut(&lines(200)), cut(&lines(201))), (None, None, Some(201)));
            assert_eq!(cut(lines(200).trim_end()), None);
            let part = part_by(&rules_of("markdown/claude")[1], &lines(180));
            assert_eq!((part.lines.len(), part.size, part.is_near()), (180, 180 * (3 + end.len()), true));
            assert_eq!(part_by(&rules_of("markdown/claude")[1], &lines(205)).excess().lines, 5);
        }
    }

    #[test]
    fn twenty_five_thousand_bytes_are_loaded_and_the_line_that_goes_beyond_is_not() {
        let text = |bytes: usize| {
            format!(
                "{}\n{}\n",
                "x".repeat(9_999),
                "é".repeat((bytes - 10_001) / 2) + &"y".repeat((bytes - 10_001) % 2)
            )
        };
        for (bytes, expected) in [(24_999, None), (25_000, None), (25_001, Some(2))] {
            assert_eq!((text(bytes).len(), cut(&text(bytes))), (bytes, expected));
        }
    }

    #[test]
    fn front_matter_and_comments_do_not_count() {
        let all = "- a\n".repeat(200);
        assert_eq!(cut(&format!("---\na: b\n---\n{all}")), None);
        assert_eq!(cut(&format!("<!-- one\ntwo\nthree -->\n{all}")), None);
        assert_eq!(cut(&format!("<!-- one -->x\n{all}")), Some(201));
        assert_eq!(cut(&format!("<!-- one --> <!-- two\n{all}")), Some(201));
        assert_eq!(cut(&format!("---\na: b\n---\n{all}- b")), Some(204));
    }

    #[test]
    fn qwen_code_counts_front_matter_and_characters() {
        let [qwen, _] = rules_of("markdown/claude") else { panic!() };
        let cut = |text: &str| part_by(qwen, text).gap_lines(text).map(|(first, _)| first);
        assert_eq!(cut(&format!("---\na: b\n---\n{}", "- a\n".repeat(198))), Some(201));
        assert_eq!((cut(&"é".repeat(25_000)), cut(&"é".repeat(25_001))), (None, Some(1)));
    }
}
