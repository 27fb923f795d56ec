//! Lines that start torn, taken apart: what is erased leaves them, and what is another's stays.

use std::path::Path;

use super::wanted::{Wanted, original};
use crate::format::reading::is_record;
use crate::model::{Document, Record, Span, Tell};
use crate::text::needle::Needles;
use crate::text::torn::whole_behind;

impl Wanted<'_> {
    /// The whole records on lines that start torn and were chosen as they are: they go with their
    /// line, each as `file:line` and its id.
    pub fn on_chosen(&self, own: &Document) -> Vec<String> {
        let mut found = Vec::new();
        let (role, path) = (self.role(&own.path), original(&own.path));
        for line in own.records.iter().filter(|own| own.view().is_none()) {
            let content = own.raw(line);
            if !self.digests.has(&content) {
                continue;
            }
            let is_record = |object: &[u8]| is_record(self.format, (role, &path), object, self.now);
            for whole in whole_behind(&content, &is_record).unwrap_or_default() {
                let read = self.format.read(role, &path, &content[whole.range], self.now).records;
                let id = read.first().and_then(|record| record.view()?.id);
                let id = id.map(|id| format!("  {id}")).unwrap_or_default();
                found.push(format!("{}:{}{id}", own.path.told(), line.line));
            }
        }
        found
    }

    /// What is on a line that starts torn: its torn stretches, and the whole records behind them.
    /// One that was chosen as it is stays as it is. Where a torn stretch is erased, what may be a part
    /// of it is no record: what is erased would be left in it.
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
        let whole = whole_behind(content, &is_record).filter(|_| !self.digests.has(content));
        let Some(whole) = whole.filter(|own| !own.is_empty()) else { return vec![line] };
        let span = |from: usize, to: usize| Span { start: (start + from) as u64, end: (start + to) as u64 };
        let (mut records, mut at) = (Vec::new(), 0);
        for own in whole {
            let before = &content[at..own.range.start];
            if !own.is_apart && self.takes(path, before, None, contents) {
                self.went_with_torn(format!("{}:{}", path.told(), line.line));
                continue;
            }
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
        if at < content.len() {
            records.push(Record { span: span(at, content.len()), ..line });
        }
        records
    }
}
