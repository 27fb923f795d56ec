//! Maps from keys to lists of ids, as indexes hold them: made, and compared with the records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::ids::Ids;
use crate::model::View;
use crate::model::{QuickMap, QuickSet};
use crate::text::edit;
use crate::text::json::Json;

/// What a record is listed under in a map from keys to ids.
pub type Keys = for<'v> fn(View<'v>) -> Vec<&'v str>;

/// A map from keys to ids under construction.
#[derive(Default)]
pub struct Lists<'a> {
    lists: BTreeMap<&'a str, String>,
}

impl<'a> Lists<'a> {
    /// Lists an id, which is in quotes already, under one more key.
    pub fn push(&mut self, key: &'a str, id: &str) {
        let list = self.lists.entry(key).or_default();
        list.push_str(if list.is_empty() { "" } else { "," });
        list.push_str(id);
    }

    /// The map as JSON, by the order of its keys.
    pub fn to_json(&self) -> String {
        let keys: Vec<&str> = self.lists.keys().copied().collect();
        self.to_json_of(&keys)
    }

    /// Those keys of it, whether anything is listed under them or not.
    pub fn to_json_of(&self, keys: &[&str]) -> String {
        let mut json = String::from("{");
        for (at, key) in keys.iter().enumerate() {
            json.push_str(if at > 0 { "," } else { "" });
            json.push_str(&edit::quoted(key));
            json.push_str(":[");
            json.push_str(self.lists.get(key).map_or("", |list| list));
            json.push(']');
        }
        json.push('}');
        json
    }
}

/// The ids that one map from keys to ids lists.
pub struct Listed<'a> {
    lists: QuickMap<Cow<'a, str>, List<'a>>,
}

#[derive(Default)]
struct List<'a> {
    /// The places of the ids under a key, in order, and whether their record was asked for.
    places: Vec<(u32, bool)>,
    /// What no record has as its id.
    unknown: QuickSet<Cow<'a, str>>,
    next: usize,
}

impl<'a> Listed<'a> {
    /// What `map` lists.
    pub fn of(map: Json<'a>, ids: &Ids<'_>) -> Self {
        let mut lists: QuickMap<Cow<'_, str>, List<'_>> = QuickMap::default();
        for (key, items) in map.members() {
            let list = lists.entry(key.text().unwrap_or_default()).or_default();
            let mut next = 0;
            for id in items.items().filter_map(|id| id.text()) {
                match ids.place(&id, &mut next) {
                    Some(place) => list.places.push((place, false)),
                    None => drop(list.unknown.insert(id)),
                }
            }
        }
        // They are in order mostly: then it takes one look at each.
        for list in lists.values_mut() {
            list.places.sort_unstable();
            list.places.dedup();
        }
        Listed { lists }
    }

    /// Whether the record at that place, which has that key, is listed under it.
    pub fn has(&mut self, key: &str, place: u32) -> bool {
        let Some(list) = self.lists.get_mut(key) else { return false };
        let at = match list.places.get(list.next) {
            Some((own, _)) if *own == place => list.next,
            _ => list.places.partition_point(|(own, _)| *own < place),
        };
        match list.places.get_mut(at) {
            Some((own, asked)) if *own == place => {
                (*asked, list.next) = (true, at + 1);
                true
            }
            _ => false,
        }
    }

    /// How many ids are under keys of which [`Self::has`] was not asked. Some don't count.
    pub fn others(&self, ids: &Ids<'_>, counts: impl Fn(&str) -> bool) -> usize {
        let of = |list: &List<'_>| {
            let places = list.places.iter().filter(|(place, asked)| !asked && counts(ids.at(*place)));
            places.count() + list.unknown.iter().filter(|id| counts(id)).count()
        };
        self.lists.values().map(of).sum()
    }
}

#[cfg(test)]
pub mod tests;
