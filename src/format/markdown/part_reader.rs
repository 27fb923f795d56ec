//! The parts of a file that are memories, as they are read one after the other.

use std::collections::HashMap;

use crate::format::notes::sections::headings;
use crate::format::record_reader;
use crate::model::{Record, RecordBody, Span, StoredMemory};
use crate::text::front_matter::Note;
use crate::text::lines;
use crate::text::merge_conflict::is_marker;

/// A part of a file from a heading to the next one, or before the first.
pub struct Section {
    /// The text of its heading, if it has one.
    pub title: Option<String>,
    /// The level of its heading; 0 without one.
    pub level: usize,
    pub start: usize,
    pub end: usize,
}

/// Returns the sections of a text below its front matter, by headings up to a level. The first has no heading, and
/// may be empty.
pub fn sections(text: &str, level: usize) -> Vec<Section> {
    let body = Note::read(text).body;
    let title = |own: &str| own.trim_start_matches('#').trim().to_owned();
    let mut all = vec![Section { title: None, level: 0, start: body.start, end: text.len() }];
    for own in headings(&text[body.clone()]).filter(|own| own.level <= level) {
        let start = body.start + own.start;
        all.iter_mut().rev().take(1).for_each(|last| last.end = start);
        let heading = text.get(start..body.start + own.end).map(title);
        all.push(Section { title: heading, level: own.level, start, end: text.len() });
    }
    all
}

/// Lines that belong together: an item with what goes on below it, or other text.
pub struct LineRun {
    pub start: usize,
    /// The byte after it. Empty lines at its end do not count.
    pub end: usize,
    pub is_item: bool,
}

/// Returns the items of a text, and what is between them. `goes_on` says whether a line belongs to the item above it;
/// its second argument is true after an empty line.
pub fn runs(
    text: &str,
    is_item: impl Fn(&str) -> bool,
    goes_on: impl Fn(&str, bool) -> bool,
) -> Vec<LineRun> {
    let mut all: Vec<LineRun> = Vec::new();
    let mut is_after_gap = false;
    for line in lines::lines(text.as_bytes()) {
        let own = text.get(line.start..line.end).unwrap_or_default();
        if own.trim().is_empty() {
            is_after_gap = true;
            continue;
        }
        let starts = is_item(own);
        match all.last_mut() {
            Some(last) if !starts && (!last.is_item || goes_on(own, is_after_gap)) => last.end = line.next,
            _ => all.push(LineRun { start: line.start, end: line.next, is_item: starts }),
        }
        is_after_gap = false;
    }
    all
}

/// True if a section says more than its heading, and more than what a merge left.
pub fn says_something(text: &str, has_heading: bool) -> bool {
    text.lines().skip(usize::from(has_heading)).any(|line| !line.trim().is_empty() && !is_marker(line))
}

/// Collects the memories of a file, from its start to its end.
pub struct PartReader<'a> {
    pub text: &'a str,
    /// How often an id was given.
    ids: HashMap<String, usize>,
    /// The place up to which lines are counted, and the number of the line there.
    counted: (usize, u32),
    pub records: Vec<Record>,
}

impl<'a> PartReader<'a> {
    pub fn of(text: &'a str) -> PartReader<'a> {
        PartReader { text, ids: HashMap::new(), counted: (0, 1), records: Vec::new() }
    }

    /// Takes a part with this id, or the id with a number if an earlier part has it. Its start is not before that of
    /// the part before it.
    pub fn take(&mut self, id: String, memory: StoredMemory, (start, end): (usize, usize)) {
        let count = self.ids.entry(id.clone()).or_default();
        *count += 1;
        let id = if *count > 1 { format!("{id}-{count}") } else { id };
        let memory = StoredMemory { id: Some(id.into()), importance: 0.5, ..memory };
        let between = self.text.get(self.counted.0..start).unwrap_or_default();
        self.counted = (start, self.counted.1 + record_reader::feeds(between.as_bytes()));
        let own = &self.text.as_bytes()[start..end];
        let lines = record_reader::feeds(own) + u32::from(!own.ends_with(b"\n"));
        self.records.push(Record {
            span: Span { start: start as u64, end: end as u64 },
            line: self.counted.1,
            lines,
            body: RecordBody::Read(memory.into()),
        });
    }
}

/// Returns a heading as a part of an id: lower-case letters, digits, `_` and `-`, spaces as `-`, all else dropped.
/// `note` if nothing is left of it.
pub fn slug(title: Option<&str>) -> String {
    let one = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    let own: String = title.unwrap_or_default().chars().filter_map(one).collect();
    if own.is_empty() { "note".to_owned() } else { own.to_lowercase() }
}
