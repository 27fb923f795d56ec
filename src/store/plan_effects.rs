//! Finds what a plan does to which memories, once, when the plan is made: the documents before and after it are there.
//! Only what is between the first and the last change of a file is looked at.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use crate::format::{self, writing};
use crate::model::key::{Key, fast_digest};
use crate::model::plan::effect::{EffectKind, MemoryEffect};
use crate::model::{Act, Change, Document, Entry, Moment, Record, Role, State, Store, container};
use crate::store::FileCompression;
use crate::store::derived_files::documents_after;

/// Returns what changes do to the memories of a store: those that it lists in their order, then what is added.
/// `after` are its documents after the changes.
pub fn effects(store: &Store, changes: &[Change], after: &[Arc<Document>]) -> Vec<MemoryEffect> {
    let mut pairing = Pairing::of(store, changes, after);
    pairing.pair_same_bytes();
    pairing.pair_ids(true);
    pairing.pair_moved_bytes();
    pairing.pair_ids(false);
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
        self.record().memory()?.id()
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
    /// True for pairs that are equal in bytes and file.
    unchanged: HashSet<usize>,
}

impl<'d> Pairing<'d> {
    fn of(store: &'d Store, changes: &[Change], after: &'d [Arc<Document>]) -> Pairing<'d> {
        let changed: HashMap<&Path, &Change> =
            changes.iter().filter(|own| !own.is_empty()).map(|own| (&*own.path, own)).collect();
        let mut pairing = Pairing { store, before: Vec::new(), after: Vec::new(), unchanged: HashSet::new() };
        for document in store.documents.iter().filter(|own| is_data(own.role)) {
            let change = changed.get(&*document.path).or_else(|| changed.get(container(&document.path)?));
            let Some(change) = change else { continue };
            let end = |left: u64| document.len - left;
            let range = stretch(document, change).map(|(first, left)| (first, end(left)));
            pairing.before.extend(candidates(document, range));
        }
        for document in after.iter().filter(|own| is_data(own.role)) {
            let Some(change) = changed.get(&*document.path) else { continue };
            let before = store.document_at(&document.path);
            let end = |left: u64| document.len.saturating_sub(left);
            let range =
                before.and_then(|before| stretch(before, change)).map(|(first, left)| (first, end(left)));
            pairing.after.extend(candidates(document, range));
        }
        pairing
    }

    fn pair(&mut self, old: usize, new: usize) {
        self.before[old].partner = Some(new);
        self.after[new].partner = Some(old);
    }

    /// Pairs free records that have the same `name` in both states, in their order.
    fn pair_by<K: std::hash::Hash + Eq>(
        &mut self,
        name: impl Fn(&PairedRecord<'d>) -> Option<K>,
    ) -> Vec<usize> {
        let mut named: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (number, own) in self.after.iter().enumerate().filter(|(_, own)| own.partner.is_none()) {
            if let Some(name) = name(own) {
                named.entry(name).or_default().push_back(number);
            }
        }
        let mut paired = Vec::new();
        for old in 0..self.before.len() {
            if named.is_empty() || self.before[old].partner.is_some() {
                continue;
            }
            let found = name(&self.before[old]).and_then(|name| named.get_mut(&name)?.pop_front());
            if let Some(new) = found {
                self.pair(old, new);
                paired.push(old);
            }
        }
        paired
    }

    fn pair_same_bytes(&mut self) {
        let paired = self.pair_by(|own| Some((own.path(), own.digest)));
        self.unchanged.extend(paired);
    }

    fn pair_moved_bytes(&mut self) {
        self.pair_by(|own| Some(own.digest));
    }

    fn pair_ids(&mut self, in_same_file: bool) {
        self.pair_by(|own| Some((if in_same_file { own.path() } else { Path::new("") }, own.id()?)));
    }

    /// Pairs free records between the same neighbours in a file, if there are as many before as after.
    fn pair_places(&mut self) {
        type Gap<'d> = (&'d Path, Option<usize>);
        let mut gaps: HashMap<Gap<'d>, (Vec<usize>, Vec<usize>)> = HashMap::new();
        let mut last: Gap<'d> = (Path::new(""), None);
        for (number, own) in self.after.iter().enumerate() {
            if last.0 != own.path() {
                last = (own.path(), None);
            }
            match own.partner {
                Some(_) => last.1 = Some(number),
                None => gaps.entry(last).or_default().1.push(number),
            }
        }
        last = (Path::new(""), None);
        for (number, own) in self.before.iter().enumerate() {
            if last.0 != own.path() {
                last = (own.path(), None);
            }
            match own.partner {
                Some(new) => {
                    last.1 = Some(new).filter(|new| self.after[*new].path() == own.path()).or(last.1)
                }
                None => gaps.entry(last).or_default().0.push(number),
            }
        }
        for (old, new) in gaps.into_values().filter(|(old, new)| old.len() == new.len()) {
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
    }

    fn effects(&self, changes: &[Change]) -> Vec<MemoryEffect> {
        let is_packed = |own: &&Change| {
            let is_archive = FileCompression::of(&own.path) == Some(FileCompression::TarGzip);
            matches!(own.act, Act::Create(_)) && is_archive
        };
        // The files in a new archive are not read: what goes goes there.
        let packed = changes.iter().find(is_packed).map(|own| &*own.path);
        let mut effects = Vec::new();
        for (number, old) in self.before.iter().enumerate() {
            let document = self.store.documents.binary_search_by(|own| (*own.path).cmp(old.path()));
            let entry = document.ok().and_then(|at| self.store.entry_number(at as u32, old.record));
            let Some(entry) = entry.filter(|_| !self.unchanged.contains(&number)) else { continue };
            let (kind, file) = match old.partner.map(|new| self.after[new].path()).or(packed) {
                Some(file) if file == old.path() => (EffectKind::Change, file),
                Some(file) => (EffectKind::Move, file),
                None => (EffectKind::Remove, old.path()),
            };
            let mut effect = effect_on(self.store, entry, kind, file);
            let id_after = old.partner.and_then(|new| self.after[new].id()).map(str::to_owned);
            effect.id_after = id_after.filter(|id| effect.id.as_ref() != Some(id));
            effects.push(effect);
        }
        let format = format::by_name(self.store.format);
        let is_copy = |new: &PairedRecord<'_>| {
            format.is_some_and(|format| format.holds_copies(new.path())) && self.is_elsewhere(new)
        };
        let new = self.after.iter().filter(|own| own.partner.is_none() && !is_copy(own));
        effects.extend(new.map(|own| self.addition(own)));
        effects
    }

    /// True if another file has the same record.
    fn is_elsewhere(&self, new: &PairedRecord<'_>) -> bool {
        let mut files = self.store.documents.iter().filter(|own| is_data(own.role) && own.path != new.path());
        self.after.iter().any(|own| own.digest == new.digest && own.path() != new.path())
            || files.any(|own| own.record_digests().contains(&new.digest))
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
        id: store.memory(entry).and_then(|memory| memory.id()).map(str::to_owned),
        id_after: None,
        key: store.document(entry).key(&store.root, entry.record),
        title: None,
        file: file.to_owned(),
    }
}

