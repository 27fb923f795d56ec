//! A file whose sections are memories. What is before the first, and what OpenClaw promoted, are memories of their own.

use std::path::Path;

use super::facts::promotion_key;
use super::family::{Family, SectionRule};
use super::part_reader::{PartReader, Section, runs, says_something, sections, slug};
use super::{layout, topic_file};
use crate::format::record_reader::{Reading, byte_order_mark};
use crate::model::{Moment, PathText, StoredMemory};
use crate::text::front_matter::Note;

/// Reads the sections of a file. One without sections, or that is no text, is read as one memory.
pub fn read(family: &'static Family, rule: SectionRule, path: &Path, bytes: &[u8], now: Moment) -> Reading {
    let whole = || topic_file::read(family, path, bytes, now);
    let Ok(text) = std::str::from_utf8(bytes) else { return whole() };
    let mut all = sections(text, rule.level);
    if !all.iter().any(|own| own.level == rule.level) {
        return whole();
    }
    // Front matter belongs to the text above the first section.
    if let Some(first) = all.first_mut().filter(|_| Note::read(text).has_front_matter) {
        first.start = 0;
    }
    let mut found = SectionReader { family, rule, path, found: PartReader::of(text) };
    all.iter().for_each(|own| found.section(own));
    Reading { problems: byte_order_mark(path, bytes).into_iter().collect(), records: found.found.records }
}

struct SectionReader<'a> {
    family: &'a Family,
    rule: SectionRule,
    path: &'a Path,
    found: PartReader<'a>,
}

impl SectionReader<'_> {
    fn section(&mut self, own: &Section) {
        let text = &self.found.text[own.start..own.end];
        let is_one = own.level == self.rule.level;
        if text.lines().any(|line| promotion_key(line).is_some()) {
            self.promoted(own);
        } else if is_one || says_something(text, own.title.is_some()) {
            let kind = if is_one { self.rule.kind } else { "note" };
            self.take(self.id(own.title.as_deref()), kind, (own.start, own.end));
        }
    }

    /// Takes what OpenClaw promoted, each with the comment above it, and what else the section says.
    fn promoted(&mut self, own: &Section) {
        let text = &self.found.text[own.start..own.end];
        let is_pair = |line: &str| promotion_key(line).is_some();
        for run in runs(text, is_pair, |_, is_after_gap| !is_after_gap) {
            let part = &text[run.start..run.end];
            let is_start = run.start == 0 && own.title.is_some();
            let key = part.lines().next().and_then(promotion_key).map(str::to_owned);
            let place = (own.start + run.start, own.start + run.end);
            match key {
                Some(key) => self.take(key, "promoted", place),
                None if says_something(part, is_start) => {
                    let kind = if is_start { self.rule.kind } else { "note" };
                    self.take(self.id(own.title.as_deref()), kind, place);
                }
                None => {}
            }
        }
    }

    fn id(&self, title: Option<&str>) -> String {
        match self.rule.has_short_ids && title.is_some() {
            true => slug(title),
            false => format!("{}#{}", layout::id_of(self.family, self.path), slug(title)),
        }
    }

    fn take(&mut self, id: String, kind: &'static str, (start, end): (usize, usize)) {
        let facts = (self.family.facts)(self.path, &self.found.text[start..end]);
        let folder = self.path.parent().filter(|own| !own.as_os_str().is_empty());
        let memory = StoredMemory {
            kind: kind.into(),
            created: facts.created,
            tags: facts.tags.into_iter().map(Into::into).collect(),
            topic: folder.map(|own| own.to_text().into_owned().into()),
            ..StoredMemory::default()
        };
        self.found.take(id, memory, (start, end));
    }
}
