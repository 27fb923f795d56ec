//! Finds and ranks memories, with the language of `docs/query.md`. Pure: no disk, no clock.

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
mod near;
mod nearest;
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
mod quote;
mod search_request;
mod search_results;
#[cfg(test)]
mod tests;

pub use crate::query::query_tree::Order;
pub use crate::query::search_request::Request;
pub use crate::query::search_results::{Hit, Results, SimilarWord};
pub use cancel::CancelToken;
pub use duplicates::{DUPLICATES, SIMILAR_PERCENT, SimilarEntry, differing, duplicates};
pub use explain::{Explanation, WordHit, explain, explain_in, floor_outcome};
pub use facets::{Facets, facets, most_first};
pub use fields::field_names;
pub use forecast::{FadeEnd, FadeForecast, forecast};
pub use highlight::{highlights, words_in};
pub use near::{SimilarSearch, similar_search, wider_term};
pub use nearest::nearest;
pub use query_error::QueryError;
pub use query_tree::Query;
pub use quote::{quoted, quoted_pattern};
pub use rank::{EntryDecay, RankFactors, Ranking, WEIGHTS};
pub use reference_search::reachable;
pub use result_pick::{PickSummary, ResultPick};
pub use saved_query::{SavedQueryError, SavedQueryRefusal, saved_names};
pub use search::{search, search_in};
pub use statistics::{FillingSession, StoreCounts, TagUse, UsageStatistics, WEEKS};
pub use text_index::TextIndex;
pub use word_match::Matches;
