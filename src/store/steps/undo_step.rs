//! A step's undo data as a file: a line of JSON that describes the bytes after it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::owner::Owner;
use crate::model::{Act, Bytes, Change, JournalLine, PathText, Splice, is_log, path_from_text};
use crate::text::digest::hex;

/// The changes that undo a step, in the order in which palimp applies them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UndoStep {
    /// The journal line, without what is known at the end. After a crash, the next start writes it.
    #[serde(flatten)]
    pub line: JournalLine,
    /// The process that did the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<i32>,
    /// Keys of memories whose bytes it took from where they were, and those that they have after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_keys: Vec<(String, String)>,
    /// The changes of files that hold memories.
    #[serde(skip)]
    pub changes: Vec<Change>,
    /// The changes of derived files.
    #[serde(skip)]
    pub derived: Vec<Change>,
    /// Derived files that are rebuilt instead, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remade: Vec<DerivedState>,
    /// Records that remained when the step removed equal ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<EqualRecords>,
    /// Records that an undo or redo counts as restored by itself: another program restored them first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<EqualRecords>,
}

/// Equal records of a file: the file, the digest of one of them, and their number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EqualRecords(pub String, pub u64, pub u64);

/// A derived file as it was. Its bytes are not kept: palimp rebuilds them from the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivedState {
    /// Relative to the store's root.
    #[serde(with = "crate::model::path_text::serde_path")]
    pub path: PathBuf,
    /// A digest of its bytes: it shows whether a rebuilt file is the same.
    pub digest: String,
    /// When it was written, if known: the times inside the file are of that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// The length above which undo data has only a digest of a file that undo removes. Logs and files
/// outside the store are always kept whole.
const SHORT: usize = 64;

/// Returns the first half of the SHA-256 of the bytes, in hexadecimal.
pub fn digest(bytes: &Bytes) -> String {
    let mut digest = Sha256::new();
    bytes.slices().into_iter().flatten().for_each(|slice| digest.update(slice));
    hex(&digest.finalize()[..16])
}

/// Returns the bytes of a file if they have this digest, else bytes that the file does not have.
pub type MadeBytes<'f> = &'f dyn Fn(&Path, &str) -> Bytes;

/// A file of a step: its path, what the step does to it, its mode, and the user and group that it had if it is restored.
type StepFileEntry = (String, ActHeader, u32, Option<(u32, u32)>);

/// The line of JSON, with the lengths of the bytes after it.
#[derive(Serialize, Deserialize)]
struct StepHeader<'s> {
    #[serde(flatten)]
    step: Cow<'s, UndoStep>,
    changes: Vec<StepFileEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    derived: Vec<StepFileEntry>,
    bytes: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActHeader {
    MakeFolder,
    RemoveFolder,
    Expire(u64),
    Create(usize),
    Append(usize),
    Remove(usize),
    /// A file that undo removes. Only its digest is kept, because its bytes are on disk.
    RemoveMade(String),
    Splice(Vec<(u64, usize, usize, usize)>),
}

impl UndoStep {
    /// Returns the parts of its undo data: the line of JSON, and the bytes after it, which are not copied.
    pub fn parts(&self) -> Vec<Cow<'_, [u8]>> {
        let mut body = vec![Cow::default()];
        let changes = self.changes.iter().map(|change| entry(change, &mut body)).collect();
        let derived = self.derived.iter().map(|change| entry(change, &mut body)).collect();
        let bytes = body.iter().map(|part| part.len()).sum();
        let head = StepHeader { step: Cow::Borrowed(self), changes, derived, bytes };
        // Text and numbers always have a JSON form.
        body[0] = [serde_json::to_vec(&head).unwrap_or_default(), b"\n".to_vec()].concat().into();
        body
    }

    /// Returns its undo data.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.parts().concat()
    }

    /// Reads the file; `None` if a crash left it incomplete. `find` returns files that the step made.
    pub fn read(bytes: &Bytes, find: MadeBytes<'_>) -> Option<UndoStep> {
        let feed = memchr::memchr(b'\n', bytes)?;
        let head: StepHeader<'_> = serde_json::from_slice(&bytes[..feed]).ok()?;
        let mut body = bytes.part(feed + 1..bytes.len());
        if body.len() != head.bytes {
            return None;
        }
        let mut read = |entries: Vec<StepFileEntry>| -> Option<Vec<Change>> {
            entries.into_iter().map(|entry| change(entry, &mut body, find)).collect()
        };
        let (changes, derived) = (read(head.changes)?, read(head.derived)?);
        Some(UndoStep { changes, derived, ..head.step.into_owned() })
    }
}

