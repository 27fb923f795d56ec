//! `palimp list [QUERY...]` lists records, newest first. `palimp search QUERY...` lists the best first.

use super::args::SessionOption;
use super::columns::OutputTerminal;
use super::list_table::MemoryTable;
use super::memory_row::{self, MemoryRow};
use super::session::{no_session, stores_with};
use super::{Context, Exit, Limit, ReadScope, Result, load_stores, say};
use crate::model::Snapshot;
use crate::ops::archive::is_in_own_data;
use crate::query::{
    CancelToken, Hit, Order, Query, Request, SimilarSearch, explain_in, search_in, similar_search, wider_term,
};

pub fn list(context: &mut Context, words: &[String], within: &SessionOption, limit: Limit) -> Result {
    let query = Query::parse(&words.join(" "), context.now)?;
    print_hits(context, query, within, (Order::Time, limit, false))
}

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

fn print_hits(
    context: &mut Context,
    query: Query,
    within: &SessionOption,
    how: (Order, Limit, bool),
) -> Result {
    let Some(session) = &within.session else {
        return shown(context, &query, ReadScope::All, |context, query, snapshot| {
            print_from(context, how, query, snapshot)
        });
    };
    // Related memories may be in another session.
    let about = if query.asks_related() { ReadScope::All } else { ReadScope::Session(session) };
    shown(context, &query.of_session(session), about, |context, query, snapshot| {
        if stores_with(snapshot, session).is_empty() {
            return Err(no_session(session));
        }
        print_from(context, how, query, snapshot)
    })
}

/// Shows what a query finds, also deleted memories if asked.
pub fn shown(
    context: &mut Context,
    query: &Query,
    about: ReadScope<'_>,
    show: impl Fn(&mut Context, &Query, &Snapshot) -> Result,
) -> Result {
    let asks_deleted = context.options.all || query.asks_deleted();
    let mut listed = match asks_deleted {
        // A deleted memory may have been in any session.
        true => load_stores::snapshot(context, ReadScope::All)?,
        false => load_stores::memories(context, about)?,
    };
    if context.options.all || query.asks_archived() {
        context.unread.archives(&listed);
    }
    let is_in_own_data = query.asks_archived() && listed.stores.iter().any(|own| is_in_own_data(own));
    if is_in_own_data && !asks_deleted {
        listed = load_stores::snapshot(context, ReadScope::All)?;
    }
    if asks_deleted || is_in_own_data {
        listed = load_stores::with_deleted(context, &listed)?;
    }
    show(context, query, &listed)
}

/// Prints what is found in a snapshot. `search` tries words that are spelled alike if it finds nothing; `list` takes words as they are.
fn print_from(
    context: &mut Context,
    (order, limit, explained): (Order, Limit, bool),
    query: &Query,
    snapshot: &Snapshot,
) -> Result {
    let request = context.request(snapshot, query, order);
    let never = CancelToken::default();
    let matches = request.matches(&never).unwrap_or_default();
    let mut results = search_in(&request, &matches, &never).unwrap_or_default();
    results.wider = wider_term(&request, &matches, &results, &never);
    let similar =
        if order == Order::Rank { similar_search(&request, &matches, &results, &never) } else { None };
    let SimilarSearch { query, matches, results } =
        similar.unwrap_or_else(|| SimilarSearch { query: query.clone(), matches, results });
    let request = Request { query: &query, ..request };
    let results = results.answered()?;
    results.notes().iter().for_each(|note| say(&format!("{note}.")));
    let hits = &results.hits[..results.hits.len().min(limit.most())];
    let why = |hit: &Hit| explained.then(|| explain_in(&request, &matches, hit.at)).flatten();
    if let Some(terminal) = OutputTerminal::of(context) {
        let shown: Vec<_> = hits.iter().map(|hit| (hit, why(hit))).collect();
        let is_ranked = order == Order::Rank;
        MemoryTable { snapshot, query: &query, is_ranked }.print(context, terminal, &shown)?;
        context.more(limit, results.hits.len())?;
        if hits.is_empty() {
            say("no memory matches.");
        }
    } else {
        for hit in hits {
            let why = why(hit);
            let mut row = MemoryRow::new(snapshot, hit.at, hit.rank, why.as_ref(), context.now);
            row.similar.clone_from(&results.similar);
            if context.options.json {
                context.out.json(&row)?;
                continue;
            }
            context.out.line(&row.to_line())?;
            for line in why.iter().flat_map(memory_row::explanation_lines) {
                context.out.line(&format!("    {line}"))?;
            }
        }
    }
    Ok(if results.hits.is_empty() { Exit::Nothing } else { Exit::Done })
}
