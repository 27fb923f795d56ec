//! Fixes of files that are one document: a side of a merge, a copy of the whole file, another encoding, or closed
//! brackets. A note that can't be read at all goes to quarantine.

use super::RepairContext;
use super::fix::{FixAction, ProblemFix};
use super::json_syntax::{RespelledLine, replaced, western, without_nuls};
use super::line_damage::piece;
use crate::format::record_reader::{whole_value, without_mark};
use crate::format::writing::DeletionKind;
use crate::model::{Change, Code, Document, Problem, Role, Severity, container};
use crate::ops::own_operations;
use crate::text::json::JsonKind;
use crate::text::json_edit::Tape;
use crate::text::json_salvage::complete_object;
use crate::text::lines::BOM;
use crate::text::merge_conflict::{ConflictSide, merge_places};

impl RepairContext<'_> {
    pub(super) fn safe_of_document(&self, document: &Document, problem: &Problem) -> Option<ProblemFix> {
        let is_mark = problem.code == Code::ByteOrderMark && self.is_ours(document);
        let is_end_of_mark =
            |end: &usize| document.bytes.range(end - BOM.len()..*end).is_some_and(|bytes| *bytes == *BOM);
        // Programs that add a mark to a file that has one leave several.
        let ends = (1..).map(|number| number * BOM.len()).take_while(is_end_of_mark);
        let end = ends.last().filter(|_| is_mark)?;
        let out = vec![piece(document, problem, 0, BOM.repeat(end / BOM.len()))];
        let (reason, edits) = ("It says nothing that is not known.", vec![(0..end, Vec::new())]);
        let place = (&*document.path, edits, out);
        Some(ProblemFix::edit("remove the byte order mark", 100, reason, place).safe())
    }

    /// True if a document is a file of the store that no other file depends on.
    fn is_ours(&self, document: &Document) -> bool {
        let is_held = matches!(document.role, Role::Records | Role::Metadata | Role::Config | Role::Index);
        is_held
            && container(&document.path).is_none()
            && !document.path.starts_with("..")
            && document.path.extension().is_none_or(|end| end != "gz" && end != "tgz")
            && !self.format.is_none_or(|format| format.forbids_rebase(&document.path))
    }

    pub(super) fn of_document(&self, document: &Document, problem: &Problem) -> Vec<ProblemFix> {
        let record = problem.record.and_then(|number| document.records.get(number as usize));
        if record.is_some_and(|own| own.memory().is_some()) {
            let own = self.of_schema(document, problem);
            if !own.is_empty() {
                return own;
            }
        }
        let is_own = container(&document.path).is_none() && !document.path.starts_with("..");
        if !is_repaired_whole(problem.code) || !is_own {
            return Vec::new();
        }
        let Some(all) = document.bytes.range(0..document.bytes.len()) else { return Vec::new() };
        let (mut fixes, mut known) = (Vec::new(), Vec::<Vec<u8>>::new());
        let mut offer = |title: &str, confidence, reason: &str, bytes: Vec<u8>| {
            if self.can_be_read(document, problem, &bytes) && bytes != *all && !known.contains(&bytes) {
                let out = (!all.is_empty()).then(|| piece(document, problem, 0, all.to_vec()));
                let place = (&*document.path, vec![(0..all.len(), bytes.clone())], out.into_iter().collect());
                fixes.push(ProblemFix::edit(title, confidence, reason, place));
                known.push(bytes);
            }
        };
        const ALONE: &str = "It is intact without the other side.";
        const JOINED: &str = "The text of both stays, one after the other.";
        let merge = merge_places(&all);
        let sides: &[_] = match merge.iter().all(|place| place.is_stray) {
            true => &[(ConflictSide::Both, "remove the marker", 60, "What is beside it stays.")],
            false => &[
                (ConflictSide::Ours, "keep the first side", 60, ALONE),
                (ConflictSide::Theirs, "keep the second side", 60, ALONE),
                (ConflictSide::Both, "keep both sides, without the markers", 50, JOINED),
            ],
        };
        for (side, title, confidence, reason) in sides {
            let mut left = all.to_vec();
            let goes: Vec<_> = merge.iter().flat_map(|place| place.goes(*side)).collect();
            goes.into_iter().rev().for_each(|range| drop(left.drain(range)));
            offer(title, *confidence, reason, left);
        }
        for own in read_otherwise(&all, problem.code) {
            offer(own.title, own.confidence, own.reason, own.bytes);
        }
        let copies = self.material.copies.iter().filter(|own| own.is_whole && own.file == document.path);
        for own in copies.filter(|own| !self.undeletes(document, &own.bytes)) {
            let whole = self.material.erased.without(self.context, &own.file, &own.bytes);
            let title = format!("restore the file from {}", own.from);
            let whole = whole.unwrap_or_default();
            let begins = !all.is_empty() && whole.starts_with(all.trim_ascii_end());
            let known = if begins {
                (95, "It begins with the bytes that survived.")
            } else {
                (80, "It is the file as it was.")
            };
            offer(&title, known.0, known.1, whole);
        }
        let restore = own_operations(self.store()).restore_document;
        for own in restore.into_iter().flat_map(|restore| restore(self.store(), document)) {
            let whole = self.material.erased.without(self.context, &document.path, &own.bytes);
            offer(&format!("restore it from {}", own.source), 90, &own.reason, whole.unwrap_or_default());
        }
        if let Some(own) = survived(without_mark(&all)) {
            let whole = [own, b"\n".to_vec()].concat();
            let whole = if self.is_silent(document, &whole) { Vec::new() } else { whole };
            offer("keep what can be read of it", 40, "What was open is closed; the rest is lost.", whole);
        }
        fixes.extend(self.of_nothing(document, problem, &all));
        fixes
    }

    /// True if a copy of a note was made before the note was deprecated.
    fn undeletes(&self, document: &Document, copy: &[u8]) -> bool {
        let Some(format) = self.format else { return false };
        let is_marked = format.deletion(&document.path) == DeletionKind::Deprecated;
        if !is_marked || self.material.deleted.step_of_file(&document.path, 0).is_none() {
            return false;
        }
        let read = format.read(document.role, &document.path, copy, self.context.now);
        !read.records.iter().any(|own| own.memory().is_some_and(|memory| memory.faded))
    }

    /// True if a document of memories has no memory with a text.
    fn is_silent(&self, document: &Document, bytes: &[u8]) -> bool {
        let Some(format) = self.format.filter(|_| document.role == Role::Records) else { return false };
        let read = format.read(document.role, &document.path, bytes, self.context.now);
        let whole = read.records.iter().filter(|own| own.memory().is_some());
        let mut raw = whole.filter_map(|own| bytes.get(own.span.range()));
        !raw.any(|own| self.says(document, own))
    }

    fn can_be_read(&self, document: &Document, problem: &Problem, bytes: &[u8]) -> bool {
        let Some(format) = self.format.filter(|_| !bytes.is_empty()) else { return false };
        let read = format.read(document.role, &document.path, bytes, self.context.now);
        // A note may have had another fault before.
        let is_note =
            |found: &Problem| found.code == Code::BadFrontMatter && found.severity == Severity::Note;
        // A merge may be in the front matter.
        let is_of_front = document.problems.iter().any(|found| is_note(found) && found.line == problem.line);
        let is_bad = |found: &Problem| match found.code {
            Code::InvalidUtf8 => true,
            Code::BadFrontMatter if is_of_front => true,
            Code::BadJson | Code::ConflictMarkers | Code::IndexBroken => found.severity != Severity::Note,
            code => code == problem.code && found.severity == Severity::Warning,
        };
        let is_json = document.path.extension().is_some_and(|end| end == "json");
        let is_value = |kind| whole_value(&mut Tape::default(), without_mark(bytes), kind).is_ok();
        !read.problems.iter().any(is_bad)
            && (!is_json || is_value(JsonKind::Object) || is_value(JsonKind::Array))
    }

    /// Returns the fix of a note that can't be read at all: its bytes go to quarantine.
    fn of_nothing(&self, document: &Document, problem: &Problem, all: &[u8]) -> Option<ProblemFix> {
        let record = document.records.get(problem.record? as usize)?;
        let is_note =
            document.role == Role::Records && document.path.extension().is_some_and(|end| end == "md");
        if !is_note || record.memory().is_some() {
            return None;
        }
        let (title, out) = match all {
            [] => ("remove the empty file", Vec::new()),
            _ => ("move the file to quarantine", vec![piece(document, problem, 0, all.to_vec())]),
        };
        let reason = match all.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            true => "Its text is lost, unless a backup has it.",
            false => "Its bytes are kept there as they are: `palimp quarantine restore` brings them back.",
        };
        let act = FixAction::Files(vec![Change::remove(&document.path, document.bytes.clone())], out);
        Some(ProblemFix::of(title, 10, reason, act))
    }
}

