//! What a user sees of queries and ranks.
