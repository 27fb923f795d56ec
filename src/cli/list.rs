//! `palimp list [QUERY...]`: records, newest first.

use super::Context;
use super::failure::{Exit, Failure, say};
use super::row::Row;
use super::{open, row};
use crate::model::plan;
use crate::query::{Cancel, Order, Query, Request, explain_in, search_in};

/// Lists what the query asks for.
pub fn run(context: &mut Context, words: &[String], limit: Option<usize>) -> Result<Exit, Failure> {
    print(context, words, Order::Time, limit, false)
}

/// Finds, orders and prints records: what `list` and `search` share.
pub fn print(
    context: &mut Context,
    words: &[String],
    order: Order,
    limit: Option<usize>,
    explained: bool,
) -> Result<Exit, Failure> {
    let query = Query::parse(&words.join(" "), context.now)?;
    let snapshot = match context.options.all || query.asks_deleted() {
        true => open::with_deleted(context, &open::snapshot(context)?)?,
        false => open::listing(context)?,
    };
    let request = Request {
        snapshot: &snapshot,
        text: None,
        query: &query,
        ranking: context.options.ranking(snapshot.stores.iter().map(|store| store.format)),
        order,
        all: context.options.all,
        now: context.now,
    };
    let never = Cancel::default();
    let matches = request.matches(&never).unwrap_or_default();
    let results = search_in(&request, &matches, &never).unwrap_or_default();
    let hits = &results.hits[..results.hits.len().min(limit.unwrap_or(usize::MAX))];
    let mut changed = 0;
    for hit in hits {
        let why = explained.then(|| explain_in(&request, &matches, hit.at)).flatten();
        let row = Row::new(&snapshot, hit.at, hit.rank, why.as_ref(), context.now);
        changed += u64::from(row.is_gone());
        if context.options.json {
            context.out.json(&row)?;
        } else {
            context.out.line(&row.to_line(context.now))?;
            if let Some(why) = &why {
                context.out.line(&format!("    {}", row::told(why)))?;
            }
        }
    }
    if changed > 0 {
        let what = plan::counted(changed, "record");
        say(&format!(
            "{what} can't be shown: the file has changed since it was read. Run this again to see all."
        ));
    }
    Ok(if results.hits.is_empty() { Exit::Nothing } else { Exit::Done })
}
