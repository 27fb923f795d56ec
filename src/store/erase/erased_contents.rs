//! Collects the texts of erased records, in every version found. A later search looks for them.

use crate::store::erase::erasure_target::{ErasureTarget, SharedText};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::matcher::{ErasureMatcher, is_live};
use super::revealing_names::ErasedTexts;
use super::salted_digests::{salt_of, salted};
use crate::format::writing::DELETION_REASON;
use crate::format::{Format, RecordSyntax};
use crate::model::{Document, PathText, Record, Role, Span, StoredMemory, is_log};
use crate::store::erase::original_path::{is_log_or_copy, original};
use crate::text::front_matter::Note;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;
use crate::text::needle::Needles;

/// The texts of all versions of the erased records.
#[derive(Clone, Debug, Default)]
pub struct ErasedContents {
    /// Main texts and complete records.
    pub main: BTreeSet<SharedText>,
    /// Other values: tags, paths, reasons.
    pub(super) beside: BTreeSet<SharedText>,
    /// Texts of erased parts of documents. Records that stay may repeat them.
    parts: BTreeSet<SharedText>,
    /// All texts that a name of a record could repeat.
    pub(super) said: ErasedTexts,
}

/// The texts to search for, without those that remaining content also has.
pub struct SearchTexts {
    /// Texts that no remaining content has.
    pub needles: Needles,
    /// Main texts only. They are enough to recognize a torn record, or a line of palimp's own copies.
    pub main: Needles,
    /// Texts of erased parts that no remaining part has.
    pub parts: Needles,
    /// Remaining records with the same main text, as `file:line id`.
    pub alike: Vec<String>,
    /// The number of texts that remaining content also has.
    pub also_elsewhere: usize,
}

impl ErasedContents {
    /// Collects the texts of the wanted records and parts of a file. Returns their number.
    pub fn see(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) -> usize {
        let records = wanted.read(path, bytes, None);
        let goes = |raw: &[u8], memory: Option<&StoredMemory>| wanted.is_erased(path, raw, memory, None);
        let count = self.see_records(wanted, path, &records, &|record| raw(bytes, record).into(), &goes);
        count + self.see_parts(wanted, (path, bytes), false)
    }

    /// Collects texts from lines that may be part of a wanted record. None of them is a main text.
    pub fn see_lines(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, bytes: &[u8]) {
        let mut own = ErasedContents::default();
        own.see(wanted, path, bytes);
        self.beside.extend(own.main.into_iter().chain(own.beside));
        self.parts.extend(own.parts);
        self.said.add(&own.said);
    }

    /// Like `see`, for a file that is already read.
    pub fn see_document(&mut self, wanted: &ErasureMatcher<'_>, own: &Document) -> usize {
        let records = wanted.records(own);
        let goes = |raw: &[u8], memory: Option<&StoredMemory>| wanted.takes(own, raw, memory, None);
        let count = self.see_records(wanted, &own.path, &records, &|record| own.raw(record), &goes);
        count + self.see_parts(wanted, (&own.path, &own.bytes), is_live(own))
    }

    fn see_parts(
        &mut self,
        wanted: &ErasureMatcher<'_>,
        (path, bytes): (&Path, &[u8]),
        is_live: bool,
    ) -> usize {
        let spans = wanted.parts(path, bytes, is_live);
        for span in &spans {
            let mut own = ErasedContents::default();
            let raw = bytes.get(span.range()).unwrap_or_default();
            own.take(wanted, path, raw, None);
            self.said.add(&own.said);
            self.parts.extend(own.main.iter().chain(&own.beside).cloned());
            self.main.extend(own.main);
            self.beside.extend(own.beside);
        }
        spans.len()
    }

