//! Maps from keys to lists of ids, as indexes contain them: built, and compared with the records.

use std::collections::BTreeMap;

use super::id_index::IdIndex;
use crate::model::{FastMap, FastSet, StoredMemory};
use crate::text::json::Json;
use crate::text::json_edit;

/// Returns the keys under which a record is listed.
pub type KeysOf = for<'v> fn(&'v StoredMemory) -> Vec<&'v str>;

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

    /// Returns the map as JSON, sorted by its keys.
    pub fn to_json(&self) -> String {
        let keys: Vec<&str> = self.lists.keys().copied().collect();
        self.json_of(&keys)
    }

    /// Returns these keys as JSON. The list of a key without ids is empty.
    pub fn json_of(&self, keys: &[&str]) -> String {
        let mut json = String::from("{");
        for (at, key) in keys.iter().enumerate() {
            json.push_str(if at > 0 { "," } else { "" });
            json.push_str(&json_edit::quoted(key));
            json.push_str(":[");
            json.push_str(self.lists.get(key).map_or("", |list| list));
            json.push(']');
        }
        json.push('}');
        json
    }
}

/// The ids that a map from keys to ids lists.
#[derive(Default)]
struct IdListCheck {
    /// The lists, by the number of their key.
    lists: Vec<IdList>,
    keys: FastMap<String, usize>,
}

#[derive(Default)]
struct IdList {
    /// The sorted places of the ids under a key, and whether their record was asked for.
    places: Vec<(u32, bool)>,
    unknown: FastSet<String>,
    /// The index in `places` after the record that was found last.
    asked: usize,
}

impl IdListCheck {
    fn of(map: Json<'_>, ids: &IdIndex<'_>) -> IdListCheck {
        let mut check = IdListCheck::default();
        for (key, listed) in map.members() {
            let at =
                check.keys.entry(key.text().unwrap_or_default().into_owned()).or_insert(check.lists.len());
            if *at == check.lists.len() {
                check.lists.push(IdList::default());
            }
            let list = &mut check.lists[*at];
            let mut next = 0;
            for id in listed.items().filter_map(|id| id.text()) {
                match ids.place(&id, &mut next) {
                    Some(place) => list.places.push((place, false)),
                    None => drop(list.unknown.insert(id.into_owned())),
                }
            }
        }
        // Most are sorted already, which makes this cheap.
        for list in &mut check.lists {
            list.places.sort_unstable();
            list.places.dedup();
        }
        check
    }

    /// True if the record at this place is listed under this key.
    fn has(&mut self, key: &str, place: u32) -> bool {
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

    /// True if an id is listed for which [`Self::has`] was not asked. `counts` chooses the ids.
    fn has_others(&self, ids: &IdIndex<'_>, counts: impl Fn(&str) -> bool) -> bool {
        self.lists.iter().any(|list| {
            let mut places = list.places.iter();
            places.any(|(place, asked)| !asked && counts(ids.at(*place)))
                || list.unknown.iter().any(|id| counts(id))
        })
    }
}

/// True if a map lists the live records under their keys, and no others but those that `may_stay`. The records come with
/// their keys and places, and whether they are live.
pub fn is_right<'v>(
    map: Option<Json<'_>>,
    ids: &IdIndex<'_>,
    mut records: impl Iterator<Item = (Vec<&'v str>, u32, bool)>,
    may_stay: impl Fn(&str) -> bool,
) -> bool {
    let Some(map) = map else { return records.all(|(keys, _, is_live)| !is_live || keys.is_empty()) };
    let mut listed = IdListCheck::of(map, ids);
    for (keys, place, is_live) in records {
        let lacking = keys.into_iter().filter(|key| !listed.has(key, place)).count();
        if is_live && lacking > 0 {
            return false;
        }
    }
    !listed.has_others(ids, |id| !may_stay(id))
}

#[cfg(test)]
pub mod tests;
