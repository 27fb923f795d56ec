//! Quarantine files: each piece byte for byte, behind a line that says where it was. A restore adds
//! the pieces to their file as lines, without what was deleted or erased since.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RepairContext;
use super::fix::QuarantinePiece;
use crate::format::Placement;
use crate::model::plan::{apply, count_with_noun, line_end_for, whole_lines};
use crate::model::{Change, Code, PathText, Plan, Role, Verb, is_log};
use crate::ops::{Refusal, Result, plan, writes};
use crate::text::lines::{BOM, removal_edits};

/// The line before a piece, which says where the piece was.
#[derive(Serialize, Deserialize)]
struct PieceHeader {
    palimp: String,
    /// No piece contains the start of such a line with this number.
    mark: u64,
    at: u64,
    line: u32,
    bytes: usize,
    code: String,
}

/// The start of every such line.
const BEGINS: &str = "{\"palimp\":\"quarantine\"";

fn begins(mark: u64) -> Vec<u8> {
    format!("{BEGINS},\"mark\":{mark},").into_bytes()
}

/// The pieces that left a file at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantineContent {
    /// The pieces, in the order of the file.
    pub pieces: Vec<QuarantinePiece>,
    /// True if a part of them was erased since.
    pub is_short: bool,
}

/// Returns the quarantine file of the pieces of one file.
pub fn written<'p>(pieces: impl Iterator<Item = &'p QuarantinePiece> + Clone) -> Vec<u8> {
    let holds =
        |mark: &u64| pieces.clone().any(|own| memchr::memmem::find(&own.bytes, &begins(*mark)).is_some());
    let mark = (1..).find(|mark| !holds(mark)).unwrap_or_default();
    let mut bytes = Vec::new();
    for own in pieces {
        let (palimp, code) = ("quarantine".into(), own.code.as_str().to_owned());
        let head = PieceHeader { palimp, mark, at: own.at, line: own.line, bytes: own.bytes.len(), code };
        // Text and numbers always have a JSON form.
        bytes.extend(serde_json::to_vec(&head).unwrap_or_default());
        bytes.push(b'\n');
        bytes.extend_from_slice(&own.bytes);
        bytes.push(b'\n');
    }
    bytes
}

/// Reads a quarantine file. A file without the lines between pieces is one piece.
pub fn read(file: &Path, kept: &[u8]) -> QuarantineContent {
    let piece = |head: Option<PieceHeader>, bytes: &[u8]| QuarantinePiece {
        file: file.to_owned(),
        at: head.as_ref().map_or(0, |own| own.at),
        line: head.as_ref().map_or(0, |own| own.line),
        code: head.and_then(|own| of_word(&own.code)).unwrap_or(Code::TornLine),
        bytes: bytes.to_vec(),
    };
    let Some((first, _)) = head_of(kept, BEGINS.as_bytes()) else {
        return QuarantineContent { pieces: vec![piece(None, kept)], is_short: false };
    };
    let begins = begins(first.mark);
    let (mut pieces, mut is_short, mut rest) = (Vec::new(), false, kept);
    while !rest.is_empty() {
        let head = head_of(rest, &begins);
        let (head, behind) = head.map_or((None, rest), |(head, behind)| (Some(head), behind));
        let is_whole = |own: &&[u8]| {
            let next = behind.get(own.len()..).unwrap_or_default();
            next == b"\n" || next.strip_prefix(b"\n").is_some_and(|next| next.starts_with(&begins))
        };
        let len = head.as_ref().map(|own| own.bytes);
        match len.and_then(|len| behind.get(..len)).filter(is_whole) {
            Some(own) => {
                rest = behind.get(own.len() + 1..).unwrap_or_default();
                pieces.push(piece(head, own));
            }
            // A part of it is gone. The rest of it ends where the next piece begins.
            None => {
                is_short = true;
                let from = usize::from(head.is_none());
                let next = memchr::memmem::find(behind.get(from..).unwrap_or_default(), &begins);
                let next = next.map_or(behind.len(), |next| next + from);
                let (left, further) = behind.split_at(next);
                rest = further;
                if !left.trim_ascii().is_empty() {
                    pieces.push(piece(head, left));
                }
            }
        }
    }
    QuarantineContent { pieces, is_short }
}

fn head_of<'b>(bytes: &'b [u8], begins: &[u8]) -> Option<(PieceHeader, &'b [u8])> {
    let feed = memchr::memchr(b'\n', bytes).filter(|_| bytes.starts_with(begins))?;
    let head = serde_json::from_slice(&bytes[..feed]).ok()?;
    Some((head, &bytes[feed + 1..]))
}