/// Adds what a change needs to the parts after the line of JSON.
fn entry<'c>(change: &'c Change, body: &mut Vec<Cow<'c, [u8]>>) -> StepFileEntry {
    let mut put = |bytes: &'c [u8]| {
        body.push(bytes.into());
        bytes.len()
    };
    let act = match &change.act {
        Act::MakeFolder => ActHeader::MakeFolder,
        Act::RemoveFolder => ActHeader::RemoveFolder,
        Act::Expire(len) => ActHeader::Expire(*len),
        Act::Create(bytes) => ActHeader::Create(put(bytes)),
        Act::Append(bytes) => ActHeader::Append(put(bytes)),
        Act::Remove(bytes)
            if bytes.len() > SHORT && !is_log(&change.path) && !change.path.starts_with("..") =>
        {
            ActHeader::RemoveMade(digest(bytes))
        }
        Act::Remove(bytes) => ActHeader::Remove(put(bytes)),
        Act::Splice(splices) => {
            let mut word =
                |own: &'c Splice| (own.start, put(&own.was), put(&own.becomes), put(&own.line_before));
            ActHeader::Splice(splices.iter().map(&mut word).collect())
        }
    };
    let owner = change.owner.map(|own| (own.user, own.group));
    (change.path.to_text().into_owned(), act, change.mode, owner)
}

fn change((path, act, mode, owner): StepFileEntry, body: &mut Bytes, find: MadeBytes<'_>) -> Option<Change> {
    let path = path_from_text(&path);
    let mut take = |len: usize| {
        let part = (len <= body.len()).then(|| body.part(0..len))?;
        *body = body.part(len..body.len());
        Some(part)
    };
    let act = match act {
        ActHeader::MakeFolder => Act::MakeFolder,
        ActHeader::RemoveFolder => Act::RemoveFolder,
        ActHeader::Expire(len) => Act::Expire(len),
        ActHeader::Create(len) => Act::Create(take(len)?),
        ActHeader::Append(len) => Act::Append(take(len)?.to_vec()),
        ActHeader::Remove(len) => Act::Remove(take(len)?),
        ActHeader::RemoveMade(made) => Act::Remove(find(&path, &made)),
        ActHeader::Splice(splices) => {
            let mut own = Vec::with_capacity(splices.len());
            for (start, was, becomes, behind) in splices {
                let (was, becomes, line_before) = (take(was)?, take(becomes)?, take(behind)?);
                own.push(Splice { start, was, becomes, line_before });
            }
            Act::Splice(own)
        }
    };
    let owner = owner.map(|(user, group)| Owner { user, group });
    Some(Change { path, act, base: None, mode, owner })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use crate::model::{UndoRedo, Verb};

    #[test]
    fn what_takes_a_step_back_is_read_as_it_was_written() {
        let odd = PathBuf::from(OsString::from_vec(vec![b'a', 0xff]));
        let mut step = UndoStep {
            line: JournalLine {
                verb: Verb::Edit,
                at: "2026-01-01T00:00:00Z".into(),
                records: 2,
                turn: Some(UndoRedo::Undo(7)),
                change: Some("7f".into()),
                ..JournalLine::default()
            },
            process: Some(12),
            new_keys: vec![("0000000a@000000000000000b".into(), "0000000a@000000000000000c".into())],
            changes: vec![
                Change::create("b", "x\n").inverse(),
                Change {
                    base: None,
                    ..Change::edits(odd, b"one\ntwo\n".as_slice().into(), vec![(0..3, b"1".to_vec())])
                },
                Change::make_folder("c"),
            ],
            derived: vec![Change { base: None, ..Change::append("d", "y\n", None) }],
            remade: vec![DerivedState { path: "index.json".into(), digest: digest(&"{}".into()), at: None }],
            twins: vec![EqualRecords("b".into(), 7, 2)],
            claimed: vec![EqualRecords("b".into(), 8, 1)],
        };
        step.changes[0].base = None;
        let bytes = Bytes::from(step.to_bytes());
        assert_eq!(UndoStep::read(&bytes, &|_, _| Bytes::default()), Some(step));
        for cut in 0..bytes.len() {
            assert_eq!(UndoStep::read(&bytes.part(0..cut), &|_, _| Bytes::default()), None, "cut at {cut}");
        }
    }
}
