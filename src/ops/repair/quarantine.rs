//! What is kept of what left a file: each stretch byte for byte behind a line that says where it was. It comes
//! back as lines of its file; what was deleted or erased since does not.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Bench;
use super::fix::Piece;
use crate::model::plan::line_end_for;
use crate::model::{Change, Code, Plan, Record, Role, is_log};
use crate::ops::{Refusal, Result, base, plan, writes};
use crate::text::lines::BOM;

/// What says of a stretch where it was.
#[derive(Serialize, Deserialize)]
struct Head {
    palimp: String,
    at: u64,
    line: u32,
    bytes: usize,
    code: String,
}

/// What every such line starts with.
const BEGINS: &str = "{\"palimp\":\"quarantine\"";

/// What left a file at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// In the order in which they were in the file.
    pub pieces: Vec<Piece>,
    /// Whether a part of it was erased since.
    pub is_short: bool,
}

/// The file that keeps what left one file.
pub fn written<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for own in pieces {
        let code = own.code.as_str().to_owned();
        let head =
            Head { palimp: "quarantine".into(), at: own.at, line: own.line, bytes: own.bytes.len(), code };
        // Text and numbers always have a JSON form.
        bytes.extend(serde_json::to_vec(&head).unwrap_or_default());
        bytes.push(b'\n');
        bytes.extend_from_slice(&own.bytes);
        bytes.push(b'\n');
    }
    bytes
}

/// What is in such a file; one without those lines is one stretch.
pub fn read(file: &Path, kept: &[u8]) -> Quarantined {
    let piece = |head: Option<Head>, bytes: &[u8]| Piece {
        file: file.to_owned(),
        at: head.as_ref().map_or(0, |own| own.at),
        line: head.as_ref().map_or(0, |own| own.line),
        code: head.and_then(|own| of_word(&own.code)).unwrap_or(Code::TornLine),
        bytes: bytes.to_vec(),
    };
    if !kept.starts_with(BEGINS.as_bytes()) {
        return Quarantined { pieces: vec![piece(None, kept)], is_short: false };
    }
    let (mut pieces, mut is_short, mut rest) = (Vec::new(), false, kept);
    while let Some((head, behind)) = head_of(rest) {
        let is_whole = |own: &&[u8]| {
            let next = behind.get(own.len()..).unwrap_or_default();
            next == b"\n" || next.strip_prefix(b"\n").is_some_and(|next| next.starts_with(BEGINS.as_bytes()))
        };
        match behind.get(..head.bytes).filter(is_whole) {
            Some(own) => {
                rest = behind.get(own.len() + 1..).unwrap_or_default();
                pieces.push(piece(Some(head), own));
            }
            // A part of it is gone: what is left of it ends where the next begins.
            None => {
                is_short = true;
                let next = memchr::memmem::find(behind, BEGINS.as_bytes()).unwrap_or(behind.len());
                let left = behind.get(..next).unwrap_or_default();
                rest = behind.get(next..).unwrap_or_default();
                if !left.trim_ascii().is_empty() {
                    pieces.push(piece(Some(head), left));
                }
            }
        }
    }
    Quarantined { pieces, is_short }
}

fn head_of(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let feed = memchr::memchr(b'\n', bytes)?;
    let head = serde_json::from_slice(&bytes[..feed]).ok()?;
    Some((head, &bytes[feed + 1..]))
}

fn of_word(word: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|own| own.as_str() == word)
}

