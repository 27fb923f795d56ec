//! Prints rows in columns on a terminal: a header, columns that give way if space is short, colours.

use std::ops::Range;

use super::Context;
use super::stdout::terminal_width;
use crate::detectors::mask;
use crate::text::columns::{fit, wrap};
use crate::text::safe_text::{display_width, sanitize};

const GAP: &str = "  ";

#[derive(Clone, Copy)]
pub struct OutputTerminal {
    pub width: usize,
    pub colours: bool,
}

impl OutputTerminal {
    /// Returns the terminal of standard output, if people read there.
    pub fn of(context: &Context) -> Option<OutputTerminal> {
        let options = &context.options;
        let width = terminal_width().filter(|_| !options.json)?;
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        Some(OutputTerminal { width, colours: !options.no_color && !is_set("NO_COLOR") && !is_dumb })
    }

    /// Returns safe text in a style.
    pub fn painted(self, text: &str, look: TextStyle) -> String {
        match look.code().filter(|_| self.colours && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    Plain,
    Dim,
    Bad,
    Warning,
    Secret,
    Match,
}

impl TextStyle {
    fn code(self) -> Option<&'static str> {
        match self {
            TextStyle::Plain => None,
            TextStyle::Dim => Some("2"),
            TextStyle::Bad => Some("31"),
            TextStyle::Warning => Some("33"),
            TextStyle::Secret => Some("35"),
            TextStyle::Match => Some("1;4"),
        }
    }
}

pub struct Column {
    pub head: &'static str,
    /// True if it is aligned to the right.
    pub is_right: bool,
    pub most: usize,
    /// The column is left out if the last column would be narrower than this.
    pub leaves: usize,
}

impl Column {
    pub fn new(head: &'static str) -> Column {
        Column { head, is_right: false, most: usize::MAX, leaves: 0 }
    }

    pub fn figures(head: &'static str) -> Column {
        Column { is_right: true, ..Column::new(head) }
    }

    /// Limits its width, and leaves it out if the last column would be narrower than `leaves`.
    pub fn giving_way(self, most: usize, leaves: usize) -> Column {
        Column { most, leaves, ..self }
    }
}

pub struct ColumnCell {
    text: String,
    look: TextStyle,
    marked: Vec<Range<usize>>,
}

impl ColumnCell {
    /// Makes a cell of a store's text, masked and safe to show.
    pub fn new(text: &str) -> ColumnCell {
        ColumnCell::of(text, TextStyle::Plain)
    }

    /// Like [`ColumnCell::new`], in a style.
    pub fn of(text: &str, look: TextStyle) -> ColumnCell {
        ColumnCell { text: sanitize(&mask(text)).into_owned(), look, marked: Vec::new() }
    }

    /// Like [`ColumnCell::new`], with the matches of a search marked.
    pub fn marked(text: &str, marks: impl Fn(&str) -> Vec<Range<usize>>) -> ColumnCell {
        let cell = ColumnCell::new(text);
        ColumnCell { marked: marks(&cell.text), ..cell }
    }

    /// Breaks the cell into as many lines as it needs. A cell with marks is cut instead.
    fn broken(&self, width: usize) -> Vec<ColumnCell> {
        let part = |text: String| ColumnCell { text, look: self.look, marked: self.marked.clone() };
        match self.marked.is_empty() {
            true => wrap(&self.text, width).iter().map(|line| part(line.trim_end().to_owned())).collect(),
            false => vec![part(self.text.clone())],
        }
    }

    /// Draws the cell in this width. It fills the width, except in the last column.
    fn drawn(&self, terminal: OutputTerminal, (width, is_right, is_last): (usize, bool, bool)) -> String {
        let cut = fit(&self.text, width);
        let blank = " ".repeat(width.saturating_sub(display_width(&cut)));
        let whole = if cut == self.text { cut.len() } else { cut.len().saturating_sub('…'.len_utf8()) };
        let mut text = String::new();
        let mut at = 0;
        for own in self.marked.iter().filter(|own| own.end <= whole) {
            text.push_str(&cut[at..own.start]);
            text.push_str(&terminal.painted(&cut[own.clone()], TextStyle::Match));
            at = own.end;
        }
        text.push_str(&terminal.painted(&cut[at..], self.look));
        match (is_right, is_last) {
            (true, _) => blank + &text,
            (false, true) => text,
            (false, false) => text + &blank,
        }
    }
}

/// A row, and what is shown below its last column.
pub struct ColumnRow {
    pub cells: Vec<ColumnCell>,
    /// The texts below the last column.
    pub below: Vec<ColumnCell>,
}

impl From<Vec<ColumnCell>> for ColumnRow {
    fn from(cells: Vec<ColumnCell>) -> ColumnRow {
        ColumnRow { cells, below: Vec::new() }
    }
}

/// Returns the rows as they are printed, with their header. The last column gets the remaining width.
pub fn lines(columns: &[Column], rows: &[ColumnRow], terminal: OutputTerminal) -> Vec<String> {
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, own)| widest(own, rows.iter().filter_map(|row| row.cells.get(at))))
        .collect();
    let shown = shown(columns, &widths, terminal.width);
    let Some((&last, others)) = shown.split_last() else { return Vec::new() };
    let before: usize = others.iter().map(|&at| widths[at] + GAP.len()).sum();
    let rest = terminal.width.saturating_sub(before).max(1);
    let place = |at: usize| (if at == last { rest } else { widths[at] }, columns[at].is_right, at == last);
    let drawn = |cells: &dyn Fn(usize) -> Option<String>| -> String {
        shown.iter().filter_map(|&at| cells(at)).collect::<Vec<_>>().join(GAP)
    };
    let head = |at: usize| Some(ColumnCell::of(columns[at].head, TextStyle::Dim).drawn(terminal, place(at)));
    let mut lines = vec![drawn(&head)];
    for row in rows {
        lines.push(drawn(&|at| Some(row.cells.get(at)?.drawn(terminal, place(at)))));
        let below = row.below.iter().flat_map(|own| own.broken(rest));
        lines.extend(below.map(|own| " ".repeat(before) + &own.drawn(terminal, (rest, false, true))));
    }
    lines
}

