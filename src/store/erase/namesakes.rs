//! Remaining records that share an id with an erased one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::salted_digests::{salt_of, salted};
use crate::format::{Format, main_text, text_of};
use crate::model::{Entry, Moment, Role, State, Store, StoredMemory, UntrustedText};
use crate::store::erase::erasure_target::ErasureTarget;

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
        ErasureTarget { digest: None, keyed: None, versions: Vec::new(), namesakes, ..self.clone() }
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
}

impl<'a> IdGroup<'a> {
    pub(super) fn add(&mut self, target: &'a ErasureTarget) {
        self.times.insert(target.created.as_deref());
        self.lacks_text |= target.keyed.is_none();
        for own in &target.namesakes {
            self.stay.insert(own.created.as_deref());
            self.digests.extend(own.digest.as_deref());
            self.salt = self.salt.take().or_else(|| salt_of(own.digest.as_deref()?));
        }
    }

    /// True if a remaining record shares the id.
    pub(super) fn is_shared(&self) -> bool {
        !self.stay.is_empty()
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
        let Some(memory) = memory else { return false };
        let created = created(memory);
        let created = created.as_deref();
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

impl ChosenRecords<'_> {
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

/// Sets the remaining records of each id, in the id's first target. All of `chosen` are erased.
pub fn set_namesakes(
    format: &'static dyn Format,
    store: &Store,
    chosen: &[Entry],
    salt: &[u8],
    targets: &mut [ErasureTarget],
) {
    type IdInSession<'s> = (Option<u32>, &'s str);
    let name = |entry: &Entry| -> Option<IdInSession<'_>> {
        Some((entry.session, store.id(entry).filter(|id| !id.is_empty())?))
    };
    let is_chosen: HashSet<(u32, u32)> = chosen.iter().map(|own| (own.document, own.record)).collect();
    let names: HashSet<IdInSession<'_>> = chosen.iter().filter_map(name).collect();
    let others = store.entries.iter().filter(|own| !is_chosen.contains(&(own.document, own.record)));
    let others: Vec<(IdInSession<'_>, &Entry)> =
        others.filter_map(|own| Some((name(own)?, own))).filter(|(name, _)| names.contains(name)).collect();
    if others.is_empty() {
        return;
    }
    let shared: HashSet<IdInSession<'_>> = others.iter().map(|(name, _)| *name).collect();
    let mut groups: HashMap<IdInSession<'_>, ChosenRecords<'_>> = HashMap::new();
    for entry in chosen {
        let Some(name) = name(entry).filter(|name| shared.contains(name)) else { continue };
        let (own, text) = (groups.entry(name).or_default(), text_of(store, entry).text);
        let created = store.memory(entry).and_then(|memory| memory.created);
        own.times.insert(created);
        own.raws.insert(store.raw(entry));
        own.said.insert((created, text.clone()));
        own.texts.insert(text);
    }
    let mut stay: HashMap<(Option<&str>, &str), Vec<Namesake>> = HashMap::new();
    for (name, entry) in others {
        if groups.get(&name).is_some_and(|own| own.leaves(store, entry)) {
            let text = main_text(format, &store.document(entry).path, &store.raw(entry));
            let created = store.memory(entry).and_then(created);
            let digest = Some(salted(salt, text.as_bytes()));
            let session = store.session(entry).map(|session| &*session.name);
            stay.entry((session, name.1)).or_default().push(Namesake { created, digest });
        }
    }
    for target in targets.iter_mut() {
        let name = target.id.as_deref().map(|id| (target.session.as_deref(), id));
        target.namesakes = name.and_then(|name| stay.remove(&name)).unwrap_or_default();
    }
}
