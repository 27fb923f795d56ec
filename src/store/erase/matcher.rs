//! Recognizes erased records in any file. The records are named without their content.

use crate::store::erase::erasure_target::{ErasureTarget, SharedText, TargetNames};
use crate::store::erase::original_path::{is_log_or_copy, original};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::erased_values::ErasedValues;
use super::namesakes::{IdGroup, created};
use super::salted_digests::{KeyedDigests, SaltedDigests, salted};
use super::torn_lines::as_damaged_lines;
use crate::format::record_reader::without_mark;
use crate::format::writing::{ErasablePart, FormatEraser};
use crate::format::{Format, Placement, main_text};
use crate::model::{Document, Entry, Moment, PathText, Record, Role, Span, Store, StoredMemory, container};
use crate::store::compressed_files::FileCompression;
use crate::store::parallel_read;
use crate::text::json_edit;
use crate::text::json_scanner::Tape;
use crate::text::needle::Needles;

/// Recognizes the erased records.
pub struct ErasureMatcher<'a> {
    /// The format that reads the files.
    pub format: &'static dyn Format,
    /// The records to erase.
    pub targets: &'a [ErasureTarget],
    /// The names of the store's sessions.
    pub sessions: BTreeSet<String>,
    /// The indexes of the store, as they are read.
    indexes: Vec<Arc<Document>>,
    /// The time of reading.
    pub now: Moment,
    /// The bytes of every version found. A record with the same bytes is a copy.
    raws: RefCell<BTreeSet<SharedText>>,
    /// The key of the hashes below. It is secret, so nobody can forge a line with the hash of another.
    key: RandomState,
    /// Places, as `file:line`, where something goes together with the torn record before it.
    pub(super) with_torn: RefCell<BTreeSet<String>>,
    /// The erased records of each id, by session.
    by_id: HashMap<&'a str, Vec<(Option<&'a str>, IdGroup<'a>)>>,
    pub(super) digests: SaltedDigests,
    keyed: KeyedDigests<'a>,
    /// The texts of erased records with ids, in every version that is known.
    texts: SaltedDigests,
    /// True if an earlier erasure removed them. Other records may have got their ids since.
    is_over: bool,
    /// These names stay in tombstones, in the journal and in paths.
    pub(super) target_names: TargetNames<'a>,
    /// Values that are erased wherever they are.
    pub values: ErasedValues,
    /// True if memories with a value stay, and it is masked in them.
    pub keeps_memories: bool,
    /// Whether a record has a value, by its hash.
    value_lines: RefCell<HashMap<u64, bool>>,
    /// The bytes that the records had in live files when the erasure began. `None` before that.
    shown: Option<SaltedDigests>,
    /// The versions that were found before the erasure began. `None` if it goes on after an interruption.
    known: Option<BTreeSet<SharedText>>,
    /// The hashes of all records of live files before the erasure began. `None` if it goes on after an interruption.
    before: Option<HashSet<u64>>,
    /// Digests of the records of live files that had a text of the erased ones before the erasure began. Only of one
    /// that goes on after an interruption: it knows the texts of all versions by their digests.
    alike: Option<SaltedDigests>,
    /// The versions that came to live files since.
    late: RefCell<BTreeSet<SharedText>>,
    /// The last file, and whether it is a log that the format knows.
    last_file: RefCell<Option<(PathBuf, bool)>>,
}

impl<'a> ErasureMatcher<'a> {
    /// Returns a matcher for records to erase.
    pub fn of(
        format: &'static dyn Format,
        store: &Store,
        targets: &'a [ErasureTarget],
        now: Moment,
    ) -> ErasureMatcher<'a> {
        let earlier = targets.iter().flat_map(|target| &target.earlier).map(|earlier| &earlier.name.session);
        let of_targets = targets.iter().map(|target| &target.session).chain(earlier).flatten().cloned();
        let sessions = store.sessions.iter().map(|session| session.name.clone()).chain(of_targets).collect();
        let indexes =
            store.documents.iter().filter(|document| document.role == Role::Index).cloned().collect();
        let mut by_id: HashMap<&str, Vec<(Option<&str>, IdGroup<'_>)>> = HashMap::new();
        for target in targets {
            let Some(id) = target.id.as_deref().filter(|id| !id.is_empty()) else { continue };
            group_of(&mut by_id, id, target.session.as_deref()).add(target);
            for earlier in &target.earlier {
                let name = &earlier.name;
                group_of(&mut by_id, &name.id, name.session.as_deref()).add_earlier(target, earlier);
            }
        }
        let digests = SaltedDigests::of(targets.iter().filter_map(|own| own.digest.as_deref()));
        let named = targets.iter().filter(|own| own.id.is_some());
        let texts = named.flat_map(|own| own.keyed.iter().chain(&own.versions)).map(String::as_str);
        ErasureMatcher {
            format,
            targets,
            sessions,
            indexes,
            now,
            raws: RefCell::default(),
            key: RandomState::new(),
            with_torn: RefCell::default(),
            by_id,
            digests,
            keyed: KeyedDigests::of(targets),
            texts: SaltedDigests::of(texts),
            is_over: false,
            target_names: TargetNames::of(targets),
            values: ErasedValues::default(),
            keeps_memories: false,
            value_lines: RefCell::default(),
            shown: None,
            known: None,
            before: None,
            alike: None,
            late: RefCell::default(),
            last_file: RefCell::default(),
        }
    }

