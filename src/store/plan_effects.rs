//! Finds what a plan does to which memories, once, when the plan is made: the documents before and after it are there.
//! Only what is between the first and the last change of a file is looked at.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use crate::format::{self, writing};
use crate::model::key::{Key, fast_digest};
use crate::model::plan::effect::{EffectKind, MemoryEffect};
use crate::model::{Act, Change, Document, Moment, Record, Role, State, Store, container};
use crate::store::FileCompression;
use crate::store::derived_files::documents_after;

/// Returns what changes do to the memories of a store: those that it lists in their order, then what is added.
/// `after` are its documents after the changes.
pub fn effects(store: &Store, changes: &[Change], after: &[Arc<Document>]) -> Vec<MemoryEffect> {
    let mut pairing = Pairing::of(store, changes, after);
    pairing.pair_by(|record| Some((record.path(), record.digest)));
    pairing.pair_by(|record| Some((record.path(), record.id()?)));
    pairing.pair_by(|record| Some(record.digest));
    pairing.pair_by(PairedRecord::id);
    pairing.pair_places();
    pairing.pair_renamed();
    let mut effects = pairing.effects(changes);
    effects.extend(tombstone_effects(store, changes, after, &effects));
    effects
        .sort_by(|a, b| (a.entry.unwrap_or(u32::MAX), &a.file).cmp(&(b.entry.unwrap_or(u32::MAX), &b.file)));
    effects
}

/// Like [`effects`], if the documents after the changes are not there.
pub fn effects_of(store: &Store, changes: &[Change], now: Moment) -> Vec<MemoryEffect> {
    effects(store, changes, &documents_after(store, changes, now))
}

/// Returns the effect of adding a record with this id to the end of a log. `line` is all of it.
pub fn added(
    (root, file): (&Path, &Path),
    session: Option<String>,
    id: Option<&str>,
    record: &[u8],
) -> MemoryEffect {
    MemoryEffect {
        kind: EffectKind::Add,
        entry: None,
        session,
        id: id.map(str::to_owned),
        id_after: None,
        key_after: None,
        key: Key::alone(root, file, record),
        title: None,
        file: file.to_owned(),
    }
}

/// A record of one of the two states.
struct PairedRecord<'d> {
    document: &'d Document,
    record: u32,
    digest: u64,
    /// The number of its partner in the other state.
    partner: Option<usize>,
}

impl<'d> PairedRecord<'d> {
    fn record(&self) -> &'d Record {
        &self.document.records[self.record as usize]
    }

    fn id(&self) -> Option<&'d str> {
        self.record().id()
    }

    fn path(&self) -> &'d Path {
        &self.document.path
    }
}

/// The records of two states, and which of them are the same memory.
struct Pairing<'d> {
    store: &'d Store,
    before: Vec<PairedRecord<'d>>,
    after: Vec<PairedRecord<'d>>,
}

/// Where free records are: their file, and the last pair before them there, by its number after the changes.
type Gap<'d> = (&'d Path, Option<usize>);

