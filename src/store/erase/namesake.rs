//! Records that share an id with one that is erased, and stay.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::wanted::{Target, salt_of, salted};
use crate::format::{Format, main_text, text_of};
use crate::model::{Entry, Moment, Role, State, Store, View};

/// A record that shares an id with an erased one, and stays.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Namesake {
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// Tells its text: salted.
    digest: String,
}

impl Target {
    /// Whether a record of the target's id is another one. Once an erasure `is_over`, one that was
    /// created at another time is: ids are given again.
    pub(super) fn is_another(
        &self,
        (format, path): (&'static dyn Format, &Path),
        raw: &[u8],
        view: Option<&View>,
        is_over: bool,
    ) -> bool {
        let Some(view) = view else { return false };
        let created = created(view);
        if is_over && self.created.is_some() && created.is_some() && self.created != created {
            return true;
        }
        if self.namesakes.is_empty() {
            return false;
        }
        let text = main_text(format, path, raw);
        self.namesakes.iter().any(|own| {
            let is_of_its_time =
                own.created.is_some() && own.created == created && own.created != self.created;
            is_of_its_time || own.says(&text)
        })
    }
}

impl Namesake {
    fn says(&self, text: &str) -> bool {
        salt_of(&self.digest).is_some_and(|salt| salted(&salt, text.as_bytes()) == self.digest)
    }
}

/// When a record was created, as it is kept.
pub(super) fn created(view: &View) -> Option<String> {
    view.created.map(Moment::to_micros)
}

/// Tells each target which records of its id stay. All of `chosen` are erased. An archived record of
/// the same time, or of the same text, is a copy and is erased as well.
pub fn spare(
    format: &'static dyn Format,
    store: &Store,
    chosen: &[Entry],
    salt: &[u8],
    targets: &mut [Target],
) {
    let is_chosen: HashSet<(u32, u32)> = chosen.iter().map(|own| (own.document, own.record)).collect();
    let mut by_id: HashMap<String, Vec<Entry>> = HashMap::new();
    for entry in chosen {
        if let Some(id) = store.view(entry).and_then(|view| view.id.as_deref()) {
            by_id.entry(id.to_owned()).or_default().push(*entry);
        }
    }
    let mut stay: HashMap<&str, Vec<(Option<u32>, Namesake)>> = HashMap::new();
    for entry in store.entries.iter().filter(|own| !is_chosen.contains(&(own.document, own.record))) {
        let Some((view, id)) = store.view(entry).and_then(|view| Some((view, view.id.as_deref()?))) else {
            continue;
        };
        let own = by_id.get(id).into_iter().flatten().filter(|own| own.session == entry.session);
        let mut own = own.peekable();
        if own.peek().is_none() || !own.all(|own| stays(store, entry, own)) {
            continue;
        }
        let text = main_text(format, &store.document(entry).path, store.raw(entry));
        let namesake = Namesake { created: created(view), digest: salted(salt, text.as_bytes()) };
        stay.entry(id).or_default().push((entry.session, namesake));
    }
    for target in targets.iter_mut() {
        let all = target.id.as_deref().and_then(|id| stay.get(id)).into_iter().flatten();
        let name = |session: &Option<u32>| session.map(|at| store.sessions[at as usize].name.clone());
        let own = all.filter(|(session, _)| name(session) == target.session);
        target.namesakes = own.map(|(_, own)| own.clone()).collect();
    }
}

/// Whether a record stays when another one with its id is erased.
fn stays(store: &Store, entry: &Entry, erased: &Entry) -> bool {
    let created = |entry: &Entry| store.view(entry).and_then(|view| view.created);
    let text = |entry: &Entry| text_of(store, entry).text;
    let is_later = created(entry).is_some() && created(erased).is_some() && created(entry) != created(erased);
    let is_live = entry.state == State::Live && store.document(entry).role == Role::Records;
    let differs = || store.raw(entry) != store.raw(erased) && text(entry) != text(erased);
    match is_live {
        true => is_later || differs(),
        false => is_later && differs(),
    }
}