    /// Returns the matcher for these values, too: a line of a log with one goes, in every version, or it is masked.
    pub fn with_values(self, values: &[SharedText], keeps_memories: bool) -> ErasureMatcher<'a> {
        ErasureMatcher { values: ErasedValues::of(values), keeps_memories, ..self }
    }

    /// Returns the matcher of an erasure that has begun: what gets the name of an erased record from now on, with other
    /// bytes than the `shown`, is another memory.
    pub fn with_shown(self, shown: &[String]) -> ErasureMatcher<'a> {
        ErasureMatcher { shown: Some(SaltedDigests::of(shown.iter().map(String::as_str))), ..self }
    }

    /// Returns the matcher of an erasure that goes on, with digests of records that had a text of the erased ones.
    pub fn with_alike(self, alike: &[String]) -> ErasureMatcher<'a> {
        ErasureMatcher { alike: Some(SaltedDigests::of(alike.iter().map(String::as_str))), ..self }
    }

    /// Returns the matcher once all versions were found: the text of another one is nothing that was erased.
    /// `documents` are those that were shown.
    pub fn with_all_found(self, documents: &[Arc<Document>]) -> ErasureMatcher<'a> {
        let known = Some(self.raws.borrow().clone());
        let live = documents.iter().filter(|document| is_live(document));
        let raws = live.flat_map(|document| document.records.iter().map(|record| document.raw(record)));
        let before = Some(raws.map(|raw| self.hash(&raw)).collect());
        ErasureMatcher { known, before, ..self }
    }

    /// True if the erasure goes on after an interruption.
    pub fn is_resumed(&self) -> bool {
        self.alike.is_some()
    }

    /// True if this version came after the erasure began. It may have a copy, which goes, but its text is not searched for.
    pub(super) fn came_late(&self, path: &Path, raw: &[u8], memory: &StoredMemory) -> bool {
        let is_unknown = match &self.known {
            Some(known) => !known.contains(raw),
            None => self.alike.is_some() && self.has_other_text(path, raw, Some(memory)),
        };
        is_unknown || self.late.borrow().contains(raw)
    }

    /// Notes what came to live files since the erasure began.
    pub fn note_arrivals(&self, store: &Store) {
        let raws: Vec<SharedText> = self.arrived(store).map(|own| store.raw(own).into()).collect();
        self.late.borrow_mut().extend(raws);
    }

    /// Returns salted digests of the bytes that the erased records have in live files.
    pub fn shown(&self, documents: &[Arc<Document>], salt: &[u8]) -> Vec<String> {
        let mut shown = BTreeSet::new();
        for own in documents.iter().filter(|own| is_live(own)) {
            for record in self.records(own).iter().filter(|record| self.may_be_named(record)) {
                let raw = own.raw(record);
                if self.is_erased(&own.path, &raw, record.memory(), None) {
                    shown.insert(salted(salt, &raw));
                }
            }
            for part in self.parts(&own.path, &own.bytes, false) {
                shown.extend(own.bytes.get(part.range()).map(|part| salted(salt, part)));
            }
        }
        shown.into_iter().collect()
    }

    /// False for a record with an id that no erased one has: its bytes need not be read.
    fn may_be_named(&self, record: &Record) -> bool {
        let id = record.id().filter(|id| !id.is_empty());
        id.is_none_or(|id| self.has_id(id))
    }

    /// True if a record of a document is erased. What came to a live file meanwhile is not.
    pub fn takes(
        &self,
        own: &Document,
        raw: &[u8],
        memory: Option<&StoredMemory>,
        contents: Option<&Needles>,
    ) -> bool {
        self.is_erased(&own.path, raw, memory, contents)
            && !(is_live(own) && self.is_new(&own.path, raw, memory))
    }

    /// True if a record of a live file came after the erasure began, under the name of an erased one.
    pub fn is_arrival(&self, own: &Document, raw: &[u8], memory: Option<&StoredMemory>) -> bool {
        is_live(own) && self.is_erased(&own.path, raw, memory, None) && self.is_new(&own.path, raw, memory)
    }

    /// Returns the memories that came to live files under the names of erased ones. Reads no others.
    pub(super) fn arrived<'s>(&'s self, store: &'s Store) -> impl Iterator<Item = &'s Entry> {
        let parts = self.arrived_parts(store);
        let is_part = move |entry: &Entry| parts.contains(&(entry.document, store.record(entry).span));
        let is_whole = |entry: &Entry| {
            self.shown.is_some()
                && self.may_be_named(store.record(entry))
                && self.is_arrival(store.document(entry), &store.raw(entry), store.memory(entry))
        };
        store.entries.iter().filter(move |entry| is_part(entry) || is_whole(entry))
    }

    /// Returns the parts of live documents that came under the names of erased ones, by the documents' numbers.
    fn arrived_parts(&self, store: &Store) -> HashSet<(u32, Span)> {
        let numbered = (0..).zip(&store.documents).filter(|(_, own)| self.shown.is_some() && is_live(own));
        let parts = numbered.flat_map(|(number, own)| {
            let shown = self.parts(&own.path, &own.bytes, true);
            let named = self.named_parts(&own.path, &own.bytes).into_iter();
            named.filter(move |part| !shown.contains(part)).map(move |part| (number, part))
        });
        parts.collect()
    }

    /// Names them as `file:line id`, each with whether it repeats an erased text, or may.
    pub fn arrivals(&self, store: &Store) -> Vec<(String, bool)> {
        let name = |own: &Entry| {
            let id = store.id(own).unwrap_or("(no id)");
            let path = &store.document(own).path;
            // The search finds what a part repeats.
            let repeats = self.has_id(id) && !self.has_other_text(path, &store.raw(own), store.memory(own));
            (format!("{}:{} {id}", path.to_text(), store.record(own).line), repeats)
        };
        self.arrived(store).map(name).collect()
    }

    /// True if no erased record of a live file had these bytes when the erasure began. What has a value goes all the
    /// same, as a copy of it. A torn line may be the half of an erased record; a document that can't be read is new if
    /// it came since.
    pub(super) fn is_new(&self, path: &Path, raw: &[u8], memory: Option<&StoredMemory>) -> bool {
        let may_be_new = || memory.is_some() || !is_log_or_copy(path) && self.came_since(raw);
        let Some(shown) = self.shown.as_ref().filter(|_| may_be_new()) else { return false };
        !shown.has(raw) && !self.digests.has(raw) && !self.goes_for_value(path, raw)
    }

    /// True if a record of a live file came after the erasure began. After an interruption it counts as one if it is
    /// none of those that had a text of the erased ones.
    pub(super) fn came_since(&self, raw: &[u8]) -> bool {
        match (&self.before, &self.alike) {
            (Some(before), _) => !before.contains(&self.hash(raw)),
            (None, alike) => alike.as_ref().is_some_and(|alike| !alike.has(raw)),
        }
    }

    /// Returns a matcher for records that an earlier erasure removed.
    pub fn before(
        format: &'static dyn Format,
        store: &Store,
        targets: &'a [ErasureTarget],
        now: Moment,
    ) -> ErasureMatcher<'a> {
        ErasureMatcher { is_over: true, ..ErasureMatcher::of(format, store, targets, now) }
    }

    /// Returns the format's eraser, if an erasure does more than remove lines.
    pub fn erases(&self) -> Option<&'static dyn FormatEraser> {
        self.format.own().eraser
    }

    /// Returns the erased parts of a document. Of a live one, those that it had when the erasure began.
    pub fn parts(&self, path: &Path, bytes: &[u8], is_live: bool) -> Vec<Span> {
        let shown = self.shown.as_ref().filter(|_| is_live);
        let named = self.named_parts(path, bytes).into_iter();
        named
            .filter(|part| {
                shown.is_none_or(|shown| bytes.get(part.range()).is_some_and(|part| shown.has(part)))
            })
            .collect()
    }

    /// Returns the parts of a document that have the names of erased ones.
    fn named_parts(&self, path: &Path, bytes: &[u8]) -> Vec<Span> {
        let is_any = !self.digests.is_empty() || !self.by_id.is_empty();
        let Some(erases) = self.erases().filter(|_| is_any) else { return Vec::new() };
        let goes = |part: &ErasablePart| {
            part.names.iter().any(|name| self.digests.has(name))
                || !part.of.is_empty() && part.of.iter().all(|id| self.has_id(id))
        };
        erases.parts(&original(path), bytes).into_iter().filter(goes).map(|part| part.span).collect()
    }

    /// True if a record goes because it has one of the values. In a document, a value is masked.
    fn goes_for_value(&self, path: &Path, raw: &[u8]) -> bool {
        !self.keeps_memories && !self.values.is_empty() && self.is_log_of_format(path) && self.has_value(raw)
    }

    /// True for a log that the format knows, or a copy of one. The answer for the last file is kept: each of its
    /// records asks for it.
    fn is_log_of_format(&self, path: &Path) -> bool {
        let mut last = self.last_file.borrow_mut();
        match &*last {
            Some((own, is_log)) if own == path => *is_log,
            _ => {
                let is_log = is_log_or_copy(path) && self.is_of_format(path);
                *last = Some((path.to_owned(), is_log));
                is_log
            }
        }
    }

    /// True if a record has one of the values. A record is asked for often, and is decoded once.
    fn has_value(&self, raw: &[u8]) -> bool {
        let of_lines = &mut *self.value_lines.borrow_mut();
        *of_lines.entry(self.hash(raw)).or_insert_with(|| self.values.any(raw))
    }

    /// True if the format knows the file, or the original of a copy.
    pub fn is_of_format(&self, path: &Path) -> bool {
        let placed = self.format.place(&original(path), false);
        matches!(placed, Placement::File(role) if !matches!(role, Role::Other | Role::Temp | Role::Lock))
    }

    /// Returns what an erased record leaves, if it must leave something.
    pub fn hollow(&self, path: &Path, raw: &[u8], reason: &str) -> Option<Vec<u8>> {
        self.erases()?.blank_record(&original(path), raw, reason)
    }

    /// Reads the records of a file or of a copy. Complete records after a torn one on its line are records
    /// of their own: only what is erased leaves the line. `contents` identify an erased torn record.
    pub fn read(&self, path: &Path, bytes: &[u8], contents: Option<&Needles>) -> Vec<Record> {
        let file = (self.role(path), &*original(path), bytes);
        let records = parallel_read::read(self.format, file, self.now).records;
        if !is_log_or_copy(path) || is_whole(&records) {
            return records;
        }
        let apart = |record: Record| match record.memory() {
            Some(_) => vec![record],
            None => self.apart(path, bytes, record, contents),
        };
        as_damaged_lines(records).into_iter().flat_map(apart).collect()
    }

    /// Like `read`, for a document that is already read.
    pub fn records<'d>(&self, own: &'d Document) -> Cow<'d, [Record]> {
        match is_whole(&own.records) || !is_log_or_copy(&own.path) {
            true => Cow::Borrowed(&own.records),
            false => Cow::Owned(self.read(&own.path, &own.bytes, None)),
        }
    }

    /// Returns the role of a file, or of the original of a copy.
    pub fn role(&self, path: &Path) -> Role {
        match self.format.place(&original(path), false) {
            Placement::File(Role::Backup | Role::Temp | Role::Lock | Role::Other) => Role::Records,
            Placement::File(role) => role,
            _ => Role::Records,
        }
    }

    /// True for a copy of an index of the store, also in an archive: it has the name of one, and the members of its
    /// outermost object. Users have files of these names, too.
    pub fn is_index(&self, path: &Path, bytes: &[u8]) -> bool {
        let is_like = |index: &Arc<Document>| {
            member_names(&index.bytes).is_some_and(|names| member_names(bytes) == Some(names))
        };
        self.role(path) == Role::Index || self.named_indexes(path).any(is_like)
    }

    /// Returns the indexes of the store of which a file may be a copy by its name.
    pub fn named_indexes(&self, path: &Path) -> impl Iterator<Item = &Arc<Document>> {
        let name = original(path).file_name().map(|name| name.to_text().into_owned()).unwrap_or_default();
        let name = name.strip_suffix(".gz").map(str::to_owned).unwrap_or(name);
        self.indexes.iter().filter(move |index| index.path.file_name().is_some_and(|file| file == &*name))
    }

    /// True if an erased record had this id, and no other one has it. `bytes` are those of the index that names it.
    pub(super) fn is_gone(&self, (path, bytes): (&Path, &[u8]), id: &str) -> bool {
        let is_it = |(session, group): &(Option<&str>, IdGroup<'_>)| {
            self.is_of(*session, path, bytes) && !group.is_shared()
        };
        self.by_id.get(id).is_some_and(|groups| groups.iter().any(is_it))
    }

    /// True if a record is erased, or is a copy of an erased one.
    pub fn is_erased(
        &self,
        path: &Path,
        raw: &[u8],
        memory: Option<&StoredMemory>,
        contents: Option<&Needles>,
    ) -> bool {
        // The empty rest of an erased record says nothing.
        if raw.is_empty() || self.hollow(path, raw, "").is_some_and(|hollow| hollow == raw) {
            return false;
        }
        // The copy of a record may be of any session if neither its folder nor it says which: its time tells.
        let is_placed = || self.folder(path).is_some() || json_edit::text_at(raw, &["session_id"]).is_some();
        let is_it = |(session, group): &(Option<&str>, IdGroup<'_>)| {
            self.is_of(*session, path, raw)
                && (session.is_none() || group.has_time_of(memory) || is_placed())
                && !group.is_another((self.format, &original(path)), raw, memory, self.is_over)
        };
        let is_named = |id: &str| self.by_id.get(id).is_some_and(|own| own.iter().any(is_it));
        let is_named = match memory.map(|memory| memory.id()) {
            Some(id) => id.is_some_and(is_named),
            None => named(raw).any(|id| is_named(&id)),
        };
        let is_keyed = || memory.is_some_and(|memory| self.keyed.has(raw, memory));
        let is_named = is_named || self.digests.has(raw) || is_keyed();
        let copied = || self.raws.borrow().contains(raw);
        let has_value = || self.goes_for_value(path, raw);
        // A torn half of a record has no name except its text.
        is_named
            || copied()
            || has_value()
            || memory.is_none() && contents.is_some_and(|contents| contents.any(raw))
    }

    /// True if a torn record may be an erased one without an id: it has the same creation time, or
    /// it has neither id nor time and a record of its file was erased.
    pub fn may_take_torn(&self, path: &Path, memory: &StoredMemory) -> bool {
        let path = original(path);
        let of_file =
            || self.targets.iter().any(|own| own.keyed.is_some() && own.id.is_none() && own.file == path);
        let is_unnamed = memory.id().is_none_or(str::is_empty) && memory.created.is_none();
        self.keyed.has_time(memory) || is_unnamed && of_file()
    }

    /// True if a torn record whose id is lost or cut may be an erased one: it is in the same file, and
    /// what is left of its id (`start`) and its creation time fit.
    pub fn may_have_lost_id(&self, path: &Path, start: &str, memory: &StoredMemory) -> bool {
        let (path, created) = (original(path), created(memory));
        let is_id = |own: &ErasureTarget| own.id.as_deref().is_some_and(|id| id.starts_with(start));
        let is_time = |own: &ErasureTarget| match (&own.created, &created) {
            (Some(erased), Some(torn)) => erased == torn,
            _ => true,
        };
        self.targets.iter().any(|own| own.file == path && is_id(own) && is_time(own))
    }

    /// True if a record has the id of an erased one, and a text that no erased one had: the name was given again.
    pub fn has_other_text(&self, path: &Path, raw: &[u8], memory: Option<&StoredMemory>) -> bool {
        let groups =
            memory.and_then(|memory| memory.id()).and_then(|id| self.by_id.get(id)).into_iter().flatten();
        let text = || main_text(self.format, &original(path), raw);
        let mut groups = groups.filter(|(session, _)| self.is_of(*session, path, raw)).peekable();
        groups.peek().is_some()
            && groups.all(|(_, group)| !group.lacks_text)
            && !self.texts.has(text().as_bytes())
    }

    /// True if a record is an erased one or repeats its text: not if its name was given again.
    pub fn is_erased_again(&self, path: &Path, raw: &[u8], memory: Option<&StoredMemory>) -> bool {
        self.is_erased(path, raw, memory, None) && !self.has_other_text(path, raw, memory)
    }

    /// True if a record had exactly these bytes.
    pub fn is_copy(&self, raw: &[u8]) -> bool {
        self.digests.has(raw) || self.texts.has(raw)
    }

    /// True if an erased record has this id.
    pub fn has_id(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// True if a remaining record has the id of an erased one.
    pub fn is_shared(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|own| own.iter().any(|(_, group)| group.is_shared()))
    }

    pub(super) fn remember(&self, raw: &SharedText) {
        self.raws.borrow_mut().insert(SharedText::clone(raw));
    }

    pub(super) fn hash(&self, raw: &[u8]) -> u64 {
        self.key.hash_one(raw)
    }

    /// True if a record at this path may belong to the session. Ids are unique only in a session.
    fn is_of(&self, session: Option<&str>, path: &Path, raw: &[u8]) -> bool {
        let Some(session) = session else { return true };
        match self.folder(path) {
            Some(folder) => folder == session,
            None => json_edit::text_at(raw, &["session_id"]).is_none_or(|own| own == session),
        }
    }

    pub(super) fn folder(&self, path: &Path) -> Option<&String> {
        // An archive may have another name than the session in it.
        path.iter().rev().map(PathText::to_text).find_map(|part| {
            let part =
                part.split_once(".tar.gz").or_else(|| part.split_once(".tgz")).map_or(&*part, |own| own.0);
            self.sessions.get(part)
        })
    }
}

