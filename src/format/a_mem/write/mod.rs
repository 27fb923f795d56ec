//! What palimp writes into stores of this format. All of it is pure: what was read goes
//! in, paths and bytes come out, and the time is a parameter.
//!
//! Choices where the specification is silent:
//! - Timestamps end in `+00:00` and have microseconds, as the format's own writer has them.
//! - An index keeps the shape and the layout in which it was found; what can't be read is
//!   made anew in the specification's shape. A note has one node in the graph, with links
//!   or without; a node whose note is gone goes. Links that are in the text alone are
//!   listed in a new graph, and in one that lists some of them already.
//! - Counts in an index (`note_count`, `total_tags`, `total_notes`) and tags by note are
//!   derived too.
//! - A deprecated note keeps in `before_deprecation` what it takes to undo that.

mod deprecation;
mod event_log;
mod graph;
mod json_text;
mod link_lists;
mod named;
mod new_notes;
mod profiles;
mod tag_index;

use chrono::DateTime;

use crate::model::Moment;
use crate::text::front_matter::edit::EditRefused;

pub use deprecation::{deprecate, undeprecate};
pub use event_log::{
    ARCHIVE_AFTER_DAYS, NewEvent, archivable_months, gzip, logs_of_month, month_of, new_event,
};
pub use graph::links_graph;
pub(super) use named::Known;
pub use new_notes::{NewNote, check_id, new_note, tag};
pub use profiles::set_preference;
pub use tag_index::tags_index;

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A value is not one that the format has.
    #[error("{field} can't be {value:?}: {rule}")]
    Value {
        /// Which value it is.
        field: &'static str,
        /// What was given.
        value: String,
        /// What is allowed, as a phrase.
        rule: String,
    },
    /// Another note has that id, or its file.
    #[error("a note called {0:?} is there already")]
    Taken(String),
    /// The note is deprecated already.
    #[error("the note is deprecated already")]
    Deprecated,
    /// The note is not deprecated.
    #[error("the note is not deprecated")]
    NotDeprecated,
    /// The file can't be read as what it should be.
    #[error("the file can't be edited: {0}")]
    Unreadable(String),
    /// The front matter can't be edited.
    #[error(transparent)]
    FrontMatter(#[from] EditRefused),
}

impl Refused {
    fn value(field: &'static str, value: &str, rule: impl Into<String>) -> Self {
        Refused::Value { field, value: value.to_owned(), rule: rule.into() }
    }

    /// Refuses a word that is not among the known ones.
    fn unless_one_of(field: &'static str, value: &str, known: &[&str]) -> Result<(), Refused> {
        let rule = || format!("it has to be one of {}", known.join(", "));
        if known.contains(&value) { Ok(()) } else { Err(Refused::value(field, value, rule())) }
    }
}

/// A timestamp as the format's own writer has it.
pub(super) fn timestamp(now: Moment) -> String {
    part_of(now, "%Y-%m-%dT%H:%M:%S%.6f+00:00")
}

fn part_of(now: Moment, shape: &str) -> String {
    let when = DateTime::from_timestamp_micros(now.0);
    when.map_or_else(|| now.to_rfc3339(), |when| when.format(shape).to_string())
}

#[cfg(test)]
mod tests;