fn of_word(word: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|own| own.as_str() == word)
}

/// Plans to restore the pieces that left a file in a step. Parts that the file has already are left out.
pub fn restored(bench: &RepairContext<'_>, pieces: &[QuarantinePiece], step: Option<u64>) -> Result<Plan> {
    let (context, store) = (bench.context, bench.store());
    writes(store)?;
    let first = pieces.first().ok_or_else(|| Refusal::unfit("there is nothing in it."))?;
    let file = first.file.clone();
    if file.is_absolute() || file.components().any(|own| !matches!(own, std::path::Component::Normal(_))) {
        return Err(Refusal::unfit("it names no file of the store."));
    }
    let document = store.document_at(&file);
    let now = document.map(|own| own.bytes.clone()).unwrap_or_default();
    if document.is_some_and(|own| !own.is_held()) {
        return Err(Refusal::unfit("the store has not been read completely yet."));
    }
    let held = now.range(0..now.len()).unwrap_or_default().into_owned();
    let name = file.to_text();
    let mut coming = RestoredLines::default();
    let change = if is_log(&file) {
        coming.take(bench, pieces, &held)?;
        let lines = coming.lines.clone();
        match document {
            Some(_) => Change::append(&file, lines, Some(now)),
            None => Change::create(&file, lines),
        }
    } else if let Some(deleted) = bench.material.deleted.step_of_file(&file, step.unwrap_or_default()) {
        return Err(Refusal::unfit(format!(
            "step {deleted} deleted a memory of {name}, which would be restored: `palimp quarantine show` prints it."
        )));
    } else {
        whole(bench, &file, pieces, (document.map(|_| now), &held))?
    };
    let is_nothing = change.is_empty() || document.is_none() && coming.lines.is_empty() && is_log(&file);
    if let Some(why) = coming.why.first().filter(|_| is_nothing) {
        return Err(Refusal::unfit(why));
    }
    let mut own = match is_nothing {
        true => Plan::of(Verb::QuarantineRestore, store.whole()?),
        false => plan(Verb::QuarantineRestore, context, coming.count.max(1), vec![change])?,
    };
    coming.why.truncate(TOLD);
    own.lines.extend(coming.why.iter().map(|why| format!("left out: {why}")));
    let there = count_with_noun(coming.there as u64, "part");
    own.lines.extend((coming.there > 0).then(|| format!("in {name} already: {there}")));
    Ok(own)
}

/// At most this many reasons are shown.
const TOLD: usize = 12;

#[derive(Default)]
struct RestoredLines {
    lines: Vec<u8>,
    count: usize,
    /// Why parts stay in quarantine.
    why: Vec<String>,
    /// The number of parts that the file has already.
    there: usize,
}

impl RestoredLines {
    fn take(&mut self, bench: &RepairContext<'_>, pieces: &[QuarantinePiece], held: &[u8]) -> Result<()> {
        let Some(file) = pieces.first().map(|own| &*own.file) else { return Ok(()) };
        let present: HashSet<&[u8]> = held.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
        let all: Vec<&[u8]> = pieces.iter().map(|own| &*own.bytes).collect();
        let all = all.join(&b'\n');
        let is_erased = bench.material.erased.without(bench.context, file, &all)? != all;
        for own in pieces {
            let place = if own.line > 0 { format!("line {}: ", own.line) } else { String::new() };
            let kept: Vec<&[u8]> = own.bytes.split_inclusive(|byte| *byte == b'\n').collect();
            if !String::from_utf8_lossy(&own.bytes).contains(char::is_alphanumeric) {
                self.why.push(format!("{place}These bytes are no line. Undo of the repair puts them back."));
                continue;
            }
            if is_there(&own.bytes, &kept, (held, &present)) {
                self.there += 1;
                continue;
            }
            let left = match is_erased {
                true => bench.material.erased.without(bench.context, file, &own.bytes)?,
                false => own.bytes.clone(),
            };
            let is_less = left.len() < own.bytes.len();
            let left = self.without_deleted(bench, file, left, &place);
            if is_less {
                self.why.push(format!("{place}Its memory was erased, and is not restored."));
            }
            if !left.trim_ascii().is_empty() {
                self.count += 1;
                self.lines.extend([&left[..], line_end_for(&left)].concat());
            }
        }
        Ok(())
    }

