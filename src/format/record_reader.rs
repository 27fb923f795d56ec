//! A file of records, read: shared by every format that keeps JSON Lines.

use std::path::Path;

use super::Format;
use super::field_reader::{Fault, FieldReader, tag_faults};
pub use super::json_document::{edit_object, whole_object, whole_value, with_object, without_mark};
use super::record_form::RecordForm;
use crate::model::{
    Code, Moment, ParsedRecord, Problem, Record, RecordBody, Role, Severity, Span, ViewPacker,
};
use crate::text::json::{Json, JsonKind};
use crate::text::json_lines::{self, RecordPiece};
use crate::text::json_scanner::Tape;
use crate::text::lines;

/// What reading one file gave.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its records, in file order.
    pub records: Vec<Record>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A reading under way: the views of its records are packed together at its end.
#[derive(Default)]
pub struct ReadingBuilder {
    packer: ViewPacker,
    /// Each record without its view, and where that is among the packed ones.
    own: Vec<(Record, Option<u32>)>,
    /// The places of the torn records.
    torn: Vec<usize>,
    problems: Vec<Problem>,
}

impl ReadingBuilder {
    /// Adds a record that is at `span` and was read.
    pub fn push(&mut self, path: &Path, place: RecordPosition, parsed: &ParsedRecord, faults: Vec<Fault>) {
        self.faults(path, place.line, parsed.id.as_deref(), faults);
        self.faults(path, place.line, parsed.id.as_deref(), tag_faults(&parsed.tags).collect());
        let view = self.packer.add(parsed);
        self.own.push((place.record(RecordBody::Broken), Some(view)));
    }

    /// Adds a torn record whose id could be read.
    pub fn torn(&mut self, path: &Path, place: RecordPosition, parsed: &ParsedRecord, faults: Vec<Fault>) {
        self.torn.push(self.own.len());
        self.push(path, place, parsed, faults);
    }

    /// Adds a record that can't be read.
    pub fn broken(&mut self, path: &Path, place: RecordPosition, faults: Vec<Fault>) {
        self.faults(path, place.line, None, faults);
        self.own.push((place.record(RecordBody::Broken), None));
    }

    fn faults(&mut self, path: &Path, line: u32, id: Option<&str>, faults: Vec<Fault>) {
        let index = self.own.len() as u32;
        for (code, severity, message) in faults {
            let problem = Problem::of_file(code, severity, path, message);
            self.problems.push(problem.at_line(line).of_record(index, id));
        }
    }

    /// What was read.
    pub fn finish(self) -> Reading {
        let view = self.packer.views();
        let with_view = |(record, own): (Record, Option<u32>)| match own {
            Some(at) => Record { body: RecordBody::Read(view(at)), ..record },
            None => record,
        };
        let mut records: Vec<Record> = self.own.into_iter().map(with_view).collect();
        for at in self.torn {
            if let Some(RecordBody::Read(packed)) = records.get_mut(at).map(|own| &mut own.body) {
                *packed = packed.clone().torn();
            }
        }
        Reading { records, problems: self.problems }
    }
}

/// Where a record is.
#[derive(Clone, Copy)]
pub struct RecordPosition {
    /// Its bytes.
    pub span: Span,
    /// The line that it starts on, from 1.
    pub line: u32,
    /// How many lines it covers.
    pub lines: u32,
}

impl RecordPosition {
    /// The record that is there.
    pub fn record(self, body: RecordBody) -> Record {
        Record { span: self.span, line: self.line, lines: self.lines, body }
    }
}

/// Whether an object is what a format asks of a record of such a file.
pub fn is_record(format: &dyn Format, (role, path): (Role, &Path), object: &[u8], now: Moment) -> bool {
    let read = format.read(role, path, object, now);
    read.records.len() == 1 && !read.problems.iter().any(|own| own.code == Code::MissingField)
}

