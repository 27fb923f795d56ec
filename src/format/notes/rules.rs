//! What a format says of its notes.

use std::path::Path;

use crate::model::NameKind;
use crate::text::front_matter::YamlField;

/// The relation of a `[[link]]` in a text.
pub const LINK: &str = "[[link]]";

/// What a format says of its notes.
pub struct NoteRules {
    /// True for the file of a note.
    pub is_note: fn(&Path) -> bool,
    /// The folder of the indexes. Notes may also be in folders below it.
    pub folder: &'static str,
    /// Fields with the id; the first with a text counts, and new notes have the first. Without any the id
    /// is the file's stem.
    pub ids: &'static [&'static str],
    /// Fields that all notes should have. If there are none, a note needs no front matter.
    pub required: &'static [&'static str],
    /// Fields that name other records.
    pub relations: &'static [RelationField],
    /// Fields that are always written as lists.
    pub lists: &'static [&'static str],
    /// Fields of which programs read the whole line: a ` #34` in it is no comment.
    pub line_fields: &'static [&'static str],
    /// The field with the time of the last edit; empty if there is none.
    pub updated: &'static str,
    /// The pattern of new timestamps.
    pub time: &'static str,
    /// Ids that no note may have, because other files have these names.
    pub reserved: &'static [&'static str],
}

impl NoteRules {
    /// Returns a field's text as the programs of the format read it.
    pub fn text_of(&self, field: &YamlField<'_>) -> String {
        if self.line_fields.contains(&field.name) { field.line_text() } else { field.value.plain() }
    }
}

/// A field of the front matter that names other records.
pub struct RelationField {
    pub name: &'static str,
    pub of: NameKind,
    /// True if it links to notes, with names as in `[[links]]`.
    pub is_link: bool,
}
