//! What erased records said, in every version that is found: what is searched for.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::matcher::{ErasureMatcher, original};
use super::revealing_names::ErasedTexts;
use crate::format::{Format, RecordSyntax};
use crate::model::{Document, PathText, Record, Role, Span, View};
use crate::text::front_matter::Note;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;
use crate::text::needle::Needles;

/// A text that is held once, however often it is said.
pub(super) type SharedText = Arc<[u8]>;

/// What the versions of the erased records say.
#[derive(Clone, Debug, Default)]
pub struct ErasedContents {
    /// Main texts and whole records.
    pub(super) main: BTreeSet<SharedText>,
    /// The other values: tags, paths, reasons.
    pub(super) beside: BTreeSet<SharedText>,
    /// What parts of documents say: records that stay may repeat it.
    parts: BTreeSet<SharedText>,
    /// What may stand in the names of the records, too.
    pub(super) said: ErasedTexts,
}

/// What can be searched for, and what can't be because others say it too.
pub struct SearchTexts {
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

impl ErasedContents {
    /// Takes in the wanted records of a file. Returns how many there are.
    pub fn see(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) -> usize {
        let records = wanted.read_new(path, bytes, None);
        let count = self.see_records(wanted, path, &records, &|record| raw(bytes, record).into());
        count + self.see_parts(wanted, path, bytes)
    }

    /// Takes in lines of a file, which may be a part of a wanted record.
    pub fn see_lines(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) {
        let mut own = ErasedContents::default();
        own.see(wanted, path, bytes);
        self.beside.extend(own.main.into_iter().chain(own.beside));
        self.parts.extend(own.parts);
        self.said.add(&own.said);
    }

    /// The same of a file that was read.
    pub fn see_document(&mut self, wanted: &ErasureMatcher<'_>, own: &Document) -> usize {
        let records = wanted.records(own);
        let count = self.see_records(wanted, &own.path, &records, &|record| own.raw(record));
        count + self.see_parts(wanted, &own.path, &own.bytes)
    }

    fn see_parts(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) -> usize {
        let spans = wanted.parts(path, bytes);
        for span in &spans {
            let mut own = ErasedContents::default();
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
    pub(super) fn parts(&self, wanted: &ErasureMatcher<'_>, documents: &[Arc<Document>]) -> Needles {
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
        wanted: &ErasureMatcher<'_>,
        path: &Path,
        records: &[Record],
        raw: &dyn Fn(&Record) -> Cow<'b, [u8]>,
    ) -> usize {
        if wanted.role(path) == Role::Tombstones {
            let own = records.iter().filter(|own| wanted.is_erased(path, &raw(own), own.view(), None));
            own.for_each(|own| self.see_tombstone(wanted, &raw(own)));
            return 0;
        }
        let mut count = 0;
        for record in records.iter().filter(|own| wanted.is_erased(path, &raw(own), own.view(), None)) {
            let raw = raw(record);
            let text = self.text(&raw);
            wanted.remember(&text);
            self.main.insert(Arc::clone(&text));
            match record.view() {
                Some(view) => self.take(wanted, path, &raw, Some(view)),
                None => drop(self.said.values.insert(text)),
            }
            count += 1;
        }
        count
    }

    /// Takes in what a tombstone says of its record besides its name: why it was deleted.
    fn see_tombstone(&mut self, wanted: &ErasureMatcher<'_>, raw: &[u8]) {
        let mut beside = Vec::new();
        self.take_strings(wanted.format, raw, &mut beside);
        self.said.values.extend(beside.iter().filter(|value| !wanted.target_names.is(value)).cloned());
        self.beside.extend(beside.into_iter().filter(|value| !wanted.target_names.has(value)));
    }

    fn take(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, raw: &[u8], view: Option<View<'_>>) {
        let (format, text) = (wanted.format, String::from_utf8_lossy(raw));
        let mut beside: Vec<SharedText> = Vec::new();
        match format.syntax(&original(path)) {
            RecordSyntax::Json => self.take_json(format, raw, &mut beside),
            RecordSyntax::Markdown => {
                let note = Note::read(&text);
                self.take_main(text.get(note.body.clone()).unwrap_or_default());
                let fields = note
                    .fields
                    .iter()
                    .filter(|own| own.name != "id" && !format.about().unsearched.contains(&own.name));
                beside.extend(fields.map(|own| self.text(own.value.plain().as_bytes())));
            }
            RecordSyntax::Text => {
                let text = self.text(raw);
                self.said.texts.insert(text);
            }
        }
        // Which other records and sessions are meant says nothing.
        let meant: HashSet<&[u8]> = view.into_iter().flat_map(meant).collect();
        let says = |value: &&SharedText| !wanted.target_names.is(value) && !meant.contains(&***value);
        self.said.values.extend(beside.iter().filter(says).cloned());
        // What names the record stays: in the tombstone, in the journal, in paths.
        self.beside.extend(beside.into_iter().filter(|value| !wanted.target_names.has(value)));
    }

    fn take_main(&mut self, text: &str) {
        let text = self.text(text.as_bytes());
        self.main.insert(Arc::clone(&text));
        self.said.texts.insert(text);
    }

    /// A text as it is held, if it was said before.
    fn text(&self, text: &[u8]) -> SharedText {
        let all = [&self.main, &self.beside, &self.said.texts, &self.said.values];
        all.iter().find_map(|own| own.get(text)).map_or_else(|| text.into(), Arc::clone)
    }

    fn take_json(&mut self, format: &dyn Format, raw: &[u8], beside: &mut Vec<SharedText>) {
        let mut tape = Tape::default();
        let Ok(value) = json_edit::scan(&mut tape, raw) else { return };
        self.take_main(&format.main_text(value).0);
        self.take_strings(format, raw, beside);
    }

    /// Every text of an object but for those that name it, and those that are not searched for.
    fn take_strings(&self, format: &dyn Format, raw: &[u8], beside: &mut Vec<SharedText>) {
        let mut tape = Tape::default();
        let Ok(value) = json_edit::scan(&mut tape, raw) else { return };
        value.each_string(&mut |path, value| {
            let name = path.last().map_or("", |name| name.as_ref());
            let is_id = path.len() == 1 && matches!(name, "id" | "event_id" | "session_id");
            if !is_id && !format.about().unsearched.contains(&name) {
                beside.push(self.text(value.plain().as_bytes()));
            }
        });
    }

    /// Main texts and whole records, whoever else says them.
    pub fn main(&self) -> Needles {
        Needles::of(&self.main)
    }

    /// All that they say, whoever else says it, and main texts and whole records alone.
    pub fn needles(&self) -> (Needles, Needles) {
        Needles::of_both(self.main.iter().cloned(), self.beside.iter().cloned())
    }
}

/// What is to be searched for, while it is found out what others say too.
pub(super) struct SearchTextFilter<'a> {
    wanted: &'a ErasureMatcher<'a>,
    /// What the erased records say: all of it, and main texts and whole records alone.
    all: &'a Needles,
    main: &'a Needles,
    shared: BTreeSet<usize>,
    alike: Vec<String>,
    /// The records that were searched, and whether a main text is in each: copies have the same.
    searched: HashMap<u64, bool>,
}

impl<'a> SearchTextFilter<'a> {
    pub(super) fn of(
        wanted: &'a ErasureMatcher<'a>,
        (all, main): (&'a Needles, &'a Needles),
    ) -> SearchTextFilter<'a> {
        SearchTextFilter {
            wanted,
            all,
            main,
            shared: BTreeSet::new(),
            alike: Vec::new(),
            searched: HashMap::new(),
        }
    }