impl<'d> Pairing<'d> {
    fn of(store: &'d Store, changes: &[Change], after: &'d [Arc<Document>]) -> Pairing<'d> {
        let changed: HashMap<&Path, &Change> = changes
            .iter()
            .filter(|change| !change.is_empty())
            .map(|change| (&*change.path, change))
            .collect();
        let mut pairing = Pairing { store, before: Vec::new(), after: Vec::new() };
        for document in store.documents.iter().filter(|document| is_data(document.role)) {
            let change = changed.get(&*document.path).or_else(|| changed.get(container(&document.path)?));
            let Some(change) = change else { continue };
            let end = |left: u64| document.len - left;
            let range = changed_range(document, change).map(|(first, left)| (first, end(left)));
            pairing.before.extend(candidates(document, range));
        }
        for document in after.iter().filter(|document| is_data(document.role)) {
            let Some(change) = changed.get(&*document.path) else { continue };
            let before = store.document_at(&document.path);
            let end = |left: u64| document.len.saturating_sub(left);
            let range = before.and_then(|before| changed_range(before, change));
            pairing.after.extend(candidates(document, range.map(|(first, left)| (first, end(left)))));
        }
        pairing
    }

    fn pair(&mut self, old: usize, new: usize) {
        self.before[old].partner = Some(new);
        self.after[new].partner = Some(old);
    }

    /// Pairs free records that have the same `name` in both states, in their order.
    fn pair_by<K: std::hash::Hash + Eq>(&mut self, name: impl Fn(&PairedRecord<'d>) -> Option<K>) {
        let mut named: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (number, record) in (0..).zip(&self.after).filter(|(_, record)| record.partner.is_none()) {
            if let Some(name) = name(record) {
                named.entry(name).or_default().push_back(number);
            }
        }
        for old in 0..self.before.len() {
            if named.is_empty() || self.before[old].partner.is_some() {
                continue;
            }
            let new = name(&self.before[old]).and_then(|name| named.get_mut(&name)?.pop_front());
            if let Some(new) = new {
                self.pair(old, new);
            }
        }
    }

    /// Pairs free records between the same neighbours in a file, if there are as many before as after.
    fn pair_places(&mut self) {
        let is_there = |record: &PairedRecord<'d>, new: &usize| self.after[*new].path() == record.path();
        let before = gaps(&self.before, |record, _| record.partner.filter(|new| is_there(record, new)));
        let mut after = gaps(&self.after, |_, number| Some(number));
        for (gap, old) in before {
            let new = after.remove(&gap).filter(|new| new.len() == old.len()).unwrap_or_default();
            old.into_iter().zip(new).for_each(|(old, new)| self.pair(old, new));
        }
    }

    /// Pairs free records that differ in names alone: a memory may get other names where it moves to.
    fn pair_renamed(&mut self) {
        let is_free = |own: &PairedRecord<'_>| own.partner.is_none();
        if !self.before.iter().any(is_free) || !self.after.iter().any(is_free) {
            return;
        }
        let Some(format) = format::by_name(self.store.format) else { return };
        self.pair_by(|own| {
            let raw = own.document.raw(own.record());
            let bare = writing::rename(format, &raw, Moment(0), &|_, _| Some(String::new())).ok()?;
            (*bare != *raw).then(|| fast_digest(&bare))
        });
        self.pair_renamed_file();
    }

    /// Pairs the only file that goes with the only one that comes, if each is one memory with the same text: its name is a
    /// part of it.
    fn pair_renamed_file(&mut self) {
        let Some(format) = format::by_name(self.store.format) else { return };
        let free = |records: &[PairedRecord<'_>]| {
            let mut free = (0..records.len()).filter(|at| records[*at].partner.is_none());
            let only = free.next().filter(|at| records[*at].document.records.len() == 1);
            only.filter(|_| free.next().is_none())
        };
        let has = |records: &[PairedRecord<'_>], path: &Path| records.iter().any(|own| own.path() == path);
        let (Some(old), Some(new)) = (free(&self.before), free(&self.after)) else { return };
        let text = |record: &PairedRecord<'_>| {
            format::main_text(format, record.path(), &record.document.raw(record.record()))
        };
        let is_alone =
            !has(&self.after, self.before[old].path()) && !has(&self.before, self.after[new].path());
        if is_alone && text(&self.before[old]) == text(&self.after[new]) {
            self.pair(old, new);
        }
    }

    fn effects(&self, changes: &[Change]) -> Vec<MemoryEffect> {
        let is_packed = |own: &&Change| {
            let is_archive = FileCompression::of(&own.path) == Some(FileCompression::TarGzip);
            matches!(own.act, Act::Create(_)) && is_archive
        };
        // The files in a new archive are not read: what goes goes there.
        let packed = changes.iter().find(is_packed).map(|own| &*own.path);
        let mut effects = Vec::new();
        for old in &self.before {
            let document = self.store.documents.binary_search_by(|own| (*own.path).cmp(old.path()));
            let entry = document.ok().and_then(|at| self.store.entry_number(at as u32, old.record));
            let new = old.partner.map(|new| &self.after[new]);
            let is_unchanged = new.is_some_and(|new| new.digest == old.digest && new.path() == old.path());
            let Some(entry) = entry.filter(|_| !is_unchanged) else { continue };
            let (kind, file) = match new.map(|new| new.path()).or(packed) {
                Some(file) if file == old.path() => (EffectKind::Change, file),
                Some(file) => (EffectKind::Move, file),
                None => (EffectKind::Remove, old.path()),
            };
            let mut effect = effect_on(self.store, entry, kind, file);
            let id_after = new.and_then(|new| new.id()).map(str::to_owned);
            effect.id_after = id_after.filter(|id| effect.id.as_ref() != Some(id));
            let raw = new.map(|new| (new.path(), new.document.raw(new.record())));
            effect.key_after = raw.map(|(path, raw)| Key::alone(&self.store.root, path, &raw));
            effects.push(effect);
        }
        let format = format::by_name(self.store.format);
        let is_copy = |new: &PairedRecord<'_>| {
            format.is_some_and(|format| (format.about().holds_copies)(new.path())) && self.is_elsewhere(new)
        };
        let new = self.after.iter().filter(|own| own.partner.is_none() && !is_copy(own));
        effects.extend(new.map(|own| self.addition(own)));
        effects
    }

    /// True if another file has the same record.
    fn is_elsewhere(&self, new: &PairedRecord<'_>) -> bool {
        let files = self.store.documents.iter().filter(|file| is_data(file.role) && file.path != new.path());
        { files }.any(|file| file.has_digest(new.digest))
            || self.after.iter().any(|other| other.digest == new.digest && other.path() != new.path())
    }

    fn addition(&self, new: &PairedRecord<'_>) -> MemoryEffect {
        let raw = new.document.raw(new.record());
        let format = format::by_name(self.store.format);
        let session = format.and_then(|format| format.session_of(new.path()));
        let title = format::title_of_raw(self.store, new.path(), new.record(), &raw);
        MemoryEffect { title: Some(title), ..added((&self.store.root, new.path()), session, new.id(), &raw) }
    }
}