    /// Returns the texts of erased parts that no remaining part of the same file has.
    pub(super) fn parts(&self, wanted: &ErasureMatcher<'_>, documents: &[Arc<Document>]) -> Needles {
        let parts = Needles::of(&self.parts);
        let Some(erases) = wanted.erases().filter(|_| !parts.is_empty()) else { return parts };
        let mut shared = BTreeSet::new();
        let files: HashSet<&Path> = wanted.targets.iter().map(|target| &*target.file).collect();
        for own in documents.iter().filter(|own| files.contains(&*own.path)) {
            let taken: HashSet<Span> =
                wanted.parts(&own.path, &own.bytes, is_live(own)).into_iter().collect();
            let stay = erases.parts(&own.path, &own.bytes).into_iter().map(|part| part.span);
            for span in stay.filter(|span| !taken.contains(span)) {
                shared.extend(parts.which(&own.bytes[span.range()]));
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
        goes: &dyn Fn(&[u8], Option<&StoredMemory>) -> bool,
    ) -> usize {
        if wanted.role(path) == Role::Tombstones {
            let own = records.iter().filter(|own| goes(&raw(own), own.memory()));
            own.for_each(|own| self.see_tombstone(wanted, &raw(own)));
            return 0;
        }
        let mut count = 0;
        for record in records.iter().filter(|own| goes(&raw(own), own.memory())) {
            let raw = raw(record);
            if record.memory().is_some_and(|memory| wanted.came_late(path, &raw, memory)) {
                continue;
            }
            let text = self.text(&raw);
            wanted.remember(&text);
            self.main.insert(Arc::clone(&text));
            match record.memory() {
                Some(memory) => self.take(wanted, path, &raw, Some(memory)),
                None => drop(self.said.values.insert(text)),
            }
            count += 1;
        }
        count
    }

    /// Collects what a tombstone says besides names, such as the reason of the deletion.
    fn see_tombstone(&mut self, wanted: &ErasureMatcher<'_>, raw: &[u8]) {
        let mut beside = Vec::new();
        self.take_strings(wanted.format, raw, &mut beside);
        // palimp's own code is no content: nearly every tombstone has it.
        beside.retain(|value| **value != *DELETION_REASON.as_bytes());
        self.said.values.extend(beside.iter().filter(|value| !wanted.target_names.is(value)).cloned());
        self.beside.extend(beside.into_iter().filter(|value| !wanted.target_names.has(value)));
    }

    fn take(&mut self, wanted: &ErasureMatcher<'_>, path: &Path, raw: &[u8], memory: Option<&StoredMemory>) {
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
                beside.extend(fields.map(|own| self.text(format.field_text(own).as_bytes())));
            }
            RecordSyntax::Text => {
                let text = self.text(raw);
                self.said.texts.insert(text);
            }
        }
        // The names of other records and sessions reveal nothing.
        let meant: HashSet<&[u8]> = memory.into_iter().flat_map(meant).collect();
        let says = |value: &&SharedText| !wanted.target_names.is(value) && !meant.contains(&***value);
        self.said.values.extend(beside.iter().filter(says).cloned());
        // The record's own names stay in the tombstone, in the journal and in paths.
        self.beside.extend(beside.into_iter().filter(|value| !wanted.target_names.has(value)));
    }

    fn take_main(&mut self, text: &str) {
        let text = self.text(text.as_bytes());
        self.main.insert(Arc::clone(&text));
        self.said.texts.insert(text);
    }

    fn text(&self, text: &[u8]) -> SharedText {
        let all = [&self.main, &self.beside, &self.said.texts, &self.said.values];
        all.iter().find_map(|own| own.get(text)).map_or_else(|| text.into(), Arc::clone)
    }

    fn take_json(&mut self, format: &dyn Format, raw: &[u8], beside: &mut Vec<SharedText>) {
        let mut tape = Tape::default();
        let Ok(value) = json_edit::scan(&mut tape, raw) else { return };
        let (main, members) = format.main_text(value);
        self.take_main(&main);
        // An event's text is put together: the longest string in it is what its file has.
        let mut longest = String::new();
        value.each_string(&mut |_, value| {
            let text = value.plain();
            let is_said = members.is_empty() && text.contains(' ');
            if is_said && text.len() > longest.len() && main.contains(&text) {
                longest = text;
            }
        });
        if !longest.is_empty() {
            self.take_main(&longest);
        }
        self.take_strings(format, raw, beside);
    }

    /// Collects every string of an object except ids and fields that the format does not search.
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

    pub fn main_texts(&self) -> impl Iterator<Item = &SharedText> {
        self.main.intersection(&self.said.texts)
    }

    /// Returns the targets with digests of the texts of all versions that were found. A document is known by its bytes,
    /// too.
    pub fn with_versions(&self, targets: &[ErasureTarget]) -> Vec<ErasureTarget> {
        let has_documents = targets.iter().any(|target| !is_log_or_copy(&target.file));
        let mut targets = targets.to_vec();
        let known: HashSet<String> = targets.iter().filter_map(|own| own.keyed.clone()).collect();
        let mut named = targets.iter_mut().filter(|own| own.id.is_some());
        if let Some((first, salt)) =
            named.find_map(|own| own.keyed.as_deref().and_then(salt_of).map(|salt| (own, salt)))
        {
            let texts = self.main.iter().filter(|text| has_documents || self.said.texts.contains(*text));
            let digests = texts.map(|text| salted(&salt, text));
            first.versions.extend(digests.filter(|own| !known.contains(own)));
        }
        targets
    }

