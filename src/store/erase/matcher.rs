//! What is erased: records named without their content, and how they are recognized in any file.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::erased_contents::SharedText;
use super::kept_lines::KeptLines;
use super::keyed_digests::{KeyedDigests, keyed};
use super::namesakes::{IdGroup, Namesake, created};
use super::salted_digests::{SaltedDigests, salted};
use super::torn_lines::as_damaged_lines;
use crate::format::writing::FormatEraser;
use crate::format::{Format, Placement};
use crate::model::{Document, Entry, Moment, PathText, Record, Role, Span, Store, View, path_from_text};
use crate::store::commit::{OldFileName, deleted_from};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;
use crate::text::needle::{Needles, SHORTEST};

/// A record that is erased, named without its content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ErasureTarget {
    /// Its id.
    pub id: Option<String>,
    /// Its session, in formats that have them.
    pub session: Option<String>,
    /// The file that it was in, relative to the store's root.
    #[serde(with = "crate::model::path_text::serde_path")]
    pub file: PathBuf,
    /// What it was called, where another has that name when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// What a record that has no id is recognized by: salted, and gone when the erasure is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// A keyed digest that recognizes a record without an id after the erasure is over. The list keeps it
    /// without the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyed: Option<String>,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// The records of its id that stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namesakes: Vec<Namesake>,
}

impl ErasureTarget {
    /// The name of an entry. `salt` is random; `part` is what the entry is known by if it is
    /// a part of a document.
    pub fn of(store: &Store, entry: &Entry, salt: &[u8], part: Option<&[u8]>) -> ErasureTarget {
        let id = store.view(entry).and_then(|view| view.id);
        // An empty id names nothing.
        let id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        let (id, was) = if part.is_some() { (None, id) } else { (id, None) };
        let said = || part.map_or_else(|| store.raw(entry), Cow::Borrowed);
        let digest = id.is_none().then(|| salted(salt, &said()));
        let is_known_again = id.is_none() && part.is_none() && store.view(entry).is_some();
        let keyed = is_known_again.then(|| keyed(salt, &store.raw(entry)));
        let path = &store.document(entry).path;
        let file = deleted_from(path).unwrap_or(path);
        ErasureTarget {
            id,
            session: store.session(entry).map(|session| session.name.clone()),
            file: file.to_path_buf(),
            was,
            digest,
            keyed,
            created: store.view(entry).and_then(created),
            namesakes: Vec::new(),
        }
    }

    /// What it is called, or was.
    pub fn name(&self) -> Option<&str> {
        self.id.as_deref().or(self.was.as_deref())
    }
}

/// What names erased records.
pub(super) struct TargetNames<'a> {
    names: HashSet<&'a [u8]>,
    /// The names that hold a stretch that is as long as the shortest text that is searched for.
    by_stretch: HashMap<&'a [u8], Vec<&'a [u8]>>,
}

impl<'a> TargetNames<'a> {
    fn of(targets: &'a [ErasureTarget]) -> TargetNames<'a> {
        let text = |text: &'a Option<String>| text.as_deref().map(str::as_bytes);
        let file = |own: &'a ErasureTarget| own.file.as_os_str().as_encoded_bytes();
        let each = |own: &'a ErasureTarget| [text(&own.id), text(&own.session), Some(file(own))];
        let names: HashSet<&[u8]> = targets.iter().flat_map(each).flatten().collect();
        let mut by_stretch: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        for name in &names {
            name.windows(SHORTEST).for_each(|own| by_stretch.entry(own).or_default().push(name));
        }
        TargetNames { names, by_stretch }
    }

    /// Whether a value is a name.
    pub(super) fn is(&self, value: &[u8]) -> bool {
        self.names.contains(value)
    }

    /// Whether a value is a name, or is in one. Of what is too short to be searched for
    /// only names themselves are recognized.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        // The end distinguishes numbered names.
        let last = value.len().checked_sub(SHORTEST).map(|at| &value[at..]);
        let within = last.and_then(|last| self.by_stretch.get(last));
        self.names.contains(value)
            || within.is_some_and(|own| own.iter().any(|name| memchr::memmem::find(name, value).is_some()))
    }
}

/// The records that are erased, as they are recognized.
pub struct ErasureMatcher<'a> {
    /// How files are read.
    pub format: &'static dyn Format,
    /// What is erased.
    pub targets: &'a [ErasureTarget],
    /// The names of the store's sessions.
    pub sessions: BTreeSet<String>,
    /// The time of reading.
    pub now: Moment,
    /// The bytes of every version that was found: another record of the same bytes is a copy.
    raws: RefCell<BTreeSet<SharedText>>,
    pub(super) kept_lines: KeptLines,
    /// Where something goes with the torn record before it.
    with_torn: RefCell<BTreeSet<String>>,
    /// What is erased of an id, by session.
    by_id: HashMap<&'a str, Vec<(Option<&'a str>, IdGroup<'a>)>>,
    pub(super) digests: SaltedDigests<'a>,
    keyed: KeyedDigests<'a>,
    /// Whether they were erased before: their ids may have been given to other records since.
    is_over: bool,
    /// Ids, sessions and files: they stay in tombstones, in the journal and in paths.
    pub(super) target_names: TargetNames<'a>,
}

