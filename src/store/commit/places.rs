//! Where the lines of a file are, by what they say and by the ids of their records. Each is
//! looked through once, when it is first asked for, however many lines are sought in it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use crate::text::edit;
use crate::text::json::Kind;
use crate::text::lines;
use crate::text::scan::Tape;

/// The lines of a file as it is now.
pub struct Places<'a> {
    pub now: &'a [u8],
    hasher: RandomState,
    /// The starts of the lines of each digest, ascending.
    starts: OnceCell<HashMap<u64, Vec<usize>>>,
    /// The first line of each id.
    ids: OnceCell<HashMap<String, Same<'a>>>,
    /// What each line says without what it ends with.
    said: OnceCell<HashSet<&'a [u8]>>,
}

/// A line that is a record of an id that is sought.
#[derive(Clone, Copy)]
pub struct Same<'a> {
    pub start: usize,
    pub line: &'a [u8],
    /// Whether others have that id.
    pub has_others: bool,
}

impl<'a> Places<'a> {
    pub fn of(now: &'a [u8]) -> Self {
        let (starts, ids, said) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Places { now, hasher: RandomState::new(), starts, ids, said }
    }

    fn starts(&self) -> &HashMap<u64, Vec<usize>> {
        self.starts.get_or_init(|| {
            // The first line is behind the byte order mark as well as with it.
            let marked = self.now.starts_with(lines::BOM).then_some(lines::BOM.len());
            let mut starts: HashMap<u64, Vec<usize>> = HashMap::new();
            for start in lines::lines(self.now).map(|line| line.start).chain(marked) {
                starts.entry(self.digest(&self.now[start..])).or_default().push(start);
            }
            starts
        })
    }

    /// Of the first line of the bytes, without its end.
    fn digest(&self, bytes: &[u8]) -> u64 {
        let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        self.hasher.hash_one(&bytes[..end])
    }

    /// Where those whole lines are, but for the places that are taken; of equal ones those
    /// that are behind the line they was behind, or else the first.
    pub fn find(&self, wanted: &[u8], behind: Option<&[u8]>, taken: &HashSet<usize>) -> Option<usize> {
        let now = self.now;
        let ends = |at: usize| wanted.ends_with(b"\n") || now.get(at).is_none_or(|byte| *byte == b'\n');
        let is_here = |start: usize| now[start..].starts_with(wanted) && ends(start + wanted.len());
        let own = |start: usize| match behind {
            Some(line) if !line.is_empty() => now[..start].ends_with(line),
            Some(_) => start == 0,
            None => true,
        };
        let same = self.starts().get(&self.digest(wanted)).map_or(&[][..], Vec::as_slice);
        let free = || same.iter().copied().filter(|start| !taken.contains(start) && is_here(*start));
        free().find(|start| own(*start)).or_else(|| free().next())
    }

    /// The first line that is a record of that id.
    pub fn of_id(&self, id: &str) -> Option<Same<'a>> {
        self.ids().get(id).copied()
    }

    fn ids(&self) -> &HashMap<String, Same<'a>> {
        self.ids.get_or_init(|| {
            let mut ids: HashMap<String, Same<'a>> = HashMap::new();
            for own in lines::lines(self.now) {
                let line = &self.now[own.start..own.next];
                let same = Same { start: own.start, line, has_others: false };
                if let Some(id) = id_of(line) {
                    ids.entry(id).and_modify(|first| first.has_others = true).or_insert(same);
                }
            }
            ids
        })
    }

    /// Whether it has any of the lines, or a record of the same id as one of them.
    pub fn has_any(&self, wanted: &[u8]) -> bool {
        let there = self.said.get_or_init(|| said(self.now).collect());
        said(wanted)
            .any(|line| there.contains(line) || id_of(line).is_some_and(|id| self.ids().contains_key(&id)))
    }
}

/// What each line says, without what it ends with.
fn said(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = lines::lines(bytes).map(|line| bytes[line.start..line.next].trim_ascii_end());
    lines.filter(|line| !line.is_empty())
}

/// The id of the one record that is all of a line.
pub fn id_of(line: &[u8]) -> Option<String> {
    let mut tape = Tape::default();
    let record = edit::scan(&mut tape, line).ok().filter(|record| record.kind() == Kind::Object)?;
    record.get("id")?.text().map(|id| id.into_owned())
}
