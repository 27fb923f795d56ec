//! What formats of Markdown notes share: a note is one file with front matter, a text and `[[links]]`.
//!
//! A format passes its [`rules::NoteRules`] and the function that reads the fields of its notes. Paths and
//! words of one format have no place here.
//! - A file as one record: `note_file`. Its form, too. Headings in its text: `sections`.
//! - Changes: `edit`. Ids and titles of new notes: `ids`.
//! - The notes of a store by their names: `note_index`, for checks and for writers.
//! - Indexes of tags and links in JSON: `indexes` reads them, `tag_index` and `link_graph` rebuild
//!   them in their own layout, which `text::json_layout` keeps.

pub mod edit;
pub mod ids;
pub mod indexes;
pub mod link_graph;
pub mod note_file;
pub mod note_index;
pub mod rules;
pub mod sections;
pub mod tag_index;