impl<'a> ErasureMatcher<'a> {
    /// What is erased of a store.
    pub fn of(
        format: &'static dyn Format,
        store: &Store,
        targets: &'a [ErasureTarget],
        now: Moment,
    ) -> ErasureMatcher<'a> {
        let own = targets.iter().filter_map(|target| target.session.clone());
        let sessions = store.sessions.iter().map(|session| session.name.clone()).chain(own).collect();
        let mut by_id: HashMap<&str, Vec<(Option<&str>, IdGroup<'_>)>> = HashMap::new();
        for target in targets {
            let Some(id) = target.id.as_deref().filter(|id| !id.is_empty()) else { continue };
            let (groups, session) = (by_id.entry(id).or_default(), target.session.as_deref());
            let at = groups.iter().position(|(own, _)| *own == session);
            let at = at.unwrap_or_else(|| {
                groups.push((session, IdGroup::default()));
                groups.len() - 1
            });
            groups[at].1.add(target);
        }
        let digests = SaltedDigests::of(targets.iter().filter_map(|own| own.digest.as_deref()));
        ErasureMatcher {
            format,
            targets,
            sessions,
            now,
            raws: RefCell::default(),
            kept_lines: KeptLines::default(),
            with_torn: RefCell::default(),
            by_id,
            digests,
            keyed: KeyedDigests::of(targets),
            is_over: false,
            target_names: TargetNames::of(targets),
        }
    }

