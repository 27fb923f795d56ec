//! Find and rank. Pure: no disk, no clock.
//!
//! `docs/query.md` describes the language.
//!
//! | file | what it is |
//! |---|---|
//! | `parse` | from typed text to a [`Query`]: words, phrases, `-`, `OR`, parentheses |
//! | `fields` | the fields: their names, values, messages |
//! | `when` | times in a query |
//! | `pattern` | names with `*` in the values of fields |
//! | `syntax` | what a query is once it has been read |
//! | `filter` | what fields ask of an entry |
//! | `folded` | text as it is compared |
//! | `text_index` | the folded text of every entry |
//! | `matching` | words against that text |
//! | `pick` | what is picked of results, to be listed alone |
//! | `saved` | queries that a store itself has saved |
//! | `rank` | the numbers of a rank |
//! | `related` | what is tied to a memory, directly or over others |
//! | `walk` | every entry of a snapshot against the query |
//! | `search` | who matches, in what order, what is in the way |
//! | `explain` | why an entry ranks as it does |
//! | `highlight` | where words are in a text that is shown |
//! | `duplicates` | records of equal or nearly equal text |
//! | `forecast` | what fades to the floor, and when |
//! | `facets` | what results have in common |
//! | `statistics` | what stores hold and how that grew |
//! | `cancel` | stopping a search that a newer one has overtaken |

use std::ops::Range;

mod cancel;
mod duplicates;
mod explain;
mod facets;
mod fields;
mod filter;
mod folded;
mod forecast;
mod highlight;
mod matching;
mod parse;
mod pattern;
mod pick;
mod rank;
mod related;
mod saved;
mod search;
mod statistics;
mod syntax;
mod text_index;
mod unindexed;
mod walk;
mod when;

#[cfg(test)]
mod tests;

pub use cancel::Cancel;
pub use duplicates::{ALIKE, Alike, DUPLICATES, differing, duplicates};
pub use explain::{Explanation, WordHit, at_floor, explain, explain_in};
pub use facets::{Facets, facets, most_first};
pub use fields::field_names;
pub use forecast::FORECAST;
pub use highlight::{highlights, words_in};
pub use matching::Matches;
pub use pick::{Pick, Picked};
pub use rank::{Factors, Fading, Ranking, WEIGHTS};
pub use related::tied;
pub use saved::{Refused, SavedError, Unsupported, saved_names};
pub use search::{Hit, Order, Request, Results, search, search_in};
pub use statistics::{Filling, Held, Statistics, TagUse, WEEKS};
pub use syntax::Query;
pub use text_index::TextIndex;

/// Where and why a query can't be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query that are wrong.
    pub span: Range<usize>,
    /// What is wrong and what would be right, in a sentence. Quotes the query.
    pub message: String,
}