    /// Returns salted digests of the records of live files that stay and have a main text.
    pub fn alike(
        &self,
        wanted: &ErasureMatcher<'_>,
        documents: &[Arc<Document>],
        salt: &[u8],
    ) -> Vec<String> {
        let (all, main) = self.needles();
        let mut filter = SearchTextFilter::of(wanted, (&all, &main));
        let mut found = Vec::new();
        for document in documents.iter().filter(|document| is_live(document)) {
            for record in &document.records {
                let raw = document.raw(record);
                if !wanted.takes(document, &raw, record.memory(), None) && filter.is_alike(&raw) {
                    found.push(salted(salt, &raw));
                }
            }
        }
        found
    }

    /// Returns all texts, and main texts alone, even if other records have them too.
    pub fn needles(&self) -> (Needles, Needles) {
        Needles::of_both(self.main.iter().cloned(), self.beside.iter().cloned())
    }
}

/// Finds out which texts remaining content also has.
pub(super) struct SearchTextFilter<'a> {
    wanted: &'a ErasureMatcher<'a>,
    /// All texts of the erased records. Those of `main` come first.
    all: &'a Needles,
    main: &'a Needles,
    shared: BTreeSet<usize>,
    alike: Vec<String>,
    /// Whether a record has a main text, by its hash. Copies are not searched again.
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

    /// Marks the texts that a remaining document also has.
    pub(super) fn see(&mut self, own: &Document) {
        if own.role == Role::Index {
            return;
        }
        if own.records.is_empty() || own.role == Role::Tombstones {
            // A value in the settings or the session's data does not belong to the record alone.
            let found = self.all.which(&own.bytes);
            self.shared.extend(found.into_iter().filter(|at| *at >= self.main.len()));
            return;
        }
        let mut all_stay = true;
        for record in &own.records {
            let raw = own.raw(record);
            let is_erased = self.wanted.takes(own, &raw, record.memory(), None);
            all_stay &= !is_erased;
            let is_new = is_live(own) && self.wanted.came_since(&raw);
            if !is_erased && (is_new || self.wanted.is_arrival(own, &raw, record.memory())) {
                // An erased text in it is found by the search, as it came after the erasure began.
                let (main, others): (Vec<_>, Vec<_>) =
                    self.all.which(&raw).into_iter().partition(|at| *at < self.main.len());
                all_stay &= is_new && main.is_empty();
                self.shared.extend(others);
                continue;
            }
            if !is_erased && self.is_alike(&raw) {
                let id = record.id().unwrap_or("(no id)");
                self.alike.push(format!("{}:{} {id}", own.path.to_text(), record.line));
            }
        }
        if all_stay && !is_log(&own.path) {
            // A record can repeat a document of several records, as a snapshot does.
            self.shared.extend(self.all.which(&own.bytes));
        }
    }

    /// True if a remaining record has a main text. Marks the texts that it shares.
    fn is_alike(&mut self, raw: &[u8]) -> bool {
        *self.searched.entry(self.wanted.hash(raw)).or_insert_with(|| {
            let found = self.all.which(raw);
            let is_alike = found.first().is_some_and(|at| *at < self.main.len());
            self.shared.extend(found);
            is_alike
        })
    }

    /// Returns the texts that only erased records have.
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

/// Returns the names of the records that this one refers to, and its own other names.
fn meant(memory: &StoredMemory) -> impl Iterator<Item = &[u8]> {
    let names = memory.references().map(|own| own.to).chain(memory.names());
    names.map(|name| name.text.as_bytes())
}

pub fn raw<'b>(bytes: &'b [u8], record: &Record) -> &'b [u8] {
    bytes.get(record.span.range()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::write_new;
    use crate::format;
    use crate::model::{Extent, Moment};
    use crate::store::{Place, load};

    /// A torn line, or a copy of the text in a user's own file, is recognized by the text alone.
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
            let store = load(&place, Extent::All, None, now);
            let targets = [ErasureTarget::of(&store, &store.entries[0], b"salt", None)];
            let wanted = ErasureMatcher::of(format::by_name("session-log").unwrap(), &store, &targets, now);
            let mut contents = ErasedContents::default();
            for own in &store.documents {
                contents.see_document(&wanted, own);
            }
            assert!(Needles::of(&contents.main).any(text.as_bytes()), "{}", &text[..9]);
            assert!(!Needles::of(&contents.main).any(b"something else that is long enough"));
        }
    }
}