/// Returns the memories that get a tombstone or lose theirs.
fn tombstone_effects(
    store: &Store,
    changes: &[Change],
    after: &[Arc<Document>],
    found: &[MemoryEffect],
) -> Vec<MemoryEffect> {
    let mut effects = Vec::new();
    let format = format::by_name(store.format);
    for change in changes.iter().filter(|own| !own.is_empty()) {
        let at = |documents: &[Arc<Document>]| documents.iter().position(|own| own.path == change.path);
        let [was, is] = [&store.documents[..], after].map(|own| at(own).map(|at| &*own[at]));
        if ![was, is].into_iter().flatten().any(|own| own.role == Role::Tombstones) {
            continue;
        }
        let ids = |own: Option<&'_ Document>| -> HashSet<String> {
            own.iter()
                .flat_map(|own| &own.records)
                .filter_map(|own| own.named_id().map(str::to_owned))
                .collect()
        };
        let [was, is] = [ids(was), ids(is)];
        let session = format.and_then(|format| format.session_of(&change.path));
        let taken: HashSet<u32> = found.iter().filter_map(|own| own.entry).collect();
        let both = [(&is, &was, EffectKind::Delete), (&was, &is, EffectKind::Undelete)];
        for (these, others, kind) in both {
            for id in these.difference(others) {
                let is_it = |entry: &Entry| {
                    store.memory(entry).is_some_and(|memory| memory.id() == Some(id))
                        && store.session(entry).map(|own| &own.name) == session.as_ref()
                        && (entry.state == State::Deleted) == (kind == EffectKind::Undelete)
                };
                // Several memories may have the id.
                let entries =
                    (0..).zip(&store.entries).filter(|(_, own)| is_it(own)).map(|(number, _)| number);
                let entries: Vec<u32> = entries.collect();
                let free = entries.iter().filter(|entry| !taken.contains(entry));
                effects.extend(free.map(|entry| {
                    effect_on(store, *entry, kind, &store.document(&store.entries[*entry as usize]).path)
                }));
                if entries.is_empty() {
                    let of = (&*store.root, &*change.path);
                    effects
                        .push(MemoryEffect { kind, ..added(of, session.clone(), Some(id), id.as_bytes()) });
                }
            }
        }
    }
    effects
}

/// Returns where a file changes: the start of the first change, and how many bytes stay after the last one. `None` if it
/// is created or removed, or if what is replaced is not what was read.
fn stretch(before: &Document, change: &Change) -> Option<(u64, u64)> {
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
