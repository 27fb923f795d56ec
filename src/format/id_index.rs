//! The ids of records: which ones are doubled, and which references lead to no record.

use std::sync::Arc;

use crate::model::{Document, FastMap, FastSet, NameKind, Reference};

/// The ids of records. The place of an id is that of its first record.
pub struct IdIndex<'a> {
    own: Vec<(&'a str, &'a Document, u32)>,
    places: FastMap<&'a str, u32>,
}

impl<'a> IdIndex<'a> {
    /// Returns an empty index with room for this number of records.
    pub fn of(records: usize) -> Self {
        IdIndex {
            own: Vec::with_capacity(records),
            places: FastMap::with_capacity_and_hasher(records, Default::default()),
        }
    }

    /// Adds an id. Returns the file and line of an earlier record with the same id.
    pub fn first(&mut self, id: &'a str, document: &'a Document, line: u32) -> Option<(&'a Document, u32)> {
        let end = self.own.len() as u32;
        let place = *self.places.entry(id).or_insert(end);
        let first = self.own.get(place as usize).map(|(_, document, line)| (*document, *line));
        if first.is_none() {
            self.own.push((id, document, line));
        }
        first
    }

    /// Returns all ids in the order of their places.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.own.iter().map(|(id, ..)| *id)
    }

    pub fn at(&self, place: u32) -> &'a str {
        self.own.get(place as usize).map_or("", |(id, ..)| id)
    }

    /// Returns the place of an id. An id at the place `next` needs no lookup, because indexes
    /// mostly have the order of their log. `next` becomes the place after it.
    pub fn place(&self, id: &str, next: &mut u32) -> Option<u32> {
        let place = match self.own.get(*next as usize) {
            Some((own, ..)) if *own == id => *next,
            _ => *self.places.get(id)?,
        };
        *next = place + 1;
        Some(place)
    }
}

/// Names in references that nothing has.
pub struct DanglingNames<'a>(FastSet<(NameKind, &'a str)>);

impl<'a> DanglingNames<'a> {
    /// Returns the names in the references that are not among the `known` ones.
    pub fn of(
        references: impl Iterator<Item = Reference<'a, &'a str>>,
        known: impl Iterator<Item = (NameKind, &'a str)>,
    ) -> Self {
        let mut missing: FastSet<_> = references.map(|own| (own.to.of, own.to.text)).collect();
        // Most stores have few references and many ids.
        if !missing.is_empty() {
            known.for_each(|own| {
                missing.remove(&own);
            });
        }
        DanglingNames(missing)
    }

    /// Returns the names in the references of files that neither their records nor tombstones, nor `others`, have.
    pub fn in_files(
        files: &'a [Arc<Document>],
        others: impl Iterator<Item = (NameKind, &'a str)>,
    ) -> DanglingNames<'a> {
        let records = || files.iter().flat_map(|file| &file.records);
        let references =
            records().filter_map(|record| record.memory()).flat_map(|memory| memory.references());
        let ids = records().filter_map(|record| Some((NameKind::Record, record.named_id()?)));
        DanglingNames::of(references, ids.chain(others))
    }

    /// True if the target of a reference is missing.
    pub fn has(&self, reference: &Reference<'_, &str>) -> bool {
        self.0.contains(&(reference.to.of, reference.to.text))
    }
}
