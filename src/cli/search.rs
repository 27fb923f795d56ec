//! `palimp search QUERY...`: records, best first.

use super::failure::Result;
use super::{Context, list};
use crate::query::Order;

/// Searches, best first.
pub fn run(context: &mut Context, words: &[String], explained: bool, limit: Option<usize>) -> Result {
    list::print(context, words, Order::Rank, limit, explained)
}