/// Reads JSON Lines. `view` turns each object into a view, telling `fields` what is wrong.
pub fn read_lines(
    path: &Path,
    bytes: &[u8],
    now: Moment,
    view: &dyn Fn(&mut FieldReader<'_>, &[u8]) -> ParsedRecord,
) -> Reading {
    read_pieces(path, bytes, &mut |rows, piece| push_piece(rows, path, bytes, piece, now, view))
}

/// Reads JSON Lines. `take` adds each piece as what it is.
pub fn read_pieces(
    path: &Path,
    bytes: &[u8],
    take: &mut dyn FnMut(&mut ReadingBuilder, RecordPiece<'_>),
) -> Reading {
    let mut rows = ReadingBuilder::default();
    let file_faults = json_lines::split(bytes, &mut |piece| take(&mut rows, piece));
    for (code, line) in file_faults {
        let message = match code {
            Code::ByteOrderMark => "The file starts with a byte order mark; it is read without it.",
            _ => "The last line has no line end. The next memory could be appended to it.",
        };
        let severity = if code == Code::ByteOrderMark { Severity::Note } else { Severity::Warning };
        rows.problems.push(Problem::of_file(code, severity, path, message).at_line(line));
    }
    rows.finish()
}

/// Adds a piece of JSON Lines as what it is.
pub fn push_piece(
    rows: &mut ReadingBuilder,
    path: &Path,
    bytes: &[u8],
    piece: RecordPiece<'_>,
    now: Moment,
    view: &dyn Fn(&mut FieldReader<'_>, &[u8]) -> ParsedRecord,
) {
    let raw = &bytes[piece.start..piece.end];
    let span = Span { start: piece.start as u64, end: piece.end as u64 };
    let place = RecordPosition { span, line: piece.line, lines: piece.lines };
    let mut faults: Vec<Fault> =
        piece.faults.iter().map(|&code| line_fault(code, piece.object.is_some())).collect();
    let Some(object) = piece.object else { return rows.broken(path, place, faults) };
    let mut fields = FieldReader::new(object, now);
    let seen = view(&mut fields, raw);
    faults.extend(fields.into_faults());
    rows.push(path, place, &seen, faults);
}

/// The form of one record, as it is read.
pub fn form(
    record: &[u8],
    now: Moment,
    view: &dyn Fn(&mut FieldReader<'_>, &[u8]) -> ParsedRecord,
) -> RecordForm {
    let mut tape = Tape::default();
    let Ok(object) = whole_object(&mut tape, record) else { return RecordForm::default() };
    let mut fields = FieldReader::noting(object, now);
    view(&mut fields, record);
    fields.into_form()
}

/// How bad a fault of a line is, and what it says: a warning where the object was read
/// all the same, an error where it was not.
pub fn line_fault(code: Code, read: bool) -> Fault {
    let severity = match read {
        true if code == Code::ByteOrderMark => Severity::Note,
        true => Severity::Warning,
        false => Severity::Error,
    };
    let what = match code {
        Code::ByteOrderMark => "A byte order mark is before the memory; it is read without it.",
        Code::TornLine => "The line ends in the middle of a memory, probably because its writer stopped.",
        Code::GluedRecords => "This memory is on the same line as the one before it.",
        Code::ExtraBrace => "An extra closing brace follows the memory.",
        Code::MultiLineRecord => "The memory is spread over several lines.",
        Code::NulBytes if read => "There are NUL bytes around the memory.",
        Code::NulBytes => "There are NUL bytes in the line.",
        Code::InvalidUtf8 => "The line is not UTF-8.",
        Code::RawNewline => "A string contains an unescaped line break.",
        Code::NotAnObject => "The line is JSON, but not an object.",
        Code::ConflictMarkers => "A merge left this marker.",
        _ => "The line is not JSON.",
    };
    (code, severity, what.to_owned())
}

/// Reads a file that is one JSON object, and hands it on; says why if it is not one.
pub fn read_object(
    path: &Path,
    bytes: &[u8],
    broken: Code,
    take: &mut dyn FnMut(Json<'_>, &mut Vec<Problem>),
) -> Vec<Problem> {
    read_value(path, bytes, JsonKind::Object, broken, take)
}

/// The same for a file that holds no records.
pub fn object(
    path: &Path,
    bytes: &[u8],
    broken: Code,
    take: &mut dyn FnMut(Json<'_>, &mut Vec<Problem>),
) -> Reading {
    Reading { records: Vec::new(), problems: read_object(path, bytes, broken, take) }
}

/// The note on a file that starts with a byte order mark.
pub fn byte_order_mark(path: &Path, bytes: &[u8]) -> Option<Problem> {
    let message = "The file starts with a byte order mark; it is read without it.";
    let problem = || Problem::of_file(Code::ByteOrderMark, Severity::Note, path, message).at_line(1);
    (without_mark(bytes).len() < bytes.len()).then(problem)
}

/// Reads a file that is one JSON value of that kind, and hands it on; says why if it is not.
pub fn read_value(
    path: &Path,
    bytes: &[u8],
    kind: JsonKind,
    broken: Code,
    take: &mut dyn FnMut(Json<'_>, &mut Vec<Problem>),
) -> Vec<Problem> {
    let mut problems: Vec<Problem> = byte_order_mark(path, bytes).into_iter().collect();
    let body = without_mark(bytes);
    let mut tape = Tape::default();
    match whole_value(&mut tape, body, kind) {
        Ok(value) => take(value, &mut problems),
        Err((at, why)) => {
            problems.extend(conflict_marker(path, body));
            let line = 1 + feeds(&body[..at.min(body.len())]);
            let severity = if broken == Code::IndexBroken { Severity::Warning } else { Severity::Error };
            problems.push(Problem::of_file(broken, severity, path, why).at_line(line));
        }
    }
    problems
}

/// A file that is one JSON value and holds records, while they are read. Places are bytes of it
/// without its mark.
pub struct DocumentReading<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    mark: usize,
    feeds: Vec<usize>,
    rows: ReadingBuilder,
    /// Each with its place, if it has one.
    problems: Vec<(Option<usize>, Problem)>,
}

impl DocumentReading<'_> {
    /// Adds a value as a record.
    pub fn record(&mut self, value: Json<'_>, parsed: &ParsedRecord, faults: Vec<Fault>) {
        self.rows.push(self.path, self.place(value), parsed, faults);
    }

    /// Adds a value that can't be a record.
    pub fn broken(&mut self, value: Json<'_>, message: String) {
        let fault = (Code::NotAnObject, Severity::Error, message);
        self.rows.broken(self.path, self.place(value), vec![fault]);
    }

    fn place(&self, value: Json<'_>) -> RecordPosition {
        let (start, end) = value.span();
        let span = Span { start: (start + self.mark) as u64, end: (end + self.mark) as u64 };
        let line = self.line(start);
        RecordPosition { span, line, lines: 1 + self.line(end) - line }
    }

    /// The line on which a byte is.
    fn line(&self, at: usize) -> u32 {
        1 + self.feeds.partition_point(|feed| *feed < at + self.mark) as u32
    }

    /// Adds a problem at a byte; it is of the record in which that is, if it is in one.
    pub fn problem(&mut self, code: Code, severity: Severity, at: usize, message: String) {
        let problem = Problem::of_file(code, severity, self.path, message).at_line(self.line(at));
        self.problems.push((Some(at.min(self.bytes.len()) + self.mark), problem));
    }

    /// Adds a problem of the whole file.
    pub fn of_file(&mut self, code: Code, severity: Severity, message: &str) {
        self.problems.push((None, Problem::of_file(code, severity, self.path, message)));
    }
}

/// Reads a file that is one JSON value of that kind and holds records. One that can't be read is a
/// broken record of all its bytes.
pub fn read_within(
    path: &Path,
    bytes: &[u8],
    kind: JsonKind,
    take: &mut dyn FnMut(Json<'_>, &mut DocumentReading<'_>),
) -> Reading {
    let mark = bytes.len() - without_mark(bytes).len();
    let feeds = memchr::memchr_iter(b'\n', bytes).collect();
    let mut within =
        DocumentReading { path, bytes, mark, feeds, rows: ReadingBuilder::default(), problems: Vec::new() };
    let of_file = read_value(path, bytes, kind, Code::BadJson, &mut |value, _| take(value, &mut within));
    let mut reading = within.rows.finish();
    if of_file.iter().any(|problem| problem.code == Code::BadJson) {
        reading.problems.extend(of_file.into_iter().map(|problem| problem.of_record(0, None)));
        let span = Span { start: 0, end: bytes.len() as u64 };
        let lines = 1 + self::feeds(bytes.trim_ascii_end());
        reading.records.push(Record { span, line: 1, lines, body: RecordBody::Broken });
        return reading;
    }
    reading.problems.extend(of_file);
    for (at, problem) in within.problems {
        let at = at.map(|at| at as u64);
        let before = |at| reading.records.partition_point(|record| record.span.start <= at).checked_sub(1);
        let own = at.and_then(before).and_then(|index| Some((index, reading.records.get(index)?)));
        let own = own.filter(|(_, record)| at.is_some_and(|at| at < record.span.end));
        reading.problems.push(match own {
            None => problem,
            Some((index, record)) => problem.of_record(index as u32, record.view().and_then(|view| view.id)),
        });
    }
    reading
}

/// Reads a file that is one JSON object and one record.
pub fn read_document(
    path: &Path,
    bytes: &[u8],
    now: Moment,
    view: &dyn Fn(&mut FieldReader<'_>, &[u8]) -> ParsedRecord,
) -> Reading {
    read_within(path, bytes, JsonKind::Object, &mut |object, within| {
        let mut fields = FieldReader::new(object, now);
        let seen = view(&mut fields, object.raw());
        within.record(object, &seen, fields.into_faults());
    })
}

/// How many line feeds are in the bytes.
pub fn feeds(bytes: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', bytes).count() as u32
}

/// The first line of a document that a merge left behind.
fn conflict_marker(path: &Path, body: &[u8]) -> Option<Problem> {
    let at = lines::lines(body).position(|line| body[line.start..line.end].starts_with(b"<<<<<<< "))?;
    let problem = Problem::of_file(Code::ConflictMarkers, Severity::Error, path, "A merge left this marker.");
    Some(problem.at_line(at as u32 + 1))
}
