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

mod block_scan;
mod cancel;
mod duplicates;
mod evaluation;
mod explain;
mod facets;
mod fields;
mod filter;
mod fold_text;
mod forecast;
mod highlight;
mod name_pattern;
mod parse;
mod query_tree;
mod rank;
mod reference_search;
mod result_pick;
mod saved_query;
mod search;
mod statistics;
mod text_index;
mod time_values;
mod word_match;

mod query_error;
#[cfg(test)]
mod tests;

pub use cancel::CancelToken;
pub use duplicates::{DUPLICATES, SIMILAR_PERCENT, SimilarEntry, differing, duplicates};
pub use explain::{Explanation, WordHit, explain, explain_in, floor_outcome};
pub use facets::{Facets, facets, most_first};
pub use fields::field_names;
pub use forecast::FORECAST;
pub use highlight::{highlights, words_in};
pub use query_error::QueryError;
pub use query_tree::Query;
pub use rank::{EntryDecay, RankFactors, Ranking, WEIGHTS};
pub use reference_search::reachable;
pub use result_pick::{PickSummary, ResultPick};
pub use saved_query::{SavedQueryError, SavedQueryRefusal, UnsupportedSql, saved_names};
pub use search::{Hit, Order, Request, Results, search, search_in};
pub use statistics::{FillingSession, StoreCounts, TagUse, UsageStatistics, WEEKS};
pub use text_index::TextIndex;
pub use word_match::Matches;
