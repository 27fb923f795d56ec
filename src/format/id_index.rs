//! What records are called: which share an id, and what they name that is not there.

use crate::model::{Document, FastMap, FastSet, NameKind, Reference};

/// The ids of records, each at the place of its first record.
pub struct IdIndex<'a> {
    own: Vec<(&'a str, &'a Document, u32)>,
    places: FastMap<&'a str, u32>,
}

impl<'a> IdIndex<'a> {
    /// None yet, of so many records.
    pub fn of(records: usize) -> Self {
        IdIndex {
            own: Vec::with_capacity(records),
            places: FastMap::with_capacity_and_hasher(records, Default::default()),
        }
    }

    /// The file and line of the first record of that id, where this is another one.
    pub fn first(&mut self, id: &'a str, document: &'a Document, line: u32) -> Option<(&'a Document, u32)> {
        let end = self.own.len() as u32;
        let place = *self.places.entry(id).or_insert(end);
        let first = self.own.get(place as usize).map(|(_, document, line)| (*document, *line));
        if first.is_none() {
            self.own.push((id, document, line));
        }
        first
    }

    /// All of them, in the order of their places.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.own.iter().map(|(id, ..)| *id)
    }

    /// The id at a place.
    pub fn at(&self, place: u32) -> &'a str {
        self.own.get(place as usize).map_or("", |(id, ..)| id)
    }

    /// Where an id is. `next` is where it is expected, and then behind it: indexes list records in
    /// the order of their log, and what is where it is expected is not looked up.
    pub fn place(&self, id: &str, next: &mut u32) -> Option<u32> {
        let place = match self.own.get(*next as usize) {
            Some((own, ..)) if *own == id => *next,
            _ => *self.places.get(id)?,
        };
        *next = place + 1;
        Some(place)
    }
}

/// What is named, and is not there.
pub struct DanglingNames<'a>(FastSet<(NameKind, &'a str)>);

impl<'a> DanglingNames<'a> {
    /// Of what the references name, whatever is not among the `known`.
    pub fn of(
        references: impl Iterator<Item = Reference<'a, &'a str>>,
        known: impl Iterator<Item = (NameKind, &'a str)>,
    ) -> Self {
        let mut missing: FastSet<_> = references.map(|own| (own.to.of, own.to.text)).collect();
        // Most stores have few references, and many ids.
        if !missing.is_empty() {
            known.for_each(|own| {
                missing.remove(&own);
            });
        }
        DanglingNames(missing)
    }

    /// Whether a reference names something of it.
    pub fn has(&self, reference: &Reference<'_, &str>) -> bool {
        self.0.contains(&(reference.to.of, reference.to.text))
    }
}
