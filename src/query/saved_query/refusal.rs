//! Why a saved query is not run.

use std::ops::Range;

use super::sql::MOST_SIGNS;
use crate::query::QueryError;

/// What a saved query has that is not supported. Each is a sentence. Quotes the query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedSql {
    /// It is not SQL.
    #[error("it is no SQL that can be read ({0}).")]
    Unreadable(String),
    /// It is longer than any that people write.
    #[error("it has more than {MOST_SIGNS} words and signs.")]
    Long,
    /// It has none or several statements.
    #[error("it has {0} statements, and only one SELECT is run.")]
    Statements(usize),
    /// It does something else than to select.
    #[error("it is no SELECT, and nothing else is run.")]
    NoSelect,
    /// It reads from something that is no table of the store.
    #[error("there is no table “{0}”. The tables are {known}.", known = .1.join(", "))]
    Table(String, &'static [&'static str]),
    /// It needs a value that nobody gives.
    #[error("it has the parameter {0}, and no value can be given for it.")]
    Parameter(String),
    /// It calls a function that is not known.
    #[error("it has the function {0}(), which is not supported.")]
    Function(String),
    /// A time is moved in a way that is not known.
    #[error("it moves a time by “{0}”, which is not supported; such as -7 days or +1 month is.")]
    Move(String),
    /// A part of SQL.
    #[error("it has {0}, which is not supported.")]
    Part(String),
}

/// Why a saved query that was asked for is not run. Quotes it, and its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedQueryError {
    /// None has that name.
    #[error("There is no saved query “{name}”. {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The sentence that says which there are.
        known: String,
    },
    /// Several have it.
    #[error("“{name}” is the name of several saved queries: {files}. Name the file.", files = .files.join(", "))]
    Several {
        /// The name that was asked for.
        name: String,
        /// The files that have it.
        files: Vec<String>,
    },
    /// It has a part that is not supported.
    #[error("The saved query “{name}” is not run: {why}")]
    NotRun {
        /// Its name.
        name: String,
        /// What is not supported.
        why: UnsupportedSql,
        /// The query. Untrusted text.
        text: String,
    },
}

/// A search with a saved query that is not run.
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
