//! References between records (2 §3, 4 §3, 5 §6.2).

use super::{Found, Memory, MemoryError, Recalled, Result};
use crate::format;

/// The links of one record, by direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// Links from it to other records, in stored order.
    pub outgoing: Vec<Link>,
    /// Links from other records to it.
    pub incoming: Vec<Link>,
}

/// A link between two records.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name of the member that holds the link, as the specification calls it: `references`,
    /// `parent_message_id`, `linked_to`, `[[link]]`, …
    pub relation: String,
    /// The id, trace or session that the link names. For an incoming link: the id of the other
    /// record, or empty if it has none. Untrusted text.
    pub id: String,
    /// The record at the other end, if the store has it: live, archived or deleted ([`Found::state`]).
    pub other: Option<Found>,
}

impl Memory {
    /// Returns the links of a record with their directions.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("a-mem", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let first = memory.add(&New { kind: "note", text: "# Longer timeouts", ..New::default() })?;
    /// let text = format!("# Retries\n\nAfter [[{}]].", first.id);
    /// let second = memory.add(&New { kind: "note", text: &text, ..New::default() })?;
    ///
    /// let links = memory.links(None, &second.id)?;
    /// assert_eq!(links.outgoing[0].relation, "linked_to");
    /// assert_eq!(links.outgoing[0].id, first.id);
    /// let links = memory.links(None, &first.id)?;
    /// assert!(links.outgoing.is_empty());
    /// assert_eq!(links.incoming[0].id, second.id);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_FORMAT` in a format without references. `E_INVALID_QUERY` if there is no
    /// such record. `E_AMBIGUOUS_ID` if several sessions have the id. Also if the store can't be read.
    pub fn links(&mut self, session: Option<&str>, id: &str) -> Result<Recalled<Links>> {
        self.refresh();
        let name = self.place.format;
        if format::by_name(name).is_some_and(|format| !format.about().has_references) {
            let message = format!("{name} has no links: its memories have no field for them.");
            return Err(MemoryError::new("E_INVALID_FORMAT", message));
        }
        let (at, _) = self.existing_entry(session, id)?;
        let mut links = Links::default();
        for tie in self.snapshot.references().links_of(self.store(), at) {
            let link = Link {
                relation: tie.relation.into(),
                id: tie.name.into(),
                other: tie.other.map(|other| self.found(other, None)),
            };
            if tie.outward { &mut links.outgoing } else { &mut links.incoming }.push(link);
        }
        Ok(self.recalled(links))
    }
}