fn read_otherwise(content: &[u8], code: Code) -> Vec<RespelledLine> {
    match code {
        Code::InvalidUtf8 => {
            [wide(content), western(content), replaced(content)].into_iter().flatten().collect()
        }
        Code::NulBytes => [wide(content), without_nuls(content)].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// Reads UTF-16 in either byte order. It has a byte order mark, or a NUL beside most letters.
fn wide(content: &[u8]) -> Option<RespelledLine> {
    let (pairs, rest) = content.as_chunks::<2>();
    let nuls = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
    let is_most = |at: usize| nuls(at) * 4 > pairs.len() * 3 && nuls(1 - at) == 0;
    let of: fn([u8; 2]) -> u16 = match content {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ if is_most(1) => u16::from_le_bytes,
        _ if is_most(0) => u16::from_be_bytes,
        _ => return None,
    };
    let text: String =
        char::decode_utf16(pairs.iter().map(|pair| of(*pair))).collect::<Result<_, _>>().ok()?;
    let text = text.trim_start_matches('\u{feff}');
    let is_text = rest.is_empty() && !text.contains('\0');
    is_text.then(|| RespelledLine {
        title: "read it as UTF-16",
        reason: "With this encoding, all of it is text.",
        confidence: 90,
        bytes: text.as_bytes().to_vec(),
        out: Vec::new(),
    })
}

/// True for damage of a file that an older copy of it may not have.
pub fn is_repaired_whole(code: Code) -> bool {
    use Code::{BadFrontMatter, BadJson, ConflictMarkers, InvalidUtf8, NulBytes};
    matches!(code, BadJson | ConflictMarkers | BadFrontMatter | InvalidUtf8 | NulBytes)
        || matches!(code, Code::EmptyFrontMatter | Code::DoubleFrontMatter | Code::PlaceholderText)
}

/// Returns the readable part of an object or a list that was cut.
fn survived(body: &[u8]) -> Option<Vec<u8>> {
    if !body.starts_with(b"[") {
        return complete_object(body).map(|own| own.bytes(body));
    }
    const HEAD: &[u8] = b"{\"all\":";
    let within = [HEAD, body].concat();
    let own = complete_object(&within)?.bytes(&within);
    let list = own.strip_prefix(HEAD)?.strip_suffix(b"}")?;
    list.ends_with(b"]").then(|| list.to_vec())
}