/// Returns the group of an id in a session.
fn group_of<'g, 'a>(
    by_id: &'g mut HashMap<&'a str, Vec<(Option<&'a str>, IdGroup<'a>)>>,
    id: &'a str,
    session: Option<&'a str>,
) -> &'g mut IdGroup<'a> {
    let groups = by_id.entry(id).or_default();
    let at = groups.iter().position(|(own, _)| *own == session).unwrap_or(groups.len());
    if at == groups.len() {
        groups.push((session, IdGroup::default()));
    }
    &mut groups[at].1
}

/// True for a file that agents read and write: no archive, no copy.
pub(super) fn is_live(own: &Document) -> bool {
    own.role == Role::Records && container(&own.path).is_none() && FileCompression::of(&own.path).is_none()
}

/// True if every record could be read.
fn is_whole(records: &[Record]) -> bool {
    records.iter().all(|own| own.memory().is_some())
}

/// Returns the names of the members of a JSON object, in order; `None` for other bytes.
fn member_names(bytes: &[u8]) -> Option<Vec<String>> {
    let mut tape = Tape::default();
    let object = json_edit::scan(&mut tape, without_mark(bytes)).ok()?;
    Some(object.members().filter_map(|(name, _)| Some(name.text()?.into_owned())).collect())
}