fn effect_on(store: &Store, number: u32, kind: EffectKind, file: &Path) -> MemoryEffect {
    let entry = &store.entries[number as usize];
    MemoryEffect {
        kind,
        entry: Some(number),
        session: store.session(entry).map(|session| session.name.clone()),
        id: store.id(entry).map(str::to_owned),
        id_after: None,
        key_after: None,
        key: store.document(entry).key(&store.root, entry.record),
        title: None,
        file: file.to_owned(),
    }
}

/// Groups free records by where they are. `pair` is the number after the changes of the pair that a record is in.
fn gaps<'d>(
    records: &[PairedRecord<'d>],
    pair: impl Fn(&PairedRecord<'d>, usize) -> Option<usize>,
) -> HashMap<Gap<'d>, Vec<usize>> {
    let mut gaps: HashMap<Gap<'d>, Vec<usize>> = HashMap::new();
    let mut last: Gap<'d> = (Path::new(""), None);
    for (number, record) in records.iter().enumerate() {
        if last.0 != record.path() {
            last = (record.path(), None);
        }
        match record.partner {
            Some(_) => last.1 = pair(record, number).or(last.1),
            None => gaps.entry(last).or_default().push(number),
        }
    }
    gaps
}

/// Returns the tombstones that come and go with the changes: the effect, the id and the file.
fn tombstone_changes<'c>(
    store: &Store,
    changes: &'c [Change],
    after: &[Arc<Document>],
) -> Vec<(EffectKind, String, &'c Path)> {
    let mut found = Vec::new();
    for change in changes.iter().filter(|change| !change.is_empty()) {
        let is_it =
            |document: &&Arc<Document>| document.path == change.path && document.role == Role::Tombstones;
        let [was, is] = [&store.documents[..], after].map(|documents| {
            let records = documents.iter().find(is_it).into_iter().flat_map(|document| &document.records);
            records.filter_map(Record::named_id).collect::<HashSet<&str>>()
        });
        let of = |kind| move |id: &&str| (kind, (*id).to_owned(), &*change.path);
        found.extend(is.difference(&was).map(of(EffectKind::Delete)));
        found.extend(was.difference(&is).map(of(EffectKind::Undelete)));
    }
    found
}

/// Returns the memories that get a tombstone or lose theirs, without those that `found` has.
fn tombstone_effects(
    store: &Store,
    changes: &[Change],
    after: &[Arc<Document>],
    found: &[MemoryEffect],
) -> Vec<MemoryEffect> {
    let tombstones = tombstone_changes(store, changes, after);
    let ids: HashSet<&str> = tombstones.iter().map(|(_, id, _)| &**id).collect();
    let taken: HashSet<u32> = found.iter().filter_map(|effect| effect.entry).collect();
    // Several memories may have the id.
    let mut named: HashMap<&str, Vec<u32>> = HashMap::new();
    for (number, entry) in (0..).zip(&store.entries).filter(|_| !ids.is_empty()) {
        if let Some(id) = store.id(entry).filter(|id| ids.contains(id)) {
            named.entry(id).or_default().push(number);
        }
    }
    let mut effects = Vec::new();
    let format = format::by_name(store.format);
    for (kind, id, file) in &tombstones {
        let session = format.and_then(|format| format.session_of(file));
        let is_it = |number: &&u32| {
            let entry = &store.entries[**number as usize];
            store.session(entry).map(|session| &session.name) == session.as_ref()
                && (entry.state == State::Deleted) == (*kind == EffectKind::Undelete)
        };
        let entries: Vec<u32> = named.get(&**id).into_iter().flatten().filter(is_it).copied().collect();
        if entries.is_empty() {
            let of = (&*store.root, *file);
            effects.push(MemoryEffect { kind: *kind, ..added(of, session, Some(id), id.as_bytes()) });
        }
        effects.extend(entries.into_iter().filter(|number| !taken.contains(number)).map(|number| {
            effect_on(store, number, *kind, &store.document(&store.entries[number as usize]).path)
        }));
    }
    effects
}

/// Returns where a file changes: the start of the first change, and how many bytes stay after the last one. `None` if it
/// is created or removed, or if what is replaced is not what was read.
fn changed_range(before: &Document, change: &Change) -> Option<(u64, u64)> {
    let base = change.base.as_ref()?;
    let splices = change.splices().filter(|_| base.is_same(&before.bytes) && before.is_held())?;
    let (first, last) = (splices.first()?, splices.last()?);
    Some((first.start, before.len.checked_sub(last.end())?))
}

/// Returns the records of a document that overlap or touch a range.
fn candidates(document: &Document, range: Option<(u64, u64)>) -> impl Iterator<Item = PairedRecord<'_>> {
    let is_within =
        move |own: &Record| range.is_none_or(|(first, end)| own.span.end >= first && own.span.start <= end);
    let records = (0..).zip(&document.records).filter(move |(_, own)| is_within(own));
    records.map(|(record, own)| {
        let digest = fast_digest(&document.raw(own));
        PairedRecord { document, record, digest, partner: None }
    })
}

fn is_data(role: Role) -> bool {
    matches!(role, Role::Records | Role::Archive)
}
