//! Reads files of records. Every format with JSON Lines uses this.

use std::path::Path;

use super::Format;
use super::field_reader::{Fault, FieldReader, tag_faults};
pub use super::json_document::{
    edit_object, named_members, object_of, set_members, whole_object, whole_value, with_layout, with_object,
    without_mark,
};
use super::record_form::RecordForm;
use crate::model::{Code, Moment, Problem, Record, RecordBody, Role, Severity, Span, StoredMemory};
use crate::text::json::{Json, JsonKind};
use crate::text::json_lines::{self, RecordPiece};
use crate::text::json_scanner::Tape;
use crate::text::lines;

/// The records and problems of one file.
#[derive(Debug, Default)]
pub struct Reading {
    /// The records in file order.
    pub records: Vec<Record>,
    /// The problems of the file.
    pub problems: Vec<Problem>,
}

impl Reading {
    /// Adds a record that could be read.
    pub fn push(&mut self, path: &Path, place: RecordPosition, memory: StoredMemory, faults: Vec<Fault>) {
        self.faults(path, place.line, memory.id(), faults);
        self.faults(path, place.line, memory.id(), tag_faults(&memory.tags).collect());
        self.records.push(place.record(RecordBody::Read(memory.into())));
    }

    /// Adds a torn record whose id could be read.
    pub fn torn(&mut self, path: &Path, place: RecordPosition, id: Box<str>, faults: Vec<Fault>) {
        self.faults(path, place.line, Some(&id), faults);
        self.records.push(place.record(RecordBody::Torn(id)));
    }

    /// Adds a record that can't be read.
    pub fn broken(&mut self, path: &Path, place: RecordPosition, faults: Vec<Fault>) {
        self.faults(path, place.line, None, faults);
        self.records.push(place.record(RecordBody::Broken));
    }

    fn faults(&mut self, path: &Path, line: u32, id: Option<&str>, faults: Vec<Fault>) {
        let index = self.records.len() as u32;
        for (code, severity, message) in faults {
            let problem = Problem::of_file(code, severity, path, message);
            self.problems.push(problem.at_line(line).of_record(index, id));
        }
    }
}

/// The place of a record.
#[derive(Clone, Copy)]
pub struct RecordPosition {
    /// Its bytes.
    pub span: Span,
    /// The line that it starts on, from 1.
    pub line: u32,
    /// The number of lines that it covers.
    pub lines: u32,
}

impl RecordPosition {
    /// Returns the record at this place.
    pub fn record(self, body: RecordBody) -> Record {
        Record { span: self.span, line: self.line, lines: self.lines, body }
    }
}

/// True if an object is a valid record of this file in a format.
pub fn is_record(format: &dyn Format, (role, path): (Role, &Path), object: &[u8], now: Moment) -> bool {
    let read = format.read(role, path, object, now);
    read.records.len() == 1 && !read.problems.iter().any(|own| own.code == Code::MissingField)
}

/// Makes a memory of an object and of its bytes, and adds its faults.
pub type MemoryReader<'a> = dyn Fn(&mut FieldReader<'_>, &[u8]) -> StoredMemory + 'a;

/// Reads JSON Lines. `memory` reads each object, and adds its faults to `fields`.
pub fn read_lines(path: &Path, bytes: &[u8], now: Moment, memory: &MemoryReader<'_>) -> Reading {
    read_pieces(path, bytes, &mut |rows, piece| push_piece(rows, path, bytes, piece, now, memory))
}

