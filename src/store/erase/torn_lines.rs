//! Splits lines that start torn: erased parts leave the line, other records stay.

use std::path::Path;

use super::matcher::ErasureMatcher;
use crate::format::record_reader::is_record;
use crate::model::{Document, PathText, Record, Span};
use crate::store::erase::original_path::original;
use crate::text::needle::Needles;
use crate::text::torn_line::objects_after_torn;

impl ErasureMatcher<'_> {
    /// Returns records that may be parts of a chosen torn record and go with it: `file:line` and id.
    pub fn on_chosen(&self, own: &Document) -> Vec<String> {
        let mut found = Vec::new();
        let (role, path) = (self.role(&own.path), original(&own.path));
        for (number, torn) in own.records.iter().enumerate().filter(|(_, own)| own.memory().is_none()) {
            if !self.digests.has(&own.raw(torn)) {
                continue;
            }
            let content = own.bytes_of(line_from(own, number));
            let is_record = |object: &[u8]| is_record(self.format, (role, &path), object, self.now);
            let whole = objects_after_torn(&content, &is_record).unwrap_or_default();
            for whole in whole.into_iter().take_while(|own| !own.is_apart) {
                let read = self.format.read(role, &path, &content[whole.range], self.now).records;
                let id = read.first().and_then(|record| record.id());
                let id = id.map(|id| format!("  {id}")).unwrap_or_default();
                found.push(format!("{}:{}{id}", own.path.to_text(), torn.line));
            }
        }
        found
    }

    /// Remembers an erased torn part, together with what may belong to it.
    fn goes_with_torn(&self, bytes: &[u8], goes_on: bool) {
        if goes_on {
            self.remember(&bytes.into());
        }
    }

    /// Splits a line that starts torn into torn stretches and the complete records after them. A
    /// line that was itself chosen stays in one piece. After an erased torn stretch, what may be a
    /// part of it is no record: otherwise erased text would stay in it.
    pub(super) fn apart(
        &self,
        path: &Path,
        bytes: &[u8],
        line: Record,
        contents: Option<&Needles>,
    ) -> Vec<Record> {
        let (role, own_path) = (self.role(path), original(path));
        let start = line.span.start as usize;
        let content = bytes.get(start..line.span.end as usize).unwrap_or_default();
        let is_record = |object: &[u8]| is_record(self.format, (role, &own_path), object, self.now);
        let whole = objects_after_torn(content, &is_record).filter(|_| !self.digests.has(content));
        let Some(whole) = whole.filter(|own| !own.is_empty()) else { return vec![line] };
        let span = |from: usize, to: usize| Span { start: (start + from) as u64, end: (start + to) as u64 };
        let (mut records, mut at, mut goes_on) = (Vec::new(), 0, false);
        for own in whole {
            let before = &content[at..own.range.start];
            if !own.is_apart && (goes_on || self.is_erased(path, before, None, contents)) {
                self.with_torn.borrow_mut().insert(format!("{}:{}", path.to_text(), line.line));
                goes_on = true;
                continue;
            }
            self.goes_with_torn(before, std::mem::take(&mut goes_on));
            if !before.is_empty() {
                records.push(Record { span: span(at, own.range.start), ..line.clone() });
            }
            let read = self.format.read(role, &own_path, &content[own.range.clone()], self.now).records;
            records.extend(read.into_iter().map(|record| Record {
                span: span(
                    own.range.start + record.span.start as usize,
                    own.range.start + record.span.end as usize,
                ),
                line: line.line,
                ..record
            }));
            at = own.range.end;
        }
        self.goes_with_torn(&content[at..], goes_on);
        if at < content.len() {
            records.push(Record { span: span(at, content.len()), ..line });
        }
        records
    }
}

fn line_from(document: &Document, number: usize) -> Span {
    let mut on_line = document.records[number..].iter();
    let Some(first) = on_line.next() else { return Span { start: 0, end: 0 } };
    let last = on_line.take_while(|own| own.line == first.line && first.lines == 1).last();
    Span { start: first.span.start, end: last.map_or(first.span.end, |own| own.span.end) }
}

/// Merges a torn record with the rest of its line.
pub(super) fn as_damaged_lines(records: Vec<Record>) -> Vec<Record> {
    let mut lines: Vec<Record> = Vec::with_capacity(records.len());
    for own in records {
        match lines.last_mut() {
            Some(torn) if torn.memory().is_none() && torn.lines == 1 && torn.line == own.line => {
                torn.span.end = own.span.end;
            }
            _ => lines.push(own),
        }
    }
    lines
}
