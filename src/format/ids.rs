//! What records are called: which share an id, and what they name that is not there.

use std::collections::{HashMap, HashSet};

use crate::model::{Document, Named, Reference};

/// Where each id was first.
pub struct Ids<'a>(HashMap<&'a str, (&'a Document, u32)>);

impl<'a> Ids<'a> {
    /// None yet, of so many records.
    pub fn of(records: usize) -> Self {
        Ids(HashMap::with_capacity(records))
    }

    /// The file and line of the first record of that id, where this is another one.
    pub fn first(&mut self, id: &'a str, document: &'a Document, line: u32) -> Option<(&'a Document, u32)> {
        let mut is_new = false;
        let first = *self.0.entry(id).or_insert_with(|| {
            is_new = true;
            (document, line)
        });
        (!is_new).then_some(first)
    }
}

/// What is named, and is not there.
pub struct Missing<'a>(HashSet<(Named, &'a str)>);

impl<'a> Missing<'a> {
    /// Of what the references name, whatever is not among the `known`.
    pub fn of(
        references: impl Iterator<Item = &'a Reference>,
        known: impl Iterator<Item = (Named, &'a str)>,
    ) -> Self {
        let mut missing: HashSet<_> = references.map(|own| (own.to.of, &*own.to.text)).collect();
        // Most stores have few references, and many ids.
        if !missing.is_empty() {
            known.for_each(|own| {
                missing.remove(&own);
            });
        }
        Missing(missing)
    }

    /// Whether a reference names something of it.
    pub fn has(&self, reference: &Reference) -> bool {
        self.0.contains(&(reference.to.of, &*reference.to.text))
    }
}