/// Returns the ids in bytes that can't be read as a record.
fn named(raw: &[u8]) -> impl Iterator<Item = String> + '_ {
    let id = |name: &'static [u8]| {
        memchr::memmem::find_iter(raw, name).filter_map(move |at| {
            let after = raw.get(at + name.len()..)?.trim_ascii_start().strip_prefix(b":")?;
            let text = after.trim_ascii_start();
            let is_end =
                |at: &usize| text[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0;
            let end = memchr::memchr_iter(b'"', text).skip(1).find(is_end)?;
            serde_json::from_slice(&text[..=end]).ok()
        })
    };
    id(b"\"id\"").chain(id(b"\"event_id\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_for_what_they_are_copies_of() {
        let own = |name: &str| original(Path::new(name)).to_string_lossy().into_owned();
        assert_eq!(own(".backup/tasks.jsonl.backup.20260101_100000"), ".backup/tasks.jsonl");
        assert_eq!(own("s/.memory-x.jsonl.17-42-9-0c.palimp-old"), "s/memory-x.jsonl");
        assert_eq!(own("s/memory.jsonl@17.backup.20260101_100000"), "s/memory.jsonl");
        assert_eq!(own("s/memory.jsonl.tmp.77"), "s/memory.jsonl");
        assert!(is_log_or_copy(Path::new("a/b.jsonl.bak")) && !is_log_or_copy(Path::new("a/index.json")));
    }

    #[test]
    fn a_torn_record_is_known_by_its_id_and_not_by_one_that_it_refers_to() {
        let ids = |raw: &'static [u8]| named(raw).collect::<Vec<_>>();
        assert_eq!(ids(br#"{"id": "mem_\"001","content":{"#), ["mem_\"001"]);
        assert_eq!(ids(br#"{"id":"mem_002","references":["mem_001""#), ["mem_002"]);
        assert_eq!(ids(br#"{"id":"mem_0"#), [""; 0]);
    }
}