    /// Returns a piece without the lines, intact or torn, of memories that were deleted or erased since.
    fn without_deleted(
        &mut self,
        bench: &RepairContext<'_>,
        file: &Path,
        bytes: Vec<u8>,
        place: &str,
    ) -> Vec<u8> {
        let Some(format) = bench.format else { return bytes };
        if format.place(file, false) == Placement::File(Role::Tombstones) {
            return bytes;
        }
        let read = format.read(Role::Records, file, &bytes, bench.context.now);
        let mut spans = Vec::new();
        for own in &read.records {
            let raw = bytes.get(own.span.range()).unwrap_or_default();
            if let Some(why) = bench.why_gone(file, Role::Records, raw) {
                self.why.push(format!("{place}{why}"));
                spans.push(own.span);
            }
        }
        let holes = removal_edits(&bytes[..], &spans);
        if spans.is_empty() { bytes } else { apply(&bytes, &whole_lines(&bytes[..], holes)) }
    }
}

fn is_there(bytes: &[u8], lines: &[&[u8]], (held, present): (&[u8], &HashSet<&[u8]>)) -> bool {
    if !lines.iter().all(|own| present.contains(own.trim_ascii_end())) {
        return false;
    }
    let own = bytes.trim_ascii_end();
    let is_line = |at: usize| {
        let ends = held.get(at + own.len()..).unwrap_or_default();
        (at == 0 || held[at - 1] == b'\n') && matches!(ends.first(), None | Some(b'\n' | b'\r'))
    };
    lines.len() == 1 || memchr::memmem::find_iter(held, own).any(is_line)
}

fn whole(
    bench: &RepairContext<'_>,
    file: &Path,
    pieces: &[QuarantinePiece],
    (now, held): (Option<crate::model::Bytes>, &[u8]),
) -> Result<Change> {
    let [own] = pieces else {
        return Err(Refusal::unfit("its parts fit the file as it was alone: undo the repair instead."));
    };
    let bytes = match own.bytes == BOM {
        true if held.starts_with(BOM) => held.to_vec(),
        true => [BOM, held].concat(),
        false => bench.material.erased.without(bench.context, file, &own.bytes)?,
    };
    Ok(match now {
        Some(now) => Change::rewrite(file, now, bytes),
        None => Change::create(file, bytes),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_put_there_is_read_as_it_was_and_a_part_that_was_erased_is_told() {
        let piece = |at, bytes: &[u8]| QuarantinePiece {
            file: "a.jsonl".into(),
            at,
            line: 3,
            code: Code::NulBytes,
            bytes: bytes.to_vec(),
        };
        let own = [piece(4, b"{\"a\":\n"), piece(90, b"\0\0\xff"), piece(99, b"}\n{\"palimp\"")];
        let kept = written(own.iter());
        assert_eq!(
            read(Path::new("a.jsonl"), &kept),
            QuarantineContent { pieces: own.to_vec(), is_short: false }
        );
        let left = [&kept[..60], &kept[70..]].concat();
        let _ = read(Path::new("a.jsonl"), &left);
        let at = kept.windows(2).position(|own| own == b"\0\0").unwrap();
        let erased = [&kept[..at], &kept[at + 3..]].concat();
        let found = read(Path::new("a.jsonl"), &erased);
        assert!(found.is_short);
        assert_eq!(found.pieces.iter().map(|own| own.at).collect::<Vec<_>>(), [4, 99]);
        assert_eq!(read(Path::new("b"), b"late").pieces[0].bytes, b"late");
    }

    const PARTS: &[u8] = b"{\"palimp\":\"quarantine\"|,\"mark\":1,|,\"mark\":2,\"at\":0}|\n|\0|\xef\xbb\xbf|\
        \r\n|{\"id\":1}|\xff|}| ";

    proptest! {
            #![proptest_config(crate::tries::config(128, 10_000))]

            #[test]
            fn any_bytes_are_read_as_they_were_put_there(parts in proptest::collection::vec(
    proptest::collection::vec(0..PARTS.split(|byte| *byte == b'|').count(), 0..9), 1..5)) {
                let all: Vec<&[u8]> = PARTS.split(|byte| *byte == b'|').collect();
                let of = |own: Vec<usize>| QuarantinePiece {
                    file: "a".into(), at: 1, line: 2, code: Code::TornLine,
                    bytes: own.into_iter().flat_map(|at| all[at]).copied().collect(),
                };
                let own: Vec<QuarantinePiece> = parts.into_iter().map(of).collect();
                prop_assert_eq!(read(Path::new("a"), &written(own.iter())), QuarantineContent { pieces: own, is_short: false });
            }
        }
}