    /// Takes in a document that stays: what another record says is that record's.
    pub(super) fn see(&mut self, own: &Document) {
        if own.role == Role::Index {
            return;
        }
        if own.records.is_empty() || own.role == Role::Tombstones {
            // A value that the settings or the session's data have is not the record's alone.
            let found = self.all.which(&own.bytes);
            self.shared.extend(found.into_iter().filter(|at| *at >= self.main.len()));
            return;
        }
        for record in &own.records {
            let raw = own.raw(record);
            if !self.wanted.is_erased(&own.path, &raw, record.view(), None) && self.is_alike(&raw) {
                // Each that is alike is told, copies as well.
                self.wanted.kept_lines.forget(&raw);
                let id = record.view().and_then(|view| view.id).unwrap_or("(no id)");
                self.alike.push(format!("{}:{} {id}", own.path.to_text(), record.line));
            }
        }
    }

    /// Whether a record that stays has a main text. What it has is shared.
    fn is_alike(&mut self, raw: &[u8]) -> bool {
        *self.searched.entry(self.wanted.kept_lines.hash(raw)).or_insert_with(|| {
            let found = self.all.which(raw);
            let is_alike = found.first().is_some_and(|at| *at < self.main.len());
            self.shared.extend(found);
            is_alike
        })
    }

    /// What only erased records say.
    pub(super) fn sought(self) -> SearchTexts {
        SearchTexts {
            also_elsewhere: self.shared.len(),
            needles: self.all.without(&self.shared).with_cut(),
            main: self
                .main
                .without(&self.shared.into_iter().filter(|at| *at < self.main.len()).collect())
                .with_cut(),
            parts: Needles::default(),
            alike: self.alike,
        }
    }
}

/// What a record refers to, and what else it may be called.
fn meant(view: View<'_>) -> impl Iterator<Item = &[u8]> {
    let names = view.references.map(|own| own.to).chain(view.names);
    names.map(|name| name.text.as_bytes())
}

/// The bytes of a record.
pub fn raw<'b>(bytes: &'b [u8], record: &Record) -> &'b [u8] {
    bytes.get(record.span.start as usize..record.span.end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::write_new;
    use crate::format;
    use crate::model::{Extent, Moment};
    use crate::store::erase::ErasureTarget;
    use crate::store::{Place, load};

    /// A torn line of a record, or its text in a file of somebody's own, is told by that text alone.
    #[test]
    fn a_text_is_looked_for_with_all_the_blanks_that_are_in_it() {
        let now = Moment(1_770_000_000_000_000);
        for text in [format!("short{}and a tail.", " ".repeat(1_100)), format!("{}tail", "long ".repeat(300))]
        {
            let folder = crate::folder::new();
            let line =
                format!("{{\"id\":\"mem_1\",\"session_id\":\"s\",\"content\":{{\"message\":\"{text}\"}}}}\n");
            write_new(&folder.path().join("sessions/s/memory.jsonl"), line.as_bytes()).unwrap();
            let place = Place::whole(folder.path().to_owned(), "session-log");
            let store = load(&place, Extent::Whole, None, now);
            let targets = [ErasureTarget::of(&store, &store.entries[0], b"salt", None)];
            let wanted = ErasureMatcher::of(format::by_name("session-log").unwrap(), &store, &targets, now);
            let mut contents = ErasedContents::default();
            for own in &store.documents {
                contents.see_document(&wanted, own);
            }
            assert!(contents.main().any(text.as_bytes()), "{}", &text[..9]);
            assert!(!contents.main().any(b"something else that is long enough"));
        }
    }
}
