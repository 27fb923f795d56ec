//! What the records say that a question is about.

use crate::deed::{Planned, name_of};
use crate::format;
use crate::model::plan::counted;
use crate::model::{Entry, Store};
use crate::text::secrets::mask;
use crate::text::show::show_lines;

/// So many records are shown before a question, and so many lines of one alone.
const RECORDS: usize = 5;
/// So many characters of a line.
const COLUMNS: usize = 160;

/// The first lines of what the chosen records say, masked and safe to show; nothing where it is asked
/// again, or no records are chosen.
pub fn texts(planned: &Planned) -> Vec<String> {
    let chosen = &planned.changing;
    if planned.difference.is_some() {
        return Vec::new();
    }
    let rows = if chosen.len() == 1 { RECORDS } else { 1 };
    let mut lines = Vec::new();
    for &at in chosen.iter().take(RECORDS) {
        let (store, entry) = planned.request.snapshot.get(at);
        lines.push(format!("{}:", name_of(store, entry)));
        lines.extend(first_lines(store, entry, rows));
    }
    if chosen.len() > RECORDS {
        lines.push(format!("… and {}", counted((chosen.len() - RECORDS) as u64, "more record")));
    }
    lines
}

/// The first lines of a record's text. A private key covers lines, so what is masked is masked before
/// it is cut.
fn first_lines(store: &Store, entry: &Entry, rows: usize) -> Vec<String> {
    let own = format::text_of(store, entry);
    let text = if own.text.trim().is_empty() { own.title } else { own.text };
    let masked = mask(&text).into_owned();
    let mut lines = show_lines(&masked).filter(|line| !line.trim().is_empty());
    let cut = |line: String| line.chars().take(COLUMNS).collect::<String>();
    let mut first: Vec<String> = lines.by_ref().take(rows).map(|line| format!("  {}", cut(line))).collect();
    first.extend(lines.next().filter(|_| rows > 1).map(|_| "  …".to_owned()));
    first
}