    /// What was erased of a store before.
    pub fn before(
        format: &'static dyn Format,
        store: &Store,
        targets: &'a [ErasureTarget],
        now: Moment,
    ) -> ErasureMatcher<'a> {
        ErasureMatcher { is_over: true, ..ErasureMatcher::of(format, store, targets, now) }
    }

    /// How the format erases, where it is not only that lines go.
    pub fn erases(&self) -> Option<&'static dyn FormatEraser> {
        self.format.eraser()
    }

    /// The parts of a document that are erased.
    pub fn parts(&self, path: &Path, bytes: &[u8]) -> Vec<Span> {
        let Some(erases) = self.erases().filter(|_| !self.digests.is_empty()) else { return Vec::new() };
        let parts = erases.parts(&original(path), bytes).into_iter();
        parts
            .filter(|part| part.names.iter().any(|name| self.digests.has(name)))
            .map(|part| part.span)
            .collect()
    }

    /// What an erased record leaves, if it must leave something.
    pub fn hollow(&self, path: &Path, raw: &[u8], reason: &str) -> Option<Vec<u8>> {
        self.erases()?.blank_record(&original(path), raw, reason)
    }

    /// The records of a file, whatever copy of which file it is. Whole records behind a torn one on
    /// its line are records of their own: only what is erased leaves the line. `contents` tell a torn
    /// one that is erased.
    pub fn read(&self, path: &Path, bytes: &[u8], contents: Option<&Needles>) -> Vec<Record> {
        let records = self.format.read(self.role(path), &original(path), bytes, self.now).records;
        if !is_log_or_copy(path) || is_whole(&records) {
            return records;
        }
        let apart = |record: Record| match record.view() {
            Some(_) => vec![record],
            None => self.apart(path, bytes, record, contents),
        };
        as_damaged_lines(records).into_iter().flat_map(apart).collect()
    }

    /// Notes where something goes with the torn record before it, as it may be a part of that.
    pub(super) fn went_with_torn(&self, place: String) {
        self.with_torn.borrow_mut().insert(place);
    }

    /// Where something goes with the torn record before it, in what was read since that was last
    /// forgotten: `file:line`.
    pub(super) fn with_torn(&self) -> Vec<String> {
        self.with_torn.borrow().iter().cloned().collect()
    }

    pub(super) fn forget_torn(&self) {
        self.with_torn.borrow_mut().clear();
    }

    /// The same of a file that was read.
    pub fn records<'d>(&self, own: &'d Document) -> Cow<'d, [Record]> {
        match is_whole(&own.records) || !is_log_or_copy(&own.path) {
            true => Cow::Borrowed(&own.records),
            false => Cow::Owned(self.read(&own.path, &own.bytes, None)),
        }
    }

    /// What the file is, or the file that it is a copy of.
    pub fn role(&self, path: &Path) -> Role {
        match self.format.place(&original(path), false) {
            Placement::File(Role::Backup | Role::Temp | Role::Lock | Role::Other) => Role::Records,
            Placement::File(role) => role,
            _ => Role::Records,
        }
    }

    /// Whether a record is one of those that are erased, or a copy of one.
    pub fn is_erased(
        &self,
        path: &Path,
        raw: &[u8],
        view: Option<View<'_>>,
        contents: Option<&Needles>,
    ) -> bool {
        // What was left of an erased record says nothing any more.
        if raw.is_empty() || self.hollow(path, raw, "").is_some_and(|hollow| hollow == raw) {
            return false;
        }
        let is_it = |(session, group): &(Option<&str>, IdGroup<'_>)| {
            self.is_of(*session, path, raw)
                && !group.is_another((self.format, &original(path)), raw, view, self.is_over)
        };
        let is_named = |id: &str| self.by_id.get(id).is_some_and(|own| own.iter().any(is_it));
        let is_named = match view.map(|view| view.id) {
            Some(id) => id.is_some_and(is_named),
            None => named(raw).any(|id| is_named(&id)),
        };
        let is_keyed = || view.is_some_and(|view| self.keyed.has(raw, view));
        let is_named = is_named || self.digests.has(raw) || is_keyed();
        let copied = || self.raws.borrow().contains(raw);
        // A torn half of a record has no other name than what it says.
        is_named || copied() || view.is_none() && contents.is_some_and(|contents| contents.any(raw))
    }

    /// Whether a torn record may be an erased record without an id. It may be one if it has the same creation
    /// time. If it has neither id nor creation time, it may be one if a record of its file was erased.
    pub fn may_take_torn(&self, path: &Path, view: View<'_>) -> bool {
        let path = original(path);
        let of_file = || self.targets.iter().any(|own| own.keyed.is_some() && own.file == path);
        let is_unnamed = view.id.is_none_or(str::is_empty) && view.created.is_none();
        self.keyed.has_time(view) || is_unnamed && of_file()
    }

    /// Whether one that is erased has that id.
    pub fn has_id(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Whether a record stays that has the id of one that is erased.
    pub fn is_shared(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|own| own.iter().any(|(_, group)| group.is_shared()))
    }

    /// Remembers the bytes of a version.
    pub(super) fn remember(&self, raw: &SharedText) {
        self.raws.borrow_mut().insert(SharedText::clone(raw));
        self.kept_lines.forget(raw);
    }

    /// Whether a record of that path may be of a session: ids are given by session.
    fn is_of(&self, session: Option<&str>, path: &Path, raw: &[u8]) -> bool {
        let Some(session) = session else { return true };
        match self.folder(path) {
            Some(folder) => folder == session,
            None => session_of(raw).is_none_or(|own| own == session),
        }
    }

    /// The session that a path leads to.
    pub(super) fn folder(&self, path: &Path) -> Option<&String> {
        path.iter().map(PathText::to_text).find_map(|part| {
            let part =
                part.split_once(".tar.gz").or_else(|| part.split_once(".tgz")).map_or(&*part, |own| own.0);
            self.sessions.get(part)
        })
    }
}

fn session_of(raw: &[u8]) -> Option<String> {
    let mut tape = Tape::default();
    let record = json_edit::scan(&mut tape, raw).ok()?;
    record.get("session_id")?.text().map(|own| own.into_owned())
}

/// Whether every record could be read.
pub(super) fn is_whole(records: &[Record]) -> bool {
    records.iter().all(|own| own.view().is_some())
}

/// The ids that bytes which can't be read as a record say they have.
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

/// The file that a copy is a copy of: without what says that it is one.
pub fn original(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    let second = OldFileName::read(name);
    let own = second.as_ref().map_or(name, |own| own.file.as_os_str()).to_text();
    let ends = [".backup", ".bak", ".tmp"].iter().filter_map(|end| own.find(end));
    let own = &own[..ends.min().unwrap_or(own.len())];
    let own = own
        .rsplit_once('@')
        .filter(|(_, at)| at.split('+').all(|own| own.parse::<u64>().is_ok()))
        .map_or(own, |(own, _)| own);
    if own.is_empty() { path.to_owned() } else { path.with_file_name(path_from_text(own)) }
}

/// Whether a file, or the file that it is a copy of, has a record a line.
pub fn is_log_or_copy(path: &Path) -> bool {
    let own = original(path);
    let name = own.file_name().unwrap_or_default().to_text();
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_for_what_they_are_copies_of() {
        let own = |name: &str| original(Path::new(name)).to_string_lossy().into_owned();
        assert_eq!(own(".backup/tasks.jsonl.backup.20260101_100000"), ".backup/tasks.jsonl");
        assert_eq!(own("s/.palimp-old-17-42-9-memory-x.jsonl"), "s/memory-x.jsonl");
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
