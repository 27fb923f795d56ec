//! `palimp duplicates [QUERY...]`: finds records of equal or nearly equal text, in groups.

use serde::Serialize;

use super::memory_row::MemoryRow;
use super::{Context, Exit, Limit, ReadScope, Result, list};
use crate::model::Snapshot;
use crate::model::plan::count_with_noun;
use crate::query::{CancelToken, Order, Query, SimilarEntry, differing, duplicates, search};
use crate::text::safe_text::sanitize;

/// A member of a group, with the fields of `list`.
#[derive(Serialize)]
struct DuplicateRow {
    /// The number of the group, from 1.
    group: usize,
    /// True if the others are compared with it.
    first: bool,
    /// The similarity to the first, from 0 to 1.
    similarity: f64,
    /// What differs from the first memory, if the words are the same. Empty if both are equal.
    differs: Option<Vec<String>>,
    #[serde(flatten)]
    row: MemoryRow,
}

/// Reads how similar texts must be, in per cent.
pub fn percent(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (50..=100).contains(number));
    number.ok_or_else(|| "it should be a whole number from 50 to 100".into())
}

/// Lists the groups in what the query finds. The most important memory of a group is first, then the newest.
pub fn run(context: &mut Context, words: &[String], percent: u32, limit: Limit) -> Result {
    let query = Query::parse(&words.join(" "), context.now)?;
    list::shown(context, &query, ReadScope::All, |context, query, snapshot| {
        let never = CancelToken::default();
        let request = context.request(snapshot, query, Order::Importance);
        let found = search(&request, &never).unwrap_or_default().answered()?;
        let groups = duplicates(snapshot, &found.hits, percent, &never).unwrap_or_default();
        for (number, group) in groups.iter().enumerate().take(limit.most()) {
            if !context.options.json {
                let count = count_with_noun(group.len() as u64, "memory");
                let alike = match group.iter().map(SimilarEntry::percent).min().unwrap_or_default() {
                    100 => "the same words".to_owned(),
                    least => format!("at least {least} % alike"),
                };
                context.out.line(&format!("group {}: {count}, {alike}", number + 1))?;
            }
            for (place, own) in group.iter().enumerate() {
                let row = MemoryRow::new(snapshot, own.hit.at, own.hit.rank, None, context.now);
                let (similarity, differs) = (own.similarity, differs(snapshot, group, place));
                let (group, first) = (number + 1, place == 0);
                let row = DuplicateRow { group, first, similarity, differs, row };
                context.row(&row, || line(&row, own.percent()))?;
            }
        }
        context.more(limit, groups.len())?;
        Ok(if groups.is_empty() { Exit::Nothing } else { Exit::Done })
    })
}

/// Returns the names of what differs in a member that has the same words as the first.
fn differs(snapshot: &Snapshot, group: &[SimilarEntry], place: usize) -> Option<Vec<String>> {
    let (first, own) = (group.first()?, group.get(place)?);
    (place > 0 && own.percent() == 100).then(|| differing(snapshot, first.hit.at, own.hit.at))
}

fn line(member: &DuplicateRow, percent: u32) -> String {
    let row = member.row.to_line();
    match member.differs.as_deref() {
        _ if member.first => format!("  first {row}"),
        Some([]) => format!("  equal {row}"),
        // The words are the same, and other fields are not.
        Some(names) => {
            format!("  {:>3} % {row}  (differs: {})", percent.min(99), sanitize(&names.join(", ")))
        }
        None => format!("  {percent:>3} % {row}"),
    }
}