fn widest<'c>(own: &Column, cells: impl Iterator<Item = &'c ColumnCell>) -> usize {
    let most = cells.map(|cell| display_width(&cell.text)).max().unwrap_or(0);
    if most == 0 { 0 } else { most.max(display_width(own.head)).min(own.most) }
}

fn shown(columns: &[Column], widths: &[usize], width: usize) -> Vec<usize> {
    let last = columns.len().saturating_sub(1);
    let mut shown: Vec<usize> = (0..widths.len()).filter(|&at| at == last || widths[at] > 0).collect();
    loop {
        let before: usize = shown.iter().filter(|&&at| at != last).map(|&at| widths[at] + GAP.len()).sum();
        let rest = width.saturating_sub(before).min(widths[last]);
        let gives = shown.iter().filter(|&&at| at != last && rest < columns[at].leaves.min(widths[last]));
        match gives.copied().max_by_key(|&at| columns[at].leaves) {
            Some(at) => shown.retain(|&own| own != at),
            None => return shown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: OutputTerminal = OutputTerminal { width: 40, colours: false };

    fn columns_of() -> [Column; 4] {
        [
            Column::figures("RANK"),
            Column::new("STORE").giving_way(8, 10),
            Column::new("ID").giving_way(36, 16),
            Column::new("MEMORY"),
        ]
    }

    fn row(rank: &str, store: &str, id: &str, title: &str) -> ColumnRow {
        [rank, store, id, title].map(ColumnCell::new).into_iter().collect::<Vec<_>>().into()
    }

    #[test]
    fn figures_are_at_the_right_words_at_the_left_and_the_last_column_is_cut() {
        let rows = [
            row("1.18", "shop", "m-1", "Pool of 12 connections per service"),
            row("0.9", "payments-api", "m-2", "x"),
        ];
        let told = lines(&columns_of(), &rows, PLAIN);
        assert_eq!(
            told,
            [
                "RANK  STORE     ID   MEMORY",
                "1.18  shop      m-1  Pool of 12 connect…",
                " 0.9  payment…  m-2  x"
            ]
        );
    }

    #[test]
    fn the_column_that_wants_most_room_for_the_text_goes_first() {
        let rows = [row("1.18", "shop", "7104ea96-a2e8", "Pool of 12 connections per service")];
        let head = |width| lines(&columns_of(), &rows, OutputTerminal { width, ..PLAIN })[0].clone();
        assert_eq!(head(60), "RANK  STORE  ID             MEMORY");
        assert_eq!(head(40), "RANK  STORE  MEMORY");
        assert_eq!(head(20), "RANK  MEMORY");
    }

    #[test]
    fn a_column_with_nothing_in_it_is_left_out_and_hostile_text_is_inert() {
        let rows = [row("1.18", "", "", "a\u{1b}[31mb")];
        assert_eq!(lines(&columns_of(), &rows, PLAIN), ["RANK  MEMORY", "1.18  a␛[31mb"]);
    }

    #[test]
    fn what_is_below_a_row_is_broken_into_lines_and_nothing_of_it_is_cut() {
        let below = vec![ColumnCell::new("match: a word of the title, a tag or the id, in 19")];
        let rows = [ColumnRow { cells: vec![ColumnCell::new("1.18"), ColumnCell::new("x")], below }];
        let columns = [Column::figures("RANK"), Column::new("MEMORY")];
        let told = lines(&columns, &rows, OutputTerminal { width: 22, ..PLAIN });
        assert_eq!(told[2..], ["      match: a word of", "      the title, a tag", "      or the id, in 19"]);
    }

    #[test]
    fn what_a_search_found_is_marked_where_it_is_not_cut() {
        let cell = |text| {
            ColumnCell::marked(text, |text| text.find("pool").map(|at| at..at + 4).into_iter().collect())
        };
        let rows = [ColumnRow::from(vec![cell("a pool of 12")])];
        let terminal = OutputTerminal { width: 20, colours: true };
        let told = lines(&[Column::new("MEMORY")], &rows, terminal);
        assert_eq!(told[1], "a \u{1b}[1;4mpool\u{1b}[0m of 12");
        let cut = lines(
            &[Column::new("MEMORY")],
            &[ColumnRow::from(vec![cell("a pool of 12")])],
            OutputTerminal { width: 5, ..terminal },
        );
        assert!(!cut[1].contains("1;4"), "{cut:?}");
    }
}
