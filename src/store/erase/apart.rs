//! Lines that start torn, taken apart: what is erased leaves them, and what is another's stays.

use std::path::Path;

use super::wanted::Wanted;
use crate::format::reading::is_record;
use crate::model::{Record, Role, Span};
use crate::text::torn::whole_behind;

impl Wanted<'_> {
    /// What stands on a line that starts torn: its torn stretches, and the whole records behind them.
    /// One that was chosen as it is stays as it is.
    pub(super) fn apart(&self, (role, path): (Role, &Path), bytes: &[u8], line: Record) -> Vec<Record> {
        let start = line.span.start as usize;
        let content = bytes.get(start..line.span.end as usize).unwrap_or_default();
        let is_record = |object: &[u8]| is_record(self.format, (role, path), object, self.now);
        let whole = whole_behind(content, &is_record).filter(|_| !self.digests.tell(content));
        let Some(whole) = whole.filter(|own| !own.is_empty()) else { return vec![line] };
        let span = |from: usize, to: usize| Span { start: (start + from) as u64, end: (start + to) as u64 };
        let (mut records, mut at) = (Vec::new(), 0);
        for own in whole.into_iter().chain(std::iter::once(content.len()..content.len())) {
            if own.start > at {
                records.push(Record { span: span(at, own.start), ..line.clone() });
            }
            let read = self.format.read(role, path, &content[own.clone()], self.now).records;
            records.extend(read.into_iter().map(|record| Record {
                span: span(own.start + record.span.start as usize, own.start + record.span.end as usize),
                line: line.line,
                ..record
            }));
            at = own.end;
        }
        records
    }
}
