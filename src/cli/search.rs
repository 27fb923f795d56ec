//! `palimp search`.

use crate::cli::args::{Limit, SessionOption};
use crate::cli::context::Context;
use crate::cli::failure::Result;
use crate::cli::list::print_hits;
use crate::query::{Order, Query};

/// Runs `search`. With a saved query, it finds what both that query and the words find.
pub fn search(
    context: &mut Context,
    words: &[String],
    saved: Option<&str>,
    within: &SessionOption,
    (limit, explained): (Limit, bool),
) -> Result {
    let mut query = Query::parse(&words.join(" "), context.now)?;
    if let Some(name) = saved {
        query = query.of_saved(name, context.now);
    }
    print_hits(context, query, within, (Order::Rank, limit, explained))
}
