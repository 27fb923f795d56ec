//! The reasons why a saved query is not run.

use std::ops::Range;

use super::sql::MOST_SIGNS;
use crate::query::QueryError;

/// An unsupported part of a saved query. The message is a sentence and quotes the query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedSql {
    /// It can't be parsed as SQL.
    #[error("it is no SQL that can be read ({0}).")]
    Unreadable(String),
    /// It is too long.
    #[error("it has more than {MOST_SIGNS} words and signs.")]
    Long,
    /// It has no statement or several.
    #[error("it has {0} statements, and only one SELECT is run.")]
    Statements(usize),
    /// It is not a SELECT.
    #[error("it is no SELECT, and nothing else is run.")]
    NoSelect,
    /// It reads from something that is not a table of the store.
    #[error("there is no table “{0}”. The tables are {known}.", known = .1.join(", "))]
    Table(String, &'static [&'static str]),
    /// It has a parameter, which has no value.
    #[error("it has the parameter {0}, and no value can be given for it.")]
    Parameter(String),
    /// It calls an unknown function.
    #[error("it has the function {0}(), which is not supported.")]
    Function(String),
    /// It moves a time in an unknown way.
    #[error("it moves a time by “{0}”, which is not supported; such as -7 days or +1 month is.")]
    Move(String),
    /// It has another unsupported part of SQL.
    #[error("it has {0}, which is not supported.")]
    Part(String),
}

/// The reason why a saved query is not run. The message quotes its name and the query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedQueryError {
    /// No saved query has that name.
    #[error("There is no saved query “{name}”. {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The sentence that lists the names.
        known: String,
    },
    /// Several saved queries of a store have that name.
    #[error("“{name}” is the name of several saved queries: {files}. Name the file.", files = .files.join(", "))]
    Several {
        /// The name that was asked for.
        name: String,
        /// The files with that name.
        files: Vec<String>,
    },
    /// It has an unsupported part.
    #[error("The saved query “{name}” is not run: {why}")]
    NotRun {
        /// Its name.
        name: String,
        /// The unsupported part.
        why: UnsupportedSql,
        /// The query. Untrusted text.
        text: String,
    },
}

/// The refusal of a search because of a saved query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct SavedQueryRefusal {
    /// The bytes of the search that ask for it.
    pub span: Range<usize>,
    /// Why it is not run.
    pub why: SavedQueryError,
}

impl From<SavedQueryRefusal> for QueryError {
    fn from(refused: SavedQueryRefusal) -> QueryError {
        QueryError { message: refused.why.to_string(), span: refused.span }
    }
}
