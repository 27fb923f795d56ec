//! What erased records said, in every version that is found: what is searched for.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::telling::Said;
use super::wanted::{Wanted, original};
use crate::format::{Format, Shape};
use crate::model::{Document, Record, Role, Span, Tell, View};
use crate::text::edit;
use crate::text::front_matter::Note;
use crate::text::needle::Needles;
use crate::text::scan::Tape;

/// What the versions of the erased records say.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Main texts and whole records.
    pub(super) main: BTreeSet<Vec<u8>>,
    /// The other values: tags, paths, reasons.
    pub(super) beside: BTreeSet<Vec<u8>>,
    /// What parts of documents say: records that stay may repeat it.
    parts: BTreeSet<Vec<u8>>,
    /// What may stand in the names of the records, too.
    pub(super) said: Said,
}

/// What can be searched for, and what can't be because others say it too.
pub struct Sought {
    /// What nothing that stays says.
    pub needles: Needles,
    /// Main texts alone: enough to tell a torn record, or a line of our own copies.
    pub main: Needles,
    /// What erased parts of documents say, and no part that stays.
    pub parts: Needles,
    /// Other records that hold the same main text: `file:line id`.
    pub alike: Vec<String>,
    /// How many values other records have as well.
    pub also_elsewhere: usize,
}

impl Contents {
    /// Takes in the wanted records of a file. Returns how many there are.
    pub fn see(&mut self, wanted: &Wanted<'_>, path: &Path, bytes: &[u8]) -> usize {
        let records = wanted.read(path, bytes, None);
        let count = self.see_records(wanted, path, &records, &|record| raw(bytes, record));
        count + self.see_parts(wanted, path, bytes)
    }

    /// Takes in lines of a file, which may be a part of a wanted record.
    pub fn see_lines(&mut self, wanted: &Wanted<'_>, path: &Path, bytes: &[u8]) {
        let mut own = Contents::default();
        own.see(wanted, path, bytes);
        self.beside.extend(own.main.into_iter().chain(own.beside));
        self.parts.extend(own.parts);
        self.said.add(&own.said);
    }

    /// The same of a file that was read.
    pub fn see_document(&mut self, wanted: &Wanted<'_>, own: &Document) -> usize {
        let records = wanted.records(own);
        let count = self.see_records(wanted, &own.path, &records, &|record| own.raw(record));
        count + self.see_parts(wanted, &own.path, &own.bytes)
    }

    fn see_parts(&mut self, wanted: &Wanted<'_>, path: &Path, bytes: &[u8]) -> usize {
        let spans = wanted.parts(path, bytes);
        for span in &spans {
            let mut own = Contents::default();
            let raw = bytes.get(span.start as usize..span.end as usize).unwrap_or_default();
            own.take(wanted, path, raw, None);
            self.said.add(&own.said);
            self.parts.extend(own.main.iter().chain(&own.beside).cloned());
            self.main.extend(own.main);
            self.beside.extend(own.beside);
        }
        spans.len()
    }

    /// What parts say that are erased, and no part of the same file that stays.
    pub(super) fn parts(&self, wanted: &Wanted<'_>, documents: &[Arc<Document>]) -> Needles {
        let parts = Needles::of(&self.parts);
        let Some(erases) = wanted.erases().filter(|_| !parts.is_empty()) else { return parts };
        let mut shared = BTreeSet::new();
        let files: HashSet<&Path> = wanted.targets.iter().map(|target| &*target.file).collect();
        for own in documents.iter().filter(|own| files.contains(&*own.path)) {
            let taken: HashSet<Span> = wanted.parts(&own.path, &own.bytes).into_iter().collect();
            let stay = erases.parts(&own.path, &own.bytes).into_iter().map(|part| part.span);
            for span in stay.filter(|span| !taken.contains(span)) {
                shared.extend(parts.which(&own.bytes[span.start as usize..span.end as usize]));
            }
        }
        parts.without(&shared)
    }

