//! Maps from keys to lists of ids, as indexes contain them: built, and compared with the records.

use std::collections::BTreeMap;

use super::compressed_text::CompressedWriter;
use super::id_index::IdIndex;
use super::json_stream::JsonEvent;
use crate::model::{FastMap, FastSet, View};
use crate::text::json_edit;

/// Returns the keys under which a record is listed.
pub type KeysOf = for<'v> fn(View<'v>) -> Vec<&'v str>;

/// A map from keys to ids under construction.
#[derive(Default)]
pub struct IdListWriter<'a> {
    lists: BTreeMap<&'a str, String>,
}

impl<'a> IdListWriter<'a> {
    /// Adds an id, which is already in quotes, under a key.
    pub fn push(&mut self, key: &'a str, id: &str) {
        let list = self.lists.entry(key).or_default();
        list.push_str(if list.is_empty() { "" } else { "," });
        list.push_str(id);
    }

    /// Writes the map as JSON, sorted by its keys.
    pub fn write(&self, out: &mut CompressedWriter) {
        let keys: Vec<&str> = self.lists.keys().copied().collect();
        self.write_of(&keys, out);
    }

    /// Writes these keys. The list of a key without ids is empty.
    pub fn write_of(&self, keys: &[&str], out: &mut CompressedWriter) {
        out.push("{");
        for (at, key) in keys.iter().enumerate() {
            out.push(if at > 0 { "," } else { "" });
            out.push(&json_edit::quoted(key));
            out.push(":[");
            out.push(self.lists.get(key).map_or("", |list| list));
            out.push("]");
        }
        out.push("}");
    }
}

/// The ids that a map from keys to ids lists.
#[derive(Default)]
pub struct IdListCheck {
    /// The lists, by the number of their key.
    lists: Vec<IdList>,
    keys: FastMap<String, usize>,
    /// The number of the list that is being read.
    at: usize,
}

#[derive(Default)]
struct IdList {
    /// The sorted places of the ids under a key, and whether their record was asked for.
    places: Vec<(u32, bool)>,
    /// Ids that no record has.
    unknown: FastSet<String>,
    /// The expected next place.
    next: u32,
    /// The index in `places` after the record that was found last.
    asked: usize,
}

impl IdListCheck {
    /// Adds an event of the map.
    pub fn meet(&mut self, met: JsonEvent<'_>, ids: &IdIndex<'_>) {
        match met {
            JsonEvent::Key(key) | JsonEvent::Value(key, _) => {
                self.at = *self.keys.entry(key.to_owned()).or_insert(self.lists.len());
                if self.at == self.lists.len() {
                    self.lists.push(IdList::default());
                }
                self.lists[self.at].next = 0;
            }
            JsonEvent::Item(id) => {
                let (Some(id), Some(list)) = (id.text(), self.lists.get_mut(self.at)) else { return };
                match ids.place(&id, &mut list.next) {
                    Some(place) => list.places.push((place, false)),
                    None => drop(list.unknown.insert(id.into_owned())),
                }
            }
            JsonEvent::Member(_) | JsonEvent::Inner => {}
        }
    }

    /// Sorts the lists after the last event. Most are sorted already, which makes this cheap.
    pub fn sort(&mut self) {
        for list in &mut self.lists {
            list.places.sort_unstable();
            list.places.dedup();
        }
    }

    /// True if the record at this place is listed under this key.
    pub fn has(&mut self, key: &str, place: u32) -> bool {
        let list = self.keys.get(key).and_then(|at| self.lists.get_mut(*at));
        let Some(list) = list else { return false };
        let at = match list.places.get(list.asked) {
            Some((own, _)) if *own == place => list.asked,
            _ => list.places.partition_point(|(own, _)| *own < place),
        };
        match list.places.get_mut(at) {
            Some((own, asked)) if *own == place => {
                (*asked, list.asked) = (true, at + 1);
                true
            }
            _ => false,
        }
    }

    /// Counts the listed ids for which [`Self::has`] was not asked. `counts` chooses the ids.
    pub fn others(&self, ids: &IdIndex<'_>, counts: impl Fn(&str) -> bool) -> usize {
        let of = |list: &IdList| {
            let places = list.places.iter().filter(|(place, asked)| !asked && counts(ids.at(*place)));
            places.count() + list.unknown.iter().filter(|id| counts(id)).count()
        };
        self.lists.iter().map(of).sum()
    }
}

#[cfg(test)]
pub mod tests;
