//! Prints `list` and `search` on a terminal: rows in columns, with the matches of a search marked.

use super::Context;
use super::columns::{Column, ColumnCell, ColumnRow, OutputTerminal, TextStyle, lines};
use super::memory_row::explanation_lines;
use crate::detectors::mask;
use crate::format;
use crate::model::{Entry, Snapshot, State, Store};
use crate::query::{Explanation, Hit, Query, highlights};
use crate::text::safe_text::sanitize_lines;

/// About this many characters of a text are shown before a match.
const AHEAD: usize = 16;

/// Returns the sign before a row, for the most serious fact about the record.
pub fn sign(store: &Store, entry: &Entry) -> (&'static str, TextStyle) {
    let has_problem = store.problems_of(entry).next().is_some();
    match entry.state {
        State::Broken => ("✖", TextStyle::Bad),
        State::Deleted => ("-", TextStyle::Dim),
        State::Archived => ("▪", TextStyle::Dim),
        State::Live if format::is_sensitive(store, entry) => ("!", TextStyle::Secret),
        State::Live if store.is_unseen(entry) => ("∅", TextStyle::Warning),
        State::Live if has_problem => ("⚠", TextStyle::Warning),
        State::Live => ("", TextStyle::Plain),
    }
}

pub struct MemoryTable<'a> {
    pub snapshot: &'a Snapshot,
    pub query: &'a Query,
    pub is_ranked: bool,
}

impl MemoryTable<'_> {
    /// Prints memories, with the reasons for their ranks if these are asked for.
    pub fn print(
        &self,
        context: &mut Context,
        terminal: OutputTerminal,
        hits: &[(&Hit, Option<Explanation>)],
    ) -> std::io::Result<()> {
        let names = format::store_names(self.snapshot);
        let rows: Vec<ColumnRow> =
            hits.iter().map(|(hit, why)| self.row(context, &names, hit, why.as_ref())).collect();
        if rows.is_empty() { Ok(()) } else { context.out.drawn(&lines(&self.columns(), &rows, terminal)) }
    }

    fn columns(&self) -> [Column; 7] {
        let place = if self.snapshot.stores.len() > 1 { "STORE" } else { "SESSION" };
        [
            Column::new(""),
            Column::figures("RANK"),
            Column::new("TYPE").giving_way(16, 0),
            Column::new(place).giving_way(12, 18),
            Column::figures("AGE").giving_way(5, 24),
            Column::new("ID").giving_way(36, 36),
            Column::new("MEMORY"),
        ]
    }

    fn row(&self, context: &Context, names: &[String], hit: &Hit, why: Option<&Explanation>) -> ColumnRow {
        let (store, entry) = self.snapshot.get(hit.at);
        let memory = store.memory(entry);
        let rank = hit.rank.filter(|_| self.is_ranked).map(|rank| format!("{rank:.2}"));
        let place = match names {
            [_] => store.session(entry).map_or("", |session| session.name.as_str()),
            _ => names.get(hit.at.store as usize).map_or("", String::as_str),
        };
        let age = store.time_of(entry).map(|time| time.age_at(context.now));
        let (sign, look) = sign(store, entry);
        let title = format::title(store, entry);
        let cells = vec![
            ColumnCell::of(sign, look),
            ColumnCell::new(&rank.unwrap_or_default()),
            ColumnCell::new(memory.map_or("broken", |memory| memory.kind())),
            ColumnCell::new(place),
            ColumnCell::new(&age.unwrap_or_default()),
            ColumnCell::of(&id(store, entry), TextStyle::Dim),
            ColumnCell::marked(title.raw(), |text| highlights(text, self.query)),
        ];
        let found = self
            .line_of(store, entry, title.raw())
            .map(|line| ColumnCell::marked(&line, |text| highlights(text, self.query)));
        let why =
            why.into_iter().flat_map(explanation_lines).map(|line| ColumnCell::of(&line, TextStyle::Dim));
        ColumnRow { cells, below: found.into_iter().chain(why).collect() }
    }

    /// Returns the line of a text in which the query is, if the title has none of it.
    fn line_of(&self, store: &Store, entry: &Entry, title: &str) -> Option<String> {
        if !self.query.has_words() || !highlights(&mask(title), self.query).is_empty() {
            return None;
        }
        let text = mask(format::text_of(store, entry).text.raw()).into_owned();
        let mut found = sanitize_lines(&text).filter_map(|line| {
            let at = highlights(&line, self.query).first()?.start;
            let from = line[..at].char_indices().rev().nth(AHEAD).map_or(0, |(at, _)| at);
            let from = line[from..at].find(' ').filter(|_| from > 0).map_or(from, |blank| from + blank + 1);
            Some(format!("{}{}", if from > 0 { "… " } else { "" }, &line[from..]))
        });
        found.next()
    }
}

/// Returns the id of a memory, if it can be shown and typed.
fn id(store: &Store, entry: &Entry) -> String {
    let id = store.id(entry).filter(|id| mask(id) == *id);
    id.map_or_else(String::new, str::to_owned)
}
