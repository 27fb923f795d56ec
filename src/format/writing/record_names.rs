//! The names in a record: its id, its session, and what it refers to.

use crate::model::NameKind;
use crate::text::json::Json;

/// What a name in a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameUse {
    /// The record's own id.
    Id,
    /// The session that the record is in.
    Session,
    /// What it refers to.
    Reference(NameKind),
}

/// A place in a record that holds a name.
#[derive(Clone, Copy)]
pub struct NamePlace<'j> {
    /// What the name says.
    pub says: NameUse,
    /// The JSON string with the name.
    pub value: Json<'j>,
}

impl<'j> NamePlace<'j> {
    /// Returns the place at a path, if there is a string.
    pub fn at(record: Json<'j>, says: NameUse, path: &[&str]) -> Option<NamePlace<'j>> {
        let value = record.path(path)?;
        value.text().map(|_| NamePlace { says, value })
    }

    /// Returns the strings of the array at a path.
    pub fn of_list(record: Json<'j>, says: NameUse, path: &[&str]) -> Vec<NamePlace<'j>> {
        let items = record.path(path).into_iter().flat_map(|list| list.items());
        items.filter(|item| item.text().is_some()).map(|value| NamePlace { says, value }).collect()
    }
}