/// Reads JSON Lines. `take` adds each piece.
pub fn read_pieces(
    path: &Path,
    bytes: &[u8],
    take: &mut dyn FnMut(&mut Reading, RecordPiece<'_>),
) -> Reading {
    let mut rows = Reading::default();
    let file_faults = json_lines::split(bytes, &mut |piece| take(&mut rows, piece));
    for (code, line) in file_faults {
        let message = match code {
            Code::ByteOrderMark => "The file starts with a byte order mark; it is read without it.",
            _ => "The last line has no line end. The next memory could be appended to it.",
        };
        let severity = if code == Code::ByteOrderMark { Severity::Note } else { Severity::Warning };
        rows.problems.push(Problem::of_file(code, severity, path, message).at_line(line));
    }
    rows
}

/// Adds a piece of JSON Lines as a record or as a broken one.
pub fn push_piece(
    rows: &mut Reading,
    path: &Path,
    bytes: &[u8],
    piece: RecordPiece<'_>,
    now: Moment,
    memory: &MemoryReader<'_>,
) {
    let raw = &bytes[piece.start..piece.end];
    let span = Span { start: piece.start as u64, end: piece.end as u64 };
    let place = RecordPosition { span, line: piece.line, lines: piece.lines };
    let mut faults: Vec<Fault> =
        piece.faults.iter().map(|&code| line_fault(code, piece.object.is_some())).collect();
    let Some(object) = piece.object else { return rows.broken(path, place, faults) };
    let mut fields = FieldReader::new(object, now);
    let seen = memory(&mut fields, raw);
    faults.extend(fields.into_faults());
    rows.push(path, place, seen, faults);
}

pub fn form(record: &[u8], now: Moment, memory: &MemoryReader<'_>) -> RecordForm {
    let mut tape = Tape::default();
    let Ok(object) = whole_object(&mut tape, record) else { return RecordForm::default() };
    let mut fields = FieldReader::noting(object, now);
    memory(&mut fields, record);
    fields.into_form()
}

/// Returns the severity and message of a line's fault: a warning if the object could be read, else an error.
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

/// Reads a file that is one JSON object and contains no records. `check` returns its problems.
pub fn object(path: &Path, bytes: &[u8], broken: Code, check: &dyn Fn(Json<'_>) -> Vec<Problem>) -> Reading {
    let take = &mut |object: Json<'_>| check(object);
    Reading { records: Vec::new(), problems: read_value(path, bytes, JsonKind::Object, broken, take) }
}

/// Returns the note about a byte order mark at the start of a file.
pub fn byte_order_mark(path: &Path, bytes: &[u8]) -> Option<Problem> {
    let message = "The file starts with a byte order mark; it is read without it.";
    let problem = || Problem::of_file(Code::ByteOrderMark, Severity::Note, path, message).at_line(1);
    (without_mark(bytes).len() < bytes.len()).then(problem)
}

/// Reads a file that is one JSON value of this kind, and calls `take` with it. Returns the problems.
fn read_value(
    path: &Path,
    bytes: &[u8],
    kind: JsonKind,
    broken: Code,
    take: &mut dyn FnMut(Json<'_>) -> Vec<Problem>,
) -> Vec<Problem> {
    let mut problems: Vec<Problem> = byte_order_mark(path, bytes).into_iter().collect();
    let body = without_mark(bytes);
    match whole_value(&mut Tape::default(), body, kind) {
        Ok(value) => problems.extend(take(value)),
        Err((at, why)) => {
            problems.extend(conflict_marker(path, body));
            let line = 1 + feeds(&body[..at.min(body.len())]);
            let severity = if broken == Code::IndexBroken { Severity::Warning } else { Severity::Error };
            problems.push(Problem::of_file(broken, severity, path, why).at_line(line));
        }
    }
    problems
}

/// Collects the records of a file that is one JSON value. Places are bytes after its byte order mark.
pub struct DocumentReading<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    mark: usize,
    feeds: Vec<usize>,
    rows: Reading,
    /// The problems, each with its place, if it has one.
    problems: Vec<(Option<usize>, Problem)>,
}

impl DocumentReading<'_> {
    /// Adds a value as a record.
    pub fn record(&mut self, value: Json<'_>, memory: StoredMemory, faults: Vec<Fault>) {
        self.rows.push(self.path, self.place(value), memory, faults);
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

    fn line(&self, at: usize) -> u32 {
        1 + self.feeds.partition_point(|feed| *feed < at + self.mark) as u32
    }

    /// Adds a problem at a byte. It belongs to the record at that place, if there is one.
    pub fn problem(&mut self, code: Code, severity: Severity, at: usize, message: String) {
        let problem = Problem::of_file(code, severity, self.path, message).at_line(self.line(at));
        self.problems.push((Some(at.min(self.bytes.len()) + self.mark), problem));
    }

    /// Adds a problem of the whole file.
    pub fn of_file(&mut self, code: Code, severity: Severity, message: &str) {
        self.problems.push((None, Problem::of_file(code, severity, self.path, message)));
    }
}

/// Reads a file that is one JSON value with records. If it can't be read, all of it is one broken record.
pub fn read_within(
    path: &Path,
    bytes: &[u8],
    kind: JsonKind,
    take: &mut dyn FnMut(Json<'_>, &mut DocumentReading<'_>),
) -> Reading {
    let mark = bytes.len() - without_mark(bytes).len();
    let feeds = memchr::memchr_iter(b'\n', bytes).collect();
    let mut within =
        DocumentReading { path, bytes, mark, feeds, rows: Reading::default(), problems: Vec::new() };
    let of_file = read_value(path, bytes, kind, Code::BadJson, &mut |value| {
        take(value, &mut within);
        Vec::new()
    });
    let mut reading = within.rows;
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
            Some((index, record)) => problem.of_record(index as u32, record.id()),
        });
    }
    reading
}

/// Reads a file that is one JSON object and one record.
pub fn read_document(path: &Path, bytes: &[u8], now: Moment, memory: &MemoryReader<'_>) -> Reading {
    read_within(path, bytes, JsonKind::Object, &mut |object, within| {
        let mut fields = FieldReader::new(object, now);
        let seen = memory(&mut fields, object.raw());
        within.record(object, seen, fields.into_faults());
    })
}

/// Counts the line feeds.
pub fn feeds(bytes: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', bytes).count() as u32
}

/// Returns a problem at the first line that a merge left in a document.
fn conflict_marker(path: &Path, body: &[u8]) -> Option<Problem> {
    let at = lines::lines(body).position(|line| body[line.start..line.end].starts_with(b"<<<<<<< "))?;
    let problem = Problem::of_file(Code::ConflictMarkers, Severity::Error, path, "A merge left this marker.");
    Some(problem.at_line(at as u32 + 1))
}
