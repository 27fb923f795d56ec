//! Remaining records that share an id with an erased one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::salted_digests::{salt_of, salted};
use crate::format::{Format, main_text, text_of};
use crate::model::{Entry, MemoryName, Moment, Role, State, Store, StoredMemory, UntrustedText};
use crate::store::erase::erasure_target::{EarlierName, ErasureTarget};

/// A remaining record that shares its id with an erased one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Namesake {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// A salted digest of its text. It is removed when the erasure is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

impl ErasureTarget {
    /// Returns what is kept of a record after its erasure: nothing that reveals its text.
    pub fn when_over(&self) -> ErasureTarget {
        let bare = |own: &Namesake| Namesake { digest: None, ..own.clone() };
        let namesakes = self.namesakes.iter().map(bare).collect();
        let mut earlier = self.earlier.clone();
        earlier.iter_mut().flat_map(|own| &mut own.namesakes).for_each(|own| own.digest = None);
        ErasureTarget { digest: None, keyed: None, versions: Vec::new(), namesakes, earlier, ..self.clone() }
    }
}

/// The erased and the remaining records of one id.
#[derive(Default)]
pub(super) struct IdGroup<'a> {
    /// Creation times of the erased ones.
    times: HashSet<Option<&'a str>>,
    /// Creation times of the remaining ones.
    stay: HashSet<Option<&'a str>>,
    /// Digests of the texts of the remaining ones.
    digests: HashSet<&'a str>,
    salt: Option<Vec<u8>>,
    /// True if no digest of the text of an erased one is known.
    pub(super) lacks_text: bool,
    /// True if an erased one has the id now. Otherwise all had it before, and it may have been given again.
    has_it_now: bool,
}

impl<'a> IdGroup<'a> {
    pub(super) fn add(&mut self, target: &'a ErasureTarget) {
        self.has_it_now = true;
        self.add_named(target, &target.namesakes);
    }

    /// Adds a record that had the id before.
    pub(super) fn add_earlier(&mut self, target: &'a ErasureTarget, earlier: &'a EarlierName) {
        self.add_named(target, &earlier.namesakes);
    }

    fn add_named(&mut self, target: &'a ErasureTarget, namesakes: &'a [Namesake]) {
        self.times.insert(target.created.as_deref());
        self.lacks_text |= target.keyed.is_none();
        for own in namesakes {
            self.stay.insert(own.created.as_deref());
            self.digests.extend(own.digest.as_deref());
            self.salt = self.salt.take().or_else(|| salt_of(own.digest.as_deref()?));
        }
    }

    /// True if a remaining record shares the id.
    pub(super) fn is_shared(&self) -> bool {
        !self.stay.is_empty()
    }

    /// True if a torn record says times, and none of them is that of an erased one: its name was given again.
    fn has_other_time(&self, raw: &[u8]) -> bool {
        let texts = raw.split(|byte| *byte == b'"').filter_map(|text| std::str::from_utf8(text).ok());
        let mut times = texts.filter_map(Moment::of).map(Moment::to_micros).peekable();
        let is_known = !self.times.contains(&None) && times.peek().is_some();
        is_known && times.all(|time| !self.times.contains(&Some(&*time)))
    }

    /// True if a record has the creation time of an erased one. Of a torn one it is not known.
    pub(super) fn has_time_of(&self, memory: Option<&StoredMemory>) -> bool {
        memory.is_none_or(|memory| self.times.contains(&created(memory).as_deref()))
    }

    /// True if a record with this id is another one. Once an erasure `is_over`, a record with
    /// another creation time is another one: ids are given again.
    pub(super) fn is_another(
        &self,
        (format, path): (&'static dyn Format, &Path),
        raw: &[u8],
        memory: Option<&StoredMemory>,
        is_over: bool,
    ) -> bool {
        let Some(memory) = memory else {
            return !self.has_it_now && (self.is_shared() || self.has_other_time(raw));
        };
        let created = created(memory);
        let created = created.as_deref();
        if !self.has_it_now && (!self.times.contains(&created) || is_over && created.is_none()) {
            return true;
        }
        let is_of_its_time = created.is_none() || self.times.contains(&created) || self.times.contains(&None);
        if !is_of_its_time {
            return is_over || self.stay.contains(&created);
        }
        if !self.stay.contains(&created) {
            return false;
        }
        let says_so = |salt: &Vec<u8>| {
            let text = main_text(format, path, raw);
            self.digests.contains(&*salted(salt, text.as_bytes()))
        };
        is_over || self.salt.as_ref().is_some_and(says_so)
    }
}

pub(super) fn created(memory: &StoredMemory) -> Option<String> {
    memory.created.map(Moment::to_micros)
}

/// The chosen records of one id.
#[derive(Default)]
struct ChosenRecords<'s> {
    times: HashSet<Option<Moment>>,
    raws: HashSet<Cow<'s, [u8]>>,
    texts: HashSet<UntrustedText>,
    said: HashSet<(Option<Moment>, UntrustedText)>,
}

