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
mod near;
mod nearest;
mod parse;
mod query_tree;
mod quote;
mod rank;
mod saved_query;
mod search;
mod statistics;
mod text_index;
mod time_values;
mod word_match;

#[cfg(test)]
mod tests;

pub use cancel::CancelToken;
pub use duplicates::{
    DUPLICATES, ResultPick, SIMILAR_PERCENT, SimilarEntry, differing, duplicates, pick_duplicates,
};
pub use evaluation::reachable;
pub use explain::{Explanation, WordHit, explain, explain_in, floor_outcome};
pub use facets::{Facets, facets, most_first};
pub use fields::field_names;
pub use forecast::{FadeEnd, FadeForecast, forecast};
pub use highlight::{highlights, words_in};
pub use near::{SimilarSearch, similar_search, wider_term};
pub use nearest::nearest;
pub use query_tree::{Order, Query, QueryError};
pub use quote::{quoted, quoted_pattern};
pub use rank::{EntryDecay, RankFactors, Ranking, WEIGHTS};
pub use saved_query::{SavedQueryError, SavedQueryRefusal, saved_names};
pub use search::{Hit, PickSummary, Request, Results, SimilarWord, search, search_in};
pub use statistics::{FillingSession, StoreCounts, TagUse, UsageStatistics, WEEKS};
pub use text_index::TextIndex;
pub use word_match::Matches;
