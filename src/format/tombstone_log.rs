//! Reads a log of tombstones. A torn one still deletes its memory if its id is complete, as its
//! writer intended: a deleted memory that comes back is worse than a line that stays broken.

use std::ops::Range;
use std::path::Path;

use super::field_reader::FieldReader;
use super::record_reader::{Reading, RecordPosition, line_fault, push_piece, read_pieces};
use crate::model::{Code, Moment, Severity, Span, StoredMemory};
use crate::text::json_lines::RecordPiece;
use crate::text::json_salvage::complete_object;
use crate::text::json_scanner::Tape;
use crate::text::torn_line::{self, objects_after_torn};

/// Makes a tombstone of an object, and adds its faults.
type TombstoneReader = dyn Fn(&mut FieldReader<'_>) -> StoredMemory;

pub fn read(path: &Path, bytes: &[u8], now: Moment, memory: &TombstoneReader) -> Reading {
    read_pieces(path, bytes, &mut |rows, piece| match piece.object {
        Some(_) => push_piece(rows, path, bytes, piece, now, &|fields, _| memory(fields)),
        None => BrokenTombstones { path, bytes, now, memory }.take(rows, &piece),
    })
}

/// A part of the log that can't be read as one tombstone.
struct BrokenTombstones<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    now: Moment,
    memory: &'a TombstoneReader,
}

impl BrokenTombstones<'_> {
    /// Adds the tombstones in this part, intact or torn. A missing line end puts several on one line.
    fn take(&self, rows: &mut Reading, piece: &RecordPiece<'_>) {
        let content = &self.bytes[piece.start..piece.end];
        let parts = parts(content);
        let is_one = parts.len() == 1;
        for (own, is_whole) in parts {
            let span = Span { start: (piece.start + own.start) as u64, end: (piece.start + own.end) as u64 };
            let place = RecordPosition { span, line: piece.line, lines: piece.lines };
            let raw = &content[own];
            if is_whole {
                self.whole(rows, place, raw);
                continue;
            }
            // A tombstone with another one inside is torn, even if the line has another fault.
            self.torn(rows, place, raw, if is_one { piece.faults } else { &[Code::TornLine] });
        }
    }

    fn whole(&self, rows: &mut Reading, place: RecordPosition, raw: &[u8]) {
        let mut tape = Tape::default();
        let Ok(object) = super::record_reader::whole_object(&mut tape, raw) else {
            return rows.broken(self.path, place, vec![line_fault(Code::TornLine, false)]);
        };
        let mut fields = FieldReader::new(object, self.now);
        let seen = (self.memory)(&mut fields);
        let glued = (
            Code::GluedRecords,
            Severity::Warning,
            "This tombstone is on the same line as the one before it.".to_owned(),
        );
        let faults = std::iter::once(glued).chain(fields.into_faults()).collect();
        rows.push(self.path, place, seen, faults);
    }

    fn torn(&self, rows: &mut Reading, place: RecordPosition, raw: &[u8], codes: &[Code]) {
        let id = legible_id(raw);
        let means = match id {
            Some(_) => "The memory that it names stays deleted.",
            None => "It deletes a memory whose id can't be read.",
        };
        let of_tombstone = |code: &Code| {
            let (code, severity, message) = line_fault(*code, false);
            (code, severity, format!("{} {means}", message.replace("a memory", "a tombstone")))
        };
        let faults = codes.iter().map(of_tombstone).collect();
        let Some(id) = id else { return rows.broken(self.path, place, faults) };
        rows.torn(self.path, place, id, faults);
    }
}

/// Returns the ranges of the tombstones in this part, and whether each is complete.
fn parts(content: &[u8]) -> Vec<(Range<usize>, bool)> {
    let is_one = |object: &[u8]| torn_line::first_name(object).is_some() && legible_id(object).is_some();
    let whole = objects_after_torn(content, &is_one).unwrap_or_default();
    let mut parts: Vec<(Range<usize>, bool)> = Vec::new();
    let mut at = 0;
    for own in whole.into_iter().map(|own| own.range).chain(std::iter::once(content.len()..content.len())) {
        let starts = torn_line::starts(&content[at..own.start]).into_iter().map(|start| at + start);
        let bounds: Vec<usize> = std::iter::once(at).chain(starts.filter(|own| *own > at)).collect();
        let ends = bounds.iter().skip(1).copied().chain(std::iter::once(own.start));
        let torn = bounds.iter().zip(ends).map(|(start, end)| (*start..end, false));
        parts.extend(torn.filter(|(range, _)| !range.is_empty()));
        if !own.is_empty() {
            parts.push((own.clone(), true));
        }
        at = own.end;
    }
    parts
}

/// Returns the id of a tombstone, which may be torn, if the whole id is readable.
pub fn legible_id(raw: &[u8]) -> Option<Box<str>> {
    let content = raw.get(memchr::memchr(b'{', raw)?..)?;
    let own = complete_object(content)?;
    let id = crate::text::json_edit::text_at(&own.bytes(content), &["id"])?;
    let kept = content.get(..own.kept)?;
    let is_cut = own.is_cut_text && kept.ends_with(id.as_bytes());
    (!id.is_empty() && !is_cut).then(|| id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_torn_tombstone_is_legible_where_all_of_it_is_there() {
        for (raw, id) in [
            (r#"{"id":"mem_1","timestamp":"2026-0"#, Some("mem_1")),
            (r#"{"id":"mem_1""#, Some("mem_1")),
            (r#"{"timestamp":"2026-01-10T00:00:00Z","id":"mem_1","rea"#, Some("mem_1")),
            ("\0{\"id\":\"mem_1\",\"reason\":\"\0\0", Some("mem_1")),
            (r#"{"id":"mem_1"#, None),
            (r#"{"id":"#, None),
            (r#"{"id":7,"reason":"x"#, None),
            ("", None),
        ] {
            assert_eq!(legible_id(raw.as_bytes()).as_deref(), id, "{raw}");
        }
    }

    #[test]
    fn what_was_appended_to_a_torn_tombstone_is_one_of_its_own_whole_or_torn() {
        let line = r#"{"id":"a","times{"id":"b","timestamp":"x","reason":"y"}{"id":"c","tim"#;
        let own: Vec<(&str, bool)> =
            parts(line.as_bytes()).into_iter().map(|(own, is)| (&line[own], is)).collect();
        assert_eq!(
            own,
            [
                (r#"{"id":"a","times"#, false),
                (r#"{"id":"b","timestamp":"x","reason":"y"}"#, true),
                (r#"{"id":"c","tim"#, false)
            ]
        );
        let torn = r#"{"id":"a","times{"id":"b","ti"#;
        assert_eq!(parts(torn.as_bytes()).len(), 2);
    }
}