/// The plan that brings back what left a file. What is there already does not come twice.
pub fn restored(bench: &Bench<'_>, pieces: &[Piece]) -> Result<Plan> {
    let (scene, store) = (bench.scene, bench.store());
    writes(store)?;
    let Some(file) = pieces.first().map(|own| own.file.clone()) else {
        return Err(Refusal::unfit("there is nothing in it."));
    };
    if file.is_absolute() || file.components().any(|own| !matches!(own, std::path::Component::Normal(_))) {
        return Err(Refusal::unfit("it names no file of the store."));
    }
    let document = store.at_path(&file);
    let now = document.map(base).unwrap_or_default();
    if document.is_some_and(|own| !own.is_held()) {
        return Err(Refusal::unfit("the store has not been read completely yet."));
    }
    let held = now.range(0..now.len()).unwrap_or_default().into_owned();
    let change = match is_log(&file) {
        true => {
            let lines = coming(bench, &file, pieces, &held)?;
            let lines = if lines.is_empty() { lines } else { [line_end_for(&held), &lines].concat() };
            match document {
                Some(_) => Change::append(&file, lines, Some(now)),
                None => Change::create(&file, lines),
            }
        }
        false => whole(bench, &file, pieces, (document.map(|_| now), &held))?,
    };
    if change.is_empty() {
        return Ok(Plan::of("quarantine restore", store.whole()?));
    }
    plan("quarantine restore", scene, pieces.len(), vec![change])
}

/// The lines that come back to a log.
fn coming(bench: &Bench<'_>, file: &Path, pieces: &[Piece], held: &[u8]) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for own in pieces.iter().map(|own| own.bytes.trim_ascii_end()).filter(|own| !own.is_empty()) {
        if memchr::memmem::find(held, own).is_none() {
            lines.extend_from_slice(own);
            lines.push(b'\n');
        }
    }
    let lines = bench.material.gone.without(bench.scene, file, &lines)?;
    // A memory that was deleted since stays so.
    let Some(format) = bench.format else { return Ok(lines) };
    let read = format.read(Role::Records, file, &lines, bench.scene.now);
    let is_deleted =
        |own: &&Record| own.view().and_then(|view| view.id).is_some_and(|id| bench.others().is_deleted(id));
    let spans: Vec<_> = read.records.iter().filter(is_deleted).map(|own| own.span).collect();
    let splices = crate::model::plan::whole_lines(&lines[..], crate::text::lines::holes(&lines[..], &spans));
    Ok(crate::model::plan::apply(&lines, &splices))
}

/// A document comes back as the whole that it was.
fn whole(
    bench: &Bench<'_>,
    file: &Path,
    pieces: &[Piece],
    (now, held): (Option<crate::model::Bytes>, &[u8]),
) -> Result<Change> {
    let [own] = pieces else {
        return Err(Refusal::unfit("its parts fit the file as it was alone: undo the repair instead."));
    };
    let bytes = match own.bytes == BOM {
        true if held.starts_with(BOM) => held.to_vec(),
        true => [BOM, held].concat(),
        false => bench.material.gone.without(bench.scene, file, &own.bytes)?,
    };
    Ok(match now {
        Some(now) => Change::rewrite(file, now, bytes),
        None => Change::create(file, bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_there_is_read_as_it_was_and_a_part_that_was_erased_is_told() {
        let piece = |at, bytes: &[u8]| Piece {
            file: "a.jsonl".into(),
            at,
            line: 3,
            code: Code::NulBytes,
            bytes: bytes.to_vec(),
        };
        let own = [piece(4, b"{\"a\":\n"), piece(90, b"\0\0\xff"), piece(99, b"}\n{\"palimp\"")];
        let kept = written(own.iter());
        assert_eq!(read(Path::new("a.jsonl"), &kept), Quarantined { pieces: own.to_vec(), is_short: false });
        let left = [&kept[..60], &kept[70..]].concat();
        let _ = read(Path::new("a.jsonl"), &left);
        let at = kept.windows(2).position(|own| own == b"\0\0").unwrap();
        let erased = [&kept[..at], &kept[at + 3..]].concat();
        let found = read(Path::new("a.jsonl"), &erased);
        assert!(found.is_short);
        assert_eq!(found.pieces.iter().map(|own| own.at).collect::<Vec<_>>(), [4, 99]);
        assert_eq!(read(Path::new("b"), b"late").pieces[0].bytes, b"late");
    }
}
