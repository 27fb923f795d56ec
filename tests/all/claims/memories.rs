//! The memories of a store as it lists them.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use palimp::format;
use palimp::model::{State, Store};
use serde_json::Value;

use super::stores::Gone;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Memory {
    pub file: PathBuf,
    pub id: Option<String>,
    pub title: String,
    pub text: String,
    pub raw: Vec<u8>,
    pub state: &'static str,
    pub is_live: bool,
}

impl Memory {
    pub fn told(&self) -> String {
        format!("{} {:?} {:?} {}", self.state, self.id, self.title, String::from_utf8_lossy(&self.raw))
    }

    /// True if this is the deleted or erased memory. A placeholder titled "erased" may have its id.
    pub fn is(&self, gone: &Gone) -> bool {
        self.raw == gone.raw || self.title == gone.title || self.id == gone.id && self.title != "erased"
    }

    /// True if palimp wrote it to record its actions.
    pub fn is_our_own(&self) -> bool {
        memchr::memmem::find(&self.raw, b"\"source\": \"palimp\"").is_some()
    }

    /// True if the text has its id or its title, in plain text or as JSON spells it.
    pub fn is_named_in(&self, text: &[u8]) -> bool {
        let has = |part: &[u8]| !part.is_empty() && memchr::memmem::find(text, part).is_some();
        let spelled = Value::from(self.title.as_str()).to_string();
        let is_titled = || has(self.title.as_bytes()) || has(spelled.trim_matches('"').as_bytes());
        self.id.as_ref().is_some_and(|id| has(id.as_bytes())) || has(&self.raw) || is_titled()
    }
}

pub fn all(store: &Store) -> Vec<Memory> {
    let one = |entry: &palimp::model::Entry| {
        let view = store.memory(entry);
        Memory {
            file: store.document(entry).path.clone(),
            id: view.and_then(|view| view.id()).map(str::to_owned),
            title: format::title(store, entry).into_raw(),
            text: format::text_of(store, entry).text.into_raw(),
            raw: store.raw(entry).to_vec(),
            state: entry.state.as_str(),
            is_live: entry.state == State::Live && !view.is_some_and(|view| view.faded),
        }
    };
    store.entries.iter().map(one).collect()
}

pub fn live(store: &Store) -> Vec<Memory> {
    all(store).into_iter().filter(|own| own.is_live).collect()
}

pub fn more_than<'m>(these: &'m [Memory], those: &[Memory]) -> Vec<&'m Memory> {
    let name = |own: &Memory| own.id.clone().map_or_else(|| own.raw.clone(), String::into_bytes);
    let known: BTreeSet<Vec<u8>> = those.iter().map(name).collect();
    these.iter().filter(|own| !known.contains(&name(own)) && !own.is_our_own()).collect()
}

pub fn fields(raw: &[u8]) -> Option<HashMap<String, Value>> {
    let Value::Object(own) = serde_json::from_slice(raw).ok()? else { return None };
    let is_told = |name: &String| !matches!(name.as_str(), "id" | "event_id" | "checksum");
    Some(own.into_iter().filter(|(name, _)| is_told(name)).collect())
}
