//! Lines that several records share. Line ends separate a repaired record from the others.

use std::ops::Range;

use super::fix::{FixAction, ProblemFix};
use crate::model::bytes::LineBounds;
use crate::model::{Document, Record};

pub(super) struct SameLine {
    before: bool,
    behind: bool,
}

pub(super) fn same_line(document: &Document, record: &Record) -> SameLine {
    let own = record.span.range();
    let (start, end) = (document.bytes.line_start(own.start), document.bytes.line_end(own.end));
    let at = document.records.partition_point(|other| other.span.start < record.span.start);
    let before = at.checked_sub(1).and_then(|at| document.records.get(at));
    let behind = document.records.get(at + 1);
    SameLine {
        before: before.is_some_and(|other| other.span.range().end > start),
        behind: behind.is_some_and(|other| other.span.range().start < end),
    }
}

impl SameLine {
    pub(super) fn is_shared(&self) -> bool {
        self.before || self.behind
    }

    /// Changes a fix so that the new record gets a line of its own.
    pub(super) fn parted(&self, document: &Document, record: &Record, mut fix: ProblemFix) -> ProblemFix {
        let FixAction::Edits(_, edits, _) = &mut fix.act else { return fix };
        let line_end = document.bytes.line_end(record.span.range().end);
        let is_crlf = document.bytes[line_end.saturating_sub(2)..line_end] == *b"\r\n";
        let end: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
        let at = record.span.range();
        // The edit may take spaces around the record as well.
        let is_of_record = |own: &Range<usize>| own.start < at.end && own.end > at.start;
        for (_, with) in edits.iter_mut().filter(|(own, with)| is_of_record(own) && !with.is_empty()) {
            if self.before {
                with.splice(0..0, end.iter().copied());
            }
            if self.behind && !with.ends_with(b"\n") {
                with.extend_from_slice(end);
            }
        }
        fix
    }
}