    fn see_records<'b>(
        &mut self,
        wanted: &Wanted<'_>,
        path: &Path,
        records: &[Record],
        raw: &dyn Fn(&Record) -> &'b [u8],
    ) -> usize {
        if wanted.role(path) == Role::Tombstones {
            let own = records.iter().filter(|own| wanted.takes(path, raw(own), own.view(), None));
            own.for_each(|own| self.see_tombstone(wanted, raw(own)));
            return 0;
        }
        let mut count = 0;
        for record in records.iter().filter(|own| wanted.takes(path, raw(own), own.view(), None)) {
            let raw = raw(record);
            wanted.remember(raw);
            self.main.insert(raw.to_vec());
            match record.view() {
                Some(view) => self.take(wanted, path, raw, Some(view)),
                None => drop(self.said.values.insert(raw.to_vec())),
            }
            count += 1;
        }
        count
    }

    /// Takes in what a tombstone says of its record besides its name: why it was deleted.
    fn see_tombstone(&mut self, wanted: &Wanted<'_>, raw: &[u8]) {
        let mut beside = Vec::new();
        take_strings(wanted.format, raw, &mut beside);
        self.said.values.extend(beside.iter().filter(|value| !wanted.named.is(value)).cloned());
        self.beside.extend(beside.into_iter().filter(|value| !wanted.named.has(value)));
    }

    fn take(&mut self, wanted: &Wanted<'_>, path: &Path, raw: &[u8], view: Option<View<'_>>) {
        let (format, text) = (wanted.format, String::from_utf8_lossy(raw));
        let mut beside: Vec<Vec<u8>> = Vec::new();
        match format.shape(&original(path)) {
            Shape::Json => self.take_json(format, raw, &mut beside),
            Shape::Markdown => {
                let note = Note::read(&text);
                self.take_main(text.get(note.body.clone()).unwrap_or_default());
                let fields = note
                    .fields
                    .iter()
                    .filter(|own| own.name != "id" && !format.unsearched().contains(&own.name));
                beside.extend(fields.map(|own| own.value.plain().into_bytes()));
            }
            Shape::Text => drop(self.said.texts.insert(raw.to_vec())),
        }
        // Which other records and sessions are meant says nothing.
        let meant: HashSet<&[u8]> = view.into_iter().flat_map(meant).collect();
        let says = |value: &&Vec<u8>| !wanted.named.is(value) && !meant.contains(value.as_slice());
        self.said.values.extend(beside.iter().filter(says).cloned());
        // What names the record stays: in the tombstone, in the journal, in paths.
        self.beside.extend(beside.into_iter().filter(|value| !wanted.named.has(value)));
    }

    fn take_main(&mut self, text: &str) {
        self.main.insert(text.into());
        self.said.texts.insert(text.into());
    }

    fn take_json(&mut self, format: &dyn Format, raw: &[u8], beside: &mut Vec<Vec<u8>>) {
        let mut tape = Tape::default();
        let Ok(value) = edit::scan(&mut tape, raw) else { return };
        self.take_main(&format.main_text(value).0);
        take_strings(format, raw, beside);
    }

    /// Main texts and whole records, whoever else says them.
    pub fn main(&self) -> Needles {
        Needles::of(&self.main)
    }

    /// All that they say, whoever else says it.
    pub fn all(&self) -> Needles {
        Needles::of(self.main.iter().chain(&self.beside))
    }

    /// What is to be searched for, where `documents` are those that stay. What another record
    /// says is that record's.
    pub fn sought(&self, wanted: &Wanted<'_>, documents: &[Arc<Document>]) -> Sought {
        let main = self.main();
        let all = self.all();
        let (mut shared_main, mut shared) = (BTreeSet::new(), BTreeSet::new());
        let mut alike = Vec::new();
        for own in documents.iter().filter(|own| own.role != Role::Index) {
            if own.records.is_empty() || own.role == Role::Tombstones {
                // A value that the settings or the session's data have is not the record's alone.
                let found = all.which(&own.bytes);
                shared.extend(found.into_iter().filter(|at| *at >= main.len()));
                continue;
            }
            for record in &own.records {
                let raw = own.raw(record);
                if wanted.takes(&own.path, raw, record.view(), None) {
                    continue;
                }
                shared.extend(all.which(raw));
                let found = main.which(raw);
                if !found.is_empty() {
                    let id = record.view().and_then(|view| view.id).unwrap_or("(no id)");
                    alike.push(format!("{}:{} {id}", own.path.told(), record.line));
                }
                shared_main.extend(found);
            }
        }
        Sought {
            also_elsewhere: shared.len(),
            needles: all.without(&shared),
            main: main.without(&shared_main),
            parts: Needles::default(),
            alike,
        }
    }
}

/// What a record refers to, and what else it may be called.
fn meant(view: View<'_>) -> impl Iterator<Item = &[u8]> {
    let names = view.references.map(|own| own.to).chain(view.names);
    names.map(|name| name.text.as_bytes())
}

/// Every text of an object but for those that name it, and those that are not searched for.
fn take_strings(format: &dyn Format, raw: &[u8], beside: &mut Vec<Vec<u8>>) {
    let mut tape = Tape::default();
    let Ok(value) = edit::scan(&mut tape, raw) else { return };
    value.each_string(&mut |path, value| {
        let name = path.last().map_or("", |name| name.as_ref());
        let is_id = path.len() == 1 && matches!(name, "id" | "event_id" | "session_id");
        if !is_id && !format.unsearched().contains(&name) {
            beside.push(value.plain().into_bytes());
        }
    });
}

/// The bytes of a record.
pub fn raw<'b>(bytes: &'b [u8], record: &Record) -> &'b [u8] {
    bytes.get(record.span.start as usize..record.span.end as usize).unwrap_or_default()
}