impl<'s> ChosenRecords<'s> {
    fn add(&mut self, store: &'s Store, entry: &Entry) {
        let created = store.memory(entry).and_then(|memory| memory.created);
        let text = text_of(store, entry).text;
        self.times.insert(created);
        self.raws.insert(store.raw(entry));
        self.said.insert((created, text.clone()));
        self.texts.insert(text);
    }

    /// True if a record with their id stays. A live record is another one if its time or its text
    /// differs. For an archived one both must differ: otherwise it is a copy.
    fn leaves(&self, store: &Store, entry: &Entry) -> bool {
        let created = store.memory(entry).and_then(|memory| memory.created);
        let text = text_of(store, entry).text;
        let is_live = entry.state == State::Live && store.document(entry).role == Role::Records;
        let has_no_time = created.is_none() || self.times.contains(&None);
        if self.raws.contains(&*store.raw(entry)) {
            return false;
        }
        match (is_live, has_no_time) {
            (true, true) => !self.texts.contains(&text),
            (true, false) => !self.said.contains(&(created, text)),
            (false, true) => false,
            (false, false) => !self.times.contains(&created) && !self.texts.contains(&text),
        }
    }
}

/// Sets the remaining records of each id, in the id's first target. All of `chosen` are erased. The same for each id
/// that a target had before.
pub fn set_namesakes(
    format: &'static dyn Format,
    store: &Store,
    chosen: &[Entry],
    salt: &[u8],
    targets: &mut [ErasureTarget],
) {
    let name = |entry: &Entry| {
        let id = store.id(entry).filter(|id| !id.is_empty())?.to_owned();
        Some(MemoryName { session: store.session(entry).map(|own| own.name.clone()), id })
    };
    let mut names: HashMap<MemoryName, HashSet<&MemoryName>> = HashMap::new();
    for (target, own) in targets.iter().filter_map(|target| Some((target, target.memory_name()?))) {
        names.entry(own).or_default().extend(target.earlier.iter().map(|own| &own.name));
    }
    let is_chosen: HashSet<(u32, u32)> = chosen.iter().map(|own| (own.document, own.record)).collect();
    let others = store.entries.iter().filter(|own| !is_chosen.contains(&(own.document, own.record)));
    let all: HashSet<&MemoryName> = names.keys().chain(names.values().flatten().copied()).collect();
    let others = others.filter_map(|own| Some((name(own)?, own)));
    let others: Vec<(MemoryName, &Entry)> = others.filter(|(name, _)| all.contains(name)).collect();
    if others.is_empty() {
        return;
    }
    let shared: HashSet<&MemoryName> = others.iter().map(|(name, _)| name).collect();
    let mut groups: HashMap<&MemoryName, ChosenRecords<'_>> = HashMap::new();
    for entry in chosen {
        let Some((now, earlier)) = name(entry).and_then(|name| names.get_key_value(&name)) else { continue };
        for name in std::iter::once(now).chain(earlier.iter().copied()).filter(|name| shared.contains(name)) {
            groups.entry(name).or_default().add(store, entry);
        }
    }
    let mut stay: HashMap<MemoryName, Vec<Namesake>> = HashMap::new();
    for (name, entry) in &others {
        if groups.get(name).is_some_and(|own| own.leaves(store, entry)) {
            let text = main_text(format, &store.document(entry).path, &store.raw(entry));
            let created = store.memory(entry).and_then(created);
            let digest = Some(salted(salt, text.as_bytes()));
            stay.entry(name.clone()).or_default().push(Namesake { created, digest });
        }
    }
    for target in targets.iter_mut() {
        target.namesakes = target.memory_name().and_then(|name| stay.remove(&name)).unwrap_or_default();
        for own in &mut target.earlier {
            own.namesakes = stay.get(&own.name).cloned().unwrap_or_default();
        }
    }
}
